"""Expected times and the tables of devices that they are computed with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from . import _steptp
from ._verbs import Source, _open


def estimate(source: Source, device: str = "cpu", *, rates: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What a program is expected to take on a device, and why, without running it: the verb `estimate`.

    The answer is that of ``steptp estimate --json``: "seconds", "floor_seconds", and "kernels" with "seconds",
    "limited_by" and "parts" of each. `device` is a name of the table, or "cpu" and "cuda", which are this machine; `rates`
    is a table as :func:`device_rates` returns it, in place of a name.

    Raises ValueError where there are no such rates, and DiagnosticError where the program has errors.
    """
    table = "" if rates is None else json.dumps(dict(rates))
    return json.loads(_steptp.estimate(_open(source), device, table))


def device_rates(device: str = "cpu", *, measure: bool = False, budget: float = 0.3) -> dict[str, Any]:
    """The table of a device: {"device", "kind", "source", "rates"}. With `measure`, "cpu" or "cuda" is measured first, each
    small program for `budget` seconds, and kept where the user's configuration is, as the verb `device` does.

    Raises ValueError where there is no such device or it has no rates, and DiagnosticError where measuring fails.
    """
    text = _steptp.calibrate_device(device, float(budget)) if measure else _steptp.device_rates(device)
    return json.loads(text)

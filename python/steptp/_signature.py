"""Known variables, and the JSON in which they pass to the compiled part."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Union


@dataclass(frozen=True)
class Variable:
    """A known variable of a program.

    `role` is "input", "constant", "param" or "output"; `dtype` is read in either spelling ("f32", "float32");
    `domain` is None, "any", "positive", "nonzero", "masked" (finite or -inf) or "[lo,hi)"; `values` is the data of a constant in row-major order.
    """

    name: str
    role: str
    dtype: str
    shape: tuple[int, ...] = ()
    domain: str | None = None
    values: tuple[float, ...] | None = None


SignatureLike = Iterable[Union[Variable, Mapping[str, Any]]]


def _plain(value: Any) -> Any:
    """The value with numbers that JSON does not have written as strings, and sequences as lists."""
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def to_json(signature: SignatureLike) -> str:
    """The JSON array of a signature given as variables, or as mappings with the same keys."""
    entries = [dict(vars(entry)) if isinstance(entry, Variable) else dict(entry) for entry in signature]
    return json.dumps([{key: _plain(value) for key, value in entry.items()} for entry in entries], allow_nan=False)


def from_json(text: str) -> list[Variable]:
    def variable(entry: dict[str, Any]) -> Variable:
        values = entry.get("values")
        return Variable(
            entry["name"],
            entry["role"],
            entry["dtype"],
            tuple(entry["shape"]),
            entry.get("domain"),
            None if values is None else tuple(float(v) if isinstance(v, str) else v for v in values),
        )

    return [variable(entry) for entry in json.loads(text)]

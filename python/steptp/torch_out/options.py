"""What the doors can be told, checked once for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

CHECKS = ("first-call", "certified", "off")


@dataclass(frozen=True)
class Options:
    """How graphs become kernels.

    verify: each group is judged against the program it came as; without it, programs run as they came.
    check: "first-call" compares every group with eager PyTorch once, with the tensors of its first call; "certified" also
    compares both with certified values, at inputs that are drawn for it, which takes about a second; "off" does not.
    samples: 0 plans without measuring; with more, so many programs are tried for each group on this machine, each judged
    before it is timed, and the winner is left to eager where that is faster. Needs verify.
    arithmetic: "fast" fuses products and sums; "exact" rounds each operation by itself.
    most_shapes: so many programs for different shapes of one graph; further shapes run with eager.
    most_operators: no group has more operators than this.
    require_safe: only plans that are shown to be safe.
    cache: a folder, or "off"; None for the usual one.
    """

    verify: bool = True
    check: str = "first-call"
    samples: int = 0
    arithmetic: str = "fast"
    most_shapes: int = 8
    most_operators: int = 32
    require_safe: bool = False
    cache: str | None = None

    def __post_init__(self) -> None:
        if self.check not in CHECKS:
            raise ValueError(f"no check {self.check!r}: there are {', '.join(map(repr, CHECKS))}")
        if self.arithmetic not in ("fast", "exact"):
            raise ValueError(f"no arithmetic {self.arithmetic!r}: there are 'fast' and 'exact'")
        for name, least in (("samples", 0), ("most_shapes", 1), ("most_operators", 1)):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                raise ValueError(f"{name} is a whole number from {least} on, not {value!r}")
        for name in ("verify", "require_safe"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name} is True or False, not {getattr(self, name)!r}")

    @classmethod
    def of(cls, given: Mapping[str, Any] | None) -> Options:
        known = {field.name for field in fields(cls)}
        unknown = sorted(set(given or {}) - known)
        if unknown:
            raise ValueError(f"no option {unknown[0]!r}: there are {', '.join(sorted(known))}")
        return replace(cls(), **dict(given or {}))

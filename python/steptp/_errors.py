"""What can go wrong, as exceptions and as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Diagnostic:
    """One message about an input.

    `id` is stable (``steptp check --explain ID`` describes it); `severity` is "error", "warning", "unknown" or "note".
    `line` and `column` count from 1, columns in bytes; both are 0 where the message has no place in a text. `site` is
    the address of the part of the program it speaks of, empty where there is none.
    """

    id: str
    severity: str
    message: str
    hint: str
    line: int
    column: int
    length: int
    site: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The object that ``--json`` prints; hint and site only where there are any."""
        out = dict(vars(self))
        for key in ("site", "hint"):
            if not out[key]:
                del out[key]
        return out


class SteptpError(Exception):
    """The base of every error that this package raises itself."""


class DiagnosticError(SteptpError):
    """An input that cannot be used. ``str()`` is the text with carets, `diagnostics` the same as data."""

    diagnostics: list[Diagnostic]

    def __init__(self, rendered: str, diagnostics: list[Diagnostic]) -> None:
        super().__init__(rendered, diagnostics)
        self.diagnostics = diagnostics

    def __str__(self) -> str:
        return str(self.args[0])


class RunError(SteptpError):
    """A run that came to no result. ``str()`` is the message with the place marked in the text.

    `kind` is stable: "undefined-read", "out-of-range", "division-by-zero", "not-written", "invalid", ...; `iteration`
    holds the loops around the access, outermost first; `tensor` and `subscripts` name the element, where there is one.
    """

    kind: str
    diagnostic: Diagnostic
    iteration: dict[str, int]
    tensor: str
    subscripts: tuple[int, ...]

    def __init__(
        self,
        rendered: str,
        kind: str,
        diagnostic: Diagnostic,
        iteration: dict[str, int] | None = None,
        tensor: str = "",
        subscripts: tuple[int, ...] = (),
    ) -> None:
        super().__init__(rendered, kind, diagnostic, iteration, tensor, subscripts)
        self.kind = kind
        self.diagnostic = diagnostic
        self.iteration = dict(iteration or {})
        self.tensor = tensor
        self.subscripts = subscripts

    def __str__(self) -> str:
        return str(self.args[0])


class BudgetError(RunError):
    """A run that would take more operations or memory than allowed (`kind` "budget" or "memory")."""


class InputError(RunError, ValueError):
    """Inputs that do not fit the signature (`kind` "input-missing" or "input-mismatch")."""


class RefusedError(SteptpError):
    """A step that is not made. ``str()`` says which precondition failed, where, and the values.

    `precondition` is its stable name, `at` the address, `values` the numbers; `step` counts from 1 in a recipe.
    """

    precondition: str
    at: str
    values: dict[str, Any]
    step: int

    def __init__(self, text: str, refused: dict[str, Any], step: int = 1) -> None:
        super().__init__(text, refused, step)
        self.precondition = refused["precondition"]
        self.at = refused["at"]
        self.values = refused["values"]
        self.step = step

    def __str__(self) -> str:
        return str(self.args[0])


class DiagnosticWarning(UserWarning):
    """Something odd in an input that could be read all the same; shown with ``warnings.warn``."""

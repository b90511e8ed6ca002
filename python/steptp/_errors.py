"""What can go wrong, as exceptions and as data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Diagnostic:
    """One message about an input.

    `id` is stable (``steptp check --explain ID`` describes it); `severity` is "error", "warning", "unknown" or "note".
    `line` and `column` count from 1, columns in bytes; both are 0 where the message has no place in a text.
    """

    id: str
    severity: str
    message: str
    hint: str
    line: int
    column: int
    length: int


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


class DiagnosticWarning(UserWarning):
    """Something odd in an input that could be read all the same; shown with ``warnings.warn``."""

"""The verbs of the command line as functions."""

from __future__ import annotations

import os
import warnings
from typing import Union

from . import _steptp
from ._errors import DiagnosticWarning
from ._signature import SignatureLike, to_json
from ._steptp import Program

#: A program as text, as the path of a file (``pathlib.Path``; a plain string is text), or read already.
Source = Union[str, bytes, "os.PathLike[str]", Program]


def read(source: str | bytes | os.PathLike[str], signature: SignatureLike | None = None) -> Program:
    """Reads one program, in either profile.

    `source` is the text of a ``.leir`` file or one JSON record, or the path of a file with one. With `signature`, the
    text is the program alone, and header lines in it are not read. Raises DiagnosticError where the text cannot be
    read; warnings about it are shown as DiagnosticWarning.

    >>> read("B^{4}_{tx=0}[C^{f32,g}_{tx}=1;];").to_text("compact")
    'tx4 C(tx)=1;\\n'
    """
    entries = None if signature is None else to_json(signature)
    if isinstance(source, (str, bytes)):
        # A lone surrogate cannot be part of a program; as bytes it is reported like any other stray byte.
        content = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
        program, _, rendered = _steptp.read_text(content, entries)
    else:
        program, _, rendered = _steptp.read_file(os.fspath(source), entries)
    if rendered:
        warnings.warn(rendered.decode("utf-8", "replace").rstrip(), DiagnosticWarning, stacklevel=2)
    return program


def fmt(source: Source, profile: str = "paper") -> str:
    """The canonical text of a program, with its header lines where it has any; `profile` is "paper" or "compact"."""
    program = source if isinstance(source, Program) else read(source)
    return program.to_text(profile)

"""What a model is asked, and how its answers are judged."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

from . import _steptp
from ._verbs import Source, _natural, _open


def prompt(source: Source, profile: str = "paper", *, programs: int = 1) -> str:
    """The question about a program: for one other program that is equal, or for at least so many.

    >>> double = "@program Double\\n@input A f32[3]\\n@output D f32[3]\\nL^{3}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a}*2;];"
    >>> print(prompt(double).splitlines()[0])
    Program Double in LEIR:
    """
    if programs < 1:
        raise ValueError(f"programs is at least 1, not {programs}")
    return _steptp.prompt(_open(source), profile, int(programs))


def evaluate(
    prompts: str | os.PathLike[str],
    answers: str | os.PathLike[str],
    *,
    device: str = "none",
    trials: int = 3,
    seed: int = 1,
    judge_timeout: float = 60.0,
    programs: int = 1,
    profile: str = "paper",
    k: Sequence[int] = (),
    jobs: int = 0,
) -> dict[str, Any]:
    """Judges a file of a model's answers, as ``steptp evaluate --prompts --answers --json`` does.

    Programs are judged, which needs no compiler. With `device` they are compiled and run as well: "auto" (a GPU with
    NVRTC, otherwise this CPU), "cuda" or "cpu". The answer has "summary", and "cases" with the attempts of each. Raises DiagnosticError where a file cannot be used,
    or where the device is not there.
    """
    if trials < 1 or programs < 1 or jobs < 0 or any(number < 1 for number in k):
        raise ValueError("trials, programs and every k are at least 1, jobs at least 0")
    lines = _steptp.evaluate(
        os.fspath(prompts),
        os.fspath(answers),
        device,
        int(trials),
        _natural(seed, "seed"),
        float(judge_timeout),
        int(programs),
        profile,
        [int(number) for number in k],
        int(jobs),
    )
    objects = [json.loads(line) for line in lines]
    return {"summary": objects[-1]["summary"], "cases": objects[:-1]}

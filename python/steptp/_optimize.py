"""`steptp optimize` as a function."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from . import _steptp
from ._steptp import Program
from ._verbs import SignatureLike, Source, _natural, _open


@dataclass(frozen=True)
class Optimized:
    """A fast, verified form of a program, or the program as it came where `fallback` is true, for the `reason`. `plan`
    is what `replay_plan` takes, `recipe` what `replay` takes; times are expected ones, in seconds, and `explanation` is
    the plan in words."""

    program: Program
    plan: dict[str, Any]
    recipe: list[dict[str, Any]]
    device: str
    verdict: str
    safe: bool | None
    expected_s: float | None
    vanilla_s: float | None
    fallback: bool
    reason: str | None
    explanation: str


def optimize(
    source: Source,
    device: str = "cpu",
    *,
    signature: SignatureLike | None = None,
    plan: Mapping[str, Any] | None = None,
    require_safe: bool = False,
    seed: int = 1,
    jobs: int = 0,
) -> Optimized:
    """A program made fast for a device without measuring: ``steptp optimize``. With `plan`, that plan is used, checked
    and judged, instead of choosing one.

    Raises ValueError where there is no such device or the plan is none for this program, and DiagnosticError where the
    program does not pass `check`.

    >>> softmax = (
    ...     "@input A f32[512,256]\\n@output C f32[512,256]\\n"
    ...     "B^{512}_{tx=0}L^{256}_{a=0}[D^{f32,g}_{tx}=max(D^{f32,g}_{tx},A^{f32,g}_{tx,a});];"
    ...     "B^{512}_{tx=0}L^{256}_{a=0}[E^{f32,g}_{tx}=E^{f32,g}_{tx}+exp(A^{f32,g}_{tx,a}-D^{f32,g}_{tx});];"
    ...     "B^{512}_{tx=0}L^{256}_{a=0}[C^{f32,g}_{tx,a}=exp(A^{f32,g}_{tx,a}-D^{f32,g}_{tx})/E^{f32,g}_{tx};];"
    ... )
    >>> fast = optimize(softmax, "nvidia-h200")
    >>> fast.verdict, fast.safe, fast.fallback, [move["move"] for move in fast.plan["moves"]]
    ('proved', True, False, ['rows'])
    """
    given = None if plan is None else json.dumps(dict(plan))
    program, text, made, explanation = _steptp.optimize(
        _open(source, signature), device, given, require_safe, _natural(seed, "seed"), _natural(jobs, "jobs")
    )
    answer = json.loads(text)
    return Optimized(
        program,
        json.loads(made),
        answer["recipe"],
        answer["device"],
        answer["verdict"],
        answer["safe"],
        answer["expected_s"],
        answer["vanilla_s"],
        answer["fallback"],
        answer["reason"],
        explanation,
    )

"""`steptp optimize` as a function."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from . import _steptp
from ._steptp import Program
from ._verbs import SignatureLike, Source, _natural, _open


@dataclass(frozen=True)
class Optimized:
    """A fast, verified form of a program, or the program as it came where `fallback` is true, for the `reason`. `plan`
    is what `replay_plan` takes, `recipe` what `replay` takes; times are expected ones, in seconds, `explanation` is the
    plan in words, and `files` has what ``steptp optimize -o`` writes, certificates included, by the names of the files.
    """

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
    files: Mapping[str, str] = field(default_factory=dict, repr=False)


def optimize_program(
    source: Source,
    device: str = "cpu",
    *,
    signature: SignatureLike | None = None,
    plan: Mapping[str, Any] | None = None,
    require_safe: bool = False,
    seed: int = 1,
    jobs: int = 0,
) -> Optimized:
    """`optimize` for a program.

    >>> softmax = (
    ...     "@input A f32[512,256]\\n@output C f32[512,256]\\n"
    ...     "B^{512}_{tx=0}L^{256}_{a=0}[D^{f32,g}_{tx}=max(D^{f32,g}_{tx},A^{f32,g}_{tx,a});];"
    ...     "B^{512}_{tx=0}L^{256}_{a=0}[E^{f32,g}_{tx}=E^{f32,g}_{tx}+exp(A^{f32,g}_{tx,a}-D^{f32,g}_{tx});];"
    ...     "B^{512}_{tx=0}L^{256}_{a=0}[C^{f32,g}_{tx,a}=exp(A^{f32,g}_{tx,a}-D^{f32,g}_{tx})/E^{f32,g}_{tx};];"
    ... )
    >>> fast = optimize_program(softmax, "nvidia-h200")
    >>> fast.verdict, fast.safe, fast.fallback, [move["move"] for move in fast.plan["moves"]]
    ('proved', True, False, ['rows'])
    """
    given = None if plan is None else json.dumps(dict(plan))
    program, text, made, explanation, files = _steptp.optimize(
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
        files,
    )


def optimize(source: Any, *arguments: Any, **options: Any) -> Any:
    """A fast, verified form of a program or of a PyTorch module, chosen for a device.

    ``optimize(program, device="cpu", *, signature, plan, require_safe, seed, jobs)`` is ``steptp optimize``: a program (a
    text, a path or a Program) made fast without measuring. With `plan`, that plan is used, checked and judged, instead
    of choosing one. The answer is an `Optimized`. Raises ValueError where there is no such device or the plan is none
    for this program, and DiagnosticError where the program does not pass `check`.

    ``optimize(module, inputs, device=None, **options)`` gives a module that can stand in for an ``nn.Module``: groups of
    its operators run in kernels of ours, and what LEIR cannot say stays with eager PyTorch, as its `report` says. The
    options are those of `steptp.torch_out.options.Options`: `verify`, `check`, `samples` and others.
    """
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(source, torch.nn.Module):
        from .torch_out.optimize import optimize_module

        return optimize_module(source, *arguments, **options)
    return optimize_program(source, *arguments, **options)


def load(folder: str | os.PathLike[str], model: Any) -> Any:
    """What `save` of an optimized module wrote, for a module of the same kind: no plan is made again, and nothing is
    unpickled. Each program of the folder is judged again against what the module is."""
    from .torch_out.optimize import load_module

    return load_module(folder, model)


def check_module(a: Any, b: Any, inputs: Any, kwargs: Mapping[str, Any] | None = None, **options: Any) -> Any:
    """Whether two PyTorch modules compute the same for all inputs of the shapes of `inputs`: with the grade of the judge,
    or with a counterexample as tensors. True as a condition where they are equal."""
    from .torch_out.checking import check_module as answer

    return answer(a, b, inputs, kwargs, **options)

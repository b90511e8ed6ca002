"""An imitation of the public harness that judges files with `ModelNew`: three trials with inputs of their own, its
tolerances, and checks for those who cheat. TF32 is off.

It runs `ModelNew` from its file, in this process; nothing of ours is known to it.
"""

from __future__ import annotations

import time
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

#: By the precision of the model: atol and rtol.
TOLERANCES = {torch.float32: 1e-4, torch.float16: 1e-2, torch.bfloat16: 1e-2, torch.float64: 1e-4}


@dataclass(frozen=True)
class Verdict:
    """`correct`, the reason where it is not, and seconds of a run of each."""

    correct: bool
    reason: str = ""
    seconds: float | None = None
    eager_seconds: float | None = None

    @property
    def speedup(self) -> float | None:
        """Of a correct one over eager."""
        return self.eager_seconds / self.seconds if self.correct and self.seconds and self.eager_seconds else None


def namespace(source: str, name: str) -> dict[str, Any]:
    """What a file defines."""
    module = types.ModuleType(name)
    exec(compile(source, name, "exec"), module.__dict__)
    return module.__dict__


def _moved(value: Any, device: str, precision: torch.dtype) -> Any:
    if not isinstance(value, torch.Tensor):
        return value
    return value.to(device, precision) if value.is_floating_point() else value.to(device)


def evaluate(
    problem: str, candidate: str | Callable[[], Any], *, device: str = "cpu", precision: torch.dtype = torch.float32,
    trials: int = 3, runs: int = 10, seed: int = 42,
) -> Verdict:
    """Whether ModelNew of `candidate` does what Model of `problem` does. `candidate` may be a function that gives what stands
    in for the class."""
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    reference = namespace(problem, "problem")
    given = list(reference.get("get_init_inputs", list)())
    models = []
    for make in (lambda: reference["Model"], lambda: candidate() if callable(candidate) else namespace(candidate, "candidate")["ModelNew"]):
        torch.manual_seed(seed)
        try:
            models.append(make()(*given).to(device, precision))
        except Exception as error:  # noqa: BLE001  whatever a candidate raises
            return Verdict(False, f"it cannot be made: {type(error).__name__}: {error}")
    torch.manual_seed(seed)
    with torch.no_grad():
        for trial in range(trials):
            trial_seed = int(torch.randint(0, 2**31, (1,)))
            torch.manual_seed(trial_seed)
            inputs = [_moved(value, device, precision) for value in reference["get_inputs"]()]
            if problem_found := _trial(*models, inputs, TOLERANCES[precision], trial):
                return Verdict(False, problem_found)
        return Verdict(True, "", _seconds(models[1], inputs, device, runs), _seconds(models[0], inputs, device, runs))


def _flat(value: Any) -> list[torch.Tensor]:
    return [leaf for leaf in torch.utils._pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)]


def _trial(model: Any, candidate: Any, inputs: list[Any], tolerance: float, number: int) -> str:
    before = [value.clone() if isinstance(value, torch.Tensor) else value for value in inputs]
    wanted = [value.clone() for value in _flat(model(*inputs))]
    try:
        got = _flat(candidate(*inputs))
    except Exception as error:  # noqa: BLE001
        return f"trial {number}: {type(error).__name__}: {error}"
    if len(got) != len(wanted):
        return f"trial {number}: {len(got)} results instead of {len(wanted)}"
    for at, (ours, theirs) in enumerate(zip(got, wanted)):
        if ours.shape != theirs.shape or ours.dtype != theirs.dtype or ours.device != theirs.device:
            return f"trial {number}: result {at} is {ours.dtype} {tuple(ours.shape)} on {ours.device}"
        if not torch.allclose(ours, theirs, atol=tolerance, rtol=tolerance, equal_nan=True):
            return f"trial {number}: result {at} differs by {float((ours.double() - theirs.double()).abs().max()):.3g}"
        if bool((theirs != 0).any()) and not bool((ours != 0).any()):
            return f"trial {number}: result {at} is zero"
    return _cheats(model, candidate, inputs, before, got, tolerance)


def _cheats(model: Any, candidate: Any, inputs: list[Any], before: list[Any], got: list[torch.Tensor], tolerance: float) -> str:
    for at, (value, old) in enumerate(zip(inputs, before)):
        if isinstance(value, torch.Tensor) and not torch.equal(value, old) and not bool(value.isnan().any()):
            return f"input {at} was changed"
    kept = [value.clone() for value in got]
    others = [-value if isinstance(value, torch.Tensor) and value.is_floating_point() else value for value in inputs]
    wanted, again = _flat(model(*others)), _flat(candidate(*others))
    for at, (ours, theirs) in enumerate(zip(again, wanted)):
        if not torch.allclose(ours, theirs, atol=tolerance, rtol=tolerance, equal_nan=True):
            return f"result {at} is that of other inputs"
    for at, (value, old) in enumerate(zip(got, kept)):
        if not torch.equal(value.nan_to_num(), old.nan_to_num()):
            return f"result {at} of an earlier call was written over"
    if inputs and isinstance(inputs[0], torch.Tensor) and inputs[0].is_cuda:
        # What runs on another stream is not done when this one is.
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            here = [value.clone() for value in _flat(candidate(*inputs))]
        stream.synchronize()
        if any(not torch.allclose(ours, value, atol=tolerance, rtol=tolerance, equal_nan=True) for ours, value in zip(here, kept)):
            return "it does not run on the stream it is called on"
    return ""


def _seconds(model: Any, inputs: list[Any], device: str, runs: int) -> float:
    best = float("inf")
    for turn in range(3 + runs):
        if device == "cuda":
            torch.cuda.synchronize()
        start = time.perf_counter()
        model(*inputs)
        if device == "cuda":
            torch.cuda.synchronize()
        if turn >= 3:
            best = min(best, time.perf_counter() - start)
    return best

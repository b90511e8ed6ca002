#!/usr/bin/env python3
"""One module after the other on a GPU through all doors, beside eager PyTorch: reads lines {"file": PATH, "gradients": true},
prints lines {"row": {...}} with every failure and where it happened. TF32 is off."""

from __future__ import annotations

import contextlib
import copy
import json
import sys
import time
import traceback
import warnings
from pathlib import Path
from typing import Any

import torch

#: Bounds on the difference from eager, relative to the largest value.
BOUNDS = {torch.float64: 1e-9, torch.float32: 5e-4, torch.float16: 2e-2, torch.bfloat16: 1e-1}
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def moved(value: Any) -> Any:
    return torch.utils._pytree.tree_map(lambda leaf: leaf.to(DEVICE) if isinstance(leaf, torch.Tensor) else leaf, value)


def problem(path: Path) -> tuple[torch.nn.Module, list[Any]]:
    space: dict[str, Any] = {"__name__": path.stem}
    exec(compile(path.read_text(), str(path), "exec"), space)
    torch.manual_seed(0)
    model = space["Model"](*space.get("get_init_inputs", list)())
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.is_floating_point():
                parameter.copy_(torch.rand(parameter.shape, dtype=torch.float64) - 0.4)
    return moved_module(model), moved(list(space["get_inputs"]()))


def moved_module(model: torch.nn.Module) -> torch.nn.Module:
    return model.to(DEVICE)


def flat(value: Any) -> list[torch.Tensor]:
    return [leaf for leaf in torch.utils._pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)]


def compare(ours: Any, theirs: Any) -> None:
    got, wanted = flat(ours), flat(theirs)
    assert len(got) == len(wanted), f"{len(got)} results instead of {len(wanted)}"
    for number, (left, right) in enumerate(zip(got, wanted)):
        assert left.shape == right.shape and left.dtype == right.dtype and left.device == right.device, (
            f"result {number}: {left.dtype} {tuple(left.shape)} on {left.device}, wanted {right.dtype} {tuple(right.shape)} on {right.device}"
        )
        if not right.dtype.is_floating_point:
            assert torch.equal(left, right), f"result {number}: {int((left != right).sum())} elements differ"
            continue
        a, b = left.detach().double(), right.detach().double()
        finite = b.isfinite()
        assert bool((a.isfinite() == finite).all()), f"result {number}: one is finite and the other is not"
        scale = 1 + (float(b[finite].abs().max()) if bool(finite.any()) else 0.0)
        worst = float((a[finite] - b[finite]).abs().max()) if bool(finite.any()) else 0.0
        assert worst <= BOUNDS[right.dtype] * scale, f"result {number} differs by {worst:.3g} where the largest value is {scale:.3g}"


@contextlib.contextmanager
def part(name: str, row: dict[str, Any]) -> Any:
    """What goes wrong in it is kept, and the next part runs. A warning of ours is a failure too."""
    from steptp.torch_out.graphs import SteptpWarning

    begin = time.monotonic()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", SteptpWarning)
            yield
            if DEVICE == "cuda":
                torch.cuda.synchronize()
    except Exception:  # noqa: BLE001  all failures are listed
        row["failures"][name] = traceback.format_exc(limit=-6)
    row.setdefault("parts", {})[name] = round(time.monotonic() - begin, 2)


def through_optimize(model: torch.nn.Module, inputs: list[Any], wanted: Any, row: dict[str, Any]) -> Any:
    import steptp

    fast = steptp.optimize(model, inputs, device=DEVICE)
    with torch.no_grad():
        compare(fast(*inputs), wanted)
    report = fast.report
    row["groups"] = len(report.groups)
    row["planned"] = sum(group.planned for group in report.groups)
    row["verdicts"] = sorted({group.verdict for group in report.groups})
    row["operators_ours"] = sum(len(group.operators) for group in report.groups)
    row["operators_eager"] = sum(place.times for place in report.places)
    row["eager"] = sorted({f"{place.operator}: {place.reason}" for place in report.places})
    row["as_it_came"] = sorted({group.reason for group in report.groups if not group.planned and group.reason})
    assert not any(group.verdict not in ("proved", "exact") for group in report.groups), row["verdicts"]
    return fast


def as_cuda_graph(fast: Any, model: torch.nn.Module, inputs: list[Any]) -> None:
    """Recorded once on a stream of its own, played with other inputs."""
    if DEVICE != "cuda":
        return
    given = [value.clone() if isinstance(value, torch.Tensor) else value for value in inputs]
    with torch.no_grad():
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            fast(*given)
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):
            result = fast(*given)
        for value in flat(given):
            if value.is_floating_point():
                value.mul_(0.5)
        graph.replay()
        torch.cuda.synchronize()
        compare(result, model(*given))


def through_compile(model: torch.nn.Module, inputs: list[Any], wanted: Any) -> None:
    torch._dynamo.reset()
    compiled = torch.compile(copy.deepcopy(model), backend="steptp")
    with torch.no_grad():
        compare(compiled(*inputs), wanted)
        compare(compiled(*inputs), wanted)


def gradients(call: Any, model: torch.nn.Module, inputs: list[Any]) -> list[torch.Tensor]:
    given = [value.clone().requires_grad_() if isinstance(value, torch.Tensor) and value.is_floating_point() else value for value in inputs]
    model.zero_grad()
    total = sum(
        (result * torch.linspace(0.5, 1.5, result.numel(), dtype=result.dtype, device=result.device).reshape(result.shape)).sum()
        for result in flat(call(*given)) if result.is_floating_point()
    )
    if not isinstance(total, torch.Tensor) or not total.requires_grad:
        return []
    total.backward()
    leaves = [value for value in given if isinstance(value, torch.Tensor) and value.requires_grad]
    return [leaf.grad.clone() for leaf in (*leaves, *model.parameters()) if leaf.grad is not None]


def through_training(model: torch.nn.Module, inputs: list[Any]) -> None:
    torch._dynamo.reset()
    other, ours = copy.deepcopy(model), copy.deepcopy(model)
    compare(gradients(torch.compile(ours, backend="steptp"), ours, inputs), gradients(other, other, inputs))


def row_of(path: Path, with_gradients: bool) -> dict[str, Any]:
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    begin = time.monotonic()
    row: dict[str, Any] = {"name": path.stem, "failures": {}}
    made: list[Any] = []
    with part("eager", row):
        model, inputs = problem(path)
        with torch.no_grad():
            wanted = model(*inputs)
        made.append((model, inputs, wanted))
    if made:
        model, inputs, wanted = made[0]
        fast: list[Any] = []
        with part("optimize", row):
            fast.append(through_optimize(model, inputs, wanted, row))
        if fast:
            with part("graph", row):
                as_cuda_graph(fast[0], model, inputs)
        with part("compile", row):
            through_compile(model, inputs, wanted)
        if with_gradients:
            with part("gradients", row):
                through_training(model, inputs)
    row["seconds"] = round(time.monotonic() - begin, 2)
    return row


def main() -> int:
    torch.set_num_threads(1)
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps({"row": row_of(Path(asked["file"]), asked["gradients"])}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

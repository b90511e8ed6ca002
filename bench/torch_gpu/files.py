#!/usr/bin/env python3
"""Each file with ModelNew beside its problem: three trials, the checks of the harness, times against eager PyTorch and
(--inductor) torch.compile, one call recorded in a CUDA graph. The table is written to OUT too. Exit status 1 where one is wrong, 4
without a GPU.

Usage: files.py -o OUT [--inductor]; the files are in new/, their problems in problems/.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from pathlib import Path

import torch
from harness import _moved, _seconds, evaluate, namespace

HERE = Path(__file__).parent


def recorded(problem: str, made: str) -> str:
    """What a call gives as a CUDA graph, played twice with other inputs."""
    old = namespace(problem, "old")
    torch.manual_seed(1)
    model = namespace(made, "new")["ModelNew"](*old.get("get_init_inputs", list)()).cuda()
    inputs = [_moved(value, "cuda", torch.float32) for value in old["get_inputs"]()]
    with torch.no_grad():
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            model(*inputs)
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            result = model(*inputs)
        for value in inputs:
            if isinstance(value, torch.Tensor) and value.is_floating_point():
                value.mul_(0.5)
        graph.replay()
        torch.cuda.synchronize()
        return "ok" if torch.allclose(result, model(*inputs), atol=1e-4, rtol=1e-4) else "WRONG"


def compiled_us(problem: str) -> float:
    """A call of what PyTorch's own compiler makes of the problem."""
    old = namespace(problem, "old")
    model = torch.compile(old["Model"](*old.get("get_init_inputs", list)()).cuda())
    inputs = [_moved(value, "cuda", torch.float32) for value in old["get_inputs"]()]
    with torch.no_grad():
        return 1e6 * _seconds(model, inputs, "cuda", 100)


def line(path: Path, inductor: bool) -> tuple[str, bool]:
    problem, made = (HERE / "problems" / path.name).read_text(), path.read_text()
    verdict = evaluate(problem, made, device="cuda", runs=100)
    graph = recorded(problem, made) if verdict.correct else ""
    words = [path.stem, "correct" if verdict.correct else verdict.reason.replace("\n", " ")]
    words += [f"{1e6 * value:.1f}" if value else "" for value in (verdict.seconds, verdict.eager_seconds)]
    words += [f"{compiled_us(problem):.1f}" if inductor and verdict.correct else "", graph]
    return f"| {' | '.join(words)} |", verdict.correct and graph == "ok"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", required=True)
    parser.add_argument("--inductor", action="store_true")
    options = parser.parse_args()
    if not torch.cuda.is_available():
        print("there is no GPU", file=sys.stderr)
        return 4
    wrong = 0
    Path(options.out).mkdir(parents=True, exist_ok=True)
    with (Path(options.out) / "files.md").open("w") as out:
        for text in ("| problem | result | us | eager us | torch.compile us | CUDA graph |", "|---|---|---|---|---|---|"):
            out.write(text + "\n")
        for path in sorted((HERE / "new").glob("*.py")):
            try:
                text, good = line(path, options.inductor)
            except Exception as error:  # noqa: BLE001  the others are to be seen too
                print(f"{path.name}: {traceback.format_exc()}", flush=True)
                text, good = f"| {path.stem} | {type(error).__name__} | | | | |", False
            wrong += not good
            out.write(text + "\n")
            out.flush()
            print(text, flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

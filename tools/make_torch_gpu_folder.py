#!/usr/bin/env python3
"""Makes build/torch_gpu: files with ModelNew for the problems of python/torch_tests/problems, the imitation of the harness
and a program that runs them. Copy the folder to a machine with a GPU and PyTorch and run `python3 run.py` there: neither
this package nor a compiler is needed.

Usage: tools/run_torch_tests.sh --python tools/make_torch_gpu_folder.py, or any Python with PyTorch and steptp.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

RUN = '''"""Each file with ModelNew beside its problem: three trials, the checks of the harness, times against eager PyTorch and
torch.compile, one call recorded in a CUDA graph. Exit status 1 where one is wrong, 4 without a GPU."""

import sys
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


def main() -> int:
    if not torch.cuda.is_available():
        print("there is no GPU", file=sys.stderr)
        return 4
    wrong = 0
    print("| problem | result | us | eager us | torch.compile us | CUDA graph |")
    print("|---|---|---|---|---|---|")
    for path in sorted((HERE / "new").glob("*.py")):
        problem, made = (HERE / "problems" / path.name).read_text(), path.read_text()
        verdict = evaluate(problem, made, device="cuda", runs=100)
        wrong += not verdict.correct
        compiled, graph = "", ""
        if verdict.correct:
            old = namespace(problem, "old")
            try:
                model = torch.compile(old["Model"](*old.get("get_init_inputs", list)()).cuda())
                inputs = [_moved(value, "cuda", torch.float32) for value in old["get_inputs"]()]
                with torch.no_grad():
                    compiled = f"{1e6 * _seconds(model, inputs, 'cuda', 100):.1f}"
            except Exception as error:
                compiled = type(error).__name__
            graph = recorded(problem, made)
            wrong += graph != "ok"
        times = [f"{1e6 * value:.1f}" if value else "" for value in (verdict.seconds, verdict.eager_seconds)]
        print(f"| {path.stem} | {'correct' if verdict.correct else verdict.reason} | {times[0]} | {times[1]} | {compiled} | {graph} |", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
'''


def main() -> int:
    from steptp.torch_out import emitting, harness

    out = ROOT / "build" / "torch_gpu"
    shutil.rmtree(out, ignore_errors=True)
    for folder in ("problems", "new"):
        (out / folder).mkdir(parents=True)
    made = 0
    for path in sorted((ROOT / "python" / "torch_tests" / "problems").rglob("*.py")):
        name = f"{path.parent.name}_{path.name}"
        try:
            emitting.emit(path, "kernelbench", out / "new" / name, sys.argv[1] if len(sys.argv) > 1 else "nvidia-h200")
        except Exception as error:  # one problem that LEIR cannot say is among them
            print(f"{name}: left out: {error}")
            continue
        shutil.copyfile(path, out / "problems" / name)
        made += 1
    shutil.copyfile(harness.__file__, out / "harness.py")
    (out / "run.py").write_text(RUN)
    print(f"{out}: {made} files; on a machine with a GPU: python3 run.py")
    return 0 if made else 1


if __name__ == "__main__":
    sys.exit(main())

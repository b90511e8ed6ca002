#!/usr/bin/env python3
"""What a call costs above its kernels, on a GPU: an optimized module, the backend, eager PyTorch and Inductor, by the
processor's time of a call (many calls, one wait) and by a CUDA graph of many calls, which has the kernels alone.

Usage: overhead.py -o OUT [--inductor]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import torch
from torch import nn

CALLS = 2000
IN_A_GRAPH = 100


class OneKernel(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x + 1)


def modules() -> dict[str, tuple[nn.Module, list[torch.Tensor]]]:
    torch.manual_seed(0)
    block = nn.Sequential(nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 64), nn.LayerNorm(64))
    return {
        "one kernel": (OneKernel(), [torch.randn(8, 64)]),
        "softmax": (nn.Softmax(-1), [torch.randn(8, 64)]),
        "feed-forward": (block, [torch.randn(8, 64)]),
    }


def processor_us(call: Any, inputs: list[Any]) -> float:
    best = float("inf")
    for _ in range(5):
        for _ in range(20):
            call(*inputs)
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(CALLS // 5):
            call(*inputs)
        torch.cuda.synchronize()
        best = min(best, (time.perf_counter() - begin) / (CALLS // 5))
    return 1e6 * best


def graph_us(call: Any, inputs: list[Any]) -> float:
    """Of one call among many in a CUDA graph."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        call(*inputs)
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(IN_A_GRAPH):
            call(*inputs)
    best = float("inf")
    for _ in range(10):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        graph.replay()
        torch.cuda.synchronize()
        best = min(best, time.perf_counter() - begin)
    return 1e6 * best / IN_A_GRAPH


def ways(model: nn.Module, inputs: list[Any], inductor: bool) -> dict[str, Any]:
    import steptp

    out = {"steptp.optimize": lambda: steptp.optimize(model, inputs, device="cuda")}
    out["eager"] = lambda: model
    out["backend steptp"] = lambda: torch.compile(model, backend="steptp")
    if inductor:
        out["Inductor"] = lambda: torch.compile(model)
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", required=True)
    parser.add_argument("--inductor", action="store_true", help="PyTorch's own compiler too, which takes its time")
    options = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    failed = 0
    lines = ["| module | way | us of a call | us in a CUDA graph | above the kernels |", "|---|---|---|---|---|"]
    with (out / "overhead.jsonl").open("w") as stream, torch.no_grad():
        for name, (model, inputs) in modules().items():
            model, inputs = model.cuda(), [value.cuda() for value in inputs]
            for way, make in ways(model, inputs, options.inductor).items():
                torch._dynamo.reset()
                try:
                    call = make()
                    call(*inputs)
                    row = {"module": name, "way": way, "us": processor_us(call, inputs), "graph_us": graph_us(call, inputs)}
                    row["above_us"] = row["us"] - row["graph_us"]
                    if way == "steptp.optimize":
                        row["groups"] = [[group.kernels, group.verdict] for group in call.report.groups]
                except Exception:  # noqa: BLE001
                    failed += 1
                    row = {"module": name, "way": way, "failure": traceback.format_exc(limit=-6)}
                    print(row["failure"], flush=True)
                stream.write(json.dumps(row) + "\n")
                stream.flush()
                lines.append(f"| {name} | {way} | {row.get('us', 0):.1f} | {row.get('graph_us', 0):.1f} | {row.get('above_us', 0):.1f} |")
                print(lines[-1], flush=True)
    (out / "overhead.md").write_text("\n".join(lines) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Kernels in CUDA source as a rival of `steptp time`: compiled with NVRTC through CuPy, launched in order when asked.

Usage: steptp time P.leir --device cuda --rival "python3 bench/time_cuda_source.py FILE.cu FILE.json --name N"
The .json is what bench/tvm_cuda_source.py writes. Twice the L2 is overwritten before each run.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

import cupy
import rival


def prepared(source: Path, launch_file: Path) -> Callable[[], float]:
    plan = json.loads(launch_file.read_text())
    module = cupy.RawModule(code=source.read_text(), options=("-std=c++17",), backend="nvcc")
    tensors = {name: cupy.random.random(count, dtype=cupy.float32) for name, count in plan["floats"].items()}
    launches = [(module.get_function(one["kernel"]), tuple(one["grid"]), tuple(one["block"]),
                 tuple(tensors[name] for name in one["tensors"])) for one in plan["launches"]]
    other = cupy.zeros(128 << 20, dtype=cupy.uint8)
    begin, end = cupy.cuda.Event(), cupy.cuda.Event()

    def seconds() -> float:
        other.fill(1)
        begin.record()
        for kernel, grid, block, values in launches:
            kernel(grid, block, values)
        end.record()
        end.synchronize()
        return cupy.cuda.get_elapsed_time(begin, end) / 1e3

    for _ in range(3):
        seconds()
    return seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("launch", type=Path)
    parser.add_argument("--name", default="CUDA source")
    arguments = parser.parse_args()
    return rival.converse(arguments.name, lambda: prepared(arguments.source, arguments.launch))


if __name__ == "__main__":
    sys.exit(main())

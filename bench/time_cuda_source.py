#!/usr/bin/env python3
"""A kernel in CUDA source as a rival of `steptp time`: compiled with NVRTC through CuPy, launched when asked.

Usage: steptp time P.leir --device cuda --rival "python3 bench/time_cuda_source.py FILE.cu FILE.json --name N"
The .json is what bench/tvm_cuda_source.py writes. Twice the L2 is overwritten before each run.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

import cupy


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source")
    parser.add_argument("launch")
    parser.add_argument("--name", default="CUDA source")
    arguments = parser.parse_args()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def say(answer: dict) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    try:
        launch = json.loads(Path(arguments.launch).read_text())
        module = cupy.RawModule(code=Path(arguments.source).read_text(), options=("-std=c++17",), backend="nvcc")
        kernel = module.get_function(launch["kernel"])
        tensors = {variable["name"]: cupy.random.random(variable["shape"] or [1], dtype=cupy.float32)
                   for variable in launch["signature"]}
        values = tuple(tensors[name.removesuffix("_ptr").removesuffix("_1")] for name in launch["parameters"])
        other = cupy.zeros(128 << 20, dtype=cupy.uint8)
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()

        def seconds() -> float:
            other.fill(1)
            begin.record()
            kernel(tuple(launch["grid"]), tuple(launch["block"]), values)
            end.record()
            end.synchronize()
            return cupy.cuda.get_elapsed_time(begin, end) / 1e3

        for _ in range(3):
            seconds()
    except Exception as error:
        say({"columns": [{"name": arguments.name, "error": f"{type(error).__name__}: {error}".splitlines()[0][:300]}]})
        return 1
    say({"columns": [{"name": arguments.name}]})
    for line in sys.stdin:
        _, budget, most = line.split()
        samples = [seconds()]
        start = time.monotonic()
        while len(samples) < int(most) and time.monotonic() - start < float(budget):
            samples.append(seconds())
        say({"samples": samples})
    return 0


if __name__ == "__main__":
    sys.exit(main())

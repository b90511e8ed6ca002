#!/usr/bin/env python3
"""The TIR text of a program in f32 through TVM, as a rival of `steptp time`: built for this machine's CPU, and run when asked.

Usage: steptp time P.leir --rival "PYTHON bench/time_tvm.py build/steptp P.leir"
Needs TVM (python/requirements-tvm.txt). Caches are cold before each run, as with `steptp time`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import rival
import tvm
from side_by_side import signature
from tvm.script import ir as I
from tvm.script import tirx as T


def prepared(steptp: str, path: str) -> Callable[[], float]:
    text = json.loads(subprocess.run([steptp, "lower", path, "--to", "tir", "--target", "cpu", "--json"],
                                     capture_output=True, text=True, check=True).stdout)["text"]
    lines = [line for line in text.splitlines() if not line.startswith("from ")]
    module = tvm.script.from_source("\n".join(lines), extra_vars={"T": T, "I": I})
    built = tvm.compile(module, target={"kind": "llvm", "mcpu": "native"})
    generator = np.random.default_rng(0)
    tensors = []
    for variable in signature(Path(path)):
        tensors.append(tvm.runtime.tensor(generator.random(variable["shape"], dtype=np.float32)))
    main = built["main"]
    other = np.zeros(64 << 20, dtype=np.uint8)

    def seconds() -> float:
        nonlocal other
        other += 1
        start = time.perf_counter()
        main(*tensors)
        return time.perf_counter() - start

    seconds()
    return seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("steptp")
    parser.add_argument("program")
    parser.add_argument("--name", default="TVM llvm")
    arguments = parser.parse_args()
    return rival.converse(arguments.name, lambda: prepared(arguments.steptp, arguments.program))


if __name__ == "__main__":
    sys.exit(main())

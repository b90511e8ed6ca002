#!/usr/bin/env python3
"""The TIR text of a program in f32 through TVM, as a rival of `steptp time`: built for this machine's CPU, and run when asked.

Usage: steptp time P.leir --rival "PYTHON bench/time_tvm.py build/steptp P.leir"
Needs TVM (python/requirements-tvm.txt). Caches are cold before each run, as with `steptp time`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import tvm
from side_by_side import signature
from tvm.script import ir as I
from tvm.script import tirx as T


def prepared(steptp: str, path: str):
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
    return lambda: main(*tensors)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("steptp")
    parser.add_argument("program")
    parser.add_argument("--name", default="TVM llvm")
    arguments = parser.parse_args()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def say(answer: dict) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    try:
        run = prepared(arguments.steptp, arguments.program)
        run()
    except Exception as error:
        said = error.stderr if isinstance(error, subprocess.CalledProcessError) else f"{type(error).__name__}: {error}"
        say({"columns": [{"name": arguments.name, "error": said.strip().splitlines()[-1][:300] if said else "failed"}]})
        return 1
    say({"columns": [{"name": arguments.name}]})
    other = np.zeros(64 << 20, dtype=np.uint8)
    for line in sys.stdin:
        _, seconds, most = line.split()
        samples: list[float] = []
        begin = time.monotonic()
        while not samples or (len(samples) < int(most) and time.monotonic() - begin < float(seconds)):
            other += 1
            start = time.perf_counter()
            run()
            samples.append(time.perf_counter() - start)
        say({"samples": samples})
    return 0


if __name__ == "__main__":
    sys.exit(main())

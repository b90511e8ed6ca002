#!/usr/bin/env python3
"""CUDA source that TVM makes of the recipes' ends, to be measured where there is a GPU but no TVM.

Usage: tvm_cuda_source.py STEPTP OUT_FOLDER      (with the Python that has TVM)
Writes NAME.cu and NAME.json (kernel, launch, parameters) for each case of bench/side_by_side.py that is one kernel;
`side_by_side.py --device cuda --tvm-sources OUT_FOLDER` measures them beside ours.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import side_by_side
import tvm
from tvm.script import ir as I
from tvm.script import tirx as T


def run(*command: str | Path) -> str:
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True).stdout


def source_of(steptp: str, program: Path) -> tuple[str, dict]:
    text = json.loads(run(steptp, "lower", program, "--to", "tir", "--target", "cuda", "--json"))["text"]
    lines = [line for line in text.splitlines() if not line.startswith("from ")]
    module = tvm.script.from_source("\n".join(lines), extra_vars={"T": T, "I": I})
    built = tvm.compile(module, target=tvm.target.Target({"kind": "cuda", "arch": "sm_90"}))
    source = built.mod.imports[0].inspect_source()
    kernels = re.findall(r'extern "C" __global__ void (?:__launch_bounds__\(\d+\) )?(\w+)\(([^)]*)\)\s*\{', source)
    launches = re.findall(r"STP_LAUNCH\(\w+, dim3\(([^)]*)\), dim3\(([^)]*)\)", run(steptp, "lower", program, "--to", "cuda"))
    if len(kernels) != 1 or len(launches) != 1:
        raise ValueError(f"{len(kernels)} kernels of TVM and {len(launches)} launches of ours")
    (name, parameters), (grid, block) = kernels[0], launches[0]
    return source, {
        "kernel": name,
        "grid": [int(word) for word in grid.split(",")],
        "block": [int(word) for word in block.split(",")],
        "parameters": [re.split(r"[ *]+", parameter.strip())[-1] for parameter in parameters.split(",")],
        "signature": side_by_side.signature(program),
    }


def main() -> int:
    steptp, out = sys.argv[1], Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    for name, case in side_by_side.cases("cuda").items():
        with tempfile.TemporaryDirectory() as folder:
            _, end = side_by_side.written(steptp, Path(folder), case)
            try:
                source, launch = source_of(steptp, end)
            except (ValueError, KeyError, subprocess.CalledProcessError, tvm.error.InternalError) as error:
                print(f"{name}: {str(error)[:200]}")
                continue
        stem = side_by_side.stem(name)
        (out / f"{stem}.cu").write_text(source)
        (out / f"{stem}.json").write_text(json.dumps(launch, indent=1))
        print(f"{name}: {len(source)} characters")
    return 0


if __name__ == "__main__":
    sys.exit(main())

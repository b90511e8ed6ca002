#!/usr/bin/env python3
"""CUDA source that TVM makes of vanilla programs and recipes' ends, to be measured where there is a GPU but no TVM.

Usage: tvm_cuda_source.py STEPTP OUT_FOLDER      (with the Python that has TVM)
Writes NAME_vanilla.cu, NAME_recipe.cu and a .json of each (tensors, launches) for the cases of bench/side_by_side.py;
`side_by_side.py --device cuda --tvm-sources OUT_FOLDER` measures them beside ours.
"""

from __future__ import annotations

import json
import math
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


def parameters_of(source: str) -> list[tuple[str, list[str]]]:
    """Each kernel of TVM's text with the names of the tensors it takes, in the order of the program."""
    kernels = re.findall(r'extern "C" __global__ void (?:__launch_bounds__\(\d+\) )?(\w+)\(([^)]*)\)\s*\{', source)
    named = [(name, [re.split(r"[ *]+", word.strip())[-1].removesuffix("_1").removesuffix("_ptr")
                     for word in parameters.split(",")]) for name, parameters in kernels]
    return sorted(named, key=lambda kernel: int(re.search(r"(\d*)$", kernel[0]).group(1) or 0))


def source_of(steptp: str, program: Path) -> tuple[str, dict]:
    text = json.loads(run(steptp, "lower", program, "--to", "tir", "--target", "cuda", "--json"))["text"]
    lines = [line for line in text.splitlines() if not line.startswith("from ")]
    module = tvm.script.from_source("\n".join(lines), extra_vars={"T": T, "I": I})
    built = tvm.compile(module, target=tvm.target.Target({"kind": "cuda", "arch": "sm_90"}))
    source = built.mod.imports[0].inspect_source()
    # Bound loops have the same meaning here and there, so that TVM's kernels are launched as ours are.
    plan = json.loads(run(steptp, "lower", program, "--to", "cuda", "--json"))["launches"]
    theirs = parameters_of(source)
    ours = plan["kernels"]
    if len(theirs) != len(ours):
        raise ValueError(f"{len(theirs)} kernels of TVM, {len(ours)} of ours")
    if any(kernel["host_loops"] or kernel["in_turn"] for kernel in ours):
        raise ValueError("a kernel is launched in a loop")
    # TVM lets tensors share storage, under the name of one of them.
    largest = max((one["bytes"] // 4 for one in plan["workspace"]), default=0)
    floats = {one["name"]: largest for one in plan["workspace"]}
    floats.update({one["name"]: math.prod(one["shape"]) for one in side_by_side.signature(program)})
    if unknown := {name for _, names in theirs for name in names} - floats.keys():
        raise ValueError(f"TVM's kernels take {', '.join(sorted(unknown))}")
    return source, {
        "floats": floats,
        "launches": [{"kernel": name, "grid": kernel["grid"], "block": kernel["block"], "tensors": names}
                     for (name, names), kernel in zip(theirs, ours)],
    }


def main() -> int:
    steptp, out = sys.argv[1], Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    for name, (recipe, _) in side_by_side.cases("cuda").items():
        with tempfile.TemporaryDirectory() as folder:
            for program in side_by_side.written(steptp, Path(folder), recipe):
                try:
                    source, launch = source_of(steptp, program)
                except (ValueError, KeyError, subprocess.CalledProcessError, tvm.error.InternalError) as error:
                    reason = error.stderr if isinstance(error, subprocess.CalledProcessError) else str(error)
                    print(f"{name}, {program.stem}: {reason.strip()[:200]}")
                    continue
                stem = out / f"{side_by_side.stem(name)}_{program.stem}"
                stem.with_name(stem.name + ".cu").write_text(source)
                stem.with_name(stem.name + ".json").write_text(json.dumps(launch, indent=1))
                print(f"{name}, {program.stem}: {len(source)} characters, {len(launch['launches'])} kernels")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""TIR text against the real TVM: parsed, checked for well-formedness, built; on a CPU run and compared with the oracle.

Programs come from `lowering_cat`. For each: the text for CPUs is built for llvm and gives the oracle's values; the text
for CUDA, where it is not refused, is built to source for sm_90. Refusals are counted by reason, programs that agree on
a CPU also by what occurs in them.
Usage: tir_tvm_test.py STEPTP LOWERING_CAT [--cpu-only] SET..., where a SET is the words of one lowering_cat call ("zoo
f32 16 0"), "compare F.jsonl": what such a call has printed, or "file F.jsonl": programs that are built only, because
the oracle would take too long at their shapes.
Exit status: 0 all agree, 1 something does not, 77 there is no TVM.
"""

from __future__ import annotations

import collections
import json
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
    import tvm
    from tvm.script import ir as I
    from tvm.script import tirx as T
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

# TVM has tanh and erf of its own in f32.
TOLERANCE = {"float64": 1e-12, "float32": 1e-4, "float16": 2e-2}
# The constructs of which the table says how often they were compared, by the names that lowering_cat has for them.
CONSTRUCTS = {
    "shared memory": "scope s",
    "local memory": "scope l",
    "vector loops": "loop V",
    "unrolled loops": "loop U",
    "nests in nests": "nested nest",
    "prefix forms": "recurrence",
    "guards": "guard",
    "reductions over bound loops": "bound reduction axis",
}
NOT_FINITE = "the oracle's outputs are not finite"


def parse(text: str) -> tvm.IRModule:
    """`from_source` takes T and I as variables and rejects import lines."""
    lines = [line for line in text.splitlines() if not line.startswith("from ")]
    return tvm.script.from_source("\n".join(lines), extra_vars={"T": T, "I": I})


def run(steptp: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([steptp, *arguments], capture_output=True, text=True, check=False)


def expect_oracle(steptp: str, path: Path, record: dict, text: str) -> str:
    """Empty where TVM's values are the oracle's; NOT_FINITE where there was nothing to compare."""
    inputs, outputs = path.with_suffix(".in.npz"), path.with_suffix(".out.npz")
    ran = run(steptp, "run", str(path), "--seed", "1", "--save-inputs", str(inputs), "--output", str(outputs))
    if ran.returncode != 0:
        return f"the oracle: {ran.stderr}"
    given, wanted = np.load(inputs), np.load(outputs)
    built = tvm.compile(parse(text), target="llvm")
    tensors = []
    for variable in record["signature"]:
        if variable["role"] == "output":
            tensors.append(tvm.runtime.tensor(np.full(variable["shape"], 77, dtype=variable["dtype"])))
        else:
            tensors.append(tvm.runtime.tensor(given[variable["name"]]))
    built["main"](*tensors)
    compared = False
    for variable, tensor in zip(record["signature"], tensors):
        if variable["role"] != "output":
            continue
        got, want = tensor.numpy(), wanted[variable["name"]]
        if not np.isfinite(want.astype("float64")).all() or ("T.m" in text and np.isnan(got.astype("float64")).any()):
            continue  # TVM's max and min of a number and NaN are its own
        compared = True
        if variable["dtype"] not in TOLERANCE:
            good = np.array_equal(got, want)
        else:
            finite = np.abs(want[np.isfinite(want)])
            scale = float(finite.max()) if finite.size else 1.0
            good = np.allclose(got, want, rtol=0, atol=TOLERANCE[variable["dtype"]] * scale, equal_nan=True)
        if not good:
            return f"{variable['name']}: {got.ravel()[:6]}, the oracle has {want.ravel()[:6]}"
    return "" if compared else NOT_FINITE


def main(arguments: list[str]) -> int:
    targets = ("cpu",) if "--cpu-only" in arguments else ("cpu", "cuda")
    steptp, cat, *sets = (word for word in arguments if word != "--cpu-only")
    counts: collections.Counter[str] = collections.Counter()
    constructs: collections.Counter[str] = collections.Counter()
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for words in sets:
            only_build = words.startswith("file ")
            if only_build:
                listed = Path(words.removeprefix("file ")).read_text()
            elif words.startswith("compare "):
                listed = Path(words.removeprefix("compare ")).read_text()
            else:
                listed = subprocess.run([cat, *words.split()], capture_output=True, text=True, check=True).stdout
            for number, line in enumerate(listed.splitlines()):
                record = json.loads(line)
                path = Path(folder) / f"{number}.json"
                path.write_text(line)
                if any(variable["dtype"] == "bfloat16" for variable in record["signature"]):
                    continue  # numpy has none
                for target in targets:
                    lowered = run(steptp, "lower", str(path), "--to", "tir", "--target", target, "--json")
                    answer = json.loads(lowered.stdout)
                    if "text" not in answer:
                        reason = answer["diagnostics"][0]["message"]
                        counts[f"{target} refused: {''.join(c for c in reason if not c.isdigit())}"] += 1
                        continue
                    if target == "cpu" and "bfloat16" in answer["text"]:
                        counts["cpu not compared: TVM keeps bf16 wider"] += 1
                        continue
                    problem = ""
                    try:
                        if target == "cpu" and only_build:
                            tvm.compile(parse(answer["text"]), target="llvm")
                        elif target == "cpu":
                            problem = expect_oracle(steptp, path, record, answer["text"])
                        else:
                            tvm.compile(parse(answer["text"]), target=tvm.target.Target({"kind": "cuda", "arch": "sm_90"}))
                    except Exception as error:  # whatever TVM raises is a failure of the text
                        problem = f"{type(error).__name__}: {str(error)[-1500:]}"
                    if problem == NOT_FINITE:
                        counts[f"cpu not compared: {NOT_FINITE}"] += 1
                        continue
                    counts[f"{target} {'ok' if not problem else 'WRONG'}"] += 1
                    if not problem and target == "cpu" and not only_build:
                        constructs.update(name for name, feature in CONSTRUCTS.items() if feature in record["features"])
                    if problem:
                        failures += 1
                        print(f"{words} {record.get('program')}: {target}: {problem}\n{answer['text']}")
    for key, count in sorted(counts.items()):
        print(f"{count:5} {key}")
    for name in CONSTRUCTS:
        print(f"{constructs[name]:5} cpu ok with {name}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

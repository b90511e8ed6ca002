#!/usr/bin/env python3
"""Writes the programs that GPU tests run, one JSON record per line: gpu_test_programs.py BUILD FOLDER

workloads.jsonl  the 100 published workloads in vanilla form
zoo.jsonl        all program types at small shapes, in four dtypes by turns
drawn.jsonl      types at drawn shapes and random compositions, in four dtypes
states.jsonl     states of recipes, written kernels and generated programs
"""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DTYPES = ("f32", "f16", "bf16", "f64")


def lines(command: list[str]) -> list[str]:
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    return [line for line in done.stdout.splitlines() if line]


def workloads(steptp: str) -> list[str]:
    """As data/workloads.txt names them: type, dtype and arguments, then the signature."""
    out = []
    for line in (ROOT / "data" / "workloads.txt").read_text().splitlines():
        if line.startswith("#"):
            continue
        name, dtype, *arguments = line.split(" | ")[0].split()
        command = [steptp, "zoo", "show", name, "--dtype", dtype, "--json"]
        for argument in arguments:
            command += ["--arg", argument]
        out += lines(command)
    return out


def drawn(steptp: str) -> list[str]:
    # Larger tensors take minutes of certified evaluation and show nothing else.
    command = [steptp, "zoo", "draw", "--count", "240", "--seed", "5", "--compositions", "25", "--most-gib", "0.05"]
    return lines(command + [word for dtype in DTYPES for word in ("--dtype", dtype)] + ["--json"])


def main() -> int:
    build, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    cat = str(build / "testing" / "lowering_cat")
    states = lines([cat, "recipes", "1"]) + lines([cat, "written"]) + lines([cat, "generated", "7", "100"])
    zoo = [line for first, dtype in enumerate(DTYPES) for line in lines([cat, "zoo", dtype, "4", str(first)])]
    for name, records in (
        ("workloads", workloads(str(build / "steptp"))),
        ("zoo", zoo),
        ("drawn", drawn(str(build / "steptp"))),
        ("states", states),
    ):
        for record in records:
            json.loads(record)
        (folder / f"{name}.jsonl").write_text("".join(record + "\n" for record in records))
        print(f"portable: {len(records)} programs in {name}.jsonl")
    return 0


if __name__ == "__main__":
    sys.exit(main())

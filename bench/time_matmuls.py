#!/usr/bin/env python3
"""Matrix products by the move `matrix`: makes their ends, and times them on a GPU.

    python3 bench/time_matmuls.py STEPTP FOLDER [--ends] [--dtype D] [--budget S]

For f16, bf16 and f64, at 512, 1024, 2048 and 4096 cubed and at 1017 x 987 x 642, the root and one end for each choice
of sizes below go to FOLDER as .leir files. Then each end is measured as `steptp time END --root ROOT --device cuda
--graph --json`, compared with certified values of the root; a row goes to FOLDER/rows.jsonl as soon as it is there, and
is not measured again. The best of each product is printed in TFLOP/s. With --ends nothing is measured, and no GPU is
needed.
Exit status: 0 done, 1 something failed, 2 bad input.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

PRODUCTS = [(512, 512, 512), (1024, 1024, 1024), (2048, 2048, 2048), (4096, 4096, 4096), (1017, 987, 642)]
NAMES = ("unit_rows", "unit_columns", "rows", "columns", "depth", "buffers", "group")
HALVES = [(2, 2, 64, 64, 64, 3, 8), (2, 2, 64, 64, 32, 4, 8), (2, 4, 64, 64, 64, 3, 8), (2, 2, 32, 64, 64, 3, 8),
          (2, 2, 32, 32, 64, 4, 8), (4, 2, 32, 32, 32, 2, 1), (2, 2, 16, 32, 64, 4, 1),
          # Groups of four units, which are one instruction on sm_90a.
          (8, 1, 16, 128, 64, 3, 8), (8, 1, 16, 256, 64, 4, 8), (4, 1, 16, 128, 64, 4, 8)]
DOUBLES = [(2, 2, 32, 32, 16, 4, 8), (2, 2, 16, 32, 16, 4, 8), (2, 2, 16, 16, 16, 4, 1), (2, 4, 32, 32, 16, 3, 8)]
CHOICES = {"f16": HALVES, "bf16": HALVES, "f64": DOUBLES}


def root_of(dtype: str, size: tuple[int, int, int]) -> str:
    rows, columns, inner = size
    left, right, result = (f"{name}^{{{dtype},g}}_{{{subscripts}}}"
                           for name, subscripts in (("A", "a,d"), ("C", "d,c"), ("D", "a,c")))
    return (f"@input A {dtype}[{rows},{inner}]\n@input C {dtype}[{inner},{columns}]\n@output D {dtype}[{rows},{columns}]\n"
            f"L^{{{rows}}}_{{a=0}}L^{{{columns}}}_{{c=0}}L^{{{inner}}}_{{d=0}}[{result}={result}+{left}*{right};];\n")


def make_ends(steptp: str, folder: Path, dtypes: list[str]) -> list[tuple[str, tuple[int, int, int], Path, Path]]:
    """Type, size, root and end of all; a choice that is larger than a product is none for it."""
    out = []
    for dtype in dtypes:
        for size in PRODUCTS:
            name = f"{dtype}_{'_'.join(map(str, size))}"
            root = folder / f"{name}.root.leir"
            root.write_text(root_of(dtype, size))
            for number, choice in enumerate(CHOICES[dtype]):
                text = json.dumps({"at": "0", **dict(zip(NAMES, choice, strict=True))})
                done = subprocess.run([steptp, "apply", str(root), "--move", "matrix", "--choice", text],
                                      capture_output=True, text=True)
                if done.returncode == 1 and "[sizes]" in done.stderr + done.stdout:
                    continue
                if done.returncode != 0:
                    raise RuntimeError(f"{name}, {text}: {done.stderr}{done.stdout}")
                end = folder / f"{name}.{number}.leir"
                end.write_text(done.stdout)
                out.append((dtype, size, root, end))
    return out


def measure(steptp: str, root: Path, end: Path, budget: float) -> dict[str, Any] | None:
    command = [steptp, "time", str(end), "--root", str(root), "--device", "cuda", "--graph", "--json", "--budget",
               f"{budget:g}"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{end.name}: {done.stderr.strip() or done.stdout.strip()}", file=sys.stderr)
        return None
    return {"end": end.name, **json.loads(done.stdout)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("steptp")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--ends", action="store_true", help="only make the ends")
    parser.add_argument("--dtype", choices=sorted(CHOICES), action="append", help="only this one; may be repeated")
    parser.add_argument("--budget", type=float, default=0.5, help="seconds for each end")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    ends = make_ends(arguments.steptp, arguments.folder, arguments.dtype or list(CHOICES))
    print(f"{len(ends)} ends in {arguments.folder}")
    if arguments.ends:
        return 0
    kept = arguments.folder / "rows.jsonl"
    rows = {row["end"]: row for row in map(json.loads, kept.read_text().splitlines())} if kept.is_file() else {}
    best: dict[tuple[str, tuple[int, int, int]], tuple[float, str]] = {}
    failed = False
    for dtype, size, root, end in ends:
        row = rows.get(end.name) or measure(arguments.steptp, root, end, arguments.budget)
        if row is None:
            failed = True
            continue
        if end.name not in rows:
            with kept.open("a") as file:
                file.write(json.dumps(row) + "\n")
        seconds = row["programs"][0]["median_s"]
        best[dtype, size] = min(best.get((dtype, size), (seconds, end.name)), (seconds, end.name))
    for (dtype, size), (seconds, name) in best.items():
        flops = 2 * size[0] * size[1] * size[2] / seconds
        print(f"{dtype} {' x '.join(map(str, size))}: {seconds * 1e6:.1f} us, {flops / 1e12:.0f} TFLOP/s ({name})")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, ValueError, RuntimeError) as error:
        print(f"time_matmuls: {error}", file=sys.stderr)
        sys.exit(2)

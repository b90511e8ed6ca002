#!/usr/bin/env python3
"""How often `steptp optimize` makes a fast, verified form, and what it expects of it: for many programs.

Programs are the 100 published workloads (data/workloads.txt) and every type of the zoo, at their default shapes, or
those of a .jsonl file. For each device one table: how many ends are proved or exact and safe, how many programs stay
as they came or get nothing but `map` although something in them is folded, how long planning and judging take, and
how often the expected time is within a factor of the floor that bytes and operations alone set.

Usage: optimize_coverage.py [--steptp build/steptp] [--devices nvidia-h200 cpu] [--every N] [--dtypes f32 f16]
                            [--programs FILE.jsonl] [--jobs N] [--out ROWS.jsonl]
Exit status 0 where all of them were answered, 1 otherwise.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FACTOR = 6  # of the floor: what a good form stays within


def lines_of(command: list[str]) -> list[str]:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def program(steptp: str, name: str, words: list[str]) -> dict | None:
    """A program of the zoo as a record; nothing where the dtype is none of its own."""
    done = subprocess.run([steptp, "zoo", "show", name, "--json", *words], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else None


def workloads(steptp: str) -> list[dict]:
    out = []
    lines = (ROOT / "data/workloads.txt").read_text().splitlines()
    for number, line in enumerate((line for line in lines if line and not line.startswith("#")), 1):
        name, dtype, *arguments = line.partition(" |")[0].split()
        words = [word for argument in arguments for word in ("--arg", argument)]
        found = program(steptp, name, ["--dtype", dtype, *words])
        if found is not None:
            out.append({**found, "id": f"workload {number} {name}"})
    return out


def zoo(steptp: str, dtypes: list[str]) -> list[dict]:
    out = []
    for line in lines_of([steptp, "zoo", "list", "--json"]):
        for entry in json.loads(line) if line.startswith("[") else [json.loads(line)]:
            for dtype in dtypes:
                found = program(steptp, entry["program"], ["--dtype", dtype])
                if found is not None:
                    out.append({**found, "id": f"zoo {entry['program']} {dtype}"})
    return out


def folds(record: dict) -> bool:
    """Whether some tensor of the program is accumulated: it occurs on both sides of an equation."""
    for equation in record["leir"].split("[")[1:]:
        left, _, right = equation.partition("=")
        if left and "=" not in left and left + "+" in right or left + "," in right or left + "*" in right:
            return True
    return False


def share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / whole:.1f} %)" if whole else "none"


def percentile(values: list[float], part: float) -> float:
    values = sorted(values)
    return values[min(len(values) - 1, int(part * len(values)))] if values else 0.0


def table(rows: list[dict]) -> str:
    done = [row for row in rows if "verdict" in row]
    good = [row for row in done if row["verdict"] in ("proved", "exact") and row["safe"]]
    folding = [row for row in done if row["folds"]]
    bare = [row for row in folding if all(move["move"] in ("map", "inline") for move in row["plan"])]
    near = [row for row in done if row.get("expected_s") and row["expected_s"] <= FACTOR * (row.get("floor_s") or 0)]
    faster = [row["vanilla_s"] / row["expected_s"] for row in done if row.get("expected_s") and row.get("vanilla_s")]
    lines = [
        f"| answered | {share(len(done), len(rows))} |",
        f"| proved or exact, and safe | {share(len(good), len(done))} |",
        f"| left as it came | {share(sum(row['fallback'] for row in done), len(done))} |",
        f"| folds, and has nothing but `map` | {share(len(bare), len(folding))} |",
        f"| expected within {FACTOR} times the floor | {share(len(near), len(done))} |",
        f"| expected faster than as it came, median | {percentile(faster, 0.5):.1f} x |",
    ]
    for what in ("planning_ms", "judging_ms"):
        times = [row[what] for row in done]
        lines.append(f"| {what}: median, p99, most | {percentile(times, 0.5):.0f}, {percentile(times, 0.99):.0f}, "
                     f"{max(times, default=0):.0f} |")
    return "\n".join(lines)


def answers(steptp: str, records: list[dict], device: str, jobs: int) -> list[dict]:
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        for record in records:
            file.write(json.dumps(record) + "\n")
        file.flush()
        command = [steptp, "optimize", file.name, "--device", device, "--json", "--timing", "--jobs", str(jobs)]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    out = [json.loads(line) for line in done.stdout.splitlines()]
    if len(out) != len(records):
        sys.exit(f"{len(records)} programs, {len(out)} answers (exit status {done.returncode})")
    for record, row in zip(records, out):
        row.update(id=record["id"], device=device, folds=folds(record))
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steptp", default=str(ROOT / "build/steptp"))
    parser.add_argument("--devices", nargs="+", default=["nvidia-h200", "cpu"])
    parser.add_argument("--every", type=int, default=1, help="one program in so many")
    parser.add_argument("--dtypes", nargs="+", default=["f32"])
    parser.add_argument("--programs", help="a .jsonl file instead of workloads and zoo")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", help="a file for the rows")
    options = parser.parse_args()
    if options.programs:
        records = [json.loads(line) for line in Path(options.programs).read_text().splitlines()]
        records = [{"id": record.get("program", str(i)), **record} for i, record in enumerate(records)]
    else:
        records = workloads(options.steptp) + zoo(options.steptp, options.dtypes)
    records = records[:: options.every]
    everything = []
    for device in options.devices:
        rows = answers(options.steptp, records, device, options.jobs)
        everything += rows
        print(f"\n{device}, {len(records)} programs\n\n| what | how many |\n|---|---|\n{table(rows)}", flush=True)
        for row in rows:
            if "verdict" not in row or row["fallback"] or row["verdict"] not in ("proved", "exact") or not row["safe"]:
                print(f"  {row['id']}: {row.get('verdict')}, safe {row.get('safe')}: {row.get('reason')}")
    if options.out:
        Path(options.out).write_text("".join(json.dumps(row) + "\n" for row in everything))
    return 0 if all("verdict" in row for row in everything) else 1


if __name__ == "__main__":
    sys.exit(main())

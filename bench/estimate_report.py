#!/usr/bin/env python3
"""What the model of expected times says of the programs whose times were measured, beside these times.

    python3 bench/estimate_report.py STEPTP [--write] [--json F]

Measured are, on an H200: the ends of plans of the published workloads (bench/results/plans.jsonl); patterns of accesses
and operations (bench/patterns/) and the vanilla forms that take less than a tenth of a second, as the present lowering
makes them (patterns.jsonl); and all vanilla forms with an earlier lowering (pytorch.jsonl). A row whose program is no longer what its plan leads to is left out and
counted. Prints Spearman's rank correlation, the share within a factor of 2, and the geometric mean of expected over
measured for each group and for all; --write makes bench/ESTIMATES.md and bench/estimates.svg of it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))
import time_plans  # noqa: E402

DEVICE = "nvidia-h200"
WORKLOAD = "workload "
GROUPS = {"end": "ends of plans", "pattern": "patterns", "vanilla": "vanilla forms",
          "old": "vanilla forms, earlier lowering"}
COLOURS = {"end": "#1f77b4", "pattern": "#2ca02c", "vanilla": "#ff7f0e", "old": "#d62728"}
ALL = {"present": "**all with the present lowering**", "all": "all"}
# What was measured with the lowering that the model is of.
PRESENT = ("end", "pattern", "vanilla")


class Row(NamedTuple):
    group: str
    name: str
    measured_us: float
    expected_us: float
    limited_by: str

    @property
    def ratio(self) -> float:
        return self.expected_us / self.measured_us


def read_lines(name: str) -> list[dict[str, Any]]:
    path = ROOT / "bench" / "results" / name
    return [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []


def programs(steptp: str, folder: Path) -> tuple[list[tuple[str, str, float, Path]], int]:
    """Group, name, measured time and file of every row whose program is still there, and how many are not."""
    known = time_plans.workloads()
    out: list[tuple[str, str, float, Path]] = []
    gone = 0
    for number, workload in known.items():
        (folder / f"{number}.json").write_text(workload.vanilla(steptp))
    for row in read_lines("pytorch.jsonl"):
        number = row["workload"]
        out.append(("old", f"{number} {row['type']}", row["vanilla_us"], folder / f"{number}.json"))
    entries = {entry["workload"]: entry
               for entry in time_plans.read_entries(ROOT / "bench" / "plans" / "entries.jsonl", known)}
    for row in read_lines("plans.jsonl"):
        number = row["workload"]
        end = time_plans.end_of(steptp, entries[number], folder / f"{number}.json", folder)
        canonical = time_plans.output_of([steptp, "fmt", str(end)])
        if hashlib.sha256(canonical.encode()).hexdigest()[:16] != row["program"]:
            gone += 1
            continue
        out.append(("end", f"{number} {row['type']}", row["median_us"], end))
    for row in read_lines("patterns.jsonl"):
        group, path = "pattern", ROOT / "bench" / "patterns" / row["pattern"]
        name = path.stem
        if row["pattern"].startswith(WORKLOAD):
            number = int(row["pattern"].removeprefix(WORKLOAD))
            group, path, name = "vanilla", folder / f"{number}.json", f"{number} {known[number].type}"
            text = time_plans.output_of([steptp, "fmt", str(path)]).encode()
        else:
            text = path.read_bytes() if path.is_file() else b""
        if hashlib.sha256(text).hexdigest()[:16] != row["program"]:
            gone += 1
            continue
        out.append((group, name, row["median_us"], path))
    return out, gone


def estimate(steptp: str, found: list[tuple[str, str, float, Path]]) -> list[Row]:
    rows = []
    for group, name, measured, path in found:
        answer = subprocess.run([steptp, "estimate", str(path), "--device", DEVICE, "--json"], capture_output=True,
                                text=True, check=True)
        made = json.loads(answer.stdout)
        slowest = max(made["kernels"], key=lambda kernel: kernel["seconds"])
        rows.append(Row(group, name, measured, 1e6 * made["seconds"], slowest["limited_by"]))
    return rows


def ranks(values: list[float]) -> list[float]:
    order = sorted(range(len(values)), key=lambda i: values[i])
    out = [0.0] * len(values)
    at = 0
    while at < len(order):
        end = at
        while end + 1 < len(order) and values[order[end + 1]] == values[order[at]]:
            end += 1
        for i in order[at:end + 1]:
            out[i] = (at + end) / 2
        at = end + 1
    return out


def spearman(first: list[float], second: list[float]) -> float:
    a, b = ranks(first), ranks(second)
    mean = (len(a) - 1) / 2
    above = sum((x - mean) * (y - mean) for x, y in zip(a, b))
    below = math.sqrt(sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b))
    return above / below if below else 0.0


def summary(rows: list[Row]) -> dict[str, Any]:
    return {"rows": len(rows), "spearman": spearman([r.measured_us for r in rows], [r.expected_us for r in rows]),
            "within_2": sum(0.5 <= r.ratio <= 2 for r in rows) / len(rows),
            "within_3": sum(1 / 3 <= r.ratio <= 3 for r in rows) / len(rows),
            "mean": math.exp(sum(math.log(r.ratio) for r in rows) / len(rows))}


def summaries(rows: list[Row]) -> dict[str, dict[str, Any]]:
    out = {group: summary(some) for group in GROUPS if (some := [r for r in rows if r.group == group])}
    out["present"] = summary([r for r in rows if r.group in PRESENT])
    out["all"] = summary(rows)
    return out


def table(rows: list[Row]) -> str:
    lines = ["| programs | rows | Spearman | within a factor of 2 | within 3 | expected over measured |",
             "| --- | --- | --- | --- | --- | --- |"]
    for group, one in summaries(rows).items():
        lines.append(f"| {GROUPS.get(group) or ALL[group]} | {one['rows']} | {one['spearman']:.2f} | "
                     f"{100 * one['within_2']:.0f} % | {100 * one['within_3']:.0f} % | {one['mean']:.2f} |")
    return "\n".join(lines)


def plot(rows: list[Row]) -> str:
    """Expected over measured, both on logarithmic axes, with the lines of a factor of 2."""
    size, edge = 640, 60
    low = math.floor(math.log10(min(min(r.measured_us, r.expected_us) for r in rows)))
    high = math.ceil(math.log10(max(max(r.measured_us, r.expected_us) for r in rows)))

    def place(value: float) -> float:
        return edge + (math.log10(value) - low) / (high - low) * (size - 2 * edge)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{size}" font-family="sans-serif" '
           f'font-size="12"><rect width="{size}" height="{size}" fill="white"/>']
    for decade in range(low, high + 1):
        at = place(10.0 ** decade)
        out.append(f'<path d="M{at:.1f} {edge}V{size - edge}M{edge} {size - at:.1f}H{size - edge}" stroke="#ddd"/>'
                   f'<text x="{at:.1f}" y="{size - edge + 18}" text-anchor="middle">{10.0 ** decade:g}</text>'
                   f'<text x="{edge - 6}" y="{size - at + 4:.1f}" text-anchor="end">{10.0 ** decade:g}</text>')
    for factor in (0.5, 1, 2):
        begin, end = max(10.0 ** low, 10.0 ** low / factor), min(10.0 ** high, 10.0 ** high / factor)
        dashes = "" if factor == 1 else ' stroke-dasharray="4 4"'
        out.append(f'<path d="M{place(begin):.1f} {size - place(begin * factor):.1f}L{place(end):.1f} '
                   f'{size - place(end * factor):.1f}" stroke="#888"{dashes}/>')
    for row in rows:
        out.append(f'<circle cx="{place(row.measured_us):.1f}" cy="{size - place(row.expected_us):.1f}" r="3.5" '
                   f'fill="{COLOURS[row.group]}" fill-opacity="0.6"><title>{row.name}</title></circle>')
    for i, (group, words) in enumerate(GROUPS.items()):
        out.append(f'<circle cx="{edge + 14}" cy="{edge + 14 + 18 * i}" r="4" fill="{COLOURS[group]}"/>'
                   f'<text x="{edge + 24}" y="{edge + 18 + 18 * i}">{words}</text>')
    out.append(f'<text x="{size / 2}" y="{size - 14}" text-anchor="middle">measured, us</text>'
               f'<text x="16" y="{size / 2}" text-anchor="middle" transform="rotate(-90 16 {size / 2})">expected, us</text>'
               "</svg>")
    return "\n".join(out) + "\n"


def page(rows: list[Row], gone: int) -> str:
    out = ["# Expected times beside measured ones", "",
           "Made by `python3 bench/estimate_report.py build/steptp --write` from the rows in `bench/results/` and the "
           f"table `{DEVICE}` of the model ([docs/devices.md](../docs/devices.md)).", "", table(rows), "",
           "The last group was measured with an earlier lowering: it is shown as it was recorded, and the model does not "
           "describe it; with the present one the same forms take as long or up to twelve times less. The rates of the "
           "table were chosen by these rows." + (f" {gone} rows are of programs that are there no longer." if gone else ""), "",
           "![expected over measured](estimates.svg)", ""]
    for group, words in GROUPS.items():
        some = sorted((r for r in rows if r.group == group), key=lambda r: r.ratio)
        if not some:
            continue
        out += [f"## The {words}", "", "| program | measured, us | expected, us | ratio | limited by |",
                "| --- | --- | --- | --- | --- |"]
        out += [f"| {r.name} | {r.measured_us:.4g} | {r.expected_us:.4g} | {r.ratio:.2f} | {r.limited_by} |" for r in some]
        out.append("")
    return "\n".join(out)


def report(steptp: str) -> tuple[list[Row], int]:
    with tempfile.TemporaryDirectory() as name:
        found, gone = programs(steptp, Path(name))
        return estimate(steptp, found), gone


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("steptp")
    parser.add_argument("--write", action="store_true", help="make bench/ESTIMATES.md and bench/estimates.svg")
    parser.add_argument("--json", type=Path, help="write the rows as JSON lines")
    arguments = parser.parse_args()
    rows, gone = report(arguments.steptp)
    print(table(rows))
    if arguments.json:
        arguments.json.write_text("".join(json.dumps(row._asdict()) + "\n" for row in rows))
    if arguments.write:
        (ROOT / "bench" / "ESTIMATES.md").write_text(page(rows, gone))
        (ROOT / "bench" / "estimates.svg").write_text(plot(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())

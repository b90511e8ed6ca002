#!/usr/bin/env python3
"""Makes the tables of measured times in bench/RESULTS.md out of the raw rows in bench/results/*.jsonl.

A file of raw rows is one table (TABLES), a line of it one measurement. The rules, by the names that messages carry:
  table    the file is one of TABLES
  line     a line is a JSON object, and has the fields of its table and no others
  field    each field has the type and form that its table says; figures are finite and above zero
  status   the status is "ok": what failed or was not checked is no measurement
  twice    no two lines of a table are of the same thing, but for one and the same line
  page     the part of bench/RESULTS.md between the markers is what the rows make (--write makes it so)

Usage: make_results.py [--write] [ROOT]. Exit status 0 when all is in order, 1 with one line per finding otherwise.
"""

from __future__ import annotations

import datetime
import json
import math
import re
import statistics
import sys
from pathlib import Path
from typing import Any, Callable, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))
from result_tables import (COLUMNS, GROUPS, Row, best, figure, geomean, markdown, origins,  # noqa: E402
                           plain_geomean, spearman)
from results_of_searches import show_searched  # noqa: E402
from results_on_cpu import show_candidates, show_cpu  # noqa: E402

PAGE = "bench/RESULTS.md"
BEGIN = "<!-- made from bench/results/*.jsonl by tools/make_results.py --write -->"
END = "<!-- end of what is made from raw rows -->"
# For facts that came without it. Our own measurements have all of it.
NOT_RECORDED = "not recorded"


class Finding(NamedTuple):
    rule: str
    place: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: error: {self.message} [{self.rule}]"


def is_figure(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) and value > 0


def is_mean(value: Any) -> bool:
    return value == 0 or is_figure(value)


def is_text(value: Any) -> bool:
    return isinstance(value, str) and value.strip() == value != ""


def is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def is_tally(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def is_words(value: Any) -> bool:
    return isinstance(value, list) and all(is_text(word) for word in value)


def is_date(value: Any) -> bool:
    try:
        return isinstance(value, str) and datetime.date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def is_commit(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[0-9a-f]{7,40}", value) is not None


def or_not_recorded(form: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value == NOT_RECORDED or form(value)


def one_of(*words: str) -> Callable[[Any], bool]:
    return lambda value: value in words


def is_flag(value: Any) -> bool:
    return isinstance(value, bool)


CLASSES = ("none", "matmul", "convolution", "attention")
DTYPES = ("float16", "float32", "float64", "bfloat16")
ORIGIN: dict[str, Callable[[Any], bool]] = {
    "commit": is_commit, "device": is_text, "driver": is_text, "command": is_text, "date": is_date,
    "status": one_of("ok"),
}
WORKLOAD: dict[str, Callable[[Any], bool]] = {
    "workload": is_count, "type": is_text, "dtype": one_of(*DTYPES),
}


class Table(NamedTuple):
    fields: dict[str, Callable[[Any], bool]]
    key: tuple[str, ...]  # what a line is of


TABLES: dict[str, Table] = {
    # What PyTorch takes, and our vanilla programs, which nobody runs again.
    "pytorch": Table(
        {**ORIGIN, **{name: or_not_recorded(ORIGIN[name]) for name in ("commit", "driver", "command", "date")},
         "versions": is_text, **WORKLOAD, "class": one_of(*CLASSES), "degenerate": is_flag, "vanilla_us": is_figure,
         **{column: is_figure for column in COLUMNS}, "roofline_us": is_figure},
        ("device", "workload")),
    # Ours: the end of a plan or a recipe for a workload, as a CUDA graph with cold caches.
    "plans": Table(
        {**ORIGIN, **WORKLOAD, "plan": is_text, "program": is_text, "median_us": is_figure, "spread_us": is_figure,
         "runs": is_count, "checked_elements": is_count},
        ("device", "workload")),
    # Ends that `optimize` chose without measuring, timed likewise; left as it came, a workload has its vanilla time.
    "optimized": Table(
        {**ORIGIN, **WORKLOAD, "plan": is_text, "program": is_text, "median_us": is_figure, "spread_us": is_figure,
         "runs": is_count, "checked_elements": is_count, "expected_us": is_figure, "limited_by": is_text,
         "verdict": is_text, "safe": one_of("yes", "no", "not known"), "fallback": is_flag, "planning_ms": is_figure,
         "judging_ms": is_mean},
        ("device", "workload")),
    # The workloads of data/cpu_workloads.txt, ours without measuring beside eager PyTorch, on a CPU.
    "cpu": Table(
        {**ORIGIN, **WORKLOAD, "kind": is_text, "plan": is_text, "program": is_text,
         **{f"{who}_{how}_us": is_figure for who in ("eager", "ours") for how in ("one", "all")}, "expected_us": is_figure,
         "verdict": is_text, "safe": one_of("yes", "no", "not known"), "fallback": is_flag, "runs": is_count,
         "checked_elements": is_count, "other_tasks": is_mean, "planning_ms": is_figure, "judging_ms": is_mean},
        ("device", "workload")),
    # Winners of searches that measured, as CUDA graphs with cold caches, in processes of their own.
    "searched": Table(
        {**ORIGIN, **WORKLOAD, "algorithm": is_text, "proposer": is_text, "seed": is_count, "budget": is_count,
         "samples": is_count, "measured": is_tally, "failures": is_tally, "samples_to_best": is_count, "median_us": is_figure,
         "p10_us": is_figure, "p90_us": is_figure, "floor_us": is_figure, "verdict": is_text,
         "safe": one_of("yes", "no", "not known"), "flags": is_words, "stop": is_text, "moves": is_words,
         "seconds": is_mean},
        ("device", "workload", "algorithm", "proposer", "budget", "seed")),
    # Patterns (bench/patterns) and vanilla forms that the model of expected times is fitted to; bench/ESTIMATES.md shows
    # them.
    "patterns": Table(
        {**ORIGIN, "pattern": is_text, "program": is_text, "median_us": is_figure, "spread_us": is_figure,
         "runs": is_count},
        ("device", "pattern")),
    # What a candidate of a search takes beyond compiling and running.
    "candidates": Table(
        {**ORIGIN, "program": is_text, "way": one_of("each evaluated itself", "compared with their root"),
         "candidates": is_count, "run_ms": is_figure, "beyond_ms": is_figure, "other_tasks": is_mean},
        ("device", "program", "way")),
}


def read_rows(root: Path) -> tuple[dict[str, list[Row]], list[Finding]]:
    """The rows of each table that may be shown, in the order of their keys, and what is wrong with the others."""
    tables: dict[str, list[Row]] = {}
    findings: list[Finding] = []
    for path in sorted((root / "bench" / "results").glob("*.jsonl")):
        table = TABLES.get(path.stem)
        if table is None:
            findings.append(Finding("table", f"bench/results/{path.name}", f"there is no table {path.stem}"))
            continue
        rows: dict[tuple[Any, ...], tuple[int, Row]] = {}
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = findings_in(line, table, f"bench/results/{path.name}:{number}")
            findings += found
            if found:
                continue
            row = json.loads(line)
            key = tuple(row[name] for name in table.key)
            first, other = rows.setdefault(key, (number, row))
            if other != row:
                said = ", ".join(f"{name} {value}" for name, value in zip(table.key, key))
                findings.append(Finding("twice", f"bench/results/{path.name}:{number}",
                                        f"line {first} has other figures of the same thing ({said})"))
        tables[path.stem] = [row for _, (_, row) in sorted(rows.items())]
    return tables, findings


def findings_in(line: str, table: Table, place: str) -> list[Finding]:
    try:
        row = json.loads(line)
    except ValueError as error:
        return [Finding("line", place, f"the line is no JSON: {error}")]
    if not isinstance(row, dict):
        return [Finding("line", place, "the line is not a JSON object")]
    out = [Finding("line", place, f"the row lacks the field {name}") for name in table.fields if name not in row]
    out += [Finding("line", place, f"its table has no field {name}") for name in row if name not in table.fields]
    if "status" in row and row["status"] != "ok":
        out.append(Finding("status", place, f"the status is {row['status']!r}: that is no measurement"))
    for name, form in table.fields.items():
        if name in row and name != "status" and not form(row[name]):
            out.append(Finding("field", place, f"the field {name} cannot be {row[name]!r}"))
    return out


# What `optimize` is to reach without measuring (geometric mean of the best of PyTorch over ours).
GOALS = {"no contraction": 0.85, "matmul, float32": 0.5, "matmul, float16": 0.4, "matmul, float64": 0.4, "convolution": 0.6,
         "attention": 0.4}
LEAST = 0.05  # nothing may be below this share
HALF = 0.5  # and 90 % of what has no contraction not below this


def show_pytorch(rows: list[Row]) -> list[str]:
    out = ["### PyTorch on the published workloads", ""]
    versions = "; ".join(sorted({f"one {row['device']}, {row['versions']}" for row in rows}))
    out += [f"Microseconds with cold caches, measured on {versions}: eager and torch.compile, each plain and as a CUDA "
            f"graph. *Best* is the fastest of the four, workload by workload. The numbers are geometric means of ratios "
            f"over the workloads of a class, not clipped; a ratio of 2 is twice the time of the best. Degenerate "
            f"programs (their output does not depend on their inputs) are left out.", ""]
    table = []
    for name, belongs in GROUPS.items():
        own = [row for row in rows if belongs(row) and not row["degenerate"]]
        if not own:
            continue
        wins = [min(COLUMNS, key=lambda column: row[column]) for row in own]
        table.append([name, str(len(own)), *(f"{plain_geomean([row[column] / best(row) for row in own]):.2f}"
                                             for column in COLUMNS),
                      COLUMNS[max(COLUMNS, key=wins.count)],
                      figure(plain_geomean([row["vanilla_us"] / best(row) for row in own]))])
    out.append(markdown(["class", "workloads", *(f"{name} / best" for name in COLUMNS.values()), "most often the best",
                         "our vanilla program / best"], table))
    degenerate = [f"{row['workload']} ({row['type']})" for row in rows if row["degenerate"]]
    if degenerate:
        out += ["", f"Degenerate: {', '.join(degenerate)}."]
    return out


def compared(rows: list[Row], baseline: dict[tuple[str, int], Row]) -> list[tuple[Row, Row]]:
    pairs = [(row, baseline.get((row["device"], row["workload"]))) for row in rows]
    return [(ours, theirs) for ours, theirs in pairs if theirs is not None]


def show_plans(rows: list[Row], pytorch: list[Row]) -> list[str]:
    baseline = {(row["device"], row["workload"]): row for row in pytorch}
    pairs = compared(rows, baseline)
    out = ["### Plans for the published workloads", "",
           f"Programs that plans and recipes lead to, as CUDA graphs with cold caches ({origins(rows)}). A ratio is the "
           f"time of PyTorch over ours: above 1 we are faster. The geometric mean is of ratios to the best of the four, "
           f"clipped to [1/8, 4] one by one; classes are not averaged with each other.", ""]
    summary = []
    for name, belongs in GROUPS.items():
        there = [row for row in pytorch if belongs(row) and not row["degenerate"]]
        ratios = [best(theirs) / ours["median_us"] for ours, theirs in pairs if belongs(theirs) and not theirs["degenerate"]]
        if not ratios:
            continue
        summary.append([name, f"{len(ratios)} of {len(there)}", f"{geomean(ratios):.2f}", f"{statistics.median(ratios):.2f}",
                        f"{min(ratios):.2f}", f"{sum(ratio >= 1 for ratio in ratios)} of {len(ratios)}"])
    if summary:
        out += [markdown(["class", "measured", "geometric mean", "median", "least", "at least as fast"], summary), ""]
    for title, is_degenerate in (("", False), ("Degenerate programs, which count in no mean:", True)):
        lines = []
        for ours, theirs in pairs:
            if theirs["degenerate"] != is_degenerate:
                continue
            lines.append([str(ours["workload"]), ours["type"], ours["dtype"], figure(ours["median_us"]),
                          figure(ours["spread_us"]), figure(best(theirs)), f"{best(theirs) / ours['median_us']:.2f}",
                          *(f"{theirs[column] / ours['median_us']:.2f}" for column in COLUMNS), f"`{ours['plan']}`"])
        if lines:
            out += [title, ""] if title else []
            out += [markdown(["workload", "type", "dtype", "ours, us", "spread, us", "best, us", "best / ours",
                              *(f"{name} / ours" for name in COLUMNS.values()), "plan"], lines), ""]
    alone = [row for row in rows if (row["device"], row["workload"]) not in baseline]
    if alone:
        out += ["Without a column of PyTorch:", "",
                markdown(["workload", "type", "dtype", "ours, us", "spread, us", "plan"],
                         [[str(row["workload"]), row["type"], row["dtype"], figure(row["median_us"]),
                           figure(row["spread_us"]), f"`{row['plan']}`"] for row in alone]), ""]
    return out[:-1] if out[-1] == "" else out


def show_expected(rows: list[Row]) -> str:
    """How well times were expected, in one sentence; vanilla times are of an earlier lowering and do not count."""
    own = [(row["expected_us"], row["median_us"]) for row in rows if not row["fallback"]]
    if len(own) < 3:
        return ""
    within = sum(1 / 2 <= expected / measured <= 2 for expected, measured in own)
    return (f"Expected beside measured times, {len(own)} programs: {within} ({100 * within / len(own):.0f} %) are within a "
            f"factor of 2, Spearman {spearman(*(list(side) for side in zip(*own))):.2f}, geometric mean of expected over "
            f"measured {plain_geomean([expected / measured for expected, measured in own]):.2f}.")


def show_optimized(rows: list[Row], pytorch: list[Row]) -> list[str]:
    baseline = {(row["device"], row["workload"]): row for row in pytorch}
    pairs = compared(rows, baseline)
    out = ["### What `optimize` makes of the published workloads without measuring", "",
           f"`steptp optimize --device nvidia-h200` chose each plan by expected times alone; its end was judged, and is timed "
           f"here as a CUDA graph with cold caches ({origins(rows)}; `bench/optimize_workloads.py`). Ratios are the time of "
           f"the best of PyTorch's four columns over ours, clipped to [1/8, 4] in means. A program that stays as it came "
           f"counts with its vanilla time as it was once measured.", ""]
    summary = []
    for name, belongs in GROUPS.items():
        ratios = [best(theirs) / ours["median_us"] for ours, theirs in pairs if belongs(theirs) and not theirs["degenerate"]]
        if not ratios:
            continue
        there = [row for row in pytorch if belongs(row) and not row["degenerate"]]
        mean = geomean(ratios)
        summary.append([name, f"{len(ratios)} of {len(there)}", f"{mean:.2f}", f"{GOALS[name]:.2f}",
                        "yes" if mean >= GOALS[name] else "no", f"{statistics.median(ratios):.2f}", f"{min(ratios):.2f}",
                        f"{sum(ratio > HALF for ratio in ratios)} of {len(ratios)}",
                        f"{sum(ratio < LEAST for ratio in ratios)}"])
    if summary:
        out += [markdown(["class", "measured", "geometric mean", "wanted", "reached", "median", "least", f"above {HALF}",
                          f"below {LEAST}"], summary), ""]
    if expected := show_expected(rows):
        out += [expected, ""]
    shown = sum(row["verdict"] in ("proved", "exact") and row["safe"] == "yes" for row in rows)
    out += [f"Of {len(rows)} programs {sum(row['fallback'] for row in rows)} stay as they came; of the others "
            f"{shown - sum(row['fallback'] for row in rows)} are proved or exact, and safe. Planning took a median of "
            f"{statistics.median(row['planning_ms'] for row in rows):.0f} ms and at most "
            f"{max(row['planning_ms'] for row in rows):.0f}, judging {statistics.median(row['judging_ms'] for row in rows):.0f} "
            f"and {max(row['judging_ms'] for row in rows):.0f}, one core each, side by side.", ""]
    for title, is_own in (("", lambda theirs: theirs and not theirs["degenerate"]),
                          ("Degenerate programs, which count in no mean:", lambda theirs: theirs and theirs["degenerate"]),
                          ("Without a column of PyTorch:", lambda theirs: not theirs)):
        lines = [optimized_line(row, baseline.get((row["device"], row["workload"]))) for row in rows
                 if is_own(baseline.get((row["device"], row["workload"])))]
        if lines:
            out += [title, ""] if title else []
            out += [markdown(["workload", "type", "dtype", "ours, us", "expected, us", "limited by", "best, us", "best / ours",
                              "plan", "verdict"], lines), ""]
    return out[:-1]


def optimized_line(row: Row, theirs: Row | None) -> list[str]:
    verdict = row["verdict"] + {"yes": "", "no": ", not safe"}.get(row["safe"], ", safe not known")
    return [str(row["workload"]), row["type"], row["dtype"], figure(row["median_us"]), figure(row["expected_us"]),
            row["limited_by"], figure(best(theirs)) if theirs else "",
            f"{best(theirs) / row['median_us']:.2f}" if theirs else "", row["plan"], verdict]


def page_of(tables: dict[str, list[Row]]) -> str:
    """The part of the page between its markers."""
    parts = []
    if tables.get("optimized"):
        parts.append("\n".join(show_optimized(tables["optimized"], tables.get("pytorch", []))))
    if tables.get("cpu"):
        parts.append("\n".join(show_cpu(tables["cpu"])))
    if tables.get("searched"):
        parts.append("\n".join(show_searched(tables["searched"], tables.get("pytorch", []))))
    if tables.get("plans"):
        parts.append("\n".join(show_plans(tables["plans"], tables.get("pytorch", []))))
    if tables.get("pytorch"):
        parts.append("\n".join(show_pytorch(tables["pytorch"])))
    if tables.get("candidates"):
        parts.append("\n".join(show_candidates(tables["candidates"])))
    return "\n\n".join(parts)


def check(root: Path, is_written: bool = False) -> list[Finding]:
    tables, findings = read_rows(root)
    if findings:
        return findings
    page = root / PAGE
    if not page.is_file():
        return [Finding("page", PAGE, "the page is missing")]
    head, begin, rest = page.read_text().partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        return [Finding("page", PAGE, f"there is no '{BEGIN}' with an end after it")]
    wanted = f"{head}{BEGIN}\n\n{page_of(tables)}\n\n{END}{tail}"
    if is_written:
        page.write_text(wanted)
    elif wanted != page.read_text():
        return [Finding("page", PAGE, "its tables are not those of the raw rows: run tools/make_results.py --write")]
    return []


def main() -> int:
    arguments = [word for word in sys.argv[1:] if word != "--write"]
    root = Path(arguments[0] if arguments else Path(__file__).resolve().parent.parent).resolve()
    findings = check(root, is_written="--write" in sys.argv)
    for finding in findings:
        print(finding)
    if findings:
        print(f"make_results: {len(findings)} findings", file=sys.stderr)
        return 1
    print("make_results: the page is what the rows make")
    return 0


if __name__ == "__main__":
    sys.exit(main())

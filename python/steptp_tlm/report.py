"""Tables of an evaluation, from the rows of its log alone, so that anyone can make them again."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Sequence

from .corpus import Subgraph
from .files import json_line, write_whole
from .statistics import bootstrap, geometric_mean, ratio_of_sums, wins

# A search without any result counts as so many times as slow as the best known.
NO_RESULT = 100.0
RIVALS = ("masked random", "boosted trees", "analytic top k", "nearest neighbour")

Values = tuple[int, ...]
Found = dict[str, dict[tuple[str, int], list[dict[str, Any]]]]  # by method, then by subgraph and seed


def latency_of(row: dict[str, Any]) -> float:
    return row["median_s"] if row["outcome"] == "ok" else math.inf


def trajectories(rows: Sequence[dict[str, Any]]) -> Found:
    """The rows of each search in the order of measurement."""
    out: Found = {}
    for row in sorted((row for row in rows if "place" in row), key=lambda row: row["place"]):
        out.setdefault(row["method"], {}).setdefault((row["subgraph"], row["seed"]), []).append(row)
    return out


def best_of(rows: Sequence[dict[str, Any]], count: int) -> dict[str, Any] | None:
    """The fastest of the first `count` measurements; the first one of equals."""
    ok = [row for row in rows[:count] if row["outcome"] == "ok"]
    return min(ok, key=latency_of) if ok else None


class Report:
    """Quality after k measurements is the latency of the best program known, over all methods, divided by that of the
    best of the first k. Where winners were measured again, those times count, and choose the best known."""

    def __init__(self, rows: Sequence[dict[str, Any]], subgraphs: Sequence[Subgraph],
                 again: dict[tuple[str, Values], float] | None = None) -> None:
        self.found, self.again = trajectories(rows), again or {}
        known: dict[str, float] = {}
        for row in rows:
            known[row["subgraph"]] = min(known.get(row["subgraph"], math.inf), self._seconds(row))
        self.known = known
        self.usable = [one for one in subgraphs if math.isfinite(known.get(one.id, math.inf))]
        self.without = [one for one in subgraphs if one.id in known and not math.isfinite(known[one.id])]

    def _seconds(self, row: dict[str, Any]) -> float:
        if self.again and row["outcome"] == "ok":
            return self.again.get((row["subgraph"], tuple(row["values"])), math.inf)
        return latency_of(row)

    def seconds_at(self, method: str, subgraph: str, count: int) -> float:
        """The geometric mean over seeds."""
        values = []
        for (of_subgraph, _), rows in self.found[method].items():
            if of_subgraph != subgraph:
                continue
            best = best_of(rows, count)
            seconds = self._seconds(best) if best else math.inf
            values.append(seconds if math.isfinite(seconds) else NO_RESULT * self.known[subgraph])
        return geometric_mean(values) if values else NO_RESULT * self.known[subgraph]

    def at(self, method: str, count: int, among: Sequence[Subgraph]) -> dict[str, Any]:
        mine = [self.seconds_at(method, one.id, count) for one in among]
        best = [self.known[one.id] for one in among]
        interval = bootstrap([known / value for known, value in zip(best, mine)])
        out: dict[str, Any] = {"quality": interval.mean, "low": interval.low, "high": interval.high,
                               "ratio_of_sums": ratio_of_sums(mine, best)}
        for rival in RIVALS:
            if rival in self.found and rival != method:
                its = [self.seconds_at(rival, one.id, count) for one in among]
                faster = bootstrap([b / a for a, b in zip(mine, its)])
                key = rival.replace(" ", "_")
                out[f"win_tie_loss_{key}"] = wins(mine, its)
                out[f"times_as_fast_as_{key}"] = [faster.mean, faster.low, faster.high]
        return out


def make_report(rows: Sequence[dict[str, Any]], subgraphs: Sequence[Subgraph], counts: Sequence[int],
                offline: dict[str, int], again: dict[tuple[str, Values], float] | None = None,
                chosen: Sequence[str] = ()) -> dict[str, Any]:
    """`chosen`: the methods that are shown, all where there are none. Only programs that each of them was run on count,
    so that an evaluation that was cut does not count what it did not come to as a failure."""
    report = Report(rows, subgraphs, again)
    shown = {name: found for name, found in report.found.items() if not chosen or name in chosen}
    report.usable = [one for one in report.usable
                     if all(one.id in {subgraph for subgraph, _ in found} for found in shown.values())]
    if not report.usable or not shown:
        raise ValueError("no program of these subgraphs was measured with success by all methods")
    methods = {}
    for name, found in shown.items():
        # What a search was not given it has no answer for.
        budget = max(row.get("budget", len(rows)) for rows in found.values() for row in rows[:1])
        at = [{"k": count, **report.at(name, count, report.usable)} for count in counts if count <= budget]
        methods[name] = {"offline_measurements": offline.get(name, 0), "seeds": len({seed for _, seed in found}), "at": at}
    first = rows[0]
    return {"device": first["device"], "target": first["target"], "counts": list(counts), "measured_again": bool(again),
            "subgraphs": {one.id: {"name": one.name, "family": one.family, "best_known_s": report.known[one.id]}
                          for one in report.usable},
            "without_any_result": [one.name for one in report.without], "methods": methods}


def report_text(report: dict[str, Any]) -> str:
    """A table in Markdown. Models that were tuned beforehand and searches that learn as they go are marked apart."""
    counts = report["counts"]
    again = ", winners measured again" if report["measured_again"] else ""
    lines = [f"Device {report['device']}, {len(report['subgraphs'])} subgraphs{again}. Quality: best known latency over "
             "the best of the first k, geometric mean and 95 % interval over subgraphs.", "",
             "| method | measured beforehand | seeds | " + " | ".join(f"k={count}" for count in counts) + " |",
             "|---|---|---|" + "---|" * len(counts)]
    for name, method in report["methods"].items():
        at = {row["k"]: f"{row['quality']:.2f} ({row['low']:.2f} to {row['high']:.2f})" for row in method["at"]}
        cells = [at.get(count, "") for count in counts]
        lines.append(f"| {name} | {method['offline_measurements']} | {method['seeds']} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def write_report(folder: str | Path, report: dict[str, Any]) -> None:
    Path(folder).mkdir(parents=True, exist_ok=True)
    write_whole(Path(folder, "report.json"), json_line(report))
    write_whole(Path(folder, "report.md"), report_text(report).encode())

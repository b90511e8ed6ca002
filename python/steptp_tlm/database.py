"""Measurements: a log of JSON lines that is only appended to. Failures are rows like others.

A row has "subgraph" (the id of a program), "target", "sentence" (the decisions as words), "values" (their numbers),
"leir" (hash of the finished program), "outcome" ("ok", or what went wrong), "median_s", "spread_s", "least_s",
"samples", "method", "device", "run", "round", "place", "seed", "seconds" (by stage) and "reason" of a failure.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterable, Iterator, Sequence

from .files import Log, read_log

NEEDED = ("subgraph", "target", "sentence", "values", "outcome")


class BadRow(ValueError):
    """A line of a database that is no measurement."""


def read_database(path: str | Path) -> list[dict[str, Any]]:
    rows = []
    for number, row in enumerate(read_log(path), 1):
        missing = [key for key in NEEDED if key not in row]
        if missing:
            raise BadRow(f"{path}:{number}: this row has no {missing[0]!r}; is it a database of measurements?")
        if row["outcome"] == "ok" and not row.get("median_s", 0) > 0:
            raise BadRow(f"{path}:{number}: a row with the outcome ok needs a \"median_s\" above zero")
        rows.append(row)
    return rows


def identity(row: dict[str, Any]) -> tuple[Any, ...]:
    """Rows with the same identity are one measurement, which two databases may both have."""
    return tuple(row.get(key) if key != "values" else tuple(row["values"])
                 for key in ("run", "method", "round", "place", "subgraph", "target", "device", "values"))


def merge(paths: Sequence[str | Path], out: str | Path) -> int:
    """All rows of several databases, each once, in the order of the paths; returns how many."""
    seen: set[tuple[Any, ...]] = set()
    rows = []
    for path in paths:
        for row in read_database(path):
            if identity(row) not in seen:
                seen.add(identity(row))
                rows.append(row)
    if Path(out).exists():
        raise FileExistsError(f"{out} is there already; a merged database gets a new name")
    with Log(out) as log:
        log.append(rows)
    return len(rows)


@dataclass(frozen=True)
class Best:
    values: tuple[int, ...]
    median_s: float


def measured_values(rows: Iterable[dict[str, Any]]) -> dict[str, set[tuple[int, ...]]]:
    """What was measured of each subgraph, failures included."""
    out: dict[str, set[tuple[int, ...]]] = {}
    for row in rows:
        out.setdefault(row["subgraph"], set()).add(tuple(row["values"]))
    return out


def by_latency(rows: Iterable[dict[str, Any]]) -> dict[str, list[Best]]:
    """The programs of each subgraph that ran, the fastest first; each once, with the median of its best measurement."""
    best: dict[str, dict[tuple[int, ...], float]] = {}
    for row in rows:
        if row["outcome"] != "ok":
            continue
        of_subgraph = best.setdefault(row["subgraph"], {})
        values = tuple(row["values"])
        of_subgraph[values] = min(row["median_s"], of_subgraph.get(values, row["median_s"]))
    return {
        subgraph: [Best(values, median) for median, values in sorted((median, values) for values, median in found.items())]
        for subgraph, found in best.items()
    }


def convergence(rows: Sequence[dict[str, Any]]) -> Iterator[tuple[int, float]]:
    """After each measurement: how many there were, and the sum of the best latencies of the subgraphs seen so far."""
    best: dict[str, float] = {}
    for count, row in enumerate(rows, 1):
        if row["outcome"] == "ok":
            best[row["subgraph"]] = min(row["median_s"], best.get(row["subgraph"], row["median_s"]))
        yield count, sum(best.values())

"""What the tables of bench/RESULTS.md share: columns, classes, means, Markdown."""

from __future__ import annotations

import math
import statistics
from typing import Any, Callable

# Columns of PyTorch, and how people call them.
COLUMNS = {"eager_us": "eager", "eager_graph_us": "eager, graph", "compile_us": "torch.compile",
           "compile_graph_us": "torch.compile, graph"}
# What ratios are clipped to before their geometric mean is taken, so that one program cannot carry a class.
CLIP = (1 / 8, 4.0)
Row = dict[str, Any]


def geomean(ratios: list[float]) -> float:
    low, high = CLIP
    return math.exp(statistics.fmean(math.log(min(max(ratio, low), high)) for ratio in ratios))


def plain_geomean(ratios: list[float]) -> float:
    return math.exp(statistics.fmean(math.log(ratio) for ratio in ratios))


def figure(value: float) -> str:
    """Three digits that count."""
    if value >= 1000:
        return f"{float(f'{value:.3g}'):,.0f}"
    return f"{value:.{max(0, 2 - math.floor(math.log10(value)))}f}"


def markdown(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def best(row: Row) -> float:
    return min(row[column] for column in COLUMNS)


# The classes that have a goal of their own; what has a contraction counts by its dtype.
GROUPS: dict[str, Callable[[Row], bool]] = {
    "no contraction": lambda row: row["class"] == "none",
    "matmul, float32": lambda row: row["class"] == "matmul" and row["dtype"] == "float32",
    "matmul, float16": lambda row: row["class"] == "matmul" and row["dtype"] == "float16",
    "matmul, float64": lambda row: row["class"] == "matmul" and row["dtype"] == "float64",
    "convolution": lambda row: row["class"] == "convolution",
    "attention": lambda row: row["class"] == "attention",
}


def origins(rows: list[Row]) -> str:
    """Where the rows of one table come from, each origin once."""
    seen = sorted({(row["device"], row["driver"], row["date"], row["commit"]) for row in rows})
    said = [f"{device}, driver {driver}, {date}, commit {commit}" for device, driver, date, commit in seen]
    return "; ".join(said)


def ranks(values: list[float]) -> list[float]:
    """Equal values share the mean of their ranks."""
    return [sum(other < value for other in values) + (sum(other == value for other in values) - 1) / 2 for value in values]


def spearman(left: list[float], right: list[float]) -> float:
    if len(set(left)) == 1 or len(set(right)) == 1:
        return 0.0  # nothing is ranked
    return statistics.correlation(ranks(left), ranks(right))

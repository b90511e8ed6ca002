"""Figures with their uncertainty: ratios by subgraph, geometric means, bootstrap intervals."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Sequence

TIE = 0.02


@dataclass(frozen=True)
class Interval:
    mean: float
    low: float
    high: float


def geometric_mean(ratios: Sequence[float]) -> float:
    if any(ratio <= 0 for ratio in ratios):
        return 0.0
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def bootstrap(ratios: Sequence[float], seed: int = 1, draws: int = 2000) -> Interval:
    """The geometric mean and its 95 % interval, with the subgraphs drawn again and again with replacement."""
    rng = random.Random(seed)
    means = sorted(geometric_mean(rng.choices(ratios, k=len(ratios))) for _ in range(draws))
    return Interval(geometric_mean(ratios), means[int(0.025 * draws)], means[int(0.975 * draws) - 1])


def wins(one: Sequence[float], other: Sequence[float]) -> tuple[int, int, int]:
    """How often one latency is below the other by more than 2 %, is level with it, is above it."""
    won = sum(a < b * (1 - TIE) for a, b in zip(one, other))
    lost = sum(b < a * (1 - TIE) for a, b in zip(one, other))
    return won, len(one) - won - lost, lost


def ratio_of_sums(one: Sequence[float], other: Sequence[float]) -> float:
    """The published figure: the sum of the other's latencies over the sum of one's."""
    return sum(other) / sum(one)

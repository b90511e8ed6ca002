"""The searches that the model is compared with, all over the same space, each measurement counted, failures too.

A search is given a problem, a number of measurements and a seed, and calls `measure` with values it has not measured
yet; the answer is the latency, or infinity where the program failed.
"""

from __future__ import annotations

import math
import random
from typing import Callable, Iterable, Sequence

import torch

from .problems import Problem, Values
from .trees import BoostedTrees

Measure = Callable[[Values], float]
Search = Callable[[Problem, int, random.Random, Measure], None]

# Draws without anything new after which a space counts as used up.
MOST_REPEATS = 200
FIRST_MEASUREMENTS = 16
PROPOSALS = 128
POOL = 256


class Seen:
    """Measures each program once."""

    def __init__(self, budget: int, measure: Measure) -> None:
        self.budget, self._measure = budget, measure
        self.latencies: dict[Values, float] = {}
        self._repeats = 0

    def goes_on(self) -> bool:
        return len(self.latencies) < self.budget and self._repeats < MOST_REPEATS

    def measure(self, values: Values) -> None:
        if values in self.latencies:
            self._repeats += 1
        elif len(self.latencies) < self.budget:
            self._repeats = 0
            self.latencies[values] = self._measure(values)

    def best(self, count: int) -> list[Values]:
        return sorted(self.latencies, key=lambda values: (self.latencies[values], values))[:count]


def in_this_order(order: Iterable[Values], budget: int, measure: Measure) -> None:
    seen = Seen(budget, measure)
    for values in order:
        if not seen.goes_on():
            return
        seen.measure(values)


def masked_random(problem: Problem, budget: int, rng: random.Random, measure: Measure) -> None:
    seen = Seen(budget, measure)
    while seen.goes_on():
        seen.measure(problem.random(rng))


def uniform_over_valid(problem: Problem, budget: int, rng: random.Random, measure: Measure) -> None:
    """Every program as likely as any other: of some masked random ones, one with a chance that makes up for its own."""
    seen = Seen(budget, measure)
    while seen.goes_on():
        some = problem.some_random(32, rng)
        surprises = [problem.surprise(values) for values in some]
        most = max(surprises)
        seen.measure(rng.choices(some, [math.exp(surprise - most) for surprise in surprises])[0])


def evolution(problem: Problem, budget: int, rng: random.Random, measure: Measure) -> None:
    seen = Seen(budget, measure)
    while seen.goes_on():
        if len(seen.latencies) < FIRST_MEASUREMENTS or rng.random() < 0.15:
            seen.measure(problem.random(rng))
        else:
            seen.measure(problem.mutate(rng.choice(seen.best(8)), rng))


def boosted_trees(problem: Problem, budget: int, rng: random.Random, measure: Measure) -> None:
    """Trees learn from what was measured, and choose among 128 proposals for each measurement."""
    seen = Seen(budget, measure)
    model: BoostedTrees | None = None
    fitted = 0
    while seen.goes_on():
        count = len(seen.latencies)
        if count < min(FIRST_MEASUREMENTS, max(4, budget // 2)):
            seen.measure(problem.random(rng))
            continue
        if model is None or count >= fitted + max(1, fitted // 16):
            model, fitted = _fit(problem, seen), count
        best = seen.best(8)
        proposals = set(problem.some_random(PROPOSALS // 2, rng))
        proposals |= set(problem.mutate_all([rng.choice(best) for _ in range(PROPOSALS // 2)], rng))
        new = sorted(values for values in proposals if values not in seen.latencies)
        if not new:
            seen.measure(problem.random(rng))
            continue
        predicted = model.predict(problem.features(new))
        seen.measure(new[int(predicted.argmin())])


def _fit(problem: Problem, seen: Seen) -> BoostedTrees:
    known = sorted(seen.latencies)
    finite = [latency for latency in seen.latencies.values() if math.isfinite(latency)]
    # A failure counts as twice as slow as the slowest.
    worst = 2 * max(finite, default=1.0)
    wanted = torch.tensor([math.log(min(seen.latencies[values], worst)) for values in known])
    return BoostedTrees(trees=40, depth=3).fit(problem.features(known), wanted)


def analytic_top(problem: Problem, budget: int, rng: random.Random, measure: Measure) -> None:
    """Of many random programs those that the analytic model expects to be fastest."""
    pool = problem.pool(POOL, rng)
    seconds = problem.expected_seconds_of(pool)
    in_this_order((values for _, values in sorted(zip(seconds, pool))), budget, measure)


def neighbour_transfer(known: Sequence[Values]) -> Search:
    """What was best for the nearest subgraph of the training set, made to fit, the best first; then random."""

    def search(problem: Problem, budget: int, rng: random.Random, measure: Measure) -> None:
        fitted = (problem.refit(values, rng) for values in known)
        seen = Seen(budget, measure)
        for values in fitted:
            if values is not None and seen.goes_on():
                seen.measure(values)
        while seen.goes_on():
            seen.measure(problem.random(rng))

    return search


def by_scores(sentences: Sequence[Values], scores: Sequence[float]) -> Search:
    """Draws without repeats from a table, each program with a chance proportional to exp(score): what a model that
    gives each sentence this logarithm of a probability would draw first, second and so on."""

    def search(problem: Problem, budget: int, rng: random.Random, measure: Measure) -> None:
        # The largest of score + Gumbel noise is such a draw, the second largest the next one.
        noisy = [(score - math.log(-math.log(max(rng.random(), 1e-300))), values) for score, values in zip(scores, sentences)]
        in_this_order((values for _, values in sorted(noisy, reverse=True)), budget, measure)

    return search


def listed(order: Sequence[Values]) -> Search:
    """A fixed list, such as sentences that a model drew."""

    def search(problem: Problem, budget: int, rng: random.Random, measure: Measure) -> None:
        in_this_order(order, budget, measure)

    return search


# The searches that need nothing but the problem, by their names in reports.
PLAIN: dict[str, Search] = {
    "masked random": masked_random,
    "uniform over valid": uniform_over_valid,
    "evolution": evolution,
    "boosted trees": boosted_trees,
    "analytic top k": analytic_top,
}

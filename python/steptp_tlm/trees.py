"""Boosted regression trees, small and without any package: the rival that the model has to beat.

They run where nothing can be installed, and the same data gives the same trees on every machine. A tree splits by the
sum of squared errors over at most `BINS` thresholds of each feature, level by level.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

BINS = 32


@dataclass
class Tree:
    features: Tensor  # of each inner node, numbered as in a heap
    thresholds: Tensor
    leaves: Tensor
    depth: int

    def predict(self, x: Tensor) -> Tensor:
        node = torch.zeros(len(x), dtype=torch.long)
        for _ in range(self.depth):
            value = x.gather(1, self.features[node][:, None])[:, 0]
            node = 2 * node + 1 + (value > self.thresholds[node]).long()
        return self.leaves[node - (2**self.depth - 1)]


def _thresholds(x: Tensor) -> Tensor:
    """[features, BINS]: between the quantiles of each feature."""
    places = torch.linspace(0, 1, BINS + 2, dtype=torch.float64)[1:-1]
    return torch.quantile(x, places, dim=0, interpolation="lower").T.contiguous()


def _grow(x: Tensor, wanted: Tensor, thresholds: Tensor, depth: int, least: int) -> Tree:
    inner = 2**depth - 1
    features, cuts = torch.zeros(inner, dtype=torch.long), torch.full((inner,), torch.inf, dtype=torch.float64)
    node = torch.zeros(len(x), dtype=torch.long)
    is_right = x[:, :, None] > thresholds[None]
    for at in range(inner):
        rows = torch.nonzero(node == at)[:, 0]
        if len(rows) >= 2 * least:
            right, target = is_right[rows].double(), wanted[rows]
            count = right.sum(0)
            sums = (right * target[:, None, None]).sum(0)
            # What a split takes from the sum of squares, up to a constant.
            gain = sums**2 / count.clamp_min(1) + (target.sum() - sums) ** 2 / (len(rows) - count).clamp_min(1)
            gain = torch.where((count >= least) & (len(rows) - count >= least), gain, -torch.inf)
            best = int(gain.flatten().argmax())
            if gain.flatten()[best] > target.sum() ** 2 / len(rows) + 1e-12:
                features[at], cuts[at] = best // BINS, thresholds[best // BINS, best % BINS]
        node[rows] = 2 * at + 1 + (x[rows, features[at]] > cuts[at]).long()
    leaf = node - inner
    sums = torch.zeros(2**depth, dtype=torch.float64).index_add_(0, leaf, wanted)
    count = torch.zeros(2**depth, dtype=torch.float64).index_add_(0, leaf, torch.ones_like(wanted))
    return Tree(features, cuts, sums / (count + 1.0), depth)


class BoostedTrees:
    """Squared error, shrunken leaves."""

    def __init__(self, trees: int = 60, depth: int = 4, rate: float = 0.2, least: int = 2) -> None:
        self.count, self.depth, self.rate, self.least = trees, depth, rate, least
        self.mean = 0.0
        self.trees: list[Tree] = []

    def fit(self, x: Tensor, y: Tensor) -> "BoostedTrees":
        x, y = x.double(), y.double()
        self.mean, self.trees = float(y.mean()), []
        rest, thresholds = y - self.mean, _thresholds(x)
        for _ in range(self.count):
            tree = _grow(x, rest, thresholds, self.depth, self.least)
            rest = rest - self.rate * tree.predict(x)
            self.trees.append(tree)
        return self

    def predict(self, x: Tensor) -> Tensor:
        x = x.double()
        out = torch.full((len(x),), self.mean, dtype=torch.float64)
        for tree in self.trees:
            out += self.rate * tree.predict(x)
        return out

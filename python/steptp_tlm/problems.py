"""What a search walks over: all plans of a subgraph by the cursor, or the plans of a stored table."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Any, Protocol, Sequence

import torch
from torch import Tensor

from .space import Cursors, Library, Space, SpaceError

Values = tuple[int, ...]
# A tree sees a sentence as so many numbers: one place for each opcode and object, shared where there are more.
FEATURES = 48


class Problem(Protocol):
    def random(self, rng: random.Random) -> Values: ...

    def mutate(self, values: Values, rng: random.Random) -> Values: ...

    def refit(self, values: Values, rng: random.Random) -> Values | None: ...

    def surprise(self, values: Values) -> float: ...

    def features(self, values: Sequence[Values]) -> Tensor: ...

    def expected_seconds(self, values: Values) -> float: ...

    def pool(self, count: int, rng: random.Random) -> list[Values]: ...


def number_of(word: str, token: int) -> float:
    """Sizes by their logarithm, other words by their place in the vocabulary."""
    return math.log2(1 + int(word[1:])) if word[0] == "v" and word[1:].isdigit() else float(token)


@dataclass
class Steps:
    """Sentences taken apart: what was asked, and how many values were legal."""

    opcodes: list[list[int]]
    objects: list[list[int]]
    surprises: list[float]  # minus the logarithm of the chance of each sentence when values are uniform


def take_steps(space: Space, sentences: Sequence[Values]) -> Steps:
    cursors = Cursors([space] * len(sentences))
    out = Steps([[] for _ in sentences], [[] for _ in sentences], [0.0] * len(sentences))
    cursors.step(None)
    for step in range(max(map(len, sentences), default=0)):
        opcodes, objects = cursors.opcodes.tolist(), cursors.objects.tolist()
        legal = cursors.masks.sum(1, dtype=torch.int64).tolist()
        chosen = []
        for place, values in enumerate(sentences):
            chosen.append(values[step] if step < len(values) else -1)
            if step < len(values):
                out.opcodes[place].append(opcodes[place])
                out.objects[place].append(objects[place])
                out.surprises[place] += math.log(legal[place])
        cursors.step(torch.tensor(chosen, dtype=torch.int32))
    return out


def features_of(space: Space, sentences: Sequence[Values]) -> Tensor:
    words, steps = Library.get().words, take_steps(space, sentences)
    out = torch.zeros((len(sentences), FEATURES), dtype=torch.float64)
    for row, values in enumerate(sentences):
        for opcode, object_, value in zip(steps.opcodes[row], steps.objects[row], values):
            out[row, (opcode * 7 + object_ * 31) % FEATURES] += number_of(words[value], value)
    return out


class SpaceProblem:
    """All plans of a space."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self._expected: dict[Values, float] = {}

    def _walk(self, rng: random.Random, choose: Any) -> Values:
        """One sentence; `choose(step, (opcode, object), legal)` gives a value or nothing, which means any."""
        cursors, out = Cursors([self.space]), []
        left = cursors.step(None)
        while left:
            legal = torch.nonzero(cursors.masks[0])[:, 0].tolist()
            question = (int(cursors.opcodes[0]), int(cursors.objects[0]))
            value = choose(len(out), question, legal)
            out.append(value if value in legal else rng.choice(legal))
            left = cursors.step(torch.tensor([out[-1]], dtype=torch.int32))
        return tuple(out)

    def random(self, rng: random.Random) -> Values:
        return self._walk(rng, lambda step, question, legal: None)

    def mutate(self, values: Values, rng: random.Random) -> Values:
        """Another value at one place; what stands elsewhere stays where it is legal."""
        steps = take_steps(self.space, [values])
        known = dict(zip(zip(steps.opcodes[0], steps.objects[0]), values))
        place = rng.randrange(len(values))

        def choose(step: int, question: tuple[int, int], legal: list[int]) -> int | None:
            if step == place and len(legal) > 1:
                return rng.choice([value for value in legal if value != values[place]])
            return known.get(question)

        return self._walk(rng, choose)

    def refit(self, values: Values, rng: random.Random) -> Values | None:
        """Values of another subgraph, decision by decision, where they are legal here."""
        return self._walk(rng, lambda step, question, legal: values[step] if step < len(values) else None)

    def surprise(self, values: Values) -> float:
        return take_steps(self.space, [values]).surprises[0]

    def features(self, values: Sequence[Values]) -> Tensor:
        return features_of(self.space, values)

    def pool(self, count: int, rng: random.Random) -> list[Values]:
        """Different programs, of `count` random ones."""
        return sorted({self.random(rng) for _ in range(count)})

    def expected_seconds(self, values: Values) -> float:
        if values not in self._expected:
            try:
                self._expected[values] = self.space.expected_seconds(values)
            except SpaceError:
                self._expected[values] = math.inf
        return self._expected[values]


class TableProblem:
    """The plans of a stored table; a search meets no others."""

    def __init__(self, space: Space, sentences: Sequence[Values]) -> None:
        self.space, self.sentences = space, sorted(set(sentences))
        self.place = {values: place for place, values in enumerate(self.sentences)}
        self.steps = take_steps(space, self.sentences)
        words, self._features = Library.get().words, torch.zeros((len(self.sentences), FEATURES), dtype=torch.float64)
        for row, values in enumerate(self.sentences):
            for opcode, object_, value in zip(self.steps.opcodes[row], self.steps.objects[row], values):
                self._features[row, (opcode * 7 + object_ * 31) % FEATURES] += number_of(words[value], value)
        self._chances = [math.exp(-surprise) for surprise in self.steps.surprises]
        self._expected: dict[Values, float] = {}

    def random(self, rng: random.Random) -> Values:
        return rng.choices(self.sentences, self._chances)[0]

    def mutate(self, values: Values, rng: random.Random) -> Values:
        """The nearest of some rows of the table: the one that differs at the fewest places."""
        some = [rng.choice(self.sentences) for _ in range(24)]
        return min(some, key=lambda other: (_distance(values, other) or math.inf, other))

    def refit(self, values: Values, rng: random.Random) -> Values | None:
        return min(self.sentences, key=lambda other: (_distance(values, other), other))

    def surprise(self, values: Values) -> float:
        return self.steps.surprises[self.place[values]]

    def features(self, values: Sequence[Values]) -> Tensor:
        return self._features[[self.place[one] for one in values]]

    def pool(self, count: int, rng: random.Random) -> list[Values]:
        """A table is small enough to look at all of it."""
        return list(self.sentences)

    def expected_seconds(self, values: Values) -> float:
        if values not in self._expected:
            try:
                self._expected[values] = self.space.expected_seconds(values)
            except SpaceError:
                self._expected[values] = math.inf
        return self._expected[values]


def _distance(one: Values, other: Values) -> int:
    return sum(a != b for a, b in zip(one, other)) + abs(len(one) - len(other))

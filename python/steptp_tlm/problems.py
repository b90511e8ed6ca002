"""What a search walks over: all plans of a subgraph by the cursor, or the plans of a stored table."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Any, Protocol, Sequence

import torch
from torch import Tensor

from .space import Cursors, Library, Space

Values = tuple[int, ...]
# A tree sees a sentence as so many numbers: one place for each opcode and object, shared where there are more.
FEATURES = 48


class Problem(Protocol):
    def random(self, rng: random.Random) -> Values: ...

    def mutate(self, values: Values, rng: random.Random) -> Values: ...

    def some_random(self, count: int, rng: random.Random) -> list[Values]: ...

    def mutate_all(self, parents: Sequence[Values], rng: random.Random) -> list[Values]: ...

    def refit(self, values: Values, rng: random.Random) -> Values | None: ...

    def surprise(self, values: Values) -> float: ...

    def features(self, values: Sequence[Values]) -> Tensor: ...

    def expected_seconds_of(self, sentences: Sequence[Values]) -> list[float]: ...

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

    def some_random(self, count: int, rng: random.Random) -> list[Values]:
        return self.space.sample_values(rng.getrandbits(60), count)

    def mutate(self, values: Values, rng: random.Random) -> Values:
        return self.mutate_all([values], rng)[0]

    def mutate_all(self, parents: Sequence[Values], rng: random.Random) -> list[Values]:
        """Of each another value at one place; what stands elsewhere stays where it is legal. All are walked together."""
        steps, cursors = take_steps(self.space, parents), Cursors([self.space] * len(parents))
        known = [dict(zip(zip(opcodes, objects), values))
                 for opcodes, objects, values in zip(steps.opcodes, steps.objects, parents)]
        places = [rng.randrange(len(values)) for values in parents]
        out: list[list[int]] = [[] for _ in parents]
        left, step = cursors.step(None), 0
        while left:
            opcodes, objects, masks = cursors.opcodes.tolist(), cursors.objects.tolist(), cursors.masks.numpy()
            chosen = [-1] * len(parents)
            for row, values in enumerate(parents):
                if opcodes[row] < 0:
                    continue
                legal = masks[row].nonzero()[0].tolist()
                value = known[row].get((opcodes[row], objects[row]))
                if step == places[row] and len(legal) > 1:
                    value = rng.choice([other for other in legal if other != values[step]])
                chosen[row] = value if value in legal else rng.choice(legal)
                out[row].append(chosen[row])
            left, step = cursors.step(torch.tensor(chosen, dtype=torch.int32)), step + 1
        return list(map(tuple, out))

    def refit(self, values: Values, rng: random.Random) -> Values | None:
        """Values of another subgraph, decision by decision, where they are legal here."""
        return self._walk(rng, lambda step, question, legal: values[step] if step < len(values) else None)

    def surprise(self, values: Values) -> float:
        return take_steps(self.space, [values]).surprises[0]

    def features(self, values: Sequence[Values]) -> Tensor:
        return features_of(self.space, values)

    def pool(self, count: int, rng: random.Random) -> list[Values]:
        """Different programs, of 20 times as many random ones."""
        return self.space.sample_values(rng.getrandbits(60), 20 * count)[:count]

    def expected_seconds_of(self, sentences: Sequence[Values]) -> list[float]:
        new = [values for values in sentences if values not in self._expected]
        self._expected.update(zip(new, expected_of(self.space, new)))
        return [self._expected[values] for values in sentences]


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

    def random(self, rng: random.Random) -> Values:
        return rng.choices(self.sentences, self._chances)[0]

    def some_random(self, count: int, rng: random.Random) -> list[Values]:
        return rng.choices(self.sentences, self._chances, k=count)

    def mutate_all(self, parents: Sequence[Values], rng: random.Random) -> list[Values]:
        return [self.mutate(values, rng) for values in parents]

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

    def expected_seconds_of(self, sentences: Sequence[Values]) -> list[float]:
        return expected_of(self.space, sentences)


def expected_of(space: Space, sentences: Sequence[Values]) -> list[float]:
    """What the analytic model expects; infinity where it says nothing."""
    return [seconds if seconds > 0 else math.inf for seconds in space.all_expected_seconds(sentences)]


def _distance(one: Values, other: Values) -> int:
    return sum(a != b for a, b in zip(one, other)) + abs(len(one) - len(other))

"""Sentences to train on: token rows with the prompts of their programs, in an order that a seed decides."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator, Sequence

import torch
from torch import Tensor

from .files import read_log, write_whole
from .space import EOS, NOT_KNOWN, NO_WORD, PAD, PPT, Cursors, Refused, Space

# Rows of a batch are filled up to a multiple of this, so that a compiled model meets few lengths.
LENGTH_STEP = 32


@dataclass(frozen=True)
class Subgraph:
    """A program that plans are looked for: `id` is the hash of its text, `weight` how often a network has it."""

    id: str
    name: str
    family: str
    document: str
    weight: float = 1.0

    @staticmethod
    def of(document: str, name: str, family: str, weight: float = 1.0) -> "Subgraph":
        return Subgraph(hashlib.sha256(document.encode()).hexdigest()[:16], name, family, document, weight)


def read_subgraphs(path: str | Path) -> list[Subgraph]:
    """From JSON lines with "document", "name", "family" and perhaps "weight"; each program once."""
    found: dict[str, Subgraph] = {}
    for number, row in enumerate(read_log(path), 1):
        missing = [key for key in ("document", "name", "family") if not isinstance(row.get(key), str)]
        if missing:
            raise ValueError(f"{path}:{number}: a subgraph needs the text {missing[0]!r}")
        one = Subgraph.of(row["document"], row["name"], row["family"], float(row.get("weight", 1.0)))
        found.setdefault(one.id, one)
    if not found:
        raise ValueError(f"{path}: there are no subgraphs in it; `steptp tlm subgraphs` writes such a file")
    return list(found.values())


def open_spaces(subgraphs: Sequence[Subgraph], target: str) -> tuple[dict[str, Space], dict[str, str]]:
    """The spaces by the subgraphs' ids, and why others have none."""
    spaces, refused = {}, {}
    for subgraph in subgraphs:
        try:
            space = Space(subgraph.document, target)
            space.prompt(NOT_KNOWN)
            spaces[subgraph.id] = space
        except Refused as error:
            refused[subgraph.id] = str(error)
    return spaces, refused


@dataclass
class Sentences:
    """Rows of tokens. `begins` is where the decisions of a row begin, behind PPT; `weights` how much a row counts."""

    rows: list[list[int]]
    begins: list[int]

    def __len__(self) -> int:
        return len(self.rows)

    def add(self, prompt: Sequence[int], decisions: Sequence[int]) -> None:
        self.rows.append([*prompt, *decisions, EOS])
        self.begins.append(len(prompt))

    def save(self, path: str | Path, header: dict[str, Any]) -> None:
        """Prompts are many times the same: each is kept once."""
        prompts: dict[tuple[int, ...], int] = {}
        lines = []
        for row, begin in zip(self.rows, self.begins):
            place = prompts.setdefault(tuple(row[:begin]), len(prompts))
            lines.append([place, *row[begin:-1]])
        content = {"header": header, "prompts": [list(prompt) for prompt in prompts], "decisions": lines}
        write_whole(path, json.dumps(content, separators=(",", ":")).encode())

    @staticmethod
    def load(path: str | Path, header: dict[str, Any]) -> "Sentences | None":
        """Nothing where there is no such file or it was made for something else."""
        try:
            content = json.loads(Path(path).read_bytes())
        except (OSError, ValueError):
            return None
        if content.get("header") != header:
            return None
        out = Sentences([], [])
        for place, *decisions in content["decisions"]:
            out.add(content["prompts"][place], decisions)
        return out


def random_sentences(
    subgraphs: Sequence[Subgraph], spaces: dict[str, Space], count: int, seed: int, quality: bool
) -> Sentences:
    """`count` different random sentences of each subgraph at most, each value uniform over the legal ones. Small spaces
    have fewer."""
    word = NOT_KNOWN if quality else NO_WORD
    out = Sentences([], [])
    for subgraph in subgraphs:
        if subgraph.id not in spaces:
            continue
        tokens, lengths = spaces[subgraph.id].sample(seed ^ int(subgraph.id[:8], 16), count, word)
        seen = set()
        for row, length in zip(tokens.tolist(), lengths.tolist()):
            sentence = tuple(row[:length])
            if sentence in seen:
                continue
            seen.add(sentence)
            begin = sentence.index(PPT) + 1
            out.add(sentence[:begin], sentence[begin:-1])
    return out


@dataclass
class Batch:
    tokens: Tensor  # [rows, length]
    is_value: Tensor  # [rows, length - 1]: whether the next token is a value


def make_batch(sentences: Sentences, places: Sequence[int], most: int) -> Batch:
    length = max(len(sentences.rows[place]) for place in places)
    length = min(math.ceil(length / LENGTH_STEP) * LENGTH_STEP, most)
    tokens = torch.full((len(places), length), PAD, dtype=torch.long)
    is_value = torch.zeros((len(places), length - 1), dtype=torch.bool)
    for row, place in enumerate(places):
        sentence, begin = sentences.rows[place], sentences.begins[place]
        tokens[row, : len(sentence)] = torch.tensor(sentence)
        # Values are the third tokens of decisions; the token before one predicts it.
        is_value[row, begin + 1 : len(sentence) - 2 : 3] = True
    return Batch(tokens, is_value)


def batches_of_epoch(sentences: Sentences, size: int, seed: int, epoch: int) -> list[list[int]]:
    """Places of rows, batch by batch. Rows of similar lengths come together, which saves filling; which of them, and
    in which order batches come, the seed and the epoch decide."""
    generator = torch.Generator().manual_seed(seed * 1_000_003 + epoch)
    order = torch.randperm(len(sentences), generator=generator).tolist()
    chunk = size * 64
    batches = []
    for begin in range(0, len(order), chunk):
        part = sorted(order[begin : begin + chunk], key=lambda place: len(sentences.rows[place]))
        batches += [part[at : at + size] for at in range(0, len(part), size)]
    mixed = torch.randperm(len(batches), generator=generator).tolist()
    return [batches[place] for place in mixed]


def masked_uniform_entropy(sentences: Sentences, spaces: Sequence[Space]) -> float:
    """The mean of the logarithm of the number of legal values: the least loss that is possible for sentences whose
    values were drawn uniformly. `spaces` has the space of each sentence."""
    cursors = Cursors(spaces)
    values = [row[begin + 2 : -1 : 3] for row, begin in zip(sentences.rows, sentences.begins)]
    longest = max(len(row) for row in values)
    sums, count = 0.0, 0
    cursors.step(None)
    for step in range(longest):
        legal = cursors.masks.sum(1, dtype=torch.int64)
        alive = legal > 0
        sums += float(torch.log(legal[alive].double()).sum())
        count += int(alive.sum())
        cursors.step(torch.tensor([row[step] if step < len(row) else -1 for row in values], dtype=torch.int32))
    return sums / max(count, 1)


def rows_of(sentences: Sentences, places: Sequence[int]) -> Sentences:
    return Sentences([sentences.rows[place] for place in places], [sentences.begins[place] for place in places])


def epochs(sentences: Sentences, size: int, seed: int, first: int) -> Iterator[tuple[int, list[list[int]]]]:
    epoch = first
    while True:
        yield epoch, batches_of_epoch(sentences, size, seed, epoch)
        epoch += 1

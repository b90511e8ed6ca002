"""Random sentences as a small file: each sentence once, with how often it was drawn. The first visit to a program's
groups takes the cursor seconds, so sentences that were drawn once are kept."""

from __future__ import annotations

import json
import lzma
import random
from pathlib import Path
from typing import Any, Sequence

import torch

from .corpus import Sentences, Subgraph, in_threads
from .files import write_whole
from .space import NO_WORD, NOT_KNOWN, Library, Space

Row = dict[str, Any]  # "subgraph", "decisions" (opcode, object, value, ...) and "counts"


class OtherCorpus(ValueError):
    """A file of sentences that were drawn with another vocabulary or from other programs."""


def draw_corpus(subgraphs: Sequence[Subgraph], spaces: dict[str, Space], each: int, seed: int) -> list[Row]:
    """`each` random sentences of every subgraph that has a space, each value uniform over the legal ones."""

    def drawn(subgraph: Subgraph) -> Row:
        space = spaces[subgraph.id]
        tokens, lengths = space.sample(seed ^ int(subgraph.id[:8], 16), each)
        begin, counts = len(space.prompt()), dict[tuple[int, ...], int]()
        for row, length in zip(tokens.tolist(), lengths.tolist()):
            decisions = tuple(row[begin : length - 1])
            counts[decisions] = counts.get(decisions, 0) + 1
        return {"subgraph": subgraph.id, "decisions": list(map(list, counts)), "counts": list(counts.values())}

    return in_threads(drawn, [one for one in subgraphs if one.id in spaces])


def write_corpus(path: str | Path, rows: Sequence[Row]) -> None:
    library = Library.get()
    about = {"vocabulary_sha256": library.vocabulary_sha256, "space_version": library.space_version}
    lines = [json.dumps(row, separators=(",", ":")) for row in (about, *rows)]
    write_whole(path, lzma.compress("\n".join(lines).encode() + b"\n", preset=6))


def read_corpus(path: str | Path) -> list[Row]:
    library = Library.get()
    about, *rows = (json.loads(line) for line in lzma.decompress(Path(path).read_bytes()).splitlines())
    wanted = {"vocabulary_sha256": library.vocabulary_sha256, "space_version": library.space_version}
    if about != wanted:
        raise OtherCorpus(f"{path}: these sentences were drawn from another version of the space; draw them anew")
    return rows


def values_of(row: Row) -> list[tuple[int, ...]]:
    return [tuple(decisions[2::3]) for decisions in row["decisions"]]


def sentences_of(
    rows: Sequence[Row], spaces: dict[str, Space], quality: bool, held_out: int, seed: int
) -> tuple[Sentences, Sentences, list[str]]:
    """To train on, to look at the loss with (`held_out` of each subgraph), and the subgraph of each of the latter."""
    kept, apart, owners = Sentences(), Sentences(), list[str]()
    for row in sorted((row for row in rows if row["subgraph"] in spaces), key=lambda row: row["subgraph"]):
        prompt = spaces[row["subgraph"]].prompt(NOT_KNOWN if quality else NO_WORD)
        lengths = torch.tensor([len(one) for one in row["decisions"]])
        tokens = torch.zeros((len(lengths), int(lengths.max())), dtype=torch.int16)
        for place, decisions in enumerate(row["decisions"]):
            tokens[place, : len(decisions)] = torch.tensor(decisions, dtype=torch.int16)
        places = torch.repeat_interleave(torch.arange(len(lengths)), torch.tensor(row["counts"]))
        order = list(range(len(places)))
        random.Random(f"{seed}/{row['subgraph']}").shuffle(order)
        for out, part in ((apart, places[order[:held_out]]), (kept, places[order[held_out:]])):
            if len(part):
                out.add_rows(prompt, tokens[part], lengths[part])
        owners += [row["subgraph"]] * min(held_out, len(places))
    return kept, apart, owners

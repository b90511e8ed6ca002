"""Sentences to train on: token rows with the prompts of their programs, in an order that a seed decides."""

from __future__ import annotations

import hashlib
import math
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Sequence, TypeVar

import torch
from torch import Tensor

from .files import read_log
from .space import NOT_KNOWN, PAD, Cursors, Refused, Space

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


Given, Made = TypeVar("Given"), TypeVar("Made")


def in_threads(work: Callable[[Given], Made], items: Sequence[Given]) -> list[Made]:
    """`work` of each item, in order. The cursor's functions let other threads go on, so all cores are used."""
    cores = len(os.sched_getaffinity(0))
    if cores == 1 or len(items) < 2:
        return [work(item) for item in items]
    with ThreadPoolExecutor(cores) as pool:
        return list(pool.map(work, items))


def open_spaces(subgraphs: Sequence[Subgraph], target: str) -> tuple[dict[str, Space], dict[str, str]]:
    """The spaces by the subgraphs' ids, and why others have none."""

    def opened(subgraph: Subgraph) -> Space | str:
        try:
            space = Space(subgraph.document, target)
            space.prompt(NOT_KNOWN)
            return space
        except Refused as error:
            return str(error)

    answers = dict(zip((one.id for one in subgraphs), in_threads(opened, subgraphs)))
    spaces = {key: answer for key, answer in answers.items() if isinstance(answer, Space)}
    return spaces, {key: answer for key, answer in answers.items() if isinstance(answer, str)}


class Sentences:
    """Sentences as tensors: each prompt once, and the decisions of all rows one after the other."""

    def __init__(self) -> None:
        self._places: dict[tuple[int, ...], int] = {}
        self._prompt_of: list[Tensor] = []
        self._lengths: list[Tensor] = []
        self._decisions: list[Tensor] = []
        self._packed: Packed | None = None

    def add(self, prompt: Sequence[int], decisions: Sequence[int]) -> None:
        row = torch.tensor([list(decisions)], dtype=torch.int16)
        self.add_rows(prompt, row, torch.tensor([len(decisions)]))

    def add_rows(self, prompt: Sequence[int], decisions: Tensor, lengths: Tensor) -> None:
        """Rows with one prompt: `decisions` [rows, longest], of which the first `lengths` count."""
        place = self._places.setdefault(tuple(prompt), len(self._places))
        used = torch.arange(decisions.shape[1])[None, :] < lengths[:, None]
        self._prompt_of.append(torch.full((len(lengths),), place, dtype=torch.int64))
        self._lengths.append(lengths.to(torch.int64))
        self._decisions.append(decisions[used].to(torch.int16))
        self._packed = None

    def packed(self) -> "Packed":
        if self._packed is None:
            prompts = [torch.tensor(prompt, dtype=torch.int16) for prompt in self._places]
            lengths = torch.cat(self._lengths) if self._lengths else torch.zeros(0, dtype=torch.int64)
            self._packed = Packed(
                torch.nn.utils.rnn.pad_sequence(prompts, batch_first=True) if prompts else torch.zeros(0, 1),
                torch.tensor([len(prompt) for prompt in prompts]),
                torch.cat(self._prompt_of) if self._prompt_of else lengths,
                lengths,
                torch.cat([torch.zeros(1, dtype=torch.int64), lengths.cumsum(0)]),
                torch.cat(self._decisions) if self._decisions else torch.zeros(0, dtype=torch.int16),
            )
        return self._packed

    def __len__(self) -> int:
        return sum(len(part) for part in self._lengths)


@dataclass
class Packed:
    prompts: Tensor  # [prompts, longest], filled up with PAD
    prompt_lengths: Tensor
    prompt_of: Tensor  # of each row
    lengths: Tensor  # of the decisions of each row
    begins: Tensor  # of the decisions of each row in `decisions`
    decisions: Tensor

    def tokens_in_row(self) -> Tensor:
        return self.prompt_lengths[self.prompt_of] + self.lengths + 1

    def values_of(self, row: int) -> list[int]:
        begin, end = int(self.begins[row]), int(self.begins[row + 1])
        return self.decisions[begin + 2 : end : 3].tolist()


@dataclass
class Batch:
    """Rows of several sentences with one prompt, which is read once for all of them: a token sees the prompt and its
    own sentence (`segments`: 0 in the prompt, then 1, 2, ...), and its place is counted in its own sentence."""

    tokens: Tensor  # [rows, length]
    places: Tensor
    segments: Tensor
    wanted: Tensor  # the value that comes next, or NOTHING where that is no value

    @property
    def values(self) -> int:
        return int((self.wanted != NOTHING).sum())


NOTHING = -100


def make_batch(sentences: Sentences, groups: Sequence[Sequence[int]], size: tuple[int, int] | None = None) -> Batch:
    """One row for each group of sentences; those of a group have the same prompt. `size`: rows and length, for a model
    that was compiled for one size; what is left over is filling, which nothing is learnt from."""
    packed = sentences.packed()
    rows = _Rows.of(packed, groups)
    count, length = size or (len(groups), math.ceil(int(rows.lengths.max()) / LENGTH_STEP) * LENGTH_STEP)
    # What fills up a row is a segment of its own.
    tokens, places, segments, wanted = (torch.full((count, length), fill, dtype=torch.long) for fill in (PAD, 0, -1, NOTHING))
    used = min(packed.prompts.shape[1], length)
    in_prompt = torch.arange(used)[None, :] < rows.prompt_lengths[:, None]
    tokens[: len(groups), :used] = torch.where(in_prompt, packed.prompts[rows.prompts, :used].long(), PAD)
    places[: len(groups), :used] = torch.where(in_prompt, torch.arange(used)[None, :], 0)
    segments[: len(groups), :used] = torch.where(in_prompt, 0, -1)
    # All decisions of all sentences at once: of which sentence, which of its tokens, from where and whereto.
    sentence = torch.repeat_interleave(torch.arange(len(rows.members)), rows.member_lengths)
    inner = torch.arange(len(sentence)) - torch.repeat_interleave(rows.member_lengths.cumsum(0) - rows.member_lengths, rows.member_lengths)
    source = packed.begins[rows.members][sentence] + inner
    goal = rows.row_of[sentence] * length + rows.offsets[sentence] + inner
    tokens.view(-1)[goal] = packed.decisions[source].long()
    places.view(-1)[goal] = rows.prompt_lengths[rows.row_of][sentence] + inner
    segments.view(-1)[goal] = rows.numbers[sentence]
    # Opcode, object and value: the object stands before the value that is to be predicted.
    is_object = inner % 3 == 1
    wanted.view(-1)[goal[is_object]] = packed.decisions[source[is_object] + 1].long()
    return Batch(tokens, places, segments, wanted)


@dataclass
class _Rows:
    """Where the sentences of a batch go."""

    prompts: Tensor  # of each row
    prompt_lengths: Tensor
    lengths: Tensor  # of the rows
    members: Tensor  # the sentences, row by row
    member_lengths: Tensor
    row_of: Tensor  # of each member
    offsets: Tensor  # of each member in its row
    numbers: Tensor  # of each member in its row, from 1

    @staticmethod
    def of(packed: Packed, groups: Sequence[Sequence[int]]) -> "_Rows":
        sizes = torch.tensor([len(group) for group in groups])
        members = torch.tensor([place for group in groups for place in group])
        firsts = sizes.cumsum(0) - sizes
        row_of = torch.repeat_interleave(torch.arange(len(groups)), sizes)
        prompts = packed.prompt_of[members[firsts]]
        prompt_lengths, lengths = packed.prompt_lengths[prompts], packed.lengths[members]
        before = lengths.cumsum(0) - lengths
        offsets = prompt_lengths[row_of] + before - before[firsts][row_of]
        row_lengths = prompt_lengths.clone().index_add_(0, row_of, lengths)
        numbers = torch.arange(len(members)) - firsts[row_of] + 1
        return _Rows(prompts, prompt_lengths, row_lengths, members, lengths, row_of, offsets, numbers)


def groups_of(sentences: Sentences, order: Sequence[int], row_tokens: int) -> list[list[int]]:
    """Sentences in this order, those of one prompt together in rows of at most so many tokens where one fits at all."""
    packed = sentences.packed()
    lengths, prompt_of = packed.lengths.tolist(), packed.prompt_of.tolist()
    prompt_lengths = packed.prompt_lengths.tolist()
    open_groups: dict[int, tuple[list[int], int]] = {}
    out = []
    for place in order:
        prompt = prompt_of[place]
        group, used = open_groups.get(prompt, ([], prompt_lengths[prompt]))
        if group and used + lengths[place] > row_tokens:
            out.append(group)
            group, used = [], prompt_lengths[prompt]
        group.append(place)
        open_groups[prompt] = (group, used + lengths[place])
    return out + [group for group, _ in open_groups.values()]


def batches_of_epoch(sentences: Sentences, size: int, row_tokens: int, seed: int, epoch: int) -> list[list[list[int]]]:
    """About `size` sentences in each batch; which of them are together, and in which order, the seed and the epoch
    decide."""
    generator = torch.Generator().manual_seed(seed * 1_000_003 + epoch)
    groups = groups_of(sentences, torch.randperm(len(sentences), generator=generator).tolist(), row_tokens)
    batches: list[list[list[int]]] = [[]]
    count = 0
    for place in torch.randperm(len(groups), generator=generator).tolist():
        if count >= size:
            batches.append([])
            count = 0
        batches[-1].append(groups[place])
        count += len(groups[place])
    return batches


def largest_size(sentences: Sentences, epochs: Sequence[Sequence[Sequence[Sequence[int]]]]) -> tuple[int, int]:
    """Rows and length that every batch fits into."""
    packed = sentences.packed()
    rows, length = 1, 1
    for batches in epochs:
        for groups in batches:
            rows = max(rows, len(groups))
            length = max(length, int(_Rows.of(packed, groups).lengths.max()))
    return rows, math.ceil(length / LENGTH_STEP) * LENGTH_STEP


def masked_uniform_entropy(sentences: Sentences, spaces: Sequence[Space]) -> float:
    """The mean of the logarithm of the number of legal values: the least loss that is possible for sentences whose
    values were drawn uniformly. `spaces` has the space of each sentence."""
    packed = sentences.packed()
    blocks: dict[Space, list[int]] = {}
    for row, space in enumerate(spaces):
        blocks.setdefault(space, []).append(row)

    def of_block(block: tuple[Space, list[int]]) -> tuple[float, int]:
        space, rows = block
        cursors, values = Cursors([space] * len(rows)), [packed.values_of(row) for row in rows]
        sums, count = 0.0, 0
        cursors.step(None)
        for step in range(max(map(len, values))):
            legal = cursors.masks.sum(1, dtype=torch.int64)
            alive = legal > 0
            sums += float(torch.log(legal[alive].double()).sum())
            count += int(alive.sum())
            cursors.step(torch.tensor([row[step] if step < len(row) else -1 for row in values], dtype=torch.int32))
        return sums, count

    found = in_threads(of_block, list(blocks.items()))
    return sum(sums for sums, _ in found) / max(sum(count for _, count in found), 1)

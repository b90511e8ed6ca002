"""Sentences by the model: values are drawn among the legal ones, for many sentences of many programs at once."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass, field
from typing import Sequence

import torch
from torch import Tensor

from .model import Cache, Model
from .space import MOST_TOKENS, Cursors, Space

# A decision is three tokens; no prompt is shorter than this, so no sentence has more decisions than MOST_DECISIONS.
MOST_DECISIONS = MOST_TOKENS // 3


@dataclass
class Wanted:
    """One sentence that is to be drawn: the same `name` gets the same random numbers, whatever is drawn beside it."""

    space: Space
    prompt: list[int]
    name: str


@dataclass
class Drawn:
    values: list[int] = field(default_factory=list)
    opcodes: list[int] = field(default_factory=list)
    objects: list[int] = field(default_factory=list)
    log_probability: float = 0.0
    legal_without_mask: bool = True  # whether the likeliest token of the whole vocabulary was always a legal value
    too_long: bool = False

    def tokens(self) -> list[int]:
        """The decisions as tokens: what stands between PPT and EOS."""
        return [token for triple in zip(self.opcodes, self.objects, self.values) for token in triple]


def random_numbers(name: str) -> list[float]:
    seed = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "little")
    generator = random.Random(seed)
    return [generator.random() for _ in range(MOST_DECISIONS)]


def draw_sentences(model: Model, wanted: Sequence[Wanted], batch: int, temperature: float = 1.0) -> list[Drawn]:
    """In the order of `wanted`. `batch`: how many at once, which memory decides."""
    out: list[Drawn] = []
    for begin in range(0, len(wanted), batch):
        out += _draw_batch(model, wanted[begin : begin + batch], temperature)
    return out


def uniform_sentences(wanted: Sequence[Wanted]) -> list[Drawn]:
    """The same without a model: every legal value is as likely as any other."""
    cursors = Cursors([one.space for one in wanted])
    numbers = torch.tensor([random_numbers(one.name) for one in wanted])
    out = [Drawn() for _ in wanted]
    left, step = cursors.step(None), 0
    while left:
        masks = cursors.masks.bool()
        values = _choose(masks.double(), masks, numbers[:, step].double())
        _note(out, range(len(wanted)), cursors, values, None)
        left, step = cursors.step(_for_cursors(values, cursors)), step + 1
    return out


def _choose(weights: Tensor, masks: Tensor, numbers: Tensor) -> Tensor:
    """The value at which the sum of weights passes a random share of the whole; complete rows get any token."""
    sums = weights.cumsum(1)
    chosen = torch.searchsorted(sums, (numbers * sums[:, -1])[:, None].contiguous(), right=True)[:, 0]
    chosen = chosen.clamp_max(masks.shape[1] - 1)
    # Rounding may end one token beyond the last legal one.
    is_legal = masks.gather(1, chosen[:, None])[:, 0]
    best = torch.where(masks, weights, -1.0).argmax(1)
    return torch.where(is_legal, chosen, best)


def _for_cursors(values: Tensor, cursors: Cursors) -> Tensor:
    return torch.where(cursors.opcodes.long() >= 0, values.cpu(), -1)


def _note(out: list[Drawn], rows: Sequence[int], cursors: Cursors, values: Tensor, logs: Tensor | None) -> None:
    opcodes, objects, chosen = cursors.opcodes.tolist(), cursors.objects.tolist(), values.tolist()
    shares = logs.tolist() if logs is not None else None
    for place in rows:
        if opcodes[place] < 0:
            continue
        drawn = out[place]
        drawn.opcodes.append(opcodes[place])
        drawn.objects.append(objects[place])
        drawn.values.append(chosen[place])
        if shares is not None:
            drawn.log_probability += shares[place]


@torch.no_grad()
def _draw_batch(model: Model, wanted: Sequence[Wanted], temperature: float) -> list[Drawn]:
    device = model.tokens.weight.device
    cursors = Cursors([one.space for one in wanted])
    numbers = torch.tensor([random_numbers(one.name) for one in wanted], device=device, dtype=torch.float64)
    cache = _read_prompts(model, [one.prompt for one in wanted])
    out = [Drawn() for _ in wanted]
    last = torch.tensor([one.prompt[-1] for one in wanted], device=device)
    room = torch.tensor([MOST_TOKENS - 1 - len(one.prompt) for one in wanted])
    cursors.step(None)
    for step in range(MOST_DECISIONS):
        has_room = room >= 3 * (step + 1)
        if not bool(((cursors.opcodes >= 0) & has_room).any()):
            break
        opcodes, objects = (part.clamp_min(0).to(device).long() for part in (cursors.opcodes, cursors.objects))
        logits = model.step(torch.stack([last, opcodes, objects], 1), cache).float() / temperature
        masks = cursors.masks.to(device).bool()
        weights = torch.softmax(logits.masked_fill(~masks, -torch.inf).nan_to_num(nan=0.0), 1).double() * masks
        last = _choose(weights, masks, numbers[:, step])
        logs = torch.log(weights.gather(1, last[:, None])[:, 0].clamp_min(1e-30))
        _note_too_long(out, cursors, has_room)
        _note(out, range(len(out)), cursors, last, logs)
        _note_unmasked(out, cursors, masks.gather(1, logits.argmax(1)[:, None])[:, 0])
        cursors.step(_for_cursors(last, cursors))
    _note_too_long(out, cursors, torch.zeros(len(out), dtype=torch.bool))
    return out


def _note_too_long(out: list[Drawn], cursors: Cursors, has_room: Tensor) -> None:
    for place in torch.nonzero((cursors.opcodes >= 0) & ~has_room)[:, 0].tolist():
        out[place].too_long = True


def _note_unmasked(out: list[Drawn], cursors: Cursors, is_legal: Tensor) -> None:
    opcodes = cursors.opcodes.tolist()
    for place, legal in enumerate(is_legal.tolist()):
        if opcodes[place] >= 0 and not legal:
            out[place].legal_without_mask = False


def _read_prompts(model: Model, prompts: list[list[int]]) -> Cache:
    """All but the last token of each prompt, which goes in with the first decision. Every prompt is read once."""
    device = model.tokens.weight.device
    different = sorted(set(map(tuple, prompts)))
    longest = max(len(prompt) for prompt in different) - 1
    rows = torch.zeros((len(different), longest), dtype=torch.long)
    for row, prompt in enumerate(different):
        rows[row, longest - len(prompt) + 1 :] = torch.tensor(prompt[:-1])
    starts = torch.tensor([longest - len(prompt) + 1 for prompt in different], device=device)
    cache = Cache(model, len(different), starts, longest + 96)
    model.step(rows.to(device), cache)
    place = {prompt: row for row, prompt in enumerate(different)}
    cache.spread(torch.tensor([place[tuple(prompt)] for prompt in prompts], device=device))
    return cache

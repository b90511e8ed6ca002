"""Fine-tuning: what is learnt from measurements, and when to stop."""

from __future__ import annotations

import copy
import random
from dataclasses import dataclass
from typing import Any, Callable, Sequence

import torch

from .corpus import Sentences
from .database import by_latency
from .model import Model
from .space import NO_WORD, Cursors, Space
from .train import Plan, Training, mean_loss


def tuning_sentences(
    rows: Sequence[dict[str, Any]], spaces: dict[str, Space], quality: bool, keep_best: int = 0
) -> Sentences:
    """With quality: all programs that ran, with the decile of their latency, or the `keep_best` best of each subgraph,
    all as the best decile. Without: the `keep_best` best of each subgraph, without a word."""
    out = Sentences()
    for subgraph, found in sorted(by_latency(rows).items()):
        if subgraph not in spaces:
            continue
        space = spaces[subgraph]
        for place, best in enumerate(found[:keep_best] if keep_best else found):
            decile = 0 if keep_best else 10 * place // len(found)
            out.add(space.prompt(decile if quality else NO_WORD), decisions_of(space, best.values))
    return out


def decisions_of(space: Space, values: Sequence[int]) -> list[int]:
    """Opcode, object and value of each decision."""
    cursors, out = Cursors([space]), []
    cursors.step(None)
    for value in values:
        out += [int(cursors.opcodes[0]), int(cursors.objects[0]), value]
        cursors.step(torch.tensor([value], dtype=torch.int32))
    return out


def split(rows: Sequence[dict[str, Any]], held_out: int, seed: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """To learn from, and of so many subgraphs that are held out the best tenth of what ran."""
    found = by_latency(rows)
    names = sorted(found)
    random.Random(f"held out/{seed}").shuffle(names)
    apart = set(names[:held_out])
    best = {(name, one.values) for name in apart for one in found[name][: max(1, len(found[name]) // 10)]}
    return ([row for row in rows if row["subgraph"] not in apart],
            [row for row in rows if (row["subgraph"], tuple(row["values"])) in best])


@dataclass(frozen=True)
class Stop:
    epoch: int  # 0: before the first one
    loss: float  # on what was held out


def tune_until_best(model: Model, sentences: Sentences, apart: Sentences, plan: Plan, device: torch.device,
                    say: Callable[[str], None]) -> Stop:
    """All epochs; the model is left as it was after the one with the least loss on the sentences that are kept apart."""
    training = Training(model, sentences, plan, device, None, {})
    best, kept = Stop(0, _loss(model, apart, device)), copy.deepcopy(model.state_dict())
    for epoch in range(1, plan.epochs + 1):
        training.run(most_steps=training.steps_until(epoch) - training.step)
        loss = _loss(model, apart, device)
        say(f"epoch {epoch}: loss {loss:.4f} on programs that are held out")
        if loss < best.loss:
            best, kept = Stop(epoch, loss), copy.deepcopy(model.state_dict())
    model.load_state_dict(kept)
    return best


def _loss(model: Model, sentences: Sentences, device: torch.device) -> float:
    model.eval()
    out = mean_loss(model, sentences, 64, device)
    model.train()
    return out

"""Training: one loop for pre-training and fine-tuning, on CPUs and GPUs, that goes on where it was ended."""

from __future__ import annotations

import io
import math
import time
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Callable

import torch
from torch import Tensor
from torch.nn import functional as F

from .corpus import NOTHING, Batch, Sentences, batches_of_epoch, groups_of, largest_size, make_batch
from .files import write_whole
from .model import Model


@dataclass(frozen=True)
class Plan:
    """What decides the weights that come out, together with the model at the beginning and the sentences."""

    epochs: int
    batch: int
    rate: float
    seed: int
    warm_up: float = 0.02  # the share of all steps in which the rate rises
    least_rate: float = 0.1  # the share of the rate at the end of the cosine
    decay: float = 0.1
    row_tokens: int = 384  # sentences with one prompt share rows of about this length
    clip: float = 1.0


class OtherTraining(ValueError):
    """A checkpoint of other settings, another model or other sentences."""


@dataclass
class Progress:
    step: int
    steps: int
    loss: float  # the mean of the last steps
    tokens_per_second: float
    finished: bool


def rate_at(plan: Plan, step: int, steps: int) -> float:
    rising = max(1, round(plan.warm_up * steps))
    if step < rising:
        return plan.rate * (step + 1) / rising
    share = (step - rising) / max(1, steps - rising)
    return plan.rate * (plan.least_rate + (1 - plan.least_rate) * 0.5 * (1 + math.cos(math.pi * share)))


def value_loss(model: Callable[[Tensor, Tensor, Tensor], Tensor], batch: Batch, device: torch.device) -> Tensor:
    """The mean of the loss over values; all else of a sentence is given, so nothing is learnt about it."""
    tokens, places, segments, wanted = (
        part.to(device, non_blocking=True) for part in (batch.tokens, batch.places, batch.segments, batch.wanted)
    )
    # bf16 is fast on GPUs alone, and a CPU's results stay the same on every machine in f32.
    half = torch.autocast("cuda", torch.bfloat16) if device.type == "cuda" else nullcontext()
    with half:
        logits = model(tokens, places, segments)
    return F.cross_entropy(logits.float().flatten(0, 1), wanted.flatten(), ignore_index=NOTHING)


def mean_loss(model: Model, sentences: Sentences, batch: int, device: torch.device) -> float:
    """Over all values of these sentences."""
    sums, count = 0.0, 0
    groups = groups_of(sentences, range(len(sentences)), 384)
    with torch.no_grad():
        for begin in range(0, len(groups), batch):
            one = make_batch(sentences, groups[begin : begin + batch])
            sums += float(value_loss(model, one, device)) * one.values
            count += one.values
    return sums / max(count, 1)


class Training:
    """A model on its way. `checkpoint` (a path or nothing) is where it is kept between calls."""

    def __init__(
        self, model: Model, sentences: Sentences, plan: Plan, device: torch.device, checkpoint: str | Path | None,
        about: dict[str, Any], compiled: bool = False,
    ) -> None:
        self.model, self.sentences, self.plan, self.device = model.to(device), sentences, plan, device
        self.checkpoint = Path(checkpoint) if checkpoint else None
        self.about = {**about, **asdict(plan), **model.shape.as_dict(), "sentences": len(sentences)}
        self._run = torch.compile(model, dynamic=False) if compiled else model
        matrices = [parameter for parameter in model.parameters() if parameter.dim() > 1]
        vectors = [parameter for parameter in model.parameters() if parameter.dim() == 1]
        self.optimizer = torch.optim.AdamW(
            [{"params": matrices, "weight_decay": plan.decay}, {"params": vectors, "weight_decay": 0.0}],
            lr=plan.rate, betas=(0.9, 0.95), fused=device.type == "cuda",
        )
        self.step = 0
        # Epochs differ by a few batches, because rows are filled differently.
        self._batches = [
            batches_of_epoch(sentences, plan.batch, plan.row_tokens, plan.seed, epoch) for epoch in range(plan.epochs)
        ]
        self.steps = sum(map(len, self._batches))
        # A compiled model is for one size of batches.
        self._size = largest_size(sentences, self._batches) if compiled else None
        if self.checkpoint and self.checkpoint.exists():
            self._resume()

    def _resume(self) -> None:
        assert self.checkpoint
        kept = torch.load(self.checkpoint, map_location=self.device, weights_only=True)
        if kept["about"] != self.about:
            different = sorted(key for key in {*kept["about"], *self.about} if kept["about"].get(key) != self.about.get(key))
            raise OtherTraining(
                f"{self.checkpoint} is the checkpoint of another training: {different[0]} is "
                f"{kept['about'].get(different[0])} there and {self.about.get(different[0])} here. "
                "Remove it to begin anew, or give the same options to go on."
            )
        self.model.load_state_dict(kept["model"])
        self.optimizer.load_state_dict(kept["optimizer"])
        self.step = kept["step"]

    def save(self) -> None:
        if not self.checkpoint:
            return
        buffer = io.BytesIO()
        state = {"about": self.about, "step": self.step, "model": self.model.state_dict(),
                 "optimizer": self.optimizer.state_dict()}
        torch.save(state, buffer)
        self.checkpoint.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self.checkpoint, buffer.getvalue())

    def run(
        self, seconds: float = math.inf, save_every: float = 60.0, report: Callable[[Progress], None] | None = None,
        most_steps: float = math.inf,
    ) -> Progress:
        """Goes on until all is done, the time is over or so many steps are made, and keeps the result."""
        begin = saved = time.monotonic()
        first, tokens, losses = self.step, 0, []
        self.model.train()
        progress = Progress(self.step, self.steps, math.nan, 0.0, self.step >= self.steps)
        while self.step < self.steps and self.step - first < most_steps and time.monotonic() - begin < seconds:
            epoch, place = self._place_of(self.step)
            batch = make_batch(self.sentences, self._batches[epoch][place], self._size)
            losses.append(self._one_step(batch))
            tokens += batch.tokens.numel()
            if self.step % 20 == 0 or self.step == self.steps:
                mean = float(torch.stack(losses[-50:]).mean())
                progress = Progress(self.step, self.steps, mean, tokens / (time.monotonic() - begin), self.step == self.steps)
                if report:
                    report(progress)
                losses = losses[-50:]
            if time.monotonic() - saved > save_every:
                self.save()
                saved = time.monotonic()
        self.save()
        return Progress(self.step, self.steps, progress.loss, progress.tokens_per_second, self.step >= self.steps)

    def steps_until(self, epoch: int) -> int:
        """How many steps the first so many epochs have."""
        return sum(map(len, self._batches[:epoch]))

    def _place_of(self, step: int) -> tuple[int, int]:
        """The epoch, and the place of the batch in it."""
        for epoch, batches in enumerate(self._batches):
            if step < len(batches):
                return epoch, step
            step -= len(batches)
        raise ValueError("a step behind the last one")

    def _one_step(self, batch: Batch) -> Tensor:
        rate = rate_at(self.plan, self.step, self.steps)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.zero_grad(set_to_none=True)
        loss = value_loss(self._run, batch, self.device)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.plan.clip)
        self.optimizer.step()
        self.step += 1
        return loss.detach()

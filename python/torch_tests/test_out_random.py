"""Random modules through both doors, beside eager PyTorch: operators, branches, layouts and dtypes by chance."""

from __future__ import annotations

import random
from typing import Any

import pytest
import steptp
import torch
import torch.nn.functional as F
from compare import assert_close, tensors
from out_support import SOAK, compare_compiled, compare_gradients, no_surprise
from torch import nn

UNARY = (
    torch.relu, torch.sigmoid, torch.tanh, F.gelu, F.silu, torch.abs, torch.square, torch.neg, F.softplus, F.hardswish,
    lambda x: x.clamp(-0.5, 0.7), lambda x: torch.softmax(x, -1), lambda x: torch.log_softmax(x, 0), lambda x: x.t(),
    lambda x: x.flip(1), lambda x: x.cumsum(1) / 3, lambda x: F.layer_norm(x, x.shape[1:]), lambda x: x.roll(1, 0),
    lambda x: x - x.mean(0, keepdim=True), lambda x: x / (1 + x.norm()), lambda x: F.dropout(x, 0.0, True),
    lambda x: torch.where(x > 0, x, x * 0.1), lambda x: x.repeat(1, 2)[:, ::2], lambda x: F.pad(x, (1, 1))[:, 1:-1],
    lambda x: torch.fft.fft(x).real / 4, lambda x: x.sort(1)[0], lambda x: x.masked_fill(x > 1, 0.5), lambda x: x.contiguous(),
)  # fmt: skip
BINARY = (
    torch.add, torch.mul, torch.sub, torch.maximum, lambda x, y: x / (y.abs() + 1), lambda x, y: x @ y.t() @ y / 5,
    lambda x, y: torch.lerp(x, y, 0.3), lambda x, y: x + y[:1], lambda x, y: torch.addcmul(x, y, y),
)  # fmt: skip


class Drawn(nn.Module):
    """A few operators on a few tensors, as a seed says. All values are square matrices, so that everything fits."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        source = random.Random(seed)
        self.size = source.choice((3, 4, 6))
        self.steps = []
        for _ in range(source.randrange(3, 9)):
            if source.random() < 0.65:
                self.steps.append((source.choice(UNARY), (source.random(),)))
            else:
                self.steps.append((source.choice(BINARY), (source.random(), source.random())))
        generator = torch.Generator().manual_seed(seed)
        self.weight = nn.Parameter(torch.randn(self.size, self.size, generator=generator))
        self.register_buffer("offset", torch.randn(self.size, generator=generator))
        self.many = source.random() < 0.4

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> Any:
        values = [x, y, x @ self.weight + self.offset]
        for function, sources in self.steps:
            values.append(function(*(values[int(at * len(values))] for at in sources)))
        return tuple(values[-2:]) if self.many else values[-1]


def inputs_of(module: Drawn, seed: int) -> list[torch.Tensor]:
    source, generator = random.Random(seed + 1), torch.Generator().manual_seed(seed + 1)
    size = module.size
    layouts = (
        lambda: torch.randn(size, size, generator=generator),
        lambda: torch.randn(size, size, generator=generator).t(),
        lambda: torch.randn(size, 2 * size, generator=generator)[:, ::2],
        lambda: torch.randn(1, size, generator=generator).expand(size, size),
    )
    return [source.choice(layouts)() for _ in range(2)]


@pytest.mark.parametrize("seed", range(400 if SOAK else 14))
def test_random_modules(seed: int) -> None:
    module = Drawn(seed)
    inputs = inputs_of(module, seed)
    if seed % 3 == 0:
        compare_gradients(module, [value.contiguous() for value in inputs], f"seed {seed}", verify=seed % 2 == 0)
        return
    if seed % 3 == 1:
        compare_compiled(module, inputs, f"seed {seed}", verify=seed % 2 == 0, most_operators=3)
        return
    fast = steptp.optimize(module, inputs)
    with torch.no_grad(), no_surprise():
        for given in (inputs, [value * 2 for value in inputs], inputs[::-1]):
            assert_close(tensors(fast(*given)), tensors(module(*given)), f"seed {seed}")

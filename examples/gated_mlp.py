"""A gated feed-forward block with its norm, in the style of KernelBench: `steptp import examples/gated_mlp.py`."""

import torch
import torch.nn.functional as F
from torch import nn


class Model(nn.Module):
    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, hidden)
        self.gate = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width)
        self.drop = nn.Dropout(0.1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.norm(x)
        return x + self.drop(self.down(F.silu(self.gate(y)) * self.up(y)))


def get_inputs() -> list[torch.Tensor]:
    return [torch.rand(16, 32)]


def get_init_inputs() -> list[int]:
    return [32, 64]

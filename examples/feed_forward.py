"""A feed-forward block with its norm, in the style of KernelBench. examples/feed_forward.pt2 is what torch.export made
of it (`python tools/make_pt2_samples.py --module examples/feed_forward.py examples/feed_forward.pt2`)."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, hidden)
        self.activation = nn.GELU()
        self.down = nn.Linear(hidden, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.down(self.activation(self.up(self.norm(x))))


def get_inputs() -> list[torch.Tensor]:
    return [torch.rand(256, 96)]


def get_init_inputs() -> list[int]:
    return [96, 384]

import torch
import torch.nn as nn


class Model(nn.Module):
    """A convolution, a norm by the statistics of the batch, and an activation."""

    def __init__(self, channels: int, features: int):
        super().__init__()
        self.convolution = nn.Conv2d(channels, features, 3, padding=1)
        self.norm = nn.BatchNorm2d(features)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.norm(self.convolution(x)))


def get_inputs():
    return [torch.rand(2, 3, 8, 8)]


def get_init_inputs():
    return [3, 6]

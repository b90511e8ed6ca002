import torch
import torch.nn as nn


class Model(nn.Module):
    """Something that LEIR cannot say."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.fft.fft(x).real


def get_inputs():
    return [torch.rand(4, 16)]


def get_init_inputs():
    return []

"""Six whole networks as people write them, with random weights: ResNet-18, MobileNet-v2, BERT-base, GPT-2 small, a block of
Llama and a block of ViT-B, each in the size that people use and in a small one for tests."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn


class BasicBlock(nn.Module):
    def __init__(self, inner: int, outer: int, stride: int) -> None:
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(inner, outer, 3, stride, 1, bias=False), nn.BatchNorm2d(outer)
        self.conv2, self.bn2 = nn.Conv2d(outer, outer, 3, 1, 1, bias=False), nn.BatchNorm2d(outer)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None
        if stride != 1 or inner != outer:
            self.downsample = nn.Sequential(nn.Conv2d(inner, outer, 1, stride, bias=False), nn.BatchNorm2d(outer))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        return self.relu(out + (x if self.downsample is None else self.downsample(x)))


class ResNet18(nn.Module):
    def __init__(self, width: int = 64, classes: int = 1000) -> None:
        super().__init__()
        self.conv1, self.bn1, self.relu = nn.Conv2d(3, width, 7, 2, 3, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        layers, before = [], width
        for number in range(4):
            outer = width << number
            layers += [BasicBlock(before, outer, 1 if number == 0 else 2), BasicBlock(outer, outer, 1)]
            before = outer
        self.layers, self.avgpool, self.fc = nn.Sequential(*layers), nn.AdaptiveAvgPool2d(1), nn.Linear(before, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        return self.fc(torch.flatten(self.avgpool(self.layers(x)), 1))


class InvertedResidual(nn.Module):
    def __init__(self, inner: int, outer: int, stride: int, expand: int) -> None:
        super().__init__()
        hidden, layers = inner * expand, []
        if expand != 1:
            layers += [nn.Conv2d(inner, hidden, 1, bias=False), nn.BatchNorm2d(hidden), nn.ReLU6(inplace=True)]
        layers += [nn.Conv2d(hidden, hidden, 3, stride, 1, groups=hidden, bias=False), nn.BatchNorm2d(hidden), nn.ReLU6(inplace=True)]
        self.conv = nn.Sequential(*layers, nn.Conv2d(hidden, outer, 1, bias=False), nn.BatchNorm2d(outer))
        self.adds = stride == 1 and inner == outer

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.conv(x) if self.adds else self.conv(x)


class MobileNetV2(nn.Module):
    SETTINGS = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))

    def __init__(self, settings: tuple[tuple[int, ...], ...] = SETTINGS, first: int = 32, last: int = 1280, classes: int = 1000) -> None:
        super().__init__()
        layers = [nn.Conv2d(3, first, 3, 2, 1, bias=False), nn.BatchNorm2d(first), nn.ReLU6(inplace=True)]
        before = first
        for expand, outer, times, stride in settings:
            for number in range(times):
                layers.append(InvertedResidual(before, outer, stride if number == 0 else 1, expand))
                before = outer
        layers += [nn.Conv2d(before, last, 1, bias=False), nn.BatchNorm2d(last), nn.ReLU6(inplace=True)]
        self.features, self.classifier = nn.Sequential(*layers), nn.Sequential(nn.Dropout(0.2), nn.Linear(last, classes))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.classifier(F.adaptive_avg_pool2d(self.features(x), 1).flatten(1))


class Attention(nn.Module):
    def __init__(self, width: int, heads: int, *, causal: bool) -> None:
        super().__init__()
        self.qkv, self.out, self.heads, self.causal = nn.Linear(width, 3 * width), nn.Linear(width, width), heads, causal

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2) for part in self.qkv(x).split(width, dim=2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        return self.out(y.transpose(1, 2).reshape(batch, length, width))


class Bert(nn.Module):
    """Norms behind each part, as in BERT; positions and the two kinds of tokens are added."""

    def __init__(self, words: int = 30522, width: int = 768, heads: int = 12, depth: int = 12, length: int = 512) -> None:
        super().__init__()
        self.words, self.positions, self.kinds = nn.Embedding(words, width), nn.Embedding(length, width), nn.Embedding(2, width)
        self.norm, self.dropout = nn.LayerNorm(width, eps=1e-12), nn.Dropout(0.1)
        self.layers = nn.ModuleList(
            nn.ModuleDict({
                "attention": Attention(width, heads, causal=False), "norm1": nn.LayerNorm(width, eps=1e-12),
                "up": nn.Linear(width, 4 * width), "down": nn.Linear(4 * width, width), "norm2": nn.LayerNorm(width, eps=1e-12),
            }) for _ in range(depth)
        )  # fmt: skip
        self.pooler = nn.Linear(width, width)

    def forward(self, words: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        places = torch.arange(words.shape[1], device=words.device)
        x = self.norm(self.words(words) + self.positions(places) + self.kinds(torch.zeros_like(words)))
        x = self.dropout(x)
        for layer in self.layers:
            x = layer["norm1"](x + self.dropout(layer["attention"](x)))
            x = layer["norm2"](x + self.dropout(layer["down"](F.gelu(layer["up"](x)))))
        return x, torch.tanh(self.pooler(x[:, 0]))


class Block(nn.Module):
    """Norms before each part, as in GPT-2 and ViT."""

    def __init__(self, width: int, heads: int, *, causal: bool, gelu: str = "none", eps: float = 1e-5) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width, eps=eps), nn.LayerNorm(width, eps=eps)
        self.attention = Attention(width, heads, causal=causal)
        self.up, self.down, self.gelu = nn.Linear(width, 4 * width), nn.Linear(4 * width, width), gelu

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.norm1(x))
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate=self.gelu))


class Gpt2(nn.Module):
    def __init__(self, words: int = 50257, width: int = 768, heads: int = 12, depth: int = 12, length: int = 1024) -> None:
        super().__init__()
        self.words, self.positions, self.dropout = nn.Embedding(words, width), nn.Embedding(length, width), nn.Dropout(0.1)
        self.blocks = nn.Sequential(*(Block(width, heads, causal=True, gelu="tanh") for _ in range(depth)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)
        self.head.weight = self.words.weight

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        x = self.dropout(self.words(words) + self.positions(torch.arange(words.shape[1], device=words.device)))
        return self.head(self.norm(self.blocks(x)))


class LlamaBlock(nn.Module):
    """Rotary positions, grouped queries, gated units, root-mean-square norms."""

    def __init__(self, width: int = 4096, heads: int = 32, groups: int = 8, hidden: int = 14336, length: int = 2048) -> None:
        super().__init__()
        self.heads, self.groups, self.each = heads, groups, width // heads
        self.q, self.k = nn.Linear(width, width, bias=False), nn.Linear(width, groups * self.each, bias=False)
        self.v, self.o = nn.Linear(width, groups * self.each, bias=False), nn.Linear(width, width, bias=False)
        self.gate, self.up = nn.Linear(width, hidden, bias=False), nn.Linear(width, hidden, bias=False)
        self.down, self.norm1, self.norm2 = nn.Linear(hidden, width, bias=False), nn.RMSNorm(width, eps=1e-5), nn.RMSNorm(width, eps=1e-5)
        angles = torch.outer(torch.arange(length).float(), 500000.0 ** (-torch.arange(0, self.each, 2).float() / self.each))
        angles = torch.cat((angles, angles), -1)
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def rotated(self, x: torch.Tensor) -> torch.Tensor:
        left, right = x.chunk(2, -1)
        return x * self.cos[: x.shape[2]] + torch.cat((-right, left), -1) * self.sin[: x.shape[2]]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, _ = x.shape
        h = self.norm1(x)
        q = self.rotated(self.q(h).view(batch, length, self.heads, self.each).transpose(1, 2))
        k = self.rotated(self.k(h).view(batch, length, self.groups, self.each).transpose(1, 2))
        v = self.v(h).view(batch, length, self.groups, self.each).transpose(1, 2)
        k, v = (part.repeat_interleave(self.heads // self.groups, dim=1) for part in (k, v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(y.transpose(1, 2).reshape(batch, length, -1))
        h = self.norm2(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


NAMES = ("ResNet-18", "MobileNet-v2", "BERT-base", "GPT-2 small", "Llama block", "ViT-B block")


def network(name: str, batch: int, *, small: bool = False) -> tuple[nn.Module, list[torch.Tensor]]:
    """A network in eval mode with its inputs, both of a fixed seed, on the CPU and in f32."""
    torch.manual_seed(0)
    images = lambda side: [torch.randn(batch, 3, side, side)]  # noqa: E731
    words = lambda most, length: [torch.randint(0, most, (batch, length))]  # noqa: E731
    tiny = ((1, 4, 1, 1), (2, 6, 2, 2), (2, 8, 1, 1))
    makers = {
        "ResNet-18": lambda: (ResNet18(4, 10), images(32)) if small else (ResNet18(), images(224)),
        "MobileNet-v2": lambda: (MobileNetV2(tiny, 4, 16, 10), images(16)) if small else (MobileNetV2(), images(224)),
        "BERT-base": lambda: (Bert(50, 16, 2, 2, 12), words(50, 6)) if small else (Bert(), words(30522, 128)),
        "GPT-2 small": lambda: (Gpt2(50, 16, 2, 2, 12), words(50, 6)) if small else (Gpt2(), words(50257, 128)),
        "Llama block": lambda: (LlamaBlock(16, 4, 2, 24, 8), [torch.randn(batch, 6, 16)]) if small
        else (LlamaBlock(), [torch.randn(batch, 128, 4096)]),
        "ViT-B block": lambda: (Block(16, 2, causal=False, eps=1e-6), [torch.randn(batch, 5, 16)]) if small
        else (Block(768, 12, causal=False, eps=1e-6), [torch.randn(batch, 197, 768)]),
    }
    model, inputs = makers[name]()
    return model.eval(), inputs

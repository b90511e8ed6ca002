"""The model: a GPT with norms before each part, tied embeddings and no biases. The same code runs on CPUs and GPUs."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F


@dataclass(frozen=True)
class Shape:
    """The sizes of a model. A head's width (width / heads) is a multiple of 16, which the C++ code asks for."""

    layers: int
    width: int
    heads: int
    positions: int
    vocabulary: int

    def __post_init__(self) -> None:
        if self.width % self.heads or self.width // self.heads % 16:
            raise ValueError(f"width {self.width} with {self.heads} heads: each head needs a multiple of 16")

    def as_dict(self) -> dict[str, int]:
        return asdict(self)


# Layers, width and heads by name: `tiny` is for tests (0.4 M parameters), `medium` 3 M, `default` 11 M, `large` 26 M.
SIZES = {"tiny": (3, 96, 3), "small": (4, 192, 3), "medium": (5, 224, 7), "default": (6, 384, 6), "large": (8, 512, 8)}


class Layer(nn.Module):
    """Attention, then a wide hidden layer, each added to what came in."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.attention_norm = nn.LayerNorm(shape.width, bias=False)
        self.attention = nn.Linear(shape.width, 3 * shape.width, bias=False)
        self.projection = nn.Linear(shape.width, shape.width, bias=False)
        self.feed_norm = nn.LayerNorm(shape.width, bias=False)
        self.widen = nn.Linear(shape.width, 4 * shape.width, bias=False)
        self.narrow = nn.Linear(4 * shape.width, shape.width, bias=False)

    def forward(self, x: Tensor, visible: "Tensor | Cache", index: int) -> Tensor:
        x = x + self.projection(self._attend(self.attention_norm(x), visible, index))
        return x + self.narrow(F.gelu(self.widen(self.feed_norm(x)), approximate="tanh"))

    def _attend(self, x: Tensor, visible: "Tensor | Cache", index: int) -> Tensor:
        batch, length, width = x.shape
        queries, keys, values = (
            part.view(batch, length, self.heads, width // self.heads).transpose(1, 2)
            for part in self.attention(x).split(width, dim=2)
        )
        mask = visible
        if isinstance(visible, Cache):
            keys, values, mask = visible.append(index, keys, values)
        out = F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
        return out.transpose(1, 2).reshape(batch, length, width)


class Cache:
    """Keys and values of tokens that were read before, for decoding with rows of one length.

    A row of the batch may be shorter than others: `starts` says how many places at its front are filling, which no
    token looks at.
    """

    def __init__(self, model: "Model", batch: int, starts: Tensor, room: int) -> None:
        shape, like = model.shape, model.tokens.weight
        size = (shape.layers, batch, shape.heads, room, shape.width // shape.heads)
        self.keys = torch.zeros(size, dtype=like.dtype, device=like.device)
        self.values = torch.zeros_like(self.keys)
        self.starts = starts
        self.length = 0
        self._new = 0
        self._visible: Tensor | None = None

    def spread(self, rows: Tensor) -> None:
        """Row i becomes what row `rows[i]` was: one prompt for many sentences."""
        self.keys, self.values = self.keys[:, rows], self.values[:, rows]
        self.starts = self.starts[rows]

    def begin(self, new: int) -> None:
        self._new = new
        if self.length + new > self.keys.shape[3]:
            more = torch.zeros_like(self.keys[:, :, :, : max(new, 96)])
            self.keys, self.values = (torch.cat([old, more], 3) for old in (self.keys, self.values))
        places = torch.arange(self.length + new, device=self.keys.device)
        reader = places[self.length :]
        visible = (places[None, None, :] <= reader[None, :, None]) & (places[None, None, :] >= self.starts[:, None, None])
        # Filling sees itself alone: a row of the softmax that sees nothing would be NaN.
        self._visible = (visible | (places[None, None, :] == reader[None, :, None]))[:, None]

    def end(self) -> None:
        self.length += self._new

    def append(self, layer: int, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor | None]:
        end = self.length + self._new
        self.keys[layer, :, :, self.length : end] = keys
        self.values[layer, :, :, self.length : end] = values
        return self.keys[layer, :, :, :end], self.values[layer, :, :, :end], self._visible


class Model(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.tokens = nn.Embedding(shape.vocabulary, shape.width)
        self.places = nn.Embedding(shape.positions, shape.width)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.last_norm = nn.LayerNorm(shape.width, bias=False)

    def initialise(self, seed: int) -> None:
        """Draws all weights; the same seed gives the same weights on every machine, because the CPU draws them."""
        generator = torch.Generator().manual_seed(seed)
        for name, parameter in self.named_parameters():
            if parameter.dim() == 1:
                nn.init.ones_(parameter)
                continue
            # What is added to the residual stream begins smaller, the deeper the model is.
            is_added = name.endswith(("projection.weight", "narrow.weight"))
            deviation = 0.5 / math.sqrt(self.shape.width)
            if is_added:
                deviation /= math.sqrt(2 * self.shape.layers)
            drawn = torch.empty(parameter.shape).normal_(0, deviation, generator=generator)
            with torch.no_grad():
                parameter.copy_(drawn)

    def forward(self, tokens: Tensor, places: Tensor | None = None, segments: Tensor | None = None) -> Tensor:
        """Logits behind every token. A token sees those before it in its own segment and in segment 0; without segments
        all those before it."""
        at = torch.arange(tokens.shape[1], device=tokens.device)
        visible = (at[None, :] <= at[:, None])[None]
        if segments is not None:
            reader, seen = segments[:, :, None], segments[:, None, :]
            visible = visible & ((seen == 0) | (seen == reader))
        x = self.tokens(tokens) + self.places(at if places is None else places)
        for index, layer in enumerate(self.layers):
            x = layer(x, visible[:, None], index)
        return F.linear(self.last_norm(x), self.tokens.weight)

    def step(self, tokens: Tensor, cache: Cache) -> Tensor:
        """Reads the next tokens of all rows; the logits behind the last one of each."""
        cache.begin(tokens.shape[1])
        at = torch.arange(cache.length, cache.length + tokens.shape[1], device=tokens.device)
        # Filling is before the first place; a sentence that is too long, which the caller notices, behind the last one.
        places = (at[None, :] - cache.starts[:, None]).clamp(0, self.shape.positions - 1)
        x = self.tokens(tokens) + self.places(places)
        for index, layer in enumerate(self.layers):
            x = layer(x, cache, index)
        cache.end()
        return F.linear(self.last_norm(x[:, -1]), self.tokens.weight)

"""Small models of our own: recurrence, attention, windows, in-place writes, buffers, several outputs."""

from __future__ import annotations

import math
import time

import pytest
import steptp
import torch
import torch.nn.functional as F
from compare import check
from einops import rearrange
from test_options import Call, integers, normal
from torch import nn

RECURRENT = {
    "lstm": (nn.LSTM(3, 4), (5, 2, 3)),
    "lstm, two layers, both directions": (nn.LSTM(3, 2, num_layers=2, bidirectional=True, batch_first=True), (2, 4, 3)),
    "lstm, no bias": (nn.LSTM(3, 4, bias=False), (3, 2, 3)),
    "gru": (nn.GRU(3, 4, batch_first=True), (2, 5, 3)),
    "gru, two layers, both directions": (nn.GRU(3, 2, num_layers=2, bidirectional=True), (3, 2, 3)),
    "rnn": (nn.RNN(3, 4), (4, 2, 3)),
    "rnn, relu": (nn.RNN(3, 4, nonlinearity="relu", num_layers=2), (4, 2, 3)),
}


@pytest.mark.parametrize("case", RECURRENT)
def test_recurrent_layers(case: str) -> None:
    module, shape = RECURRENT[case]
    check(module, [normal(*shape)])


def test_a_long_sequence_is_captured_whole() -> None:
    """PyTorch takes a recurrent layer apart even to find the shapes of its results: minutes for this one."""
    begin = time.monotonic()
    program = steptp.from_torch(nn.LSTM(4, 3, num_layers=4, bidirectional=True), [normal(400, 2, 4).float()])
    assert time.monotonic() - begin < 30
    assert len(program.to_text()) < 20_000


def test_cells_over_time() -> None:
    class Unrolled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cell, self.gate, self.head = nn.LSTMCell(3, 4), nn.GRUCell(4, 2), nn.Linear(2, 1)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            h, c, g = x.new_zeros(2, 4), x.new_zeros(2, 4), x.new_zeros(2, 2)
            outputs = []
            for step in x.unbind(1):
                h, c = self.cell(step, (h, c))
                g = self.gate(h, g)
                outputs.append(self.head(g))
            return torch.stack(outputs, 1)

    check(Unrolled(), [normal(2, 3, 3)])


def test_a_state_that_the_model_keeps() -> None:
    class Keeps(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.hidden = torch.linspace(-1, 1, 8, dtype=torch.float64).reshape(2, 4)
            self.mix = nn.Linear(7, 4)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.hidden = torch.tanh(self.mix(torch.cat([x, self.hidden], dim=1)))
            return self.hidden

    program = check(Keeps(), [normal(2, 3)])
    assert any("hidden" in note for note in program.origin.notes)


class CausalAttention(nn.Module):
    def __init__(self, width: int, heads: int, length: int) -> None:
        super().__init__()
        self.c_attn, self.c_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.attn_dropout = nn.Dropout(0.1)
        self.heads = heads
        self.register_buffer("bias", torch.tril(torch.ones(length, length)).view(1, 1, length, length))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.size()
        q, k, v = (t.view(batch, length, self.heads, -1).transpose(1, 2) for t in self.c_attn(x).split(width, dim=2))
        scores = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        scores = scores.masked_fill(self.bias[:, :, :length, :length] == 0, float("-inf"))
        y = self.attn_dropout(F.softmax(scores, dim=-1)) @ v
        return self.c_proj(y.transpose(1, 2).contiguous().view(batch, length, width))


def test_causal_attention_with_a_mask_in_a_buffer() -> None:
    program = check(CausalAttention(6, 2, 5), [normal(2, 4, 6)])
    assert any("dropout" in note for note in program.origin.notes)


ATTENTION = {
    "plain": lambda m, q, k, v: F.scaled_dot_product_attention(q, k, v),
    "causal": lambda m, q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
    "scale": lambda m, q, k, v: F.scaled_dot_product_attention(q, k, v, scale=0.3),
    "mask": lambda m, q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=torch.ones(4, 4, dtype=torch.bool).tril()),
    "bias": lambda m, q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=q[0, 0] @ k[0, 0].T),
    "dropout": lambda m, q, k, v: F.scaled_dot_product_attention(q, k, v, dropout_p=0.0),
}


@pytest.mark.parametrize("case", ATTENTION)
def test_attention(case: str) -> None:
    check(Call(ATTENTION[case]), [normal(2, 2, 4, 3, seed=seed) for seed in (1, 2, 3)])


@pytest.mark.parametrize("mode", ["train", "eval"])
def test_multi_head_attention(mode: str) -> None:
    attention = nn.MultiheadAttention(6, 2, batch_first=True)
    check(Call(lambda m, x: m.attention(x, x, x), attention=attention), [normal(2, 3, 6)], mode=mode)
    check(Call(lambda m, x: m.attention(x, x, x, need_weights=False)[0], attention=attention), [normal(2, 3, 6)], mode=mode)


@pytest.mark.parametrize("mode", ["train", "eval"])
def test_transformer_layer(mode: str) -> None:
    check(nn.TransformerEncoderLayer(6, 2, 8, dropout=0.0, batch_first=True, norm_first=mode == "train"), [normal(2, 3, 6)], mode=mode)


class Windows(nn.Module):
    """Attention within shifted windows, with a table of relative positions and a mask made while it is built."""

    def __init__(self, width: int = 4, size: int = 4, window: int = 2) -> None:
        super().__init__()
        self.window, self.size = window, size
        self.qkv = nn.Linear(width, 3 * width)
        self.table = nn.Parameter(torch.zeros((2 * window - 1) ** 2, 1))
        grid = torch.stack(torch.meshgrid(torch.arange(window), torch.arange(window), indexing="ij")).flatten(1)
        relative = (grid[:, :, None] - grid[:, None, :]).permute(1, 2, 0).contiguous()
        relative[:, :, 0] += window - 1
        relative[:, :, 1] += window - 1
        relative[:, :, 0] *= 2 * window - 1
        self.register_buffer("relative", relative.sum(-1))
        image, count = torch.zeros(1, size, size, 1), 0
        for rows in (slice(0, -window), slice(-window, -1), slice(-1, None)):
            for columns in (slice(0, -window), slice(-window, -1), slice(-1, None)):
                image[:, rows, columns, :] = count
                count += 1
        parts = self.partition(image).view(-1, window * window)
        difference = parts.unsqueeze(1) - parts.unsqueeze(2)
        self.register_buffer("mask", difference.masked_fill(difference != 0, -100.0).masked_fill(difference == 0, 0.0))

    def partition(self, x: torch.Tensor) -> torch.Tensor:
        b, h, w, c = x.shape
        x = x.view(b, h // self.window, self.window, w // self.window, self.window, c)
        return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, self.window * self.window, c)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, h, w, c = x.shape
        shifted = torch.roll(x, shifts=(-1, -1), dims=(1, 2))
        windows = self.partition(shifted)
        q, k, v = self.qkv(windows).chunk(3, dim=-1)
        bias = self.table[self.relative.view(-1)].view(self.window**2, self.window**2, -1).squeeze(-1)
        scores = q @ k.transpose(-2, -1) + bias.unsqueeze(0)
        scores = scores.view(b, -1, self.window**2, self.window**2) + self.mask.unsqueeze(0)
        y = scores.view(-1, self.window**2, self.window**2).softmax(-1) @ v
        n = self.size // self.window
        y = y.view(b, n, n, self.window, self.window, c).permute(0, 1, 3, 2, 4, 5).contiguous().view(b, h, w, c)
        return torch.roll(y, shifts=(1, 1), dims=(1, 2))


def test_shifted_windows() -> None:
    check(Windows(), [normal(1, 4, 4, 4)])


def test_einops() -> None:
    check(Call(lambda m, x: rearrange(x, "b c (h p) (w q) -> b (h w) (p q c)", p=2, q=3)), [normal(2, 3, 4, 6)])


IN_PLACE = {
    "relu": lambda m, x: F.relu(m.linear(x), inplace=True),
    "chain": lambda m, x: m.linear(x).add_(1).mul_(x[:, :4]).clamp_(min=0.1).sqrt_(),
    "a part": lambda m, x: m.write(x, lambda y: y[:, 1:3].mul_(2)),
    "a row": lambda m, x: m.write(x, lambda y: y[1].fill_(3)),
    "assigned": lambda m, x: m.write(x, lambda y: y.__setitem__((slice(None), 0), x[:, 1])),
    "assigned, a number": lambda m, x: m.write(x, lambda y: y.__setitem__((slice(None), slice(2, None)), 0)),
    "masked": lambda m, x: m.write(x, lambda y: y.__setitem__(y > 0, 0.5)),
    "through a transpose": lambda m, x: m.write(x, lambda y: y.t()[0].add_(1)),
    "through a view": lambda m, x: m.write(x, lambda y: y.view(-1)[3:9].zero_()),
    "through narrow": lambda m, x: m.write(x, lambda y: y.narrow(1, 2, 2).copy_(y.narrow(1, 0, 2) * 2)),
    "seen by a view": lambda m, x: m.seen(x),
    "an input": lambda m, x: x.mul_(2) + 1,
    "an older value": lambda m, x: m.older(x),
}


class InPlace(nn.Module):
    def __init__(self, function) -> None:
        super().__init__()
        self.linear = nn.Linear(6, 4)
        self.function = function

    def write(self, x: torch.Tensor, change) -> torch.Tensor:
        y = self.linear(x) * 1
        change(y)
        return y

    def seen(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y = self.linear(x) * 1
        view, copy = y[:, :2], y[:, :2].clone()
        y.add_(1)
        return view * 2, copy, y

    def older(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y = self.linear(x)
        before = y * 2
        y += before
        return before, y, y.reshape(-1)[:5]

    def forward(self, x: torch.Tensor):
        return self.function(self, x)


@pytest.mark.parametrize("case", IN_PLACE)
def test_in_place(case: str) -> None:
    check(InPlace(IN_PLACE[case]), [normal(3, 6)])


def test_residual_blocks() -> None:
    class Block(nn.Module):
        def __init__(self, width: int) -> None:
            super().__init__()
            self.conv1, self.bn1 = nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width)
            self.conv2, self.bn2 = nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width)
            self.relu = nn.ReLU(inplace=True)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            out = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
            out += x
            return self.relu(out)

    model = nn.Sequential(nn.Conv2d(3, 4, 3), Block(4), nn.MaxPool2d(2), Block(4), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.5), nn.Linear(4, 3))
    for mode in ("train", "eval"):
        check(model, [normal(2, 3, 8, 8)], mode=mode)


def test_several_outputs_and_tied_weights() -> None:
    class Tied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(7, 4, padding_idx=0)
            self.head = nn.Linear(4, 7, bias=False)
            self.head.weight = self.embedding.weight
            self.scale = nn.Parameter(torch.ones(1))

        def forward(self, tokens: torch.Tensor, scale: float) -> dict[str, torch.Tensor]:
            x = self.embedding(tokens) * scale
            return {"x": x, "logits": self.head(x) * self.scale, "again": x, "tokens": tokens}

    program = check(Tied(), [integers(7, 2, 3), 0.5])
    assert len(program.origin.outputs) == 4


def test_dtypes() -> None:
    model = nn.Sequential(nn.Linear(6, 5), nn.GELU(), nn.LayerNorm(5), nn.Linear(5, 3), nn.Softmax(-1))
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        check(model, [normal(4, 6)], dtype=dtype)
    mixed = Call(lambda m, x: (m.linear(x.float()).half() + x.half(), x.double().sum(), (x > 0).float().mean(1)), linear=nn.Linear(3, 3))
    check(mixed, [normal(2, 3)], dtype=torch.float32)


def test_the_module_is_left_as_it_was() -> None:
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Dropout(0.5))
    before = {name: value.clone() for name, value in model.state_dict().items()}
    steptp.from_torch(model, [torch.randn(2, 3)], mode="eval")
    assert model.training and all(child.training for child in model.modules())
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())


def test_weights_are_read_at_every_call() -> None:
    model = nn.Linear(3, 2)
    call = steptp.to_torch(steptp.from_torch(model, [torch.randn(4, 3)]), model)
    x = torch.randn(4, 3)
    for _ in range(2):
        assert torch.allclose(call(x), model(x), atol=1e-5)
        nn.init.normal_(model.weight)
    with pytest.raises(TypeError, match="takes 1: input"):
        call(x, x)

"""Modules in the style of KernelBench with options that the zoo does not use, against PyTorch in f64."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from compare import check
from torch import nn


class Call(nn.Module):
    """A function as a module."""

    def __init__(self, function, **children) -> None:
        super().__init__()
        self.function = function
        for name, child in children.items():
            setattr(self, name, child)

    def forward(self, *inputs):
        return self.function(self, *inputs)


def normal(*shape: int, seed: int = 1) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def integers(high: int, *shape: int) -> torch.Tensor:
    return torch.randint(0, high, shape, generator=torch.Generator().manual_seed(2))


CONVOLUTIONS = {
    "plain": (nn.Conv2d(3, 4, 3), (2, 3, 7, 6)),
    "no bias": (nn.Conv2d(3, 4, 3, bias=False), (2, 3, 7, 6)),
    "stride, padding, dilation": (nn.Conv2d(3, 4, (3, 2), stride=(2, 1), padding=(1, 2), dilation=(1, 2)), (2, 3, 8, 7)),
    "groups": (nn.Conv2d(4, 6, 3, groups=2), (2, 4, 5, 5)),
    "depthwise": (nn.Conv2d(3, 6, 3, groups=3, padding=1), (1, 3, 5, 5)),
    "same": (nn.Conv2d(2, 3, (4, 3), padding="same"), (1, 2, 6, 5)),
    "valid": (nn.Conv2d(2, 3, 3, padding="valid"), (1, 2, 6, 5)),
    "reflect": (nn.Conv2d(2, 3, 3, padding=2, padding_mode="reflect"), (1, 2, 6, 5)),
    "replicate": (nn.Conv2d(2, 3, 3, padding=(1, 2), padding_mode="replicate"), (1, 2, 6, 5)),
    "circular": (nn.Conv2d(2, 3, 3, padding=1, padding_mode="circular"), (1, 2, 6, 5)),
    "one dimension": (nn.Conv1d(2, 3, 3, stride=2, padding=1, dilation=2), (2, 2, 11)),
    "three dimensions": (nn.Conv3d(2, 3, (2, 3, 2), stride=(1, 2, 1), padding=(1, 0, 1)), (1, 2, 4, 6, 5)),
    "without a batch": (nn.Conv2d(3, 4, 3), (3, 7, 6)),
    "transposed": (nn.ConvTranspose2d(3, 4, 3), (2, 3, 4, 5)),
    "transposed, output_padding": (nn.ConvTranspose2d(3, 4, 3, stride=2, padding=1, output_padding=1), (2, 3, 4, 5)),
    "transposed, groups, dilation": (nn.ConvTranspose2d(4, 6, 2, stride=3, groups=2, dilation=2, bias=False), (1, 4, 3, 4)),
    "transposed, one dimension": (nn.ConvTranspose1d(3, 2, 4, stride=2, padding=1, output_padding=1), (2, 3, 6)),
    "transposed, three dimensions": (nn.ConvTranspose3d(2, 3, (2, 3, 2), stride=(1, 2, 2), output_padding=(0, 1, 1)), (1, 2, 3, 3, 2)),
}


@pytest.mark.parametrize("case", CONVOLUTIONS)
def test_convolutions(case: str) -> None:
    module, shape = CONVOLUTIONS[case]
    check(module, [normal(*shape)])


POOLS = {
    "max": (nn.MaxPool2d(3, 2, 1), (2, 3, 7, 8)),
    "max, dilation, ceil_mode": (nn.MaxPool2d(2, 2, 1, dilation=2, ceil_mode=True), (1, 2, 8, 7)),
    "max 1d": (nn.MaxPool1d(3, 2, padding=1), (2, 3, 9)),
    "max 3d": (nn.MaxPool3d(2, (1, 2, 2)), (1, 2, 3, 4, 5)),
    "average": (nn.AvgPool2d(3, 2, 1), (2, 3, 7, 8)),
    "average without the padding": (nn.AvgPool2d(3, 2, 1, count_include_pad=False), (2, 3, 7, 8)),
    "average, ceil_mode": (nn.AvgPool2d(3, 2, 1, ceil_mode=True), (1, 2, 8, 8)),
    "average, ceil_mode without the padding": (nn.AvgPool2d(3, 2, 1, ceil_mode=True, count_include_pad=False), (1, 2, 8, 8)),
    "average, divisor": (nn.AvgPool2d(2, divisor_override=3), (1, 2, 6, 6)),
    "average 1d": (nn.AvgPool1d(3, 2, 1, count_include_pad=False), (2, 3, 9)),
    "average 3d": (nn.AvgPool3d(2, 2, 1), (1, 2, 4, 5, 4)),
    "adaptive average": (nn.AdaptiveAvgPool2d((3, None)), (1, 2, 7, 4)),
    "adaptive average 1d": (nn.AdaptiveAvgPool1d(4), (1, 2, 7)),
    "adaptive average 3d": (nn.AdaptiveAvgPool3d((2, 1, 3)), (1, 2, 5, 4, 6)),
    "adaptive max": (nn.AdaptiveMaxPool2d((2, 3)), (1, 2, 5, 7)),
    "power": (nn.LPPool2d(2, 2), (1, 2, 4, 4)),
}


@pytest.mark.parametrize("case", POOLS)
def test_pools(case: str) -> None:
    module, shape = POOLS[case]
    check(module, [normal(*shape)])


NORMS = {
    "batch": (nn.BatchNorm2d(3), (4, 3, 2, 5)),
    "batch, affine off": (nn.BatchNorm1d(3, affine=False), (4, 3)),
    "batch, no running statistics": (nn.BatchNorm1d(3, track_running_stats=False, eps=1e-3), (4, 3, 5)),
    "batch 3d": (nn.BatchNorm3d(2, momentum=None), (2, 2, 2, 3, 2)),
    "layer": (nn.LayerNorm((3, 4)), (2, 3, 4)),
    "layer, no bias": (nn.LayerNorm(4, bias=False), (2, 3, 4)),
    "layer, affine off": (nn.LayerNorm(4, elementwise_affine=False, eps=1e-2), (2, 3, 4)),
    "group": (nn.GroupNorm(2, 6), (2, 6, 3, 2)),
    "group, affine off": (nn.GroupNorm(3, 6, affine=False), (2, 6, 4)),
    "instance": (nn.InstanceNorm2d(3), (2, 3, 4, 5)),
    "instance, affine": (nn.InstanceNorm1d(3, affine=True), (2, 3, 5)),
    "instance, running statistics": (nn.InstanceNorm2d(3, affine=True, track_running_stats=True), (2, 3, 4, 5)),
    "rms": (nn.RMSNorm(5, eps=1e-4), (2, 3, 5)),
    "local response": (nn.LocalResponseNorm(3), (2, 5, 3, 3)),
}


@pytest.mark.parametrize("mode", ["train", "eval"])
@pytest.mark.parametrize("case", NORMS)
def test_norms(case: str, mode: str) -> None:
    module, shape = NORMS[case]
    for name, buffer in module.named_buffers():
        if "running" in name:
            buffer.copy_(torch.linspace(0.5, 1.5, buffer.numel()))
    check(module, [normal(*shape)], mode=mode)


LOSSES = {
    "cross entropy": (lambda m, x, y: F.cross_entropy(x, y), 2),
    "cross entropy, sum": (lambda m, x, y: F.cross_entropy(x, y, reduction="sum"), 2),
    "cross entropy, none": (lambda m, x, y: F.cross_entropy(x, y, reduction="none"), 3),
    "cross entropy, label smoothing": (lambda m, x, y: F.cross_entropy(x, y, label_smoothing=0.2), 2),
    "cross entropy, ignore_index": (lambda m, x, y: F.cross_entropy(x, y, ignore_index=1), 2),
    "cross entropy, both, in space": (lambda m, x, y: F.cross_entropy(x, y, ignore_index=2, label_smoothing=0.1), 3),
    "cross entropy, weights": (lambda m, x, y: F.cross_entropy(x, y, weight=torch.tensor([0.5, 1.0, 2.0, 0.1], dtype=torch.float64)), 2),
    "negative log likelihood": (lambda m, x, y: F.nll_loss(F.log_softmax(x, 1), y, ignore_index=0), 2),
}


@pytest.mark.parametrize("case", LOSSES)
def test_losses_over_classes(case: str) -> None:
    function, rank = LOSSES[case]
    classes = 4
    x, y = (normal(5, classes), integers(classes, 5)) if rank == 2 else (normal(3, classes, 6), integers(classes, 3, 6))
    check(Call(function), [x, y])


PAIRS = {
    "mse": lambda m, x, y: F.mse_loss(x, y),
    "mse, sum": lambda m, x, y: F.mse_loss(x, y, reduction="sum"),
    "l1, none": lambda m, x, y: F.l1_loss(x, y, reduction="none"),
    "smooth l1": lambda m, x, y: F.smooth_l1_loss(x, y, beta=0.5),
    "huber": lambda m, x, y: F.huber_loss(x, y, delta=0.7),
    "binary cross entropy": lambda m, x, y: F.binary_cross_entropy(x.sigmoid(), y.sigmoid()),
    "with logits": lambda m, x, y: F.binary_cross_entropy_with_logits(x, y.sigmoid()),
    "divergence": lambda m, x, y: F.kl_div(x.log_softmax(1), y.softmax(1), reduction="batchmean"),
    "divergence, log": lambda m, x, y: F.kl_div(x.log_softmax(1), y.log_softmax(1), log_target=True),
    "hinge": lambda m, x, y: torch.mean(torch.clamp(1 - x * torch.sign(y), min=0)),
    "cosine": lambda m, x, y: 1 - F.cosine_similarity(x, y, dim=-1),
    "triplet": lambda m, x, y: F.triplet_margin_loss(x, y, x.flip(0), margin=0.5),
    "margin": lambda m, x, y: F.margin_ranking_loss(x, y, torch.sign(y), margin=0.1),
    "soft margin": lambda m, x, y: F.soft_margin_loss(x, torch.sign(y)),
}


@pytest.mark.parametrize("case", PAIRS)
def test_losses_of_two_tensors(case: str) -> None:
    check(Call(PAIRS[case]), [normal(4, 5), normal(4, 5, seed=3)])


FUNCTIONS = {
    # reductions
    "negative dims": lambda m, x: (x.sum(-1), x.mean((-1, -3), keepdim=True), x.amax(-2), x.max(-1), x.argmin(-2)),
    "variances": lambda m, x: (x.var(), x.var(1), x.var(-1, unbiased=False, keepdim=True), x.std((0, 2)), torch.var_mean(x, -1)),
    "norms": lambda m, x: (x.norm(), x.norm(p=1, dim=-1), torch.linalg.vector_norm(x, 3, dim=(0, 1)), F.normalize(x, dim=-1)),
    "products": lambda m, x: (x.prod(1), x.cumsum(-1), x.cumprod(0), x.logsumexp((1, 2))),
    "scan the other way": lambda m, x: x.flip(-1).cumsum(-1).flip(-1),
    "flags": lambda m, x: ((x > 0).any(1), (x > -9).all(), (x > 0).sum(-1), x.argmax()),
    # broadcasting
    "broadcast left": lambda m, x: x[:, 0, 0] .view(-1, 1, 1) * x + x[0, 0],
    "broadcast right": lambda m, x: x[0] - x.mean((0, 1)),
    "numbers": lambda m, x: (2 - x) / 3 + 1 / (x * x + 1) - x**2 + 0.5**x,
    "integers": lambda m, x: ((x * 4).to(torch.int64) // 3, (x * 4).to(torch.int32) % 3, x.to(torch.int8) + 1.5),
    "masks": lambda m, x: (torch.where(x > 0, x, 0.1 * x), x.masked_fill(x < 0, float("-inf")), x.clamp(-0.5), torch.maximum(x, -x)),
    # functions
    "activations": lambda m, x: (F.gelu(x), F.gelu(x, approximate="tanh"), F.silu(x), F.mish(x), F.elu(x, 0.7), F.selu(x), F.celu(x, 0.5)),
    "more activations": lambda m, x: (F.hardtanh(x, -0.3, 0.6), F.hardswish(x), F.hardsigmoid(x), F.softsign(x), F.tanhshrink(x), F.logsigmoid(x)),
    "still more": lambda m, x: (F.softplus(x, 2, 1), F.leaky_relu(x, 0.2), F.relu6(x), F.threshold(x, 0.1, -2.0), F.glu(x[..., :4], -1)),
    "shrinking": lambda m, x: (F.hardshrink(x, 0.3), F.softshrink(x, 0.2), F.rrelu(x, 0.1, 0.3, training=False)),
    "elementary": lambda m, x: (x.sin(), x.cos(), x.exp(), x.abs().log(), x.abs().sqrt(), x.tanh(), torch.erf(x), x.abs().rsqrt()),
    "rounding": lambda m, x: (x.floor(), x.ceil(), (x * 4).round(), x.trunc(), x.sign(), x.neg(), x.square(), x.reciprocal()),
    "softmax": lambda m, x: (x.softmax(-1), x.log_softmax(1), F.softmin(x, 0)),
    # shapes
    "views": lambda m, x: (x.permute(2, 0, 1), x.transpose(-1, -2).reshape(-1, 3), x.flatten(1), x.unflatten(2, (1, -1)), x.view(3, -1)),
    "parts": lambda m, x: (x[..., 1:], x[:, ::2], x[-1], x[:, 1:-1, None], *x.chunk(2, -1), *x.split([1, 2], 0), *x.unbind(1)),
    "joined": lambda m, x: (torch.cat([x, x * 2, x[:1]], 0), torch.stack([x, -x], -1), x.repeat(2, 1, 3), x.repeat_interleave(2, 1)),
    "moved": lambda m, x: (x.roll(2, -1), x.roll((1, 1), (0, 2)), x.flip((0, 2)), x.unfold(2, 3, 2), x.expand(2, 3, 4, 5), x.movedim(0, -1)),
    "triangles": lambda m, x: (x.tril(), x.triu(1), x.tril(-1), torch.diag(x[0, :, 0])),
    "padding": lambda m, x: (F.pad(x, (1, 2)), F.pad(x, (1, 0, 2, 1), value=3.0), F.pad(x, (-1, 1)), F.pad(x, (2, 1), mode="reflect"), F.pad(x, (1, 3), mode="circular"), F.pad(x, (2, 2), mode="replicate")),
    "interpolation": lambda m, x: (F.interpolate(x[None], scale_factor=2.0), F.interpolate(x, size=7), F.interpolate(x[None], size=(3, 9), mode="bilinear"), F.interpolate(x[None], scale_factor=2.0, mode="bilinear", align_corners=True)),
    "gathers": lambda m, x: (x.index_select(1, torch.tensor([2, 0])), x.gather(2, torch.argmax(x, 2, keepdim=True)), x[:, torch.tensor([[1, 0], [3, 3]])], F.embedding(torch.tensor([2, 0, 1]), x[0])),
    "created": lambda m, x: (x + torch.arange(5), torch.zeros_like(x) + torch.eye(4, 5), torch.full((2,), 0.5, dtype=x.dtype), x.new_ones(3), torch.linspace(0, 1, 5, dtype=x.dtype) * x),
    # matrices
    "products of matrices": lambda m, x: (x @ x.transpose(1, 2), x[0] @ x[0, 0], torch.einsum("bij,bkj->bik", x, x), x[0].t().mm(x[0]), torch.outer(x[0, 0], x[0, 1])),
    "added products": lambda m, x: (torch.addmm(x[0, :, :4], x[0], x[0].t()[:, :4], beta=0.5, alpha=2), torch.baddbmm(x[:, :, :4], x, x.mT, beta=2), torch.dot(x[0, 0], x[1, 1])),
    "einsum": lambda m, x: (torch.einsum("bij->bji", x), torch.einsum("bij,j->", x, x[0, 0]), torch.einsum("bii->b", x[:, :4, :4]), torch.einsum("bij,bjk,bkl->il", x, x.mT, x)),
}  # fmt: skip


@pytest.mark.parametrize("case", FUNCTIONS)
def test_functions(case: str) -> None:
    check(Call(FUNCTIONS[case]), [normal(3, 4, 5)])

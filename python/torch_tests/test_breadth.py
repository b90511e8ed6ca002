"""Operators and layers of levels 1 and 2 of KernelBench and beyond, by both ways: a module in memory, which PyTorch may
take apart, and an archive as a user saves it, which nobody does."""

from __future__ import annotations

import pytest
import steptp
import torch
import torch.nn.functional as F
from compare import check, check_archive, tensors
from test_options import Call, integers, normal
from torch import nn


class Flat(Call):
    """Named tuples of PyTorch cannot be saved."""

    def forward(self, *inputs):
        return tuple(tensors(self.function(self, *inputs)))


CASES: dict[str, tuple[nn.Module, list, str]] = {}


def case(name: str, function, *inputs, mode: str = "train", **children) -> None:
    CASES[name] = (function if isinstance(function, nn.Module) else Flat(function, **children), list(inputs), mode)


x2, x3, x4 = normal(4, 6), normal(3, 4, 5), normal(2, 4, 6, 5)
logits, others, labels = normal(5, 4), normal(5, 4, seed=3), integers(4, 5)
weights = torch.tensor([0.5, 1.0, 2.0, 0.1], dtype=torch.float64)

# Convolutions and windows
case("transposed, all options", nn.ConvTranspose2d(4, 6, (3, 2), stride=(2, 3), padding=(1, 0), output_padding=(1, 2), groups=2, dilation=(2, 1)), normal(2, 4, 4, 3))
case("transposed 1d, depthwise, dilated", nn.ConvTranspose1d(4, 4, 3, stride=2, padding=2, dilation=3, groups=4), normal(2, 4, 7))
case("transposed 3d, depthwise", nn.ConvTranspose3d(4, 4, 3, stride=2, padding=1, output_padding=1, groups=4), normal(1, 4, 3, 2, 3))
case("transposed to a size", lambda m, x: m.c(x, output_size=(9, 10)), normal(1, 2, 5, 5), c=nn.ConvTranspose2d(2, 3, 3, stride=2, padding=1))
case("3d, dilated, groups", nn.Conv3d(4, 4, (1, 3, 2), padding=(0, 2, 1), dilation=(1, 2, 1), groups=2, bias=False), normal(1, 4, 3, 5, 4))
case("1d, same", nn.Conv1d(2, 3, 4, padding="same", dilation=2), normal(2, 2, 9))
case("3d, same", nn.Conv3d(2, 3, 3, padding="same"), normal(1, 2, 4, 3, 4))
for padding in ("circular", "replicate", "reflect"):
    case(f"3d, {padding}", nn.Conv3d(2, 3, 3, padding=1, padding_mode=padding), normal(1, 2, 3, 4, 3))
case("a kernel that is an input", lambda m, x, w: F.conv2d(x, w, stride=2), normal(1, 3, 6, 6), normal(2, 3, 3, 3))
case("columns", lambda m, x: F.unfold(x, (2, 3), padding=1, stride=2, dilation=(2, 1)), normal(2, 3, 6, 5))
case("shuffles", lambda m, x: (F.pixel_shuffle(x, 2), F.pixel_unshuffle(x, 2), F.channel_shuffle(x, 2)), normal(1, 4, 4, 6))

# Pooling
case("max, indices", lambda m, x: F.max_pool2d(x, 2, return_indices=True), normal(2, 3, 6, 6))
case("max, indices, all options", lambda m, x: F.max_pool2d(x, 3, 2, 1, 2, True, return_indices=True), normal(2, 3, 9, 8))
case("max 1d, indices", lambda m, x: F.max_pool1d(x, 3, 2, 1, return_indices=True), normal(2, 3, 9))
case("max 3d, indices alone", lambda m, x: F.max_pool3d(x, 2, return_indices=True)[1], normal(1, 2, 4, 4, 6))
case("max, equal elements", lambda m, x: F.max_pool2d(x.round(), 2, 1, 1, return_indices=True), normal(1, 1, 5, 5))
case("adaptive max, indices", lambda m, x: F.adaptive_max_pool2d(x, (3, 2), return_indices=True), normal(1, 2, 7, 4))
case("adaptive max 1d and 3d", lambda m, x: (F.adaptive_max_pool1d(x[0, 0], 3), F.adaptive_max_pool3d(x, (2, 3, None))), normal(1, 2, 5, 4, 8))
case("unpooling", lambda m, x: F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2), normal(1, 2, 4, 6))
case("average 1d, ceil_mode", nn.AvgPool1d(3, 2, 1, ceil_mode=True, count_include_pad=False), normal(1, 2, 8))
case("average 3d, divisor", nn.AvgPool3d(3, 2, 1, ceil_mode=True, divisor_override=5), normal(1, 2, 6, 5, 4))
case("average 3d, without the padding", nn.AvgPool3d((2, 3, 2), (2, 2, 1), (1, 1, 0), ceil_mode=True, count_include_pad=False), normal(1, 2, 6, 5, 4))
case("max 3d, ceil_mode", nn.MaxPool3d(3, 2, 1, ceil_mode=True), normal(1, 2, 6, 5, 4))
case("power", lambda m, x: (F.lp_pool2d(x, 2, 3, 2, ceil_mode=True), F.lp_pool1d(x[0].abs(), 3, 3, 2)), normal(1, 2, 6, 6))
case("without a batch", lambda m, x: (F.max_pool2d(x, 2), F.avg_pool2d(x, 2), F.adaptive_avg_pool2d(x, 2)), normal(3, 6, 6))

# Upsampling, by factors that do not give whole numbers as well
for factor in ({"scale_factor": 1.5}, {"scale_factor": 0.7}, {"scale_factor": (1.3, 2.2)}, {"scale_factor": 1.5, "recompute_scale_factor": True}, {"size": (7, 3)}):
    for kind in ("nearest", "nearest-exact", "bilinear", "bicubic", "area"):
        case(f"{kind} {factor}", lambda m, x, f=factor, k=kind: F.interpolate(x, mode=k, **f), normal(1, 2, 6, 5))
    case(f"corners {factor}", lambda m, x, f=factor: (F.interpolate(x, mode="bilinear", align_corners=True, **f), F.interpolate(x, mode="bicubic", align_corners=True, **f)), normal(1, 2, 6, 5))
case("upsampling 1d and 3d", lambda m, x, y: (F.interpolate(x, scale_factor=1.4, mode="linear"), F.interpolate(y, scale_factor=1.4, mode="trilinear"), F.interpolate(y, scale_factor=1.4), F.interpolate(x, scale_factor=1.7)), normal(1, 2, 7), normal(1, 2, 3, 4, 5))

# Norms
for mode in ("train", "eval"):
    case(f"instance, running statistics, {mode}", nn.InstanceNorm1d(4, affine=True, track_running_stats=True), normal(2, 4, 5), mode=mode)
    case(f"instance 3d, running statistics, {mode}", nn.InstanceNorm3d(4, track_running_stats=True), normal(2, 4, 2, 3, 2), mode=mode)
case("weight norm", torch.nn.utils.parametrizations.weight_norm(nn.Linear(6, 3)), x2)
case("spectral norm", torch.nn.utils.parametrizations.spectral_norm(nn.Linear(6, 3)), x2, mode="eval")
case("norms as functions", lambda m, x: (F.layer_norm(x, x.shape[1:]), F.batch_norm(x, weights, weights, training=False), F.normalize(x, p=1, dim=1), torch.norm(x, p="fro"), torch.linalg.norm(x)), x4)
case("norms of vectors", lambda m, x: (torch.norm(x, p=float("inf"), dim=1), torch.linalg.vector_norm(x, float("-inf")), torch.linalg.vector_norm(x, 0, dim=1), torch.linalg.matrix_norm(x), torch.dist(x, x + 1), torch.cdist(x, x * 2)), x3)

# Activations
for name, layer in {"prelu": nn.PReLU(4), "prelu, one": nn.PReLU(), "tanhshrink": nn.Tanhshrink(), "softmax 2d": nn.Softmax2d(), "glu": nn.GLU(1)}.items():
    case(name, layer, x4)
case("randomised, eval", nn.RReLU(), x4, mode="eval")
for layer in (nn.ReLU, nn.ReLU6, nn.LeakyReLU, nn.ELU, nn.CELU, nn.SELU, nn.SiLU, nn.Mish, nn.Hardsigmoid, nn.Hardswish, nn.Hardtanh):
    case(f"{layer.__name__} in place", lambda m, x: m.f(x * 2), x4, f=layer(inplace=True))

# Losses
for how in ("mean", "sum", "none"):
    case(f"cross entropy, all options, {how}", lambda m, x, y, r=how: F.cross_entropy(x, y, weight=weights, ignore_index=2, label_smoothing=0.15, reduction=r), logits, labels)
    case(f"cross entropy, probabilities, {how}", lambda m, x, y, r=how: F.cross_entropy(x, y.softmax(1), weight=weights, label_smoothing=0.15, reduction=r), logits, others)
    case(f"likelihood, {how}", lambda m, x, y, r=how: F.nll_loss(x.log_softmax(1), y, weight=weights, ignore_index=1, reduction=r), logits, labels)
    case(f"likelihood in space, {how}", lambda m, x, y, r=how: F.nll_loss(x.log_softmax(1), y, weight=weights, reduction=r), normal(2, 4, 3, 3), integers(4, 2, 3, 3))
    case(f"binary, {how}", lambda m, x, y, r=how: (F.binary_cross_entropy(x.sigmoid(), y.sigmoid(), weight=weights, reduction=r), F.binary_cross_entropy_with_logits(x, y.sigmoid(), weight=weights, pos_weight=weights, reduction=r)), logits, others)
    case(f"pairs, {how}", lambda m, x, y, r=how: (F.mse_loss(x, y, reduction=r), F.l1_loss(x, y, reduction=r), F.smooth_l1_loss(x, y, reduction=r, beta=0.3), F.huber_loss(x, y, reduction=r, delta=0.5), F.soft_margin_loss(x, y.sign(), reduction=r), F.kl_div(x.log_softmax(-1), y.softmax(-1), reduction=r)), logits, others)
    case(f"margins, {how}", lambda m, x, y, r=how: (F.margin_ranking_loss(x, y, y.sign(), 0.2, reduction=r), F.hinge_embedding_loss(x, y.sign(), 0.7, reduction=r), F.cosine_embedding_loss(x, y, y[:, 0].sign(), 0.1, reduction=r), F.triplet_margin_loss(x, y, x.flip(0), 0.5, p=1.0, swap=True, reduction=r)), logits, others)
    case(f"poisson, {how}", lambda m, x, y, r=how: (F.poisson_nll_loss(x, y.abs(), reduction=r), F.poisson_nll_loss(x.exp(), y.abs() * 3, log_input=False, full=True, reduction=r)), logits, others)
    case(f"classes, {how}", lambda m, x, y, r=how: (F.multi_margin_loss(x, y, p=2, margin=0.7, weight=weights, reduction=r), F.multi_margin_loss(x, y, reduction=r)), logits, labels)

# Order, scans, reductions
case("sorted", lambda m, x: (x.sort(1), x.sort(-1, descending=True), x.argsort(0), torch.sort(x, stable=True, dim=1)), x3)
case("sorted, equal elements", lambda m, x: (torch.sort(x.round(), stable=True, dim=1), torch.sort(x.round(), stable=True, dim=2, descending=True)), x3)
case("the largest", lambda m, x: (x.topk(2, dim=1), x.topk(3, largest=False), x.topk(1, dim=0).indices), x3)
case("in the middle", lambda m, x: (x.median(1), x.median(), x.kthvalue(2, dim=1), x.median(2, keepdim=True)), x3)
case("scans", lambda m, x: (x.cummax(1), x.round().cummin(-1), x.logcumsumexp(1), x.cumprod(-2), (x > 0).cumsum(1)), x3)
case("masked and reversed", lambda m, x: (torch.cumsum(x * (x > 0), 1), x.flip(1).cumsum(1).flip(1), torch.cumsum(torch.cat((torch.zeros_like(x[:, :1]), x), dim=1), dim=1)[:, :-1]), x2)
case("extremes", lambda m, x: (x.argmax(1), x.argmin(-1, keepdim=True), x.max(0), x.min(2, keepdim=True), x.aminmax(), torch.aminmax(x, dim=1, keepdim=True)), x3)
case("moments", lambda m, x: (torch.std_mean(x, 1), x.var(dim=(0, 1), correction=0), x.std(unbiased=False), torch.var_mean(x), torch.std_mean(x)), x3)
case("counts", lambda m, x: (x.sum(dtype=torch.float32), (x > 0).sum(), x.count_nonzero(1), x.nansum(), x.nanmean(1), (x > 0).any(dim=(0, 1)), (x > -9).all(dim=(1, 2))), x3)
case("differences", lambda m, x: (x.diff(dim=1), torch.diff(x, n=2)), x3)
case("classes as rows", lambda m, i: (F.one_hot(i, 5), F.one_hot(i, 5).sum(0)), integers(5, 3, 2))
case("buckets", lambda m, x: (torch.bucketize(x, weights.sort().values), torch.bucketize(x, weights.sort().values, right=True)), x2)

# Products
EQUATIONS = {"...ij,...jk->...ik": ((2, 3, 4, 5), (5, 3)), "b...,...->b": ((2, 3, 4), (3, 4)), "...d,d": ((2, 3), (3,)), "i...,j...->ij...": ((2, 3), (4, 3)), "...ii->...i": ((2, 3, 3),), "...,...->...": ((2, 1, 3), (4, 1)), "a b -> b a": ((2, 3),), "Ab,bC->AC": ((2, 3), (3, 2)), "ij,jk": ((2, 3), (3, 4)), "bclh,bcsh->bhcls": ((1, 2, 3, 2), (1, 2, 3, 2))}  # fmt: skip
for equation, shapes in EQUATIONS.items():
    case(f"einsum {equation}", lambda m, *t, e=equation: torch.einsum(e, *t), *(normal(*shape, seed=at) for at, shape in enumerate(shapes)))
case("products", lambda m, a: (torch.tensordot(a, a, dims=([1, 2], [1, 2])), torch.linalg.multi_dot([a[0], a[1].T, a[2]]), torch.inner(a[0], a[1]), torch.addbmm(a[0][:, :4], a, a.mT, beta=0.5), torch.addr(a[0], a[0, :, 0], a[0, 0], alpha=2), torch.vdot(a[0, 0], a[0, 1]), torch.cross(a[:, :3], a[:, 1:4], dim=1)), x3)
case("ranks", lambda m, a: (a @ a[0].T, a[0, 0] @ a.mT, a @ a[0, 0], a[:1] @ a.mT, a.unsqueeze(1) @ a.mT), x3)
case("bilinear", nn.Bilinear(4, 5, 3), normal(2, 4), normal(2, 5))

# Indices and writes
ints = torch.tensor([1, 0, 3])
case("indexed", lambda m, x, i: (x.index_select(0, i), x[i, 1], x[:, i], x[i, :, i], x[..., i], x[0, i], torch.take(x, i), x[:, [0, 2, 1]]), normal(4, 4, 5), ints)
case("indexed from the end", lambda m, x, i: (x[i], x[:, i], x[i, i], x[i, :, i - 1]), normal(4, 4, 4), torch.tensor([-1, 0, -3]))
case("scattered", lambda m, x, i: (x.scatter(1, i, x * 2), x.scatter(1, i, 0.5), x.scatter(0, i[:, :1], x)), normal(3, 4), torch.tensor([[0, 1], [2, 0], [1, 2]]))
case("scattered, folded", lambda m, x, i: (x.scatter_add(1, i, x * 2), x.scatter_reduce(1, i, x * 2, "amax"), x.scatter_reduce(1, i, x, "prod"), x.scatter_reduce(1, i, x, "sum", include_self=False)), normal(3, 4), integers(4, 3, 2))
case("put", lambda m, x, i: (x.index_put((i,), x[:3] * 2), x.index_put((i, i), x[0, :3], accumulate=True), x.index_add(0, i, x[:3]), x.index_copy(1, i, x[:, :3]), x.index_fill(0, i, 2.0)), normal(4, 4), ints)
case("put twice", lambda m, x, i: (x.index_put((i,), x[:3], accumulate=True), x.index_add(1, i, x[:, :3], alpha=2.0), x.index_put((i,), x[:3])), normal(4, 4), torch.tensor([1, 0, 1]))
case("diagonals", lambda m, a: (a.diagonal(dim1=1, dim2=2), torch.diagonal(a, 1, 0, 2), torch.diagonal(a, -1, 2, 0), torch.diag_embed(a), torch.trace(a[0])), x3)
case("bags", nn.EmbeddingBag(7, 3, mode="sum"), integers(7, 2, 3))
case("bags, mean", nn.EmbeddingBag(7, 3, mode="mean"), integers(7, 2, 3))


def written(m, x, i):
    y = x.clone()
    y[i] = 1.5
    y[:, i] += 2
    y[i, i] = x[0, :3]
    y[:, [0, 2]] = 1.0
    y[torch.arange(4), torch.arange(4)] = 0
    y[-1] = y[0]
    y[y > 1] = 0
    y[y[:, 0] > 0] = x[0]
    y[-i] = 7
    return y


def written_in_steps(m, x):
    y, z = x.clone(), x.clone()
    y[::2] = 1.5
    y[:, 1::2] += 2
    y[1::2, ::3].mul_(3)
    z.diagonal().fill_(0)
    z.diagonal(1).add_(x[0, :4])
    z.fill_diagonal_(7.0)
    z.expand(4, 6).add_(1)
    return y, z


def written_through_views(m, x):
    y = x.clone()
    y.view(2, 2, 6).transpose(0, 1)[:, 0].add_(1)
    y[:, 2:4] = torch.stack([x[:, 0], x[:, 1]], 1)
    y.squeeze(0).unsqueeze(-1).neg_()
    z = torch.empty(4, 6, dtype=x.dtype).fill_(2)
    z.scatter_(1, torch.tensor([[0], [2], [1], [5]]), x)
    return y, z.index_add_(0, torch.tensor([0, 2]), x[:2])


def written_elementwise(m, x):
    y = x.clone().exp_().add_(1).log_().mul_(2).sub_(0.1).div_(3).pow_(2).sqrt_().clamp_(0, 2).neg_().abs_().sigmoid_().tanh_()
    y += 1
    y **= 2
    y //= 0.1
    y %= 3
    return y.clip_(0.5).reciprocal_().lerp_(x, 0.3).fmod_(0.2)


case("written", written, normal(4, 4), ints)
case("written in steps", written_in_steps, normal(4, 6))
case("written through views", written_through_views, normal(4, 6))
case("written elementwise", written_elementwise, x2)

# Elementwise
case("remainders", lambda m, x: (torch.fmod(x * 4, 1.5), torch.fmod(x, x.flip(0)), (x * 5).to(torch.int64).fmod(3), torch.remainder(x, -0.7)), x2)
case("hyperbolic", lambda m, x: (x.sinh(), x.cosh(), x.tan(), x.asinh(), torch.acosh(x.abs() + 1.1), torch.atanh(x.clamp(-0.9, 0.9))), x2)
case("logarithms", lambda m, x: (x.expm1(), x.abs().log1p(), x.abs().log2(), x.abs().log10(), x.exp2(), torch.logit(x.sigmoid()), torch.logit(x, 1e-2), torch.logaddexp(x, x.flip(0)), torch.logaddexp2(x, x.flip(0)), torch.xlogy(x.abs(), x.abs())), x2)
case("special", lambda m, x: (x.erfc(), x.sinc(), torch.special.expit(x), torch.special.ndtr(x), torch.special.entr(x), torch.hypot(x, x.flip(0)), x.frac(), x.sgn(), x.rad2deg(), torch.heaviside(x, x.flip(0))), x2)
case("chosen", lambda m, x: (torch.lerp(x, x.flip(0), x.sigmoid()), torch.nan_to_num(x / x.clamp(min=0)), x.fmax(x.flip(0)), x.fmin(x.flip(0)), x.clamp(min=x.flip(0)), x.clamp(x.flip(0) - 1, x.flip(0)), x.clip(-1, 1), x.round(decimals=1), x.isfinite()), x2)
case("compared", lambda m, x: (x.eq(0), x.gt(0.1) & x.lt(0.5), (x > 0) | (x < -1), (x > 0) ^ (x < 1), ~(x > 0), x.greater(0), torch.not_equal(x, 0), x.less_equal(x.flip(0))), x2)
case("integers", lambda m, x: (x + 1, x // 2, x % 3, -x, x / 2, x**2, x << 1, x >> 1, ~x, x.clamp(1, 2), x.sum(), x.cumsum(0), torch.div(x, 2, rounding_mode="trunc")), integers(9, 2, 3))
case("created", lambda m, x: (torch.linspace(0, 1, 4, dtype=x.dtype), x.new_tensor([1, 2]), torch.arange(0, 1, 0.25), torch.empty_like(x).zero_(), *torch.meshgrid(x[0, 0], x[0, 1], indexing="ij"), *torch.meshgrid(x[0, 0], x[0, 1], indexing="xy")), x3)
case("shapes", lambda m, x: (x.swapaxes(0, 1), x.ravel(), torch.atleast_3d(x[0, 0]), torch.broadcast_to(x, (2, 3, 4, 5)), x.fliplr(), torch.hstack([x, x]), torch.vstack([x[0, 0], x[0]]), torch.column_stack([x[0, 0], x[0].T]), x.movedim(0, -1), x.moveaxis((0, 1), (2, 0)), torch.concatenate([x, x], 1), *torch.tensor_split(x, 3, dim=2)), x3)

# Sequences
case("lstm, states", lambda m, x, h, c: m.r(x, (h, c)), normal(5, 2, 3), normal(2, 2, 4), normal(2, 2, 4), r=nn.LSTM(3, 4, 2))
case("lstm, projection", lambda m, x: m.r(x), normal(4, 2, 3), r=nn.LSTM(3, 4, proj_size=2))
case("lstm, projection, everything", lambda m, x: m.r(x), normal(2, 4, 3), r=nn.LSTM(3, 4, 2, proj_size=2, bidirectional=True, batch_first=True))
case("lstm, projection, no bias", lambda m, x: m.r(x), normal(4, 2, 3), r=nn.LSTM(3, 4, 2, proj_size=1, bias=False))
case("lstm, dropout, last state", lambda m, x: m.r(x)[1][0], normal(2, 4, 3), r=nn.LSTM(3, 4, 2, batch_first=True, bidirectional=True, dropout=0.2))
case("lstm, no batch", lambda m, x: m.r(x), normal(4, 3), r=nn.LSTM(3, 4))
case("gru, states", lambda m, x, h: m.r(x, h), normal(4, 2, 3), normal(4, 2, 3), r=nn.GRU(3, 3, 2, bidirectional=True, bias=False))
case("cells", lambda m, x, h: (m.a(x, h), m.b(x, (h, h)), m.c(x, h), m.d(x, h)), normal(2, 3), normal(2, 4), a=nn.RNNCell(3, 4, nonlinearity="relu"), b=nn.LSTMCell(3, 4), c=nn.GRUCell(3, 4, bias=False), d=nn.RNNCell(3, 4))
case("attention, groups", lambda m, q, k, v: F.scaled_dot_product_attention(q, k, v, enable_gqa=True), normal(2, 4, 3, 6), normal(2, 2, 5, 6), normal(2, 2, 5, 6))
case("attention, longer keys", lambda m, q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), normal(2, 4, 3, 6), normal(2, 4, 5, 6), normal(2, 4, 5, 7))
case("heads, masks", lambda m, a, b: m.a(a, b, b, attn_mask=torch.triu(torch.ones(3, 4, dtype=torch.bool), 2), average_attn_weights=False), normal(3, 2, 6), normal(4, 2, 6), a=nn.MultiheadAttention(6, 2))
case("heads, padding", lambda m, a: m.a(a, a, a, key_padding_mask=torch.tensor([[False, False, True], [False, True, False]])), normal(2, 3, 6), a=nn.MultiheadAttention(6, 3, batch_first=True))
case("heads, other widths", lambda m, a, b: m.a(a, b, b), normal(3, 2, 6), normal(4, 2, 5), a=nn.MultiheadAttention(6, 2, kdim=5, vdim=5, add_bias_kv=True, add_zero_attn=True))
case("transformer", nn.Transformer(6, 2, 1, 1, 8, 0.0), normal(3, 2, 6), normal(4, 2, 6))


def switched(m, x):
    with torch.autocast("cpu", enabled=False), torch.no_grad():
        y = m.l(x)
    return torch.utils.checkpoint.checkpoint(m.l, x, use_reentrant=False) + y


case("switches", switched, x2, l=nn.Linear(6, 3))


@pytest.mark.parametrize("way", ["module", "archive"])
@pytest.mark.parametrize("name", CASES)
def test_both_ways(name: str, way: str) -> None:
    module, inputs, mode = CASES[name]
    for buffer_name, buffer in module.named_buffers():
        if "running" in buffer_name:
            buffer.copy_(torch.linspace(0.5, 1.5, buffer.numel()))
    (check if way == "module" else check_archive)(module, inputs, mode=mode)


def test_an_encoder_with_a_mask() -> None:
    """PyTorch looks whether the mask is causal, which no capture can follow; the mask itself is used."""
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(6, 2, 8, 0.1), 2)
    mask = nn.Transformer.generate_square_subsequent_mask(3).double()
    check(Call(lambda m, x: m.e(x, mask=mask), e=encoder), [normal(3, 2, 6)])


def test_weights_that_a_hook_computes() -> None:
    """The old weight norm keeps its product as a plain attribute, which cannot be copied."""
    module = torch.nn.utils.weight_norm(nn.Conv1d(2, 3, 3)).double()
    program = steptp.from_torch(module, [normal(1, 2, 6)])
    assert torch.allclose(steptp.to_torch(program, module)(normal(1, 2, 6)), module(normal(1, 2, 6)))


def test_index_inputs_have_the_domain_that_pytorch_allows() -> None:
    def domain(function, inputs: list, **children) -> str | None:
        program = steptp.from_torch(Call(function, **children), inputs)
        return next(variable.domain for variable in program.signature if variable.role == "input" and variable.dtype == "int64")

    assert domain(lambda m, i: m.e(i.flatten()), [integers(7, 2, 3)], e=nn.Embedding(7, 3)) == "[0,7)"
    assert domain(lambda m, x, i: x[:, i], [x2, integers(6, 3)]) == "[-6,6)"
    assert domain(lambda m, x, i: x.gather(1, i) + x.gather(0, i), [x2, integers(4, 4, 6)]) == "[0,4)"
    assert domain(lambda m, x, i: F.cross_entropy(x, i), [logits, labels]) != "[0,4)"  # some may be ignored


REFUSED = {
    "inverse of a cosine": (lambda m, x: x.acos(), "aten.acos.default is not supported"),
    "bits": (lambda m, x: x.to(torch.int64) & 1, "bits of integers are not supported"),
    "overlapping windows": (lambda m, x: x.clone().unfold(1, 2, 2).add_(1), "writes through aten.unfold.default"),
    "mask and numbers": (lambda m, x: x.clone().index_put((x > 0,), x[0, :1]), "how many elements the mask chooses"),
    "a broadcast that is written later": (lambda m, x: shared(x), "seen through a broadcast as well"),
    "autocast": (lambda m, x: cast(x), "wrap_with_autocast is not supported"),
    "labels in lists": (lambda m, x: F.multilabel_margin_loss(x, x.argsort(1)), "multilabel_margin_loss"),
    "the mean of what is scattered": (lambda m, x: x.scatter_reduce(1, x.argsort(1), x, "mean"), "only sum, prod, amax and amin"),
    "bytes are a mask": (lambda m, x: x[:, torch.tensor([1, 0, 1, 1, 0, 0], dtype=torch.uint8)], ""),
    "no number of classes": (lambda m, x: F.one_hot(x.argmax(1)), ""),
}


def shared(x):
    y = x[:, 0].clone()
    grid = torch.meshgrid(y, x[0], indexing="ij")[0]
    y.add_(1)
    return grid


def cast(x):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return x.float() @ x.float().T


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    function, message = REFUSED[name]
    with pytest.raises(steptp.DiagnosticError) as caught:
        steptp.from_torch(Call(function), [x2])
    assert message in str(caught.value)

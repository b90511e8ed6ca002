"""Single operators: what the lowered program computes is what numpy computes, written independently here."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import steptp

RANDOM = np.random.default_rng(7)


def real(*shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape)


def positive(*shape: int) -> np.ndarray:
    return RANDOM.uniform(0.1, 2.0, shape)


def classes(count: int, *shape: int) -> np.ndarray:
    return RANDOM.integers(0, count, shape)


def lowered(op: str, tensors: dict[str, Any], attributes: dict[str, Any], outputs: list[str]) -> steptp.Program:
    nodes = []
    arguments: dict[str, Any] = dict(attributes)
    for name, value in tensors.items():
        many = value if isinstance(value, list) else [value]
        names = [f"{name}_{number}" for number in range(len(many))]
        for node, array in zip(names, many):
            nodes.append({"kind": "input", "name": node, "dtype": str(array.dtype), "shape": list(array.shape)})
        arguments[name] = names if isinstance(value, list) else names[0]
    nodes.append({"kind": "call", "name": "y", "op": op, "args": arguments})
    return steptp.from_graph({"nodes": nodes, "outputs": outputs})


def run(op: str, tensors: dict[str, Any], attributes: dict[str, Any], outputs: list[str]) -> list[np.ndarray]:
    program = lowered(op, tensors, attributes, outputs)
    report = steptp.check(program)
    assert report.ok is True, (report.diagnostics, program.to_text())
    arrays = [array for value in tensors.values() for array in (value if isinstance(value, list) else [value])]
    names = [variable.name for variable in program.signature if variable.role == "input"]
    result = steptp.run(program, dict(zip(names, arrays)))
    return [result[variable.name] for variable in program.signature if variable.role == "output"]


def assigned(x: np.ndarray, where: Any, values: Any) -> np.ndarray:
    out = x.copy()
    out[where] = values
    return out


def added(x: np.ndarray, where: Any, values: Any) -> np.ndarray:
    out = x.copy()
    np.add.at(out, where, values)
    return out


def scattered(x: np.ndarray, index: np.ndarray, values: np.ndarray, add: bool = False) -> np.ndarray:
    out = x.copy()
    for (row, column), target in np.ndenumerate(index):
        out[row, target] = values[row, column] + (out[row, target] if add else 0)
    return out


def interpolated(x: np.ndarray, length: int, scale: float) -> np.ndarray:
    places = np.maximum((np.arange(length) + 0.5) * scale - 0.5, 0)
    left = np.floor(places).astype(int)
    right = np.minimum(left + 1, x.shape[-1] - 1)
    return x[..., left] + (places - left) * (x[..., right] - x[..., left])


def softmax(x: np.ndarray, axis: int) -> np.ndarray:
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def conv2d(x, w, bias=None, stride=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1):
    x = np.pad(x, [(0, 0), (0, 0), (padding[0],) * 2, (padding[1],) * 2])
    n, c, h, width = x.shape
    o, i, kh, kw = w.shape
    oh = (h - dilation[0] * (kh - 1) - 1) // stride[0] + 1
    ow = (width - dilation[1] * (kw - 1) - 1) // stride[1] + 1
    out = np.zeros((n, o, oh, ow))
    for oc in range(o):
        first = oc // (o // groups) * i
        for y in range(oh):
            for z in range(ow):
                part = x[
                    :,
                    first : first + i,
                    y * stride[0] : y * stride[0] + dilation[0] * (kh - 1) + 1 : dilation[0],
                    z * stride[1] : z * stride[1] + dilation[1] * (kw - 1) + 1 : dilation[1],
                ]
                out[:, oc, y, z] = (part * w[oc]).sum((1, 2, 3))
        if bias is not None:
            out[:, oc] += bias[oc]
    return out


def conv_transpose2d(x, w, stride, padding, output_padding, dilation, groups=1):
    n, c, h, width = x.shape
    _, o, kh, kw = w.shape
    oh = (h - 1) * stride - 2 * padding + dilation * (kh - 1) + output_padding + 1
    ow = (width - 1) * stride - 2 * padding + dilation * (kw - 1) + output_padding + 1
    out = np.zeros((n, o * groups, oh, ow))
    for ic in range(c):
        group = ic // (c // groups)
        for y in range(h):
            for z in range(width):
                for a in range(kh):
                    for b in range(kw):
                        row = y * stride + a * dilation - padding
                        column = z * stride + b * dilation - padding
                        if 0 <= row < oh and 0 <= column < ow:
                            out[:, group * o : (group + 1) * o, row, column] += x[:, ic, y, z, None] * w[ic, :, a, b]
    return out


def pool(x, kernel, stride, padding, ceil_mode, how, include_pad=True):
    n, c, length = x.shape
    room = length + 2 * padding - kernel
    count = (-(-room // stride) if ceil_mode else room // stride) + 1
    if ceil_mode and (count - 1) * stride >= length + padding:
        count -= 1
    out = np.zeros((n, c, count))
    for i in range(count):
        start = i * stride - padding
        part = x[:, :, max(start, 0) : min(start + kernel, length)]
        if how == "max":
            out[:, :, i] = part.max(2)
        else:
            size = min(start + kernel, length + padding) - start if include_pad else part.shape[2]
            out[:, :, i] = part.sum(2) / size
    return out


def adaptive(x, n):
    length = x.shape[-1]
    parts = [x[..., i * length // n : -(-(i + 1) * length // n)] for i in range(n)]
    return np.stack([part.mean(-1) for part in parts], -1)


def linear_resize(x, n, align):
    length = x.shape[-1]
    out = []
    for i in range(n):
        at = i * (length - 1) / (n - 1) if align else max((i + 0.5) * length / n - 0.5, 0)
        low = min(int(at), length - 1)
        high = min(low + 1, length - 1)
        out.append(x[..., low] + (at - low) * (x[..., high] - x[..., low]))
    return np.stack(out, -1)


def normal(x, axes, eps=1e-5):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)


def log_softmax(x, axis):
    return np.log(softmax(x, axis))


def attention(q, k, v, causal=False, mask=None):
    s = q @ np.swapaxes(k, -1, -2) / math.sqrt(q.shape[-1])
    if causal:
        s = np.where(np.tril(np.ones(s.shape[-2:], bool)), s, -np.inf)
    if mask is not None:
        s = s + mask
    return softmax(s, -1) @ v


def lstm(x, h, c, wi, wh, bi, bh):
    out = []
    for t in range(x.shape[1]):
        i, f, g, o = np.split(x[:, t] @ wi.T + bi + h @ wh.T + bh, 4, 1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        out.append(h)
    return np.stack(out, 1), h[None], c[None]


def gru(x, h, wi, wh, bi, bh):
    out = []
    for t in range(x.shape[0]):
        a = np.split(x[t] @ wi.T + bi, 3, 1)
        b = np.split(h @ wh.T + bh, 3, 1)
        r, z = sigmoid(a[0] + b[0]), sigmoid(a[1] + b[1])
        h = (1 - z) * np.tanh(a[2] + r * b[2]) + z * h
        out.append(h)
    return np.stack(out), h[None]


X = real(3, 4, 5)
Y = real(4, 5)
P = positive(3, 4)
IMAGE = real(2, 4, 6, 5)
erf = np.vectorize(math.erf)

#: operator, tensors, attributes, what it is
CASES: list[tuple[str, dict[str, Any], dict[str, Any], Callable[..., Any]]] = [
    ("add.Tensor", {"self": X, "other": Y}, {"alpha": 2.5}, lambda x, y: x + 2.5 * y),
    ("sub.Tensor", {"self": Y, "other": X}, {}, lambda y, x: y - x),
    ("rsub.Scalar", {"self": X}, {"other": 1}, lambda x: 1 - x),
    ("div.Tensor", {"self": X, "other": positive(5)}, {}, lambda x, y: x / y),
    ("remainder.Scalar", {"self": X}, {"other": 0.7}, lambda x: np.mod(x, 0.7)),
    ("pow.Tensor_Scalar", {"self": X}, {"exponent": 3}, lambda x: x**3),
    ("maximum.default", {"self": X, "other": Y}, {}, np.maximum),
    ("where.self", {"condition": X > 0, "self": X, "other": Y}, {}, np.where),
    ("masked_fill.Scalar", {"self": X, "mask": Y > 0}, {"value": -2.0}, lambda x, m: np.where(m, -2.0, x)),
    ("clamp.default", {"self": X}, {"min": -0.5, "max": 0.25}, lambda x: np.clip(x, -0.5, 0.25)),
    ("lt.Scalar", {"self": X}, {"other": 0.1}, lambda x: x < 0.1),
    ("logical_not.default", {"self": X > 0}, {}, np.logical_not),
    ("sign.default", {"self": X}, {}, np.sign),
    ("rsqrt.default", {"self": P}, {}, lambda x: 1 / np.sqrt(x)),
    ("sin.default", {"self": X}, {}, np.sin),
    ("round.default", {"self": 3 * X}, {}, np.round),
    ("trunc.default", {"self": 3 * X}, {}, np.trunc),
    ("log1p.default", {"self": P}, {}, np.log1p),
    ("to.dtype", {"self": 9 * X}, {"dtype": "int64"}, lambda x: x.astype("int64")),
    ("gelu.default", {"self": X}, {}, lambda x: 0.5 * x * (1 + erf(x / math.sqrt(2)))),
    ("silu.default", {"self": X}, {}, lambda x: x * sigmoid(x)),
    ("mish.default", {"self": X}, {}, lambda x: x * np.tanh(np.log1p(np.exp(x)))),
    ("tanh.default", {"self": X}, {}, np.tanh),
    ("softplus.default", {"self": X}, {"beta": 2}, lambda x: np.log1p(np.exp(2 * x)) / 2),
    ("elu.default", {"self": X}, {"alpha": 0.5}, lambda x: np.where(x > 0, x, 0.5 * np.expm1(x))),
    ("celu.default", {"self": X}, {"alpha": 2.0}, lambda x: np.where(x > 0, x, 2 * np.expm1(x / 2))),
    ("log_sigmoid.default", {"self": X}, {}, lambda x: np.log(sigmoid(x))),
    ("hardswish.default", {"self": 4 * X}, {}, lambda x: x * np.clip(x + 3, 0, 6) / 6),
    ("softshrink.default", {"self": X}, {}, lambda x: np.sign(x) * np.maximum(abs(x) - 0.5, 0)),
    ("prelu.default", {"self": X, "weight": real(4)}, {}, lambda x, w: np.where(x > 0, x, w[:, None] * x)),
    ("glu.default", {"self": real(3, 8)}, {}, lambda x: x[:, :4] * sigmoid(x[:, 4:])),
    ("softmax.int", {"self": X}, {"dim": 1}, lambda x: softmax(x, 1)),
    ("log_softmax.int", {"self": X}, {"dim": -1}, lambda x: log_softmax(x, -1)),
    ("sum.dim_IntList", {"self": X}, {"dim": [0, -1], "keepdim": True}, lambda x: x.sum((0, 2), keepdims=True)),
    ("mean.dim", {"self": X}, {"dim": [1]}, lambda x: x.mean(1)),
    ("prod.dim_int", {"self": X}, {"dim": 0}, lambda x: x.prod(0)),
    ("argmax.default", {"self": X}, {"dim": 1}, lambda x: x.argmax(1)),
    ("argmin.default", {"self": X}, {}, lambda x: np.array(x.argmin())),
    ("any.dim", {"self": X > 1}, {"dim": 2}, lambda x: x.any(2)),
    ("all.default", {"self": X > -9}, {}, lambda x: np.array(x.all())),
    ("logsumexp.default", {"self": X}, {"dim": [1], "keepdim": True}, lambda x: np.log(np.exp(x).sum(1, keepdims=True))),
    ("var.correction", {"self": X}, {"dim": [0, 2]}, lambda x: x.var((0, 2), ddof=1)),
    ("std.dim", {"self": X}, {"dim": [1], "unbiased": False}, lambda x: x.std(1)),
    ("linalg_vector_norm.default", {"self": X}, {"ord": 3, "dim": [1]}, lambda x: (abs(x) ** 3).sum(1) ** (1 / 3)),
    ("cumsum.default", {"self": X}, {"dim": 1}, lambda x: x.cumsum(1)),
    ("cumprod.default", {"self": X}, {"dim": -1}, lambda x: x.cumprod(-1)),
    ("view.default", {"self": X}, {"size": [6, -1]}, lambda x: x.reshape(6, 10)),
    ("view.default", {"self": real(6, 4)}, {"size": [4, 6]}, lambda x: x.reshape(4, 6)),
    ("permute.default", {"self": X}, {"dims": [2, 0, 1]}, lambda x: x.transpose(2, 0, 1)),
    ("expand.default", {"self": real(4, 1)}, {"size": [3, -1, 2]}, lambda x: np.broadcast_to(x, (3, 4, 2))),
    ("slice.Tensor", {"self": X}, {"dim": 2, "start": 1, "end": -1, "step": 2}, lambda x: x[:, :, 1:-1:2]),
    ("select.int", {"self": X}, {"dim": 1, "index": -1}, lambda x: x[:, -1]),
    ("cat.default", {"tensors": [real(2, 3), real(2, 1), real(2, 2)]}, {"dim": 1}, lambda *p: np.concatenate(p, 1)),
    ("stack.default", {"tensors": [real(2, 3), real(2, 3)]}, {"dim": -1}, lambda *p: np.stack(p, -1)),
    ("repeat.default", {"self": real(2, 3)}, {"repeats": [2, 1, 3]}, lambda x: np.tile(x, (2, 1, 3))),
    ("repeat_interleave.self_int", {"self": X}, {"repeats": 2, "dim": 1}, lambda x: x.repeat(2, 1)),
    ("flip.default", {"self": X}, {"dims": [0, 2]}, lambda x: x[::-1, :, ::-1]),
    ("roll.default", {"self": X}, {"shifts": [2, -1], "dims": [1, 2]}, lambda x: np.roll(x, (2, -1), (1, 2))),
    ("unfold.default", {"self": Y}, {"dimension": 1, "size": 3, "step": 2}, lambda x: np.stack([x[:, :3], x[:, 2:]], 1)),
    ("tril.default", {"self": X}, {"diagonal": -1}, lambda x: np.tril(x, -1)),
    ("triu.default", {"self": X}, {"diagonal": 1}, lambda x: np.triu(x, 1)),
    ("diag.default", {"self": real(4)}, {"diagonal": -1}, lambda x: np.diag(x, -1)),
    ("diag.default", {"self": Y}, {"diagonal": 2}, lambda x: np.diag(x, 2)),
    ("pad.default", {"self": X}, {"pad": [1, 2, -1, 1], "value": 3.0}, lambda x: np.pad(x[:, 1:], [(0, 0), (0, 1), (1, 2)], constant_values=3.0)),
    ("pad.default", {"self": X}, {"pad": [2, 1], "mode": "reflect"}, lambda x: np.pad(x, [(0, 0), (0, 0), (2, 1)], "reflect")),
    ("pad.default", {"self": IMAGE}, {"pad": [2, 1, 0, 3], "mode": "replicate"}, lambda x: np.pad(x, [(0, 0), (0, 0), (0, 3), (2, 1)], "edge")),
    ("pad.default", {"self": X}, {"pad": [2, 3], "mode": "circular"}, lambda x: np.pad(x, [(0, 0), (0, 0), (2, 3)], "wrap")),
    ("pixel_shuffle.default", {"self": real(1, 8, 2, 3)}, {"upscale_factor": 2}, lambda x: x.reshape(1, 2, 2, 2, 2, 3).transpose(0, 1, 4, 2, 5, 3).reshape(1, 2, 4, 6)),
    ("arange.start_step", {}, {"start": 2, "end": 9, "step": 3}, lambda: np.arange(2, 9, 3)),
    ("gather.default", {"self": Y, "index": classes(5, 4, 2)}, {"dim": 1}, lambda x, i: np.take_along_axis(x, i, 1)),
    ("index_select.default", {"self": X, "index": classes(4, 3)}, {"dim": 1}, lambda x, i: x[:, i]),
    ("diagonal.default", {"self": X}, {"offset": -1, "dim1": 2, "dim2": 1}, lambda x: np.diagonal(x, -1, 2, 1)),
    ("slice_scatter.default", {"self": Y, "src": real(4, 2)}, {"dim": 1, "start": 1, "step": 3}, lambda x, v: assigned(x, (slice(None), slice(1, None, 3)), v)),
    ("diagonal_scatter.default", {"self": Y, "src": real(4)}, {"offset": 1}, lambda x, v: assigned(x, (np.arange(4), np.arange(1, 5)), v)),
    ("scatter.src", {"self": Y, "index": np.array([[0, 3], [2, 2], [1, 0]]), "src": real(3, 2)}, {"dim": 1}, scattered),
    ("scatter.value", {"self": Y, "index": np.array([[0, 3], [2, 2], [1, 0]])}, {"dim": 1, "value": 2.5}, lambda x, i: scattered(x, i, np.full((3, 2), 2.5))),
    ("scatter_add.default", {"self": Y, "index": np.array([[0, 3], [2, 2], [1, 0]]), "src": real(3, 2)}, {"dim": 1}, lambda x, i, v: scattered(x, i, v, add=True)),
    ("index_put.default", {"self": Y, "indices": [np.array([1, -1, 1])], "values": real(3, 5)}, {}, lambda x, i, v: assigned(x, i, v)),
    ("index_put.default", {"self": Y, "indices": [np.array([[1], [-1]]), np.array([0, 2])], "values": real(2)}, {"accumulate": True}, lambda x, i, j, v: added(x, (i, j), v)),
    ("index.Tensor", {"self": X, "indices": [np.array([1, -1]), np.array([[0], [-2]])]}, {}, lambda x, i, j: x[i, j]),
    ("argsort.default", {"self": X}, {"dim": 1}, lambda x: np.argsort(x, 1, kind="stable")),
    ("logcumsumexp.default", {"self": X}, {"dim": 1}, lambda x: np.logaddexp.accumulate(x, 1)),
    ("fmod.Tensor", {"self": 4 * Y, "other": Y[::-1].copy()}, {}, np.fmod),
    ("fmod.Scalar", {"self": classes(9, 6) - 4}, {"other": 3}, lambda x: np.fmod(x, 3)),
    ("roll.default", {"self": X}, {"shifts": [-3], "dims": []}, lambda x: np.roll(x, -3)),
    ("einsum.default", {"tensors": [real(2, 3, 4), real(4, 5)]}, {"equation": "...ij,jk->...ik"}, lambda x, y: x @ y),
    ("upsample_nearest1d.vec", {"input": real(1, 2, 6)}, {"output_size": None, "scale_factors": [0.7]}, lambda x: x[..., [0, 1, 2, 4]]),
    ("_upsample_nearest_exact1d.vec", {"input": real(1, 2, 6)}, {"output_size": None, "scale_factors": [0.7]}, lambda x: x[..., [0, 2, 3, 5]]),
    ("upsample_linear1d.vec", {"input": real(1, 2, 5)}, {"output_size": None, "align_corners": False, "scale_factors": [1.5]}, lambda x: interpolated(x, 7, 1 / 1.5)),
    ("embedding.default", {"weight": real(7, 3), "indices": classes(7, 2, 4)}, {}, lambda w, i: w[i]),
    ("matmul.default", {"self": real(2, 1, 3, 4), "other": real(5, 4, 2)}, {}, np.matmul),
    ("matmul.default", {"self": real(4), "other": real(5, 4, 2)}, {}, np.matmul),
    ("matmul.default", {"self": real(5, 3, 4), "other": real(4)}, {}, np.matmul),
    ("linear.default", {"input": X, "weight": real(3, 5), "bias": real(3)}, {}, lambda x, w, b: x @ w.T + b),
    ("addmm.default", {"self": real(3), "mat1": real(2, 4), "mat2": real(4, 3)}, {"beta": 0.5, "alpha": 2}, lambda b, x, y: 0.5 * b + 2 * x @ y),
    ("baddbmm.default", {"self": real(2, 2, 3), "batch1": real(2, 2, 4), "batch2": real(2, 4, 3)}, {}, lambda b, x, y: b + x @ y),
    ("conv2d.default", {"input": IMAGE, "weight": real(6, 2, 3, 2), "bias": real(6)}, {"stride": [2, 1], "padding": [1, 2], "dilation": [1, 2], "groups": 2},
     lambda x, w, b: conv2d(x, w, b, (2, 1), (1, 2), (1, 2), 2)),
    ("conv_transpose2d.input", {"input": real(1, 4, 3, 4), "weight": real(4, 3, 3, 2)}, {"stride": [2], "padding": [1], "output_padding": [1], "groups": 2, "dilation": [2]},
     lambda x, w: conv_transpose2d(x, w, 2, 1, 1, 2, 2)),
    ("conv_transpose2d.input", {"input": real(1, 2, 3, 3), "weight": real(2, 3, 1, 1)}, {"padding": [1]}, lambda x, w: conv_transpose2d(x, w, 1, 1, 0, 1)),
    ("max_pool1d.default", {"self": real(2, 3, 10)}, {"kernel_size": [3], "stride": [2], "padding": [1], "ceil_mode": True}, lambda x: pool(x, 3, 2, 1, True, "max")),
    ("avg_pool1d.default", {"self": real(2, 3, 10)}, {"kernel_size": [3], "stride": [2], "padding": [1], "ceil_mode": True}, lambda x: pool(x, 3, 2, 1, True, "avg")),
    ("avg_pool1d.default", {"self": real(2, 3, 10)}, {"kernel_size": [4], "stride": [3], "padding": [2], "count_include_pad": False}, lambda x: pool(x, 4, 3, 2, False, "avg", False)),
    ("adaptive_avg_pool1d.default", {"self": real(2, 3, 10)}, {"output_size": [4]}, lambda x: adaptive(x, 4)),
    ("adaptive_avg_pool2d.default", {"self": IMAGE}, {"output_size": [1, 1]}, lambda x: x.mean((2, 3), keepdims=True)),
    ("upsample_nearest1d.vec", {"input": real(1, 2, 4)}, {"output_size": [7]}, lambda x: x[:, :, np.arange(7) * 4 // 7]),
    ("upsample_linear1d.vec", {"input": real(1, 2, 4)}, {"output_size": [7], "align_corners": False}, lambda x: linear_resize(x, 7, False)),
    ("upsample_linear1d.vec", {"input": real(1, 2, 4)}, {"output_size": [7], "align_corners": True}, lambda x: linear_resize(x, 7, True)),
    ("layer_norm.default", {"input": X, "weight": real(4, 5), "bias": real(4, 5)}, {"normalized_shape": [4, 5]}, lambda x, w, b: normal(x, (1, 2)) * w + b),
    ("rms_norm.default", {"input": X, "weight": real(5)}, {"normalized_shape": [5], "eps": 1e-6}, lambda x, w: x / np.sqrt((x**2).mean(2, keepdims=True) + 1e-6) * w),
    ("group_norm.default", {"input": IMAGE}, {"num_groups": 2}, lambda x: normal(x.reshape(2, 2, -1), 2).reshape(x.shape)),
    ("instance_norm.default", {"input": IMAGE, "weight": real(4)}, {"use_input_stats": True, "momentum": 0.1, "eps": 1e-5, "cudnn_enabled": False},
     lambda x, w: normal(x, (2, 3)) * w[:, None, None]),
    ("batch_norm.default", {"input": IMAGE, "weight": real(4), "bias": real(4)}, {"training": True, "momentum": 0.1, "eps": 1e-3, "cudnn_enabled": False},
     lambda x, w, b: normal(x, (0, 2, 3), 1e-3) * w[:, None, None] + b[:, None, None]),
    ("batch_norm.default", {"input": Y, "running_mean": real(5), "running_var": positive(5)}, {"training": False, "momentum": 0.1, "eps": 1e-3, "cudnn_enabled": False},
     lambda x, m, v: (x - m) / np.sqrt(v + 1e-3)),
    ("huber_loss.default", {"self": X, "target": Y}, {"delta": 0.7}, lambda x, t: np.where(abs(x - t) <= 0.7, (x - t) ** 2 / 2, 0.7 * (abs(x - t) - 0.35)).mean()),
    ("smooth_l1_loss.default", {"self": X, "target": Y}, {"reduction": 2}, lambda x, t: np.where(abs(x - t) < 1, (x - t) ** 2 / 2, abs(x - t) - 0.5).sum()),
    ("kl_div.default", {"self": X, "target": positive(3, 4, 5)}, {"reduction": 0}, lambda x, t: t * (np.log(t) - x)),
    ("binary_cross_entropy_with_logits.default", {"self": P, "target": positive(3, 4) / 2}, {}, lambda x, t: -(t * np.log(sigmoid(x)) + (1 - t) * np.log(1 - sigmoid(x))).mean()),
    ("cross_entropy_loss.default", {"self": real(6, 4), "target": classes(4, 6), "weight": positive(4)}, {},
     lambda x, t, w: -(w[t] * log_softmax(x, 1)[np.arange(6), t]).sum() / w[t].sum()),
    ("cross_entropy_loss.default", {"self": real(6, 4), "target": classes(4, 6)}, {"ignore_index": 2, "label_smoothing": 0.1},
     lambda x, t: (-(0.9 * log_softmax(x, 1)[np.arange(6), t] + 0.025 * log_softmax(x, 1).sum(1)) * (t != 2)).sum() / (t != 2).sum()),
    ("nll_loss_nd.default", {"self": real(2, 4, 3), "target": classes(4, 2, 3)}, {"reduction": 2}, lambda x, t: -np.take_along_axis(x, t[:, None], 1).sum()),
    ("triplet_margin_loss.default", {"anchor": Y, "positive": real(4, 5), "negative": real(4, 5)}, {"margin": 2.0},
     lambda a, p, n: np.maximum(np.sqrt(((a - p + 1e-6) ** 2).sum(1)) - np.sqrt(((a - n + 1e-6) ** 2).sum(1)) + 2, 0).mean()),
    ("cosine_similarity.default", {"x1": X, "x2": Y}, {"dim": -1}, lambda x, y: (x * y).sum(-1) / np.sqrt((x**2).sum(-1) * (y**2).sum(-1))),
    ("scaled_dot_product_attention.default", {"query": real(2, 2, 3, 4), "key": real(2, 2, 5, 4), "value": real(2, 2, 5, 6), "attn_mask": real(3, 5)}, {},
     lambda q, k, v, m: attention(q, k, v, mask=m)),
    ("scaled_dot_product_attention.default", {"query": real(1, 4, 3, 4), "key": real(1, 2, 3, 4), "value": real(1, 2, 3, 4)}, {"is_causal": True, "enable_gqa": True},
     lambda q, k, v: attention(q, k.repeat(2, 1), v.repeat(2, 1), True)),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_operator(case: tuple[str, dict[str, Any], dict[str, Any], Callable[..., Any]]) -> None:
    op, tensors, attributes, reference = case
    arrays = [array for value in tensors.values() for array in (value if isinstance(value, list) else [value])]
    (result,) = run("aten." + op, tensors, attributes, ["y"])
    expected = np.asarray(reference(*arrays))
    assert result.shape == expected.shape
    assert np.allclose(result.astype(float), expected.astype(float), rtol=1e-9, atol=1e-10)


def test_einsum_and_several_outputs() -> None:
    a, b, c = real(2, 3), real(3, 4), real(4)
    (result,) = run("aten.einsum.default", {"tensors": [a, b, c]}, {"equation": "ij,jk,k->ki"}, ["y"])
    assert np.allclose(result, np.einsum("ij,jk,k->ki", a, b, c))
    values, places = run("aten.max.dim", {"self": X}, {"dim": 1}, ["y:0", "y:1"])
    assert np.allclose(values, X.max(1)) and np.array_equal(places, X.argmax(1))
    first, last = run("aten.split_with_sizes.default", {"self": X}, {"split_sizes": [1, 3, 1], "dim": -1}, ["y:0", "y:2"])
    assert np.array_equal(first, X[:, :, :1]) and np.array_equal(last, X[:, :, 4:])


def test_a_window_must_fit_into_the_input() -> None:
    """PyTorch's average in three dimensions does not count the padding; the maximum, and the others, do."""
    options = {"kernel_size": [3, 3, 3], "padding": [1, 1, 1]}
    with pytest.raises(steptp.DiagnosticError, match="a window of 3 does not fit into 2"):
        lowered("aten.avg_pool3d.default", {"self": real(1, 1, 2, 4, 4)}, options, ["y"])
    lowered("aten.max_pool3d.default", {"self": real(1, 1, 2, 4, 4)}, options, ["y"])


def test_order() -> None:
    values, places = run("aten.sort.default", {"self": X}, {"dim": 1, "descending": True}, ["y:0", "y:1"])
    assert np.array_equal(values, -np.sort(-X, 1)) and np.array_equal(places, np.argsort(-X, 1))
    values, places = run("aten.topk.default", {"self": Y}, {"k": 2}, ["y:0", "y:1"])
    assert np.array_equal(values, -np.sort(-Y, 1)[:, :2]) and np.array_equal(places, np.argsort(-Y, 1)[:, :2])
    equal = np.array([[2, 1, 2, 1]])
    for op, place in (("median.dim", 1), ("kthvalue.default", 2)):
        values, places = run(f"aten.{op}", {"self": equal}, {"dim": 1} | ({"k": 3} if op[0] == "k" else {}), ["y:0", "y:1"])
        assert values[0] == np.sort(equal)[0, place] and equal[0, places[0]] == values[0]
    values, places = run("aten.cummax.default", {"self": equal}, {"dim": 1}, ["y:0", "y:1"])
    assert values.tolist() == [[2, 2, 2, 2]] and places.tolist() == [[0, 0, 2, 2]]
    image = real(1, 1, 5, 4).round()
    values, places = run("aten.max_pool2d_with_indices.default", {"self": image}, {"kernel_size": [3, 2], "stride": [2, 2], "padding": [1, 0]}, ["y:0", "y:1"])
    assert np.array_equal(image.reshape(-1)[places], values)


def test_an_index_is_taken_from_what_was_sorted() -> None:
    """How large an index can be is seen through the fold that computes it."""
    nodes = [
        {"kind": "input", "name": "x", "dtype": "float64", "shape": [3, 4]},
        {"kind": "parameter", "name": "w", "path": "w", "dtype": "float64", "shape": [4, 2]},
        {"kind": "call", "name": "top", "op": "aten.topk.default", "args": {"self": "x", "k": 2}},
        {"kind": "call", "name": "y", "op": "aten.index.Tensor", "args": {"self": "w", "indices": ["top:1"]}},
    ]
    assert steptp.check(steptp.from_graph({"nodes": nodes, "outputs": ["y"]})).ok is True


def test_a_projected_state() -> None:
    x, h, c = real(5, 2, 3), real(1, 2, 2), real(1, 2, 4)
    weights = [real(16, 3), real(16, 2), real(16), real(16), real(2, 4)]
    options = {"has_biases": True, "num_layers": 1, "dropout": 0.0, "train": False, "bidirectional": False, "batch_first": False}
    output, state, cell = run("aten.lstm.input", {"input": x, "hx": [h, c], "params": weights}, options, ["y:0", "y:1", "y:2"])
    h, c = h[0], c[0]
    for step in range(5):
        i, f, g, o = np.split(x[step] @ weights[0].T + h @ weights[1].T + weights[2] + weights[3], 4, 1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = (sigmoid(o) * np.tanh(c)) @ weights[4].T
        assert np.allclose(output[step], h, rtol=1e-9)
    assert np.allclose(state[0], h, rtol=1e-9) and np.allclose(cell[0], c, rtol=1e-9)


def test_recurrent_networks() -> None:
    x, h, c = real(2, 5, 3), real(1, 2, 4), real(1, 2, 4)
    weights = [real(16, 3), real(16, 4), real(16), real(16)]
    options = {"has_biases": True, "num_layers": 1, "dropout": 0.0, "train": False, "bidirectional": False}
    results = run("aten.lstm.input", {"input": x, "hx": [h, c], "params": weights}, options | {"batch_first": True}, ["y:0", "y:1", "y:2"])
    for result, expected in zip(results, lstm(x, h[0], c[0], *weights)):
        assert np.allclose(result, expected, rtol=1e-9)
    x, h = real(5, 2, 3), real(2, 2, 4)
    weights = [real(12, 3), real(12, 4), real(12), real(12), real(12, 3), real(12, 4), real(12), real(12)]
    options |= {"bidirectional": True, "batch_first": False}
    output, state = run("aten.gru.input", {"input": x, "hx": h, "params": weights}, options, ["y:0", "y:1"])
    forward, last = gru(x, h[0], *weights[:4])
    backward, first = gru(x[::-1], h[1], *weights[4:])
    assert np.allclose(output, np.concatenate([forward, backward[::-1]], 2), rtol=1e-9)
    assert np.allclose(state, np.concatenate([last, first]), rtol=1e-9)

"""What is taken apart before graphs are looked at: operators of backward graphs, and fused ones that LEIR does not know."""

from __future__ import annotations

from typing import Any

import torch

from .. import _steptp, capture

_aten = torch.ops.aten

#: Fused by PyTorch, or with results that LEIR's form of them does not give.
_ALWAYS = (
    _aten._native_batch_norm_legit_functional,
    _aten._scaled_dot_product_flash_attention_for_cpu,
)

#: Taken apart only where a graph is differentiated: what the backward graph needs are results that LEIR's form of them
#: does not give.
_IN_TRAINING = (
    _aten.native_layer_norm,
    _aten.native_layer_norm_backward,
    _aten.native_group_norm_backward,
    _aten._native_batch_norm_legit,
    _aten.native_batch_norm_backward,
    _aten._softmax_backward_data,
    _aten._log_softmax_backward_data,
    _aten.embedding_dense_backward,
    _aten.nll_loss_forward,
    _aten.nll_loss_backward,
    _aten.nll_loss2d_forward,
    _aten.nll_loss2d_backward,
    _aten.mse_loss_backward,
    _aten.smooth_l1_loss_backward,
    _aten.threshold_backward,
    _aten.gelu_backward,
    _aten.silu_backward,
    _aten.elu_backward,
    _aten.hardtanh_backward,
    _aten.hardswish_backward,
    _aten.hardsigmoid_backward,
    _aten.leaky_relu_backward,
    _aten.softplus_backward,
    _aten.tanh_backward,
    _aten.sigmoid_backward,
    _aten.mish_backward,
    _aten.select_backward,
    _aten.slice_backward,
)


def _pairs(value: Any, dims: int) -> list[int]:
    values = list(value)
    return values * dims if len(values) == 1 else values


def convolution_backward(
    grad: torch.Tensor,
    input: torch.Tensor,  # noqa: A002
    weight: torch.Tensor,
    bias_sizes: list[int] | None,
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    transposed: bool,
    output_padding: list[int],
    groups: int,
    output_mask: list[bool],
) -> Any:
    """The gradients of a convolution, by convolutions: one the other way round for the input, and one over the batch for the
    weight."""
    dims = input.dim() - 2
    stride, padding, dilation = (_pairs(value, dims) for value in (stride, padding, dilation))
    kernel, size, out = weight.shape[2:], input.shape[2:], grad.shape[2:]
    for_input = for_weight = for_bias = None
    if output_mask[0] and transposed:
        for_input = _narrowed(_aten.convolution(grad, weight, None, stride, padding, dilation, False, [0] * dims, groups), size)
    elif output_mask[0]:
        # What the last windows leave over at the end of the input has no gradient.
        over = [n - ((o - 1) * s - 2 * p + d * (k - 1) + 1) for n, o, s, p, d, k in zip(size, out, stride, padding, dilation, kernel)]
        for_input = _aten.convolution(grad, weight, None, stride, padding, dilation, True, over, groups)
    if output_mask[1]:
        one_per_window, all_positions = (input, grad) if transposed else (grad, input)
        for_weight = _for_weight(one_per_window, all_positions, stride, padding, dilation, groups, kernel)
    if output_mask[2]:
        for_bias = grad.sum([0, *range(2, grad.dim())])
    return for_input, for_weight, for_bias


def _for_weight(
    windows: torch.Tensor, positions: torch.Tensor, stride: list[int], padding: list[int], dilation: list[int], groups: int, kernel: Any
) -> torch.Tensor:
    """Element (c, d, k) is the sum over batch and windows of windows[n, c, w] * positions[n, d, w * stride + k * dilation]: a
    convolution whose channels are the batch, with stride and dilation exchanged."""
    batch, each_window, each_position = windows.shape[0], windows.shape[1] // groups, positions.shape[1] // groups
    space = list(range(3, positions.dim() + 1))
    left = positions.reshape(batch, groups, each_position, *positions.shape[2:]).permute(2, 1, 0, *space)
    left = left.reshape(each_position, groups * batch, *positions.shape[2:])
    right = windows.reshape(batch, groups, each_window, *windows.shape[2:]).permute(1, 2, 0, *space)
    right = right.reshape(groups * each_window, batch, *windows.shape[2:])
    out = _aten.convolution(left, right, None, dilation, padding, stride, False, [0] * len(kernel), groups)
    return _narrowed(out, kernel).transpose(0, 1)


def _narrowed(value: torch.Tensor, sizes: Any) -> torch.Tensor:
    """The first elements of each dimension of space."""
    for at, size in enumerate(sizes):
        value = value.narrow(at + 2, 0, size)
    return value


def max_pool2d_with_indices_backward(
    grad: torch.Tensor,
    input: torch.Tensor,  # noqa: A002
    kernel: list[int],
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    ceil_mode: bool,
    indices: torch.Tensor,
) -> Any:
    """Each gradient is added where its maximum was; sums are made in the order of the windows."""
    height, width = input.shape[-2:]
    rows = input.shape[:-2].numel()
    flat = torch.zeros((rows, height * width), dtype=grad.dtype, device=grad.device)
    flat = flat.scatter_add(1, indices.reshape(rows, -1), grad.reshape(rows, -1))
    return flat.reshape(input.shape)


def native_group_norm(
    input: torch.Tensor,  # noqa: A002
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    batch: int,
    channels: int,
    _area: int,
    groups: int,
    eps: float,
) -> Any:
    """Each group of channels by its own mean and variance; halves are computed as floats."""
    wide = input.float() if input.dtype in (torch.float16, torch.bfloat16) else input
    rows = wide.reshape(batch, groups, -1)
    mean = rows.mean(2, keepdim=True)
    apart = rows - mean
    scale = torch.rsqrt((apart * apart).mean(2, keepdim=True) + eps)
    out = (apart * scale).reshape(input.shape)
    along = [1, channels] + [1] * (input.dim() - 2)
    if weight is not None:
        out = out * weight.reshape(along)
    if bias is not None:
        out = out + bias.reshape(along)
    return out.to(input.dtype), mean.reshape(batch, groups), scale.reshape(batch, groups)


def decompositions(training: bool) -> dict[Any, Any]:
    """By operator, how PyTorch traces it instead."""
    from torch._decomp import core_aten_decompositions, get_decompositions

    known = set(_steptp.kept_operators().split())
    table = dict(core_aten_decompositions())
    # A dropout that is taken apart would draw other numbers than eager's own.
    keep = {"native_dropout", *capture.BROKEN_APART}
    for operator in list(table):
        name = str(operator)
        if capture._is_known(name, known) or name.split(".")[1] in keep:
            table.pop(operator)
    table.update(get_decompositions(_ALWAYS))
    table[_aten.native_group_norm.default] = native_group_norm
    if training:
        table.update(get_decompositions(_IN_TRAINING))
        table[_aten.convolution_backward.default] = convolution_backward
        table[_aten.max_pool2d_with_indices_backward.default] = max_pool2d_with_indices_backward
    return table

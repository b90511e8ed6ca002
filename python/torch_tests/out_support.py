"""What the tests of PyTorch out share."""

from __future__ import annotations

import copy
import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from compare import assert_close, tensors
from steptp.torch_out import backend
from steptp.torch_out.graphs import SteptpWarning

SOAK = int(os.environ.get("STEPTP_SOAK", "0"))


@contextmanager
def no_surprise() -> Iterator[None]:
    """Nothing is left to eager PyTorch because its results differ."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", SteptpWarning)
        yield


def run_compiled(module: torch.nn.Module, inputs: Sequence[Any], **options: Any) -> tuple[list[torch.Tensor], list[Any]]:
    """Results of the module by way of torch.compile, and the reports of its graphs."""
    torch._dynamo.reset()
    backend.clear_reports()
    compiled = torch.compile(module, backend="steptp", options=options)
    with torch.no_grad(), no_surprise():
        first = tensors(compiled(*copy.deepcopy(list(inputs))))
        second = tensors(compiled(*copy.deepcopy(list(inputs))))
    for left, right in zip(first, second, strict=True):
        assert torch.equal(left.nan_to_num(), right.nan_to_num()), "two calls with the same inputs differ"
    return first, backend.reports()


def compare_compiled(module: torch.nn.Module, inputs: Sequence[Any], what: str = "", **options: Any) -> list[Any]:
    """The module gives what eager PyTorch gives."""
    with torch.no_grad():
        wanted = tensors(copy.deepcopy(module)(*copy.deepcopy(list(inputs))))
    got, reports = run_compiled(copy.deepcopy(module), inputs, **options)
    assert_close(got, wanted, what)
    return reports


def groups(reports: Sequence[Any]) -> list[Any]:
    return [group for report in reports for group in report.groups]


def places(reports: Sequence[Any]) -> list[Any]:
    return [place for report in reports for place in report.eager]


def gradients(call: Any, module: torch.nn.Module, inputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Of the sum of all results, each by a weight of its own: to inputs and parameters."""
    given = [item.clone().requires_grad_() if isinstance(item, torch.Tensor) and item.is_floating_point() else item for item in inputs]
    module.zero_grad()
    total = sum(
        (result * torch.linspace(0.5, 1.5, result.numel(), dtype=result.dtype).reshape(result.shape)).sum()
        for result in tensors(call(*given))
        if result.is_floating_point()
    )
    total.backward()
    leaves = [item for item in given if isinstance(item, torch.Tensor) and item.requires_grad]
    return [leaf.grad.clone() for leaf in (*leaves, *module.parameters()) if leaf.grad is not None]


def compare_gradients(module: torch.nn.Module, inputs: Sequence[Any], what: str = "", **options: Any) -> list[Any]:
    """Forward and backward graphs give eager's gradients."""
    torch._dynamo.reset()
    backend.clear_reports()
    other = copy.deepcopy(module)
    wanted = gradients(other, other, inputs)
    ours = copy.deepcopy(module)
    with no_surprise():
        got = gradients(torch.compile(ours, backend="steptp", options=options), ours, inputs)
    assert_close(got, wanted, what)
    return backend.reports()

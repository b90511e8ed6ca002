"""What the tests against PyTorch share: one module through the whole way, and its values beside PyTorch's."""

from __future__ import annotations

import copy
import tempfile
from typing import Any, Sequence

import numpy as np
import steptp
import torch
from torch import nn

#: Bound on the difference of two computations in f64, relative to the largest value of the output.
BOUND = {torch.float64: 1e-10, torch.float32: 2e-4, torch.float16: 2e-2, torch.bfloat16: 1e-1}

_DROPOUT = (nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d, nn.AlphaDropout, nn.FeatureAlphaDropout)


def fill(module: nn.Module, seed: int = 0) -> nn.Module:
    """Values for every parameter, so that no bias is zero and no scale is one."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.rand(parameter.shape, generator=generator, dtype=torch.float64) - 0.4)
    return module


def tensors(value: Any) -> list[torch.Tensor]:
    return [item for item in torch.utils._pytree.tree_leaves(value) if isinstance(item, torch.Tensor)]


def assert_close(actual: Sequence[torch.Tensor], expected: Sequence[torch.Tensor], what: str = "") -> None:
    assert len(actual) == len(expected), what
    for number, (left, right) in enumerate(zip(actual, expected)):
        where = f"{what} output {number}"
        assert tuple(left.shape) == tuple(right.shape), where
        assert left.dtype == right.dtype, where
        if not right.dtype.is_floating_point:
            assert torch.equal(left, right), where
            continue
        a, b = left.double().numpy(), right.detach().double().numpy()
        finite = np.isfinite(b)
        assert (np.isfinite(a) == finite).all() and (a[~finite] == b[~finite]).all() if not np.isnan(b).any() else True, where
        scale = 1 + (np.abs(b[finite]).max() if finite.any() else 0)
        worst = np.abs(a[finite] - b[finite]).max() if finite.any() else 0
        assert worst <= BOUND[right.dtype] * scale, f"{where}: differs by {worst}"


def expected(module: nn.Module, inputs: Sequence[Any], mode: str) -> list[torch.Tensor]:
    """PyTorch's own answer, with dropout left out; the module keeps its buffers."""
    module = copy.deepcopy(module)
    module.train(mode == "train")
    for child in module.modules():
        if isinstance(child, _DROPOUT):
            child.eval()
        if isinstance(getattr(child, "dropout", None), float):  # of attention, and between layers of a recurrence
            child.dropout = 0.0
    with torch.no_grad():
        return tensors(module(*copy.deepcopy(list(inputs))))


def assert_safe(program: steptp.Program) -> None:
    """No read is out of range and none finds nothing; where an argmax is an index, only a run can tell."""
    report = steptp.check(program)
    undecided = report.ok == "unknown" and "min(" in program.to_text()
    assert report.ok is True or undecided, report.diagnostics


def check(module: nn.Module, inputs: Sequence[Any], *, mode: str = "train", dtype: torch.dtype = torch.float64) -> steptp.Program:
    """Captures the module, runs the program on the oracle with the module's weights, and compares."""
    module = fill(module.to(dtype))
    inputs = [item.to(dtype) if isinstance(item, torch.Tensor) and item.dtype.is_floating_point else item for item in inputs]
    program = steptp.from_torch(module, inputs, mode=mode)
    assert_safe(program)
    answer = steptp.to_torch(program, module)(*inputs)
    assert_close(tensors(answer), expected(module, inputs, mode), type(module).__name__)
    return program


def check_archive(module: nn.Module, inputs: Sequence[Any], *, mode: str = "train", dtype: torch.dtype = torch.float64) -> steptp.Program:
    """The same by way of an archive, saved as it was exported: nothing is taken apart by PyTorch."""
    module = fill(module.to(dtype)).train(mode == "train")
    inputs = [item.to(dtype) if isinstance(item, torch.Tensor) and item.dtype.is_floating_point else item for item in inputs]
    exported = torch.export.export(module, tuple(inputs), strict=False)
    with tempfile.TemporaryDirectory() as folder:
        torch.export.save(exported, f"{folder}/model.pt2")
        program = steptp.import_model(f"{folder}/model.pt2")
    assert_safe(program)
    answer = steptp.to_torch(program, module)(*inputs)
    assert_close(tensors(answer), expected(module, inputs, mode), type(module).__name__)
    return program

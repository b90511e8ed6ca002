"""PyTorch in and out. PyTorch is imported on first use; the package does not need it otherwise."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import _arrays, _steptp, capture
from ._errors import Diagnostic, DiagnosticError
from ._steptp import Program
from ._verbs import run

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class TorchOrigin:
    """Where the tensors of an imported program come from.

    `inputs` gives the names of the module's arguments, `parameters` and `constants` the paths in the module
    ("conv.weight"), each by the name in the program; `outputs` are in the order in which the module returns them.
    `values` holds what was stored with the model: weights of an archive, buffers and constants of a module.
    """

    inputs: dict[str, str]
    parameters: dict[str, str]
    constants: dict[str, str]
    outputs: list[str]
    values: Mapping[str, NDArray[Any]] = field(default_factory=dict, repr=False)
    notes: tuple[str, ...] = ()


def _training(mode: str | None) -> bool | None:
    if mode not in (None, "train", "eval"):
        raise ValueError(f"no mode {mode!r}: there are 'train' and 'eval'")
    return None if mode is None else mode == "train"


def _with_origin(answer: tuple[Program, str, list[_arrays.RawArray], list[str]]) -> Program:
    program, names, values, notes = answer
    program.origin = TorchOrigin(**json.loads(names), values=_arrays.from_raw(values), notes=tuple(notes))
    return program


def import_model(
    file: str | os.PathLike[str], *, mode: str | None = None, timeout: float = 600, python: str | None = None
) -> Program:
    """The program of a model: an archive of ``torch.export.save``, or a ``.py`` file in KernelBench style.

    An archive needs no PyTorch. A ``.py`` file with `Model`, `get_inputs` and `get_init_inputs` runs in another process
    of `python` (this one, if none is named), which has PyTorch, for at most `timeout` seconds. `mode` is "train" (norms
    by the statistics of the batch; the default for a ``.py`` file) or "eval". Dropout is the identity in both.
    ``program.origin`` says which tensor of the program is which of the module. Raises DiagnosticError.
    """
    training = _training(mode)
    return _with_origin(_steptp.import_file(os.fspath(file), training, float(timeout), python or sys.executable))


def from_torch(
    module: Any,
    example_inputs: Sequence[Any],
    example_kwargs: Mapping[str, Any] | None = None,
    *,
    mode: str | None = None,
    name: str = "",
    domains: Sequence[Any] = (),
) -> Program:
    """The program of an ``nn.Module`` for inputs of the shapes and dtypes of the examples.

    Without `mode` the module is taken as it stands, in train or in eval mode; it is not changed. Its weights do not
    become part of the program: `to_torch` puts the two together again. `domains` may say which values each tensor among
    the inputs has: None, "any", "positive", "nonzero" or [low, high] (high not included); a target of class indices in
    [0, 10] needs no look at ignore_index. Raises DiagnosticError where the module cannot
    be captured or uses what is not supported, with the place in its source.
    """
    training = _training(mode)
    if not callable(getattr(module, "forward", None)) or not hasattr(module, "training"):
        raise TypeError(
            f"from_torch takes a torch.nn.Module, not {type(module).__name__}"
            + ("; import_model takes the path of a .pt2 or .py file" if isinstance(module, (str, os.PathLike)) else "")
        )
    training = module.training if training is None else training
    operators = _steptp.kept_operators().split()
    args = tuple(example_inputs) if isinstance(example_inputs, (tuple, list)) else (example_inputs,)
    try:
        archive = capture.capture_module(module, args, dict(example_kwargs or {}), "train" if training else "eval", operators, domains)
    except capture.CaptureError as error:
        message = f"{error.message} ({error.place})" if error.place else error.message
        diagnostic = Diagnostic(f"capture-{error.kind}", "error", message, error.hint, 0, 0, 0)
        raise DiagnosticError(f"error: {message}" + (f"\nhint: {error.hint}" if error.hint else ""), [diagnostic]) from error
    return _with_origin(_steptp.import_archive(archive, name or type(module).__name__, None))


def _tensor_at(module: Any, path: str) -> Any:
    for part in path.split("."):
        module = getattr(module, part, None)
        if module is None:
            return None
    return module


def _to_numpy(torch: Any, tensor: Any) -> NDArray[Any]:
    tensor = tensor.detach().cpu()
    # numpy has no bfloat16; float32 holds the same values.
    return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy()


def to_torch(
    program: Program, module: Any, *, like: Program | None = None, engine: str = "oracle", budget: int = 2**63
) -> Callable[..., Any]:
    """A function that computes what the module computes, by running the program with the module's weights.

    `program` came from `from_torch` or `import_model`, or was derived from such a program, which is then named by
    `like`. The function takes the tensors that the module takes, flat and in the same order, and gives a tensor, or a
    tuple where the program has several outputs. Weights are read from the module at every call; buffers and constants
    too where the module has them, and are otherwise those that were captured.
    """
    import torch

    origin = getattr(program if like is None else like, "origin", None)
    if not isinstance(origin, TorchOrigin):
        raise ValueError("the program has no origin in PyTorch: name the one it was derived from with like=")
    dtypes = {variable.name: variable.dtype for variable in program.signature}

    def weights() -> dict[str, NDArray[Any]]:
        out = {}
        for name, path in (*origin.parameters.items(), *origin.constants.items()):
            tensor = _tensor_at(module, path)
            if isinstance(tensor, torch.Tensor):
                out[name] = _to_numpy(torch, tensor)
            elif name in origin.values:
                out[name] = origin.values[name]
            else:
                raise ValueError(f"the module has no tensor {path!r}, which the program calls {name}")
        return out

    def call(*inputs: Any) -> Any:
        flat = [tensor for tensor in torch.utils._pytree.tree_leaves(list(inputs)) if isinstance(tensor, torch.Tensor)]
        if len(flat) != len(origin.inputs):
            raise TypeError(f"{len(flat)} tensors are given; the program takes {len(origin.inputs)}: {', '.join(origin.inputs.values())}")
        arrays = {name: _to_numpy(torch, tensor) for name, tensor in zip(origin.inputs, flat)}
        result = run(program, {**weights(), **arrays}, budget=budget, engine=engine)
        outputs = [torch.from_numpy(result[name]).to(getattr(torch, dtypes[name])) for name in origin.outputs]
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    return call

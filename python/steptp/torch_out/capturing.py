"""A module as one graph of operators, by torch.export, with everything that the graph does to the module's state."""

from __future__ import annotations

import contextlib
import logging
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch._decomp import get_decompositions

from .. import _steptp, capture
from .support import DTYPES


class NotCaptured(Exception):
    """Why a module is no single graph; the message ends with the place in the source where there is one. `in_parts`:
    torch.compile may find smaller graphs in it."""

    def __init__(self, message: str, *, in_parts: bool = False) -> None:
        super().__init__(message)
        self.in_parts = in_parts


@dataclass
class Capture:
    """`module` is an fx.GraphModule whose placeholders are in the order of `sources`, each ("state", path) or ("input",
    number). `constants` are placeholders with values that stay. Of the outputs, the first are written back, in the order
    of `writes`, each ("state", path) or ("input", number); the rest is the answer, put together by `out_spec`."""

    module: Any
    sources: list[tuple[str, Any]]
    constants: dict[str, torch.Tensor]
    writes: list[tuple[str, Any]]
    out_spec: Any


def _table(module: Any) -> dict[Any, Any]:
    """What is taken apart: all that the reader of captures does not know, and what changes buffers while it trains."""
    known = set(_steptp.kept_operators().split())
    stateful = {"batch_norm", "instance_norm"} if any(child.training for child in module.modules()) else set()
    table = torch.export.default_decompositions()
    for operator in list(table):
        name = capture._operator_name(operator)
        base = name.split(".")[1]
        if base not in stateful and (capture._is_known(name, known) or base in {*capture.KEPT_WHOLE, *capture.BROKEN_APART}):
            table.pop(operator, None)
    if stateful:
        table.update(get_decompositions([torch.ops.aten._native_batch_norm_legit_functional]))
    return table


def _exported(module: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    whole = (torch.no_grad(), capture._traceable(torch), capture._recurrence_whole(torch), warnings.catch_warnings())
    with contextlib.ExitStack() as stack:
        for context in whole:
            stack.enter_context(context)
        warnings.simplefilter("ignore")
        # What PyTorch logs when it cannot follow a module is said by our own message.
        logging.disable(logging.ERROR)
        stack.callback(logging.disable, logging.NOTSET)
        program = torch.export.export(module, args, dict(kwargs), strict=False)
        return program.run_decompositions(_table(module))


def hooks_of(module: Any) -> list[dict[Any, Any]]:
    """The places where hooks of a module and of all that is in it are kept."""
    names = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
    return [getattr(child, name) for child in module.modules() for name in names]


def capture_graph(module: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Capture:
    """Raises NotCaptured."""
    if any(hooks_of(module)):
        raise NotCaptured("the module has hooks, which may do anything")
    leaves = torch.utils._pytree.tree_leaves((args, dict(kwargs)))
    for leaf in leaves:
        if isinstance(leaf, torch.Tensor) and type(leaf) not in (torch.Tensor, torch.nn.Parameter):
            raise NotCaptured(f"an input is a {type(leaf).__name__}")
    try:
        program = _exported(module, args, kwargs)
    except Exception as error:  # noqa: BLE001  torch.export raises exceptions of every kind
        problem = capture._export_error(error, "")
        place = f" ({problem.place})" if problem.place else ""
        raise NotCaptured(f"{problem.message}{place}", in_parts=True) from error
    for node in program.graph.nodes:
        schema = getattr(node.target, "_schema", None)
        if schema is not None and schema.is_mutable:
            raise NotCaptured(f"the operator {node.target} writes to its argument")
    made = _read(program, leaves)
    if any(kind == "input" for kind, _ in made.writes) and share_memory(leaves):
        raise NotCaptured("inputs share memory, and one is written to")
    return made


def share_memory(values: list[Any]) -> bool:
    """Whether two tensors lie in one storage: what is written to one may be read through the other."""
    tensors = [value for value in values if isinstance(value, torch.Tensor)]
    storages = [tensor.untyped_storage().data_ptr() for tensor in tensors if tensor.layout == torch.strided and tensor.numel()]
    return len(set(storages)) < len(storages)


def _read(program: Any, leaves: list[Any]) -> Capture:
    signature = program.graph_signature
    sources: list[tuple[str, Any]] = []
    constants: dict[str, torch.Tensor] = {}
    written = {spec.target for spec in signature.output_specs if spec.kind.name == "BUFFER_MUTATION"}
    number = 0
    numbers: dict[str, int] = {}
    for spec in signature.input_specs:
        kind, name = spec.kind.name, getattr(spec.arg, "name", "")
        if kind == "USER_INPUT":
            numbers[name] = number
            sources.append(("input", number))
            number += 1
        elif kind in ("PARAMETER", "BUFFER"):
            sources.append(("state", spec.target))
            if kind == "BUFFER" and spec.target not in written and _has_known_values(_held(program, spec.target)):
                constants[name] = _held(program, spec.target)
        elif kind == "CONSTANT_TENSOR":
            if _has_known_values(program.constants[spec.target]):
                constants[name] = program.constants[spec.target]
            sources.append(("value", program.constants[spec.target]))
        else:
            raise NotCaptured(f"the graph takes a {kind.lower()}, which is no tensor")
    if number != len(leaves):
        raise NotCaptured("the graph takes another number of inputs than the module")
    writes = []
    for spec in signature.output_specs:
        kind = spec.kind.name
        if kind in ("BUFFER_MUTATION", "PARAMETER_MUTATION"):
            writes.append(("state", spec.target))
        elif kind == "USER_INPUT_MUTATION":
            writes.append(("input", numbers[spec.target]))
        elif kind != "USER_OUTPUT":
            raise NotCaptured(f"the graph gives a {kind.lower()}")
    return Capture(program.graph_module, sources, constants, writes, program.call_spec.out_spec)


def _has_known_values(tensor: torch.Tensor) -> bool:
    """Whether a program has to know the values: where they are subscripts, conditions, masks with -inf, or single numbers.
    Others, such as running statistics, are read like parameters, so that layers with other values share a program."""
    if tensor.dtype not in DTYPES or tensor.is_meta or not tensor.is_floating_point() or tensor.dim() == 0:
        return True
    return not bool(tensor.isfinite().all())


def _held(program: Any, path: str) -> torch.Tensor:
    return program.state_dict[path] if path in program.state_dict else program.constants[path]

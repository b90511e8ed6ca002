"""``torch.compile(model, backend="steptp", options={...})``: the backend that the entry point names."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Mapping
from typing import Any

import torch
from torch._dynamo.backends.common import aot_autograd
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch._functorch.aot_autograd import make_boxed_func

from .decompositions import decompositions
from .graphs import CompiledGraph, GraphReport, SteptpWarning, fixed_graph
from .options import Options
from .support import operator_of

#: Every graph that was compiled in this process, oldest first; the newest thousand are kept.
_reports: list[GraphReport] = []
_MOST_REPORTS = 1000


def reports() -> list[GraphReport]:
    """What the backend has made of each graph since the process began or `clear_reports` was called."""
    return list(_reports)


def clear_reports() -> None:
    """Forgets the reports, not the kernels."""
    _reports.clear()


def _note(report: GraphReport) -> None:
    _reports.append(report)
    del _reports[:-_MOST_REPORTS]


class _ManyShapes:
    """A graph whose sizes vary: one program for each shape seen, up to a limit, then eager PyTorch."""

    def __init__(self, module: Any, options: Options, note: Any) -> None:
        self.module, self.options, self.note = module, options, note
        self.made: dict[tuple[Any, ...], CompiledGraph] = {}
        self.lock = threading.Lock()
        self.warned = False

    def __call__(self, values: list[Any]) -> Any:
        key = tuple(_key(value) for value in values)
        compiled = self.made.get(key)
        if compiled is None:
            with self.lock:
                compiled = self.made.get(key) or self._make(key, values)
        if compiled is not None:
            return compiled(values)
        given = list(values)
        values.clear()
        return self.module(*given)

    def _make(self, key: tuple[Any, ...], values: list[Any]) -> CompiledGraph | None:
        if len(self.made) >= self.options.most_shapes:
            if not self.warned:
                self.warned = True
                message = f"a graph has been called with more than {self.options.most_shapes} shapes: others run with eager PyTorch"
                warnings.warn(f"{message} (most_shapes)", SteptpWarning, stacklevel=3)
            return None
        compiled = self.made[key] = CompiledGraph(fixed_graph(self.module, values), self.options)
        self.note(compiled.report)
        return compiled


def _key(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return (tuple(value.shape), value.dtype, value.device, tuple(value.stride()))
    return value


def _has_fixed_sizes(module: Any) -> bool:
    for node in module.graph.nodes:
        for value in torch.utils._pytree.tree_leaves(node.meta.get("val")):
            if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
                return False
            if isinstance(value, torch.Tensor) and any(not isinstance(size, int) for size in (*value.shape, *value.stride())):
                return False
    return True


def _compiler(options: Options, note: Any) -> Any:
    def compile_graph(module: Any, _inputs: Any) -> Any:
        calls = [operator_of(node) for node in module.graph.nodes if node.op == "call_function"]
        if not calls:
            return make_boxed_func(module.forward)
        if not _has_fixed_sizes(module):
            return _boxed(_ManyShapes(module, options, note))
        # Constants of the graph are real tensors, and kernels are made for them.
        with unset_fake_temporarily():
            compiled = CompiledGraph(module, options)
        note(compiled.report)
        return _boxed(compiled)

    return compile_graph


def _boxed(call: Any) -> Any:
    """As AOTAutograd calls: with a list that is emptied."""

    def run(values: list[Any]) -> Any:
        return call(values)

    run._boxed_call = True  # type: ignore[attr-defined]
    return run


def steptp(module: Any, inputs: Any, *, options: Mapping[str, Any] | None = None, mode: str | None = None) -> Any:
    """The backend. `options` are those of `steptp.torch_out.options.Options`."""
    if mode not in (None, "default"):
        raise ValueError(f"the backend steptp has no mode {mode!r}; its settings are options={{...}}")
    return _compiled(module, inputs, Options.of(options), _note)


def compiled_in_parts(model: Any, options: Options, reports_of_it: list[GraphReport]) -> Any:
    """A module by torch.compile with this backend, and its reports in a list of its own."""

    def backend(module: Any, inputs: Any) -> Any:
        return _compiled(module, inputs, options, reports_of_it.append)

    return torch.compile(model, backend=backend)


def _compiled(module: Any, inputs: Any, options: Options, note: Any) -> Any:
    compile_graph = _compiler(options, note)
    training = torch.is_grad_enabled() and any(isinstance(value, torch.Tensor) and value.requires_grad for value in inputs)
    make = aot_autograd(
        fw_compiler=compile_graph,
        bw_compiler=compile_graph,
        inference_compiler=compile_graph,
        decompositions=decompositions(training),
    )
    # Attention as the operators that it is made of: what PyTorch has fused, LEIR does not know.
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        return make(module, inputs)

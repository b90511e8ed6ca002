"""A graph of operators made to run: groups in our kernels, the rest with eager PyTorch, in turn."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from .._errors import DiagnosticError, SteptpError
from .folding import fold_numbers
from .kernels import Differs, Group, GroupReport, Unusable
from .options import Options
from .pieces import Piece, Place, cut, own_views, places_of
from .planning import store_of
from .support import is_getitem, operator_of


class SteptpWarning(UserWarning):
    """Something runs with eager PyTorch, or a cache cannot be used; the result is right all the same."""


@dataclass
class GraphReport:
    """What runs where. `groups` are ours; `eager` are the places that stay with eager PyTorch, each with its reason."""

    groups: list[GroupReport] = field(default_factory=list)
    eager: list[Place] = field(default_factory=list)
    cache_problems: list[str] = field(default_factory=list)

    def text(self) -> str:
        lines = []
        for number, group in enumerate(self.groups, 1):
            how = f"{group.kernels} kernels, {group.verdict}" + ("" if group.planned else f", as it came: {group.reason}")
            times = "" if group.measured_s is None else f", {group.measured_s:.3g} s, eager {group.eager_s:.3g} s"
            lines.append(f"group {number} on {group.device}: {len(group.operators)} operators, {how}{times}")
        for place in self.eager:
            at = f" at {place.place}" if place.place else ""
            lines.append(f"eager: {place.operator}{at}: {place.reason}" + (f" ({place.times} times)" if place.times > 1 else ""))
        return "\n".join([*lines, *self.cache_problems])


class _Eager:
    """A piece that eager PyTorch runs."""

    def __init__(self, module: Any) -> None:
        self.run = module.forward

    def __call__(self, *values: Any) -> Any:
        return self.run(*values)


class _Step:
    """A piece in its turn: where its values come from, where they go, and what nobody needs afterwards."""

    def __init__(self, call: Any, sources: list[int], targets: list[int]) -> None:
        self.call, self.sources, self.targets = call, sources, targets
        self.done: list[int] = []


class CompiledGraph:
    """A graph with fixed shapes. Called with the values of its placeholders, it gives those of its outputs."""

    def __init__(
        self,
        module: Any,
        options: Options,
        constants: dict[str, torch.Tensor] | None = None,
        saved: Mapping[str, dict[str, Any]] | None = None,
    ) -> None:
        """`module` is an fx.GraphModule of ATen operators, each node with its value's shape in meta["val"]; placeholders
        among `constants` always get these values. `saved` are entries that somebody has judged, by their roots."""
        self.options = options
        self.store = store_of(options)
        self.store.saved = dict(saved or {})
        self.report = GraphReport()
        self._lock = threading.Lock()
        fold_numbers(module, constants or {})
        own_views(module)
        self._module = module
        self._build(dict(constants or {}))

    def _build(self, constants: dict[str, torch.Tensor]) -> None:
        graph = self._module.graph
        nodes = {node.name: node for node in graph.nodes}
        known = {nodes[name]: value.detach() for name, value in constants.items()}
        known |= {node: _attribute(self._module, node.target).detach() for node in graph.nodes if node.op == "get_attr" and
                  isinstance(_attribute(self._module, node.target), torch.Tensor)}
        for node in known:
            node.meta.setdefault("val", known[node])
        banned: dict[Any, str] = {}
        borders: set[Any] = set()
        made: dict[tuple[Any, ...], Group] = {}
        while True:
            pieces, reasons = cut(self._module, self.options.most_operators, banned, borders)
            failed = self._make_groups(pieces, known, made)
            if failed is None:
                break
            _give_way(*failed, banned, borders)
        self.report.eager = places_of(reasons)
        self.report.cache_problems = self.store.problems
        self._lay_out(pieces, made)

    def _make_groups(self, pieces: list[Piece], known: dict[Any, torch.Tensor], made: dict[Any, Group]) -> Any:
        """Kernels for each piece of ours that has none yet; the first that cannot have any, with the reason."""
        for piece in pieces:
            key = tuple(piece.nodes)
            if piece.device is None or key in made:
                continue
            try:
                made[key] = Group(piece, known, self.options, self.store)
            except (Unusable, SteptpError, NotImplementedError, ValueError) as error:
                return piece, _reason(error)
        return None

    def _lay_out(self, pieces: list[Piece], made: dict[Any, Group]) -> None:
        graph = self._module.graph
        slots: dict[Any, int] = {}
        self._fixed: list[tuple[int, Any]] = []
        for node in graph.nodes:
            if node.op == "placeholder":
                slots[node] = len(slots)
        self._inputs = len(slots)
        for node in graph.nodes:
            if node.op == "get_attr":
                slots[node] = len(slots)
                self._fixed.append((slots[node], _attribute(self._module, node.target)))
        self._steps = []
        for piece in pieces:
            call: Any = made[tuple(piece.nodes)] if piece.device is not None else self._eager(piece)
            for node in piece.outputs:
                slots[node] = len(slots)
            self._steps.append(_Step(call, [slots[node] for node in piece.inputs], [slots[node] for node in piece.outputs]))
            if isinstance(call, Group):
                self.report.groups.append(call.report)
        self._size = len(slots)
        output = next(node for node in graph.nodes if node.op == "output").args[0]
        self.outputs = [slots[value] if isinstance(value, torch.fx.Node) else _Literal(value) for value in output]
        self._free(slots)

    def _free(self, slots: dict[Any, int]) -> None:
        """After its last use nothing keeps a value alive."""
        kept = {at for at in self.outputs if isinstance(at, int)} | {at for at, _ in self._fixed}
        for step in reversed(self._steps):
            for at in dict.fromkeys((*step.sources, *step.targets)):
                if at not in kept:
                    kept.add(at)
                    step.done.append(at)

    def _eager(self, piece: Piece) -> _Eager:
        outputs = piece.outputs
        graph = torch.fx.Graph()
        copies = {node: graph.placeholder(f"value_{number}") for number, node in enumerate(piece.inputs)}
        for node in piece.nodes:
            copies[node] = graph.node_copy(node, lambda used: copies[used])
        graph.output(tuple(copies[node] for node in outputs))
        return _Eager(torch.fx.GraphModule(self._module, graph))

    def __call__(self, values: list[Any]) -> list[Any]:
        """The list is emptied, so that what nobody else holds is free after its last use."""
        held: list[Any] = [None] * self._size
        held[: self._inputs] = values
        values.clear()
        for at, value in self._fixed:
            held[at] = value
        for step in self._steps:
            given = [held[at] for at in step.sources]
            try:
                results = step.call(*given)
            except Differs as problem:
                results = self._leave_to_eager(step, problem)
            for at, result in zip(step.targets, results):
                held[at] = result
            for at in step.done:
                held[at] = None
        return [held[at] if isinstance(at, int) else at.value for at in self.outputs]

    def _leave_to_eager(self, step: _Step, problem: Differs) -> list[torch.Tensor]:
        group = step.call
        if isinstance(group, Group):
            with self._lock:
                step.call = group.eager
                if group.report in self.report.groups:
                    self.report.groups.remove(group.report)
                    self.report.eager += [Place(name, str(problem)) for name in dict.fromkeys(group.report.operators)]
            if not problem.is_slow:
                warnings.warn(f"a group of {len(group.report.operators)} operators stays with eager PyTorch: {problem}", SteptpWarning, stacklevel=2)
        return problem.results


class _Literal:
    """A result that is no tensor of the graph."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _attribute(owner: Any, path: str) -> Any:
    for part in path.split("."):
        owner = getattr(owner, part)
    return owner


def _reason(error: Exception) -> str:
    if isinstance(error, DiagnosticError):
        diagnostic = error.diagnostics[0]
        return f"{diagnostic.message}" + (f" ({diagnostic.hint})" if diagnostic.hint else "")
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def _give_way(piece: Piece, reason: str, banned: dict[Any, str], borders: set[Any]) -> None:
    """A group that cannot be had as a whole is cut in two; a single operator that cannot be had stays with eager."""
    operators = [node for node in piece.nodes if not is_getitem(node)]
    if len(operators) > 1:
        borders.add(operators[len(operators) // 2])
    else:
        banned |= {node: reason for node in piece.nodes}


def explain_graph(module: Any, constants: Mapping[str, torch.Tensor], options: Options) -> tuple[list[list[str]], list[Place]]:
    """The groups of a graph by their operators, and the places that stay with eager, without any kernels."""
    fold_numbers(module, constants)
    own_views(module)
    pieces, reasons = cut(module, options.most_operators, {}, set())
    groups = [[operator_of(node) for node in piece.nodes if hasattr(node.target, "_schema")] for piece in pieces if piece.device is not None]
    return groups, places_of(reasons)


def fixed_graph(module: Any, values: list[Any]) -> Any:
    """The graph once more, for just these shapes and numbers."""
    from torch.fx.experimental.proxy_tensor import make_fx

    fakes = torch._subclasses.fake_tensor.FakeTensorMode(allow_non_fake_inputs=True)
    with torch.no_grad(), fakes:
        given = [fakes.from_tensor(value) if isinstance(value, torch.Tensor) else value for value in values]
        return make_fx(module, tracing_mode="real")(*given)

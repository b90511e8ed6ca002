"""``steptp.optimize(model, inputs)``: a module that stands in for another and runs in kernels of ours."""

from __future__ import annotations

import contextlib
import json
import operator
import os
import threading
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from .capturing import Capture, NotCaptured, capture_graph, hooks_of, share_memory
from .graphs import CompiledGraph, GraphReport, SteptpWarning
from .options import Options
from .pieces import Place
from .saving import saved
from .store import FORMAT

_NOTHING = contextlib.nullcontext()
_training = operator.attrgetter("training")


class _Prepared:
    """One graph for inputs of certain shapes, with where its values come from and go to."""

    def __init__(self, model: Any, made: Capture, options: Options, saved: Mapping[str, dict[str, Any]]) -> None:
        self.capture = made
        self.graph = CompiledGraph(made.module, options, made.constants, saved)
        self.sources = [(kind, _owner(model, where) if kind == "state" else where) for kind, where in made.sources]
        self.writes = [(kind, _owner(model, where) if kind == "state" else where) for kind, where in made.writes]
        self.is_single = not made.writes and made.out_spec.is_leaf()
        names = [node.name for node in made.module.graph.nodes if node.op == "placeholder"]
        #: Tensors whose values are known to the programs, as they were then.
        self.known = [
            (source, _identity(_value(source, [])))
            for name, source in zip(names, self.sources)
            if name in made.constants
        ]

    @property
    def report(self) -> GraphReport:
        """What runs where."""
        return self.graph.report

    def is_stale(self) -> bool:
        """Whether a constant has other values than when the programs were made."""
        return any(_identity(_value(source, [])) != before for source, before in self.known)

    def is_entangled(self, leaves: list[Any]) -> bool:
        """Whether what is written may be read under another name."""
        if not self.writes:
            return False
        return share_memory(leaves + [_value(target, leaves) for target in self.writes if target[0] == "state"])

    def run(self, leaves: list[Any]) -> Any:
        values = [_value(source, leaves) for source in self.sources]
        results = self.graph(values)
        if self.is_single:
            return results[0]
        for (kind, where), value in zip(self.writes, results):
            target = leaves[where] if kind == "input" else _value((kind, where), leaves)
            target.copy_(value)
        return torch.utils._pytree.tree_unflatten(results[len(self.writes) :], self.capture.out_spec)


class _InParts:
    """A module that is no single graph, by way of torch.compile: Python runs what stands between its graphs."""

    def __init__(self, model: Any, options: Options, reason: str) -> None:
        from .backend import compiled_in_parts

        self.graphs: list[GraphReport] = []
        self.reason = reason
        self.call = compiled_in_parts(model, options, self.graphs)

    def is_stale(self) -> bool:
        """PyTorch's own guards look after that."""
        return False

    @property
    def report(self) -> GraphReport:
        """All graphs as one."""
        groups = [group for graph in self.graphs for group in graph.groups]
        eager = [place for graph in self.graphs for place in graph.eager]
        return GraphReport(groups, [Place("Python between graphs", self.reason), *eager])


def _owner(model: Any, path: str) -> tuple[dict[str, Any], str]:
    """The table that holds a parameter or a buffer, so that the one that is there at a call is used."""
    *parts, name = path.split(".")
    for part in parts:
        model = getattr(model, part)
    for table in (model._parameters, model._buffers, model.__dict__):
        if name in table:
            return table, name
    raise NotCaptured(f"the module has no tensor {path}")


def _value(source: tuple[str, Any], leaves: list[Any]) -> Any:
    kind, where = source
    if kind == "input":
        return leaves[where]
    if kind == "value":
        return where
    table, name = where
    return table[name]


def _identity(tensor: Any) -> tuple[int, int, Any]:
    # Tensors made under inference_mode count no versions.
    return tensor.data_ptr(), -1 if tensor.is_inference() else tensor._version, tensor.shape


class OptimizedModule(torch.nn.Module):
    """Stands in for `model`, with its parameters and buffers. For each shape of inputs there is one program, up to
    `most_shapes`; anything that is not sure to give what `model` gives runs `model` itself, and `report` says so."""

    def __init__(self, model: Any, options: Options, saved: Mapping[str, dict[str, Any]] | None = None) -> None:
        super().__init__()
        self._saved_entries = dict(saved or {})
        self.model = model
        self.training = model.training
        self._options = options
        self._prepared: dict[Any, _Prepared | _InParts] = {}
        self._refused: dict[Any, str] = {}
        self._lock = threading.Lock()
        self._said: set[str] = set()
        self._modules_inside = list(model.modules())
        self._hooks = hooks_of(model)
        self._eager_calls: dict[str, int] = {}

    def __reduce__(self) -> Any:
        """A copy has a copy of the module, and makes its kernels anew from the cache."""
        return OptimizedModule, (self.model, self._options, self._saved_entries)

    def __getattr__(self, name: str) -> Any:
        """What the module has besides parameters: methods, attributes, children."""
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name == "model":
                raise
            return getattr(super().__getattr__("model"), name)

    @property
    def report(self) -> Report:
        """What runs where, by the shapes of the inputs."""
        return Report(
            {_words(key): prepared.report for key, prepared in self._prepared.items()},
            {_words(key): reason for key, reason in self._refused.items()},
            dict(self._eager_calls),
        )

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        if not kwargs and all(type(arg) is torch.Tensor for arg in args):
            leaves, spec = list(args), None
        else:
            leaves, spec = torch.utils._pytree.tree_flatten((args, kwargs))
        reason = self._reason_for_eager(leaves)
        if reason is None:
            key = (spec, tuple(map(_leaf_key, leaves)), tuple(map(_training, self._modules_inside)), _modes())
            prepared = self._prepared.get(key) or self._prepare(key, args, kwargs)
            if prepared is not None and prepared.is_stale():
                with self._lock:
                    self._prepared.pop(key, None)
                prepared = self._prepare(key, args, kwargs)
            if isinstance(prepared, _Prepared) and prepared.is_entangled(leaves):
                return self._eager("inputs share memory, and one is written to", args, kwargs)
            if prepared is not None:
                # Gradients that nobody wants are not recorded; where recording is off, that is so already.
                with torch.no_grad() if torch.is_grad_enabled() else _NOTHING:
                    return prepared.run(leaves) if isinstance(prepared, _Prepared) else prepared.call(*args, **kwargs)
            reason = self._refused.get(key, "")
        return self._eager(reason, args, kwargs)

    def _reason_for_eager(self, leaves: list[Any]) -> str | None:
        if torch.is_grad_enabled():
            if any(isinstance(leaf, torch.Tensor) and leaf.requires_grad for leaf in leaves) or any(
                parameter.requires_grad for parameter in self.model.parameters()
            ):
                return "gradients are wanted: call it under torch.no_grad(), or train with torch.compile(model, backend='steptp')"
        if _is_watched():
            return "something looks at every operator: a transform of torch.func, a mode, or torch.compile"
        if any(self._hooks):
            return "the module has hooks, which may do anything"
        if any(type(leaf) not in _PLAIN for leaf in leaves):
            return "an input is neither a plain tensor nor a plain value"
        return None

    def _eager(self, reason: str, args: Any, kwargs: Any) -> Any:
        self._eager_calls[reason] = self._eager_calls.get(reason, 0) + 1
        if reason not in self._said:
            self._said.add(reason)
            warnings.warn(f"runs with eager PyTorch: {reason}", SteptpWarning, stacklevel=3)
        return self.model(*args, **kwargs)

    def _prepare(self, key: Any, args: Any, kwargs: Any) -> _Prepared | _InParts | None:
        with self._lock:
            if key in self._prepared or key in self._refused:
                return self._prepared.get(key)
            if len(self._prepared) >= self._options.most_shapes:
                self._refused[key] = f"there are programs for {self._options.most_shapes} shapes already (most_shapes)"
                if len(self._refused) > 1000:
                    self._refused.pop(next(iter(self._refused)))
                return None
            try:
                self._prepared[key] = _Prepared(self.model, capture_graph(self.model, args, kwargs), self._options, self._saved_entries)
            except NotCaptured as error:
                if error.in_parts:
                    self._prepared[key] = _InParts(self.model, self._options, str(error))
                else:
                    self._refused[key] = str(error)
            return self._prepared.get(key)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Writes plans, programs, verdicts and certificates of all groups, to be used by `steptp.load`. Parameters are
        not among them: they are the model's."""
        root = Path(folder)
        root.mkdir(parents=True, exist_ok=True)
        number = 0
        groups = []
        for shapes, report in self.report.graphs.items():
            for group in report.groups:
                number += 1
                name = f"group_{number:03d}"
                files = dict(group.files) or {"root.leir": group.root, "program.leir": group.program}
                for file, content in files.items():
                    path = root / name / file
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(content)
                groups.append({"folder": name, "inputs": shapes, "device": group.device, "verdict": group.verdict})
        about = {"format": FORMAT, "groups": groups, "options": vars(self._options) | {"cache": None}}
        (root / "optimized.json").write_text(json.dumps(about, indent=1) + "\n")


#: What an input may be besides tensors: these are compared by value.
_PLAIN = (torch.Tensor, torch.nn.Parameter, int, float, bool, str, type(None), torch.dtype, torch.device)


def _is_watched() -> bool:
    c = torch._C
    return (
        c._functorch.peek_interpreter_stack() is not None
        or c._len_torch_dispatch_stack() > 0
        or c._len_torch_function_stack() > 0
        or torch.compiler.is_compiling()
    )


def _leaf_key(leaf: Any) -> Any:
    if isinstance(leaf, torch.Tensor):
        return leaf.shape, leaf.dtype, leaf.device, leaf.stride(), leaf.is_conj(), leaf.is_neg()
    return type(leaf), repr(leaf)


def _modes() -> tuple[Any, ...]:
    """What changes results besides inputs."""
    return torch.is_autocast_enabled(), torch.is_autocast_enabled("cpu"), torch.get_default_dtype()


def _words(key: Any) -> str:
    leaves = [f"{str(leaf[1]).removeprefix('torch.')}{list(leaf[0])}" if isinstance(leaf[0], torch.Size) else leaf[1] for leaf in key[1]]
    modes = {True: "train", False: "eval"}
    mode = modes[key[2][0]] if len(set(key[2])) == 1 else "some modules in train mode"
    return ", ".join(leaves) + f" ({mode})"


class Report:
    """What a module runs where. `graphs`: by the shapes of the inputs; `eager`: why some shapes have no graph; `calls`: how
    often the module itself was called instead, for each reason."""

    def __init__(self, graphs: Mapping[str, GraphReport], eager: Mapping[str, str], calls: Mapping[str, int]) -> None:
        self.graphs, self.eager, self.calls = graphs, eager, calls

    @property
    def groups(self) -> list[Any]:
        """All groups that run in kernels of ours."""
        return [group for graph in self.graphs.values() for group in graph.groups]

    @property
    def places(self) -> list[Place]:
        """All operators that stay with eager PyTorch."""
        return [place for graph in self.graphs.values() for place in graph.eager]

    def __str__(self) -> str:
        lines = []
        for shapes, graph in self.graphs.items():
            lines += [f"inputs {shapes}", *(f"  {line}" for line in graph.text().splitlines())]
        lines += [f"inputs {shapes}: eager: {reason}" for shapes, reason in self.eager.items()]
        lines += [f"{times} calls of the module itself: {reason}" for reason, times in self.calls.items()]
        return "\n".join(lines)

    __repr__ = __str__


def _on_device(model: Any, device: Any, leaves: list[Any]) -> None:
    """Where a device is named, everything has to be there: tensors are not moved behind the caller's back."""
    if device is None:
        return
    if str(device).split(":")[0] not in ("cpu", "cuda"):
        raise ValueError(f"no device {device!r}: there are cpu and cuda")
    wanted = torch.device(device)
    tensors = [*model.parameters(), *model.buffers(), *(leaf for leaf in leaves if isinstance(leaf, torch.Tensor))]
    for tensor in tensors:
        if tensor.device.type != wanted.type or (wanted.index is not None and tensor.device.index != wanted.index):
            raise ValueError(f"a tensor of the module or an input is on {tensor.device}, not on {wanted}: move it with .to({str(wanted)!r})")


def optimize_module(
    model: Any, inputs: Any, kwargs: Mapping[str, Any] | None = None, *, device: Any = None, **options: Any
) -> OptimizedModule:
    """The module of `steptp.optimize`; see there."""
    args = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    _on_device(model, device, torch.utils._pytree.tree_leaves((args, dict(kwargs or {}))))
    out = OptimizedModule(model, Options.of(options))
    _warm_up(out, args, dict(kwargs or {}))
    return out


def _warm_up(optimized: OptimizedModule, args: Any, kwargs: Any) -> None:
    """Kernels for these inputs, compared with eager, without a trace in the module's buffers, the inputs or the random
    numbers."""
    model = optimized.model
    state = {id(buffer): (buffer, buffer.clone()) for buffer in model.buffers()}
    with torch.random.fork_rng(devices=_gpus(model)), torch.no_grad(), _kept(state):
        copies = torch.utils._pytree.tree_map(lambda leaf: leaf.clone() if type(leaf) is torch.Tensor else leaf, (args, kwargs))
        strided = torch.utils._pytree.tree_map(_as_given, copies, (args, kwargs))
        optimized(*strided[0], **strided[1])


def _as_given(copy: Any, given: Any) -> Any:
    """A copy in the same order in memory, where that is possible."""
    if not isinstance(copy, torch.Tensor) or copy.stride() == given.stride():
        return copy
    if 0 in given.stride():
        return given
    out = torch.empty_strided(given.shape, given.stride(), dtype=given.dtype, device=given.device)
    return out.copy_(given)


@contextlib.contextmanager
def _kept(state: dict[int, tuple[torch.Tensor, torch.Tensor]]) -> Any:
    try:
        yield
    finally:
        for buffer, before in state.values():
            if not torch.equal(buffer, before):
                buffer.copy_(before)


def _gpus(model: Any) -> list[int]:
    return sorted({tensor.device.index or 0 for tensor in model.parameters() if tensor.device.type == "cuda"})


def load_module(folder: str | os.PathLike[str], model: Any) -> OptimizedModule:
    """The module of `steptp.load`; see there."""
    about, entries = saved(Path(folder))
    options = Options.of({**about["options"], "cache": None})
    return OptimizedModule(model, options, entries)

"""One group of operators as kernels: read, planned, judged, compiled, and called with the tensors' own memory."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import torch

from .. import _steptp
from .._verbs import check, read
from .certified import Certified
from .options import Options
from .pieces import Piece, memory_formats
from .planning import planned, why_not_as_it_came
from .store import Store
from .support import cut_out, read_graph

_ALIGNMENT = 16
#: How far a result may be from eager's, relative to the largest value: both round, each in its own order.
_BOUNDS = {torch.float64: 1e-9, torch.float32: 5e-4, torch.float16: 3e-2, torch.bfloat16: 1.5e-1}


#: So often a group and eager PyTorch run by turns where `samples` asks for measuring.
_TURNS = 10


class Unusable(Exception):
    """Why a group has no kernels."""


@dataclass
class GroupReport:
    """What was made of one group: `verdict` is the judge's on the kernels' program against the one it came as."""

    operators: list[str]
    device: str
    verdict: str
    safe: bool | None
    planned: bool
    reason: str | None
    kernels: int
    expected_s: float | None
    vanilla_s: float | None
    plan: dict[str, Any]
    explanation: str
    root: str
    program: str
    from_cache: bool
    files: dict[str, str] = field(repr=False, default_factory=dict)
    measured_s: float | None = None
    eager_s: float | None = None
    #: What came of the search for this program: samples, why it ended, seconds of the winner.
    searched: dict[str, Any] | None = None
    checked: bool = False
    #: At how many elements it was compared with certified values, or why not.
    certified: str | None = None


class Group:
    """The kernels of one piece, for the shapes it was made for."""

    def __init__(self, piece: Piece, constants: dict[Any, torch.Tensor], options: Options, store: Store) -> None:
        assert piece.device is not None
        self.device = piece.device
        if self.device.type == "cuda" and self.device.index is None:
            self.device = torch.device("cuda", torch.cuda.current_device())
        self.options = options
        known = {node: value for node, value in constants.items() if node in piece.inputs}
        exported = cut_out(piece.nodes, piece.inputs, piece.outputs, known)
        self.eager = exported.graph_module.forward
        self.placeholders = [node.name for node in exported.graph_module.graph.nodes if node.op == "placeholder"]
        program, names = read_graph(exported)
        if check(program).ok is not True:
            raise Unusable("the program of this group reads or writes where nobody can show that it may")
        entry, from_cache = planned(program, self.device, options, store)
        operators = sum(hasattr(node.target, "_schema") for node in piece.nodes)
        if problem := why_not_as_it_came(entry, self.device, operators):
            raise Unusable(problem)
        self.report = _report_of(piece, self.device, entry, from_cache)
        self._load(program, names, entry)
        self._results = list(zip(self._order, (memory_formats(node) for node in piece.outputs)))
        self.checked = options.check == "off"
        self.report.kernels = self.kernels.kernels

    def _load(self, program: Any, names: dict[str, Any], entry: dict[str, Any]) -> None:
        """Kernels, and for each variable of the signature where its memory comes from."""
        fast = read(entry["program"])
        gpu = -1 if self.device.type == "cpu" else self.device.index
        self.kernels = _steptp.compile_kernels(fast, gpu, self.options.arithmetic)
        by_path = {path: name for kind in ("inputs", "parameters", "constants") for name, path in names[kind].items()}
        position = {by_path[path]: at for at, path in enumerate(self.placeholders) if path in by_path}
        self.outputs = [(variable.shape, _dtype(variable.dtype)) for variable in fast.signature if variable.role == "output"]
        outputs = [variable.name for variable in fast.signature if variable.role == "output"]
        self._output_names = list(names["outputs"])
        self._order = [outputs.index(name) for name in self._output_names]
        self._drawn = [(variable.name, position[variable.name], _dtype(variable.dtype)) for variable in fast.signature if variable.name in position]
        self._reads: list[tuple[int, int, torch.dtype, tuple[int, ...]]] = []
        self._writes: list[tuple[int, int]] = []
        self._own: list[torch.Tensor] = []
        self._pointers = [0] * len(fast.signature)
        for slot, variable in enumerate(fast.signature):
            if variable.role == "output":
                self._writes.append((slot, outputs.index(variable.name)))
            elif variable.name in position:
                self._reads.append((slot, position[variable.name], _dtype(variable.dtype), torch.Size(variable.shape)))
            elif variable.values is not None:
                made = torch.tensor(variable.values, dtype=_dtype(variable.dtype)).reshape(variable.shape)
                self._own.append(made.to(self.device))
                self._pointers[slot] = self._own[-1].data_ptr()
            else:
                raise Unusable(f"the program wants a tensor {variable.name} that the graph does not give")
        self.workspace_bytes = self.kernels.workspace_bytes

    def __call__(self, *tensors: torch.Tensor) -> list[torch.Tensor]:
        if not self.checked:
            return self._first_call(tensors)
        return self.run(tensors)

    def run(self, tensors: tuple[torch.Tensor, ...]) -> list[torch.Tensor]:
        """The kernels, on the tensors' own memory. What lies in another order than in rows is copied first."""
        device = self.device
        pointers = list(self._pointers)
        copies = []
        for slot, at, dtype, shape in self._reads:
            tensor = tensors[at]
            pointer = tensor.data_ptr()
            if tensor.dtype is not dtype or tensor.shape != shape or pointer % _ALIGNMENT or not tensor.is_contiguous() or \
                    tensor.is_neg() or tensor.device != device:
                tensor = self._ready(tensor, dtype, shape)
                copies.append(tensor)  # alive until the kernels have run
                pointer = tensor.data_ptr()
            pointers[slot] = pointer
        made = [torch.empty(shape, dtype=dtype, device=device) for shape, dtype in self.outputs]
        for slot, at in self._writes:
            pointers[slot] = made[at].data_ptr()
        workspace = torch.empty(self.workspace_bytes, dtype=torch.uint8, device=device) if self.workspace_bytes else None
        memory = workspace.data_ptr() if workspace is not None else 0
        if device.type == "cpu":
            self.kernels.call(pointers, memory, 0, torch.get_num_threads())
        elif torch._C._cuda_getDevice() == device.index:
            self.kernels.call(pointers, memory, _stream_of(device.index), 1)
        else:
            with torch.cuda.device(device):
                self.kernels.call(pointers, memory, _stream_of(device.index), 1)
        return [self._formed(made[at], strides) for at, strides in self._results]

    def _ready(self, tensor: torch.Tensor, dtype: torch.dtype, shape: tuple[int, ...]) -> torch.Tensor:
        if tensor.dtype != dtype or tensor.shape != shape or tensor.device != self.device:
            got = f"{tensor.dtype} {tuple(tensor.shape)} on {tensor.device}"
            raise RuntimeError(f"these kernels were made for {dtype} {tuple(shape)} on {self.device}, not for {got}")
        if tensor.is_conj() or tensor.is_neg():
            tensor = tensor.resolve_conj().resolve_neg()
        if not tensor.is_contiguous():
            tensor = tensor.contiguous()
        return tensor if tensor.data_ptr() % _ALIGNMENT == 0 else tensor.clone(memory_format=torch.contiguous_format)

    @staticmethod
    def _formed(tensor: torch.Tensor, strides: tuple[int, ...] | None) -> torch.Tensor:
        """In the order in memory that eager PyTorch gives, on which later operators may rely."""
        if strides is None or 0 in strides:
            return tensor
        return torch.empty_strided(tensor.shape, strides, dtype=tensor.dtype, device=tensor.device).copy_(tensor)

    def _first_call(self, tensors: tuple[torch.Tensor, ...]) -> list[torch.Tensor]:
        """Once beside eager PyTorch: nothing else sees the way from a graph to the program it came as. Raises Unusable
        with eager's results where the two differ."""
        with torch.no_grad():
            wanted = list(self.eager(*tensors))
            try:
                made = self.run(tensors)
            except IndexError as error:
                raise Differs(f"eager PyTorch computes what our kernels refuse: {error}", wanted) from None
            for number, (ours, theirs) in enumerate(zip(made, wanted)):
                if problem := difference(ours, theirs):
                    raise Differs(f"result {number} differs from eager's: {problem}", wanted)
            if self.options.check == "certified":
                self._certify(tensors, wanted)
            self.checked = self.report.checked = True
            if self.options.samples:
                self._measure(tensors, wanted)
        return made

    def _certify(self, tensors: tuple[torch.Tensor, ...], wanted: list[torch.Tensor]) -> None:
        """Both beside certified values at inputs that are drawn for it. Raises Differs where one is not within the bound."""
        certified = Certified(read(self.report.root))
        self.report.certified = certified.problem or f"{len(certified.elements)} elements"
        if certified.problem:
            return
        given = list(tensors)
        for name, at, dtype in self._drawn:
            given[at] = torch.from_numpy(certified.inputs[name]).to(self.device, dtype)
        for whose, run in (("eager PyTorch", self.eager), ("our kernels", lambda *values: self.run(values))):
            if problem := certified.difference(dict(zip(self._output_names, run(*given)))):
                raise Differs(f"{whose} beside certified values: {problem}", wanted)

    def _measure(self, tensors: tuple[torch.Tensor, ...], wanted: list[torch.Tensor]) -> None:
        """Some turns of each; the shortest counts. Raises Differs where eager PyTorch is faster."""
        report = self.report
        best = {"ours": float("inf"), "eager": float("inf")}
        for _ in range(_TURNS):
            for name, run in (("ours", lambda: self.run(tensors)), ("eager", lambda: self.eager(*tensors))):
                best[name] = min(best[name], _seconds(run, self.device))
        report.measured_s, report.eager_s = best["ours"], best["eager"]
        if best["ours"] > best["eager"]:
            raise Differs(f"measured slower than eager: {best['ours']:.3g} s and {best['eager']:.3g} s", wanted, is_slow=True)


def _stream_of(gpu: int) -> int:
    """The current stream as the driver knows it. What PyTorch's own compiler calls, because making an object of the stream
    costs microseconds."""
    return torch._C._cuda_getCurrentRawStream(gpu)


class Differs(Unusable):
    """The kernels of a group are not used from here on; eager's results of this call are at hand."""

    def __init__(self, message: str, results: list[torch.Tensor], *, is_slow: bool = False) -> None:
        super().__init__(message)
        self.results, self.is_slow = results, is_slow


def _seconds(run: Any, device: torch.device) -> float:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    start = time.perf_counter()
    run()
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter() - start


def _dtype(name: str) -> torch.dtype:
    return getattr(torch, name)


def difference(ours: torch.Tensor, theirs: torch.Tensor) -> str | None:
    """Where two results are further apart than rounding explains."""
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return f"{ours.dtype} {tuple(ours.shape)} instead of {theirs.dtype} {tuple(theirs.shape)}"
    if not theirs.dtype.is_floating_point:
        wrong = int((ours != theirs).sum())
        return f"{wrong} elements" if wrong else None
    a, b = ours.detach().double(), theirs.detach().double()
    same = (a == b) | (a.isnan() & b.isnan())
    if bool(same.all()):
        return None
    finite = a.isfinite() & b.isfinite()
    if not bool((same | finite).all()):
        return "one is finite and the other is not"
    scale = 1 + float(b[finite].abs().max())
    worst = float((a[finite] - b[finite]).abs().max())
    bound = _BOUNDS[theirs.dtype] * scale
    return None if worst <= bound else f"by {worst:.3g}, more than {bound:.3g}"


def _report_of(piece: Piece, device: torch.device, entry: dict[str, Any], from_cache: bool) -> GroupReport:
    return GroupReport(
        [str(node.target) for node in piece.nodes if hasattr(node.target, "_schema")],
        str(device),
        entry["verdict"],
        entry["safe"],
        not entry["fallback"],
        entry["reason"],
        0,
        entry["expected_s"],
        entry["vanilla_s"],
        entry["plan"],
        entry["explanation"],
        entry["root"],
        entry["program"],
        from_cache,
        entry["files"],
        searched=entry["searched"],
    )

"""``steptp.check_module(a, b, inputs)``: whether two modules compute the same, how we know, and where not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from .._errors import DiagnosticError
from .._results import Judgement
from .._verbs import verify
from .capturing import Capture, NotCaptured, capture_graph
from .kernels import difference
from .support import cut_out, read_graph

#: A tensor of a program where it stands in an expression: its name, before its dtype and scope.
_TENSOR = re.compile(r"\b([A-Za-z][A-Za-z0-9_]*)(?=\^\{[a-z]+[0-9]*,[a-z]\})")


@dataclass(frozen=True)
class ModuleJudgement:
    """`verdict`: "proved" or "exact" (equal as real functions, for all inputs of these shapes and all values of the
    parameters), "numeric" (the same at some inputs, which is not equal), "differs", or "undecided". As a condition it is
    true where the modules are equal. `counterexample` has tensors, the inputs as "input 0" and parameters by their
    paths, at which the results differ, and `results` what the two modules give there."""

    verdict: str
    safe: bool | None
    reason: str
    counterexample: dict[str, torch.Tensor] | None = None
    results: tuple[Any, Any] | None = field(default=None, repr=False)
    judgement: Judgement | None = field(default=None, repr=False)

    def __bool__(self) -> bool:
        return self.verdict in ("proved", "exact")

    def __repr__(self) -> str:
        """Tensors by their shapes: whoever wants the values looks at `counterexample`."""
        given = (self.counterexample or {}).items()
        shapes = {name: f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}" for name, value in given}
        found = f", counterexample={shapes}" if self.counterexample is not None else ""
        return f"ModuleJudgement(verdict={self.verdict!r}, safe={self.safe}, reason={self.reason!r}{found})"


class WholeModule:
    """A module as one program. Raises NotCaptured, or DiagnosticError for an operator that LEIR does not have."""

    def __init__(self, model: Any, args: Any, kwargs: Any, *, may_write: bool = False) -> None:
        """`may_write`: new values of buffers are outputs like others, and come first."""
        self.capture: Capture = capture_graph(model, args, kwargs)
        graph = self.capture.module.graph
        placeholders = [node for node in graph.nodes if node.op == "placeholder"]
        used = [node for node in placeholders if node.users]
        output = next(node for node in graph.nodes if node.op == "output").args[0]
        if any(kind == "input" for kind, _ in self.capture.writes) or (self.capture.writes and not may_write):
            raise NotCaptured("the module writes to its buffers or inputs")
        if any(not isinstance(value, torch.fx.Node) or value.op != "call_function" for value in output):
            raise NotCaptured("a result is an input, or no tensor")
        constants = {node: self.capture.constants[node.name] for node in used if node.name in self.capture.constants}
        nodes = [node for node in graph.nodes if node.op == "call_function"]
        exported = cut_out(nodes, used, list(output), constants)
        inner = [node.name for node in exported.graph_module.graph.nodes if node.op == "placeholder"]
        self.program, names = read_graph(exported)
        paths = {path: name for kind in ("inputs", "parameters", "constants") for name, path in names[kind].items()}
        sources = dict(zip((node.name for node in placeholders), self.capture.sources))
        #: What each variable of the program is in the module: ("input", number), ("state", path) or ("value", tensor).
        self.meaning = {paths[at]: sources[node.name] for at, node in zip(inner, used) if at in paths}
        self.outputs: list[str] = names["outputs"]


def _same_tensor(left: Any, right: Any) -> bool:
    return left.shape == right.shape and left.dtype == right.dtype and left.device == right.device and torch.equal(left, right)


def _held(model: Any, source: tuple[str, Any]) -> Any:
    kind, where = source
    if kind != "state":
        return where
    for part in where.split("."):
        model = getattr(model, part)
    return model


def _names(a: Any, b: Any, left: WholeModule, right: WholeModule) -> dict[str, str]:
    """The name in the first program of each known variable of the second. Raises NotCaptured."""
    out: dict[str, str] = dict(zip(right.outputs, left.outputs, strict=True))
    free = dict(left.meaning)
    for name, source in right.meaning.items():
        kind, where = source
        match = next((other for other, its in free.items() if its[0] == kind == "input" and its[1] == where), None)
        if kind != "input":
            mine = _held(b, source)
            candidates = [other for other, its in free.items() if its[0] != "input" and _same_tensor(_held(a, its), mine)]
            by_path = [other for other in candidates if free[other] == source]
            match = (by_path or candidates or [None])[0]
        if match is None:
            raise NotCaptured(f"the first module has no tensor with the values of {where if kind == 'state' else 'a constant'} of the second")
        out[name] = match
        free.pop(match)
    return out


def _renamed(program: Any, names: Mapping[str, str]) -> str:
    """The text of a program with the names of another; what is not known gets names that neither has."""
    text = program.to_text(header=False)
    taken = set(names.values())
    fresh: dict[str, str] = {}

    def new_name(match: re.Match[str]) -> str:
        name = match.group(1)
        if name in names:
            return names[name]
        if name not in fresh:
            number = len(taken)
            while (chosen := _own_name(number)) in taken:
                number += 1
            fresh[name] = chosen
            taken.add(chosen)
        return fresh[name]

    return _TENSOR.sub(new_name, text)


def _own_name(number: int) -> str:
    """Own, Owna, Ownb, ...: a tensor is called by letters alone."""
    out = ""
    while number:
        number, digit = divmod(number - 1, 26)
        out = chr(ord("a") + digit) + out
    return f"Own{out}"


def _tensors_of(judgement: Judgement, side: WholeModule, model: Any, leaves: list[Any]) -> dict[str, torch.Tensor] | None:
    """The inputs of a counterexample, by what they are in the module."""
    found = judgement.counterexample
    if found is None or found.given is None:
        return None
    out = {}
    for name, source in side.meaning.items():
        kind, where = source
        like = leaves[where] if kind == "input" else _held(model, source)
        made = torch.full_like(like, _number(found.given["fill"].get(name, "0")))
        for element in found.given["elements"]:
            if element["name"] == name:
                made[tuple(element["index"])] = _number(element["value"])
        out[f"input {where}" if kind == "input" else str(where) if kind == "state" else name] = made
    return out


def _number(text: str) -> float:
    if "/" in text:
        top, _, bottom = text.partition("/")
        return float(top) / float(bottom)
    return float(text)


def _run_at(model: Any, point: Mapping[str, torch.Tensor], args: Any, kwargs: Any) -> Any:
    leaves, spec = torch.utils._pytree.tree_flatten((args, kwargs))
    given, named = torch.utils._pytree.tree_unflatten([point.get(f"input {at}", leaf) for at, leaf in enumerate(leaves)], spec)
    own = {path for path, _ in (*model.named_parameters(), *model.named_buffers())}
    state = {path: value for path, value in point.items() if path in own}
    with torch.no_grad():
        return torch.func.functional_call(model, state, given, named)


def _drawn(a: Any, b: Any, args: Any, kwargs: Any, reason: str, tries: int = 4) -> ModuleJudgement:
    """The two beside each other at the given inputs and at some drawn ones: this can show a difference, not equality."""
    generator = torch.Generator().manual_seed(1)
    leaves, spec = torch.utils._pytree.tree_flatten((args, kwargs))
    for number in range(tries):
        given = [_again(leaf, generator) if number else leaf for leaf in leaves]
        point = {f"input {at}": leaf for at, leaf in enumerate(given) if isinstance(leaf, torch.Tensor)}
        left, right = (_run_at(model, point, args, kwargs) for model in (a, b))
        if problem := _apart(left, right):
            return ModuleJudgement("differs", None, f"{problem}; {reason}", point, (left, right))
    return ModuleJudgement("numeric", None, f"the same at {tries} inputs, which shows nothing about others: {reason}")


def _again(leaf: Any, generator: torch.Generator) -> Any:
    if not isinstance(leaf, torch.Tensor) or not leaf.is_floating_point():
        return leaf
    return torch.randn(leaf.shape, generator=generator).to(leaf.device, leaf.dtype)


def _apart(left: Any, right: Any) -> str | None:
    ours, spec = torch.utils._pytree.tree_flatten(left)
    theirs, other = torch.utils._pytree.tree_flatten(right)
    if spec != other:
        return "the results have another structure"
    for number, (mine, yours) in enumerate(zip(ours, theirs)):
        if isinstance(mine, torch.Tensor) and isinstance(yours, torch.Tensor):
            if problem := difference(mine, yours):
                return f"result {number}: {problem}"
        elif mine != yours:
            return f"result {number}: {mine!r} and {yours!r}"
    return None


def check_module(
    a: Any, b: Any, inputs: Any, kwargs: Mapping[str, Any] | None = None, *, seed: int | None = None, budget: int | None = None
) -> ModuleJudgement:
    """Whether `b` computes what `a` computes, for all inputs of the shapes of these: a judge for kernels and rewritten
    modules, as long as they are PyTorch code that can be captured. Parameters and buffers are paired where they have the
    same values, by their paths first, and then stand for any values. What cannot be captured, or has parameters of its
    own, is run at some inputs, which can show a difference and never equality."""
    args = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    given = dict(kwargs or {})
    try:
        left, right = WholeModule(a, args, given), WholeModule(b, args, given)
        if len(left.outputs) != len(right.outputs) or left.capture.out_spec != right.capture.out_spec:
            return _drawn(a, b, args, given, "the modules give another number of results")
        renamed = _renamed(right.program, _names(a, b, left, right))
    except NotCaptured as error:
        return _drawn(a, b, args, given, f"no proof was tried: {error}")
    except DiagnosticError as error:
        return _drawn(a, b, args, given, f"no proof was tried: {error.diagnostics[0].message}")
    judgement = verify(left.program, renamed, seed=seed, budget=budget)
    if judgement.verdict == "invalid":
        return _drawn(a, b, args, given, f"no proof was tried: {judgement.reason}")
    if judgement.verdict != "differs":
        return ModuleJudgement(judgement.verdict, judgement.safe, judgement.reason, None, None, judgement)
    point = _tensors_of(judgement, left, a, torch.utils._pytree.tree_leaves((args, given)))
    if point is None:
        drawn = _drawn(a, b, args, given, judgement.reason)
        return ModuleJudgement("differs", None, judgement.reason, drawn.counterexample, drawn.results, judgement)
    paths = {its[1]: source[1] for name, source in right.meaning.items() if source[0] == "state"
             and (its := left.meaning[_names(a, b, left, right)[name]])[0] == "state"}
    there = {paths.get(key, key): value for key, value in point.items()}
    results = _run_at(a, point, args, given), _run_at(b, there, args, given)
    return ModuleJudgement("differs", judgement.safe, judgement.reason, point, results, judgement)

"""Program types, and operator graphs in general."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from . import _steptp
from ._steptp import Program


@dataclass(frozen=True)
class ZooProgram:
    """A program of the zoo in all its forms."""

    program: Program
    name: str
    dtype: str
    #: The arguments of its type; empty for a random composition.
    args: Mapping[str, float]
    #: Whether some output does not depend on the inputs.
    degenerate: bool
    #: A PyTorch file in the style of KernelBench that computes the same.
    torch: str
    #: The operator graph (docs/frontend.md).
    graph: Mapping[str, Any]


def _program(shown: tuple[Program, str, str, str]) -> ZooProgram:
    program, record, torch, graph = shown
    facts = json.loads(record)
    return ZooProgram(
        program, facts["program"], facts["dtype"], facts.get("args", {}), facts["degenerate"], torch, json.loads(graph)
    )


def zoo_list() -> list[dict[str, Any]]:
    """All program types, each with level, number, family and its arguments with default and range.

    >>> zoo_list()[0]["program"], len([t for t in zoo_list() if t["level"] <= 2])
    ('Matmul3D', 204)
    """
    return json.loads(_steptp.zoo_list())


def zoo_show(name: str, *, dtype: str = "f32", **args: float) -> ZooProgram:
    """The program of a type; arguments that are not given have their default.

    Raises DiagnosticError where there is no such type, or the arguments do not fit.

    >>> zoo_show("ReLU", batch_size=2, dim=3).program.signature[1].shape
    (2, 3)
    """
    return _program(_steptp.zoo_show(name, {key: float(value) for key, value in args.items()}, dtype))


def zoo_draw(
    count: int = 1,
    *,
    seed: int = 1,
    first: int = 0,
    types: Iterable[str] = (),
    dtypes: Iterable[str] = (),
    compositions: int = 0,
) -> list[ZooProgram]:
    """Random programs, addressed by (seed, index): the same on every machine, alone or among others.

    `first` is the index of the first, `types` names the types to draw from (all), `dtypes` the dtypes (f16, f32, f64),
    and `compositions` how many of a hundred draws are random compositions. Shorter where a draw finds nothing that fits.

    >>> zoo_draw(3, seed=5)[2].name == zoo_draw(1, seed=5, first=2)[0].name
    True
    """
    return [_program(shown) for shown in _steptp.zoo_draw(seed, first, count, list(types), list(dtypes), compositions)]


def from_graph(graph: str | Mapping[str, Any]) -> Program:
    """The LEIR program of an operator graph, given as JSON or as the object it stands for (docs/frontend.md).

    >>> double = {"nodes": [{"kind": "input", "name": "x", "dtype": "float32", "shape": [3]},
    ...                     {"kind": "call", "name": "y", "op": "aten.mul.Tensor", "args": {"self": "x", "other": 2}}],
    ...           "outputs": ["y"]}
    >>> from_graph(double).to_text(header=False)
    'B^{3}_{tx=0}[C^{f32,g}_{tx}=A^{f32,g}_{tx}*2;];'
    """
    return _steptp.lower_graph(graph if isinstance(graph, str) else json.dumps(graph))[0]

"""Moves and plans as functions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from . import _steptp
from ._errors import RefusedError
from ._steptp import Program
from ._verbs import SignatureLike, Source, _natural, _open


@dataclass(frozen=True)
class Moved:
    """A program after a move or a plan: the steps that made it, as `replay` takes them, and where each nest, loop,
    equation, left side and read of the program before is now."""

    program: Program
    recipe: dict[str, Any]
    map: dict[str, list[str]]


def moves() -> list[dict[str, Any]]:
    """The moves: goals that are made of many steps. Name, summary, picture, parameters, refusals.

    >>> [entry["summary"] for entry in moves() if entry["name"] == "step"]
    ['any single choice of any strategy']
    """
    return json.loads(_steptp.moves())


def move_choices(
    source: Source,
    move: str | Iterable[str] | None = None,
    *,
    signature: SignatureLike | None = None,
    limit: int | None = None,
    sample: int | None = None,
    seed: int = 0,
    refusals: bool = False,
) -> list[dict[str, Any]]:
    """Every move that can be made on a program: places with the exact domains of the parameters, or, with `limit` or
    `sample`, choices that `apply_move` takes. ValueError where there is no such move.

    >>> chain = (
    ...     "@input A f32[8]\\n@output E f32[8]\\n"
    ...     "B^{8}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{tx}*2;];B^{8}_{tx=0}[E^{f32,g}_{tx}=exp(D^{f32,g}_{tx});];"
    ... )
    >>> move_choices(chain, "inline", limit=1)[0]["choice"]
    {'at': '0', 'form': 'producer'}
    """
    if limit is not None and sample is not None:
        raise ValueError("limit and sample cannot be used together")
    names = [] if move is None else [move] if isinstance(move, str) else list(move)
    first = None if limit is None else _natural(limit, "limit")
    drawn = None if sample is None else _natural(sample, "sample")
    document = _open(source, signature)
    return json.loads(_steptp.move_choices(document, names, first, drawn, _natural(seed, "seed"), refusals))


def apply_move(
    source: Source, move: str, choice: Mapping[str, Any], *, signature: SignatureLike | None = None
) -> Moved:
    """One move on a program. Raises RefusedError where it or one of its steps is refused, ValueError where the move or
    its parameters are unknown.

    >>> chain = (
    ...     "@input A f32[8]\\n@output E f32[8]\\n"
    ...     "B^{8}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{tx}*2;];B^{8}_{tx=0}[E^{f32,g}_{tx}=exp(D^{f32,g}_{tx});];"
    ... )
    >>> moved = apply_move(chain, "inline", {"at": "0", "form": "producer"})
    >>> moved.program.to_text(header=False)
    'B^{8}_{tx=0}[E^{f32,g}_{tx}=exp(A^{f32,g}_{tx}*2);];'
    >>> [step["strategy"] for step in moved.recipe["steps"]], moved.map["0"], moved.map["1"]
    (['compute_inline'], [], ['0'])
    """
    program, text = _steptp.apply_move(_open(source, signature), move, json.dumps(dict(choice)))
    answer = json.loads(text)
    if program is None:
        raise RefusedError(answer["text"], answer["refused"])
    return Moved(program, answer["recipe"], answer["map"])


def make_plan(
    source: Source,
    moves: Iterable[tuple[str, Mapping[str, Any]]],
    *,
    target: str = "",
    signature: SignatureLike | None = None,
) -> dict[str, Any]:
    """A plan for a program: moves, each a name and a choice, one after the other. `replay_plan` makes them; as JSON in a
    file it is what ``steptp replay --plan`` reads."""
    entries = [{"move": name, "choice": dict(choice)} for name, choice in moves]
    return {"version": 1, "root": _steptp.root_hash(_open(source, signature)), "target": target, "moves": entries}


def replay_plan(source: Source, plan: Mapping[str, Any], *, signature: SignatureLike | None = None) -> Moved:
    """All moves of a plan, one after the other. ValueError where the plan is damaged, of another version, or for
    another program; RefusedError where a move is refused, with its number, counted from 1, as `step`."""
    program, text = _steptp.replay_plan(_open(source, signature), json.dumps(dict(plan)))
    answer = json.loads(text)
    if program is None:
        raise RefusedError(answer["text"], answer["refused"], answer["move"])
    return Moved(program, answer["recipe"], answer["map"])


def retune(plan: Mapping[str, Any], move: int, choice: Mapping[str, Any]) -> dict[str, Any]:
    """The plan with another choice for one of its moves, counted from 1."""
    return json.loads(_steptp.retune(json.dumps(dict(plan)), _natural(move, "move"), json.dumps(dict(choice))))

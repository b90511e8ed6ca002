"""`steptp search` as a function."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from . import _steptp
from ._steptp import Program
from ._verbs import SignatureLike, Source, _natural, _open

Proposer = Callable[[Mapping[str, Any]], Any]


@dataclass(frozen=True)
class Found:
    """What a search found: the fastest `program` that is equal and safe, which is the program as it came where nothing
    was faster. Times are in seconds, those of an analytic device expected ones; `curve` has pairs of samples and the
    best time from there on, `row` all columns that docs/search.md names."""

    program: Program
    speedup: float | None
    seconds: float | None
    vanilla_seconds: float | None
    verdict: str
    safe: bool | None
    samples: int
    stop: str
    outcomes: Mapping[str, int]
    curve: list[tuple[int, float]]
    plan: Mapping[str, Any] | None
    recipe: list[dict[str, Any]] | None
    row: Mapping[str, Any] = field(repr=False)


def _found(program: Program, text: str) -> Found:
    row = json.loads(text)
    times = row.get("times", {})
    return Found(
        program,
        row.get("speedup_over_vanilla"),
        times.get("ours", {}).get("median"),
        times.get("vanilla", {}).get("median"),
        row["verdict"],
        row["safe"],
        row["samples"],
        row["stop"],
        row["outcomes"],
        [(samples, seconds) for samples, seconds in row["curve"]],
        row.get("plan"),
        row["recipe"],
        row,
    )


def _answered(proposer: Proposer) -> Callable[[str], str]:
    """The function on JSON texts, which is what the compiled part calls."""

    def answer(question: str) -> str:
        candidates = proposer(json.loads(question))
        if isinstance(candidates, Mapping):
            return json.dumps(candidates)
        listed = [{"leir": one} if isinstance(one, str) else one for one in candidates]
        return json.dumps({"candidates": listed})

    return answer


def search(
    source: Source,
    device: str = "analytic",
    *,
    algorithm: str = "mcts",
    proposer: str | Proposer = "rules",
    samples: int = 64,
    published: bool = False,
    signature: SignatureLike | None = None,
    target: str = "",
    journal: str | os.PathLike[str] = "",
    seed: int = 1,
    jobs: int = 0,
    **settings: Any,
) -> Found:
    """Tries many programs that compute what `source` computes, each verified, and answers with the fastest.

    `proposer` is one of those of ``steptp search --proposer``, or a function: it gets a question as a dict (``leir``,
    ``wanted``, ``speedup``, ``failures`` and others, as docs/search.md says) and answers with a list of programs as
    texts, or of dicts with ``leir``, ``step`` or ``plan``. With `journal`, a folder, the search is kept there, and the
    same call goes on where it was ended. Other keywords are settings of the command: ``device_seconds``, ``tokens``,
    ``proposer_source``, ``judge_seconds``, ``warm``, ``model`` (a dict).

    >>> square = (
    ...     "@input A f32[64,64]\\n@input C f32[64,64]\\n@output D f32[64,64]\\n"
    ...     "B^{64}_{tx=0}L^{64}_{a=0}L^{64}_{c=0}[D^{f32,g}_{tx,a}=D^{f32,g}_{tx,a}+A^{f32,g}_{tx,c}*C^{f32,g}_{c,a};];"
    ... )
    >>> found = search(square, "analytic:nvidia-h200", samples=4)
    >>> found.verdict, found.safe, found.samples, found.stop, found.speedup > 10
    ('proved', True, 4, 'samples', True)
    """
    given: dict[str, Any] = {
        "algorithm": algorithm,
        "published": published,
        "samples": _natural(samples, "samples"),
        "seed": _natural(seed, "seed"),
        **settings,
    }
    function = None
    if callable(proposer):
        function = _answered(proposer)
        given["proposer"] = "command"
        given.setdefault("proposer_source", getattr(proposer, "__qualname__", "a function"))
    else:
        given["proposer"] = proposer
    program, row = _steptp.search(
        _open(source, signature),
        json.dumps(given),
        device,
        target,
        os.fspath(journal),
        function,
        _natural(jobs, "jobs"),
    )
    return _found(program, row)


def read_search(folder: str | os.PathLike[str]) -> list[Found]:
    """What the folder of a search has, for each of its programs; nothing is asked or measured."""
    return [_found(program, row) for program, row in _steptp.read_search(os.fspath(folder))]

"""Rewards for training a model: what its answers are worth, judged without a GPU in milliseconds.

Each is called as TRL calls a reward function, ``equal(completions=[...], **columns)``, and answers one number from 0 to 1
for each completion. A completion is a text, or a list of messages of which the assistant's last one counts. Of the
columns of the dataset these are read:

    before (or leir)  the program of the question, in either profile
    signature         its known variables, as a list or as JSON; not needed where `before` has header lines
    programs          how many programs the question asks for; without it one

Whatever is wrong with an answer or a row is worth 0, and nothing is ever raised; what is wrong with a row, rather than
with an answer, is logged once under the name "steptp.rewards". All of it may be called from many threads.

`step` is the one to train with: it asks for all that a step is. `equal` and `different` ask for less and can be earned
more cheaply, by writing the same calculation in another order for example.

`time_limit` (seconds for one answer), `jobs` (threads, 0: all cores), `seed` and `device` (of `faster`) are the module's
settings. What the judge draws
follows from question, answer and seed, so that an answer is worth the same however often it is given; what depends on
draws has to be found three times with different ones.

For ms-swift: ``--external_plugins .../steptp/swift_plugin.py --reward_funcs steptp_equal steptp_format``.
"""

from __future__ import annotations

import json
import logging
import operator
from collections.abc import Sequence
from typing import Any

from . import _steptp

__all__ = ["different", "equal", "faster", "format", "safe", "step", "strategy_matches"]

#: Seconds for one answer: what is not known by then is worth nothing.
time_limit: float = 10.0
#: Threads for one batch; 0: all cores.
jobs: int = 0
#: The seed of the judge's draws, beside question and answer: an answer is worth the same however often it is given.
seed: int | None = None
#: What `faster` expects times of: a name of the table of devices (`steptp device --list`).
device: str = "nvidia-h200"

_log = logging.getLogger("steptp.rewards")
_logged: set[str] = set()

_PROGRAM_COLUMNS = ("before", "leir", "original_leir", "original")


def _report(problem: str) -> None:
    if problem not in _logged:
        _logged.add(problem)
        _log.warning("a row cannot be rewarded: %s", problem)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _text_of(completion: Any) -> str:
    """What the assistant says last; nothing that is no text."""
    if isinstance(completion, str):
        return completion
    if isinstance(completion, dict):
        completion = [completion]
    if not isinstance(completion, Sequence):
        return ""
    for message in reversed(completion):
        if isinstance(message, dict) and message.get("role", "assistant") == "assistant":
            content = message.get("content")
            return content if isinstance(content, str) else ""
    return ""


def _cell(columns: dict[str, Any], name: str, row: int, rows: int) -> Any:
    """The value of a column in a row; a single value stands for every row."""
    column = columns.get(name)
    if isinstance(column, (str, bytes, int)) or column is None:
        return column
    return column[row] if len(column) == rows else None


def _record(columns: dict[str, Any], row: int, rows: int) -> bytes:
    """The program of the question as `read` takes it; nothing where the row has none."""
    leir = next((cell for name in _PROGRAM_COLUMNS if isinstance(cell := _cell(columns, name, row, rows), str)), None)
    if leir is None:
        _report("there is no column 'before' or 'leir'")
        return b""
    signature = _cell(columns, "signature", row, rows)
    if signature is None:
        return _bytes(leir)
    if isinstance(signature, str):
        signature = json.loads(signature)
    return _bytes(json.dumps({"program": "", "signature": signature, "leir": leir}))


def _programs(columns: dict[str, Any], row: int, rows: int) -> int:
    value = _cell(columns, "programs", row, rows)
    if value is None:
        return 1
    if isinstance(value, (bool, str, bytes)) or not 0 < (number := operator.index(value)) < 1000:
        raise ValueError(f"the column 'programs' is {value!r}, and not a number from 1 to 999")
    return number


def _scored(completion: Any, columns: dict[str, Any], row: int, rows: int, wants_record: bool) -> tuple[bytes, bytes, int]:
    try:
        text = _bytes(_text_of(completion))
        return (_record(columns, row, rows) if wants_record else b""), text, _programs(columns, row, rows)
    except Exception as error:  # a row may hold anything
        _report(f"{type(error).__name__}: {error}")
        return b"", b"", 0


def _rewards(name: str, completions: Any, columns: dict[str, Any]) -> list[float]:
    try:
        rows = len(completions)
    except TypeError:
        return []
    try:
        scored = [_scored(completions[i], columns, i, rows, name != "format") for i in range(rows)]
        different_ones = list(dict.fromkeys(scored))  # a group often holds one answer many times
        drawn = None if seed is None else int(seed)
        values, problems = _steptp.rewards(name, different_ones, float(time_limit), drawn, int(jobs), str(device))
        for problem in problems:
            _report(problem)
        worth = dict(zip(different_ones, values))
        return [worth[one] for one in scored]
    except Exception as error:
        _report(f"{type(error).__name__}: {error}")
        return [0.0] * rows


def step(completions: Any = (), **columns: Any) -> list[float]:
    """1 where the answer is a step that is worth learning. All of this is asked:

    it is equal and safe, as for `safe`; and it is what one choice of the strategy named, one of the 43, makes of the
    question, and nothing beside it. Operands and independent expressions may stand in another order; `+0`, dead equations
    and loops of one iteration beside the step earn nothing. Steps that nobody would show earn nothing either: a thread
    axis with another name, masked threads, a copy of one element that is used once.

    >>> double = "@input A f32[8]\\n@output D f32[8]\\nL^{8}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a}*2;];"
    >>> split = '<answer>{"transformed_IR":"a4 c2 D(a*2+c)=A(a*2+c)*2;","applied_strategy":"loop_split"}</answer>'
    >>> cheap = '<answer>{"transformed_IR":"a8 D(a)=A(a)*2+0;","applied_strategy":"loop_split"}</answer>'
    >>> step(completions=[split, cheap], before=[double, double])
    [1.0, 0.0]
    """
    return _rewards("step", completions, columns)


def faster(completions: Any = (), **columns: Any) -> list[float]:
    """The share of the expected time that is saved on `device`, where the answer is equal and safe; otherwise 0.

    Times are those of `steptp.estimate`, which runs nothing. 0.75 is a quarter of the time. An answer that is not
    expected to be faster, that the device cannot launch, or whose plain form is that of the question is worth 0; so are gains below a tenth, which the model cannot tell.
    Which strategy is named is not asked.

    >>> before = "@input A f32[4096]\\n@output D f32[4096]\\na4096 E(a)=A(a)*2;a4096 D(a)=E(a)+1;"
    >>> answer = '<answer>{"transformed_IR":"a4096 D(a)=A(a)*2+1;","applied_strategy":"compute_inline"}</answer>'
    >>> 0.2 < faster(completions=[answer], before=[before])[0] < 0.9
    True
    """
    return _rewards("faster", completions, columns)


def equal(completions: Any = (), **columns: Any) -> list[float]:
    """1 where the answer is another program, up to renaming, and equal to that of the question: proved or exact.

    Of a question for several programs, the share of those asked for that are; the same program twice counts once.
    "numeric" is evidence and worth 0, and so is a program that has numbers where that of the question has no value at
    any input. Whether it is numerically safe is not asked: that is `safe`.

    >>> double = "@input A f32[3]\\n@output D f32[3]\\nL^{3}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a}*2;];"
    >>> answer = '<answer>{"transformed_IR":"a3 D(a)=A(a)+A(a);","applied_strategy":"expand_factorization"}</answer>'
    >>> equal(completions=[answer, "I do not know."], before=[double, double])
    [1.0, 0.0]
    """
    return _rewards("equal", completions, columns)


def safe(completions: Any = (), **columns: Any) -> list[float]:
    """1 where `equal` is, and the program is shown to be numerically safe, by proof or by search.

    Safe: at every input of middle magnitude that the program of the question can bear, it does not overflow, divide by
    zero or take another branch within the bound of its rounding errors, and that bound is not much above the one of that
    program. What is not decided is worth 0.

    >>> single = "@input A f32[3]\\n@output D f32[3]\\na3 D(a)=A(a);"
    >>> wild = '<answer>{"transformed_IR":"a3 D(a)=A(a)+1e10-1e10;","applied_strategy":"additive_split"}</answer>'
    >>> equal(completions=[wild], before=[single]), safe(completions=[wild], before=[single])
    ([1.0], [0.0])
    """
    return _rewards("safe", completions, columns)


def different(completions: Any = (), **columns: Any) -> list[float]:
    """1 where the answer can be read as a program, and is another one than that of the question, up to renaming."""
    return _rewards("different", completions, columns)


def format(completions: Any = (), **columns: Any) -> list[float]:
    """1 where the answer has the form that the question asks for, with the name of one of the 43 strategies."""
    return _rewards("format", completions, columns)


def strategy_matches(completions: Any = (), **columns: Any) -> list[float]:
    """1 where the strategy named leads from the program of the question to that of the answer, which is another one.

    Every choice of the strategy is tried, up to some thousands. Several strategies are applied in the order given.
    """
    return _rewards("strategy_matches", completions, columns)

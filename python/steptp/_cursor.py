"""All plans of a program, one decision after the other, and plans as sentences of a fixed vocabulary."""

from __future__ import annotations

import json
from typing import Any

from . import _steptp
from ._verbs import Source, _open


class PlanCursor:
    """One plan in the making: what is decided next, the values that can still be completed, and what comes of it.

    Words are those of the vocabulary: decisions such as ("op:threads", "e0"), values such as "v128" or "tile". A cursor
    belongs to one thread at a time; a fork is a cursor of its own.
    """

    def __init__(self, made: _steptp.PlanCursor) -> None:
        self._made = made

    @property
    def complete(self) -> bool:
        """Whether nothing is left to decide."""
        return self._made.complete

    def next(self) -> tuple[str, str] | None:
        """What is decided next, and about which expression; None of a complete cursor."""
        return self._made.next()

    def legal(self) -> list[str]:
        """The values with a legal completion, in the order of the vocabulary."""
        return self._made.legal()

    def put(self, value: str) -> PlanCursor:
        """Decides. Raises ValueError where the value is not legal; the cursor is then as it was."""
        self._made.put(value)
        return self

    def fork(self) -> PlanCursor:
        """Another cursor with the same decisions."""
        return PlanCursor(self._made.fork())

    def text(self) -> str:
        """The decisions, for people."""
        return self._made.text()

    def sentence(self, quality: int | None = None) -> str:
        """The sentence of a complete cursor. `quality` is a decile of latency from 0 (best) to 9, or -1 for the word
        `q:none`. Raises ValueError where it has more than 512 words."""
        return self._made.sentence(quality)

    def facts(self) -> list[dict[str, Any]]:
        """What the kernels of the decided groups ask of the device, and the time that is expected of each group."""
        return json.loads(self._made.facts())

    def finish(self) -> dict[str, Any]:
        """Of a complete cursor: "leir" (a document), "plan" and "recipe"."""
        return json.loads(self._made.finish())


class PlanSpace:
    """All plans of a program for a device of the table, whose name may also be "cpu" or "cuda", this machine.

    >>> import steptp
    >>> space = steptp.PlanSpace("@input A f32[64]\\n@output C f32[64]\\n"
    ...                          "B^{64}_{tx=0}[C^{f32,g}_{tx}=A^{f32,g}_{tx}*2;];", device="nvidia-h200")
    >>> cursor = space.cursor()
    >>> cursor.next(), cursor.legal()
    (('op:group', 'e0'), ['v1'])
    >>> cursor.put("v1").put("as_is").complete
    True

    Raises DiagnosticError where the program has errors, and ValueError where it has no plan for the device.
    """

    def __init__(self, source: Source, device: str = "nvidia-h200") -> None:
        self._made = _steptp.open_plan_space(_open(source), device)

    def cursor(self) -> PlanCursor:
        """A cursor before the first decision."""
        return PlanCursor(self._made.cursor())

    def draw(self, seed: int = 1, number: int = 0) -> PlanCursor:
        """A complete cursor, each value drawn evenly from the legal ones."""
        return PlanCursor(self._made.draw(seed, number))

    def replay(self, sentence: str) -> PlanCursor:
        """The cursor of a sentence. Raises ValueError where it is none, or not for this program and device."""
        return PlanCursor(self._made.replay(sentence))

    def prompt(self, quality: int | None = None) -> str:
        """The beginning of all sentences of this space, up to PPT."""
        return self._made.prompt(quality)


def replay_sentence(sentence: str) -> PlanCursor:
    """The cursor of a sentence, on the program and for the device that it says."""
    return PlanCursor(_steptp.replay_sentence(sentence))


def plan_vocabulary() -> list[str]:
    """The words of sentences by number."""
    return _steptp.plan_vocabulary()

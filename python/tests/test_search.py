"""steptp.search."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import steptp

DOUBLED = "@input A f32[64]\n@output D f32[64]\nL^{64}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a}*2+1;];"

SQUARE = (
    "@input A f32[64,64]\n@input C f32[64,64]\n@output D f32[64,64]\n"
    "B^{64}_{tx=0}L^{64}_{a=0}L^{64}_{c=0}[D^{f32,g}_{tx,a}=D^{f32,g}_{tx,a}+A^{f32,g}_{tx,c}*C^{f32,g}_{c,a};];"
)


def split(inner: int) -> str:
    return (
        f"L^{{{64 // inner}}}_{{a=0}}L^{{{inner}}}_{{c=0}}"
        f"[D^{{f32,g}}_{{a*{inner}+c}}=A^{{f32,g}}_{{a*{inner}+c}}*2+1;];"
    )


def test_a_function_proposes_and_only_what_is_equal_is_new() -> None:
    questions: list[Any] = []

    def mine(question: Any) -> list[Any]:
        questions.append(question)
        wrong = "L^{64}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a}*2+2;];"
        return [split(2 ** len(questions)), {"leir": wrong, "strategies": ["mine"]}, "no program"]

    found = steptp.search(DOUBLED, "analytic:plain-cpu", algorithm="bfs", proposer=mine, samples=5, target="plain-cpu")
    assert found.outcomes == {"new": 4, "known": 1, "unreadable": 2, "differs": 1}
    assert found.samples == 5
    assert found.verdict == "proved"
    assert questions[0]["wanted"] == 3
    assert questions[0]["failures"] == []
    assert questions[0]["signature"][0]["name"] == "A"


def test_what_a_function_raises_is_raised() -> None:
    def broken(question: Any) -> list[str]:
        raise KeyError(question["leir"])

    with pytest.raises(KeyError):
        steptp.search(DOUBLED, "analytic:plain-cpu", proposer=broken, samples=3)


def test_a_journal_goes_on_and_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "found"
    first = steptp.search(SQUARE, "analytic:plain-cpu", samples=3, journal=folder)
    more = steptp.search(SQUARE, "analytic:plain-cpu", samples=5, journal=folder)
    assert first.samples == 3
    assert more.samples == 5
    assert more.curve[: len(first.curve)] == first.curve
    assert more.recipe is not None
    kept = steptp.read_search(folder)
    assert len(kept) == 1
    assert kept[0].seconds == more.seconds
    assert steptp.verify(SQUARE, kept[0].program).verdict == "proved"


def test_wrong_words_are_named() -> None:
    with pytest.raises(ValueError, match="'greedy'"):
        steptp.search(DOUBLED, "analytic:plain-cpu", algorithm="clever")
    with pytest.raises(ValueError, match="toaster"):
        steptp.search(DOUBLED, "toaster")
    with pytest.raises(steptp.DiagnosticError, match="is not the folder"):
        steptp.read_search("no such folder")

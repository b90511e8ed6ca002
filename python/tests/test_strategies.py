"""The verbs on strategies as functions."""

from __future__ import annotations

import pytest

import steptp

MATMUL = """@program Small
@input A f32[8,4]
@input C f32[4,6]
@output D f32[8,6]
B^{8}_{tx=0}L^{6}_{a=0}L^{4}_{c=0}[D^{f32,g}_{tx,a}=D^{f32,g}_{tx,a}+A^{f32,g}_{tx,c}*C^{f32,g}_{c,a};];
"""


def test_every_strategy_describes_itself() -> None:
    for entry in steptp.strategies():
        assert entry["name"] in steptp.explain(entry["name"])
        assert entry["difficulty"] in ("easy", "medium", "difficult")
        assert "-->" in entry["picture"]


def test_every_listed_choice_applies_and_is_equal() -> None:
    for entry in steptp.choices(MATMUL, sample=40, seed=3, extended=True):
        applied = steptp.apply(MATMUL, entry["strategy"], entry["choice"])
        assert applied.step == {"strategy": entry["strategy"], "choice": entry["choice"]}
        assert applied.facts["because"]
        assert steptp.verify(MATMUL, applied.program), entry


def test_sites_count_their_choices() -> None:
    sites = steptp.choices(MATMUL, "loop_split")
    listed = steptp.choices(MATMUL, "loop_split", limit=1000)
    assert sum(site["count"] for site in sites) == len(listed)


def test_a_recipe_replays_to_the_same_text() -> None:
    program, steps = steptp.read(MATMUL), []
    for name in ("loop_split", "loop_reorder", "loop_unrolling"):
        applied = steptp.apply(program, name, steptp.choices(program, name, limit=1)[0]["choice"])
        program = applied.program
        steps.append(applied.step)
    assert steptp.replay(MATMUL, {"steps": steps}).to_text() == program.to_text()
    assert steptp.replay(MATMUL, steps) == program


def test_a_step_in_words() -> None:
    choice = {"at": "0:loop[1]", "inner": 3, "kind": "inner"}
    applied = steptp.apply(MATMUL, "loop_split", choice, reasoning=True)
    assert applied.reasoning is not None
    texts = [MATMUL, applied.program.to_text(header=False)]
    for quotation in applied.reasoning.split("`")[1::2]:
        assert any(quotation in text for text in texts), quotation
    assert steptp.apply(MATMUL, "loop_split", choice, reasoning=True).reasoning == applied.reasoning
    others = {steptp.apply(MATMUL, "loop_split", choice, reasoning=True, seed=seed).reasoning for seed in range(20)}
    assert len(others) > 10
    assert steptp.apply(MATMUL, "loop_split", choice).reasoning is None


def test_refusals_carry_their_values() -> None:
    with pytest.raises(steptp.RefusedError) as caught:
        steptp.apply(MATMUL, "loop_split", {"at": "0:loop[1]", "inner": 7, "kind": "inner"})
    assert caught.value.precondition == "divides"
    assert caught.value.values == {"extent": 6, "inner": 7}
    step = {"strategy": "loop_unrolling", "choice": {"at": "0:loop[2]"}}
    with pytest.raises(steptp.RefusedError, match="step 2 of 2") as caught:
        steptp.replay(MATMUL, [step, step])
    assert caught.value.step == 2
    assert steptp.choices(MATMUL, "loop_parallelization", refusals=True)[-1]["refused"]["precondition"] == "not-carried"


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match="did you mean loop_split"):
        steptp.apply(MATMUL, "loop_splt", {"at": "0"})
    with pytest.raises(ValueError, match="missing"):
        steptp.apply(MATMUL, "loop_split", {"at": "0:loop[1]", "inner": 2})
    with pytest.raises(ValueError, match="at"):
        steptp.apply(MATMUL, "loop_split", {"inner": 2})
    with pytest.raises(ValueError, match="cannot be used together"):
        steptp.choices(MATMUL, limit=1, sample=1)
    with pytest.raises(ValueError, match="step 1"):
        steptp.replay(MATMUL, [{"strategy": "loop_split"}])
    with pytest.raises(steptp.DiagnosticError, match="no signature"):
        steptp.choices("L^{4}_{a=0}[D^{f32,g}_{a}=1;];")


def test_a_recipe_is_judged_step_by_step() -> None:
    steps = [
        {"strategy": "loop_split", "choice": {"at": "0:loop[2]", "inner": 2, "kind": "inner"}},
        {"strategy": "loop_unrolling", "choice": {"at": "0:loop[3]"}},
    ]
    judged = steptp.judge_recipe(MATMUL, steps, seed=1)
    assert judged and judged.worst == judged.verdict == judged.end.verdict == "proved"
    assert judged.safe is True and judged.bound_log2 is None
    assert [step["step"] for step in judged.steps] == [1, 2]
    assert all(step["verdict"] == "proved" for step in judged.steps)
    assert judged.program == steptp.replay(MATMUL, steps)
    with pytest.raises(steptp.RefusedError, match="step 2 of 2"):
        steptp.judge_recipe(MATMUL, [steps[0], steps[0] | {"choice": steps[0]["choice"] | {"inner": 99}}])
    with pytest.raises(steptp.DiagnosticError):
        steptp.judge_recipe(MATMUL.replace("L^{4}", "L^{5}"), steps[:1])

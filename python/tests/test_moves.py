"""The verbs on moves and plans as functions."""

from __future__ import annotations

import pytest

import steptp

CHAIN = """@program Chain
@input A f32[8,6]
@output E f32[8]
B^{8}_{tx=0}L^{6}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,a};];B^{8}_{tx=0}[E^{f32,g}_{tx}=exp(D^{f32,g}_{tx});];
"""
EPILOGUE = {"at": "1", "form": "epilogue"}
UNROLL = {"at": "0/0:loop[0]", "strategy": "loop_unrolling"}


def test_every_move_describes_itself() -> None:
    for entry in steptp.moves():
        assert entry["name"] in steptp.explain(entry["name"])
        assert "-->" in entry["picture"]


def test_every_listed_move_is_made_and_equal() -> None:
    for entry in steptp.move_choices(CHAIN, sample=10, seed=3):
        moved = steptp.apply_move(CHAIN, entry["move"], entry["choice"])
        assert moved.program == steptp.replay(CHAIN, moved.recipe)
        assert steptp.verify(CHAIN, moved.program), entry


def test_plans() -> None:
    plan = steptp.make_plan(CHAIN, [("inline", EPILOGUE), ("step", UNROLL)], target="cuda")
    moved = steptp.replay_plan(CHAIN, plan)
    assert moved.program == steptp.replay(CHAIN, moved.recipe)
    assert moved.map["0:loop[1]"] == ["0/0:loop[0]"]
    other = steptp.retune(plan, 2, {"at": "0:loop[7]", "strategy": "loop_unrolling"})
    with pytest.raises(steptp.RefusedError, match="move 2 of 2") as caught:
        steptp.replay_plan(CHAIN, other)
    assert caught.value.step == 2
    with pytest.raises(ValueError, match="another program"):
        steptp.replay_plan(moved.program, plan)
    with pytest.raises(ValueError, match="version 7"):
        steptp.replay_plan(CHAIN, {**plan, "version": 7})


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match="unknown move 'inlnie'"):
        steptp.apply_move(CHAIN, "inlnie", EPILOGUE)
    with pytest.raises(ValueError, match="missing"):
        steptp.apply_move(CHAIN, "inline", {"at": "1"})
    with pytest.raises(steptp.RefusedError, match="elementwise"):
        steptp.apply_move(CHAIN, "inline", {"at": "0", "form": "producer"})
    with pytest.raises(ValueError, match="cannot be used together"):
        steptp.move_choices(CHAIN, limit=1, sample=1)

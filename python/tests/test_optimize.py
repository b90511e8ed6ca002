"""`steptp.optimize`."""

from __future__ import annotations

import pathlib

import pytest

import steptp
from steptp_cli import steptp_cli

PRODUCT = """@program Product
@input A f32[256,256]
@input C f32[256,256]
@output D f32[256,256]
B^{256}_{tx=0}L^{256}_{a=0}L^{256}_{c=0}[D^{f32,g}_{tx,a}=D^{f32,g}_{tx,a}+A^{f32,g}_{tx,c}*C^{f32,g}_{c,a};];
"""


def test_a_product_becomes_fast_and_is_proved() -> None:
    fast = steptp.optimize(PRODUCT, "plain-cpu")
    assert (fast.verdict, fast.safe, fast.fallback) == ("proved", True, False)
    assert fast.program == steptp.replay_plan(PRODUCT, fast.plan).program
    assert fast.program == steptp.replay(PRODUCT, fast.recipe)
    assert steptp.verify(PRODUCT, fast.program)
    assert fast.expected_s is not None and fast.vanilla_s is not None and fast.expected_s < fast.vanilla_s
    assert fast.plan["moves"] and all(move["move"] in fast.explanation for move in fast.plan["moves"])


def test_the_same_for_any_number_of_jobs() -> None:
    assert steptp.optimize(PRODUCT, "nvidia-h200", jobs=1) == steptp.optimize(PRODUCT, "nvidia-h200", jobs=3)


def test_a_given_plan_is_judged() -> None:
    plan = steptp.optimize(PRODUCT, "nvidia-h200").plan
    assert not steptp.optimize(PRODUCT, "nvidia-h200", plan=plan).fallback
    other = PRODUCT.replace("256", "128")
    with pytest.raises(ValueError, match="another program"):
        steptp.optimize(other, "nvidia-h200", plan=plan)
    with pytest.raises(ValueError, match="version"):
        steptp.optimize(PRODUCT, "nvidia-h200", plan={**plan, "version": 9})


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="tpu"):
        steptp.optimize(PRODUCT, "tpu")
    with pytest.raises(steptp.DiagnosticError):
        steptp.optimize(PRODUCT.replace("B^{256}_{tx=0}", "B^{257}_{tx=0}"), "plain-cpu")


def test_with_a_folder_the_verb_says_what_it_made(tmp_path: pathlib.Path) -> None:
    done = steptp_cli("optimize", "-", "--device", "plain-cpu", "-o", tmp_path / "fast", text=PRODUCT)
    said = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    assert said[0].startswith("Product for plain-cpu: ") and said[0].endswith("proved, safe by proof")
    assert said[1].startswith("expected ") and "as it came" in said[1]
    assert said[2] == f"all of it is in {tmp_path / 'fast'}"
    assert (tmp_path / "fast" / "program.leir").exists()

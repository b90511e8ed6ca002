"""Back ends from Python: texts, refusals, and the compiled engine."""

import numpy as np
import pytest

import steptp

PRODUCT = """@input A f32[8,16]
@input C f32[16,4]
@output D f32[8,4]
B^{8}_{tx=0}L^{4}_{a=0}L^{16}_{c=0}[D^{f32,g}_{tx,a}=D^{f32,g}_{tx,a}+A^{f32,g}_{tx,c}*C^{f32,g}_{c,a};];
"""


def test_cuda_text_and_launches() -> None:
    lowered = steptp.lower(PRODUCT)
    assert "__launch_bounds__(8) kernel_0(" in lowered.text
    assert lowered.launches is not None
    assert lowered.launches["kernels"][0]["block"] == [8, 1, 1]
    assert lowered.launches["steps"] == [{"launch": "kernel_0"}]
    assert "int main(" not in lowered.text
    assert "int main(" in str(steptp.lower(PRODUCT, main=True))


def test_other_back_ends() -> None:
    assert "define void @kernel_0(" in steptp.lower(PRODUCT, "llvm").text
    assert "T.block(" in steptp.lower(PRODUCT, "tir", dialect="tvm-0.21").text
    assert "thread_binding" not in steptp.lower(PRODUCT, "tir", target="cpu").text
    assert steptp.lower(PRODUCT, "tir").launches is None


def test_refusals_are_diagnostics() -> None:
    wide = "@output D f32[2048]\nB^{2048}_{tx=0}[D^{f32,g}_{tx}=0;];"
    with pytest.raises(steptp.DiagnosticError, match="2048 threads") as caught:
        steptp.lower(wide)
    assert caught.value.diagnostics[0].id == "cannot-lower"
    with pytest.raises(steptp.DiagnosticError) as caught:
        steptp.lower("@output D f32[4]\nL^{3}_{a=0}[D^{f32,g}_{a}=0;];")
    assert caught.value.diagnostics[0].id == "not-written"
    for arguments in ({"to": "metal"}, {"device": "tpu"}, {"dialect": "tvm-1"}, {"target": "phone"}):
        with pytest.raises(ValueError):
            steptp.lower(PRODUCT, **arguments)


def test_compiled_runs_are_the_oracles() -> None:
    try:
        compiled = steptp.run(PRODUCT, seed=3, engine="llvm")
    except steptp.DiagnosticError as error:
        assert error.diagnostics[0].id == "no-engine"
        pytest.skip(str(error))
    assert np.array_equal(compiled["D"], steptp.run(PRODUCT, seed=3)["D"])
    chosen = steptp.run(PRODUCT, seed=3, engine="llvm", elements=["D[1,2]"])
    assert chosen.elements["D[1,2]"] == compiled["D"][1, 2]
    with pytest.raises(steptp.InputError):
        steptp.run(PRODUCT, {"A": np.zeros((8, 16), "float32"), "C": np.zeros((4, 16), "float32")}, engine="llvm")
    with pytest.raises(ValueError, match="no engine"):
        steptp.run(PRODUCT, engine="magic")

"""Import without PyTorch: archives are read all the same, and what needs it says so."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
import steptp
from steptp_cli import steptp_cli

GOLDEN = Path(__file__).resolve().parents[2] / "steptp" / "import" / "golden"
SAMPLES = sorted(path.stem for path in GOLDEN.glob("sample_*.pt2"))
MODEL = """
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return x
def get_inputs():
    return [torch.rand(3)]
"""

needs_no_torch = pytest.mark.skipif(
    __import__("importlib").util.find_spec("torch") is not None, reason="this Python has PyTorch"
)


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_of_every_version(name: str) -> None:
    program = steptp.import_model(GOLDEN / f"{name}.pt2")
    origin = program.origin
    assert list(origin.inputs.values()) == ["x"] and len(origin.outputs) == 6
    assert {"linear.weight", "lstm.bias_hh_l0"} <= {*origin.parameters.values(), *origin.constants.values()}
    assert any("dropout" in note for note in origin.notes)
    assert steptp.check(program).ok is True
    if not any("pickles" in note for note in origin.notes):
        values = {**origin.values, "A": np.linspace(-1, 1, 24, dtype=np.float32).reshape(4, 6)}
        outputs = steptp.run(program, values)
        assert [outputs[name].shape for name in origin.outputs] == [(1, 4, 3), (4, 2), (4, 4), (), (), (4,)]
        assert np.allclose(outputs[origin.outputs[2]].sum(1), 1, atol=1e-5)


def test_dialects_and_versions_compute_the_same() -> None:
    answers = []
    for name in SAMPLES:
        program = steptp.import_model(GOLDEN / f"{name}.pt2")
        values = {path: program.origin.values.get(key) for key, path in {**program.origin.parameters, **program.origin.constants}.items()}
        if any(value is None for value in values.values()):
            continue
        # The first one's weights for all: every version drew its own.
        weights = answers[0][0] if answers else values
        arrays = {key: weights[path] for key, path in {**program.origin.parameters, **program.origin.constants}.items()}
        arrays["A"] = np.linspace(-1, 1, 24, dtype=np.float32).reshape(4, 6)
        result = steptp.run(program, arrays)
        answers.append((weights, [result[output] for output in program.origin.outputs]))
    assert len(answers) >= 2
    for _, outputs in answers[1:]:
        assert all(np.allclose(left, right, atol=1e-5) for left, right in zip(outputs, answers[0][1]))


def test_the_files_that_import_writes(tmp_path: Path) -> None:
    done = steptp_cli("import", GOLDEN / "sample_2.11.pt2", "-o", tmp_path / "m.leir")
    assert done.returncode == 0 and done.stdout == "" and "note: dropout" in done.stderr
    names = json.loads((tmp_path / "m.names.json").read_text())
    with np.load(tmp_path / "m.npz", allow_pickle=False) as stored:
        assert set(stored.files) == {*names["parameters"], *names["constants"]}
        given = dict(stored)
    np.savez(tmp_path / "in.npz", **given, A=np.ones((4, 6), np.float32))
    ran = steptp_cli("run", tmp_path / "m.leir", "--inputs", tmp_path / "in.npz", "--json")
    assert ran.returncode == 0, ran.stderr
    again = steptp_cli("import", GOLDEN / "sample_2.11.pt2", "-o", tmp_path / "m.json", "--json")
    assert json.loads(again.stdout)["leir"] == json.loads((tmp_path / "m.json").read_text())["leir"]
    full = steptp_cli("import", GOLDEN / "sample_2.11.pt2", "-o", tmp_path / "no_such_folder" / "m.leir")
    assert full.returncode == 4 and "no_such_folder" in full.stderr


def test_errors_are_exceptions(tmp_path: Path) -> None:
    with pytest.raises(steptp.DiagnosticError, match="aten.fft_fft.default is not supported") as caught:
        steptp.import_model(GOLDEN / "unsupported.pt2")
    assert [diagnostic.id for diagnostic in caught.value.diagnostics] == ["graph-operator"] * 2
    (tmp_path / "x.pt2").write_bytes(b"not a zip")
    with pytest.raises(steptp.DiagnosticError, match="zip"):
        steptp.import_model(tmp_path / "x.pt2")
    with pytest.raises(ValueError, match="no mode 'test'"):
        steptp.import_model(GOLDEN / "sample_2.11.pt2", mode="test")


@needs_no_torch
def test_without_pytorch_it_says_how_to_get_it(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    done = steptp_cli("import", tmp_path / "model.py", "--python", sys.executable)
    assert done.returncode == 4 and "has no PyTorch" in done.stderr and "pip install torch" in done.stderr
    with pytest.raises(steptp.DiagnosticError, match="has no PyTorch") as caught:
        steptp.import_model(tmp_path / "model.py")
    assert caught.value.diagnostics[0].id == "capture-no-torch"

"""The ways in agree: a .py file, an archive of either dialect, a module in memory; and what goes wrong is said."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
import steptp
import torch
from compare import assert_close, expected, fill, tensors
from test_models import CausalAttention, Windows
from test_options import normal
from torch import nn

BINARY = os.environ.get("STEPTP_BINARY", "build/steptp")

HEADER = """
import torch
import torch.nn as nn
import torch.nn.functional as F
"""

MODEL = HEADER + """
class Model(nn.Module):
    def __init__(self, width, scale=0.5):
        super().__init__()
        self.conv = nn.Conv2d(3, width, 3, padding=1)
        self.norm = nn.BatchNorm2d(width)
        self.drop = nn.Dropout(0.2)
        self.bias = nn.Parameter(torch.randn(width, 1, 1))
        self.register_buffer("mask", torch.tril(torch.ones(5, 5)))
        self.scale = scale

    def forward(self, x, factor):
        y = F.relu(self.norm(self.conv(x)), inplace=True) + self.bias
        y = self.drop(y) * self.mask * factor
        return y.sum(dim=(-1, -2)) * self.scale, y


batch = 2


def get_inputs():
    return [torch.rand(batch, 3, 5, 5), 1.5]


def get_init_inputs():
    return [4]
"""


def cli(*arguments: object, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    command = [BINARY, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout)


def import_py(tmp_path: Path, text: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    file = tmp_path / "model.py"
    file.write_text(textwrap.dedent(text))
    return cli("import", file, "--python", sys.executable, *arguments)


def load(text: str) -> dict:
    space: dict = {}
    exec(text, space)
    return space


@pytest.mark.parametrize("mode", ["train", "eval"])
def test_a_file_an_archive_and_a_module_give_the_same_program(mode: str, tmp_path: Path) -> None:
    space = load(MODEL)
    model = fill(space["Model"](*space["get_init_inputs"]()))
    inputs = space["get_inputs"]()
    model.train(mode == "train")
    exported = torch.export.export(model, tuple(inputs), strict=False)
    torch.export.save(exported, tmp_path / "model.pt2")

    captured = import_py(tmp_path, MODEL, "-o", tmp_path / "py.leir", "--mode", mode)
    assert captured.returncode == 0, captured.stderr
    read = cli("import", tmp_path / "model.pt2", "-o", tmp_path / "pt2.leir")
    assert read.returncode == 0, read.stderr
    program = steptp.from_torch(model, inputs, name="model")
    assert (tmp_path / "py.leir").read_text() == (tmp_path / "pt2.leir").read_text() == program.to_text()
    assert json.loads((tmp_path / "py.names.json").read_text()) == json.loads((tmp_path / "pt2.names.json").read_text())
    assert "note: dropout" in captured.stderr if mode == "train" else "dropout" not in captured.stderr

    # The archive has all values, under the names of the program: it runs as it is.
    names = json.loads((tmp_path / "pt2.names.json").read_text())
    assert set(names["parameters"].values()) | set(names["constants"].values()) >= {"conv.weight", "norm.bias", "bias", "mask"}
    with np.load(tmp_path / "pt2.npz") as stored:
        arrays = {name: stored[name] for name in stored.files}
    assert set(arrays) == {*names["parameters"], *names["constants"]}
    arrays |= {name: inputs[0].numpy() for name in names["inputs"]}
    result = steptp.run((tmp_path / "pt2.leir"), arrays)
    assert_close([torch.from_numpy(result[name]) for name in names["outputs"]], expected(model, inputs, mode))


def test_both_dialects_compute_the_same(tmp_path: Path) -> None:
    for model, inputs in ((CausalAttention(6, 2, 5), [normal(2, 4, 6)]), (Windows(), [normal(1, 4, 4, 4)])):
        model = fill(model.double())
        exported = torch.export.export(model, tuple(inputs), strict=False)
        for name, program in (("training", exported), ("aten", exported.run_decompositions({}))):
            torch.export.save(program, tmp_path / f"{name}.pt2")
            answer = steptp.to_torch(steptp.import_model(tmp_path / f"{name}.pt2"), model)(*inputs)
            assert_close(tensors(answer), expected(model, inputs, "train"), f"{type(model).__name__}, {name}")


def test_the_mode_of_an_archive_can_be_chosen(tmp_path: Path) -> None:
    model = fill(nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4)).double())
    model[1].running_mean.fill_(0.5)
    inputs = [normal(5, 3)]
    torch.export.save(torch.export.export(model, tuple(inputs), strict=False), tmp_path / "model.pt2")
    for mode in ("train", "eval"):
        program = steptp.import_model(tmp_path / "model.pt2", mode=mode)
        assert_close(tensors(steptp.to_torch(program, model)(*inputs)), expected(model, inputs, mode), mode)


def test_parameters_need_no_memory(tmp_path: Path) -> None:
    text = MODEL.replace("self.scale = scale", "self.scale = scale; self.huge = nn.Linear(1 << 17, 1 << 14)").replace(
        "y.sum(dim=(-1, -2)) * self.scale", "self.huge(torch.zeros(1, 1 << 17)).sum()"
    )
    done = import_py(tmp_path, text)  # eight gigabytes
    assert done.returncode == 0 and "@param" in done.stdout, done.stderr


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_model_for_a_gpu_where_there_is_none(tmp_path: Path) -> None:
    text = HEADER + """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 4).cuda()
        self.register_buffer("mask", torch.ones(4, device="cuda"))
        self.to("cuda:0")
    def forward(self, x):
        return self.linear(x.to("cuda")) * self.mask + torch.arange(4, device="cuda") + torch.zeros(4).cuda()
def get_inputs():
    return [torch.rand(2, 3, device=torch.device("cuda"))]
"""
    done = import_py(tmp_path, text)
    assert done.returncode == 0 and "@param" in done.stdout, done.stderr
    cpu = text.replace(".cuda()", "").replace('device="cuda"', 'device="cpu"').replace('"cuda:0"', '"cpu"').replace('"cuda"', '"cpu"')
    assert import_py(tmp_path, cpu).stdout == done.stdout


ERRORS = {
    "raises while it is built": ("raise RuntimeError('no good')", "", 2, r"Model() raises RuntimeError: no good (", "model.py:9, in __init__"),
    "raises in forward": ("", "return x @ x", 2, "forward raises RuntimeError: ", "model.py:11, in forward: return x @ x"),
    "looks at values": ("", "return x if x.sum() > 0 else -x", 2, "depends on the values of its inputs", "torch.where"),
    "operator": ("", "return torch.fft.fft(x).abs()", 1, "the operator aten.fft_fft.default is not supported (", "model.py:11, in forward: return torch.fft.fft(x).abs()"),
    "random": ("", "return x + torch.rand_like(x)", 1, "the operator aten.rand_like.default is random (", "model.py:11"),
    "sizes from values": ("", "return x[x > 0]", 2, "a size that is not fixed", "nonzero"),
    "no tensor": ("", "return 3", 1, "gives back no tensor", ""),
}


@pytest.mark.parametrize("case", ERRORS)
def test_models_that_cannot_be_imported(case: str, tmp_path: Path) -> None:
    built, forward, status, message, place = ERRORS[case]
    text = HEADER + f"""
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        {built or "pass"}
    def forward(self, x):
        {forward or "return x"}
def get_inputs():
    return [torch.rand(3, 4)]
def get_init_inputs():
    return []
"""
    done = import_py(tmp_path, text)
    assert done.returncode == status, done.stderr
    assert message in done.stderr and place in done.stderr, done.stderr
    assert done.stdout == ""


def test_files_that_are_no_models(tmp_path: Path) -> None:
    cases = {
        "x = = 1": (2, "the file raises SyntaxError"),
        "import torch\nx = 1": (2, "defines no class Model"),
        "import no_such_package": (2, "the file raises ModuleNotFoundError: No module named 'no_such_package' ("),
        MODEL.replace("def get_inputs", "def inputs"): (2, "defines no get_inputs()"),
        "import sys\nsys.exit(0)": (2, "the file raises SystemExit"),
        "import os\nos._exit(7)": (2, "ended with status 7"),
        "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)": (4, "ended with status 137"),
    }
    for text, (status, message) in cases.items():
        done = import_py(tmp_path, text)
        assert done.returncode == status and message in done.stderr, (text, done.stderr)


def test_a_model_that_never_ends(tmp_path: Path) -> None:
    done = import_py(tmp_path, "while True:\n    pass\n", "--timeout", 1.5)
    assert done.returncode == 3 and "takes more than 1 s" in done.stderr and "--timeout" in done.stderr


def test_errors_of_modules_are_exceptions() -> None:
    class Decides(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x if x.sum() > 0 else -x

    with pytest.raises(steptp.DiagnosticError, match="depends on the values") as caught:
        steptp.from_torch(Decides(), [torch.ones(2)])
    assert caught.value.diagnostics[0].id == "capture-control-flow"
    with pytest.raises(ValueError, match="no mode"):
        steptp.from_torch(nn.ReLU(), [torch.ones(2)], mode="test")
    with pytest.raises(ValueError, match="no origin in PyTorch"):
        steptp.to_torch(steptp.read("B^{4}_{tx=0}[C^{f32,g}_{tx}=1;];"), nn.ReLU())


def test_a_fake_export_has_no_weights(tmp_path: Path) -> None:
    with torch._subclasses.fake_tensor.FakeTensorMode():
        model = nn.Linear(3, 4)
        exported = torch.export.export(model, (torch.randn(2, 3),), strict=False)
    try:
        torch.export.save(exported, tmp_path / "fake.pt2")
    except Exception:
        pytest.skip("this PyTorch does not save it")
    done = cli("import", tmp_path / "fake.pt2")
    assert done.returncode == 2 and "bytes stored for it" in done.stderr, done.stderr

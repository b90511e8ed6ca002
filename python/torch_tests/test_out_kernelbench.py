"""Problems in the form of KernelBench: made fast, written as files of their own, and judged by an imitation of the
harness, which has to see through those who cheat."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import types
from pathlib import Path

import pytest
import steptp
import torch
from out_support import SOAK
from steptp import _steptp
from steptp.torch_out import cuda_runner, emitting, kernelbench
from steptp.torch_out.harness import evaluate, namespace

PROBLEMS = Path(__file__).parent / "problems"
PATHS = sorted(PROBLEMS.rglob("*.py"))
SOFTMAX = (PROBLEMS / "level1" / "1_Softmax.py").read_text()
LINEAR = (PROBLEMS / "level2" / "1_Linear_GELU_Softmax.py").read_text()
NORM = (PROBLEMS / "level2" / "2_Convolution_BatchNorm_ReLU.py").read_text()
BUILT = Path(os.environ.get("STEPTP_BINARY", "build/steptp")).resolve().parent
FAKES = {"STEPTP_CUDA_DRIVER": BUILT / "testing" / "libfake_cuda_driver.so", "STEPTP_NVRTC": BUILT / "testing" / "libfake_cuda_nvrtc.so"}


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_problems_on_a_cpu(path: Path) -> None:
    row = kernelbench.solve(path, "cpu", 0, compiled=bool(SOAK))
    if "Fourier" in path.stem:
        assert not row["imported"] and row["failure"] == "not imported" and row["eager"]
    else:
        assert row["correct"] and row["judged"] and row["failure"] is None, row
        assert row["seconds"] > 0 and row["eager_seconds"] > 0


def candidate(body: str) -> str:
    return SOFTMAX + f"\n\nclass ModelNew(Model):\n{body}\n"


CHEATS = {
    "zeros": ("    def forward(self, x):\n        return torch.zeros_like(x)", "differs"),
    "a constant": ("    def forward(self, x):\n        return torch.full_like(x, 1 / 48)", "differs"),
    "one result for ever": (
        "    def forward(self, x):\n        if not hasattr(self, 'kept'):\n            self.kept = torch.softmax(x, -1)\n        return self.kept",
        "result 0 is that of other inputs",
    ),
    "one memory for all results": (
        "    def forward(self, x):\n        if not hasattr(self, 'kept'):\n            self.kept = torch.empty_like(x)\n"
        "        return self.kept.copy_(torch.softmax(x, -1))",
        "was written over",
    ),
    "in place": ("    def forward(self, x):\n        return x.copy_(torch.softmax(x, -1))", "was changed"),
    "another dtype": ("    def forward(self, x):\n        return torch.softmax(x.double(), -1)", "float64"),
    "another shape": ("    def forward(self, x):\n        return torch.softmax(x, -1)[:1]", "(1, 48)"),
    "a bit off": ("    def forward(self, x):\n        return torch.softmax(x, -1) * 1.02 + 3e-4", "differs"),
    "raises": ("    def forward(self, x):\n        raise RuntimeError('no')", "RuntimeError: no"),
    "cannot be made": ("    def __init__(self):\n        raise RuntimeError('no')", "cannot be made"),
}


@pytest.mark.parametrize("cheat", CHEATS)
def test_the_harness_sees_through(cheat: str) -> None:
    body, message = CHEATS[cheat]
    verdict = evaluate(SOFTMAX, candidate(body), runs=1)
    assert not verdict.correct and message in verdict.reason, verdict
    assert verdict.speedup is None


def test_the_harness_takes_what_is_right() -> None:
    verdict = evaluate(SOFTMAX, candidate("    def forward(self, x):\n        y = (x - x.amax(-1, True)).exp()\n        return y / y.sum(-1, True)"), runs=2)
    assert verdict.correct and verdict.speedup > 0, verdict


def test_files_with_model_new_under_an_emulated_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not all(path.exists() for path in FAKES.values()):
        pytest.skip("the emulated GPU is built with the tests in C++")
    for name, path in FAKES.items():
        monkeypatch.setenv(name, str(path))
    for problem in (SOFTMAX, LINEAR, NORM) if SOAK else (NORM,):
        (tmp_path / "problem.py").write_text(problem)
        emitting.emit(tmp_path / "problem.py", "kernelbench", tmp_path / "new.py", "nvidia-h200", ("float32",))
        made = (tmp_path / "new.py").read_text()
        assert "import steptp" not in made and "from ." not in made and "__global__" in made
        verdict = evaluate(problem, made, runs=1)
        assert verdict.correct, verdict.reason
        # Parameters have the names and the values of Model's.
        torch.manual_seed(7)
        old = namespace(problem, "old")
        model = old["Model"](*old["get_init_inputs"]())
        torch.manual_seed(7)
        new = namespace(made, "new")["ModelNew"](*old["get_init_inputs"]())
        assert [name for name, _ in model.named_parameters()] == [name for name, _ in new.named_parameters()]
        assert all(torch.equal(left, right) for left, right in zip(model.parameters(), new.parameters()))
        inputs = old["get_inputs"]()
        with torch.no_grad():
            assert torch.allclose(model(*inputs), new(*inputs), atol=1e-5)
        assert all(torch.allclose(left, right) for left, right in zip(model.buffers(), new.buffers())), "running statistics too"
        with torch.no_grad(), pytest.raises(RuntimeError, match="in these kernels"):
            new(*(value.double() for value in old["get_inputs"]()))


def test_files_serve_every_precision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A harness may ask for halves: model and inputs are cast, and the program for them is taken."""
    if not all(path.exists() for path in FAKES.values()):
        pytest.skip("the emulated GPU is built with the tests in C++")
    for name, path in FAKES.items():
        monkeypatch.setenv(name, str(path))
    (tmp_path / "problem.py").write_text(SOFTMAX)
    made = emitting.kernelbench_file(tmp_path / "problem.py", "nvidia-h200")
    assert all(f"{name!r}: Program(" in made for name in emitting.PRECISIONS)
    assert evaluate(SOFTMAX, made, runs=1).correct
    for precision in (torch.float16, torch.bfloat16) if SOAK else (torch.float16,):
        verdict = evaluate(SOFTMAX, made, precision=precision, runs=1)
        assert verdict.correct, (precision, verdict.reason)
    # A driver that vanishes is an error, not a result.
    loaded = namespace(made, "new")
    model, inputs = loaded["ModelNew"](), namespace(SOFTMAX, "old")["get_inputs"]()
    with torch.no_grad():
        model(*inputs)
        loaded["_PROGRAMS"]["float32"].runner._driver = types.SimpleNamespace(cuLaunchKernel=lambda *_: 719)
        with pytest.raises(RuntimeError, match="the CUDA driver answers 719"):
            model(*inputs)
    only = emitting.kernelbench_file(tmp_path / "problem.py", "nvidia-h200", ("float32",))
    verdict = evaluate(SOFTMAX, only, precision=torch.float16, runs=1)
    assert not verdict.correct and "in these kernels" in verdict.reason


@pytest.mark.parametrize("dtype", ["f32", "f16", "f64"])
def test_nvrtc_takes_the_text(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiler that PyTorch brings, without a GPU."""
    monkeypatch.delenv("STEPTP_NVRTC", raising=False)
    text = f"@input A {dtype}[64,256]\n@output C {dtype}[64,256]\n" + (
        "B^{64}_{tx=0}L^{256}_{a=0}[D^{T,g}_{tx}=max(D^{T,g}_{tx},A^{T,g}_{tx,a});];"
        "B^{64}_{tx=0}L^{256}_{a=0}[C^{T,g}_{tx,a}=min(max(A^{T,g}_{tx,a}-D^{T,g}_{tx},0),1);];"
    ).replace("T,g", f"{dtype},g")
    fast = steptp.optimize(text, "nvidia-h200").program
    source, launches = _steptp.cuda_text(fast)
    assert "stp_nan_max" in source and json.loads(launches)["kernels"]
    try:
        image = cuda_runner._compiled(source, (9, 0))
    except RuntimeError as error:
        if "there is no NVRTC" in str(error):
            pytest.skip(str(error))
        raise
    assert image.startswith(b"\x7fELF")


def test_files_do_not_run_on_a_cpu_in_silence(tmp_path: Path) -> None:
    (tmp_path / "problem.py").write_text(SOFTMAX)
    emitting.emit(tmp_path / "problem.py", "kernelbench", tmp_path / "new.py", "nvidia-h200", ("float32",))
    verdict = evaluate(SOFTMAX, (tmp_path / "new.py").read_text(), runs=1)
    assert not verdict.correct and "run on CUDA" in verdict.reason


def test_other_things_to_emit(tmp_path: Path) -> None:
    (tmp_path / "problem.py").write_text(LINEAR)
    emitting.emit(tmp_path / "problem.py", "cuda", tmp_path / "text", "nvidia-h200")
    assert "__global__" in (tmp_path / "text" / "program.cu").read_text()
    assert json.loads((tmp_path / "text" / "launches.json").read_text())["kernels"]
    assert (tmp_path / "text" / "certificates" / "01.json").is_file()
    emitting.emit(tmp_path / "problem.py", "module", tmp_path / "folder", "cpu")
    program = "import torch, fast_model; from model import get_inputs\nwith torch.no_grad(): print(fast_model.make()(*get_inputs()).sum(1).mean())"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path / "folder", capture_output=True, text=True, timeout=120, check=False,
                          env={**os.environ, "PYTHONPATH": f"{os.environ['PYTHONPATH']}{os.pathsep}."})
    assert done.returncode == 0 and "tensor(1." in done.stdout, done.stderr


def test_what_cannot_be_emitted_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fourier = PROBLEMS / "level1" / "4_Fourier_transform.py"
    assert emitting.main([str(fourier), "--emit", "kernelbench", "-o", str(tmp_path / "new.py")]) == 1
    assert "fft" in capsys.readouterr().err and not (tmp_path / "new.py").exists()
    assert emitting.main([str(PATHS[0]), "--emit", "cuda", "-o", str(tmp_path / "out"), "--device", "cpu"]) == 1
    assert "nvidia-h200" in capsys.readouterr().err
    (tmp_path / "empty.py").write_text("x = 1\n")
    assert emitting.main([str(tmp_path / "empty.py"), "--emit", "cuda", "-o", str(tmp_path / "out")]) == 2
    assert "defines no class Model" in capsys.readouterr().err


def test_a_folder_of_problems_goes_on_where_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "problems"
    for path in (PATHS[0], PROBLEMS / "level1" / "4_Fourier_transform.py"):
        (folder / path.parent.name).mkdir(parents=True, exist_ok=True)
        (folder / path.parent.name / path.name).write_text(path.read_text())
    words = [str(folder), "-o", str(tmp_path / "out"), "--levels", "1", "--no-compile"]
    assert kernelbench.main(words) == 0
    printed = capsys.readouterr().out
    rows = [json.loads(line) for line in (tmp_path / "out" / "results.jsonl").read_text().splitlines()]
    assert [row["correct"] for row in rows] == [True, False] and "| 1 | 2 | 1 |" in printed and "not imported" in printed
    # A line that was being written counts for nothing, and what has a row is not run again.
    with (tmp_path / "out" / "results.jsonl").open("a") as stream:
        stream.write('{"key": "cut off')
    (folder / "level1" / "5_Broken.py").write_text("raise RuntimeError('broken')\n")
    assert kernelbench.main(words) == 0
    lines = (tmp_path / "out" / "results.jsonl").read_text().splitlines()
    again = [json.loads(line) for line in (*lines[:2], lines[3])]
    assert again[:2] == rows and again[2]["failure"] == "fails" and "broken" in again[2]["reason"]
    assert kernelbench.main([str(tmp_path / "none"), "-o", str(tmp_path / "out")]) == 2
    with pytest.raises(SystemExit):
        kernelbench.main([*words[:3], "--levels", "4", "--no-compile"])


def test_fast_p_counts_all_problems() -> None:
    rows = [
        {"level": 1, **dict.fromkeys(kernelbench.STAGES, True), "seconds": 1.0, "eager_seconds": 1.2, "failure": None},
        {"level": 1, **dict.fromkeys(kernelbench.STAGES, True), "seconds": 1.0, "eager_seconds": 0.5, "failure": None},
        {"level": 1, **dict.fromkeys(kernelbench.STAGES, False), "seconds": 0.1, "eager_seconds": 1.0, "failure": "wrong"},
        {"level": 1, **dict.fromkeys(kernelbench.STAGES, False), "seconds": None, "eager_seconds": None, "failure": "time"},
    ]
    assert [kernelbench.fast_p(rows, p) for p in (0.0, 1.0, 1.5)] == [0.5, 0.25, 0.0]
    assert "| 1 | 4 | 2 | 2 | 2 | 2 | 50 % | 25 % | 25 % | 0 % | 0 % |" in kernelbench.table(rows)

"""Measured times from Python: checked results, comparisons, failures."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

import steptp

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("STEPTP_BINARY", str(ROOT / "build" / "steptp"))

PRODUCT = """@program Product
@input A f32[8,16]
@input C f32[16,4]
@output D f32[8,4]
B^{8}_{tx=0}L^{4}_{a=0}L^{16}_{c=0}[D^{f32,g}_{tx,a}=D^{f32,g}_{tx,a}+A^{f32,g}_{tx,c}*C^{f32,g}_{c,a};];
"""
REVERSED = PRODUCT.replace("Product", "Reversed").replace("_{tx,c}", "_{tx,15-c}").replace("_{c,a}", "_{15-c,a}")


def measured(*programs: str) -> dict:
    try:
        return steptp.time(*programs, budget=0.2)
    except steptp.DiagnosticError as error:
        assert error.diagnostics[0].id == "no-engine"
        pytest.skip(str(error))


def test_programs_by_turns() -> None:
    answer = measured(PRODUCT, REVERSED)
    assert answer["machine"]["device"] == "cpu"
    assert answer["machine"]["bytes_per_second"] > 0
    first, second = answer["programs"]
    assert (first["program"], second["program"]) == ("Product", "Reversed")
    for one in (first, second):
        assert one["status"] == "ok"
        assert one["checked_elements"] == 8
        assert one["median_s"] >= one["min_s"] > 0
        assert one["samples"] >= 10
        assert one["flops"] == 2 * 8 * 4 * 16
        assert one["bytes"] == 4 * (8 * 16 + 16 * 4 + 8 * 4)


def test_candidates_of_a_root() -> None:
    shorter = PRODUCT.replace("Product", "Shorter").replace("L^{16}_{c=0}", "L^{15}_{c=0}")
    try:
        answer = steptp.time(REVERSED, shorter, root=PRODUCT, budget=0.2)
    except steptp.DiagnosticError as error:
        assert error.diagnostics[0].id == "no-engine"
        pytest.skip(str(error))
    assert answer["root"]["program"] == "Product"
    assert answer["root"]["elements"] == 32
    right, wrong = answer["programs"]
    assert (right["status"], right["checked_elements"]) == ("ok", 32)
    assert set(right["cost_ms"]) == {"certified_values", "preparing", "running", "ending"}
    assert (wrong["status"], wrong["error"]) == ("wrong", "wrong-result")
    assert "median_s" not in wrong
    with pytest.raises(steptp.DiagnosticError):
        steptp.time(PRODUCT, root="@output D f32[4]\nL^{3}_{a=0}[D^{f32,g}_{a}=0;];")


def test_a_program_with_errors_has_no_times() -> None:
    answer = measured(PRODUCT, "@output D f32[4]\nL^{3}_{a=0}[D^{f32,g}_{a}=0;];")
    assert answer["programs"][0]["status"] == "ok"
    assert answer["programs"][1]["status"] == "failed"
    assert answer["programs"][1]["error"] == "not-written"
    assert "median_s" not in answer["programs"][1]


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match="no device"):
        steptp.time(PRODUCT, device="tpu")


@pytest.mark.parametrize("verb", ["run", "time"])
def test_without_a_gpu(verb: str) -> None:
    # In a process of its own: which driver there is, is decided once.
    program = (
        "import steptp, sys\n"
        "try:\n"
        f"    steptp.run(sys.argv[1], engine='cuda') if {verb!r} == 'run' else steptp.time(sys.argv[1], device='cuda')\n"
        "except steptp.DiagnosticError as error:\n"
        "    print(error.diagnostics[0].id)\n"
    )
    environment = {**os.environ, "STEPTP_CUDA_DRIVER": "/no/such/libcuda.so"}
    done = subprocess.run([sys.executable, "-c", program, PRODUCT], env=environment, capture_output=True, text=True)
    assert done.stdout == "no-device\n", done.stderr


def test_times_of_pytorch(tmp_path: pathlib.Path) -> None:
    from steptp import time_torch

    class Clock:
        def __init__(self) -> None:
            self.runs = 0

        def seconds(self, run) -> float:
            run()
            self.runs += 1
            return 1.0 if self.runs % 2 else 3.0

    clock = Clock()
    calls: list[int] = []
    assert time_torch.measure(lambda: calls.append(1), clock, 60.0, 5) == [1.0, 3.0, 1.0, 3.0, 1.0]
    assert len(calls) == 5
    assert time_torch.measure(lambda: calls.append(1), clock, 0.0, 5) == [3.0]
    # A Python without PyTorch says so, and nothing else.
    broken = tmp_path / "torch.py"
    broken.write_text("raise ImportError('not for this test')\n")
    script = pathlib.Path(time_torch.__file__)
    done = subprocess.run(
        [sys.executable, str(script), "model.py"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert json.loads(done.stdout) == {"error": "there is no PyTorch: not for this test"}


FAKE_TORCH = """
import contextlib

class Tensor:
    pass

class Events:
    matmul = cudnn = None

class _Flags:
    allow_tf32 = True

threads = [2]

def get_num_threads():
    return threads[0]

def set_num_threads(number):
    threads[0] = number

class backends:
    class cuda:
        matmul = _Flags()
    cudnn = _Flags()

def manual_seed(seed):
    pass

def empty(count, dtype, device):
    class Other:
        def fill_(self, value):
            pass
    return Other()

uint8 = None
no_grad = contextlib.nullcontext

def compile(model):
    def broken(*inputs):
        raise RuntimeError("no compiler here")
    return broken
"""
FAKE_MODE = """
class TorchDispatchMode:
    def __enter__(self):
        return self
    def __exit__(self, *reason):
        return False
"""
MODEL = """
import time
import torch
print("a module may print")

class Model:
    def eval(self):
        return self
    def to(self, device):
        return self
    def __call__(self, *inputs):
        time.sleep(0.004 if torch.get_num_threads() > 1 else 0.001)
        return 0

def get_inputs():
    return []
"""


def test_columns_by_turns(tmp_path: pathlib.Path) -> None:
    """With a PyTorch of straw: the columns stand behind the programs, and one that fails says why."""
    folder = tmp_path / "torch" / "utils"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").write_text(FAKE_TORCH)
    (folder / "__init__.py").write_text("")
    (folder / "_python_dispatch.py").write_text(FAKE_MODE)
    model = tmp_path / "model.py"
    model.write_text(MODEL)
    program = tmp_path / "scale.leir"
    program.write_text(PRODUCT)
    done = subprocess.run(
        [BINARY, "time", str(program), "--json", "--budget", "0.05", "--torch", str(model), "--python", sys.executable],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    report = json.loads(done.stdout)
    # This one is faster with one thread than with two, and is measured with one.
    assert [one["program"] for one in report["programs"]][1:] == ["eager, 1 thread", "torch.compile"], done.stderr
    ours, eager, compiled = report["programs"]
    assert ours["status"] == "ok" and eager["status"] == "unchecked"
    assert eager["samples"] >= 10 and eager["median_s"] > 0 and eager["bytes"] == ours["bytes"]
    assert compiled["status"] == "failed" and "no compiler here" in compiled["reason"]
    assert done.returncode == 0

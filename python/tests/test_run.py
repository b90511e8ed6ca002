from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import steptp
from numpy_reference import NUMPY, floats, integers, round_bf16
from steptp_cli import steptp_cli

COPY = "@input A f32[3,4]\n@output D f32[3,4]\nB^{3}_{tx=0}L^{4}_{a=0}[D^{f32,g}_{tx,a}=A^{f32,g}_{tx,a};];\n"
SLOW = "@output D f32[1]\nL^{100000}_{a=0}L^{100000}_{c=0}[D^{f32,g}_{0}=D^{f32,g}_{0}+a;];\n"


def copy_of(dtype: str) -> str:
    return COPY.replace("f32", dtype)


def some(dtype: str) -> np.ndarray:
    if dtype == "bool":
        return (np.arange(12) % 3 == 0).reshape(3, 4)
    values = integers(dtype, 12) if dtype[0] in "iu" else floats(dtype, 12)
    return values.reshape(3, 4)


# Results


def test_a_result_is_a_mapping_with_statistics() -> None:
    values = some("f32")
    result = steptp.run(COPY, {"A": values})
    assert list(result) == ["D"] and len(result) == 1 and "D" in result and dict(result.items()).keys() == {"D"}
    assert result["D"].dtype == np.float32 and (result["D"] == values).all()
    statistics = result.statistics["D"]
    assert statistics.count == 12 and statistics.nan == 0 and statistics.max == values.max()
    assert result.executions == 12 and result.operations >= 12
    assert repr(result) == "<steptp.RunResult D: float32[3, 4]>"
    with pytest.raises(KeyError):
        result["A"]


def test_outputs_can_be_written_and_outlive_the_result() -> None:
    output = steptp.run(COPY)["D"]
    output[0, 0] = 7
    assert output.flags.writeable and output[0, 0] == 7


def test_without_inputs_the_seed_decides() -> None:
    assert (steptp.run(COPY, seed=3)["D"] == steptp.seeded_inputs(COPY, 3)["A"]).all()
    assert steptp.run(COPY).statistics != steptp.run(COPY, seed=1).statistics
    drawn = steptp.seeded_inputs(steptp.read(COPY), np.int64(3))  # type: ignore[arg-type]
    assert drawn.keys() == {"A"} and drawn["A"].shape == (3, 4)


@pytest.mark.parametrize("dtype", NUMPY)
def test_every_dtype_passes_unchanged(dtype: str) -> None:
    values = some(dtype)
    output = steptp.run(copy_of(dtype), {"A": values})["D"]
    assert output.dtype == NUMPY[dtype] and output.tobytes() == values.tobytes()


def test_chosen_elements() -> None:
    values = some("f32")
    result = steptp.run(COPY, {"A": values}, elements=["D[1,2]", ("D", (0, np.int64(3)))])  # type: ignore[list-item]
    assert result.elements == {"D[1,2]": values[1, 2], "D[0,3]": values[0, 3]} and len(result) == 0
    assert repr(result).startswith("<steptp.RunResult D[1,2] = ")
    scalar = "@output D f64\nB^{1}_{tx=0}[D^{f64,g}=-inf;];"
    assert steptp.run(scalar, elements=["D"]).elements == {"D": -np.inf}
    assert steptp.run(scalar)["D"].shape == ()
    assert type(steptp.run("@output D f64\nB^{1}_{tx=0}[D^{f64,g}=6;];", elements=["D"]).elements["D"]) is float
    assert type(steptp.run("@output D i8\nB^{1}_{tx=0}[D^{i8,g}=6;];", elements=["D"]).elements["D"]) is int
    assert steptp.run("@output D bool\nB^{1}_{tx=0}[D^{bool,g}=6;];", elements=["D"]).elements["D"] is True
    # A huge program of which one element is asked.
    huge = "@input A f32[100000,100]\n@output D f32[100000]\nB^{100000}_{tx=0}L^{100}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,a};];"
    assert steptp.run(huge, elements=["D[7]"], budget=100000).operations < 1000


def test_a_program_a_path_and_bytes_run_alike(tmp_path: Path) -> None:
    path = tmp_path / "copy.leir"
    path.write_text(COPY)
    checksums = {steptp.run(source).statistics["D"].checksum for source in (COPY, COPY.encode(), path, steptp.read(COPY))}
    assert len(checksums) == 1
    nests = COPY.splitlines()[2]
    assert steptp.run(nests, signature=steptp.read(COPY).signature).statistics["D"].checksum in checksums


def test_constants_have_values_in_the_signature() -> None:
    signature = [
        {"name": "A", "role": "constant", "dtype": "f32", "shape": [3], "values": [1, 2.5, float("-inf")]},
        {"name": "D", "role": "output", "dtype": "f32", "shape": [3]},
    ]
    text = "B^{3}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{tx};];"
    program = steptp.read(text, signature)
    assert steptp.run(program, {})["D"].tolist() == [1, 2.5, -np.inf] == steptp.run(program)["D"].tolist()
    given = np.array([4, 5, 6], np.float32)
    assert steptp.run(program, {"A": given})["D"].tolist() == [4, 5, 6]


# Inputs of every kind


@pytest.mark.parametrize(
    "change",
    [
        lambda x: np.asfortranarray(x),
        lambda x: np.repeat(x, 2, axis=1)[:, ::2],
        lambda x: x[::-1, ::-1].copy()[::-1, ::-1],
        lambda x: x.astype(x.dtype.newbyteorder(">")),
        lambda x: x.tolist() and np.ma.masked_array(x),
        lambda x: memoryview(np.ascontiguousarray(x)),
    ],
    ids=["fortran", "strided", "reversed", "big-endian", "mask without effect", "buffer"],
)
def test_layout_and_byte_order_do_not_matter(change) -> None:
    values = some("f32")
    values.flags.writeable = False
    assert (steptp.run(COPY, {"A": change(values)})["D"] == values).all()


def test_broadcast_views_are_taken() -> None:
    row = np.arange(4, dtype=np.float32)
    assert (steptp.run(COPY, {"A": np.broadcast_to(row, (3, 4))})["D"] == row).all()


def test_other_names_are_ignored() -> None:
    values = some("f32")
    assert (steptp.run(COPY, {"A": values, "Zz": np.array(object()), "D": values})["D"] == values).all()  # type: ignore[dict-item]


BAD_INPUTS = {
    "shape": ({"A": np.zeros((4, 3), np.float32)}, r"A is f32\[4,3\]; the signature says f32\[3,4\]"),
    "rank": ({"A": np.zeros(12, np.float32)}, r"A is f32\[12\]"),
    "wider": ({"A": np.zeros((3, 4))}, "the input A: .*f64.*f32"),
    "integers": ({"A": np.zeros((3, 4), np.int32)}, "the input A: .*i32.*f32"),
    "objects": ({"A": np.zeros((3, 4), object)}, "the input A: an array of object cannot be used; the types are float64,"),
    "complex": ({"A": np.zeros((3, 4), complex)}, "an array of complex128"),
    "unsigned": ({"A": np.zeros((3, 4), np.uint32)}, "an array of uint32"),
    "text": ({"A": np.zeros((3, 4), "U3")}, "an array of <U3"),
    "record": ({"A": np.zeros((3, 4), [("x", "f4")])}, "cannot be used"),
    "dates": ({"A": np.zeros((3, 4), "M8[s]")}, "cannot be used"),
    "ragged": ({"A": [[1.0], [2.0, 3.0]]}, "numpy makes no array of list"),
    "none": ({"A": None}, "an array of object"),
    "masked": ({"A": np.ma.masked_array(np.zeros((3, 4), np.float32), np.eye(3, 4))}, "masked"),
}


@pytest.mark.parametrize("case", BAD_INPUTS)
def test_inputs_that_do_not_fit(case: str) -> None:
    inputs, message = BAD_INPUTS[case]
    with pytest.raises(steptp.InputError, match=message) as caught:
        steptp.run(COPY, inputs)  # type: ignore[arg-type]
    error = caught.value
    assert error.kind == "input-mismatch" and error.diagnostic.id == "input-mismatch" and error.tensor == "A"
    assert isinstance(error, ValueError) and isinstance(error, steptp.RunError) and isinstance(error, steptp.SteptpError)


def test_an_input_that_is_missing() -> None:
    for inputs in ({}, {"a": some("f32")}):
        with pytest.raises(steptp.InputError, match="there is no data for the input A") as caught:
            steptp.run(COPY, inputs)
        assert caught.value.kind == "input-missing" and caught.value.tensor == "A"


def test_bfloat16_takes_only_exact_values() -> None:
    text = copy_of("bf16")
    rough = np.full((3, 4), 0.1, np.float32)
    with pytest.raises(steptp.InputError, match="the input A: "):
        steptp.run(text, {"A": rough})
    exact = round_bf16(rough)
    output = steptp.run(text, {"A": exact})["D"]
    assert output.dtype == np.float32 and (output == exact).all()


@pytest.mark.parametrize("inputs", [[np.zeros(3)], np.zeros(3), "A", 3, {1: np.zeros(3)}])
def test_inputs_are_a_mapping_by_name(inputs) -> None:
    with pytest.raises(TypeError, match="mapping|name of an input"):
        steptp.run(COPY, inputs)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"seed": -1}, ValueError),
        ({"seed": 2**64}, ValueError),
        ({"seed": 1.5}, TypeError),
        ({"budget": -1}, ValueError),
        ({"engine": "magic"}, ValueError),
        ({"elements": "D[0,0]"}, TypeError),
        ({"elements": ["D[0,"]}, ValueError),
        ({"elements": ["D[0]"]}, steptp.RunError),
        ({"elements": ["D[9,9]"]}, steptp.RunError),
        ({"elements": ["Q[0,0]"]}, steptp.RunError),
        ({"elements": ["A[0,0]"]}, steptp.RunError),
    ],
    ids=str,
)
def test_arguments_that_make_no_sense(arguments: dict, error: type[Exception]) -> None:
    with pytest.raises(error):
        steptp.run(COPY, **arguments)


# Runs that fail


def test_a_trap_names_kind_place_and_iteration() -> None:
    text = "@input A f32[4]\n@output D f32[2,3]\nB^{2}_{tx=0}L^{3}_{a=0}[D^{f32,g}_{tx,a}=A^{f32,g}_{tx*3+a};];\n"
    with pytest.raises(steptp.RunError) as caught:
        steptp.run(text)
    error = caught.value
    assert error.kind == error.diagnostic.id == "out-of-range"
    assert error.iteration == {"tx": 1, "a": 1} and list(error.iteration) == ["tx", "a"]
    assert error.tensor == "A" and error.subscripts == (4,)
    assert error.diagnostic.line == 3 and error.diagnostic.column > 1
    assert "^" in str(error).splitlines()[-1]
    assert not isinstance(error, (steptp.BudgetError, steptp.InputError))
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) and again.iteration == error.iteration and type(again) is steptp.RunError


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("undefined-read", "@output D f32[4]\nL^{3}_{a=0}[E^{f32,g}_{a}=1;];L^{4}_{a=0}[D^{f32,g}_{a}=E^{f32,g}_{a};];"),
        ("invalid", "@output D f32[4]\nL^{4}_{a=0}[D^{f32,g}_{a}=E^{f32,g}_{a};];"),
        ("not-written", "@output D f32[4]\nL^{3}_{a=0}[D^{f32,g}_{a}=1;];"),
        ("division-by-zero", "@output D i32[4]\nL^{4}_{a=0}[E^{i32,g}_{a}=a;D^{i32,g}_{a}=1//E^{i32,g}_{a};];"),
        ("invalid", "B^{4}_{tx=0}[D^{f32,g}_{tx}=1;];"),
        ("invalid", "@output D f32[4]\nB^{4}_{tx=0}[D^{f64,g}_{tx}=1;];"),
    ],
)
def test_every_kind_of_fault_is_a_run_error(kind: str, text: str) -> None:
    with pytest.raises(steptp.RunError) as caught:
        steptp.run(text)
    assert caught.value.kind == kind


def test_beyond_the_budget() -> None:
    with pytest.raises(steptp.BudgetError, match="allowed are 5") as caught:
        steptp.run(COPY, budget=5)
    assert caught.value.kind == "budget"
    vast = "@output D f64[100000,1000000]\nB^{1}_{tx=0}[D^{f64,g}_{0,0}=1;];"
    with pytest.raises(steptp.BudgetError) as caught:
        steptp.run(vast)
    assert caught.value.kind == "memory"
    with pytest.raises(steptp.BudgetError):
        steptp.seeded_inputs("@input A f64[100000,1000000]\n@output D f64\nB^{1}_{tx=0}[D^{f64,g}=A^{f64,g}_{0,0};];")


def test_an_interrupt_stops_a_run() -> None:
    # A process started in the background inherits an ignored SIGINT; what is tested is ours to set.
    script = f"""
import signal
import steptp
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    print("ready", flush=True)
    steptp.run({SLOW!r}, budget=2**63)
except KeyboardInterrupt:
    print("interrupted")
"""
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdout.readline() == "ready\n"
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    try:
        rest, _ = child.communicate(timeout=20)
    finally:
        child.kill()
    assert rest == "interrupted\n" and child.returncode == 0


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers")
def test_a_handler_that_raises_stops_a_run_and_others_go_on() -> None:
    calls = []

    def handler(number: int, frame: object) -> None:
        calls.append(number)
        if len(calls) == 3:
            raise TimeoutError("enough")

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
    try:
        with pytest.raises(TimeoutError, match="enough"):
            steptp.run(SLOW, budget=2**63)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(calls) >= 3
    assert steptp.run(COPY)["D"].shape == (3, 4)


def test_other_threads_run_meanwhile() -> None:
    text = SLOW.replace("100000", "1000")
    finished: list[float] = []
    thread = threading.Thread(target=lambda: finished.append(float(steptp.run(text)["D"][0])))
    thread.start()
    turns = 0
    while thread.is_alive():
        turns += 1
        time.sleep(0.001)
    thread.join()
    assert turns > 3 and len(finished) == 1


# Files of numpy through the command line


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed], ids=["stored", "compressed"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", NUMPY)
def test_files_pass_through_the_command_line(dtype: str, order: str, save, tmp_path: Path) -> None:
    values = some(dtype)
    save(tmp_path / "in.npz", A=np.asarray(values, order=order))
    done = steptp_cli("run", "-", "--json", "--inputs", tmp_path / "in.npz", "--output", tmp_path / "out.npz", text=copy_of(dtype))
    assert done.returncode == 0, done.stderr
    with np.load(tmp_path / "out.npz", allow_pickle=False) as arrays:
        assert arrays.files == ["D"]
        assert arrays["D"].dtype == values.dtype and arrays["D"].tobytes() == values.tobytes()


@pytest.mark.parametrize("values", [np.zeros((3, 4)), np.zeros((4, 3), np.float32), np.zeros((3, 4), ">f4"), np.zeros((3, 4), object)])
def test_files_that_do_not_fit_are_bad_input(values: np.ndarray, tmp_path: Path) -> None:
    np.savez(tmp_path / "in.npz", A=values)
    done = steptp_cli("run", "-", "--inputs", tmp_path / "in.npz", text=COPY)
    assert done.returncode == 2 and "error" in done.stderr and done.stdout == ""


def test_importing_does_not_need_numpy() -> None:
    script = "import sys; sys.modules['numpy'] = None; import steptp; print(steptp.check(sys.argv[1]).ok)"
    done = subprocess.run([sys.executable, "-c", script, COPY], capture_output=True, text=True, cwd=os.path.dirname(sys.executable))
    assert done.stdout == "True\n", done.stderr

from __future__ import annotations

import math
import pickle
import threading
from pathlib import Path

import pytest

import steptp

COPY = """@program Copy
@input A f32[4,8] positive
@output C f32[4,8]
B^{4}_{tx=0}L^{8}_{a=0}[C^{f32,g}_{tx,a}=A^{f32,g}_{tx,a};];
"""
COPY_NESTS = "B^{4}_{tx=0}L^{8}_{a=0}[C^{f32,g}_{tx,a}=A^{f32,g}_{tx,a};];"


def test_fmt_gives_either_profile() -> None:
    compact = steptp.fmt(COPY, profile="compact")
    assert compact.splitlines()[-1] == "tx4 a8 C(tx,a)=A(tx,a);"
    assert steptp.fmt(compact) == COPY
    assert steptp.fmt(steptp.read(COPY), "compact") == compact


def test_fmt_reads_a_path(tmp_path: Path) -> None:
    path = tmp_path / "copy.leir"
    path.write_text(COPY)
    assert steptp.fmt(path) == COPY


def test_an_unknown_profile_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="no profile 'latex'"):
        steptp.fmt(COPY, profile="latex")


def test_a_program_says_what_it_is() -> None:
    program = steptp.read(COPY)
    assert program.name == "Copy"
    assert program.signature == [
        steptp.Variable("A", "input", "float32", (4, 8), "positive"),
        steptp.Variable("C", "output", "float32", (4, 8)),
    ]
    assert not program.extended
    assert program.to_text("paper", header=False).strip() == COPY_NESTS
    assert steptp.read(program.to_json()) == program


def test_equality_and_hash_follow_the_nests_and_the_signature() -> None:
    program = steptp.read(COPY)
    renamed = steptp.read(COPY.replace("Copy", "Other"))
    narrower = steptp.read(COPY.replace("positive", "nonzero"))
    assert program == renamed and hash(program) == hash(renamed) and program.hash == renamed.hash
    shorter = steptp.read(COPY.replace("[4,8]", "[4,9]"))
    assert program != narrower
    assert program != shorter and program.hash != shorter.hash
    assert program != "text"
    assert len(program.hash) == 16 and int(program.hash, 16) >= 0
    assert pickle.loads(pickle.dumps(program)) == program


def test_a_signature_can_come_from_elsewhere() -> None:
    program = steptp.read(COPY_NESTS, signature=steptp.read(COPY).signature)
    assert program == steptp.read(COPY)
    entries = [{"name": "C", "role": "output", "dtype": "f32", "shape": [4, 8]}]
    assert [v.name for v in steptp.read(COPY_NESTS, signature=entries).signature] == ["C"]


def test_values_of_constants_survive() -> None:
    values = (1.5, math.inf, -math.inf, -0.0)
    signature = [
        steptp.Variable("A", "constant", "f64", (4,), values=values),
        steptp.Variable("C", "output", "f64", (4,)),
    ]
    text = "L^{4}_{a=0}[C^{f64,g}_{a}=A^{f64,g}_{a};];"
    back = steptp.read(text, signature=signature).signature[0].values
    assert back == values
    assert back is not None and math.copysign(1.0, back[3]) == -1.0


def test_errors_carry_the_place_as_data_and_as_text() -> None:
    with pytest.raises(steptp.DiagnosticError) as caught:
        steptp.read("B^{4}_{tx=0}[C^{f32,g}_{tx}=A^{f32,g}_{tx,};];")
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.id, diagnostic.severity, diagnostic.line, diagnostic.column) == ("syntax", "error", 1, 43)
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("<text>:1:43: error: ")
    assert lines[2].index("^") == 2 + 42
    assert isinstance(caught.value, steptp.SteptpError)
    assert pickle.loads(pickle.dumps(caught.value)).diagnostics == caught.value.diagnostics


def test_several_errors_come_at_once() -> None:
    with pytest.raises(steptp.DiagnosticError) as caught:
        steptp.read("L^{0}_{a=0}[C^{f32,q}_{a}=1;];\nL^{2}_{a=1}[D^{f32,g}=1;];")
    assert [d.line for d in caught.value.diagnostics] == [1, 1, 2]


def test_a_missing_file_is_a_diagnostic(tmp_path: Path) -> None:
    with pytest.raises(steptp.DiagnosticError, match="No such file") as caught:
        steptp.read(tmp_path / "none.leir")
    assert caught.value.diagnostics[0].id == "file"
    assert caught.value.diagnostics[0].line == 0


@pytest.mark.parametrize(
    "signature, part",
    [
        ([{"name": "C"}], "role"),
        ([{"name": "tx", "role": "input", "dtype": "f32", "shape": []}], "not a tensor's name"),
        ([steptp.Variable("A", "input", "f32", (2,))], "no output"),
    ],
)
def test_a_bad_signature_is_a_diagnostic(signature: list[steptp.Variable], part: str) -> None:
    with pytest.raises(steptp.DiagnosticError, match=part):
        steptp.read(COPY_NESTS, signature=signature)


def test_warnings_are_python_warnings() -> None:
    with pytest.warns(steptp.DiagnosticWarning, match="nested-by-missing-semicolon"):
        steptp.read("B^{4}_{tx=0}[D^{f32,g}_{tx}=1;]L^{2}_{a=0}[E^{f32,g}_{a}=2;];")


def test_any_string_and_any_bytes_end_in_a_diagnostic() -> None:
    for source in ["", "\ud800", "é", "\0", b"\xff\xfe", "{", '{"leir": 3}']:
        with pytest.raises(steptp.DiagnosticError):
            steptp.read(source)


def test_threads_can_read_together() -> None:
    texts: list[str] = []
    threads = [threading.Thread(target=lambda: texts.extend(steptp.fmt(COPY) for _ in range(50))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts == [COPY] * 200

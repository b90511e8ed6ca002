from __future__ import annotations

import threading
from pathlib import Path

import pytest

import steptp

GOOD = "@input A f32[4]\n@output D f32[4]\nB^{4}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{tx};];\n"
SHORT = GOOD.replace("B^{4}", "B^{3}")
INDIRECT = "@input A f32[4]\n@input C i64[3]\n@output D f32[3]\nB^{3}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{C^{i64,g}_{tx}};];\n"
# Which elements of E are written depends on data.
SCATTER = (
    "@input C i64[3] [0,3)\n@output D f32[3]\n"
    "L^{3}_{a=0}[E^{f32,g}_{C^{i64,g}_{a}}=1;];L^{3}_{a=0}[D^{f32,g}_{a}=E^{f32,g}_{a};];\n"
)
GUARDED = "@output D f32[4]\nB^{4}_{tx=0}?{tx<4}[D^{f32,g}_{tx}=1;];\n"


def test_a_good_program_is_ok() -> None:
    report = steptp.check(GOOD)
    assert report == steptp.CheckReport(True, False, (), ())
    assert report.to_dict() == {"ok": True, "extended": False, "assumes": [], "diagnostics": []}


def test_errors_are_data_with_a_place() -> None:
    report = steptp.check(SHORT)
    assert report.ok is False
    (error,) = report.errors
    assert error.id == "not-written" and "D_{3}" in error.message and error.severity == "error"
    undefined = steptp.check(GOOD.replace("=A^{f32,g}_{tx}", "=E^{f32,g}_{tx}"))
    (error,) = undefined.errors
    assert (error.line, error.column) == (3, GOOD.splitlines()[2].index("=A") + 2) and error.site


def test_assumptions_are_stated() -> None:
    report = steptp.check(INDIRECT)
    assert report.ok is True and len(report.assumes) == 1 and "C" in report.assumes[0]


def test_unknown_is_neither_yes_nor_no() -> None:
    report = steptp.check(SCATTER)
    assert report.ok == "unknown"
    assert report.ok is not True and report.ok is not False
    assert {item.severity for item in report.diagnostics} == {"unknown"}


def test_a_race_names_two_iterations_and_the_element() -> None:
    report = steptp.check(GOOD + "P^{4}_{a=0}[D^{f32,g}_{a//2}=A^{f32,g}_{a};];")
    (error,) = report.errors
    assert (error.id, error.message) == ("race", "race: a=0 and a=1 both write D_{0}")


def test_launch_limits_are_errors_on_a_device() -> None:
    wide = "@output D f32[2048]\nB^{2048}_{tx=0}[D^{f32,g}_{tx}=0;];"
    report = steptp.check(wide)
    assert report.ok is True and [item.id for item in report.diagnostics] == ["launch-limit"]
    assert [item.id for item in steptp.check(wide, device="nvidia-h200").errors] == ["launch-limit"]
    assert steptp.check(wide, device="cpu") == steptp.CheckReport(True, False, (), ())
    with pytest.raises(ValueError, match="nvidia-h200 nvidia-a100 plain-cpu cpu"):
        steptp.check(wide, device="abacus")


def test_an_extended_program_says_so() -> None:
    assert steptp.check(GUARDED).extended and not steptp.check(GOOD).extended


def test_a_program_and_a_path_are_checked_like_a_text(tmp_path: Path) -> None:
    path = tmp_path / "short.leir"
    path.write_text(SHORT)
    assert steptp.check(path) == steptp.check(SHORT) == steptp.check(steptp.read(SHORT)) == steptp.check(SHORT.encode())


def test_a_signature_may_come_from_elsewhere() -> None:
    nests = GOOD.splitlines()[2]
    assert [item.id for item in steptp.check(nests).errors] == ["no-signature"]
    signature = steptp.read(GOOD).signature
    assert steptp.check(nests, signature=signature).ok is True
    assert steptp.check(steptp.read(nests), signature=signature).ok is True


def test_warnings_of_the_reader_are_in_the_report_and_not_shown(recwarn: pytest.WarningsRecorder) -> None:
    report = steptp.check("@output D f32[2,3]\nL^{2}_{a=0}[C^{f32,g}=1;]L^{3}_{c=0}[D^{f32,g}_{a,c}=C^{f32,g};];\n")
    assert "nested-by-missing-semicolon" in [warning.id for warning in report.warnings]
    assert not recwarn.list


def test_unreadable_text_raises() -> None:
    with pytest.raises(steptp.DiagnosticError) as caught:
        steptp.check("B^{4}_{tx=0}[C^{f32,g}_{tx}=A^{f32,g}_{tx,};];")
    assert caught.value.diagnostics[0].line == 1
    with pytest.raises(steptp.DiagnosticError):
        steptp.check(Path("no_such_file.leir"))
    with pytest.raises(TypeError, match="not int"):
        steptp.check(3)  # type: ignore[arg-type]


def test_every_id_can_be_explained() -> None:
    with pytest.raises(ValueError, match="there is no diagnostic 'nonsense'; the ids are: ") as caught:
        steptp.explain("nonsense")
    ids = str(caught.value).split("the ids are: ")[1].split()
    assert "undefined-read" in ids
    for id in ids:
        assert steptp.explain(id).startswith(f"{id} (")


def test_threads_check_at_once() -> None:
    reports: list[steptp.CheckReport] = []
    threads = [threading.Thread(target=lambda: reports.append(steptp.check(SHORT))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(reports) == 8 and all(report == reports[0] for report in reports)


def test_equal_up_to_renaming() -> None:
    left = "@input A f32[4,2]\n@output D f32[4]\nB^{4}_{tx=0}L^{2}_{c=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,c};];"
    right = left.replace("c=0", "k=0").replace("tx,c", "tx,k")
    assert steptp.same_up_to_renaming(left, right)
    assert steptp.canonical(left) == steptp.canonical(right) and steptp.read(left) != steptp.read(right)
    assert steptp.read(left).canonical_hash == steptp.read(right).canonical_hash
    assert not steptp.same_up_to_renaming(left, left.replace("+", "*"))

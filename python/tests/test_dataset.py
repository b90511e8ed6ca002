"""Datasets from Python: the same bytes as from the command line, progress, Ctrl-C."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys

import pytest

import steptp
import steptp.dataset
from steptp_cli import steptp_cli

SMALL = {"programs": 6, "types": ["ReLU", "softmax", "Matmul3D"], "test_types": 0, "multi_step_programs": 1,
         "entries": 18, "seed": 4, "compile": "none"}
NOT_DATA = {"build.log", "timings.jsonl"}


def files_of(folder: pathlib.Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file() and path.name not in NOT_DATA}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[pathlib.Path, dict, list]:
    folder = tmp_path_factory.mktemp("dataset") / "data"
    told: list[tuple[int, int, str]] = []
    answer = steptp.dataset.build(folder, jobs=2, progress=lambda *news: told.append(news), **SMALL)
    return folder, answer, told


def test_the_bytes_of_the_command_line(built: tuple, tmp_path: pathlib.Path) -> None:
    folder, answer, told = built
    assert answer["end"] == "complete" and answer["quarantined"] == []
    assert answer["summary"]["programs"]["train"] == 6
    assert told and told[-1][0] <= told[-1][1] and any("entries" in note for _, _, note in told)
    out = tmp_path / "data"
    words = ["--programs", 6, "--types", "ReLU,softmax,Matmul3D", "--test-types", 0, "--multi-step-programs", 1,
             "--entries", 18, "--seed", 4, "--compile", "none", "--jobs", 1]
    done = steptp_cli("dataset", "build", "--out", out, *words)
    assert done.returncode == 0, done.stderr
    assert files_of(out) == files_of(folder)


def test_shards_are_merged(built: tuple, tmp_path: pathlib.Path) -> None:
    shards = [tmp_path / str(i) for i in range(2)]
    for i, shard in enumerate(shards):
        assert steptp.dataset.build(shard, shard=(i, 2), **SMALL)["end"] == "shard"
    assert steptp.dataset.merge(shards, tmp_path / "merged")["end"] == "complete"
    assert files_of(tmp_path / "merged") == files_of(built[0])


def test_looking_at_one(built: tuple, tmp_path: pathlib.Path) -> None:
    folder = built[0]
    found = steptp.dataset.validate(folder, judge=5)
    assert found["ok"] and found["problems"] == [] and found["rows"] > 100
    assert steptp.dataset.stats(folder, html=tmp_path / "page.html")["compiled"]
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")
    row = steptp.dataset.show(folder, table="archive", row=2)
    assert row["grade"] in ("proved", "exact") and row["original_tir_target"] in ("cuda", "cpu")
    manifest = steptp.dataset.export(folder, tmp_path / "few", configs=["chat_single"], max_tokens=4000)
    assert [table["table"] for table in manifest["tables"]] == ["chat/full/single"]


def test_what_is_wrong_is_said(built: tuple, tmp_path: pathlib.Path) -> None:
    folder = built[0]
    with pytest.raises(steptp.DiagnosticError, match="seed is 4 there, and 5 here"):
        steptp.dataset.build(folder, **{**SMALL, "seed": 5})
    with pytest.raises(steptp.DiagnosticError, match="sead"):
        steptp.dataset.settings(sead=1)
    with pytest.raises(steptp.DiagnosticError, match="chat_ful"):
        steptp.dataset.export(folder, tmp_path / "none", configs=["chat_ful"])
    with pytest.raises(steptp.DiagnosticError, match="rows, counted from 0"):
        steptp.dataset.show(folder, row=100000)
    with pytest.raises(steptp.DiagnosticError, match="holds no exported dataset"):
        steptp.dataset.validate(tmp_path)
    with pytest.raises(ValueError, match="shard"):
        steptp.dataset.build(tmp_path / "none", shard=(2, 2))


def test_the_time_is_over(tmp_path: pathlib.Path) -> None:
    assert steptp.dataset.build(tmp_path / "data", time_limit=1e-3, **SMALL)["end"] == "stopped"


def test_an_error_in_progress_ends_the_build(tmp_path: pathlib.Path) -> None:
    def progress(done: int, total: int, note: str) -> None:
        raise LookupError(note)

    with pytest.raises(LookupError, match="entries"):
        steptp.dataset.build(tmp_path / "data", jobs=1, progress=progress, **{**SMALL, "programs": 40})


def test_control_c_leaves_what_is_done(built: tuple, tmp_path: pathlib.Path) -> None:
    """In a process of its own, where a signal meets the main thread."""
    # A process started in the background inherits an ignored SIGINT; what is tested is ours to set.
    program = f"""
import signal
import steptp.dataset
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    steptp.dataset.build({str(tmp_path / "data")!r}, jobs=1, progress=lambda *news: print("at work", flush=True), **{SMALL!r})
except KeyboardInterrupt:
    print("interrupted")
"""
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=dict(os.environ))
    assert child.stdout is not None and child.stdout.readline() == "at work\n"
    child.send_signal(signal.SIGINT)
    said, _ = child.communicate(timeout=60)
    assert child.returncode == 0 and said.endswith("interrupted\n"), said
    assert steptp.dataset.build(tmp_path / "data", **SMALL)["end"] == "complete"
    assert files_of(tmp_path / "data") == files_of(built[0])

from __future__ import annotations

import json
import pathlib

import pytest

import steptp
from steptp_cli import steptp_cli

FILES = pathlib.Path(__file__).resolve().parents[2] / "testing" / "golden" / "cli" / "files"


def test_the_same_as_the_command_line() -> None:
    found = steptp.evaluate(FILES / "prompts.jsonl", FILES / "answers.jsonl", device="none", jobs=2)
    done = steptp_cli(
        "evaluate", "--prompts", FILES / "prompts.jsonl", "--answers", FILES / "answers.jsonl", "--device", "none", "--json"
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0
    assert found == {"summary": lines[-1]["summary"], "cases": lines[:-1]}
    assert found["summary"]["successes"] == 2 and found["summary"]["answered_cases"] == 2


def test_reports_are_written(tmp_path: pathlib.Path) -> None:
    reports = [tmp_path / name for name in ("report.html", "report.md", "report.json")]
    words = ["evaluate", "--prompts", FILES / "prompts.jsonl", "--answers", FILES / "answers.jsonl", "--device", "none"]
    done = steptp_cli(*words, "--report", *reports)
    assert done.returncode == 0, done.stderr
    html, markdown, summary = (report.read_text() for report in reports)
    assert html.startswith("<!doctype html>") and "http" not in html and "loop_split" in html
    assert markdown.startswith("# Answers of ") and "| different text | 7 | 87.5 % |" in markdown
    assert json.loads(summary)["summary"]["attempts"] == 7


def test_what_a_model_writes_does_not_get_into_the_page(tmp_path: pathlib.Path) -> None:
    program = json.loads((FILES / "prompts.jsonl").read_text().splitlines()[0])
    (tmp_path / "p.jsonl").write_text(json.dumps({**program, "id": "<script>alert(1)</script>"}))
    text = "<answer>" + json.dumps({"transformed_IR": "<script>\x1b[31m", "applied_strategy": "<b>"}) + "</answer>"
    (tmp_path / "a.jsonl").write_text(json.dumps({"text": text}))
    words = ["evaluate", "--prompts", tmp_path / "p.jsonl", "--answers", tmp_path / "a.jsonl", "--device", "none"]
    done = steptp_cli(*words, "--report", tmp_path / "r.html")
    assert done.returncode == 0, done.stderr
    assert "<script" not in (tmp_path / "r.html").read_text() and "\x1b" not in done.stdout


def test_bad_files_raise(tmp_path: pathlib.Path) -> None:
    (tmp_path / "bad.jsonl").write_text('{"prompt":"?"}\n')
    with pytest.raises(steptp.DiagnosticError, match="there is no program"):
        steptp.evaluate(tmp_path / "bad.jsonl", FILES / "answers.jsonl")
    with pytest.raises(steptp.DiagnosticError, match="no question has the id"):
        (tmp_path / "other.jsonl").write_text('{"id":"other","text":"x"}\n')
        steptp.evaluate(FILES / "prompts.jsonl", tmp_path / "other.jsonl", device="none")
    with pytest.raises(ValueError, match="no device"):
        steptp.evaluate(FILES / "prompts.jsonl", FILES / "answers.jsonl", device="tpu")


def test_the_question_is_that_of_the_command_line() -> None:
    done = steptp_cli("evaluate", "--prompts", FILES / "good.jsonl", "--write-prompts", "-", "--programs", "3", "--limit", "1")
    row = json.loads(done.stdout)
    program = steptp.read(json.dumps({"program": row["program"], "signature": row["signature"], "leir": row["leir"]}))
    assert steptp.prompt(program, programs=3) == row["messages"][0]["content"]

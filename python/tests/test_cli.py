"""The command line and the package give the same answers."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import steptp
from numpy_reference import shared_cases
from steptp_cli import steptp_binary, steptp_cli

PROGRAMS = {
    "copy": "@program Copy\n@input A f32[4]\n@output D f32[4]\nB^{4}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{tx};];\n",
    "short": "@input A f32[4]\n@output D f32[4]\nB^{3}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{tx};];\n",
    "range": "@input A f32[3]\n@output D f32[4]\nB^{4}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{tx};];\n",
    "undefined": "@output D f32[4]\nB^{4}_{tx=0}[D^{f32,g}_{tx}=E^{f32,g}_{tx};];\n",
    "no signature": "B^{4}_{tx=0}[D^{f32,g}_{tx}=1;];\n",
    "compact": "@input A f32[4]\n@output D f32[4]\ntx4 D(tx)=A(tx)*2;\n",
    "guard": "@output D f32[4]\nB^{5}_{tx=0}?{tx<4}[D^{f32,g}_{tx}=1/tx;];\n",
    "indirect": "@input A f32[4]\n@input C i64[3]\n@output D f32[3]\nB^{3}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{C^{i64,g}_{tx}};];\n",
    "missing semicolon": "@output D f32[2,3]\nL^{2}_{a=0}[C^{f32,g}=1;]L^{3}_{c=0}[D^{f32,g}_{a,c}=C^{f32,g};];\n",
    "unreadable": "@output D f32[4]\nB^{4}_{tx=0}[D^{f32,g}_{tx}=;];\n",
    "not text": '{"leir": 3}',
}
pytestmark = pytest.mark.filterwarnings("ignore::steptp.DiagnosticWarning")


def diagnostics_of(error: steptp.DiagnosticError) -> list[dict]:
    return [item.to_dict() for item in error.diagnostics]


@pytest.mark.parametrize("name", PROGRAMS)
def test_check(name: str) -> None:
    done = steptp_cli("check", "-", "--json", text=PROGRAMS[name])
    answer = json.loads(done.stdout)
    try:
        report = steptp.check(PROGRAMS[name])
    except steptp.DiagnosticError as error:
        assert done.returncode == 2 and answer["diagnostics"] == diagnostics_of(error)
    else:
        assert answer == report.to_dict()
        assert done.returncode == {True: 0, False: 1, "unknown": 3}[report.ok]


@pytest.mark.parametrize("name", PROGRAMS)
def test_run(name: str) -> None:
    done = steptp_cli("run", "-", "--json", "--seed", 9, text=PROGRAMS[name])
    answer = json.loads(done.stdout)
    try:
        result = steptp.run(PROGRAMS[name], seed=9)
    except steptp.DiagnosticError as error:
        assert done.returncode == 2 and answer["diagnostics"] == diagnostics_of(error)
    except steptp.RunError as error:
        assert done.returncode == 1
        assert answer == {"error": error.kind, "diagnostics": [error.diagnostic.to_dict()]}
    else:
        assert done.returncode == 0 and answer == result.to_dict()


def test_run_of_chosen_elements() -> None:
    done = steptp_cli("run", "-", "--json", "--elements", "D[0]", "D[2]", text=PROGRAMS["guard"])
    result = steptp.run(PROGRAMS["guard"], elements=["D[0]", "D[2]"])
    assert json.loads(done.stdout) == result.to_dict()
    # Numbers that JSON does not have are texts there and floats here.
    assert result.to_dict()["elements"][0]["value"] == "inf" and result.elements["D[0]"] == float("inf")
    done = steptp_cli("run", "-", "--elements", "D[2]", text=PROGRAMS["guard"])
    assert done.returncode == 0 and done.stdout == "D[2] = 0.5\n"


def test_run_beyond_the_budget() -> None:
    done = steptp_cli("run", "-", "--json", "--budget", 3, text=PROGRAMS["copy"])
    with pytest.raises(steptp.BudgetError) as caught:
        steptp.run(PROGRAMS["copy"], budget=3)
    assert done.returncode == 3
    assert json.loads(done.stdout) == {"error": "budget", "diagnostics": [caught.value.diagnostic.to_dict()]}


@pytest.mark.parametrize("name", ["copy", "compact", "guard"])
def test_tokens_and_fmt(name: str) -> None:
    text = PROGRAMS[name]
    counts = json.loads(steptp_cli("tokens", "-", "--json", text=text).stdout)["tokens"]
    assert counts == vars(steptp.tokens(text))
    for profile in ("paper", "compact"):
        assert steptp_cli("fmt", "-", "--profile", profile, text=text).stdout == steptp.fmt(text, profile)


def test_grammar_and_explain() -> None:
    for profile in ("paper", "compact"):
        for target in ("program", "answer", "answers"):
            assert steptp_cli("grammar", "--profile", profile, "--for", target).stdout == steptp.grammar(profile, target)
    assert steptp_cli("grammar", "--published").stdout == steptp.grammar(published=True)
    assert steptp_cli("check", "--explain", "out-of-range").stdout == steptp.explain("out-of-range")


@pytest.mark.parametrize("name", ["strategy_examples.jsonl"])
def test_many_records_at_once(name: str, tmp_path: Path) -> None:
    records = [case.values[0] for case in shared_cases(name)]
    if records == [None]:
        pytest.skip(f"needs {name} of the shared data (set STEPTP_SHARED)")
    path = tmp_path / "records.jsonl"
    path.write_text("".join(json.dumps({"signature": r["signature"], "leir": r["after"]}) + "\n" for r in records))
    checked = [json.loads(line) for line in steptp_cli("check", path, "--json").stdout.splitlines()]
    assert checked == [steptp.check(r["after"], signature=r["signature"]).to_dict() for r in records]
    ran = [json.loads(line) for line in steptp_cli("run", path, "--json").stdout.splitlines()]
    assert ran == [steptp.run(r["after"], signature=r["signature"]).to_dict() for r in records]


def pair_records() -> str:
    """Pairs of every kind: equal, wrong, invalid, unusable, and a line that is no pair."""
    signature = [
        {"name": "A", "role": "input", "dtype": "f32", "shape": [4, 6]},
        {"name": "D", "role": "output", "dtype": "f32", "shape": [4]},
    ]
    whole = "B^{4}_{tx=0}L^{6}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+exp(A^{f32,g}_{tx,a});];"
    afters = [
        whole.replace("L^{6}_{a=0}", "L^{2}_{a=0}L^{3}_{c=0}").replace("tx,a}", "tx,a*3+c}"),
        whole.replace("L^{6}", "L^{5}"),
        whole.replace("tx,a}", "tx,5-a}"),
        whole.replace("exp(", "exp(2*"),
        whole.replace("L^{6}", "L^{7}"),
        whole[:-1],
        whole.replace("exp(A", "log(A"),
    ]
    lines = [json.dumps({"id": f"p{i}", "signature": signature, "before": whole, "after": a}) for i, a in enumerate(afters)]
    lines.insert(3, "no pair")
    lines.append(json.dumps({"id": "unusable", "signature": signature, "before": whole[:-1], "after": whole}))
    return "\n".join(lines * 8) + "\n"


def test_verify_answers_alike_with_any_number_of_jobs(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(pair_records())
    for options in ([], ["--json"]):
        answers = [steptp_cli("verify", "--seed", 1, "--pairs", path, *options, "--jobs", jobs) for jobs in (1, 4)]
        first, second = [(done.returncode, done.stdout, done.stderr) for done in answers]
        assert first == second and first[0] == 2
        assert len(first[1].splitlines()) >= len(pair_records().splitlines())


def test_verify_reads_pairs_from_standard_input(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(pair_records())
    from_file = steptp_cli("verify", "--seed", 1, "--pairs", path, "--json")
    from_input = steptp_cli("verify", "--seed", 1, "--pairs", "-", "--json", text=pair_records())
    assert from_input.returncode == from_file.returncode
    assert from_input.stdout == from_file.stdout.replace(str(path), "<stdin>")
    verdicts = [json.loads(line)["verdict"] for line in from_input.stdout.splitlines()]
    assert {"proved", "differs", "invalid"} <= set(verdicts) and verdicts[3] == "invalid"


def test_a_counterexample_is_replayed(tmp_path: Path) -> None:
    before, after, kept = (tmp_path / name for name in ("before.leir", "after.leir", "kept.json"))
    before.write_text(PROGRAMS["copy"])
    after.write_text(PROGRAMS["copy"].replace("=A^{f32,g}_{tx}", "=A^{f32,g}_{3-tx}"))
    assert steptp_cli("verify", before, after, "--counterexample", kept).returncode == 1
    done = steptp_cli("verify", "--replay", kept, "--json")
    record = json.loads(kept.read_text())
    answer = json.loads(done.stdout)
    assert done.returncode == 0 and answer["reproduced"] is True
    assert (answer["before"], answer["after"]) == (record["counterexample"]["before"], record["counterexample"]["after"])
    # Whatever is changed in the record no longer comes out; seed and draw only say where it was found.
    zeros = {"fill": {"A": "0"}, "elements": []}
    for key, value in (("given", zeros), ("before", "0.25"), ("draw", "no such"), ("index", [9]), ("output", "A")):
        changed = {**record, "counterexample": {**record["counterexample"], key: value}}
        done = steptp_cli("verify", "--replay", "-", text=json.dumps(changed))
        assert done.returncode == 1 and "not reproduced" in done.stdout, key
    for broken in ({"counterexample": None}, {"after": "]"}, {"counterexample": {"seed": 1}}):
        done = steptp_cli("verify", "--replay", "-", text=json.dumps({**record, **broken}))
        assert done.returncode == 2 and "not reproduced" in done.stdout


def test_equal_programs_leave_no_counterexample(tmp_path: Path) -> None:
    program, kept = tmp_path / "program.leir", tmp_path / "kept.json"
    program.write_text(PROGRAMS["copy"])
    assert steptp_cli("verify", program, program, "--counterexample", kept).returncode == 0 and not kept.exists()


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_each_record_is_answered_before_the_next_is_asked_for(jobs: str) -> None:
    record = json.dumps({"leir": "B^{4}_{tx=0}[D^{f32,g}_{tx}=1;];"}) + "\n"
    command = [steptp_binary(), "fmt", "-", "--json", "--jobs", jobs]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        for _ in range(3):
            child.stdin.write(record)
            child.stdin.flush()
            assert "leir" in json.loads(child.stdout.readline())  # hangs where answers wait for the end of the input
        child.stdin.close()
        assert child.wait(timeout=60) == 0

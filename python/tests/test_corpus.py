"""The published programs, where they are at hand: they are not part of the project."""

import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
STEPTP = os.environ.get("STEPTP_BINARY", str(ROOT / "build" / "steptp"))
DATA = ROOT.parent / "shared" / "data"
CORPUS = DATA / "leir_corpus.jsonl"

pytestmark = pytest.mark.skipif(not CORPUS.exists(), reason="the corpus of published programs is not here")


def steptp(*arguments, stdin=None, status=0):
    done = subprocess.run([STEPTP, *arguments], input=stdin, capture_output=True, text=True)
    assert done.returncode == status, done.stderr
    return done.stdout


def records(text):
    return [json.loads(line) for line in text.splitlines()]


def corpus():
    return records(CORPUS.read_text())


def with_texts(texts):
    rows = [dict(row, leir=text) for row, text in zip(corpus(), texts, strict=True)]
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_every_program_prints_and_reads_back_in_both_profiles():
    paper = [row["leir"] for row in records(steptp("fmt", "--json", str(CORPUS)))]
    compact = [row["leir"] for row in records(steptp("fmt", "--json", "--profile", "compact", str(CORPUS)))]
    assert len(paper) == len(compact) == 204
    # Canonical texts are fixed points, and each profile gives back the other.
    assert [row["leir"] for row in records(steptp("fmt", "--json", "-", stdin=with_texts(paper)))] == paper
    assert [row["leir"] for row in records(steptp("fmt", "--json", "-", stdin=with_texts(compact)))] == paper
    again = steptp("fmt", "--json", "--profile", "compact", "-", stdin=with_texts(compact))
    assert [row["leir"] for row in records(again)] == compact


def test_published_texts_are_canonical_but_for_factors_of_one():
    paper = [row["leir"] for row in records(steptp("fmt", "--json", str(CORPUS)))]
    changed = [(old["leir"], new) for old, new in zip(corpus(), paper, strict=True) if old["leir"] != new]
    assert len(changed) == 7
    for old, new in changed:
        assert old.replace("*1,", ",").replace("*1}", "}") == new


def test_compact_saves_at_least_35_percent_of_the_tokens():
    counts = [row["tokens"] for row in records(steptp("tokens", "--json", str(CORPUS)))]
    paper = sum(row["paper"] for row in counts)
    compact = sum(row["compact"] for row in counts)
    assert 1 - compact / paper >= 0.35
    assert max(row["paper"] for row in counts) < 2900


def test_all_but_one_check():
    answers = records(steptp("check", "--json", str(CORPUS), status=1))
    names = [row["program"] for row in corpus()]
    wrong = {name: answer for name, answer in zip(names, answers, strict=True) if answer["ok"] is not True}
    # Q is written at 0 along its fourth dimension and read at d along it: an error of the published program.
    assert list(wrong) == ["Mamba2ReturnY"]
    [error] = [item for item in wrong["Mamba2ReturnY"]["diagnostics"] if item["severity"] == "error"]
    assert error["id"] == "undefined-read" and error["message"].startswith("Q_{0,0,0,1,0} is read before")
    assumed = {name: answer["assumes"] for name, answer in zip(names, answers, strict=True) if answer["assumes"]}
    assert assumed == {
        "CrossEntropyLoss": ["C lies in [0,10) where it indexes H", "C lies in [0,10) where it indexes E"],
        "NLLLoss": ["C lies in [0,10) where it indexes E", "C lies in [0,10) where it indexes A"],
    }


@pytest.mark.parametrize("name", ["strategy_examples.jsonl", "derivation_targets.jsonl"])
def test_pairs_known_to_be_equal_check_and_agree(name):
    rows = []
    for pair in records((DATA / name).read_text()):
        for side in ("before", "after"):
            rows.append({"program": pair["id"], "signature": pair["signature"], "leir": pair[side]})
    stdin = "".join(json.dumps(row) + "\n" for row in rows)
    assert all(answer["ok"] is True for answer in records(steptp("check", "--json", "-", stdin=stdin)))
    outputs = [answer["outputs"] for answer in records(steptp("run", "--json", "-", stdin=stdin))]
    for row, before, after in zip(rows[::2], outputs[::2], outputs[1::2], strict=True):
        for old, new in zip(before, after, strict=True):
            assert new["mean"] == pytest.approx(old["mean"], rel=1e-3, abs=1e-5), row["program"]
            assert new["max"] == pytest.approx(old["max"], rel=1e-3, abs=1e-5), row["program"]


LOOPS = "acdfghijklmn"
SHORT = {"float16": "f16", "float32": "f32", "float64": "f64", "int64": "i64", "bool": "bool"}


def reference(variable, subscripts):
    text = f"{variable['name']}^{{{SHORT[variable['dtype']]},g}}"
    return text + (f"_{{{','.join(subscripts)}}}" if subscripts else "")


def bribe(signature, value_of):
    """A program that writes value_of(output) everywhere."""
    text = ""
    for output in (item for item in signature if item["role"] == "output"):
        loops = "".join(f"L^{{{extent}}}_{{{LOOPS[i]}=0}}" for i, extent in enumerate(output["shape"]))
        left = reference(output, LOOPS[: len(output["shape"])])
        text += f"{loops or 'B^{1}_{tx=0}'}[{left}={value_of(output)};];"
    return text


def copy_of(variable):
    def value_of(output):
        subscripts = ["0"] * len(variable["shape"])
        for i, (extent, wanted) in enumerate(zip(variable["shape"], output["shape"])):
            subscripts[i] = LOOPS[i] if wanted <= extent else f"{LOOPS[i]}%{extent}"
        return reference(variable, subscripts)

    return value_of


def test_constants_and_copies_are_equal_to_nothing_but_constant_programs():
    pairs = []
    for row in corpus():
        first = next(item for item in row["signature"] if item["role"] == "input")
        bribes = {"zero": lambda _: "0", "one": lambda _: "1", "half": lambda _: "0.5", "copy": copy_of(first)}
        for name, value_of in bribes.items():
            after = bribe(row["signature"], value_of)
            pair = {"id": f"{row['program']}/{name}", "signature": row["signature"], "before": row["leir"], "after": after}
            pairs.append(json.dumps(pair) + "\n")
    # A small budget: what it leaves undecided is not called equal either. Mamba2ReturnY does not pass check: 2.
    answers = records(steptp("verify", "--json", "--budget", "300000", "--pairs", "-", stdin="".join(pairs), status=2))
    assert len(answers) == 816
    verdicts = [answer["verdict"] for answer in answers]
    assert verdicts.count("differs") >= 500 and verdicts.count("invalid") == 4
    equal = {answer["id"]: answer for answer in answers if answer["verdict"] in ("proved", "exact")}
    assert set(equal) == {"Gemm_Max_Subtract_GELU/zero", "Matmul_Mean_Softmax/one"}
    assert all(answer["degenerate"] for answer in equal.values())

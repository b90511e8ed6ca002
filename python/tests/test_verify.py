from __future__ import annotations

import json
import signal
import threading
import time
from pathlib import Path

import pytest

import steptp
from steptp_cli import steptp_cli

HEADER = "@input A f32[4,6]\n@output D f32[4]\n"
SUM = HEADER + "B^{4}_{tx=0}L^{6}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,a};];\n"
RENAMED = SUM.replace("tx", "bx").replace("_{a=0}", "_{i=0}").replace(",a}", ",i}")
SPLIT = HEADER + "B^{4}_{tx=0}L^{2}_{a=0}L^{3}_{c=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,a*3+c};];\n"
SHORT = SUM.replace("L^{6}", "L^{5}")
UNREADABLE = SUM.replace("];", "]")
ILL_FORMED = SUM.replace("L^{6}", "L^{7}")
OTHER_SIGNATURE = SUM.replace("A f32[4,6]", "A f32[4,7]")
# exp(x+y) and exp(x)*exp(y): equal, but only evaluation says so or the laws of exp do.
SQUARE = HEADER + "B^{4}_{tx=0}[D^{f32,g}_{tx}=exp(A^{f32,g}_{tx,0}+A^{f32,g}_{tx,1});];\n"
# Equal, not proved, and seconds of evaluation.
SLOW = (
    "@input A f32[4,4194304]\n@output D f32[4]\n"
    "B^{4}_{tx=0}L^{4194304}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+tanh(A^{f32,g}_{tx,a});];\n"
)
SLOW_AFTER = SLOW.replace("tanh(A^{f32,g}_{tx,a})", "1-2/(exp(2*A^{f32,g}_{tx,a})+1)")


def test_equal_programs_are_proved() -> None:
    judgement = steptp.verify(SUM, SPLIT)
    assert judgement.verdict == "proved" and judgement and judgement.safe and not judgement.same
    assert judgement.counterexample is None and judgement.points == 0


def test_renaming_is_the_same_program() -> None:
    judgement = steptp.verify(SUM, RENAMED.replace("bx", "tx"))
    assert judgement.verdict == "proved" and judgement.same and judgement.safe


def test_a_difference_comes_with_a_counterexample() -> None:
    judgement = steptp.verify(SUM, SHORT)
    assert judgement.verdict == "differs" and not judgement
    found = judgement.counterexample
    assert found is not None and found.output == "D" and len(found.index) == 1
    # The whole row is shown: what the two sums are can be seen by adding.
    row = [float(found.inputs[f"A[{found.index[0]},{a}]"]) for a in range(6)]
    assert float(found.before) == pytest.approx(sum(row), abs=1e-12)
    assert float(found.after) == pytest.approx(sum(row[:5]), abs=1e-12)


def test_functions_are_what_they_are() -> None:
    product = HEADER + "B^{4}_{tx=0}[D^{f32,g}_{tx}=exp(A^{f32,g}_{tx,0})*exp(A^{f32,g}_{tx,1});];\n"
    assert steptp.verify(SQUARE, product)
    assert steptp.verify(SQUARE, product.replace("exp(A^{f32,g}_{tx,1})", "exp(A^{f32,g}_{tx,2})")).verdict == "differs"


def test_numeric_is_evidence_and_not_equal() -> None:
    tenth = HEADER + "B^{4}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{tx,0}*0.1;];\n"
    moved = tenth.replace("0.1;", "0.10000000149011612;")
    judgement = steptp.verify(tenth, moved)
    assert judgement.verdict == "numeric" and not judgement
    assert steptp.verify(tenth, moved, accept="numeric")
    assert not steptp.verify(SUM, SHORT, accept="numeric")
    with pytest.raises(ValueError, match="accept"):
        steptp.verify(tenth, moved, accept="undecided")


def test_a_fresh_seed_is_drawn_and_said() -> None:
    drawn = [steptp.verify(SUM, SHORT).seed for _ in range(2)]
    assert None not in drawn and drawn[0] != drawn[1]
    assert steptp.verify(SUM, SHORT, seed=7).seed == 7
    assert steptp.verify(SUM, SPLIT).seed is None, "a structural proof draws nothing"


@pytest.mark.parametrize(
    ("after", "reason"),
    [
        (UNREADABLE, "syntax"),
        ("no program at all", "after: "),
        (b"\xff\xfe", "after: "),
        (ILL_FORMED, "out-of-range"),
        (OTHER_SIGNATURE, "signature"),
    ],
)
def test_whatever_is_wrong_with_after_is_a_verdict(after: str | bytes, reason: str) -> None:
    judgement = steptp.verify(SUM, after)
    assert judgement.verdict == "invalid" and not judgement and reason in judgement.reason


@pytest.mark.parametrize(
    ("before", "id"), [(UNREADABLE, "syntax"), (ILL_FORMED, "out-of-range"), (SUM.removeprefix(HEADER), "no-signature")]
)
def test_an_unusable_before_raises(before: str, id: str) -> None:
    with pytest.raises(steptp.DiagnosticError) as caught:
        steptp.verify(before, SUM)
    assert id in {item.id for item in caught.value.diagnostics}


def test_a_missing_file_raises_on_either_side(tmp_path: Path) -> None:
    for pair in ((tmp_path / "none.leir", SUM), (SUM, tmp_path / "none.leir")):
        with pytest.raises(steptp.DiagnosticError):
            steptp.verify(*pair)


def test_after_takes_the_signature_of_before() -> None:
    nests = SPLIT.removeprefix(HEADER)
    assert steptp.verify(SUM, nests).verdict == "proved"
    signature = steptp.read(SUM).signature
    assert steptp.verify(SUM.removeprefix(HEADER), nests, signature=signature).verdict == "proved"
    assert steptp.verify(SUM.removeprefix(HEADER), "]", signature=signature).verdict == "invalid"


def test_programs_paths_and_texts_are_judged_alike(tmp_path: Path) -> None:
    path = tmp_path / "after.leir"
    path.write_text(SHORT)
    wanted = steptp.verify(SUM, SHORT, seed=1)
    assert steptp.verify(SUM, path, seed=1) == steptp.verify(steptp.read(SUM), steptp.read(SHORT), seed=1) == wanted
    assert steptp.verify(SUM.encode(), SHORT.encode(), seed=1) == wanted


def test_the_size_of_the_extents_does_not_matter() -> None:
    def big(nests: str) -> str:
        return "@input A f32[4,1099511627776]\n@output D f32[4]\n" + nests

    whole = big("B^{4}_{tx=0}L^{1099511627776}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,a};];")
    split = big(
        "B^{4}_{tx=0}L^{1048576}_{a=0}L^{1048576}_{c=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,a*1048576+c};];"
    )
    start = time.process_time()
    assert steptp.verify(whole, split).verdict == "proved"
    assert time.process_time() - start < 1


def test_a_budget_that_runs_out_is_undecided() -> None:
    judgement = steptp.verify(SUM, SHORT, budget=1)
    assert judgement.verdict == "undecided" and not judgement and judgement.reason
    with pytest.raises(ValueError, match="budget"):
        steptp.verify(SUM, SHORT, budget=-1)
    with pytest.raises(ValueError, match="seed"):
        steptp.verify(SUM, SHORT, seed=2**64)


def test_a_seed_fixes_the_counterexample() -> None:
    first, again, other = (steptp.verify(SUM, SHORT, seed=seed) for seed in (1, 1, 2))
    assert first == again and first.counterexample != other.counterexample


def test_the_command_line_says_the_same(tmp_path: Path) -> None:
    before = tmp_path / "before.leir"
    before.write_text(SUM)
    statuses = {"proved": 0, "exact": 0, "differs": 1, "invalid": 1, "undecided": 3}
    for text in (SPLIT, RENAMED, SHORT, UNREADABLE, ILL_FORMED, OTHER_SIGNATURE):
        after = tmp_path / "after.leir"
        after.write_text(text)
        done = steptp_cli("verify", before, after, "--json", "--seed", 5)
        judgement = steptp.verify(before, after, seed=5)
        assert json.loads(done.stdout) == judgement.to_dict()
        assert done.returncode == statuses[judgement.verdict]


def test_threads_judge_at_the_same_time() -> None:
    judgements: list[steptp.Judgement] = []
    threads = [threading.Thread(target=lambda: judgements.append(steptp.verify(SUM, SHORT, seed=1))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(map(repr, judgements))) == 1 and len(judgements) == 4


def test_certificate(tmp_path: Path) -> None:
    path = tmp_path / "certificate.json"
    assert steptp.verify(SUM, SPLIT, certificate=path).verdict == "proved"
    kept = json.loads(path.read_text())
    assert kept["format"] == "steptp-certificate-2" and kept["verdict"] == "proved" and kept["proof"]["outputs"]
    with pytest.raises(steptp.DiagnosticError):
        steptp.verify(SUM, SPLIT, certificate=tmp_path / "none" / "certificate.json")


def test_counterexample_is_simple_and_written_out() -> None:
    found = steptp.verify(SUM, SHORT).counterexample
    assert found is not None and found.representable and found.given == {"fill": {"A": "1"}, "elements": []}
    assert (found.before, found.after) == ("6", "5")
    assert found.to_dict()["given"] == found.given


def test_timeout() -> None:
    assert steptp.verify(SUM, SPLIT, timeout=100.0).verdict == "proved"
    with pytest.raises(ValueError, match="above 0"):
        steptp.verify(SUM, SPLIT, timeout=0)
    slow = steptp.verify(SLOW, SLOW_AFTER, budget=10**12, timeout=0.05)
    assert slow.verdict == "undecided" and "wall-clock limit of 0.05 s" in slow.reason


def test_ctrl_c() -> None:
    """A signal that arrives while the judge works ends it and raises what the handler raises."""
    # A process in the background of a shell starts with the signal ignored, and Python leaves it so.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    start = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            steptp.verify(SLOW, SLOW_AFTER, budget=10**12, timeout=60)
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - start < 20
    assert steptp.verify(SUM, SPLIT).verdict == "proved"


def test_unsafe() -> None:
    """Equal programs that are not safe come with the inputs that show it."""
    header = "@input A f32[6]\n@output D f32[6]\n"
    judgement = steptp.verify(header + "tx6 D(tx)=1/(1+exp(-A(tx)));", header + "tx6 D(tx)=exp(A(tx))/(1+exp(A(tx)));", seed=3)
    assert judgement and judgement.safe is False and judgement.counterexample is None
    assert judgement.unsafe is not None and judgement.unsafe["output"] == "D" and judgement.unsafe["what"] == "an overflow"
    assert judgement.unsafe["given"]["elements"][0]["name"] == "A"
    assert judgement.to_dict()["unsafe"] == judgement.unsafe
    assert "unsafe" not in steptp.verify(SUM, SPLIT).to_dict()

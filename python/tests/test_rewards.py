from __future__ import annotations

import json
import logging
import threading
import time

import pytest

import steptp
from steptp import rewards

SIGNATURE = [
    {"name": "A", "role": "input", "dtype": "float32", "shape": [8]},
    {"name": "D", "role": "output", "dtype": "float32", "shape": [8]},
]
BEFORE = "L^{8}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a}*2+1;];"
SPLIT = "L^{4}_{a=0}L^{2}_{c=0}[D^{f32,g}_{a*2+c}=A^{f32,g}_{a*2+c}*2+1;];"
ALL = [rewards.step, rewards.equal, rewards.safe, rewards.different, rewards.format, rewards.strategy_matches]
ORMS = [f"steptp_{reward.__name__}" for reward in ALL]


def answer(text: str, strategy: str = "loop_split") -> str:
    return "<answer>" + json.dumps({"transformed_IR": text, "applied_strategy": strategy}) + "</answer>"


ANSWERS = [
    answer(SPLIT),
    answer(BEFORE),
    answer(BEFORE.replace("+1", "+2")),
    answer(SPLIT, "expand_log"),
    answer(SPLIT) + " Done.",
    answer("L^{8}"),
    "I do not know.",
    "",
]
WORTH = {
    "step": [1, 0, 0, 0, 1, 0, 0, 0],
    "equal": [1, 0, 0, 1, 1, 0, 0, 0],
    "safe": [1, 0, 0, 1, 1, 0, 0, 0],
    "different": [1, 0, 1, 1, 1, 0, 0, 0],
    "format": [1, 1, 1, 1, 0, 1, 0, 0],
    "strategy_matches": [1, 0, 0, 0, 1, 0, 0, 0],
}


def columns(rows: int = len(ANSWERS), **more: object) -> dict:
    return {"before": [BEFORE] * rows, "signature": [json.dumps(SIGNATURE)] * rows, **more}


@pytest.mark.parametrize("reward", ALL, ids=lambda reward: reward.__name__)
def test_what_answers_are_worth_as_texts_and_as_messages(reward) -> None:
    wanted = [float(value) for value in WORTH[reward.__name__]]
    # As TRL calls it: everything by name, with columns that we do not know.
    found = reward(prompts=["?"] * 8, completions=ANSWERS, completion_ids=[[1]] * 8, trainer_state=None, **columns())
    assert found == wanted and all(isinstance(value, float) for value in found)
    messages = [[{"role": "assistant", "content": text}] for text in ANSWERS]
    assert reward(completions=messages, **columns(signature=[SIGNATURE] * 8)) == wanted


@pytest.mark.parametrize(
    ("before", "after", "equal", "safe"),
    [
        ("a8 D(a)=A(a)*2+1;", "a8 D(a)=1+A(a)*2;", 1.0, 1.0),
        ("a8 D(a)=A(a);", "a8 D(a)=A(a)+1e10-1e10;", 1.0, 0.0),
        ("a8 D(a)=A(a)*0.1;", "a8 D(a)=A(a)*0.10000000149011612;", 0.0, 0.0),
        ("a8 D(a)=where(a<3,inf-inf,A(a));", "a8 D(a)=where(a<3,7,A(a));", 0.0, 0.0),
    ],
    ids=["equal and safe", "equal and unsafe", "numeric", "fills what has no value"],
)
def test_only_what_is_shown_is_paid(before: str, after: str, equal: float, safe: float) -> None:
    row = {"before": [before], "signature": [SIGNATURE]}
    assert rewards.equal(completions=[answer(after)], **row) == [equal]
    assert rewards.safe(completions=[answer(after)], **row) == [safe]


def test_a_program_with_header_lines_needs_no_signature() -> None:
    document = f"@input A f32[8]\n@output D f32[8]\n{BEFORE}"
    assert rewards.equal(completions=ANSWERS[:2], leir=[document] * 2) == [1.0, 0.0]


def test_several_programs_are_worth_their_share() -> None:
    parts = [SPLIT, SPLIT.replace("a", "i"), "a8 D(a)=1+A(a)*2;", "a8 D(a)=3;"]
    entries = [{"idx": i + 1, "transformed_IR": text, "applied_strategy": "expand_collect"} for i, text in enumerate(parts)]
    text = "<answer>" + json.dumps(entries) + "</answer>"
    assert rewards.equal(completions=[text], **columns(1, programs=[4])) == [0.5]
    # The first two count: one that is worth nothing takes the place of another.
    assert rewards.equal(completions=[text], **columns(1, programs=[2])) == [0.5]
    assert rewards.format(completions=[text], programs=[4]) == [1.0]
    assert rewards.format(completions=[text], programs=[2]) == [0.0]


def test_wrong_programs_before_right_ones_cost(caplog: pytest.LogCaptureFixture) -> None:
    texts = [BEFORE] * 50 + [SPLIT, "a8 D(a)=1+A(a)*2;", "a8 D(a)=A(a)+A(a)+1;"]
    entries = [{"idx": i + 1, "transformed_IR": text, "applied_strategy": "loop_split"} for i, text in enumerate(texts)]
    text = "<answer>" + json.dumps(entries) + "</answer>"
    assert rewards.equal(completions=[text], **columns(1, programs=[3])) == [0.0]


@pytest.mark.parametrize("programs", [0, -1, 1000, "three", True, 1.5])
def test_a_number_of_programs_that_is_none_is_an_error(programs: object, caplog: pytest.LogCaptureFixture) -> None:
    rewards._logged.clear()
    with caplog.at_level(logging.WARNING, "steptp.rewards"):
        assert rewards.step(completions=[ANSWERS[0]], **columns(1, programs=[programs])) == [0.0]
    assert any("programs" in record.message for record in caplog.records)


def test_header_lines_in_an_answer() -> None:
    same = answer(f"@input A f32[8]\n@output D f32[8]\n{SPLIT}")
    other = answer(f"@input A f32[9]\n@output D f32[8]\n{SPLIT}")
    assert rewards.format(completions=[same, other]) == [0.0, 0.0]
    assert rewards.step(completions=[same, other], **columns(2)) == [1.0, 0.0]


def test_the_same_answer_is_worth_the_same_however_often_it_is_given() -> None:
    """Safe by search, if at all: no draw is luckier than another."""
    row = {"before": ["a8 D(a)=exp(A(a))/(exp(A(a))+1);"] * 40, "signature": [SIGNATURE] * 40}
    text = answer("a8 D(a)=1/(1+exp(-A(a)));")
    assert len({value for _ in range(3) for value in rewards.safe(completions=[text] * 40, **row)}) == 1


WRONG_ROWS = [
    {},
    {"before": ["nonsense"]},
    {"before": [None], "signature": [None]},
    {"before": [BEFORE], "signature": ["{"]},
    {"before": [BEFORE], "signature": [3]},
    {"before": [BEFORE, BEFORE], "signature": [SIGNATURE]},
    {"before": [[1]], "signature": [SIGNATURE], "programs": ["x"]},
    {"before": ["\ud800"], "signature": [SIGNATURE]},
    {"before": [BEFORE.replace("8", "9")], "signature": [SIGNATURE]},
]
WRONG_COMPLETIONS = [None, 3, [], [None], [{"role": "user", "content": "x"}], [{"role": "assistant", "content": None}],
                     {"content": [1]}, "\ud800\x00<answer>", b"bytes", "<answer>" * 1000, "[" * 100000]  # fmt: skip


@pytest.mark.parametrize("reward", ALL, ids=lambda reward: reward.__name__)
def test_wrong_input_is_worth_nothing_and_never_raises(reward) -> None:
    for row in WRONG_ROWS:
        assert rewards.equal(completions=[ANSWERS[0]], **row) == [0.0]
        assert len(reward(completions=[ANSWERS[0]], **row)) == 1
    assert reward(completions=WRONG_COMPLETIONS, **columns(len(WRONG_COMPLETIONS))) == [0.0] * len(WRONG_COMPLETIONS)
    assert reward(completions=[]) == [] and reward(completions=None) == []


def test_what_is_wrong_with_a_row_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    rewards._logged.clear()
    with caplog.at_level(logging.WARNING, "steptp.rewards"):
        for _ in range(3):
            rewards.equal(completions=["x", "y"])
    messages = [record.message for record in caplog.records]
    assert "a row cannot be rewarded: there is no column 'before' or 'leir'" in messages
    assert len(set(messages)) == len(messages)


def test_time_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal, not proved, and seconds of evaluation."""
    signature = [
        {"name": "A", "role": "input", "dtype": "float32", "shape": [4, 4194304]},
        {"name": "D", "role": "output", "dtype": "float32", "shape": [4]},
    ]
    before = "B^{4}_{tx=0}L^{4194304}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+tanh(A^{f32,g}_{tx,a});];"
    after = before.replace("tanh(A^{f32,g}_{tx,a})", "1-2/(exp(2*A^{f32,g}_{tx,a})+1)")
    monkeypatch.setattr(rewards, "time_limit", 0.3)
    start = time.monotonic()
    assert rewards.equal(completions=[answer(after)], before=[before], signature=[signature]) == [0.0]
    assert time.monotonic() - start < 5


def test_threads_get_the_same() -> None:
    results: list[list[float]] = []
    threads = [
        threading.Thread(target=lambda: results.append(rewards.equal(completions=ANSWERS * 5, **columns(40))))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [[float(value) for value in WORTH["equal"]] * 5] * 8


def test_a_step_of_every_strategy_on_a_small_program_is_worth_everything() -> None:
    program = steptp.read(f"@input A f32[8]\n@output D f32[8]\n{BEFORE}")
    tried = 0
    for choice in steptp.choices(program, sample=12, seed=3):
        applied = steptp.apply(program, choice["strategy"], choice["choice"])
        text = answer(applied.program.to_text(header=False).strip(), choice["strategy"])
        row = {"before": [BEFORE], "signature": [SIGNATURE]}
        # Not every step is safe, and some keep the plain form.
        asked = [reward for reward in ALL if reward not in (rewards.safe, rewards.step)]
        assert [reward(completions=[text], **row) for reward in asked] == [[1.0]] * len(asked), choice
        tried += 1
    assert tried >= 5


def test_faster_is_the_share_of_the_expected_time_that_is_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"before": ["a8 E(a)=A(a)*2;a8 D(a)=E(a)+1;"], "signature": [SIGNATURE]}
    inlined = answer("a8 D(a)=A(a)*2+1;", "compute_inline")
    assert 0.2 < rewards.faster(completions=[inlined], **row)[0] < 0.9
    assert rewards.faster(completions=[answer("a8 D(a)=A(a)*2+2;"), "no"], **{k: v * 2 for k, v in row.items()}) == [0.0, 0.0]
    monkeypatch.setattr(rewards, "device", "no-such-device")
    assert rewards.faster(completions=[inlined], **row) == [0.0]


def test_the_plugin_works_without_swift() -> None:
    from steptp import swift_plugin

    assert set(swift_plugin.orms) >= set(ORMS)
    for name, reward in zip(ORMS, ALL):
        function = swift_plugin.orms[name]()
        assert function(ANSWERS, **columns()) == [float(value) for value in WORTH[reward.__name__]]

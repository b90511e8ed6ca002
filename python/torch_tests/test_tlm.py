"""The tensor language model end to end, small: 24 subgraphs, 8,000 sentences, a model of 0.4 M parameters."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "python"))

from steptp_tlm import corpus, corpus_file, database, rounds, sample, space, subgraphs, train, weights  # noqa: E402
from steptp_tlm.__main__ import main  # noqa: E402
from steptp_tlm.devices import AnalyticDevice, Candidate, RealDevice, RecordedDevice, usual_binary  # noqa: E402
from steptp_tlm.evaluate import masked_scores  # noqa: E402

TRAIN_OPTIONS = "--size tiny --each 340 --epochs 4 --batch 64 --rate 4e-3 --seed 1"


@pytest.fixture(scope="module")
def programs(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("subgraphs")
    subgraphs.write_subgraphs(folder, usual_binary(), seed=1, shapes=3, test_shapes=1, scale=1)
    return folder


@pytest.fixture(scope="module")
def trained(programs, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("trained")
    assert main(["train", str(programs / "train.jsonl"), "--out", str(folder), *TRAIN_OPTIONS.split()]) == 0
    return folder


@pytest.fixture(scope="module")
def open_train(programs):
    known = corpus.read_subgraphs(programs / "train.jsonl")
    return known, corpus.open_spaces(known, "cpu")[0]


def test_the_loss_comes_close_to_the_entropy_of_masked_uniform_choices(trained):
    card = json.loads((trained / "train.json").read_text())
    assert card["subgraphs"] >= 20 and card["sentences"] >= 6800
    assert card["masked_uniform_entropy"] > 0.3
    # Nothing can be below the entropy, but for the noise of the sentences that are looked at.
    assert 0.95 * card["masked_uniform_entropy"] < card["loss"] < 1.15 * card["masked_uniform_entropy"]


def test_2000_masked_sentences_are_legal_and_500_finish(trained, open_train):
    known, spaces = open_train
    model = weights.read_weights(trained / "base.weights")[0].eval()
    wanted = [sample.Wanted(spaces[one], spaces[one].prompt(space.NOT_KNOWN), f"t/{place}")
              for one in spaces for place in range(-(-2000 // len(spaces)))]
    drawn = sample.draw_sentences(model, wanted, 100)
    assert len(drawn) >= 2000 and not any(one.too_long for one in drawn)
    # Fresh cursors accept every value and are complete behind the last one.
    cursors = space.Cursors([one.space for one in wanted])
    left = cursors.step(None)
    for step in range(max(len(one.values) for one in drawn)):
        values = [one.values[step] if step < len(one.values) else -1 for one in drawn]
        left = cursors.step(torch.tensor(values, dtype=torch.int32))
    assert left == 0
    share = sum(one.legal_without_mask for one in drawn) / len(drawn)
    assert share > 0.5, f"without masks {share:.2f} of the sentences would be legal"
    places = range(0, len(drawn), len(drawn) // 500)
    ends = [wanted[place].space.finish(drawn[place].values)["leir"] for place in places]
    assert len(ends) >= 500 and all("@output" in end for end in ends)


def test_finished_programs_are_judged_equal(trained, open_train, tmp_path):
    known, spaces = open_train
    model = weights.read_weights(trained / "base.weights")[0].eval()
    for one in [one for one in known if one.id in spaces][::6]:
        found = rounds.new_sentences(model, spaces[one.id], set(), 2, spaces[one.id].prompt(-1), "judged", 16)
        (tmp_path / "before.leir").write_text(one.document)
        for drawn in found:
            (tmp_path / "after.leir").write_text(spaces[one.id].finish(drawn.values)["leir"])
            done = subprocess.run([usual_binary(), "verify", tmp_path / "before.leir", tmp_path / "after.leir"],
                                  capture_output=True, text=True)
            assert done.returncode == 0, f"{one.name}: {done.stdout} {done.stderr}"


def test_the_model_in_cpp_gives_the_same_chances(trained, open_train, tmp_path):
    known, spaces = open_train
    model = weights.read_weights(trained / "base.weights")[0].eval()
    library = space.Library.get()
    one = next(one for one in known if one.family == "softmax" and one.id in spaces)
    (tmp_path / "p.leir").write_text(one.document)
    done = subprocess.run([usual_binary(), "tlm", "generate", tmp_path / "p.leir", "--weights", trained / "base.weights",
                           "--samples", "20", "--json"], capture_output=True, text=True, check=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) == 20
    values = [tuple(space.values_of_sentence([library.token_of[word] for word in row["sentence"].split()])) for row in rows]
    assert len(set(values)) == 20
    for row, score in zip(rows, masked_scores(model, spaces[one.id], values, space.NOT_KNOWN)):
        assert row["log_probability"] == pytest.approx(score, abs=2e-3)


def random_sentences(some, spaces, each, seed):
    return corpus_file.sentences_of(corpus_file.draw_corpus(some, spaces, each, seed), spaces, True, 0, seed)[0]


def test_rows_of_several_sentences_mean_the_same_as_sentences_alone(trained, open_train):
    known, spaces = open_train
    model = weights.read_weights(trained / "base.weights")[0].eval()
    some = [one for one in known if one.id in spaces][:2]
    sentences = random_sentences(some, spaces, 5, 3)
    groups = corpus.groups_of(sentences, range(len(sentences)), 384)
    assert len(groups) == 2
    together = corpus.make_batch(sentences, groups)
    alone = corpus.make_batch(sentences, [[place] for group in groups for place in group])
    device = torch.device("cpu")
    assert together.values == alone.values > 30
    both = [float(train.value_loss(model, batch, device).detach()) for batch in (together, alone)]
    assert both[0] == pytest.approx(both[1], rel=1e-5)


def test_training_that_was_ended_goes_on_to_the_same_weights(open_train, tmp_path):
    known, spaces = open_train
    sentences = random_sentences(known[:3], spaces, 20, 5)
    plan = train.Plan(2, 12, 1e-3, 7)
    kinds = []
    for stops in ([], [2, 1]):
        for stop in [*stops, float("inf")]:
            fresh = train.Model(train_shape())
            fresh.initialise(1)
            path = tmp_path / f"checkpoint_{len(stops)}.pt"
            training = train.Training(fresh, sentences, plan, torch.device("cpu"), path, {"what": "test"})
            progress = training.run(most_steps=stop)
        assert progress.finished and progress.steps >= 6
        kinds.append(weights.weights_bytes(fresh, "f32", {}))
    assert kinds[0] == kinds[1]
    with pytest.raises(train.OtherTraining, match="seed is 7 there and 8 here"):
        train.Training(fresh, sentences, train.Plan(2, 12, 1e-3, 8), torch.device("cpu"), path, {"what": "test"})


def train_shape():
    from steptp_tlm.model import Shape

    return Shape(1, 32, 2, 512, space.Library.get().vocabulary_size)


@pytest.fixture(scope="module")
def table(programs, tmp_path_factory) -> tuple[Path, Path]:
    """Four test subgraphs with all that was drawn of them, by the analytic model."""
    folder = tmp_path_factory.mktemp("table")
    rows = (programs / "test.jsonl").read_text().splitlines()
    (folder / "some.jsonl").write_text("\n".join(rows[place] for place in (0, 1, 4, 7)) + "\n")
    assert main(["table", str(folder / "some.jsonl"), "--device", "analytic", "--count", "300",
                 "--out", str(folder / "table.jsonl")]) == 0
    return folder / "some.jsonl", folder / "table.jsonl"


def test_a_killed_round_goes_on_to_the_same_bytes(trained, table, tmp_path):
    def command(folder: Path) -> list[str]:
        return [sys.executable, "-m", "steptp_tlm", "round", str(table[0]), "--base", str(trained / "base.weights"),
                "--device", f"recorded:{table[1]}", "--rounds", "3", "--each", "6", "--epochs", "2", "--out", str(folder)]

    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    whole, killed = tmp_path / "whole" / "run", tmp_path / "killed" / "run"
    subprocess.run(command(whole), env=environment, check=True, capture_output=True)
    process = subprocess.Popen(command(killed), env=environment, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    until = time.monotonic() + 120
    while not (killed / "database.jsonl").exists() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    cut = (killed / "database.jsonl").read_bytes()
    # As if it had been killed in the middle of a line, too.
    (killed / "database.jsonl").write_bytes(cut[: len(cut) * 2 // 3])
    subprocess.run(command(killed), env=environment, check=True, capture_output=True)
    names = sorted(path.name for path in whole.iterdir())
    assert names == sorted(path.name for path in killed.iterdir())
    for name in names:
        assert (whole / name).read_bytes() == (killed / name).read_bytes(), name
    rows = database.read_database(whole / "database.jsonl")
    # One of the programs has few plans: the model does not find six new ones in each round.
    assert 48 <= len(rows) <= 3 * 4 * 6 and {row["round"] for row in rows} == {0, 1, 2}
    assert len({(row["subgraph"], tuple(row["values"])) for row in rows}) == len(rows)
    with pytest.raises(rounds.OtherRun, match="another 'each'"):
        rounds.Run(whole, rounds.Settings("cpu", 3, each=7, epochs=2), *open_some(table[0]), trained / "base.weights",
                   RecordedDevice(table[1]), torch.device("cpu"))


def open_some(path):
    known = corpus.read_subgraphs(path)
    return known, corpus.open_spaces(known, "cpu")[0]


def test_evaluation_on_a_stored_table(trained, table, tmp_path):
    arguments = ["evaluate", str(table[0]), "--device", f"recorded:{table[1]}", "--counts", "1,8,1000", "--seeds", "2",
                 "--searches", "masked random,analytic top k", "--model", f"base={trained / 'base.weights'}"]
    reports = []
    for name in ("one", "two"):
        assert main([*arguments, "--out", str(tmp_path / name)]) == 0
        reports.append((tmp_path / name / "report.json").read_bytes())
    assert reports[0] == reports[1]
    methods = json.loads(reports[0])["methods"]
    # The table holds what the analytic model says, so its first choice is the best of the table.
    assert methods["analytic top k"]["at"][0]["quality"] == pytest.approx(1.0)
    for name, method in methods.items():
        quality = [at["quality"] for at in method["at"]]
        assert quality == sorted(quality) and all(at["low"] <= at["quality"] <= at["high"] for at in method["at"]), name
    assert methods["masked random"]["at"][0]["quality"] < 0.9
    # A model draws without repeats, so that in the end it has met all programs.
    assert methods["base"]["at"][-1]["quality"] == pytest.approx(1.0)
    assert main([*arguments[:-2], "--out", str(tmp_path / "one"), "--seeds", "3"]) == 2
    assert main([*arguments[:5], "1,20", "--seeds", "1", "--searches", "boosted trees,evolution", "--out", str(tmp_path / "three")]) == 0
    learnt = json.loads((tmp_path / "three" / "report.json").read_text())["methods"]
    assert all(learnt[name]["at"][1]["quality"] > learnt[name]["at"][0]["quality"] for name in ("boosted trees", "evolution"))


def test_fine_tuning_learns_from_latencies_and_not_from_shuffled_ones(trained, table, tmp_path, capsys):
    """On the best four plans of each program, which is how it was published."""
    base, common = str(trained / "base.weights"), [str(table[0]), "--database", str(table[1]), "--published"]
    options = {"tuned": [], "shuffled": ["--shuffle-latencies"]}
    for name, more in options.items():
        assert main(["train", *common, "--base", base, "--epochs", "40", "--rate", "2e-3", *more, "--out", str(tmp_path / name)]) == 0
    models = [part for name in options for part in ("--model", f"{name}={tmp_path / name / 'tuned.weights'}")]
    assert main(["evaluate", str(table[0]), "--device", f"recorded:{table[1]}", "--counts", "4", "--seeds", "4", *models,
                 "--searches", "masked random", "--out", str(tmp_path / "e")]) == 0
    methods = json.loads((tmp_path / "e" / "report.json").read_text())["methods"]
    at = {name: methods[name]["at"][0]["quality"] for name in methods}
    # It has seen these very programs: what is asked here is only that latencies are learnt at all.
    assert at["tuned"] > 1.2 * at["shuffled"] and at["tuned"] > 1.2 * at["masked random"], at
    capsys.readouterr()
    assert main(["train", *common, "--out", str(tmp_path / "x")]) == 2
    assert "--base WEIGHTS or --from-scratch" in capsys.readouterr().err


def test_devices_answer_with_failures_as_rows(table, open_train):
    known, spaces = open_some(table[0])
    some = spaces[known[0].id]
    values = tuple(space.values_of_sentence(some.sample(1, 1)[0][0].tolist()))
    recorded = RecordedDevice(table[1]).measure([Candidate("unknown", some, values)])[0]
    assert recorded["outcome"] == "not_recorded"
    broken = AnalyticDevice("cpu").measure([Candidate(known[0].id, some, values[:-1] + (0,))])[0]
    assert broken["outcome"] == "not_finished" and broken["reason"]
    measured = RealDevice(usual_binary(), "cpu", 0.05).measure([Candidate(known[0].id, some, values)])[0]
    assert measured["outcome"] == "ok" and 1e-7 < measured["median_s"] < 1 and len(measured["leir"]) == 64
    slow = RealDevice(usual_binary(), "cpu", 0.05, slowest=1e-12).measure([Candidate(known[0].id, some, values)])[0]
    assert slow["outcome"] == "expected_too_slow" and "is not run" in slow["reason"]
    missing = RealDevice("/nonexistent/steptp", "cpu", 0.05)
    with pytest.raises(FileNotFoundError):
        missing.measure([Candidate(known[0].id, some, values)])


def test_a_network_is_tuned_by_its_parts(trained, tmp_path, capsys):
    network = str(ROOT / "examples" / "feed_forward.pt2")
    arguments = ["tune", network, "--base", str(trained / "base.weights"), "--device", "analytic", "--rounds", "2",
                 "--each", "2", "--epochs", "1", "--out", str(tmp_path / "t")]
    assert main(arguments) == 0
    sums = json.loads((tmp_path / "t" / "sums.json").read_text())
    assert 0 < sums["10"] <= sums["1"]
    assert "sum of weight x best latency" in capsys.readouterr().out
    shutil.copy(tmp_path / "t" / "database.jsonl", tmp_path / "a.jsonl")
    rows = database.read_database(tmp_path / "a.jsonl")
    assert database.merge([tmp_path / "a.jsonl", tmp_path / "a.jsonl"], tmp_path / "b.jsonl") == len(rows)
    with pytest.raises(FileExistsError):
        database.merge([tmp_path / "a.jsonl"], tmp_path / "b.jsonl")


def optimized(document, tmp_path, *options):
    program = tmp_path / "program.leir"
    program.write_text(document)
    return subprocess.run([str(usual_binary()), "optimize", str(program), "--proposer", "tlm", "--json", *options],
                          capture_output=True, text=True)


def test_optimize_uses_a_plan_that_the_model_wrote(trained, open_train, tmp_path):
    known, spaces = open_train
    softmax = next(one for one in known if one.family == "softmax" and one.id in spaces)
    done = optimized(softmax.document, tmp_path, "--weights", str(trained / "base.weights"))
    answer = json.loads(done.stdout)
    assert done.returncode == 0 and not answer["fallback"] and answer["verdict"] in ("proved", "equal", "numeric")
    assert answer["candidates"] > 8 and answer["expected_s"] < answer["vanilla_s"]
    assert answer["plan"]


def test_weights_of_another_space_are_refused(trained, open_train, tmp_path, monkeypatch):
    known, spaces = open_train
    model, header = weights.read_weights(trained / "base.weights")
    monkeypatch.setattr(space.Library.get(), "space_version", 77)
    weights.write_weights(tmp_path / "other.weights", model, header["card"])
    monkeypatch.undo()
    with pytest.raises(weights.WeightsError, match="version 77 of the space"):
        weights.read_weights(tmp_path / "other.weights")
    done = optimized(known[0].document, tmp_path, "--weights", str(tmp_path / "other.weights"))
    answer = json.loads(done.stdout)
    assert answer["fallback"] and "version 77 of the space" in answer["reason"]


def test_learning_in_one_call_goes_on_where_it_was_ended(open_train, tmp_path, capsys):
    known, spaces = open_train
    some = tmp_path / "some.jsonl"
    rows = [{"document": one.document, "name": one.name, "family": one.family} for one in known if one.id in spaces][:8]
    some.write_text("".join(json.dumps(row) + "\n" for row in rows))
    arguments = ["learn", str(some), "--target", "cpu", "--device", "analytic", "--size", "tiny", "--each", "60", "--epochs", "1",
                 "--batch", "32", "--pool", "8", "--per-round", "2", "--out", str(tmp_path / "l")]
    assert main([*arguments, "--rounds", "1"]) == 0
    folder = tmp_path / "l"
    base = (folder / "base" / "base.weights").read_bytes()
    first = database.read_database(folder / "run" / "database.jsonl")
    assert len(first) == 16 and {row["method"] for row in first} == {"analytic", "random"}
    (folder / "tuned.weights").unlink()
    assert main([*arguments, "--rounds", "2"]) == 0
    rows = database.read_database(folder / "run" / "database.jsonl")
    assert rows[:16] == first and len(rows) > 16 and {row["method"] for row in rows[16:]} == {"tlm"}
    assert (folder / "base" / "base.weights").read_bytes() == base
    card = weights.read_weights(folder / "tuned.weights")[1]["card"]
    assert card["measurements"] == len(rows) and card["before"]["kind"] == "expected times"
    assert card["held_out"] == 1 and card["subgraphs"] == 7
    assert main([*arguments, "--rounds", "3", "--minutes", "0.4"]) == 3
    assert "the same call goes on" in capsys.readouterr().err

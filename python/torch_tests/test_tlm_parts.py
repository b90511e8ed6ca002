"""Parts of the tensor language model by themselves: logs, databases, trees, statistics, files of weights."""

from __future__ import annotations

import json
import math
import random
import re
import sys
from pathlib import Path

import pytest
import torch

sys.path.append(str(Path(__file__).resolve().parents[1]))

from steptp_tlm import corpus, database, files, report, statistics, subgraphs, weights  # noqa: E402
from steptp_tlm.devices import usual_binary  # noqa: E402
from steptp_tlm.model import Cache, Model, Shape  # noqa: E402
from steptp_tlm.rounds import last_gain  # noqa: E402
from steptp_tlm.searches import Seen, by_scores  # noqa: E402
from steptp_tlm.trees import BoostedTrees  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
# As the commands do: rows that are alike have alike sums only where one thread makes all of them.
torch.set_num_threads(1)
# Measurements of the training programs that methods had beforehand, in the tables of bench/tlm.
OFFLINE = {name: 8912 for name in ("shipped, as drawn", "shipped, likeliest first", "shipped, above chance first",
                                   "shipped, expected first", "run 2, as drawn", "run 2, likeliest first",
                                   "run 2, expected first", "run 2, above chance first", "nearest neighbour")}

ROW = {"subgraph": "a", "target": "cpu", "sentence": "v1", "values": [195], "outcome": "ok", "median_s": 1e-3}


def test_a_log_survives_a_cut_line_and_refuses_a_broken_one(tmp_path):
    path = tmp_path / "log.jsonl"
    with files.Log(path) as log:
        log.append([{"n": 1}, {"n": 2}])
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"n": 3, "half')
    assert [row["n"] for row in files.read_log(path)] == [1, 2]
    with files.Log(path) as log:
        log.append([{"n": 3}])
    assert [row["n"] for row in files.read_log(path)] == [1, 2, 3]
    path.write_bytes(b"nonsense\n" + whole)
    with pytest.raises(files.DamagedLog, match="log.jsonl:1: this line is no JSON"):
        list(files.read_log(path))


def test_rows_that_are_no_measurements_are_refused_by_place(tmp_path):
    path = tmp_path / "d.jsonl"
    for row, reason in (({"subgraph": "a"}, "has no 'target'"), ({**ROW, "median_s": 0}, 'needs a "median_s"')):
        path.write_text(json.dumps(ROW) + "\n" + json.dumps(row) + "\n")
        with pytest.raises(database.BadRow, match=f"d.jsonl:2: .*{reason}"):
            database.read_database(path)


def test_latencies_order_programs_and_failures_have_none():
    rows = [{**ROW, "values": [1], "median_s": 3e-3}, {**ROW, "values": [2], "median_s": 1e-3},
            {**ROW, "values": [1], "median_s": 2e-3}, {**ROW, "values": [3], "outcome": "wrong-result"}]
    assert [(best.values, best.median_s) for best in database.by_latency(rows)["a"]] == [((2,), 1e-3), ((1,), 2e-3)]
    assert database.measured_values(rows)["a"] == {(1,), (2,), (3,)}
    assert list(database.convergence(rows))[-1] == (4, 1e-3)


def test_the_gain_of_a_round():
    rows = [{**ROW, "round": 0, "median_s": seconds} for seconds in (4.0, 2.0, 3.0)]
    assert last_gain(rows, "a") == pytest.approx(1.0)
    assert last_gain([*rows, {**ROW, "round": 1, "median_s": 1.5}], "a") == pytest.approx(0.5)
    assert last_gain([*rows, {**ROW, "round": 1, "median_s": 2.5}], "a") == 0.0
    assert last_gain(rows, "b") == 0.0


def test_boosted_trees_learn_steps_and_products():
    generator = torch.Generator().manual_seed(1)
    x = torch.rand((600, 6), generator=generator, dtype=torch.float64)
    y = (x[:, 0] > 0.4).double() * 3 + x[:, 1] * x[:, 2] + 0.5 * x[:, 3]
    model = BoostedTrees(trees=80).fit(x[:400], y[:400])
    rest = (model.predict(x[400:]) - y[400:]).square().mean() / y.var()
    assert rest < 0.05
    again = BoostedTrees(trees=80).fit(x[:400], y[:400])
    assert torch.equal(again.predict(x), model.predict(x))


def test_draws_by_scores_have_the_chances_of_the_scores():
    sentences = [(1,), (2,), (3,)]
    first = {one: 0 for one in sentences}
    search = by_scores(sentences, [math.log(0.7), math.log(0.2), math.log(0.1)])
    for seed in range(3000):
        order = []
        search(None, 3, random.Random(seed), lambda values: order.append(values) or 1.0)
        assert sorted(order) == sentences
        first[order[0]] += 1
    for one, share in zip(sentences, (0.7, 0.2, 0.1)):
        assert first[one] / 3000 == pytest.approx(share, abs=0.03)


def test_a_search_measures_each_program_once_and_ends():
    seen = Seen(3, lambda values: float(values[0]))
    for values in ((2,), (1,), (2,)):
        seen.measure(values)
    assert list(seen.latencies) == [(2,), (1,)] and seen.best(1) == [(1,)] and seen.goes_on()
    while seen.goes_on():
        seen.measure((1,))
    assert len(seen.latencies) == 2


def test_intervals_hold_the_mean_and_shrink():
    rng = random.Random(1)
    few = [math.exp(rng.gauss(0, 0.5)) for _ in range(8)]
    many = [math.exp(rng.gauss(0, 0.5)) for _ in range(200)]
    one, other = statistics.bootstrap(few), statistics.bootstrap(many)
    assert one.low < one.mean < one.high and other.low < other.mean < other.high
    assert math.log(other.high / other.low) < math.log(one.high / one.low)
    assert statistics.wins([1.0, 1.0, 2.0], [2.0, 1.01, 1.0]) == (1, 1, 1)
    assert statistics.ratio_of_sums([1.0, 1.0], [3.0, 1.0]) == 2.0


def test_the_cache_gives_what_a_whole_reading_gives():
    model = Model(Shape(2, 32, 2, 40, 50))
    model.initialise(3)
    tokens = torch.randint(0, 50, (2, 17), generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        whole = model(tokens)
        # The second row has three places of filling at its front.
        rows = torch.zeros((2, 13), dtype=torch.long)
        rows[0], rows[1, 3:] = tokens[0, :13], tokens[1, :10]
        cache = Cache(model, 2, torch.tensor([0, 3]), 13)
        model.step(rows, cache)
        cache.spread(torch.tensor([1, 0, 1]))
        got = model.step(torch.stack([tokens[1, 10:13], tokens[0, 13:16], tokens[1, 10:13]]), cache)
    assert torch.allclose(got[0], whole[1, 12], atol=1e-5)
    assert torch.allclose(got[1], whole[0, 15], atol=1e-5)
    assert torch.equal(got[0], got[2])


def test_weights_travel_in_parts_and_damage_is_noticed(tmp_path):
    model = Model(Shape(1, 32, 2, 16, 20))
    model.initialise(1)
    weights.write_weights(tmp_path / "w", model, {"about": "a test"}, "f32", part_bytes=20000)
    assert (tmp_path / "w.1").exists() and not (tmp_path / "w").exists()
    again, header = weights.read_weights(tmp_path / "w")
    assert header["card"] == {"about": "a test"}
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), again.parameters()))
    content = bytearray((tmp_path / "w.1").read_bytes())
    content[100] ^= 1
    (tmp_path / "w.1").write_bytes(content)
    with pytest.raises(weights.WeightsError, match="SHA-256"):
        weights.read_weights(tmp_path / "w")


def canonical(document: str) -> str:
    """A program without its name, its tensors numbered in the order of their first occurrence, whatever their roles."""
    numbers: dict[str, str] = {}
    lines = [line for line in document.replace("@param", "@input").splitlines() if not line.startswith("@program")]
    return re.sub(r"\b[A-Z][a-z]*\d*(?![a-z])", lambda name: numbers.setdefault(name[0], f"#{len(numbers)}"), "\n".join(lines))


def test_no_published_workload_is_among_the_programs_of_the_shipped_model():
    published = []
    for line in (ROOT / "data" / "workloads.txt").read_text().splitlines():
        if line.startswith("#"):
            continue
        kind, _, *arguments = line.split("|")[0].split()
        # Whatever their dtype is: all programs of the two sets are of f32.
        published.append(subgraphs.show(usual_binary(), kind, dict(one.split("=") for one in arguments)))
    assert len(published) == 100
    forbidden = {canonical(document) for document in published}
    seen = []
    for name, count in (("train", 200), ("test", 32)):
        rows = corpus.read_subgraphs(ROOT / "bench" / "tlm" / f"{name}.jsonl")
        assert len(rows) == count
        for row in rows:
            seen.append(canonical(row.document))
            assert seen[-1] not in forbidden, row.name
    assert len(set(seen)) == len(seen), "a program is in both sets, or twice in one"
    # The check itself: a published workload would be found, whatever its names are.
    square = next(one for one in published if "Square_matrix" in one)
    renamed = square.replace("@input C", "@param Q").replace("C^", "Q^").replace("Square_matrix_multiplication", "Mine")
    assert renamed != square and canonical(renamed) in forbidden
    assert canonical(square.replace("319", "320")) not in forbidden


def test_reports_come_from_logs_alone():
    rows = []
    for method, latencies in (("fast", [4.0, 2.0, 1.0]), ("slow", [8.0, 8.0, 2.0])):
        for subgraph in ("a", "b"):
            for place, latency in enumerate(latencies):
                rows.append({"subgraph": subgraph, "target": "cpu", "sentence": "", "values": [place, len(method)], "outcome": "ok",
                             "median_s": latency, "method": method, "seed": 0, "place": place, "budget": 3, "device": "cpu"})
    rows.append({**rows[0], "outcome": "wrong-result", "median_s": 0.1, "place": 3})
    known = [corpus.Subgraph("a", "a", "f", ""), corpus.Subgraph("b", "b", "f", "")]
    made = report.make_report(rows, known, (1, 2, 3, 4), {"fast": 7})
    quality = {name: [at["quality"] for at in method["at"]] for name, method in made["methods"].items()}
    assert quality == {"fast": pytest.approx([0.25, 0.5, 1.0]), "slow": pytest.approx([0.125, 0.125, 0.5])}
    # Times of winners that were measured again count, and what was chosen stays chosen.
    again = {(one, (place, 4)): seconds for one in "ab" for place, seconds in ((0, 4.0), (1, 2.0), (2, 3.0))}
    made = report.make_report([row for row in rows if row["method"] == "fast"], known, (1, 2, 3), {}, again)
    assert [at["quality"] for at in made["methods"]["fast"]["at"]] == pytest.approx([0.5, 1.0, 2 / 3])


@pytest.mark.parametrize("name", ["unseen_shapes", "unseen_family"])
def test_the_published_tables_are_those_of_the_stored_measurements(name):
    folder = ROOT / "bench" / "tlm"
    known = [one for one in corpus.read_subgraphs(folder / "test.jsonl")
             if (one.family == "matrix times vector") == (name == "unseen_family")]
    keep = {one.id for one in known}
    rows = [row for row in database.read_database(folder / "evaluation.jsonl.xz") if row["subgraph"] in keep]
    made = report.make_report(rows, known, (1, 4, 10, 16, 32), OFFLINE)
    assert report.report_text(made) == (folder / f"{name}.md").read_text()


def test_the_shipped_weights_are_read_and_say_where_they_come_from():
    model, header = weights.read_weights(ROOT / "data" / "tlm_weights" / "nvidia-h200.weights")
    assert 2_000_000 < sum(part.numel() for part in model.parameters()) < 4_000_000
    assert header["card"]["target"] == "nvidia-h200" and header["card"]["measurements"] == 8912
    size = (ROOT / "data" / "tlm_weights" / "nvidia-h200.weights").stat().st_size
    assert size < 15 << 20

"""Evaluation: searches and models over the same subgraphs, with the same number of measurements, failures counted."""

from __future__ import annotations

import json
import math
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Callable, Sequence

import torch

from .corpus import NOTHING, Sentences, Subgraph, groups_of, make_batch
from .database import by_latency, read_database
from .report import best_of, latency_of, make_report, trajectories
from .devices import Candidate, Device, finish, row_of, time_by_turns
from .files import Log, json_line, write_whole
from .model import Model
from .problems import Problem, SpaceProblem, TableProblem, Values
from .rounds import OtherRun, new_sentences
from .searches import PLAIN, POOL, Search, by_scores, listed, neighbour_transfer
from .space import NO_WORD, Cursors, Space
from .tuning import decisions_of


# Searches in which nothing is drawn: one seed says all.
WITHOUT_CHANCE = ("analytic top k", "nearest neighbour")
# Of a model's sentences: as they were drawn, the likeliest first, those first that it makes likelier than chance does, or
# the fastest by the analytic model first.
ORDERS = ("drawn", "likeliest", "above-chance", "expected")
# How many sentences a model writes where they are put into another order before the first is measured.
ORDERED_DRAWS = 64
# What a row takes over from a measurement.
MEASURED = ("outcome", "median_s", "spread_s", "least_s", "samples", "leir", "reason", "seconds")


@dataclass(frozen=True)
class Budget:
    counts: tuple[int, ...] = (1, 4, 10, 16, 32, 64)  # measurements after which the best so far is compared
    seeds: int = 5
    searches: tuple[str, ...] = tuple(PLAIN)
    model_count: int = 0  # measurements of models and of the nearest neighbour, where they get fewer; 0: as many as all

    def of(self, is_offline: bool) -> int:
        most = max(self.counts)
        return min(most, self.model_count) if is_offline and self.model_count else most


@dataclass
class Contender:
    """A model in the evaluation. `measurements`: how many it was tuned on beforehand, all subgraphs together."""

    name: str
    model: Model
    quality: int  # the word in its prompts
    measurements: int
    order: str = "drawn"  # of its sentences, ORDERS


def masked_scores(model: Model, space: Space, sentences: Sequence[Values], quality: int, batch: int = 16) -> list[float]:
    """The logarithm of the chance with which masked drawing gives each sentence."""
    prompt, rows = space.prompt(quality), Sentences()
    for values in sentences:
        rows.add(prompt, decisions_of(space, values))
    cursors, masks = Cursors([space] * len(sentences)), []
    cursors.step(None)
    for step in range(max(map(len, sentences))):
        masks.append(cursors.masks.bool())
        cursors.step(torch.tensor([values[step] if step < len(values) else -1 for values in sentences], dtype=torch.int32))
    out, device = [0.0] * len(sentences), model.tokens.weight.device
    groups = groups_of(rows, range(len(sentences)), 384)
    with torch.no_grad():
        for begin in range(0, len(groups), batch):
            part = groups[begin : begin + batch]
            one = make_batch(rows, part)
            logits = model(one.tokens.to(device), one.places.to(device), one.segments.to(device))
            # What stands before the values, row by row: the sentences of the groups one after the other.
            before = logits.float().cpu()[one.wanted != NOTHING]
            at = 0
            for place in (place for group in part for place in group):
                values = torch.tensor(sentences[place])
                legal = torch.stack([masks[step][place] for step in range(len(values))])
                mine = before[at : at + len(values)].masked_fill(~legal, -torch.inf)
                out[place] = float(torch.log_softmax(mine, 1)[torch.arange(len(values)), values].sum())
                at += len(values)
    return out


class Evaluation:
    """All trajectories of an evaluation, kept in FOLDER/measurements.jsonl; a killed one goes on with the same call."""

    def __init__(
        self, folder: str | Path, subgraphs: Sequence[Subgraph], spaces: dict[str, Space], device: Device, target: str,
        budget: Budget, table: str | Path | None = None, say: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.folder, self.device, self.target, self.budget, self.say = Path(folder), device, target, budget, say
        self.table = read_database(table) if table else None
        in_table = {row["subgraph"] for row in self.table} if self.table is not None else None
        self.subgraphs = [one for one in subgraphs if one.id in spaces and (in_table is None or one.id in in_table)]
        if not self.subgraphs:
            raise ValueError("no subgraph of the test set has a space" + (" and rows in the table" if table else ""))
        self.spaces = spaces
        self.folder.mkdir(parents=True, exist_ok=True)
        self._agree()
        self.log_path = self.folder / "measurements.jsonl"
        self.rows: list[dict[str, Any]] = read_database(self.log_path) if self.log_path.exists() else []
        # A program is measured once, whoever proposes it.
        self._problems = {one.id: self._problem(one) for one in self.subgraphs}
        self._known = {(row["subgraph"], tuple(row["values"])): row for row in self.rows}

    def _agree(self) -> None:
        """What is compared is written before anything is measured."""
        wanted = json.loads(json.dumps({**asdict(self.budget), "device": self.device.name, "target": self.target,
                                        "subgraphs": [one.id for one in self.subgraphs]}))
        path = self.folder / "plan.json"
        if not path.exists():
            write_whole(path, json.dumps(wanted, indent=1).encode() + b"\n")
        elif json.loads(path.read_bytes()) != wanted:
            raise OtherRun(f"{path}: this folder has an evaluation of something else; take another folder, or the same options")

    def _problem(self, subgraph: Subgraph) -> Problem:
        space = self.spaces[subgraph.id]
        if self.table is None:
            return SpaceProblem(space)
        return TableProblem(space, [tuple(row["values"]) for row in self.table if row["subgraph"] == subgraph.id])

    def prepare(self) -> None:
        """What needs no model and measures nothing: groups are visited, and expected times of the pools worked out."""
        for one in self.subgraphs:
            problem = self._problems[one.id]
            problem.some_random(1000, random.Random(0))
            if "analytic top k" in self.budget.searches:
                problem.expected_seconds_of(problem.pool(POOL, _random_of("analytic top k", 0, one)))

    def run(self, contenders: Sequence[Contender] = (), train_rows: Sequence[dict[str, Any]] = (),
            train: Sequence[Subgraph] = ()) -> dict[str, Any]:
        """Method by method, the models first, so that an evaluation that is cut has all subgraphs of some methods."""
        neighbours = by_latency(train_rows)
        finished: list[dict[str, Any]] = []
        for contender in contenders:
            for one in self.subgraphs:
                for seed, search in enumerate(self._draws(contender, one, self._problems[one.id])):
                    finished += self._trajectory(contender.name, seed, one, self._problems[one.id], search, self.budget.of(True))
            self.say(f"{contender.name}: done")
        others: dict[str, Callable[[Subgraph], Search]] = {}
        if neighbours:
            with_rows = [one for one in train if one.id in neighbours]
            others["nearest neighbour"] = lambda one: neighbour_transfer(
                [best.values for best in neighbours[nearest_subgraph(one, with_rows).id]])
        for name in self.budget.searches:
            others[name] = lambda one, search=PLAIN[name]: search
        for name, search_for in others.items():
            for one in self.subgraphs:
                for seed in range(1 if name in WITHOUT_CHANCE else self.budget.seeds):
                    budget = self.budget.of(name == "nearest neighbour")
                    finished += self._trajectory(name, seed, one, self._problems[one.id], search_for(one), budget)
            self.say(f"{name}: done")
        offline = {one.name: one.measurements for one in contenders}
        offline["nearest neighbour"] = len(train_rows)
        return make_report(finished + (self.table or []), self.subgraphs, self.budget.counts, offline)

    def write_programs(self) -> None:
        """FOLDER/programs.jsonl: the finished programs of all winners, which can be measured again without a space."""
        rows = []
        for key, all_values in winners_of(read_database(self.log_path), self.budget.counts).items():
            for values in all_values:
                document, _ = finish(Candidate(key, self.spaces[key], values))
                rows.append({"subgraph": key, "values": list(values), "document": document})
        write_whole(self.folder / "programs.jsonl", b"".join(map(json_line, rows)))

    def _draws(self, contender: Contender, subgraph: Subgraph, problem: Problem) -> list[Search]:
        """The model's draws, one search for each seed."""
        space = self.spaces[subgraph.id]
        if isinstance(problem, TableProblem):
            scores = masked_scores(contender.model, space, problem.sentences, contender.quality)
            return [by_scores(problem.sentences, scores)] * self.budget.seeds
        out, most = [], self.budget.of(True)
        wanted = most if contender.order == "drawn" else max(most, ORDERED_DRAWS)
        for seed in range(self.budget.seeds):
            drawn = new_sentences(contender.model, space, set(), wanted, space.prompt(contender.quality),
                                  f"evaluate/{contender.name}/{seed}/{subgraph.id}", 128)
            values = [tuple(one.values) for one in drawn]
            if contender.order == "likeliest":
                values = [tuple(one.values) for one in sorted(drawn, key=lambda one: -one.log_probability)]
            elif contender.order == "above-chance":
                # How much likelier the model makes a sentence than uniform choices do: short ones are not favoured.
                scores = [one.log_probability + problem.surprise(tuple(one.values)) for one in drawn]
                values = [values for _, values in sorted(zip(scores, values), key=lambda pair: (-pair[0], pair[1]))]
            elif contender.order == "expected":
                seconds = dict(zip(values, problem.expected_seconds_of(values)))
                values.sort(key=lambda one: seconds[one])
            out.append(listed(values))
        return out

    def _trajectory(self, name: str, seed: int, subgraph: Subgraph, problem: Problem, search: Search,
                    budget: int) -> list[dict[str, Any]]:
        """The rows of one search, in their order. What the log has of it is not written again."""
        done = sum((row["method"], row["seed"], row["subgraph"]) == (name, seed, subgraph.id) for row in self.rows)
        out: list[dict[str, Any]] = []

        def measure(values: Values) -> float:
            known = self._known.get((subgraph.id, values))
            measured = known or self.device.measure([Candidate(subgraph.id, self.spaces[subgraph.id], values)])[0]
            row = {"subgraph": subgraph.id, "target": self.target, "sentence": "", "values": list(values),
                   "device": self.device.name, "method": name, "seed": seed, "run": self.folder.name, "place": len(out),
                   "budget": budget,
                   **{key: measured[key] for key in MEASURED if key in measured}}
            self._known[subgraph.id, values] = row
            out.append(row)
            if self.table is None and len(out) > done:
                with Log(self.log_path) as log:
                    log.append([row])
            return latency_of(row)

        search(problem, budget, _random_of(name, seed, subgraph), measure)
        return out


def _random_of(name: str, seed: int, subgraph: Subgraph) -> random.Random:
    return random.Random(f"{name}/{seed}/{subgraph.id}")


def nearest_subgraph(subgraph: Subgraph, others: Sequence[Subgraph]) -> Subgraph:
    """Of the same program type where there is one, then with the nearest sizes."""

    def distance(other: Subgraph) -> tuple[bool, bool, float, str]:
        mine, its = _sizes(subgraph.name), _sizes(other.name)
        sizes = sum(abs(math.log((1 + a) / (1 + its.get(name, 0)))) for name, a in mine.items())
        return (other.family != subgraph.family, other.name.split(" ")[0] != subgraph.name.split(" ")[0], sizes, other.id)

    return min(others, key=distance)


def _sizes(name: str) -> dict[str, float]:
    pairs = (word.split("=") for word in name.split(" ")[1:] if "=" in word)
    return {key: float(value) for key, value in pairs}


def record_table(path: str | Path, subgraph: Subgraph, space: Space, device: Device, target: str, count: int, seed: int) -> int:
    """Measures `count` different masked random programs of a space (all of a small one) and appends them; what the
    table has already is not measured again."""
    done = {tuple(row["values"]) for row in (read_database(path) if Path(path).exists() else []) if row["subgraph"] == subgraph.id}
    tokens, lengths = space.sample(seed, 4 * count, NO_WORD)
    begin = len(space.prompt())
    found = dict.fromkeys(tuple(row[begin + 2 : length - 1 : 3]) for row, length in zip(tokens.tolist(), lengths.tolist()))
    missing = [values for values in list(found)[:count] if values not in done]
    with Log(path) as log:
        for at in range(0, len(missing), 16):
            part = missing[at : at + 16]
            answers = device.measure([Candidate(subgraph.id, space, values) for values in part])
            log.append([{"subgraph": subgraph.id, "target": target, "sentence": "", "values": list(values),
                         "device": device.name, "method": "table", "seed": seed, "run": "table", **answer}
                        for values, answer in zip(part, answers)])
    return len(missing)


def winners_of(rows: Sequence[dict[str, Any]], counts: Sequence[int]) -> dict[str, list[Values]]:
    """Of each subgraph the programs that are the best of some search after some of the counts."""
    out: dict[str, dict[Values, None]] = {}
    for found in trajectories(rows).values():
        for (subgraph, _), of_search in sorted(found.items()):
            for count in counts:
                best = best_of(of_search, count)
                if best:
                    out.setdefault(subgraph, {})[tuple(best["values"])] = None
    return {subgraph: sorted(values) for subgraph, values in out.items()}


def measure_winners(out: str | Path, programs: Sequence[dict[str, Any]], subgraphs: dict[str, Subgraph], target: str,
                    binary: str | Path, kind: str, budget: float, say: Callable[[str], None]) -> None:
    """The programs of one subgraph by turns, in a fresh process for each subgraph; rows are appended to OUT, and what it
    has is not measured again. A program is an object with "subgraph", "values" and "document". On a GPU several
    processes compile side by side, and use the device by turns."""
    done = {row["subgraph"] for row in (read_database(out) if Path(out).exists() else [])}
    by_subgraph: dict[str, list[dict[str, Any]]] = {}
    for program in programs:
        if program["subgraph"] in subgraphs and program["subgraph"] not in done:
            by_subgraph.setdefault(program["subgraph"], []).append(program)
    lock = threading.Lock()

    def one_subgraph(key: str) -> None:
        mine = by_subgraph[key]
        answers = time_by_turns(binary, kind, budget, subgraphs[key].document, [one["document"] for one in mine])
        rows = [{"subgraph": key, "target": target, "sentence": "", "values": one["values"], "device": kind,
                 "method": "winner", "run": "winners", **row_of(answer, {})} for one, answer in zip(mine, answers)]
        with lock, Log(out) as log:
            log.append(rows)
            say(f"{subgraphs[key].name}: {len(mine)} winners measured again")

    with ThreadPoolExecutor(8 if kind == "cuda" else 1) as pool:
        list(pool.map(one_subgraph, sorted(by_subgraph)))

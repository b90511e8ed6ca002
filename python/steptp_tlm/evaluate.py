"""Evaluation: searches and models over the same subgraphs, with the same number of measurements, failures counted."""

from __future__ import annotations

import json
import math
import random
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Callable, Sequence

import torch

from .corpus import NOTHING, Sentences, Subgraph, groups_of, make_batch
from .database import by_latency, read_database
from .devices import Candidate, Device
from .files import Log, json_line, write_whole
from .model import Model
from .problems import Problem, SpaceProblem, TableProblem, Values
from .rounds import OtherRun, decisions_of, new_sentences
from .searches import PLAIN, Search, by_scores, listed, neighbour_transfer
from .space import NO_WORD, Cursors, Space
from .statistics import bootstrap, geometric_mean, ratio_of_sums, wins


@dataclass(frozen=True)
class Budget:
    counts: tuple[int, ...] = (1, 4, 10, 16, 32, 64)  # measurements after which the best so far is compared
    seeds: int = 5
    searches: tuple[str, ...] = tuple(PLAIN)


@dataclass
class Contender:
    """A model in the evaluation. `measurements`: how many it was tuned on beforehand, all subgraphs together."""

    name: str
    model: Model
    quality: int  # the word in its prompts
    measurements: int


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
        self._known: dict[tuple[str, int, str], dict[Values, float]] = {}
        for row in read_database(self.log_path) if self.log_path.exists() else []:
            key = (row["method"], row["seed"], row["subgraph"])
            self._known.setdefault(key, {})[tuple(row["values"])] = _latency(row)

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

    def run(self, contenders: Sequence[Contender] = (), train_rows: Sequence[dict[str, Any]] = (),
            train: Sequence[Subgraph] = ()) -> dict[str, Any]:
        neighbours = by_latency(train_rows)
        trajectories: dict[str, dict[tuple[str, int], list[float]]] = {}
        for number, subgraph in enumerate(self.subgraphs, 1):
            problem = self._problem(subgraph)
            searches: dict[str, Search] = {name: PLAIN[name] for name in self.budget.searches}
            if neighbours:
                nearest = nearest_subgraph(subgraph, [one for one in train if one.id in neighbours])
                searches["nearest neighbour"] = neighbour_transfer([best.values for best in neighbours[nearest.id]])
            for name, search in searches.items():
                for seed in range(self.budget.seeds):
                    trajectories.setdefault(name, {})[subgraph.id, seed] = self._trajectory(name, seed, subgraph, problem, search)
            for contender in contenders:
                for seed, search in enumerate(self._draws(contender, subgraph, problem)):
                    trajectories.setdefault(contender.name, {})[subgraph.id, seed] = self._trajectory(
                        contender.name, seed, subgraph, problem, search)
            self.say(f"{number} of {len(self.subgraphs)} subgraphs: {subgraph.name}")
        offline = {one.name: one.measurements for one in contenders}
        offline["nearest neighbour"] = len(train_rows)
        return self._report(trajectories, offline)

    def _draws(self, contender: Contender, subgraph: Subgraph, problem: Problem) -> list[Search]:
        """The model's draws, one search for each seed."""
        space = self.spaces[subgraph.id]
        if isinstance(problem, TableProblem):
            scores = masked_scores(contender.model, space, problem.sentences, contender.quality)
            return [by_scores(problem.sentences, scores)] * self.budget.seeds
        out, most = [], max(self.budget.counts)
        for seed in range(self.budget.seeds):
            drawn = new_sentences(contender.model, space, set(), most, space.prompt(contender.quality),
                                  f"evaluate/{contender.name}/{seed}/{subgraph.id}", 64)
            out.append(listed([tuple(one.values) for one in drawn]))
        return out

    def _trajectory(self, name: str, seed: int, subgraph: Subgraph, problem: Problem, search: Search) -> list[float]:
        """The best latency after each measurement."""
        known, new = self._known.get((name, seed, subgraph.id), {}), []
        best: list[float] = []

        def measure(values: Values) -> float:
            if values in known:
                latency = known[values]
            else:
                candidate = Candidate(subgraph.id, self.spaces[subgraph.id], values)
                row = self.device.measure([candidate])[0]
                latency = _latency(row)
                new.append({"subgraph": subgraph.id, "target": self.target, "sentence": "", "values": list(values),
                            "device": self.device.name, "method": name, "seed": seed, "run": self.folder.name, **row})
                if self.table is None:
                    with Log(self.log_path) as log:
                        log.append(new[-1:])
            best.append(min(latency, best[-1] if best else math.inf))
            return latency

        search(problem, max(self.budget.counts), random.Random(f"{name}/{seed}/{subgraph.id}"), measure)
        return best

    def _report(self, trajectories: dict[str, dict[tuple[str, int], list[float]]], offline: dict[str, int]) -> dict[str, Any]:
        """Quality after k measurements is the latency of the best program known, over all methods, divided by that of
        the best of the first k."""
        known = {one.id: math.inf for one in self.subgraphs}
        for of_method in trajectories.values():
            for (subgraph, _), best in of_method.items():
                known[subgraph] = min(known[subgraph], best[-1] if best else math.inf)
        for row in self.table or []:
            if row["subgraph"] in known:
                known[row["subgraph"]] = min(known[row["subgraph"]], _latency(row))
        usable = [one for one in self.subgraphs if math.isfinite(known[one.id])]
        methods = {}
        for name, of_method in trajectories.items():
            rows = []
            for count in self.budget.counts:
                rows.append({"k": count, **self._at(of_method, count, known, usable, trajectories)})
            methods[name] = {"offline_measurements": offline.get(name, 0), "at": rows}
        return {"device": self.device.name, "target": self.target, "seeds": self.budget.seeds,
                "subgraphs": {one.id: {"name": one.name, "family": one.family, "best_known_s": known[one.id]} for one in usable},
                "without_any_result": [one.name for one in self.subgraphs if one not in usable], "methods": methods}

    def _at(self, of_method: dict[tuple[str, int], list[float]], count: int, known: dict[str, float],
            usable: Sequence[Subgraph], trajectories: dict[str, dict[tuple[str, int], list[float]]]) -> dict[str, Any]:
        def latency(found: dict[tuple[str, int], list[float]], subgraph: str) -> float:
            """The geometric mean over seeds; a seed without any result counts as a hundred times the best."""
            values = []
            for seed in range(self.budget.seeds):
                best = found[subgraph, seed]
                value = best[min(count, len(best)) - 1] if best else math.inf
                values.append(value if math.isfinite(value) else 100 * known[subgraph])
            return geometric_mean(values)

        mine = [latency(of_method, one.id) for one in usable]
        best = [known[one.id] for one in usable]
        interval = bootstrap([known_s / value for known_s, value in zip(best, mine)])
        out: dict[str, Any] = {"quality": interval.mean, "low": interval.low, "high": interval.high,
                               "ratio_of_sums": ratio_of_sums(mine, best)}
        for rival in ("masked random", "boosted trees"):
            if rival in trajectories and trajectories[rival] is not of_method:
                out[f"win_tie_loss_{rival.replace(' ', '_')}"] = wins(mine, [latency(trajectories[rival], one.id) for one in usable])
        return out


def _latency(row: dict[str, Any]) -> float:
    return row["median_s"] if row["outcome"] == "ok" else math.inf


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


def report_text(report: dict[str, Any]) -> str:
    """A table in Markdown. Models that were tuned beforehand and searches that learn as they go are marked apart."""
    counts = [row["k"] for row in next(iter(report["methods"].values()))["at"]]
    lines = [f"Device {report['device']}, {len(report['subgraphs'])} subgraphs, {report['seeds']} seeds. Quality: best known "
             "latency over the best of the first k, geometric mean and 95 % interval over subgraphs.", "",
             "| method | measured beforehand | " + " | ".join(f"k={count}" for count in counts) + " |",
             "|---|---|" + "---|" * len(counts)]
    for name, method in report["methods"].items():
        cells = [f"{row['quality']:.2f} ({row['low']:.2f} to {row['high']:.2f})" for row in method["at"]]
        lines.append(f"| {name} | {method['offline_measurements']} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


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


def write_report(folder: str | Path, report: dict[str, Any]) -> None:
    write_whole(Path(folder, "report.json"), json_line(report))
    write_whole(Path(folder, "report.md"), report_text(report).encode())

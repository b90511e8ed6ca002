"""Rounds: fine-tune the base on what is known, draw sentences, measure them, and again.

Everything of a run lies in one folder, and what was done already is read from there: a run that was killed goes on with
the same call and ends with the same files. Settings are written first; a call with other settings is refused.
"""

from __future__ import annotations

import copy
import hashlib
import json
import math
import statistics
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Callable, Sequence

import torch

from .corpus import Subgraph
from .database import measured_values, read_database
from .devices import Candidate, Device
from .files import Log, json_line, read_log, write_whole
from .model import Model
from .sample import Drawn, Wanted, draw_sentences
from .space import NO_WORD, NOT_KNOWN, Library, Space
from .train import Plan, Training
from .tuning import tuning_sentences
from .weights import read_weights, weights_bytes, write_weights

# Programs that are measured before their rows are written.
CHUNK = 64
# Drawing ends where so many times the wanted number gave no more new sentences: the space is small, or the model sure.
MOST_DRAWS = 8


@dataclass(frozen=True)
class Settings:
    """What decides the bytes of a run, with the subgraphs, the base and the device."""

    target: str
    rounds: int = 8
    batches: int = 1  # parts of the subgraphs, with a fine-tuning before each
    each: int = 16  # sentences of each subgraph in a round
    seed: int = 1
    quality: bool = True  # false: as published, without the words for deciles
    keep_best: int = 4  # of each subgraph, in fine-tuning without quality
    epochs: int = 10
    rate: float = 5e-5
    train_batch: int = 64
    draw_batch: int = 64
    focus: bool = False  # of a network: after the first round only the quarter with the largest weighted gain goes on


class OtherRun(ValueError):
    """A folder with a run of other settings."""


class Interrupted(RuntimeError):
    """For tests: the run ends at this point as if it had been killed."""


@dataclass(frozen=True)
class Draw:
    """Different sentences of one space that are wanted; `name` numbers them, so that drawing is repeatable."""

    space: Space
    known: frozenset[tuple[int, ...]]  # which are not wanted
    count: int
    prompt: list[int]
    name: str


def new_sentences_of_all(model: Model, draws: Sequence[Draw], batch: int) -> list[list[Drawn]]:
    """Different sentences that are not known, for many spaces at once."""
    found: list[list[Drawn]] = [[] for _ in draws]
    seen = [set(draw.known) for draw in draws]
    for attempt in range(MOST_DRAWS):
        wanted, owners = [], []
        for place, draw in enumerate(draws):
            for number in range(2 * (draw.count - len(found[place]))):
                wanted.append(Wanted(draw.space, draw.prompt, f"{draw.name}/{attempt}/{number}"))
                owners.append(place)
        if not wanted:
            break
        for place, drawn in zip(owners, draw_sentences(model, wanted, batch)):
            values = tuple(drawn.values)
            if drawn.too_long or values in seen[place] or len(found[place]) == draws[place].count:
                continue
            seen[place].add(values)
            found[place].append(drawn)
    return found


def new_sentences(
    model: Model, space: Space, known: set[tuple[int, ...]], count: int, prompt: list[int], name: str, batch: int
) -> list[Drawn]:
    """The same for one space."""
    return new_sentences_of_all(model, [Draw(space, frozenset(known), count, prompt, name)], batch)[0]


def last_gain(rows: Sequence[dict[str, Any]], subgraph: str) -> float:
    """How many seconds the last round of a subgraph gained over the rounds before; in its first one, over the median."""
    rounds: dict[int, list[float]] = {}
    for row in rows:
        if row["subgraph"] == subgraph and row["outcome"] == "ok":
            rounds.setdefault(row["round"], []).append(row["median_s"])
    if not rounds:
        return 0.0
    *before, last = (rounds[key] for key in sorted(rounds))
    reference = min(map(min, before)) if before else statistics.median(last)
    return max(0.0, reference - min(last))


class Run:
    def __init__(
        self, folder: str | Path, settings: Settings, subgraphs: Sequence[Subgraph], spaces: dict[str, Space],
        base: str | Path, device: Device, torch_device: torch.device, say: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.folder, self.settings, self.device, self.say = Path(folder), settings, device, say
        self.torch_device = torch_device
        # By type, so that each batch has some of every family.
        ordered = sorted((one for one in subgraphs if one.id in spaces), key=lambda one: (one.family, one.name, one.id))
        self.parts = [ordered[part :: settings.batches] for part in range(settings.batches)]
        self.spaces = spaces
        self.base, _ = read_weights(base)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._agree(weights_bytes(self.base, "f32", {}), ordered)
        self.database = self.folder / "database.jsonl"

    def _agree(self, base: bytes, subgraphs: Sequence[Subgraph]) -> None:
        """Writes the settings, or compares them with those of the folder."""
        wanted = {**asdict(self.settings), "device": self.device.name, "base_sha256": hashlib.sha256(base).hexdigest(),
                  "subgraphs": [one.id for one in subgraphs]}
        path = self.folder / "run.json"
        if not path.exists():
            write_whole(path, json.dumps(wanted, indent=1).encode() + b"\n")
            return
        found = json.loads(path.read_bytes())
        for key, value in wanted.items():
            if found.get(key) != value and key not in ("rounds",):
                raise OtherRun(f"{path}: this folder has a run with another {key!r}; take another folder, or the same options")

    def go(self, stop_after: int | None = None, go_on: Callable[[], object] = lambda: None) -> None:
        """All rounds that are missing. `stop_after` measured chunks it ends with `Interrupted`, for tests. `go_on` is
        called before each chunk and may end the run by an exception."""
        chunks = 0
        for step in range(self.settings.rounds * self.settings.batches):
            part = self._part(step)
            go_on()
            proposals = self._proposals(step, part)
            rows = read_database(self.database) if self.database.exists() else []
            done = sum(row["round"] == step for row in rows)
            with Log(self.database) as log:
                while done < len(proposals):
                    go_on()
                    chunk = proposals[done : done + CHUNK * getattr(self.device, "parallel", 1)]
                    log.append(self._measured(step, done, chunk))
                    done += len(chunk)
                    chunks += 1
                    self.say(f"round {step // self.settings.batches + 1}: {done} of {len(proposals)} measured")
                    if stop_after is not None and chunks >= stop_after:
                        raise Interrupted

    def _part(self, step: int) -> list[Subgraph]:
        part = self.parts[step % self.settings.batches]
        if not self.settings.focus or step < self.settings.batches:
            return part
        rows = [row for row in read_database(self.database) if row["round"] < step]
        gains = {one.id: one.weight * last_gain(rows, one.id) for one in part}
        return sorted(part, key=lambda one: (-gains[one.id], one.id))[: math.ceil(len(part) / 4)]

    def _measured(self, step: int, first: int, chunk: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        words = Library.get().words
        candidates = [Candidate(one["subgraph"], self.spaces[one["subgraph"]], tuple(one["values"])) for one in chunk]
        answers = self.device.measure(candidates)
        methods = [{key: one[key] for key in ("method",) if key in one} for one in chunk]
        return [
            {"subgraph": one.subgraph, "target": self.settings.target,
             "sentence": " ".join(words[value] for value in one.values), "values": list(one.values),
             "device": self.device.name, "method": "tlm", **methods[place], "run": self.folder.name, "round": step,
             "place": first + place, "seed": self.settings.seed, **answer}
            for place, (one, answer) in enumerate(zip(candidates, answers))
        ]

    def _proposals(self, step: int, part: Sequence[Subgraph]) -> list[dict[str, Any]]:
        """The sentences of a step, drawn once and kept."""
        path = self.folder / f"proposals_{step:03d}.jsonl"
        if path.exists():
            return list(read_log(path))
        rows = read_database(self.database) if self.database.exists() else []
        model = self._tuned(step, rows)
        known, draws = measured_values(rows), []
        best_word = 0 if rows else NOT_KNOWN
        for subgraph in part:
            space = self.spaces[subgraph.id]
            prompt = space.prompt(best_word if self.settings.quality else NO_WORD)
            draws.append(Draw(space, frozenset(known.get(subgraph.id, ())), self.settings.each, prompt,
                              f"{self.settings.seed}/{step}/{subgraph.id}"))
        found = new_sentences_of_all(model, draws, self.settings.draw_batch)
        out = [{"subgraph": subgraph.id, "values": drawn.values} for subgraph, of_one in zip(part, found) for drawn in of_one]
        write_whole(path, b"".join(json_line(row) for row in out))
        self.say(f"round {step // self.settings.batches + 1}: {len(out)} sentences drawn")
        return out

    def _tuned(self, step: int, rows: Sequence[dict[str, Any]]) -> Model:
        """The base, fine-tuned on everything that is measured so far; the base itself where that is nothing."""
        sentences = tuning_sentences(rows, self.spaces, self.settings.quality, 0 if self.settings.quality else self.settings.keep_best)
        model = copy.deepcopy(self.base).to(self.torch_device)
        if len(sentences) == 0:
            return model.eval()
        path = self.folder / f"model_{step:03d}.weights"
        if not path.exists():
            plan = Plan(self.settings.epochs, self.settings.train_batch, self.settings.rate, self.settings.seed + step)
            progress = Training(model, sentences, plan, self.torch_device, None, {}).run()
            card = {"made_by": "steptp tlm round", "round": step, "sentences": len(sentences), "device": self.device.name,
                    "target": self.settings.target, "quality": self.settings.quality, "measurements": len(rows)}
            write_weights(path, model, card, storage="f32")
            self.say(f"fine-tuned on {len(sentences)} sentences, loss {progress.loss:.3f}")
        tuned, _ = read_weights(path)
        return tuned.to(self.torch_device).eval()

    def last_model(self) -> Model:
        """Fine-tuned on all measurements of the run."""
        rows = read_database(self.database) if self.database.exists() else []
        return self._tuned(self.settings.rounds * self.settings.batches, rows)

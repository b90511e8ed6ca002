"""A model for a device in one call: pre-training beside the preparation of the first round, then rounds, then the tuned
weights. What is there already is not done again, so a call that was ended goes on with the same call.

    FOLDER/corpus.jsonl.xz       random sentences
    FOLDER/base/base.weights     pre-trained on them, in a process of its own
    FOLDER/expected.jsonl        what the analytic model expects of some of them, as a database
    FOLDER/prior/tuned.weights   the base, fine-tuned on that: before anything is measured
    FOLDER/run/                  the rounds (rounds.py), which begin with the prior
    FOLDER/tuned.weights         the prior, fine-tuned on all measurements
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Sequence

import torch

from .corpus import Subgraph, in_threads, masked_uniform_entropy, open_spaces, read_subgraphs
from .corpus_file import draw_corpus, read_corpus, sentences_of, values_of, write_corpus
from .database import read_database
from .devices import Candidate, Device, RealDevice
from .files import json_line, read_log, write_whole
from .rounds import Run, Settings
from .space import Library, Space
from .train import Plan, Training, mean_loss
from .tuning import split, tune_until_best, tuning_sentences
from .weights import read_weights, write_weights


# What the analytic model is asked of one program at least, and how long it may take beyond that.
LEAST_POOL = 8
POOL_SECONDS = 2.0
# Of each program that the last fine-tuning learns from.
BEST_PLANS = 8
# Kept for the last fine-tuning.
FINAL_SECONDS = 25.0


class TimeIsOver(RuntimeError):
    """The same call goes on."""


@dataclass(frozen=True)
class Recipe:
    target: str
    size: str
    each: int  # random sentences of each subgraph
    epochs: int  # of pre-training
    batch: int  # sentences in a step of it
    rate: float  # the highest one of it
    pool: int  # sentences of each subgraph of which the analytic model is asked
    rounds: int
    per_round: int  # measurements of each subgraph in a round
    seed: int
    compiled: bool
    prior_epochs: int = 4


class Learner:
    def __init__(self, folder: Path, pre_train_on: str, subgraphs: Sequence[Subgraph], spaces: dict[str, Space],
                 device: Device, torch_device: torch.device, recipe: Recipe, end: float, say: Callable[[str], None]) -> None:
        self.folder, self.pre_train_on, self.recipe, self.end = folder, pre_train_on, recipe, end
        self.subgraphs = [one for one in subgraphs if one.id in spaces]
        self.spaces, self.device, self.torch_device = spaces, device, torch_device
        self._begin, self._say = time.monotonic(), say
        self.end -= FINAL_SECONDS
        folder.mkdir(parents=True, exist_ok=True)

    def say(self, text: str) -> None:
        self._say(f"[{time.monotonic() - self._begin:6.1f} s] {text}")

    def left(self) -> float:
        out = self.end - time.monotonic()
        if out < 3:
            raise TimeIsOver
        return out

    def go(self) -> bool:
        """Whether all rounds are done. Where the time ends in a round, the weights are tuned with what is measured."""
        pool = self._corpus()
        child = self._start_pre_training()
        try:
            self._prepare_roots()
            self._visit(pool)
            expected = self._expected(pool)
            self._first_proposals(pool, expected)
            self._compile_first_proposals()
        finally:
            self._end_pre_training(child)
        self._say_loss(pool)
        self._tune("prior", "base/base.weights", expected, self.recipe.prior_epochs, {"kind": "expected times"})
        all_rounds = self._rounds()
        self.end += FINAL_SECONDS
        if not all_rounds:
            (self.folder / "tuned.weights").unlink(missing_ok=True)
        self._tune_at_last(read_database(self.folder / "run" / "database.jsonl"))
        return all_rounds

    def _corpus(self) -> list[dict[str, Any]]:
        path = self.folder / "corpus.jsonl.xz"
        if not path.exists():
            self.say(f"drawing {self.recipe.each} sentences of each subgraph")
            every = read_subgraphs(self.pre_train_on)
            spaces = {**open_spaces(every, self.recipe.target)[0], **self.spaces}
            write_corpus(path, draw_corpus(every, spaces, self.recipe.each, self.recipe.seed))
        rows = [row for row in read_corpus(path) if row["subgraph"] in self.spaces]
        self.say(f"{sum(len(row['counts']) for row in rows)} different sentences of {sum(sum(row['counts']) for row in rows)}")
        return rows

    def _start_pre_training(self) -> subprocess.Popen[bytes] | None:
        if (self.folder / "base" / "base.weights").exists():
            return None
        recipe = self.recipe
        command = [sys.executable, "-m", "steptp_tlm", "train", self.pre_train_on, "--corpus",
                   str(self.folder / "corpus.jsonl.xz"), "--target", recipe.target, "--size", recipe.size,
                   "--epochs", str(recipe.epochs), "--batch", str(recipe.batch), "--rate", str(recipe.rate), "--seed", str(recipe.seed),
                   "--row-tokens", "512", "--minutes", str((self.end - time.monotonic()) / 60), "--no-entropy",
                   "--torch-device", self.torch_device.type, "--out", str(self.folder / "base")]
        # However this package was found, the other process finds it too.
        package = str(Path(__file__).resolve().parent.parent)
        path = os.pathsep.join([package, *filter(None, [os.environ.get("PYTHONPATH")])])
        return subprocess.Popen(command + (["--compile"] if recipe.compiled else []), env={**os.environ, "PYTHONPATH": path})

    def _end_pre_training(self, child: subprocess.Popen[bytes] | None) -> None:
        if child is None:
            return
        try:
            status = child.wait(max(1.0, self.end - time.monotonic()))
        except subprocess.TimeoutExpired:
            status = 3
        if child.poll() is None:
            child.terminate()
            child.wait()
        if status == 3:
            raise TimeIsOver
        if status != 0:
            raise RuntimeError(f"pre-training ended with status {status}")
        self.say("pre-training is done")

    def _prepare_roots(self) -> None:
        if not isinstance(self.device, RealDevice):
            return
        answers = self.device.prepare_roots([one.document for one in self.subgraphs])
        bad = [answer for answer in answers if "error" in answer]
        self.say(f"{len(answers)} roots have their certified values, {len(bad)} have not {bad[:1]}")

    def _visit(self, rows: Sequence[dict[str, Any]]) -> None:
        """All groups that sentences use, so that later questions are answered at once."""
        in_threads(lambda row: self.spaces[row["subgraph"]].sample(self.recipe.seed, 2000), rows)
        self.say("the groups of all programs were visited")

    def _expected(self, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        path = self.folder / "expected.jsonl"
        if path.exists():
            return read_database(path)
        words = Library.get().words

        def of_one(row: dict[str, Any]) -> list[dict[str, Any]]:
            rng = random.Random(f"pool/{self.recipe.seed}/{row['subgraph']}")
            values = values_of(row)
            some = rng.sample(values, min(self.recipe.pool, len(values)))
            seconds: list[float] = []
            # Groups with guarded windows take a tenth of a second each: of those there are fewer.
            begin = time.monotonic()
            while len(seconds) < len(some) and (len(seconds) < LEAST_POOL or time.monotonic() - begin < POOL_SECONDS):
                seconds += self.spaces[row["subgraph"]].all_expected_seconds(some[len(seconds) : len(seconds) + 4])
            return [{"subgraph": row["subgraph"], "target": self.recipe.target, "values": list(one),
                     "sentence": " ".join(words[value] for value in one), "outcome": "ok", "median_s": expected}
                    for one, expected in zip(some, seconds) if expected > 0]

        out = [row for part in in_threads(of_one, rows) for row in part]
        write_whole(path, b"".join(json_line(row) for row in out))
        self.say(f"expected times of {len(out)} sentences")
        return out

    def _first_proposals(self, rows: Sequence[dict[str, Any]], expected: Sequence[dict[str, Any]]) -> None:
        """Half of the first round are what the analytic model likes best, half are random."""
        path = self.folder / "run" / "proposals_000.jsonl"
        if path.exists():
            return
        best: dict[str, list[tuple[float, tuple[int, ...]]]] = {}
        for row in expected:
            best.setdefault(row["subgraph"], []).append((row["median_s"], tuple(row["values"])))
        out = []
        values = {row["subgraph"]: values_of(row) for row in rows}
        for one in self.subgraphs:
            rng = random.Random(f"first/{self.recipe.seed}/{one.id}")
            liked = [each for _, each in sorted(best.get(one.id, []))[: self.recipe.per_round // 2]]
            others = [each for each in values[one.id] if each not in set(liked)]
            drawn = rng.sample(others, min(self.recipe.per_round - len(liked), len(others)))
            out += [{"subgraph": one.id, "values": list(each), "method": "analytic"} for each in liked]
            out += [{"subgraph": one.id, "values": list(each), "method": "random"} for each in drawn]
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, b"".join(json_line(row) for row in out))

    def _compile_first_proposals(self) -> None:
        if not isinstance(self.device, RealDevice) or (self.folder / "run" / "database.jsonl").exists():
            return
        wanted = [Candidate(row["subgraph"], self.spaces[row["subgraph"]], tuple(row["values"]))
                  for row in read_log(self.folder / "run" / "proposals_000.jsonl")]
        begin = time.monotonic()
        answers = self.device.compile(wanted)
        self.say(f"compiled {len(answers)} programs, {len(answers) / (time.monotonic() - begin):.0f}/s")

    def _say_loss(self, rows: Sequence[dict[str, Any]]) -> None:
        path = self.folder / "base" / "loss.json"
        if path.exists():
            return
        _, apart, owners = sentences_of(rows, self.spaces, True, 16, self.recipe.seed)
        model = read_weights(self.folder / "base" / "base.weights")[0].to(self.torch_device).eval()
        loss = mean_loss(model, apart, 64, self.torch_device)
        entropy = masked_uniform_entropy(apart, [self.spaces[owner] for owner in owners])
        write_whole(path, json_line({"loss": loss, "masked_uniform_entropy": entropy}))
        self.say(f"the base has a loss of {loss:.4f}; the least possible is {entropy:.4f}")

    def _tune(self, name: str, base: str, rows: Sequence[dict[str, Any]], epochs: int, about: dict[str, Any]) -> None:
        path = self.folder / name / "tuned.weights"
        if path.exists():
            return
        self.left()
        model, header = read_weights(self.folder / base)
        sentences = tuning_sentences(rows, self.spaces, True)
        plan = Plan(epochs, 128, 1e-4, self.recipe.seed, row_tokens=512)
        progress = Training(model, sentences, plan, self.torch_device, None, {}).run()
        path.parent.mkdir(parents=True, exist_ok=True)
        card = {"made_by": "steptp tlm learn", **about, "target": self.recipe.target, "device": self.device.name,
                "subgraphs": len(self.subgraphs), "sentences": len(sentences), "measurements": len(rows), "epochs": epochs,
                "seed": self.recipe.seed, "quality": True, "loss": progress.loss, "before": header["card"]}
        write_weights(path, model, card)
        self.say(f"{path}: fine-tuned on {len(sentences)} sentences, loss {progress.loss:.3f}")

    def _tune_at_last(self, rows: Sequence[dict[str, Any]]) -> None:
        """On the best plans of each program, until programs that are held out get no better: what is learnt longer is
        learnt by heart."""
        held_out = len(self.subgraphs) // 8
        if held_out == 0:
            return self._tune("", "prior/tuned.weights", rows, 10, {"kind": "measured"})
        path = self.folder / "tuned.weights"
        if path.exists():
            return
        self.left()
        model, header = read_weights(self.folder / "prior" / "tuned.weights")
        learnt, apart = split(rows, held_out, self.recipe.seed)
        sentences = tuning_sentences(learnt, self.spaces, True, BEST_PLANS)
        plan = Plan(16, 128, 2e-4, self.recipe.seed, row_tokens=512)
        stop = tune_until_best(model.to(self.torch_device), sentences, tuning_sentences(apart, self.spaces, True, len(apart)),
                               plan, self.torch_device, self.say)
        card = {"made_by": "steptp tlm learn", "kind": "measured", "target": self.recipe.target, "device": self.device.name,
                "subgraphs": len(self.subgraphs) - held_out, "held_out": held_out, "keep": BEST_PLANS,
                "sentences": len(sentences), "measurements": len(rows), "epoch": stop.epoch, "epochs": plan.epochs,
                "seed": self.recipe.seed, "quality": True, "loss": stop.loss, "before": header["card"]}
        write_weights(path, model, card)
        self.say(f"{path}: fine-tuned on {len(sentences)} sentences, loss {stop.loss:.3f} on {held_out} programs held out")

    def _rounds(self) -> bool:
        settings = Settings(self.recipe.target, self.recipe.rounds, 1, self.recipe.per_round, self.recipe.seed,
                            rate=1e-4, train_batch=128, draw_batch=800)
        run = Run(self.folder / "run", settings, self.subgraphs, self.spaces, self.folder / "prior" / "tuned.weights",
                  self.device, self.torch_device, self.say)
        try:
            run.go(go_on=self.left)
        except TimeIsOver:
            return False
        return True

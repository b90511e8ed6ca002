"""What each command does; __main__ has their options."""

from __future__ import annotations

import argparse
import json
import math
import random
import subprocess
import sys
from pathlib import Path
from typing import Any, Sequence

import torch

from . import evaluate as evaluation
from .corpus import Sentences, Subgraph, masked_uniform_entropy, open_spaces, random_sentences, read_subgraphs
from .database import merge as merge_databases
from .database import convergence, read_database
from .devices import open_device, usual_binary
from .files import write_whole
from .model import SIZES, Model, Shape
from .rounds import Run, Settings, tuning_sentences
from .space import MOST_TOKENS, NO_WORD, Library, Space
from .subgraphs import weighted, write_subgraphs
from .train import Plan, Progress, Training, mean_loss
from .weights import PART_BYTES, read_weights, write_weights

# Sentences of each subgraph that are kept apart from training, to see how far the loss is from its optimum.
HELD_OUT = 16


class Problem(ValueError):
    """Options or files that do not fit together."""


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def torch_device(options: argparse.Namespace) -> torch.device:
    name = options.torch_device or ("cuda" if torch.cuda.is_available() else "cpu")
    if name == "cuda" and not torch.cuda.is_available():
        raise Problem("--torch-device cuda: PyTorch sees no GPU here; without the option the CPU is taken")
    torch.set_num_threads(options.threads)
    if name == "cuda":
        torch.set_float32_matmul_precision("high")
    return torch.device(name)


def spaces_of(subgraphs: Sequence[Subgraph], target: str) -> dict[str, Space]:
    spaces, refused = open_spaces(subgraphs, target)
    names = {one.id: one.name for one in subgraphs}
    for place, reason in list(refused.items())[:3]:
        say(f"left out: {names[place]}: {reason}")
    if len(refused) > 3:
        say(f"left out: {len(refused)} of {len(subgraphs)} subgraphs in all")
    if not spaces:
        raise Problem(f"none of the {len(subgraphs)} subgraphs has a space for {target}")
    return spaces


def subgraphs(options: argparse.Namespace) -> int:
    train_count, test_count = write_subgraphs(options.out, usual_binary(), options.seed, options.shapes,
                                              options.test_shapes, options.scale)
    print(f"{options.out}/train.jsonl: {train_count} subgraphs; {options.out}/test.jsonl: {test_count} subgraphs")
    return 0


def _report_progress(progress: Progress) -> None:
    say(f"step {progress.step} of {progress.steps}, loss {progress.loss:.4f}, {progress.tokens_per_second:.0f} tokens/s")


def train(options: argparse.Namespace) -> int:
    device, folder = torch_device(options), Path(options.out)
    known = read_subgraphs(options.subgraphs)
    spaces = spaces_of(known, options.target)
    if options.database:
        return _fine_tune(options, spaces, device, folder)
    if options.base or options.from_scratch or options.shuffle_latencies:
        raise Problem("--base, --from-scratch and --shuffle-latencies go with --database, the measurements to learn from")
    sentences, held_out, held_spaces = _corpus(options, known, spaces, folder)
    model = _new_model(options)
    plan = Plan(options.epochs or 2, options.batch, options.rate or 3e-4, options.seed,
                row_tokens=options.row_tokens)
    about = {"target": options.target, "quality": not options.published}
    training = Training(model, sentences, plan, device, folder / "checkpoint.pt", about, options.compile)
    seconds = math.inf if options.minutes is None else 60 * options.minutes
    progress = training.run(seconds, report=_report_progress)
    if not progress.finished:
        say(f"{progress.step} of {progress.steps} steps are done; the same call goes on")
        return 3
    loss, entropy = mean_loss(model, held_out, 64, device), masked_uniform_entropy(held_out, held_spaces)
    card = {"made_by": "steptp tlm train", **about, "subgraphs": len(spaces), "sentences": len(sentences),
            "epochs": plan.epochs, "seed": plan.seed, "loss": loss, "masked_uniform_entropy": entropy}
    write_weights(folder / "base.weights", model, Library.get().vocabulary_sha256, card,
                  part_bytes=PART_BYTES if options.parts else None)
    write_whole(folder / "train.json", json.dumps(card, indent=1).encode() + b"\n")
    print(f"{folder}/base.weights: loss {loss:.4f} on sentences it has not seen; the least possible is {entropy:.4f}")
    return 0


def _new_model(options: argparse.Namespace) -> Model:
    layers, width, heads = SIZES[options.size]
    model = Model(Shape(layers, width, heads, MOST_TOKENS, Library.get().vocabulary_size))
    model.initialise(options.seed)
    return model


def _corpus(options: argparse.Namespace, known: Sequence[Subgraph], spaces: dict[str, Space],
            folder: Path) -> tuple[Sentences, Sentences, list[Space]]:
    quality = not options.published
    say(f"drawing {options.each} sentences of each of {len(spaces)} subgraphs")
    sentences = random_sentences(known, spaces, options.each, options.seed, quality)
    held_out = random_sentences(known, spaces, HELD_OUT, options.seed + 1_000_003, quality)
    held_spaces = [spaces[one.id] for one in known if one.id in spaces for _ in range(HELD_OUT)]
    folder.mkdir(parents=True, exist_ok=True)
    return sentences, held_out, held_spaces


def shuffled(rows: Sequence[dict[str, Any]], seed: int) -> list[dict[str, Any]]:
    """The latencies of each subgraph dealt anew among its programs: whatever is learnt from them is noise."""
    out = [dict(row) for row in rows]
    for subgraph in sorted({row["subgraph"] for row in out}):
        mine = [row for row in out if row["subgraph"] == subgraph and row["outcome"] == "ok"]
        latencies = [row["median_s"] for row in mine]
        random.Random(f"{seed}/{subgraph}").shuffle(latencies)
        for row, latency in zip(mine, latencies):
            row["median_s"] = latency
    return out


def _fine_tune(options: argparse.Namespace, spaces: dict[str, Space], device: torch.device, folder: Path) -> int:
    if bool(options.base) == options.from_scratch:
        raise Problem("fine-tuning needs either --base WEIGHTS or --from-scratch")
    rows = read_database(options.database)
    if options.shuffle_latencies:
        rows = shuffled(rows, options.seed)
    model = _new_model(options) if options.from_scratch else read_weights(options.base)[0]
    sentences = tuning_sentences(rows, spaces, not options.published, 4)
    if len(sentences) == 0:
        raise Problem(f"{options.database}: no measurement of these subgraphs succeeded, so there is nothing to learn")
    plan = Plan(options.epochs or 10, min(options.batch, 64), options.rate or 5e-5, options.seed)
    about = {"target": options.target, "quality": not options.published, "base": options.base or "",
             "shuffled": options.shuffle_latencies}
    progress = Training(model, sentences, plan, device, folder / "checkpoint.pt", about).run(report=_report_progress)
    card = {"made_by": "steptp tlm train --database", **about, "sentences": len(sentences), "measurements": len(rows),
            "epochs": plan.epochs, "seed": plan.seed, "loss": progress.loss}
    write_weights(folder / "tuned.weights", model, Library.get().vocabulary_sha256, card,
                  part_bytes=PART_BYTES if options.parts else None)
    print(f"{folder}/tuned.weights: fine-tuned on {len(sentences)} sentences of {len(rows)} measurements")
    return 0


def _settings(options: argparse.Namespace, focus: bool) -> Settings:
    return Settings(options.target, options.rounds, options.batches, options.each, options.seed, not options.published,
                    epochs=options.epochs, focus=focus)


def rounds(options: argparse.Namespace) -> int:
    known = read_subgraphs(options.subgraphs)
    run = Run(options.out, _settings(options, False), known, spaces_of(known, options.target), options.base,
              open_device(options.device, options.target, options.budget), torch_device(options), say)
    run.go()
    print(f"{run.database}: {_summary(read_database(run.database))}")
    return 0


def _summary(rows: Sequence[dict[str, Any]]) -> str:
    failed = sum(row["outcome"] != "ok" for row in rows)
    return f"{len(rows)} measurements, {failed} of them failures"


def parts_of_network(path: str) -> list[Subgraph]:
    done = subprocess.run([str(usual_binary()), "tlm", "partition", path, "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        raise Problem(done.stderr.strip() or f"`steptp tlm partition {path}` ended with status {done.returncode}")
    parts = [json.loads(line) for line in done.stdout.splitlines()]
    return weighted([(part["document"], part["name"]) for part in parts])


def tune(options: argparse.Namespace) -> int:
    known = parts_of_network(options.network)
    say(f"{options.network}: {len(known)} different parts, {round(sum(one.weight for one in known))} in all")
    spaces = spaces_of(known, options.target)
    run = Run(options.out, _settings(options, True), known, spaces, options.base,
              open_device(options.device, options.target, options.budget), torch_device(options), say)
    run.go()
    rows = read_database(run.database)
    sums = {count: weighted_sum(rows, known, count) for count in (1, 10, 32)}
    write_whole(Path(options.out, "sums.json"), json.dumps(sums, indent=1).encode() + b"\n")
    print(f"{run.database}: {_summary(rows)}")
    for count, total in sums.items():
        print(f"sum of weight x best latency after at most {count} measurements of each part: {total * 1e3:.4f} ms")
    return 0


def weighted_sum(rows: Sequence[dict[str, Any]], known: Sequence[Subgraph], count: int) -> float:
    """Parts without any successful measurement count as infinite, so that nothing is left out unseen."""
    total = 0.0
    for one in known:
        mine = [row for row in rows if row["subgraph"] == one.id][:count]
        best = min((row["median_s"] for row in mine if row["outcome"] == "ok"), default=math.inf)
        total += one.weight * best
    return total


def evaluate(options: argparse.Namespace) -> int:
    device = torch_device(options)
    known = read_subgraphs(options.subgraphs)
    names = [name for name in options.searches.split(",") if name]
    unknown = [name for name in names if name not in evaluation.PLAIN]
    if unknown:
        raise Problem(f"--searches: {unknown[0]!r} is none of {', '.join(evaluation.PLAIN)}")
    counts = tuple(int(count) for count in options.counts.split(","))
    table = options.device.removeprefix("recorded:") if options.device.startswith("recorded:") else None
    whole = evaluation.Evaluation(
        options.out, known, spaces_of(known, options.target), open_device(options.device, options.target, options.budget),
        options.target, evaluation.Budget(counts, options.seeds, tuple(names)), table, say)
    train_rows = read_database(options.train_database) if options.train_database else []
    train_set = read_subgraphs(options.train_subgraphs) if options.train_subgraphs else []
    if train_rows and not train_set:
        raise Problem("--train-database needs --train-subgraphs, the programs that it speaks of")
    report = whole.run([_contender(text, device) for text in options.model], train_rows, train_set)
    evaluation.write_report(options.out, report)
    print(evaluation.report_text(report), end="")
    return 0


def _contender(text: str, device: torch.device) -> evaluation.Contender:
    name, is_pair, path = text.partition("=")
    if not is_pair:
        raise Problem(f"--model {text}: wanted NAME=WEIGHTS")
    model, header = read_weights(path)
    card = header.get("card", {})
    tuned = card.get("measurements", 0)
    # Deciles are known after fine-tuning alone.
    quality = NO_WORD if not card.get("quality", True) else 0 if tuned else -1
    return evaluation.Contender(name, model.to(device).eval(), quality, tuned)


def table(options: argparse.Namespace) -> int:
    known = read_subgraphs(options.subgraphs)
    spaces = spaces_of(known, options.target)
    device = open_device(options.device, options.target, options.budget)
    for one in known:
        if one.id in spaces:
            count = evaluation.record_table(options.out, one, spaces[one.id], device, options.target, options.count, options.seed)
            say(f"{one.name}: {count} programs measured")
    print(f"{options.out}: {_summary(read_database(options.out))}")
    return 0


def merge(options: argparse.Namespace) -> int:
    print(f"{options.out}: {merge_databases(options.databases, options.out)} measurements")
    return 0


def curve(options: argparse.Namespace) -> int:
    rows = read_database(options.database)
    if not rows:
        raise Problem(f"{options.database}: there are no measurements in it")
    last = {}
    for (count, total), row in zip(convergence(rows), rows):
        last[row.get("round", 0)] = (count, total)
    for number, (count, total) in last.items():
        print(f"round {number}: {count} measurements, sum of best latencies {total * 1e3:.4f} ms")
    return 0

"""What each command does; __main__ has their options."""

from __future__ import annotations

import argparse
import json
import math
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Sequence

import torch

from . import evaluate as evaluation
from .corpus import Sentences, Subgraph, masked_uniform_entropy, open_spaces, read_subgraphs
from .corpus_file import draw_corpus, read_corpus, sentences_of, write_corpus
from .database import merge as merge_databases
from .database import convergence, read_database
from .devices import open_device, usual_binary
from .files import read_log, write_whole
from .learn import Learner, Recipe, TimeIsOver
from .model import SIZES, Model, Shape
from .report import make_report, report_text, write_report
from .rounds import Run, Settings
from .searches import PLAIN
from .space import MOST_TOKENS, NO_WORD, Library, Space
from .subgraphs import weighted, write_subgraphs
from .train import Plan, Progress, Training, mean_loss
from .tuning import split, tune_until_best, tuning_sentences
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
    folder.mkdir(parents=True, exist_ok=True)
    sentences, held_out, owners = _corpus(options, known, spaces)
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
    loss = mean_loss(model, held_out, 64, device)
    card = {"made_by": "steptp tlm train", **about, "subgraphs": len(spaces), "sentences": len(sentences),
            "epochs": plan.epochs, "seed": plan.seed, "loss": loss}
    if not options.no_entropy:
        card["masked_uniform_entropy"] = masked_uniform_entropy(held_out, [spaces[one] for one in owners])
    write_weights(folder / "base.weights", model, card, part_bytes=PART_BYTES if options.parts else None)
    write_whole(folder / "train.json", json.dumps(card, indent=1).encode() + b"\n")
    least = "" if options.no_entropy else f"; the least possible is {card['masked_uniform_entropy']:.4f}"
    print(f"{folder}/base.weights: loss {loss:.4f} on sentences that were kept apart{least}")
    return 0


def _new_model(options: argparse.Namespace) -> Model:
    layers, width, heads = SIZES[options.size]
    model = Model(Shape(layers, width, heads, MOST_TOKENS, Library.get().vocabulary_size))
    model.initialise(options.seed)
    return model


def _corpus(options: argparse.Namespace, known: Sequence[Subgraph],
            spaces: dict[str, Space]) -> tuple[Sentences, Sentences, list[str]]:
    if options.corpus and Path(options.corpus).exists():
        rows = read_corpus(options.corpus)
    else:
        say(f"drawing {options.each} sentences of each of {len(spaces)} subgraphs")
        rows = draw_corpus(known, spaces, options.each, options.seed)
        if options.corpus:
            write_corpus(options.corpus, rows)
    return sentences_of(rows, spaces, not options.published, HELD_OUT, options.seed)


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
    keep = options.keep or (4 if options.published else 0)
    learnt, apart = split(rows, options.hold_out, options.seed)
    sentences = tuning_sentences(learnt, spaces, not options.published, keep)
    if len(sentences) == 0:
        raise Problem(f"{options.database}: no measurement of these subgraphs succeeded, so there is nothing to learn")
    plan = Plan(options.epochs or 10, min(options.batch, 256) if options.keep or options.hold_out else min(options.batch, 64),
                options.rate or 5e-5, options.seed, row_tokens=options.row_tokens)
    about = {"target": options.target, "quality": not options.published, "base": options.base or "",
             "shuffled": options.shuffle_latencies, "keep": keep, "held_out": options.hold_out}
    card = {"made_by": "steptp tlm train --database", **about, "sentences": len(sentences), "measurements": len(rows),
            "epochs": plan.epochs, "seed": plan.seed}
    if options.hold_out:
        stop = tune_until_best(model.to(device), sentences, tuning_sentences(apart, spaces, not options.published, 1 << 20), plan,
                               device, say)
        card |= {"epoch": stop.epoch, "loss": stop.loss}
    else:
        card["loss"] = Training(model, sentences, plan, device, folder / "checkpoint.pt", about).run(report=_report_progress).loss
    folder.mkdir(parents=True, exist_ok=True)
    write_weights(folder / "tuned.weights", model, card,
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


def learn(options: argparse.Namespace) -> int:
    device = torch_device(options)
    end = time.monotonic() + 60 * options.minutes
    known = read_subgraphs(options.subgraphs)
    measures = open_device(options.device, options.target, options.budget, slowest=options.slowest)
    recipe = Recipe(options.target, options.size, options.each, options.epochs, options.batch, options.rate, options.pool, options.rounds,
                    options.per_round, options.seed, options.compile)
    learner = Learner(Path(options.out), options.pre_train_on or options.subgraphs, known, spaces_of(known, options.target), measures, device,
                      recipe, end, say)
    try:
        is_done = learner.go()
    except TimeIsOver:
        say("the time is over; the same call goes on")
        return 3
    rows = read_database(learner.folder / "run" / "database.jsonl")
    print(f"{learner.folder}/tuned.weights: {_summary(rows)}")
    if not is_done:
        say("the time was over in a round; the same call goes on with it and tunes anew")
    return 0 if is_done else 3


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
    part, parts = (int(number) for number in options.part.split("/"))
    if not 0 <= part < parts:
        raise Problem(f"--part {options.part}: wanted I/N with I from 0 to N - 1")
    known = known[part::parts]
    names = [name for name in options.searches.split(",") if name]
    unknown = [name for name in names if name not in PLAIN]
    if unknown:
        raise Problem(f"--searches: {unknown[0]!r} is none of {', '.join(PLAIN)}")
    counts = _counts(options.counts)
    table = options.device.removeprefix("recorded:") if options.device.startswith("recorded:") else None
    measures = open_device(options.device, options.target, options.budget, slowest=options.slowest, services=1)
    whole = evaluation.Evaluation(
        options.out, known, spaces_of(known, options.target), measures, options.target,
        evaluation.Budget(counts, options.seeds, tuple(names), options.model_count), table, say)
    if options.wait_for:
        whole.prepare()
        say(f"ready; waiting for {options.wait_for}")
        while not Path(options.wait_for).exists():
            time.sleep(0.2)
    train_rows = read_database(options.train_database) if options.train_database else []
    train_set = read_subgraphs(options.train_subgraphs) if options.train_subgraphs else []
    if train_rows and not train_set:
        raise Problem("--train-database needs --train-subgraphs, the programs that it speaks of")
    try:
        report = whole.run([_contender(text, device) for text in options.model], train_rows, train_set)
    finally:
        if table is None:
            whole.write_programs()
    write_report(options.out, report)
    print(report_text(report), end="")
    return 0


def _counts(text: str) -> tuple[int, ...]:
    return tuple(int(count) for count in text.split(","))


def _logs(paths: Sequence[str]) -> list[dict[str, Any]]:
    return [row for path in paths for row in read_database(path)]


def winners(options: argparse.Namespace) -> int:
    known = {one.id: one for one in read_subgraphs(options.subgraphs)}
    programs = [row for path in options.programs for row in read_log(path)]
    evaluation.measure_winners(options.out, programs, known, options.target, usual_binary(), options.device, options.budget, say)
    print(f"{options.out}: {_summary(read_database(options.out))}")
    return 0


def report(options: argparse.Namespace) -> int:
    rows = _logs(options.logs)
    again = {(row["subgraph"], tuple(row["values"])): row["median_s"]
             for row in (read_database(options.winners) if options.winners else []) if row["outcome"] == "ok"}
    known = read_subgraphs(options.subgraphs)
    families = [family for family in options.families.split(",") if family]
    among = [one for one in known if not families or one.family in families]
    if not among:
        raise Problem(f"--families {options.families}: there are {', '.join(sorted({one.family for one in known}))}")
    keep = {one.id for one in among}
    offline = {name: int(count) for name, _, count in (text.partition("=") for text in options.offline)}
    made = make_report([row for row in rows if row["subgraph"] in keep], among, _counts(options.counts), offline, again,
                       [name for name in options.methods.split(";") if name])
    if options.out:
        write_report(options.out, made)
    print(report_text(made), end="")
    return 0


def _contender(text: str, device: torch.device) -> evaluation.Contender:
    name, is_pair, path = text.partition("=")
    if not is_pair:
        raise Problem(f"--model {text}: wanted NAME=WEIGHTS, or NAME=WEIGHTS:ORDER")
    path, _, order = path.partition(":")
    if order and order not in evaluation.ORDERS:
        raise Problem(f"--model {text}: the order {order!r} is none of {', '.join(evaluation.ORDERS)}")
    model, header = read_weights(path)
    card = header.get("card", {})
    tuned = card.get("measurements", 0)
    # Deciles are known after fine-tuning alone.
    quality = NO_WORD if not card.get("quality", True) else 0 if tuned else -1
    return evaluation.Contender(name, model.to(device).eval(), quality, tuned, order or "drawn")


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

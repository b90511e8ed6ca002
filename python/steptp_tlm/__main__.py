"""The commands of the tensor language model; `steptp tlm train` and its sisters start them."""

from __future__ import annotations

import argparse
import sys
from typing import Callable

from . import commands
from .commands import Problem
from .corpus_file import OtherCorpus
from .database import BadRow
from .files import DamagedLog
from .model import SIZES
from .rounds import OtherRun
from .searches import PLAIN
from .space import Refused, SpaceError
from .subgraphs import CannotMake
from .train import OtherTraining
from .weights import WeightsError

# What is wrong with the input, and not with us: a message and status 2.
INPUT_ERRORS = (Problem, BadRow, DamagedLog, OtherRun, OtherTraining, OtherCorpus, WeightsError, Refused, FileExistsError,
                FileNotFoundError, IsADirectoryError, PermissionError, ValueError)


def _shared(parser: argparse.ArgumentParser, target: bool = True) -> None:
    parser.add_argument("--out", required=True, help="the folder (or file) for what comes of it; a second call goes on there")
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same files on a CPU (default 1)")
    if target:
        parser.add_argument("--target", default="cpu", help="a device with rates, such as cpu or nvidia-h200 (default cpu)")
    parser.add_argument("--torch-device", default="", help="where the model runs: cpu or cuda (default: cuda where there is one)")
    parser.add_argument("--threads", type=int, default=1, help="how many threads PyTorch takes on a CPU (default 1)")


def _add_train(add: Callable[..., argparse.ArgumentParser]) -> None:
    train = add("train", commands.train, "pre-train a model on random sentences, or fine-tune one on measurements")
    train.add_argument("subgraphs", help="JSON lines, as `steptp tlm subgraphs` writes them")
    _shared(train)
    train.add_argument("--size", default="default", choices=list(SIZES), help="the model's size (default: 11 M parameters)")
    train.add_argument("--each", type=int, default=5000, help="sentences of each subgraph (default 5000)")
    train.add_argument("--corpus", help="a file for these sentences: read where it is there, written otherwise")
    train.add_argument("--epochs", type=int, default=None, help="how often each sentence is seen (default 2; fine-tuning 10)")
    train.add_argument("--batch", type=int, default=256, help="sentences in a step (default 256)")
    train.add_argument("--rate", type=float, default=None, help="the highest learning rate (default 3e-4; fine-tuning 5e-5)")
    train.add_argument("--row-tokens", type=int, default=384, help="sentences with one prompt share rows of this length (default 384)")
    train.add_argument("--no-entropy", action="store_true", help="do not work out the least possible loss, which visits all programs")
    train.add_argument("--minutes", type=float, default=None, help="stop after so long; the same call goes on")
    train.add_argument("--compile", action="store_true", help="compile the model (worth it on a GPU)")
    train.add_argument("--published", action="store_true", help="without the words for quality, as published")
    train.add_argument("--base", help="fine-tune these weights on --database; nothing is drawn")
    train.add_argument("--database", help="measurements to fine-tune on")
    train.add_argument("--keep", type=int, default=0, help="with --database: learn from the best so many plans of each program only")
    train.add_argument("--hold-out", type=int, default=0, help="with --database: keep so many programs apart, and the weights of the epoch with the least loss on their best plans")
    train.add_argument("--from-scratch", action="store_true", help="with --database: drawn weights instead of a base")
    train.add_argument("--shuffle-latencies", action="store_true", help="with --database: a control, which must not help")
    train.add_argument("--parts", action="store_true", help="write the weights in files of at most 15 MiB")


def _add_rounds(add: Callable[..., argparse.ArgumentParser]) -> None:
    for name, command, words in (
        ("round", commands.rounds, "rounds of drawing, measuring and fine-tuning"),
        ("tune", commands.tune, "the same for the parts of a network, which count as often as they occur"),
    ):
        one = add(name, command, words)
        what = "JSON lines with subgraphs" if name == "round" else "a .pt2 archive, or a .leir program"
        one.add_argument("subgraphs" if name == "round" else "network", help=what)
        _shared(one)
        one.add_argument("--base", required=True, help="the weights to begin with")
        one.add_argument("--device", default="cpu", help="what measures: cpu, cuda, analytic or recorded:FILE (default cpu)")
        one.add_argument("--rounds", type=int, default=8 if name == "round" else 3, help="how many rounds (default %(default)s)")
        one.add_argument("--batches", type=int, default=1, help="parts of a round, with a fine-tuning before each (default 1)")
        one.add_argument("--each", type=int, default=16, help="sentences of each subgraph in a round (default 16)")
        one.add_argument("--epochs", type=int, default=10, help="of fine-tuning (default 10)")
        one.add_argument("--budget", type=float, default=0.3, help="seconds for the measurements of one program (default 0.3)")
        one.add_argument("--published", action="store_true", help="without quality words; the best 4 of each subgraph count")


def _add_learn(add: Callable[..., argparse.ArgumentParser]) -> None:
    one = add("learn", commands.learn, "weights for a device in one call: pre-training, rounds, tuned weights")
    one.add_argument("subgraphs", help="JSON lines, as `steptp tlm subgraphs` writes them")
    _shared(one)
    one.add_argument("--pre-train-on", default="", help="JSON lines with more subgraphs, for pre-training (default: the same)")
    one.add_argument("--device", default="cpu", help="what measures: cpu, cuda or analytic (default cpu)")
    one.add_argument("--budget", type=float, default=0.008, help="seconds for the measurements of one program (default %(default)s)")
    one.add_argument("--slowest", type=float, default=0.005, help="what is expected to take more seconds is not run (default %(default)s)")
    one.add_argument("--size", default="medium", choices=list(SIZES), help="the model's size (default: 3 M parameters)")
    one.add_argument("--each", type=int, default=5000, help="random sentences of each subgraph (default 5000)")
    one.add_argument("--rate", type=float, default=1e-3, help="the highest learning rate of pre-training (default 1e-3)")
    one.add_argument("--epochs", type=int, default=2, help="of pre-training (default 2)")
    one.add_argument("--batch", type=int, default=2048, help="sentences in a step of pre-training (default 2048)")
    one.add_argument("--compile", action="store_true", help="compile the model for pre-training (worth it on a GPU)")
    one.add_argument("--pool", type=int, default=160, help="sentences of each subgraph that the analytic model looks at (default 160)")
    one.add_argument("--rounds", type=int, default=8, help="how many rounds (default 8)")
    one.add_argument("--per-round", type=int, default=8, help="measurements of each subgraph in a round (default 8)")
    one.add_argument("--minutes", type=float, default=1e6, help="stop after so long; the same call goes on")


def _add_evaluate(add: Callable[..., argparse.ArgumentParser]) -> None:
    one = add("evaluate", commands.evaluate, "models and searches side by side, with the same number of measurements")
    one.add_argument("subgraphs", help="JSON lines with subgraphs that no model was trained on")
    _shared(one)
    one.add_argument("--device", default="cpu", help="what measures: cpu, cuda, analytic or recorded:FILE (a table)")
    one.add_argument("--budget", type=float, default=0.3, help="seconds for the measurements of one program (default 0.3)")
    one.add_argument("--model", action="append", default=[], metavar="NAME=WEIGHTS", help="a model to compare; may be repeated. WEIGHTS:likeliest tries its likeliest sentences first, "
                     "WEIGHTS:above-chance those that it makes likelier than chance does, WEIGHTS:expected those that the "
                     "analytic model expects to be fastest")
    one.add_argument("--slowest", type=float, default=float("inf"), help="what is expected to take more seconds is not run, and counts as a failure")
    one.add_argument("--model-count", type=int, default=0, help="measurements of models and of the nearest neighbour, where they get fewer than the searches (default 0: as many)")
    one.add_argument("--part", default="0/1", metavar="I/N", help="only every N-th subgraph from the I-th on, to share the work (default 0/1: all)")
    one.add_argument("--counts", default="1,4,10,16,32,64", help="after how many measurements (default %(default)s)")
    one.add_argument("--seeds", type=int, default=5, help="how often each method is run (default 5)")
    one.add_argument("--searches", default=",".join(PLAIN), help="which searches (default all: %(default)s)")
    one.add_argument("--train-database", help="measurements of the training set, for the nearest neighbour")
    one.add_argument("--train-subgraphs", help="the subgraphs of that database")
    one.add_argument("--wait-for", default="", metavar="FILE", help="prepare what needs no model, then begin when this file is there")
    again = add("winners", commands.winners, "the best programs of all searches of an evaluation, measured again by turns")
    again.add_argument("subgraphs", help="the subgraphs of the evaluation")
    again.add_argument("programs", nargs="+", help="programs.jsonl of `evaluate`, one or several; .xz as well")
    _shared(again)
    again.add_argument("--device", default="cpu", help="what measures: cpu or cuda (default cpu)")
    again.add_argument("--budget", type=float, default=0.3, help="seconds for the measurements of one program (default 0.3)")
    made = add("report", commands.report, "the tables of an evaluation, from its measurements alone")
    made.add_argument("subgraphs", help="the subgraphs of the evaluation")
    made.add_argument("logs", nargs="+", help="measurements.jsonl of `evaluate`, one or several; .xz as well")
    made.add_argument("--winners", help="what `winners` wrote: these times count instead of the first ones")
    made.add_argument("--counts", default="1,4,10,16,32,64", help="after how many measurements (default %(default)s)")
    made.add_argument("--families", default="", help="only these families, with commas between them")
    made.add_argument("--methods", default="", help="only these methods, with semicolons between them, over the programs that all of them were run on")
    made.add_argument("--offline", action="append", default=[], metavar="METHOD=COUNT", help="measurements beforehand of a method")
    made.add_argument("--out", default="", help="a folder for report.md and report.json")
    table = add("table", commands.table, "measure many random programs of each subgraph once, as a table for evaluate")
    table.add_argument("subgraphs", help="JSON lines with subgraphs")
    _shared(table)
    table.add_argument("--device", default="cpu", help="what measures: cpu, cuda or analytic (default cpu)")
    table.add_argument("--budget", type=float, default=0.3, help="seconds for the measurements of one program (default 0.3)")
    table.add_argument("--count", type=int, default=4096, help="programs of each subgraph (default 4096)")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="steptp tlm", description=__doc__,
                                     epilog="docs/tlm.md tells the order of work, and what was measured.")
    verbs = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, run: Callable[[argparse.Namespace], int], words: str) -> argparse.ArgumentParser:
        one = verbs.add_parser(name, help=words, description=words)
        one.set_defaults(run=run)
        return one

    _add_train(add)
    _add_rounds(add)
    _add_learn(add)
    _add_evaluate(add)
    some = add("subgraphs", commands.subgraphs, "programs of the zoo to train and to test on, as two files")
    some.add_argument("--out", required=True, help="a folder, for train.jsonl and test.jsonl")
    some.add_argument("--seed", type=int, default=1)
    some.add_argument("--shapes", type=int, default=25, help="of each family, to train on (default 25)")
    some.add_argument("--test-shapes", type=int, default=3, help="of each family, to test on (default 3)")
    some.add_argument("--scale", type=int, default=1, help="1: sizes for CPUs (default), 4: for GPUs")
    merged = add("merge", commands.merge, "several databases as one, each measurement once")
    merged.add_argument("databases", nargs="+")
    merged.add_argument("--out", required=True, help="a file that is not there yet")
    curve = add("curve", commands.curve, "the sum of the best latencies after each round of a run")
    curve.add_argument("database")
    return parser


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        return options.run(options)
    except KeyboardInterrupt:
        print("steptp tlm: interrupted; the same call goes on from here", file=sys.stderr)
        return 3
    except SpaceError as error:
        print(f"steptp tlm: {error}", file=sys.stderr)
        return 4
    except INPUT_ERRORS as error:
        print(f"steptp tlm: {error}", file=sys.stderr)
        return 2
    except CannotMake as error:
        print(f"steptp tlm: {error}", file=sys.stderr)
        return 1



if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Traces to read whole: some of each strategy, drawn from a build and told anew by the binary at hand.

Each is shown with the nests that the step takes out (-) and puts in (+), so that a reader can compare what the trace
says with what was done. False or empty sentences that are found belong into testing/data/false_sentences.jsonl, with
the program, the strategy, the choice, and the words that must not come again ("never") or were missing ("needs").
Usage: draw_traces.py STEPTP FOLDER_OF_A_BUILD [--seed N] [--each K]. It needs zstd.
"""

from __future__ import annotations

import argparse
import collections
import difflib
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path


def entries_of(folder: Path) -> dict[str, list[tuple[dict, dict]]]:
    """Programs with their entries, by the strategy of the last step."""
    found: dict[str, list[tuple[dict, dict]]] = collections.defaultdict(list)
    for part in sorted((folder / "raw").glob("*.jsonl.zst")):
        content = subprocess.run(["zstd", "-dcq", str(part)], capture_output=True, check=True).stdout
        for line in content.decode().splitlines():
            record = json.loads(line)
            for entry in record["entries"]:
                found[entry["recipe"][-1]["strategy"]].append((record["program"], entry))
    return found


def difference(before: str, after: str) -> str:
    lines = difflib.unified_diff(before.split(";"), after.split(";"), lineterm="", n=1)
    return "\n".join(line for line in lines if not line.startswith(("---", "+++", "@@")))


def told(steptp: str, program: dict, entry: dict, seed: int) -> tuple[str, str, str]:
    """The program before and after in the compact spelling, and the trace."""
    step = entry["recipe"][-1]
    record = {"program": program["name"], "signature": program["signature"], "leir": entry["before"]}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(record, file)
        file.flush()
        words = [file.name, "--profile", "compact"]
        before = subprocess.run([steptp, "fmt", *words], capture_output=True, text=True, check=True).stdout.strip()
        choice = ["--strategy", step["strategy"], "--choice", json.dumps(step["choice"])]
        made = subprocess.run([steptp, "apply", *words, *choice, "--reasoning", "--json", "--seed", str(seed)],
                              capture_output=True, text=True, check=True)
    answer = json.loads(made.stdout)
    return before, answer["leir"].strip(), answer["reasoning"]


def variable(one: dict) -> str:
    return f"{one['role']} {one['name']} {one['dtype']}{one['shape']} {one.get('domain') or ''}".rstrip()


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("steptp")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=1, help="how many of each strategy")
    arguments = parser.parse_args(words)
    draw = random.Random(arguments.seed)
    number = 0
    for strategy, entries in sorted(entries_of(arguments.folder).items()):
        for program, entry in draw.sample(entries, min(arguments.each, len(entries))):
            number += 1
            before, after, trace = told(arguments.steptp, program, entry, draw.randrange(10**6))
            print(f"##### {number} {strategy} {json.dumps(entry['recipe'][-1]['choice'])}")
            print("; ".join(variable(one) for one in program["signature"]))
            print(difference(before, after), "\n\n", trace, "\n", sep="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

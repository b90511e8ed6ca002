#!/usr/bin/env python3
"""Asks two builds of steptp to judge the same pairs and compares the answers byte for byte, `work` counters included.

Whoever takes the judge apart without changing what it answers runs this before merging:

    build/testing/frozen_pairs behaviour 1 2000 pairs.jsonl     # corpus, examples, 2,000 equal pairs, 2,000 mutants
    tools/compare_behaviour.py OLD/steptp NEW/steptp pairs.jsonl

OLD and NEW are two binaries, or files that --save wrote. Pairs are judged by turns in blocks, and the CPU time of each
binary is summed up, so that the ratio of times means something on a machine that does other work.
Exit status: 0 the same answers, 1 other answers (each is printed), 2 wrong usage, 4 a binary failed.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

BLOCK = 200


def judge(binary: Path, lines: list[str]) -> tuple[list[str], float]:
    """The answers of one binary, and the CPU seconds that they took."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.write("".join(lines))
        file.flush()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [str(binary), "verify", "--pairs", file.name, "--json", "--seed", "1", "--jobs", "1"]
        done = subprocess.run(command, capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    answers = done.stdout.splitlines()
    if len(answers) != len(lines):
        print(f"compare_behaviour: {binary} answered {len(answers)} of {len(lines)} pairs\n{done.stderr}", file=sys.stderr)
        raise SystemExit(4)
    return answers, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path, help="a binary, or answers that --save wrote")
    parser.add_argument("new", type=Path, help="the binary that must answer the same")
    parser.add_argument("pairs", type=Path, help="pairs as `verify --pairs` reads them")
    parser.add_argument("--save", type=Path, help="write the answers of NEW to this file")
    parser.add_argument("--every", type=int, default=1, help="only one pair in so many")
    arguments = parser.parse_args()
    lines = arguments.pairs.read_text(encoding="utf-8").splitlines(keepends=True)[:: arguments.every]
    kept = None
    if arguments.old.suffix == ".answers":
        kept = arguments.old.read_text(encoding="utf-8").splitlines()[:: arguments.every]
        if len(kept) != len(lines):
            print(f"compare_behaviour: {arguments.old} holds {len(kept)} answers for {len(lines)} pairs", file=sys.stderr)
            return 2
    different, old_seconds, new_seconds, saved = 0, 0.0, 0.0, []
    for start in range(0, len(lines), BLOCK):
        block = lines[start : start + BLOCK]
        if kept is not None:
            old = kept[start : start + BLOCK]
        else:
            old, seconds = judge(arguments.old, block)
            old_seconds += seconds
        new, seconds = judge(arguments.new, block)
        new_seconds += seconds
        saved += new
        for before, after in zip(old, new):
            if before != after:
                different += 1
                print(f"old {before}\nnew {after}")
        print(f"\r{min(start + BLOCK, len(lines))} of {len(lines)} pairs, {different} answered otherwise", end="", file=sys.stderr)
    print(file=sys.stderr)
    if arguments.save:
        arguments.save.write_text("".join(line + "\n" for line in saved), encoding="utf-8")
    times = f"{new_seconds:.1f} s" if kept is not None else f"{old_seconds:.1f} and {new_seconds:.1f} s of CPU, ratio {new_seconds / max(old_seconds, 1e-9):.3f}"
    print(f"{len(lines)} pairs, {different} answered otherwise; {times}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())

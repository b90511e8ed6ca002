#!/usr/bin/env python3
"""How long judgements of real programs take: p50, p95 and p99 in milliseconds of CPU time, and the verdicts.

Every program of a .jsonl file of records is judged against itself, against a copy with other names, against copies in
which one loop is split, or two neighbouring loops are exchanged, against what one and four drawn steps of our strategies
make of it, and against a wrong copy with a small number added.
Needs the Python package. Usage: verify_corpus.py [FILE.jsonl] [--budget N] [--only KIND]   (FILE: else STEPTP_CORPUS)
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import random
import re
import sys
import time
from collections.abc import Iterator

import steptp

LOOP = re.compile(r"L\^\{(\d+)\}_\{([a-z]+)=0\}")
SUPERSCRIPT = re.compile(r"(\^\{[^{}]*\})")


def replace_index(text: str, name: str, new: str) -> str:
    """Dtypes and scopes stand in superscripts and are left alone; everything else of that name is the index."""
    parts = SUPERSCRIPT.split(text)
    parts[::2] = [re.sub(rf"(?<![A-Za-z]){name}(?![A-Za-z(])", new, part) for part in parts[::2]]
    return "".join(parts)


def split_loop(nest: str) -> str | None:
    """The first serial loop of a nest with one body, in two; None where there is none."""
    if nest.count("[") != 1:
        return None
    loops, body = nest.split("[")
    for match in LOOP.finditer(loops):
        extent, name = int(match[1]), match[2]
        factor = next((f for f in (32, 16, 8, 4, 2, 3, 7, 5) if extent % f == 0 and extent > f), None)
        if factor is None:
            continue
        two = f"L^{{{extent // factor}}}_{{uu=0}}L^{{{factor}}}_{{w=0}}"
        changed = loops[: match.start()] + two + loops[match.end() :]
        return changed + "[" + replace_index(body, name, f"(uu*{factor}+w)")
    return None


def exchange_loops(nest: str) -> str | None:
    if nest.count("[") != 1:
        return None
    changed, count = re.subn(r"(L\^\{\d+\}_\{[a-z]+=0\})(L\^\{\d+\}_\{[a-z]+=0\})", r"\2\1", nest, count=1)
    return changed if count else None


def add_little(nest: str) -> str | None:
    """Accumulations stay what they are: what is accumulated gets a little more."""
    if nest.count("[") != 1 or not nest.endswith(";];"):
        return None
    left, equals, right = nest[nest.rindex("[") + 1 :].partition("=")
    if ";" in right[:-3]:
        return None
    head = nest[: nest.rindex("[") + 1] + left + equals
    for start, instead in ((f"max({left},", "0.001+"), (f"min({left},", "0.001+"), (f"{left}*", "1.001*")):
        if right.startswith(start):
            return head + start + instead + right[len(start) :]
    return head + right[:-3] + "+0.001;];"


def changed(text: str, change, *, last: bool = False) -> str | None:
    """The program with the first (or last) nest changed that can be."""
    nests = [nest + "];" for nest in text.split("];") if nest.strip()]
    if "];".join(nest[:-2] for nest in nests) + "];" != text.strip():
        return None
    for i in reversed(range(len(nests))) if last else range(len(nests)):
        if (new := change(nests[i])) is not None:
            return "".join([*nests[:i], new, *nests[i + 1 :]])
    return None


def walked(program: steptp.Program, steps: int, seed: int) -> steptp.Program | None:
    """The program after drawn steps, each of another drawn strategy; None where there are fewer."""
    names = [entry["name"] for entry in steptp.strategies()]
    random.Random(f"{seed} {program.to_text(header=False)}").shuffle(names)
    for name in names:
        if steps == 0:
            break
        if drawn := steptp.choices(program, name, sample=1, seed=seed):
            program, steps = steptp.apply(program, name, drawn[0]["choice"]).program, steps - 1
    return program if steps == 0 else None


def pairs(path: str) -> Iterator[tuple[str, str, steptp.Program, str | steptp.Program]]:
    with open(path, encoding="utf-8") as lines:
        for line in filter(str.strip, lines):
            program = steptp.read(line)
            if steptp.check(program).ok is False:
                print(f"left out, check finds errors: {program.name}", file=sys.stderr)
                continue
            text = program.to_text(header=False)
            kinds = {
                "self": program,
                "renamed": steptp.canonical(program),
                "split": changed(text, split_loop),
                "exchanged": changed(text, exchange_loops),
                "step": walked(program, 1, 1),
                "step 2": walked(program, 1, 2),
                "step 3": walked(program, 1, 3),
                "four steps": walked(program, 4, 4),
                "wrong": changed(text, add_little, last=True),
            }
            for kind, after in kinds.items():
                if after is not None:
                    yield kind, json.loads(line).get("program", "?"), program, after


def quantile(numbers: list[float], part: float) -> float:
    return sorted(numbers)[min(len(numbers) - 1, int(part * (len(numbers) - 1) + 0.5))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", default=os.environ.get("STEPTP_CORPUS"))
    parser.add_argument("--budget", type=int)
    parser.add_argument("--only")
    options = parser.parse_args()
    if not options.file:
        parser.error("no FILE, and STEPTP_CORPUS is not set")
    times: dict[str, list[float]] = collections.defaultdict(list)
    verdicts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    slowest: dict[str, tuple[float, str]] = {}
    for kind, name, before, after in pairs(options.file):
        if options.only not in (None, kind):
            continue
        start = time.process_time()
        judgement = steptp.verify(before, after, budget=options.budget)
        spent = 1000 * (time.process_time() - start)
        kind = kind.partition(" ")[0] if kind.startswith("step") else kind
        times[kind].append(spent)
        verdicts[kind][judgement.verdict] += 1
        slowest[kind] = max(slowest.get(kind, (0, "")), (spent, name))
        unexpected = judgement.verdict != "differs" if kind == "wrong" else not judgement
        if unexpected:
            print(f"{kind} {name}: {judgement.verdict}, {judgement.reason}", file=sys.stderr)
    print(f"{'pairs':10} {'count':>5} {'p50':>9} {'p95':>9} {'p99':>9} {'worst':>9}  verdicts")
    for kind, numbers in times.items():
        row = [quantile(numbers, part) for part in (0.5, 0.95, 0.99, 1)]
        found = " ".join(f"{verdict}={count}" for verdict, count in sorted(verdicts[kind].items()))
        print(f"{kind:10} {len(numbers):5} " + " ".join(f"{number:9.2f}" for number in row) + f"  {found} ({slowest[kind][1]})")
    return 0


if __name__ == "__main__":
    sys.exit(main())

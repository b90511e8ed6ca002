#!/usr/bin/env python3
"""How long the judge takes for wrong programs: single-token mutants of the programs of a file, at their own shapes.

Each pair is judged in a process of its own, so that CPU time and peak memory are of that pair alone. Prints one line per
pair on request, and a table of p50, p95 and p99 per verdict. Mutants that are invalid are drawn again.
Usage: verify_mutants.py [FILE.jsonl] [--steptp PATH] [--count N] [--seed N] [--limit SECONDS] [--each]
       [--only REGEX]
(FILE: else STEPTP_CORPUS)
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile

SUPERSCRIPT = re.compile(r"\^\{[^{}]*\}")
TOKEN = re.compile(r"\*\*|//|<=|>=|==|!=|[-+*/<>]|\d+(?:\.\d+)?(?:e[-+]?\d+)?|[A-Za-z_]+")
OTHERS = {
    "+": "-*", "-": "+*", "*": "+/", "/": "*", "**": "*", "<": ("<=", ">"), "<=": ("<",), ">": (">=", "<"),
    ">=": (">",), "==": ("!=",), "!=": ("==",), "max": ("min",), "min": ("max",), "exp": ("log", "abs"),
    "log": ("exp",), "sqrt": ("abs", "exp"), "abs": ("exp",), "erf": ("exp",), "tanh": ("exp",), "sin": ("cos",),
    "cos": ("sin",),
}  # fmt: skip


def replacements(token: str, text: str, at: int) -> list[str]:
    if token in OTHERS:
        return list(OTHERS[token])
    if token[0].isdigit():
        number = float(token)
        return [str(int(number) + 1), str(int(number) * 2 + 3)] if number == int(number) and "e" not in token else ["0.5"]
    if token[0].isupper() and len(token) <= 2 and text[at + len(token)] == "^":
        # Another tensor of the same type and rank.
        return sorted(set(re.findall(r"(?<![A-Za-z_^{])([A-Z][a-z]?)(?=\^\{f)", text)) - {token})
    if token.islower() and len(token) <= 2:
        return ["a", "c", "d", "f", "tx"]
    return []


def mutant(text: str, source: random.Random) -> str | None:
    """The text with one token of some right side changed."""
    hidden = {i for match in SUPERSCRIPT.finditer(text) for i in range(*match.span())}
    bodies = [match.span(1) for match in re.finditer(r"=([^=\[\]][^;\[\]]*);", text)]
    start, end = source.choice(bodies)
    tokens = [m for m in TOKEN.finditer(text, start, end) if m.start() not in hidden]
    if not tokens:
        return None
    token = source.choice(tokens)
    choices = [c for c in replacements(token[0], text, token.start()) if c != token[0]]
    if not choices:
        return None
    return text[: token.start()] + source.choice(choices) + text[token.end() :]


def judge(steptp: str, pair: dict, limit: float) -> tuple[dict, float, float]:
    """The answer, seconds of CPU time and megabytes."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.write(json.dumps(pair) + "\n")
        file.flush()
        with subprocess.Popen([steptp, "verify", "--pairs", file.name, "--json", "-j1"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL) as process:  # fmt: skip
            signal.signal(signal.SIGALRM, lambda *_: process.kill())
            signal.setitimer(signal.ITIMER_REAL, limit)
            out = process.stdout.read()
            _, _, usage = os.wait4(process.pid, 0)
            process.returncode = 0
            signal.setitimer(signal.ITIMER_REAL, 0)
    line = out.decode().strip()
    answer = json.loads(line) if line else {"verdict": "no answer", "reason": f"more than {limit} s"}
    return answer, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def quantile(numbers: list[float], part: float) -> float:
    return sorted(numbers)[min(len(numbers) - 1, int(part * (len(numbers) - 1) + 0.5))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", default=os.environ.get("STEPTP_CORPUS"))
    parser.add_argument("--steptp", default="build/cli/steptp")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=20)
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--only", default="", help="a regular expression for the names of programs")
    options = parser.parse_args()
    if not options.file:
        parser.error("no FILE, and STEPTP_CORPUS is not set")
    with open(options.file, encoding="utf-8") as lines:
        programs = [json.loads(line) for line in lines if line.strip()]
    programs = [program for program in programs if re.search(options.only, program["program"])]
    source = random.Random(options.seed)
    found: dict[str, list[tuple[float, float, str]]] = collections.defaultdict(list)
    while sum(map(len, found.values())) < options.count:
        program = source.choice(programs)
        after = mutant(program["leir"], source)
        if after is None:
            continue
        pair = {"id": program["program"], "signature": program["signature"], "before": program["leir"], "after": after}
        answer, seconds, megabytes = judge(options.steptp, pair, options.limit)
        if answer["verdict"] == "invalid" or answer["reason"].startswith(("precision", "before: ")):
            continue
        found[answer["verdict"]].append((1000 * seconds, megabytes, program["program"]))
        if options.each:
            print(f"{answer['verdict']:10} {1000 * seconds:9.1f} ms {megabytes:7.0f} MB {answer.get('work', 0):12} "
                  f"{program['program']}: {answer['reason']}", flush=True)  # fmt: skip
    print(f"{'verdict':10} {'count':>5} {'p50 ms':>9} {'p95 ms':>9} {'p99 ms':>9} {'worst':>9} {'peak MB':>8}")
    for verdict, rows in sorted(found.items()):
        times = [row[0] for row in rows]
        row = " ".join(f"{quantile(times, part):9.1f}" for part in (0.5, 0.95, 0.99, 1))
        print(f"{verdict:10} {len(rows):5} {row} {max(r[1] for r in rows):8.0f}  ({max(rows)[2]})")
    return 0


if __name__ == "__main__":
    sys.exit(main())

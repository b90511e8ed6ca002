"""The conversation of a rival with `steptp time --rival` (docs/lowering.md), for one column."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable


def reason(error: Exception) -> str:
    """One line: of a command that failed the last thing it said, otherwise the first line of the error."""
    if isinstance(error, subprocess.CalledProcessError) and error.stderr:
        return error.stderr.strip().splitlines()[-1][:300]
    return f"{type(error).__name__}: {error}".splitlines()[0][:300]


def samples_of(run: Callable[[], float], seconds: float, most: int) -> list[float]:
    """Runs as many as fit into the time, at least one and at most `most`."""
    begin = time.monotonic()
    samples = [run()]
    while len(samples) < most and time.monotonic() - begin < seconds:
        samples.append(run())
    return samples


def converse(name: str, prepare: Callable[[], Callable[[], float]]) -> int:
    """`prepare` makes what is measured, warmed up: a function that runs it once, from cold caches, and returns the
    seconds that it took. What it prints goes to standard error. Returns the exit status."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def say(answer: dict) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    try:
        run = prepare()
    except Exception as error:  # whatever it is, the column says so
        say({"columns": [{"name": name, "error": reason(error)}]})
        return 1
    say({"columns": [{"name": name}]})
    for line in sys.stdin:
        _, seconds, most = line.split()
        say({"samples": samples_of(run, float(seconds), int(most))})
    return 0

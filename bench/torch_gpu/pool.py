#!/usr/bin/env python3
"""Modules of PyTorch on a GPU through all doors of steptp, many processes at once: each module in its turn, a row of JSON
for each in OUT/modules.jsonl, and a summary with every failure. A module that takes too long costs its process and no other.

Usage: pool.py FOLDER -o OUT [--jobs N] [--seconds S] [--each S] [--gradients-of-every N]
FOLDER has files with Model, get_inputs and get_init_inputs. Exit status 1 where one is wrong or fails, 4 without a GPU.
"""

from __future__ import annotations

import argparse
import json
import queue
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent


class Worker:
    """A process that takes names of files and gives rows."""

    def __init__(self, log: Path) -> None:
        self.log = log
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-u", str(HERE / "check_module.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self.log.open("a"), text=True,
        )

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()

    def row(self, path: Path, gradients: bool, seconds: float) -> dict:
        """What came of one file; a process that does not answer in time is replaced."""
        timer = threading.Timer(seconds, self.process.kill)
        timer.start()
        begin = time.monotonic()
        try:
            self.process.stdin.write(json.dumps({"file": str(path), "gradients": gradients}) + "\n")
            self.process.stdin.flush()
            for line in self.process.stdout:
                if line.startswith('{"row"'):
                    return json.loads(line)["row"]
        except (BrokenPipeError, ValueError):
            pass
        finally:
            timer.cancel()
        took = time.monotonic() - begin
        self.stop()
        self.start()
        why = f"more than {seconds:g} s" if took >= seconds - 1 else f"its process ended after {took:.0f} s"
        return {"name": path.stem, "failures": {"process": why}}


def serve(work: queue.Queue, rows: list, out, options: argparse.Namespace, deadline: float, number: int) -> None:
    worker = Worker(Path(options.out) / f"worker_{number % 2}.log")
    while time.monotonic() < deadline:
        try:
            at, path = work.get_nowait()
        except queue.Empty:
            break
        row = worker.row(path, at % options.gradients_of_every == 0, min(options.each, max(deadline - time.monotonic(), 1)))
        rows.append(row)
        out.write(json.dumps(row) + "\n")
        out.flush()
        state = "ok" if not row["failures"] else f"FAILS: {', '.join(row['failures'])}"
        print(f"{len(rows)} {row['name']}: {state} ({row.get('seconds', 0):.1f} s)", flush=True)
    worker.stop()


def summary(rows: list, asked: int) -> str:
    failures = Counter((kind, str(text).strip().splitlines()[-1][:200]) for row in rows for kind, text in row["failures"].items())
    groups = sum(row.get("groups", 0) for row in rows)
    lines = [
        f"modules: {len(rows)} of {asked}, {sum(not row['failures'] for row in rows)} right in all parts, {groups} groups, "
        f"{sum(row.get('planned', 0) for row in rows)} planned, {sum(row.get('operators_ours', 0) for row in rows)} operators in "
        f"our kernels, {sum(row.get('operators_eager', 0) for row in rows)} with eager",
        *(f"{times} times {kind}: {text}" for (kind, text), times in failures.most_common()),
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("-o", "--out", required=True)
    parser.add_argument("--jobs", type=int, default=14)
    parser.add_argument("--seconds", type=float, default=90)
    parser.add_argument("--each", type=float, default=40)
    parser.add_argument("--gradients-of-every", type=int, default=3)
    options = parser.parse_args()
    deadline = time.monotonic() + options.seconds
    Path(options.out).mkdir(parents=True, exist_ok=True)
    work: queue.Queue = queue.Queue()
    paths = sorted(Path(options.folder).rglob("*.py"))
    for item in enumerate(paths):
        work.put(item)
    rows: list = []
    with (Path(options.out) / "modules.jsonl").open("w") as out:
        threads = [threading.Thread(target=serve, args=(work, rows, out, options, deadline, number)) for number in range(options.jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    text = summary(rows, len(paths))
    (Path(options.out) / "modules.md").write_text(text)
    print(text, end="")
    return 0 if rows and not any(row["failures"] for row in rows) and len(rows) == len(paths) else 1


if __name__ == "__main__":
    sys.exit(main())

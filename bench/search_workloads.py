#!/usr/bin/env python3
"""Searches the published workloads on a GPU, beside PyTorch's times.

    python3 bench/search_workloads.py STEPTP --out ROWS --journals DIR [--only 2,5-9] [--samples N] [--algorithm A]
                                      [--proposer P] [--together N] [--jobs N] [--seconds S] [--claims FILE] [--commit C]

For each workload that bench/results/pytorch.jsonl has a row of, `steptp search --device cuda --target nvidia-h200` with so
many samples; the time of the vanilla program is read from that row and not measured again. Several searches run beside
each other: they judge and compile on all cores, and take turns on the GPU. ROWS gets a line as soon as a search has ended,
and DIR keeps the journal of each. Called again with the same ROWS and DIR it goes on where it was, so that the whole table
can be made in commands of ten minutes; --seconds ends it in time. A search that found nothing counts as it is: the time of
the vanilla program. To keep the rows: append them to bench/results/searched.jsonl, then tools/make_results.py --write.
Exit status: 0 all workloads have rows, 1 some searches failed, 2 bad input, 3 some were not ended.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import datetime
import json
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "bench")]
import optimize_workloads  # noqa: E402
import time_plans  # noqa: E402

BASELINE = ROOT / "bench" / "results" / "pytorch.jsonl"
# Reasons to end a search that are no end: it goes on when it is called again.
OPEN = ("interrupted", "no-device", "no-proposer", "no-journal")


def wanted_rows(only: str) -> list[dict[str, Any]]:
    numbers = optimize_workloads.numbers(only) if only else None
    rows = [json.loads(line) for line in BASELINE.read_text().splitlines()]
    return [row for row in rows if numbers is None or row["workload"] in numbers]


def driver_version() -> str:
    try:
        done = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], capture_output=True, text=True)
        return done.stdout.strip().splitlines()[0]
    except (OSError, IndexError):
        return "not recorded"


class Table:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.folder = Path(options.journals)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.out = Path(options.out)
        self.done = {json.loads(line)["workload"] for line in self.out.read_text().splitlines()} if self.out.exists() else set()
        self.end = time.monotonic() + options.seconds if options.seconds else None
        self.workloads = time_plans.workloads()
        self.driver = driver_version()
        self.lock = threading.Lock()

    def search(self, theirs: dict[str, Any]) -> str:
        """The words that say what became of it."""
        left = self.end - time.monotonic() if self.end else None
        if left is not None and left < 2:
            return "not begun"
        number = theirs["workload"]
        options = self.options
        program = self.folder / f"{number}.json"
        if not program.exists():
            record = json.loads(self.workloads[number].vanilla(options.steptp))
            program.write_text(json.dumps({**record, "id": number}) + "\n")
        baseline = self.folder / f"{number}.baseline.jsonl"
        baseline.write_text(json.dumps({"id": number, **{key: theirs[key] for key in theirs if key.endswith("_us")}}) + "\n")
        command = [options.steptp, "search", str(program), "--device", "cuda", "--target", "nvidia-h200", "--json", "--timing",
                   "--algorithm", options.algorithm, "--proposer", options.proposer, "--samples", str(options.samples),
                   "--seed", str(options.seed), "--baseline", str(baseline), "--journal", str(self.folder / f"{number}.search"),
                   "--jobs", str(options.jobs)]
        if options.claims:
            command += ["--claims", options.claims]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            out, err = process.communicate(timeout=left)
        except subprocess.TimeoutExpired:
            # What was found so far is in its journal, and it says so itself.
            process.send_signal(2)
            try:
                out, err = process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                return "not ended"
        try:
            answer = json.loads(out)
        except ValueError:
            return f"failed: {err.strip()[-300:]}"
        if answer["stop"] in OPEN:
            return f"not ended ({answer['stop']}): {err.strip()[-200:]}"
        with self.lock, self.out.open("a") as file:
            file.write(json.dumps(self.row(theirs, answer)) + "\n")
        return f"{answer['times']['ours']['median'] * 1e6:.2f} us, {answer['ratios'].get('best_of_four', 0):.2f} of the best of four"

    def row(self, theirs: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
        options = self.options
        ours = answer["times"]["ours"]
        safe = {True: "yes", False: "no"}.get(answer["safe"], "not known")
        command = f"bench/search_workloads.py --algorithm {options.algorithm} --proposer {options.proposer} --samples {options.samples}"
        return {"commit": options.commit, "device": "NVIDIA H200", "driver": self.driver, "command": command,
                "date": datetime.date.today().isoformat(), "status": "ok", "workload": theirs["workload"], "type": theirs["type"],
                "dtype": theirs["dtype"], "algorithm": answer["algorithm"], "proposer": answer["proposer"],
                "seed": answer["seed"], "budget": options.samples, "samples": answer["samples"], "measured": answer["measured"],
                "failures": sum(count for word, count in answer["outcomes"].items() if word not in ("new", "known", "same")),
                "samples_to_best": answer["samples_to_best"], "median_us": ours["median"] * 1e6,
                "p10_us": ours["p10"] * 1e6, "p90_us": ours["p90"] * 1e6, "floor_us": answer["times"]["floor"] * 1e6,
                "verdict": answer["verdict"], "safe": safe, "flags": answer["flags"], "stop": answer["stop"],
                "moves": answer["strategies"], "seconds": round(answer.get("seconds", 0), 1)}

    def run(self) -> int:
        rows = [row for row in wanted_rows(self.options.only) if row["workload"] not in self.done]
        said: list[str] = []
        with concurrent.futures.ThreadPoolExecutor(self.options.together) as pool:
            for row, words in zip(rows, pool.map(self.search, rows)):
                print(f"{row['workload']} {row['type']} {row['dtype']}: {words}", flush=True)
                said.append(words)
        if any(words.startswith("failed") for words in said):
            return 1
        return 3 if any(words.startswith("not ") for words in said) else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("steptp")
    parser.add_argument("--out", required=True)
    parser.add_argument("--journals", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--samples", type=int, default=64)
    parser.add_argument("--algorithm", default="beam")
    parser.add_argument("--proposer", default="rules")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--together", type=int, default=5, help="searches beside each other")
    parser.add_argument("--jobs", type=int, default=3, help="of each search")
    parser.add_argument("--seconds", type=float, default=0, help="end in time; 0: never")
    parser.add_argument("--claims", default="", help="a file that says beforehand what is to be shown")
    parser.add_argument("--commit", default="not recorded")
    options = parser.parse_args()
    try:
        return Table(options).run()
    except (OSError, ValueError, time_plans.BadInput) as error:
        print(f"search_workloads: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())

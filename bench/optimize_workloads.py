#!/usr/bin/env python3
"""Plans the published workloads with `steptp optimize`, measuring nothing, and times the ends on a GPU.

    python3 bench/optimize_workloads.py STEPTP --out ROWS [--answers FOLDER] [--only 2,5-9] [--jobs N] [--commit C]
                                        [--driver D] [--budget S] [--seconds S] [--plan-only]

Of each published workload a fast form, chosen by `optimize --device nvidia-h200 --samples 0`, is timed as a CUDA graph
with cold caches against certified values of the vanilla program, beside the best of PyTorch's four columns. Three parts:

  plans      `steptp optimize` for each workload; its answers are kept in FOLDER (default ROWS.answers), and an answer that
             is there is used, so that plans can be made on another machine beforehand (--plan-only needs no GPU)
  compiling  certified values, and the kernels of each end, into steptp's cache; these times count for nothing
  timing     one program after the other, as bench/time_plans.py does it; ROWS gets a line as soon as it is measured

Where `optimize` leaves a program as it came, the row has the vanilla time of bench/results/pytorch.jsonl: vanilla programs
are not run again. What failed, was wrong or unchecked is no row: it stands in ROWS.failed. Called again with the same ROWS
it goes on where it was. To keep the rows: append them to bench/results/optimized.jsonl, then tools/make_results.py --write.
Exit status: 0 all workloads have rows, 1 some failed, 2 bad input, 3 some were not begun, 4 no GPU.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "bench")]
import make_results  # noqa: E402
import time_plans  # noqa: E402

DEVICE = "nvidia-h200"
# What is expected to take longer has a part that stays as it came: it says nothing of what was made, and blocks the GPU.
MOST_SECONDS = 0.03
KEPT = ("expected_s", "vanilla_s", "verdict", "safe", "fallback", "reason", "plan", "leir", "planning_ms", "judging_ms",
        "candidates")


def numbers(text: str) -> set[int]:
    """ "2,5-9" """
    out: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        out |= set(range(int(first), int(last or first) + 1))
    return out


def moves_of(answer: dict[str, Any]) -> str:
    """The plan by the names of its moves, in their order, each run of one move once."""
    names: list[str] = []
    for move in answer.get("plan", []):
        if not names or names[-1] != move["move"]:
            names.append(move["move"])
    return "+".join(names) or "as it came"


def limited_by(answer: dict[str, Any]) -> str:
    """What limits the kernel that is expected to take longest."""
    kernels = (answer.get("expected") or {}).get("kernels", [])
    longest = max(kernels, key=lambda kernel: kernel.get("seconds", 0), default={})
    return longest.get("limited_by", "")


class Planned:
    """A workload with its vanilla program and what `optimize` answered."""

    def __init__(self, workload: time_plans.Workload, folder: Path, record: dict[str, Any], answer: dict[str, Any]) -> None:
        self.workload = workload
        self.answer = answer
        self.vanilla = folder / f"{workload.number}.vanilla.json"
        self.end = folder / f"{workload.number}.end.json"
        self.vanilla.write_text(json.dumps(record) + "\n")
        self.end.write_text(json.dumps({**record, "leir": answer["leir"]}) + "\n")
        self.program = hashlib.sha256(answer["leir"].encode()).hexdigest()[:16]


class Rows(time_plans.Rows):
    table = "optimized"


class Run:
    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        tables, findings = make_results.read_rows(ROOT)
        if findings:
            raise time_plans.BadInput(str(findings[0]))
        self.pytorch = {row["workload"]: row for row in tables.get("pytorch", [])}
        known = time_plans.workloads()
        only = numbers(arguments.only) if arguments.only else set(known)
        self.workloads = [one for number, one in sorted(known.items()) if number in only]
        self.answers = arguments.answers or arguments.out.with_name(arguments.out.name + ".answers")
        self.answers.mkdir(parents=True, exist_ok=True)
        self.rows = Rows(arguments.out)
        self.began = time.monotonic()
        self.slow: set[int] = set()
        self.command = f"steptp optimize --device {DEVICE}; steptp time END --root VANILLA --device cuda --graph --budget {arguments.budget:g}"

    @staticmethod
    def is_too_slow(planned: Planned) -> bool:
        return not planned.answer["fallback"] and planned.answer["expected_s"] > MOST_SECONDS

    def is_quick(self, workload: time_plans.Workload) -> bool:
        row = self.pytorch.get(workload.number)
        return row is None or row["class"] in ("none", "matmul")

    def say(self, text: str) -> None:
        print(f"{time.monotonic() - self.began:6.1f} s  {text}", file=sys.stderr, flush=True)

    def fail(self, workload: time_plans.Workload, status: str, reason: str) -> None:
        self.say(f"workload {workload.number} {workload.type}: {status}: {reason[:300]}")
        self.rows.fail(workload.number, "optimize", status, reason)

    def plan(self, workload: time_plans.Workload, folder: Path) -> Planned | None:
        record = json.loads(workload.vanilla(self.arguments.steptp))
        kept = self.answers / f"{workload.number}.json"
        vanilla = hashlib.sha256(record["leir"].encode()).hexdigest()[:16]
        if kept.is_file():
            there = json.loads(kept.read_text())
            if there["vanilla"] == vanilla:
                return Planned(workload, folder, record, there)
        file = folder / f"{workload.number}.root.json"
        file.write_text(json.dumps(record) + "\n")
        command = [self.arguments.steptp, "optimize", str(file), "--device", DEVICE, "--json", "--timing", "--jobs", "1",
                   *(["--seconds", str(self.arguments.plan_seconds)] if self.arguments.plan_seconds else [])]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        try:
            answer = json.loads(done.stdout)
        except ValueError:
            raise ValueError(f"optimize ended with status {done.returncode}: {done.stderr.strip()[-300:]}") from None
        answer = {"vanilla": vanilla, "limited_by": limited_by(answer), **{name: answer.get(name) for name in KEPT}}
        kept.write_text(json.dumps(answer) + "\n")
        return Planned(workload, folder, record, answer)

    def time_command(self, planned: Planned, budget: float) -> list[str]:
        return [self.arguments.steptp, "time", str(planned.end), "--root", str(planned.vanilla), "--device", "cuda", "--graph",
                "--json", "--budget", str(budget), "--timeout", "300",
                "--check-operations", str(self.arguments.check_operations)]

    def try_plan(self, workload: time_plans.Workload, folder: Path) -> Planned | None:
        try:
            return self.plan(workload, folder)
        except (ValueError, subprocess.TimeoutExpired) as error:
            self.fail(workload, "failed", str(error))
            return None

    def warm(self, planned: Planned) -> None:
        """Its certified values and its kernels go into the cache."""
        if planned.answer["fallback"] or self.row_of(planned):
            return
        try:
            subprocess.run(self.time_command(planned, 0.001), capture_output=True, timeout=self.arguments.warm_seconds)
        except subprocess.TimeoutExpired:
            self.slow.add(planned.workload.number)

    def row_of(self, planned: Planned) -> dict[str, Any] | None:
        return self.rows.find(planned.workload.number, planned.program, self.command)

    def add(self, planned: Planned, device: str, driver: str, figures: dict[str, Any]) -> bool:
        answer, workload = planned.answer, planned.workload
        row = {"commit": self.arguments.commit or time_plans.this_commit(), "device": device, "driver": driver,
               "command": self.command, "date": make_results.datetime.date.today().isoformat(), "status": "ok",
               "workload": workload.number, "type": workload.type, "dtype": workload.dtype, "plan": moves_of(answer),
               "program": planned.program, **figures, "expected_us": time_plans.in_microseconds(answer["expected_s"]),
               "limited_by": answer["limited_by"], "verdict": answer["verdict"],
               "safe": {True: "yes", False: "no"}.get(answer["safe"], "not known"), "fallback": answer["fallback"],
               "planning_ms": float(f"{answer['planning_ms']:.4g}"), "judging_ms": float(f"{answer['judging_ms']:.4g}")}
        found = make_results.findings_in(json.dumps(row), make_results.TABLES["optimized"], "the row")
        if found:
            self.fail(workload, "failed", "; ".join(str(finding) for finding in found))
            return False
        self.rows.add(row)
        return True

    def measure(self, planned: Planned) -> bool:
        baseline = self.pytorch.get(planned.workload.number)
        if planned.answer["fallback"] and baseline:
            figures = {"median_us": baseline["vanilla_us"], "spread_us": 0.001, "runs": 1, "checked_elements": 1}
            return self.add(planned, baseline["device"], self.driver(), figures)
        try:
            done = subprocess.run(self.time_command(planned, self.arguments.budget), capture_output=True, text=True, timeout=400)
            answer = json.loads(done.stdout)
        except (ValueError, subprocess.TimeoutExpired) as error:
            self.fail(planned.workload, "failed", str(error))
            return False
        if answer.get("error") in ("no-device", "no-nvrtc"):
            raise time_plans.NoGpu(done.stderr.strip())
        one = answer.get("programs", [{"status": "failed", "reason": answer.get("error", "")}])[0]
        doubts = [note for note in one.get("notes", []) if note.startswith("implausible")]
        if one["status"] != "ok" or doubts:
            self.fail(planned.workload, one["status"] if not doubts else "implausible",
                      one.get("reason") or "; ".join(one.get("notes", [])))
            return False
        figures = {"median_us": time_plans.in_microseconds(one["median_s"]),
                   "spread_us": max(time_plans.in_microseconds(one["spread_s"]), 0.001), "runs": one["samples"],
                   "checked_elements": one["checked_elements"]}
        device = answer["machine"]["name"]
        done_well = self.add(planned, device, self.driver(), figures)
        best = make_results.best(baseline) if baseline else float("nan")
        self.say(f"{planned.workload.number} {planned.workload.type} {planned.workload.dtype}: {figures['median_us']} us, "
                 f"expected {1e6 * planned.answer['expected_s']:.4g}, best of PyTorch {best} "
                 f"(x {best / figures['median_us']:.2f}), {moves_of(planned.answer)}")
        return done_well

    def driver(self) -> str:
        return self.arguments.driver or time_plans.driver_version()

    def all(self) -> int:
        failed = left = 0
        with tempfile.TemporaryDirectory() as name:
            with concurrent.futures.ThreadPoolExecutor(self.arguments.jobs) as pool:
                # What takes long comes first.
                slow_first = sorted(self.workloads, key=self.is_quick)
                ready = list(pool.map(lambda one: self.try_plan(one, Path(name)), slow_first))
                failed += sum(one is None for one in ready)
                planned = sorted((one for one in ready if one), key=lambda one: one.workload.number)
                for one in [one for one in planned if self.is_too_slow(one)]:
                    self.fail(one.workload, "slow", f"expected {one.answer['expected_s']:.3g} s: {one.answer['reason']}")
                    planned.remove(one)
                    failed += 1
                self.say(f"{len(planned)} of {len(ready)} have plans")
                if self.arguments.plan_only:
                    return 1 if failed else 0
                list(pool.map(self.warm, planned))
            self.say(f"compiled and certified; too slow: {sorted(self.slow)}")
            for one in [one for one in planned if one.workload.number in self.slow]:
                self.fail(one.workload, "unchecked", f"its certified values take more than {self.arguments.warm_seconds} s")
                planned.remove(one)
                failed += 1
            for number, one in enumerate(planned):
                if time.monotonic() - self.began >= self.arguments.seconds:
                    left = len(planned) - number
                    break
                if not self.row_of(one) and not self.measure(one):
                    failed += 1
        self.say(f"{len(self.rows.rows)} rows, {failed} failed, {left} not begun")
        self.show()
        return 1 if failed else 3 if left else 0

    def show(self) -> None:
        if self.rows.rows:
            rows = sorted(self.rows.rows, key=lambda row: row["workload"])
            print("\n".join(make_results.show_optimized(rows, list(self.pytorch.values()))))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("steptp")
    parser.add_argument("--out", type=Path, required=True, help="the file of raw rows, which is gone on with")
    parser.add_argument("--answers", type=Path, help="the folder of what optimize answered, which is gone on with")
    parser.add_argument("--only", default="", help="numbers of workloads, as 2,5-9")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes that plan and compile")
    parser.add_argument("--plan-only", action="store_true", help="end when all answers are there")
    parser.add_argument("--plan-seconds", type=float, default=0, help="what optimize gets as --seconds for one workload")
    parser.add_argument("--warm-seconds", type=float, default=60,
                        help="what has not compiled and been certified in so many seconds is not timed")
    parser.add_argument("--commit", default="", help="of the binary; without it that of this clone")
    parser.add_argument("--driver", default="", help="its version; without it that of the driver that is loaded")
    parser.add_argument("--budget", type=float, default=0.5, help="seconds of runs of one program (0.5)")
    parser.add_argument("--seconds", type=float, default=540, help="nothing is timed after so many seconds (540)")
    parser.add_argument("--check-operations", type=int, default=250_000_000,
                        help="what the certified values of one program may take (2.5e8); a workload's four times that")
    try:
        return Run(parser.parse_args()).all()
    except (time_plans.BadInput, OSError) as error:
        print(f"optimize_workloads: error: {error}", file=sys.stderr)
        return 2
    except time_plans.NoGpu as error:
        print(f"optimize_workloads: {error}", file=sys.stderr)
        return 4


if __name__ == "__main__":
    sys.exit(main())

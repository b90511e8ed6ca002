#!/usr/bin/env python3
"""Times the workloads of data/cpu_workloads.txt on this CPU: ours by `steptp optimize` without measuring, beside eager
PyTorch.

    python3 bench/time_cpu_workloads.py STEPTP --out ROWS [--python PYTHON] [--only 2,5-9] [--budget S] [--turns N]
                                        [--commit C]

Each workload is planned for plain-cpu, judged, and timed by `steptp time --root` against certified values, by turns with
eager PyTorch, from cold caches; once with all threads on both sides and once with one. Of each the least time of all turns
counts, because others may run on this machine: how many of their tasks ran meanwhile stands in the row. PyTorch is that of
`tools/setup_environment.sh torch`, unless --python names another. Called again with the same ROWS it goes on where it was;
a workload whose plan has changed is measured again. What was wrong, unchecked or failed is no row: it stands in ROWS.failed.
To keep the rows: copy them to bench/results/cpu.jsonl, then tools/make_results.py --write.
Exit status: 0 all workloads have rows, 1 some failed, 2 bad input.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "bench")]
import make_results  # noqa: E402
import time_plans  # noqa: E402
from optimize_workloads import moves_of, numbers  # noqa: E402
from results_on_cpu import ratio_of, show_cpu  # noqa: E402

DEVICE = "plain-cpu"


class Workload(NamedTuple):
    number: int
    kind: str
    type: str
    words: list[str]

    def shown(self, steptp: str, *more: str) -> str:
        command = [steptp, "zoo", "show", self.type, *self.words, *more]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def workloads() -> list[Workload]:
    out = []
    lines = (ROOT / "data/cpu_workloads.txt").read_text().splitlines()
    for number, line in enumerate((line for line in lines if line and not line.startswith("#")), 1):
        kind, name, dtype, *arguments = line.split()
        words = ["--dtype", dtype, *(word for argument in arguments for word in ("--arg", argument))]
        out.append(Workload(number, kind, name, words))
    return out


class Rows(time_plans.Rows):
    table = "cpu"


class Run:
    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        only = numbers(arguments.only) if arguments.only else None
        self.workloads = [one for one in workloads() if only is None or one.number in only]
        self.rows = Rows(arguments.out)
        self.commit = arguments.commit or time_plans.this_commit()
        self.python = arguments.python or self.usual_python()
        self.command = f"steptp optimize --device {DEVICE}; steptp time END --root ROOT --rival EAGER"

    @staticmethod
    def usual_python() -> str:
        done = subprocess.run([str(ROOT / "tools/setup_environment.sh"), "torch"], capture_output=True, text=True)
        if done.returncode != 0:
            raise time_plans.BadInput(done.stderr.strip())
        return done.stdout.strip()

    def plan(self, workload: Workload, folder: Path) -> tuple[dict[str, Any], Path, Path]:
        record = json.loads(workload.shown(self.arguments.steptp, "--json"))
        root, end = folder / f"{workload.number}.root.json", folder / f"{workload.number}.end.json"
        root.write_text(json.dumps(record) + "\n")
        command = [self.arguments.steptp, "optimize", str(root), "--device", DEVICE, "--json", "--timing"]
        done = subprocess.run(command, capture_output=True, text=True)
        answer = json.loads(done.stdout)
        end.write_text(json.dumps({**record, "leir": answer["leir"]}) + "\n")
        return answer, root, end

    def timed(self, root: Path, end: Path, model: Path, threads: int) -> dict[str, Any]:
        """The least seconds of both, how many elements were compared, and how many tasks of others ran; raises ValueError."""
        rival = [self.python, str(ROOT / "bench/eager_times.py"), str(model), "--threads", str(threads)]
        command = [self.arguments.steptp, "time", str(end), "--root", str(root), "--json", "--threads", str(threads),
                   "--budget", str(self.arguments.budget), "--rival", shlex.join(rival)]
        done = subprocess.run(command, capture_output=True, text=True)
        try:
            answer = json.loads(done.stdout)
            ours, eager = answer["programs"]
        except ValueError:
            raise ValueError(done.stderr.strip()[-300:] or f"exit status {done.returncode}") from None
        for one, name in ((ours, "ours"), (eager, "eager")):
            if "min_s" not in one or (one is ours and one["status"] != "ok"):
                raise ValueError(f"{name}: {one['status']}: {one.get('reason') or '; '.join(one['notes'])}")
        machine = answer["machine"]
        return {"ours": ours["min_s"], "eager": eager["min_s"], "checked": ours["checked_elements"], "runs": ours["samples"],
                "tasks": machine["load"]["other_tasks"], "name": machine["name"].split(",")[0]}

    def measure(self, workload: Workload, folder: Path) -> None:
        answer, root, end = self.plan(workload, folder)
        program = hashlib.sha256(answer["leir"].encode()).hexdigest()[:16]
        if self.rows.find(workload.number, program, self.command):
            return
        model = folder / f"{workload.number}.py"
        model.write_text(workload.shown(self.arguments.steptp, "--emit", "torch"))
        threads = os.cpu_count() or 1
        turns: dict[int, list[dict[str, Any]]] = {threads: [], 1: []}
        for _ in range(self.arguments.turns):
            for count, found in turns.items():
                found.append(self.timed(root, end, model, count))
        every, one = turns[threads], turns[1]
        least = {f"{who}_{how}": time_plans.in_microseconds(min(turn[who] for turn in found))
                 for how, found in (("all_us", every), ("one_us", one)) for who in ("ours", "eager")}
        row = {"commit": self.commit, "device": f"{every[0]['name']}, {threads} threads", "driver": "none",
               "command": self.command, "date": datetime.date.today().isoformat(), "status": "ok",
               "workload": workload.number, "kind": workload.kind, "type": workload.type, "dtype": "float32",
               "plan": moves_of(answer), "program": program, **least,
               "expected_us": time_plans.in_microseconds(answer["expected_s"]), "verdict": answer["verdict"],
               "safe": {True: "yes", False: "no"}.get(answer["safe"], "not known"), "fallback": answer["fallback"],
               "runs": sum(turn["runs"] for turn in every + one), "checked_elements": every[0]["checked"],
               "other_tasks": max(turn["tasks"] for turn in every + one),
               "planning_ms": float(f"{max(answer['planning_ms'], 1e-3):.4g}"),
               "judging_ms": float(f"{answer['judging_ms']:.4g}")}
        found = make_results.findings_in(json.dumps(row), make_results.TABLES["cpu"], "the row")
        if found:
            raise ValueError("; ".join(str(finding) for finding in found))
        self.rows.add(row)
        print(f"{workload.number:2} {workload.type[:32]:32} {row['plan']}: {ratio_of(row):.2f}; one thread "
              f"{row['eager_one_us']:.0f} / {row['ours_one_us']:.0f} us, all {row['eager_all_us']:.0f} / "
              f"{row['ours_all_us']:.0f} us, {row['other_tasks']:.0f} tasks of others", file=sys.stderr, flush=True)

    def all(self) -> int:
        failed = 0
        with tempfile.TemporaryDirectory() as name:
            for workload in self.workloads:
                try:
                    self.measure(workload, Path(name))
                except (ValueError, subprocess.CalledProcessError) as error:
                    failed += 1
                    print(f"{workload.number} {workload.type}: {error}", file=sys.stderr, flush=True)
                    self.rows.fail(workload.number, "optimize", "failed", str(error))
        if self.rows.rows:
            print("\n".join(show_cpu(sorted(self.rows.rows, key=lambda row: row["workload"]))))
        return 1 if failed else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("steptp")
    parser.add_argument("--out", type=Path, required=True, help="the file of raw rows, which is gone on with")
    parser.add_argument("--python", default="", help="a Python with PyTorch")
    parser.add_argument("--only", default="", help="numbers of workloads, as 2,5-9")
    parser.add_argument("--budget", type=float, default=0.5, help="seconds of runs of each in one turn (0.5)")
    parser.add_argument("--turns", type=int, default=1, help="how often each is timed (1)")
    parser.add_argument("--commit", default="", help="of the binary; without it that of this clone")
    try:
        return Run(parser.parse_args()).all()
    except (time_plans.BadInput, OSError) as error:
        print(f"time_cpu_workloads: error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Times the ends of plans and recipes for the published workloads on a GPU, as raw rows for bench/results/plans.jsonl.

    python3 bench/time_plans.py STEPTP ENTRIES --out ROWS [--commit C] [--driver D] [--budget S] [--seconds S]

STEPTP is the binary of `make portable` (build/portable/steptp); the machine needs a GPU, its driver, NVRTC and this
repository, and no PyTorch: its four columns are facts in bench/results/pytorch.jsonl. A line of ENTRIES is one of

    {"workload": 2, "program": "fast.leir"}     the end itself
    {"workload": 2, "recipe": "fast.json"}      steps from the workload's vanilla program
    {"workload": 2, "plan": "fast.plan.json"}   likewise, a plan of moves

with paths beside ENTRIES, and an optional "name" for the table. What is measured: `steptp time END --root VANILLA
--device cuda --graph`, cold caches, by itself. Every run is compared with certified values of the workload's vanilla
program, which are evaluated beforehand on all cores and kept in steptp's cache.

A row is written as soon as it is measured. Called again with the same ROWS, what stands there is not measured again
(same program, device and command), so an interrupted run goes on where it was; with --seconds no entry is begun after
that time. What failed, was wrong or unchecked is no row: it is reported, kept in ROWS.failed, and tried again.
Prints the rows beside PyTorch's, in Markdown. To keep them: append them to bench/results/plans.jsonl, then
tools/make_results.py --write.
Exit status: 0 all entries have rows, 1 some failed, 2 bad input, 3 some were not begun, 4 no GPU.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import datetime
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import make_results  # noqa: E402

# The published workloads stand in data/workloads.txt in the published order, in which one is out of line.
PUBLISHED_ORDER = [*range(1, 27), *range(28, 91), 27, *range(91, 101)]
ROLES = ("program", "recipe", "plan")
LONG_DTYPES = {"f16": "float16", "f32": "float32", "f64": "float64", "bf16": "bfloat16"}


class BadInput(Exception):
    pass


class NoGpu(Exception):
    pass


class Workload:
    def __init__(self, number: int, line: str) -> None:
        self.number = number
        self.type, dtype, *self.arguments = line.split(" | ")[0].split()
        self.short_dtype = dtype
        self.dtype = LONG_DTYPES[dtype]

    def vanilla(self, steptp: str) -> str:
        """Its vanilla program as a record."""
        command = [steptp, "zoo", "show", self.type, "--dtype", self.short_dtype, "--json"]
        for argument in self.arguments:
            command += ["--arg", argument]
        return output_of(command)


def workloads() -> dict[int, Workload]:
    lines = [line for line in (ROOT / "data" / "workloads.txt").read_text().splitlines() if not line.startswith("#")]
    return {number: Workload(number, line) for number, line in zip(PUBLISHED_ORDER, lines, strict=True)}


def output_of(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise ValueError(done.stderr.strip() or f"{command[1]} ended with status {done.returncode}")
    return done.stdout


def read_entries(path: Path, known: dict[int, Workload]) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip():
            continue
        place = f"{path}:{number}"
        try:
            entry = json.loads(line)
        except ValueError as error:
            raise BadInput(f"{place}: the line is no JSON: {error}") from None
        roles = [role for role in ROLES if isinstance(entry, dict) and role in entry]
        if len(roles) != 1:
            raise BadInput(f"{place}: an entry has one of {', '.join(ROLES)}")
        if entry.get("workload") not in known:
            raise BadInput(f"{place}: there is no workload {entry.get('workload')!r}")
        if any(entry["workload"] == other["workload"] for other in entries):
            raise BadInput(f"{place}: workload {entry['workload']} has an entry already")
        file = path.parent / entry[roles[0]]
        if not file.is_file():
            raise BadInput(f"{place}: there is no file {file}")
        entries.append({"workload": entry["workload"], "role": roles[0], "file": file,
                        "name": entry.get("name", entry[roles[0]])})
    return entries


def end_of(steptp: str, entry: dict[str, Any], vanilla: Path, folder: Path) -> Path:
    """The program that an entry leads to, as a file with the signature of its workload."""
    if entry["role"] == "program":
        return entry["file"]
    text = output_of([steptp, "replay", "--json", str(vanilla), f"--{entry['role']}", str(entry["file"])])
    answer = json.loads(text)
    record = {**json.loads(vanilla.read_text()), "leir": answer["leir"]}
    end = folder / f"{entry['workload']}.end.json"
    end.write_text(json.dumps(record) + "\n")
    return end


def driver_version() -> str:
    """As the kernel's module says, or where that is hidden, nvidia-smi."""
    version = Path("/proc/driver/nvidia/version")
    text = version.read_text() if version.is_file() else ""
    if not text:
        try:
            text = output_of(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"])
        except (OSError, ValueError):
            pass
    found = re.search(r"(\d+\.\d+(?:\.\d+)?)", text)
    if not found:
        raise NoGpu("no NVIDIA driver is loaded here; --driver names one")
    return found.group(1)


def this_commit() -> str:
    command = ["git", "-C", str(ROOT), "rev-parse", "--short=12", "HEAD"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise BadInput("this is no clone of the repository: say which commit it is with --commit")
    return done.stdout.strip()


class Rows:
    """The rows that were measured, one per workload and device, in a file that survives an interruption."""

    table = "plans"  # of make_results.TABLES

    def __init__(self, path: Path) -> None:
        self.path = path
        self.failed = path.with_name(path.name + ".failed")
        self.rows: list[dict[str, Any]] = []
        table = make_results.TABLES[self.table]
        for number, line in enumerate(path.read_text().splitlines() if path.is_file() else [], 1):
            # A line that was cut off by the interruption, or that is no row, is measured again.
            if not make_results.findings_in(line, table, f"{path}:{number}"):
                self.rows.append(json.loads(line))
        self.failed.unlink(missing_ok=True)

    def find(self, workload: int, program: str, command: str) -> dict[str, Any] | None:
        for row in self.rows:
            if (row["workload"], row["program"], row["command"]) == (workload, program, command):
                return row
        return None

    def add(self, row: dict[str, Any]) -> None:
        key = make_results.TABLES[self.table].key
        self.rows = [other for other in self.rows if any(other[name] != row[name] for name in key)] + [row]
        beside = self.path.with_name(self.path.name + ".new")
        with beside.open("w") as file:
            file.write("".join(json.dumps(one) + "\n" for one in self.rows))
            file.flush()
            os.fsync(file.fileno())
        beside.rename(self.path)

    def fail(self, workload: int, name: str, status: str, reason: str) -> None:
        with self.failed.open("a") as file:
            file.write(json.dumps({"workload": workload, "plan": name, "status": status, "reason": reason}) + "\n")


class Run:
    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.known = workloads()
        self.entries = read_entries(arguments.entries, self.known)
        self.commit = arguments.commit or this_commit()
        self.driver = arguments.driver or driver_version()
        self.rows = Rows(arguments.out)
        self.began = time.monotonic()
        self.command = f"steptp time END --root VANILLA --device cuda --graph --budget {arguments.budget:g}"

    def prepare(self, folder: Path) -> list[tuple[dict[str, Any], Path, Path, str]]:
        """Vanilla program, end and its hash of every entry; what cannot be made is a failure of that entry."""
        out = []
        for entry in self.entries:
            try:
                vanilla = folder / f"{entry['workload']}.vanilla.json"
                vanilla.write_text(self.known[entry["workload"]].vanilla(self.arguments.steptp))
                end = end_of(self.arguments.steptp, entry, vanilla, folder)
                canonical = output_of([self.arguments.steptp, "fmt", str(end)])
            except ValueError as error:
                self.fail(entry, "failed", str(error))
                continue
            out.append((entry, vanilla, end, hashlib.sha256(canonical.encode()).hexdigest()[:16]))
        return out

    def keep_elements(self, vanillas: list[Path]) -> None:
        """Certified values of all workloads, on all cores, before the GPU has anything to do."""
        def evaluate(vanilla: Path) -> None:
            subprocess.run([self.arguments.steptp, "time", str(vanilla), "--elements", *self.checking()],
                           capture_output=True, text=True)

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            list(pool.map(evaluate, vanillas))

    def checking(self) -> list[str]:
        return ["--check-operations", str(self.arguments.check_operations)]

    def fail(self, entry: dict[str, Any], status: str, reason: str) -> None:
        print(f"workload {entry['workload']}, {entry['name']}: {status}: {reason[:500]}", file=sys.stderr)
        self.rows.fail(entry["workload"], entry["name"], status, reason)

    def measure(self, entry: dict[str, Any], vanilla: Path, end: Path, program: str) -> bool:
        """False where there is no row of it."""
        command = [self.arguments.steptp, "time", str(end), "--root", str(vanilla), "--device", "cuda", "--graph", "--json",
                   "--budget", str(self.arguments.budget), "--timeout", "300", *self.checking()]
        done = subprocess.run(command, capture_output=True, text=True)
        try:
            answer = json.loads(done.stdout)
        except ValueError:
            self.fail(entry, "failed", done.stderr.strip())
            return False
        if answer.get("error") in ("no-device", "no-nvrtc"):
            raise NoGpu(done.stderr.strip())
        one = answer.get("programs", [{"status": "failed", "reason": answer.get("error", "")}])[0]
        doubts = [note for note in one.get("notes", []) if note.startswith("implausible")]
        if one["status"] != "ok" or doubts:
            self.fail(entry, one["status"] if not doubts else "implausible",
                      one.get("reason") or "; ".join(one.get("notes", [])))
            return False
        workload = self.known[entry["workload"]]
        row = {"commit": self.commit, "device": answer["machine"]["name"], "driver": self.driver, "command": self.command,
               "date": datetime.date.today().isoformat(), "status": one["status"], "workload": workload.number,
               "type": workload.type, "dtype": workload.dtype, "plan": entry["name"], "program": program,
               "median_us": in_microseconds(one["median_s"]), "spread_us": max(in_microseconds(one["spread_s"]), 0.001),
               "runs": one["samples"], "checked_elements": one["checked_elements"]}
        found = make_results.findings_in(json.dumps(row), make_results.TABLES["plans"], "the row")
        if found:
            self.fail(entry, "failed", "; ".join(str(finding) for finding in found))
            return False
        self.rows.add(row)
        return True

    def all(self) -> int:
        failed = left = fresh = 0
        with tempfile.TemporaryDirectory() as name:
            ready = self.prepare(Path(name))
            failed += len(self.entries) - len(ready)
            wanted = [one for one in ready if not self.rows.find(one[0]["workload"], one[3], self.command)]
            self.keep_elements([vanilla for _, vanilla, _, _ in wanted])
            for number, (entry, vanilla, end, program) in enumerate(wanted):
                if time.monotonic() - self.began >= self.arguments.seconds:
                    left = len(wanted) - number
                    break
                if self.measure(entry, vanilla, end, program):
                    fresh += 1
                else:
                    failed += 1
        said = f"{fresh} measured, {len(ready) - len(wanted)} were there, {failed} failed, {left} not begun"
        print(f"time_plans: {said}", file=sys.stderr)
        self.show()
        return 1 if failed else 3 if left else 0

    def show(self) -> None:
        tables, findings = make_results.read_rows(ROOT)
        if findings:
            raise BadInput(str(findings[0]))
        if self.rows.rows:
            print("\n".join(make_results.show_plans(sorted(self.rows.rows, key=lambda row: row["workload"]),
                                                    tables.get("pytorch", []))))


def in_microseconds(seconds: float) -> float:
    return float(f"{1e6 * seconds:.4g}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("steptp")
    parser.add_argument("entries", type=Path)
    parser.add_argument("--out", type=Path, required=True, help="the file of raw rows, which is gone on with")
    parser.add_argument("--commit", default="", help="of the binary; without it that of this clone")
    parser.add_argument("--driver", default="", help="its version; without it that of the driver that is loaded")
    parser.add_argument("--budget", type=float, default=1.0, help="seconds of runs of one program (1)")
    parser.add_argument("--seconds", type=float, default=540, help="no entry is begun after so many seconds (540)")
    parser.add_argument("--check-operations", type=int, default=250_000_000,
                        help="what the certified values of one program may take (2.5e8); a workload's four times that")
    arguments = parser.parse_args()
    try:
        return Run(arguments).all()
    except (BadInput, OSError) as error:
        print(f"time_plans: error: {error}", file=sys.stderr)
        return 2
    except NoGpu as error:
        print(f"time_plans: {error}", file=sys.stderr)
        return 4


if __name__ == "__main__":
    sys.exit(main())

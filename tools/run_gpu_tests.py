#!/usr/bin/env python3
"""Runs programs on this machine's GPU and compares sampled elements with certified values.

run_gpu_tests.py [FOLDER [NAME ...]]   FOLDER: what `make portable` made (default: where this file lies)
Exit status: 0 all agree, 1 some do not, 4 there is no GPU, no driver or no NVRTC.
"""

import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile


class NoGpu(Exception):
    pass


PROCESSES = min(16, os.cpu_count() or 1)
# Some programs take minutes; in small parts they hold up few others.
PARTS = 4 * PROCESSES


def run_all(steptp: pathlib.Path, programs: pathlib.Path) -> tuple[collections.Counter[str], list[str]]:
    """In several processes side by side: most of the time is certified evaluation, not the GPU's."""
    lines = programs.read_text().splitlines(keepends=True)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(PROCESSES) as pool:
        parts = []
        for number in range(PARTS):
            part = pathlib.Path(folder) / f"{number}.jsonl"
            part.write_text("".join(lines[number::PARTS]))
            if part.stat().st_size:
                parts.append(part)
        counts: collections.Counter[str] = collections.Counter()
        problems: list[str] = []
        for part_counts, part_problems in pool.map(lambda part: run(steptp, part), parts):
            counts += part_counts
            problems += part_problems
    return counts, problems


def run(steptp: pathlib.Path, programs: pathlib.Path) -> tuple[collections.Counter[str], list[str]]:
    """How many programs have which status, and what went wrong."""
    command = [str(steptp), "time", str(programs), "--device", "cuda", "--json", "--budget", "0.05", "--timeout", "300"]
    # Means and sums over whole outputs take long to certify.
    command += ["--check-operations", "4000000000"]
    done = subprocess.run(command, capture_output=True, text=True)
    counts: collections.Counter[str] = collections.Counter()
    problems = []
    names = [json.loads(line).get("program", "?") for line in programs.read_text().splitlines()]
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    for name, answer in zip(names, answers):
        if "error" in answer:
            messages = [item.get("message", "") for item in answer.get("diagnostics", [])]
            if answer["error"] in ("no-device", "no-nvrtc"):
                raise NoGpu(messages[0] if messages else answer["error"])
            counts["failed"] += 1
            problems.append(f"{name}: {answer['error']}: {' '.join(messages)[:300]}")
            continue
        result = answer["programs"][0]
        refused = result.get("error") in ("cannot-lower", "device-limit")
        status = "refused" if refused else result["status"]
        counts[status] += 1
        if status in ("wrong", "failed", "refused"):
            problems.append(f"{name}: {status}: {result.get('error')}: {result.get('reason', '')[:300]}")
        if status == "unchecked":
            problems.append(f"{name}: unchecked: {'; '.join(result['notes'])[:200]}")
    if len(answers) != len(names):
        counts["lost"] += len(names) - len(answers)
        problems.append(f"{len(answers)} answers for {len(names)} programs; {done.stderr[-500:]}")
    return counts, problems


def main() -> int:
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    if folder.is_file():
        folder = folder.parent
    names = sys.argv[2:] or ["states", "zoo", "drawn", "workloads"]
    bad = 0
    for name in names:
        counts, problems = run_all(folder / "steptp", folder / "programs" / f"{name}.jsonl")
        print(f"test-gpu: {name}: " + ", ".join(f"{count} {status}" for status, count in sorted(counts.items())))
        for problem in problems:
            print(f"  {problem}")
        bad += counts["wrong"] + counts["failed"] + counts["lost"]
    return 1 if bad else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except NoGpu as reason:
        print(f"test-gpu: {reason}")
        sys.exit(4)

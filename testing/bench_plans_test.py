#!/usr/bin/env python3
"""The plans in bench/plans, of which an H200 measures the ends: each replays from its workload's vanilla program, its end
passes `check` for that device, and has as many launches as its moves make kernels.

Usage: bench_plans_test.py STEPTP
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "tools")]
import time_plans  # noqa: E402

STEPTP = str(Path(sys.argv[1]).resolve())
PLANS = ROOT / "bench" / "plans"
# Kernels of the ends with several: a reduction over rows, one over all of them, and what is done with its result; behind
# a contraction the mean and the variance of a batch, and what is done with them; the parts of a sum and the sum of them;
# projections, attention and what follows.
SEVERAL_KERNELS = {2: 2, 5: 2, 12: 3, 13: 5, 21: 2, 22: 2, 25: 5, 29: 2, 35: 6, 39: 2, 40: 4, 42: 3, 43: 2, 44: 8, 50: 2,
                   51: 3, 56: 4, 57: 3, 59: 3, 62: 4, 65: 2, 66: 7, 67: 6, 69: 3, 72: 3, 75: 6, 79: 3, 83: 2, 92: 5, 97: 3,
                   100: 6}
# Where the width of a head is a tensor of one element, one thread writes it.
SINGLE_THREADS = {25, 35, 44, 67}


def output_of(*arguments: str) -> str:
    return time_plans.output_of([STEPTP, *arguments])


# Attention and convolutions whose ends were once undecided against their roots.
ONCE_UNDECIDED = (25, 35, 44, 67, 69, 75, 100)


class BenchPlans(unittest.TestCase):
    def test_ends_are_proved_at_once(self) -> None:
        known = time_plans.workloads()
        with tempfile.TemporaryDirectory() as kept:
            for entry in time_plans.read_entries(PLANS / "entries.jsonl", known):
                number = entry["workload"]
                if number not in ONCE_UNDECIDED:
                    continue
                with self.subTest(workload=number):
                    vanilla = Path(kept) / f"{number}.json"
                    vanilla.write_text(known[number].vanilla(STEPTP))
                    judged = json.loads(output_of("replay", "--json", "--judge", "--seed", "1", str(vanilla), "--plan",
                                                  str(entry["file"])))
                    self.assertEqual(judged["verdict"], "proved")
                    self.assertEqual(len(judged["links"]), 1)

    def test_every_plan_is_an_entry(self) -> None:
        entries = time_plans.read_entries(PLANS / "entries.jsonl", time_plans.workloads())
        self.assertEqual(sorted(entry["file"].name for entry in entries),
                         sorted(path.name for path in PLANS.glob("*.json")))

    def test_ends_are_launched_as_often_as_their_moves_say(self) -> None:
        known = time_plans.workloads()
        with tempfile.TemporaryDirectory() as kept:
            for entry in time_plans.read_entries(PLANS / "entries.jsonl", known):
                number = entry["workload"]
                with self.subTest(workload=number):
                    vanilla = Path(kept) / f"{number}.json"
                    vanilla.write_text(known[number].vanilla(STEPTP))
                    end = time_plans.end_of(STEPTP, entry, vanilla, Path(kept))
                    output_of("check", "--device", "nvidia-h200", str(end))
                    launches = json.loads(output_of("lower", str(end), "--to", "cuda", "--json"))["launches"]
                    self.assertEqual(launches["fills"], [])
                    self.assertEqual(len(launches["steps"]), SEVERAL_KERNELS.get(number, 1))
                    for kernel in launches["kernels"]:
                        self.assertEqual(kernel["in_turn"], [])
                        self.assertEqual(kernel["host_loops"], [])
                    alone = [kernel for kernel in launches["kernels"] if kernel["block"] == [1, 1, 1]]
                    self.assertEqual(len(alone), number in SINGLE_THREADS)

    def test_plans_with_matrix_instructions(self) -> None:
        folder = PLANS / "matrix"
        known = time_plans.workloads()
        lists = [time_plans.read_entries(path, known) for path in sorted(folder.glob("*.jsonl"))]
        self.assertEqual(sorted(entry["file"].name for entries in lists for entry in entries),
                         sorted(path.name for path in folder.glob("*.json")))
        entries = lists[0]  # those that the planner takes; the others have other sizes
        with tempfile.TemporaryDirectory() as kept:
            for entry in entries:
                number = entry["workload"]
                with self.subTest(plan=entry["file"].name):
                    self.assertIn(known[number].short_dtype, ("f16", "f64"))
                    vanilla = Path(kept) / f"{number}.json"
                    if not vanilla.exists():
                        vanilla.write_text(known[number].vanilla(STEPTP))
                    end = time_plans.end_of(STEPTP, entry, vanilla, Path(kept))
                    output_of("check", "--device", "nvidia-h200", str(end))
                    self.assertIn("stp_mma_", output_of("lower", str(end), "--to", "cuda"))

    def test_matrix_products_have_ends(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, str(ROOT / "bench" / "time_matmuls.py"), STEPTP, folder, "--ends",
                                   "--dtype", "f64"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            ends = sorted(Path(folder).glob("f64_*.[0-9].leir"))
            self.assertEqual(len(ends), 20)
            for end in ends:
                output_of("check", "--device", "nvidia-h200", str(end))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

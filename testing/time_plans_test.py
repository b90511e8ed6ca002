#!/usr/bin/env python3
"""bench/time_plans.py without a GPU: kernels run on the emulation of threads, behind a fake driver and a fake NVRTC.

Usage: time_plans_test.py STEPTP FAKE_DRIVER FAKE_NVRTC
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "tools")]
import make_results  # noqa: E402
import time_plans  # noqa: E402

STEPTP, DRIVER, NVRTC = (str(Path(word).resolve()) for word in sys.argv[1:4])
BOUND = [{"strategy": "loop_binding", "choice": {"at": "0:loop[0]", "axis": "bx", "multiple": 1}},
         {"strategy": "loop_binding", "choice": {"at": "0:loop[1]", "axis": "tx", "multiple": 1}}]


class TimePlans(unittest.TestCase):
    def setUp(self) -> None:
        self.kept = tempfile.TemporaryDirectory()
        self.addCleanup(self.kept.cleanup)
        self.folder = Path(self.kept.name)
        self.out = self.folder / "rows.jsonl"
        self.known = time_plans.workloads()
        self.environment = {**os.environ, "STEPTP_CUDA_DRIVER": DRIVER, "STEPTP_NVRTC": NVRTC,
                            "STEPTP_CACHE": str(self.folder / "cache")}

    def vanilla(self, workload: int, replace: tuple[str, str] = ("", ""), name: str = "") -> str:
        """The vanilla program as a file, changed."""
        record = json.loads(self.known[workload].vanilla(STEPTP))
        self.assertIn(replace[0], record["leir"])
        record["leir"] = record["leir"].replace(*replace) if replace[0] else record["leir"]
        path = self.folder / (name or f"{workload}.json")
        path.write_text(json.dumps(record))
        return path.name

    def recipe(self, steps: list[dict[str, Any]]) -> str:
        (self.folder / "recipe.json").write_text(json.dumps({"steps": steps}))
        return "recipe.json"

    def plan(self, workload: int, steps: list[dict[str, Any]]) -> str:
        """A plan of single steps. Which root it is for, the refusal of one that is for another tells."""
        moves = [{"move": "step", "choice": {**step["choice"], "strategy": step["strategy"]}} for step in steps]
        path = self.folder / "plan.json"
        root = "0" * 64
        for _ in range(2):
            path.write_text(json.dumps({"version": 1, "root": root, "target": "cuda", "moves": moves}))
            command = [STEPTP, "replay", str(self.folder / self.vanilla(workload)), "--plan", str(path)]
            said = subprocess.run(command, capture_output=True, text=True)
            if said.returncode == 0:
                break
            root = next(word for word in re.findall(r"[0-9a-f]{64}", said.stderr) if word != root)
        return path.name

    def entries(self, *entries: dict[str, Any] | str) -> Path:
        path = self.folder / "entries.jsonl"
        path.write_text("".join((entry if isinstance(entry, str) else json.dumps(entry)) + "\n" for entry in entries))
        return path

    def run_on(self, entries: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(ROOT / "bench" / "time_plans.py"), STEPTP, str(entries), "--out", str(self.out),
                   "--commit", "0123abcd", "--driver", "fake", "--budget", "0.02", *options]
        return subprocess.run(command, capture_output=True, text=True, env={**self.environment, **environment}, timeout=300)

    def rows(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.read_text().splitlines()]

    def test_rows_are_measured_once_and_shown_beside_pytorch(self) -> None:
        entries = self.entries({"workload": 5, "program": self.vanilla(5)},
                               {"workload": 84, "recipe": self.recipe(BOUND), "name": "one row per block"})
        done = self.run_on(entries)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 measured, 0 were there, 0 failed, 0 not begun", done.stderr)
        rows = self.rows()
        self.assertEqual([(row["workload"], row["type"], row["plan"]) for row in rows],
                         [(5, "Gemm_Sigmoid_Sum_LogSumExp", "5.json"), (84, "SELU", "one row per block")])
        for row in rows:
            self.assertEqual(make_results.findings_in(json.dumps(row), make_results.TABLES["plans"], ""), [])
            self.assertEqual((row["device"], row["commit"], row["driver"]), ("Fake GPU 0", "0123abcd", "fake"))
        # The output of the first one is a single number.
        self.assertEqual([row["checked_elements"] for row in rows], [1, 32])
        self.assertNotEqual(rows[0]["program"], rows[1]["program"])
        self.assertIn("| 84 | SELU | float32 |", done.stdout)
        # The fake is no H200: there is no column that it may be compared with.
        self.assertIn("Without a column of PyTorch:", done.stdout)
        kept = self.out.read_text()
        again = self.run_on(entries)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("0 measured, 2 were there", again.stderr)
        self.assertEqual(self.out.read_text(), kept)
        # Another program for a workload takes the place of its row, and other rows stay as they are.
        changed = self.entries({"workload": 5, "program": self.vanilla(5)}, {"workload": 84, "program": self.vanilla(84)})
        self.assertIn("1 measured, 1 were there", self.run_on(changed).stderr)
        self.assertEqual([row["plan"] for row in self.rows()], ["5.json", "84.json"])
        self.assertEqual(self.out.read_text().splitlines()[0], kept.splitlines()[0])

    def test_plans_of_moves_are_taken(self) -> None:
        done = self.run_on(self.entries({"workload": 84, "plan": self.plan(84, BOUND)}))
        self.assertEqual(done.returncode, 0, done.stderr)
        by_plan = self.rows()[0]
        self.out.unlink()
        self.assertEqual(self.run_on(self.entries({"workload": 84, "recipe": self.recipe(BOUND)})).returncode, 0)
        self.assertEqual(self.rows()[0]["program"], by_plan["program"], "the same steps lead to the same program")
        self.assertEqual(by_plan["plan"], "plan.json")
        # A plan for another program.
        done = self.run_on(self.entries({"workload": 58, "plan": "plan.json"}))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("workload 58, plan.json: failed: ", done.stderr)

    def test_an_interrupted_run_goes_on(self) -> None:
        entries = self.entries({"workload": 5, "program": self.vanilla(5)}, {"workload": 84, "program": self.vanilla(84)})
        none = self.run_on(entries, "--seconds", "0")
        self.assertEqual(none.returncode, 3, none.stderr)
        self.assertIn("0 measured, 0 were there, 0 failed, 2 not begun", none.stderr)
        self.assertFalse(self.out.exists())
        self.assertEqual(self.run_on(entries).returncode, 0)
        first, second = self.out.read_text().splitlines()
        # The second row was cut off while it was written.
        self.out.write_text(first + "\n" + second[:40])
        done = self.run_on(entries)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 measured, 1 were there", done.stderr)
        self.assertEqual(self.out.read_text().splitlines()[0], first)
        self.assertEqual([row["workload"] for row in self.rows()], [5, 84])

    def test_what_is_wrong_has_no_row(self) -> None:
        wrong = self.vanilla(5, ("L^{10}_", "L^{9}_"), "wrong.json")
        entries = self.entries({"workload": 5, "program": wrong}, {"workload": 84, "program": self.vanilla(84)})
        done = self.run_on(entries)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("workload 5, wrong.json: wrong: ", done.stderr)
        self.assertEqual([row["workload"] for row in self.rows()], [84])
        failed = [json.loads(line) for line in Path(f"{self.out}.failed").read_text().splitlines()]
        self.assertEqual([(one["workload"], one["status"]) for one in failed], [(5, "wrong")])
        # It is tried again, and forgotten once it is right.
        right = self.entries({"workload": 5, "program": self.vanilla(5)}, {"workload": 84, "program": self.vanilla(84)})
        self.assertEqual(self.run_on(right).returncode, 0)
        self.assertFalse(Path(f"{self.out}.failed").exists())

    def test_other_failures_are_reported(self) -> None:
        # Other variables than the workload's; a step that is refused; a GPU that fails.
        done = self.run_on(self.entries({"workload": 58, "program": self.vanilla(84)},
                                        {"workload": 84, "recipe": self.recipe([*BOUND, BOUND[0]])}))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("workload 58, 84.json: failed: ", done.stderr)
        self.assertIn("known variables", done.stderr)
        self.assertIn("workload 84, recipe.json: failed: ", done.stderr)
        self.assertFalse(self.out.exists())
        broken = self.run_on(self.entries({"workload": 84, "program": self.vanilla(84)}), FAKE_CUDA_FAIL="cuLaunchKernel:1")
        self.assertEqual(broken.returncode, 1, broken.stderr)
        nowhere = self.run_on(self.entries({"workload": 84, "program": self.vanilla(84)}), STEPTP_CUDA_DRIVER="/no/such.so")
        self.assertEqual(nowhere.returncode, 4, nowhere.stderr)
        self.assertIn("there is no CUDA driver", nowhere.stderr)

    def test_bad_entries_are_refused_with_their_place(self) -> None:
        program = self.vanilla(5)
        for lines, said in (
            ((["{"]), "entries.jsonl:1: the line is no JSON"),
            (({"workload": 5},), "entries.jsonl:1: an entry has one of program, recipe, plan"),
            (({"workload": 5, "program": program, "recipe": program},), "an entry has one of"),
            (({"workload": 101, "program": program},), "there is no workload 101"),
            (({"workload": 5, "program": "none.json"},), "there is no file"),
            (({"workload": 5, "program": program}, {"workload": 5, "program": program}), "entries.jsonl:2: workload 5 has"),
        ):
            done = self.run_on(self.entries(*lines))
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(said, done.stderr)

    def test_workloads_are_those_of_the_columns(self) -> None:
        tables, findings = make_results.read_rows(ROOT)
        self.assertEqual(findings, [])
        for row in tables["pytorch"]:
            workload = self.known[row["workload"]]
            self.assertEqual((workload.type, workload.dtype), (row["type"], row["dtype"]))
        self.assertEqual({number: self.known[number].type for number in (27, 85, 91)},
                         {27: "GELU", 85: "Gemm_Divide_Sum_Scaling", 91: "Min_reduction_over_a_dimension"})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

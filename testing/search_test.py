#!/usr/bin/env python3
"""`steptp search` as a user runs it: killed and resumed, with a server of ours as the model, on this machine's CPU.

Usage: search_test.py STEPTP
"""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from chat_server import ChatServer  # noqa: E402

STEPTP = sys.argv.pop(1) if len(sys.argv) > 1 else "build/steptp"

PRODUCT = """@program Product
@input A f32[96,64]
@input C f32[64,80]
@output D f32[96,80]
B^{96}_{tx=0}L^{80}_{a=0}L^{64}_{c=0}[D^{f32,g}_{tx,a}=D^{f32,g}_{tx,a}+A^{f32,g}_{tx,c}*C^{f32,g}_{c,a};];
"""


class Search(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.file = self.folder / "product.leir"
        self.file.write_text(PRODUCT)

    def run_steptp(self, *words: str, status: int = 0) -> str:
        done = subprocess.run([STEPTP, *words], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout

    def search(self, *words: str, status: int = 0) -> dict:
        return json.loads(self.run_steptp("search", str(self.file), "--json", "--target", "plain-cpu", *words, status=status))

    def rows(self, journal: Path) -> list[dict]:
        lines = (journal / "0001.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines[1:]]

    def test_killed_anywhere_and_resumed_it_comes_to_the_same(self) -> None:
        words = ["--samples", "10", "--algorithm", "greedy"]
        whole = self.folder / "whole"
        started = time.monotonic()
        row = self.search(*words, "--journal", str(whole))
        seconds = time.monotonic() - started
        dice = random.Random(5)
        for number in range(4):
            journal = self.folder / f"killed{number}"
            command = [STEPTP, "search", str(self.file), "--target", "plain-cpu", *words, "--journal", str(journal)]
            for _ in range(2):
                process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(dice.uniform(0, seconds))
                process.send_signal(signal.SIGKILL)
                process.wait()
            if not (journal / "search.json").exists():
                continue  # killed before there was anything
            again = json.loads(self.run_steptp("search", "resume", str(journal), "--json"))
            self.assertEqual(again, row)
            kept = [(one["kind"], one["number"]) for one in self.rows(journal)]
            self.assertEqual(len(kept), len(set(kept)), "something was asked or measured twice")
            shown = json.loads(self.run_steptp("search", "show", str(journal), "--json"))
            self.assertEqual(shown, row)

    def test_a_larger_budget_goes_on(self) -> None:
        journal = str(self.folder / "found")
        first = self.search("--samples", "4", "--journal", journal)
        more = json.loads(self.run_steptp("search", "resume", journal, "--samples", "7", "--json"))
        self.assertEqual((first["samples"], more["samples"]), (4, 7))
        self.assertEqual(json.loads(self.run_steptp("search", "show", journal, "--json")), more)
        self.assertEqual(more["curve"][: len(first["curve"])], first["curve"])

    def test_a_model_is_asked_and_every_answer_is_in_the_journal(self) -> None:
        with ChatServer(STEPTP) as server:
            journal = self.folder / "model"
            row = self.search("--proposer", "model", "--endpoint", server.url, "--model", "right", "--algorithm", "chain",
                              "--samples", "5", "--journal", str(journal), "--server", "vllm")
            self.assertEqual(row["samples"], 5)
            self.assertIn(row["verdict"], ("proved", "exact"))
            self.assertGreater(row["tokens"], 0)
            self.assertIn("root ::=", server.asked[0]["structured_outputs"]["grammar"])
            answers = [one["value"] for one in self.rows(journal) if one["kind"] == "answer"]
            self.assertTrue(all("<answer>" in one["raw"]["content"] for one in answers))
            asked = len(server.asked)
            self.assertEqual(json.loads(self.run_steptp("search", "show", str(journal), "--json")), row)
            self.assertEqual(len(server.asked), asked)

    def test_a_model_that_says_nonsense_finds_nothing_and_ends(self) -> None:
        with ChatServer(STEPTP) as server:
            row = self.search("--proposer", "model", "--endpoint", server.url, "--model", "nonsense", "--algorithm", "bfs")
            self.assertEqual(row["stop"], "finished")
            self.assertEqual(row["speedup_over_vanilla"], 1)
            row = self.search("--proposer", "model", "--endpoint", server.url, "--model", "null", "--algorithm", "greedy")
            self.assertEqual(row["stop"], "no-progress")
            self.assertGreater(row["outcomes"]["unreadable"], 60)

    def test_a_server_that_is_gone_can_be_gone_on_from(self) -> None:
        journal = self.folder / "gone"
        with ChatServer(STEPTP, stop_after=2) as server:
            words = ["--proposer", "model", "--endpoint", server.url, "--model", "right", "--algorithm", "chain",
                     "--samples", "5", "--journal", str(journal), "--retries", "0"]
            row = self.search(*words, "--answer-timeout", "5")
            # A connection that breaks concerns one question; nobody there at all ends the search.
            self.assertGreaterEqual(row["outcomes"].get("unreadable", 0), 1)
        row = self.search("--proposer", "model", "--endpoint", "http://127.0.0.1:9/v1", "--model", "x", status=4)
        self.assertEqual(row["stop"], "no-proposer")

    def test_on_this_cpu_the_winner_is_proved_and_confirmed(self) -> None:
        journal = self.folder / "cpu"
        done = subprocess.run([STEPTP, "search", str(self.file), "--json", "--device", "cpu", "--samples", "4",
                               "--algorithm", "greedy", "--journal", str(journal)], capture_output=True, text=True, timeout=120)
        if done.returncode == 4 and "engine" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        row = json.loads(done.stdout)
        self.assertGreater(row["speedup_over_vanilla"], 1)
        self.assertEqual((row["verdict"], row["safe"]), ("proved", True))
        self.assertGreaterEqual(row["times"]["ours"]["runs"], 10)
        best = self.folder / "best"
        self.run_steptp("search", "best", str(journal), "-o", str(best))
        verdict = json.loads((best / "verdict.json").read_text())
        self.assertEqual((verdict["verdict"], verdict["safe"]), ("proved", True))
        self.run_steptp("verify", str(self.file), str(best / "program.leir"))
        self.run_steptp("replay", str(best / "root.leir"), "--plan", str(best / "plan.json"))
        self.assertIn("__global__", (best / "program.cu").read_text())
        report = self.folder / "report"
        self.run_steptp("search", "report", str(journal), "-o", str(report))
        self.assertEqual([json.loads(line) for line in (report / "rows.jsonl").read_text().splitlines()], [row])
        self.assertIn("<svg", (report / "report.html").read_text())

    def test_optimize_measures_with_samples(self) -> None:
        done = subprocess.run([STEPTP, "optimize", str(self.file), "--json", "--samples", "3"],
                              capture_output=True, text=True, timeout=120)
        if done.returncode == 4 and "engine" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual(answer["samples"], 3)
        self.assertEqual((answer["verdict"], answer["safe"], answer["fallback"]), ("proved", True, False))
        self.assertGreater(answer["measured_s"], 0)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""What a call leaves where an older answer lies, how it takes very long times, and how it ends when it is interrupted.

Usage: leavings_test.py STEPTP. Exit status 0 where all is well.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

STEPTP = ""
FILES = Path(__file__).resolve().parent / "golden" / "cli" / "files"
LONG_TIMES = ("1e10", "1e300", "inf")


def run(*words: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([STEPTP, *map(str, words)], capture_output=True, timeout=300)


class Leavings(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.kept = self.folder / "kept.json"

    def test_an_old_certificate_is_not_left_for_another_answer(self) -> None:
        product = FILES / "product.leir"
        replay = ("replay", product, "--judge", "--seed", "1", "--certificate", self.kept, "--recipe")
        for end, status in (((*replay, FILES / "recipe_stale.json"), 1),
                            (("verify", "--seed", "1", FILES / "sum.leir", FILES / "broken.leir", "--certificate", self.kept), 1)):
            self.assertEqual(run(*replay, FILES / "recipe.json").returncode, 0)
            self.assertTrue(self.kept.exists())
            self.assertEqual(run(*end).returncode, status)
            self.assertFalse(self.kept.exists())

    def test_an_old_counterexample_is_not_left_for_another_answer(self) -> None:
        self.kept.write_text("{}")
        done = run("verify", "--seed", "1", FILES / "sum.leir", FILES / "sum_renamed.leir", "--counterexample", self.kept)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertFalse(self.kept.exists())

    def test_what_is_no_plain_file_stays(self) -> None:
        os.mkfifo(self.kept)
        run("replay", FILES / "product.leir", "--judge", "--certificate", self.kept, "--recipe", FILES / "recipe_stale.json")
        self.assertTrue(self.kept.is_fifo())

    def test_a_certificate_that_cannot_be_written_is_a_failure(self) -> None:
        done = run("replay", FILES / "product.leir", "--judge", "--seed", "1", "--certificate", self.folder / "no" / "x.json",
                   "--recipe", FILES / "recipe.json")
        self.assertEqual(done.returncode, 4)
        self.assertTrue(done.stderr.startswith(b"steptp: error: cannot create"), done.stderr)

    def test_very_long_times_do_not_end_at_once(self) -> None:
        for seconds in LONG_TIMES:
            done = run("verify", "--seed", "1", FILES / "sum.leir", FILES / "sum_renamed.leir", "--timeout", seconds)
            self.assertEqual(done.returncode, 0, done.stdout)
            done = run("replay", FILES / "product.leir", "--judge", "--seed", "1", "--timeout", seconds, "--recipe", FILES / "recipe.json")
            self.assertEqual(done.returncode, 0, done.stdout)
            done = run("optimize", FILES / "product.leir", "--device", "nvidia-h200", "--seconds", seconds, "--json")
            self.assertFalse(json.loads(done.stdout)["interrupted"], seconds)
        for seconds in ("nan", "-1"):
            self.assertEqual(run("optimize", FILES / "product.leir", "--seconds", seconds).returncode, 2)

    def test_an_empty_plan_has_no_steps(self) -> None:
        hashed = json.loads((FILES / "plan.json").read_text())["root"]
        self.kept.write_text(json.dumps({"version": 1, "root": hashed, "target": "", "moves": []}))
        done = run("replay", FILES / "chain.leir", "--plan", self.kept, "--judge", "--seed", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith(b"# no steps: proved\n"), done.stdout)

    def test_bytes_of_a_plan_do_not_reach_the_terminal(self) -> None:
        for content in (b'{"version":1,\xff}', b"\xff\xfe", b'{"version":1,"root":"' + b"a" * 64 +
                        b'","target":"","moves":[{"move":"\\u001b[31m"}]}'):
            self.kept.write_bytes(content)
            done = run("replay", FILES / "chain.leir", "--plan", self.kept)
            self.assertEqual(done.returncode, 2)
            self.assertTrue(done.stderr.decode().replace("\n", "").isprintable(), done.stderr)

    def test_an_interrupt_at_the_start_ends_with_an_answer(self) -> None:
        os.mkfifo(self.kept)
        words = [STEPTP, "optimize", str(FILES / "chain.leir"), "--device", "nvidia-h200", "--plan", str(self.kept)]
        asked = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        # It reads the plan before anything else, and waits for it.
        with self.kept.open("w") as plan:
            asked.send_signal(signal.SIGINT)
            time.sleep(0.2)
            plan.write((FILES / "plan.json").read_text())
        out, err = asked.communicate(timeout=60)
        self.assertEqual(asked.returncode, 0, err)
        self.assertIn(b"@program Chain", out)


if __name__ == "__main__":
    STEPTP = sys.argv.pop(1)
    unittest.main()

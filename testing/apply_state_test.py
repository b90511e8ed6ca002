#!/usr/bin/env python3
"""Steps that are kept in a file, taken back, and replayed: `steptp apply --state`.

Usage: apply_state_test.py STEPTP. Exit status 0 where all is well.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

STEPTP = ""
PROGRAM = "@program Product\n@input A f32[32,64]\n@input C f32[64,48]\n@output D f32[32,48]\ntx32 a48 c64 D(tx,a)+=A(tx,c)*C(c,a);\n"


class ApplyState(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.file = self.folder / "product.leir"
        self.file.write_text(PROGRAM)
        self.state = self.folder / "work.json"

    def apply(self, *words: str) -> subprocess.CompletedProcess:
        return subprocess.run([STEPTP, "apply", *words, "--profile", "compact"], capture_output=True, text=True, timeout=60)

    def step(self, choice: str, *words: str) -> str:
        done = self.apply(*words, "--state", str(self.state), "--choice", choice)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()[-1]

    def shown(self, *words: str) -> list[str]:
        done = self.apply("--state", str(self.state), *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    def test_steps_add_up_and_are_taken_back(self) -> None:
        first = self.step('loop_split {"at":"D:loop[1]","inner":16,"kind":"inner"}', str(self.file))
        self.assertEqual(first, "tx32 d3 a16 c64 D(tx,d*16+a)+=A(tx,c)*C(c,d*16+a);")
        second = self.step('loop_split {"at":"D:loop[3]","inner":8,"kind":"inner"}')
        self.assertEqual(second, "tx32 d3 a16 f8 c8 D(tx,d*16+a)+=A(tx,f*8+c)*C(f*8+c,d*16+a);")
        kept = json.loads(self.state.read_text())
        self.assertEqual([step["choice"]["at"] for step in kept["steps"]], ["0:loop[1]", "0:loop[3]"])
        self.assertEqual(self.shown()[0], f"# 2 steps are kept in {self.state}")
        # The file is a recipe of the program that it began with.
        replayed = subprocess.run([STEPTP, "replay", str(self.file), "--recipe", str(self.state)], capture_output=True, text=True)
        other = self.folder / "replayed.leir"
        other.write_text(replayed.stdout)
        short = subprocess.run([STEPTP, "fmt", "--profile", "compact", str(other)], capture_output=True, text=True)
        self.assertEqual(short.stdout.splitlines()[-1], second)
        self.assertEqual(self.shown("--undo")[-1], first)
        self.assertEqual(self.shown("--undo")[-1], PROGRAM.splitlines()[-1])
        none = self.apply("--state", str(self.state), "--undo")
        self.assertEqual(none.returncode, 2)
        self.assertIn("has no step to take back", none.stderr)

    def test_a_refused_step_changes_nothing(self) -> None:
        self.step('loop_split {"at":"0:loop[1]","inner":16,"kind":"inner"}', str(self.file))
        before = self.state.read_bytes()
        refused = self.apply("--state", str(self.state), "--choice", 'loop_split {"at":"0:loop[0]","inner":64,"kind":"inner"}')
        self.assertEqual(refused.returncode, 1)
        self.assertIn("[divides]", refused.stderr)
        self.assertEqual(self.state.read_bytes(), before)

    def test_a_move_is_taken_back_as_a_whole(self) -> None:
        choices = subprocess.run([STEPTP, "choices", str(self.file), "--moves", "--move", "tile", "--limit", "1"],
                                 capture_output=True, text=True).stdout.splitlines()[0]
        self.step(choices, str(self.file))
        self.assertGreater(len(json.loads(self.state.read_text())["steps"]), 1)
        self.assertEqual(self.shown("--undo")[-1], PROGRAM.splitlines()[-1])

    def test_misuse_is_told(self) -> None:
        choice = ["--choice", 'loop_unrolling {"at":"0:loop[2]"}']
        self.assertIn("there is no", self.apply("--state", str(self.state), *choice).stderr)
        self.step(choice[1], str(self.file))
        self.assertIn("holds the steps of a program already", self.apply(str(self.file), "--state", str(self.state), *choice).stderr)
        self.assertIn("--undo takes back", self.apply(str(self.file), "--undo").stderr)
        for text in ("", "[]", '{"root":"nothing","calls":[],"steps":[]}', '{"root":"tx4 D(tx)=1;","calls":[7],"steps":[]}'):
            self.state.write_text(text)
            done = self.apply("--state", str(self.state), *choice)
            self.assertEqual((done.returncode, done.stdout), (2, ""), text)
            self.assertIn("holds no state of apply", done.stderr)


if __name__ == "__main__":
    STEPTP = sys.argv.pop(1)
    unittest.main()

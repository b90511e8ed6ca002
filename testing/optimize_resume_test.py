"""`optimize` on a file with many programs goes on where it was ended, and makes again what is not an answer.

Usage: optimize_resume_test.py STEPTP
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

STEPTP = sys.argv[1]
HEAD = "@input A f32[64,32]\n@output C f32[64,32]\n"
PROGRAMS = {"Double": "B^{64}_{tx=0}L^{32}_{a=0}[C^{f32,g}_{tx,a}=A^{f32,g}_{tx,a}*2;];",
            "Square": "B^{64}_{tx=0}L^{32}_{a=0}[C^{f32,g}_{tx,a}=A^{f32,g}_{tx,a}*A^{f32,g}_{tx,a};];"}


class Resume(unittest.TestCase):
    def setUp(self) -> None:
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = Path(kept.name)
        self.file = self.folder / "many.jsonl"
        self.out = self.folder / "fast"
        signature = [{"name": "A", "role": "input", "dtype": "float32", "shape": [64, 32]},
                     {"name": "C", "role": "output", "dtype": "float32", "shape": [64, 32]}]
        self.file.write_text("".join(json.dumps({"program": name, "signature": signature, "leir": text}) + "\n"
                                     for name, text in PROGRAMS.items()))

    def run_all(self, *options: str) -> str:
        command = [STEPTP, "optimize", str(self.file), "--device", "nvidia-h200", "--json", "-o", str(self.out), *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def marks(self) -> dict[str, int]:
        return {path.parent.name: path.stat().st_mtime_ns for path in self.out.glob("*/program.leir")}

    def test_what_is_there_is_not_made_again(self) -> None:
        first = self.run_all()
        marks = self.marks()
        self.assertEqual(set(marks), {"Double-1", "Square-2"})
        self.assertEqual(self.run_all(), first)
        self.assertEqual(self.marks(), marks)

    def test_what_was_ended_or_damaged_is_made_again(self) -> None:
        first = self.run_all()
        for damage in ("", "{", "[]", '{"key": 1}', '{"key": "0"}'):
            marks = self.marks()
            answer = self.out / "Square-2" / "answer.json"
            if damage:
                answer.write_text(damage)
            else:
                answer.unlink()
            self.assertEqual(self.run_all(), first)
            self.assertEqual(self.marks()["Double-1"], marks["Double-1"])
            self.assertGreater(self.marks()["Square-2"], marks["Square-2"], damage)

    def test_a_damaged_file_is_made_again(self) -> None:
        first = self.run_all()
        folder = self.out / "Square-2"
        whole = {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        self.assertTrue({"program.leir", "plan.json", "certificates/01.json"} <= {str(name) for name in whole})
        for name, content in whole.items():
            if name.name == "answer.json":
                continue
            for damage in (None, b"", content[:-2] + b"x\n"):
                if damage is None:
                    (folder / name).unlink()
                else:
                    (folder / name).write_bytes(damage)
                self.assertEqual(self.run_all(), first)
                self.assertEqual((folder / name).read_bytes(), content, name)
        answer = json.loads((folder / "answer.json").read_text())
        answer["json"] = answer["json"].replace("*A", "+A")
        (folder / "answer.json").write_text(json.dumps(answer))
        self.assertEqual(self.run_all(), first)

    def test_certificates_of_an_answer_before_are_removed(self) -> None:
        self.run_all()
        old = self.out / "Square-2" / "certificates" / "77.json"
        other = self.out / "Square-2" / "certificates" / "notes.json"
        for path in (old, other):
            path.write_text("{}")
        self.run_all("--require-safe")
        self.assertFalse(old.exists())
        self.assertTrue(other.exists())

    def test_folders_stay_inside_whatever_the_name(self) -> None:
        names = ["../../evil", "a/b", "/tmp/evil", "..", ".hidden", "n" * 300, "\u00e9t\u00e9", "a b"]
        lines = [json.loads(line) for line in self.file.read_text().splitlines()]
        self.file.write_text("".join(json.dumps(lines[0] | {"program": name}) + "\n" for name in names))
        before = {path for path in self.folder.iterdir()}
        self.run_all()
        self.assertEqual({path for path in self.folder.iterdir()}, before | {self.out})
        made = {path.name for path in self.out.iterdir()}
        self.assertEqual(made, {"_._.._evil-1", "a_b-2", "_tmp_evil-3", "_.-4", "_hidden-5", "n" * 100 + "-6",
                                "__t__-7", "a_b-8"})

    def test_another_question_is_another_answer(self) -> None:
        self.run_all()
        marks = self.marks()
        self.run_all("--require-safe")
        for name, mark in self.marks().items():
            self.assertGreater(mark, marks[name])
        marks = self.marks()
        self.file.write_text(self.file.read_text().replace("*2;", "*3;"))
        self.run_all("--require-safe")
        self.assertGreater(self.marks()["Double-1"], marks["Double-1"])
        self.assertEqual(self.marks()["Square-2"], marks["Square-2"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

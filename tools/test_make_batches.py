"""make_batches.py puts files together whose own names do not reach each other, and keeps all others apart."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parent / "make_batches.py"
HELPER = 'namespace {\n\nint helper(int a) {\n  return a + %d;\n}\n\n}  // namespace\n\nint %s(int a) { return helper(a); }\n'
A = HELPER % (1, "first")
B = HELPER % (2, "second")


class MakeBatches(unittest.TestCase):
    def setUp(self) -> None:
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        self.root = Path(self.place.name)
        (self.root / "steptp").mkdir()

    def plan(self, files: dict[str, str], most: int = 10, lines: int = 1000, headers: str = "") -> list[str]:
        """The number of each file's batch, in order."""
        (self.root / "steptp" / "all.h").write_text("#pragma once\n" + headers)
        paths = []
        for name, text in files.items():
            paths.append(self.root / "steptp" / name)
            paths[-1].write_text(text)
        subprocess.run([sys.executable, TOOL, self.root, self.root / "out", str(most), str(lines), *paths], check=True)
        return [line.split()[0] for line in (self.root / "out" / "plan.txt").read_text().splitlines()]

    def batch(self) -> str:
        return (self.root / "out" / "batch_0.cpp").read_text()

    def test_equal_names_get_the_names_of_their_files(self) -> None:
        self.assertEqual(self.plan({"a.cpp": A, "b.cpp": B}), ["0", "0"])
        self.assertIn('#define helper helper_in_steptp_a\n#include "steptp/a.cpp"\n#undef helper\n', self.batch())
        self.assertIn('#define helper helper_in_steptp_b\n#include "steptp/b.cpp"\n#undef helper\n', self.batch())

    def test_a_file_that_was_removed_is_left_out(self) -> None:
        """A pull that renames a file must not need a new build folder."""
        self.plan({"a.cpp": A, "b.cpp": B})
        gone = self.root / "steptp" / "gone.cpp"
        call = [sys.executable, TOOL, self.root, self.root / "out", "5", "1000"]
        subprocess.run([*call, self.root / "steptp" / "a.cpp", gone, self.root / "steptp" / "b.cpp"], check=True)
        plan = (self.root / "out" / "plan.txt").read_text()
        self.assertEqual([line.split()[0] for line in plan.splitlines()], ["0", "0"])
        self.assertNotIn("gone.cpp", plan + (self.root / "out" / "plan.d").read_text())

    def test_headers_come_before_every_name(self) -> None:
        include = '#include <vector>\n\n#include "steptp/all.h"\n'
        self.assertEqual(self.plan({"a.cpp": include + A, "b.cpp": include + B}), ["0", "0"])
        self.assertLess(self.batch().index('#include "steptp/all.h"'), self.batch().index("#define"))

    def test_a_name_that_stands_in_a_header_keeps_files_apart(self) -> None:
        include = '#include "steptp/all.h"\n'
        both = {"a.cpp": include + A, "b.cpp": include + B}
        self.assertEqual(self.plan(both, headers="double helper(double a);\n"), ["-", "-"])
        self.assertIn("steptp/all.h", (self.root / "out" / "plan.d").read_text())
        # A comment says nothing to the compiler.
        time.sleep(0.02)
        self.assertEqual(self.plan(both, headers="// no helper\n"), ["0", "0"])

    def test_a_name_in_a_header_of_another_file_is_told_apart(self) -> None:
        files = {"a.cpp": A, "b.cpp": '#include "steptp/all.h"\n'}
        self.assertEqual(self.plan(files, headers="double helper(double a);\n"), ["0", "0"])
        self.assertIn("#define helper helper_in_steptp_a\n", self.batch())
        # Not where the file has a member of that name too.
        files["a.cpp"] = A + "struct S;\nint use(S& s) { return s.helper(); }\n"
        self.assertEqual(self.plan(files, headers="double helper(double a);\n"), ["-", "-"])

    def test_a_name_of_two_namespaces_keeps_files_apart(self) -> None:
        (self.root / "steptp" / "inner.h").write_text("namespace steptp::inner {\n\nstruct Tensor {\n  int a;\n};\n\n}\n")
        outer = "namespace steptp {\n\nstruct Tensor {\n  int b;\n};\n\n}\n"
        files = {"a.cpp": '#include "steptp/all.h"\nint a(Tensor& t);\n', "b.cpp": '#include "steptp/inner.h"\n'}
        self.assertEqual(self.plan(files, headers=outer), ["-", "-"])
        files["a.cpp"] = '#include "steptp/all.h"\nint a(int t);\n'
        self.assertEqual(self.plan(files, headers=outer), ["0", "0"])

    def test_a_member_of_the_same_name_keeps_files_apart(self) -> None:
        member = "struct S;\nint use(S& s) { return s.helper(); }\n"
        self.assertEqual(self.plan({"a.cpp": A + member, "b.cpp": B + member}), ["-", "-"])

    def test_a_word_of_another_file_counts_as_a_use(self) -> None:
        member = "struct S { int helper; };\nint use(S& s) { return s.helper; }\n"
        self.assertEqual(self.plan({"a.cpp": A + member, "b.cpp": "int third(int helper) { return helper; }\n"}), ["-", "-"])

    def test_types_constants_and_aliases_are_names_too(self) -> None:
        for text in ("struct Thing {\n  int a;\n};\n", "constexpr int Thing = 1;\n", "using Thing = int;\n", "int\nThing(int a);\n"):
            hidden = f"namespace {{\n\n{text}\n}}  // namespace\n"
            self.assertEqual(self.plan({"a.cpp": hidden, "b.cpp": hidden}), ["0", "0"])
            self.assertIn("#define Thing Thing_in_steptp_a", self.batch())

    def test_what_reaches_further_stays_alone(self) -> None:
        for text in ("#define LIMIT 3\n", "#if LIMIT\n#endif\n", "using namespace std;\n", 'asm(".incbin");\n',
                     "bool operator==(const A& a, const B& b);\n"):
            self.assertEqual(self.plan({"a.cpp": A, "b.cpp": B + text, "c.cpp": "int c;\n"}), ["0", "-", "0"], text)

    def test_files_that_know_the_clone_are_together(self) -> None:
        place = '#include "source_dir.h"\n'
        files = {"a.cpp": "int a;\n", "b.cpp": place, "c.cpp": "int c;\n", "d.cpp": place}
        self.assertEqual(self.plan(files), ["0", "1", "0", "1"])

    def test_names_of_tests_stay(self) -> None:
        fixture = "namespace {\n\nclass Fixture : public Base {\n};\n\nTEST_F(Fixture, Name) {\n}\n\n}  // namespace\n"
        self.assertEqual(self.plan({"a.cpp": fixture, "b.cpp": fixture}), ["-", "-"])

    def test_batches_are_small(self) -> None:
        files = {f"{name}.cpp": "\n" * 10 for name in "abcd"}
        self.assertEqual(self.plan(files, most=2), ["0", "0", "1", "1"])
        self.assertEqual(self.plan(files, lines=30), ["0", "0", "0", "-"])

    def test_only_what_changes_is_written(self) -> None:
        self.plan({"a.cpp": A, "b.cpp": B})
        plan, batch = self.root / "out" / "plan.txt", self.root / "out" / "batch_0.cpp"
        times = plan.stat().st_mtime_ns, batch.stat().st_mtime_ns
        time.sleep(0.02)
        self.assertEqual(self.plan({"a.cpp": A.replace("a + 1", "a + 3"), "b.cpp": B}), ["0", "0"])
        self.assertEqual((plan.stat().st_mtime_ns, batch.stat().st_mtime_ns), times)
        # A new name that cannot be told apart makes another plan.
        self.assertEqual(self.plan({"a.cpp": A + "using namespace std;\n", "b.cpp": B}), ["-", "-"])


if __name__ == "__main__":
    unittest.main()

"""break_laws must name laws that no row sees, texts that are not there or there twice, and rows without a breakage."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import tempfile
import unittest
from pathlib import Path
from unittest import mock

LOADER = importlib.machinery.SourceFileLoader("break_laws", str(Path(__file__).with_name("break_laws")))
SPEC = importlib.util.spec_from_loader("break_laws", LOADER)
assert SPEC is not None
break_laws = importlib.util.module_from_spec(SPEC)
LOADER.exec_module(break_laws)

SOURCE = "int f(int a) {\n  if (a > 0 &&\n      a < 9) return 1;\n  return 2;\n}\n"
ROWS = '{.law = "first law", .before = "A"},\n{.law = "second law", .before = "C"},\n'
ENTRY = '[[breakage]]\nlaw = "{}"\ntext = \'{}\'\ninstead = \'{}\'\n'


class Tree:
    """A small tree with one layer."""

    def __init__(self, folder: str, table: str) -> None:
        self.root = Path(folder)
        for name, text in {
            "steptp/prove/a.cpp": SOURCE,
            "steptp/prove/a_test.cpp": ROWS + "// return 2;\n",
            break_laws.TABLE: table,
        }.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def problems(self) -> str:
        return "\n".join(break_laws.check(self.root, break_laws.read_table(self.root)))


class Check(unittest.TestCase):
    def problems(self, table: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            return Tree(folder, table).problems()

    def test_all_is_there(self) -> None:
        table = ENTRY.format("first law", "a > 0 && a < 9", "a > 0") + ENTRY.format("second law", "return 2;", "return 3;")
        self.assertEqual(self.problems(table), "")

    def test_what_is_wrong_is_named(self) -> None:
        second = ENTRY.format("second law", "return 2;", "return 3;")
        for entry, message in [
            (ENTRY.format("first law", "a > 1", "a > 2"), "its text is not found"),
            (ENTRY.format("first law", "return", "goto"), "its text is found 2 times"),
            (ENTRY.format("first law", "a > 0", "a  >  0"), "it changes nothing"),
            (ENTRY.format("third law", "a > 0", "a > 1"), "no row has this law"),
            ("", "the row 'first law' has no breakage"),
            ('[without]\n"third law" = "because"\n', "'third law' under [without]"),
        ]:
            self.assertIn(message, self.problems(second + entry))

    def test_a_reason_is_enough(self) -> None:
        table = ENTRY.format("second law", "return 2;", "return 3;") + '[without]\n"first law" = "it is tested elsewhere"\n'
        self.assertEqual(self.problems(table), "")


class FakeWorkshop(break_laws.Workshop):
    """A copy of the tree in which a build is nothing and the rows look at the text."""

    def __init__(self, root: Path, red: str, fails: bool) -> None:
        self.tree = root
        self.broken = root / "broken"
        self.red, self.fails = red, fails

    def source(self) -> str:
        return (self.tree / "steptp/prove/a.cpp").read_text(encoding="utf-8")

    def build(self, *targets: str) -> str | None:
        return "a.cpp:1: error: no" if self.fails and self.source() != SOURCE else None

    def is_red(self, test: str, wanted: str) -> bool:
        return self.red in self.source()

    def has_tests(self, test: str, wanted: str) -> bool:
        return True


class Run(unittest.TestCase):
    def run_with(self, red: str, fails: bool = False, text: str = "return 2;") -> tuple[int, str]:
        table = ENTRY.format("first law", text, "return 3;")
        with tempfile.TemporaryDirectory() as folder:
            tree = Tree(folder, table)
            workshop = FakeWorkshop(tree.root, red, fails)
            said: list[str] = []
            with (
                mock.patch("builtins.print", lambda *words, **_: said.append(" ".join(map(str, words)))),
                mock.patch.object(break_laws.Log, "add", lambda *_: None),
            ):
                status = break_laws.break_all(workshop, break_laws.read_table(tree.root).breakages)
            self.assertEqual(workshop.source(), SOURCE, "what was broken is whole again")
            return status, "\n".join(said)

    def test_what_is_seen(self) -> None:
        self.assertEqual(self.run_with("return 3;")[0], 0)

    def test_what_is_not_seen(self) -> None:
        status, said = self.run_with("return 4;")
        self.assertEqual(status, 1)
        self.assertIn("first law [return 3;]: nothing goes red", said)

    def test_a_build_that_breaks(self) -> None:
        status, said = self.run_with("return 3;", fails=True)
        self.assertEqual(status, 1)
        self.assertIn("the build breaks: a.cpp:1: error: no", said)

    def test_a_text_that_is_not_there(self) -> None:
        status, said = self.run_with("return 3;", text="return 7;")
        self.assertEqual(status, 1)
        self.assertIn("its text is not found", said)

    def test_rows_that_are_red_anyway(self) -> None:
        self.assertEqual(self.run_with("return 2;")[0], 2)


if __name__ == "__main__":
    unittest.main()

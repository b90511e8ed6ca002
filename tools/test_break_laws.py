"""break_laws must name laws that no row sees, texts that are not there or there twice, and rows without a breakage."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

LOADER = importlib.machinery.SourceFileLoader("break_laws", str(Path(__file__).with_name("break_laws")))
SPEC = importlib.util.spec_from_loader("break_laws", LOADER)
assert SPEC is not None
break_laws = importlib.util.module_from_spec(SPEC)
LOADER.exec_module(break_laws)
law_switches = break_laws.law_switches

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
    """A copy of the tree in which a build is nothing and the rows look at the text that is in force."""

    def __init__(self, root: Path, folder: Path, red: str, fails: bool) -> None:
        super().__init__(folder, root, 2)
        self.red, self.fails = red, fails
        self.breakages: dict[int, break_laws.Breakage] = {}

    def build(self, breakages: dict[int, break_laws.Breakage], tests: list[str]) -> str | None:
        self.breakages = breakages
        break_laws.switched_sources(self.root, breakages)
        return "breakage-1:2:3: error: no\n" if self.fails and breakages else None

    def is_red(self, test: str, wanted: str, broken: int = 0) -> bool:
        text = self.breakages[broken].instead if broken else SOURCE
        return self.red in text

    def has_tests(self, test: str, wanted: str) -> bool:
        return True


class Run(unittest.TestCase):
    def run_with(self, red: str, fails: bool = False, text: str = "return 2;") -> tuple[int, str]:
        table = ENTRY.format("first law", text, "return 3;")
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as copies:
            tree = Tree(folder, table)
            workshop = FakeWorkshop(tree.root, Path(copies), red, fails)
            said: list[str] = []
            with mock.patch("builtins.print", lambda *words, **_: said.append(" ".join(map(str, words)))):
                log = break_laws.Log(tree.root, Path(copies) / "results.jsonl")
                status = break_laws.break_all(workshop, log, break_laws.read_table(tree.root).breakages)
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
        self.assertIn("the build breaks: no", said)

    def test_a_text_that_is_not_there(self) -> None:
        status, said = self.run_with("return 3;", text="return 7;")
        self.assertEqual(status, 1)
        self.assertIn("its text is not found", said)

    def test_rows_that_are_red_anyway(self) -> None:
        self.assertEqual(self.run_with("return 2;")[0], 2)

    def test_a_text_outside_of_functions(self) -> None:
        status, said = self.run_with("return 3;", text="int f(int a)")
        self.assertEqual(status, 1)
        self.assertIn("does not lie within one function", said)


CLASS = """#include <x>
namespace n {
constexpr int kTable[] = {1, 2};
struct S {
  int f(int a) const { return a == 1 ? g({a, '{'}) : 2; }  // a brace: {
  S() : a_(1) { a_ = 3; }
};
bool operator==(const S& l, const S& r) { const auto h = [](int i) { return i + 4; }; return h(1) == 5; }
}
"""


class Switches(unittest.TestCase):
    def switched(self, text: str, instead: str, number: int = 1) -> tuple[str, list[Any]]:
        begin = CLASS.index(text)
        change = law_switches.Change(number, begin, begin + len(text), instead)
        return law_switches.with_switches(CLASS, "c.h", [change])

    def test_bodies_are_written_once_more(self) -> None:
        for text, body in [("? g(", " return a == 1 ? g({a, '{'}) : 2; "), ("a_ = 3", " a_ = 3; ")]:
            out, left = self.switched(text, "HERE")
            self.assertEqual(left, [])
            self.assertIn("law_switches::broken(1)", out)
            self.assertIn(body.replace(text, "HERE"), out)
            self.assertIn(body, out)

    def test_the_outermost_function_counts(self) -> None:
        out, left = self.switched("i + 4", "i + 9")
        self.assertEqual(left, [])
        self.assertEqual(out.count("const auto h"), 2)

    def test_several_in_one_function(self) -> None:
        changes = [law_switches.Change(n, CLASS.index(t), CLASS.index(t) + len(t), "HERE") for n, t in [(1, "i + 4"), (2, "== 5")]]
        out, left = law_switches.with_switches(CLASS, "c.h", changes)
        self.assertEqual((left, out.count("const auto h")), ([], 3))

    def test_what_cannot_be_chosen(self) -> None:
        for text in ["1, 2", "a_(1)", "int f(int a)", "int i) { return i + 4; }; return h(1) == 5; }\n"]:
            self.assertEqual(len(self.switched(text, "HERE")[1]), 1, text)

    def test_errors_name_the_breakage(self) -> None:
        output = "breakage-17:3:9: error: 'x' was not declared\na.cpp:4:1: error: other\nbreakage-17:4:1: error: more\n"
        self.assertEqual(law_switches.broken_builds(output), {17: "'x' was not declared"})


if __name__ == "__main__":
    unittest.main()

"""make_results.py must refuse, by the name of the rule, rows that are no measurement and pages that are not theirs, and
average what may be averaged, as it may be."""

from __future__ import annotations

import contextlib
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import make_results  # noqa: E402

ORIGIN = {"commit": "59fb694", "device": "NVIDIA H200", "driver": "580.1", "command": "steptp time", "date": "2026-11-18",
          "status": "ok"}


def pytorch(workload: int, best: float, **changed: Any) -> dict[str, Any]:
    return {**ORIGIN, "versions": "PyTorch 2.11", "workload": workload, "type": f"T{workload}", "dtype": "float32",
            "class": "none", "degenerate": False, "vanilla_us": 1000 * best, "eager_us": 4 * best,
            "eager_graph_us": 2 * best, "compile_us": 3 * best, "compile_graph_us": best, "roofline_us": 1.0, **changed}


def plan(workload: int, median: float, **changed: Any) -> dict[str, Any]:
    return {**ORIGIN, "workload": workload, "type": f"T{workload}", "dtype": "float32", "plan": f"{workload}.json",
            "program": "0123abcd", "median_us": median, "spread_us": 0.1, "runs": 40, "checked_elements": 8, **changed}


def optimized(workload: int, median: float, expected: float, **changed: Any) -> dict[str, Any]:
    return {**plan(workload, median), "plan": "map", "expected_us": expected, "limited_by": "memory", "verdict": "proved",
            "safe": "yes", "fallback": False, "planning_ms": 10.0, "judging_ms": 0, **changed}


def candidate(way: str, beyond: float, **changed: Any) -> dict[str, Any]:
    return {**ORIGIN, "program": "softmax", "way": way, "candidates": 40, "run_ms": 2.0,
            "beyond_ms": beyond, "other_tasks": 0, **changed}


def on_cpu(workload: int, eager_one: float, eager_all: float, ours: float, **changed: Any) -> dict[str, Any]:
    return {**ORIGIN, "workload": workload, "kind": "norm", "type": f"T{workload}", "dtype": "float32", "plan": "rows",
            "program": "0123abcd", "eager_one_us": eager_one, "eager_all_us": eager_all, "ours_one_us": 2 * ours,
            "ours_all_us": ours, "expected_us": ours, "verdict": "proved", "safe": "yes", "fallback": False, "runs": 40,
            "checked_elements": 8, "other_tasks": 0, "planning_ms": 10.0, "judging_ms": 0, **changed}


class Tree:
    """A repository with a page and raw rows."""

    def __init__(self, folder: str, **tables: list[Any]) -> None:
        self.root = Path(folder)
        (self.root / "bench" / "results").mkdir(parents=True)
        self.page = self.root / "bench" / "RESULTS.md"
        self.page.write_text(f"before\n{make_results.BEGIN}\n{make_results.END}\nafter\n")
        for name, rows in tables.items():
            lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
            (self.root / "bench" / "results" / f"{name}.jsonl").write_text("".join(line + "\n" for line in lines))

    def rules(self) -> list[str]:
        return [finding.rule for finding in make_results.check(self.root)]

    def written(self) -> str:
        assert make_results.check(self.root, is_written=True) == []
        return self.page.read_text()


def without(row: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key != name}


class Rows(unittest.TestCase):
    def rules(self, **tables: list[Any]) -> set[str]:
        with tempfile.TemporaryDirectory() as folder:
            return set(Tree(folder, **tables).rules()) - {"page"}

    def test_good_rows_are_taken(self) -> None:
        self.assertEqual(self.rules(pytorch=[pytorch(1, 2.0)], plans=[plan(1, 1.0)]), set())
        facts = pytorch(1, 2.0, commit="not recorded", driver="not recorded", command="not recorded", date="not recorded")
        self.assertEqual(self.rules(pytorch=[facts]), set())

    def test_a_row_whose_status_is_not_ok_is_refused(self) -> None:
        for status in ("unchecked", "wrong", "failed", "", None):
            self.assertEqual(self.rules(plans=[plan(1, 1.0, status=status)]), {"status"}, status)

    def test_every_field_is_wanted(self) -> None:
        for row, table in ((plan(1, 1.0), "plans"), (pytorch(1, 1.0), "pytorch"),
                           (candidate("each evaluated itself", 1.0), "candidates")):
            for name in row:
                self.assertEqual(self.rules(**{table: [without(row, name)]}), {"line"}, name)
            self.assertEqual(self.rules(**{table: [{**row, "more": 1}]}), {"line"})

    def test_fields_have_their_form(self) -> None:
        for name, value in (("commit", "not recorded"), ("commit", "HEAD"), ("date", "18 November"), ("date", "20261118"),
                            ("device", ""), ("driver", " 580 "), ("median_us", 0), ("median_us", -1.0), ("median_us", True),
                            ("median_us", "1"), ("runs", 0), ("runs", 1.5), ("dtype", "f32"), ("checked_elements", 0)):
            self.assertEqual(self.rules(plans=[plan(1, 1.0, **{name: value})]), {"field"}, f"{name} {value!r}")
        infinite = json.dumps(plan(1, 1.0)).replace('"median_us": 1.0', '"median_us": Infinity')
        self.assertEqual(self.rules(plans=[infinite]), {"field"})

    def test_one_thing_has_one_figure(self) -> None:
        self.assertEqual(self.rules(plans=[plan(1, 1.0), plan(2, 1.0), plan(1, 1.5)]), {"twice"})
        self.assertEqual(self.rules(plans=[plan(1, 1.0), plan(1, 1.0)]), set(), "the same line twice says nothing else")
        self.assertEqual(self.rules(plans=[plan(1, 1.0), plan(1, 1.5, device="NVIDIA A100")]), set())

    def test_lines_and_files_that_are_none(self) -> None:
        self.assertEqual(self.rules(plans=["{", "[1]", ""]), {"line"})
        self.assertEqual(self.rules(other=[plan(1, 1.0)]), {"table"})


class Page(unittest.TestCase):
    def page(self, **tables: list[Any]) -> str:
        with tempfile.TemporaryDirectory() as folder:
            return Tree(folder, **tables).written()

    def cells(self, page: str, first: str) -> list[list[str]]:
        lines = [line for line in page.splitlines() if line.startswith(f"| {first} |")]
        return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]

    def test_a_page_that_differs_fails(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            tree = Tree(folder, pytorch=[pytorch(1, 2.0)], plans=[plan(1, 1.0)])
            self.assertEqual(tree.rules(), ["page"])
            first = tree.written()
            self.assertEqual(tree.rules(), [])
            self.assertEqual(tree.written(), first)
            self.assertTrue(first.startswith("before\n") and first.endswith("\nafter\n"))
            tree.page.write_text(first.replace("2.00", "2.01"))
            self.assertEqual(tree.rules(), ["page"])
            tree.page.write_text(first)
            rows = tree.root / "bench" / "results" / "plans.jsonl"
            rows.write_text(rows.read_text().replace('"median_us": 1.0', '"median_us": 1.25'))
            self.assertEqual(tree.rules(), ["page"])
            tree.page.write_text("no markers\n")
            self.assertEqual(tree.rules(), ["page"])
            tree.page.unlink()
            self.assertEqual(tree.rules(), ["page"])

    def test_the_command_says_what_is_wrong(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            tree = Tree(folder, plans=[plan(1, 1.0, status="wrong")])
            arguments, sys.argv = sys.argv, ["make_results.py", "--write", str(tree.root)]
            said = io.StringIO()
            try:
                with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
                    self.assertEqual(make_results.main(), 1)
            finally:
                sys.argv = arguments
            self.assertIn("bench/results/plans.jsonl:1: error: the status is 'wrong'", said.getvalue())
            self.assertNotIn("Plans", tree.page.read_text())

    def test_ratios_are_clipped_one_by_one(self) -> None:
        # 16 counts as 4, 1/64 as 1/8: the geometric mean of 4 and 1/8 is the root of one half.
        page = self.page(pytorch=[pytorch(1, 16.0), pytorch(2, 1.0), pytorch(3, 1.0)], plans=[plan(1, 1.0), plan(2, 64.0)])
        self.assertEqual(self.cells(page, "no contraction")[0],
                         ["no contraction", "2 of 3", "0.71", "8.01", "0.02", "1 of 2"])
        self.assertEqual(self.cells(page, "1")[0][5:],
                         ["16.0", "16.00", "64.00", "32.00", "48.00", "16.00", "`1.json`"])

    def test_degenerate_programs_count_in_no_mean(self) -> None:
        page = self.page(pytorch=[pytorch(1, 2.0), pytorch(2, 100.0, degenerate=True)], plans=[plan(1, 1.0), plan(2, 1.0)])
        self.assertEqual(self.cells(page, "no contraction")[0][:3], ["no contraction", "1 of 1", "2.00"])
        self.assertIn("Degenerate programs, which count in no mean:", page)
        self.assertLess(page.index("| 1 | T1"), page.index("count in no mean"))
        self.assertGreater(page.index("| 2 | T2"), page.index("count in no mean"))

    def test_classes_and_devices_are_not_mixed(self) -> None:
        rows = [pytorch(1, 1.0), pytorch(2, 4.0, **{"class": "matmul"}), pytorch(3, 4.0, **{"class": "matmul"}, dtype="float16"),
                pytorch(4, 2.0, **{"class": "convolution"}), pytorch(5, 2.0, **{"class": "attention"}, dtype="float64")]
        page = self.page(pytorch=rows, plans=[*(plan(i, 1.0) for i in (1, 2, 4)), plan(5, 1.0, device="NVIDIA A100")])
        shown = {name: self.cells(page, name)[0] for name in ("no contraction", "matmul, float32", "convolution")}
        self.assertEqual({name: cells[1:3] for name, cells in shown.items()},
                         {"no contraction": ["1 of 1", "1.00"], "matmul, float32": ["1 of 1", "4.00"],
                          "convolution": ["1 of 1", "2.00"]})
        # On another device there is no column to compare with, and in another type nothing was measured.
        self.assertIn("Without a column of PyTorch:", page)
        self.assertEqual(len(self.cells(page, "matmul, float16")), 1, "only among PyTorch's own")
        self.assertEqual(len(self.cells(page, "attention")), 1)

    def test_what_optimize_makes_stands_beside_what_is_wanted(self) -> None:
        rows = [optimized(1, 10, 20), optimized(2, 9.9, 31), optimized(3, 10.1, 4.5), optimized(4, 1e5, 1, fallback=True)]
        shown = "\n".join(make_results.show_optimized(rows, [pytorch(n, 8) for n in (1, 2, 3, 4, 5)]))
        # 0.8 three times, and a vanilla time clipped to 1/8: (0.8**3/8)**(1/4).
        self.assertIn("| no contraction | 4 of 5 | 0.50 | 0.85 | no | 0.80 | 0.00 | 3 of 4 | 1 |", shown)
        # What stays as it came was measured with another lowering: it is no test of what was expected.
        self.assertIn("3 programs: 1 (33 %) are within a factor of 2, Spearman -1.00", shown)
        self.assertIn("Of 4 programs 1 stay as they came; of the others 3 are proved or exact, and safe.", shown)
        self.assertEqual(make_results.spearman([1, 2, 3], [10, 20, 40]), 1)
        self.assertEqual(make_results.spearman([1, 2, 2, 3], [4, 3, 3, 1]), -1)

    def test_what_candidates_take_stands_side_by_side(self) -> None:
        rows = [candidate("compared with their root", 1.5), candidate("each evaluated itself", 300.0),
                candidate("each evaluated itself", 7.0, program="matmul")]
        page = self.page(candidates=rows)
        self.assertEqual(self.cells(page, "softmax"), [["softmax", "NVIDIA H200", "40", "0.0 and 0.0", "2.00", "300", "1.50"]])
        self.assertEqual(self.cells(page, "matmul"), [["matmul", "NVIDIA H200", "40", "0.0", "2.00", "7.00", ""]])


    def test_cpu_workloads_are_compared_with_the_faster_number_of_threads(self) -> None:
        page = self.page(cpu=[on_cpu(1, 100.0, 50.0, 100.0), on_cpu(2, 200.0, 400.0, 100.0, kind="matmul")])
        # Ratios of 0.5 and 2; by one thread 0.5 and 1.
        self.assertIn("| all | 2 | 1.00 | 0.50 | 1 | 0.71 | 0.6 |", page)
        self.assertNotIn("tasks of others ran", page)
        self.assertIn("up to 3.00 tasks of others ran", self.page(cpu=[on_cpu(1, 1.0, 1.0, 1.0, other_tasks=3)]))


class ThisRepository(unittest.TestCase):
    def test_the_page_is_what_the_rows_make(self) -> None:
        self.assertEqual([str(finding) for finding in make_results.check(Path(__file__).resolve().parent.parent)], [])

    def test_the_facts_of_pytorch_are_all_there(self) -> None:
        tables, findings = make_results.read_rows(Path(__file__).resolve().parent.parent)
        self.assertEqual(findings, [])
        self.assertEqual({row["workload"] for row in tables["pytorch"]}, set(range(1, 101)) - {27, 85, 91})


if __name__ == "__main__":
    unittest.main()

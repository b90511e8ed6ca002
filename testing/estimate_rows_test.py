#!/usr/bin/env python3
"""The model of expected times against what was measured: all rows of bench/results that have a program, as they are.

States Spearman's rank correlation and the share within a factor of 2, and holds them to what the model is wanted for
(0.8 and 80 %) on everything that was measured with the lowering that it describes. Then pairs of forms of one function:
the one that was measured to be faster is expected to be faster.

Usage: estimate_rows_test.py STEPTP
"""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))
import estimate_report  # noqa: E402

STEPTP = str(Path(sys.argv[1]).resolve())
# Faster, slower, and what is between them.
PAIRS = [
    ("copy_f32_t256", "rows_f32", "neighbouring threads take neighbouring columns"),
    ("copy_f32_t256", "rows1_f32", "more than one block"),
    ("rows_f32", "rows1_f32", "more than one block of scattered accesses"),
    ("copyv_f16", "copy_f16_t256", "vectors of halves"),
    ("transpose_s33", "transpose_s32", "no conflicts between banks"),
    ("transpose_s32", "transpose_direct", "a tile in shared memory"),
    ("blocksum_f32", "rowsum_f32", "a block for each row"),
    ("blocksum_f32", "colsum_f32", "enough threads"),
    ("rowsum_f32", "rowsum1_f32", "more than one block of sums"),
    ("tile_t128", "mmn_f32", "tiles of a product in registers"),
    ("mmn_f32", "mmv_f32", "a grid of blocks"),
    ("ew_expA_f32", "ew_expA_f64", "half the bytes"),
    ("stores_512", "stores_2048", "fewer stores"),
    ("softmax_t256v4", "softmax_t512v2", "longer vectors"),
]


class Rows(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.rows, cls.gone = estimate_report.report(STEPTP)
        print(estimate_report.table(cls.rows))
        print(f"{cls.gone} rows are of programs that are there no longer")

    def test_there_are_rows(self) -> None:
        count = {group: sum(row.group == group for row in self.rows) for group in estimate_report.GROUPS}
        self.assertGreaterEqual(count["old"], 97)
        self.assertGreaterEqual(count["pattern"], 60)
        self.assertGreaterEqual(count["vanilla"], 23)

    def test_expected_times_rank_what_was_measured(self) -> None:
        found = estimate_report.summaries(self.rows)
        self.assertGreaterEqual(found["all"]["spearman"], 0.9)
        self.assertGreaterEqual(found["present"]["spearman"], 0.9)
        for group in ("end", "pattern", "vanilla"):
            if group in found:
                self.assertGreaterEqual(found[group]["spearman"], 0.8, group)

    def test_expected_times_are_near_what_was_measured(self) -> None:
        found = estimate_report.summaries(self.rows)["present"]
        self.assertGreaterEqual(found["within_2"], 0.8)
        self.assertTrue(0.7 <= found["mean"] <= 1.4, found["mean"])

    def test_faster_forms_are_expected_to_be_faster(self) -> None:
        by_name = {row.name: row for row in self.rows if row.group == "pattern"}
        for fast, slow, words in PAIRS:
            with self.subTest(words=words):
                self.assertLess(by_name[fast].measured_us, by_name[slow].measured_us)
                self.assertLess(by_name[fast].expected_us, by_name[slow].expected_us)

    def test_ends_are_expected_to_be_faster_than_their_vanilla_forms(self) -> None:
        vanilla = {row.name: row for row in self.rows if row.group == "old"}
        for row in self.rows:
            if row.group == "end" and row.name in vanilla:
                with self.subTest(workload=row.name):
                    self.assertLess(row.expected_us, vanilla[row.name].expected_us)

    def test_ranks_share_places(self) -> None:
        self.assertEqual(estimate_report.ranks([3, 1, 3, 2]), [2.5, 0, 2.5, 1])
        self.assertAlmostEqual(estimate_report.spearman([1, 2, 3], [10, 20, 30]), 1)
        self.assertAlmostEqual(estimate_report.spearman([1, 2, 3], [30, 20, 10]), -1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

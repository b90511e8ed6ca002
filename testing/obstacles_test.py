#!/usr/bin/env python3
"""What once stood in the way of fast programs is gone: each obstacle on a published workload that it blocked.

Usage: obstacles_test.py STEPTP

Plans are made at the published shape, their ends checked for an H200 and judged, and what the obstacle forbade is looked
for in the launches and the text of the kernels.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "tools")]
import time_plans  # noqa: E402

STEPTP = str(Path(sys.argv[1]).resolve())
KNOWN = time_plans.workloads()


def move(name: str, **choice: Any) -> dict[str, Any]:
    return {"move": name, "choice": choice}


def inline(at: str) -> dict[str, Any]:
    return move("inline", at=at, form="producer")


def rows(at: str, expressions: int, threads: int, **choice: Any) -> dict[str, Any]:
    return move("rows", at=at, expressions=expressions, threads=threads,
                **{"rows": 1, "order": "row", "vector": 1, "keep": 0, "sums": "plain", **choice})


class Obstacles(unittest.TestCase):
    def setUp(self) -> None:
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = Path(kept.name)

    def root(self, workload: int, type_name: str) -> Path:
        self.assertEqual(KNOWN[workload].type, type_name)
        path = self.folder / f"{workload}.json"
        path.write_text(KNOWN[workload].vanilla(STEPTP))
        return path

    def replay(self, root: Path, moves: list[dict[str, Any]]) -> subprocess.CompletedProcess[str]:
        text = time_plans.output_of([STEPTP, "fmt", str(root)])
        plan = {"version": 1, "root": hashlib.sha256(text.encode()).hexdigest(), "target": "nvidia-h200", "moves": moves}
        path = self.folder / "plan.json"
        for _ in range(2):
            path.write_text(json.dumps(plan))
            done = subprocess.run([STEPTP, "replay", "--json", str(root), "--plan", str(path)], capture_output=True, text=True)
            # The refusal of a plan for another program says which hash this one has.
            hashes = set(re.findall(r"\b[0-9a-f]{64}\b", done.stderr)) - {plan["root"]}
            if done.returncode == 0 or not hashes:
                break
            plan["root"] = hashes.pop()
        return done

    def end(self, root: Path, moves: list[dict[str, Any]]) -> dict[str, Any]:
        """The kernels of the end, which passes `check` for the device and is shown equal."""
        done = self.replay(root, moves)
        self.assertEqual(done.returncode, 0, done.stderr)
        leir = json.loads(done.stdout)["leir"]
        path = self.folder / "end.json"
        path.write_text(json.dumps({**json.loads(root.read_text()), "leir": leir}))
        time_plans.output_of([STEPTP, "check", "--device", "nvidia-h200", str(path)])
        judged = subprocess.run([STEPTP, "verify", str(root), str(path), "--json"], capture_output=True, text=True)
        self.assertIn(json.loads(judged.stdout)["verdict"], ("proved", "exact"), judged.stdout[:400])
        lowered = json.loads(time_plans.output_of([STEPTP, "lower", str(path), "--to", "cuda", "--json"]))
        return {"leir": leir, "text": lowered["text"], **lowered["launches"]}

    # (a) Sums of halves in f32, in rows of several elements by groups of threads: they ran thread after thread.
    def test_groups_reduce_in_parallel_in_instance_norm(self) -> None:
        root = self.root(1, "InstanceNorm")
        end = self.end(root, [inline("4"), rows("0", 5, 32, rows=3, sums="wide")])
        self.assertEqual([kernel["in_turn"] for kernel in end["kernels"]], [[]])
        self.assertEqual(end["kernels"][0]["block"], [32, 3, 1])
        self.assertIn("__shfl", end["text"])

    # (b) Shared memory was the sum over all tensors of a kernel.
    def test_shared_memory_is_shared_in_a_chain_behind_a_matmul(self) -> None:
        root = self.root(95, "Gemm_GroupNorm_Min_BiasAdd")
        end = self.end(root, [move("join", at="0", expressions=13, axes=1, rows=1, threads=256, sums="plain")])
        large = set(re.findall(r"\b([A-Z][a-z]?)\^\{f32,s\}_\{[^}]*,[^}]*\}=", end["leir"]))
        self.assertGreaterEqual(len(large), 3)  # two numbers for each of 1024 features
        self.assertLess(end["kernels"][0]["static_shared_bytes"], len(large) * 1024 * 2 * 4)

    # (c) Each accumulator in global memory cost a launch that filled it.
    def test_nothing_is_filled_for_a_matmul_with_irregular_shapes(self) -> None:
        root = self.root(65, "Matmul_with_irregular_shapes")
        tile = move("tile", at="0", thread_rows=16, thread_columns=8, rows=8, columns=8, depth=16, vector=4, padding=0,
                    following=0)
        end = self.end(root, [move("parts", at="0", length=512), tile, move("map", at="1", threads=256, width=4)])
        self.assertEqual((end["fills"], len(end["steps"])), ([], 2))

    # (d) Rows of 11,421 and 17,889 halves had no vectors: no divisor of eight, and a guard.
    def test_vectors_run_along_rows_of_odd_length(self) -> None:
        for workload, name in ((30, "Swish"), (71, "ReLU")):
            with self.subTest(workload=workload):
                root = self.root(workload, name)
                plan = json.loads((ROOT / "bench" / "plans" / f"{workload}.json").read_text())
                end = self.end(root, plan["moves"])
                self.assertRegex(end["text"], r"= \*\(const stp_vector<(__half|stp_half|half), 8>\*\)")

    # (e) Footprints were boxes: pixels could not be fused into the columns of a matrix.
    def test_a_convolution_is_a_matrix_product_over_fused_pixels(self) -> None:
        root = self.root(13, "Conv3d_Softmax_MaxPool_MaxPool")
        product = move("window", at="0", form="product", thread_rows=1, thread_columns=128, rows=5, columns=4, depth=8,
                       vector=1, padding=0, image="shared", channels=1, following=0)
        end = self.end(root, [product])
        pixels = 69 * 37 * 5 * 44
        self.assertEqual(end["kernels"][0]["grid"][0], -(-pixels // (128 * 4)))

    # (f) A reduction bound to blocks was launched once for each of them.
    def test_a_reduction_over_blocks_is_two_kernels_in_the_frobenius_norm(self) -> None:
        root = self.root(42, "FrobeniusNorm")
        plan = json.loads((ROOT / "bench" / "plans" / "42.json").read_text())
        end = self.end(root, plan["moves"])
        self.assertEqual([kernel["host_loops"] for kernel in end["kernels"]], [[], [], []])
        self.assertEqual((end["fills"], len(end["steps"])), ([], 3))

    # (g) One thread had a whole query: a head of 98 doubles does not fit into its registers.
    def test_several_threads_have_a_query_of_a_wide_head(self) -> None:
        root = self.root(67, "MHA_mean")
        flash = {"at": "21", "queries": 63, "keys": 27, "scores": "keys", "staged": "queries", "following": 3}
        alone = self.replay(root, [move("flash", **{**flash, "staged": "keys"}, threads=1, rows=1)])
        self.assertEqual(alone.returncode, 1)
        self.assertIn("flash refused [registers]", alone.stderr)
        done = self.replay(root, [move("flash", **flash, threads=8, rows=3)])
        self.assertEqual(done.returncode, 0, done.stderr)
        path = self.folder / "end.json"
        path.write_text(json.dumps({**json.loads(root.read_text()), "leir": json.loads(done.stdout)["leir"]}))
        time_plans.output_of([STEPTP, "check", "--device", "nvidia-h200", str(path)])
        kernels = json.loads(time_plans.output_of([STEPTP, "lower", str(path), "--to", "cuda", "--json"]))["launches"]["kernels"]
        self.assertIn([8, 21, 1], [kernel["block"] for kernel in kernels])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

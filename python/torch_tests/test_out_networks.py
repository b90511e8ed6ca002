"""Whole networks, small, through each door beside eager PyTorch. All six and halves with STEPTP_SOAK; in the sizes that people
use they run on a GPU (bench/torch_gpu/time_networks.py), whose small run is tested here too."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import steptp
import torch
from compare import assert_close, fill, tensors
from out_support import SOAK, compare_compiled, groups, no_surprise

BENCH = Path(__file__).resolve().parents[2] / "bench" / "torch_gpu"
sys.path.insert(0, str(BENCH))
from networks import NAMES, network  # noqa: E402

CASES = [(name, dtype) for name in NAMES for dtype in (torch.float32, torch.float16)] if SOAK else [("Llama block", torch.float32)]


@pytest.mark.parametrize("name,dtype", CASES)
def test_networks(name: str, dtype: torch.dtype) -> None:
    model, inputs = network(name, 2, small=True)
    model = fill(model).to(dtype)
    inputs = [value.to(dtype) if value.is_floating_point() else value for value in inputs]
    fast = steptp.optimize(copy.deepcopy(model), inputs)
    with torch.no_grad(), no_surprise():
        assert_close(tensors(fast(*inputs)), tensors(model(*inputs)), name)
    assert fast.report.groups and not fast.report.places, fast.report
    assert all(group.verdict in ("proved", "exact") for group in fast.report.groups)
    assert groups(compare_compiled(model, inputs, name))


@pytest.mark.skipif(not SOAK, reason="three processes with PyTorch take 15 s: with STEPTP_SOAK")
def test_the_run_for_a_gpu_on_this_machine(tmp_path: Path) -> None:
    """Networks in processes of their own, first to make kernels and then to be timed: rows and a table."""
    command = [sys.executable, str(BENCH / "time_networks.py"), "-o", str(tmp_path), "--small", "--device", "cpu", "--networks", "ViT-B block"]
    command += ["--batches", "1", "--dtypes", "f32", "--doors", "optimize", "--seconds", "120"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=dict(os.environ))
    assert done.returncode == 0, done.stderr + done.stdout
    rows = [json.loads(line) for line in (tmp_path / "networks.jsonl").read_text().splitlines()]
    assert [(row["mode"], row["way"]) for row in rows] == [(mode, way) for mode in ("check", "time") for way in ("eager", "steptp.optimize")]
    assert all(row["right"] and row["us"] > 0 for row in rows[2:]) and rows[3]["verdicts"] == ["proved"]
    assert "| ViT-B block | 1 | f32 | steptp.optimize | yes |" in (tmp_path / "networks.md").read_text()

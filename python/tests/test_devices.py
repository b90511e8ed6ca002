"""`steptp.estimate` and `steptp.device_rates`."""

from __future__ import annotations

import pytest

import steptp

COPY = """@program Copy
@input A f32[512,256]
@output C f32[512,256]
B^{512}_{%s=0}B^{256}_{%s=0}[C^{f32,g}_{%s,%s}=A^{f32,g}_{%s,%s};];
"""
COLUMNS = COPY % ("bx", "tx", "bx", "tx", "bx", "tx")


def test_estimate_says_what_limits_each_kernel() -> None:
    made = steptp.estimate(COLUMNS, "nvidia-h200")
    assert made["device"] == "nvidia-h200"
    assert made["seconds"] >= made["floor_seconds"] > 0
    (kernel,) = made["kernels"]
    assert kernel["limited_by"] == "launch" or kernel["limited_by"] in kernel["parts"]
    assert kernel["memory_bytes"] == pytest.approx(2 * 512 * 256 * 4, rel=1e-4)


def test_a_table_can_be_changed() -> None:
    table = steptp.device_rates("nvidia-h200")
    slower = {**table, "rates": {**table["rates"], "launch_seconds": 1.0}}
    assert steptp.estimate(COLUMNS, rates=slower)["seconds"] >= 1
    assert steptp.estimate(COLUMNS, rates=table) == steptp.estimate(COLUMNS, "nvidia-h200")


def test_unknown_devices_and_bad_tables_are_refused() -> None:
    with pytest.raises(ValueError, match="no device 'toaster'"):
        steptp.estimate(COLUMNS, "toaster")
    with pytest.raises(ValueError, match="no device 'toaster'"):
        steptp.device_rates("toaster")
    table = steptp.device_rates("plain-cpu")
    with pytest.raises(ValueError, match="there is no rate 'speed'"):
        steptp.estimate(COLUMNS, rates={**table, "rates": {**table["rates"], "speed": 1}})
    with pytest.raises(ValueError, match="no device 'gpu'"):
        steptp.device_rates("gpu", measure=True)


def test_a_program_with_errors_is_refused() -> None:
    with pytest.raises(steptp.DiagnosticError):
        steptp.estimate(COLUMNS.replace("A^{f32,g}_{bx,tx}", "A^{f32,g}_{bx,tx+1}"), "nvidia-h200")

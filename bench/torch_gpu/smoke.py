#!/usr/bin/env python3
"""The package, PyTorch and the GPU meet: one small thing of each kind, each with its failure in full. Exit status 1 where one
fails, 4 without a GPU.

Usage: smoke.py [kernels|optimize|backend|training|judge|samples ...]; without names all but samples, which measures
"""

from __future__ import annotations

import sys
import time
import traceback
from typing import Any

import torch
from torch import nn


def block() -> tuple[nn.Module, torch.Tensor]:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(256, 1024), nn.GELU(), nn.Linear(1024, 256), nn.LayerNorm(256)).cuda().eval()
    return model, torch.randn(64, 256, device="cuda")


def kernels() -> Any:
    import steptp
    from steptp import _steptp

    text = "@input A f32[1024]\n@output C f32[1024]\nB^{8}_{bx=0}B^{128}_{tx=0}[C^{f32,g}_{bx*128+tx}=A^{f32,g}_{bx*128+tx}+1;];"
    made = _steptp.compile_kernels(steptp.read(text), 0, "fast")
    given, out = torch.randn(1024, device="cuda"), torch.empty(1024, device="cuda")
    made.call([given.data_ptr(), out.data_ptr()], 0, torch.cuda.current_stream().cuda_stream, 1)
    assert torch.equal(out, given + 1)
    return f"{made.kernels} kernel"


def optimize() -> Any:
    import steptp

    model, x = block()
    fast = steptp.optimize(model, [x], device="cuda")
    with torch.no_grad():
        assert torch.allclose(fast(x), model(x), atol=1e-4)
    assert fast.report.groups, fast.report
    return str(fast.report)


def backend() -> Any:
    from steptp.torch_out import backend as steptp_backend

    model, x = block()
    compiled = torch.compile(model, backend="steptp")
    with torch.no_grad():
        assert torch.allclose(compiled(x), model(x), atol=1e-4)
    return "; ".join(report.text() for report in steptp_backend.reports())


def training() -> Any:
    model, x = block()
    wanted = torch.autograd.grad(model(x).square().sum(), list(model.parameters()))
    got = torch.autograd.grad(torch.compile(model, backend="steptp")(x).square().sum(), list(model.parameters()))
    for ours, theirs in zip(got, wanted):
        assert torch.allclose(ours, theirs, atol=1e-3 * (1 + float(theirs.abs().max()))), float((ours - theirs).abs().max())
    return f"{len(got)} gradients"


def judge() -> Any:
    import steptp

    class Written(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x / (1 + torch.exp(-x))

    x = torch.randn(8, 64, device="cuda")
    same, other = steptp.check_module(nn.SiLU(), Written(), [x]), steptp.check_module(nn.SiLU(), nn.GELU(), [x])
    assert same and not other and other.verdict == "differs", (same, other)
    assert other.counterexample is not None
    return f"{same.verdict}; {other.verdict}: {other.reason}"


def samples() -> Any:
    import steptp

    x = torch.randn(64, 4096, device="cuda")
    fast = steptp.optimize(nn.Softmax(-1), [x], device="cuda", samples=6)
    with torch.no_grad():
        assert torch.allclose(fast(x), torch.softmax(x, -1), atol=1e-6)
    groups = [(group.searched, group.measured_s, group.eager_s) for group in fast.report.groups]
    return f"{groups} {fast.report}"


def main() -> int:
    named = {what.__name__: what for what in (kernels, optimize, backend, training, judge, samples)}
    chosen = [named[name] for name in sys.argv[1:]] or list(named.values())[:-1]
    print(f"Python {sys.version.split()[0]}, PyTorch {torch.__version__}, {torch.cuda.is_available() and torch.cuda.get_device_name()}")
    if not torch.cuda.is_available():
        return 4
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    failed = 0
    for what in chosen:
        begin = time.perf_counter()
        try:
            said = what()
        except Exception:  # noqa: BLE001
            failed += 1
            said = "FAILS\n" + traceback.format_exc()
        print(f"{what.__name__} ({time.perf_counter() - begin:.2f} s): {said}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

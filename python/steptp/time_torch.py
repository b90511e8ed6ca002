"""Measures a PyTorch module as `steptp time` measures programs: eager, and compiled by torch.compile.

    python time_torch.py model.py --device cpu|cuda --report report.json [--budget SECONDS] [--warm] [--threads N]

The file has `Model`, `get_inputs` and `get_init_inputs`. It needs PyTorch and the standard library only. TF32 is off
everywhere. The report has one entry per column, with the seconds of its runs or with the reason why there are none.
"""

from __future__ import annotations

import argparse
import json
import runpy
import statistics
import sys
import time
from typing import Any, Callable

LEAST_SAMPLES = 10
MOST_SAMPLES = 500


def summary(name: str, samples: list[float]) -> dict[str, Any]:
    median = statistics.median(samples)
    spread = 1.4826 * statistics.median(abs(sample - median) for sample in samples)
    return {"name": name, "median_s": median, "spread_s": spread, "min_s": min(samples), "samples": len(samples)}


class Clock:
    """One run at a time, with cold caches where that is wanted."""

    def __init__(self, torch: Any, device: str, cold: bool) -> None:
        self.torch, self.device = torch, device
        bytes_to_flush = 256 << 20
        self.other = torch.empty(bytes_to_flush, dtype=torch.uint8, device=device) if cold else None
        if device == "cuda":
            self.events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]

    def seconds(self, run: Callable[[], Any]) -> float:
        if self.other is not None:
            self.other.fill_(1)
        if self.device != "cuda":
            start = time.perf_counter()
            run()
            return time.perf_counter() - start
        begin, end = self.events
        begin.record()
        run()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) / 1e3


def measure(name: str, run: Callable[[], Any], clock: Clock, budget: float) -> dict[str, Any]:
    for _ in range(3):
        clock.seconds(run)
    samples: list[float] = []
    start = time.monotonic()
    while len(samples) < MOST_SAMPLES and (len(samples) < LEAST_SAMPLES or time.monotonic() - start < budget):
        samples.append(clock.seconds(run))
        if time.monotonic() - start > 4 * budget and len(samples) >= 3:
            break
    return summary(name, samples)


def columns(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    import torch

    if arguments.device == "cuda" and not torch.cuda.is_available():
        raise RuntimeError("this PyTorch finds no GPU")
    if arguments.threads:
        torch.set_num_threads(arguments.threads)
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.manual_seed(0)
    module = runpy.run_path(arguments.file)
    model = module["Model"](*module.get("get_init_inputs", list)()).eval().to(arguments.device)

    def moved(value: Any) -> Any:
        return value.to(arguments.device) if isinstance(value, torch.Tensor) else value

    inputs = [moved(value) for value in module["get_inputs"]()]
    clock = Clock(torch, arguments.device, not arguments.warm)
    out = []
    with torch.no_grad():
        for name in ("eager", "torch.compile"):
            try:
                callable_model = model if name == "eager" else torch.compile(model)
                out.append(measure(name, lambda: callable_model(*inputs), clock, arguments.budget))
            except Exception as error:  # a column that cannot be had is no reason to lose the other
                out.append({"name": name, "error": f"{type(error).__name__}: {error}".splitlines()[0][:300]})
    return out


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--report", required=True)
    parser.add_argument("--budget", type=float, default=5.0)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--warm", action="store_true")
    arguments = parser.parse_args(words)
    try:
        report: dict[str, Any] = {"columns": columns(arguments)}
    except ImportError as error:
        report = {"error": f"there is no PyTorch: {error}"}
    except Exception as error:
        report = {"error": f"{type(error).__name__}: {error}".splitlines()[0][:300]}
    with open(arguments.report, "w", encoding="utf-8") as file:
        json.dump(report, file)
    return 1 if "error" in report else 0


if __name__ == "__main__":
    sys.exit(main())

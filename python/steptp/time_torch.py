"""Measures a PyTorch module when `steptp time` asks for it: eager, compiled, and by the vendor's library.

    python time_torch.py model.py --device cpu|cuda [--warm] [--threads N] [--graph]

The file has `Model`, `get_inputs` and `get_init_inputs`. It needs PyTorch and the standard library only. TF32 is off
everywhere. On a CPU each column is tried with one thread and with all of them, unless --threads says how many, and is
measured with the better number; where that is one, its name says so. With --graph a GPU runs eager and compiled modules as CUDA graphs too, in columns of their own. First comes one line with the columns, each with its name or with the reason why it cannot be had. Then each
line read, `COLUMN SECONDS MOST`, is answered with one line: the seconds of single runs. So PyTorch and the programs of
`steptp time` take turns on one machine.
"""

from __future__ import annotations

import argparse
import json
import os
import runpy
import sys
import time
from typing import Any, Callable

WARM_UP = 3
# Runs with each number of threads, of which the fastest tells which number is better.
TRIES = 5
# What one call of a library computes, and whose it is; elsewhere it is that of Intel's kernels.
VENDOR = {"mm": "cuBLAS", "bmm": "cuBLAS", "addmm": "cuBLAS", "baddbmm": "cuBLAS", "convolution": "cuDNN"}
# These move no data, or little.
VIEWS = {"t", "view", "_unsafe_view", "reshape", "transpose", "permute", "expand", "unsqueeze", "squeeze", "detach"}


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


def reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0][:300]


def measure(run: Callable[[], Any], clock: Any, seconds: float, most: int) -> list[float]:
    """At least one run; no more are begun when the time is over."""
    samples = [clock.seconds(run)]
    start = time.monotonic()
    while len(samples) < most and time.monotonic() - start < seconds:
        samples.append(clock.seconds(run))
    return samples


def vendor_call(torch: Any, run: Callable[[], Any], device: str) -> tuple[str, Callable[[], Any]] | None:
    """The one call of a library that a module is, with its arguments; None where it is more than that."""
    from torch.utils._python_dispatch import TorchDispatchMode

    calls: list[tuple[Any, tuple, dict]] = []

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            name = function._schema.name.split("::")[-1]
            if name not in VIEWS:
                calls.append((function, args, kwargs or {}))
            return function(*args, **(kwargs or {}))

    with Watch():
        run()
    if len(calls) != 1:
        return None
    function, args, kwargs = calls[0]
    library = VENDOR.get(function._schema.name.split("::")[-1])
    if library is None:
        return None
    name = library if device == "cuda" else "oneDNN or MKL"
    return name, lambda: function(*args, **kwargs)


def on_threads(torch: Any, run: Callable[[], Any], threads: int) -> Callable[[], Any]:
    """The same with its own number of threads; columns take turns, and each may want another one."""

    def call() -> Any:
        if torch.get_num_threads() != threads:
            torch.set_num_threads(threads)
        return run()

    return call


def with_better_threads(torch: Any, name: str, run: Callable[[], Any] | str, clock: Any) -> tuple[str, Callable[[], Any] | str]:
    """The column with one thread or with all, whichever is faster here: small work is slower in many hands."""
    every = torch.get_num_threads()
    if isinstance(run, str) or every == 1:
        return name, warmed(run, clock)
    tried = []
    for threads in (every, 1):
        ready = warmed(on_threads(torch, run, threads), clock)
        if not isinstance(ready, str):
            tried.append((min(clock.seconds(ready) for _ in range(TRIES)), threads, ready))
        elif threads == every:
            torch.set_num_threads(every)
            return name, ready
    torch.set_num_threads(every)
    _, threads, best = min(tried, key=lambda one: one[0])
    return (name if threads == every else f"{name}, 1 thread"), best


def columns(torch: Any, arguments: argparse.Namespace, clock: Clock) -> list[tuple[str, Callable[[], Any] | str]]:
    """Names with what to run, or with the reason why there is nothing."""
    module = runpy.run_path(arguments.file)
    model = module["Model"](*module.get("get_init_inputs", list)()).eval().to(arguments.device)

    def moved(value: Any) -> Any:
        return value.to(arguments.device) if isinstance(value, torch.Tensor) else value

    inputs = [moved(value) for value in module["get_inputs"]()]
    found: list[tuple[str, Callable[[], Any] | str]] = [("eager", lambda: model(*inputs))]
    try:
        compiled = torch.compile(model)
        found.append(("torch.compile", lambda: compiled(*inputs)))
    except Exception as error:
        found.append(("torch.compile", reason(error)))
    if vendor := vendor_call(torch, lambda: model(*inputs), arguments.device):
        found.append(vendor)
    if arguments.device == "cpu" and not arguments.threads:
        return [with_better_threads(torch, name, run, clock) for name, run in found]
    ready = [(name, warmed(run, clock)) for name, run in found]
    if arguments.graph:
        for name, run in list(ready)[:2]:
            graph = run if isinstance(run, str) else recorded(torch, run, clock)
            ready.append((f"{name}, graph", graph))
    return ready


def warmed(run: Callable[[], Any] | str, clock: Clock) -> Callable[[], Any] | str:
    """The same after some runs, or why it does not run: a column that cannot be had is no reason to lose the others."""
    if isinstance(run, str):
        return run
    try:
        for _ in range(WARM_UP):
            clock.seconds(run)
    except Exception as error:
        return reason(error)
    return run


def recorded(torch: Any, run: Callable[[], Any], clock: Clock) -> Callable[[], Any] | str:
    """All kernels of a run as one CUDA graph. A module that waits for the GPU or copies from the host has none."""
    try:
        aside = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(WARM_UP):
                run()
        torch.cuda.current_stream().wait_stream(aside)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            kept = run()
    except Exception as error:
        return reason(error)

    def replay(results: Any = kept) -> Any:
        graph.replay()
        return results

    return warmed(replay, clock)


def converse(arguments: argparse.Namespace, say: Callable[[dict], None]) -> None:
    import torch

    if arguments.device == "cuda" and not torch.cuda.is_available():
        raise RuntimeError("this PyTorch finds no GPU")
    if arguments.threads:
        torch.set_num_threads(arguments.threads)
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.manual_seed(0)
    clock = Clock(torch, arguments.device, not arguments.warm)
    with torch.no_grad():
        prepared = columns(torch, arguments, clock)
        said = [{"name": name, **({"error": run} if isinstance(run, str) else {})} for name, run in prepared]
        say({"columns": said})
        for line in sys.stdin:
            number, seconds, most = line.split()
            try:
                say({"samples": measure(prepared[int(number)][1], clock, float(seconds), int(most))})
            except Exception as error:
                say({"error": reason(error)})


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--warm", action="store_true")
    parser.add_argument("--graph", action="store_true")
    arguments = parser.parse_args(words)
    if arguments.graph and arguments.device != "cuda":
        parser.error("--graph needs --device cuda")
    # The line is ours alone: what the module or a compiler prints goes to standard error.
    line = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def say(answer: dict) -> None:
        line.write(json.dumps(answer) + "\n")
        line.flush()

    try:
        converse(arguments, say)
    except ImportError as error:
        say({"error": f"there is no PyTorch: {error}"})
        return 1
    except Exception as error:
        say({"error": reason(error)})
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""A rival of `steptp time --rival`: a PyTorch file of `zoo show --emit torch` in eager PyTorch on a CPU.

    python3 bench/eager_times.py MODEL.py --threads N

Runs are single ones, each from cold caches. It needs PyTorch; bench/time_cpu_workloads.py starts it.
"""

from __future__ import annotations

import argparse
import runpy
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import rival  # noqa: E402

WARM_UP = 3
BYTES_TO_FLUSH = 128 << 20


def prepare(file: str, threads: int) -> Callable[[], float]:
    import torch

    torch.set_num_threads(threads)
    torch.manual_seed(0)
    module = runpy.run_path(file)
    model = module["Model"](*module["get_init_inputs"]()).eval()
    inputs = module["get_inputs"]()
    other = torch.empty(BYTES_TO_FLUSH, dtype=torch.uint8)

    def run() -> float:
        other.fill_(1)
        with torch.no_grad():
            start = time.perf_counter()
            model(*inputs)
            return time.perf_counter() - start

    for _ in range(WARM_UP):
        run()
    return run


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--threads", type=int, required=True)
    arguments = parser.parse_args()
    return rival.converse("eager", lambda: prepare(arguments.file, arguments.threads))


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Problems in the form of KernelBench on a GPU: fast_p without measuring or with samples, by the imitation of the harness. All
plans and kernels are made first, by many processes at once; then each problem is timed alone, from the cache.

Usage: table.py FOLDER... -o OUT [--jobs N] [--plan-seconds S] [--seconds S] [--samples N] [--inductor]
Rows and the table are written to OUT.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from steptp.torch_out import kernelbench


def found(folders: list[str]) -> list[tuple[int, Path]]:
    return [item for folder in folders for item in kernelbench.problems(Path(folder), [1, 2, 3])]


def plan(paths: list[Path], samples: int) -> None:
    """Makes plans and kernels, which stay in the cache; problems are told by whoever times them."""
    import torch

    import steptp
    from steptp.torch_out.harness import namespace

    torch.set_num_threads(1)
    for path in paths:
        begin = time.monotonic()
        said = "planned"
        try:
            space = namespace(path.read_text(), "problem")
            torch.manual_seed(42)
            model = space["Model"](*space.get("get_init_inputs", list)()).cuda()
            inputs = [value.cuda() if isinstance(value, torch.Tensor) else value for value in space["get_inputs"]()]
            steptp.optimize(model, inputs, device="cuda", samples=samples)
        except Exception as error:  # noqa: BLE001
            said = f"{type(error).__name__}: {error}"[:200]
        print(f"plan {path.stem}: {said} ({time.monotonic() - begin:.1f} s)", flush=True)


def plan_all(paths: list[Path], options: argparse.Namespace) -> None:
    parts = [paths[at :: options.jobs] for at in range(options.jobs)]
    command = [sys.executable, "-u", __file__, "--plan", "-o", options.out, "--samples", str(options.samples)]
    running = [subprocess.Popen([*command, *map(str, part)]) for part in parts if part]
    end = time.monotonic() + options.plan_seconds
    for process in running:
        try:
            process.wait(max(end - time.monotonic(), 0.1))
        except subprocess.TimeoutExpired:
            process.kill()


def solve(path: Path, options: argparse.Namespace) -> dict[str, Any]:
    try:
        return kernelbench.solve(path, "cuda", options.samples, compiled=options.inductor)
    except Exception:  # noqa: BLE001  the others are to be seen too
        print(traceback.format_exc(limit=-4), flush=True)
        failed = {**dict.fromkeys(kernelbench.STAGES, False), "seconds": None, "eager_seconds": None, "failure": "fails"}
        return {**failed, "reason": traceback.format_exc(limit=-1)[-300:]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("-o", "--out", required=True)
    parser.add_argument("--jobs", type=int, default=12)
    parser.add_argument("--plan-seconds", type=float, default=60)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--samples", type=int, default=0)
    parser.add_argument("--inductor", action="store_true")
    parser.add_argument("--only-plan", action="store_true")
    parser.add_argument("--plan", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.plan:
        plan(list(map(Path, options.folders)), options.samples)
        return 0
    items = found(options.folders)
    if options.plan_seconds > 0:
        plan_all([path for _, path in items], options)
    if options.only_plan:
        return 0
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    end = time.monotonic() + options.seconds
    with (out / "kernelbench.jsonl").open("w") as stream:
        for level, path in items:
            if time.monotonic() > end:
                print(f"the time is over: {len(items) - len(rows)} problems were not run", flush=True)
                break
            row = {"level": level, "problem": path.name, **solve(path, options)}
            rows.append(row)
            stream.write(json.dumps(row) + "\n")
            stream.flush()
            times = "" if not row["seconds"] else f" {1e6 * row['seconds']:.1f} us, eager {1e6 * row['eager_seconds']:.1f} us"
            print(f"level {level} {path.stem}: {row['failure'] or 'correct'}{times} {row.get('reason', '')[:200]}", flush=True)
            (out / "kernelbench.md").write_text(kernelbench.table(rows))
    print(kernelbench.table(rows), end="")
    return 0 if rows and all(row["correct"] or not row["imported"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())

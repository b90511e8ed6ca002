#!/usr/bin/env python3
"""What a candidate of a search takes beyond compiling and running, as raw rows for bench/results/candidates.jsonl.

    python3 bench/candidate_cost.py STEPTP [--device cpu|cuda] [--candidates N] [--commit C] [--driver D] [--out ROWS]

For each root of ROOTS, N programs that one drawn step of a loop strategy leads to are timed in one run, first each with
certified values of its own, then with those of their root (--root). Medians over the candidates; the first one is left
out, because asking the machine what it can do is part of it.
"""

from __future__ import annotations

import argparse
import datetime
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tools")]
import make_results  # noqa: E402
import time_plans  # noqa: E402

# Type and arguments of the zoo, and a name for the table.
ROOTS = {
    "softmax 64x1024": ["softmax", "--arg", "batch_size=64", "--arg", "dim=1024"],
    "matmul 128x128": ["Square_matrix_multiplication", "--arg", "N=128"],
    "InstanceNorm in f16, workload 1": 1,
    "LogSoftmax 304x12782, workload 26": 26,
}
STRATEGIES = ("loop_split", "loop_tiling", "loop_unrolling", "loop_reorder")
WAYS = {"each evaluated itself": False, "compared with their root": True}


def root_record(steptp: str, root: Any) -> str:
    if isinstance(root, int):
        return time_plans.workloads()[root].vanilla(steptp)
    return time_plans.output_of([steptp, "zoo", "show", *root, "--json"])


def candidates(steptp: str, root: Path, count: int) -> list[str]:
    """Records of different programs that are equal to the root."""
    command = [steptp, "choices", str(root), "--sample", str(4 * count), "--seed", "1", "--json"]
    for strategy in STRATEGIES:
        command += ["--strategy", strategy]
    record = json.loads(root.read_text())
    out: dict[str, str] = {}
    for line in time_plans.output_of(command).splitlines():
        step = json.loads(line)
        applied = subprocess.run([steptp, "apply", str(root), "--strategy", step["strategy"], "--choice",
                                  json.dumps(step["choice"]), "--json"], capture_output=True, text=True)
        if applied.returncode == 0 and len(out) < count:
            leir = json.loads(applied.stdout)["leir"]
            out[leir] = json.dumps({**record, "leir": leir})
    return list(out.values())


def measured(steptp: str, file: Path, root: Path | None, device: str) -> tuple[dict[str, Any], list[dict[str, Any]], list[float]]:
    """Name of the device and its load, the candidates' answers, and what each took beyond compiling and running."""
    command = [steptp, "time", str(file), "--device", device, "--budget", "0.05", "--json"]
    command += ["--root", str(root)] if root else []
    done = subprocess.run(command, capture_output=True, text=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    bad = [one for one in answers if one["programs"][0]["status"] != "ok"]
    if bad or not answers:
        raise ValueError(f"{len(bad)} of {len(answers)} have no time: {done.stderr[:500]}")
    programs = [answer["programs"][0] for answer in answers[1:]]
    beyond = [one["cost_ms"]["certified_values"] + one["cost_ms"]["preparing"] - one["compile_ms"] + one["cost_ms"]["ending"]
              for one in programs]
    machine = {"device": answers[0]["machine"]["name"],
               "other_tasks": rounded(statistics.fmean(one["machine"]["load"]["other_tasks"] for one in answers))}
    return machine, programs, beyond


def rows_of(arguments: argparse.Namespace, name: str, folder: Path) -> list[dict[str, Any]]:
    steptp = arguments.steptp
    root = folder / "root.json"
    root.write_text(root_record(steptp, ROOTS[name]))
    file = folder / "candidates.jsonl"
    texts = candidates(steptp, root, arguments.candidates)
    file.write_text("".join(text + "\n" for text in texts))
    # Once for nothing, so that neither way finds less in the cache than the other.
    measured(steptp, file, root, arguments.device)
    out = []
    for way, with_root in WAYS.items():
        machine, programs, beyond = measured(steptp, file, root if with_root else None, arguments.device)
        out.append({"commit": arguments.commit or time_plans.this_commit(), "device": machine["device"],
                    "driver": arguments.driver or "none", "date": datetime.date.today().isoformat(), "status": "ok",
                    "command": f"python3 bench/candidate_cost.py STEPTP --device {arguments.device} "
                               f"--candidates {arguments.candidates}",
                    "program": name, "way": way, "candidates": len(programs),
                    "run_ms": rounded(statistics.median(one["cost_ms"]["running"] for one in programs)),
                    "beyond_ms": rounded(statistics.median(beyond)), "other_tasks": machine["other_tasks"]})
        print(f"{name}, {way}: {out[-1]['beyond_ms']} ms beyond, {out[-1]['run_ms']} ms of runs", file=sys.stderr)
    return out


def rounded(value: float) -> float:
    return float(f"{value:.3g}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("steptp")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--candidates", type=int, default=20)
    parser.add_argument("--only", default="", help="roots with this in their name")
    parser.add_argument("--commit", default="")
    parser.add_argument("--driver", default="")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    text = ""
    for name in ROOTS:
        if arguments.only not in name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            text += "".join(json.dumps(row) + "\n" for row in rows_of(arguments, name, Path(folder)))
        for line in text.splitlines():
            for finding in make_results.findings_in(line, make_results.TABLES["candidates"], name):
                raise ValueError(str(finding))
        if arguments.out:
            arguments.out.write_text(text)
    if not arguments.out:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())

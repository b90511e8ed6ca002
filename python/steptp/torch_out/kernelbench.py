"""A folder of problems in the form of KernelBench, each made fast, checked by the imitation of the harness, and counted.

    python -m steptp.torch_out.kernelbench DIR -o OUT [--levels 1,2,3] [--device cpu|cuda] [--samples N]

DIR has problems, or folders level1, level2, level3 with problems. OUT gets results.jsonl, one line for each problem as soon
as it is done, so that a run that was ended goes on where it was, and a table in Markdown. Each problem runs in a process of its own.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

THRESHOLDS = (0.0, 0.95, 1.0, 1.5, 2.0)
STAGES = ("imported", "planned", "judged", "correct")


def problems(folder: Path, levels: list[int]) -> list[tuple[int, Path]]:
    """By level and number; files that lie in the folder itself are of level 1."""
    found = []
    for level in levels:
        own = folder / f"level{level}"
        found += [(level, path) for path in (own.glob("*.py") if own.is_dir() else ())]
    if not any((folder / f"level{level}").is_dir() for level in (1, 2, 3)):
        found = [(1, path) for path in folder.glob("*.py")]

    def order(item: tuple[int, Path]) -> tuple[int, int, str]:
        digits = item[1].stem.split("_")[0]
        return item[0], int(digits) if digits.isdigit() else 10**9, item[1].name

    return sorted((item for item in found if not item[1].name.startswith("_")), key=order)


def solve(path: Path, device: str, samples: int, *, compiled: bool = True) -> dict[str, Any]:
    """One problem from its file to times, in this process; `compiled`: also of PyTorch's own compiler."""
    import torch

    import steptp
    from .harness import evaluate, namespace

    source = path.read_text()
    row: dict[str, Any] = dict.fromkeys(STAGES, False)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    made: list[Any] = []

    def candidate() -> Any:
        reference = namespace(source, "problem")

        def make(*given: Any) -> Any:
            torch.manual_seed(42)
            model = reference["Model"](*given).to(device)
            inputs = [value.to(device) if isinstance(value, torch.Tensor) else value for value in reference["get_inputs"]()]
            made.append(steptp.optimize(model, inputs, device=device, samples=samples))
            return made[-1]

        return make

    verdict = evaluate(source, candidate, device=device)
    if made:
        report = made[-1].report
        row["imported"] = bool(report.groups)
        row["planned"] = any(group.planned for group in report.groups)
        row["judged"] = bool(report.groups) and all(group.verdict in ("proved", "exact") for group in report.groups)
        row["eager"] = sorted({place.operator for place in report.places})
    row["correct"] = verdict.correct and row["imported"]
    row |= {"seconds": verdict.seconds, "eager_seconds": verdict.eager_seconds, "failure": _class_of(row, verdict.reason), "reason": verdict.reason}
    if verdict.correct and compiled:
        row["compiled_seconds"] = _compiled_seconds(source, device)
    return row


def _compiled_seconds(source: str, device: str) -> float | None:
    """Of PyTorch's own compiler, where it can be had here."""
    import torch

    from .harness import _moved, _seconds, namespace

    reference = namespace(source, "problem")
    try:
        torch.manual_seed(42)
        model = torch.compile(reference["Model"](*reference.get("get_init_inputs", list)()).to(device))
        inputs = [_moved(value, device, torch.float32) for value in reference["get_inputs"]()]
        with torch.no_grad():
            return _seconds(model, inputs, device, 10)
    except Exception:  # noqa: BLE001  no compiler, or not for this problem
        return None


def _class_of(row: dict[str, Any], reason: str) -> str | None:
    if row["correct"]:
        return None
    if not row.get("imported"):
        return "not imported" if not reason else "fails"
    return "wrong" if "differs" in reason or "result" in reason else "fails"


def table(rows: list[dict[str, Any]]) -> str:
    """Counts and fast_p for each level: the part of all problems that are correct and more than p times as fast as eager."""
    lines = ["| level | problems | " + " | ".join(STAGES) + " | " + " | ".join(f"fast_{p:g}" for p in THRESHOLDS) + " | fast_1 over torch.compile |"]
    lines.append("|" + "---|" * (len(STAGES) + len(THRESHOLDS) + 3))
    for level in sorted({row["level"] for row in rows}):
        own = [row for row in rows if row["level"] == level]
        counts = [str(sum(bool(row[stage]) for row in own)) for stage in STAGES]
        fast = [f"{100 * fast_p(own, p):.0f} %" for p in THRESHOLDS]
        compiled = [row for row in own if row.get("compiled_seconds")]
        over = f"{100 * fast_p(compiled, 1.0, 'compiled_seconds'):.0f} % of {len(compiled)}" if compiled else "not measured"
        lines.append(f"| {level} | {len(own)} | {' | '.join(counts)} | {' | '.join(fast)} | {over} |")
    failures = Counter(row["failure"] for row in rows if row["failure"])
    lines += ["", "| failure | problems |", "|---|---|", *(f"| {name} | {times} |" for name, times in sorted(failures.items()))]
    return "\n".join(lines) + "\n"


def fast_p(rows: list[dict[str, Any]], p: float, against: str = "eager_seconds") -> float:
    """The part of all rows that are correct and more than p times as fast."""
    good = sum(1 for row in rows if row["correct"] and row["seconds"] and row[against] and row[against] / row["seconds"] > p)
    return good / len(rows) if rows else 0.0


def _key(path: Path, options: argparse.Namespace) -> str:
    """What a row on disk depends on."""
    return hashlib.sha256(f"{path.read_text()}\0{options.device}\0{options.samples}\0{options.no_compile}".encode()).hexdigest()[:16]


def _done(file: Path) -> dict[str, dict[str, Any]]:
    """The rows that are whole; of one that was being written nothing counts."""
    rows = {}
    if file.exists():
        for line in file.read_text().splitlines():
            try:
                row = json.loads(line)
                rows[row["key"]] = row
            except (ValueError, KeyError, TypeError):
                continue
    return rows


def _in_own_process(path: Path, options: argparse.Namespace) -> dict[str, Any]:
    command = [sys.executable, "-m", "steptp.torch_out.kernelbench", "--one", str(path), "--device", options.device]
    command += ["--samples", str(options.samples), *(["--no-compile"] if options.no_compile else [])]
    failed = {**dict.fromkeys(STAGES, False), "seconds": None, "eager_seconds": None}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=options.timeout)
    except subprocess.TimeoutExpired:
        return {**failed, "failure": "time", "reason": f"more than {options.timeout:g} s"}
    lines = [line for line in done.stdout.splitlines() if line.startswith('{"steptp"')]
    if done.returncode == 0 and lines:
        return json.loads(lines[-1])["steptp"]
    said = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
    return {**failed, "failure": "fails", "reason": said[:300]}


def run(options: argparse.Namespace) -> int:
    """All problems of a folder that have no row yet."""
    found = problems(Path(options.folder), options.levels)
    if not found:
        print(f"{options.folder}: there are no problems; they are .py files, in it or in level1, level2 and level3", file=sys.stderr)
        return 2
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    results = out / "results.jsonl"
    done = _done(results)
    rows = []
    with results.open("a", encoding="utf-8") as stream:
        if results.stat().st_size and not results.read_bytes().endswith(b"\n"):
            stream.write("\n")
        for number, (level, path) in enumerate(found, 1):
            key = _key(path, options)
            row = done.get(key)
            if row is None:
                start = time.monotonic()
                row = {"key": key, "level": level, "problem": path.name, **_in_own_process(path, options)}
                row["took"] = round(time.monotonic() - start, 1)
                stream.write(json.dumps(row) + "\n")
                stream.flush()
                os.fsync(stream.fileno())
            rows.append(row)
            print(f"{number}/{len(found)} level {level} {path.name}: {row['failure'] or 'correct'}", file=sys.stderr)
    text = table(rows)
    (out / "table.md").write_text(text)
    print(text, end="")
    return 0


def _levels(text: str) -> list[int]:
    try:
        levels = sorted({int(part) for part in text.split(",")})
    except ValueError:
        levels = []
    if not levels or not set(levels) <= {1, 2, 3}:
        raise argparse.ArgumentTypeError(f"levels are some of 1, 2 and 3 with commas between them, not {text!r}")
    return levels


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="steptp kernelbench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?")
    parser.add_argument("-o", "--out")
    parser.add_argument("--levels", type=_levels, default=[1, 2, 3])
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--samples", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=900, help="seconds for one problem")
    parser.add_argument("--no-compile", action="store_true", help="leave out the times of torch.compile")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    if options.one:
        row = solve(Path(options.one), options.device, options.samples, compiled=not options.no_compile)
        print(json.dumps({"steptp": row}))
        return 0
    if not options.folder or not options.out:
        parser.error("a folder of problems and -o OUT are wanted")
    try:
        return run(options)
    except KeyboardInterrupt:
        print("ended; the same command goes on from here", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())

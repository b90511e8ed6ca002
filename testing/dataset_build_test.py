#!/usr/bin/env python3
"""dataset build and merge as a user meets them: the same bytes for any number of jobs and shards, after kill -9 at any
moment, after Ctrl-C and after a full disk; clear ends where the machine fails; crashing programs quarantined.

Usage: dataset_build_test.py STEPTP. Exit status 0 when all is well, 1 otherwise.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TYPES = "ReLU,Softplus,MSELoss,softmax,Matmul3D,LayerNorm,Gemm_Multiply_LeakyReLU,exp_exp"
SMALL = ["--programs", "24", "--types", TYPES, "--test-types", "1", "--test-type-programs", "2", "--seed", "3",
         "--entries", "72", "--compile-rows", "6"]
# What people read and no part of the dataset.
NOT_DATA = {"build.log", "timings.jsonl"}

failures: list[str] = []


def expect(condition: bool, what: str) -> None:
    if not condition:
        failures.append(what)
        print(f"FAILED: {what}", file=sys.stderr)


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file() and path.name not in NOT_DATA}


class Tests:
    def __init__(self, steptp: str, folder: Path) -> None:
        self.steptp = steptp
        self.folder = folder
        self.environment = dict(os.environ, STEPTP_CACHE=str(folder / "cache"))
        self.wanted: dict[str, bytes] = {}

    def command(self, out: Path, *options: str) -> list[str]:
        return [self.steptp, "dataset", "build", "--out", str(out), *SMALL, *options]

    def run(self, command: list[str], **more) -> subprocess.CompletedProcess:
        environment = dict(self.environment, **more.pop("environment", {}))
        return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600, **more)

    def expect_wanted(self, out: Path, what: str) -> None:
        got = files_of(out)
        expect(sorted(got) == sorted(self.wanted), f"{what}: other files: {sorted(got)}")
        for name, content in self.wanted.items():
            expect(got.get(name) == content, f"{what}: {name} has other bytes")

    def reference(self) -> None:
        out = self.folder / "reference"
        done = self.run(self.command(out, "--jobs", "2", "--json"))
        expect(done.returncode == 0, f"reference: exit {done.returncode}: {done.stderr}")
        summary = json.loads(done.stdout)
        expect(summary["programs"]["train"] == 24, f"reference: {summary['programs']}")
        expect(summary["entries"]["train"] >= 72, f"reference: {summary['entries']}")
        expect(summary["rows"]["single"]["train"] > 0 and summary["rows"]["multi"]["train"] > 0, "reference: rows")
        self.wanted = files_of(out)
        expect({"build.json", "selection.jsonl", "compiled.jsonl"} <= set(self.wanted), "reference: files")
        for name, content in self.wanted.items():
            expect(str(self.folder).encode() not in content, f"reference: {name} holds a path")
        expect("complete" in (out / "build.log").read_text(), "reference: log")
        before = (out / "raw" / "part-00000.jsonl.zst").stat().st_mtime_ns
        again = self.run(self.command(out, "--jobs", "1"))
        expect(again.returncode == 0 and "entries" in again.stdout, f"again: {again.returncode} {again.stderr}")
        expect((out / "raw" / "part-00000.jsonl.zst").stat().st_mtime_ns == before, "again: parts were made anew")
        self.expect_wanted(out, "again")

    def one_job(self) -> None:
        out = self.folder / "one"
        done = self.run(self.command(out, "--jobs", "1"))
        expect(done.returncode == 0, f"one job: {done.stderr}")
        self.expect_wanted(out, "one job")

    def shards(self) -> None:
        shards = [self.folder / f"shard{i}" for i in range(2)]
        for i, shard in enumerate(shards):
            done = self.run(self.command(shard, "--jobs", "2", "--shard", f"{i}/2"))
            expect(done.returncode == 0, f"shard {i}: {done.stderr}")
        out = self.folder / "merged"
        missing = self.run([self.steptp, "dataset", "merge", str(shards[0]), "--out", str(out)])
        expect(missing.returncode == 2 and "part 1" in missing.stderr, f"missing shard: {missing.stderr}")
        done = self.run([self.steptp, "dataset", "merge", *map(str, reversed(shards)), "--out", str(out)])
        expect(done.returncode == 0, f"merge: {done.stderr}")
        self.expect_wanted(out, "merge")

    def killed(self) -> None:
        begin = time.monotonic()
        whole = self.run(self.command(self.folder / "timed", "--jobs", "2"))
        duration = time.monotonic() - begin
        expect(whole.returncode == 0, f"timed: {whole.stderr}")
        out = self.folder / "killed"
        draws = random.Random(5)
        kills = 0
        finished = False
        while not finished and kills < 60:
            process = subprocess.Popen(self.command(out, "--jobs", "2"), stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, env=self.environment)
            # In shares of a whole build, so that the machine's speed does not matter: the first five cannot finish it
            # between them, and the later ones wait longer and longer, so that it ends.
            share = draws.uniform(0.01, 0.1) if kills < 5 else draws.uniform(0.05, 0.1 * kills)
            try:
                process.wait(timeout=share * duration)
                finished = True
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
                kills += 1
        expect(finished and process.returncode == 0, f"killed: exit {process.returncode} after {kills} kills")
        expect(kills >= 3, f"killed: only {kills} kills before it was done")
        self.expect_wanted(out, f"killed {kills} times")
        print(f"killed {kills} times in a build of {duration:.1f} s")

    def interrupted(self) -> None:
        out = self.folder / "interrupted"
        for _ in range(5):
            process = subprocess.Popen(self.command(out, "--jobs", "2"), stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True, env=self.environment)
            deadline = time.monotonic() + 300
            while not (out / "build.json").exists() and time.monotonic() < deadline:
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=120)
            if process.returncode != 0:
                break
            shutil.rmtree(out)  # it was done before this process had its turn again
        expect(process.returncode == 3 and "again" in errors, f"interrupted: exit {process.returncode}: {errors}")
        limited = self.run(self.command(out, "--jobs", "2", "--time-limit", "0.01s"))
        expect(limited.returncode == 3, f"time limit: exit {limited.returncode}")
        done = self.run(self.command(out, "--jobs", "2"))
        expect(done.returncode == 0, f"interrupted, then whole: {done.stderr}")
        self.expect_wanted(out, "interrupted")

    def full_disk(self) -> None:
        """No file may become larger than a few kB, which ends writing as a full disk does."""
        out = self.folder / "full"

        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

        done = self.run(self.command(out, "--jobs", "2"), preexec_fn=limit, restore_signals=False)
        expect(done.returncode == 4 and "again" in done.stderr, f"full disk: exit {done.returncode}: {done.stderr}")
        expect(not list(out.rglob("*.tmp*")), "full disk: a temporary file was left")
        whole = self.run(self.command(out, "--jobs", "2"))
        expect(whole.returncode == 0, f"full disk, then space: {whole.stderr}")
        self.expect_wanted(out, "full disk")

    def unusable_folders(self) -> None:
        blocker = self.folder / "file"
        blocker.write_text("not a folder")
        done = self.run(self.command(blocker / "inside"))
        expect(done.returncode == 4 and "cannot make the folder" in done.stderr, f"unwritable: {done.stderr}")
        other = self.run([*self.command(self.folder / "reference"), "--depth", "1"])
        expect(other.returncode == 2 and "another configuration" in other.stderr, f"other: {other.stderr}")

    def quarantine(self) -> None:
        out = self.folder / "quarantine"
        done = self.run(self.command(out, "--jobs", "2", "--json"),
                        environment={"STEPTP_TEST_DATASET_CRASH": "softmax_1"})
        expect(done.returncode == 0, f"quarantine: exit {done.returncode}: {done.stderr}")
        expect("quarantined softmax_1: crashed" in done.stderr, f"quarantine: {done.stderr}")
        expect(json.loads(done.stdout)["excluded"].get("quarantined") == 1, f"quarantine: {done.stdout[:300]}")
        expect("quarantined softmax_1" in (out / "build.log").read_text(), "quarantine: log")

    def configurations(self) -> None:
        printed = self.run([self.steptp, "dataset", "build", *SMALL, "--print-config"])
        path = self.folder / "config.json"
        path.write_text(printed.stdout)
        out = self.folder / "configured"
        done = self.run([self.steptp, "dataset", "build", "--out", str(out), "--config", str(path), "--jobs", "2"])
        expect(done.returncode == 0, f"config: {done.stderr}")
        self.expect_wanted(out, "config")
        path.write_text('{"sead": 1}')
        wrong = self.run([self.steptp, "dataset", "build", "--out", str(out), "--config", str(path)])
        expect(wrong.returncode == 2 and "sead" in wrong.stderr, f"wrong config: {wrong.stderr}")

    def deep(self) -> None:
        out = self.folder / "deep"
        done = self.run([self.steptp, "dataset", "build", "--out", str(out), "--programs", "6", "--types", TYPES,
                         "--depth", "2", "--compile", "none", "--jobs", "2", "--json"])
        expect(done.returncode == 0, f"deep: {done.stderr}")
        summary = json.loads(done.stdout)
        expect(summary["deep_entries"] > 0, f"deep: {summary['deep_entries']}")
        expect(summary["rows"]["deep_single"]["train"] > 0, f"deep: {summary['rows']}")


def main() -> int:
    folder = Path(tempfile.mkdtemp(prefix="steptp-dataset-"))
    try:
        tests = Tests(sys.argv[1], folder)
        for test in (tests.reference, tests.one_job, tests.shards, tests.killed, tests.interrupted, tests.full_disk,
                     tests.unusable_folders, tests.quarantine, tests.configurations, tests.deep):
            start = time.monotonic()
            test()
            print(f"{test.__name__}: {time.monotonic() - start:.1f} s")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

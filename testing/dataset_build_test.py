#!/usr/bin/env python3
"""dataset build and merge as a user meets them: the same bytes, training files included, for any number of jobs and
shards, after kill -9 at any moment, after Ctrl-C and after a full disk; clear ends where the machine fails; crashing
programs quarantined; modules taken in; TVM asked where it is.

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

# Archives that torch.export wrote.
ARCHIVES = Path(__file__).resolve().parent.parent / "fuzz" / "corpus" / "fuzz_pt2"

# Speaks as the Python with TVM does that rows are built with; the word "crash" in its environment ends it, a name there
# is a word that it builds no text with.
NO_TVM = """#!/usr/bin/env python3
import json, os, sys
print(json.dumps({"version": "0.27.fake", "spelling": "tvm-0.27"}), flush=True)
for line in sys.stdin:
    bad = os.environ.get("STEPTP_TEST_TVM", "")
    if bad == "crash":
        sys.exit(1)
    text = json.loads(line)["text"]
    assert text.startswith("from tvm.script"), text
    print(json.dumps({"error": "no such word"} if bad and bad in text else {}), flush=True)
"""

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
        expect({"README.md", "checksums.sha256", "data/chat/full/single/train.parquet"} <= set(self.wanted),
               "reference: training files")
        tables = {table["table"] for table in summary["exported"]["tables"]}
        expect({"archive", "chat/full/multi", "near_miss", "rl"} <= tables, f"reference: {tables}")
        found = self.run([self.steptp, "dataset", "validate", str(out), "--judge", "none"])
        expect(found.returncode == 0, f"validate: {found.stdout}")
        for name, content in self.wanted.items():
            expect(str(self.folder).encode() not in content, f"reference: {name} holds a path")
        expect("complete" in (out / "build.log").read_text(), "reference: log")
        made = [out / "raw" / "part-00000.jsonl.zst", out / "README.md"]
        before = [path.stat().st_mtime_ns for path in made]
        again = self.run(self.command(out, "--jobs", "1"))
        expect(again.returncode == 0 and "entries" in again.stdout, f"again: {again.returncode} {again.stderr}")
        expect([path.stat().st_mtime_ns for path in made] == before, "again: files were made anew")
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
        expect(not (out / "data").exists(), "interrupted: training files of half a build")
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

    def complete(self, name: str) -> Path:
        """A complete build without training files."""
        out = self.folder / name
        out.mkdir()
        for path in (self.folder / "reference").iterdir():
            if path.name == "raw":
                shutil.copytree(path, out / "raw")
            elif path.name in ("build.json", "selection.jsonl", "compiled.jsonl"):
                shutil.copy(path, out)
        return out

    def ended_in_export(self, how: signal.Signals) -> None:
        out = self.complete(f"export_{how.name}")
        ends = 0
        for attempt in range(6):
            shutil.rmtree(out / "data", ignore_errors=True)  # where it appears, the next one is at work
            process = subprocess.Popen(self.command(out, "--jobs", "2"), stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, text=True, env=self.environment)
            while not (out / "data").exists() and process.poll() is None:
                time.sleep(0.001)
            time.sleep(0.02 * attempt)
            process.send_signal(how)
            _, errors = process.communicate(timeout=120)
            if process.returncode == 0:
                break
            ends += 1
            expect(not (out / "checksums.sha256").exists(), f"{how.name} in the export: half an export with checksums")
            if how == signal.SIGINT:
                expect(process.returncode == 3 and "training files" in errors,
                       f"Ctrl-C in the export: exit {process.returncode}: {errors}")
                expect(not list(out.rglob("*.part")), "Ctrl-C in the export: half a file was left")
        expect(ends > 0, f"{how.name} in the export: it never struck")
        done = self.run(self.command(out, "--jobs", "2"))
        expect(done.returncode == 0, f"{how.name} in the export, then whole: {done.stderr}")
        self.expect_wanted(out, f"{how.name} in the export")

    def killed_in_export(self) -> None:
        self.ended_in_export(signal.SIGKILL)

    def interrupted_in_export(self) -> None:
        self.ended_in_export(signal.SIGINT)

    def full_disk_in_export(self) -> None:
        out = self.complete("full_export")

        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

        done = self.run(self.command(out, "--jobs", "2"), preexec_fn=limit, restore_signals=False)
        expect(done.returncode == 4 and "again" in done.stderr, f"full disk, export: {done.returncode}: {done.stderr}")
        expect(not list(out.rglob("*.part")) and not (out / "checksums.sha256").exists(), "full disk, export: left")
        whole = self.run(self.command(out, "--jobs", "2"))
        expect(whole.returncode == 0, f"full disk in the export, then space: {whole.stderr}")
        self.expect_wanted(out, "full disk in the export")

    def no_export(self) -> None:
        out = self.complete("without")
        done = self.run(self.command(out, "--no-export"))
        expect(done.returncode == 0 and not (out / "data").exists(), f"no export: {done.stderr}")
        later = self.run([self.steptp, "dataset", "export", str(out), "--jobs", "1"])
        expect(later.returncode == 0, f"export later: {later.stderr}")
        self.expect_wanted(out, "exported later")

    def tvm(self) -> None:
        python = self.folder / "python_with_tvm"
        python.write_text(NO_TVM)
        python.chmod(0o755)
        out = self.complete("tvm")
        (out / "compiled.jsonl").unlink()
        command = self.command(out, "--jobs", "2", "--python", str(python))
        for bad, reason in (("thread_binding", "no such word"), ("crash", "ended")):
            done = self.run(command, environment={"STEPTP_TEST_TVM": bad})
            expect(done.returncode == 1 and "does not compile: TVM 0.27.fake" in done.stderr and reason in done.stderr,
                   f"TVM {bad}: exit {done.returncode}: {done.stderr}")
        done = self.run([*command, "--json"])
        expect(done.returncode == 0 and "TVM" not in done.stderr, f"TVM: exit {done.returncode}: {done.stderr}")
        rows = [json.loads(line) for line in (out / "compiled.jsonl").read_text().splitlines()]
        expect(len(rows) >= 6 and all("tvm" in row["by"] for row in rows), f"TVM: {rows[:3]}")
        counted = json.loads(done.stdout)["exported"]["compiled"] if done.returncode == 0 else {}
        expect(counted.get("tvm") == len(rows), f"TVM: {counted}")
        without = self.complete("no_tvm")
        (without / "compiled.jsonl").unlink()
        done = self.run(self.command(without, "--no-export", "--python", str(self.folder / "no_python")))
        expect(done.returncode == 0 and "there is no TVM" in done.stderr, f"no TVM: {done.stderr}")

    def imports(self) -> None:
        modules = self.folder / "modules"
        modules.mkdir()
        for name in ("relu", "linear"):
            shutil.copy(ARCHIVES / f"{name}.pt2", modules)
        few = ["--programs", "2", "--types", "ReLU", "--test-types", "0", "--multi-step-programs", "0", "--compile", "none",
               "--entries", "8", "--no-export", "--json"]
        out = self.folder / "imported"
        command = [self.steptp, "dataset", "build", *few, "--out"]
        files = ["--import", str(modules / "relu.pt2"), str(modules / "linear.pt2")]
        done = self.run([*command, str(out), *files])
        expect(done.returncode == 0, f"import: {done.stderr}")
        if done.returncode == 0:
            summary = json.loads(done.stdout)
            expect(summary["origins"].get("import") == 2, f"import: {summary['origins']}")
            expect(summary["programs"]["train"] >= 3, f"import: {summary['programs']}")
        for name, content in files_of(out).items():
            expect(str(self.folder).encode() not in content, f"import: {name} holds a path")
        again = self.run([*command, str(out), "--import", str(modules)])
        expect(again.returncode == 0, f"import of the folder: {again.stderr}")
        shards = [self.folder / f"imported{i}" for i in range(2)]
        for i, shard in enumerate(shards):
            self.run([*command, str(shard), *files, "--shard", f"{i}/2"])
        merge = [self.steptp, "dataset", "merge", *map(str, shards), "--no-export", "--out"]
        missing = self.run([*merge, str(self.folder / "unmerged")])
        expect(missing.returncode == 2 and "--import" in missing.stderr, f"merge without the files: {missing.stderr}")
        merged = self.run([*merge, str(self.folder / "merged_imports"), "--import", str(modules)])
        expect(merged.returncode == 0, f"merge: {merged.stderr}")
        expect(files_of(self.folder / "merged_imports") == files_of(out), "merge of imports: other bytes")
        shutil.copy(ARCHIVES / "parts.pt2", modules / "relu.pt2")
        changed = self.run([*command, str(out), *files])
        expect(changed.returncode == 2 and "has changed" in changed.stderr, f"changed: {changed.stderr}")
        other = self.run([*merge, str(self.folder / "unmerged"), "--import", str(modules)])
        expect(other.returncode == 2 and "relu.pt2" in other.stderr, f"changed, merge: {other.stderr}")
        (modules / "relu.pt2").write_bytes(b"no archive")
        broken = self.run([*command, str(self.folder / "broken"), *files])
        expect(broken.returncode == 2 and "relu.pt2" in broken.stderr, f"broken archive: {broken.stderr}")

    def unusable_folders(self) -> None:
        blocker = self.folder / "file"
        blocker.write_text("not a folder")
        done = self.run(self.command(blocker / "inside"))
        expect(done.returncode == 4 and "cannot make the folder" in done.stderr, f"unwritable: {done.stderr}")
        other = self.run([*self.command(self.folder / "reference"), "--depth", "1"])
        expect(other.returncode == 2 and "depth is 0 there, and 1 here" in other.stderr, f"other: {other.stderr}")

    def quarantine(self) -> None:
        out = self.folder / "quarantine"
        done = self.run(self.command(out, "--jobs", "2", "--json", "--no-export"),
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
                         "--depth", "2", "--compile", "none", "--jobs", "2", "--json", "--no-export"])
        expect(done.returncode == 0, f"deep: {done.stderr}")
        summary = json.loads(done.stdout)
        expect(summary["deep_entries"] > 0, f"deep: {summary['deep_entries']}")
        expect(summary["rows"]["deep_single"]["train"] > 0, f"deep: {summary['rows']}")

    def strategies_of(self, name: str, *options: str) -> dict[str, int]:
        done = self.run([self.steptp, "dataset", "build", "--out", str(self.folder / name), "--compile", "none",
                         "--no-export", "--test-types", "0", "--test-shape-programs", "0", "--multi-step-programs", "0",
                         "--deep-states", "4", "--deep-entries", "4", "--jobs", "2", "--json", *options])
        expect(done.returncode == 0, f"{name}: {done.stderr}")
        return json.loads(done.stdout)["strategies"] if done.returncode == 0 else {}

    def degenerate(self) -> None:
        """Programs that turn out to be degenerate are made up for by those to spare."""
        options = ["--programs", "12", "--entries", "24", "--types", "cumsum_exclusive,Argmin_over_a_dimension",
                   "--test-types", "0", "--test-shape-programs", "0", "--multi-step-programs", "0", "--compositions-percent", "0",
                   "--compile", "none", "--no-export", "--json"]
        outs = [self.folder / f"degenerate{jobs}" for jobs in (1, 2)]
        for jobs, out in enumerate(outs, 1):
            done = self.run([self.steptp, "dataset", "build", "--out", str(out), *options, "--jobs", str(jobs)])
            expect(done.returncode == 0, f"degenerate: {done.stderr}")
            summary = json.loads(done.stdout)
            expect(summary["programs"] == {"train": 12}, f"degenerate: {summary['programs']}")
            expect(summary["excluded"].get("degenerate", 0) > 0, f"degenerate: {summary['excluded']}")
        expect(files_of(outs[0]) == files_of(outs[1]), "degenerate: other bytes with two jobs")
        stats = self.run([self.steptp, "dataset", "stats", str(outs[0]), "--json"])
        found = json.loads(stats.stdout)["splits"]["train"]["programs"] if stats.returncode == 0 else stats.stderr
        expect(found == 12, f"degenerate: stats says {found}")

    def easy_originals(self) -> None:
        """Every easy strategy is feasible on originals: those that simplify on what is written as one expression."""
        names = ("operator_fission", "factorization", "cancellation", "powsimp", "logsimp", "collect", "together",
                 "expand_factorization", "expand_cancellation", "apart", "expand_powsimp", "expand_log",
                 "expand_collect")
        found = self.strategies_of("easy", "--programs", "70", "--entries", "200", "--compositions-percent", "100",
                                   "--strategies", ",".join(names))
        for name in names:
            expect(name in found, f"no original for {name}: {found}")

    def only_deep(self) -> None:
        """Two strategies are feasible on no original: on what a fusion, or an online softmax, has made."""
        fused = ["--programs", "3", "--entries", "12", "--types", "Gemm_Multiply_LeakyReLU", "--compositions-percent", "0",
                 "--strategies", "operator_fusion,set_storage_scope"]
        shallow = self.strategies_of("fused0", *fused)
        expect("operator_fusion" in shallow and "set_storage_scope" not in shallow, f"depth 0: {shallow}")
        deep = self.strategies_of("fused1", *fused, "--depth", "1")
        expect("set_storage_scope" in deep, f"depth 1: {deep}")
        prefix = "normal_matmul_to_prefix_matmul_based_on_online_softmax"
        online = ["--programs", "45", "--entries", "90", "--compositions-percent", "100",
                  "--strategies", f"online_softmax,{prefix}"]
        # Few compositions multiply behind a softmax, and not every step on them is decided.
        found = {}
        for seed in ("4", "1", "3"):
            shallow = self.strategies_of(f"online0_{seed}", *online, "--seed", seed)
            expect("online_softmax" in shallow and prefix not in shallow, f"depth 0: {shallow}")
            found = self.strategies_of(f"online1_{seed}", *online, "--seed", seed, "--depth", "1")
            if prefix in found:
                break
        expect(prefix in found, f"depth 1: {found}")


def main() -> int:
    folder = Path(tempfile.mkdtemp(prefix="steptp-dataset-"))
    try:
        tests = Tests(sys.argv[1], folder)
        for test in (tests.reference, tests.one_job, tests.shards, tests.killed, tests.killed_in_export,
                     tests.interrupted, tests.interrupted_in_export, tests.full_disk, tests.full_disk_in_export,
                     tests.no_export, tests.tvm, tests.imports, tests.unusable_folders, tests.quarantine,
                     tests.configurations, tests.degenerate, tests.deep, tests.easy_originals, tests.only_deep):
            start = time.monotonic()
            test()
            print(f"{test.__name__}: {time.monotonic() - start:.1f} s")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

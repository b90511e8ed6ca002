#!/usr/bin/env python3
"""Records per second, and whether memory stays the same, for the verbs that read JSONL.

Makes a file of --records programs in --folder (generated ones, or those of STEPTP_CORPUS, repeated), runs the verbs
over a tenth of it and over all of it, with one job and with two, and removes it.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
DISTINCT = 2000


def small_programs(build, longest):
    """Lines to repeat: the corpus, or generated programs whose record is not longer than `longest` bytes."""
    if "STEPTP_CORPUS" in os.environ:
        lines = pathlib.Path(os.environ["STEPTP_CORPUS"]).read_text(encoding="utf-8").splitlines()
    else:
        command = [build / "testing" / "leir_generate", "--affine", "--count", str(DISTINCT)]
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return [line + "\n" for line in lines if line and len(line) <= longest]


def write_records(path, lines, count):
    with open(path, "w", encoding="utf-8") as file:
        whole, rest = divmod(count, len(lines))
        block = "".join(lines)
        for _ in range(whole):
            file.write(block)
        file.writelines(lines[:rest])


def measure(program, verb, path, jobs):
    """Wall and CPU seconds and peak memory of one run."""
    with open(os.devnull, "wb") as nowhere:
        begin = time.monotonic()
        process = subprocess.Popen([program, verb, "--json", "--jobs", str(jobs), path], stdout=nowhere, stderr=nowhere)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - begin
    if process.returncode not in (0, 1, 3):
        sys.exit(f"stream: {verb} ended with status {process.returncode}")
    return {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "peak": usage.ru_maxrss * 1024}


def report(verb, jobs, count, size, run):
    print(f"{verb:6} {jobs:4} {count:9} {size / 1e6:8.1f} {run['wall']:8.2f} {run['cpu']:8.2f} "
          f"{count / run['wall']:10.0f} {count / run['cpu']:14.0f} {size / run['cpu'] / 1e6:9.1f} "
          f"{run['peak'] / 2**20:9.1f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=50_000)
    parser.add_argument("--verbs", default="fmt,check")
    parser.add_argument("--jobs", default="1,2")
    parser.add_argument("--longest", type=int, default=10**9, help="leave out records of more bytes than this")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--folder", default=tempfile.gettempdir())
    options = parser.parse_args()
    lines = small_programs(options.build, options.longest)
    print(f"{len(lines)} distinct programs, {sum(map(len, lines)) / len(lines):.0f} bytes each")
    print("verb   jobs   records       MB   wall s    CPU s  records/s  records/CPU s  MB/CPU s  peak MiB")
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for count in (options.records // 10, options.records):
            path = os.path.join(folder, f"{count}.jsonl")
            write_records(path, lines, count)
            for verb in options.verbs.split(","):
                for jobs in options.jobs.split(","):
                    run = measure(options.build / "steptp", verb, path, int(jobs))
                    report(verb, int(jobs), count, os.path.getsize(path), run)
            os.remove(path)


if __name__ == "__main__":
    main()

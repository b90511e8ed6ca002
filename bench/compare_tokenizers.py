#!/usr/bin/env python3
"""Our tokenizer beside the Python package `tokenizers`: the same texts, one thread, CPU seconds.

The texts are STEPTP_CORPUS or generated programs, each once: repeating them would favour the larger cache, which is
ours. Ours is measured through build/testing/tokens_cat, which also reads and writes JSON; the time to load the
vocabulary is taken off both. Of the package the faster of encode and encode_batch counts.
"""

import argparse
import gzip
import json
import os
import pathlib
import resource
import subprocess
import sys
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"

ROOT = pathlib.Path(__file__).resolve().parents[1]
RUNS = 3
QWEN3 = ROOT / "data" / "qwen3_tokenizer.json.gz"


def texts(build):
    if "STEPTP_CORPUS" in os.environ:
        lines = pathlib.Path(os.environ["STEPTP_CORPUS"]).read_text(encoding="utf-8").splitlines()
    else:
        command = [build / "testing" / "leir_generate", "--count", "3000"]
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return [json.loads(line)["leir"] for line in lines if line]


def cpu_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def ours(build, programs):
    """CPU seconds without those of an empty run, and the ids."""
    def run(values):
        before = cpu_of_children()
        text = "".join(json.dumps(value) + "\n" for value in values)
        done = subprocess.run([build / "testing" / "tokens_cat", QWEN3], input=text, capture_output=True, text=True,
                              check=True)
        return cpu_of_children() - before, done.stdout
    empty = min(run([])[0] for _ in range(RUNS))
    full, out = min((run(programs) for _ in range(RUNS)), key=lambda done: done[0])
    return full - empty, [json.loads(line) for line in out.splitlines()]


def theirs(reference, programs):
    def timed(encode):
        begin = time.process_time()
        found = encode()
        return time.process_time() - begin, [item.ids for item in found]
    ways = (lambda: [reference.encode(text, add_special_tokens=False) for text in programs],
            lambda: reference.encode_batch(programs, add_special_tokens=False))
    return min((timed(way) for way in ways), key=lambda done: done[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    options = parser.parse_args()
    try:
        import tokenizers
    except ImportError:
        sys.exit("compare_tokenizers: pip install tokenizers")
    reference = tokenizers.Tokenizer.from_str(gzip.open(QWEN3, "rt", encoding="utf-8").read())
    programs = texts(options.build)
    size = sum(len(text.encode()) for text in programs)
    our_time, our_ids = ours(options.build, programs)
    their_time, their_ids = theirs(reference, programs)
    if our_ids != their_ids:
        sys.exit("compare_tokenizers: the ids differ")
    print(f"{len(programs)} texts, {size / 1e6:.1f} MB, the same {sum(map(len, our_ids))} ids")
    print(f"steptp      {our_time:7.2f} s  {size / our_time / 1e6:7.2f} MB/s  (with JSON in and out)")
    print(f"tokenizers  {their_time:7.2f} s  {size / their_time / 1e6:7.2f} MB/s  (version {tokenizers.__version__})")
    print(f"ratio       {their_time / our_time:7.2f}")


if __name__ == "__main__":
    main()

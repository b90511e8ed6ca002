"""A judge that dies costs the pair that it was at, and no other: on the command line and in Python."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import steptp
from steptp_cli import steptp_binary

HEADER = "@input A f32[3]\n@output D f32[3]\n"
BEFORE = "L^{3}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a}*2;];"
AFTER = "L^{3}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a}+A^{f32,g}_{a};];"
SIGNATURE = [
    {"name": "A", "role": "input", "dtype": "float32", "shape": [3]},
    {"name": "D", "role": "output", "dtype": "float32", "shape": [3]},
]

DELAYS = (0.3, 1.0, 3.0, 10.0)


def judges_of(process: int, word: str) -> list[int]:
    """The processes that judge for another one: its children with a word in their command."""
    found = []
    for thread in Path(f"/proc/{process}/task").iterdir():
        for child in (thread / "children").read_text().split():
            if word in Path(f"/proc/{child}/cmdline").read_text():
                found.append(int(child))
    return found


def wait_for(judge: int, states: str) -> None:
    """Until all threads are in one of these states: signals take a while to arrive."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        threads = Path(f"/proc/{judge}/task").glob("*/stat")
        if all(thread.read_text().rpartition(")")[2].split()[0] in states for thread in threads):
            return
        time.sleep(0.01)
    raise AssertionError(f"process {judge} did not get into state {states}")


def stop(judges: list[int]) -> None:
    """They keep what they are asked waiting, so that they can be ended in the middle of it."""
    assert judges
    for judge in judges:
        os.kill(judge, signal.SIGSTOP)
        wait_for(judge, "T")


def crash(judges: list[int], seconds: float) -> None:
    """After a while, in which they have been asked; on a busy machine it may be too short, so callers try again."""
    time.sleep(seconds)
    for judge in judges:
        os.kill(judge, signal.SIGKILL)  # the only one that does not let it go on first


def test_pairs() -> None:
    command = [str(steptp_binary()), "verify", "--pairs", "-", "--json", "-j1"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None

        def send(name: str) -> None:
            pair = {"id": name, "signature": SIGNATURE, "before": BEFORE, "after": AFTER}
            process.stdin.write(json.dumps(pair) + "\n")
            process.stdin.flush()

        for seconds in DELAYS:
            send("first")
            first = json.loads(process.stdout.readline())
            assert first["verdict"] == "proved", first
            judges = judges_of(process.pid, "record-worker")
            stop(judges)
            send("unlucky")
            crash(judges, seconds)
            unlucky = json.loads(process.stdout.readline())
            if unlucky["verdict"] != "proved":
                break
        assert unlucky["id"] == "unlucky" and unlucky["verdict"] == "undecided"
        assert unlucky["reason"].startswith("the judge failed on this pair: "), unlucky["reason"]
        send("last")
        last = json.loads(process.stdout.readline())
        assert last["id"] == "last" and last["verdict"] == "proved", last
        process.stdin.close()
        assert process.wait(timeout=30) == 3


def test_python() -> None:
    for seconds in DELAYS:
        first = steptp.verify(HEADER + BEFORE, AFTER)
        assert first.verdict == "proved", first
        judges = judges_of(os.getpid(), "judge_worker_main")
        stop(judges)
        ending = threading.Thread(target=crash, args=(judges, seconds))
        ending.start()
        unlucky = steptp.verify(HEADER + BEFORE, AFTER)
        ending.join()
        if unlucky.verdict != "proved":
            break
    assert unlucky.verdict == "undecided" and unlucky.reason.startswith("the judge failed on this pair: ")
    assert not unlucky
    last = steptp.verify(HEADER + BEFORE, AFTER)
    assert last.verdict == "proved", last

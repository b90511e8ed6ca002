"""`optimize` answers with the same bytes on a busy machine, for any number of jobs: its budgets are of work, not of time.

Usage: optimize_slow_test.py STEPTP
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

STEPTP = sys.argv[1]
#: A type whose plan is judged group by group, and one that is shown at once.
TYPES = {"Gemm_GroupNorm_Min_BiasAdd": ("nvidia-h200", "plain-cpu"), "softmax": ("plain-cpu",)}
STOPPED, RUNNING = 0.03, 0.01  # seconds: a quarter of the speed


class Slow(unittest.TestCase):
    def setUp(self) -> None:
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = Path(kept.name)
        for name in TYPES:
            text = subprocess.run([STEPTP, "zoo", "show", name], check=True, capture_output=True).stdout
            (self.folder / f"{name}.leir").write_bytes(text)

    def start(self, name: str, device: str, jobs: int, answer: str) -> subprocess.Popen[bytes]:
        command = [STEPTP, "optimize", str(self.folder / f"{name}.leir"), "--device", device, "--json", "--jobs", str(jobs)]
        with (self.folder / answer).open("wb") as file:
            return subprocess.Popen(command, stdout=file, stderr=subprocess.DEVNULL, start_new_session=True)

    def test_slowed_processes_side_by_side_give_the_same_bytes(self) -> None:
        for name, devices in TYPES.items():
            for device in devices:
                self.assertEqual(self.start(name, device, 1, "alone").wait(timeout=300), 0)
                alone = (self.folder / "alone").read_bytes()
                self.assertIn(b'"verdict"', alone)
                both = [self.start(name, device, jobs, f"slow{jobs}") for jobs in (1, 3)]
                while any(process.poll() is None for process in both):
                    for sign, seconds in ((signal.SIGSTOP, STOPPED), (signal.SIGCONT, RUNNING)):
                        for process in both:
                            if process.poll() is None:
                                os.killpg(process.pid, sign)
                        time.sleep(seconds)
                for jobs in (1, 3):
                    self.assertEqual((self.folder / f"slow{jobs}").read_bytes(), alone, (name, device, jobs))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

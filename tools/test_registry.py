"""A strategy without its test stops the configure step, by its name; with it, it is in the registry."""

from __future__ import annotations

import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

PROJECT = f"""cmake_minimum_required(VERSION 3.22)
project(lonely LANGUAGES NONE)
include("{ROOT}/cmake/Layers.cmake")
steptp_strategy_names(${{PROJECT_SOURCE_DIR}} names)
message(STATUS "strategies: ${{names}}")
"""


def configure(files: list[str]) -> subprocess.CompletedProcess[str]:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "CMakeLists.txt").write_text(PROJECT)
        for name in files:
            path = Path(folder) / "steptp" / "strategies" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("")
        command = ["cmake", "-S", folder, "-B", f"{folder}/build"]
        return subprocess.run(command, capture_output=True, text=True, timeout=60)


class Registry(unittest.TestCase):
    def test_without_its_test(self) -> None:
        result = configure(["graph/fine.cpp", "graph/fine_test.cpp", "loop/lonely_step.cpp"])
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("the strategy lonely_step has no test", " ".join(result.stderr.split()))

    def test_with_it(self) -> None:
        result = configure(["graph/fine.cpp", "graph/fine_test.cpp"])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("strategies: fine", result.stdout)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The commands of the README print what the README shows.

A command is an indented line that begins with `$ `; what it prints is the indented lines behind it. All of them run in
one folder, in order, with standard output and standard error together. Usage: readme_test.py STEPTP. Exit status 0 when
all agree, 1 with the difference otherwise.
"""

from __future__ import annotations

import difflib
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def commands_of(text: str) -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []
    inside = False
    for line in text.splitlines():
        if line.startswith("    $ "):
            found.append((line[6:], []))
            inside = True
        elif inside and line.startswith("    "):
            found[-1][1].append(line[4:])
        else:
            inside = False
    return found


def difference(command: str, wanted: list[str], folder: Path) -> list[str]:
    done = subprocess.run(["bash", "-c", command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=300)
    got = done.stdout.splitlines()
    return list(difflib.unified_diff(wanted, got, "README.md", command, lineterm="")) if got != wanted else []


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    commands = commands_of((ROOT / "README.md").read_text())
    problems: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "build").mkdir()
        (folder / "build" / "steptp").symlink_to(Path(sys.argv[1]).resolve())
        (folder / "examples").symlink_to(ROOT / "examples")
        for command, wanted in commands:
            problems += difference(command, wanted, folder)
        # The test can fail.
        if not difference("echo one", ["two"], folder) or len(commands) < 10:
            problems.append("the README has no commands, or the test cannot fail")
    print("\n".join(problems) or f"{len(commands)} commands of the README print what it shows")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""The commands of the README and of the tutorial print what these pages show.

A command is an indented line that begins with `$ `; what it prints is the indented lines behind it. An indented block
whose first line is `# NAME.leir` is a file of that name. All commands of a page run in one folder, in order, with
standard output and standard error together; what they print may be as long as the page shows, or end in a line `...`.
Usage: readme_test.py STEPTP [--update]. Exit status 0 when all agree, 1 with the difference otherwise. --update writes
into the pages what the commands print.
"""

from __future__ import annotations

import difflib
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent


PAGES = {"README.md": 10, "docs/tutorial.md": 20}  # and how many commands each has at least
FILE = re.compile(r"# (\w+\.leir)")


class Command(NamedTuple):
    text: str
    first: int  # the line behind it, counted from 0
    shown: list[str]


def blocks_of(lines: list[str]) -> list[tuple[int, list[str]]]:
    """Indented blocks: the number of the first line, and the lines without what they are indented by."""
    found: list[tuple[int, list[str]]] = []
    for number, line in enumerate(lines):
        if not line.startswith("    "):
            continue
        if found and found[-1][0] + len(found[-1][1]) == number:
            found[-1][1].append(line[4:])
        else:
            found.append((number, [line[4:]]))
    return found


def commands_of(lines: list[str]) -> list[Command]:
    found: list[Command] = []
    for first, block in blocks_of(lines):
        starts = [at for at, line in enumerate(block) if line.startswith("$ ")]
        for at, end in zip(starts, [*starts[1:], len(block)]):
            found.append(Command(block[at][2:], first + at + 1, block[at + 1 : end]))
    return found


def files_of(lines: list[str]) -> dict[str, str]:
    named = [(FILE.fullmatch(block[0]), block) for _, block in blocks_of(lines)]
    return {name.group(1): "\n".join(block) + "\n" for name, block in named if name}


def printed(command: str, folder: Path) -> list[str]:
    done = subprocess.run(["bash", "-c", command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=300)
    return done.stdout.splitlines()


def as_shown(got: list[str], shown: list[str]) -> list[str]:
    """What is printed, cut where the page cuts it."""
    return [*got[: len(shown) - 1], "..."] if shown and shown[-1] == "..." and len(got) >= len(shown) else got


def difference(page: str, command: Command, got: list[str]) -> list[str]:
    return list(difflib.unified_diff(command.shown, got, page, command.text, lineterm="")) if got != command.shown else []


def prepare(folder: Path, steptp: str, lines: list[str]) -> None:
    (folder / "build").mkdir(parents=True)
    (folder / "build" / "steptp").symlink_to(Path(steptp).resolve())
    (folder / "examples").symlink_to(ROOT / "examples")
    for name, text in files_of(lines).items():
        (folder / name).write_text(text)


def check_page(page: str, steptp: str, folder: Path, update: bool) -> tuple[int, list[str]]:
    """How many commands the page has, and what is wrong."""
    lines = (ROOT / page).read_text().splitlines()
    prepare(folder, steptp, lines)
    commands = commands_of(lines)
    answers = [as_shown(printed(command.text, folder), command.shown) for command in commands]
    problems = [line for command, got in zip(commands, answers) for line in difference(page, command, got)]
    if not update:
        return len(commands), problems
    for command, got in reversed(list(zip(commands, answers))):
        lines[command.first : command.first + len(command.shown)] = ["    " + line for line in got]
    (ROOT / page).write_text("\n".join(lines) + "\n")
    return len(commands), []


def main() -> int:
    if len(sys.argv) < 2 or sys.argv[2:] not in ([], ["--update"]):
        print(__doc__, file=sys.stderr)
        return 2
    problems: list[str] = []
    count = 0
    with tempfile.TemporaryDirectory() as name:
        for page, least in PAGES.items():
            commands, wrong = check_page(page, sys.argv[1], Path(name) / page.replace("/", "_"), len(sys.argv) > 2)
            problems += wrong
            count += commands
            if commands < least:
                problems.append(f"{page} has {commands} commands, fewer than {least}")
        # The test can fail.
        if not difference("a page", Command("echo one", 0, ["two"]), printed("echo one", Path(name))):
            problems.append("the test cannot fail")
    print("\n".join(problems) or f"{count} commands of {' and '.join(PAGES)} print what these pages show")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

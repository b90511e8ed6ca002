#!/usr/bin/env python3
"""Counts the programs that a reader of docs/leir_in_a_page.md wrote for testing/leir_page/descriptions.md.

Each text in testing/leir_page/texts is read, checked, and judged against the program of the same number in reference/.
27 of 30 have to be read and pass `check`; those that are also equal are counted. Every reference has to pass, and has
to have the header lines of its description.
Usage: leir_page_test.py STEPTP [FOLDER_OF_TEXTS]. Exit status 0 where enough pass, 1 otherwise.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "leir_page"
NUMBER = 30
WANTED = 27


def headers_of(description: str) -> dict[str, list[str]]:
    """The header lines of each description, by its number."""
    found: dict[str, list[str]] = {}
    number = ""
    for line in description.splitlines():
        if heading := re.match(r"## (\d\d) ", line):
            number = heading.group(1)
            found[number] = []
        elif line.startswith("    @"):
            found[number].append(line.strip())
    return found


def header_in(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines() if line.startswith("@")]


def answer(steptp: str, *words: str) -> dict:
    done = subprocess.run([steptp, *words, "--json"], capture_output=True, text=True, timeout=120)
    return json.loads(done.stdout.splitlines()[0]) if done.stdout.strip() else {"said": done.stderr}


def passes_check(steptp: str, file: Path) -> tuple[bool, str]:
    report = answer(steptp, "check", str(file))
    if report.get("ok") is True:
        return True, ""
    said = [one["message"] for one in report.get("diagnostics", [])]
    return False, said[0] if said else report.get("said", "undecided")


def count_texts(steptp: str, texts: Path, headers: dict[str, list[str]]) -> tuple[int, int]:
    """How many texts read and check, and how many of these are equal to their references."""
    checked = equal = 0
    for number, header in sorted(headers.items()):
        file = texts / f"{number}.leir"
        if not file.exists():
            print(f"{number}: there is no text")
            continue
        if header_in(file.read_text()) != header:
            print(f"{number}: the header lines are not those of the description")
            continue
        good, why = passes_check(steptp, file)
        if not good:
            print(f"{number}: {why}")
            continue
        checked += 1
        verdict = answer(steptp, "verify", str(FOLDER / "reference" / file.name), str(file))
        equal += verdict.get("verdict") in ("proved", "exact")
        print(f"{number}: checks, {verdict.get('verdict')}")
    return checked, equal


def main(words: list[str]) -> int:
    if not 1 <= len(words) <= 2:
        print(__doc__, file=sys.stderr)
        return 2
    steptp = words[0]
    texts = Path(words[1]) if len(words) == 2 else FOLDER / "texts"
    headers = headers_of((FOLDER / "descriptions.md").read_text())
    failed = len(headers) != NUMBER
    for number, header in sorted(headers.items()):
        reference = FOLDER / "reference" / f"{number}.leir"
        good, why = passes_check(steptp, reference)
        if not good or header_in(reference.read_text()) != header:
            print(f"reference {number}: {why or 'its header lines are not those of the description'}")
            failed = True
    if texts.exists():
        checked, equal = count_texts(steptp, texts, headers)
        print(f"{checked} of {NUMBER} texts read and check ({WANTED} are wanted), {equal} of these are equal")
        failed |= checked < WANTED
    else:
        print(f"nobody has written texts yet: {texts} is not there")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

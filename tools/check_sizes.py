#!/usr/bin/env python3
"""Checks that functions, classes and files of the product stay small enough to be read in one go.

The rules, by the names that messages carry:
  function       a function has at most 60 lines, from the line of its name to its closing brace
  class          a class has at most 30 member functions (constructors, destructors and operators are not counted)
  file           a file has at most 400 lines
  needless       a reason stands only where something is that long

What is larger says why, in the comment right above the function or class, or in the first 20 lines of the file; REASON
below has the words with which such a reason begins. Tests, and files that say they are generated, are not checked.

Usage: check_sizes.py [--list] [ROOT]. Exit status 0 when all is in order, 1 with one line per finding otherwise;
--list shows the longest of each kind and what is excused.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import Iterator, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))
from law_switches import is_function, without_text

FOLDERS = ("steptp", "cli", "replay", "engines", "capi", "python", "tools")
TESTS = re.compile(r"_test\.(cpp|py|h)$|(^|/)test_[^/]*\.py$|(^|/)[a-z_]*tests/|(^|/)for_test")
MOST = {"function": 60, "class": 30, "file": 400}
REASON = {"function": "Longer than a screen, because", "class": "More than thirty functions, because", "file": "More than 400 lines, because"}
LINES_OF_HEAD = 20
CLASS = re.compile(r"(?:^|[\s>])(?:class|struct)\s+(?:\[\[[^\]]*\]\]\s*)?((?:\w+::)*\w+)(?:\s+final)?\s*(?::(?!:)|$)")
NAME = re.compile(r"(?!decltype|requires|noexcept)([~\w]+|operator\s*[^\s\w(]+|operator\s*\(\s*\))\s*\((?!\s*\*)")


class Part(NamedTuple):
    """Something that has a size: `size` is counted in lines or in member functions."""

    rule: str
    path: str
    line: int
    name: str
    size: int
    has_reason: bool

    @property
    def text(self) -> str:
        what = "member functions" if self.rule == "class" else "lines"
        return f"{self.path}:{self.line}: {self.rule} {self.name}: {self.size} {what}"


class Block(NamedTuple):
    """A brace with what stands in front of it and where it is closed."""

    head: int
    brace: int
    end: int
    depth: int


def blocks_of(code: str) -> list[Block]:
    """Every pair of braces. A head begins behind the last brace, semicolon or access label in front of the brace."""
    found: list[Block] = []
    opened: list[tuple[int, int]] = []
    start = 0
    for at, letter in enumerate(code):
        if letter == "{":
            opened.append((start, at))
            start = at + 1
        elif letter == "}":
            if opened:
                head, brace = opened.pop()
                found.append(Block(head, brace, at, len(opened)))
            start = at + 1
        elif letter == ";" and code.count("(", start, at) == code.count(")", start, at):
            start = at + 1
    return sorted(found, key=lambda block: block.brace)


def trimmed(code: str, block: Block) -> tuple[int, str]:
    """Where the head begins, without blanks and access labels, and its text."""
    text = code[block.head : block.brace]
    skipped = re.match(r"(?:\s|\b(?:public|private|protected)\s*:)*", text)
    begin = block.head + (skipped.end() if skipped else 0)
    return begin, " ".join(code[begin : block.brace].split())


def has_reason(rule: str, comment: list[str]) -> bool:
    words = " ".join(line.strip().lstrip("/#").strip() for line in comment)
    return REASON[rule] in words


def comment_above(lines: list[str], line: int) -> list[str]:
    """The comment that ends right above a line, which is counted from 1."""
    above = []
    at = line - 2
    while at >= 0 and lines[at].lstrip().startswith(("//", "#", "@", "template", "[[")):
        above.insert(0, lines[at])
        at -= 1
    return above


def declares_function(statement: str) -> bool:
    """Whether a statement in a class (without its braces) declares a member function."""
    text = " ".join(re.sub(r"\b(?:public|private|protected)\s*:", " ", statement).split())
    if re.match(r"(?:using|typedef|friend|static_assert|enum|class|struct)\b", text):
        return False
    if text.startswith(","):  # the rest of a constructor's initializers
        return False
    found = NAME.search(re.sub(r"<[^<>]*>", "", re.sub(r"<[^<>]*>", "", text)))
    if not found or "=" in text[: text.find("(")] or "operator" in text:
        return False
    return "~" not in found.group(1)


def members_of(code: str, block: Block, blocks: list[Block], name: str) -> int:
    """How many member functions a class declares: overloads count, constructors and operators do not."""
    inside = [b for b in blocks if b.depth == block.depth + 1 and block.brace < b.brace < block.end]
    text, at = "", block.brace + 1
    for child in inside:
        # A body ends a statement; the braces of an initializer do not.
        text += code[at : child.brace] + (";" if is_function(code[child.head : child.brace]) else " ")
        at = child.end + 1
    text += code[at : block.end]
    short = name.split("::")[-1]
    count = 0
    for statement in text.split(";"):
        if declares_function(statement) and not re.search(rf"(?:^|\s){short}\s*\(", " ".join(statement.split())):
            count += 1
    return count


def parts_of_cpp(path: str, source: str) -> Iterator[Part]:
    code = without_text(source)
    lines = source.splitlines()
    blocks = blocks_of(code)
    functions: list[Block] = []
    for block in blocks:
        begin, head = trimmed(code, block)
        line = source.count("\n", 0, begin) + 1
        if is_function(code[block.head : block.brace]):
            if functions and functions[-1].end > block.end:
                continue  # a lambda, counted with the function around it
            functions.append(block)
            named = NAME.search(head)
            size = source.count("\n", begin, block.end) + 1
            yield Part("function", path, line, named.group(1) if named else "?", size, has_reason("function", comment_above(lines, line)))
        elif found := CLASS.search(re.sub(r"<[^<>]*>", "", head)):
            if not (functions and functions[-1].end > block.end):
                size = members_of(code, block, blocks, found.group(1))
                yield Part("class", path, line, found.group(1), size, has_reason("class", comment_above(lines, line)))


def parts_of_python(path: str, source: str) -> Iterator[Part]:
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            size = (node.end_lineno or node.lineno) - node.lineno + 1
            yield Part("function", path, node.lineno, node.name, size, has_reason("function", comment_above(lines, node.lineno)))
        elif isinstance(node, ast.ClassDef):
            size = sum(isinstance(child, ast.FunctionDef) and not child.name.startswith("__") for child in node.body)
            yield Part("class", path, node.lineno, node.name, size, has_reason("class", comment_above(lines, node.lineno)))


def parts_of(path: str, source: str) -> Iterator[Part]:
    lines = source.splitlines()
    yield Part("file", path, 1, Path(path).name, len(lines), has_reason("file", lines[:LINES_OF_HEAD]))
    yield from parts_of_python(path, source) if path.endswith(".py") else parts_of_cpp(path, source)


def is_generated(source: str) -> bool:
    return re.match(r"(?://|#) Generated by ", source) is not None


def product_files(root: Path) -> list[str]:
    if not (root / ".git").exists():  # an unpacked archive, and the tests of this script
        found = sorted(path.relative_to(root).as_posix() for path in root.rglob("*"))
    else:
        listed = subprocess.run(["git", "-C", str(root), "ls-files", *FOLDERS], text=True, check=True, capture_output=True)
        found = listed.stdout.splitlines()
    wanted = (".cpp", ".h", ".cu", ".inc", ".py")
    return [name for name in found if name.startswith(FOLDERS) and name.endswith(wanted) and not TESTS.search(name)]


def finding_of(part: Part) -> str | None:
    most = MOST[part.rule]
    if part.size > most and not part.has_reason:
        return f'{part.text}; more than {most} need a reason: "{REASON[part.rule]} ..." [{part.rule}]'
    if part.size <= most and part.has_reason:
        return f"{part.text}: a reason for being long, and it is not [needless]"
    return None


def main() -> int:
    arguments = [word for word in sys.argv[1:] if word != "--list"]
    root = Path(arguments[0] if arguments else Path(__file__).resolve().parent.parent)
    parts = []
    for path in product_files(root):
        source = (root / path).read_text(encoding="utf-8")
        if not is_generated(source):
            parts.extend(parts_of(path, source))
    if "--list" in sys.argv:
        for rule in ("function", "class", "file"):
            longest = sorted((part for part in parts if part.rule == rule), key=lambda part: -part.size)
            for part in longest[:25]:
                print(part.text + (" (has a reason)" if part.has_reason else ""))
        return 0
    findings = [finding for part in parts if (finding := finding_of(part))]
    for finding in findings:
        print(finding)
    if not findings:
        print(f"check_sizes: {len(parts)} functions, classes and files in order")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())

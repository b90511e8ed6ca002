#!/usr/bin/env python3
"""Compares what the pages in docs/ and the README name with the tree.

The rules, by the names that messages carry:
  link     a link leads to a file of the repository, and to a heading of it where it names one
  path     a path between backticks exists: from the root, from steptp/, or from python/steptp/
  file     a file name between backticks is that of some file
  name     a word between backticks that is written as code is (with _ or :: in it, or with its brackets) occurs in a source
  comment  a page that a comment in the sources names exists, and so does the rule (R6, S12) or the heading in quotes

Capitals and <angle brackets> in a path stand for anything (strategies/LEVEL/NAME.cpp), and so does a `*`. What a build
makes (build/, .venv/, demo_out/) is not looked for. Decisions are pages of their day: only their links are followed.
Fenced blocks are examples, and left alone.
Usage: check_guides.py [ROOT]. Exit status 0 when all is there, 1 with one line per finding otherwise.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Iterator, NamedTuple

SOURCES = {".h", ".cpp", ".inc", ".py", ".pyi", ".sh", ".txt", ".cmake", ".json", ".jsonl", ".toml", ".words", ".leir", ""}
MADE = ("build", ".venv", "demo_out", "~", "$", "/", "http", "..")
PATH = re.compile(r"^[\w.*<>-]+(?:/[\w.*<>{},-]*)+$")
FILE = re.compile(r"^[\w*<>-]+\.(?:h|cpp|py|pyi|sh|md|cmake|words)$")
NAME = re.compile(r"^([A-Za-z_][\w:]*)(\(.*\))?$")
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
LINK = re.compile(r"\]\(([^)\s]+)\)")
COMMENTED = {".h", ".cpp", ".inc", ".py", ".words"}
PAGE = re.compile(r"(?<![\w/.-])((?:[\w-]+/)*[\w-]+\.md)\b(?:,? \(?((?:[RS]\d+(?:, | to | and )?)+)|, \"([^\"]+)\")?")
# What is no part of the tree, each with the reason to name it.
ALLOWED: dict[str, str] = {
    "raw/part-NNNNN.jsonl.zst": "of a dataset that was built",
    "data/TABLE/SPLIT.parquet": "of a dataset that was exported",
    "X_defined": "a tensor of flags in lowered text, X for its name",
    "grid_sample": "an operator of PyTorch that is not supported",
}


class Finding(NamedTuple):
    rule: str
    place: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: error: {self.message} [{self.rule}]"


class Tree:
    """The files of the repository, and the words of its sources."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files = {path for path in tracked(root) if (root / path).is_file()}
        self.folders = {parent.as_posix() for path in self.files for parent in Path(path).parents}
        self.names = {Path(path).name for path in self.files}
        self.words: set[str] = set()
        for path in self.files:
            if Path(path).suffix in SOURCES and not path.startswith("docs/"):
                text = (root / path).read_text(encoding="utf-8", errors="replace")
                self.words.update(re.findall(r"[A-Za-z_]\w*", text))

    def has_path(self, path: str) -> bool:
        wanted = re.sub(r"<[^>]*>|(?<![A-Za-z])[A-Z]{2,}(?![A-Za-z])", "*", path.rstrip("/"))
        for base in ("", "steptp/", "steptp/strategies/", "python/steptp/", "python/", "docs/"):
            if "*" not in wanted:
                if base + wanted in self.files or base + wanted in self.folders:
                    return True
            elif any(re.fullmatch(as_pattern(base + wanted), one) for one in (*self.files, *self.folders)):
                return True
        return False

    def has_file(self, name: str) -> bool:
        pattern = re.compile(as_pattern(re.sub(r"<[^>]*>|\b[A-Z]{2,}\b|NAME", "*", name)))
        return any(pattern.fullmatch(one) for one in self.names)


def as_pattern(path: str) -> str:
    return "".join("[^/]*" if part == "*" else re.escape(part) for part in re.split(r"(\*)", path))


def tracked(root: Path) -> list[str]:
    done = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=root, capture_output=True,
                          text=True)
    if done.returncode == 0 and done.stdout:
        return done.stdout.splitlines()
    return [path.relative_to(root).as_posix() for path in root.rglob("*")
            if not path.relative_to(root).as_posix().startswith(("build", ".venv", ".git/", ".cache", "demo_out"))]


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """The lines outside of fenced and indented blocks."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith("    "):
            yield number, line


def anchors_of(text: str) -> set[str]:
    heads = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w -]", "", head.lower().replace("`", "")).strip().replace(" ", "-") for head in heads}


def check_link(tree: Tree, page: Path, target: str) -> str | None:
    if target.startswith(("http", "mailto:")):
        return None
    path, _, anchor = target.partition("#")
    file = (page.parent / path).resolve() if path else page
    if not file.exists():
        return f"the link leads to {target}, which does not exist"
    if anchor and file.suffix == ".md" and anchor not in anchors_of(file.read_text()):
        return f"{target}: the page has no such heading"
    return None


def check_span(tree: Tree, span: str) -> tuple[str, str] | None:
    if span in ALLOWED or span.startswith(MADE):
        return None
    if re.match(r"[A-Z]{2,}/", span):
        return None  # below a folder that the reader chooses
    if PATH.match(span) and "//" not in span:
        head = span.split("/")[0]
        # Words with a slash between them are no path: a path begins with a folder that we have, or ends in a file.
        if "." not in span.rsplit("/", 1)[1] and head not in tree.folders and f"steptp/{head}" not in tree.folders:
            return None
        options = [span]
        if braces := re.search(r"\{([^}]*)\}", span):
            options = [span.replace(braces.group(), one) for one in braces.group(1).split(",")]
        missing = [one for one in options if not tree.has_path(one)]
        return ("path", f"{missing[0]} does not exist") if missing else None
    if FILE.match(span):
        return None if tree.has_file(span) else ("file", f"no file is called {span}")
    match = NAME.match(span)
    if match and ("_" in match.group(1) or "::" in match.group(1) or match.group(2)):
        for word in match.group(1).split("::"):
            if word and word not in tree.words:
                return "name", f"no source has the name {word}"
    return None


def comment_of(path: str, line: str) -> str:
    """The part of a line of source that may be a comment. In Python that is the line, less short strings."""
    if Path(path).suffix in {".py", ".words"}:
        return re.sub(r'(?<!")"[^"]*"(?!")', "", line)
    return line.partition("//")[2]


def check_comment(tree: Tree, comment: str) -> str | None:
    for page, rules, heading in PAGE.findall(comment):
        path = next((base + page for base in ("", "docs/", "docs/decisions/") if base + page in tree.files), None)
        if path is None:
            return f"{page} does not exist"
        text = (tree.root / path).read_text()
        for rule in re.findall(r"[RS]\d+", rules):
            if not re.search(rf"^#+ {rule}: |^- \*\*{rule}\*\* ", text, re.M):
                return f"{page} has no rule {rule}"
        if heading and not re.search(rf"^#+ {re.escape(heading)}|\*\*{re.escape(heading)}", text, re.M):
            return f'{page} has no heading "{heading}"'
    return None


def check_comments(tree: Tree) -> list[Finding]:
    findings = []
    for path in sorted(tree.files):
        # The tests of this script have comments that are wrong on purpose.
        if Path(path).suffix not in COMMENTED or Path(path).name in {"check_guides.py", "test_check_guides.py"}:
            continue
        for number, line in enumerate((tree.root / path).read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if ".md" in line and (problem := check_comment(tree, comment_of(path, line))):
                findings.append(Finding("comment", f"{path}:{number}", problem))
    return findings


def check(root: Path) -> list[Finding]:
    tree = Tree(root)
    findings = check_comments(tree)
    for page in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        if not page.is_file():
            continue
        is_decision = page.parent.name == "decisions"
        for number, line in lines_of(page.read_text()):
            place = f"{page.relative_to(root).as_posix()}:{number}"
            for target in LINK.findall(line):
                if problem := check_link(tree, page, target):
                    findings.append(Finding("link", place, problem))
            for span in () if is_decision else SPAN.findall(line):
                if found := check_span(tree, span.strip()):
                    findings.append(Finding(found[0], place, found[1]))
    return findings


def main() -> int:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent).resolve()
    findings = check(root)
    for finding in findings:
        print(finding)
    if findings:
        print(f"check_guides: {len(findings)} findings", file=sys.stderr)
        return 1
    print("check_guides: what the pages name is there")
    return 0


if __name__ == "__main__":
    sys.exit(main())

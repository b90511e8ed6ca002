#!/usr/bin/env python3
"""Checks every #include of the project against layers.txt.

The rules, by the names that messages carry:
  line           a line of layers.txt reads `layer <- layers | system libraries`
  order          a layer names only layers on earlier lines, and no layer is listed twice
  missing        every layer listed is a folder under steptp/ that holds sources
  unlisted       every folder under steptp/ that holds sources is listed
  layer          a file of a layer includes its own layer and the layers listed for it, nothing else of steptp/
  unused         every layer that is listed for a layer is included by some file of it, tests aside
  untested       every layer has a test beside its code, a file *_test.cpp
  said           the comment right above a layer's line says in words what it holds
  table          the table of layers in docs/architecture.md is the one that layers.txt makes (--write makes it so)
  outside        nobody includes testing/, fuzz/, bench/, cli/ or python/ from elsewhere
  face           cli/ and python/ include steptp/ and their own folder only
  quotes         files of the project are included with quotes, by their path from the root
  apart          replay/ includes its own folder and the layers of SEALED only: it checks the judge without its code
  unknown-file   an included file of the project exists

testing/, fuzz/ and bench/ may include everything in steptp/ and each other's headers in testing/, and so may the tests
that stand beside the code, steptp/**/*_test.cpp.
Usage: check_layers.py [--write] [ROOT]. Exit status 0 when all is in order, 1 with one line per finding otherwise.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Iterator, NamedTuple

SOURCES = {".h", ".hpp", ".cpp", ".cc", ".cu", ".inc"}
FACES = ("cli", "python")
WATCHERS = ("testing", "fuzz", "bench")
# Folders beside the layers that may see only some of them; tests may see these folders.
SEALED = {"replay": ("base", "ir", "text")}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
LINE = re.compile(r"^([a-z_/]+) *<- *([^|]*)(?:\|(.*))?$")
PAGE = "docs/architecture.md"
TABLE_BEGIN = "<!-- made from layers.txt by tools/check_layers.py --write -->"
TABLE_END = "<!-- end of the table of layers -->"


class Finding(NamedTuple):
    rule: str
    place: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: error: {self.message} [{self.rule}]"


class Include(NamedTuple):
    file: Path
    line: int
    quoted: bool
    target: str


def read_layers(root: Path) -> tuple[dict[str, list[str]], list[Finding]]:
    """The layers in order, each with those it may include."""
    layers: dict[str, list[str]] = {}
    findings: list[Finding] = []
    path = root / "layers.txt"
    if not path.is_file():
        return layers, [Finding("line", "layers.txt", "the file is missing")]
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        place = f"layers.txt:{number}"
        match = LINE.match(line)
        if not match:
            findings.append(Finding("line", place, f"cannot read the line: {line}"))
            continue
        name, below = match.group(1), match.group(2).split()
        if name in layers:
            findings.append(Finding("order", place, f"{name} is listed twice"))
        for other in below:
            if other not in layers:
                findings.append(Finding("order", place, f"{name} names {other}, which is on no earlier line"))
        layers[name] = below
    return layers, findings


def sources_under(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted(f for f in folder.rglob("*") if f.suffix in SOURCES and f.is_file())


def includes_of(file: Path) -> Iterator[Include]:
    text = file.read_text(encoding="utf-8", errors="replace")
    for number, line in enumerate(text.splitlines(), 1):
        if match := INCLUDE.match(line):
            yield Include(file, number, match.group(1) == '"', match.group(2))


def layer_of(path: str, layers: dict[str, list[str]]) -> str | None:
    """The layer of a path below steptp/: the longest listed folder that holds it."""
    folder = path.rpartition("/")[0]
    while folder:
        if folder in layers:
            return folder
        folder = folder.rpartition("/")[0]
    return None


def check_folders(root: Path, layers: dict[str, list[str]]) -> list[Finding]:
    findings = []
    for name in layers:
        own = [f for f in sources_under(root / "steptp" / name) if f.parent == root / "steptp" / name]
        if not own:
            findings.append(Finding("missing", "layers.txt", f"{name} is listed, but steptp/{name} holds no source"))
        elif not any(f.name.endswith("_test.cpp") for f in own):
            findings.append(Finding("untested", f"steptp/{name}", "no file here is a test of the others (*_test.cpp)"))
    for file in sources_under(root / "steptp"):
        inside = file.relative_to(root / "steptp").as_posix()
        if inside.rpartition("/")[0] not in layers:
            folder = "steptp/" + inside.rpartition("/")[0]
            findings.append(Finding("unlisted", f"steptp/{inside}", f"the folder {folder.rstrip('/')} is not in layers.txt"))
    return findings


def check_edges(root: Path, layers: dict[str, list[str]]) -> list[Finding]:
    """Edges that no file uses: what a layer need not see it must not see."""
    used: dict[str, set[str]] = {name: set() for name in layers}
    for file in sources_under(root / "steptp"):
        if file.name.endswith("_test.cpp"):
            continue
        mine = layer_of(file.relative_to(root / "steptp").as_posix(), layers)
        for include in includes_of(file):
            if mine and include.target.startswith("steptp/"):
                used[mine].add(layer_of(include.target.removeprefix("steptp/"), layers) or "")
    for name in layers:
        # The registry of strategies is made from the names of their files.
        if name.startswith("strategies/") and "recipe" in used:
            used["recipe"].add(name)
    if "plans" in used:  # likewise that of moves
        used["plans"].add("moves/catalogue")
    return [
        Finding("unused", "layers.txt", f"{name} lists {other}, but no file of it includes anything of {other}")
        for name, below in layers.items() for other in below if other not in used[name]
    ]


def table_of(root: Path) -> tuple[str, list[Finding]]:
    """The table of layers in Markdown: what each holds, what it may include, what it links."""
    rows, findings = ["| layer | holds | may include | links |", "|---|---|---|---|"], []
    words: list[str] = []
    for number, line in enumerate((root / "layers.txt").read_text().splitlines(), 1):
        if line.startswith("#"):
            words.append(line.removeprefix("#").strip())
            continue
        match = LINE.match(line)
        if match:
            if not words:
                findings.append(Finding("said", f"layers.txt:{number}", f"nothing says what {match.group(1)} holds"))
            below = " ".join(f"`{name}`" for name in match.group(2).split())
            rows.append(f"| `{match.group(1)}` | {' '.join(words)} | {below} | {(match.group(3) or '').strip()} |")
        words = []
    return "\n".join(rows), findings


def check_table(root: Path, is_written: bool = False) -> list[Finding]:
    """Compares the page with the table, or writes the table into it."""
    page = root / PAGE
    if not (root / "layers.txt").is_file():
        return []
    table, findings = table_of(root)
    if not page.is_file():
        return findings
    head, begin, rest = page.read_text().partition(TABLE_BEGIN)
    _, end, tail = rest.partition(TABLE_END)
    if not begin or not end:
        return [*findings, Finding("table", PAGE, f"there is no '{TABLE_BEGIN}' with an end after it")]
    wanted = f"{head}{TABLE_BEGIN}\n\n{table}\n\n{TABLE_END}{tail}"
    if is_written:
        page.write_text(wanted)
    elif wanted != page.read_text():
        findings.append(Finding("table", PAGE, "its table of layers is not that of layers.txt: run check_layers.py --write"))
    return findings


def judge(root: Path, layers: dict[str, list[str]], include: Include) -> Finding | None:
    """The rule that one #include breaks, if any."""
    relative = include.file.relative_to(root).as_posix()
    place = f"{relative}:{include.line}"
    own, target = relative.split("/")[0], include.target
    head = target.split("/")[0]
    ours = head in ("steptp", *FACES, *WATCHERS, *SEALED) and "/" in target
    if not ours:
        # <python/...> style system headers do not exist; a quoted name without a path is a file beside this one.
        if include.quoted and (include.file.parent / target).is_file():
            return Finding("quotes", place, f'"{target}" is included without its path from the root')
        return None
    if not include.quoted:
        if not (root / target).is_file():
            return None  # a system header that happens to begin so
        return Finding("quotes", place, f"<{target}> belongs to the project: include it with quotes")
    if own in SEALED and head != own and not (head == "steptp" and target.split("/")[1] in SEALED[own]):
        return Finding("apart", place, f"{own}/ includes {target}, but may include only {' '.join(SEALED[own])}")
    if head in SEALED and head != own and own not in WATCHERS:
        return Finding("outside", place, f"{own}/ includes {target}; nobody but tests includes {head}/")
    if head in FACES and head != own:
        return Finding("outside", place, f"{own}/ includes {target}; nobody includes {head}/")
    if relative.endswith("_test.cpp") and head in ("testing", "steptp"):
        return None if (root / target).is_file() else Finding("unknown-file", place, f"{target} does not exist")
    if head in WATCHERS and own not in WATCHERS:
        return Finding("face" if own in FACES else "outside", place, f"{own}/ includes {target}; nobody includes {head}/")
    if not (root / target).is_file():
        return Finding("unknown-file", place, f"{target} does not exist")
    if own == "steptp" and head == "steptp":
        mine = layer_of(relative.removeprefix("steptp/"), layers)
        theirs = layer_of(target.removeprefix("steptp/"), layers)
        if mine is None or theirs is None or theirs == mine:
            return None
        if theirs not in layers[mine]:
            allowed = " ".join(layers[mine]) or "nothing"
            return Finding("layer", place, f"{mine} includes {target}, but may include only {allowed}")
    return None


def check(root: Path) -> list[Finding]:
    layers, findings = read_layers(root)
    findings += check_folders(root, layers)
    findings += check_edges(root, layers)
    findings += check_table(root)
    for top in ("steptp", *FACES, *WATCHERS, *SEALED):
        for file in sources_under(root / top):
            findings += [f for f in (judge(root, layers, i) for i in includes_of(file)) if f]
    return findings


def main() -> int:
    arguments = [word for word in sys.argv[1:] if word != "--write"]
    root = Path(arguments[0] if arguments else Path(__file__).resolve().parent.parent).resolve()
    if "--write" in sys.argv:
        check_table(root, is_written=True)
    findings = check(root)
    for finding in findings:
        print(finding)
    if findings:
        print(f"check_layers: {len(findings)} findings", file=sys.stderr)
        return 1
    layers, _ = read_layers(root)
    print(f"check_layers: {len(layers)} layers in order")
    return 0


if __name__ == "__main__":
    sys.exit(main())

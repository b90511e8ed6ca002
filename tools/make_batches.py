#!/usr/bin/env python3
"""Puts source files of one target into batches, and writes for each batch a file that compiles as one.

What a file defines for itself alone (in a namespace without a name, or static) is seen by all files of its batch. So a
name that one file defines and another one uses or defines gets the file's name behind it while the file is read:
`#define fold fold_in_prove_reductions`. Where that would change more than the file's own name, because the name is also a
member or stands in a header that the file takes in, the two files are never in one batch. Neither are files of which one
takes in a name from one namespace and the other from another one: each sees the headers of both.

Names are taken from lines that begin at the margin, as clang-format leaves them. Every word of another file counts as
a use, so what the batch compiles is what the files alone compile; a definition that is missed is a compiler error.

Usage: make_batches.py ROOT FOLDER MOST LINES FILE...
Writes FOLDER/batch_N.cpp and FOLDER/plan.txt: one line `N FILE` for each file, and `- FILE` for a file that stays
alone. A batch has at most MOST files, and at most LINES lines in all. What has not changed is not written again.
FOLDER/plan.d names all files and headers that were read, for ninja: it minds no file there that was removed.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\((?:.|\n)*?\)\1"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'', re.S)
ALONE = re.compile(r"^(?:using\s+\w+\s*=|namespace\s+\w+\s*=|static\b)")
TEST = re.compile(r"\b(?:TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_SUITE|INSTANTIATE_TEST_SUITE_P)\(([^)]*)")
DEFINES = (
    re.compile(r"^(?:template\b.*>\s*)?(?:struct|class|union|enum class|enum)\s+(?:\[\[\w+\]\]\s*)?(\w+)"),
    re.compile(r"^using\s+(\w+)\s*="),
    re.compile(r"^namespace\s+(\w+)\s*="),
    # A function whose type is on the line above.
    re.compile(r"^(?!static_assert\b)(\w+)\("),
    # A function, or a variable: a type, then the name, then what it is given.
    re.compile(r"^(?!return\b|using\b|else\b|case\b|namespace\b|extern\b)(?:::)?[A-Za-z_][\w:<>,.\s*&\[\]()]*?[\s*&>](\w+)\s*(?:\(|\{|=|\[|;)"),
)
# A file that is told where the clone is has another object in every clone: the compiler cache finds the batches of
# all other files in every clone.
PLACE = re.compile(r'^#include "(?:source_dir|built_files)\.h"', re.M)


class Header:
    """What a header of ours takes in, the words in it, and what it declares in which namespace."""

    def __init__(self, text: str, taken_in: frozenset[str]) -> None:
        self.taken_in = taken_in
        text = COMMENT.sub(lambda m: "\n" * m.group().count("\n"), text)
        self.words = frozenset(re.findall(r"[A-Za-z_]\w*", text))
        declared: set[tuple[str, str]] = set()
        space = ""
        for line in text.splitlines():
            if match := re.match(r"^namespace ([\w:]+) \{", line):
                space = match.group(1)
            elif name := defined_name(re.sub(r"^(?:\[\[nodiscard\]\]|inline|constexpr|extern)\s+", "", line)):
                declared.add((name, space))
        self.declared = frozenset(declared)


class Headers:
    """Our own headers below a root, read once."""

    INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)

    def __init__(self, root: Path) -> None:
        self.root = root
        self.known: dict[str, Header] = {}

    def taken_in(self, text: str) -> frozenset[str]:
        found: set[str] = set()
        for name in self.INCLUDE.findall(text):
            if name.endswith(".h") and name not in found:
                found |= {name} | self.read(name).taken_in
        return frozenset(found)

    def read(self, name: str) -> Header:
        if name not in self.known:
            self.known[name] = Header("", frozenset())
            path = self.root / name
            if path.exists():
                text = path.read_text(encoding="utf-8")
                self.known[name] = Header(text, self.taken_in(text))
        return self.known[name]


def defined_name(line: str) -> str | None:
    """The name that a line at the margin defines or declares."""
    for pattern in DEFINES:
        if match := pattern.match(line):
            return match.group(1)
    return None


class Source:
    def __init__(self, headers: Headers, path: str) -> None:
        self.path = path
        raw = Path(path).read_text(encoding="utf-8")
        text = COMMENT.sub(lambda m: "\n" * m.group().count("\n"), raw)
        self.lines = raw.count("\n")
        self.own = own_names(raw.splitlines(), text.splitlines())
        # Members and names of other namespaces do not count.
        self.names = set(re.findall(r"(?<![\w.:>])([A-Za-z_]\w*)", text))
        members = set(re.findall(r"(?:\.|->|::)\s*(?:template\s+)?([A-Za-z_]\w*)", text))
        for test in TEST.findall(text):
            members.update(re.findall(r"\w+", test))
        self.headers = headers.taken_in(raw)
        read = [headers.read(name) for name in self.headers]
        self.reserved = frozenset().union(*(header.words for header in read))
        self.fixed = self.own & (members | self.reserved)
        self.declared = frozenset().union(*(header.declared for header in read))
        self.known = {name for name, _ in self.declared} & self.names
        self.includes = re.findall(r"^#include .*$", raw, re.M)
        self.has_place = bool(PLACE.search(raw))
        # Operators of one file would serve the others; macros and directives reach to the end of the batch; what takes
        # a file in whole has flags of its own.
        self.is_alone = bool(re.search(r"^(?:[\w:<>,&*]+\s+)+operator\b|^\s*#\s*(?:define|if|ifdef|ifndef)\b|^using namespace\b", text, re.M)
                             or ".incbin" in raw)

    def clashes(self, other: Source) -> bool:
        if self.is_alone or other.is_alone or self.has_place != other.has_place:
            return True
        return self.cannot_tell(other) or other.cannot_tell(self)

    def cannot_tell(self, other: Source) -> bool:
        """A name that this file defines means something else in the other file, or in what only that one takes in."""
        if self.fixed & other.names - (other.own - other.fixed):
            return True
        if self.fixed & other.reserved - self.reserved:
            return True
        # What this file has from one namespace, headers of the other file have from another one.
        return any(name in self.known for name, _ in other.declared - self.declared)


def own_names(raw: list[str], lines: list[str]) -> set[str]:
    """The names that are the file's alone."""
    names: set[str] = set()
    is_hidden = False
    for before, line in zip(raw, lines):
        if re.match(r"^namespace \{", before):
            is_hidden = True
        elif re.match(r"^\}  // namespace$", before):
            is_hidden = False
        elif is_hidden or ALONE.match(line):
            if name := defined_name(line):
                names.add(name)
    return {name for name in names if not name.isupper()}


def batches_of(sources: list[Source], most: int, lines: int) -> list[list[Source]]:
    batches: list[list[Source]] = []
    for source in sources:
        for batch in batches:
            if (len(batch) < most and sum(one.lines for one in batch) + source.lines <= lines
                    and not any(source.clashes(one) for one in batch)):
                batch.append(source)
                break
        else:
            batches.append([source])
    return batches


def text_of(root: Path, batch: list[Source]) -> str:
    lines = ["// Written by tools/make_batches.py."]
    # All headers first: no name in them is changed.
    lines += dict.fromkeys(line for source in batch for line in source.includes)
    for source in batch:
        others = set().union(*(one.names | one.own | one.reserved for one in batch if one is not source))
        renamed = sorted((source.own & others) - source.fixed)
        path = Path(source.path)
        lines += [f"#define {name} {name}_in_{path.parent.name}_{path.stem}" for name in renamed]
        lines.append(f'#include "{path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()}"')
        lines += [f"#undef {name}" for name in renamed]
    return "\n".join(lines) + "\n"


def write_if_changed(path: Path, text: str) -> None:
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def is_fresh(made_of: Path, asked: str) -> bool:
    """The plan was made for the same call, after the last change of every file and header."""
    if not made_of.exists():
        return False
    text = made_of.read_text(encoding="utf-8")
    files = text.splitlines()[4:]
    return text.startswith(asked) and all(
        Path(path).exists() and Path(path).stat().st_mtime_ns < made_of.stat().st_mtime_ns for path in [*files, __file__])


def main() -> int:
    root, folder = Path(sys.argv[1]), Path(sys.argv[2])
    # A file that was removed since CMake ran is no longer there: the plan without it makes CMake run again.
    most, lines, paths = int(sys.argv[3]), int(sys.argv[4]), [path for path in sys.argv[5:] if Path(path).exists()]
    folder.mkdir(parents=True, exist_ok=True)
    made_of, asked = folder / "made_of.txt", "\n".join([*sys.argv[1:], ""])
    if is_fresh(made_of, asked):
        return 0
    number = {}
    headers = Headers(root)
    sources = [Source(headers, path) for path in paths]
    for index, batch in enumerate(batches_of(sources, most, lines)):
        if len(batch) > 1:
            write_if_changed(folder / f"batch_{index}.cpp", text_of(root, batch))
        for source in batch:
            number[source.path] = str(index) if len(batch) > 1 else "-"
    write_if_changed(folder / "plan.txt", "".join(f"{number[path]} {path}\n" for path in paths))
    taken_in = frozenset().union(*(source.headers for source in sources))
    read = [str(root / name) for name in sorted(taken_in) if (root / name).exists()]
    escaped = [path.replace(" ", "\\ ") for path in [str(folder / "plan.txt"), *paths, __file__, *read]]
    (folder / "plan.d").write_text(f"{escaped[0]}: {' '.join(escaped[1:])}\n", encoding="utf-8")
    made_of.write_text(asked + "".join(path + "\n" for path in read), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

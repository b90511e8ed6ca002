#!/usr/bin/env python3
"""Puts the source files of a layer into batches that can be compiled as one file each.

What a file defines for itself alone (in a namespace without a name, or static) is seen by all files of its batch, so two
files that define the same name, or of which one uses as something else what the other defines, are never in one batch.
Names are taken from lines that begin at the margin, as clang-format leaves them: what is missed is a compiler error and
no other program.
Usage: unity_batches.py MOST FILE...    prints, for each file, the number of its batch, or - where it is alone; at most
MOST files are in one batch.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((?:.|\n)*?\)"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'', re.S)
ALONE = re.compile(r"^(?:using\s+\w+\s*=|namespace\s+\w+\s*=|#\s*define|static\b)")
DEFINES = (
    re.compile(r"^(?:template\b.*>\s*)?(?:struct|class|union|enum class|enum)\s+(?:\[\[\w+\]\]\s*)?(\w+)"),
    re.compile(r"^using\s+(\w+)\s*="),
    re.compile(r"^namespace\s+(\w+)\s*="),
    re.compile(r"^#\s*define\s+(\w+)"),
    # A function, or a variable: a type, then the name, then what it is given.
    re.compile(r"^(?!return\b|using\b|else\b|case\b|namespace\b|extern\b)[A-Za-z_][\w:<>,\s*&\[\]()]*?[\s*&>](\w+)\s*(?:\(|\{|=|\[|;)"),
)


class Source:
    def __init__(self, path: str) -> None:
        self.path = path
        raw = Path(path).read_text(encoding="utf-8")
        text = COMMENT.sub(lambda m: "\n" * m.group().count("\n"), raw)
        self.own, self.types = own_names(raw.splitlines(), text.splitlines())
        # What is called or named here without saying of what: members and names of other namespaces do not count.
        self.calls = set(re.findall(r"(?<![\w.:>])(\w+)\s*\(", text))
        self.names = set(re.findall(r"(?<![\w.:>])([A-Za-z_]\w*)", text))

    def clashes(self, other: Source) -> bool:
        return bool(self.own & (other.own | other.calls) or other.own & self.calls
                    or self.types & other.names or other.types & self.names)


def own_names(raw: list[str], lines: list[str]) -> tuple[set[str], set[str]]:
    """All names that are this file's alone, and those of them that are no functions."""
    names: set[str] = set()
    types: set[str] = set()
    is_hidden = False
    for before, line in zip(raw, lines):
        if re.match(r"^namespace \{", before):
            is_hidden = True
        elif re.match(r"^\}  // namespace$", before):
            is_hidden = False
        elif is_hidden or ALONE.match(line):
            for pattern in DEFINES:
                if match := pattern.match(line):
                    names.add(match.group(1))
                    if not match.group(0).endswith("("):
                        types.add(match.group(1))
                    break
    return names, types


def batches_of(sources: list[Source], most: int) -> list[list[Source]]:
    batches: list[list[Source]] = []
    for source in sources:
        for batch in batches:
            if len(batch) < most and not any(source.clashes(one) for one in batch):
                batch.append(source)
                break
        else:
            batches.append([source])
    return batches


def main() -> int:
    most, paths = int(sys.argv[1]), sys.argv[2:]
    number = {}
    for index, batch in enumerate(batches_of([Source(path) for path in paths], most)):
        for source in batch:
            number[source.path] = str(index) if len(batch) > 1 else "-"
    print(";".join(number[path] for path in paths))
    return 0


if __name__ == "__main__":
    sys.exit(main())

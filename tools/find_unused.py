#!/usr/bin/env python3
"""Finds functions and types of steptp/ that only tests use, or nobody.

A name that a header of steptp/ declares is used where it occurs in the product (steptp/ without *_test.cpp, cli/,
python/src/, replay/, engines/, capi/) other than in a declaration, a definition or a comment. Names are compared as words: two
functions of one name are one to this script, so that it misses some, and what it reports is unused. Names in ALLOWED
stay, each for the reason beside it.
Usage: find_unused.py [ROOT]. Exit status 0 when nothing is unused, 1 with one line per name otherwise.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from pathlib import Path

PRODUCT = ("steptp", "cli", "python/src", "replay", "engines", "capi")
TESTS = ("testing", "fuzz", "bench")
# Rooms that are being rebuilt: their own laws come with tests of single laws.
SKIPPED: tuple[str, ...] = ()
ALLOWED: dict[str, str] = {
    "deallocate": "the containers of the standard library call it",
    "lowered_operators": "the test that both tables of operators agree goes through it",
    "find_token": "a tokenizer without the way back could not be compared with the package that it imitates",
    "token_bytes": "likewise",
    "token_text": "likewise",
    "vocabulary_size": "likewise",
    "find_contraction": "the vocabulary of moves is tested whole; which of them ask it changes",
    "tile_of": "likewise",
    "multiply_as": "a test compares the bits that each generation of x86-64 gives; the product takes the newest",
    "fast_exp": "its error is tested by itself; the product calls the same lines inside loops",
    "first_logits": "the logits behind a prompt are compared with PyTorch's; drawing reads the last token of a prompt later",
    "only_reader": "likewise",
    "is_equal_or_numeric": "what a grade means; tests of the judge ask for it by name",
}
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
STRING = re.compile(r'R"\((?:.|\n)*?\)"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'')
# What stands before a name on its line where it is declared or defined: specifiers and a type, and nothing that computes.
BEFORE_DECLARATION = re.compile(
    r"^\s*(?:\[\[nodiscard\]\]\s*)?(?:(?:static|virtual|explicit|inline|constexpr|friend|extern|struct|class|enum class)\s+)*"
    r"(?:(?:const\s+)?[A-Za-z_][\w:]*(?:<.*>)?(?:::\w+)*(?:\s+const)?\s*[&*]*\s*)?(?:[A-Za-z_]\w*::)*$"
)
COMPUTES = re.compile(r"^\s*(?:return|throw|co_return|new|else|delete|case|goto)\b")
DECLARED = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
TYPE = re.compile(r"^\s*(?:struct|class|enum class)\s+([A-Z]\w*)\b(?!\s*;)", re.M)
KEYWORDS = {"if", "for", "while", "switch", "return", "sizeof", "static_assert", "operator", "decltype", "alignas",
            "noexcept", "defined", "catch", "assert", "main", "requires"}


def code_of(path: Path) -> str:
    text = STRING.sub('""', path.read_text(encoding="utf-8", errors="replace"))
    return COMMENT.sub(lambda m: "\n" * m.group().count("\n"), text)


def is_test(path: Path) -> bool:
    return path.name.endswith("_test.cpp")


def is_declaration(before: str) -> bool:
    return bool(BEFORE_DECLARATION.match(before)) and not COMPUTES.match(before) and bool(before.strip())


def declared_names(headers: dict[Path, str]) -> dict[str, Path]:
    """Functions and types that headers declare, each with the first header that does."""
    names: dict[str, Path] = {}
    for path, text in headers.items():
        for line in text.splitlines():
            if line.lstrip().startswith("#"):
                continue
            for match in DECLARED.finditer(line):
                name, before = match.group(1), line[: match.start()]
                # Of a constructor, what stands before is nothing or `explicit`.
                if name in KEYWORDS or name[0].isupper() or name.isupper() or not is_declaration(before):
                    continue
                names.setdefault(name, path)
                break
        for match in TYPE.finditer(text):
            names.setdefault(match.group(1), path)
    return names


def uses_of(names: dict[str, Path], sources: dict[Path, str]) -> dict[str, int]:
    uses: dict[str, int] = defaultdict(int)
    word = re.compile(r"\b[A-Za-z_]\w*\b")
    for path, text in sources.items():
        for line in text.splitlines():
            for match in word.finditer(line):
                name = match.group()
                if name not in names:
                    continue
                before, after = line[: match.start()], line[match.end():]
                if name[0].isupper():
                    # A type is used where it is not introduced, nor part of its own members' names.
                    if re.search(r"(?:struct|class|enum class)\s+$", before) or after.startswith("::" + name):
                        continue
                    # Its constructors, and functions of its own.
                    if re.match(r"\s*(?:explicit\s+)?~?$", before) and after.startswith("(") and path.suffix == ".h":
                        continue
                elif is_declaration(before) and after.lstrip().startswith("("):
                    # In a body an indented `type name(...)` would be a variable; at the margin it is a definition.
                    if path.suffix == ".h" or not line[:1].isspace():
                        continue
                uses[name] += 1
    return uses


def read(root: Path, tops: tuple[str, ...], wanted) -> dict[Path, str]:
    files = {}
    for top in tops:
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".h", ".cpp", ".inc") and wanted(path):
                files[path] = code_of(path)
    return files


def main() -> int:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent).resolve()
    product = read(root, PRODUCT, lambda path: not is_test(path))
    tests = read(root, TESTS, lambda path: True) | read(root, ("steptp",), is_test)
    headers = {path: text for path, text in product.items()
               if path.suffix == ".h" and path.is_relative_to(root / "steptp")
               and not path.relative_to(root).as_posix().startswith(SKIPPED)}
    names = declared_names(headers)
    in_product, in_tests = uses_of(names, product), uses_of(names, tests)
    found = 0
    for name, header in sorted(names.items(), key=lambda item: (item[1], item[0])):
        if in_product[name] or name in ALLOWED:
            continue
        found += 1
        who = "only tests use it" if in_tests[name] else "nobody uses it"
        print(f"{header.relative_to(root)}: {name}: {who}")
    if found:
        print(f"find_unused: {found} names", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

"""One build that serves all breakages of laws: which of them is in force is chosen when the program starts.

A breakage replaces a piece of text inside a function. The body of that function is written down once for each of its
breakages and once as it is:

    { if (law_switches::broken(7)) { body with the breakage 7 } else { body as it is } }

so a breakage may change any text within one function, declarations included. What lies outside of function bodies
(constants, tables, signatures) cannot be chosen like this. `#line` gives each copy a name of its own, so that an error
of the compiler says which breakage does not build.
"""

from __future__ import annotations

import re
from typing import NamedTuple

VARIABLE = "STEPTP_BROKEN_LAW"
HEADER_PATH = "steptp/base/law_switches.h"
HEADER = f"""#pragma once

#include <cstdlib>
#include <type_traits>

namespace law_switches {{
inline const int chosen = [] {{
  const char* number = std::getenv("{VARIABLE}");
  return number ? std::atoi(number) : 0;
}}();
constexpr bool broken(int number) {{ return !std::is_constant_evaluated() && chosen == number; }}
}}  // namespace law_switches
"""

# Comments, strings, characters and directives hold braces that are none.
NO_CODE = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|(?<![0-9a-fA-F])'(?:[^'\\\n]|\\.)*'|^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*""",
    re.DOTALL | re.MULTILINE,
)
SCOPE = re.compile(r"(?:^|[\s>\])])(?:namespace|class|struct|union|enum|extern)\b")
ERROR = re.compile(r"^breakage-(\d+):\d+(?::\d+)?: error: (.*)$", re.MULTILINE)


class Change(NamedTuple):
    """A breakage as a place in a file."""

    number: int
    begin: int
    end: int
    instead: str


def without_text(source: str) -> str:
    """The source with blanks for everything that is no code, at the same places."""
    return NO_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), source)


def without_brackets(text: str) -> str:
    while (shorter := re.sub(r"\([^()]*\)", " ", text)) != text:
        text = shorter
    return text


def is_function(before: str) -> bool:
    """Whether a brace opens a function's body: `before` is what stands between the end of what is before and the brace."""
    if SCOPE.search(without_brackets(before)) or "(" not in before:
        return False
    return "=" not in without_brackets(before.replace("operator", "").replace("==", "").replace("<=>", ""))


def enclosing_body(code: str, begin: int, end: int) -> tuple[int, int] | None:
    """The outermost function body around a place of a text without strings and comments: from its brace to the brace
    that closes it. None where the place is in none."""
    opened: list[int] = []
    outermost = None
    for at, letter in enumerate(code):
        if at == begin:
            for brace in opened:
                cut = max(code.rfind(mark, 0, brace) for mark in ";{}")
                if is_function(code[cut + 1 : brace]):
                    outermost = brace
                    break
            if outermost is None:
                return None
        if letter == "{":
            opened.append(at)
        elif letter == "}":
            brace = opened.pop()
            if brace == outermost and at >= begin:
                return (brace, at) if at >= end else None
    return None


def with_switches(source: str, name: str, changes: list[Change]) -> tuple[str, list[Change]]:
    """The source in which each change that lies in a function body can be chosen, and the changes that do not."""
    code = without_text(source)
    bodies: dict[tuple[int, int], list[Change]] = {}
    left = []
    for change in changes:
        body = enclosing_body(code, change.begin, change.end)
        if body is None:
            left.append(change)
        else:
            bodies.setdefault(body, []).append(change)
    out = source
    for (brace, closing), inside in sorted(bodies.items(), reverse=True):
        plain = source[brace + 1 : closing]
        copies = ""
        for change in inside:
            broken = source[brace + 1 : change.begin] + change.instead + source[change.end : closing]
            copies += f'if (law_switches::broken({change.number})) {{\n#line 1 "breakage-{change.number}"\n{broken}\n}} else '
        line = source.count("\n", 0, brace) + 1
        copies += f'{{\n#line {line} "{name}"\n{plain}}}\n#line {source.count(chr(10), 0, closing) + 1} "{name}"\n'
        out = out[: brace + 1] + copies + out[closing:]
    if bodies:
        out = f'#include "{HEADER_PATH}"\n#line 1 "{name}"\n' + out
    return out, left


def broken_builds(output: str) -> dict[int, str]:
    """The breakages that do not build, each with the first error."""
    found: dict[int, str] = {}
    for number, message in ERROR.findall(output):
        found.setdefault(int(number), message)
    return found

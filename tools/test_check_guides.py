"""check_guides.py must fail, by the name of the rule, on pages that name what is not there, and pass on others."""

from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import check_guides  # noqa: E402

GOOD = {
    "README.md": "# Top\n\nSee [the page](docs/page.md#a-heading) and `steptp/base/file.h`.\n",
    "docs/page.md": "# A heading\n\n`base/file.h`, `file.h`, `read_file(path)`, `steptp::read_file`, `strategies/LEVEL/NAME.cpp`, "
    "`steptp/base/*.h`, `cli/verb_<name>.cpp`, `build/nothing`, `and/or`, `x + y`.\n\n```\n`no_such_name`\n```\n",
    "docs/decisions/0001-old.md": "`gone_since()` in `steptp/gone.h`\n",
    "docs/rules.md": "# Rules\n\n### R6: scopes\n\n## Safe\n\n- **S12** extended\n",
    "steptp/base/file.h": "namespace steptp {\n/// docs/rules.md R6, and docs/rules.md S12; rules.md, \"Safe\"; README.md\n"
    "bool read_file(int path);\nconst char* name = \"gone.md\";\n}\n",
    "steptp/strategies/loop/loop_split.cpp": "\n",
    "cli/verb_run.cpp": "\n",
}
BROKEN: dict[str, tuple[str, dict[str, str]]] = {
    "a link to nothing": ("link", {"README.md": "[page](docs/none.md)"}),
    "a link to no heading": ("link", {"README.md": "[page](docs/page.md#another)"}),
    "a link of a decision": ("link", {"docs/decisions/0001-old.md": "[page](none.md)"}),
    "a path": ("path", {"docs/page.md": "# A heading\n`steptp/base/none.h`"}),
    "a pattern": ("path", {"docs/page.md": "# A heading\n`steptp/none/*.h`"}),
    "a file": ("file", {"docs/page.md": "# A heading\n`none.h`"}),
    "a function": ("name", {"docs/page.md": "# A heading\n`write_file(path)`"}),
    "a page in a comment": ("comment", {"steptp/base/file.h": "/// leir.md section 2\nnamespace steptp { bool read_file(int path); }"}),
    "a rule in a comment": ("comment", {"steptp/base/file.h": "/// docs/rules.md R7\nnamespace steptp { bool read_file(int path); }"}),
    "a range of rules": ("comment", {"steptp/base/file.h": "/// docs/rules.md R6 to R9\nnamespace steptp { bool read_file(int path); }"}),
    "a heading in a comment": ("comment", {"steptp/base/file.h": '/// docs/rules.md, "Sure"\nnamespace steptp { bool read_file(int path); }'}),
    "a page in a docstring": ("comment", {"python/one.py": '"""As docs/none.md says."""'}),
    "a name": ("name", {"docs/page.md": "# A heading\n`steptp::write_file`"}),
}


def findings(changes: dict[str, str]) -> list[check_guides.Finding]:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {**GOOD, **changes}.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return check_guides.check(Path(folder).resolve())


class CheckGuides(unittest.TestCase):
    def test_good_pages_pass(self) -> None:
        self.assertEqual(findings({}), [])

    def test_each_broken_page_fails_by_name(self) -> None:
        for name, (rule, changes) in BROKEN.items():
            with self.subTest(name):
                self.assertEqual([rule], [f.rule for f in findings(changes)])

    def test_every_rule_is_broken_by_some_page(self) -> None:
        documented = {line.split()[0] for line in (check_guides.__doc__ or "").splitlines() if line.startswith("  ")}
        self.assertEqual(documented, {rule for rule, _ in BROKEN.values()})


if __name__ == "__main__":
    unittest.main()

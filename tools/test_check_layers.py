"""check_layers.py must fail, by the name of the rule, on a tree that breaks each rule, and pass on one that does not."""

from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import check_layers  # noqa: E402

GOOD = {
    "layers.txt": "# comment\n\n# words\nbase <- | z pthread\n# of two\n# lines\nir <- base\n# a\ncodegen <- base\n# a\ncodegen/cuda <- base ir\n"
    "# a\noracle <- ir\n# a\nstrategies <- base\n",
    "docs/architecture.md": "before\n<!-- made from layers.txt by tools/check_layers.py --write -->\n\n"
    "| layer | holds | may include | links |\n|---|---|---|---|\n| `base` | words |  | z pthread |\n"
    "| `ir` | of two lines | `base` |  |\n| `codegen` | a | `base` |  |\n| `codegen/cuda` | a | `base` `ir` |  |\n"
    "| `oracle` | a | `ir` |  |\n| `strategies` | a | `base` |  |\n\n<!-- end of the table of layers -->\nafter\n",
    "steptp/base/a.h": "#include <string>\n",
    "steptp/ir/b.h": '#include "steptp/base/a.h"\n',
    "steptp/ir/b.cpp": '#include "steptp/ir/b.h"\n#include <bench/system.h>\n',
    "steptp/codegen/k.cpp": '#include "steptp/base/a.h"\n',
    "steptp/codegen/cuda/c.cpp": '#include "steptp/ir/b.h"\n#include "steptp/base/a.h"\n',
    "steptp/oracle/o.cpp": '#include "steptp/ir/b.h"\n',
    "testing/t.h": '#include "steptp/ir/b.h"\n',
    "fuzz/f.cpp": '#include "testing/t.h"\n#include "steptp/base/a.h"\n',
    "bench/b.cpp": '#include "testing/t.h"\n',
    "steptp/strategies/s.cpp": '#include "steptp/base/a.h"\n',
    "steptp/strategies/s_test.cpp": '#include "testing/t.h"\n',
    **{f"steptp/{layer}/x_test.cpp": "" for layer in ("ir", "codegen", "codegen/cuda", "oracle")},
    "steptp/base/a_test.cpp": '#include "testing/t.h"\n#include "steptp/ir/b.h"\n',
    "cli/m.h": "\n",
    "cli/m.cpp": '#include "cli/m.h"\n#include "steptp/ir/b.h"\n',
    "replay/r.h": '#include "steptp/base/a.h"\n',
    "replay/r.cpp": '#include "replay/r.h"\n#include "steptp/ir/b.h"\n',
    "testing/r.cpp": '#include "replay/r.h"\n',
    "python/src/p.cpp": '#include <nanobind/nanobind.h>\n#include "steptp/ir/b.h"\n',
}

# name of the case -> (rule that must speak, files that replace those of the good tree; None removes one)
BROKEN: dict[str, tuple[str, dict[str, str | None]]] = {
    "upwards": ("layer", {"steptp/base/a.h": '#include "steptp/ir/b.h"\n'}),
    "not listed for it": ("layer", {"steptp/oracle/o.cpp": '#include "steptp/base/a.h"\n'}),
    "into a subfolder": ("layer", {"steptp/oracle/o.cpp": '#include "steptp/codegen/cuda/c.cpp"\n'}),
    "out of a subfolder": ("layer", {"steptp/codegen/cuda/c.cpp": '#include "steptp/codegen/k.cpp"\n'}),
    "spaced directive": ("layer", {"steptp/base/a.h": '  #  include "steptp/ir/b.h"\n'}),
    "a test sees cli": ("outside", {"steptp/base/a_test.cpp": '#include "cli/m.h"\n'}),
    "a test of what is not there": ("unknown-file", {"steptp/ir/b_test.cpp": '#include "testing/none.h"\n'}),
    "layer sees testing": ("outside", {"steptp/ir/b.cpp": '#include "testing/t.h"\n'}),
    "strategy sees testing": ("outside", {"steptp/strategies/s.cpp": '#include "testing/t.h"\n'}),
    "layer sees cli": ("outside", {"steptp/ir/b.cpp": '#include "cli/m.h"\n'}),
    "testing sees cli": ("outside", {"testing/t.h": '#include "cli/m.h"\n'}),
    "python sees cli": ("outside", {"python/src/p.cpp": '#include "cli/m.h"\n'}),
    "cli sees testing": ("face", {"cli/m.cpp": '#include "testing/t.h"\n'}),
    "python sees testing": ("face", {"python/src/p.cpp": '#include "testing/t.h"\n'}),
    "replay sees the judge": ("apart", {"replay/r.cpp": '#include "steptp/oracle/o.cpp"\n'}),
    "replay sees testing": ("apart", {"replay/r.cpp": '#include "testing/t.h"\n'}),
    "layer sees replay": ("outside", {"steptp/ir/b.cpp": '#include "replay/r.h"\n'}),
    "cli sees replay": ("outside", {"cli/m.cpp": '#include "replay/r.h"\n'}),
    "later line": ("order", {"layers.txt": str(GOOD["layers.txt"]).replace("base <-", "base <- ir")}),
    "itself": ("order", {"layers.txt": str(GOOD["layers.txt"]).replace("ir <- base", "ir <- base ir")}),
    "twice": ("order", {"layers.txt": GOOD["layers.txt"] + "ir <- base\n"}),
    "unreadable": ("line", {"layers.txt": GOOD["layers.txt"] + "Ir: base\n"}),
    "no layers.txt": ("line", {"layers.txt": None}),
    "no folder": ("missing", {"layers.txt": GOOD["layers.txt"] + "zoo <- base\n"}),
    "unlisted folder": ("unlisted", {"steptp/zoo/z.cpp": "\n"}),
    "unlisted subfolder": ("unlisted", {"steptp/ir/deep/z.cpp": "\n"}),
    "loose file": ("unlisted", {"steptp/loose.h": "\n"}),
    "an edge that nobody uses": ("unused", {"steptp/codegen/k.cpp": "\n"}),
    "an edge that only a test uses": ("unused", {"steptp/oracle/o.cpp": "\n", "steptp/oracle/o_test.cpp": '#include "steptp/ir/b.h"\n'}),
    "a layer without a test": ("untested", {"steptp/codegen/cuda/x_test.cpp": None}),
    "a layer without words": ("said", {"layers.txt": str(GOOD["layers.txt"]).replace("# words\n", "")}),
    "another table": ("table", {"docs/architecture.md": str(GOOD["docs/architecture.md"]).replace("words", "other words")}),
    "no table": ("table", {"docs/architecture.md": "nothing\n"}),
    "angle brackets": ("quotes", {"steptp/ir/b.h": "#include <steptp/base/a.h>\n"}),
    "beside": ("quotes", {"steptp/ir/b.cpp": '#include "b.h"\n'}),
    "no such file": ("unknown-file", {"steptp/ir/b.h": '#include "steptp/base/none.h"\n'}),
}


def findings(changes: dict[str, str | None]) -> list[check_layers.Finding]:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {**GOOD, **changes}.items():
            if text is None:
                continue
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return check_layers.check(Path(folder).resolve())


class CheckLayers(unittest.TestCase):
    def test_the_good_tree_passes(self) -> None:
        self.assertEqual(findings({}), [])

    def test_each_broken_tree_fails_by_name(self) -> None:
        for name, (rule, changes) in BROKEN.items():
            with self.subTest(name):
                self.assertIn(rule, [f.rule for f in findings(changes)])

    def test_every_rule_is_broken_by_some_tree(self) -> None:
        documented = {line.split()[0] for line in (check_layers.__doc__ or "").splitlines() if line.startswith("  ")}
        self.assertEqual(documented, {rule for rule, _ in BROKEN.values()})


if __name__ == "__main__":
    unittest.main()

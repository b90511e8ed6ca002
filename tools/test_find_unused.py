"""find_unused.py must name what only tests use, and nothing else."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HEADER = """
/// Called by used_in_comment().
[[nodiscard]] int used(int a);
int only_tested();
int used_in_comment();
struct Used { int inner() const { return used_inline(); } };
struct NobodyUses {};
inline int used_inline() { return 1; }
class Kept {
 public:
  explicit Kept(int a);
  [[nodiscard]] bool asked() const;
  void only_tested_method();
};
"""
FILES = {
    "steptp/base/a.h": HEADER,
    "steptp/base/a.cpp": "int used(int a) {\n  return a;\n}\nint only_tested() { return 2; }\n// used_in_comment()\n"
    "int used_in_comment() { return 3; }\nbool Kept::asked() const { return true; }\nvoid Kept::only_tested_method() {}\n",
    "cli/main.cpp": "int main() {\n  Used one;\n  return used(one.inner()) + Kept(1).asked();\n}\n",
    "steptp/base/a_test.cpp": "int t() {\n  return only_tested();\n}\nvoid m(Kept& k) {\n  k.only_tested_method();\n}\n",
    "testing/t.cpp": "",
}


class FindUnused(unittest.TestCase):
    def test_what_only_tests_use_is_named(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in FILES.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            script = Path(__file__).parent / "find_unused.py"
            done = subprocess.run([sys.executable, str(script), folder], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.splitlines(), [
            "steptp/base/a.h: NobodyUses: nobody uses it",
            "steptp/base/a.h: only_tested: only tests use it",
            "steptp/base/a.h: only_tested_method: only tests use it",
            "steptp/base/a.h: used_in_comment: nobody uses it",
        ])


if __name__ == "__main__":
    unittest.main()

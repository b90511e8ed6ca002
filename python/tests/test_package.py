"""What `import steptp` costs, and what it does without."""

from __future__ import annotations

import json
import subprocess
import sys

PROGRAM = """
import json, resource, sys
before = resource.getrusage(resource.RUSAGE_SELF)
import steptp
after = resource.getrusage(resource.RUSAGE_SELF)
seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
print(json.dumps({"seconds": seconds, "modules": [name for name in ("torch", "steptp.torch_out") if name in sys.modules]}))
"""


def test_import_is_quick_and_needs_no_pytorch() -> None:
    answers = [json.loads(subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True).stdout) for _ in range(3)]
    assert all(answer["modules"] == [] for answer in answers)
    # Seconds of the processor, so that other work on the machine does not count.
    assert min(answer["seconds"] for answer in answers) < 0.15, answers

"""How the compiled part starts its worker processes, which compile and run programs, judge pairs or make entries of
datasets: as this interpreter, with itself alone.
"""

from __future__ import annotations

import sys

from . import _steptp

# Loads the compiled part by its path: importing the package would load numpy first, in every worker.
_PROGRAM = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location("_steptp", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
sys.exit({call})
"""


_CALLS = {
    "candidates": "module.worker_main(int(sys.argv[2]), int(sys.argv[3]))",
    "judge": "module.judge_worker_main()",
    "dataset": "module.dataset_worker_main(int(sys.argv[2]))",
}


def command_for(kind: str) -> list[str]:
    """How a worker of this kind is started; the compiled part asks (python/src/workers.cpp)."""
    return [sys.executable or "python3", "-I", "-c", _PROGRAM.format(call=_CALLS[kind]), _steptp.__file__]

"""How the compiled part starts the processes that compile and run programs: as this interpreter, with itself alone."""

from __future__ import annotations

import sys

from . import _steptp

# Loads the compiled part by its path: importing the package would load numpy first, in every worker.
_PROGRAM = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location("_steptp", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
sys.exit(module.worker_main(int(sys.argv[2]), int(sys.argv[3])))
"""


def start_workers_with_this_interpreter() -> None:
    _steptp.set_worker_command([sys.executable or "python3", "-I", "-c", _PROGRAM, _steptp.__file__])

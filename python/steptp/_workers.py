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


def start_workers_with_this_interpreter() -> None:
    def command(call: str) -> list[str]:
        return [sys.executable or "python3", "-I", "-c", _PROGRAM.format(call=call), _steptp.__file__]

    _steptp.set_worker_command(command("module.worker_main(int(sys.argv[2]), int(sys.argv[3]))"))
    _steptp.set_judge_command(command("module.judge_worker_main()"))
    _steptp.set_dataset_worker_command(command("module.dataset_worker_main(int(sys.argv[2]))"))

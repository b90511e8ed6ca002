#!/usr/bin/env python3
"""Makes build/torch_gpu: everything of PyTorch out that wants a GPU. Small modules of all types of the zoo, problems and the
files with ModelNew that were made of them, the imitation of the harness, the programs of bench/torch_gpu, and the package
as `tools/make_portable_modules.sh` has made it. Copy the folder to a machine with a GPU and PyTorch and run `bash run.sh`
there: no compiler is needed.

Usage: tools/run_torch_tests.sh --python tools/make_torch_gpu_folder.py [PACKAGE], or any Python with PyTorch and steptp.
PACKAGE is build/portable/python where nothing else is said.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build" / "torch_gpu"
DEVICE = "nvidia-h200"


def write_modules() -> int:
    """Every type of the zoo, as small as the tests have it."""
    sys.path.insert(0, str(ROOT / "python" / "torch_tests"))
    from test_zoo import TYPES, small_program

    (OUT / "modules").mkdir()
    for name in TYPES:
        (OUT / "modules" / f"{name}.py").write_text(small_program(name, "f32").torch)
    return len(TYPES)


def write_table() -> int:
    """Every fifth type of the zoo in its usual size, as problems of its level, beside our own problems."""
    import steptp

    shutil.copytree(ROOT / "python" / "torch_tests" / "problems", OUT / "own", ignore=shutil.ignore_patterns("__pycache__"))
    made = 0
    for level in (1, 2):
        (OUT / "zoo" / f"level{level}").mkdir(parents=True)
        types = [entry["program"] for entry in steptp.zoo_list() if entry["level"] == level]
        for number, name in enumerate(types[::5], 1):
            (OUT / "zoo" / f"level{level}" / f"{number}_{name}.py").write_text(steptp.zoo_show(name, dtype="f32").torch)
            made += 1
    return made


def write_files() -> int:
    """Our own problems with their ModelNew."""
    from steptp.torch_out import emitting

    for folder in ("problems", "new"):
        (OUT / folder).mkdir()
    made = 0
    for path in sorted((ROOT / "python" / "torch_tests" / "problems").rglob("*.py")):
        name = f"{path.parent.name}_{path.name}"
        try:
            emitting.emit(path, "kernelbench", OUT / "new" / name, DEVICE)
        except Exception as error:  # one problem that LEIR cannot say is among them
            print(f"{name}: left out: {error}")
            continue
        shutil.copyfile(path, OUT / "problems" / name)
        made += 1
    return made


def main() -> int:
    from steptp.torch_out import harness

    package = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "portable" / "python"
    if not list(package.glob("steptp/_steptp.*.so")):
        print(f"{package}: no package for other machines; make portable makes it", file=sys.stderr)
        return 1
    shutil.rmtree(OUT, ignore_errors=True)
    shutil.copytree(package, OUT / "python")
    for path in (ROOT / "bench" / "torch_gpu").iterdir():
        if path.is_file():
            shutil.copy(path, OUT / path.name)
    shutil.copyfile(harness.__file__, OUT / "harness.py")
    made, modules, problems = write_files(), write_modules(), write_table()
    print(f"{OUT}: {modules} modules, {made} files, {problems} problems; on a machine with a GPU: bash run.sh")
    return 0 if made and modules else 1


if __name__ == "__main__":
    sys.exit(main())

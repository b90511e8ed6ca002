"""A file with `Model`, `get_inputs` and `get_init_inputs` as something to run elsewhere: one self-contained file with
`ModelNew`, a folder with a Python module, or CUDA text.

    python -m steptp.torch_out.emitting FILE --emit kernelbench -o OUT
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import pprint
import shutil
import sys
from pathlib import Path
from typing import Any

import torch

from .. import _steptp
from .._errors import SteptpError
from .._optimize import Optimized, optimize_program
from .._verbs import check
from .. import capture
from .checking import WholeModule
from .capturing import NotCaptured

KINDS = ("module", "kernelbench", "cuda")


class NotEmitted(SteptpError):
    """Why there is no file; the message says what to do instead."""


def load_problem(file: str | os.PathLike[str]) -> tuple[Any, Any, list[Any]]:
    """The class, an instance and example inputs of a file."""
    module = capture.load_file(os.fspath(file))
    cls = capture._model_class(module, torch)
    torch.manual_seed(0)
    given = list(module.__dict__.get("get_init_inputs", list)())
    return cls, cls(*given), list(module.get_inputs())


class WholeProgram:
    """A module as one program with its fast form."""

    def __init__(self, model: Any, inputs: list[Any], device: str) -> None:
        try:
            self.side = WholeModule(model, tuple(inputs), {}, may_write=True)
        except NotCaptured as error:
            raise NotEmitted(f"the module is no single program: {error}") from None
        if check(self.side.program).ok is not True:
            raise NotEmitted("nobody can show that the program of this module reads and writes where it may")
        self.fast: Optimized = optimize_program(self.side.program, device)
        #: New values of buffers, each with the path of its buffer.
        self.writes = [(name, path) for name, (_, path) in zip(self.side.outputs, self.side.capture.writes)]
        self.single = not isinstance(_unflattened(self.side), (list, tuple, dict))
        if not self.single and not isinstance(_unflattened(self.side), tuple):
            raise NotEmitted("the module gives something else than tensors: --emit module can be used")

    def description(self) -> dict[str, Any]:
        """Everything that a file of its own needs to run it."""
        text, launches = _steptp.cuda_text(self.fast.program)
        launches = json.loads(launches)
        if any(kernel["in_turn"] for kernel in launches["kernels"]) or "if" in json.dumps(_step_kinds(launches["steps"])):
            raise NotEmitted("the program launches blocks one after another: --emit module runs it")
        variables = []
        for variable in self.fast.program.signature:
            kind, where = self._meaning(variable)
            variables.append([variable.name, variable.dtype, list(variable.shape), kind, where])
        return {"text": text, "launches": launches, "variables": variables, "writes": self.writes,
                "outputs": self.side.outputs[len(self.writes) :], "single": self.single}

    def _meaning(self, variable: Any) -> tuple[str, Any]:
        if variable.role == "output":
            return "output", None
        if variable.values is not None:
            return "constant", [value if value == value and abs(value) != float("inf") else str(value) for value in variable.values]
        kind, where = self.side.meaning[variable.name]
        if kind == "value":
            return "constant", where.flatten().tolist()
        return ("input", where) if kind == "input" else ("parameter", where)


def _step_kinds(steps: list[Any]) -> list[Any]:
    return [[key for key in step if key not in ("loop", "extent", "body", "launch")] + _step_kinds(step.get("body", [])) for step in steps]


def _unflattened(side: WholeModule) -> Any:
    numbers = list(range(len(side.outputs) - len(side.capture.writes)))
    return torch.utils._pytree.tree_unflatten(numbers, side.capture.out_spec)


_HEAD = '''"""{name}: `ModelNew` computes what `Model` computes, in kernels that were shown to do so ({verdict}).

Made by steptp. Needs PyTorch and a GPU; the CUDA text is compiled when it is first run, by the NVRTC that PyTorch brings.
"""

# The problem as it was given: ModelNew has its parameters, in its order.

'''

_TAIL = '''

# What runs the program.

{runner}

_PROGRAMS = {{{programs}}}


class ModelNew({cls}):
    """In kernels where the inputs are what they were made for; otherwise as the module itself, and said so."""

    def forward(self, *inputs):
        if torch.is_grad_enabled() and any(value.requires_grad for value in inputs if isinstance(value, torch.Tensor)):
            raise RuntimeError("ModelNew has no gradients: call it under torch.no_grad()")
        values = torch.utils._pytree.tree_leaves(inputs)
        return program_for(_PROGRAMS, self, values)(self, values)
'''


#: What a harness may ask for besides the precision of the problem itself.
PRECISIONS = ("float32", "float16", "bfloat16")


def _cast(value: Any, dtype: torch.dtype) -> Any:
    return value.to(dtype) if isinstance(value, torch.Tensor) and value.is_floating_point() else value


def _programs(model: Any, inputs: list[Any], device: str, precisions: tuple[str, ...]) -> tuple[dict[str, WholeProgram], dict[str, str]]:
    """A program for each precision, that of the problem first, and why others have none."""
    floats = [value.dtype for value in (*inputs, *model.parameters()) if isinstance(value, torch.Tensor) and value.is_floating_point()]
    own = str(floats[0]).removeprefix("torch.") if floats else "float32"
    made = {own: WholeProgram(model, inputs, device)}
    without: dict[str, str] = {}
    for name in precisions if own in PRECISIONS and floats else ():
        if name in made:
            continue
        dtype = getattr(torch, name)
        try:
            other = WholeProgram(copy.deepcopy(model).to(dtype), [_cast(value, dtype) for value in inputs], device)
            other.description()
            made[name] = other
        except SteptpError as error:
            without[name] = str(error).splitlines()[0]
    return made, without


def kernelbench_file(file: Path, device: str, precisions: tuple[str, ...] = PRECISIONS) -> str:
    """One self-contained file with ModelNew, with a program for each precision."""
    cls, model, inputs = load_problem(file)
    with torch.no_grad():
        made, without = _programs(model, inputs, device, precisions)
    runner = Path(__file__).with_name("cuda_runner.py").read_text()
    runner = runner.split('"""', 2)[2].replace("from __future__ import annotations\n", "")
    source = file.read_text().replace("from __future__ import annotations\n", "")
    verdicts = ", ".join(f"{name}: {one.fast.verdict}" for name, one in made.items())
    verdicts += "".join(f"; there is none for {name}: {reason}" for name, reason in without.items())
    head = _HEAD.format(name=file.stem, verdict=verdicts.replace("\\", "/").replace('"', "'"))
    programs = ",\n".join(
        f"{name!r}: Program({pprint.pformat(one.description(), width=118, compact=True, sort_dicts=False)})" for name, one in made.items()
    )
    future = "from __future__ import annotations\n\n"
    tail = _TAIL.format(runner=runner.strip(), programs=programs, cls=cls.__name__)
    before, after = head.split("# The problem", 1)
    return before + future + "# The problem" + after + source.rstrip() + "\n" + tail


def write_module(file: Path, folder: Path, device: str) -> None:
    """The problem, what `save` writes, and a file that puts the two together."""
    from .optimize import optimize_module

    _, model, inputs = load_problem(file)
    where = "cuda" if device.startswith("nvidia") else "cpu"
    if where == "cuda" and not torch.cuda.is_available():
        raise NotEmitted("--emit module plans by measuring nothing but compiles for a GPU that is not here: use --emit kernelbench")
    moved = [value.to(where) if isinstance(value, torch.Tensor) else value for value in inputs]
    fast = optimize_module(model.to(where), moved)
    fast.save(folder)
    shutil.copyfile(file, folder / "model.py")
    (folder / "fast_model.py").write_text(_MODULE)
    (folder / "report.txt").write_text(f"{fast.report}\n")


_MODULE = '''"""The model of model.py in kernels of steptp: `make()` gives it, with parameters of its own."""

from pathlib import Path

import steptp
from model import Model, get_init_inputs


def make():
    """A module that stands in for Model."""
    return steptp.load(Path(__file__).parent, Model(*get_init_inputs()))
'''


def emit(
    file: str | os.PathLike[str], kind: str, out: str | os.PathLike[str], device: str, precisions: tuple[str, ...] = PRECISIONS
) -> None:
    """Writes what was asked for. Raises NotEmitted, or CaptureError for a file that is no problem."""
    path, target = Path(file), Path(out)
    if kind not in KINDS:
        raise ValueError(f"no kind {kind!r}: there are {', '.join(KINDS)}")
    if kind != "module" and not device.startswith("nvidia"):
        raise NotEmitted(f"CUDA is for a GPU, not for {device!r}: --device nvidia-h200")
    if kind == "module":
        target.mkdir(parents=True, exist_ok=True)
        write_module(path, target, device)
    elif kind == "kernelbench":
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(kernelbench_file(path, device, precisions))
    else:
        _, model, inputs = load_problem(path)
        with torch.no_grad():
            made = WholeProgram(model, inputs, device)
        target.mkdir(parents=True, exist_ok=True)
        text, launches = _steptp.cuda_text(made.fast.program)
        (target / "program.cu").write_text(text)
        (target / "launches.json").write_text(launches + "\n")
        for name, content in made.fast.files.items():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).write_text(content)


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="steptp optimize --emit", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="a .py file with Model, get_inputs and get_init_inputs")
    parser.add_argument("--emit", choices=KINDS, required=True)
    parser.add_argument("--device", default="nvidia-h200")
    parser.add_argument("-o", "--out", required=True, help="the file or folder to write")
    options = parser.parse_args(words)
    try:
        emit(options.file, options.emit, options.out, options.device)
    except capture.CaptureError as error:
        print(f"{options.file}: {error.message}" + (f"\n  hint: {error.hint}" if error.hint else ""), file=sys.stderr)
        return 2
    except (SteptpError, ValueError) as error:
        print(f"{options.file}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

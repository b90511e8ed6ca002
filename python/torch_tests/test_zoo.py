"""Every type of the zoo and random compositions: printed as PyTorch, captured again, and computed by both in f64."""

from __future__ import annotations

import random
from typing import Any

import pytest
import steptp
import torch
from compare import assert_close, fill, tensors

TYPES = {entry["program"]: entry for entry in steptp.zoo_list()}
#: Operations that one program may take the oracle.
BUDGET = 3_000_000
COMPOSITIONS = 300


def small_value(argument: dict[str, Any], source: random.Random) -> float:
    if "choices" in argument:
        return source.choice(argument["choices"][:3])
    low, high = argument["range"]
    if any(isinstance(number, float) for number in (low, high, argument["default"])):
        return source.uniform(low, high)
    if low <= 3:
        return source.randrange(low, min(high, low + 4))
    # Ranges bind draws only: a model of width 6 is as good as one of width 600.
    return source.choice([2, 3, 4, 6, 8, 12])


def small_program(name: str, dtype: str = "f64") -> steptp.ZooProgram:
    """The first draw of small arguments that fit together and that the oracle runs in no time."""
    source = random.Random(name)
    for _ in range(400):
        args = {argument["name"]: small_value(argument, source) for argument in TYPES[name]["arguments"]}
        try:
            shown = steptp.zoo_show(name, dtype=dtype, **args)
            steptp.run(shown.program, budget=BUDGET)
        except (steptp.DiagnosticError, steptp.BudgetError):
            continue
        if is_accepted(shown):
            return shown
    raise AssertionError(f"no small arguments for {name}")


def compare(shown: steptp.ZooProgram) -> None:
    space: dict[str, Any] = {}
    exec(shown.torch, space)
    torch.manual_seed(0)
    module, inputs = fill(space["Model"](*space["get_init_inputs"]())), space["get_inputs"]()
    domains = space.get("input_domains", ())
    program = steptp.from_torch(module, inputs, mode="train", name=shown.program.name, domains=domains)
    # What was printed as a module comes back as the same program, names and all. PyTorch does not show which operators
    # are written as one expression or one kernel: then it is an equal program, operator by operator.
    if any("written" in node for node in shown.graph["nodes"]):
        assert steptp.verify(program, shown.program), shown.name
    else:
        assert program.to_text(header=False) == shown.program.to_text(header=False)
    assert [(v.name, v.role, v.dtype, v.shape) for v in program.signature] == [(v.name, v.role, v.dtype, v.shape) for v in shown.program.signature]
    answer = steptp.to_torch(program, module)(*inputs)
    with torch.no_grad():
        assert_close(tensors(answer), tensors(module(*inputs)), shown.name)


def is_accepted(shown: steptp.ZooProgram) -> bool:
    """PyTorch asks more of some windows than that they fit over the padded input."""
    space: dict[str, Any] = {}
    exec(shown.torch, space)
    try:
        space["Model"]()(*space["get_inputs"]())
    except RuntimeError as error:
        if "kernel size" not in str(error) and "pad should be" not in str(error):
            raise
        return False
    return True


@pytest.mark.parametrize("name", TYPES)
def test_types(name: str) -> None:
    compare(small_program(name))


@pytest.mark.parametrize("part", range(30))
def test_compositions(part: int) -> None:
    compared = 0
    for first in range(20 * part, 20 * part + 20):
        for shown in steptp.zoo_draw(1, seed=1, first=first, compositions=100, dtypes=["f64"]):
            try:
                steptp.run(shown.program, budget=BUDGET)
            except steptp.BudgetError:
                continue
            compare(shown)
            compared += 1
        if compared == COMPOSITIONS // 30:
            break
    assert compared == COMPOSITIONS // 30


@pytest.mark.parametrize("dtype", ["f32", "f16"])
@pytest.mark.parametrize("name", ["softmax", "GELU", "LayerNorm", "Gemm_Add_ReLU", "Conv2d_ReLU_HardSwish", "Sum_reduction_over_a_dimension"])
def test_narrow_dtypes(name: str, dtype: str) -> None:
    compare(small_program(name, dtype))

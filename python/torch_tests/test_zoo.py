"""Every type of the zoo, printed as a PyTorch module, against the values of its LEIR on the oracle in f64."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

import pytest
import steptp
import torch
from compare import assert_close, fill, tensors

BINARY = os.environ.get("STEPTP_BINARY", "build/steptp")
#: Shapes that are this small take the oracle no time.
ELEMENTS = 4096


def zoo(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([BINARY, "zoo", *map(str, arguments)], capture_output=True, text=True, timeout=120)


def names() -> list[str]:
    listed = zoo("list", "--json")
    return [json.loads(line)["name"] for line in listed.stdout.splitlines()] if listed.returncode == 0 else []


NAMES = names()
pytestmark = pytest.mark.skipif(not NAMES, reason="this binary has no zoo")


def module_of(text: str) -> tuple[torch.nn.Module, list[Any]]:
    space: dict[str, Any] = {}
    exec(text, space)
    torch.manual_seed(0)
    model = space["Model"](*space["get_init_inputs"]())
    return fill(model.double()), space["get_inputs"]()


@pytest.mark.parametrize("name", NAMES)
def test_values(name: str) -> None:
    printed = zoo("show", name, "--small", "--seed", 1, "--dtype", "f64", "--emit", "torch")
    assert printed.returncode == 0, printed.stderr
    lowered = zoo("show", name, "--small", "--seed", 1, "--dtype", "f64", "--emit", "leir")
    assert lowered.returncode == 0, lowered.stderr
    module, inputs = module_of(printed.stdout)
    program = steptp.from_torch(module, inputs, mode="train", name=name)
    # The round trip: what was printed as a module comes back as the same program.
    assert program.to_text() == lowered.stdout
    answer = steptp.to_torch(program, module)(*inputs)
    with torch.no_grad():
        assert_close(tensors(answer), tensors(module(*inputs)), name)

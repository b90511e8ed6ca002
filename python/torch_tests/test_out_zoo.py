"""Types of the zoo through ``torch.compile(backend="steptp")``: results and gradients beside eager PyTorch's. All of them,
compositions, layers and networks with STEPTP_SOAK."""

from __future__ import annotations

from typing import Any

import pytest
import steptp
import torch
from compare import fill
from out_support import SOAK, compare_compiled, compare_gradients, groups, places
from test_networks import NETWORKS
from test_zoo import TYPES, small_program

CHOSEN = list(TYPES) if SOAK else list(TYPES)[::5]
WITH_GRADIENTS = list(TYPES)[::3] if SOAK else list(TYPES)[::13]


def module_of(shown: steptp.ZooProgram) -> tuple[torch.nn.Module, list[Any]]:
    space: dict[str, Any] = {}
    exec(shown.torch, space)
    torch.manual_seed(0)
    return fill(space["Model"](*space["get_init_inputs"]())), list(space["get_inputs"]())


@pytest.mark.parametrize("name", CHOSEN)
def test_types(name: str) -> None:
    module, inputs = module_of(small_program(name, "f32"))
    reports = compare_compiled(module, inputs, name)
    # Views alone need no kernels; all else that these types use can be said in LEIR.
    unexpected = [place for place in places(reports) if "floats in order" not in place.reason]
    assert not unexpected, unexpected
    assert all(group.verdict in ("proved", "exact") for group in groups(reports)), reports


@pytest.mark.parametrize("name", WITH_GRADIENTS)
def test_gradients(name: str) -> None:
    module, inputs = module_of(small_program(name, "f32"))
    if not any(isinstance(item, torch.Tensor) and item.is_floating_point() for item in (*inputs, *module.parameters())):
        pytest.skip("nothing to differentiate by")
    try:
        reports = compare_gradients(module, inputs, name)
    except RuntimeError as error:
        if "does not require grad" in str(error):
            pytest.skip("PyTorch does not differentiate it")
        raise
    assert groups(reports) or places(reports)


@pytest.mark.parametrize("part", range(30 if SOAK else 2))
def test_compositions(part: int) -> None:
    for shown in steptp.zoo_draw(10 if SOAK else 2, seed=2, first=10 * part, compositions=100, dtypes=["f32"]):
        try:
            steptp.run(shown.program, budget=3_000_000)
        except steptp.BudgetError:
            continue
        compare_compiled(*module_of(shown), shown.name)


@pytest.mark.parametrize("name", NETWORKS if SOAK else [*list(NETWORKS)[::8], "SwinV2Block"])
def test_networks(name: str) -> None:
    cls, inputs, settings = NETWORKS[name]
    module = fill(cls().double()).train(settings.get("mode", "eval") == "train")
    compare_compiled(module, list(inputs), name)

"""Numbers that a graph computes from nothing: `x / torch.sqrt(torch.tensor(64.0))` becomes `x * 0.125`-like calls. On a GPU they
lie in the memory of the CPU, where kernels cannot read them."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

import torch

from .support import base_name, has_effects, tensors_of

#: Operators that make a tensor from numbers, each element the same on every call.
_MAKERS = frozenset(("full", "scalar_tensor", "zeros", "ones"))
#: Operators that take a number for their second argument, and mean the same as with a tensor of one.
_TAKES_NUMBERS = frozenset(("add", "sub", "mul", "div"))


def fold_numbers(module: Any, constants: Mapping[str, torch.Tensor]) -> None:
    """Puts numbers in the place of scalars on the CPU that do not depend on any input. `constants` are the values of
    placeholders that always have these values."""
    known: dict[Any, torch.Tensor] = {}
    for node in module.graph.nodes:
        held = constants.get(node.name) if node.op == "placeholder" else None
        if node.op == "get_attr":
            held = operator.attrgetter(node.target)(module)
        if type(held) is torch.Tensor and _is_scalar(held):
            known[node] = held
        elif node.op == "call_function" and _is_number(node, known):
            values = torch.fx.map_arg((node.args, node.kwargs), lambda used: known[used])
            known[node] = node.target(*values[0], **values[1])
    for node in list(known):
        for user in list(node.users):
            if _may_take(user, node):
                user.args = (user.args[0], known[node].item(), *user.args[2:])
    for node in reversed(list(known)):
        if not node.users and node.op == "call_function":
            module.graph.erase_node(node)


def _is_scalar(value: Any) -> bool:
    if not isinstance(value, torch.Tensor) or value.dim() != 0 or value.device.type != "cpu":
        return False
    return value.is_floating_point() or value.dtype in (torch.int32, torch.int64)


def _is_number(node: Any, known: dict[Any, torch.Tensor]) -> bool:
    if not _is_scalar(node.meta.get("val")) or not isinstance(node.target, torch._ops.OpOverload) or has_effects(node):
        return False
    if not node.all_input_nodes:
        return base_name(node) in _MAKERS
    return all(source in known for source in node.all_input_nodes)


def _may_take(user: Any, node: Any) -> bool:
    """Only where the number does not decide the dtype of the result."""
    if user.op != "call_function" or base_name(user) not in _TAKES_NUMBERS or len(user.args) < 2 or user.args[1] is not node:
        return False
    other, made = (tensors_of(value) for value in (getattr(user.args[0], "meta", {}).get("val"), user.meta.get("val")))
    return bool(other and made) and user.args[0] is not node and other[0].dtype == made[0].dtype and made[0].is_floating_point()

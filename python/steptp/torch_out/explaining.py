"""``steptp.explain(model, inputs)``: what would run in our kernels, and why the rest would not. No kernels are made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

from .capturing import NotCaptured, capture_graph
from .graphs import explain_graph
from .options import Options
from .pieces import Place


@dataclass(frozen=True)
class Explanation:
    """`groups`: the operators of each group of ours; `eager`: the places that stay with eager PyTorch; `whole`: why the
    module is no single graph, where it is not, and then all of it stays."""

    groups: list[list[str]]
    eager: list[Place]
    whole: str | None = None

    def __str__(self) -> str:
        lines = [f"group {number}: {', '.join(operators)}" for number, operators in enumerate(self.groups, 1)]
        for place in self.eager:
            at = f" at {place.place}" if place.place else ""
            lines.append(f"eager: {place.operator}{at}: {place.reason}" + (f" ({place.times} times)" if place.times > 1 else ""))
        if self.whole:
            lines.append(f"eager: the module as a whole: {self.whole}")
        return "\n".join(lines)

    __repr__ = __str__


def explain_module(model: Any, inputs: Any, kwargs: Mapping[str, Any] | None = None, **options: Any) -> Explanation:
    """Each operator of the module with where it would run."""
    if not isinstance(model, torch.nn.Module):
        raise TypeError(f"explain takes a torch.nn.Module with its inputs, not {type(model).__name__}")
    args = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    try:
        made = capture_graph(model, args, dict(kwargs or {}))
    except NotCaptured as error:
        return Explanation([], [], str(error))
    return Explanation(*explain_graph(made.module, made.constants, Options.of(options)))

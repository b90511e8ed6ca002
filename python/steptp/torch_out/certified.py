"""A group beside certified values: eager PyTorch and our kernels, on inputs that verification draws, at some elements of each
output, each within the distance that rounding in any order can make there."""

from __future__ import annotations

import json
import math
from typing import Any

import torch

from .. import _arrays, _steptp

_SEED = 1
#: Elements of each output, and operations for all of them, which is about a second.
_ELEMENTS = 8
_OPERATIONS = 10_000_000


class Certified:
    """Inputs by the names of a program, and what it has to give there. `problem` says why there is nothing to compare."""

    def __init__(self, program: Any) -> None:
        self.inputs: dict[str, Any] = {}
        self.elements: list[dict[str, Any]] = []
        self.problem = ""
        try:
            raw, text = _steptp.certified_elements(program, _SEED, _ELEMENTS, _OPERATIONS)
        except ValueError as error:
            self.problem = str(error)
            return
        self.inputs = _arrays.from_raw(raw)
        self.elements = [element for element in json.loads(text) if not element["real"] or "any_order" in element or "class" in element]
        if not self.elements:
            self.problem = "no element of it can be certified in this time"

    def difference(self, results: dict[str, torch.Tensor]) -> str | None:
        """Where a result, by the names of the outputs, is further from the certified value than rounding explains."""
        for element in self.elements:
            flat = results[element["output"]].detach().reshape(-1)
            got = flat[element["position"]].item()
            if problem := _problem(got, element):
                return f"element {element['position']} of {element['output']} is {got:.9g}, {problem}"
        return None


def _problem(got: float, element: dict[str, Any]) -> str | None:
    if not element["real"]:
        return None if got == element["integer"] else f"and has to be {element['integer']}"
    wanted = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}.get(element.get("class", ""), element["value"])
    if math.isnan(wanted) or math.isinf(wanted):
        return None if got == wanted or (math.isnan(got) and math.isnan(wanted)) else f"and has to be {wanted}"
    bound = element["any_order"]
    return None if abs(got - wanted) <= bound else f"and has to be {wanted:.9g}, certified to {bound:.3g}"

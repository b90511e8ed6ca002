"""``steptp.check_module``: two modules are equal, or not, and where."""

from __future__ import annotations

import copy

import pytest
import steptp
import torch
import torch.nn.functional as F
from compare import fill
from torch import nn


class Call(nn.Module):
    def __init__(self, function, **children) -> None:
        super().__init__()
        self.function = function
        for name, child in children.items():
            setattr(self, name, child)

    def forward(self, *inputs):
        return self.function(self, *inputs)


def judged(left, right, *inputs):
    return steptp.check_module(Call(left), Call(right), list(inputs), seed=1)


X = torch.randn(3, 8)
EQUAL = {
    "softmax by hand": (lambda _, x: torch.softmax(x, -1), lambda _, x: (x - x.amax(-1, True)).exp() / (x - x.amax(-1, True)).exp().sum(-1, True)),
    "another order of products": (lambda _, x: (x @ x.t()) @ x, lambda _, x: x @ (x.t() @ x)),
    "the same by another operator": (lambda _, x: F.silu(x), lambda _, x: x * torch.sigmoid(x)),
    "views": (lambda _, x: x.t().reshape(-1), lambda _, x: x.permute(1, 0).flatten()),
}
UNEQUAL = {
    "another constant": (lambda _, x: x * 2 + 1, lambda _, x: x * 2 + 1.5),
    "another dimension": (lambda _, x: x.softmax(-1), lambda _, x: x.softmax(0)),
    "one element": (lambda _, x: x * 3, lambda _, x: torch.cat([x[:, :7] * 3, x[:, 7:] * 4], 1)),
    "another activation": (lambda _, x: F.gelu(x), lambda _, x: F.gelu(x, approximate="tanh")),
}


@pytest.mark.parametrize("case", EQUAL)
def test_equal(case: str) -> None:
    answer = judged(*EQUAL[case], X)
    assert answer and answer.verdict in ("proved", "exact"), answer


@pytest.mark.parametrize("case", UNEQUAL)
def test_unequal(case: str) -> None:
    answer = judged(*UNEQUAL[case], X)
    assert not answer and answer.verdict == "differs", answer
    left, right = answer.results
    assert not torch.equal(left, right), "the counterexample shows it"
    assert answer.counterexample["input 0"].shape == X.shape
    assert "'input 0': 'float32[3, 8]'" in repr(answer), "shapes, no values"


def test_weights_are_paired_by_their_values() -> None:
    first = fill(nn.Sequential(nn.Linear(8, 6), nn.ReLU(), nn.Linear(6, 2)))

    class Other(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.down, self.up = copy.deepcopy(first[2]), copy.deepcopy(first[0])

        def forward(self, x):
            return torch.relu(x @ self.up.weight.t() + self.up.bias) @ self.down.weight.t() + self.down.bias

    assert steptp.check_module(first, Other(), [X])
    wrong = Other()
    wrong.forward = lambda x: torch.relu(x @ wrong.up.weight.t() - wrong.up.bias) @ wrong.down.weight.t() + wrong.down.bias
    answer = steptp.check_module(first, wrong, [X])
    assert not answer and answer.verdict == "differs"
    assert "0.bias" in answer.counterexample and not torch.allclose(*answer.results)


def test_other_weights_and_other_results() -> None:
    first, second = fill(nn.Linear(8, 4)), fill(nn.Linear(8, 4), seed=3)
    answer = steptp.check_module(first, second, [X])
    assert answer.verdict == "differs" and not torch.allclose(*answer.results)
    assert judged(lambda _, x: (x, x + 1), lambda _, x: x + 1, X).verdict == "differs"
    assert judged(lambda _, x: x.sum(0) * 1, lambda _, x: x.sum(1) * 1, torch.randn(3, 3)).verdict == "differs"


def test_what_cannot_be_captured_is_never_equal() -> None:
    decides = lambda _, x: x * 2 if x.sum() > 0 else x + x  # noqa: E731
    answer = judged(decides, lambda _, x: x + x, X)
    assert not answer and answer.verdict == "numeric" and "no proof" in answer.reason
    assert judged(decides, lambda _, x: x + x + 1, X).verdict == "differs"

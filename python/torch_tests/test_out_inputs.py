"""Inputs and modules that are awkward: eager PyTorch's result or a clear error, never a wrong number."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import pytest
import steptp
import torch
import torch.nn.functional as F
from compare import assert_close, fill, tensors
from out_support import compare_compiled, groups, no_surprise, places
from steptp.torch_out.graphs import SteptpWarning
from torch import nn


class Call(nn.Module):
    """A function as a module, with one parameter."""

    def __init__(self, function: Any, scale: float = 2.0) -> None:
        super().__init__()
        self.function = function
        self.scale = nn.Parameter(torch.tensor(scale), requires_grad=False)

    def forward(self, *inputs: Any, **others: Any) -> Any:
        return self.function(self, *inputs, **others)


def line(self: Any, x: torch.Tensor) -> torch.Tensor:
    return torch.relu(x * self.scale + 1).sum(-1)


def both_doors(module: nn.Module, inputs: list[Any], *, quiet: bool = True) -> Any:
    """Through each door: results as eager's. Gives the optimized module."""
    wanted = copy.deepcopy(module)(*copy.deepcopy(inputs))
    compare_compiled(module, inputs)
    fast = steptp.optimize(copy.deepcopy(module), copy.deepcopy(inputs))
    with torch.no_grad():
        if quiet:
            with no_surprise():
                got = fast(*copy.deepcopy(inputs))
        else:
            got = fast(*copy.deepcopy(inputs))
    assert_close(tensors(got), tensors(wanted))
    return fast


LAYOUTS = {
    "transposed": lambda: torch.randn(6, 5).t(),
    "sliced": lambda: torch.randn(5, 12)[:, ::2],
    "expanded": lambda: torch.randn(1, 6).expand(5, 6),
    "with an offset": lambda: torch.randn(31)[1:].view(5, 6),
    "of three dimensions, permuted": lambda: torch.randn(6, 5, 4).permute(1, 2, 0),
    "channels last": lambda: torch.randn(2, 3, 4, 6).to(memory_format=torch.channels_last),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout: str) -> None:
    torch.manual_seed(0)
    x = LAYOUTS[layout]()
    fast = both_doors(Call(line), [x])
    assert fast.report.groups
    # The same program meets the same shape in another layout.
    with torch.no_grad(), no_surprise():
        assert_close([fast(x.contiguous())], [line(fast.model, x)])


def test_results_lie_as_eager_lays_them() -> None:
    module = fill(nn.Conv2d(3, 4, 3)).to(memory_format=torch.channels_last).eval()
    x = torch.randn(2, 3, 6, 6).to(memory_format=torch.channels_last)
    fast = steptp.optimize(module, [x])
    with torch.no_grad():
        assert fast(x).stride() == module(x).stride()
        assert_close([fast(x)], [module(x)])


@pytest.mark.parametrize("shape", [(), (1,), (0,), (3, 0), (0, 4)])
def test_scalars_and_nothing(shape: tuple[int, ...]) -> None:
    fast = both_doors(Call(lambda self, x: torch.relu(x * self.scale) + 1), [torch.randn(shape)])
    if 0 in shape:
        assert not fast.report.groups and any("without elements" in place.reason for place in fast.report.places)
    else:
        assert fast.report.groups


@pytest.mark.parametrize("dtype", [torch.complex64, torch.uint8, torch.float64, torch.float16, torch.bfloat16, torch.int32, torch.bool])
def test_dtypes(dtype: torch.dtype) -> None:
    x = (torch.randn(4, 6) * 3).to(dtype)
    fast = both_doors(Call(lambda self, x: torch.cat([x, x]).flip(0)), [x])
    if dtype in (torch.complex64, torch.uint8):
        assert not fast.report.groups and any("LEIR does not have" in place.reason for place in fast.report.places)


def test_special_values() -> None:
    inf, nan = float("inf"), float("nan")
    x = torch.tensor([[0.0, -0.0, inf, -inf, nan, 1e38], [-inf, -inf, 1.0, 2.0, -1e38, 1e-45]])
    for function in (torch.relu, torch.sigmoid, lambda y: torch.softmax(y, -1), lambda y: y.amax(-1), torch.tanh, torch.sign, torch.isnan, F.gelu,
                     lambda y: y.clamp(-1, 1), lambda y: y.cummax(-1)[0], lambda y: y.argmax(-1), lambda y: y.sort(-1)[0], torch.abs,
                     lambda y: torch.maximum(y, y.flip(0)), lambda y: F.max_pool1d(y, 2), F.leaky_relu, F.elu, F.softplus):
        module = Call(lambda self, y, function=function: function(y))
        wanted, fast = module(x), steptp.optimize(module, [torch.randn(2, 6)])
        with torch.no_grad():
            got = fast(x)
        if function is F.gelu:  # of infinity eager PyTorch itself says NaN on some processors
            got, wanted = got[~x.isinf()], wanted[~x.isinf()]
        assert torch.equal(got.isnan(), wanted.isnan()) if wanted.is_floating_point() else torch.equal(got, wanted)
        if wanted.is_floating_point():
            assert torch.allclose(got.nan_to_num(7.0, 8.0, 9.0), wanted.nan_to_num(7.0, 8.0, 9.0), atol=1e-6), function


def test_masked_scores() -> None:
    """Rows that are masked from the left, to the end, and whole."""
    mask = torch.zeros(6, 64)
    for row in range(6):
        mask[row, : 12 * row + 4] = float("-inf")
    scores = torch.randn(6, 64)
    module = Call(lambda self, x, m: torch.softmax(x + m, -1))
    for fast in (steptp.optimize(module, [scores, torch.zeros(6, 64)]), steptp.optimize(module, [scores, mask])):
        with torch.no_grad():
            assert torch.allclose(fast(scores, mask), module(scores, mask), atol=1e-6, equal_nan=True)
    buffered = nn.Module.__new__(Call)
    Call.__init__(buffered, lambda self, x: torch.softmax(x + self.mask, -1))
    buffered.register_buffer("mask", mask[:5])
    compare_compiled(buffered, [scores[:5]])


def test_a_mask_that_changes_is_noticed() -> None:
    module = Call(lambda self, x: torch.softmax(x + self.mask, -1))
    module.register_buffer("mask", torch.zeros(6))
    x = torch.randn(3, 6)
    fast = steptp.optimize(module, [x])
    module.mask[2:4] = float("-inf")
    with torch.no_grad():
        assert_close([fast(x)], [module(x)])
    module.mask = torch.ones(6)
    with torch.no_grad():
        assert_close([fast(x)], [module(x)])


def test_inputs_that_are_written_to() -> None:
    def function(self: Any, x: torch.Tensor) -> torch.Tensor:
        y = x * 2
        x.add_(1)
        return y + x

    module, x = Call(function), torch.randn(4, 5)
    ours, theirs = x.clone(), x.clone()
    fast = steptp.optimize(module, [x])
    assert torch.equal(x, theirs), "warming up leaves no trace"
    with torch.no_grad(), no_surprise():
        assert_close([fast(ours)], [module(theirs)])
    assert_close([ours], [theirs])
    torch._dynamo.reset()
    ours, theirs = x.clone(), x.clone()
    with torch.no_grad():
        assert_close([torch.compile(module, backend="steptp")(ours)], [module(theirs)])
    assert_close([ours], [theirs])


def test_inputs_that_share_memory() -> None:
    def function(self: Any, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        x.mul_(3)
        return x + y

    module = Call(function)
    ours, theirs = torch.randn(4, 5), None
    theirs = ours.clone()
    fast = steptp.optimize(module, [torch.randn(4, 5), torch.randn(4, 5)])
    with torch.no_grad(), pytest.warns(SteptpWarning, match="share memory"):
        got = fast(ours, ours)
    assert_close([got], [module(theirs, theirs)])
    assert_close([ours], [theirs])


def test_results_that_are_views_share_memory_as_eager_does() -> None:
    module = Call(lambda self, x: (x.view(2, 10), x[1:], torch.relu(x)))
    x = torch.randn(4, 5)
    fast = steptp.optimize(module, [x])
    with torch.no_grad():
        viewed, sliced, result = fast(x)
    x[1, 0] = 77
    assert viewed.flatten()[5] == 77 and sliced[0, 0] == 77 and (result != 77).all()


def test_tensors_on_two_devices() -> None:
    module = Call(lambda self, x, y: x + 1)
    with pytest.raises(ValueError, match="is on meta"):
        steptp.optimize(module, [torch.randn(3), torch.randn(3, device="meta")], device="cpu")
    with pytest.raises(ValueError, match="is on cpu"):
        steptp.optimize(module, [torch.randn(3), torch.randn(3)], device="cuda")
    with pytest.raises(RuntimeError):  # eager's own error
        steptp.optimize(Call(lambda self, x, y: x + y), [torch.randn(3), torch.randn(3, device="meta")])


def test_numbers_that_a_graph_computes() -> None:
    """A scale that is a tensor on the CPU is a number of the program: on a GPU no kernel could read it."""
    def scaled(self: Any, x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(x / torch.sqrt(torch.tensor(64.0)) * torch.full((), 1.5, dtype=torch.float64), -1)

    for dtype in (torch.float32, torch.float16, torch.float64):
        fast = both_doors(Call(scaled), [torch.randn(5, 8).to(dtype)])
        assert len(fast.report.groups) == 1 and not fast.report.places
        names = {name.split(".")[1] for name in fast.report.groups[0].operators}
        assert not names & {"full", "sqrt", "scalar_tensor"}, names
    # Where it decides the dtype of a result it stays what it is.
    fast = both_doors(Call(lambda self, x: x * torch.full((), 0.5, dtype=torch.float64)), [torch.arange(6)])
    with torch.no_grad():
        assert fast(torch.arange(6)).dtype == torch.float64


def test_statistics_are_read_at_each_call_and_masks_are_known() -> None:
    module = fill(nn.Sequential(nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3))).eval()
    x = torch.randn(2, 2, 5, 5)
    fast = steptp.optimize(module, [x])
    assert "values" not in fast.report.groups[0].root, "running statistics are no part of a program"
    module[1].running_mean += 2
    module[1].running_var *= 3
    before = len(fast.report.graphs)
    with torch.no_grad(), no_surprise():
        assert_close([fast(x)], [module(x)])
    assert len(fast.report.graphs) == before


@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.complex64])
def test_buffers_of_dtypes_that_leir_does_not_have(dtype: torch.dtype) -> None:
    module = Call(lambda self, x: x * self.held.to(torch.float32))
    module.register_buffer("held", torch.tensor([0.5, 1.0, 2.0]).to(dtype))
    x = torch.randn(4, 3)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Casting complex")
        fast = steptp.optimize(module, [x])
        with torch.no_grad():
            assert_close([fast(x)], [module(x)])


def test_hooks() -> None:
    module = fill(nn.Sequential(nn.Linear(4, 4), nn.ReLU()))
    x, seen = torch.randn(3, 4), []
    fast = steptp.optimize(module, [x])
    module[0].register_forward_hook(lambda *_: seen.append(1))
    with torch.no_grad(), pytest.warns(SteptpWarning, match="hooks"):
        assert_close([fast(x)], [module(x)])
    assert seen == [1, 1]
    with pytest.warns(SteptpWarning, match="hooks"):
        assert not steptp.optimize(module, [x]).report.groups


def test_side_effects_and_graph_breaks() -> None:
    seen: list[float] = []

    def function(self: Any, x: torch.Tensor) -> torch.Tensor:
        y = torch.relu(x) * 2
        seen.append(float(y.sum()))
        return y + 1 if y.sum() > 4 else y - 1

    module = Call(function)
    for x in (torch.full((3, 4), 2.0), torch.full((3, 4), -1.0)):
        compare_compiled(module, [x])
    fast = steptp.optimize(module, [torch.randn(3, 4)])
    for x in (torch.full((3, 4), 2.0), torch.full((3, 4), -1.0)):
        before = len(seen)
        with torch.no_grad():
            assert_close([fast(x)], [module(x)])
        assert len(seen) == before + 2 and seen[-1] == seen[-2]
    assert any("Python between graphs" in place.operator for place in fast.report.places)
    assert steptp.explain(module, [torch.randn(3, 4)]).whole


def test_indices_outside_are_errors() -> None:
    module = fill(nn.Embedding(5, 4))
    fast = steptp.optimize(module, [torch.tensor([0, 4])])
    for index in (5, -1):
        with torch.no_grad(), pytest.raises(IndexError):
            module(torch.tensor([0, index]))
        with torch.no_grad(), pytest.raises(IndexError):
            fast(torch.tensor([0, index]))


def test_other_dtypes_and_values_at_a_call() -> None:
    module = Call(lambda self, x, factor, flag: x * factor if flag else x)
    x = torch.randn(3, 4)
    fast = steptp.optimize(module, [x, 2.0, True])
    with torch.no_grad():
        for args in ((x, 3.0, True), (x, 2.0, False), (x.double(), 2.0, True), (x, 2, True), (x.half(), True, True)):
            assert_close([fast(*args)], [module(*args)])
    double = module.double()
    with torch.no_grad():
        assert_close([steptp.optimize(double, [x.double(), 1.5, True])(x.double(), 1.5, True)], [double(x.double(), 1.5, True)])


def test_parameters_that_change_their_dtype() -> None:
    module, x = fill(nn.Linear(4, 3)), torch.randn(2, 4)
    fast = steptp.optimize(module, [x])
    module.double()
    with torch.no_grad():
        try:
            got = fast(x.double())
        except RuntimeError as error:
            assert "were made for" in str(error)
        else:
            assert_close([got], [module(x.double())])


def test_autocast_is_another_program() -> None:
    module, x = fill(nn.Linear(8, 4)), torch.randn(3, 8)
    fast = steptp.optimize(module, [x])
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        got, wanted = fast(x), module(x)
    assert got.dtype == wanted.dtype
    assert_close([got], [wanted])


def test_structures_of_inputs_and_results() -> None:
    module = Call(lambda self, pair, other=None: {"sum": pair[0] + pair[1]["x"], "rest": [other, None, 3]})
    x = torch.randn(3)
    fast = steptp.optimize(module, [(x, {"x": x + 1})], {"other": x * 2})
    with torch.no_grad():
        got, wanted = fast((x, {"x": x + 1}), other=x * 2), module((x, {"x": x + 1}), other=x * 2)
    assert got.keys() == wanted.keys() and got["rest"][1:] == [None, 3]
    assert_close(tensors(got), tensors(wanted))


def test_subclasses_of_tensors_stay_with_eager() -> None:
    class Own(torch.Tensor):
        pass

    module = Call(line)
    fast = steptp.optimize(module, [torch.randn(3, 4)])
    x = torch.randn(3, 4).as_subclass(Own)
    with torch.no_grad(), pytest.warns(SteptpWarning, match="plain tensor"):
        got = fast(x)
    assert_close([got.as_subclass(torch.Tensor)], [module(x).as_subclass(torch.Tensor)])


def test_vmap_and_functional_transforms() -> None:
    module = Call(line)
    x = torch.randn(5, 3, 4)
    fast = steptp.optimize(module, [x[0]])
    with pytest.warns(SteptpWarning, match="torch.func"):
        torch.vmap(fast)(x)
    assert_close([torch.vmap(fast)(x)], [torch.vmap(module)(x)])


def two_groups() -> nn.Module:
    """The first writes running statistics; an operator of eager PyTorch stands between the two."""
    module = Call(lambda self, x: torch.relu(torch.fft.fft(self.norm(x)).real * self.scale))
    module.norm = nn.BatchNorm1d(6)
    return module.train()


@pytest.mark.parametrize("failure", ["memory", "driver"])
def test_what_fails_in_the_middle_of_a_call(failure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error of whoever failed, no trace in the module, and the next call is right."""
    from steptp.torch_out import kernels

    module, x = two_groups(), torch.randn(5, 6)
    other, before = copy.deepcopy(module), copy.deepcopy(module.state_dict())
    fast = steptp.optimize(module, [x])
    assert len(fast.report.groups) == 2, fast.report
    errors = {"memory": torch.OutOfMemoryError("no memory, for a test"), "driver": steptp.SteptpError("the driver is gone, for a test")}
    run, calls = kernels.Group.run, []

    def fails_the_second_time(self: Any, tensors: Any) -> Any:
        calls.append(1)
        if len(calls) == 2:
            raise errors[failure]
        return run(self, tensors)

    with monkeypatch.context() as patch, torch.no_grad():
        patch.setattr(kernels.Group, "run", fails_the_second_time)
        with pytest.raises(type(errors[failure]), match="for a test"):
            fast(x)
    assert all(torch.equal(value, before[name]) for name, value in module.state_dict().items())
    with torch.no_grad(), no_surprise():
        assert_close([fast(x)], [other(x)])
    assert_close([module.norm.running_var], [other.norm.running_var])


@pytest.mark.parametrize("mode", ["reports", "check"])
def test_a_wrong_group_is_found_at_its_first_call(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The way from a graph to its program goes wrong on purpose."""
    from steptp.torch_out import kernels

    right = kernels.read_graph

    def wrong(exported: Any) -> Any:
        program, names = right(exported)
        text = program.to_text()
        return steptp.read(text.replace("max(", "min(")), names

    monkeypatch.setattr(kernels, "read_graph", wrong)
    module, x = Call(line), torch.randn(5, 6)
    if mode == "reports":
        with pytest.warns(SteptpWarning, match="differs from eager's"):
            fast = steptp.optimize(module, [x], cache="off")
        assert not fast.report.groups and any("differs" in place.reason for place in fast.report.places)
        with torch.no_grad():
            assert_close([fast(x)], [module(x)])
    else:
        fast = steptp.optimize(module, [x], cache="off", check="off")
        with torch.no_grad():
            assert not torch.allclose(fast(x), module(x)), "only the check can see it"
    assert groups([]) == [] and places([]) == []


def test_certified_values_see_what_a_comparison_with_eager_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that is off by a part in ten thousand is within what rounding may do at large, and not at certified elements."""
    from steptp.torch_out import kernels

    module, x = Call(line), torch.randn(5, 6)
    fast = steptp.optimize(module, [x], cache="off", check="certified")
    with torch.no_grad(), no_surprise():
        assert_close([fast(x)], [module(x)])
    assert fast.report.groups[0].certified == "5 elements" or int(fast.report.groups[0].certified.split()[0]) > 1
    right = kernels.read_graph

    def slightly_wrong(exported: Any) -> Any:
        program, names = right(exported)
        text = program.to_text()
        assert "+1" in text
        return steptp.read(text.replace("+1", "+1.0001")), names

    monkeypatch.setattr(kernels, "read_graph", slightly_wrong)
    with no_surprise():
        assert steptp.optimize(module, [x], cache="off").report.groups, "too little for the comparison at the first call"
    with pytest.warns(SteptpWarning, match="eager PyTorch beside certified values"):
        fast = steptp.optimize(module, [x], cache="off", check="certified")
    assert not fast.report.groups


def test_modules_beside_certified_values() -> None:
    torch.manual_seed(0)
    module = fill(nn.Sequential(nn.Linear(16, 24), nn.GELU(), nn.LayerNorm(24), nn.Linear(24, 4), nn.Softmax(-1))).eval()
    with no_surprise():
        fast = steptp.optimize(module, [torch.randn(3, 16)], check="certified")
    assert [int(group.certified.split()[0]) > 2 for group in fast.report.groups] == [True], fast.report.groups[0].certified
    # Where nothing can be certified the report says so. Rounding in halves may change a long softmax by as much as it is.
    halves = steptp.optimize(nn.Softmax(-1).half(), [torch.randn(2, 512).half()], check="certified")
    assert halves.report.groups[0].certified

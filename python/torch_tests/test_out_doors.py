"""``steptp.optimize(model, inputs)``: what stands in for a module, and what is said about it."""

from __future__ import annotations

import copy
import json
import threading
import warnings
from pathlib import Path

import pytest
import steptp
import torch
from compare import assert_close, fill, tensors
from out_support import SOAK, compare_compiled, compare_gradients, groups, no_surprise, places
from steptp.torch_out.graphs import SteptpWarning
from torch import nn


def block() -> nn.Module:
    return fill(nn.Sequential(nn.Linear(12, 24), nn.LayerNorm(24), nn.GELU(), nn.Linear(24, 6), nn.Softmax(-1))).eval()


class WithSort(nn.Module):
    """An operator that LEIR cannot say, between two groups that it can."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(6, 6), nn.Linear(6, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.relu(self.first(x))
        y = torch.fft.fft(y).real
        return torch.softmax(self.second(y), -1)


def same(optimized: nn.Module, model: nn.Module, *inputs: torch.Tensor) -> None:
    with torch.no_grad():
        assert_close(tensors(optimized(*inputs)), tensors(model(*inputs)))


def test_a_module_stands_in_for_another() -> None:
    model, x = block(), torch.randn(5, 12)
    fast = steptp.optimize(model, [x], device="cpu")
    with no_surprise():
        same(fast, model, x)
    assert len(fast.report.groups) == 1 and not fast.report.places
    group = fast.report.groups[0]
    assert group.verdict == "proved" and group.checked and group.kernels > 0
    assert "certificates/01.json" in group.files
    assert "1" in str(fast.report) and "proved" in str(fast.report)
    # Parameters are the module's own, and another value of one counts at once.
    assert {name.removeprefix("model.") for name, _ in fast.named_parameters()} == dict(model.named_parameters()).keys()
    with torch.no_grad():
        model[0].bias += 1
    same(fast, model, x)
    model[0].bias = nn.Parameter(torch.zeros(24))
    same(fast, model, x)


def test_copies_and_attributes(tmp_path) -> None:
    model, x = block(), torch.randn(5, 12)
    fast = steptp.optimize(model, [x])
    model.note = "kept"
    assert fast.note == "kept" and fast.model is model
    with pytest.raises(AttributeError, match="nothing_of_that_name"):
        fast.nothing_of_that_name  # noqa: B018
    other = copy.deepcopy(fast)
    with torch.no_grad():
        other.model[0].weight.zero_()
    same(other, other.model, x)
    same(fast, model, x)
    torch.save(fast.model.state_dict(), tmp_path / "state.pt")
    fast.model.load_state_dict(torch.load(tmp_path / "state.pt"))
    with torch.inference_mode():
        assert_close([fast(x)], [model(x)])


def test_halves_are_summed_as_eager_sums_them() -> None:
    for dtype in (torch.float16, torch.bfloat16):
        model = fill(nn.Linear(1024, 4)).to(dtype)
        x = torch.randn(3, 1024).to(dtype)
        wanted = torch.nn.functional.linear(x.double(), model.weight.double(), model.bias.double())
        fast = steptp.optimize(model, [x])
        with torch.no_grad():
            ours, theirs = (float((call(x).double() - wanted).abs().max()) for call in (fast, model))
        # Either as good as eager, or eager itself.
        assert ours <= 4 * theirs + 1e-3 or fast.report.groups == [], (dtype, ours, theirs)


def test_programs_are_still_optimized() -> None:
    text = "@input A f32[8]\n@output C f32[8]\nB^{8}_{tx=0}[C^{f32,g}_{tx}=A^{f32,g}_{tx}+1;];"
    assert isinstance(steptp.optimize(text, "cpu"), steptp.Optimized)
    with pytest.raises(ValueError, match="device"):
        steptp.optimize(text, "no such device")


def test_what_leir_cannot_say_stays_with_eager() -> None:
    model, x = fill(WithSort()).eval(), torch.randn(4, 6)
    fast = steptp.optimize(model, [x])
    with no_surprise():
        same(fast, model, x)
    assert len(fast.report.groups) == 2
    operators = {place.operator for place in fast.report.places}
    assert any("fft" in name for name in operators), operators
    explained = steptp.explain(model, [x])
    assert {place.operator for place in explained.eager} == operators and len(explained.groups) == 2
    assert any("test_out_doors.py" in place.place and "fft" in place.place for place in explained.eager)
    assert all(place.reason for place in explained.eager)
    reports = compare_compiled(model, [x])
    assert len(groups(reports)) == 2 and any("fft" in place.operator for place in places(reports))


def test_other_shapes_get_programs_up_to_a_limit() -> None:
    model = block()
    fast = steptp.optimize(model, [torch.randn(5, 12)], most_shapes=2)
    with no_surprise():
        same(fast, model, torch.randn(3, 12))
    with pytest.warns(SteptpWarning, match="most_shapes"):
        same(fast, model, torch.randn(2, 12))
    assert len(fast.report.graphs) == 2 and sum(fast.report.calls.values()) == 1


def test_shapes_that_vary_through_the_backend() -> None:
    model = block()
    torch._dynamo.reset()
    compiled = torch.compile(model, backend="steptp", dynamic=True, options={"most_shapes": 2})
    with torch.no_grad(), no_surprise():
        for rows in (5, 3, 5):
            x = torch.randn(rows, 12)
            assert_close([compiled(x)], [model(x)])
    with torch.no_grad(), pytest.warns(SteptpWarning, match="most_shapes"):
        x = torch.randn(7, 12)
        assert_close([compiled(x)], [model(x)])


def test_train_and_eval_are_two_programs() -> None:
    model = fill(nn.Sequential(nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3), nn.ReLU(), nn.Dropout(0.5))).train()
    other, x = copy.deepcopy(model), torch.randn(2, 2, 5, 5)
    fast = steptp.optimize(model, [x])
    assert torch.equal(model[1].running_mean, other[1].running_mean), "warming up leaves no trace"
    for _ in range(2):
        with torch.no_grad(), no_surprise():
            torch.manual_seed(3)
            got = fast(x)
            torch.manual_seed(3)
            assert_close([got], [other(x)])
        assert_close([model[1].running_mean, model[1].running_var], [other[1].running_mean, other[1].running_var])
        assert model[1].num_batches_tracked == other[1].num_batches_tracked
    fast.eval()
    other.eval()
    assert not model[1].training
    same(fast, other, x)
    assert any("dropout" in place.operator and "random" in place.reason for place in fast.report.places)


def test_gradients_are_left_to_the_module_and_said_so() -> None:
    model, x = block(), torch.randn(5, 12)
    fast = steptp.optimize(model, [x])
    with pytest.warns(SteptpWarning, match="torch.compile"):
        fast(x).sum().backward()
    assert model[0].weight.grad is not None
    assert sum(fast.report.calls.values()) == 1


@pytest.mark.parametrize("case", ["norms", "convolution", "attention", "loss", "embedding"])
def test_training_through_the_backend(case: str) -> None:
    cases = {
        "norms": (nn.Sequential(nn.Linear(8, 12), nn.LayerNorm(12), nn.SiLU(), nn.Linear(12, 4)), [torch.randn(6, 8)]),
        "convolution": (
            nn.Sequential(nn.Conv2d(2, 4, 3, stride=2, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2, stride=1)),
            [torch.randn(2, 2, 8, 7)],
        ),
        "attention": (nn.MultiheadAttention(8, 2, batch_first=True), [torch.randn(2, 4, 8)] * 3),
        "loss": (nn.CrossEntropyLoss(), [torch.randn(6, 5), torch.tensor([0, 4, 2, 1, -100, 3])]),
        "embedding": (nn.Sequential(nn.Embedding(10, 6), nn.Linear(6, 4), nn.Softmax(-1)), [torch.tensor([[1, 2, 2], [9, 0, 1]])]),
    }
    torch.manual_seed(0)
    module, inputs = cases[case]
    reports = compare_gradients(fill(module).train(), inputs, case)
    assert len(groups(reports)) >= 2, "a forward and a backward graph"


CONVOLUTIONS = {
    "with groups": (nn.Conv2d(4, 6, 3, stride=2, padding=1, groups=2), (2, 4, 7, 6)),
    "of each channel": (nn.Conv2d(4, 8, 3, dilation=2, padding=2, groups=4, bias=False), (2, 4, 6, 5)),
    "transposed": (nn.ConvTranspose2d(3, 4, 3, stride=2, padding=1, output_padding=1), (2, 3, 4, 5)),
    "transposed with groups": (nn.ConvTranspose2d(4, 6, (3, 2), stride=(2, 1), dilation=(1, 2), groups=2), (2, 4, 4, 5)),
    "transposed in one dimension": (nn.ConvTranspose1d(4, 4, 4, stride=2, padding=1, groups=4), (3, 4, 5)),
    "in three dimensions": (nn.Conv3d(2, 4, 2, stride=2, groups=2), (1, 2, 4, 5, 4)),
}


@pytest.mark.parametrize("case", CONVOLUTIONS if SOAK else ["of each channel", "transposed with groups", "in three dimensions"])
def test_gradients_of_convolutions(case: str) -> None:
    torch.manual_seed(0)
    module, shape = CONVOLUTIONS[case]
    reports = compare_gradients(fill(copy.deepcopy(module)), [torch.randn(shape)], case)
    assert len(groups(reports)) >= 2 and not any("convolution" in place.operator for place in places(reports)), places(reports)


def test_dropout_draws_what_eager_draws() -> None:
    model, x = fill(nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 8))).train(), torch.randn(4, 8)
    torch._dynamo.reset()
    compiled = torch.compile(model, backend="steptp")
    with torch.no_grad(), no_surprise():
        torch.manual_seed(5)
        got = compiled(x)
        torch.manual_seed(5)
        assert_close([got], [model(x)])


def test_saved_and_loaded(tmp_path) -> None:
    model, x = block(), torch.randn(5, 12)
    fast = steptp.optimize(model, [x], cache="off")
    fast.save(tmp_path / "saved")
    assert (tmp_path / "saved" / "group_001" / "certificates" / "01.json").is_file()
    loaded = steptp.load(tmp_path / "saved", model)
    with no_surprise():
        same(loaded, model, x)
    assert [group.from_cache for group in loaded.report.groups] == [True]
    # What somebody has changed is not believed: the program is judged before it is used.
    program = tmp_path / "saved" / "group_001" / "program.leir"
    program.write_text(program.read_text().replace("(1+erf", "(1-erf", 1))
    with pytest.raises(steptp.SteptpError, match="group_001"):
        steptp.load(tmp_path / "saved", model)
    with pytest.raises(steptp.SteptpError, match="optimized.json"):
        steptp.load(tmp_path, model)


def test_threads_are_welcome() -> None:
    model = block()
    xs = [torch.randn(5, 12) for _ in range(6)]
    fast = steptp.optimize(model, [xs[0]])
    with torch.no_grad():
        wanted = [model(x) for x in xs]
    problems: list[str] = []

    def work(number: int) -> None:
        with torch.no_grad():
            for _ in range(20):
                if not torch.allclose(fast(xs[number]), wanted[number], atol=1e-5):
                    problems.append(f"thread {number}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems


def test_samples_are_measured(tmp_path: Path) -> None:
    """A search on this machine for each group, found again in the cache; what is slower than eager is left to it."""
    torch.manual_seed(0)
    model, x = nn.Softmax(-1), torch.randn(64, 256)
    with warnings.catch_warnings():
        warnings.simplefilter("error", SteptpWarning)
        fast = steptp.optimize(model, [x], samples=2, cache=str(tmp_path))
        same(fast, model, x)
    assert fast.report.groups or all("slower" in place.reason for place in fast.report.places)
    entries = [json.loads(path.read_text().split("\n", 1)[1]) for path in (tmp_path / "torch").glob("*.json")]
    assert entries and all(entry["verdict"] in ("proved", "exact") for entry in entries)
    for searched in (entry["searched"] for entry in entries):
        assert 1 <= searched["samples"] <= 2 and searched["seconds"] > 0 and searched["outcomes"], searched
    for group in fast.report.groups:
        assert group.searched and group.measured_s is not None and group.measured_s <= group.eager_s
    again = steptp.optimize(model, [x], samples=2, cache=str(tmp_path))
    assert all(group.from_cache for group in again.report.groups)


def test_a_search_that_fails_leaves_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    from steptp.torch_out import planning

    def fails(*_: object, **__: object) -> None:
        raise steptp.SteptpError("no device, for a test")

    monkeypatch.setattr(planning, "search", fails)
    program = steptp.read("@input A f32[8,64]\n@output C f32[8]\nB^{8}_{tx=0}L^{64}_{a=0}[C^{f32,g}_{tx}=C^{f32,g}_{tx}+A^{f32,g}_{tx,a};];")
    entry, _ = planning.planned(program, torch.device("cpu"), planning.Options(samples=2), planning.Store(None))
    assert entry["verdict"] in ("proved", "exact") and "no device, for a test" in entry["searched"]["stop"]


def test_options_that_do_not_exist() -> None:
    for options, message in (({"speed": 3}, "no option 'speed'"), ({"check": "never"}, "no check"), ({"samples": -1}, "samples")):
        with pytest.raises(ValueError, match=message):
            steptp.optimize(block(), [torch.randn(5, 12)], **options)
    with pytest.raises(ValueError, match="no device"):
        steptp.optimize(block(), [torch.randn(5, 12)], device="tpu")
    with pytest.raises(Exception, match="no option 'speed'"):
        torch._dynamo.reset()
        torch.compile(block(), backend="steptp", options={"speed": 3})(torch.randn(5, 12))


def test_the_examples_of_the_page(tmp_path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "torch.md").read_text()
    blocks = [block.split("```", 1)[0] for block in page.split("```python\n")[1:]]
    assert len(blocks) >= 3
    monkeypatch.chdir(tmp_path)
    space: dict = {}
    torch._dynamo.reset()
    for block in blocks[:2]:
        exec(block, space)
    assert "proved" in capsys.readouterr().out
    assert (tmp_path / "fast" / "group_001" / "certificates" / "01.json").is_file()
    assert space["model"][0].weight.grad is not None
    space["my_module"] = nn.SiLU()
    assert eval(blocks[2], space)


def test_a_group_without_a_plan_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no plan is found for many operators at once, each half gets its own."""
    from steptp.torch_out import kernels

    planned = kernels.planned

    def only_small(program, device, options, store):
        entry, from_cache = planned(program, device, options, store)
        if program.to_text().count(";]") > 4:
            entry = {**entry, "program": entry["root"], "fallback": True, "reason": "no plan, for a test", "expected_s": 1.0}
        return entry, from_cache

    monkeypatch.setattr(kernels, "planned", only_small)
    model, x = block(), torch.randn(5, 12)
    fast = steptp.optimize(model, [x], cache="off")
    assert len(fast.report.groups) > 1 and not fast.report.places, fast.report
    with no_surprise():
        same(fast, model, x)


def test_programs_without_a_plan_run_only_where_they_are_quick() -> None:
    from steptp.torch_out.planning import why_not_as_it_came

    cpu, gpu = torch.device("cpu"), torch.device("cuda", 0)
    slow = {"fallback": True, "expected_s": 7.0, "reason": "nothing is expected to be faster"}
    assert "7 s" in why_not_as_it_came(slow, gpu, 1) and why_not_as_it_came(slow, cpu, 2)
    assert why_not_as_it_came(slow, cpu, 1) is None
    in_part = {"fallback": False, "expected_s": 0.006, "reason": "group 1 stays as it came: none was shown equal"}
    assert why_not_as_it_came(in_part, gpu, 1) and why_not_as_it_came(in_part, cpu, 2) is None
    for entry in ({**in_part, "reason": None}, {**in_part, "expected_s": 1e-4}, {**slow, "expected_s": 1e-6}, {**slow, "expected_s": None}):
        assert why_not_as_it_came(entry, gpu, 2) is None

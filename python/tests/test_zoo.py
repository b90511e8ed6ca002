"""The zoo: the same from Python and from the command line, and right where a formula says what it should be."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import steptp
from steptp_cli import steptp_cli

RANDOM = np.random.default_rng(3)


def run(shown: steptp.ZooProgram, *arrays: np.ndarray) -> np.ndarray:
    """The output, with the arrays in the order of inputs, then of what the signature lists without values."""
    names = [v.name for v in shown.program.signature if v.role != "output" and v.values is None]
    result = steptp.run(shown.program, dict(zip(names, arrays, strict=True)))
    (output,) = [v.name for v in shown.program.signature if v.role == "output"]
    return result[output]


def test_list() -> None:
    done = steptp_cli("zoo", "list", "--json")
    listed = [json.loads(line) for line in done.stdout.splitlines()]
    assert listed == steptp.zoo_list()
    assert [sum(t["level"] == level for t in listed) for level in (1, 2)] == [84, 120]


def test_show() -> None:
    shown = steptp.zoo_show("GroupNorm", dtype="f64", batch_size=8, dim1=9)
    done = steptp_cli("zoo", "show", "GroupNorm", "--dtype", "f64", "--arg", "batch_size=8", "--arg", "dim1=9")
    assert done.stdout == shown.program.to_text()
    assert shown.args["dim2"] == 128 and not shown.degenerate
    assert steptp.from_graph(dict(shown.graph)).to_text(header=False) == shown.program.to_text(header=False)
    compile(shown.torch, "model.py", "exec")
    with pytest.raises(steptp.DiagnosticError, match="there is no program type"):
        steptp.zoo_show("GrupNorm")
    with pytest.raises(steptp.DiagnosticError, match="do not divide"):
        steptp.zoo_show("GroupNorm", num_groups=7)


def test_draw() -> None:
    draws = steptp.zoo_draw(20, seed=4, compositions=50)
    done = steptp_cli("zoo", "draw", "--count", 20, "--seed", 4, "--compositions", 50, "--json", "--jobs", 3)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert [r["leir"] for r in records] == [d.program.to_text(header=False).rstrip("\n") for d in draws]
    assert steptp.zoo_draw(1, seed=4, first=13, compositions=50)[0].program.to_text() == draws[13].program.to_text()
    for draw in draws:
        compile(draw.torch, "model.py", "exec")
        assert steptp.check(draw.program).ok is True


def test_shards_have_every_program_once() -> None:
    arguments = ("zoo", "draw", "--count", 300, "--compositions", 50, "--type", "ReLU", "--dtype", "f32", "--json")
    whole = steptp_cli(*arguments)
    assert "repeated programs left out" in whole.stderr, "the test wants draws that are equal"
    parts = [steptp_cli(*arguments, "--shard", f"{number}/3").stdout.splitlines() for number in range(3)]
    assert all(parts)
    assert sorted(line for part in parts for line in part) == sorted(whole.stdout.splitlines())
    refused = steptp_cli(*arguments, "--shard", "3/3")
    assert refused.returncode == 2 and "K/N" in refused.stderr


def test_every_type_prints_python() -> None:
    for entry in steptp.zoo_list():
        compile(steptp.zoo_show(entry["program"]).torch, "model.py", "exec")


def test_state_space_duality_is_the_recurrence() -> None:
    """h(t) = exp(a(t)) h(t-1) + x(t) b(t)', y(t) = h(t) c(t)."""
    sizes = {"batch_size": 2, "chunks": 3, "block_len": 4, "n_heads": 2, "d_head": 3, "d_state": 5}
    shown = steptp.zoo_show("Mamba2", dtype="f64", **sizes)
    x = RANDOM.standard_normal((2, 12, 2, 3))
    a = -RANDOM.uniform(0, 1, (2, 12, 2))
    b, c = RANDOM.standard_normal((2, 2, 12, 2, 5))
    constants = [v for v in shown.program.signature if v.role == "constant"]
    assert all(v.values is not None for v in constants)
    y = run(shown, x, a, b, c)
    state = np.zeros((2, 2, 3, 5))
    for t in range(12):
        state = np.exp(a[:, t])[..., None, None] * state + x[:, t, :, :, None] * b[:, t, :, None, :]
        assert np.allclose(y[:, t], (state * c[:, t, :, None, :]).sum(-1), rtol=1e-9)


def test_attention_is_attention() -> None:
    shown = steptp.zoo_show("MinGPTCausalAttention", dtype="f64", n_embd=8, n_head=2, batch_size=2, seq_len=5)
    x, wi, bi = RANDOM.standard_normal((2, 5, 8)), RANDOM.standard_normal((24, 8)), RANDOM.standard_normal(24)
    wo, bo = RANDOM.standard_normal((8, 8)), RANDOM.standard_normal(8)
    result = run(shown, x, wi, bi, wo, bo)
    q, k, v = (part.reshape(2, 5, 2, 4).transpose(0, 2, 1, 3) for part in np.split(x @ wi.T + bi, 3, 2))
    scores = np.where(np.tril(np.ones((5, 5), bool)), q @ k.transpose(0, 1, 3, 2) / math.sqrt(4), -np.inf)
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    assert np.allclose(result, (weights @ v).transpose(0, 2, 1, 3).reshape(2, 5, 8) @ wo.T + bo, rtol=1e-9)

"""What the tests compare the oracle with: dtypes, rounding to bfloat16 and steps in the last place, in numpy."""

from __future__ import annotations

import json
import os
import pathlib

import numpy as np
import pytest

import steptp

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("STEPTP_SHARED", ROOT.parent / "shared"))

#: numpy's type of each dtype; bfloat16 is held in float32.
NUMPY = {
    "f64": np.float64,
    "f32": np.float32,
    "f16": np.float16,
    "bf16": np.float32,
    "i64": np.int64,
    "i32": np.int32,
    "i16": np.int16,
    "i8": np.int8,
    "u8": np.uint8,
    "bool": np.bool_,
}
FLOATS = ("f64", "f32", "f16", "bf16")
INTEGERS = ("i64", "i32", "i16", "i8", "u8")


def round_bf16(values) -> np.ndarray:
    """float64 (or narrower) rounded once to the nearest bfloat16, ties to even, as float32."""
    exact = np.asarray(values, np.float64)
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(exact)
        # 8 significant bits; below 2^-126 the step stays 2^-133.
        step = np.ldexp(1.0, np.maximum(exponent, -125) - 8)
        rounded = np.where(np.isfinite(exact), np.rint(exact / step) * step, exact)
        rounded = np.where(np.abs(rounded) >= 2.0**128, np.copysign(np.inf, rounded), rounded)
        return np.copysign(rounded, exact).astype(np.float32)


def rounded(values, dtype: str) -> np.ndarray:
    """float64 values rounded once to a float dtype."""
    with np.errstate(all="ignore"):
        return round_bf16(values) if dtype == "bf16" else np.asarray(values, np.float64).astype(NUMPY[dtype])


def assert_same(actual: np.ndarray, expected: np.ndarray) -> None:
    """The same dtype, shape and bits; any NaN is NaN."""
    assert actual.dtype == expected.dtype and actual.shape == expected.shape
    if actual.dtype.kind != "f":
        np.testing.assert_array_equal(actual, expected)
        return
    different = ~((actual == expected) & (np.signbit(actual) == np.signbit(expected))) & ~(
        np.isnan(actual) & np.isnan(expected)
    )
    assert not different.any(), f"{actual[different][:5]} where {expected[different][:5]} is expected"


def steps_apart(actual: np.ndarray, expected: np.ndarray, dtype: str) -> np.ndarray:
    """How many numbers of the dtype lie between; NaN and NaN are 0 apart."""

    def ordinal(values: np.ndarray) -> np.ndarray:
        width = {8: np.int64, 4: np.int32, 2: np.int16}[values.dtype.itemsize]
        bits = values.view(width).astype(np.int64)
        least = np.int64(np.iinfo(width).min)
        return np.where(bits < 0, least - bits, bits)

    with np.errstate(over="ignore"):
        steps = np.abs(ordinal(actual) - ordinal(expected))
    if dtype == "bf16":
        steps >>= 16
    both = np.isnan(actual) & np.isnan(expected)
    return np.where(both, 0, np.where(np.isnan(actual) != np.isnan(expected), 2**31, steps))


def assert_correctly_rounded(actual: np.ndarray, exact: np.ndarray, dtype: str) -> None:
    """`exact` is in float64 with an error below one step there, so that rounding it is wrong once in a great while."""
    expected = rounded(exact, dtype)
    assert actual.dtype == expected.dtype
    steps = steps_apart(actual, expected, dtype)
    worst = int(np.argmax(steps))
    assert steps.max() <= 1, f"{actual.flat[worst]!r} where {expected.flat[worst]!r} is expected"
    # In float64 itself the reference has errors of its own, so there one step is all that can be asked.
    if dtype != "f64":
        assert np.count_nonzero(steps) <= 0.001 * steps.size


def floats(dtype: str, count: int, seed: int = 1, scale: float = 4.0) -> np.ndarray:
    """Normal numbers of any sign, rounded to the dtype."""
    return rounded(np.random.default_rng(seed).normal(size=count) * scale, dtype)


def integers(dtype: str, count: int, seed: int = 1) -> np.ndarray:
    """Integers over the whole range, with its ends and the numbers around 0 among them."""
    info = np.iinfo(NUMPY[dtype])
    drawn = np.random.default_rng(seed).integers(info.min, info.max, count, NUMPY[dtype], endpoint=True)
    edges = np.array([info.min, info.max, 0, 1, 2, info.max - 1, info.min + 1], NUMPY[dtype])
    drawn[: edges.size] = edges
    return drawn


def program(header: str, nests: str) -> str:
    """`A f32[4] -> D f32[4]` and the nests as a text; several variables are separated by `;`."""
    inputs, outputs = header.split("->")
    lines = [f"@input {item.strip()}" for item in inputs.split(";") if item.strip()]
    lines += [f"@output {item.strip()}" for item in outputs.split(";")]
    return "\n".join([*lines, nests, ""])


def run(header: str, nests: str, **inputs: np.ndarray) -> np.ndarray:
    """Checks and runs; the only output."""
    text = program(header, nests)
    report = steptp.check(text)
    assert report.ok is True, report.diagnostics
    result = steptp.run(text, inputs)
    (output,) = result.values()
    return output


def elementwise(expression: str, dtype: str, out: str | None = None, **inputs: np.ndarray) -> np.ndarray:
    """`expression` over A, C, ... of one dtype, written without marks; each gets `^{dtype,g}_{a}`."""
    count = len(next(iter(inputs.values())))
    for name in inputs:
        expression = expression.replace(name, f"{name}^{{{dtype},g}}_{{a}}")
    out = out or dtype
    header = "; ".join(f"{name} {dtype}[{count}]" for name in inputs) + f" -> Z {out}[{count}]"
    return run(header, f"L^{{{count}}}_{{a=0}}[Z^{{{out},g}}_{{a}}={expression};];", **inputs)


def shared_records(name: str) -> list[dict]:
    """The records of a shared data file; none where it is absent."""
    path = SHARED / "data" / name
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def shared_cases(name: str):
    """The records as parameters of a test, or one that is skipped with the reason."""
    cases = [pytest.param(record, id=record["id"]) for record in shared_records(name)]
    reason = f"needs {name} of the shared data (set STEPTP_SHARED)"
    return cases or [pytest.param(None, id="absent", marks=pytest.mark.skip(reason=reason))]

"""numpy arrays in the form in which they pass to the compiled part, and back. numpy is imported on first use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ._errors import Diagnostic, InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Name, dtype, shape and contiguous data.
RawArray = tuple[str, str, tuple[int, ...], Any]

_NUMPY_OF_CODE = {
    "f64": "<f8",
    "f32": "<f4",
    "f16": "<f2",
    "i64": "<i8",
    "i32": "<i4",
    "i16": "<i2",
    "i8": "|i1",
    "u8": "|u1",
    "bool": "|b1",
}
_CODE_OF_NUMPY = {name: code for code, name in _NUMPY_OF_CODE.items()}


def _mismatch(name: str, problem: str) -> InputError:
    message = f"the input {name}: {problem}"
    return InputError(message, "input-mismatch", Diagnostic("input-mismatch", "error", message, "", 0, 0, 0), {}, name)


def _to_raw(name: str, value: Any) -> RawArray:
    import numpy as np

    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise _mismatch(name, "a masked array has elements without a value")
    try:
        array = np.asarray(value)
    except Exception as problem:
        raise _mismatch(name, f"numpy makes no array of {type(value).__name__}: {problem}") from problem
    if array.dtype.name == "bfloat16":  # of the package ml_dtypes
        return name, "bf16", array.shape, np.asarray(array, order="C").view("<u2")
    little = array.dtype.newbyteorder("<")
    code = _CODE_OF_NUMPY.get(little.str)
    if code is None:
        known = "float64, float32, float16, int64, int32, int16, int8, uint8 and bool"
        raise _mismatch(name, f"an array of {array.dtype} cannot be used; the types are {known}")
    return name, code, array.shape, np.asarray(array, dtype=little, order="C")


def to_raw(inputs: Mapping[str, Any], wanted: set[str]) -> list[RawArray]:
    """The wanted ones among the inputs. Any order of elements and bytes is taken; values and dtypes never change."""
    if not isinstance(inputs, Mapping):
        raise TypeError(f"inputs are a mapping from names to numpy arrays, not {type(inputs).__name__}")
    for name in inputs:
        if not isinstance(name, str):
            raise TypeError(f"the name of an input is a string, not {name!r}")
    return [_to_raw(name, value) for name, value in inputs.items() if name in wanted]


def from_raw(arrays: list[RawArray]) -> dict[str, NDArray[Any]]:
    """Arrays by name, which own their data; bf16 as float32, which holds the same values."""
    import numpy as np

    out: dict[str, NDArray[Any]] = {}
    for name, code, shape, data in arrays:
        if code == "bf16":
            flat: NDArray[Any] = (np.frombuffer(data, "<u2").astype("<u4") << 16).view("<f4")
        else:
            flat = np.frombuffer(data, _NUMPY_OF_CODE[code])
        out[name] = flat.reshape(shape)
    return out

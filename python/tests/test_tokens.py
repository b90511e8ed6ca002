from __future__ import annotations

import numpy as np
import pytest

import steptp

PROGRAM = "@input A f32[4]\n@output D f32[4]\nB^{4}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{tx};];\n"


def test_counts_are_of_the_nests_in_each_profile() -> None:
    program = steptp.read(PROGRAM)
    expected = steptp.TokenCounts(*(steptp.count_tokens(program.to_text(p, header=False)) for p in ("paper", "compact")))
    assert steptp.tokens(PROGRAM) == steptp.tokens(program) == expected
    assert expected.compact < expected.paper


@pytest.mark.parametrize("text", ["", "hello world", "B^{4}_{tx=0}", "naïve 😀 日本語", "<|im_start|>user\n\0"])
def test_encode_and_decode_are_inverse(text: str) -> None:
    ids = steptp.encode(text)
    assert all(type(number) is int for number in ids)
    assert steptp.decode(ids) == text and steptp.count_tokens(text) == len(ids)
    assert steptp.decode(np.array(ids, np.int64)) == text


def test_known_ids() -> None:
    assert steptp.encode("hello world") == [14990, 1879]
    assert steptp.encode("<|im_end|>") == [151645]
    assert steptp.decode([151645], skip_special=True) == ""


def test_arguments_that_make_no_sense() -> None:
    with pytest.raises(ValueError, match="not -1"):
        steptp.decode([-1])
    with pytest.raises(ValueError, match="token id"):
        steptp.decode([2**32])
    with pytest.raises(TypeError):
        steptp.decode([1.5])  # type: ignore[list-item]
    assert steptp.decode([2**32 - 1]) == ""
    with pytest.raises(steptp.DiagnosticError) as caught:
        steptp.encode("\ud800")
    assert caught.value.diagnostics[0].id == "utf8"
    with pytest.raises(AttributeError):
        steptp.encode(b"bytes")  # type: ignore[arg-type]
    with pytest.raises(steptp.DiagnosticError):
        steptp.tokens("no program")

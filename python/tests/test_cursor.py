"""Plans decided one after the other, and plans as sentences."""

from __future__ import annotations

import ctypes
import hashlib
import json
from pathlib import Path

import pytest
import steptp

ROOT = Path(__file__).resolve().parents[2]
SOFTMAX = """@input A f32[48,64]
@output C f32[48,64]
B^{48}_{tx=0}L^{64}_{a=0}[D^{f32,g}_{tx}=max(D^{f32,g}_{tx},A^{f32,g}_{tx,a});];
B^{48}_{tx=0}L^{64}_{a=0}[E^{f32,g}_{tx}=E^{f32,g}_{tx}+exp(A^{f32,g}_{tx,a}-D^{f32,g}_{tx});];
B^{48}_{tx=0}L^{64}_{a=0}[C^{f32,g}_{tx,a}=exp(A^{f32,g}_{tx,a}-D^{f32,g}_{tx})/E^{f32,g}_{tx};];
"""


def test_a_plan_by_hand() -> None:
    space = steptp.PlanSpace(SOFTMAX, device="nvidia-h200")
    cursor = space.cursor()
    assert cursor.next() == ("op:group", "e2")
    cursor.put("v3").put("rows")
    fork = cursor.fork().put("v32")
    assert fork.next() == ("op:rows", "e0")
    while not cursor.complete:
        cursor.put(cursor.legal()[0])
    assert cursor.next() is None and cursor.legal() == []
    made = cursor.finish()
    assert steptp.verify(SOFTMAX, made["leir"]).verdict in ("proved", "exact")
    assert made["plan"]["moves"][0]["move"] == "rows"
    again = steptp.replay_plan(SOFTMAX, made["plan"])
    assert again.program == steptp.read(made["leir"])
    facts = cursor.facts()
    assert [fact["structure"] for fact in facts] == ["rows"] and facts[0]["kernels"][0]["block"][0] >= 1


def test_sentences_both_ways() -> None:
    space = steptp.PlanSpace(SOFTMAX, device="nvidia-h200")
    for number in range(5):
        drawn = space.draw(seed=3, number=number)
        sentence = drawn.sentence(quality=0)
        assert sentence.startswith(space.prompt(quality=0))
        assert space.replay(sentence).text() == drawn.text()
        assert steptp.replay_sentence(sentence).sentence(quality=0) == sentence


def test_what_is_not_legal_is_refused() -> None:
    space = steptp.PlanSpace(SOFTMAX)
    cursor = space.cursor()
    with pytest.raises(ValueError, match="v4 is no legal value of op:group e2; legal are v1 v2 v3"):
        cursor.put("v4")
    with pytest.raises(ValueError, match="is not in the vocabulary"):
        cursor.put("nothing")
    with pytest.raises(ValueError, match="not complete"):
        cursor.finish()
    with pytest.raises(ValueError, match="BOS is expected"):
        steptp.replay_sentence("EOS")
    with pytest.raises(ValueError, match="toaster"):
        steptp.PlanSpace(SOFTMAX, device="toaster")
    with pytest.raises(steptp.DiagnosticError):
        steptp.PlanSpace("@input A f32[4]\n@output C f32[4]\nB^{4}_{tx=0}[C^{f32,g}_{tx}=A^{f32,g}_{tx+1};];")


def test_the_vocabulary_is_the_file() -> None:
    text = (ROOT / "data" / "tlm_vocabulary.txt").read_text()
    assert text.splitlines()[1:] == steptp.plan_vocabulary()


def library() -> ctypes.CDLL:
    path = ROOT / "build" / "libsteptp_cursor.so"
    if not path.exists():
        pytest.skip(f"{path} is not built")
    return ctypes.CDLL(str(path))


def test_the_c_interface_by_ctypes() -> None:
    """Batches: masks for several cursors at once, until all are complete."""
    lib = library()
    lib.steptp_vocabulary_hash.restype = ctypes.c_char_p
    lib.steptp_vocabulary_word.restype = ctypes.c_char_p
    lib.steptp_space_open.restype = lib.steptp_cursor_new.restype = ctypes.c_void_p
    lib.steptp_cursor_finish.restype = ctypes.c_void_p
    lib.steptp_cursor_sentence.restype = lib.steptp_cursors_step.restype = ctypes.c_int64
    pointer, number = ctypes.c_void_p, ctypes.c_int64
    lib.steptp_cursors_step.argtypes = [pointer, number, pointer, pointer, pointer, pointer, number]
    lib.steptp_cursor_sentence.argtypes = [pointer, ctypes.c_int32, pointer, number, pointer]
    text = (ROOT / "data" / "tlm_vocabulary.txt").read_bytes()
    assert lib.steptp_vocabulary_hash().decode() == hashlib.sha256(text).hexdigest()
    size = lib.steptp_vocabulary_size()
    error = ctypes.c_char_p()
    space = ctypes.c_void_p(lib.steptp_space_open(SOFTMAX.encode(), b"nvidia-h200", ctypes.byref(error)))
    assert space, error.value
    assert not lib.steptp_space_open(SOFTMAX.encode(), b"toaster", ctypes.byref(error)) and b"toaster" in error.value
    n = 4
    cursors = (ctypes.c_void_p * n)(*(lib.steptp_cursor_new(space) for _ in range(n)))
    lib.steptp_space_close(space)  # cursors keep what they need
    opcodes, objects, values = ((ctypes.c_int32 * n)() for _ in range(3))
    masks = (ctypes.c_uint8 * (n * size))()
    left = lib.steptp_cursors_step(cursors, n, None, opcodes, objects, masks, size)
    assert left == n and lib.steptp_vocabulary_word(opcodes[0]) == b"op:group"
    while left > 0:
        for i in range(n):
            legal = [token for token in range(size) if masks[i * size + token]]
            values[i] = legal[i % len(legal)] if legal else -1
        left = lib.steptp_cursors_step(cursors, n, values, opcodes, objects, masks, size)
    assert left == 0 and opcodes[0] == -1
    tokens = (ctypes.c_int32 * 512)()
    count = lib.steptp_cursor_sentence(ctypes.c_void_p(cursors[1]), -2, tokens, 512, ctypes.byref(error))
    words = " ".join(lib.steptp_vocabulary_word(tokens[i]).decode() for i in range(count))
    made = ctypes.cast(lib.steptp_cursor_finish(ctypes.c_void_p(cursors[1]), None), ctypes.c_char_p).value
    assert steptp.replay_sentence(words).sentence() == words
    assert steptp.verify(SOFTMAX, json.loads(made)["leir"]).verdict in ("proved", "exact")
    for i in range(n):
        lib.steptp_cursor_close(ctypes.c_void_p(cursors[i]))

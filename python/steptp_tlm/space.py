"""The cursor's C interface (capi/steptp_cursor.h) by ctypes: spaces of plans, cursors in batches, sentences."""

from __future__ import annotations

import ctypes
import json
import os
from ctypes import POINTER, byref, c_char_p, c_int32, c_int64, c_uint8, c_uint64, c_void_p
from pathlib import Path
from typing import Any, Sequence

import torch
from torch import Tensor

ABI = 2
PAD, BOS, EOS, PPT = 0, 1, 2, 3
MOST_TOKENS = 512
# What a prompt says of quality: nothing at all, the word for "not known", or a decile from 0, the best.
NO_WORD, NOT_KNOWN = -2, -1


class SpaceError(RuntimeError):
    """What the cursor refused, in its own words."""


class Refused(ValueError):
    """A program that has no space: it is too large, or nothing of it can be decided."""


_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "steptp_cursor_abi": (c_int32, []),
    "steptp_string_free": (None, [c_void_p]),
    "steptp_vocabulary_size": (c_int32, []),
    "steptp_vocabulary_hash": (c_char_p, []),
    "steptp_space_version": (c_int32, []),
    "steptp_vocabulary_word": (c_char_p, [c_int32]),
    "steptp_vocabulary_token": (c_int32, [c_char_p]),
    "steptp_space_open": (c_void_p, [c_char_p, c_char_p, POINTER(c_void_p)]),
    "steptp_space_close": (None, [c_void_p]),
    "steptp_space_prompt": (c_int64, [c_void_p, c_int32, POINTER(c_int32), c_int64, POINTER(c_void_p)]),
    "steptp_cursor_new": (c_void_p, [c_void_p]),
    "steptp_cursor_fork": (c_void_p, [c_void_p]),
    "steptp_cursor_close": (None, [c_void_p]),
    "steptp_cursor_reset": (None, [c_void_p]),
    "steptp_cursor_next": (c_int32, [c_void_p, POINTER(c_int32), POINTER(c_int32)]),
    "steptp_cursor_legal": (c_int64, [c_void_p, POINTER(c_int32), c_int64]),
    "steptp_cursor_put": (c_int32, [c_void_p, c_int32, POINTER(c_void_p)]),
    "steptp_cursor_facts": (c_void_p, [c_void_p, POINTER(c_void_p)]),
    "steptp_cursor_finish": (c_void_p, [c_void_p, POINTER(c_void_p)]),
    "steptp_cursors_step": (
        c_int64,
        [POINTER(c_void_p), c_int64, c_void_p, c_void_p, c_void_p, c_void_p, c_int64],
    ),
    "steptp_space_sample": (
        c_int64,
        [c_void_p, c_uint64, c_int64, c_int32, c_void_p, c_int64, c_void_p, POINTER(c_void_p)],
    ),
    "steptp_space_expected": (c_int64, [c_void_p, c_void_p, c_int64, c_int64, c_void_p, c_void_p]),
}


def usual_library() -> Path:
    """Where the library is: $STEPTP_CURSOR_LIBRARY, beside this package (a portable folder), or in a clone's build."""
    named = os.environ.get("STEPTP_CURSOR_LIBRARY")
    if named:
        return Path(named)
    here = Path(__file__).resolve().parent.parent
    name = "libsteptp_cursor.so"
    for folder in (here, here / "lib", here.parent / "build"):
        if (folder / name).exists():
            return folder / name
    raise SpaceError(f"{name} is not in {here} nor in {here.parent / 'build'}; `make build` makes it, and "
                     "$STEPTP_CURSOR_LIBRARY says where it is")


class Library:
    """The loaded library; there is one for a process."""

    _loaded: "Library | None" = None

    def __init__(self, path: Path) -> None:
        self.c = ctypes.CDLL(str(path))
        for name, (result, arguments) in _SIGNATURES.items():
            function = getattr(self.c, name)
            function.restype, function.argtypes = result, arguments
        if self.c.steptp_cursor_abi() != ABI:
            raise SpaceError(f"{path} has version {self.c.steptp_cursor_abi()} of its interface, and this package wants {ABI}")
        self.vocabulary_size = self.c.steptp_vocabulary_size()
        self.space_version = self.c.steptp_space_version()
        self.vocabulary_sha256 = self.c.steptp_vocabulary_hash().decode()
        self.words = [self.c.steptp_vocabulary_word(token).decode() for token in range(self.vocabulary_size)]
        self.token_of = {word: token for token, word in enumerate(self.words)}

    @classmethod
    def get(cls) -> "Library":
        if cls._loaded is None:
            cls._loaded = cls(usual_library())
        return cls._loaded

    def take(self, pointer: int | None) -> str:
        """The text of a string that belongs to us, which goes back."""
        if not pointer:
            return ""
        text = ctypes.string_at(pointer).decode()
        self.c.steptp_string_free(pointer)
        return text


class Space:
    """All plans of one program for one target."""

    def __init__(self, document: str, target: str) -> None:
        self.library = Library.get()
        self.document, self.target = document, target
        error = c_void_p()
        self.pointer = self.library.c.steptp_space_open(document.encode(), target.encode(), byref(error))
        if not self.pointer:
            raise Refused(self.library.take(error.value))

    def __del__(self) -> None:
        if getattr(self, "pointer", None):
            self.library.c.steptp_space_close(self.pointer)

    def prompt(self, quality: int = NO_WORD) -> list[int]:
        buffer = (c_int32 * MOST_TOKENS)()
        error = c_void_p()
        count = self.library.c.steptp_space_prompt(self.pointer, quality, buffer, MOST_TOKENS, byref(error))
        if count < 0 or count > MOST_TOKENS:
            raise Refused(self.library.take(error.value) or f"the prompt has {count} tokens; there is room for {MOST_TOKENS}")
        return list(buffer[:count])

    def sample(self, seed: int, count: int, quality: int = NO_WORD) -> tuple[Tensor, Tensor]:
        """Random sentences, each value uniform over the legal ones: int32 [count, 512] filled up with PAD, and lengths."""
        tokens = torch.zeros((count, MOST_TOKENS), dtype=torch.int32)
        lengths = torch.zeros(count, dtype=torch.int32)
        error = c_void_p()
        made = self.library.c.steptp_space_sample(
            self.pointer, seed, count, quality, tokens.data_ptr(), MOST_TOKENS, lengths.data_ptr(), byref(error)
        )
        if made != count:
            raise Refused(self.library.take(error.value))
        return tokens, lengths

    def sample_values(self, seed: int, count: int) -> list[tuple[int, ...]]:
        """The values of random sentences, each sentence once, in the order in which they were drawn."""
        tokens, lengths = self.sample(seed, count)
        begin = len(self.prompt())
        rows = zip(tokens.tolist(), lengths.tolist())
        return list(dict.fromkeys(tuple(row[begin + 2 : length - 1 : 3]) for row, length in rows))

    def all_expected_seconds(self, sentences: Sequence[Sequence[int]]) -> list[float]:
        """What the analytic model expects of each of them; NaN where it says nothing. Other threads go on meanwhile."""
        longest = max(map(len, sentences), default=1)
        values = torch.tensor([list(row) + [0] * (longest - len(row)) for row in sentences], dtype=torch.int32)
        counts = torch.tensor([len(row) for row in sentences], dtype=torch.int32)
        out = torch.zeros(len(sentences), dtype=torch.float64)
        self.library.c.steptp_space_expected(
            self.pointer, values.data_ptr(), len(sentences), longest, counts.data_ptr(), out.data_ptr())
        return out.tolist()

    def finish(self, values: Sequence[int]) -> dict[str, Any]:
        """{"leir", "plan", "recipe"} of the decisions with these values."""
        return self._of_values(values, self.library.c.steptp_cursor_finish)

    def expected_seconds(self, values: Sequence[int]) -> float:
        """What the analytic model expects of these decisions, without making the program."""
        groups = self._of_values(values, self.library.c.steptp_cursor_facts)
        return float(sum(group["seconds"] for group in groups))

    def facts(self, values: Sequence[int]) -> Any:
        return self._of_values(values, self.library.c.steptp_cursor_facts)

    def _of_values(self, values: Sequence[int], ask: Any) -> Any:
        error = c_void_p()
        cursor = self.library.c.steptp_cursor_new(self.pointer)
        try:
            for place, value in enumerate(values):
                if self.library.c.steptp_cursor_put(cursor, value, byref(error)) != 0:
                    raise SpaceError(f"decision {place}: {self.library.take(error.value)}")
            answer = ask(cursor, byref(error))
            if not answer:
                raise SpaceError(self.library.take(error.value))
            return json.loads(self.library.take(answer))
        finally:
            self.library.c.steptp_cursor_close(cursor)


class Cursors:
    """Many cursors that take one decision at a time together. `spaces` has one space for each; they must stay alive."""

    def __init__(self, spaces: Sequence[Space]) -> None:
        self.library = Library.get()
        self.spaces = list(spaces)
        self._pointers = (c_void_p * len(spaces))(*[self.library.c.steptp_cursor_new(space.pointer) for space in spaces])
        self.opcodes = torch.zeros(len(spaces), dtype=torch.int32)
        self.objects = torch.zeros(len(spaces), dtype=torch.int32)
        self.masks = torch.zeros((len(spaces), self.library.vocabulary_size), dtype=torch.uint8)

    def __del__(self) -> None:
        for pointer in getattr(self, "_pointers", ()):
            self.library.c.steptp_cursor_close(pointer)

    def step(self, values: Tensor | None) -> int:
        """Puts a value into each cursor (below zero: none), then renews opcodes, objects (-1: the cursor is complete)
        and masks of legal values. Returns how many cursors are not complete."""
        given = None
        if values is not None:
            values = values.to("cpu", torch.int32).contiguous()
            given = values.data_ptr()
        left = self.library.c.steptp_cursors_step(
            self._pointers, len(self.spaces), given, self.opcodes.data_ptr(), self.objects.data_ptr(),
            self.masks.data_ptr(), self.masks.shape[1],
        )
        if left < 0:
            raise SpaceError("a value that is not legal was put into a cursor")
        return int(left)


def values_of_sentence(tokens: Sequence[int]) -> list[int]:
    """The values of the decisions behind PPT."""
    begin = list(tokens).index(PPT) + 1
    end = list(tokens).index(EOS, begin)
    return list(tokens[begin + 2 : end : 3])

"""Files of weights that both PyTorch and the C++ code read; steptp/tlm/weights.h says what is in them."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any, Iterator

import torch
from torch import Tensor

from .files import write_whole
from .model import Model, Shape
from .space import Library

FIRST_LINE = b"steptp-tlm-weights 1\n"
STORAGES = {"bf16": torch.bfloat16, "f32": torch.float32}
# A repository takes files of at most 15 MiB.
PART_BYTES = 15 << 20


class WeightsError(ValueError):
    """A weights file that cannot be used; the message says why."""


def parameters_in_order(model: Model) -> Iterator[Tensor]:
    yield model.tokens.weight
    yield model.places.weight
    for layer in model.layers:
        yield layer.attention_norm.weight
        yield layer.attention.weight
        yield layer.projection.weight
        yield layer.feed_norm.weight
        yield layer.widen.weight
        yield layer.narrow.weight
    yield model.last_norm.weight


def weights_bytes(model: Model, storage: str, card: dict[str, Any]) -> bytes:
    library = Library.get()
    header = {**model.shape.as_dict(), "vocabulary_sha256": library.vocabulary_sha256,
              "space_version": library.space_version, "storage": storage, "card": card}
    pieces = [FIRST_LINE, json.dumps(header, separators=(",", ":")).encode() + b"\n"]
    for parameter in parameters_in_order(model):
        # bf16 travels as the 16-bit integers with the same bits, because numpy has no such type.
        flat = parameter.detach().to("cpu", STORAGES[storage]).contiguous()
        pieces.append((flat.view(torch.int16) if storage == "bf16" else flat).numpy().tobytes())
    content = b"".join(pieces)
    return content + hashlib.sha256(content).hexdigest().encode() + b"\n"


def write_weights(
    path: str | Path, model: Model, card: dict[str, Any], storage: str = "bf16", part_bytes: int | None = None
) -> None:
    """Writes PATH, or with `part_bytes` its parts PATH.0, PATH.1, ..."""
    content = weights_bytes(model, storage, card)
    if part_bytes is None:
        write_whole(path, content)
        return
    for number, begin in enumerate(range(0, len(content), part_bytes)):
        write_whole(f"{path}.{number}", content[begin : begin + part_bytes])


def _content_of(path: str | Path) -> bytes:
    if os.path.exists(path) or not os.path.exists(f"{path}.0"):
        return Path(path).read_bytes()
    pieces, number = [], 0
    while os.path.exists(f"{path}.{number}"):
        pieces.append(Path(f"{path}.{number}").read_bytes())
        number += 1
    return b"".join(pieces)


def read_weights(path: str | Path) -> tuple[Model, dict[str, Any]]:
    """The model on the CPU in f32, and the file's header."""
    content = _content_of(path)
    if not content.startswith(FIRST_LINE):
        raise WeightsError(f"{path}: this is no weights file of version 1")
    body, digest = content[:-65], content[-65:]
    if hashlib.sha256(body).hexdigest().encode() + b"\n" != digest:
        raise WeightsError(f"{path}: its SHA-256 is not the one at its end: the file is cut or damaged")
    end = body.index(b"\n", len(FIRST_LINE))
    header = json.loads(body[len(FIRST_LINE) : end])
    library = Library.get()
    if header["vocabulary_sha256"] != library.vocabulary_sha256:
        raise WeightsError(f"{path}: it was trained with another vocabulary than the one of this library")
    if header.get("space_version", 1) != library.space_version:
        raise WeightsError(f"{path}: it was trained with version {header.get('space_version', 1)} of the space of plans, "
                           f"and this library has version {library.space_version}; train it anew")
    model = Model(Shape(**{key: header[key] for key in ("layers", "width", "heads", "positions", "vocabulary")}))
    at, size = end + 1, 2 if header["storage"] == "bf16" else 4
    for parameter in parameters_in_order(model):
        data = bytearray(body[at : at + parameter.numel() * size])
        kind = torch.int16 if size == 2 else torch.float32
        numbers = torch.frombuffer(data, dtype=kind).view(STORAGES[header["storage"]])
        with torch.no_grad():
            parameter.copy_(numbers.view(parameter.shape).float())
        at += len(data)
    if at != len(body):
        raise WeightsError(f"{path}: it has {len(body) - at} bytes too many")
    return model, header

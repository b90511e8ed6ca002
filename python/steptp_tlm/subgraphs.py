"""The programs that the default model is trained and tested on: eight families of the zoo at many shapes, and an unseen
family for the test. Which ones they are, the seed alone decides."""

from __future__ import annotations

import math
import random
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterator

from .corpus import Subgraph
from .files import json_line, write_whole

Arguments = dict[str, int]


def _size(rng: random.Random, low: int, high: int) -> int:
    """Half of the sizes are multiples of 16 or powers of two, half are any, odd ones included."""
    if rng.random() < 0.5:
        return rng.randint(low, high)
    power = 1 << rng.randint(low.bit_length() - 1, high.bit_length() - 1)
    return min(max(rng.choice([power, rng.randint(low, high) // 16 * 16]), low), high)


@dataclass(frozen=True)
class Family:
    name: str
    types: tuple[str, ...]
    draw: Callable[[random.Random, str, int], Arguments]  # `scale` 1: for CPUs and tests, 4: for GPUs


def _dense(rng: random.Random, kind: str, scale: int) -> Arguments:
    return {name: _size(rng, 16, 160 * scale) for name in ("M", "K", "N")}


def _batched(rng: random.Random, kind: str, scale: int) -> Arguments:
    sizes = {name: _size(rng, 16, 96 * scale) for name in ("m", "k", "n")}
    return {"batch_size": _size(rng, 2, 8 * scale), **sizes}


def _convolution(rng: random.Random, kind: str, scale: int) -> Arguments:
    side = _size(rng, 8, 28 * scale)
    return {"in_channels": _size(rng, 3, 24 * scale), "out_channels": _size(rng, 8, 32 * scale),
            "kernel_size": rng.choice([1, 3, 3, 5]), "stride": rng.choice([1, 1, 2]), "padding": rng.choice([0, 1]),
            "dilation": 1, "batch_size": rng.choice([8, 9, 12, 16]), "height": side, "width": side}


def _depthwise(rng: random.Random, kind: str, scale: int) -> Arguments:
    side = _size(rng, 12, 40 * scale)
    return {"in_channels": _size(rng, 3, 32 * scale), "kernel_size": rng.choice([3, 3, 5]), "stride": rng.choice([1, 1, 2]),
            "padding": rng.choice([0, 1]), "batch_size": rng.choice([8, 9, 12, 16]), "height": side, "width": side}


def _rows(rng: random.Random, kind: str, scale: int) -> Arguments:
    return {"batch_size": _size(rng, 4, 256 * scale), "dim": _size(rng, 32, 2048 * scale)}


def _norm(rng: random.Random, kind: str, scale: int) -> Arguments:
    if kind == "RMSNorm":
        return {"batch_size": _size(rng, 2, 16 * scale), "features": _size(rng, 8, 48 * scale),
                "dim1": _size(rng, 8, 32 * scale), "dim2": _size(rng, 8, 32)}
    if kind.endswith("over_a_dimension"):
        return {"batch_size": _size(rng, 2, 32 * scale), "dim1": _size(rng, 16, 128 * scale),
                "dim2": _size(rng, 16, 128 * scale), "reduce_dim": rng.choice([0, 1])}
    return _rows(rng, kind, scale)


def _pooling(rng: random.Random, kind: str, scale: int) -> Arguments:
    side = _size(rng, 16, 64 * scale)
    sizes = {"batch_size": _size(rng, 1, 8 * scale), "channels": _size(rng, 4, 24 * scale), "height": side, "width": side}
    if kind == "Average_Pooling_2D":
        return {"kernel_size": rng.choice([2, 3, 4]), **sizes}
    return {**sizes, "kernel_size": rng.choice([2, 3]), "stride": rng.choice([1, 2]), "padding": 1, "dilation": 1}


FAMILIES = (
    Family("dense", ("Standard_matrix_multiplication", "Matmul_with_transposed_A", "Matmul_with_transposed_B"), _dense),
    Family("batched matmul", ("Batched_matrix_multiplication",), _batched),
    Family("convolution", ("conv_standard_2D__square_input__square_kernel",), _convolution),
    Family("depthwise convolution", ("conv_depthwise_2D_square_input_square_kernel",), _depthwise),
    Family("softmax", ("softmax", "LogSoftmax"), _rows),
    Family("norm and reduction", ("L1Norm", "L2Norm", "RMSNorm", "Sum_reduction_over_a_dimension",
                                  "Max_reduction_over_a_dimension", "Mean_reduction_over_a_dimension"), _norm),
    Family("pooling", ("Max_Pooling_2D", "Average_Pooling_2D"), _pooling),
    Family("elementwise", ("GELU", "Swish", "Softplus", "ELU", "HardSigmoid", "SELU"), _rows),
)


def _matrix_vector(rng: random.Random, kind: str, scale: int) -> Arguments:
    return {"M": _size(rng, 32, 1000), "K": _size(rng, 32, 1000 * min(scale, 4))}


UNSEEN = Family("matrix times vector", ("Matrix_vector_multiplication",), _matrix_vector)


# Inputs and outputs of a program have at most so many elements together: drawing larger ones takes longer than measuring.
MOST_ELEMENTS = 8_000_000


def elements_of(document: str) -> int:
    """Of all inputs and outputs of a document."""
    shapes = re.findall(r"^@(?:input|output) .*\[([0-9,]*)\]", document, re.MULTILINE)
    return sum(math.prod(int(extent) for extent in shape.split(",") if extent) for shape in shapes)


class CannotMake(RuntimeError):
    """The binary refused a type or its arguments."""


def show(binary: str | Path, kind: str, arguments: dict[str, Any]) -> str:
    options = [part for name, value in arguments.items() for part in ("--arg", f"{name}={value}")]
    done = subprocess.run([str(binary), "zoo", "show", kind, *options], capture_output=True, text=True)
    if done.returncode != 0:
        raise CannotMake(f"steptp zoo show {kind} {' '.join(options)}: {done.stderr.strip()}")
    return done.stdout


def _draw_family(binary: str | Path, family: Family, count: int, rng: random.Random, scale: int, seen: set[str]) -> Iterator[dict[str, str]]:
    made, failures = 0, 0
    while made < count:
        kind = family.types[made % len(family.types)]
        arguments = family.draw(rng, kind, scale)
        try:
            document = show(binary, kind, arguments)
        except CannotMake:
            failures += 1
            if failures > 20 * count + 20:
                raise
            continue
        if document in seen or elements_of(document) > MOST_ELEMENTS:
            continue
        seen.add(document)
        made += 1
        words = " ".join(f"{name}={value}" for name, value in arguments.items())
        yield {"document": document, "name": f"{kind} {words}", "family": family.name}


def write_subgraphs(folder: str | Path, binary: str | Path, seed: int, shapes: int, test_shapes: int, scale: int) -> tuple[int, int]:
    """FOLDER/train.jsonl and FOLDER/test.jsonl, which have no program in common; returns how many each has."""
    rng, seen = random.Random(f"subgraphs/{seed}"), set[str]()
    train, test = [], []
    for family in FAMILIES:
        rows = list(_draw_family(binary, family, shapes + test_shapes, rng, scale, seen))
        train += rows[:shapes]
        test += rows[shapes:]
    unseen = 8 * test_shapes // 3
    test += list(_draw_family(binary, UNSEEN, unseen, rng, scale, seen)) if unseen else []
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, rows in (("train", train), ("test", test)):
        write_whole(Path(folder, f"{name}.jsonl"), b"".join(json_line(row) for row in rows))
    return len(train), len(test)


def weighted(documents: list[tuple[str, str]]) -> list[Subgraph]:
    """Parts of a network, each program once, with the number of its occurrences as its weight."""
    found: dict[str, Subgraph] = {}
    for document, name in documents:
        one = Subgraph.of(document, name, "network")
        known = found.get(one.id)
        found[one.id] = Subgraph(one.id, known.name if known else name, "network", document,
                                 (known.weight if known else 0.0) + 1.0)
    return list(found.values())

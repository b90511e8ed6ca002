#!/usr/bin/env python3
"""Writes the recipes of this folder and, with small sizes, those of testing/data/recipes.

Usage: make.py
Each function has the way from a vanilla program to one that makes a GPU fast (docs/derivations.md), for any sizes.
Addresses are those of the state that the step before left behind; comments say what stands where.
"""

from __future__ import annotations

import json
from pathlib import Path

HERE = Path(__file__).resolve().parent
SMALL = HERE.parent.parent / "testing" / "data" / "recipes"
FORMS = ("plain", "fill")


class Recipe:
    def __init__(self, header: list[str], nests: list[str]) -> None:
        self.text = "\n".join([*header, *nests]) + "\n"
        self.steps: list[dict] = []

    def step(self, strategy: str, at: str, **values: int | str) -> None:
        self.steps.append({"strategy": strategy, "choice": {"at": at, **values}})

    def split(self, at: str, inner: int) -> None:
        self.step("loop_split", at, inner=inner, kind="inner")

    def exchange(self, at: str, other: int) -> None:
        self.step("loop_reorder", at, **{"with": other})

    def bind(self, at: str, axis: str) -> None:
        self.step("loop_binding", at, axis=axis, multiple=1)

    def cache(self, at: str, direction: str, of: str, scope: str, form: str = "plain", points: bool = False) -> None:
        more = {"points": 1} if points else {}
        self.step("cache_read_write", at, direction=direction, of=of, scope=scope, form=form, **more)

    def unroll(self, *places: str) -> None:
        for place in places:
            self.step("loop_unrolling", place)

    def vectorize(self, at: str) -> None:
        self.step("loop_vectorization", at)

    def fuse_loops(self, at: str) -> None:
        self.step("loop_fusion", at, keep="inner")

    def spread(self, nest: str, position: int, threads: tuple[int, int]) -> None:
        """One loop of a staging nest over all threads of a block, in rounds where it is longer."""
        self.split(f"{nest}:loop[{position}]", threads[1])
        self.bind(f"{nest}:loop[{position}]", "ty")
        self.bind(f"{nest}:loop[{position + 1}]", "tx")


def loop(kind: str, index: str, extent: int) -> str:
    return f"{kind}^{{{extent}}}_{{{index}=0}}"


def ref(name: str, *subscripts: str) -> str:
    return f"{name}^{{f32,g}}" + (f"_{{{','.join(subscripts)}}}" if subscripts else "")


def matmul(m: int, n: int, k: int, tile: tuple[int, int, int], threads: tuple[int, int], vector: int) -> Recipe:
    """Tiles in shared memory, sums in registers; where tiles do not divide, they are filled with zeros."""
    d, a, c = ref("D", "tx", "a"), ref("A", "tx", "c"), ref("C", "c", "a")
    r = Recipe(
        [f"@input A f32[{m},{k}]", f"@input C f32[{k},{n}]", f"@output D f32[{m},{n}]"],
        [loop("B", "tx", m) + loop("L", "a", n) + loop("L", "c", k) + f"[{d}={d}+{a}*{c};];"],
    )
    odd = m % tile[0] or n % tile[1] or k % tile[2]
    r.bind("0:loop[0]", "none")
    r.split("0:loop[0]", tile[0])
    r.split("0:loop[1]", tile[0] // threads[0])
    r.split("0:loop[3]", tile[1])
    # A thread's columns lie apart, so that neighbours read and write neighbouring values (or vectors).
    r.split("0:loop[4]", threads[1] if odd else threads[1] * vector)
    if odd:
        r.split("0:loop[6]", tile[2])
        # by ty d bx a tx k c  ->  by bx k ty tx c d a
        for position, other in ((1, 3), (2, 6), (4, 5), (5, 7)):
            r.exchange(f"0:loop[{position}]", other)
    else:
        r.split("0:loop[5]", vector)
        r.split("0:loop[7]", tile[2])
        # by ty d bx a tx v k c  ->  by bx k ty tx c d a v
        for position, other in ((1, 3), (2, 7), (4, 5), (5, 8), (6, 7), (7, 8)):
            r.exchange(f"0:loop[{position}]", other)
    for position, axis in ((0, "by"), (1, "bx"), (3, "ty"), (4, "tx")):
        r.bind(f"0:loop[{position}]", axis)
    r.cache("0:loop[1]", "write", "D", "l")
    r.cache("0/0:loop[0]", "read", "A", "s", FORMS[bool(m % tile[0] or k % tile[2])])
    r.cache("0/0:loop[0]", "read", "C", "s", FORMS[bool(n % tile[1] or k % tile[2])])
    # 0/0/0 fills the tile of A, 0/0/1 that of C, 0/0/2 multiplies, 0/1 writes back
    for nest, elements in (("0/0/0", tile[0] * tile[2]), ("0/0/1", tile[1] * tile[2])):
        width = 1 if odd else vector
        if not odd:
            r.split(f"{nest}:loop[1]", vector)
        r.fuse_loops(f"{nest}:loop[0]")
        in_rounds = elements // width > threads[0] * threads[1]
        if in_rounds:
            r.split(f"{nest}:loop[0]", threads[0] * threads[1])
        r.spread(nest, int(in_rounds), threads)
        if not odd:
            r.vectorize(f"{nest}:loop[{2 + in_rounds}]")
    r.cache("0/0/2:loop[2]", "read", "F", "l")
    r.cache("0/0/2:loop[2]", "read", "G", "l")
    # 0/0/2/0 reads a column of A's tile, 0/0/2/1 a row of C's
    if not odd:
        # A column lies in one piece, so that a thread reads it by vectors.
        r.step("set_storage_layout", "0/0/0/0:left", form="transpose", dimensions="1,0", number=0)
        r.split("0/0/2/0:loop[0]", vector)
        r.vectorize("0/0/2/0:loop[1]")
    r.unroll("0/0/2:loop[2]", "0/0/2/0:loop[0]", "0/0/2/1:loop[0]", "0/0/2/2:loop[0]", "0/0/2/2:loop[1]")
    r.unroll("0/1:loop[2]", "0/1:loop[3]")
    if not odd:
        r.unroll("0/0/2/2:loop[2]")
        r.vectorize("0/0/2/1:loop[1]")
        r.vectorize("0/1:loop[4]")
    return r


def keep_in_block(r: Recipe, tensor: str, scope: str, behind: str) -> None:
    """An intermediate that only one block (s) or thread (l) uses; what would be written back nobody reads."""
    r.cache("0:loop[0]", "write", tensor, scope)
    r.step("dead_code_elimination", behind)


def share_row(r: Recipe, nest: int, threads: int, vector: int) -> None:
    """The loop over a row in rounds, threads and vectors: rounds stand in front, threads behind them."""
    r.split(f"{nest}:loop[1]", threads * vector)
    r.split(f"{nest}:loop[2]", vector)


def walk_share(r: Recipe, read: str, write: str, between: tuple[str, ...]) -> None:
    """A thread's share of a row: vectors where it is read from and written to global memory."""
    r.unroll(*(f"{nest}:loop[1]" for nest in (read, *between, write)), *(f"{nest}:loop[2]" for nest in between))
    r.vectorize(f"{read}:loop[2]")
    r.vectorize(f"{write}:loop[2]")


def softmax(rows: int, columns: int, threads: int, vector: int) -> Recipe:
    """One row per block: each thread keeps its share in registers; one read and one write of global memory."""
    a, d, e, c = ref("A", "tx", "a"), ref("D", "tx"), ref("E", "tx"), ref("C", "tx", "a")
    head = loop("B", "tx", rows) + loop("L", "a", columns)
    r = Recipe(
        [f"@input A f32[{rows},{columns}]", f"@output C f32[{rows},{columns}]"],
        [f"{head}[{d}=max({d},{a});];", f"{head}[{e}={e}+exp({a}-{d});];", f"{head}[{c}=exp({a}-{d})/{e};];"],
    )
    for nest in range(3):
        r.bind(f"{nest}:loop[0]", "bx")
    r.step("common_subexpression_elimination", "1/0:right.1")
    # 0 maximum D, 1 exponentials F, 2 sum E, 3 result C
    for nest in range(4):
        share_row(r, nest, threads, vector)
    r.step("reduction_factorization", "2:loop[2]", form="rfactor", cut=0)
    r.step("reduction_factorization", "0:loop[2]", form="rfactor", cut=0)
    # 0 each thread's maximum H, 1 D, 2 F, 3 each thread's sum G, 4 E, 5 C
    for nest in (0, 2, 3, 5):
        r.exchange(f"{nest}:loop[1]", 2)
    for nest in range(6):
        r.bind(f"{nest}:loop[1]", "tx")
    for _ in range(5):
        r.step("operator_fusion", "0", depth=1)
    r.step("operator_fusion", "0/2", depth=3)
    keep_in_block(r, "H", "l", "0/2/0")
    keep_in_block(r, "D", "s", "0/3")
    keep_in_block(r, "G", "l", "0/4/0")
    keep_in_block(r, "E", "s", "0/5")
    keep_in_block(r, "F", "l", "0/5/0")
    r.cache("0:loop[0]", "read", "A", "l")
    walk_share(r, "0/0", "0/5", ("0/1", "0/3"))
    return r


def layer_norm(rows: int, columns: int, threads: int, vector: int) -> Recipe:
    """As softmax, with mean and variance."""
    a, f, g, h, i = ref("A", "tx", "a"), ref("F", "tx"), ref("G", "tx"), ref("H", "tx"), ref("I", "tx")
    j, c, d, e = ref("J", "tx", "a"), ref("C", "tx", "a"), ref("D", "a"), ref("E", "a")
    row, head = loop("B", "tx", rows), loop("B", "tx", rows) + loop("L", "a", columns)
    r = Recipe(
        [
            f"@input A f32[{rows},{columns}]",
            f"@param D f32[{columns}]",
            f"@param E f32[{columns}]",
            f"@output C f32[{rows},{columns}]",
        ],
        [
            f"{head}[{f}={f}+{a};];",
            f"{row}[{g}={f}/{columns};];",
            f"{head}[{h}={h}+({a}-{g})**2;];",
            f"{row}[{i}={h}/{columns};];",
            f"{head}[{j}=({a}-{g})/sqrt({i}+1e-05);];",
            f"{head}[{c}={d}*{j}+{e};];",
        ],
    )
    for nest in range(6):
        r.bind(f"{nest}:loop[0]", "bx")
    r.step("compute_inline", "4/0")
    for nest in (0, 2, 4):
        share_row(r, nest, threads, vector)
    r.step("reduction_factorization", "2:loop[2]", form="rfactor", cut=0)
    r.step("reduction_factorization", "0:loop[2]", form="rfactor", cut=0)
    # 0 each thread's sum K, 1 F, 2 mean G, 3 each thread's sum of squares J, 4 H, 5 variance I, 6 result C
    for nest in (0, 3, 6):
        r.exchange(f"{nest}:loop[1]", 2)
    for nest in (0, 1, 3, 4, 6):
        r.bind(f"{nest}:loop[1]", "tx")
    for _ in range(6):
        r.step("operator_fusion", "0", depth=1)
    keep_in_block(r, "K", "l", "0/2/0")
    keep_in_block(r, "F", "s", "0/3")
    keep_in_block(r, "G", "s", "0/7")
    keep_in_block(r, "J", "l", "0/5/0")
    keep_in_block(r, "H", "s", "0/6")
    keep_in_block(r, "I", "s", "0/7")
    r.cache("0:loop[0]", "read", "A", "l")
    walk_share(r, "0/0", "0/7", ("0/1", "0/4"))
    return r


def conv3x3(batch: int, channels: int, size: tuple[int, int], outputs: int, registers: int, rows: int) -> Recipe:
    """Padded convolution: a tile of `rows` whole rows with its halo and the weights in shared memory, output channels in
    registers. A block has a thread for each point of its tile."""
    height, width = size
    e, d = ref("E", "tx", "f", "c+g", "d+h"), ref("D", "a", "f", "g", "h")
    c = ref("C", "tx", "a", "c", "d")
    padded = loop("B", "tx", batch) + loop("L", "a", channels) + loop("L", "c", height + 2) + loop("L", "d", width + 2)
    head = loop("B", "tx", batch) + loop("L", "a", outputs) + loop("L", "c", height) + loop("L", "d", width)
    head += loop("L", "f", channels) + loop("L", "g", 3) + loop("L", "h", 3)
    inside = f"1<=c<{height + 1}&1<=d<{width + 1}"
    r = Recipe(
        [
            f"@input A f32[{batch},{channels},{height},{width}]",
            f"@param D f32[{outputs},{channels},3,3]",
            f"@output C f32[{batch},{outputs},{height},{width}]",
        ],
        [
            f"{padded}[{ref('E', 'tx', 'a', 'c', 'd')}=if_then_else({inside},{ref('A', 'tx', 'a', 'c-1', 'd-1')},0);];",
            f"{head}[{c}={c}+{e}*{d};];",
        ],
    )
    threads = (rows, width)
    r.step("compute_inline", "0/0")
    r.bind("0:loop[0]", "none")
    r.split("0:loop[1]", registers)
    r.split("0:loop[3]", rows)
    # n by a ct ty tx f g h  ->  by (n ct) f ty tx g h a
    r.exchange("0:loop[0]", 1)
    r.exchange("0:loop[2]", 3)
    r.fuse_loops("0:loop[1]")
    r.exchange("0:loop[2]", 5)
    r.exchange("0:loop[5]", 7)
    r.exchange("0:loop[5]", 6)
    for position, axis in ((0, "by"), (1, "bx"), (3, "ty"), (4, "tx")):
        r.bind(f"0:loop[{position}]", axis)
    r.cache("0:loop[1]", "write", "C", "l")
    r.cache("0/0:loop[0]", "read", "0/0/0:right.1.0", "s")
    r.cache("0/0:loop[0]", "read", "D", "s")
    # 0/0/0 fills the tile, 0/0/1 the weights, 0/0/2 multiplies, 0/1 writes back
    r.fuse_loops("0/0/0:loop[0]")
    r.split("0/0/0:loop[0]", rows * width)
    r.spread("0/0/0", 1, threads)
    r.fuse_loops("0/0/1:loop[0]")
    r.fuse_loops("0/0/1:loop[0]")
    if registers * 9 > rows * width:
        r.split("0/0/1:loop[0]", rows * width)
    r.spread("0/0/1", 1 if registers * 9 > rows * width else 0, threads)
    r.unroll("0/0/2:loop[2]", "0/0/2:loop[3]", "0/0/2:loop[4]", "0/1:loop[2]")
    return r


def product(values: tuple[int, ...]) -> int:
    result = 1
    for value in values:
        result *= value
    return result


def conv_product(
    batch: int,
    channels: int,
    size: tuple[int, ...],
    outputs: int,
    kernel: tuple[int, ...],
    tile: tuple[int, int, int],
    threads: tuple[int, int],
    stride: int = 1,
    padding: int = 0,
    dilation: int = 1,
) -> Recipe:
    """A convolution as a matrix product in one kernel: rows are output channels, columns the output pixels of all images
    in one fused loop, the reduction runs over input channels and window in one fused loop. The tile of the image is
    copied point by point, each (pixel, k) from where the window finds it, so that the matrix is never made."""
    dims = len(size)
    names = "cdfghijkmn"
    out_names, channel, window = names[:dims], names[dims], names[dims + 1 : 2 * dims + 1]
    reach = [dilation * (k - 1) + 1 for k in kernel]
    out = [(n + 2 * padding - w) // stride + 1 for n, w in zip(size, reach, strict=True)]

    def at(index: str, step: int) -> str:
        return index if step == 1 else f"{index}*{step}"

    places = [f"{at(o, stride)}+{at(w, dilation)}" for o, w in zip(out_names, window, strict=True)]
    image, weights = ref("E" if padding else "A", "tx", channel, *places), ref("D", "a", channel, *window)
    c = ref("C", "tx", "a", *out_names)
    head = loop("B", "tx", batch) + loop("L", "a", outputs)
    for name, extent in zip(out_names + channel + window, [*out, channels, *kernel], strict=True):
        head += loop("L", name, extent)
    nests = [f"{head}[{c}={c}+{image}*{weights};];"]
    if padding:
        padded = loop("B", "tx", batch) + loop("L", "a", channels)
        for name, extent in zip(out_names, size, strict=True):
            padded += loop("L", name, extent + 2 * padding)
        inside = "&".join(f"{padding}<={o}<{n + padding}" for o, n in zip(out_names, size, strict=True))
        source = ref("A", "tx", "a", *(f"{o}-{padding}" for o in out_names))
        nests.insert(0, f"{padded}[{ref('E', 'tx', 'a', *out_names)}=if_then_else({inside},{source},0);];")
    shape = ",".join(str(n) for n in (batch, channels, *size))
    r = Recipe(
        [
            f"@input A f32[{shape}]",
            f"@param D f32[{','.join(str(n) for n in (outputs, channels, *kernel))}]",
            f"@output C f32[{','.join(str(n) for n in (batch, outputs, *out))}]",
        ],
        nests,
    )
    if padding:
        r.step("compute_inline", "0/0")
    r.bind("0:loop[0]", "none")
    r.exchange("0:loop[0]", 1)
    # channels a, then the images and their pixels as one loop, then input channels and window as one
    for position in (1, 2):
        for _ in range(dims):
            r.fuse_loops(f"0:loop[{position}]")
    rows_left, columns_left = outputs % tile[0], batch * product(tuple(out)) % tile[1]
    depth_left = channels * product(kernel) % tile[2]
    r.split("0:loop[0]", tile[0])
    r.split("0:loop[1]", tile[0] // threads[0])
    r.split("0:loop[3]", tile[1])
    r.split("0:loop[4]", threads[1])
    r.split("0:loop[6]", tile[2])
    # by ty d bx a tx k c  ->  by bx k ty tx c d a
    for position, other in ((1, 3), (2, 6), (4, 5), (5, 7)):
        r.exchange(f"0:loop[{position}]", other)
    for position, axis in ((0, "by"), (1, "bx"), (3, "ty"), (4, "tx")):
        r.bind(f"0:loop[{position}]", axis)
    r.cache("0:loop[1]", "write", "C", "l", points=True)
    staged = "0/0/0:right.1.0" if padding else "A"
    r.cache("0/0:loop[0]", "read", staged, "s", FORMS[bool(columns_left or depth_left)], points=True)
    r.cache("0/0:loop[0]", "read", "D", "s", FORMS[bool(rows_left or depth_left)], points=True)
    # 0/0/0 fills the tile of pixels, 0/0/1 that of weights, 0/0/2 multiplies, 0/1 writes back. Neighbouring threads take
    # neighbouring pixels, of the image as of its tile.
    r.exchange("0/0/0:loop[0]", 1)
    r.step("set_storage_layout", "0/0/0/0:left", form="transpose", dimensions="1,0", number=0)
    for nest, elements in (("0/0/0", tile[1] * tile[2]), ("0/0/1", tile[0] * tile[2])):
        r.fuse_loops(f"{nest}:loop[0]")
        in_rounds = elements > threads[0] * threads[1]
        if in_rounds:
            r.split(f"{nest}:loop[0]", threads[0] * threads[1])
        r.spread(nest, int(in_rounds), threads)
    r.cache("0/0/2:loop[2]", "read", "F", "l")
    r.cache("0/0/2:loop[2]", "read", "G", "l")
    r.unroll("0/0/2:loop[2]", "0/0/2/0:loop[0]", "0/0/2/1:loop[0]", "0/0/2/2:loop[0]", "0/0/2/2:loop[1]")
    r.unroll("0/1:loop[2]", "0/1:loop[3]")
    return r


def attention(sizes: tuple[int, int, int, int], tile: int, rows: int, hidden: str) -> Recipe:
    """Flash attention in one kernel: keys and values in tiles in shared memory, a thread for each query; running maximum,
    sum and output in registers. `hidden` says which scores are masked: with "c<d" a row ends with -inf, with "d<c" it
    begins with it."""
    batch, heads, length, head = sizes
    outer = loop("B", "tx", batch) + loop("L", "a", heads) + loop("L", "c", length)
    keys, features = loop("L", "d", length), loop("L", "f", head)
    f, g, j = (ref(name, "tx", "a", "c", "d") for name in "FGJ")
    h, i, e = ref("H", "tx", "a", "c"), ref("I", "tx", "a", "c"), ref("E", "tx", "a", "c", "f")
    query, key, value = ref("A", "tx", "a", "c", "f"), ref("C", "tx", "a", "d", "f"), ref("D", "tx", "a", "d", "f")
    shape = f"f32[{batch},{heads},{length},{head}]"
    r = Recipe(
        [f"@input A {shape}", f"@input C {shape}", f"@input D {shape}", f"@output E {shape}"],
        [
            f"{outer}{keys}{features}[{f}={f}+{query}*{key};];",
            f"{outer}{keys}[{g}=if_then_else({hidden},-inf,{f}*0.25);];",
            f"{outer}{keys}[{h}=max({h},{g});];",
            f"{outer}{keys}[{i}={i}+exp({g}-{h});];",
            f"{outer}{keys}[{j}=exp({g}-{h})/{i};];",
            f"{outer}{features}{keys}[{e}={e}+{j}*{value};];",
        ],
    )
    for nest in range(5):
        r.split(f"{nest}:loop[3]", tile)
    r.split("5:loop[4]", tile)
    r.step("flashattention_wo_tiling", "5", loop="f", form="deferred")
    # 0 scores F, 1 masked scores G, 2 the recurrences, 3 the result
    for depth in (4, 4, 3):
        r.step("operator_fusion", "0", depth=depth)
    r.bind("0:loop[0]", "bz")
    r.bind("0:loop[1]", "by")
    r.split("0:loop[2]", rows)
    r.bind("0:loop[2]", "bx")
    r.bind("0:loop[3]", "tx")
    r.cache("0:loop[2]", "read", "A", "l")
    # 0/0 reads the queries, 0/1 is the rest: the threads inside the loop over tiles, and once more behind it
    r.step("operator_fission", "0/1", cut=1)
    r.exchange("0/1:loop[0]", 1)
    r.cache("0/1:loop[0]", "read", "C", "s")
    r.cache("0/1:loop[0]", "read", "D", "s")
    # What a thread needs for one tile: scores F and G, their maximum M, the factor O, weights Q, their sum N, the
    # output's share R
    for tensor, behind in zip("FGMOQNR", ("3/0", "7/0", "6", "11", "11/0", "11", "13/0"), strict=True):
        r.cache("0/1/2:loop[0]", "write", tensor, "l")
        r.step("dead_code_elimination", f"0/1/2/{behind}")
    for nest in ("0/1/0", "0/1/1"):
        r.fuse_loops(f"{nest}:loop[0]")
        r.split(f"{nest}:loop[0]", rows)
        r.bind(f"{nest}:loop[1]", "tx")
    # 0/1 runs over tiles: 0/1/0 and 0/1/1 fetch them, 0/1/2 is a thread's work; 0/2 divides
    r.unroll(*(f"0/1/2/{nest}:loop[0]" for nest in (0, 1, 2, 4, 7, 9, 11, "12/0")), "0/1/2/1:loop[1]")
    r.unroll("0/0:loop[1]", "0/2:loop[1]")
    # Maximum H, sum K and output I keep their latest value; R, Y and Z hold the one before
    for equation, dimension in (("0/1/2/5", 3), ("0/2/3/10", 3), ("0/3/4/12/1", 4)):
        r.step("set_storage_layout", f"{equation}:left", form="rolling", dimensions=str(dimension), number=0)
    for tensor, behind in zip("HKIZYR", ("0/6/0", "0/6/0", "0/6/0", "0/5/0", "0/5/0", "0/5/0"), strict=True):
        r.cache("0:loop[2]", "write", tensor, "l")
        r.step("dead_code_elimination", behind)
    return r


RECIPES = {
    "matmul": (
        matmul(4096, 4096, 4096, (128, 128, 8), (16, 16), 4),
        matmul(8, 16, 4, (4, 8, 2), (2, 2), 2),
    ),
    "matmul_odd": (
        matmul(1017, 987, 642, (64, 64, 32), (16, 16), 4),
        matmul(7, 5, 3, (4, 4, 2), (2, 2), 2),
    ),
    "softmax": (softmax(16384, 16384, 1024, 2), softmax(3, 16, 4, 2)),
    "layer_norm": (layer_norm(8192, 8192, 512, 4), layer_norm(3, 16, 4, 2)),
    "conv3x3": (conv3x3(8, 64, (56, 56), 128, 16, 4), conv3x3(2, 2, (4, 4), 4, 2, 2)),
    "conv_product": (
        conv_product(8, 64, (56, 56), 128, (3, 3), (64, 64, 16), (16, 16), padding=1),
        conv_product(4, 4, (3, 5), 4, (3, 3), (4, 4, 4), (2, 2), padding=1),
    ),
    "conv_product_odd": (
        conv_product(7, 13, (29, 31), 50, (3, 3), (32, 64, 8), (8, 16), stride=2, padding=1, dilation=2),
        conv_product(2, 2, (5, 7), 5, (3, 3), (4, 8, 4), (2, 4), stride=2, padding=1, dilation=2),
    ),
    "conv3d_product": (
        conv_product(61, 62, (9, 54, 3), 43, (3, 3, 3), (16, 64, 8), (8, 16)),
        conv_product(2, 2, (2, 5, 6), 5, (2, 3, 2), (4, 8, 4), (2, 4)),
    ),
    "attention": (attention((64, 8, 256, 16), 32, 64, "c<d"), attention((2, 2, 4, 3), 2, 2, "c<d")),
    "attention_masked": (attention((64, 8, 256, 16), 32, 64, "d<c"), attention((2, 2, 4, 3), 2, 2, "d<c")),
}


def write(folder: Path, name: str, recipe: Recipe) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.leir").write_text(recipe.text)
    steps = ",\n ".join(json.dumps(step, separators=(",", ":")) for step in recipe.steps)
    (folder / f"{name}.json").write_text('{"steps":[\n ' + steps + "\n]}\n")


if __name__ == "__main__":
    for recipe_name, (large, small) in RECIPES.items():
        write(HERE, recipe_name, large)
        write(SMALL, recipe_name, small)

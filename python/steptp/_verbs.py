"""The verbs of the command line as functions.

More than 400 lines, because each verb is one function here, and half of the lines say what it takes and returns.
"""

from __future__ import annotations

import json
import operator
import os
import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Union

from . import _arrays, _steptp
from ._errors import DiagnosticError, DiagnosticWarning, RefusedError
from ._results import Applied, CheckReport, JudgedRecipe, Judgement, Lowered, RunResult, TokenCounts
from ._signature import SignatureLike, from_json, to_json
from ._steptp import Document, Program

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: A program as text, as the path of a file (``pathlib.Path``; a plain string is text), or read already.
Source = Union[str, bytes, "os.PathLike[str]", Program]

#: An element of an output: "D[0,3]" or ("D", (0, 3)).
ElementLike = Union[str, tuple[str, tuple[int, ...]]]


def _utf8(text: str) -> bytes:
    # A lone surrogate is no text; as bytes it is reported like any other stray byte.
    return text.encode("utf-8", "surrogatepass")


def _open(
    source: Source, signature: SignatureLike | None = None, *, warn: bool = True, strict: bool = True
) -> Document:
    """The document behind a source; warnings point at the caller of the verb. Not strict: it may be unreadable."""
    if isinstance(source, Program):
        if signature is None:
            return _steptp.document_of(source)
        source = source.to_text(header=False)
    entries = None if signature is None else to_json(signature)
    if isinstance(source, (str, bytes)):
        document = _steptp.read_text(_utf8(source) if isinstance(source, str) else source, entries, strict)
    elif isinstance(source, os.PathLike):
        document = _steptp.read_file(os.fspath(source), entries, strict)
    else:
        raise TypeError(f"a program is a text, a path or a steptp.Program, not {type(source).__name__}")
    if warn and document.warnings:
        warnings.warn(document.warnings.rstrip(), DiagnosticWarning, stacklevel=3)
    return document


def _natural(value: int, what: str) -> int:
    number = operator.index(value)
    if not 0 <= number < 2**64:
        raise ValueError(f"{what} is a number from 0 to 2^64-1, not {number}")
    return number


def read(source: str | bytes | os.PathLike[str], signature: SignatureLike | None = None) -> Program:
    """Reads one program, in either profile.

    `source` is the text of a ``.leir`` file or one JSON record, or the path of a file with one. With `signature`, the
    text is the program alone, and header lines in it are not read. Raises DiagnosticError where the text cannot be
    read; warnings about it are shown as DiagnosticWarning.

    >>> read("B^{4}_{tx=0}[C^{f32,g}_{tx}=1;];").to_text("compact")
    'tx4 C(tx)=1;\\n'
    """
    try:
        return _open(source, signature).program
    except DiagnosticError as error:
        if isinstance(source, str) and "\n" not in source and source.endswith((".leir", ".json", ".jsonl", ".pt2", ".py")):
            hint = f"a plain string is the text of a program; for the file, read(pathlib.Path({source!r}))"
            raise DiagnosticError(f"{error}\n  hint: {hint}", error.diagnostics) from None
        raise


def fmt(source: Source, profile: str = "paper") -> str:
    """The canonical text of a program, with its header lines where it has any; `profile` is "paper" or "compact"."""
    return _open(source).program.to_text(profile)


def check(source: Source, *, signature: SignatureLike | None = None, device: str | None = None) -> CheckReport:
    """Whether a program is well-formed and safe: proved, refuted with a witness, or unknown.

    What is wrong with a program is in the report; only a text that cannot be read raises (DiagnosticError). Places are
    in the text given, for a Program in its canonical text. Launch limits are warnings, and errors where a device is
    named; ValueError where there is no such device.

    >>> report = check("@output D f32[4]\\nL^{3}_{a=0}[D^{f32,g}_{a}=0;];")
    >>> report.ok, report.errors[0].id
    (False, 'not-written')
    """
    ok, extended, assumes, diagnostics = _steptp.check(_open(source, signature, warn=False), device or "")
    return CheckReport(ok, extended, tuple(assumes), tuple(diagnostics))


def explain(id: Any, *arguments: Any, **options: Any) -> Any:
    """What a diagnostic, a strategy or a move means, with an example; ValueError where there is none of that name.

    Of a PyTorch module, ``explain(module, inputs)`` says which of its operators run in kernels of ours, and why each of
    the others stays with eager PyTorch, with its place in the source.

    >>> print(explain("not-written").splitlines()[0])
    not-written (error)
    >>> print(explain("loop_split").splitlines()[0])
    loop_split: one loop becomes an outer and an inner loop
    """
    if not isinstance(id, str):
        from .torch_out.explaining import explain_module

        return explain_module(id, *arguments, **options)
    known = _steptp.explain_strategy(id) or _steptp.explain_move(id)
    return _steptp.explain(id) if known is None else known


def _element(element: ElementLike) -> tuple[str, list[int]]:
    if isinstance(element, str):
        return _steptp.parse_element(element)
    tensor, index = element
    return tensor, [operator.index(number) for number in index]


def run(
    source: Source,
    inputs: Mapping[str, NDArray[Any]] | None = None,
    *,
    signature: SignatureLike | None = None,
    seed: int = 0,
    budget: int = _steptp.default_budget,
    elements: Iterable[ElementLike] | None = None,
    engine: str = "oracle",
) -> RunResult:
    """Executes a program exactly as written, on the slow machine that defines the language.

    `inputs` has one array per input, constant and parameter, with the shape and the dtype of the signature: no value
    changes on its way in. Strides and byte order do not matter, other names are ignored, and constants with values in
    the signature may be left out. numpy has no bfloat16: such a tensor is a float32 array whose values are exactly
    bfloat16 (or an array of ml_dtypes.bfloat16), and comes out as float32. Without `inputs` they are drawn from `seed`
    as `seeded_inputs` does.

    With `elements`, only those elements of the outputs are computed ("D[0,3]" or ("D", (0, 3))); their values, the
    same bits as in a whole run, are in ``result.elements``.

    The engines "llvm" and "cuda" compile the program for this machine or its GPU and run it in another process; they
    take programs that `check` finds ok, others raise DiagnosticError, and so does a machine without the engine or the
    device (ids "no-engine", "no-device", "no-nvrtc") and a run that crashes. The values of "llvm" are the oracle's, but
    for the last bits of exp, log and other functions; `budget` plays no part.

    Raises RunError where the program does something undefined, InputError where the inputs do not fit, and BudgetError
    where the run would take more than `budget` operations.

    >>> import numpy
    >>> double = "@input A f32[3]\\n@output D f32[3]\\nB^{3}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{tx}*2;];"
    >>> result = run(double, {"A": numpy.array([1, 2, 3], "float32")})
    >>> result["D"]
    array([2., 4., 6.], dtype=float32)
    >>> result.statistics["D"].max
    6.0
    >>> run(double, {"A": numpy.arange(3.0)})
    Traceback (most recent call last):
        ...
    steptp.InputError: ...
    """
    if isinstance(elements, str):
        raise TypeError("elements is a list, such as ['D[0,3]']")
    chosen = [_element(element) for element in elements or ()]
    document = _open(source, signature)
    variables = from_json(document.program._signature_json)
    raw = None if inputs is None else _arrays.to_raw(inputs, {v.name for v in variables if v.role != "output"})
    real = {v.name for v in variables if "float" in v.dtype}
    answer, outputs, executions = _steptp.run(
        document, raw, _natural(seed, "seed"), _natural(budget, "budget"), chosen, engine
    )
    return RunResult(json.loads(answer), _arrays.from_raw(outputs), executions, real)


def time(
    source: Source,
    *against: Source,
    device: str = "cpu",
    budget: float = 5.0,
    spread: float = 0.01,
    warm: bool = False,
    seed: int = 0,
    graph: bool = False,
    root: Source | None = None,
    arithmetic: str = "fast",
) -> dict[str, Any]:
    """Measures how fast a program runs, alone or by turns with others, as the verb `time` does.

    The answer is that of ``steptp time --json``: "machine", and "programs" with "status", "median_s", "spread_s",
    "roofline_share" and more of each. Every repetition is checked: a program with a wrong result has no times. With
    `graph` a GPU gets all launches of a program by one call, as a CUDA graph. With `root`, a program that all are known
    to be equal to, its certified values are compared with in place of their own, which are then not evaluated.
    `arithmetic` is "fast" (fused products and sums, functions within a last place) or "exact".

    Raises DiagnosticError where there is no such device.
    """
    if graph and device != "cuda":
        raise ValueError("graph needs device='cuda': a CPU has no launches to put together")
    documents = [_open(one, None) for one in (source, *against)]
    number = _natural(seed, "seed")
    opened = None if root is None else _open(root, None)
    return json.loads(
        _steptp.time(
            documents, device, float(budget), float(spread), bool(warm), number, bool(graph), opened, arithmetic
        )
    )


def lower(
    source: Source,
    to: str = "cuda",
    *,
    signature: SignatureLike | None = None,
    device: str | None = None,
    main: bool = False,
    dialect: str = "tvm-0.27",
    target: str = "cuda",
) -> Lowered:
    """The text of a back end: "cuda", "llvm" or "tir".

    Only programs that `check` finds ok are lowered, and what a back end cannot hold exactly is refused: both raise
    DiagnosticError. `device` says whose launch limits count and `main` adds a main() (cuda); `dialect` is "tvm-0.21" or
    "tvm-0.27", `target` "cuda" or "cpu" (tir).

    >>> double = "@input A f32[3]\\n@output D f32[3]\\nB^{3}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{tx}*2;];"
    >>> lower(double).launches["kernels"][0]["block"]
    [3, 1, 1]
    >>> print(lower(double, "tir", dialect="tvm-0.21").text.splitlines()[-1].strip())
    D[v_tx] = A[v_tx] * T.float32(2)
    """
    document = _open(source, signature)
    text, launches = _steptp.lower(document, to, device or "", main, dialect, target)
    return Lowered(text, json.loads(launches) if launches else None)


def _seconds(timeout: float | None) -> float:
    """A limit on the wall clock; 0 is none."""
    if timeout is None:
        return 0.0
    if not timeout > 0:
        raise ValueError(f"timeout is a number of seconds above 0, not {timeout}")
    return float(timeout)


def _magnitudes(range: str | tuple[float, float]) -> str:
    return range if isinstance(range, str) else ",".join(repr(float(number)) for number in range)


def verify(
    before: Source,
    after: Source,
    *,
    signature: SignatureLike | None = None,
    seed: int | None = None,
    budget: int | None = None,
    certificate: str | os.PathLike[str] | None = None,
    timeout: float | None = None,
    accept: str | None = None,
    range: str | tuple[float, float] = "middle",
) -> Judgement:
    """Whether two programs are equal as real functions, and how we know.

    `before` is the program that is right: where it cannot be read or does not pass `check`, DiagnosticError is raised.
    `after` may come from anywhere: unreadable, ill-formed or with another signature it is "invalid", with the reason.
    Without header lines of its own it has the signature of `before`; with `signature`, both texts are programs alone.
    `seed` draws the points of evaluation; without it a fresh one is drawn after both programs were read, and the answer
    says which (None where no chance played a part). `budget` bounds the operations of evaluation; with a seed, the same
    arguments give the same answer on every machine. "numeric" is evidence and counts as equal (as a condition) only
    with `accept="numeric"`. `certificate` names a file that what supports the answer is written to; `steptp-replay` confirms or
    refuses it without the judge's code. `timeout` is a limit in seconds on the wall clock: what is not decided by then
    is "undecided", and its reason says so. Ctrl-C ends a judgement. `range` are the magnitudes of inputs at which an equal
    `after` is asked to be as safe as `before`: "middle" (the middle half of the exponents of each type), "full", or two
    numbers; `safe` is None where the search did not finish or met no good input.

    >>> double = "@input A f32[3]\\n@output D f32[3]\\nB^{3}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{tx}*2;];"
    >>> verify(double, "L^{3}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a}+A^{f32,g}_{a};];").verdict
    'proved'
    >>> judgement = verify(double, "L^{3}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{2-a}*2;];")
    >>> judgement.verdict, judgement.counterexample.output
    ('differs', 'D')
    >>> bool(judgement)
    False
    >>> verify(double, "I am sure that the answer is").verdict
    'invalid'
    """
    old = _open(before, signature, warn=False)
    new = _open(after, signature, warn=False, strict=False)
    limit = None if budget is None else _natural(budget, "budget")
    path = None if certificate is None else os.fspath(certificate)
    if accept not in (None, "numeric"):
        raise ValueError(f"accept is 'numeric' or None, not {accept!r}")
    fixed = None if seed is None else _natural(seed, "seed")
    answer = _steptp.verify(old, new, fixed, limit, path, _seconds(timeout), _magnitudes(range))
    return Judgement._from_dict(json.loads(answer), accepts_numeric=accept == "numeric")


def strategies() -> list[dict[str, Any]]:
    """The steps that can be made: name, level, difficulty, preconditions, components, picture, parameters.

    >>> [entry["difficulty"] for entry in strategies() if entry["name"] == "loop_split"]
    ['difficult']
    """
    return json.loads(_steptp.strategies())


def choices(
    source: Source,
    strategy: str | Iterable[str] | None = None,
    *,
    signature: SignatureLike | None = None,
    extended: bool = False,
    limit: int | None = None,
    sample: int | None = None,
    seed: int = 0,
    refusals: bool = False,
) -> list[dict[str, Any]]:
    """Every step that can be made on a program.

    One object per place, with the values that its parameters can take (all combinations are legal); with `limit` the
    first choices themselves, with `sample` different ones drawn with `seed`. Any "choice" can be given to `apply`. With
    `refusals`, places that are none follow, each with the reason. ValueError where there is no such strategy.

    >>> double = "@input A f32[6]\\n@output D f32[6]\\nB^{6}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{tx}*2;];"
    >>> choices(double, "loop_split")[0]["domain"]
    {'inner': [2, 3], 'kind': ['inner']}
    >>> choices(double, "loop_split", limit=1)[0]["choice"]
    {'at': '0:loop[0]', 'inner': 2, 'kind': 'inner'}
    """
    if limit is not None and sample is not None:
        raise ValueError("limit and sample cannot be used together")
    names = [] if strategy is None else [strategy] if isinstance(strategy, str) else list(strategy)
    first = None if limit is None else _natural(limit, "limit")
    drawn = None if sample is None else _natural(sample, "sample")
    document = _open(source, signature)
    return json.loads(_steptp.choices(document, names, extended, first, drawn, _natural(seed, "seed"), refusals))


def apply(
    source: Source,
    strategy: str,
    choice: Mapping[str, Any],
    *,
    signature: SignatureLike | None = None,
    reasoning: bool = False,
    seed: int = 0,
) -> Applied:
    """One step on a program. Raises RefusedError where a precondition does not hold, ValueError where the strategy or
    its parameters are unknown. The place is an address, or named by what is written there: "D:loop[1]" is loop 1 of the
    nest around the equation that writes D. With `reasoning` the step is also told in words, in a phrasing that the seed
    chooses. `map` says where each nest, loop, equation, left side and read is afterwards.

    >>> double = "@input A f32[6]\\n@output D f32[6]\\nB^{6}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{tx}*2;];"
    >>> applied = apply(double, "loop_split", {"at": "0:loop[0]", "inner": 2, "kind": "outer"})
    >>> applied.program.to_text(header=False)
    'B^{3}_{tx=0}L^{2}_{a=0}[D^{f32,g}_{tx*2+a}=A^{f32,g}_{tx*2+a}*2;];'
    >>> applied.map["0:loop[0]"]
    ['0:loop[0]', '0:loop[1]']
    >>> apply(applied.program, "loop_split", {"at": "D:loop[0]", "inner": 3, "kind": "inner"}).step["choice"]["at"]
    '0:loop[0]'
    >>> apply(double, "loop_split", {"at": "0:loop[0]", "inner": 7, "kind": "outer"})
    Traceback (most recent call last):
        ...
    steptp.RefusedError: loop_split refused [divides] at 0:loop[0]: 6 iterations cannot be split into inner loops of 7
    """
    program, text = _steptp.apply(
        _open(source, signature), strategy, json.dumps(dict(choice)), seed if reasoning else None
    )
    answer = json.loads(text)
    if program is None:
        raise RefusedError(answer["text"], answer["refused"])
    return Applied(program, answer["step"], answer["facts"], answer["map"], answer.get("reasoning"))


def replay(
    source: Source, recipe: Mapping[str, Any] | Iterable[Mapping[str, Any]], *, signature: SignatureLike | None = None
) -> Program:
    """The steps of a recipe, one after the other: ``{"steps": [{"strategy": ..., "choice": ...}, ...]}`` or the list.

    Raises RefusedError, which says which step does not apply and why.
    """
    steps = dict(recipe) if isinstance(recipe, Mapping) else [dict(step) for step in recipe]
    program, text = _steptp.replay(_open(source, signature), json.dumps(steps))
    if program is None:
        answer = json.loads(text or "{}")
        raise RefusedError(answer["text"], answer["refused"], answer["step"])
    return program


def judge_recipe(
    source: Source,
    recipe: Mapping[str, Any] | Iterable[Mapping[str, Any]],
    *,
    signature: SignatureLike | None = None,
    seed: int | None = None,
    timeout: float | None = None,
    range: str | tuple[float, float] = "middle",
) -> JudgedRecipe:
    """The steps of a recipe, each judged as `verify` does, and the end against the root: ``steptp replay --judge``.

    `seed`, `timeout` (of one judgement) and `range` are those of `verify`. Raises RefusedError where a step does not
    apply, and DiagnosticError where the root does not pass `check`.

    >>> double = "@input A f32[6]\\n@output D f32[6]\\nB^{6}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{tx}*2;];"
    >>> split = {"strategy": "loop_split", "choice": {"at": "0:loop[0]", "inner": 2, "kind": "outer"}}
    >>> judged = judge_recipe(double, [split])
    >>> judged.verdict, judged.worst, judged.safe, judged.steps[0]["strategy"]
    ('proved', 'proved', True, 'loop_split')
    """
    steps = dict(recipe) if isinstance(recipe, Mapping) else [dict(step) for step in recipe]
    fixed = None if seed is None else _natural(seed, "seed")
    program, text = _steptp.judge_recipe(
        _open(source, signature), json.dumps(steps), fixed, _seconds(timeout), _magnitudes(range)
    )
    answer = json.loads(text)
    if program is None:
        raise RefusedError(answer["text"], answer["refused"], answer["step"])
    return JudgedRecipe(
        program,
        tuple(answer["judged"]),
        answer["worst"],
        answer["bound_log2"],
        answer["verdict"],
        answer["safe"],
        Judgement._from_dict(answer["end"]),
    )


def seeded_inputs(source: Source, seed: int = 0, *, signature: SignatureLike | None = None) -> dict[str, NDArray[Any]]:
    """The inputs, constants and parameters that `run` draws from a seed, the same on every machine.

    >>> seeded_inputs("@input A i32[4] [0,10)\\n@output D i32[4]\\nB^{4}_{tx=0}[D^{i32,g}_{tx}=A^{i32,g}_{tx};];")["A"].shape
    (4,)
    """
    return _arrays.from_raw(_steptp.seeded_inputs(_open(source, signature), _natural(seed, "seed")))


def tokens(source: Source) -> TokenCounts:
    """How many tokens of Qwen3 the program takes, without its header lines, in each profile.

    >>> tokens("B^{4}_{tx=0}[C^{f32,g}_{tx}=1;];").paper > tokens("B^{4}_{tx=0}[C^{f32,g}_{tx}=1;];").compact
    True
    """
    return TokenCounts(*_steptp.tokens(_open(source).program))


def count_tokens(text: str) -> int:
    """How many tokens of Qwen3 any text takes."""
    return _steptp.count_tokens(_utf8(text))


def encode(text: str) -> list[int]:
    """The Qwen3 token ids of a text.

    >>> decode(encode("B^{4}_{tx=0}"))
    'B^{4}_{tx=0}'
    """
    return _steptp.encode(_utf8(text))


def decode(ids: Iterable[int], *, skip_special: bool = False) -> str:
    """The text of token ids. Ids without a token give nothing; a character cut in half becomes U+FFFD."""
    numbers = [operator.index(number) for number in ids]
    for number in numbers:
        if not 0 <= number < 2**32:
            raise ValueError(f"a token id is a number from 0 to 2^32-1, not {number}")
    return _steptp.decode(numbers, skip_special)


def grammar(profile: str = "paper", target: str = "program", published: bool = False) -> str:
    """The grammar of a profile as GBNF, for constrained decoding with xgrammar (vLLM, SGLang) or llama.cpp.

    `target` is "program", or "answer" or "answers" for the envelope in which a model answers. With `published` our
    extensions are left out: no guards, no extension functions.

    >>> grammar("compact").splitlines()[0].startswith("root ::=")
    True
    """
    return _steptp.grammar(profile, target, published)


def canonical(source: Source) -> Program:
    """The program with generated names for loops and intermediates.

    >>> canonical("B^{4}_{tx=0}L^{2}_{q=0}[W^{f32,g}_{tx,q}=1;];").to_text().strip()
    'B^{4}_{tx=0}L^{2}_{a=0}[A^{f32,g}_{tx,a}=1;];'
    """
    return _steptp.canonical(_open(source).program)


def same_up_to_renaming(left: Source, right: Source) -> bool:
    """Whether two programs differ at most in the names of their loops and intermediates."""
    return _steptp.same_up_to_renaming(_open(left).program, _open(right).program)

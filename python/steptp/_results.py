"""What the verbs answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Union

from ._errors import Diagnostic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._steptp import Program

    Array = NDArray[Any]
else:
    Array = Any

Number = Union[bool, int, float]


@dataclass(frozen=True)
class CheckReport:
    """The answer of `check`.

    `ok` is True where every property is proved, possibly under the assumptions in `assumes`; False where one is
    refuted; "unknown" otherwise. "unknown" is true as a condition like any text: ask ``report.ok is True``.
    """

    ok: bool | Literal["unknown"]
    extended: bool
    assumes: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The diagnostics that are errors."""
        return tuple(item for item in self.diagnostics if item.severity == "error")

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """The diagnostics that are warnings."""
        return tuple(item for item in self.diagnostics if item.severity == "warning")

    def to_dict(self) -> dict[str, Any]:
        """The object that ``steptp check --json`` prints."""
        return {
            "ok": self.ok,
            "extended": self.extended,
            "assumes": list(self.assumes),
            "diagnostics": [item.to_dict() for item in self.diagnostics],
        }


@dataclass(frozen=True)
class Counterexample:
    """An input at which two programs differ.

    The values are decimals, to as many digits as were certified or are useful, for people; the inputs are the first
    that the element of `before` depends on, such as ``{"A[0,3]": "0.25"}``. Where the inputs are written out, `given`
    holds all of them: ``{"fill": {"A": "1"}, "elements": [{"name": "A", "index": [0, 3], "value": "0.25"}]}``, the fill
    for what is not listed; otherwise they follow from `draw` and `seed`, which say where the difference was found.
    `representable` says that every input is a value of its type.
    """

    output: str
    index: tuple[int, ...]
    seed: int
    draw: str
    before: str
    after: str
    inputs: Mapping[str, str]
    given: Mapping[str, Any] | None
    representable: bool

    def to_dict(self) -> dict[str, Any]:
        """The object that ``steptp verify --json`` prints."""
        return {**vars(self), "index": list(self.index), "inputs": dict(self.inputs)}


Verdict = Literal["proved", "exact", "numeric", "differs", "undecided", "invalid"]


@dataclass(frozen=True)
class Judgement:
    """The answer of `verify`. As a condition it is true where the programs are equal: proved or exact.

    "numeric" is evidence: it is true only where the caller of `verify` said ``accept="numeric"``.
    """

    verdict: Verdict
    same: bool
    safe: bool | None
    safe_by: Literal["proof", "search"] | None
    safe_range: str | tuple[float, float]
    stable: bool | None
    vacuous: tuple[str, ...]
    fills_vacuous: bool
    degenerate: bool
    independent_of: tuple[str, ...]
    bound_log2: float | None
    points: int
    agree_bits: int | None
    assumes: tuple[str, ...]
    reason: str
    counterexample: Counterexample | None
    work: int
    seed: int | None = None
    #: Of equal programs that are not safe: the element, what goes wrong there by error bounds and the inputs, as
    #: ``{"output": "D", "index": [0], "what": "an overflow", "safe_range": "middle", "given": {...}}``.
    unsafe: Mapping[str, Any] | None = None
    id: str = ""
    accepts_numeric: bool = field(default=False, repr=False)

    def __bool__(self) -> bool:
        return self.verdict in ("proved", "exact") or (self.accepts_numeric and self.verdict == "numeric")

    @classmethod
    def _from_dict(cls, answer: dict[str, Any], *, accepts_numeric: bool = False) -> Judgement:
        found = answer["counterexample"]
        if found is not None:
            found = Counterexample(**{**found, "index": tuple(found["index"])})
        lists = {key: tuple(answer[key]) for key in ("vacuous", "independent_of", "assumes")}
        if isinstance(answer["safe_range"], list):
            lists["safe_range"] = tuple(answer["safe_range"])
        return cls(**{**answer, **lists, "counterexample": found}, accepts_numeric=accepts_numeric)

    def to_dict(self) -> dict[str, Any]:
        """The object that ``steptp verify --json`` prints."""
        found = self.counterexample
        return {
            "id": self.id,
            **{key: value for key, value in vars(self).items() if key not in ("id", "accepts_numeric", "unsafe")},
            **({} if self.unsafe is None else {"unsafe": self.unsafe}),
            "vacuous": list(self.vacuous),
            "independent_of": list(self.independent_of),
            "assumes": list(self.assumes),
            "safe_range": list(self.safe_range) if isinstance(self.safe_range, tuple) else self.safe_range,
            "counterexample": None if found is None else found.to_dict(),
        }


@dataclass(frozen=True)
class Statistics:
    """An output in a few numbers; `min`, `max` and `mean` are of its finite elements, 0 where there are none."""

    checksum: str
    count: int
    nan: int
    inf: int
    min: float
    max: float
    mean: float


class RunResult(Mapping[str, "Array"]):
    """The answer of `run`: a mapping from the names of the outputs to numpy arrays, in the order of the names.

    `statistics` has a summary of each output. Where elements were chosen, `elements` holds their values under names
    such as "D[0,3]", and the mapping is empty. `operations` and `executions` count the work done.
    """

    outputs: dict[str, Array]
    statistics: dict[str, Statistics]
    elements: dict[str, Number]
    operations: int
    executions: int

    def __init__(self, answer: dict[str, Any], outputs: dict[str, Array], executions: int, real: set[str]) -> None:
        """`answer` is that of the command line, where 6.0 is 6 and inf a text; the outputs in `real` are floats."""
        self._answer = answer
        self.outputs = outputs
        self.statistics = {
            entry["name"]: Statistics(
                entry["checksum"],
                entry["count"],
                entry["nan"],
                entry["inf"],
                float(entry["min"]),
                float(entry["max"]),
                float(entry["mean"]),
            )
            for entry in answer.get("outputs", [])
        }
        self.elements = {
            element_name(entry["name"], entry["index"]): float(entry["value"]) if entry["name"] in real else entry["value"]
            for entry in answer.get("elements", [])
        }
        self.operations = answer["operations"]
        self.executions = executions

    def __getitem__(self, name: str) -> Array:
        return self.outputs[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.outputs)

    def __len__(self) -> int:
        return len(self.outputs)

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        arrays = ", ".join(f"{name}: {array.dtype}{list(array.shape)}" for name, array in self.items())
        chosen = ", ".join(f"{name} = {value}" for name, value in self.elements.items())
        return f"<steptp.RunResult {arrays or chosen}>"

    def to_dict(self) -> dict[str, Any]:
        """The object that ``steptp run --json`` prints."""
        return dict(self._answer)


@dataclass(frozen=True)
class Applied:
    """A program after a step, the step as `replay` takes it, the facts of the change, where each nest, loop, equation,
    left side and read is now (addresses before to addresses after), and the step in words where they were asked
    for."""

    program: Program
    step: dict[str, Any]
    facts: dict[str, Any]
    map: dict[str, list[str]]
    reasoning: str | None = None


@dataclass(frozen=True)
class JudgedRecipe:
    """The answer of `judge_recipe`. As a condition it is true where the end equals the root: proved or exact.

    `steps` has an object for each step: step, strategy, choice, verdict, bound_log2, safe, safe_by, seed, reason.
    `worst` is the worst grade of a step and `bound_log2` the logarithm of the sum of their chances of error, None where
    no chance played a part. `end` is the judgement of the last program against the root; `safe` is asked of that pair
    whenever all steps are equal. `verdict` is the better of `worst` and the verdict of `end`, unless `end` differs.
    """

    program: Program
    steps: tuple[Mapping[str, Any], ...]
    worst: Verdict
    bound_log2: float | None
    verdict: Verdict
    safe: bool | None
    end: Judgement

    def __bool__(self) -> bool:
        return self.verdict in ("proved", "exact")


@dataclass(frozen=True)
class Lowered:
    """The text of a back end; of CUDA also the launch list: fills, kernels with grid and block, workspace, steps."""

    text: str
    launches: dict[str, Any] | None = None

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class TokenCounts:
    """How many tokens a program takes in each profile."""

    paper: int
    compact: int


def element_name(tensor: str, index: list[int] | tuple[int, ...]) -> str:
    return f"{tensor}[{','.join(map(str, index))}]" if index else tensor

"""Verified steps on tensor programs.

The verbs of the command line are functions here: `read`, `fmt`, `check`, `run`, `verify`, `choices`, `apply`,
`replay`, `moves`, `tokens`, `grammar` and more; those of `steptp dataset` are in `steptp.dataset`.
A program is a `Program`, or wherever one is wanted its text or the path of its file. Inputs that cannot be used raise
`DiagnosticError`, which carries the messages as data; runs that fail raise `RunError`.
"""

from . import dataset, rewards
from ._cursor import PlanCursor, PlanSpace, plan_vocabulary, replay_sentence
from ._devices import device_rates, estimate
from ._evaluate import evaluate, prompt
from ._errors import (
    BudgetError,
    Diagnostic,
    DiagnosticError,
    DiagnosticWarning,
    InputError,
    RefusedError,
    RunError,
    SteptpError,
)
from ._moves import Moved, apply_move, make_plan, move_choices, moves, replay_plan, retune
from ._optimize import Optimized, check_module, load, optimize
from ._results import (
    Applied,
    CheckReport,
    Counterexample,
    JudgedRecipe,
    Judgement,
    Lowered,
    RunResult,
    Statistics,
    TokenCounts,
)
from ._search import Found, read_search, search
from ._signature import Variable, from_json as _signature_from_json
from ._steptp import Program
from ._torch import TorchOrigin, from_torch, import_model, to_torch
from ._verbs import (
    apply,
    canonical,
    check,
    choices,
    count_tokens,
    decode,
    encode,
    explain,
    fmt,
    grammar,
    judge_recipe,
    lower,
    read,
    replay,
    run,
    same_up_to_renaming,
    seeded_inputs,
    strategies,
    time,
    tokens,
    verify,
)
from ._zoo import ZooProgram, from_graph, zoo_draw, zoo_list, zoo_show

Program.__module__ = "steptp"
for _exception in (BudgetError, DiagnosticError, DiagnosticWarning, InputError, RefusedError, RunError, SteptpError):
    _exception.__module__ = "steptp"
Program.signature = property(  # type: ignore[assignment]
    lambda self: _signature_from_json(self._signature_json), doc="The known variables, in order."
)

__all__ = [
    "Applied",
    "BudgetError",
    "CheckReport",
    "Counterexample",
    "Diagnostic",
    "DiagnosticError",
    "DiagnosticWarning",
    "Found",
    "InputError",
    "JudgedRecipe",
    "Judgement",
    "Lowered",
    "Moved",
    "Optimized",
    "PlanCursor",
    "PlanSpace",
    "Program",
    "RefusedError",
    "RunError",
    "RunResult",
    "Statistics",
    "SteptpError",
    "TokenCounts",
    "TorchOrigin",
    "Variable",
    "ZooProgram",
    "apply",
    "apply_move",
    "canonical",
    "check",
    "check_module",
    "choices",
    "count_tokens",
    "dataset",
    "decode",
    "device_rates",
    "encode",
    "estimate",
    "evaluate",
    "explain",
    "fmt",
    "from_graph",
    "from_torch",
    "grammar",
    "import_model",
    "judge_recipe",
    "load",
    "lower",
    "make_plan",
    "move_choices",
    "moves",
    "optimize",
    "plan_vocabulary",
    "prompt",
    "read",
    "read_search",
    "replay",
    "replay_plan",
    "replay_sentence",
    "retune",
    "rewards",
    "run",
    "search",
    "same_up_to_renaming",
    "seeded_inputs",
    "to_torch",
    "strategies",
    "time",
    "tokens",
    "verify",
    "zoo_draw",
    "zoo_list",
    "zoo_show",
]
__version__ = "0.1.0"

"""What program a group runs: the fast form of the one that it came as, from the store, by a plan, or by a search that measures."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import torch

from .._errors import SteptpError
from .._optimize import Optimized, optimize_program
from .._search import search
from .options import Options
from .store import Store, default_folder, key_of


def device_name(device: torch.device) -> str:
    """The table of rates that plans are made for."""
    if device.type == "cpu":
        return "cpu"
    name = torch.cuda.get_device_name(device).lower()
    return "nvidia-a100" if "a100" in name else "nvidia-h200"


def device_identity(device: torch.device) -> str:
    """What a plan on disk depends on besides the program: another GPU, another driver."""
    if device.type == "cpu":
        return f"cpu {os.cpu_count()}"
    about = torch.cuda.get_device_properties(device)
    return f"{about.name} {about.major}.{about.minor} {about.total_memory} cuda {torch.version.cuda}"


def planned(program: Any, device: torch.device, options: Options, store: Store) -> tuple[dict[str, Any], bool]:
    """The entry of a program: its fast form with all that supports it, from the store or made now."""
    text = program.to_text()
    if text in store.saved:
        return store.saved[text], True
    name = device_name(device)
    settings = f"{options.verify} {options.require_safe} {options.samples if options.verify else 0}"
    key = key_of(text, name, device_identity(device), settings)
    entry = store.find(key)
    if entry is not None and _is_entry(entry, text):
        return entry, True
    entry = _made(program, name, options) if options.verify else _as_it_came(text)
    store.put(key, entry)
    return entry, False


def _as_it_came(text: str) -> dict[str, Any]:
    entry: dict[str, Any] = {"root": text, "program": text, "plan": {}, "verdict": "not judged", "safe": None, "expected_s": None}
    entry |= {"vanilla_s": None, "fallback": True, "reason": "verify is off: the program runs as it came"}
    return entry | {"explanation": "", "files": {}, "searched": None}


def _made(program: Any, name: str, options: Options) -> dict[str, Any]:
    """A plan without measuring, or the one that a search has measured to be the fastest."""
    made, searched = None, None
    if options.samples:
        made, searched = _measured(program, name, options)
    if made is None:
        made = optimize_program(program, name, require_safe=options.require_safe)
    return {
        "root": program.to_text(),
        "program": made.program.to_text(),
        "plan": made.plan,
        "verdict": made.verdict,
        "safe": made.safe,
        "expected_s": made.expected_s,
        "vanilla_s": made.vanilla_s,
        "fallback": made.fallback,
        "reason": made.reason,
        "explanation": made.explanation,
        "files": made.files,
        "searched": searched,
    }


def _measured(program: Any, name: str, options: Options) -> tuple[Optimized | None, dict[str, Any]]:
    """The winner of a search on this machine, judged once more as a plan; None where there is no winner with a plan. What
    came of the search is said in words either way."""
    where = "cpu" if name == "cpu" else "cuda"
    try:
        found = search(program, where, target=name, samples=options.samples)
    except (SteptpError, ValueError, RuntimeError) as error:
        return None, {"samples": 0, "stop": f"the search failed: {error}"}
    about: dict[str, Any] = {"samples": found.samples, "stop": found.stop, "seconds": found.seconds, "outcomes": dict(found.outcomes)}
    if not found.plan or found.verdict not in ("proved", "exact") or (options.require_safe and not found.safe):
        return None, about
    made = optimize_program(program, name, plan=found.plan, require_safe=options.require_safe)
    return (None if made.fallback else made), about


_FIELDS = {"root", "program", "plan", "verdict", "safe", "expected_s", "vanilla_s", "fallback", "reason", "explanation", "files", "searched"}


def _is_entry(entry: dict[str, Any], root: str) -> bool:
    return set(entry) == _FIELDS and entry["root"] == root


#: As it came a program runs on one thread of a GPU, and in one order on a CPU. What takes longer than this is cut.
_SLOW_AS_IT_CAME_S = 1e-4
#: Where a part of a program has a plan and another runs on one thread of a GPU: what takes longer than this is cut.
_SLOW_IN_PART_S = 1e-3


def why_not_as_it_came(entry: dict[str, Any], device: torch.device, operators: int) -> str | None:
    """Why a program without a plan, or with one for a part only, is not run. Of several operators each may have a plan where
    all of them together have none; a single one is slow on a CPU, and hopeless on a GPU."""
    expected, reason = entry["expected_s"], entry["reason"]
    if entry["fallback"]:
        is_slow = expected is not None and expected > _SLOW_AS_IT_CAME_S
    else:
        in_part = device.type == "cuda" and re.search("stays? as (it|they) came", reason or "") is not None
        is_slow = in_part and expected is not None and expected > _SLOW_IN_PART_S
    if is_slow and (operators > 1 or device.type == "cuda"):
        return f"it is expected to take {expected:.3g} s, because there is no whole plan for it: {reason}"
    return None


def store_of(options: Options) -> Store:
    if options.cache == "off":
        return Store(None)
    return Store(default_folder() if options.cache is None else Path(options.cache))

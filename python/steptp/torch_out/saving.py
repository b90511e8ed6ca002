"""What `save` wrote, judged before it is used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch

from .._errors import SteptpError
from .._optimize import optimize_program
from .._verbs import check, read, verify
from .planning import device_name
from .store import FORMAT


def saved(root: Path) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """What a folder says about itself, and its programs by the text of their roots. Each is judged before it is used."""
    try:
        about = json.loads((root / "optimized.json").read_text())
        if about["format"] != FORMAT:
            raise ValueError(f"the format {about['format']!r} is not {FORMAT}")
        named = [(str(group["folder"]), str(group["device"])) for group in about["groups"]]
        dict(about["options"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SteptpError(f"{root / 'optimized.json'} is not what save() writes: {error}") from None
    entries = {}
    for name, device in named:
        if Path(name).name != name:
            raise SteptpError(f"{root / 'optimized.json'} names a folder outside of its own: {name}")
        entry = _saved_group(root / name, device)
        entries[entry["root"]] = entry
    return about, entries


def _saved_group(folder: Path, device: str) -> dict[str, Any]:
    files = {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}
    try:
        root, program = read(files["root.leir"]), read(files["program.leir"])
        plan = json.loads(files.get("plan.json", "{}"))
    except (KeyError, ValueError, SteptpError) as error:
        raise SteptpError(f"{folder.name} is not what save() writes: {error}") from None
    if program == root:
        verdict, safe = "proved", True
    elif check(program).ok is not True:
        raise SteptpError(f"{folder.name}/program.leir reads or writes where nobody can show that it may")
    else:
        answer = verify(root, program)
        if answer.verdict not in ("proved", "exact"):
            made = optimize_program(root, _rates(device), plan=plan) if plan.get("moves") else None
            if made is None or made.program != program or made.fallback:
                raise SteptpError(f"{folder.name}/program.leir cannot be shown to compute what root.leir does: {answer.verdict}")
            verdict, safe = made.verdict, made.safe
        else:
            verdict, safe = answer.verdict, answer.safe
    text = root.to_text()
    return {"root": text, "program": program.to_text(), "plan": plan, "verdict": verdict, "safe": safe, "expected_s": None,
            "vanilla_s": None, "fallback": program == root, "reason": "as it was saved" if program == root else None,
            "explanation": files.get("plan.txt", ""), "files": files, "searched": None}


def _rates(device: str) -> str:
    return device_name(torch.device(device))

"""Datasets of verified steps: `steptp dataset build|merge|export|stats|validate|show` as functions.

>>> import steptp.dataset
>>> steptp.dataset.settings()["programs"]
6335

Settings are keywords, by the names that ``steptp dataset build --help`` has, with underscores; a file of settings goes
in as `config`. Ctrl-C stops a build and leaves what is done: the same call goes on with it. `progress` is called with
how much is done, how much there is to do, and a few words.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from . import _steptp

Path = str | os.PathLike[str]
#: Called with how much is done, how much there is to do, and a few words; of a build, "312 entries".
Progress = Callable[[int, int, str], Any]

__all__ = ["build", "export", "merge", "settings", "show", "stats", "validate"]


def settings(config: Path | dict[str, Any] | None = None, **given: Any) -> dict[str, Any]:
    """All settings of a build: the defaults, those of `config`, and those given, checked as a build checks them.

    As on the command line, `programs` without `config` brings all other counts with it.

    >>> settings(programs=100)["entries"]
    566
    """
    return json.loads(_steptp.dataset_settings(_config_text(config), _setting_texts(given)))


def build(
    out: Path,
    *,
    config: Path | dict[str, Any] | None = None,
    imports: Sequence[Path] = (),
    jobs: int = 0,
    shard: tuple[int, int] = (0, 1),
    export: bool = True,
    python: str | None = None,
    time_limit: float = 0.0,
    program_timeout: float = 600.0,
    progress: Progress | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """Makes a dataset in a folder, or goes on with one, and exports it.

    The answer has "end": "complete", "shard" (all parts of `shard` are there, `merge` makes the dataset) or "stopped"
    (`time_limit` seconds are over; the same call goes on); "quarantined": programs that ended their process; where it
    is complete also "summary", and with `export` "manifest". Raises DiagnosticError where it cannot go on.
    """
    options = {
        "out": os.fspath(out),
        "imports": [os.fspath(path) for path in imports],
        "jobs": _count(jobs, "jobs"),
        "shard": _count(shard[0], "shard"),
        "shards": _count(shard[1], "shard"),
        "export": bool(export),
        "python": python or sys.executable or "python3",
        "time_limit": _seconds(time_limit, "time_limit"),
        "program_timeout": _seconds(program_timeout, "program_timeout"),
    }
    if not 0 <= options["shard"] < options["shards"]:
        raise ValueError(f"shard is (i, n) with 0 <= i < n, not {shard}")
    answer = _steptp.dataset_build(_config_text(config), _setting_texts(settings), json.dumps(options), progress)
    return json.loads(answer)


def merge(
    folders: Sequence[Path],
    out: Path,
    *,
    imports: Sequence[Path] = (),
    jobs: int = 0,
    export: bool = True,
    python: str | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """One dataset out of the shards of a build; the answer is that of `build`."""
    options = {
        "out": os.fspath(out),
        "imports": [os.fspath(path) for path in imports],
        "jobs": _count(jobs, "jobs"),
        "export": bool(export),
        "python": python or sys.executable or "python3",
    }
    names = [os.fspath(folder) for folder in folders]
    return json.loads(_steptp.dataset_merge(names, json.dumps(options), progress))


def export(
    folder: Path,
    out: Path | None = None,
    *,
    configs: Sequence[str] = (),
    max_tokens: int = 0,
    only_useful: bool = False,
    near_misses: int = 2000,
    trajectories: int = 200,
    seed: int = 1,
    jobs: int = 0,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Training files of a finished build, in its own folder or in another; the answer is the manifest."""
    options = {
        "out": "" if out is None else os.fspath(out),
        "configs": list(configs),
        "max_tokens": _count(max_tokens, "max_tokens"),
        "only_useful": bool(only_useful),
        "near_misses": _count(near_misses, "near_misses"),
        "trajectories": _count(trajectories, "trajectories"),
        "seed": _count(seed, "seed"),
        "jobs": _count(jobs, "jobs"),
    }
    return json.loads(_steptp.dataset_export(os.fspath(folder), json.dumps(options), progress))


def stats(folder: Path, *, html: Path | None = None, progress: Progress | None = None) -> dict[str, Any]:
    """What a build consists of, before and after the filter; with `html` also as a page with plots."""
    return json.loads(_steptp.dataset_stats(os.fspath(folder), "" if html is None else os.fspath(html), progress))


def validate(
    folder: Path, *, judge: int | None = 200, jobs: int = 0, progress: Progress | None = None
) -> dict[str, Any]:
    """Reads an export again and checks every row; `judge` rows are judged again, all of them with None.

    The answer has "ok", counts, and "problems": each with "file", "row" and "what".
    """
    judged = -1 if judge is None else _count(judge, "judge")
    return json.loads(_steptp.dataset_validate(os.fspath(folder), judged, _count(jobs, "jobs"), progress))


def show(
    folder: Path,
    *,
    table: str = "chat/full/single",
    split: str | None = None,
    row: int = 0,
    strategy: str = "",
    difficulty: str = "",
    most_tokens: int = 0,
    least_usefulness: float = 0.0,
) -> dict[str, Any]:
    """One row of an export; without a split that of train, or of the only split that has rows.

    Only rows with all that is wanted are counted: an answer of this strategy or difficulty, at most so many tokens of
    question and answer together (0: any number), an expected saving of at least this share of the time.
    """
    wanted = (strategy, difficulty, _count(most_tokens, "most_tokens"), float(least_usefulness))
    return json.loads(_steptp.dataset_show(os.fspath(folder), table, split or "", _count(row, "row"), *wanted))


def _count(number: int, name: str) -> int:
    if number < 0:
        raise ValueError(f"{name} is at least 0, not {number}")
    return int(number)


def _seconds(number: float, name: str) -> float:
    if not number >= 0:
        raise ValueError(f"{name} is at least 0, not {number}")
    return float(number)


def _config_text(config: Path | dict[str, Any] | None) -> str:
    if config is None:
        return ""
    if isinstance(config, dict):
        return json.dumps(config)
    with open(config, encoding="utf-8") as file:
        return file.read()


def _setting_texts(given: dict[str, Any]) -> dict[str, str]:
    """As the command line writes them: lists with commas, three numbers with slashes."""

    def text(value: Any) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, dict):
            return "/".join(str(value[key]) for key in ("difficult", "medium", "easy"))
        if isinstance(value, (list, tuple)):
            return ",".join(str(item) for item in value)
        return str(value)

    return {key: text(value) for key, value in given.items()}

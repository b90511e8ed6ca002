"""What measures: a table that was recorded, the analytic model, or a real device by `steptp time`."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Sequence

from .database import read_database
from .space import Space, SpaceError

# One call of `steptp time` takes so many programs by turns.
PROGRAMS_AT_ONCE = 16


@dataclass(frozen=True)
class Candidate:
    subgraph: str  # its id
    space: Space
    values: tuple[int, ...]


class Device(Protocol):
    name: str

    def measure(self, candidates: Sequence[Candidate]) -> list[dict[str, Any]]:
        """A row for each candidate, with "outcome" and, where that is "ok", "median_s"."""


class RecordedDevice:
    """Answers from a database, the same on every day: for tests, and to replay searches on a table."""

    def __init__(self, path: str | Path) -> None:
        self.name = f"recorded:{Path(path).name}"
        self._rows = {(row["subgraph"], tuple(row["values"])): row for row in read_database(path)}

    def measure(self, candidates: Sequence[Candidate]) -> list[dict[str, Any]]:
        return [self._answer(candidate) for candidate in candidates]

    def _answer(self, candidate: Candidate) -> dict[str, Any]:
        row = self._rows.get((candidate.subgraph, candidate.values))
        if row is None:
            return {"outcome": "not_recorded", "reason": "the table has no measurement of this program"}
        keys = ("outcome", "median_s", "spread_s", "least_s", "samples", "leir", "reason")
        return {key: row[key] for key in keys if key in row}


class AnalyticDevice:
    """What the model of the device expects. The program is finished, so that what cannot be made is a failure here too."""

    def __init__(self, target: str) -> None:
        self.name = f"analytic:{target}"

    def measure(self, candidates: Sequence[Candidate]) -> list[dict[str, Any]]:
        return [self._answer(candidate) for candidate in candidates]

    def _answer(self, candidate: Candidate) -> dict[str, Any]:
        finished, row = finish(candidate)
        if finished is None:
            return row
        try:
            return {**row, "outcome": "ok", "median_s": candidate.space.expected_seconds(candidate.values)}
        except SpaceError as error:
            return {**row, "outcome": "no_estimate", "reason": str(error)}


def finish(candidate: Candidate) -> tuple[str | None, dict[str, Any]]:
    """The finished program as a document, and what a row says of it; no document and a failure otherwise."""
    try:
        document = candidate.space.finish(candidate.values)["leir"]
    except SpaceError as error:
        return None, {"outcome": "not_finished", "reason": str(error)}
    return document, {"leir": hashlib.sha256(document.encode()).hexdigest()}


class RealDevice:
    """Programs are compiled, run, compared with certified values and timed by `steptp time`, in processes of their own."""

    def __init__(self, binary: str | Path, kind: str, budget: float, threads: int = 0, seed: int = 0) -> None:
        self.name = kind
        self.binary, self.budget, self.threads, self.seed = str(binary), budget, threads, seed

    def measure(self, candidates: Sequence[Candidate]) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        for begin in range(0, len(candidates), PROGRAMS_AT_ONCE):
            part = candidates[begin : begin + PROGRAMS_AT_ONCE]
            # Programs of one call have one root.
            for subgraph in dict.fromkeys(candidate.subgraph for candidate in part):
                rows += self._measure_one_root([one for one in part if one.subgraph == subgraph])
        return rows

    def _measure_one_root(self, candidates: Sequence[Candidate]) -> list[dict[str, Any]]:
        begin = time.monotonic()
        finished = [finish(candidate) for candidate in candidates]
        seconds = {"finish": round((time.monotonic() - begin) / len(candidates), 6)}
        rows = [{**row, "seconds": dict(seconds)} for _, row in finished]
        places = [place for place, (document, _) in enumerate(finished) if document is not None]
        if not places:
            return rows
        with tempfile.TemporaryDirectory(prefix="steptp-tlm-") as folder:
            root = Path(folder, "root.leir")
            root.write_text(candidates[0].space.document)
            paths = []
            for place in places:
                paths.append(Path(folder, f"candidate_{place}.leir"))
                paths[-1].write_text(finished[place][0] or "")
            for place, answer in zip(places, self._time(root, paths)):
                rows[place].update(self._row(answer, rows[place]["seconds"]))
        return rows

    def _time(self, root: Path, paths: Sequence[Path]) -> list[dict[str, Any]]:
        against = ["--against", *map(str, paths[1:])] if len(paths) > 1 else []
        command = [self.binary, "time", str(paths[0]), *against, "--root", str(root), "--json", "--device", self.name,
                   "--budget", str(self.budget), "--threads", str(self.threads), "--seed", str(self.seed)]
        done = subprocess.run(command, capture_output=True, text=True)
        try:
            programs = json.loads(done.stdout)["programs"]
            if len(programs) == len(paths):
                return programs
            reason = f"it answered for {len(programs)} of {len(paths)} programs"
        except (ValueError, KeyError, TypeError):
            reason = f"it ended with status {done.returncode}: {done.stderr.strip()[-300:]}"
        return [{"status": "failed", "error": "time", "reason": f"`steptp time`: {reason}"}] * len(paths)

    @staticmethod
    def _row(answer: dict[str, Any], seconds: dict[str, float]) -> dict[str, Any]:
        cost = answer.get("cost_ms", {})
        seconds.update({name: round(cost[name] / 1e3, 6) for name in ("preparing", "running", "ending") if name in cost})
        if answer["status"] != "ok" or answer.get("implausible"):
            outcome = answer.get("error") or ("implausible" if answer.get("implausible") else answer["status"])
            return {"outcome": outcome, "reason": answer.get("reason", ""), "seconds": seconds}
        return {"outcome": "ok", "median_s": answer["median_s"], "spread_s": answer["spread_s"],
                "least_s": answer["min_s"], "samples": answer["samples"], "seconds": seconds}


def usual_binary() -> Path:
    """$STEPTP_BINARY, the one beside this package (a portable folder), or that of a clone's build."""
    named = os.environ.get("STEPTP_BINARY")
    here = Path(__file__).resolve().parent.parent
    for path in ([Path(named)] if named else [here / "steptp", here.parent / "build" / "steptp"]):
        if path.is_file():
            return path
    raise FileNotFoundError(f"the binary steptp is not in {here} nor in {here.parent / 'build'}; $STEPTP_BINARY says where")


def open_device(name: str, target: str, budget: float, threads: int = 0) -> Device:
    """`recorded:FILE`, `analytic`, `cpu` or `cuda`."""
    if name.startswith("recorded:"):
        return RecordedDevice(name.removeprefix("recorded:"))
    if name == "analytic":
        return AnalyticDevice(target)
    if name in ("cpu", "cuda"):
        return RealDevice(usual_binary(), name, budget, threads)
    raise ValueError(f"{name!r} is no device; there are cpu, cuda, analytic and recorded:FILE")

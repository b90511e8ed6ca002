"""What measures: a table that was recorded, the analytic model, or a real device by `steptp time`."""

from __future__ import annotations

import hashlib
import json
import math
import os
import queue
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Protocol, Sequence

from .database import read_database
from .space import Space, SpaceError


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


class Service:
    """One `steptp tlm measure`, which answers line by line. A new one is started where it has ended."""

    def __init__(self, command: Sequence[str]) -> None:
        self.command = list(command)
        self._process: subprocess.Popen[str] | None = None

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        if self._process is None:
            self._process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdin and self._process.stdout
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            return json.loads(self._process.stdout.readline())
        except (OSError, ValueError):
            self.close()
            return {"status": "failed", "error": "service", "reason": "`steptp tlm measure` ended without an answer"}

    def close(self) -> None:
        if self._process is None:
            return
        for end in (self._process.stdin, self._process.stdout):
            if end:
                try:
                    end.close()
                except OSError:
                    pass
        self._process.kill()
        self._process.wait()
        self._process = None


class RealDevice:
    """Programs are compiled, run, compared with certified values and timed by `steptp tlm measure`. With several
    services they are compiled side by side and measured by turns. A program that the analytic model expects to be
    slower than `slowest` is a failure without being run: runs of seconds would be most of the time."""

    def __init__(self, binary: str | Path, kind: str, budget: float, threads: int = 0, services: int = 1,
                 slowest: float = math.inf) -> None:
        self.name, self.slowest, self.parallel = kind, slowest, services
        command = [str(binary), "tlm", "measure", "--device", kind, "--budget", str(budget), "--spread", "0.02",
                   "--threads", str(threads), "--timeout", "60", "--slow", "0.002"]
        self._free: queue.SimpleQueue[Service] = queue.SimpleQueue()
        self._services = [Service(command) for _ in range(services)]
        for service in self._services:
            self._free.put(service)

    def close(self) -> None:
        for service in self._services:
            service.close()

    def measure(self, candidates: Sequence[Candidate]) -> list[dict[str, Any]]:
        return self._in_groups(candidates, self._measure_one)

    def compile(self, candidates: Sequence[Candidate]) -> list[dict[str, Any]]:
        """Compiles programs and keeps the code, so that `measure` finds it."""
        return self._in_groups(candidates, self._compile_one)

    def prepare_roots(self, documents: Sequence[str]) -> list[dict[str, Any]]:
        """Evaluates what candidates of these programs are compared with, and keeps it."""
        return self._side_by_side(lambda document, service: service.ask({"root": document}), documents)

    def _in_groups(self, candidates: Sequence[Candidate], work: Callable[[Candidate, Service], dict[str, Any]]) -> list[dict[str, Any]]:
        """Candidates of one root go to one service, which has the root's data."""
        groups: dict[str, list[int]] = {}
        for place, candidate in enumerate(candidates):
            groups.setdefault(candidate.subgraph, []).append(place)
        rows: list[dict[str, Any]] = [{} for _ in candidates]

        def all_of(places: list[int], service: Service) -> None:
            for place in places:
                rows[place] = work(candidates[place], service)

        self._side_by_side(all_of, list(groups.values()))
        return rows

    def _side_by_side(self, work: Callable[[Any, Service], Any], items: Sequence[Any]) -> list[Any]:
        def one(item: Any) -> Any:
            service = self._free.get()
            try:
                return work(item, service)
            finally:
                self._free.put(service)

        if self.parallel == 1:
            return [one(item) for item in items]
        with ThreadPoolExecutor(self.parallel) as pool:
            return list(pool.map(one, items))

    def _made(self, candidate: Candidate) -> tuple[str | None, dict[str, Any]]:
        """The program to run; without one, the row of the failure."""
        begin = time.monotonic()
        if math.isfinite(self.slowest):
            expected = candidate.space.all_expected_seconds([candidate.values])[0]
            if expected > self.slowest:
                reason = f"expected to take {expected * 1e3:.3g} ms, and more than {self.slowest * 1e3:.3g} ms is not run"
                return None, {"outcome": "expected_too_slow", "reason": reason}
        document, row = finish(candidate)
        return document, {**row, "seconds": {"finish": round(time.monotonic() - begin, 6)}}

    def _measure_one(self, candidate: Candidate, service: Service) -> dict[str, Any]:
        document, row = self._made(candidate)
        if document is None:
            return row
        begin = time.monotonic()
        answer = service.ask({"root": candidate.space.document, "program": document})
        row["seconds"]["whole"] = round(time.monotonic() - begin, 6)
        return {**row, **row_of(answer, row["seconds"])}

    def _compile_one(self, candidate: Candidate, service: Service) -> dict[str, Any]:
        document, row = self._made(candidate)
        if document is None:
            return row
        return {**row, **service.ask({"root": candidate.space.document, "program": document, "compile": True})}


def row_of(answer: dict[str, Any], seconds: dict[str, float]) -> dict[str, Any]:
    """What `steptp time` says of one program, as part of a row."""
    cost = answer.get("cost_ms", {})
    seconds.update({name: round(cost[name] / 1e3, 6) for name in ("preparing", "running", "ending") if name in cost})
    if "compile_ms" in answer:
        seconds["compile"] = round(answer["compile_ms"] / 1e3, 6)
    if answer.get("status") != "ok" or answer.get("implausible"):
        outcome = answer.get("error") or ("implausible" if answer.get("implausible") else answer.get("status", "failed"))
        return {"outcome": outcome, "reason": answer.get("reason", ""), "seconds": seconds}
    return {"outcome": "ok", "median_s": answer["median_s"], "spread_s": answer["spread_s"],
            "least_s": answer["min_s"], "samples": answer["samples"], "seconds": seconds}


def time_by_turns(binary: str | Path, kind: str, budget: float, root: str, documents: Sequence[str]) -> list[dict[str, Any]]:
    """What `steptp time` says of several programs of one root, which it measures by turns in one process."""
    with tempfile.TemporaryDirectory(prefix="steptp-tlm-") as folder:
        paths = [Path(folder, f"program_{place}.leir") for place in range(len(documents))]
        for path, document in zip(paths, documents):
            path.write_text(document)
        Path(folder, "root.leir").write_text(root)
        against = ["--against", *map(str, paths[1:])] if len(paths) > 1 else []
        command = [str(binary), "time", str(paths[0]), *against, "--root", str(Path(folder, "root.leir")), "--json",
                   "--device", kind, "--budget", str(budget), "--spread", "0.001"]
        done = subprocess.run(command, capture_output=True, text=True)
    try:
        answers = json.loads(done.stdout)["programs"]
        if len(answers) == len(documents):
            return answers
        reason = f"it answered for {len(answers)} of {len(documents)} programs"
    except (ValueError, KeyError, TypeError):
        reason = f"it ended with status {done.returncode}: {done.stderr.strip()[-300:]}"
    return [{"status": "failed", "error": "time", "reason": f"`steptp time`: {reason}"}] * len(documents)


def usual_binary() -> Path:
    """$STEPTP_BINARY, the one beside this package (a portable folder), or that of a clone's build."""
    named = os.environ.get("STEPTP_BINARY")
    here = Path(__file__).resolve().parent.parent
    for path in ([Path(named)] if named else [here / "steptp", here.parent / "build" / "steptp"]):
        if path.is_file():
            return path
    raise FileNotFoundError(f"the binary steptp is not in {here} nor in {here.parent / 'build'}; $STEPTP_BINARY says where")


def open_device(name: str, target: str, budget: float, threads: int = 0, slowest: float = math.inf,
                services: int | None = None) -> Device:
    """`recorded:FILE`, `analytic`, `cpu` or `cuda`."""
    if name.startswith("recorded:"):
        return RecordedDevice(name.removeprefix("recorded:"))
    if name == "analytic":
        return AnalyticDevice(target)
    if name in ("cpu", "cuda"):
        # On a CPU programs would disturb each other, and what is compiled beside them does.
        usual = 1 if name == "cpu" else max(1, min(14, len(os.sched_getaffinity(0)) - 1))
        return RealDevice(usual_binary(), name, budget, threads, services or usual, slowest)
    raise ValueError(f"{name!r} is no device; there are cpu, cuda, analytic and recorded:FILE")

"""Files that survive a crash: whole files, and logs of JSON lines."""

from __future__ import annotations

import json
import lzma
import os
from pathlib import Path
from typing import Any, Iterator


class DamagedLog(ValueError):
    """A line of a log, other than a cut last one, that is no JSON object."""


def write_whole(path: str | Path, content: bytes) -> None:
    """Writes the whole file or leaves what was there; when this returns it is on the disk."""
    temporary = f"{path}.new"
    with open(temporary, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def read_log(path: str | Path) -> Iterator[dict[str, Any]]:
    """The objects of a log, which may be compressed (.xz). A last line without its end is left out: whoever wrote it was killed in the middle."""
    if not os.path.exists(path):
        return
    with lzma.open(path, "rb") if str(path).endswith(".xz") else open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return
            try:
                row = json.loads(line)
            except ValueError as error:
                raise DamagedLog(f"{path}:{number}: this line is no JSON: {error}") from error
            if not isinstance(row, dict):
                raise DamagedLog(f"{path}:{number}: this line is no JSON object")
            yield row


def json_line(row: dict[str, Any]) -> bytes:
    return json.dumps(row, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


class Log:
    """A log that is only ever appended to. Opening it cuts off a last line that has no end."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = open(self.path, "ab+")
        self._file.seek(0)
        content = self._file.read()
        whole = content.rfind(b"\n") + 1
        if whole != len(content):
            self._file.truncate(whole)
        self._file.seek(0, os.SEEK_END)

    def append(self, rows: list[dict[str, Any]]) -> None:
        """When this returns, the rows are on the disk."""
        self._file.write(b"".join(json_line(row) for row in rows))
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> "Log":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

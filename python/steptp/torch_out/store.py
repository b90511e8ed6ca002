"""Plans, verdicts and certificates on disk, for all processes of one user.

An entry is one JSON file under the hash of everything it depends on. It appears whole or not at all, carries the hash of
its content, and counts only where that is right and the folder and the file are the user's own: anything else is made
again. Nothing in it is executed or unpickled; a program from it is read and checked like any other.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import tempfile
from pathlib import Path
from typing import Any

from .. import _steptp

FORMAT = 1


def default_folder() -> Path | None:
    """$STEPTP_CACHE ("off": none), otherwise $XDG_CACHE_HOME/steptp, otherwise ~/.cache/steptp."""
    named = os.environ.get("STEPTP_CACHE")
    if named == "off":
        return None
    if named:
        return Path(named)
    root = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(root) / "steptp"


def key_of(*parts: str) -> str:
    """The hash of texts whose borders count."""
    digest = hashlib.sha256()
    for part in (str(FORMAT), _build(), *parts):
        content = part.encode("utf-8", "surrogatepass")
        digest.update(len(content).to_bytes(8, "little") + content)
    return digest.hexdigest()


_build_id = ""


def _build() -> str:
    """What made the entries: another build of the compiled part may plan and judge otherwise."""
    global _build_id
    if not _build_id:
        about = os.stat(_steptp.__file__)
        _build_id = f"{about.st_size} {about.st_mtime_ns}"
    return _build_id


class Store:
    """A folder of entries; without one nothing is kept. `problems` says what went wrong with it, once each."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = None if folder is None else folder / "torch"
        self.problems: list[str] = []
        #: Entries from elsewhere, by the text of the program that they are for.
        self.saved: dict[str, dict[str, Any]] = {}

    def _note(self, problem: str) -> None:
        if problem not in self.problems:
            self.problems.append(problem)

    def _is_private(self, path: Path) -> bool:
        about = os.lstat(path)
        kind = stat.S_ISDIR(about.st_mode) or stat.S_ISREG(about.st_mode)
        return kind and about.st_uid == os.getuid() and not about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)

    def _path(self, key: str) -> Path:
        assert self.folder is not None
        return self.folder / f"{key}.json"

    def find(self, key: str) -> dict[str, Any] | None:
        """The entry of that key where there is a whole one."""
        if self.folder is None:
            return None
        path = self._path(key)
        try:
            if not self._is_private(self.folder) or not self._is_private(path):
                self._note(f"{path} can be written by others, so it is not used")
                return None
            text = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            self._note(f"{path} cannot be read: {error.strerror}")
            return None
        with contextlib.suppress(ValueError, KeyError, TypeError, UnicodeDecodeError):
            head, content = text.split(b"\n", 1)
            about = json.loads(head)
            if about["format"] == FORMAT and about["key"] == key and about["sha256"] == hashlib.sha256(content).hexdigest():
                entry = json.loads(content)
                if isinstance(entry, dict):
                    return entry
        self._note(f"{path} is damaged, so it is made again")
        return None

    def put(self, key: str, entry: dict[str, Any]) -> None:
        """Keeps an entry; where that fails, nothing but time is lost."""
        if self.folder is None:
            return
        content = json.dumps(entry, sort_keys=True).encode()
        head = json.dumps({"format": FORMAT, "key": key, "sha256": hashlib.sha256(content).hexdigest()}).encode()
        name = ""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self._is_private(self.folder):
                self._note(f"{self.folder} can be written by others, so nothing is kept there")
                return
            handle, name = tempfile.mkstemp(prefix=".new-", dir=self.folder)
            with os.fdopen(handle, "wb") as out:
                out.write(head + b"\n" + content)
                out.flush()
                os.fsync(out.fileno())
            os.replace(name, self._path(key))
        except OSError as error:
            self._note(f"nothing can be kept in {self.folder}: {error.strerror}")
            if name:
                with contextlib.suppress(OSError):
                    os.unlink(name)

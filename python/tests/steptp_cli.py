"""The command line, for tests that compare it with the package. Needs build/steptp (STEPTP_BUILD, else build/)."""

from __future__ import annotations

import os
import pathlib
import subprocess

import pytest

BUILD = pathlib.Path(os.environ.get("STEPTP_BUILD", pathlib.Path(__file__).resolve().parents[2] / "build"))


def steptp_binary() -> pathlib.Path:
    binary = BUILD / "steptp"
    if not binary.exists():
        pytest.skip(f"steptp is not built (looked in {BUILD}; set STEPTP_BUILD)")
    return binary


def steptp_cli(*arguments: object, text: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([steptp_binary(), *map(str, arguments)], input=text, capture_output=True, text=True, timeout=60)

"""The cache on disk: shared by processes, private, and never believed when it is damaged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
import steptp
import torch
from compare import assert_close, fill
from out_support import no_surprise
from steptp.torch_out.store import Store, key_of
from torch import nn

X = torch.randn(4, 8, generator=torch.Generator().manual_seed(1))


def model() -> nn.Module:
    return fill(nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Softmax(-1))).eval()


def optimized(folder: Path, **options: Any) -> Any:
    module = model()
    with no_surprise():
        fast = steptp.optimize(module, [X], cache=str(folder), **options)
    with torch.no_grad():
        assert_close([fast(X)], [module(X)])
    return fast


def entries(folder: Path) -> list[Path]:
    return sorted((folder / "torch").glob("*.json"))


def test_an_entry_is_found_again(tmp_path: Path) -> None:
    first, second = optimized(tmp_path), optimized(tmp_path)
    assert [group.from_cache for group in (*first.report.groups, *second.report.groups)] == [False, True]
    assert first.report.groups[0].program == second.report.groups[0].program
    assert "certificates/01.json" in second.report.groups[0].files
    assert (tmp_path / "torch").stat().st_mode & 0o777 == 0o700
    assert not optimized(tmp_path, require_safe=True).report.groups[0].from_cache, "other options are another entry"


DAMAGES = {
    "cut off": lambda text: text[: len(text) // 2],
    "one byte": lambda text: text[:-200] + bytes([text[-200] ^ 1]) + text[-199:],
    "empty": lambda _: b"",
    "no JSON": lambda _: b"\x80\x04not a pickle either",
    "another key": lambda text: text.replace(b'"key": "', b'"key": "0', 1),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_entry_is_made_again(damage: str, tmp_path: Path) -> None:
    optimized(tmp_path)
    (entry,) = entries(tmp_path)
    whole = entry.read_bytes()
    entry.write_bytes(DAMAGES[damage](whole))
    fast = optimized(tmp_path)
    assert not fast.report.groups[0].from_cache
    assert any("damaged" in problem for report in fast.report.graphs.values() for problem in report.cache_problems)
    assert entry.read_bytes() == whole
    assert optimized(tmp_path).report.groups[0].from_cache


def test_an_entry_for_another_program_is_not_used(tmp_path: Path) -> None:
    """Its hash is right, because somebody computed it anew."""
    import hashlib

    optimized(tmp_path)
    (path,) = entries(tmp_path)
    head, content = path.read_bytes().split(b"\n", 1)
    entry = json.loads(content)
    entry["root"] = entry["root"].replace("max(", "min(")
    content = json.dumps(entry).encode()
    about = json.loads(head) | {"sha256": hashlib.sha256(content).hexdigest()}
    path.write_bytes(json.dumps(about).encode() + b"\n" + content)
    assert not optimized(tmp_path).report.groups[0].from_cache


def test_folders_of_others_are_not_used(tmp_path: Path) -> None:
    optimized(tmp_path)
    (tmp_path / "torch").chmod(0o777)
    fast = optimized(tmp_path)
    assert not fast.report.groups[0].from_cache
    assert any("written by others" in problem for report in fast.report.graphs.values() for problem in report.cache_problems)


def test_a_folder_that_cannot_be_written_costs_nothing_but_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    fast = optimized(tmp_path / "file")
    assert fast.report.groups
    assert any("cannot be" in problem or "can be kept" in problem for report in fast.report.graphs.values() for problem in report.cache_problems)


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    fast = optimized(tmp_path)
    assert any("No space left" in problem for report in fast.report.graphs.values() for problem in report.cache_problems)
    assert list((tmp_path / "torch").iterdir()) == []


def test_writing_that_is_killed_leaves_nothing_that_counts(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put(key_of("a"), {"x": 1})
    (tmp_path / "torch" / ".new-killed").write_bytes(b'{"format"')
    assert store.find(key_of("a")) == {"x": 1} and store.find(key_of("b")) is None and not store.problems
    assert key_of("a", "b") != key_of("ab") != key_of("a", "b", "")


def test_processes_share_a_folder(tmp_path: Path) -> None:
    program = textwrap.dedent(
        f"""
        import sys
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from pathlib import Path
        from test_out_store import optimized
        for _ in range(2):
            optimized(Path({str(tmp_path)!r}))
        """
    )
    running = [subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE, text=True) for _ in range(3)]
    for process in running:
        _, said = process.communicate(timeout=240)
        assert process.returncode == 0, said
    assert len(entries(tmp_path)) == 1 and not list((tmp_path / "torch").glob(".new-*"))
    assert optimized(tmp_path).report.groups[0].from_cache

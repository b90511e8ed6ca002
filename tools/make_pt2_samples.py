#!/usr/bin/env python3
"""Writes the archives in steptp/import/golden/ with the PyTorch of the Python that runs it.

    python tools/make_pt2_samples.py steptp/import/golden
    python tools/make_pt2_samples.py --module examples/feed_forward.py examples/feed_forward.pt2

The second form exports one module of a file in the style of KernelBench (Model, get_inputs, get_init_inputs). Its
weights are rounded to sixteenths and the archive is compressed, so that it stays small enough for a repository.

What a machine leaves in an archive (paths in stack traces, sample inputs) is taken out before it is written again.
"""

from __future__ import annotations

import importlib.util
import json
import re
import sys
import zipfile
from pathlib import Path

import torch
from torch import nn


class Sample(nn.Module):
    """Parameters, tied ones too, a buffer, a lifted constant, in-place writes through views, several outputs."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(6, 4)
        self.norm = nn.BatchNorm1d(4)
        self.lstm = nn.LSTM(4, 3, batch_first=True)
        self.register_buffer("mask", torch.tril(torch.ones(4, 4)))
        self.register_buffer("columns", torch.arange(12.0).reshape(3, 4).t()[1:], persistent=False)
        self.tied = self.linear.weight

    def forward(self, x: torch.Tensor, scale: float) -> tuple[torch.Tensor, ...]:
        y = self.norm(self.linear(x)).relu_()
        y[:, :3] += 1
        y.t()[0].mul_(scale)
        with torch.no_grad():
            y = y * torch.tensor([1.0, 2.0, 3.0, 4.0])
        states, _ = self.lstm(nn.functional.dropout(y, 0.5).unsqueeze(0))
        first, second = y.chunk(2, dim=1)
        masked = y.masked_fill(self.mask == 0, float("-inf"))
        return states, first - second, masked.softmax(-1), self.columns.sum(), (x * self.tied).sum(), y.max(dim=1)[0]


class Dynamic(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


class Fourier(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.fft.fft(x).abs() + torch.special.bessel_j0(x)


class Random(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + torch.rand_like(x)


class InitialState(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(3, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.gru(x, torch.randn(1, 2, 2).to(x.device))[0]


def cleaned(model: dict) -> dict:
    """Stack traces keep the last frame of this file, under another name."""

    def visit(item):
        if isinstance(item, dict):
            return {key: trace(value) if key == "stack_trace" else visit(value) for key, value in item.items() if key != "nn_module_stack"}
        return [visit(value) for value in item] if isinstance(item, list) else item

    def trace(text: str) -> str:
        frames = re.findall(r'File "[^"]*make_pt2_samples\.py", line (\d+), in (\w+)\n\s*(.*)', text or "")
        return "".join(f'  File "samples.py", line {line}, in {function}\n    {code}\n' for line, function, code in frames[-1:])

    return visit(model)


def write_again(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    path.unlink()
    writer = torch._C.PyTorchFileWriter(str(path)) if any("/" in name for name in entries) else None
    root = next(iter(entries)).split("/")[0] + "/"
    plain = zipfile.ZipFile(path, "w") if writer is None else None
    for name, data in entries.items():
        if name.endswith(".json") and "config" not in name:
            data = json.dumps(cleaned(json.loads(data)), separators=(",", ":")).encode()
        if name.endswith(".pt"):
            data = b"a pickle that nobody reads"
        if plain is not None:
            plain.writestr(name, data)
        elif ".data/" not in name and not name.endswith("byteorder"):
            writer.write_record(name.removeprefix(root), data, len(data))
    (plain.close if plain is not None else writer.write_end_of_file)()


def export_module(source: Path, path: Path) -> None:
    spec = importlib.util.spec_from_file_location("module", source)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    torch.manual_seed(0)
    model = module.Model(*module.get_init_inputs()).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_((parameter * 16).round() / 16)
    torch.export.save(torch.export.export(model, tuple(module.get_inputs()), strict=False), path)
    write_again(path)
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in entries.items():
            # One date for all, so that the same module gives the same bytes.
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, 9)
    print(path, path.stat().st_size)


def main() -> None:
    if sys.argv[1] == "--module":
        export_module(Path(sys.argv[2]), Path(sys.argv[3]))
        return
    folder = Path(sys.argv[1])
    version = ".".join(torch.__version__.split(".")[:2])
    torch.manual_seed(0)
    sample = torch.export.export(Sample(), (torch.randn(4, 6), 0.5), strict=False)
    programs = {f"sample_{version}": sample, f"sample_{version}_aten": sample.run_decompositions({})}
    if version == "2.11":
        dimension = torch.export.Dim("batch", min=2, max=64)
        programs["dynamic"] = torch.export.export(Dynamic(), (torch.randn(4, 3),), dynamic_shapes={"x": {0: dimension}}, strict=False)
        programs["unsupported"] = torch.export.export(Fourier(), (torch.randn(4),), strict=False)
        programs["random"] = torch.export.export(Random(), (torch.randn(4),), strict=False)
        programs["initial_state"] = torch.export.export(InitialState(), (torch.randn(5, 2, 3),), strict=False)
    for name, program in programs.items():
        path = folder / f"{name}.pt2"
        torch.export.save(program, path)
        write_again(path)
        print(path, path.stat().st_size)


if __name__ == "__main__":
    main()

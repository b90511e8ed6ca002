#!/usr/bin/env python3
"""The same functions side by side in one run: vanilla programs, our recipes' ends, PyTorch, its vendor's library, TVM.

    python3 bench/side_by_side.py STEPTP --device cpu|cuda [--budget S] [--only NAME] [--no-vanilla] [--tvm PYTHON]
                                  [--tvm-sources DIR] [--json F]

Recipes come from examples/recipes/make.py at the sizes below, so that the script needs STEPTP, this repository's
bench/ and examples/recipes/, and a Python with PyTorch (this one). On a GPU: f32 without TF32; softmax and layer norm
on 8192 x 4096 over the last axis, bytes are one read and one write. A vanilla program binds rows to threads of one
block; where they are more than a block can have, it is launched in blocks of 256 rows. Prints one Markdown table.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "examples" / "recipes"))
import make  # noqa: E402

MODULE = """import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, *x):
        return {body}


def get_inputs():
    return [{inputs}]
"""


def module(body: str, *shapes: tuple[int, ...]) -> str:
    return MODULE.format(body=body, inputs=", ".join(f"torch.rand{shape}" for shape in shapes))


def cases(device: str) -> dict[str, tuple[make.Recipe, str]]:
    """Name: the recipe and the PyTorch module."""
    if device == "cuda":
        return {
            "matmul 4096": (make.matmul(4096, 4096, 4096, (128, 128, 8), (16, 16), 4),
                            module("torch.mm(x[0], x[1])", (4096, 4096), (4096, 4096))),
            "matmul 1017x987x642": (make.matmul(1017, 987, 642, (64, 64, 32), (16, 16), 4),
                                    module("torch.mm(x[0], x[1])", (1017, 642), (642, 987))),
            "softmax 8192x4096": (make.softmax(8192, 4096, 256, 2), module("torch.softmax(x[0], -1)", (8192, 4096))),
            "layer norm 8192x4096": (make.layer_norm(8192, 4096, 128, 4), module(
                "F.layer_norm(x[0], (4096,), x[1], x[2])", (8192, 4096), (4096,), (4096,))),
            "conv 3x3 8x64x56x56 to 128": (make.conv3x3(8, 64, (56, 56), 128, 16, 4), module(
                "F.conv2d(x[0], x[1], padding=1)", (8, 64, 56, 56), (128, 64, 3, 3))),
            "causal attention 64x8x256x16": (make.attention((64, 8, 256, 16), 32, 64, "c<d"), module(
                "F.scaled_dot_product_attention(x[0], x[1], x[2], is_causal=True)", *[(64, 8, 256, 16)] * 3)),
        }
    return {
        "matmul 256": (make.matmul(256, 256, 256, (64, 64, 8), (8, 8), 4),
                       module("torch.mm(x[0], x[1])", (256, 256), (256, 256))),
        "softmax 1024x1024": (make.softmax(1024, 1024, 128, 4), module("torch.softmax(x[0], -1)", (1024, 1024))),
        "layer norm 1024x1024": (make.layer_norm(1024, 1024, 128, 4), module(
            "F.layer_norm(x[0], (1024,), x[1], x[2])", (1024, 1024), (1024,), (1024,))),
        "conv 3x3 1x16x28x28 to 32": (make.conv3x3(1, 16, (28, 28), 32, 8, 4), module(
            "F.conv2d(x[0], x[1], padding=1)", (1, 16, 28, 28), (32, 16, 3, 3))),
        "causal attention 1x4x64x16": (make.attention((1, 4, 64, 16), 16, 16, "c<d"), module(
            "F.scaled_dot_product_attention(x[0], x[1], x[2], is_causal=True)", *[(1, 4, 64, 16)] * 3)),
    }


def signature(program: Path) -> list[dict]:
    """Names and shapes of a file whose variables are all f32, in order."""
    lines = re.findall(r"^@(\w+) +(\w+) f32\[([\d,]*)\]", program.read_text(), re.MULTILINE)
    return [{"name": name, "role": role, "shape": [int(word) for word in shape.split(",") if word]}
            for role, name, shape in lines]


def stem(name: str) -> str:
    return name.replace(" ", "_")


def end_of(steptp: str, folder: Path, name: str, recipe: make.Recipe) -> Path:
    """The program that a recipe leads to, as a file."""
    make.write(folder, name, recipe)
    file = folder / f"{name}.leir"
    ran = subprocess.run([steptp, "replay", file, "--recipe", file.with_suffix(".json")], capture_output=True, text=True)
    if ran.returncode != 0:
        raise ValueError(ran.stderr.strip())
    file.write_text(f"@program {name}\n{ran.stdout}")
    return file


def in_blocks(recipe: make.Recipe) -> make.Recipe:
    """The vanilla program, its rows in blocks where one block cannot have as many threads."""
    nests = [line for line in recipe.text.splitlines() if line.startswith("B")]
    vanilla = make.Recipe([recipe.text.strip()], [])
    for number, nest in enumerate(nests):
        if int(re.match(r"B\^{(\d+)}", nest).group(1)) > 1024:
            vanilla.bind(f"{number}:loop[0]", "none")
            vanilla.split(f"{number}:loop[0]", 256)
            vanilla.bind(f"{number}:loop[0]", "bx")
            vanilla.bind(f"{number}:loop[1]", "tx")
    return vanilla


def written(steptp: str, folder: Path, recipe: make.Recipe) -> tuple[Path, Path]:
    """The vanilla program and the recipe's end as files."""
    return end_of(steptp, folder, "vanilla", in_blocks(recipe)), end_of(steptp, folder, "recipe", recipe)


def measured(arguments: argparse.Namespace, folder: Path, name: str, case: tuple[make.Recipe, str]) -> dict:
    recipe, torch_text = case
    try:
        vanilla, end = written(arguments.steptp, folder, recipe)
    except ValueError as error:
        return {"case": name, "error": str(error)}
    (folder / "model.py").write_text(torch_text)
    command = [arguments.steptp, "time", end, "--device", arguments.device, "--json", "--budget", str(arguments.budget),
               "--torch", folder / "model.py", "--python", sys.executable, "--timeout", "300"]
    if not arguments.no_vanilla:
        command += ["--against", vanilla]
    if arguments.tvm:
        for program in (end, vanilla):
            command += ["--rival", f"{arguments.tvm} {HERE / 'time_tvm.py'} {arguments.steptp} {program} "
                                   f"--name 'TVM, {program.stem}'"]
    for program in (end, vanilla)[: 1 if arguments.no_vanilla else 2]:
        source = Path(arguments.tvm_sources) / f"{stem(name)}_{program.stem}.cu"
        if arguments.tvm_sources and source.exists():
            command += ["--rival", f"{sys.executable} {HERE / 'time_cuda_source.py'} {source} {source.with_suffix('.json')} "
                                   f"--name 'TVM, {program.stem}'"]
    ran = subprocess.run(command, capture_output=True, text=True)
    if not ran.stdout:
        return {"case": name, "error": ran.stderr.strip()[:500]}
    return {"case": name, **json.loads(ran.stdout)}


def rows(report: dict) -> list[str]:
    if "error" in report:
        return [f"| {report['case']} | {report['error']} | | | | |"]
    out = []
    for one in report["programs"]:
        if "median_s" not in one:
            out.append(f"| {report['case']} | {one['program']} | {one.get('reason', one['status'])[:80]} | | | |")
            continue
        microseconds = one["median_s"] * 1e6
        out.append(f"| {report['case']} | {one['program']} | {microseconds:.1f} | {one['spread_s'] * 1e6:.1f} | "
                   f"{one['bytes_per_second'] / 1e9:.0f} | {one['flops_per_second'] / 1e9:.0f} |")
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("steptp")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--budget", type=float, default=1.0)
    parser.add_argument("--only", default="")
    parser.add_argument("--no-vanilla", action="store_true")
    parser.add_argument("--tvm", default="", help="the Python that has TVM")
    parser.add_argument("--tvm-sources", default="", help="a folder that bench/tvm_cuda_source.py has written")
    parser.add_argument("--json", default="")
    arguments = parser.parse_args()
    reports = []
    print("| program | column | median, us | spread, us | GB/s | GFLOP/s |\n|---|---|---|---|---|---|")
    for name, case in cases(arguments.device).items():
        if arguments.only not in name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            reports.append(measured(arguments, Path(folder), name, case))
        print("\n".join(rows(reports[-1])), flush=True)
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(reports, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The commands of docs/dataset.md, as they stand there but for the model and a few numbers that make them short."""

import os
import pathlib
import re
import subprocess

from tiny_qwen3 import ROOT

#: What makes them short: rows of at most so many tokens, rates at which few steps show something, answers of few words,
#: two steps of GRPO.
SHORTER = {"Qwen/Qwen3-8B": "tiny", "16384": "800", "1e-4": "2e-2", "1e-5": "1e-3", "1e-6": "1e-3", "8192": "16",
           "num_train_epochs=1,": "max_steps=2,", "--num_train_epochs 1 ": "--max_steps 2 "}


def blocks(heading: str, language: str) -> list[str]:
    """The code under a heading, block by block."""
    text = (ROOT / "docs/dataset.md").read_text()
    section = text.split(f"\n### {heading}\n")[1].split("\n### ")[0]
    return re.findall(rf"```{language}\n(.*?)```", section, re.S)


def shorter(code: str) -> str:
    for long, short in SHORTER.items():
        code = code.replace(long, short)
    return code


def assert_falls(losses: list[float], epochs: int = 3) -> None:
    """The mean of the last epoch is less than that of the first: both have the same batches, but for their order."""
    steps = len(losses) // epochs
    assert steps and len(losses) == steps * epochs, losses
    assert sum(losses[-steps:]) < sum(losses[:steps]), losses


def shell(code: str, folder: pathlib.Path, path: list[str]) -> None:
    """Runs it in a folder; these folders of programs come first."""
    environment = {**os.environ, "PATH": ":".join([*path, os.environ["PATH"]])}
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", code], cwd=folder, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, f"{code}\n{done.stdout[-4000:]}"


def prepare(folder: pathlib.Path) -> None:
    """`data`, from which the commands export, is the build that STEPTP_DATASET was exported from."""
    (folder / "my_steps").symlink_to(os.environ["STEPTP_BUILD"])

"""Wheels of the portable package: what pip takes, and what it does not."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "make_wheels.py"


def make(package: Path, out: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(TOOL), str(package), str(out)], capture_output=True, text=True, check=False)


def package(folder: Path) -> Path:
    """Two modules, for this Python and for the stable ABI, a library and a Python file."""
    own = f"_steptp.cpython-{sys.version_info[0]}{sys.version_info[1]}-x86_64-linux-gnu.so"
    for name, content in ((own, "own"), ("_steptp.abi3.so", "stable"), ("__init__.py", "value = 7\n"), ("lib/libz.so", "z")):
        path = folder / "steptp" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return folder


def test_each_module_has_a_wheel_that_pip_takes(tmp_path: Path) -> None:
    made = make(package(tmp_path / "package"), tmp_path / "wheels")
    assert made.returncode == 0, made.stderr
    wheels = sorted((tmp_path / "wheels").glob("*.whl"))
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    assert [wheel.name.split("-")[2:4] for wheel in wheels] == sorted([[tag, tag], ["cp312", "abi3"]])
    own = next(wheel for wheel in wheels if f"-{tag}-{tag}-" in wheel.name)
    names = zipfile.ZipFile(own).namelist()
    assert "steptp/_steptp.abi3.so" not in names and "steptp/lib/libz.so" in names
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--disable-pip-version-check"]
    done = subprocess.run([*command, "--target", str(tmp_path / "site"), str(own)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    program = "import importlib.metadata as m, steptp; print(steptp.value, [p.value for p in m.entry_points(group='torch_dynamo_backends')])"
    said = subprocess.run([sys.executable, "-S", "-c", program], cwd=tmp_path / "site", capture_output=True, text=True, check=True).stdout
    assert "7 ['steptp.torch_out.backend:steptp']" in said
    assert "torch" in next((tmp_path / "site").glob("steptp-*.dist-info/METADATA")).read_text()


def test_the_same_package_gives_the_same_bytes(tmp_path: Path) -> None:
    folder = package(tmp_path / "package")
    for out in ("one", "two"):
        make(folder, tmp_path / out)
    ones = [path.read_bytes() for path in sorted((tmp_path / "one").glob("*.whl"))]
    assert ones and ones == [path.read_bytes() for path in sorted((tmp_path / "two").glob("*.whl"))]


def test_a_folder_without_a_module_is_refused(tmp_path: Path) -> None:
    made = make(tmp_path, tmp_path / "wheels")
    assert made.returncode == 2 and "no module" in made.stderr
    (tmp_path / "steptp").mkdir()
    (tmp_path / "steptp" / "_steptp.cpython-39-arm.so").write_text("")
    made = make(tmp_path, tmp_path / "wheels")
    assert made.returncode != 0 and "cpython-39-arm" in made.stderr

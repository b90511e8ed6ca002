#!/usr/bin/env python3
"""Wheels out of the portable package: one for each module in PACKAGE/steptp, with the libraries that it needs, without LLVM. The
module for the stable ABI serves Python 3.12 and newer.

Usage: make_wheels.py PACKAGE OUT          writes OUT/steptp-VERSION-TAG.whl for each module
       make_wheels.py --about PACKAGE      writes PACKAGE/steptp-VERSION.dist-info, which is all that imports need
"""

from __future__ import annotations

import base64
import hashlib
import re
import sys
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: What make_portable.sh holds the libraries to: the C library of Debian 12.
PLATFORM = "manylinux_2_36_x86_64"


def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def metadata(about: dict) -> str:
    lines = ["Metadata-Version: 2.1", f"Name: {about['name']}", f"Version: {about['version']}", f"Summary: {about['description']}"]
    lines += [f"License: {about['license']}", f"Requires-Python: {about['requires-python']}"]
    lines += [f"Requires-Dist: {name}" for name in about["dependencies"]]
    for extra, names in about["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}", *(f'Requires-Dist: {name}; extra == "{extra}"' for name in names)]
    return "\n".join(lines) + "\n"


def entry_points(about: dict) -> str:
    groups = about["entry-points"].items()
    return "\n".join(f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items()) for group, points in groups)


def about_files(about: dict, tag: str) -> dict[str, str]:
    folder = f"{about['name']}-{about['version']}.dist-info"
    wheel = f"Wheel-Version: 1.0\nGenerator: steptp\nRoot-Is-Purelib: false\nTag: {tag}\n"
    return {f"{folder}/METADATA": metadata(about), f"{folder}/entry_points.txt": entry_points(about), f"{folder}/WHEEL": wheel}


def tag_of(module: Path) -> str:
    """_steptp.abi3.so and _steptp.cpython-311-x86_64-linux-gnu.so by what they are called."""
    if module.name == "_steptp.abi3.so":
        return f"cp312-abi3-{PLATFORM}"
    found = re.fullmatch(r"_steptp\.cpython-(\d+)-x86_64-linux-gnu\.so", module.name)
    if not found:
        raise SystemExit(f"make_wheels: no wheel is known for {module.name}")
    return f"cp{found[1]}-cp{found[1]}-{PLATFORM}"


def write_wheel(package: Path, module: Path, out: Path) -> Path:
    about, tag = project(), tag_of(module)
    modules = set(package.glob("steptp/_steptp.*.so")) - {module}
    files = {str(path.relative_to(package)): path.read_bytes() for path in sorted((package / "steptp").rglob("*"))
             if path.is_file() and path not in modules and "__pycache__" not in path.parts}  # fmt: skip
    files |= {name: text.encode() for name, text in about_files(about, tag).items()}
    record = f"{about['name']}-{about['version']}.dist-info/RECORD"
    lines = []
    path = out / f"{about['name']}-{about['version']}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(content)}")
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
        archive.writestr(zipfile.ZipInfo(record, (1980, 1, 1, 0, 0, 0)), "\n".join([*lines, f"{record},,"]) + "\n")
    return path


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    if sys.argv[1] == "--about":
        for name, text in about_files(project(), "py3-none-any").items():
            path = Path(sys.argv[2]) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return 0
    package, out = Path(sys.argv[1]), Path(sys.argv[2])
    modules = sorted(package.glob("steptp/_steptp.*.so"))
    if not modules:
        print(f"make_wheels: {package} has no module; tools/make_portable_modules.sh makes one", file=sys.stderr)
        return 2
    out.mkdir(parents=True, exist_ok=True)
    for module in modules:
        print(write_wheel(package, module, out))
    return 0


if __name__ == "__main__":
    sys.exit(main())

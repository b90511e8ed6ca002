#!/usr/bin/env bash
# Puts the Python package into BUILD/portable/python, with a module for each Python named, so that `PYTHONPATH=python python3`
# there runs `import steptp` without an installation, a compiler or LLVM, and wheels of the same into BUILD/portable/wheels.
# The module of a Python from 3.12 on serves all of them from 3.12 on (stable ABI). Only the module's own files are compiled,
# over the libraries of BUILD.
# Usage: make_portable_modules.sh BUILD PYTHON...
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "$1")
shift
out=$build/portable/python
rm -rf "$out"
mkdir -p "$out/steptp/lib"
cp -r python/steptp/. "$out/steptp/"
find "$out" -name __pycache__ -prune -exec rm -rf {} +
# nanobind is headers and sources for any Python; where a Python does not have it, that of .venv serves.
nanobind=$(echo "$PWD"/.venv/lib/python3.*/site-packages)
for python in "$@"; do
  tag=$("$python" -c 'import sys; print("cp%d%d" % sys.version_info[:2] if sys.version_info < (3, 12) else "abi3")')
  ls "$out"/steptp/_steptp.*"${tag/cp/cpython-}"*.so >/dev/null 2>&1 && continue
  folder=$build/module-$tag
  PYTHONPATH=$nanobind cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DSTEPTP_PYTHON=ON -DSTEPTP_TESTS=OFF \
    -DSTEPTP_LIBRARIES_FROM="${STEPTP_LIBRARIES_FROM:-$build}" -DSTEPTP_PORTABLE_MODULE=ON -DPython_EXECUTABLE="$(command -v "$python")" \
    >"$folder.log" 2>&1 || { cat "$folder.log" >&2; exit 1; }
  ninja -C "$folder" --quiet _steptp
  cp "$folder"/python/_steptp.*.so "$out/steptp/"
done
strip --strip-unneeded "$out"/steptp/_steptp.*.so
# glibc and the C++ library are the system's own: PyTorch uses them too.
ldd "$out"/steptp/_steptp.*.so | awk '$3 ~ /^\// { print $3 }' | sort -u |
  grep -Ev '/(libc|libm|libdl|libpthread|librt|ld-linux[^/]*|libstdc\+\+|libgcc_s)\.so' |
  while read -r library; do cp -L "$library" "$out/steptp/lib/"; done
# What pip would write: the version, and the entry point of the backend for torch.compile.
python3 tools/make_wheels.py --about "$out"
for python in "$@"; do
  (cd / && env -i PATH="$PATH" HOME="${HOME:-/}" PYTHONPATH="$out" "$python" -c 'import steptp; steptp.read("B^{4}_{tx=0}[C^{f32,g}_{tx}=1;];")')
done
python3 tools/make_wheels.py "$out" "$build/portable/wheels" >/dev/null
echo "portable: $out, $(du -sh "$out" | cut -f1), modules: $(cd "$out/steptp" && ls _steptp.*.so | tr '\n' ' ')"

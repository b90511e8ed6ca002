#!/usr/bin/env bash
# The tests against PyTorch, with the module that is installed in .venv, and against the NVRTC that comes with it. Where
# PyTorch cannot be had they are skipped, and the reason is printed.
# Usage: run_torch_tests.sh [--nvrtc | --python FILE ARGUMENTS | arguments of pytest]; without any, all of it
set -euo pipefail
cd "$(dirname "$0")/.."

if ! torch_python=$(tools/setup_environment.sh torch); then
  echo "torch: the tests against PyTorch are skipped"
  exit 0
fi
# Only our package: .venv has a numpy of its own, which must not come between PyTorch and its own.
package=$(cd / && "$OLDPWD/.venv/bin/python" -c 'import os, steptp; print(os.path.dirname(steptp.__file__))')
mkdir -p build/torch_path
# Others may be doing the same: the link is there as a whole or not at all. The second folder says what is installed, with
# the entry point of the backend for torch.compile.
for folder in "$package" "$package"-*.dist-info; do
  link=build/torch_path/$(basename "$folder")
  ln -sfn "$folder" "$link.$$"
  mv -fT "$link.$$" "$link"
done
export PYTHONPATH=$PWD/build/torch_path STEPTP_BINARY=$PWD/build/steptp OMP_NUM_THREADS=1
# CUDA text for GPUs of several generations, by the compiler that PyTorch brings along.
nvrtc=(env STEPTP_NVRTC=python PATH="$(dirname "$torch_python"):$PATH" build/testing/test_execution --gtest_brief=1
       --gtest_filter='Nvrtc.*')
[ "${1:-}" != --nvrtc ] || exec "${nvrtc[@]}"
[ "${1:-}" != --python ] || exec "$torch_python" "${@:2}"
pytest=("$torch_python" -m pytest -q -p no:cacheprovider)
[ $# -eq 0 ] || exec "${pytest[@]}" "$@"
"${nvrtc[@]}"
"${pytest[@]}" python/torch_tests

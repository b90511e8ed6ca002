#!/usr/bin/env bash
# The tests against PyTorch, with the module that is installed in .venv, and against the NVRTC that comes with it. Where
# PyTorch cannot be had they are skipped, and the reason is printed.
# Usage: run_torch_tests.sh [arguments of pytest]
set -euo pipefail
cd "$(dirname "$0")/.."

if ! torch_python=$(tools/setup_environment.sh torch); then
  echo "torch: the tests against PyTorch are skipped"
  exit 0
fi
# Only our package: .venv has a numpy of its own, which must not come between PyTorch and its own.
package=$(cd / && "$OLDPWD/.venv/bin/python" -c 'import os, steptp; print(os.path.dirname(steptp.__file__))')
mkdir -p build/torch_path
ln -sfn "$package" build/torch_path/steptp
export PYTHONPATH=$PWD/build/torch_path STEPTP_BINARY=$PWD/build/steptp OMP_NUM_THREADS=1
pytest=("$torch_python" -m pytest -q -p no:cacheprovider)
[ $# -eq 0 ] || exec "${pytest[@]}" "$@"
# Two processes for two cores, about as long as each other.
first=(python/torch_tests/test_zoo.py python/torch_tests/test_breadth.py)
"${pytest[@]}" "${first[@]}" >build/torch_path/zoo.log 2>&1 &
zoo=$!
# CUDA text for GPUs of several generations, by the compiler that PyTorch brings along.
STEPTP_NVRTC=python PATH=$(dirname "$torch_python"):$PATH build/testing/test_nvrtc --gtest_brief=1 >build/torch_path/nvrtc.log 2>&1 &
nvrtc=$!
status=0
"${pytest[@]}" python/torch_tests "${first[@]/#/--ignore=}" || status=1
wait "$zoo" || status=1
cat build/torch_path/zoo.log
wait "$nvrtc" || status=1
cat build/torch_path/nvrtc.log
exit $status

#!/usr/bin/env bash
# Writes build/suites/CTestTestfile.cmake: the tests of build/ and beside them the suites in Python, file by file, so that
# one ctest keeps all cores busy and begins with what takes longest (COST: seconds, roughly; later runs know better).
# Usage: write_suites.sh
set -euo pipefail
cd "$(dirname "$0")/.."

mkdir -p build/suites
file=build/suites/CTestTestfile.cmake
add() {  # NAME COST COMMAND...
  local name=$1 cost=$2
  shift 2
  printf 'add_test([==[%s]==]' "$name"
  printf ' [==[%s]==]' "$@"
  printf ')\nset_tests_properties([==[%s]==] PROPERTIES WORKING_DIRECTORY [==[%s]==] COST %s)\n' "$name" "$PWD" "$cost"
}
{
  echo 'subdirs("..")'
  for path in python/tests/test_*.py; do
    name=$(basename "$path" .py)
    case $name in test_corpus) cost=250 ;; test_corpus_zoo | test_dataset | test_tokens_reference) cost=30 ;; *) cost=5 ;; esac
    add "pytest_${name#test_}" "$cost" .venv/bin/python -m pytest -q -p no:cacheprovider "$path"
  done
  # It measures: nothing else may run meanwhile.
  echo 'set_tests_properties(pytest_time PROPERTIES RUN_SERIAL ON)'
  for path in python/torch_tests/test_*.py; do
    name=$(basename "$path" .py)
    add "torch_${name#test_}" 60 tools/run_torch_tests.sh "$path"
  done
  add torch_nvrtc 60 tools/run_torch_tests.sh --nvrtc
  add tvm 60 tools/run_tvm_tests.sh
  add datasets 40 tools/run_datasets_tests.sh
} >"$file.new"
mv "$file.new" "$file"

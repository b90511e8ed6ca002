#!/usr/bin/env bash
# TIR text against the real TVM (testing/tir_tvm_test.py), in an environment of its own. Where TVM cannot be had the tests
# are skipped, and the reason is printed.
# Usage: run_tvm_tests.sh [--cpu-only] [SET...], where a SET is the words of one call of lowering_cat: "zoo f32 1 0"
# The long run, not part of `make test` (some ten minutes): run_tvm_tests.sh --cpu-only "derived 1 600"
set -euo pipefail
cd "$(dirname "$0")/.."

if ! python=$(tools/setup_environment.sh tvm); then
  echo "tvm: the tests against TVM are skipped"
  exit 0
fi
sets=("$@")
[ $# -gt 0 ] || sets=("written" "zoo f32 24 0" "zoo f64 24 7" "zoo f16 48 3" "recipes 16" "generated 5 40")
exec "$python" testing/tir_tvm_test.py build/steptp build/testing/lowering_cat "${sets[@]}"

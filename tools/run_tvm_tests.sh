#!/usr/bin/env bash
# TIR text against the real TVM (testing/tir_tvm_test.py), in a virtual environment of its own that lies in the user's
# cache, once for all clones: tvm-<hash of the requirements and of the Python>. Where TVM cannot be had the tests are
# skipped, and the reason is printed.
# Usage: run_tvm_tests.sh [--cpu-only] [SET...], where a SET is the words of one call of lowering_cat: "zoo f32 1 0"
# The long run, not part of `make test` (some ten minutes): run_tvm_tests.sh --cpu-only "derived 1 600"
set -euo pipefail
cd "$(dirname "$0")/.."

requirements=python/requirements-tvm.txt
python=${PYTHON:-python3}
key=$({ "$python" -c 'import sys; print(sys.version)'; cat "$requirements"; } | sha256sum | cut -c1-16)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/steptp
folder=$cache/tvm-$key
stamp=$folder/complete

skip() {
  echo "tvm: $1; the tests against TVM are skipped"
  exit 0
}

if [ ! -f "$stamp" ]; then
  mkdir -p "$cache" || skip "no folder $cache"
  exec 9>"$folder.lock"
  flock 9  # another clone may be making it right now
fi
if [ ! -f "$stamp" ]; then
  echo "tvm: installing $requirements into $folder (about 420 MB and half a minute, once)"
  "$python" -m venv --clear "$folder" || skip "no virtual environment in $folder"
  if ! "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-cache-dir \
      --requirement "$requirements" >"$folder.log" 2>&1; then
    tail -5 "$folder.log"
    rm -rf "$folder"
    skip "pip could not install it"
  fi
  "$folder/bin/python" -c 'import tvm' || skip "TVM does not start in $folder"
  touch "$stamp"
fi
sets=("$@")
[ $# -gt 0 ] || sets=("written" "zoo f32 24 0" "zoo f64 24 7" "zoo f16 48 3" "recipes 16" "generated 5 40")
exec "$folder/bin/python" testing/tir_tvm_test.py build/steptp build/testing/lowering_cat "${sets[@]}"

#!/usr/bin/env bash
# Runs every benchmark program of a build folder. Usage: run_benchmarks.sh BUILD
set -euo pipefail
cd "$(dirname "$0")/.."
found=0
for program in $(find "$1/bench" -maxdepth 1 -type f -perm -u+x \( -name '*_bench' -o -name 'bench_*' \) | sort); do
  found=1
  echo "bench: $(basename "$program")"
  "$program" ${BENCH_FLAGS:-}
done
[ $found = 1 ] || { echo "bench: no *_bench program in $1/bench" >&2; exit 1; }

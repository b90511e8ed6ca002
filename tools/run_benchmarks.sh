#!/usr/bin/env bash
# Runs every benchmark program of a build folder and prints one table, which is kept in bench/results/latest.txt.
# Usage: run_benchmarks.sh BUILD     BENCH_FLAGS are passed on; STEPTP_CORPUS names the programs to measure on.
set -euo pipefail
cd "$(dirname "$0")/.."
results=bench/results
mkdir -p "$results"
programs=$(find "$1/bench" -maxdepth 1 -type f -perm -u+x \( -name '*_bench' -o -name 'bench_*' \) | sort)
[ -n "$programs" ] || { echo "bench: no bench_* program in $1/bench" >&2; exit 1; }
files=()
for program in $programs; do
  name=$(basename "$program")
  echo "bench: $name"
  "$program" ${BENCH_FLAGS:-} --benchmark_out="$results/$name.json" --benchmark_out_format=json >"$results/$name.log" 2>&1 ||
    { cat "$results/$name.log"; exit 1; }
  files+=("$results/$name.json")
done
"${PYTHON:-python3}" bench/summary.py "${files[@]}" | tee "$results/latest.txt"

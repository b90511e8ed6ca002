#!/usr/bin/env bash
# Runs every fuzz target of a build folder for some seconds each, two at a time.
# Usage: run_fuzz.sh BUILD SECONDS
# What a target finds new is kept in BUILD/corpus/<target>; an input that crashes it in BUILD/artifacts/.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
seconds=$2

fuzz_one() {
  local target=$1
  local corpus="$build/corpus/$target" log="$build/$target.log"
  mkdir -p "$corpus" "$build/artifacts"
  if ! "$build/fuzz/$target" "$corpus" "fuzz/corpus/$target" -dict=fuzz/leir.dict -max_total_time="$seconds" \
      -max_len=4096 -timeout=20 -rss_limit_mb=3072 -artifact_prefix="$build/artifacts/$target-" >"$log" 2>&1; then
    # From the first complaint on: above it are only libFuzzer's statistics.
    sed -nE '/^wanted:|runtime error:|ERROR: /,$p' "$log" | tr -d '\000' | head -40
    echo "fuzz: $target failed; the input is in $build/artifacts/, the whole log in $log"
    return 1
  fi
  echo "fuzz: $target, $(grep -E '^Done' "$log" | sed -E 's/^Done ([0-9]+) runs in ([0-9]+) second.*/\1 inputs in \2 s/'), no finding"
}

targets=$(cd fuzz && ls fuzz_*.cpp | sed 's/\.cpp$//')
status=0
running=()
for target in $targets; do
  fuzz_one "$target" &
  running+=($!)
  if [ ${#running[@]} -ge 2 ]; then
    wait "${running[0]}" || status=1
    running=("${running[@]:1}")
  fi
done
for process in "${running[@]}"; do wait "$process" || status=1; done
exit $status

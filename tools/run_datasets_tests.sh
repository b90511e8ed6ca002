#!/usr/bin/env bash
# A small dataset is built with its exports and loaded with the real `datasets` package, current and 3.6. Where the packages
# cannot be had the tests are skipped, and the reason is printed.
# Usage: run_datasets_tests.sh [arguments of pytest]
set -euo pipefail
cd "$(dirname "$0")/.."

folder=build/datasets_tests
rm -rf "$folder"
mkdir -p "$folder"
log=$folder/log.txt
if ! build/steptp dataset build --out "$folder/data" --programs 12 --depth 1 --deep-states 1 --deep-entries 1 \
       --compile none --jobs 2 >"$log" 2>&1; then
  tail -20 "$log" >&2
  echo "datasets: no dataset could be made" >&2
  exit 1
fi
export STEPTP_DATASET=$PWD/$folder/data HF_HOME=$PWD/$folder/cache HF_DATASETS_OFFLINE=1 HF_HUB_OFFLINE=1
status=0
for name in datasets datasets-3.6; do
  if ! python=$(tools/setup_environment.sh "$name"); then
    echo "datasets: the tests with $name are skipped"
    continue
  fi
  "$python" -m pytest -q -p no:cacheprovider "${@:-python/datasets_tests}" || status=1
done
exit $status

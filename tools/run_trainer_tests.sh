#!/usr/bin/env bash
# The exports are trained on with real trainers, each in an environment of its own over one PyTorch, with a random
# two-layer Qwen3 on one core. Not part of `make test`: the environments are large. Where one cannot be made its tests are
# skipped, the reason is printed, and the exit status is 1.
# Usage: run_trainer_tests.sh [trl|swift]...      (python/trainer_tests/test_NAME*.py, python/requirements-NAME.txt)
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$PWD/build/trainer_tests
rm -rf "$folder"
mkdir -p "$folder/path"
log=$folder/log.txt
if ! { build/steptp dataset build --out "$folder/build" --no-export --programs 24 --depth 1 --deep-states 1 --deep-entries 1 \
         --compile none --jobs 2 &&
       build/steptp dataset export "$folder/build" --out "$folder/data" --near-misses 40 --max-tokens 4096; } >"$log" 2>&1; then
  tail -20 "$log" >&2
  echo "trainers: no dataset could be made" >&2
  exit 1
fi
# Only our package, for the rewards: the other packages of .venv must not come between those of the trainers.
package=$(cd / && "$OLDPWD/.venv/bin/python" -c 'import os, steptp; print(os.path.dirname(steptp.__file__))')
ln -sfn "$package" "$folder/path/steptp"
export PYTHONPATH=$PWD/python/trainer_tests:$folder/path
export STEPTP_BUILD=$folder/build STEPTP_DATASET=$folder/data STEPTP_PROGRAMS=$PWD/build
# Nothing is asked for on a network.
export HF_HOME=$folder/cache MODELSCOPE_CACHE=$folder/cache HF_DATASETS_OFFLINE=1 HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1
export USE_HF=1 CUDA_VISIBLE_DEVICES= OMP_NUM_THREADS=1 TOKENIZERS_PARALLELISM=false
# What is freed is kept for the next step: otherwise the kernel clears the same gigabyte again and again.
export MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=4000000000
status=0
for name in "${@:-trl}"; do
  if ! python=$(tools/setup_environment.sh "$name"); then
    echo "$name: the tests with it are skipped"
    status=1
    continue
  fi
  for file in python/trainer_tests/test_"$name"*.py; do
    echo "test: $file"
    "$python" -m pytest -q -p no:cacheprovider -W ignore --show-capture=stdout "$file" || status=1
  done
done
exit $status

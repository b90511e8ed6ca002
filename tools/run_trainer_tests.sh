#!/usr/bin/env bash
# The exports are trained on with TRL, in an environment of its own over one PyTorch, with a random
# two-layer Qwen3. Not part of `make test`: the environments are large.
# Usage: run_trainer_tests.sh [NAME]...       (trl: python/trainer_tests/test_NAME.py, python/requirements-NAME.txt)
set -euo pipefail
cd "$(dirname "$0")/.."

folder=build/trainer_tests
rm -rf "$folder"
mkdir -p "$folder"
build/steptp dataset build --out "$folder/build" --programs 12 --depth 1 --deep-states 1 --deep-entries 1 \
  --compile none --jobs 2 >"$folder/log.txt"
build/steptp dataset export "$folder/build" --out "$folder/data" --near-misses 40 --max-tokens 4096 >>"$folder/log.txt"
export STEPTP_DATASET=$PWD/$folder/data HF_HOME=$PWD/$folder/cache HF_DATASETS_OFFLINE=1 HF_HUB_OFFLINE=1
export TRANSFORMERS_OFFLINE=1 CUDA_VISIBLE_DEVICES= PYTHONPATH=$PWD/python/trainer_tests
# Our package, where it is installed, for the rewards.
if package=$(cd / && "$OLDPWD/.venv/bin/python" -c 'import os, steptp; print(os.path.dirname(steptp.__file__))'); then
  mkdir -p build/torch_path
  ln -sfn "$package" build/torch_path/steptp
  PYTHONPATH+=:$PWD/build/torch_path
fi
status=0
for one in "${@:-trl}"; do
  python=$(tools/setup_environment.sh "$one") || { echo "$one: skipped"; continue; }
  "$python" -m pytest -q -p no:cacheprovider "python/trainer_tests/test_$one.py" || status=1
done
exit $status

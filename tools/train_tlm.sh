#!/usr/bin/env bash
# Trains the tensor language model on a machine with a GPU, from a folder of `make portable`: pre-training, eight rounds
# of measuring and fine-tuning, the curve. What is done already is not done again, so it may be ended at any moment.
# Usage: train_tlm.sh FOLDER [MINUTES]; $PYTHON (python3) has PyTorch. Exit status 0: all is done, 3: the time is over,
# call it again.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
minutes=${2:-9}
python=${PYTHON:-python3}
target=${TARGET:-nvidia-h200}
device=${DEVICE:-cuda}
end=$(($(date +%s) + minutes * 60))
export PYTHONPATH=$here${PYTHONPATH:+:$PYTHONPATH} PYTHONUNBUFFERED=1

# Runs a command until the time is over.
within() {
  local left=$((end - $(date +%s)))
  [ "$left" -gt 5 ] || { echo "train_tlm: the time is over; the same call goes on" >&2; exit 3; }
  local status=0
  timeout --signal=INT --kill-after=20 "$left" "$python" -m steptp_tlm "$@" || status=$?
  case $status in
    0) ;;
    3 | 124 | 137) echo "train_tlm: the time is over; the same call goes on" >&2; exit 3 ;;
    *) exit "$status" ;;
  esac
}

mkdir -p "$folder"
[ -f "$folder/sets/test.jsonl" ] || within subgraphs --out "$folder/sets" --scale "${SCALE:-4}" --shapes "${SHAPES:-25}"
if [ ! -f "$folder/base/base.weights" ]; then
  left=$(((end - $(date +%s)) / 60))
  within train "$folder/sets/train.jsonl" --target "$target" --out "$folder/base" --size "${SIZE:-default}" \
    --each "${EACH:-5000}" --batch "${BATCH:-1024}" --minutes "$((left > 1 ? left - 1 : 1))"
fi
within round "$folder/sets/train.jsonl" --target "$target" --device "$device" --base "$folder/base/base.weights" \
  --rounds "${ROUNDS:-8}" --batches "${BATCHES:-1}" --out "$folder/run"
within curve "$folder/run/database.jsonl"

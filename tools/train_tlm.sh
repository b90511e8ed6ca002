#!/usr/bin/env bash
# Trains the tensor language model on a machine with a GPU, from a folder of `make portable`: pre-training beside the
# preparation of the first round, eight rounds of measuring and fine-tuning, the curve. What is done already is not done
# again, so it may be ended at any moment.
# Usage: train_tlm.sh FOLDER [MINUTES]; $PYTHON (python3) has PyTorch. Exit status 0: all is done, 3: the time is over,
# call it again.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
minutes=${2:-9}
python=${PYTHON:-python3}
target=${TARGET:-nvidia-h200}
export PYTHONPATH=$here${PYTHONPATH:+:$PYTHONPATH} PYTHONUNBUFFERED=1

mkdir -p "$folder"
[ -f "$folder/sets/test.jsonl" ] ||
  "$python" -m steptp_tlm subgraphs --out "$folder/sets" --scale "${SCALE:-4}" --shapes "${SHAPES:-25}"
status=0
"$python" -m steptp_tlm learn "$folder/sets/train.jsonl" --target "$target" --device "${DEVICE:-cuda}" \
  --size "${SIZE:-medium}" --each "${EACH:-5000}" --epochs "${EPOCHS:-3}" --batch "${BATCH:-2048}" --pool "${POOL:-48}" \
  --rounds "${ROUNDS:-8}" --minutes "$minutes" --out "$folder" || status=$?
[ ! -f "$folder/run/database.jsonl" ] || "$python" -m steptp_tlm curve "$folder/run/database.jsonl"
exit "$status"

#!/usr/bin/env bash
# Everything of PyTorch out that wants a GPU; results in $OUT. Needs Python 3.12 or newer with PyTorch, and nothing of ours but
# this folder. `first`: whether all is right, and what a call costs; `second`: networks and problems in 100 s; `networks` and
# `kernelbench` are the same at length, beside torch.compile.
# Usage: run.sh [first|second|networks|kernelbench]
cd "$(dirname "$0")" || exit 1
OUT=${OUT:-$PWD/results}
mkdir -p "$OUT"
export PYTHONPATH=$PWD/python PYTHONUNBUFFERED=1 OMP_NUM_THREADS=1 STEPTP_CACHE=${STEPTP_CACHE:-$PWD/cache}
status=0
part() {  # name, seconds, command
  local begin=$SECONDS name=$1 limit=$2
  shift 2
  echo "== $name"
  timeout -k 5 "$limit" "$@" || { echo "== $name: status $?"; status=1; }
  echo "== $name: $((SECONDS - begin)) s"
}
case ${1:-first} in
  first)
    part smoke 45 python3 smoke.py
    part overhead 35 python3 overhead.py -o "$OUT"
    part files 70 python3 files.py -o "$OUT" >"$OUT/files.log" 2>&1 &
    part modules 80 python3 pool.py modules -o "$OUT" --seconds 70 --jobs 14
    wait $! || status=1
    cat "$OUT/files.log"
    ;;
  second)
    timeout 45 python3 smoke.py samples >"$OUT/samples.log" 2>&1 &
    python3 table.py own zoo -o "$OUT" --only-plan --plan-seconds 36 --jobs 8 >"$OUT/plans.log" 2>&1 &
    part networks 75 python3 time_networks.py -o "$OUT" --batches 1 --dtypes f32 --doors optimize --seconds 37 --time-seconds 28 --jobs 6
    wait
    part table 35 python3 table.py own zoo -o "$OUT" --plan-seconds 0 --seconds 22
    part overhead 30 python3 overhead.py -o "$OUT" --inductor
    cat "$OUT/samples.log"
    ;;
  networks) part networks 600 python3 time_networks.py -o "$OUT" --seconds 280 --time-seconds 280 --inductor ;;
  kernelbench) part kernelbench 600 python3 table.py own zoo -o "$OUT" --plan-seconds 200 --seconds 350 --inductor ;;
  *) echo "run.sh: no part $1" >&2; exit 2 ;;
esac
exit $status

#!/usr/bin/env bash
# The judge's enemy for a long time: unequal pairs, of which none may be accepted, and equal ones that are unsafe, of which
# none may be called safe by proof; in batches, with a line of progress after each. Killed, the same command goes on
# with the batches that are missing; another judge begins anew. Tables, and pairs that were accepted, are kept in
# build/attacks/.
# Usage: run_attacks.sh PAIRS [JOBS]
# Exit status: 0 nothing accepted, 1 something was (the files are named), 4 a batch could not be run.
set -euo pipefail
cd "$(dirname "$0")/.."

pairs=${1:?"usage: run_attacks.sh PAIRS [JOBS]"}
jobs=${2:-$(nproc)}
attack=build/testing/attack
batch=500
batches=$(((pairs + batch - 1) / batch))
folder=build/attacks/$(sha256sum "$attack" | cut -c1-16)
mkdir -p "$folder"

# A batch of unequal pairs, and a fiftieth as many unsafe ones; what it says appears as a whole.
run_batch() {
  local number=$1 name=$folder/batch-$1 status=0
  [ ! -f "$name.txt" ] || return 0
  "$attack" $((1000 + number)) $batch --out "$name.accepted.jsonl" >"$name.new" || status=$?
  [ $status -le 1 ] || { echo "attacks: batch $number ended with status $status" >&2; return 0; }
  "$attack" $((1000 + number)) $((batch / 50)) --safe --out "$name.safe.jsonl" >>"$name.new" || status=$?
  [ $status -le 1 ] || { echo "attacks: batch $number of unsafe pairs ended with status $status" >&2; return 0; }
  [ $status -eq 0 ] || touch "$name.bad"
  mv "$name.new" "$name.txt"
  echo "attacks: $(find "$folder" -name '*.txt' | wc -l) of $batches batches of $batch pairs," \
    "$(find "$folder" -name '*.bad' | wc -l) with a pair that was accepted"
}
export -f run_batch
export folder attack batch batches
seq 0 $((batches - 1)) | xargs -P "$jobs" -I {} bash -c 'run_batch {}'

for ((number = 0; number < batches; number++)); do
  [ -f "$folder/batch-$number.txt" ] || { echo "attacks: batch $number was not run" >&2; exit 4; }
done
bad=$(find "$folder" -name '*.bad' | sort)
[ -z "$bad" ] || { echo "attacks: accepted, see" "${bad//.bad/.*.jsonl}" >&2; exit 1; }
echo "attacks: none of $((batches * batch)) unequal pairs was accepted, no unsafe one was safe by proof; tables in $folder"

#!/usr/bin/env bash
# A short tour with the program just built; what it writes is in demo_out/.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p demo_out

say() { printf '\n$ %s\n' "$*"; "$@"; }

for example in examples/*.leir; do
  name=$(basename "$example" .leir)
  say build/steptp fmt --profile compact "$example"
  build/steptp fmt --profile compact "$example" >"demo_out/$name.compact.leir"
  build/steptp fmt --profile paper "demo_out/$name.compact.leir" >"demo_out/$name.leir"
done

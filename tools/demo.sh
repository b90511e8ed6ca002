#!/usr/bin/env bash
# The main job on a small scale, then a short tour with the program just built; what it writes is in demo_out/.
set -euo pipefail
cd "$(dirname "$0")/.."
rm -rf demo_out
mkdir -p demo_out
steptp=build/steptp

title() { printf '\n=== %s\n' "$1"; }
say() { printf '\n$ %s\n' "$*"; "$@"; }
# A command that is meant to find something wrong: its exit status is shown, and success would be the surprise.
say_refused() {
  printf '\n$ %s\n' "$*"
  local status=0
  "$@" || status=$?
  printf '(exit status %s)\n' "$status"
  [ "$status" -eq 1 ] || [ "$status" -eq 2 ]
}

title "a PyTorch module made fast on this machine's CPU, read without PyTorch, and proved"
say "$steptp" optimize examples/feed_forward.pt2 --device cpu --explain -o demo_out/feed_forward
say build/steptp-replay demo_out/feed_forward/certificates/01.json
if [ -f build/libsteptp_llvm.so ]; then
  say "$steptp" time demo_out/feed_forward/root.leir --against demo_out/feed_forward/program.leir --budget 1
else
  printf '(no LLVM engine here, so nothing is compiled)\n'
fi

title "a dataset of verified steps with their reasoning, from about a hundred programs"
say "$steptp" dataset build --out demo_out/dataset --programs 100 --depth 1 --deep-states 1 --deep-entries 1 --compile none
say "$steptp" dataset stats demo_out/dataset --html demo_out/report.html >demo_out/stats.txt
say "$steptp" dataset validate demo_out/dataset --judge 20
title "one row of it, as a model is trained on it: a step that saves time, short enough to read"
row=(--strategy cache_read_write --least-usefulness 0.3 --most-tokens 1100)
"$steptp" dataset show demo_out/dataset "${row[@]}" >demo_out/row.txt 2>/dev/null || row=(--difficulty difficult)
say "$steptp" dataset show demo_out/dataset "${row[@]}"

for name in row_softmax matmul; do
  title "$name: one program, two spellings"
  say "$steptp" fmt "examples/$name.leir"
  say "$steptp" fmt --profile compact "examples/$name.leir"
  say "$steptp" tokens "examples/$name.leir"
  say "$steptp" check "examples/$name.leir"
  "$steptp" fmt --profile compact "examples/$name.leir" >"demo_out/$name.compact.leir"
  "$steptp" fmt "demo_out/$name.compact.leir" >"demo_out/$name.leir"
  "$steptp" check --json "examples/$name.leir" >"demo_out/$name.check.json"
done

title "run: exactly as written, on any machine the same bytes"
say "$steptp" run examples/row_softmax.leir --output demo_out/row_softmax.npz
say "$steptp" run examples/matmul.leir --elements 'D[0,0,0]' 'D[15,1023,767]'
"$steptp" run --json examples/row_softmax.leir >demo_out/row_softmax.run.json

title "a tile staged through shared memory, with a guard for the odd shape"
say "$steptp" fmt --profile compact examples/tiled_matvec.leir
say "$steptp" check examples/tiled_matvec.leir
say "$steptp" run examples/tiled_matvec.leir

title "verify: equal, and how we know"
say "$steptp" verify examples/matmul.leir examples/tiled_matmul.leir
say "$steptp" verify examples/row_softmax.leir examples/shiftless_softmax.leir
say "$steptp" verify examples/tanh.leir examples/tanh_by_exp.leir
"$steptp" verify --json examples/row_softmax.leir examples/shiftless_softmax.leir >demo_out/row_softmax.verify.json

title "verify: not equal, with a counterexample that can be run again"
say_refused "$steptp" verify examples/row_softmax.leir examples/broken/short_sum.leir --counterexample demo_out/short_sum.counterexample.json
say "$steptp" verify --replay demo_out/short_sum.counterexample.json

title "47 small steps from a vanilla matrix product to tiles in shared memory"
say "$steptp" explain cache_read_write
say "$steptp" choices examples/recipes/matmul.leir --strategy loop_split --limit 2
"$steptp" replay examples/recipes/matmul.leir --recipe examples/recipes/matmul.json >demo_out/fast_matmul.leir
say "$steptp" fmt --profile compact demo_out/fast_matmul.leir
say "$steptp" check --device nvidia-h200 demo_out/fast_matmul.leir
say "$steptp" verify examples/recipes/matmul.leir demo_out/fast_matmul.leir

title "how fast is it? the same sum in another order of loops, on this machine"
cat >demo_out/vanilla.leir <<'END'
@program Vanilla
@input  A f32[192,192]
@input  C f32[192,192]
@output D f32[192,192]
B^{192}_{tx=0}L^{192}_{a=0}L^{192}_{c=0}[D^{f32,g}_{tx,a}=D^{f32,g}_{tx,a}+A^{f32,g}_{tx,c}*C^{f32,g}_{c,a};];
END
sed 's/Vanilla/Reordered/; s/L^{192}_{a=0}L^{192}_{c=0}/L^{192}_{c=0}V^{192}_{a=0}/' demo_out/vanilla.leir >demo_out/reordered.leir
say "$steptp" verify demo_out/vanilla.leir demo_out/reordered.leir
if [ -f build/libsteptp_llvm.so ]; then
  say "$steptp" run demo_out/reordered.leir --engine llvm
  say "$steptp" time demo_out/vanilla.leir --against demo_out/reordered.leir --budget 1
else
  printf '(no LLVM engine here, so nothing is compiled)\n'
fi

title "a model from PyTorch"
if "${PYTHON:-python3}" -c 'import torch' 2>/dev/null; then
  say "$steptp" import examples/gated_mlp.py --python "${PYTHON:-python3}" -o demo_out/gated_mlp.leir
else
  printf '(no PyTorch here: a program of the zoo, and one that torch.export wrote elsewhere)\n'
  say "$steptp" zoo draw --count 1 --seed 1
  say "$steptp" import steptp/import/golden/initial_state.pt2 -o demo_out/gated_mlp.leir
fi
say "$steptp" check demo_out/gated_mlp.leir

title "what a broken program gets"
say_refused "$steptp" check examples/broken/syntax.leir
say_refused "$steptp" check examples/broken/unsafe.leir
say_refused "$steptp" check examples/broken/undefined.leir
say "$steptp" check --explain undefined-read
"$steptp" check --json examples/broken/undefined.leir >demo_out/undefined.check.json 2>/dev/null || true

cat <<'END'

demo: done. Look at:
  demo_out/feed_forward/            a PyTorch module as it came and made fast, with plan, recipe, verdict, certificate
  demo_out/report.html              what the dataset consists of, with plots: open it in a browser
  demo_out/dataset/                 the dataset, a Hugging Face repository as it stands; README.md is its card
  demo_out/fast_matmul.leir         the matrix product after its steps, proved equal
  demo_out/                         everything else
END

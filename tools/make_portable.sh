#!/usr/bin/env bash
# Makes BUILD/portable a folder that runs from a plain copy on any x86-64 Linux with glibc 2.36 or newer: the binary, the
# cursor for C with its header and its words, the training of the language model, the libraries that they need besides
# glibc, and the programs of the GPU tests. Without the LLVM engine.
# Usage: make_portable.sh BUILD
# Debian has no static FLINT, so libraries travel as files beside the binary instead of inside it.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
out=$build/portable
strip "$out/steptp"
strip --strip-unneeded "$out/libsteptp_cursor.so"
rm -rf "$out/lib" "$out/programs"
mkdir -p "$out/lib" "$out/programs"
# glibc is the system's own; all else is copied.
{ ldd "$out/steptp"; ldd "$out/libsteptp_cursor.so"; } | awk '$3 ~ /^\// { print $3 }' | sort -u | grep -Ev '/(libc|libm|libdl|libpthread|librt|ld-linux[^/]*)\.so' |
  while read -r library; do cp -L "$library" "$out/lib/"; done
# The tensor language model needs a Python with PyTorch there, and nothing else.
rm -rf "$out/steptp_tlm"
mkdir "$out/steptp_tlm"
cp python/steptp_tlm/*.py "$out/steptp_tlm/"
rm -rf "$out/tlm_weights"
[ ! -d data/tlm_weights ] || cp -r data/tlm_weights "$out/"
cp tools/train_tlm.sh tools/run_gpu_tests.py capi/steptp_cursor.h data/tlm_vocabulary.txt "$out/"
python3 tools/gpu_test_programs.py "$build" "$out/programs"

newest=$(objdump -T "$out/steptp" "$out/libsteptp_cursor.so" "$out"/lib/* | grep -o 'GLIBC_2\.[0-9]*' | sort -t. -k2 -n | tail -1)
[ "${newest#GLIBC_2.}" -le 36 ] || { echo "portable: needs $newest, wanted at most GLIBC_2.36" >&2; exit 1; }
bytes=$(cat "$out/steptp" "$out"/lib/* | wc -c)
[ "$bytes" -lt $((40 << 20)) ] || { echo "portable: $bytes bytes, wanted less than 40 MB" >&2; exit 1; }
own=$(wc -c <"$out/libsteptp_cursor.so")
[ "$own" -lt $((8 << 20)) ] || { echo "portable: libsteptp_cursor.so has $own bytes, wanted less than 8 MB" >&2; exit 1; }
# Where it runs, the system does not have these libraries.
env -i LD_TRACE_LOADED_OBJECTS=1 "$out/steptp" | awk '{ print $1, $3 }' | while read -r name place; do
  [ ! -f "$out/lib/$name" ] || case $place in */portable/lib/*) ;; *)
    echo "portable: $name comes from $place" >&2
    exit 1 ;;
  esac
done
env -i "$out/steptp" --version >/dev/null
env -i "$(command -v python3)" -I -c 'import ctypes, sys; sys.exit(ctypes.CDLL(sys.argv[1]).steptp_cursor_abi() != 2)' \
  "$out/libsteptp_cursor.so"
echo "portable: $out, $((bytes >> 20)) MB, needs $newest"

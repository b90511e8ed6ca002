#!/usr/bin/env bash
# Tries that `make test` passes wherever it is started: a copy of this clone is made in a path with spaces and given to a
# user who is not root, whose home cannot be written; make is started there in the background, without a terminal and with
# SIGINT ignored. All of it at once: what passes so passes with less. Only the suites that depend on such things run.
# Usage: try_places.sh [--all] [PLACE...]     --all: the whole of `make test`; without a PLACE all of them:
#   spaces  home  terminal  background  user (only where root starts this script)
# KEEP=1 leaves the copy where it is. The compiler cache is copied too, so that little is compiled.
set -euo pipefail
cd "$(dirname "$0")/.."

# Suites that read files by path, start compilers or worker processes, send signals or write to a cache.
programs="test_base test_execution test_cuda test_lowering test_dataset"
suites="^(test_base|test_execution|test_cuda|test_lowering|test_dataset|layers.*|registry_must_fail|guides.*|cli_golden"
suites+="|dataset_build|evaluate_server"
suites+="|pytest_(dataset|run|verify|cli|import|time|evaluate|lower))$"

whole=
[ "${1:-}" != --all ] || { whole=yes; shift; }
places="${*:-spaces home terminal background user}"
for place in $places; do
  case $place in
    spaces | home | terminal | background | user) ;;
    *) echo "try_places: no place '$place'" >&2; exit 2 ;;
  esac
done
asked() { [[ " $places " == *" $1 "* ]]; }

top=$(mktemp -d "${TMPDIR:-/tmp}/steptp_places_XXXXXX")
[ -n "${KEEP:-}" ] || trap 'chmod -R u+w "$top"; rm -rf "$top"' EXIT
clone=$top/step_tp
! asked spaces || clone="$top/a path with spaces/step tp"
mkdir -p "$clone" "$top/home" "$top/tmp"
git ls-files -z --cached --others --exclude-standard | tar --null --files-from=- --ignore-failed-read -cf - | tar -C "$clone" -xf -
ln -s "$(cd .. && pwd)/shared" "$(dirname "$clone")/shared" 2>/dev/null || true
cache=$(ccache -k cache_dir 2>/dev/null || true)
[ ! -d "$cache" ] || cp -r "$cache" "$top/ccache"
chmod 755 "$top"

command=(env HOME="$top/home" TMPDIR="$top/tmp" CCACHE_DIR="$top/ccache")
if asked user && [ "$(id -u)" -eq 0 ]; then
  chown -R 65534:65534 "$top"
  command=(setpriv --reuid 65534 --regid 65534 --clear-groups "${command[@]}")
fi
! asked home || chmod 555 "$top/home"
! asked terminal || command=(setsid --wait "${command[@]}")
steps='set -e; make --no-print-directory module; ninja -C build --quiet '"$(echo $programs)"'; tools/write_suites.sh
       ctest --test-dir build/suites --output-on-failure --no-tests=error -R '"'$suites'"
[ -z "$whole" ] || steps='make --no-print-directory test'

echo "try_places: $places, in $clone"
status=0
(
  cd "$clone"
  # As a shell does with what it starts in the background: SIGINT ignored, no standard input.
  ! asked background || trap '' INT
  "${command[@]}" bash -c "$steps" </dev/null >"$top/tmp/log.txt" 2>&1
) || status=$?
tail -40 "$top/tmp/log.txt"
if [ "$status" -ne 0 ]; then
  mkdir -p build && cp "$top/tmp/log.txt" build/try_places.log
  echo "try_places: failed with $status; all that was said is in build/try_places.log" >&2
fi
exit "$status"

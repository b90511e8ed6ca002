#!/usr/bin/env bash
# Prints the Pythons of this machine that modules can be built for, one for each version from 3.10 on: those on PATH, of pyenv,
# and that of .venv, where their headers are there. $STEPTP_PYTHONS names others instead.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -n "${STEPTP_PYTHONS:-}" ]; then
  tr ' ' '\n' <<<"$STEPTP_PYTHONS"
  exit 0
fi
probe='import os, sys, sysconfig
headers = os.path.join(sysconfig.get_path("include"), "Python.h")
print("%d.%d" % sys.version_info[:2] if sys.version_info >= (3, 10) and os.path.exists(headers) else "")'
seen=
for python in .venv/bin/python python3 python3.{10..19} "${PYENV_ROOT:-${HOME:-}/.pyenv}"/versions/*/bin/python; do
  path=$(command -v "$python" 2>/dev/null) || continue
  version=$("$path" -c "$probe" 2>/dev/null) || continue
  case " $seen " in *" $version "*) continue ;; esac
  [ -n "$version" ] || continue
  seen="$seen $version"
  realpath -s "$path"
done

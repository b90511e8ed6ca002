#!/usr/bin/env bash
# Makes .venv with the pinned Python packages of python/requirements-test.txt; does nothing when it is up to date.
set -euo pipefail
cd "$(dirname "$0")/.."

requirements=python/requirements-test.txt
stamp=.venv/requirements.sha256
python=${PYTHON:-python3}
state="$("$python" -c 'import sys; print(sys.version)') $(sha256sum "$requirements")"
[ -f "$stamp" ] && [ "$(cat "$stamp")" = "$state" ] && exit 0

echo "venv: installing $requirements into .venv"
"$python" -m venv --clear .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --requirement "$requirements"
echo "$state" >"$stamp"

#!/usr/bin/env bash
# Makes a virtual environment with the pinned packages of python/requirements-NAME.txt, once for all clones, and prints
# the path of its Python. It lies in the user's cache: NAME-<hash of the requirements and of the Python>.
# Usage: setup_datasets_venv.sh NAME        (datasets, datasets-3.6)
# Exit status: 0 done or there already, 3 it cannot be made here, with the reason on standard error.
set -euo pipefail
cd "$(dirname "$0")/.."

name=$1
requirements=python/requirements-$name.txt
python=${PYTHON:-python3}
wanted_gb=2
key=$({ "$python" -c 'import sys; print(sys.version)'; cat "$requirements"; } | sha256sum | cut -c1-16)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/steptp
folder=$cache/$name-$key
stamp=$folder/complete
[ -f "$stamp" ] && { echo "$folder/bin/python"; exit 0; }

give_up() {
  echo "$name: $1" >&2
  exit 3
}

mkdir -p "$cache" || give_up "no folder $cache"
exec 9>"$folder.lock"
flock 9  # another clone may be making it right now
[ -f "$stamp" ] && { echo "$folder/bin/python"; exit 0; }
free_gb=$(df -P -k "$cache" | awk 'NR == 2 { print int($4 / 1048576) }')
[ "$free_gb" -ge "$wanted_gb" ] || give_up "$free_gb GB are free in $cache, $wanted_gb are wanted"
echo "$name: installing $requirements into $folder (half a GB, once)" >&2
log=$folder.log
"$python" -m venv --clear "$folder" >&2 || give_up "no virtual environment in $folder"
if ! "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-cache-dir \
    --requirement "$requirements" >"$log" 2>&1; then
  tail -5 "$log" >&2
  rm -rf "$folder"
  give_up "pip could not install it; is there a network? The whole log is in $log"
fi
"$folder/bin/python" -c 'import datasets' >&2 || give_up "the package datasets does not start in $folder"
touch "$stamp"
echo "$folder/bin/python"

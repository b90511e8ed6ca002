#!/usr/bin/env bash
# Makes a virtual environment with a trainer over the PyTorch of tools/setup_torch_venv.sh, once for all clones, and
# prints the path of its Python. Trainers pin each other out, so each has its own: python/requirements-NAME.txt.
# Usage: setup_trainer_venv.sh NAME         (trl)
# Exit status: 0 done or there already, 3 it cannot be made here, with the reason on standard error.
set -euo pipefail
cd "$(dirname "$0")/.."

name=$1
requirements=python/requirements-$name.txt
torch_python=$(tools/setup_torch_venv.sh) || exit 3
python=${PYTHON:-python3}
key=$({ "$python" -c 'import sys; print(sys.version)'; cat python/requirements-torch.txt "$requirements"; } |
  sha256sum | cut -c1-16)
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
echo "$name: installing $requirements into $folder (about a GB, once)" >&2
log=$folder.log
"$python" -m venv --clear "$folder" >&2 || give_up "no virtual environment in $folder"
# PyTorch and what it needs are taken from where they are; what is installed here comes first.
"$torch_python" -c 'import site; print(site.getsitepackages()[0])' \
  >"$("$folder/bin/python" -c 'import site; print(site.getsitepackages()[0])')/torch.pth"
if ! "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-cache-dir \
    --requirement "$requirements" >"$log" 2>&1; then
  tail -5 "$log" >&2
  rm -rf "$folder"
  give_up "pip could not install it; is there a network? The whole log is in $log"
fi
touch "$stamp"
echo "$folder/bin/python"

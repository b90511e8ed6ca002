#!/usr/bin/env bash
# Makes a virtual environment with the pinned packages of python/requirements-NAME.txt, once for all clones, and prints
# the path of its Python. It lies in the folder of cache_folder.sh: NAME-<hash of what is pinned and of the Python>. Trainers pin each
# other out, so each has an environment of its own, over the PyTorch of the environment torch.
# Usage: setup_environment.sh torch|tvm|datasets|datasets-3.6|trl|swift
# Exit status: 0 done or there already, 2 no such environment, 3 it cannot be made here, with the reason on standard error.
set -euo pipefail
cd "$(dirname "$0")/.."

name=${1:-}
give_up() {
  echo "$name: $1" >&2
  exit "${2:-3}"
}

wanted_gb=2
over_torch=
case $name in
  torch) size="about 5 GB and two minutes" probe='import torch, einops; torch.export' wanted_gb=8 ;;
  tvm) size="about 420 MB and half a minute" probe='import tvm' ;;
  datasets | datasets-3.6) size="half a GB" probe='import datasets' ;;
  trl) size="about a GB and two minutes" probe='import trl' over_torch=yes ;;
  swift) size="about a GB and three minutes" probe='import swift' over_torch=yes ;;
  *) give_up "no such environment; there are torch, tvm, datasets, datasets-3.6, trl and swift" 2 ;;
esac

requirements=python/requirements-$name.txt
pinned=("$requirements")
if [ "$over_torch" ]; then
  torch_python=$(tools/setup_environment.sh torch) || exit 3
  pinned=(python/requirements-torch.txt "$requirements")
fi
python=${PYTHON:-python3}
key=$({ "$python" -c 'import sys; print(sys.version)'; grep -hv '^#' "${pinned[@]}"; } | sha256sum | cut -c1-16)
# A home that cannot be written may still hold what was installed before.
for ready in "${XDG_CACHE_HOME:-}" "${HOME:+$HOME/.cache}"; do
  ready=$ready/steptp/$name-$key
  [ -f "$ready/complete" ] && { echo "$ready/bin/python"; exit 0; }
done
cache=$(tools/cache_folder.sh)/steptp
folder=$cache/$name-$key
stamp=$folder/complete

site_packages() {
  "$1" -c 'import site; print(site.getsitepackages()[0])'
}

mkdir -p "$cache" || give_up "no folder $cache"
exec 9>"$folder.lock"
flock 9  # another clone may be making it right now
[ -f "$stamp" ] && { echo "$folder/bin/python"; exit 0; }
free_gb=$(df -P -k "$cache" | awk 'NR == 2 { print int($4 / 1048576) }')
[ "$free_gb" -ge "$wanted_gb" ] || give_up "$free_gb GB are free in $cache, $wanted_gb are wanted"
echo "$name: installing $requirements into $folder ($size, once)" >&2
log=$folder.log
"$python" -m venv --clear "$folder" >&2 || give_up "no virtual environment in $folder"
if [ "$over_torch" ]; then
  # PyTorch and what it needs are taken from where they are; what is installed here comes first.
  site_packages "$torch_python" >"$(site_packages "$folder/bin/python")/torch.pth"
fi
if ! "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-cache-dir \
    --requirement "$requirements" >"$log" 2>&1; then
  tail -5 "$log" >&2
  rm -rf "$folder"
  give_up "pip could not install it; is there a network? The whole log is in $log"
fi
"$folder/bin/python" -c "$probe" >&2 || give_up "'$probe' fails in $folder"
touch "$stamp"
echo "$folder/bin/python"

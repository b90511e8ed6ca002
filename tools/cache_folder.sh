#!/usr/bin/env bash
# Prints the folder for what is downloaded or compiled once: the user's cache, or where that cannot be written (a read-only
# home, none at all), .cache in this clone. The Makefile exports it as XDG_CACHE_HOME, where ccache, pip, the environments
# of setup_environment.sh and the cache of compiled programs look.
set -euo pipefail
cd "$(dirname "$0")/.."

for folder in "${XDG_CACHE_HOME:-}" "${HOME:+$HOME/.cache}"; do
  # The rights of a folder do not tell whether its file system is mounted for reading only: a file does.
  if [ -n "$folder" ] && mkdir -p "$folder/steptp" 2>/dev/null && probe=$(mktemp -p "$folder/steptp" .probe.XXXXXX 2>/dev/null); then
    rm -f "$probe"
    echo "$folder"
    exit 0
  fi
done
mkdir -p .cache
echo "$PWD/.cache"

#!/usr/bin/env bash
# Installs the Debian packages that are missing, and does nothing when none is.
# Usage: install_packages.sh [build] [fuzz] [lint]     (build is what `make build` and `make test` compile with)
set -euo pipefail

build="g++ cmake ninja-build git ccache python3 python3-venv python3-dev pkg-config zlib1g-dev libzstd-dev nlohmann-json3-dev
       libcli11-dev libmpfr-dev libgmp-dev libflint-dev libflint-arb-dev libisl-dev libgtest-dev libbenchmark-dev
       llvm-19-dev libcurl4-openssl-dev"
fuzz="clang libclang-rt-14-dev"
lint="clang-format clang-tidy"

wanted=""
for group in "${@:-build}"; do
  case "$group" in
    build | fuzz | lint) wanted+=" ${!group}" ;;
    *) echo "install_packages: no group '$group'; there are build, fuzz and lint" >&2; exit 2 ;;
  esac
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "install_packages: this is not Debian. Install the equivalents of these, then set STEPTP_SKIP_PACKAGES=1:" >&2
  echo "  $(echo $wanted)" >&2
  [ -n "${STEPTP_SKIP_PACKAGES:-}" ] && exit 0 || exit 1
fi

missing=""
for package in $wanted; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=" $package"
done
[ -z "$missing" ] && exit 0
[ -n "${STEPTP_SKIP_PACKAGES:-}" ] && { echo "packages: missing, skipped as asked:$missing"; exit 0; }

as_root=""
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "install_packages: not root and no sudo. As root, run: apt-get install$missing" >&2
    exit 1
  fi
  as_root="sudo"
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
run() {
  if ! $as_root env DEBIAN_FRONTEND=noninteractive "$@" >"$log" 2>&1; then
    tail -20 "$log" >&2
    echo "install_packages: '$*' failed" >&2
    exit 1
  fi
}
echo "packages: installing$missing"
run apt-get update -q
run apt-get install -q -y --no-install-recommends $missing

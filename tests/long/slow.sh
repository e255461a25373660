#!/bin/sh
# slowhttptest against listen: slow heads, slow bodies and slow readers are ended in time, and nobody else waits.
set -eu
cd "$(dirname "$0")/../.."
. samples/packages.sh
# shellcheck disable=SC2086
need_packages $build_packages slowhttptest python3
export PYTHONDONTWRITEBYTECODE=1 SOURCE="$PWD" CREDHOOK="$PWD/build/credhook"
exec python3 tests/long/slow.py

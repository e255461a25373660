#!/bin/sh
# How fast listen takes notifications in, beside Redis (each on disk) and nginx in one run, and how it bears many
# connections:
#   sh tests/bench/listen.sh [SECONDS_EACH]
# Prints ratios, and exits non-zero where one is below its figure. BENCH_FOLDER: the disk that is measured (default /tmp).
set -eu
cd "$(dirname "$0")/../.."
. tests/bench/need.sh
. samples/packages.sh
need_packages wrk nginx-light redis-server redis-tools python3 >/dev/null
exec env CREDHOOK="$CREDHOOK" SOURCE="$PWD" PYTHONDONTWRITEBYTECODE=1 python3 \
	tests/bench/listen_bench.py "${1:-5}"

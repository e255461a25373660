#!/bin/sh
# Loads listen for a minute (SECONDS_EACH) under ASan and UBSan, plain, over TLS and passing on, with captures that are
# moved away, SIGHUP, rules, faults, delays and bad requests: no finding, and no record is missing. Then gives
# the released binary a million notifications (REQUESTS), no two alike: its memory stays flat.
set -eu
cd "$(dirname "$0")/../.."
. samples/packages.sh
# shellcheck disable=SC2086
need_packages $build_packages clang libclang-rt-dev wrk apache2-utils openssl python3
cmake -S . -B build-asan -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Debug -DCREDHOOK_SANITIZE=address,undefined \
	-DCREDHOOK_TESTS=ON >/dev/null
cmake --build build-asan -j "$(nproc)" --target credhook >/dev/null
export PYTHONDONTWRITEBYTECODE=1 SOURCE="$PWD"
CREDHOOK=$PWD/build-asan/credhook python3 tests/long/listen_load.py sanitized "${SECONDS_EACH:-60}"
CREDHOOK=$PWD/build/credhook python3 tests/long/listen_load.py flat "${REQUESTS:-1000000}"

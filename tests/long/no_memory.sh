#!/bin/sh
# Each allocation of each command in tests/e2e/no_memory_test.py fails once: it is said, or nothing is lost. Minutes.
set -eu
cd "$(dirname "$0")/../.."
CREDHOOK=${CREDHOOK:-$PWD/build/credhook} SOURCE=$PWD NO_MEMORY_STEP=1 \
	FAIL_MEMORY=$PWD/build/tests/libfail_memory.so PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 tests/e2e/no_memory_test.py

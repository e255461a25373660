#!/bin/sh
# How long listen waits for what a command has caused, and for a command that does not end.
set -eu
cd "$(dirname "$0")/../.."
CREDHOOK=$PWD/build/credhook SOURCE=$PWD PYTHONDONTWRITEBYTECODE=1 LONG=1 \
	python3 tests/e2e/listen_command_test.py test_how_long_it_waits

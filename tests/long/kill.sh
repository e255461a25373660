#!/bin/sh
# Kills a loaded listener 200 times: every 2xx has its record, none stands twice, every torn tail is set aside.
set -eu
cd "$(dirname "$0")/../.."
CREDHOOK=${CREDHOOK:-$PWD/build/credhook} SOURCE=$PWD PYTHONDONTWRITEBYTECODE=1 KILL_ROUNDS=${KILL_ROUNDS:-200} \
	python3 tests/e2e/listen_durable_test.py test_killed_under_load_it_has_every_record_it_answered_for

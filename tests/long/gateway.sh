#!/bin/sh
# The gateway of samples/README.md: it keeps what comes while the application is down. The application is away for 20 s, and both of
# the gateway's commands are killed with -9 twice and started again by the same lines. Everything arrives but what was in
# flight at a kill, which is reported; nothing arrives twice.
set -eu
cd "$(dirname "$0")/../.."
CREDHOOK=${CREDHOOK:-$PWD/build/credhook} SOURCE=$PWD PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=tests/e2e exec python3 tests/long/gateway.py

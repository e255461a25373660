#!/bin/sh
# Runs samples/brokers/ against real brokers, with one worker killed while a delivery is in flight and another killed at a
# random moment: every record arrives, none twice, in order per key. Each broker needs its Debian packages, and is skipped
# if they are not installed: redis-server; nats-server, nodejs and npm (it gets the client of NATS from npm); kcat, whose
# library has a broker of its own, made for tests, which takes the place of Kafka.
set -eu
cd "$(dirname "$0")/../.."
CREDHOOK=${CREDHOOK:-$PWD/build/credhook} SOURCE=$PWD PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=tests/e2e python3 tests/long/brokers.py

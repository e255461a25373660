#!/bin/sh
# `credhook test` against small listeners in node, Express, Fastify, Flask, gunicorn, PHP and nginx, as far as they are
# installed (Express and Fastify where node finds them: NODE_PATH), and a table of what fails. Arguments are levels:
# normal (the default) takes a minute; deep has slow/* and takes 3 minutes for each.
set -eu
cd "$(dirname "$0")/../.."
CREDHOOK=$PWD/build/credhook SOURCE=$PWD PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=tests/e2e \
	exec /usr/bin/python3 tests/long/frameworks.py "$@"

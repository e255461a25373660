#!/bin/sh
# `credhook test --observe ... -- COMMAND` against right listeners on PostgreSQL, MariaDB and Redis (under gunicorn with four
# workers), and a cluster of node with a log, as far as they are installed: no check of what they did fails or is skipped.
# --observe is the manual's line for each. Arguments are names of stores (all). Packages of Debian: postgresql, mariadb-server,
# redis-server, gunicorn, python3-psycopg2, python3-pymysql, python3-redis, nodejs.
set -eu
cd "$(dirname "$0")/../.."
CREDHOOK=${CREDHOOK:-$PWD/build/credhook} SOURCE=$PWD PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=tests/e2e exec /usr/bin/python3 tests/long/databases.py "$@"

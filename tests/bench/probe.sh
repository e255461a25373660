#!/bin/sh
# How long `credhook test --level normal` takes on a right listener of tests/e2e/store_app.py, which keeps a row of SQLite
# of each notification: on one that runs, and with COMMAND and --observe, where it is ended and started again.
#
#   sh tests/bench/probe.sh
#
# Most of that is waiting, so the machine has to be quiet. Exit 1 above the figures of the design, 10 s and 30 s, or where
# a check fails. CREDHOOK names the binary (default build/credhook).
set -eu
cd "$(dirname "$0")/../.."
. tests/bench/need.sh
need python3 sqlite3 /usr/bin/time
work=$(mktemp -d)
app=
trap '[ -z "$app" ] || kill "$app" || :; rm -rf "$work"' EXIT
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
url=http://127.0.0.1:$port/hook
failed=0

# measure WHAT SECONDS ARGUMENT...: tests the listener with these arguments.
measure() {
	what=$1 most=$2
	shift 2
	/usr/bin/time -o "$work/time" -f %e "$CREDHOOK" test --to "$url" --level normal --wait 10s "$@" >"$work/out" 2>&1 ||
		{ cat "$work/out"; failed=1; }
	tail -n 1 "$work/time" | awk -v what="$what" -v most="$most" '{
		printf "%-28s %5.1f s, at most %d s%s\n", what, $1, most, ($1 > most ? ": above" : "")
		exit ($1 > most) }' || failed=1
}

mkdir "$work/runs" "$work/started"
CREDHOOK_URL=$url python3 -S tests/e2e/store_app.py Store "$work/runs" 2>"$work/log" &
app=$!
measure "one that runs" 10
kill "$app"
wait "$app" 2>/dev/null || :
app=
measure "with COMMAND and --observe" 30 --observe "sqlite3 -readonly $work/started/db 'select * from n'" -- \
	python3 -S tests/e2e/store_app.py Store "$work/started"
exit $failed

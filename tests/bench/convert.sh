#!/bin/sh
# How fast `credhook convert` is, side by side in one run with `jq -c .` on the same capture, and what memory it takes.
#
#   sh tests/bench/convert.sh [RECORDS]
#
# listen itself takes RECORDS (default 50000) of all 25 kinds into a capture, in heads as post_lines.py makes them. Exit 1
# where, on one processor and in the best of 5 rounds, it takes more of the processor's time than jq to write or to read a
# format, more than 0.75 of it to redact (as HAR: 0.95), or 32 MiB or more. CREDHOOK names the binary (default
# build/credhook), a Release build.
set -eu
cd "$(dirname "$0")/../.."
. tests/bench/need.sh
need jq python3 taskset /usr/bin/time
work=$(mktemp -d)
listener=
trap 'kill $listener 2>/dev/null || :; rm -rf "$work"' EXIT
"$CREDHOOK" build all --count $((${1:-50000} / 25)) --seed 1 >"$work/events"
"$CREDHOOK" listen 127.0.0.1:0 -q --capture "$work/capture" --ready-file "$work/url" >/dev/null 2>"$work/said" &
listener=$!
while ! [ -s "$work/url" ]; do
	kill -0 "$listener" 2>/dev/null || { cat "$work/said" >&2; exit 1; }
	sleep 0.05
done
python3 tests/bench/post_lines.py "$(cat "$work/url")" <"$work/events"
kill "$listener"
wait "$listener" || :
listener=
"$CREDHOOK" convert -q --format har "$work/capture" -o "$work/har" 2>"$work/said"
failed=0

# run NAME FILE COMMAND...: adds "seconds KiB" to $work/NAME.times
run() {
	name=$1 file=$2
	shift 2
	/usr/bin/time -f '%U %S %M' -o "$work/time" taskset -c 0 "$@" "$file" >"$work/out"
	awk 'END { printf "%.2f %d\n", $1 + $2, $3 }' "$work/time" >>"$work/$name.times"
}
best() { sort -n "$work/$1.times" | head -n 1; }
# report WHAT NAME LIMIT
report() {
	best "$2" | awk -v what="$1" -v jq="$jq" -v limit="$3" '{
		good = $1 <= limit * jq && $2 < 32768
		printf "%-24s %7s s  %.2f of jq (at most %s)  %6s KiB  %s\n", what, $1, $1 / jq, limit, $2, good ? "good" : "NOT REACHED"
		exit !good }' || failed=1
}
size() { awk -v bytes="$(wc -c <"$1")" 'BEGIN { printf "%d MB", bytes / 1e6 }'; }

for round in 1 2 3 4 5; do
	run jq "$work/capture" jq -c .
	for format in ndjson har; do
		run "redact-$format" "$work/capture" "$CREDHOOK" convert -q --redact --format $format
		run "write-$format" "$work/capture" "$CREDHOOK" convert -q --format $format
	done
	run read-ndjson "$work/capture" "$CREDHOOK" convert -q
	run read-har "$work/har" "$CREDHOOK" convert -q
done 2>"$work/said" || { cat "$work/said" >&2; exit 1; }
jq=$(best jq)
jq=${jq% *}
echo "$(wc -l <"$work/capture") records, $(size "$work/capture"), as HAR $(size "$work/har"): jq -c . takes $jq s"
report "redact to ndjson" redact-ndjson 0.75
report "redact to har" redact-har 0.95
for format in ndjson har; do
	report "write $format" write-$format 1
	report "read $format" read-$format 1
done
exit $failed

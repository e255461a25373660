#!/bin/sh
# What --distinct costs, side by side in one run with the same command without it, and what memory it takes.
#
#   sh tests/bench/distinct.sh [RECORDS]
#
# RECORDS (default 1,000,000) of the 25 kinds, as many of which each has a shape of its own, and one payload of 48 MB; of
# three rounds the best counts. Exit 1 where convert takes more than 2.4 times the processor's time (2 is wanted; 1.9 to
# 2.2 are seen with one binary), 16 MiB, with as many shapes as records 64 MiB, or adds more than twice what validate takes
# for the payload. CREDHOOK names the binary (default build/credhook), a Release build.
set -eu
cd "$(dirname "$0")/../.."
. tests/bench/need.sh
need awk /usr/bin/time
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
records=${1:-1000000}
"$CREDHOOK" build all --count $((records / 25)) --seed 1 | "$CREDHOOK" convert -q - -o "$work/kinds"
"$CREDHOOK" build user-created --count "$records" --seed 1 | nl -ba -w1 -s' ' |
	sed -E 's/^([0-9]+) (.*"details":\{)/\2"k\1":1,/' | "$CREDHOOK" convert -q - -o "$work/shapes"
awk 'BEGIN {
	printf "{\"service\":\"x\",\"details\":{\"list\":[{\"a\":1,\"b\":\"c\"}"
	for (i = 0; i < 3000000; i++) printf ",{\"a\":%d,\"b\":\"c\"}", i % 10
	print "]}}"
}' >"$work/long.json"
failed=0

# run COMMAND...: prints "seconds KiB"
run() {
	/usr/bin/time -f '%U %S %M' -o "$work/time" "$@" >/dev/null 2>&1 || true
	awk 'END { printf "%.2f %d\n", $1 + $2, $3 }' "$work/time"
}
# report WHAT VALUE LIMIT
report() {
	if awk -v a="$2" -v b="$3" 'BEGIN { exit !(a <= b) }'; then verdict=good; else verdict="NOT REACHED" failed=1; fi
	printf '%-52s %8s  at most %-8s %s\n' "$1" "$2" "$3" "$verdict"
}
ratio() { awk -v a="${1% *}" -v b="${2% *}" 'BEGIN { printf "%.2f", a / b }'; }

for round in 1 2 3; do
	run "$CREDHOOK" convert -q "$work/kinds" -o /dev/null >>"$work/plain"
	run "$CREDHOOK" convert -q --distinct "$work/kinds" -o /dev/null >>"$work/distinct"
	run "$CREDHOOK" convert -q "$work/shapes" -o /dev/null >>"$work/each"
	run "$CREDHOOK" convert -q --distinct "$work/shapes" -o /dev/null >>"$work/of_each"
	run "$CREDHOOK" validate -q "$work/long.json" >>"$work/checked"
	run "$CREDHOOK" convert -q "$work/long.json" -o /dev/null >>"$work/long"
	run "$CREDHOOK" convert -q --distinct "$work/long.json" -o /dev/null >>"$work/long_distinct"
done
# best NAME: of the three rounds, the least time; what else the machine does only ever adds to it.
best() { sort -n "$work/$1" | head -n 1; }
plain=$(best plain) kinds=$(best distinct) each=$(best each) shapes=$(best of_each)
checked=$(best checked) long=$(best long) long_distinct=$(best long_distinct)
added=$(awk -v a="${long_distinct% *}" -v b="${long% *}" 'BEGIN { printf "%.2f", a - b }')
echo "$records records: convert takes ${plain% *} s, with --distinct ${kinds% *} s; of as many shapes ${each% *} s and ${shapes% *} s"
report "25 shapes / without --distinct" "$(ratio "$kinds" "$plain")" 2.40
report "memory in KiB" "${kinds#* }" 16384
report "memory in KiB, as many shapes as records" "${shapes#* }" 65536
report "added for a payload of 48 MB / validate" "$(ratio "$added" "$checked")" 2.00
exit $failed

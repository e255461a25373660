#!/bin/sh
# What it costs show to say why failures failed, side by side in one run with -q, which says nothing, and what memory it takes.
#
#   sh tests/bench/causes.sh [RECORDS]
#
# RECORDS (default 1,000,000) of the 25 kinds as `listen --capture` writes them, of which none failed, 1 % at random, and
# 1 % for a reason (a value of a code); of three rounds the best counts. Exit 1 where show takes more than 1.05 times the
# processor's time without failures, twice with them, or 48 MiB. CREDHOOK names the binary (default build/credhook), a Release
# build.
set -eu
cd "$(dirname "$0")/../.."
. tests/bench/need.sh
need awk /usr/bin/time
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
records=${1:-1000000}
"$CREDHOOK" build all --count $((records / 25)) --seed 1 | "$CREDHOOK" convert -q - --format ndjson -o - >"$work/kinds"
sed 's/"response":null}$/"response":{"status":200}}/' "$work/kinds" >"$work/none"
fails='"response":{"status":500,"type":"application/json","text":"{\\"error\\":\\"oops\\"}"}}'
awk -v fails="$fails" 'BEGIN { srand(1) } rand() < 0.01 { sub(/"response":.*/, fails) } { print }' "$work/none" >"$work/random"
awk -v fails="$fails" 'BEGIN { srand(1) } rand() < 0.25 && sub(/alertType\\":\\"[^"]*"/, "alertType\\\":\\\"Inquiry\\\"") { sub(/"response":.*/, fails) }
	{ print }' "$work/none" >"$work/planted"
rm "$work/kinds"
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
# best NAME: of the three rounds, the least time; what else the machine does only ever adds to it.
best() { sort -n "$work/$1" | head -n 1; }
ratio() { awk -v a="${1% *}" -v b="${2% *}" 'BEGIN { printf "%.2f", a / b }'; }

for round in 1 2 3; do
	for what in none random planted; do
		run "$CREDHOOK" show -q "$work/$what" >>"$work/$what.without"
		run "$CREDHOOK" show "$work/$what" >>"$work/$what.with"
	done
done
for what in none random planted; do
	limit=2.00
	[ $what != none ] || limit=1.05
	with=$(best $what.with)
	report "$records records, failures: $what" "$(ratio "$with" "$(best $what.without)")" $limit
	report "memory in KiB" "${with#* }" 49152
done
exit $failed

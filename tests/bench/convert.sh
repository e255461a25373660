#!/bin/sh
# How fast `credhook convert` is, side by side in one run with `jq -c .` on the same capture, and what memory it takes.
#
#   sh tests/bench/convert.sh [MEGABYTES]
#
# A capture of all kinds of events that makes a HAR of MEGABYTES (default 1000). Exit 1 where a format is written or read,
# or written with --redact, in more of the processor's time than jq takes, or in 32 MiB or more. CREDHOOK names the binary
# (default build/credhook), a Release build.
set -eu
cd "$(dirname "$0")/../.."
. tests/bench/need.sh
need jq /usr/bin/time
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=$((${1:-1000} * 1000000 / 25 / 865 + 1)) # 25 events of 865 bytes each in a HAR
"$CREDHOOK" build all --count "$count" --seed 1 | "$CREDHOOK" convert -q - -o "$work/capture"
failed=0

# run FILE COMMAND...: prints "seconds KiB"
run() {
	file=$1
	shift
	/usr/bin/time -f '%U %S %M' -o "$work/time" "$@" "$file" >"$work/out"
	awk 'END { printf "%.2f %d\n", $1 + $2, $3 }' "$work/time"
}
# report WHAT SECONDS KIB
report() {
	if awk -v a="$2" -v b="$jq" -v kib="$3" 'BEGIN { exit !(a <= b && kib < 32768) }'; then
		verdict=good
	else
		verdict="NOT REACHED" failed=1
	fi
	printf '%-24s %7s s  %.2f of jq  %6s KiB  %s\n' "$1" "$2" "$(awk -v a="$2" -v b="$jq" 'BEGIN { print a / b }')" "$3" "$verdict"
}
size() { awk -v bytes="$(wc -c <"$1")" 'BEGIN { printf "%d MB", bytes / 1e6 }'; }

jq=$(run "$work/capture" jq -c .)
jq=${jq% *}
echo "$(wc -l <"$work/capture") records, $(size "$work/capture"): jq -c . takes $jq s"
for format in ndjson har; do
	# shellcheck disable=SC2046 # two words
	report "redact to $format" $(run "$work/capture" "$CREDHOOK" convert -q --redact --format $format)
	# shellcheck disable=SC2046
	report "write $format" $(run "$work/capture" "$CREDHOOK" convert -q --format $format)
	mv "$work/out" "$work/in"
	# shellcheck disable=SC2046
	report "read $format ($(size "$work/in"))" $(run "$work/in" "$CREDHOOK" convert -q)
done
exit $failed

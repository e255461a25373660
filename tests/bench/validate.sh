#!/bin/sh
# How fast `credhook validate` is, side by side in one run with `json_verify -s` (yajl-tools), which only parses, and
# where 80,000 keys are unknown, with `jq -c .`.
#
#   sh tests/bench/validate.sh [--full]
#
# 1,000,000 NDJSON events of all kinds; memory is measured on that file and on three times (--full: ten times) as much.
# Exit 1 above these: one processor 0.95 of the time of json_verify, two 0.75 (0.85 and 0.5 are wanted; 0.87 to 0.9 and
# 0.53 to 0.7 are seen with one binary and one file), under 32 MiB, and no more memory for more lines; of the unknown keys
# three times the time of jq; against a day's fixtures, and a day that is as long, twice the time of checking what is read.
# CREDHOOK names the binary (default build/credhook), a Release build.
set -eu
cd "$(dirname "$0")/../.."
. tests/bench/need.sh
need json_verify jq /usr/bin/time # yajl-tools, jq, time
repeat=3
[ "${1-}" = --full ] && repeat=10
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$CREDHOOK" build all --count 40000 --seed 1 >"$work/events.ndjson"
keys=$(seq -s, -f '"k%.0f":1' 80000)
printf '{%s}' "$keys" >"$work/foreign.json"
"$CREDHOOK" build user-created --seed 1 | { read -r line; printf '%s,%s%s' "${line%\}\}}" "$keys" '}}'; } >"$work/details.json"
"$CREDHOOK" convert "$work/events.ndjson" --distinct -q -o "$work/golden/"
failed=0

verify() { json_verify -q -s <"$work/events.ndjson"; }
both() { json_verify -q -s <"$work/events.ndjson" & json_verify -q -s <"$work/events.ndjson"; wait; }
one() { taskset -c 0 "$CREDHOOK" validate -q "$work/events.ndjson"; }
two() { taskset -c 0,1 "$CREDHOOK" validate -q "$work/events.ndjson"; }
golden() { taskset -c 0 "$CREDHOOK" validate -q "$work/events.ndjson" --against "$work/golden"; }
itself() { taskset -c 0 "$CREDHOOK" validate -q "$work/events.ndjson" --against "$work/events.ndjson"; }
jq_foreign() { jq -c . "$work/foreign.json" >/dev/null; }
jq_details() { jq -c . "$work/details.json" >/dev/null; }
foreign() { ! "$CREDHOOK" validate -q "$work/foreign.json" >/dev/null; }
details() { "$CREDHOOK" validate -q "$work/details.json" >/dev/null; }
clock() { date +%s%N; }
mkdir "$work/times" # where no name is that of an input
best() { # best NAME NANOSECONDS: keeps the smallest
	old=$(cat "$work/times/$1" 2>/dev/null || echo "$2")
	[ "$2" -lt "$old" ] && old=$2
	echo "$old" >"$work/times/$1"
}
for round in 1 2 3 4 5; do
	for name in verify both one two golden itself jq_foreign jq_details foreign details; do
		from=$(clock)
		$name
		best $name $(($(clock) - from))
	done
done
ratio() { awk -v a="$(cat "$work/times/$1")" -v b="$(cat "$work/times/$2")" 'BEGIN { printf "%.2f", a / b }'; }
ms() { awk -v a="$(cat "$work/times/$1")" 'BEGIN { printf "%d ms", a / 1e6 }'; }
# judge WHAT VALUE LIMIT
judge() {
	if awk -v a="$2" -v b="$3" 'BEGIN { exit !(a <= b) }'; then verdict=good; else verdict="NOT REACHED" failed=1; fi
	printf '%-52s %8s  at most %-8s %s\n' "$1" "$2" "$3" "$verdict"
}
echo "$(wc -l <"$work/events.ndjson") events, $(wc -c <"$work/events.ndjson") bytes; the best of 5 rounds"
echo "json_verify -s $(ms verify), twice at once $(ms both); validate on one processor $(ms one), on two $(ms two)"
judge "one processor / json_verify" "$(ratio one verify)" 0.95
# What a second processor is worth here, right now: 1.00 is one processor for all.
gain=$(awk -v a="$(cat "$work/times/verify")" -v b="$(cat "$work/times/both")" 'BEGIN { printf "%.2f", 2 * a / b }')
if awk -v gain="$gain" 'BEGIN { exit !(gain >= 1.7) }'; then
	judge "two processors / json_verify" "$(ratio two verify)" 0.75
else
	echo "two processors / json_verify $(ratio two verify): not judged, two processes at once get $gain processors here"
fi

judge "against a day's fixtures / one processor" "$(ratio golden one)" 2.00
judge "against itself / one processor, which reads once" "$(ratio itself one)" 3.00
judge "80,000 unknown keys / jq" "$(ratio foreign jq_foreign)" 3.00
judge "80,000 unknown keys in details / jq" "$(ratio details jq_details)" 3.00

memory() { /usr/bin/time -f %M -o "$work/time" taskset -c 0,1 "$CREDHOOK" validate -q - >/dev/null; tail -1 "$work/time"; }
once=$(memory <"$work/events.ndjson")
often=$(for round in $(seq $repeat); do cat "$work/events.ndjson"; done | memory)
judge "memory in KiB" "$once" 32768
against() { /usr/bin/time -f %M -o "$work/time" taskset -c 0,1 "$CREDHOOK" validate -q - --against "$work/events.ndjson" >/dev/null; tail -1 "$work/time"; }
judge "memory in KiB, against a day" "$(against <"$work/events.ndjson")" 32768
judge "memory in KiB, $repeat times the lines" "$often" $((once + once / 10 + 1024))

if command -v valgrind >/dev/null; then
	# The difference of two sizes, so that starting the process does not count.
	instructions() {
		head -n "$1" "$work/events.ndjson" >"$work/part.ndjson"
		taskset -c 0 valgrind --tool=callgrind --callgrind-out-file="$work/callgrind" "$CREDHOOK" validate -q "$work/part.ndjson" 2>&1 |
			sed -n 's/,//g; s/.*Collected : //p'
	}
	few=$(instructions 2000)
	many=$(instructions 12000)
	echo "instructions per event (callgrind): $(((many - few) / 10000))"
fi

if command -v ajv >/dev/null; then
	mkdir "$work/files"
	head -n 500 "$work/events.ndjson" | awk -v dir="$work/files" '{ print > (dir "/" NR ".json") }'
	from=$(clock)
	"$CREDHOOK" validate -q "$work/files"
	best files $(($(clock) - from))
	from=$(clock)
	ajv validate --spec=draft2020 -s tests/schema/notification.schema.json -d "$work/files/*.json" >/dev/null
	best ajv $(($(clock) - from))
	judge "500 files / ajv" "$(ratio files ajv)" 0.10
else
	echo "500 files / ajv: not measured, ajv (ajv-cli) is not installed"
fi
exit $failed

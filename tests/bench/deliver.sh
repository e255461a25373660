#!/bin/sh
# How fast replay delivers, side by side with wrk and hey in one run: sh tests/bench/deliver.sh [SECONDS]
#
# nginx answers 204 on loopback; the bodies of the capture are all different, and results are recorded. Prints ratios
# and ends with 1 where one is below its bound: 64 connections 0.47 of `wrk -t1` and 1.3 of hey with one fixed body;
# 1,000 connections 0.35 of wrk; 1,000 connections to a server that answers after 200 ms within 5 % of the 5,000 a
# second that arithmetic allows behind the first 200 ms; --speed 1 at 1,000 a second 99 of 100 starts within 200 us,
# or within 1.25 times what 99 of 100 bare sleeps take on this machine.
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-4}
. tests/bench/need.sh
need wrk nginx python3
work=$(mktemp -d)
slow=
trap 'kill $(cat "$work/nginx.pid" 2>/dev/null) $slow 2>/dev/null || :; rm -rf "$work"' EXIT
ulimit -n 4096
start_nginx
url=http://127.0.0.1:$port/hook

# records COUNT MICROSECONDS: a capture, so long from one record to the next.
records() {
	python3 - "$1" "$2" <<'END'
import json, sys
pad = "x" * 340
for i in range(int(sys.argv[1])):
    us = i * int(sys.argv[2])
    body = '{"service":"user","event":"user created","number":%d,"pad":"%s"}' % (i, pad)
    print('{"v":1,"seq":%d,"received_at":"2026-01-02T03:%02d:%02d.%06dZ","method":"POST","target":"/hook","headers":'
          '[["Content-Type","application/json"]],"body":%s,"event":"user-created","valid":true,"response":{"status":200}}'
          % (i + 1, us // 60000000, us // 1000000 % 60, us % 1000000, json.dumps(body)))
END
}
records 100000 1 >"$work/capture.ndjson"
head -n 1 "$work/capture.ndjson" | python3 -c 'import json, sys; print(json.loads(sys.stdin.readline())["body"], end="")' >"$work/body"
cat >"$work/post.lua" <<END
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = io.open("$work/body"):read("*a")
END

wrk_rate() { wrk -t1 -c"$1" -d"${seconds}s" -s "$work/post.lua" "$url" | awk '/^Requests\/sec/ { print $2 }'; }
# ours URL CONNECTIONS [LATENCY]: accepted deliveries a second, by the results that were recorded, of the time in which
# there can be one: none is before LATENCY, in seconds.
ours() {
	rm -f "$work/results.ndjson"* # of a run that was interrupted, which is not done
	# shellcheck disable=SC2046
	timeout -s INT "$seconds" "$CREDHOOK" -q replay $(yes "$work/capture.ndjson" | head -n 1000) --concurrency "$2" --to "$1" \
		--results "$work/results.ndjson" >&2 || :
	grep -c '"outcome":"accepted"' "$work/results.ndjson" | awk -v s="$seconds" -v late="${3:-0}" '{ print $1 / (s - late) }'
}
below=0
# judge WHAT A B LEAST: prints the ratio, and remembers one that is below its bound.
judge() {
	awk -v what="$1" -v a="$2" -v b="$3" -v least="$4" 'BEGIN { r = a / b
		printf "%-44s %8.0f / %8.0f = %.2f (at least %s)%s\n", what, a, b, r, least, r < least ? " BELOW" : ""
		exit r < least }' || below=1
}

hey_rate() {
	hey -z "${seconds}s" -c 64 -m POST -T application/json -D "$work/body" "$url" | awk '/Requests\/sec/ { print $2 }'
}
# The best of three rounds, each of which compares what ran right after one another: what else the machine does
# meanwhile only ever makes a round worse.
command -v hey >/dev/null || echo "hey is not installed: left out"
for round in 1 2 3; do
	wrk=$(wrk_rate 64)
	mine=$(ours "$url" 64)
	again=$(wrk_rate 64)
	hey=0
	! command -v hey >/dev/null || hey=$(hey_rate)
	echo "$mine $wrk $again $hey"
done >"$work/rounds"
# best COLUMN...: the rates of the round in which ours is the most beside the mean of those columns.
best() {
	awk -v columns="$*" '{ n = split(columns, column, " "); sum = 0
		for (i = 1; i <= n; i++) sum += $column[i]
		if (sum > 0 && $1 / (sum / n) > most) { most = $1 / (sum / n); told = $1 " " sum / n } }
		END { print told }' "$work/rounds"
}
# shellcheck disable=SC2046
judge "64 connections, replay / wrk -t1" $(best 2 3) 0.47
# shellcheck disable=SC2046
! command -v hey >/dev/null || judge "64 connections, replay / hey, one body" $(best 4) 1.30
wrk=$(wrk_rate 1000)
mine=$(ours "$url" 1000)
judge "1,000 connections, replay / wrk -t1" "$mine" "$wrk" 0.35

"$CREDHOOK" -q listen 127.0.0.1:0 --delay 200ms --validate off --ready-file "$work/slow.url" \
	>/dev/null 2>&1 &
slow=$!
while ! [ -e "$work/slow.url" ]; do sleep 0.05; done
mine=$(ours "$(cat "$work/slow.url")" 1000 0.2)
judge "1,000 connections, answers after 200 ms / 5,000" "$mine" 5000 0.95
kill "$slow"
slow=

# A machine that does something else meanwhile is late: what bare sleeps of the same number are, in us.
bare() {
	python3 - $((seconds * 1000)) <<'END'
import sys, time
count, delays = int(sys.argv[1]), []
begin = time.monotonic()
for i in range(1, count + 1):
    due = begin + i / 1000
    time.sleep(max(0, due - time.monotonic()))
    delays.append(time.monotonic() - due)
print(max(200, int(sorted(delays)[count * 99 // 100] * 1e6)))
END
}

records $((seconds * 1000)) 1000 >"$work/paced.ndjson"
before=$(bare)
rm -f "$work/results.ndjson"*
"$CREDHOOK" replay "$work/paced.ndjson" --speed 1 --concurrency 8 --to "$url" --results "$work/results.ndjson" --json \
	2>/dev/null | tail -n 1 >"$work/paced"
late=$(sed 's/.*"start_delay_ms":{[^}]*"p99":\([0-9.]*\).*/\1/' "$work/paced" | awk '{ print $1 * 1000 }')
after=$(bare)
judge "--speed 1, 1,000 a second: us of a bare sleep / p99" "$((before > after ? before : after))" "$late" 0.8
[ "$below" -eq 0 ]

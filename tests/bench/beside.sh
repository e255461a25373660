#!/bin/sh
# What another binary costs beside this one, in one run: sh tests/bench/beside.sh OTHER [LEAST]
#
# OTHER is the static one (samples/ci/static.sh), one of -DCREDHOOK_PORTABLE=ON, or that of another commit. Each validates
# 400,000 events, redacts a part of them, replays 50,000 to nginx, and takes in 100,000 from ab; the last two over 64
# connections, and over 1,000. Compared is the processor's time, the least of five rounds that alternate. Exit 1 where the
# other one does less than LEAST (default 0.9) in the same time; what 1,000 connections give is only told. CREDHOOK is this
# one (default build/credhook). Both are Release builds.
set -eu
here=$PWD
cd "$(dirname "$0")/../.."
. tests/bench/need.sh
other=$(cd "$here" && realpath "${1:?the other binary}")
least=${2:-0.9}
ulimit -n 4096
need nginx python3 ab /usr/bin/time
work=$(mktemp -d)
trap 'kill $(cat "$work/nginx.pid" 2>/dev/null) 2>/dev/null || :; rm -rf "$work"' EXIT
start_nginx
"$CREDHOOK" build all --count 16000 --seed 1 >"$work/events.ndjson"
head -n 100000 "$work/events.ndjson" >"$work/some.ndjson"
head -n 50000 "$work/events.ndjson" >"$work/fewer.ndjson"
head -n 1 "$work/events.ndjson" >"$work/body"

validate() { timed taskset -c 0 "$1" validate -q "$work/events.ndjson"; }
validate_2() { timed taskset -c 0,1 "$1" validate -q "$work/events.ndjson"; }
redact() { timed "$1" convert -q --redact "$work/some.ndjson" >"$work/out" 2>"$work/said"; }
replay() {
	rm -f "$work/results"*
	timed "$1" replay -q "$work/fewer.ndjson" --concurrency "${2:-64}" --to "http://127.0.0.1:$port/" --results "$work/results"
}
listen() {
	rm -f "$work/url"
	timed "$1" listen 0 -q --capture /dev/null --limit 100000 --ready-file "$work/url" 2>"$work/said" &
	while ! [ -s "$work/url" ]; do sleep 0.05; done
	ab -q -k -n 100000 -c "${2:-64}" -T application/json -p "$work/body" "$(cat "$work/url")/" >"$work/ab" 2>&1
	wait $!
}
replay_1000() { replay "$1" 1000; }
listen_1000() { listen "$1" 1000; }
# timed COMMAND...: its time of the processor goes to $work/time, in seconds.
timed() { /usr/bin/time -f '%U %S %M' -o "$work/time" "$@"; }
failed=0
for what in validate validate_2 redact replay listen replay_1000 listen_1000; do
	for round in 1 2 3 4 5; do
		for kind in this other; do
			binary=$CREDHOOK
			[ $kind = this ] || binary=$other
			$what "$binary"
			awk '{ printf "%.2f %d\n", $1 + $2, $3 }' "$work/time" >>"$work/$what.$kind"
		done
	done
	sort -n "$work/$what.this" | head -1 >"$work/line"
	sort -n "$work/$what.other" | head -1 >>"$work/line"
	bound=$least
	case $what in *_1000) bound=0 ;; esac
	awk -v what="$what" -v least="$bound" 'NR == 1 { t = $1; m = $2 } NR == 2 { r = t / $1
		printf "%-12s this %6.2f s %6d KiB, other %6.2f s %6d KiB: %.2f of its speed%s\n", what, t, m, $1, $2, r, r < least ? " BELOW" : ""
		exit r < least }' "$work/line" || failed=1
done
exit $failed

#!/bin/sh
# The main job on this machine's loopback: sh samples/quickstart.sh
#
# Builds credhook (installing missing packages with apt-get), starts a listener, sends every event and element to it,
# validates the capture, replays it to a second listener, and compares the two byte by byte. It can be repeated; all
# files except the build are in a temporary directory that is removed at the end.
set -eu
cd "$(dirname "$0")/.."
. samples/packages.sh
# shellcheck disable=SC2086
need_packages $build_packages

work=$(mktemp -d)
listeners=
clean_up() {
	# shellcheck disable=SC2086
	[ -z "$listeners" ] || kill $listeners 2>/dev/null || true
	rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

say() {
	printf '\n== %s\n' "$1"
}

# show COMMAND...: prints the command, then runs it.
show() {
	echo "\$ $*"
	"$@"
}

# start_listener NAME: starts a listener on a free port and sets $url and, to its process id, $listener.
start_listener() {
	credhook listen 0 --no-config --capture "$1.ndjson" --ready-file "$1.url" >"$1.log" 2>&1 &
	listener=$!
	listeners="$listeners $listener"
	while [ ! -s "$1.url" ]; do
		kill -0 "$listener" 2>/dev/null || { cat "$1.log" >&2; exit 1; }
		sleep 0.05
	done
	url=$(cat "$1.url")
	echo "\$ credhook listen 0 --capture $1.ndjson &"
	echo "listening on $url"
}

stop_listener() {
	kill -TERM "$listener"
	wait "$listener"
}

say 'build'
cmake -S . -B build -DCMAKE_BUILD_TYPE=Release >"$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }
compile "$work/build.log" build -j "$(nproc)" --target credhook manual || { cat "$work/build.log"; exit 1; }
PATH=$PWD/build:$PATH
export PATH
cd "$work"
credhook --version

say 'listen, and send all 17 events with each of the 9 elements'
start_listener captured
show credhook send all --no-config --to "$url/hook"
stop_listener
tail -1 "captured.log"

say 'the first record of the capture'
cut -c 1-200 "captured.ndjson" | head -1

say 'validate the capture'
show credhook validate "captured.ndjson"

say 'validate a payload with one defect'
credhook build user-created --no-config --seed 1 --pretty --break bad-format:details.appKey >"broken.json"
show credhook validate "broken.json" && exit 1

say 'replay the capture to another listener'
start_listener replayed
show credhook replay "captured.ndjson" --no-config --to "$url/hook" --quiet
stop_listener

say 'verdict'
# Compare only the bodies: times and ports differ.
for name in captured replayed; do
	sed 's/.*,"body":\("[^"\\]*\(\\.[^"\\]*\)*"\),"event".*/\1/' "$name.ndjson" >"$name.bodies"
done
count=$(wc -l <"captured.bodies")
if [ "$count" -eq 25 ] && cmp -s "captured.bodies" "replayed.bodies"; then
	echo "success: $count payloads sent, captured, valid, and replayed without a difference"
	echo 'next: build/credhook --help, or install it: sudo cmake --install build'
else
	echo "failure: the replayed payloads differ from the captured ones" >&2
	exit 1
fi

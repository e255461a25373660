# shellcheck shell=sh
# For the benches: CREDHOOK, the binary (default build/credhook), is there, or one sentence says so and it ends with 2.
CREDHOOK=${CREDHOOK:-$PWD/build/credhook}
[ -x "$CREDHOOK" ] || {
	echo "$0: there is no $CREDHOOK: 'cmake -S . -B build && cmake --build build' makes build/credhook" >&2
	exit 2
}
PATH=$PATH:/usr/sbin

# need PROGRAM...: these are there, too.
need() {
	for program in "$@"; do
		command -v "$program" >/dev/null || { echo "$0: $program is not installed" >&2; exit 2; }
	done
}

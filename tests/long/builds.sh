#!/bin/sh
# Builds credhook and its tests in each way it may be shipped: sh tests/long/builds.sh [COMPILER...]
#
# With every compiler (gcc and clang unless said otherwise) as Release, RelWithDebInfo and MinSizeRel, warnings being
# errors. All three are compiled with the same hardening, _FORTIFY_SOURCE among it, and the binary has what it promises.
set -eu
cd "$(dirname "$0")/../.."
. samples/packages.sh
# shellcheck disable=SC2086
need_packages $build_packages clang libcmocka-dev python3 jq binutils
work=$(mktemp -d "${TMPDIR:-/tmp}/credhook-builds.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
[ $# -gt 0 ] || set -- gcc clang

# hardening FOLDER: the options of main.c that say neither how far to optimize nor what to write for a debugger.
hardening() {
	jq -r '.[] | select(.file | endswith("/src/main.c")).command' "$1/compile_commands.json" | tr ' ' '\n' |
		grep -E '^-[fDUW]' | grep -vx -e '-DNDEBUG'
}

# has NAME PATTERN: a line of what readelf says of the binary.
has() {
	grep -Eq -- "$2" "$work/readelf" || { echo "the binary has no $1"; exit 1; }
}

for compiler; do
	for type in Release RelWithDebInfo MinSizeRel; do
		echo "-- $compiler $type"
		folder=$work/build-$type
		{ cmake -S . -B "$folder" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=$type -DCREDHOOK_WERROR=ON \
			-DCREDHOOK_TESTS=ON -DCMAKE_EXPORT_COMPILE_COMMANDS=ON &&
			cmake --build "$folder" -j "$(nproc)"; } >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
		hardening "$folder" >"$work/$type"
		diff "$work/Release" "$work/$type" || { echo "$type is not compiled like Release"; exit 1; }
		grep -Eqx -- '-D_FORTIFY_SOURCE=[23]' "$work/$type" || { echo "no _FORTIFY_SOURCE"; exit 1; }
		readelf -Wdls --dyn-syms -n "$folder/credhook" >"$work/readelf"
		has 'position-independent code' 'FLAGS_1.* PIE'
		has 'binding at start' 'FLAGS_1.* NOW'
		has 'read-only relocations' 'GNU_RELRO'
		has 'guard of the stack' '__stack_chk_fail@'
		has 'checked calls' '__(memcpy|snprintf|vsnprintf)_chk@'
		has 'stack without execution' 'GNU_STACK .* RW '
		rm -rf "$folder"
	done
done
echo 'every build is clean and hardened'

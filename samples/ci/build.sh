#!/bin/sh
# For CI jobs without a package: builds credhook from this checkout, and prints the path of the binary.
#
#   sh samples/ci/build.sh [key] [FOLDER]
#
# FOLDER (default: build/ci) keeps the binary; it is used again as long as the sources are the same, so that a cache may keep
# it between jobs. key prints what the cache's key should be instead. Missing Debian packages are installed through
# apt-get, as root or with sudo.
set -eu
key_only=
[ "${1-}" != key ] || { key_only=yes; shift; }
folder=${1:-$(dirname "$0")/../../build/ci}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
cd "$(dirname "$0")/../.."

key() {
	{
		find CMakeLists.txt src completions man tests/schema -type f ! -name '*.pyc' | LC_ALL=C sort | xargs sha256sum
		cat /etc/debian_version 2>/dev/null || true
		uname -m
	} | sha256sum | cut -c 1-32
}

if [ -n "$key_only" ]; then
	key
	exit
fi
usable() {
	[ "$(cat "$folder/source.key" 2>/dev/null)" = "$(key)" ] && "$folder/credhook" version >/dev/null 2>&1
}

if ! usable; then
	. samples/packages.sh
	# shellcheck disable=SC2086
	need_packages $build_packages
fi
# A binary from a cache may have missed no more than its libraries.
if ! usable; then
	build=$(mktemp -d)
	trap 'rm -rf "$build"' EXIT
	{
		cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release
		cmake --build "$build" -j "$(nproc)" --target credhook
	} >"$build/build.log" 2>&1 || { cat "$build/build.log" >&2; exit 1; }
	# Replaced whole: another job may be running it.
	cp "$build/credhook" "$folder/credhook.$$"
	mv "$folder/credhook.$$" "$folder/credhook"
	key >"$folder/source.key"
fi
echo "$folder/credhook"

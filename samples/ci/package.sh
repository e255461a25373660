#!/bin/sh
# Makes the Debian package and the tarball of this checkout: sh samples/ci/package.sh [FOLDER] [RELEASE]
#
# They go to FOLDER (default: here). RELEASE is the part of the package's version that tells distributions apart, such as
# 1~deb12 (default: 1).
set -eu
folder=$(cd "${1:-.}" && pwd)
cd "$(dirname "$0")/../.."
. samples/packages.sh
# shellcheck disable=SC2086
need_packages $build_packages dpkg-dev file
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr -DCREDHOOK_PACKAGE_RELEASE="${2:-1}" >/dev/null
cmake --build "$build" -j "$(nproc)" >/dev/null
(cd "$build" && umask 022 && cpack >cpack.log) || { cat "$build/cpack.log" >&2; exit 1; }
cp "$build"/credhook_*.deb "$build"/credhook-*.tar.gz "$folder"
ls "$folder"/credhook_*.deb "$folder"/credhook-*.tar.gz

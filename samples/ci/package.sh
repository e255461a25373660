#!/bin/sh
# Makes the Debian package of this checkout: sh samples/ci/package.sh [FOLDER] [RELEASE]
#
# It goes to FOLDER (default: here). RELEASE is the part of the package's version that tells distributions apart, such as
# 1+deb12 (default: 1). The same sources give the same bytes, in any folder and at any time, as long as the compiler and
# the libraries are the same: what has a time gets that of the changelog, or SOURCE_DATE_EPOCH. samples/ci/static.sh makes
# what runs on every Linux.
set -eu
umask 022
folder=$(cd "${1:-.}" && pwd)
cd "$(dirname "$0")/../.."
. samples/packages.sh
# shellcheck disable=SC2086
need_packages $build_packages dpkg-dev file
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
{
	cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr -DCREDHOOK_PACKAGE_RELEASE="${2:-1}"
	cmake --build "$build" -j "$(nproc)"
	(cd "$build" && cpack)
} >"$build/package.log" 2>&1 || { cat "$build/package.log" >&2; exit 1; }
: "${SOURCE_DATE_EPOCH:=$(zcat "$build/package/changelog.Debian.gz" | dpkg-parsechangelog -l - -S Timestamp)}"
export SOURCE_DATE_EPOCH

# CPack takes files in the order of the file system, so the package is packed again.
dpkg-deb -R "$build"/credhook_*.deb "$build/deb"
LC_ALL=C sort -k 2 -o "$build/deb/DEBIAN/md5sums" "$build/deb/DEBIAN/md5sums"
dpkg-deb --root-owner-group -b "$build/deb" "$folder" >/dev/null
version=$(dpkg-deb -f "$build"/credhook_*.deb Version)
ls "$folder/credhook_${version}_"*.deb

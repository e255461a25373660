#!/bin/sh
# Makes the packages and lives with them: sh tests/long/package.sh [ROOT]
#
# The .deb passes lintian, installs in a bare Debian like this one (debootstrap; ROOT is one that is there already, and is
# kept), does the tool's whole work there, and leaves nothing when it is removed. The .tar.gz runs where it is unpacked. What
# cannot be done here (not root, no debootstrap, no archive to be reached) is said to be skipped.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d "${TMPDIR:-/tmp}/credhook-package.XXXXXX")
trap 'rm -rf "$work"' EXIT
archive=http://deb.debian.org/debian

cat >"$work/whole-path" <<'WHOLE'
# The main job, on loopback, with nothing but the package.
set -eu
cd "$(mktemp -d)"
credhook --version
credhook build all --seed 1 --out-dir fixtures
credhook validate --strict --require all fixtures
credhook listen 0 --capture capture.ndjson --ready-file url --max-events 25 --timeout 30s >listened 2>&1 &
listener=$!
while [ ! -s url ]; do sleep 0.1; done
credhook send all --to "$(cat url)" --quiet
wait $listener || { cat listened; exit 1; }
[ "$(wc -l <capture.ndjson)" -eq 25 ]
credhook validate --require all capture.ndjson
credhook listen 0 --ready-file url --max-events 25 --timeout 30s >listened 2>&1 &
listener=$!
while [ ! -s url ]; do sleep 0.1; done
credhook replay capture.ndjson --to "$(cat url)" --quiet
wait $listener || { cat listened; exit 1; }
credhook validate --quiet fixtures/nonsense.json 2>/dev/null && exit 1
rm -rf "$PWD"
echo "whole path done"
WHOLE

echo "-- packages"
cmake -S . -B "$work/build" -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$work/build" -j "$(nproc)" >/dev/null
(cd "$work/build" && umask 022 && cpack >"$work/cpack.log" 2>&1) || { cat "$work/cpack.log"; exit 1; }
deb=$(echo "$work"/build/credhook_*.deb)
tarball=$(echo "$work"/build/credhook-*.tar.gz)
dpkg-deb -I "$deb" | grep -E '^ (Depends|Version|Description)'
# Each version that the build asks for is asked for by the package.
sed -n 's/^credhook_needs(\([A-Z]*\) .* \([0-9.]*\))$/\2/p' src/package.cmake >"$work/floors"
[ -s "$work/floors" ]
while read -r floor; do
	dpkg-deb -f "$deb" Depends | grep -q "[a-z][a-z0-9-]* (>= $floor)" || { echo "no dependency has the floor $floor"; exit 1; }
done <"$work/floors"

echo "-- what is in them"
dpkg-deb -c "$deb" >"$work/content"
pages=$(find man -name 'credhook*.[157]' | wc -l)
[ "$(grep -c '/usr/share/man/man[157]/.*\.gz$' "$work/content")" -eq "$pages" ]
for file in /usr/bin/credhook /usr/share/doc/credhook/copyright /usr/share/doc/credhook/changelog.Debian.gz \
	/usr/share/bash-completion/completions/credhook /usr/share/zsh/vendor-completions/_credhook \
	/usr/share/fish/vendor_completions.d/credhook.fish /usr/share/credhook/schema/output-listen.json; do
	grep -q " \.$file\$" "$work/content" || { echo "the package lacks $file"; exit 1; }
done

if command -v lintian >/dev/null; then
	echo "-- lintian"
	# The one tag that is left out asks for a bug number of Debian's own archive.
	lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs "$deb"
else
	echo "skip: lintian is not installed"
fi

echo "-- the .tar.gz"
mkdir "$work/unpacked"
tar -xzf "$tarball" -C "$work/unpacked" --strip-components=1
PATH="$work/unpacked/bin:$PATH" HOME="$work" sh "$work/whole-path" >"$work/whole-path.log" 2>&1 || {
	cat "$work/whole-path.log"
	exit 1
}

suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
echo "-- a bare Debian $suite"
root=${1-}
if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null; then
	echo "skip: this takes root and debootstrap"
	exit 0
fi
if [ -z "$root" ]; then
	root=$work/root
	debootstrap --variant=minbase "$suite" "$root" "$archive" >"$work/debootstrap.log" 2>&1 || {
		tail -3 "$work/debootstrap.log"
		echo "skip: debootstrap could not make a root"
		exit 0
	}
fi
inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 chroot "$root" "$@"; }
# What the package system itself writes down is no trace of the package.
files() {
	(cd "$root" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./var/lib/dpkg -o -path ./var/lib/apt \
		-o -path ./var/cache -o -path ./var/log -o -path ./tmp \) -prune -o -print | sort)
}
inside apt-get -qq update
files >"$work/before"
cp "$deb" "$root/tmp/credhook.deb"
cp "$work/whole-path" "$root/tmp/whole-path"
inside apt-get -qq -y --no-install-recommends install /tmp/credhook.deb >"$work/install.log" 2>&1 || {
	cat "$work/install.log"
	exit 1
}
inside sh /tmp/whole-path >"$work/whole-path.log" 2>&1 || {
	cat "$work/whole-path.log"
	exit 1
}
# What came as a dependency goes, even if another package suggests it (Debian 13's libidn2).
inside apt-get -qq -y -o APT::AutoRemove::RecommendsImportant=false -o APT::AutoRemove::SuggestsImportant=false \
	purge --autoremove credhook >"$work/remove.log" 2>&1 || { cat "$work/remove.log"; exit 1; }
rm "$root/tmp/credhook.deb" "$root/tmp/whole-path"
files >"$work/after"
diff "$work/before" "$work/after" || { echo "removal left the above"; exit 1; }
[ -z "$(ls -A "$root/tmp")" ] || { ls -A "$root/tmp"; echo "something stayed in /tmp"; exit 1; }
echo "installed, worked, removed, nothing left"

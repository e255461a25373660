#!/bin/sh
# Makes the package and looks into it: sh tests/long/package.sh
#
# Two builds of one checkout in different folders, by different users where it can be, are the same bytes. The .deb passes
# lintian --pedantic and depends on what the build asks for. tests/long/getting.sh installs it; tests/long/static.sh has
# the tarball.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d "${TMPDIR:-/tmp}/credhook-package.XXXXXX")
trap 'rm -rf "$work"' EXIT

# What a release sets: lintian asks for somebody who can be written to.
export DEBFULLNAME='Some Body' DEBEMAIL=some.body@debian.org
echo "-- the package, twice"
chmod 755 "$work"
mkdir "$work/first" "$work/second"
git clone -q . "$work/a"
git clone -q . "$work/another/name"
sh "$work/a/samples/ci/package.sh" "$work/first"
other='umask 077; sh '$work/another/name/samples/ci/package.sh' '$work/second
if [ "$(id -u)" -eq 0 ]; then
	chown -R 65534:65534 "$work/another" "$work/second"
	setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/nonexistent TMPDIR="$work/second" sh -c "$other"
else
	sh -c "$other"
fi
diff -r "$work/first" "$work/second"
deb=$(echo "$work"/first/credhook_*.deb)

echo "-- what is in them"
dpkg-deb -I "$deb" | grep -E '^ (Depends|Version|Description)'
# Each version that the build asks for is asked for by the package.
sed -n 's/^credhook_needs(\([A-Z]*\) .* \([0-9.]*\))$/\2/p' src/package.cmake >"$work/floors"
[ -s "$work/floors" ]
while read -r floor; do
	dpkg-deb -f "$deb" Depends | grep -q "[a-z][a-z0-9-]* (>= $floor)" || { echo "no dependency has the floor $floor"; exit 1; }
done <"$work/floors"
dpkg-deb -c "$deb" >"$work/content"
pages=$(find man -name 'credhook*.[157]' | wc -l)
[ "$(grep -c '/usr/share/man/man[157]/.*\.gz$' "$work/content")" -eq "$pages" ]
for file in /usr/bin/credhook /usr/share/doc/credhook/copyright /usr/share/doc/credhook/changelog.Debian.gz \
	/usr/share/bash-completion/completions/credhook /usr/share/zsh/vendor-completions/_credhook \
	/usr/share/fish/vendor_completions.d/credhook.fish /usr/share/credhook/schema/output-listen.json; do
	grep -q " \.$file\$" "$work/content" || { echo "not in the package: $file"; exit 1; }
done
if command -v lintian >/dev/null; then
	echo "-- lintian"
	# The one tag that is left out asks for a bug number of Debian's own archive.
	lintian --allow-root --pedantic --fail-on error,warning,pedantic --suppress-tags initial-upload-closes-no-bugs "$deb"
else
	echo "skip: lintian is not installed"
fi
echo "the same twice, and complete"

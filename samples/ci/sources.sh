# shellcheck shell=sh
# For static.sh and tests/long/macos.sh: sources of this release of Debian. apt-get checks their signatures; it works in a
# folder of its own, and leaves the machine's own lists alone. Takes dpkg-dev, xz-utils and debian-archive-keyring.

# archive_open FOLDER [ARCH]: with the lists of today. ARCH: packages for it can be had, too.
archive_open() {
	archive=$1
	archive_machine=$(dpkg --print-architecture)${2:+,$2}
	archive_release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	mkdir -p "$archive/lists/partial" "$archive/archives/partial" "$archive/sources"
	for suite in "debian $archive_release" "debian $archive_release-updates" "debian-security $archive_release-security"; do
		where="[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/$suite main"
		echo "deb-src $where"
		[ -z "${2-}" ] || echo "deb $where"
	done >"$archive/sources.list"
	archive_apt apt-get update
}

# archive_apt apt-get|apt-cache ARGUMENT...: with this list of sources alone.
archive_apt() {
	program=$1
	shift
	"$program" -qq -o Dir::Etc::sourcelist="$archive/sources.list" -o Dir::Etc::sourceparts=/dev/null -o Dir::Cache="$archive" \
		-o Dir::State::lists="$archive/lists" -o APT::Sandbox::User=root -o APT::Update::Error-Mode=any \
		-o APT::Architectures="$archive_machine" "$@"
}

# archive_fetch NAME: the newest version whose files are there, as "NAME VERSION".
archive_fetch() {
	newest=
	for version in $(archive_apt apt-cache showsrc --only-source "$1" | sed -n 's/^Version: //p' | sort -rVu); do
		if (cd "$archive/sources" && archive_apt apt-get source --only-source --download-only "$1=$version") >"$archive/log" 2>&1; then
			[ -z "$newest" ] || echo "the archive has no $1 $newest at the moment: this is made with $version" >&2
			echo "$1 $version"
			return
		fi
		newest=${newest:-$version}
	done
	echo "the archive has no source of $1 for $archive_release" >&2
	cat "$archive/log" >&2
	return 1
}

# archive_unpack NAME VERSION FOLDER: what has been fetched. Its files are of one age: nothing that it brings ready is made
# again, by tools that are not here.
archive_unpack() {
	dpkg-source --no-check -x "$archive/sources/${1}_${2#*:}.dsc" "$3"
	find "$3" -exec touch -h -d @1 {} +
}

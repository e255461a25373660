# shellcheck shell=sh
# For quickstart.sh and tests/run.sh: installs missing Debian packages, uses apt-get for nothing else, and shows how far
# a build is.

# need_packages NAME...: as root, or through sudo.
need_packages() {
	missing=
	for package in "$@"; do
		state=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) || state=
		case $state in
		*' installed') ;;
		*) missing="$missing $package" ;;
		esac
	done
	[ -n "$missing" ] || return 0
	echo "installing:$missing" >&2
	as_root=
	if [ "$(id -u)" -ne 0 ]; then
		if ! command -v sudo >/dev/null; then
			echo "missing packages:$missing; run this as root or install sudo" >&2
			return 1
		fi
		as_root=sudo
	fi
	# With outdated package lists the first attempt fails, since the archive no longer has those files.
	# shellcheck disable=SC2086
	install="env DEBIAN_FRONTEND=noninteractive apt-get -y -qq --no-install-recommends install $missing"
	$as_root $install >/dev/null 2>&1 || {
		$as_root apt-get -qq update && $as_root $install >/dev/null
	}
}

# Needed to build credhook.
build_packages='gcc libc6-dev make cmake pkg-config libcurl4-openssl-dev libjson-c-dev libedit-dev libssl-dev zlib1g-dev'

# progress WORD LOG: copies what make, ninja or ctest write to LOG, and prints a line that grows by their percentages, in a
# pipe, too.
progress() {
	printf '%s:' "$1"
	shown=0
	while IFS= read -r line; do
		printf '%s\n' "$line" >&3
		case $line in
		'['[\ 0-9][\ 0-9][0-9]'%]'*)
			percent=${line%%'%'*}
			percent=${percent#'['}
			;;
		[\ 0-9]*/[0-9]*' Test '*'#'[\ 0-9]*)
			all=${line#*/}
			percent="${line%%/*} * 100 / ${all%% *}"
			;;
		*) continue ;;
		esac
		# shellcheck disable=SC2004 # an expression, or a number behind blanks
		percent=$(($percent))
		[ "$percent" -lt $((shown + 10)) ] || { shown=$((percent / 10 * 10)) && printf ' %s%%' "$shown"; }
	done 3>"$2"
	echo
}

# compile LOG OPTION...: cmake --build with these options and its progress; all else that it writes goes to LOG.
compile() {
	log=$1
	shift
	rm -f "$log.failed"
	{ NINJA_STATUS='[%p] ' cmake --build "$@" 2>&1 || : >"$log.failed"; } | progress compiling "$log"
	[ ! -e "$log.failed" ] || { rm -f "$log.failed"; return 1; }
}

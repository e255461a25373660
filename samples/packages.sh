# shellcheck shell=sh
# For quickstart.sh and tests/run.sh: installs missing Debian packages, and uses apt-get for nothing else.

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
build_packages='gcc libc6-dev make cmake pkg-config libcurl4-openssl-dev libedit-dev libssl-dev zlib1g-dev'

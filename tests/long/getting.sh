#!/bin/sh
# Each way to get credhook that README.md, samples/README.md and samples/ci offer, for real, in bare Debian roots.
#
#   sh tests/long/getting.sh [-k NAME] [SUITE...]
#
# SUITE is bookworm or trixie (both unless given). A root is made by debootstrap, or unpacked from ROOTS/SUITE.tar where the
# variable ROOTS is set. -k limits it to one test of getting.py. Takes root, the archive, and ten minutes for each.
set -eu
cd "$(dirname "$0")/../.."
if [ "$(id -u)" -ne 0 ]; then
	echo "skip: this takes root"
	exit 0
fi
. samples/packages.sh
need_packages debootstrap git iproute2 python3 python3-yaml util-linux
# All mounts end with this namespace.
exec unshare --mount --propagation private env PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 tests/long/getting.py "$@"

#!/bin/sh
# The static binary: made in a bare Debian 12, twice, and used in a root that holds nothing but it, busybox and certificates.
#
#   sh tests/long/static.sh [-k NAME]
#
# Then the command-line cases and the end-to-end tests run with it on this machine; what it cannot pass is listed, with the
# reason, in static.py or by the test. -k limits it to one test of static.py; the variable MADE names a tarball that has been
# made before. The root is made as for getting.sh. Takes root, the archive, and half an hour.
set -eu
cd "$(dirname "$0")/../.."
if [ "$(id -u)" -ne 0 ]; then
	echo "skip: this takes root"
	exit 0
fi
. samples/packages.sh
need_packages binutils debootstrap file git iproute2 openssl python3 python3-yaml util-linux
exec unshare --mount --propagation private env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=tests/e2e \
	/usr/bin/python3 tests/long/static.py "$@"

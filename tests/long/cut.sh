#!/bin/sh
# 100,000 deliveries (COUNT) over connections that are cut at random: counted at the receiver, no POST arrives twice.
set -eu
cd "$(dirname "$0")/../.."
CREDHOOK=${CREDHOOK:-$PWD/build/credhook} PYTHONPATH=tests/e2e PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 - "${COUNT:-100000}" <<'END'
import sys
from unreliable import deliver
print(f"{sys.argv[1]} deliveries, none arrived twice: {dict(deliver(int(sys.argv[1]), 2))}")
END

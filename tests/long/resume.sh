#!/bin/sh
# Kills a run of deliveries 100 times (RUNS) at random moments and resumes it: nothing accepted goes out again, nothing
# is skipped, and what was in flight is told.
set -eu
cd "$(dirname "$0")/../.."
CREDHOOK=${CREDHOOK:-$PWD/build/credhook} PYTHONPATH=tests/e2e PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 - "${RUNS:-100}" <<'END'
import sys
from killed_run import kill_and_resume
runs, cut = int(sys.argv[1]), 0
for seed in range(1000, 1000 + runs):
    cut += kill_and_resume(seed, threads=1 + seed % 2)
print(f"{runs} runs killed and resumed, {cut} deliveries were in flight then")
END

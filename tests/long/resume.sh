#!/bin/sh
# Kills runs of deliveries 100 times (RUNS) at random moments and resumes them: nothing accepted goes out again, nothing
# is skipped, and what was in flight is reported. Once with inputs that stay as they are, and as many times with inputs
# that are written and rotated meanwhile, where a run is killed five times before it ends.
set -eu
cd "$(dirname "$0")/../.."
CREDHOOK=${CREDHOOK:-$PWD/build/credhook} PYTHONPATH=tests/e2e PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 - "${RUNS:-100}" <<'END_OF_PYTHON'
import sys
from killed_run import kill_and_resume, kill_while_rotating
runs, cut = int(sys.argv[1]), 0
for seed in range(1000, 1000 + runs):
    sends = {"records": 300} if seed % 4 < 2 else {"records": 3, "loops": 100}
    cut += kill_and_resume(seed, concurrency=(8, 16)[seed % 2], **sends)
print(f"{runs} runs killed and resumed, {cut} deliveries were in flight then")
cut = sum(kill_while_rotating(seed, kills=5, concurrency=(8, 16)[seed % 2]) for seed in range(2000, 2000 + runs // 5))
print(f"{runs // 5 * 5} kills with rotation going on, {cut} deliveries were in flight then")
END_OF_PYTHON

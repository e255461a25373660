#!/bin/sh
# Kills runs of deliveries at 400 random moments (RUNS, and three times as many) and resumes them: nothing accepted goes out
# again, nothing is skipped, and what was in flight is reported. 100 times with inputs that stay as they are; 300 times with
# inputs that are written, rotated and given in another order meanwhile, and that have some records several times. And where
# the same record is twice in flight and one of them has ended, one is reported and none sent.
set -eu
cd "$(dirname "$0")/../.."
export CREDHOOK=${CREDHOOK:-$PWD/build/credhook} PYTHONPATH=tests/e2e PYTHONDONTWRITEBYTECODE=1
/usr/bin/python3 - "${RUNS:-100}" <<'END_OF_PYTHON'
import sys
from killed_run import kill_and_resume, kill_while_rotating
runs, cut = int(sys.argv[1]), 0
for seed in range(1000, 1000 + runs):
    sends = {"records": 300} if seed % 4 < 2 else {"records": 3, "loops": 100}
    cut += kill_and_resume(seed, concurrency=(8, 16)[seed % 2], **sends)
print(f"{runs} runs killed and resumed, {cut} deliveries were in flight then")
kills = 3 * runs // 5
cut = sum(kill_while_rotating(seed, kills=5, concurrency=(8, 16)[seed // 2 % 2]) for seed in range(2000, 2000 + kills))
print(f"{kills * 5} kills over inputs that are written, rotated and reordered, {cut} deliveries were in flight then")
END_OF_PYTHON
/usr/bin/python3 tests/e2e/journal_test.py test_a_line_is_the_end_of_one_delivery
echo "the same record twice in flight, and one of them ended: one is reported, none is sent"

#!/bin/sh
# The production guard against every spelling and detour of tests/e2e/guard_table.py, through the binary: 0 may reach
# the protected listener. CREDHOOK is the binary (default: build/credhook).
set -eu
cd "$(dirname "$0")/../.."
CREDHOOK=${CREDHOOK:-$PWD/build/credhook}
[ -x "$CREDHOOK" ] || { echo "guard.sh: no binary at $CREDHOOK" >&2; exit 2; }
export CREDHOOK
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=tests/e2e exec /usr/bin/python3 - <<'END'
import os
import sys
from guard_table import run_cases, table

count, problems = run_cases(table, os.cpu_count() or 1)
print(f"{count} spellings and detours, {len(problems)} of them wrong")
for problem in problems[:20]:
    print(problem)
sys.exit(1 if problems or count < 1000 else 0)
END

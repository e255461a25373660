#!/usr/bin/python3
"""tests/run.sh ends with "N passed, N failed" however it ends. Its tools are stand-ins here: nothing is built."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CTEST = "echo '98% tests passed, 1 tests failed out of 50'; exit 8"
# what the stand-ins do; what is printed last; the exit code
CASES = [
    ({}, [], "98 passed, 2 failed", 1),
    ({"ctest": "echo '100% tests passed, 0 tests failed out of 50'"}, ["--quick"], "50 passed, 0 failed", 0),
    ({"ctest": "exit 3"}, ["--quick"], "0 passed, 1 failed", 1),
    ({"cmake": "exit 1"}, [], "0 passed, 2 failed", 1),
    ({"cmake": "case $* in *build-asan*) exit 1; esac"}, [], "49 passed, 2 failed", 1),
    ({"packages": "return 1"}, [], "0 passed, 1 failed", 1),
]


def last_line(stand_ins, args):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in "tests", "samples", "bin":
            (folder / part).mkdir()
        shutil.copy(Path(os.environ["SOURCE"], "tests", "run.sh"), folder / "tests")
        (folder / "samples/packages.sh").write_text(
            "build_packages=\nneed_packages() { %s; }\n" % stand_ins.get("packages", ":"))
        for tool, body in {"cmake": ":", "ctest": CTEST, **stand_ins}.items():
            path = folder / "bin" / tool
            path.write_text(f"#!/bin/sh\n{body}\n")
            path.chmod(0o755)
        done = subprocess.run(["sh", folder / "tests/run.sh", *args], capture_output=True, text=True, timeout=60,
                              check=False, env={**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}"})
        return done.stdout.splitlines()[-1], done.returncode


def main():
    wrong = 0
    for stand_ins, args, line, code in CASES:
        seen = last_line(stand_ins, args)
        if seen != (line, code):
            print(f"{stand_ins} {args}: {seen}, expected {(line, code)}")
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/python3
"""tests/run.sh ends with "N passed, N failed" however it ends, and takes warnings for errors only where CI is set.
Its tools are stand-ins here: nothing is built. And a bench without a binary says so, before anything else."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from house import SOURCE, run

NO_WERROR = "case $* in *WERROR=ON*) exit 1; esac"
CTEST = "echo '98% tests passed, 1 tests failed out of 50'; exit 8"
ONE_ASKED = """case $* in
*'-L ^house$'*) echo '100% tests passed, 0 tests failed out of 6' ;;
*'-R ^unit/base/text$'*) echo '100% tests passed, 0 tests failed out of 1' ;;
esac"""
USAGE = "usage: sh tests/run.sh [--long] [--quick] [--portable] [--changed[=REVISION] | --stress [NAME [JOBS]]]"
# what the stand-ins do; what is printed last; the exit code
CASES = [
    ({}, [], "98 passed, 2 failed", 1),
    ({"ctest": "echo '100% tests passed, 0 tests failed out of 50'"}, ["--quick"], "50 passed, 0 failed", 0),
    ({"ctest": "exit 3"}, ["--quick"], "0 passed, 1 failed", 1),
    ({"cmake": "exit 1"}, [], "0 passed, 2 failed", 1),
    ({"cmake": "case $* in *build-asan*) exit 1; esac"}, [], "49 passed, 2 failed", 1),
    ({"cmake": "case $* in *-DCREDHOOK_PORTABLE=ON*) exit 1; esac"}, ["--portable"], "0 passed, 2 failed", 1),
    ({"cmake": "case $* in *-DCREDHOOK_PORTABLE=ON*) exit 1; esac"}, ["--quick"], "49 passed, 1 failed", 1),
    ({"cmake": NO_WERROR}, [], "98 passed, 2 failed", 1),
    ({"cmake": NO_WERROR, "CI": "true"}, [], "0 passed, 2 failed", 1),
    ({"python3": "echo '^unit/base/text$'"}, ["--changed"], "98 passed, 2 failed", 1),
    ({"ctest": ONE_ASKED, "python3": "test $3 = main && echo '^unit/base/text$'"}, ["--changed=main"], "7 passed, 0 failed", 0),
    ({"ctest": ONE_ASKED, "python3": ":"}, ["--changed"], "6 passed, 0 failed", 0),
    ({"ctest": ONE_ASKED, "python3": "exit 2"}, ["--changed"], "6 passed, 1 failed", 1),
    ({"cmake": "exit 1"}, ["--changed"], "0 passed, 1 failed", 1),
    ({"cmake": NO_WERROR}, ["--changed"], "0 passed, 1 failed", 1),
    ({"python3": "echo $*"}, ["--stress", "e2e/show", "3"], "tests/tools/stress.py build e2e/show 3", 0),
    ({"python3": "echo $*"}, ["--stress"], "tests/tools/stress.py build", 0),
    ({}, ["--stress", "e2e/show", "3", "4"], USAGE, 2),
    ({}, ["--change"], USAGE, 2),
    ({"packages": "return 1"}, [], "0 passed, 1 failed", 1),
]


def last_line(stand_ins, args):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in "tests", "samples", "bin":
            (folder / part).mkdir()
        shutil.copy(SOURCE / "tests" / "run.sh", folder / "tests")
        (folder / "samples/packages.sh").write_text(
            (SOURCE / "samples/packages.sh").read_text() + "need_packages() { %s; }\n" % stand_ins.get("packages", ":"))
        for tool in "cmake", "ctest", *stand_ins.keys() & {"python3"}:
            body = stand_ins.get(tool, CTEST if tool == "ctest" else ":")
            path = folder / "bin" / tool
            path.write_text(f"#!/bin/sh\n{body}\n")
            path.chmod(0o755)
        path = f"{folder}/bin:{os.environ['PATH']}"
        done = subprocess.run(["sh", folder / "tests/run.sh", *args], capture_output=True, text=True, timeout=60,
                              check=False, env={**os.environ, "CI": stand_ins.get("CI", ""), "PATH": path})
        return (done.stdout or done.stderr).splitlines()[-1], done.returncode


def check_progress():
    """What samples/packages.sh shows of a build and of a run of the tests, here through a pipe."""
    make = ["[  0%] Building x", "[  9%] y", "[ 25%] z", "warning: [ 99% of it]", "[ 29%] z", "[100%] Built target x"]
    ctest = ["    Start 7: a/b", "  1/40 Test  #7: a/b ......   Passed    0.01 sec", " 19/40 Test #12: c/d ......***Failed", "1/2 of it",
             " 40/40 Test #13: a/c ...   Passed"]
    for lines, shown in (make, "word: 20% 100%\n"), (ctest, "word: 40% 100%\n"), (["nothing"], "word:\n"):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(["sh", "-c", '. "$0"; progress word "$1"', SOURCE / "samples/packages.sh", f"{folder}/log"],
                                  input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=60, check=False)
            kept = Path(folder, "log").read_text(encoding="utf-8").splitlines()
        if (done.stdout, done.stderr, kept) != (shown, "", lines):
            yield f"{done}, kept: {kept}"


def check_last_lines():
    for stand_ins, args, line, code in CASES:
        seen = last_line(stand_ins, args)
        if seen != (line, code):
            yield f"{stand_ins} {args}: {seen}, expected {(line, code)}"


def check_benches_without_a_binary():
    for script in sorted(SOURCE.glob("tests/bench/*.sh")):
        if script.name == "need.sh":
            continue
        done = subprocess.run(["sh", script], capture_output=True, text=True, timeout=60, check=False,
                              env={**os.environ, "CREDHOOK": "/nowhere/credhook"})
        if done.returncode != 2 or done.stdout or not re.fullmatch("[^\n]*no /nowhere/credhook: [^\n]*\n", done.stderr):
            yield f"{script.name}: {done}"


def checks():
    for check in check_progress, check_last_lines, check_benches_without_a_binary:
        yield check.__name__, check()


if __name__ == "__main__":
    run(checks())

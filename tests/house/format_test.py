#!/usr/bin/python3
"""The C files are formatted as .clang-format says: clang-format -i FILE.

The first line of .clang-format names the version that it is for. Where that one is not installed, nothing is compared:
others format some lines differently, and nobody has to have it."""

import os
import re
import shutil
import subprocess

from house import SOURCE, run

VERSION = re.match(r"# For (clang-format) (\d+),", (SOURCE / ".clang-format").read_text(encoding="utf-8")).groups()


def installed():
    """The path of that version, or None."""
    for name in "-".join(VERSION), VERSION[0]:
        path = shutil.which(name)
        if path and f"version {VERSION[1]}." in subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout:
            return path
    return None


def complaints(tool, files):
    done = subprocess.run([tool, "--style=file", "--dry-run", "-Werror", *files], cwd=SOURCE, capture_output=True, text=True, check=False)
    return {line.partition(":")[0] for line in done.stderr.splitlines() if ": error: " in line}, done


def check_format():
    tool = installed()
    if not tool:
        print(f"skipped: {' '.join(VERSION)} is not installed, and other versions format some lines differently")
        return
    files = sorted(str(path.relative_to(SOURCE)) for room in ("src", "tests") for path in (SOURCE / room).rglob("*.[ch]"))
    wrong, done = complaints(tool, files)
    for name in sorted(wrong):
        yield f"{name} is not formatted: {os.path.basename(tool)} -i {name}"
    if done.returncode and not wrong:
        yield f"{tool} failed: {done.stderr}"
    if len(files) < 300:
        yield f"{len(files)} files read; where are the others?"


def checks():
    yield "check_format", check_format()


if __name__ == "__main__":
    run(checks())

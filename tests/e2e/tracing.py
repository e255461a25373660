"""The system calls of a run, by strace."""

import os
import re
import shutil
import subprocess
from contextlib import contextmanager

from support import Skip, new_folder


@contextmanager
def traced(calls):
    """credhook runs under strace meanwhile; yields the file it writes."""
    if not shutil.which("strace"):
        raise Skip("strace is not installed")
    folder, before = new_folder(), os.environ["CREDHOOK"]
    wrapper, trace = folder / "credhook", folder / "trace"
    wrapper.write_text(f'#!/bin/sh\nexec strace -D -f -y -s 4000000 -o {trace} -e trace={calls} {before} "$@"\n')
    wrapper.chmod(0o755)
    if subprocess.run([wrapper, "--version"], capture_output=True, check=False).returncode != 0:
        raise Skip("strace may not trace here")
    os.environ["CREDHOOK"] = str(wrapper)
    try:
        yield trace
    finally:
        os.environ["CREDHOOK"] = before


def completed(trace):
    """(call, arguments, when it began, when it ended, result): times are line numbers."""
    begun = {}
    for number, line in enumerate(trace.read_text(errors="replace").splitlines()):
        pid, _, rest = line.partition(" ")
        rest = rest.strip()
        if (resumed := re.match(r"<\.\.\. (\w+) resumed>(.*)", rest)) and pid in begun:
            began, text = begun.pop(pid)
            rest = text + resumed.group(2)
        else:
            began = number
        if rest.endswith("<unfinished ...>"):
            begun[pid] = (began, rest[:-len("<unfinished ...>")])
            continue
        if (call := re.match(r"(\w+)\((.*)\)\s+= (-?\d+)", rest, re.DOTALL)):
            yield call.group(1), call.group(2), began, number, int(call.group(3))

"""A run of credhook on what a generator feeds it, with the memory it held and the time it took."""

import subprocess
import sys
import threading
from typing import NamedTuple

from support import binary, environment, new_folder

# The most memory that a process held counts from before it became credhook: its parent has to be a small one.
MEASURE = """
import os, sys
status, usage = os.wait4(os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ), 0)[1:]
with open(sys.argv[1], "w") as file:
    print(os.waitstatus_to_exitcode(status), usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime, file=file)
"""


class Measured(NamedTuple):
    code: int
    out: bytes
    err: bytes
    held: float  # MiB, at most
    seconds: float  # of the processor


def measured(*args, feed=lambda: ()):
    """feed() yields what stands at its standard input; credhook may stop reading before the end of that."""
    folder = new_folder()
    process = subprocess.Popen([sys.executable, "-I", "-S", "-c", MEASURE, folder / "usage", binary(), *map(str, args)],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=environment(), cwd=folder)
    told = {}
    readers = [threading.Thread(target=lambda n=name, s=stream: told.update({n: s.read()}))
               for name, stream in (("out", process.stdout), ("err", process.stderr))]
    for reader in readers:
        reader.start()
    try:
        for block in feed():
            process.stdin.write(block)
        process.stdin.close()
    except BrokenPipeError:
        pass
    for reader in readers:
        reader.join()
    process.wait()
    code, held, seconds = (folder / "usage").read_text().split()
    return Measured(int(code), told["out"], told["err"], float(held), float(seconds))

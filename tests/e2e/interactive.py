"""A program at a pseudo-terminal, and somebody who types: for shells and their completion."""

import os
import pty
import re
import select
import signal
import struct
import termios
import time
from fcntl import ioctl

from fault_server import DEADLINE


class Interactive:
    """args run at a terminal of the given size; type() writes keys, wait_for() reads until a pattern has come."""

    def __init__(self, args, env, cwd, columns=200, rows=50):
        self.seen = ""
        self._pid, self._fd = pty.fork()
        if self._pid == 0:
            ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            # After Ctrl-C and Ctrl-Z the kernel discards what was typed, and may do so after the signal was answered.
            modes = termios.tcgetattr(0)
            modes[3] |= termios.NOFLSH
            termios.tcsetattr(0, termios.TCSANOW, modes)
            os.chdir(cwd)
            os.execve(args[0], args, env)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def type(self, keys):
        os.write(self._fd, keys.encode())

    def wait_for(self, pattern, timeout=DEADLINE):
        """The match of `pattern` in what has come since the last one; what follows it is kept."""
        end = time.monotonic() + timeout
        while True:
            found = re.search(pattern, self.seen, re.DOTALL)
            if found:
                self.seen = self.seen[found.end():]
                return found
            if not select.select([self._fd], [], [], max(0, end - time.monotonic()))[0]:
                raise AssertionError(f"no {pattern!r} within {timeout} s in:\n{self.seen!r}")
            try:
                self.seen += os.read(self._fd, 65536).decode("utf-8", "replace")
            except OSError:
                raise AssertionError(f"it ended without {pattern!r}:\n{self.seen!r}") from None

    def wait_for_end(self):
        """Until the program has closed the terminal."""
        try:
            while os.read(self._fd, 65536):
                pass
        except OSError:
            pass

    def close(self):
        if self._pid:
            os.kill(self._pid, signal.SIGKILL)
            os.close(self._fd)
            os.waitpid(self._pid, 0)
            self._pid = 0

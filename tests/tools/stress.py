#!/usr/bin/python3
"""Runs one test again and again, several at a time, until it fails: for one that fails once in a hundred.

    python3 tests/tools/stress.py BUILD NAME [JOBS]

NAME is as ctest knows it: e2e/journal. JOBS (four for each processor) run at once, which keeps the machine as busy as a test
must bear. The first that fails ends all: what it printed is printed, and what it left in its folder for temporary files is
kept, and named. So is that of one that takes longer than ctest allows. Ctrl-C ends it, too, and says how often it passed.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from changed import tests_of

DEFAULT_LIMIT = 900


def find(build, name):
    """(command, environment, seconds) of a test, as ctest has them."""
    tests = tests_of(build)
    if name not in tests:
        sys.exit(f"{name}: no such test in {build}: ctest --test-dir {build} -N lists them")
    command, properties = tests[name]
    variables = dict(line.split("=", 1) for line in properties.get("ENVIRONMENT", []))
    return command, variables, properties.get("TIMEOUT", DEFAULT_LIMIT)


class Stress:
    """Jobs that run a test until one of them fails."""

    def __init__(self, command, variables, limit):
        self.command, self.variables, self.limit = command, variables, limit
        self.passed, self.failed, self.over = 0, None, threading.Event()
        self.lock, self.running = threading.Lock(), set()

    def once(self):
        """Whether it passed; else its folder and output are kept."""
        folder = Path(tempfile.mkdtemp(prefix="stress."))
        with (folder / "output").open("w+b") as output:
            # For tests/e2e/support.py, which removes its own otherwise.
            environment = {**os.environ, **self.variables, "TMPDIR": str(folder), "KEEP_FOLDERS": "1"}
            with subprocess.Popen(self.command, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                  start_new_session=True) as process:
                with self.lock:
                    self.running.add(process)
                    if self.over.is_set():
                        os.killpg(process.pid, signal.SIGKILL)
                try:
                    code = process.wait(self.limit)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    code = process.wait()
                with self.lock:
                    self.running.discard(process)
        with self.lock:
            if code != 0 and not self.over.is_set():
                self.failed = folder
                self.end()
            else:
                self.passed += code == 0
                shutil.rmtree(folder, ignore_errors=True)

    def end(self):
        """No more are begun, and those that run are ended."""
        self.over.set()
        for process in self.running:
            os.killpg(process.pid, signal.SIGKILL)

    def job(self):
        while not self.over.is_set():
            self.once()

    def run(self, jobs):
        threads = [threading.Thread(target=self.job) for _ in range(jobs)]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        except KeyboardInterrupt:
            with self.lock:
                self.end()
            for thread in threads:
                thread.join()


def main():
    if len(sys.argv) not in (3, 4) or not all(word.isdigit() for word in sys.argv[3:]):
        sys.exit(__doc__)
    build, name = sys.argv[1:3]
    jobs = int(sys.argv[3]) if len(sys.argv) > 3 else 4 * (os.cpu_count() or 1)
    stress = Stress(*find(build, name))
    stress.run(jobs)
    if not stress.failed:
        print(f"{name}: interrupted after {stress.passed} runs, which passed")
        return 130
    sys.stdout.write((stress.failed / "output").read_text(errors="replace"))
    print(f"{name}: failed after {stress.passed} runs that passed; its files: {stress.failed}")
    return 1


if __name__ == "__main__":
    sys.exit(main())

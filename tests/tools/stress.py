#!/usr/bin/python3
"""Runs one test again and again, several at a time, until it fails: for one that fails once in a hundred.

    python3 tests/tools/stress.py BUILD [NAME [JOBS]]

NAME is as ctest knows it: e2e/journal; without it, those of e2e/ have a minute each, in which runs begin. JOBS (four for each
processor) run at once, which keeps the machine as busy as a test must bear. The first that fails ends the others of its
name: what it printed is printed, and what it left in its folder for temporary files is kept, and named. So is that of one
that takes longer than ctest allows. Ctrl-C ends all, and says how often it passed.
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
SECONDS = 60  # of each test, where none is named


class Stress:
    """Jobs that run a test until one of them fails."""

    def __init__(self, command, properties):
        self.command, self.limit = command, properties.get("TIMEOUT", DEFAULT_LIMIT)
        self.variables = dict(line.split("=", 1) for line in properties.get("ENVIRONMENT", []))
        self.passed, self.failed = 0, None
        self.enough, self.over = threading.Event(), threading.Event()  # no more are begun; those that run are ended
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
        self.enough.set()
        self.over.set()
        for process in self.running:
            os.killpg(process.pid, signal.SIGKILL)

    def job(self):
        while not self.enough.is_set():
            self.once()

    def run(self, jobs, seconds):
        """They begin for so long (None: until one fails). False: Ctrl-C has ended it."""
        threads = [threading.Thread(target=self.job) for _ in range(jobs)]
        for thread in threads:
            thread.start()
        try:
            self.enough.wait(seconds)
            self.enough.set()
            for thread in threads:
                thread.join()
            return True
        except KeyboardInterrupt:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second one must not leave jobs behind
            with self.lock:
                self.end()
            for thread in threads:
                thread.join()
            return False


def main():
    if len(sys.argv) not in (2, 3, 4) or not all(word.isdigit() for word in sys.argv[3:]):
        sys.exit(__doc__)
    for number in signal.SIGHUP, signal.SIGQUIT:
        signal.signal(number, signal.SIG_DFL)  # nohup and the shell's & ignore them, and tests send them
    signal.signal(signal.SIGINT, signal.default_int_handler)
    build, names = sys.argv[1], sys.argv[2:3]
    tests = tests_of(build)
    if names and names[0] not in tests:
        sys.exit(f"{names[0]}: no such test in {build}: ctest --test-dir {build} -N lists them")
    jobs = int(sys.argv[3]) if len(sys.argv) > 3 else 4 * (os.cpu_count() or 1)
    failures = 0
    for name in names or [name for name in tests if name.startswith("e2e/")]:
        stress = Stress(*tests[name])
        goes_on = stress.run(jobs, None if names else SECONDS)
        if stress.failed:
            failures += 1
            sys.stdout.write((stress.failed / "output").read_text(errors="replace"))
            print(f"{name}: failed after {stress.passed} runs that passed; its files: {stress.failed}", flush=True)
        else:
            print(f"{name}: {stress.passed} runs passed", flush=True)
        if not goes_on:
            return 130
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/python3
"""How a run of `credhook validate` behaves while it runs: threads, memory, streams, signals, terminals.

    CREDHOOK=build/credhook tests/e2e/validate_run_test.py
"""
import json
import os
import pty
import re
import select
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

CREDHOOK = os.path.abspath(os.environ.get("CREDHOOK", "build/credhook"))
SANITIZED = bool(os.environ.get("SANITIZE"))


def build(*args):
    return subprocess.run([CREDHOOK, "build", "--seed", "1", *args], capture_output=True, timeout=60, check=True).stdout


def start(*args, **more):
    return subprocess.Popen([CREDHOOK, "validate", *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, **more)


def read_line(process, seconds=20):
    ready, _, _ = select.select([process.stdout], [], [], seconds)
    return process.stdout.readline() if ready else b""


def peak(*args, data):
    """The exit code and the peak resident memory in KiB of a run fed with data."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen([CREDHOOK, "validate", *args], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=errors)
        for piece in data:
            process.stdin.write(piece)
        process.stdin.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_maxrss


class Runs(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="credhook-validate-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def finish(self, process):
        out, err = process.communicate(timeout=120)
        return process.returncode, out, err

    def test_what_is_known_is_told_before_more_input_is_waited_for(self):
        for jobs in "1", "4":
            process = start("-", "--lines", "--json", "--jobs", jobs, bufsize=0)
            for event in "user-created", "bureau-alert":
                process.stdin.write(build(event))
                self.assertEqual(json.loads(read_line(process))["event"], event)
            self.assertEqual(self.finish(process)[0], 0)

    def test_one_job_makes_no_thread(self):
        for jobs, most in ("1", 2), ("3", 5):  # one more waits for signals, and a sanitizer may have its own
            process = start("-", "--lines", "--json", "--jobs", jobs, bufsize=0)
            process.stdin.write(build("all"))
            self.assertTrue(read_line(process))
            threads = len(os.listdir(f"/proc/{process.pid}/task"))
            if not SANITIZED:
                self.assertLessEqual(threads, most)
                self.assertEqual(threads == 2, jobs == "1")
            self.finish(process)

    def test_a_first_ctrl_c_tells_what_was_judged(self):
        for number in signal.SIGINT, signal.SIGTERM:
            report = self.folder / "r.sarif"
            process = start("-", "--lines", "--json", "--jobs", "2", "--report", f"sarif={report}", bufsize=0)
            count = build("all").count(b"\n")
            process.stdin.write(build("all"))
            for _ in range(count):
                self.assertTrue(read_line(process))
            process.send_signal(number)
            self.assertEqual(process.wait(timeout=120), 130)
            self.assertIn(b"interrupted after %d payloads: %d valid" % (count, count), process.stderr.read())
            self.assertEqual(list(self.folder.iterdir()), [])
            process.communicate()

    def test_many_small_files_come_in_order(self):
        payload = build("user-created")
        for number in range(3000):
            (self.folder / f"{number:05}.json").write_bytes(payload if number % 3 else b"{")
        runs = []
        for jobs in "1", "4":
            process = start(str(self.folder), "--json", "--jobs", jobs)
            code, out, _ = self.finish(process)
            self.assertEqual(code, 1)
            runs.append(out)
        self.assertEqual(runs[0], runs[1])
        lines = [json.loads(line) for line in runs[0].split(b"\n") if line]
        self.assertEqual([os.path.basename(line["file"]) for line in lines], [f"{n:05}.json" for n in range(3000)])
        self.assertEqual([line["valid"] for line in lines], [n % 3 > 0 for n in range(3000)])

    @unittest.skipIf(SANITIZED, "memory is the sanitizer's")
    def test_memory_does_not_grow_with_the_input(self):
        lines = build("all", "--count", "200")
        broken = b"{}\n" * 20000
        for data in lines, broken:
            for args in [], ["--format", "json", "--report", f"junit={self.folder}/j.xml", "--report", f"sarif={self.folder}/s"]:
                _, once = peak("-", "--jobs", "2", *args, data=[data])
                _, often = peak("-", "--jobs", "2", *args, data=[data] * 10)
                self.assertLess(often, 32 * 1024)
                self.assertLess(often, once * 1.3 + 2048)

    @unittest.skipIf(SANITIZED, "memory is the sanitizer's")
    def test_lines_of_a_mebibyte_fit(self):
        payload = build("user-created").rstrip()
        line = payload + b" " * ((1 << 20) - 1 - len(payload)) + b"\n"
        code, most = peak("-", "--lines", "--jobs", "2", data=[line] * 60)
        self.assertEqual(code, 0)
        self.assertLess(most, 32 * 1024)

    def test_progress_is_for_terminals_and_leaves_no_trace(self):
        # A line at least every half second for 1.2 s: progress is due once half a second is over.
        for quiet in False, True:
            own, other = pty.openpty()
            process = subprocess.Popen([CREDHOOK, "validate", "-", "--lines", *(["-q"] if quiet else [])],
                                       stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=other, bufsize=0)
            os.close(other)
            payload, seen, began = build("user-created"), b"", time.monotonic()
            while time.monotonic() < began + 120:
                process.stdin.write(payload)
                ready, _, _ = select.select([own], [], [], 0.02)
                if ready:
                    seen += os.read(own, 4096)
                if b" payloads, " in seen or (quiet and time.monotonic() > began + 1):
                    break
            process.stdin.close()
            process.wait(timeout=120)
            try:
                while True:
                    more = os.read(own, 4096)
                    if not more:
                        break
                    seen += more
            except OSError:
                pass
            os.close(own)
            if quiet:
                self.assertEqual(seen, b"")
            else:
                self.assertRegex(seen.split(b"\r\x1b[K")[-1], rb"^\d+ payloads?: \d+ valid, 0 invalid\r\n$")

    def test_progress_says_how_much_of_the_files_is_left(self):
        # It cannot write on until somebody reads, and then progress is due.
        with tempfile.NamedTemporaryFile(suffix=".ndjson") as file:
            file.write((b'["' + b"x" * 1000 + b'"]\n') * 4000)
            file.flush()
            own, other = pty.openpty()
            process = subprocess.Popen([CREDHOOK, "validate", file.name], stdout=subprocess.PIPE, stderr=other)
            os.close(other)
            time.sleep(0.7)
            seen, open_ends = b"", {own, process.stdout.fileno()}
            while open_ends:
                for end in select.select(list(open_ends), [], [], 20)[0]:
                    try:
                        more = os.read(end, 65536)
                    except OSError:
                        more = b""
                    seen += more if end == own else b""
                    if not more:
                        open_ends.discard(end)
            os.close(own)
            process.stdout.close()
            self.assertEqual(process.wait(timeout=120), 1)
        shares = [int(share) for share in re.findall(rb"\r\d+ payloads, \d+ invalid; (\d+) %", seen)]
        self.assertTrue(shares and shares == sorted(shares) and 0 < shares[0] and shares[-1] <= 100, seen[-2000:])

    def test_findings_push_the_progress_away(self):
        own, other = pty.openpty()
        process = subprocess.Popen([CREDHOOK, "validate", "-", "--lines", "--color", "never"], stdin=subprocess.PIPE,
                                   stdout=other, stderr=other, bufsize=0)
        os.close(other)
        payload, seen, deadline = build("user-created"), b"", time.monotonic() + 120
        while b" payloads, " not in seen and time.monotonic() < deadline:
            process.stdin.write(payload)
            if select.select([own], [], [], 0.02)[0]:
                seen += os.read(own, 4096)
        process.stdin.write(b"[]\n")
        process.stdin.close()
        try:
            while more := os.read(own, 4096):
                seen += more
        except OSError:
            pass
        os.close(own)
        self.assertEqual(process.wait(timeout=120), 1)
        self.assertRegex(seen, rb"\r\d+ payloads, 0 invalid; \d+/s\x1b\[K\r\x1b\[K<stdin>:\d+:1: error: ")

    def test_a_reader_that_goes_away_ends_the_run(self):
        process = start("-", "--lines", "--jobs", "2")
        read, broken = 0, b"{}\n" * 5000
        process.stdout.close()
        try:
            while process.poll() is None and read < 400:
                process.stdin.write(broken)
                read += 1
        except BrokenPipeError:
            pass
        try:
            process.stdin.close()
        except BrokenPipeError:
            pass
        self.assertEqual(process.wait(timeout=120), 1)
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()
        self.assertLess(read, 400, "it went on for nobody")


if __name__ == "__main__":
    unittest.main(verbosity=1)

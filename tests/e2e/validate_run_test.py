#!/usr/bin/python3
"""How a run of `credhook validate` behaves while it runs: threads, memory, streams, signals, terminals."""
# rooms: cmd/validate json payload

import json
import os
import pty
import re
import select
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from measured import measured
from support import DEADLINE, SANITIZE, Skip, built, credhook, is_portable, launch, new_folder, run


def built_all(*args):
    return credhook("build", "all", "--seed", 1, *args).expect(0).out_bytes


def start(*args, **more):
    return launch("validate", *args, **{"stdin": subprocess.PIPE, **more})


@contextmanager
def processors(most):
    """What is started inside may use only so many of the processors, and learns how many those are."""
    allowed = os.sched_getaffinity(0)
    chosen = sorted(allowed)[:most]
    os.sched_setaffinity(0, chosen)
    try:
        yield len(chosen)
    finally:
        os.sched_setaffinity(0, allowed)


def read_line(process, seconds=120):
    ready, _, _ = select.select([process.stdout], [], [], seconds)
    return process.stdout.readline() if ready else b""


def rest_of(terminal):
    """What was written to it until nobody has it open any more."""
    seen = b""
    try:
        while more := os.read(terminal, 4096):
            seen += more
    except OSError:
        pass
    os.close(terminal)
    return seen


def test_what_is_known_is_told_before_more_input_is_waited_for():
    for most in 1, 4:
        with processors(most):
            process = start("-", "--lines", "--json", bufsize=0)
        for event in "user-created", "bureau-alert":
            process.stdin.write(built(event) + b"\n")
            assert json.loads(read_line(process))["event"] == event
        assert process.communicate() and process.returncode == 0


def test_threads_are_those_of_the_processors():
    if is_portable():
        raise Skip("how many of the processors a process may use is not known everywhere")
    limit = Path("/sys/fs/cgroup/cpu.max")
    has_quota = limit.exists() and not limit.read_text().startswith("max")
    for most in 1, 2, 1000:
        with processors(most) as count:
            process = start("-", "--lines", "--json", bufsize=0)
        process.stdin.write(built_all())
        assert read_line(process)
        threads = len(os.listdir(f"/proc/{process.pid}/task")) - 2  # one waits for signals
        process.communicate()
        if not SANITIZE:  # which may have its own
            assert 0 <= threads <= (min(count, 16) if count > 1 else 0), (threads, count)
            assert threads > 0 or count == 1 or has_quota


def test_a_first_ctrl_c_tells_what_was_judged():
    rest = [new_folder() / f"{number}.json" for number in range(150)]  # which are not begun
    for path in rest:
        path.write_text("{}\n")
    for number in signal.SIGINT, signal.SIGTERM:
        folder = new_folder()
        report = folder / "r.sarif"
        process = start("-", *rest, "--lines", "--json", "--report", f"sarif={report}", "--report",
                        f"html={folder}/r.html", bufsize=0)
        count = built_all().count(b"\n")
        process.stdin.write(built_all())
        for _ in range(count):
            assert read_line(process)
        process.send_signal(number)
        assert process.stdout.read() == b"" and process.wait() == 130  # its input is still open
        assert b"interrupted after %d payloads: %d valid" % (count, count) in process.stderr.read()
        process.communicate()
        notices = json.loads(report.read_text())["runs"][0]["invocations"][0]["toolExecutionNotifications"]
        assert [notice["message"]["text"] for notice in notices] == ["interrupted"]
        assert '"interrupted":"interrupted"' in (folder / "r.html").read_text(encoding="utf-8")
        assert len(list(folder.iterdir())) == 2


def test_many_small_files_come_in_order():
    folder, payload = new_folder(), built("user-created")
    for number in range(3000):
        (folder / f"{number:05}.json").write_bytes(payload if number % 3 else b"{")
    runs = []
    for most in 1, 1000:
        with processors(most):
            runs.append(credhook("validate", folder, "--json").expect(1))
    assert runs[0].out == runs[1].out
    lines = runs[0].json()
    assert [os.path.basename(line["file"]) for line in lines] == [f"{n:05}.json" for n in range(3000)]
    assert [line["valid"] for line in lines] == [n % 3 > 0 for n in range(3000)]


def test_memory_does_not_grow_with_the_input():
    if SANITIZE:
        raise Skip("memory is the sanitizer's")
    folder = new_folder()
    for data in built_all("--count", "200"), b"{}\n" * 10000:
        for args in [], ["--json", "--report", f"junit={folder}/j.xml", "--report", f"sarif={folder}/s"]:
            once, often = (measured("validate", "-", *args, feed=lambda: [data] * times).held for times in (4, 12))
            # How many blocks are in use at once is the scheduler's, and is not known on a busy machine.
            assert often < 32 and often < once + 10, (args, once, often)
    line = built("user-created").ljust((1 << 20) - 1) + b"\n"
    ended = measured("validate", "-", "--lines", feed=lambda: [line] * 60)
    assert ended.code == 0 and ended.held < 32, ended


def test_progress_is_for_terminals_and_leaves_no_trace():
    # A line at least every half second for 1.2 s: progress is due once half a second is over.
    for quiet in False, True:
        own, other = pty.openpty()
        process = start("-", "--lines", *(["-q"] if quiet else []), stdout=subprocess.DEVNULL, stderr=other, bufsize=0)
        os.close(other)
        payload, seen, began = built("user-created") + b"\n", b"", time.monotonic()
        while time.monotonic() < began + 120:
            process.stdin.write(payload)
            ready, _, _ = select.select([own], [], [], 0.02)
            if ready:
                seen += os.read(own, 4096)
            if b" payloads, " in seen or (quiet and time.monotonic() > began + 1):
                break
        process.stdin.close()
        process.wait()
        seen += rest_of(own)
        if quiet:
            assert seen == b""
        else:
            assert re.search(rb"^\d+ payloads?: \d+ valid, 0 invalid\r\n$", seen.split(b"\r\x1b[K")[-1])


def test_progress_says_how_much_of_the_files_is_left():
    # It cannot write on until somebody reads, and then progress is due.
    with tempfile.NamedTemporaryFile(suffix=".ndjson") as file:
        file.write((b'["' + b"x" * 1000 + b'"]\n') * 4000)
        file.flush()
        own, other = pty.openpty()
        process = start("-v", file.name, stdin=subprocess.DEVNULL, stderr=other)
        os.close(other)
        assert select.select([process.stdout], [], [], 120)[0]
        time.sleep(0.7)  # from when it has begun
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
        assert process.wait() == 1
    shares = [int(share) for share in re.findall(rb"\r\d+ payloads, \d+ invalid; (\d+) %", seen)]
    assert shares and shares == sorted(shares) and 0 < shares[0] and shares[-1] <= 100, seen[-2000:]


def test_findings_push_the_progress_away():
    own, other = pty.openpty()
    process = start("-", "--lines", "--color", "never", stdout=other, stderr=other, bufsize=0)
    os.close(other)
    payload, seen, deadline = built("user-created") + b"\n", b"", time.monotonic() + DEADLINE
    while b" payloads, " not in seen and time.monotonic() < deadline:
        process.stdin.write(payload)
        if select.select([own], [], [], 0.02)[0]:
            seen += os.read(own, 4096)
    process.stdin.write(b"[]\n")
    process.stdin.close()
    seen += rest_of(own)
    assert process.wait() == 1
    assert re.search(rb"\r\d+ payloads, 0 invalid; \d+/s\x1b\[K\r\x1b\[K<stdin>:\d+:1: error: ", seen)


def test_what_is_skipped_is_named_with_v():
    folder = new_folder()
    for name in (".git/a.json", "node_modules/a.json", "README.md", ".b.json", *(f"{n:03}.txt" for n in range(120))):
        (folder / "f" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "f" / name).write_text("")
    (folder / "f" / "a.json").write_text(credhook("build", "user-created").out)
    assert "skipped: " not in credhook("validate", "f", cwd=folder).expect(0).err
    for command in (("validate", "-v", "f"), ("send", "-v", "--dry-run", "--to", ":1", "--file", "f")):
        said = credhook(*command, cwd=folder).expect(0).err
        assert "122 other files and 2 folders skipped" in said, said
        named = re.findall("^skipped: (.*)$", said, re.M)
        assert len(named) == 101 and named[-1] == "24 more" and named[:-1] == sorted(set(named[:-1])), said
    (folder / "g").mkdir()
    (folder / "g" / "b.txt").write_text("")
    (folder / "g" / "a.json").write_text(credhook("build", "user-created").out)
    assert "skipped\nskipped: g/b.txt\n" in credhook("validate", "-v", "g", cwd=folder).expect(0).err


def test_a_reader_that_goes_away_ends_the_run():
    process = start("-", "--lines")
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
    assert process.wait() == 1
    assert process.stderr.read() == b""
    process.stderr.close()
    assert read < 400, "it went on for nobody"


if __name__ == "__main__":
    run()

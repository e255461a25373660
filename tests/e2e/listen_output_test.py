#!/usr/bin/python3
"""Whoever reads what `listen` prints does not hold it up: one who stops reading, one who is slow, one who goes away."""
# rooms: cmd/listen cmd/words receive ui

import fcntl
import json
import os
import pty
import signal
import socket
import subprocess
import threading

from support import DEADLINE, answers, launch, new_folder, request, run

MIB = 1 << 20
GONE = "nobody reads stdout any more; still listening\n"


def narrow_pipe():
    """As little as a pipe can hold."""
    ends = os.pipe()
    fcntl.fcntl(ends[1], fcntl.F_SETPIPE_SZ, 4096)
    return ends


def status(client):
    """Of the next response."""
    got = b""
    while not (found := answers(got)):
        piece = client.recv(65536)
        assert piece, got
        got += piece
    return found[0].status


class Stalled:
    """`listen` whose stdout (and stderr, if it is the same) nobody reads until read_all().

    The URL comes from --ready-file, so that the pipes stay untouched."""

    def __init__(self, *args, stdout=None, stderr=subprocess.PIPE):
        folder = new_folder()
        ready = folder / "url"
        self.reading, writing = narrow_pipe() if stdout is None else (None, stdout)
        self.process = launch("listen", "0", "--ready-file", ready, *args, stdout=writing, stderr=stderr, cwd=folder)
        os.close(writing)
        while not ready.exists():
            assert self.process.poll() is None
            threading.Event().wait(0.002)
        self.address = ("127.0.0.1", int(ready.read_text().strip().rsplit(":", 1)[1]))

    def post(self, count, length=2, expected=200):
        """Sends so many, one after the other, all of which are answered; when it returns their lines are printed."""
        body = b"[" + b"1" * (length - 2) + b"]"
        with socket.create_connection(self.address, DEADLINE) as client:
            for _ in range(count):
                client.sendall(request(body))
                assert status(client) == expected
            client.sendall(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            assert status(client) == 200

    def refused(self, count):
        """Sends so many requests that are refused, each with a note."""
        for _ in range(count):
            with socket.create_connection(self.address, DEADLINE) as client:
                client.sendall(b"PUT / HTTP/1.1\r\nHost: h\r\n\r\n")
                assert client.recv(100).startswith(b"HTTP/1.1 405")

    def read_all(self):
        with open(self.reading, "rb", closefd=False) as pipe:
            return pipe.read()

    def close(self):
        """The reader goes away."""
        os.close(self.reading)
        self.reading = None

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self

    def ended(self, code):
        """What it wrote to stderr."""
        _, err = self.process.communicate(timeout=DEADLINE)
        assert self.process.returncode == code, (self.process.returncode, err)
        return (err or b"").decode()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()
        if self.reading is not None:
            os.close(self.reading)


def dropped(err):
    (line,) = [line for line in err.splitlines() if "dropped" in line]
    assert line.endswith(": stdout is not being read fast enough"), line
    return int(line.split("dropped ")[1].split()[0].replace(",", ""))


def test_a_pipe_that_nobody_reads():
    """Answers and the end come all the same; what was dropped is counted to the line. SIGTERM in each state, all of which
    are waited for at once."""
    same, terminal = narrow_pipe(), pty.openpty()
    with Stalled("--json", "-v") as json_lines, Stalled("-v") as text, Stalled("--json", "--capture", "c") as capturing, \
            Stalled("--json", stdout=os.dup(same[1]), stderr=same[1]) as both, \
            Stalled(stdout=os.dup(terminal[1])) as on_terminal:
        everyone = (json_lines, text, capturing, both, on_terminal)
        for one in everyone:
            one.post(200)
        for one in everyone:
            one.stop()
        err = json_lines.ended(3)
        read = json_lines.read_all()
        assert read.endswith(b"\n") and json.loads(read.splitlines()[0])["type"] == "ready"
        assert dropped(err) == 202 - read.count(b"\n") > 0, err
        assert "200 received" in err
        assert dropped(text.ended(0)) > 0
        assert dropped(capturing.ended(3)) > 0
        assert both.ended(3) == ""  # it is where nobody reads
        assert dropped(on_terminal.ended(0)) > 0
    for fd in (*same, *terminal):
        os.close(fd)


def test_what_waits_is_bounded():
    """More than 16 MiB: later lines are dropped, the summary is not."""
    with Stalled("--json", "-v") as listener:
        listener.post(24, 1000000)
        listener.stop()
        read = [json.loads(line) for line in listener.read_all().splitlines()]
        err = listener.ended(3)
    events = [line for line in read if line["type"] == "event"]
    assert [event["seq"] for event in events] == list(range(1, 17)), len(events)
    assert (read[0]["type"], read[-1]["type"]) == ("ready", "summary")
    assert dropped(err) == read[-1]["dropped_lines"] == 8, (err, read[-1])


def test_a_slow_reader_gets_everything():
    with Stalled("--json", "-v") as listener:
        listener.post(400)
        got = b""
        while got.count(b"\n") < 401:
            got += os.read(listener.reading, 500)
        listener.stop()
        lines = [json.loads(line) for line in (got + listener.read_all()).splitlines()]
        assert "dropped" not in listener.ended(0)
    assert [line["seq"] for line in lines[1:-1]] == list(range(1, 401))
    assert lines[-1]["dropped_lines"] == 0


def test_a_line_longer_than_all_that_may_wait():
    with Stalled("--json", "-v", "--max-body", "32M") as listener:
        listener.post(1, 20 * MIB)
        listener.stop()
        lines = [json.loads(line) for line in listener.read_all().splitlines()]
        listener.ended(0)
    assert len(lines[1]["body"]) == 20 * MIB


def test_a_second_signal_does_not_wait_for_the_reader():
    with Stalled("--json") as listener:
        with socket.create_connection(listener.address, DEADLINE) as held:
            held.sendall(request()[:-1])  # keeps it from ending at the first one
            listener.post(100)
            listener.stop(signal.SIGINT).stop(signal.SIGTERM)
            assert dropped(listener.ended(130)) > 0


def test_notes_that_nobody_reads():
    reading, writing = narrow_pipe()
    with Stalled("--json", stderr=writing) as listener:
        listener.refused(200)
        listener.post(5)
        listener.stop()
        lines = [json.loads(line) for line in listener.read_all().splitlines()]
        listener.ended(0)
    os.close(writing)
    assert (lines[-1]["received"], lines[-1]["refused"], lines[-1]["dropped_lines"]) == (5, 200, 0), lines[-1]
    os.close(reading)


def test_a_reader_that_goes_away_ends_a_listener_that_does_nothing_else():
    for args in ((), ("--json",), ("--json", "-q"), ("--json", "-v", "--respond", "503")):
        with Stalled(*args) as listener:
            listener.post(2, expected=503 if "--respond" in args else 200)
            listener.close()
            err = listener.ended(0)
        assert "stdout" not in err and "ipe" not in err, err


def test_one_that_goes_away_while_it_is_stalled():
    with Stalled("--json") as listener:
        listener.post(200)
        listener.close()
        assert "dropped" not in listener.ended(0)


def test_other_work_goes_on_with_one_note():
    with Stalled() as target:
        url = f"http://127.0.0.1:{target.address[1]}"
        for args in (("--capture", "c"), ("--forward-to", url), ("--expect", "bureau-alert", "--timeout", "60s")):
            with Stalled("--json", *args) as listener:
                listener.close()
                assert listener.process.stderr.readline().startswith(b"listening on ")
                assert listener.process.stderr.readline().decode() == GONE
                listener.post(50)
                err = listener.stop().ended(1 if "--expect" in args else 0)
            assert "stdout" not in err and "ipe" not in err and "50 received" in err, err


def test_who_prints_nothing_needs_no_reader():
    with Stalled("-q") as listener:
        listener.close()
        listener.post(20)
        assert listener.stop().ended(0) == "listening on http://127.0.0.1:%d\n" % listener.address[1]


if __name__ == "__main__":
    run()

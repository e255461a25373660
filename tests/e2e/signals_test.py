#!/usr/bin/python3
"""The second SIGINT or SIGTERM ends a command at once, also where nobody looks at signals: in a write that nobody reads,
in a read that nothing comes from."""

import json
import os
import signal
import socket
import subprocess
import time

from support import binary, environment, new_folder, run

DEADLINE = 60


def starts(*args, **streams):
    return subprocess.Popen([binary(), *map(str, args)], env=environment(), stderr=subprocess.DEVNULL, **streams)


def ends_by(process, number):
    """Sends the signal until the process is gone."""
    began = time.monotonic()
    while time.monotonic() - began < DEADLINE:
        process.send_signal(number)
        try:
            return process.wait(0.05)
        except subprocess.TimeoutExpired:
            pass
    process.kill()
    process.wait()
    raise AssertionError(f"still there after {DEADLINE} s of signals")


def test_a_write_that_nobody_reads():
    for number in (signal.SIGINT, signal.SIGTERM):
        reading, writing = os.pipe()
        process = starts("build", "all", "--count", "100000", stdout=writing)
        assert os.read(reading, 1)
        # 130: the first one came before the pipe was full.
        assert ends_by(process, number) in (-number, 130)
        os.close(reading)
        os.close(writing)


def test_a_listener_whose_lines_nobody_reads():
    """It takes what the second signal means into its own hands, but cannot while it is stuck."""
    capture = new_folder() / "capture"
    for number in (signal.SIGINT, signal.SIGTERM):
        reading, writing = os.pipe()
        process = starts("listen", "0", "--json", "--capture", capture, stdout=writing)
        port = int(json.loads(os.read(reading, 4096))["url"].rsplit(":", 1)[1])
        answered = 0
        with socket.create_connection(("127.0.0.1", port), 1) as client:
            try:
                while True:
                    client.sendall(b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}")
                    answered += client.recv(1000).startswith(b"HTTP/1.1 200")
            except TimeoutError:
                pass
        assert answered > 10 and ends_by(process, number) == -number
        os.close(reading)
        os.close(writing)
        assert len(capture.read_text().splitlines()) >= answered
        capture.unlink()


def test_a_configuration_that_never_comes():
    fifo = new_folder() / "fifo"
    os.mkfifo(fifo)
    process = starts("build", "user-created", "--config", fifo, stdout=subprocess.DEVNULL)
    writer = os.open(fifo, os.O_WRONLY)  # waits for the reader
    assert ends_by(process, signal.SIGINT) == -signal.SIGINT
    os.close(writer)


if __name__ == "__main__":
    run()

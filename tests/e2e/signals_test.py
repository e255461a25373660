#!/usr/bin/python3
"""The second SIGINT or SIGTERM ends a command at once, also where nobody looks at signals: in a write that nobody reads,
in a read that nothing comes from."""
# rooms: base

import contextlib
import itertools
import json
import os
import select
import signal
import socket
import subprocess
import time
from pathlib import Path

from captures import write_capture
from support import DEADLINE, FaultServer, Listener, answer, binary, credhook, environment, hang, launch, new_folder, records, run


def starts(*args, **streams):
    return launch(*args, stderr=subprocess.DEVNULL, **streams)


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


def fill(writing):
    """Leaves no room in the pipe."""
    os.set_blocking(writing, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(writing, b"\n" * 4096)
    os.set_blocking(writing, True)


def test_pid_1_of_a_container():
    """The kernel drops the signals whose default action would end it. What is little is written at the end alone."""
    alone = ["unshare", "-rfp", "--kill-child", "--mount-proc"]
    if subprocess.run([*alone, "true"], capture_output=True, check=False).returncode != 0:
        return  # not allowed here
    cases = ("build", "all", "--count", "100000"), ("events",)
    for number, args in itertools.product((signal.SIGINT, signal.SIGTERM, signal.SIGUSR2), cases):
        reading, writing = os.pipe()
        fill(writing)
        with subprocess.Popen([*alone, binary(), *args], env=environment(), stdin=subprocess.DEVNULL, stdout=writing,
                              stderr=subprocess.DEVNULL) as outside:
            children = Path(f"/proc/{outside.pid}/task/{outside.pid}/children")
            until = time.monotonic() + DEADLINE
            while outside.poll() is None and time.monotonic() < until:
                for inside in children.read_text(encoding="utf-8").split():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(int(inside), number)
                time.sleep(0.05)
            outside.kill()  # and what is inside
        assert outside.returncode in (128 + number, 130), (number, args, outside.returncode)  # 130: as above
        os.close(reading)
        os.close(writing)


def test_a_shell_whose_results_nobody_reads():
    """Its listener, in the background, responds meanwhile."""
    reading, writing = os.pipe()
    with launch("shell", stdin=subprocess.PIPE, stdout=writing, cwd=new_folder()) as process:
        process.stdin.write(b"listen 0\nbuild all --count 100000\n")
        process.stdin.flush()
        port = int(process.stderr.readline().decode().rsplit(":", 1)[1])
        assert os.read(reading, 1)
        with socket.create_connection(("127.0.0.1", port), DEADLINE) as client:
            for _ in range(300):
                client.sendall(b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}")
                assert client.recv(1000).startswith(b"HTTP/1.1 200")
        assert ends_by(process, signal.SIGTERM) == -signal.SIGTERM
    os.close(reading)
    os.close(writing)


def test_a_configuration_that_never_comes():
    fifo = new_folder() / "fifo"
    os.mkfifo(fifo)
    writer = os.open(fifo, os.O_RDWR)  # without a writer there would be nothing to wait for
    process = starts("build", "user-created", "--config", fifo, stdout=subprocess.DEVNULL)
    waits_for_signals(process)
    assert ends_by(process, signal.SIGINT) == -signal.SIGINT
    os.close(writer)


def waits_for_signals(process):
    """Until it does, so that the next one does not end it by itself."""
    while True:
        with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
            blocked = next(int(line.split()[1], 16) for line in status if line.startswith("SigBlk:"))
        if blocked >> signal.SIGTERM - 1 & 1:
            return
        time.sleep(0.01)


def test_the_partner_of_a_fifo_never_comes():
    """The first signal ends it: nothing has begun."""
    folder = new_folder()
    capture = write_capture(1)
    os.mkfifo(folder / "fifo", 0o600)
    for args in (["validate", "--report", "junit=fifo", capture], ["convert", capture, "--redact", "--redact-key", "fifo"],
                 ["send", "user-created", "--to", ":9", "--report", "junit=fifo"], ["listen", "0", "--body", "@fifo"],
                 ["convert", capture, "-o", "fifo"], ["send", "user-created", "--to", ":9", "-H", "@fifo"],
                 ["test", "--to", ":9", "-H", "@fifo"]):
        process = starts(*args, cwd=folder, stdout=subprocess.DEVNULL)
        waits_for_signals(process)
        process.send_signal(signal.SIGTERM)
        assert process.wait(DEADLINE) in (-signal.SIGTERM, 130), args


def test_the_partner_of_a_fifo_comes_late():
    folder = new_folder()
    capture = write_capture(1)
    os.mkfifo(folder / "key", 0o600)
    os.mkfifo(folder / "out")
    process = starts("convert", capture, "--redact", "--redact-key", "key", "-o", "out", cwd=folder)
    (folder / "key").write_bytes(b"k" * 32)
    assert b'"redacted":' in (folder / "out").read_bytes()
    assert process.wait(DEADLINE) == 0


def test_no_temporary_file_stays():
    folder = new_folder()
    with FaultServer(hang()) as server:  # the first signal waits for it
        process = starts("send", "user-created", "--to", server.url, "--report", "junit=report.xml", cwd=folder)
        server.wait_requests(1)
        assert list(folder.iterdir())
        assert ends_by(process, signal.SIGTERM) == -signal.SIGTERM
    assert not list(folder.iterdir())


def test_a_capture_that_nobody_reads():
    pipe = new_folder() / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    body = b"x" * 200_000  # more than the pipe holds
    with Listener("--capture", pipe) as listener, socket.create_connection((listener.host, listener.port)) as client:
        client.sendall(b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
        assert select.select([reader], [], [], DEADLINE)[0]
        listener.send_signal(signal.SIGINT)  # another one than the second, which would merge with it
        assert listener.stop(signal.SIGTERM).code == -signal.SIGTERM
    os.close(reader)


def given_up(*args, server, requests):
    """Runs with --results and --json until so many requests are there, of which the last are not answered; then two
    signals. Returns the folder with what it wrote."""
    folder = new_folder()
    with open(folder / "out", "wb") as out:
        process = launch(*args, "--to", server.url, "--results", "results", "--json", cwd=folder, stdout=out)
    server.wait_requests(requests)
    process.send_signal(signal.SIGTERM)  # another one than the second, which would be the same at once
    line = process.stderr.readline()
    assert b"in flight; Ctrl-C again aborts" in line, line
    process.send_signal(signal.SIGINT)
    assert process.wait(DEADLINE) == -signal.SIGINT
    assert process.stderr.read() == b""
    process.stderr.close()
    return folder


def test_what_a_replay_had_done_is_in_its_results():
    capture = write_capture(9)
    with FaultServer([answer(200), answer(200), answer(200), hang()]) as server:
        folder = given_up("replay", capture, server=server, requests=4)
    results = folder / "results"
    assert results.read_bytes().endswith(b"\n")
    assert [(line["record"], line["outcome"]) for line in records(results)] == [(n, "accepted") for n in (1, 2, 3)]
    told = (folder / "out").read_bytes()
    assert told.endswith(b"\n") and len([json.loads(line) for line in told.splitlines()]) == 3
    with FaultServer(answer(200)) as server:
        credhook("replay", capture, "--to", server.url, "--resume", results).expect(1)
        assert len(server.requests) == 5
    assert [line["outcome"] for line in records(results) if line["record"] == 4] == ["unknown"]


def test_what_many_at_once_had_done_is_in_whole_lines():
    with FaultServer([answer(200)] * 20 + [hang()]) as server:
        folder = given_up("send", "all", "--count", "20", "--concurrency", "4", server=server, requests=84)
        again = credhook("send", "user-created", "--to", server.url, "--results", folder / "results").expect(2)
    assert "belongs to an unfinished run, with 4 in flight" in again.err and f"hint: to begin again: rm -f '{folder}/results' '{folder}/results.inflight'\n" in again.err, again
    assert (folder / "results").read_bytes().endswith(b"\n") and (folder / "out").read_bytes().endswith(b"\n")
    assert len(records(folder / "results")) == 80
    assert len([json.loads(line) for line in (folder / "out").read_text().splitlines()]) == 80


def test_a_report_is_there_whole_or_not_at_all():
    folder = new_folder()
    report = folder / "junit.xml"
    payloads = credhook("build", "all", "--count", "2000", "--break", "missing-key").out_bytes
    (folder / "in.ndjson").write_bytes(payloads)
    earlier = '<testsuites name="credhook an earlier one"/>'
    report.write_text(earlier)
    reading, writing = os.pipe()
    process = starts("validate", "-v", folder / "in.ndjson", "--report", f"junit={report}", stdout=writing)
    assert os.read(reading, 1)
    # 130: the first one came before the pipe was full.
    assert ends_by(process, signal.SIGINT) in (-signal.SIGINT, 130)
    assert report.read_text() == earlier
    os.close(reading)
    os.close(writing)


def test_few_descriptors_end_no_command_early():
    """The thread that takes signals ends without glibc's loading a library for it, which ended the process."""
    for files in range(5, 16):
        script = f'ulimit -n {files}; exec "$0" version'
        done = subprocess.run(["bash", "-c", script, binary()], capture_output=True, check=False)
        assert done.returncode in (0, 5), (files, done)


if __name__ == "__main__":
    run()

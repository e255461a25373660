#!/usr/bin/python3
"""slowhttptest against `listen`: slow heads, slow bodies and slow readers are ended in time, and nobody else waits."""

import os
import re
import select
import shutil
import socket
import subprocess

from support import Listener, Skip, answers, environment, new_folder, raw, run

POST = b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
CONNECTIONS = 300
LIMIT = 25  # seconds after which slowhttptest gives up by itself


def attack(listener, *mode):
    return subprocess.Popen(["slowhttptest", *mode, "-c", str(CONNECTIONS), "-r", "200", "-i", "1", "-l", str(LIMIT), "-u",
                             f"{listener.url}/"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            env=environment(), cwd=new_folder())


def is_over(attacks, listener, most):
    """Slow senders end when they were closed; slow readers do not see that before they have read what is left."""
    sockets = len(os.listdir(f"/proc/{listener.pid}/fd"))
    most[0] = max(most[0], sockets)
    return most[0] > CONNECTIONS and sockets < 30 and all(one.poll() is not None for one in attacks)


def test_slow_clients_are_ended_and_the_others_served():
    if not shutil.which("slowhttptest"):
        raise Skip("slowhttptest is not installed")
    capture = new_folder() / "capture"
    with Listener("-q", "--capture", capture, "--head-timeout", "2s", "--body-timeout", "2s", "--answer-timeout", "2s",
                  "--idle-timeout", "2s") as listener:
        readers = attack(listener, "-X", "-k", "10", "-w", "1", "-y", "20")
        senders = [attack(listener, "-H"), attack(listener, "-B")]
        served, most = 0, [0]
        try:
            while not is_over(senders, listener, most):
                assert [one.status for one in answers(raw(listener.host, listener.port, POST))] == [200]
                served += 1
                assert readers.poll() is None, "the slow readers were not ended"
        finally:
            readers.kill()
            readers.communicate()
        for sender in senders:
            plain = re.sub(r"\x1b\[[0-9;]*m", "", sender.communicate()[0])
            assert "No open connections left" in plain and "service available:   YES" in plain, plain[-600:]
        result = listener.stop().expect(0)
    summary = result.json()[-1]
    assert summary["received"] == served == len(capture.read_text().splitlines()), (served, summary)
    assert summary["refusals"]["timeout"] == 2 * CONNECTIONS, summary


def test_0_is_no_limit():
    with Listener("--head-timeout", "0", "--body-timeout", "0", "--answer-timeout", "0", "--idle-timeout", "0") as listener:
        with socket.create_connection((listener.host, listener.port), 20) as client:
            for piece in (POST[:20], POST[20:-1], POST[-1:]):
                assert select.select([client], [], [], 0.1)[0] == []
                client.sendall(piece)
            assert client.recv(1000).startswith(b"HTTP/1.1 200")


if __name__ == "__main__":
    run()

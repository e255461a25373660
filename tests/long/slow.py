#!/usr/bin/python3
"""See slow.sh."""

import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))
from support import Listener, answers, environment, new_folder, raw, run  # pylint: disable=wrong-import-position

POST = b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
CONNECTIONS = 300
LIMIT = 60  # seconds after which slowhttptest gives up by itself


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
    capture = new_folder() / "capture"
    with Listener("-q", "--capture", capture) as listener:
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


if __name__ == "__main__":
    run()

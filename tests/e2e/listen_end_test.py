#!/usr/bin/python3
"""The end of `listen`: what it still waits for, which answers are given, and what it says of those that are not."""
# rooms: cmd/listen receive

import signal
import socket
import struct
import time

from support import Listener, answers, new_folder, records, request, run

LARGE = 16 << 20  # more than the sockets of both sides hold


def begin(listener, room=4096):
    """A client that has sent its request and was taken in."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
    client.settimeout(20)
    client.connect((listener.host, listener.port))
    before = len(listener.events())
    client.sendall(request())
    listener.events(before + 1)
    return client


def read_all(client):
    got = b""
    while piece := client.recv(65536):
        got += piece
    return got


def test_an_answer_held_back_beyond_the_end_is_given_at_once():
    capture = new_folder() / "capture"
    with Listener("--capture", capture, "--delay", "600s") as listener, begin(listener) as client:
        result = listener.stop().expect(0)
        assert answers(read_all(client))[0].status == 200
        assert result.json()[-1]["unanswered"] == 0 and "unanswered" not in result.err, result
    assert len(records(capture)) == 1


def test_so_is_one_that_is_made_while_it_ends():
    with Listener("--delay", "600s") as listener:
        with listener.connect() as client:
            client.sendall(request(extra="Expect: 100-continue\r\n")[:-2])
            assert client.recv(1000).startswith(b"HTTP/1.1 100")
            with begin(listener) as other:
                listener.send_signal(signal.SIGTERM)
                assert answers(read_all(other))[0].status == 200  # so the end has begun
            client.sendall(b"{}")
            assert answers(read_all(client))[0].status == 200
        assert listener.wait().expect(0).json()[-1]["unanswered"] == 0


def test_a_delay_that_ends_before_is_kept():
    with Listener("--delay", "700ms") as listener:
        began = time.monotonic()
        with begin(listener) as client:
            listener.send_signal(signal.SIGTERM)
            assert answers(read_all(client))[0].status == 200
            assert time.monotonic() - began >= 0.7
        listener.wait().expect(0)


def test_an_end_of_its_own_keeps_every_delay():
    began = time.monotonic()
    with Listener("--limit", "1", "--delay", "700ms") as listener, begin(listener) as client:
        assert answers(read_all(client))[0].status == 200
        assert time.monotonic() - began >= 0.7
        assert listener.wait().expect(0).json()[-1]["unanswered"] == 0


def test_a_signal_cuts_such_an_end_short():
    with Listener("--limit", "1", "--delay", "600s") as listener, begin(listener) as client:
        listener.send_signal(signal.SIGTERM)
        assert answers(read_all(client))[0].status == 200
        listener.wait(20).expect(0)


def test_so_does_the_time_limit():
    with Listener("--limit", "1", "--delay", "600s", "--timeout", "1s") as listener, begin(listener) as client:
        assert answers(read_all(client))[0].status == 200
        assert listener.wait(20).expect(0).json()[-1]["timed_out"] is False


def test_faults_that_are_held_back_come_at_once_too():
    for fault in ("reset", "empty", "hang", "drip", "truncate"):
        with Listener("--rule", f"fault={fault},delay=600s") as listener, begin(listener) as client:
            listener.send_signal(signal.SIGTERM)
            try:
                got = read_all(client)
            except ConnectionResetError:
                assert fault == "reset"
            else:
                assert answers(got) == [] and fault != "reset", (fault, got)
            client.close()
            summary = listener.wait().expect(0).json()[-1]
            assert (summary["faults"], summary["unanswered"]) == (1, 0), summary


def test_answers_that_are_not_given_by_then_are_told():
    folder = new_folder()
    (folder / "large").write_bytes(b"x" * LARGE)
    capture = folder / "capture"
    large = "--body", f"@{folder}/large"
    with Listener("--capture", capture, *large) as keeping, Listener(*large) as other:
        clients = [begin(keeping), begin(keeping), begin(other)]
        other.send_signal(signal.SIGTERM)
        for listener, number, words in (keeping, 2, "; the capture has the records"), (other, 1, ""):
            result = (listener.stop() if listener is keeping else listener.wait()).expect(0)
            assert result.json()[-1]["unanswered"] == number and result.json()[-1]["received"] == number, result
            assert f"warning: {number} unanswered at shutdown (after 5.0 s){words}\n" in result.err, result
            assert f", {number} unanswered\n" in result.err, result
        for client in clients:
            client.close()
    assert [record["seq"] for record in records(capture)] == [1, 2]


def test_a_second_signal_says_what_it_cut_off():
    folder = new_folder()
    (folder / "large").write_bytes(b"x" * LARGE)
    capture = folder / "capture"
    with Listener("-q", "--capture", capture, "--body", f"@{folder}/large") as listener, begin(listener) as client:
        listener.send_signal(signal.SIGINT)
        while listener.is_listening():
            pass  # until the first one was seen
        result = listener.stop(signal.SIGTERM).expect(130)  # the same one might be the first one
        assert "1 unanswered at shutdown (a second signal)" in result.err, result
        assert result.json()[-1]["unanswered"] == 1, result
        assert len(read_all(client)) < LARGE
    assert len(records(capture)) == 1


def test_a_client_that_disconnects_is_reported():
    folder = new_folder()
    (folder / "large").write_bytes(b"x" * LARGE)
    for options in (["--delay", "60s"], ["--body", f"@{folder}/large"]):
        with Listener(*options) as listener:
            with begin(listener) as client:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            listener.wait_stderr("#1: client disconnected before the full response\n")
            assert listener.stop().expect(0).json()[-1]["unanswered"] == 1


if __name__ == "__main__":
    run()

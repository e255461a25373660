#!/usr/bin/python3
"""--retry: which responses are worth another attempt, when it is made, and what becomes of it at the end of a run."""
# rooms: cmd/send deliver

import json
import re
import signal
import subprocess
import time

from captures import numbers, replay, write_capture
from support import (FaultServer, answer, answer_bytes, close_without_answer, free_port, launch, new_folder, records,
                     reset, run, step)


def test_transient_responses_are_retried():
    for status in (408, 429, 500, 502, 503, 504):
        results = new_folder() / "results.ndjson"
        with FaultServer([answer(status), answer(status), answer(200)]) as server:
            out = replay(server, write_capture(1), "--retry", 3, "--retry-delay", "10ms", "--results", results).out
            assert numbers(server) == [1, 1, 1]
        assert [(x["attempt"], x["final"], x["status"]) for x in records(results)] == \
            [(1, False, status), (2, False, status), (3, True, 200)]
        assert "attempt 1, next in 10 ms" in out and "attempt 3" in out


def test_other_responses_are_not():
    for status in (400, 401, 404, 409, 501):
        with FaultServer(answer(status)) as server:
            replay(server, write_capture(1), "--retry", 3, "--retry-delay", "10ms", code=1)
            assert len(server.requests) == 1


def test_retries_keep_the_order():
    with FaultServer([answer(503), answer(200)]) as server:
        replay(server, write_capture(3), "--retry", 3, "--retry-delay", "50ms")
        assert numbers(server) == [1, 1, 2, 3]


def test_retry_after_is_honoured():
    with FaultServer([answer(503, [("Retry-After", "1")]), answer(200)]) as server:
        started = time.monotonic()
        replay(server, write_capture(1), "--retry", 1, "--retry-delay", "10ms")
        assert time.monotonic() - started >= 1
    with FaultServer(answer(503, [("Retry-After", "86400")])) as server:
        process = launch("send", "user-created", "--to", server.url, "--retry", "1", stderr=subprocess.DEVNULL)
        assert process.stdout.readline().startswith(b"to http")
        assert process.stdout.readline().endswith(b"attempt 1, next in 10m00s\n")
        process.send_signal(signal.SIGINT)
        process.communicate()
        assert process.returncode == 130


def test_a_refused_connection_is_retried():
    results = new_folder() / "results.ndjson"
    replay(f"http://127.0.0.1:{free_port()}", write_capture(1), "--retry", 2, "--retry-delay", "10ms", "--results",
           results, code=4)
    assert [line["attempt"] for line in records(results)] == [1, 2, 3]


def test_unknown_is_left_alone_unless_asked():
    with FaultServer(close_without_answer(), answer(200)) as server:
        replay(server, write_capture(1), "--retry", 3, "--retry-delay", "10ms", code=4)
        assert len(server.requests) == 1
    with FaultServer(reset(), answer(200)) as server:
        replay(server, write_capture(1), "--retry", 3, "--retry-delay", "10ms", "--retry-unknown")
        assert len(server.requests) == 2


def interrupted_retries(wanted, *words):
    """What is printed by a run of `wanted` first attempts that is interrupted while some wait for another one."""
    process = launch(*words, "--retry", "3", "--retry-delay", "1h", text=True)
    for _ in range(wanted + 1):  # the destination also
        process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130, err
    return err


def test_what_waits_for_a_retry_at_the_end_has_failed():
    def respond(connection):
        request = [one for one in connection.server.requests if one.connection == connection.number][-1]
        number = json.loads(request.body).get("n", 2)
        connection.send(answer_bytes({1: 422, 2: 503, 4: 503}.get(number, 200), body=b"because"))
        return True

    with FaultServer(step(respond)) as server:
        err = interrupted_retries(5, "replay", write_capture(5), "--to", server.url, "--concurrency", 4)
        assert "2 accepted, 3 not accepted of 5" in err, err
        assert re.search(r"503  because\s+user-created .*:[24] and 1 more\n", err) and "not sent" not in err, err
        err = interrupted_retries(1, "send", "user-created", "bureau-alert", "--to", server.url)
        assert re.search(r"503  because +user-created\n", err) and "ended early: 1 not sent\n" in err, err
        assert re.search(r"seed \d+ makes the same payloads: user-created\n", err), err
        err = replay(server, write_capture(9), "--max-failures", 0, code=1).err
        assert "ended early: not all was sent; a replay with --results FILE can be continued\n" in err, err
        assert "not all was sent" not in replay(server, write_capture(1), "--max-failures", 0, code=1).err


if __name__ == "__main__":
    run()

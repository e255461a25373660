#!/usr/bin/python3
"""`credhook test` against listeners that are away, end, hang, or never come to an end."""
# rooms: cause cmd/probe http probe

import http.server
import json
import os
import re
import signal
import socket
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path

from probe_runs import QUICKLY, after_some, probe
from small_listeners import good, listener
from support import (FaultServer, Listener, answer, close_without_answer, credhook, drip, free_port, garbage, hang, kinds,
                     launch, reset, run)


@contextmanager
def one_at_a_time(delay=0):
    """Deals with a connection until it is closed, before it takes the next; responds after `delay` seconds."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):  # pylint: disable=invalid-name
            if "chunked" in (self.headers["Transfer-Encoding"] or ""):
                while size := int(self.rfile.readline(), 16):
                    self.rfile.read(size + 2)
                self.rfile.readline()
            self.rfile.read(int(self.headers["Content-Length"] or 0))
            time.sleep(delay)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):  # pylint: disable=arguments-differ
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    server.request_queue_size = 128
    server.socket.listen(128)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/hook"
    finally:
        server.shutdown()
        server.server_close()


def test_one_connection_at_a_time_is_enough():
    with one_at_a_time() as url:
        _, summary = probe(url, *QUICKLY)
    assert summary["must"]["fail"] == summary["must"]["skip"] == 0, summary


def test_a_crowd_that_waits_breaks_no_must():
    """The handler is fast enough, and right: connections wait too long for their turn."""
    with one_at_a_time(0.15) as url:
        found, _ = probe(url, "repeat/concurrent", "load/burst", "--skip", "still-up", "--max-time", "1s")
    with one_at_a_time(0.15) as url:
        said = credhook("test", "repeat/concurrent", "--to", url, "--skip", "still-up", "--max-time", "1s").expect(0).out
    assert {name: check["verdict"] for name, check in found.items()} == {"repeat/concurrent": "warn", "load/burst": "warn"}
    assert all(re.search(r"\d+ of \d+ requests timed out", check["reason"]) for check in found.values()), found
    assert all("accept queue" in check["fix"] and "a lock or a transaction" in check["fix"] for check in found.values()), found
    assert re.search(r"repeat/concurrent: +\d+ of 20 requests timed out|concurrent:? +.*\d+ of 20 requests timed out", said), said
    assert "must 0 of 1: 1 without a response to some requests" in said and "tolerated" not in said, said
    assert "no check failed, but 1 must got no response to some requests" in said, said


def test_nobody_there_grades_nothing():
    for words in ((), ("deliver/user-created",)):
        result = credhook("test", *words, "--to", "127.0.0.1:1", "--json").expect(4)
        assert result.out == "" and "nothing was graded" in result.err and "connection refused" in result.err, result


def test_a_listener_may_come_later():
    port = free_port()
    process = launch("test", "deliver", "--wait", "20s", "--to", f"127.0.0.1:{port}", "--json")
    with Listener(address=f"127.0.0.1:{port}"):
        out, _ = process.communicate()
    assert process.returncode == 0 and out.count(b'"ok"') > len(kinds()), out
    result = credhook("test", "--wait", "1ms", "--to", "127.0.0.1:1").expect(4)
    # Whichever comes first: a busy machine may need longer than that to refuse.
    assert re.search("within 1.0 ms: (connection refused|the connection timed out)", result.err) and result.out == "", result


def test_odd_responses_end_in_bounded_time():
    """A listener that accepts connections and never responds is not graded, unless checks are named."""
    for script in (close_without_answer(), reset(), garbage(), hang()):
        with FaultServer(script) as server:
            result = credhook("test", "--to", server.url, "--max-time", "200ms").expect(1)
            assert result.out == "" and "no valid event gets a response, so nothing was graded: " in result.err, result
            assert len(server.requests) <= len(kinds()), len(server.requests)
            _, summary = probe(server.url, "deliver/user-created", "--max-time", "200ms", code=1)
            assert summary["must"]["fail"] > 0, summary


def interim_for_ever(connection):
    """100 (Continue), until the client has enough."""
    if connection.read_request() is None:
        return False
    try:
        while True:
            connection.send(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000)
    except OSError:
        return False


def endless_body(status):
    def perform(connection):
        if connection.read_request() is None:
            return False
        with suppress(OSError):
            connection.send(b"HTTP/1.1 " + status + b"\r\nContent-Type: text/plain\r\nContent-Length: 1073741824\r\n\r\n")
            while True:
                connection.send(b"x" * 65536)
        return False

    return perform


def test_a_run_goes_on_after_odd_responses():
    circle = listener(lambda request: (302, [("Location", "/hook")], b""))
    for script in (hang(), garbage(), reset(), circle, interim_for_ever, endless_body(b"500 Oops")):
        with FaultServer(after_some(30, script)) as server:
            found, summary = probe(f"{server.url}/hook", "deliver", "method", "path", "--max-time", "700ms", code=1)
        assert summary["must"]["ok"] >= len(kinds()), summary
        assert found["method/put"]["verdict"] == "warn", found["method/put"]
        assert found["still-up/method"]["verdict"] != "ok", found


def test_hangs_end_a_group():
    with FaultServer(after_some(30, hang())) as server:
        found, _ = probe(f"{server.url}/hook", "deliver", "bad", "--max-time", "500ms", code=1)
    failed = [name for name, check in found.items() if check["verdict"] == "warn" and name.startswith("bad/")]
    assert len(failed) == 5 and found["bad/top-null"]["verdict"] == "skip", found.keys()
    assert "lasts" in found[failed[0]]["fix"], found[failed[0]]


class Fragile:
    """A listener that ends at `fatal` in a payload, or `after` some more requests, and if `supervised` is started again: after
    longer than a busy machine takes to look whether it is there."""

    def __init__(self, fatal, supervised, after=0):
        self.fatal, self.supervised, self.after, self.ends = fatal, supervised, after, 0
        self.left = -1  # requests until it ends; below 0: it does not
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    def serve(self):
        while True:
            connection, _ = self.socket.accept()
            with connection, connection.makefile("rb") as stream:
                head = list(iter(stream.readline, b"\r\n")) if stream.peek(1) else []
                length = [int(line.split(b":")[1]) for line in head if line.lower().startswith(b"content-length")]
                body = stream.read(length[0]) if length else b""
                if head == [b"STOP\r\n"]:
                    return
                if self.fatal in body:
                    self.left = self.after
                elif head and self.left > 0:
                    self.left -= 1
                if self.left == 0:
                    self.ends, self.left = self.ends + 1, -1
                    self.socket.close()
                    if not self.supervised:
                        return
                    connection.shutdown(socket.SHUT_RDWR)
                    time.sleep(2)
                    self.socket = socket.create_server(("127.0.0.1", self.port), backlog=64)
                elif head:
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port)) as last:
            last.sendall(b"STOP\r\n\r\n")
        self.thread.join()
        self.socket.close()


def test_a_listener_that_is_started_again_goes_on():
    """The check that ended it has failed: it is a must, whatever its level."""
    with Fragile(b'"details":null', True) as server:
        found, summary = probe(f"http://127.0.0.1:{server.port}/hook", "bad/details-null", "bad/top-null", "json/truncated",
                               code=1)
        assert server.ends == 2, "it was sent again, alone"
    assert (found["bad/details-null"]["level"], found["bad/details-null"]["verdict"]) == ("must", "fail"), found
    assert {name for name, check in found.items() if check["verdict"] != "note"} == {"bad/details-null"}, found
    assert summary["stopped_at"] is None and summary["not_run"] == 0, summary


def test_what_ends_it_later_is_found():
    """Not over still-up/bad, which gets no response then."""
    with Fragile(b'"details":null', True, after=2) as server:
        found, _ = probe(f"http://127.0.0.1:{server.port}/hook", "bad/details-null", "bad/top-null", "json/truncated", code=1)
    assert {name for name, check in found.items() if check["verdict"] != "note"} == {"bad/details-null"}, found
    assert found["bad/details-null"]["reason"] == "the listener ended afterwards", found


def test_what_breaks_it_for_a_while_is_found():
    """A valid payload behind it, no other one."""
    spoiled = []

    def respond(request):
        if request.method == "PUT":
            spoiled.append(request)
        if request.method == "POST" and spoiled:
            spoiled.clear()
            return 500, [], b"transaction is aborted"
        return good(request)

    with FaultServer(listener(respond)) as server:
        found, _ = probe(f"{server.url}/hook", "method", code=1)
    assert found["still-up/method"]["fix"].endswith("method/put has stopped it or slowed it down"), found["still-up/method"]


def test_a_listener_that_is_gone_ends_the_run():
    """The check that ended it is named, and has failed even if it is a note."""
    with Fragile(b'"alertId"', False) as server:
        url = f"http://127.0.0.1:{server.port}/hook"
        result = credhook("test", "--to", url).expect(1)
    stop = re.search(r"^stopped at deliver/bureau-alert: the listener is gone; (\d+) checks not run$", result.out, re.M)
    assert stop and int(stop[1]) > 200, result
    assert f"start it again and run: credhook test deliver/bureau-alert --to {url}" in result.out, result
    with Fragile(b"[[[[", False) as server:
        found, summary = probe(f"http://127.0.0.1:{server.port}/hook", "json/depth-1000", "method", code=1)
    assert {name: check["verdict"] for name, check in found.items()} == {"json/depth-1000": "fail"}, found
    assert found["json/depth-1000"]["fix"].endswith(" says why; no request may end it") and found["json/depth-1000"]["level"] == "must", found
    assert summary["stopped_at"] == "json/depth-1000" and summary["not_run"] > 1, summary


def test_a_closed_door_grades_nothing():
    """All events get one status: that is not about the events. Checks that are named are graded whatever they get."""
    for status, hint in ((400, "does it take Host: 127.0.0.1:"), (403, "localhost sends another one), User-Agent: credhook/"),
                         (401, "-H @FILE"), (404, "path"), (422, "--set"), (302, "redirects"), (500, "log"),
                         (502, "a proxy whose listener does not respond"), (504, "a proxy whose listener does not respond")):
        with FaultServer(answer(status)) as server:
            result = credhook("test", "--to", server.url).expect(1)
            assert f"every valid event gets {status}, so nothing was graded" in result.err and hint in result.err, result
            assert result.out == "" and len(result.err.splitlines()) == 3, result
            assert len(server.requests) == len(kinds()), "one of each kind, and no more"
            credhook("test", "--skip", "still-up", "--to", server.url).expect(1)
            assert len(server.requests) == 2 * len(kinds()), "the same again"
            _, summary = probe(server.url, "deliver", code=1)
            assert summary["must"]["fail"] == len(kinds()) + 1, summary


def test_a_response_that_never_ends_is_not_accepted():
    with FaultServer(endless_body(b"200 OK")) as server:
        result = credhook("test", "--to", server.url).expect(1)
        assert "every valid event gets too long a response, so nothing was graded: the response is longer than 1 MiB\n" in result.err, result
        assert "hint: respond with a short body, or none\n" in result.err and result.out == "", result
        found, _ = probe(server.url, "deliver/user-created", "--skip", "still-up", code=1)
        assert "longer than 1 MiB" in found["deliver/user-created"]["reason"], found
        found, _ = probe(server.url, "frame/two-lengths", "--skip", "still-up")
    assert found["frame/two-lengths"]["reason"] == "the response is longer than 1 MiB", found
    assert found["frame/two-lengths"]["fix"] == "respond with a short body, or none", found
    with FaultServer(drip(body=b"x" * 1000)) as server:
        found, _ = probe(server.url, "deliver/user-created", "--skip", "still-up", "--max-time", "300ms", code=1)
    assert "timed out" in found["deliver/user-created"]["reason"], found


def test_a_slow_listener_is_said_once_it_is_known():
    """With what --level quick would take; nothing is said where the rest takes less than two minutes."""
    def slow(request):
        time.sleep(delay)
        return good(request)

    skipped = [word for group in ("slow", "still-up", "repeat", "load", "bad", "value", "json") for word in ("--skip", group)]
    for delay, words, said in ((0.2, ("--level", "deep"), r"a check takes [\d.]+ m?s; the rest about \S+( s)? to \d+m\d\ds, "
                                r"with --level quick "),
                               (0, ("--level", "deep", *skipped), None)):
        with FaultServer(listener(slow)) as server:
            process = launch("test", "--to", f"{server.url}/hook", *words)
            server.wait_requests(len(kinds()) + 6)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate()
        text = err.decode()
        assert re.search(said, text) if said else "; the rest about" not in text, text


def without_an_end(connection):
    """A response that is whole for its sender, who keeps the connection open: nothing says where it ends."""
    if connection.read_request() is None:
        return False
    connection.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nok")
    connection.read_request()
    return False


def test_a_response_without_an_end_is_said_after_the_first():
    words = "status 200 and the head came, the end did not: no Content-Length, not chunked, connection kept open"
    with FaultServer(without_an_end) as server:
        result = credhook("test", "--to", server.url, "--max-time", "700ms").expect(1)
        assert len(server.requests) < 5, len(server.requests)
        assert result.out == "" and f"deliver/user-created: {words}\n" in result.err, result
        assert f"so nothing was graded: {words}\n  hint: send Content-Length" in result.err, result
    with FaultServer(after_some(len(kinds()), without_an_end)) as server:
        found, _ = probe(server.url + "/hook", "deliver", "path/other", "--max-time", "700ms", "--skip", "still-up")
    assert found["path/other"]["reason"] == words, found


def test_a_log_says_where_the_run_is():
    """Within 10 s, and not only after a minute."""
    with FaultServer(hang()) as server:
        process = launch("test", "--to", server.url)
        began, line = time.monotonic(), b""
        while b" checks" not in line:
            line = process.stderr.readline()
            assert line, "it ended"
        assert time.monotonic() - began < 11 and b"0 of " in line and b", at deliver/user-created" in line, line
        process.kill()
        process.communicate()


def until_taken(pid):
    """Until no signal waits for the process."""
    def pending():
        return int(re.search(r"^ShdPnd:\s*(\w+)", Path(f"/proc/{pid}/status").read_text(encoding="ascii"), re.M)[1], 16)
    while pending():
        os.sched_yield()


def test_an_interruption_reports_what_was_graded():
    """The request in flight ends, nothing else is sent, and what has ended is reported; what the signal ends is not."""
    for group in ("method", "http"):  # the second sends over raw connections too
        with FaultServer(after_some(len(kinds()) + 8, hang())) as server:
            process = launch("test", "deliver", group, "--to", f"{server.url}/hook", "--json")
            server.wait_requests(len(kinds()) + 9)
            process.send_signal(signal.SIGINT)
            until_taken(process.pid)
            server.release()
            out, err = process.communicate()
        if group == "method":
            assert "interrupted: waiting for 1 in flight; Ctrl-C again aborts\n" in err.decode(), err
        rows = [json.loads(line) for line in out.splitlines()]
        assert process.returncode == 130 and rows[-1]["interrupted"], (process.returncode, rows[-1])
        ended = [row["id"] for row in rows[:-1] if row["id"].startswith(group)]
        assert len(rows) == len(kinds()) + 2 + len(ended) and len(ended) == (4 if group == "method" else 3), rows
        assert {row["verdict"] for row in rows[:-1]} <= {"ok", "note"}, rows
        assert rows[-1]["not_run"] > 0, rows[-1]


if __name__ == "__main__":
    run(at_once=5)

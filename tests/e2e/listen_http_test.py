#!/usr/bin/python3
"""HTTP as `listen` takes it, over raw sockets: what becomes of the connection, and what reached the capture, with the limits
that are the listener's. What the parser refuses has its rows in unit/http/request_parser_test.c; here are one or two of each
status. Then real clients against it."""
# rooms: cmd/listen http receive

import json
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

from support import SANITIZE, Listener, Skip, answers, certificate, new_folder, raw, run

P = b"POST /hook HTTP/1.1\r\n"
H = b"Host: h\r\n"
PH = P + H
CHUNKED = PH + b"Transfer-Encoding: chunked\r\n\r\n"
PROBE = PH + b"Content-Length: 7\r\n\r\n\"probe\""
LIMIT = 100  # --max-body
CLOSES, STAYS = False, True


def body(data, head=PH):
    return head + b"Content-Length: %d\r\n\r\n" % len(data) + data


def line_of(length):
    """A request whose first line is so long."""
    return body(b"{}", b"POST /hook?" + b"q" * (length - len("POST /hook? HTTP/1.1")) + b" HTTP/1.1\r\n" + H)


def head_of(length):
    """One whose head is so long, the empty line included."""
    rest = PH + b"Content-Length: 0\r\nA: \r\n\r\n"
    return rest[:-4] + b"b" * (length - len(rest)) + b"\r\n\r\n"


# name, bytes, statuses, whether the connection stays, bodies that reached the capture
CASES = [
    ("a length", body(b"{}"), [200], STAYS, ["{}"]),
    ("no body", body(b""), [200], STAYS, [""]),
    ("a length in blanks", PH + b"content-LENGTH:\t 2 \t\r\n\r\n{}", [200], STAYS, ["{}"]),
    ("a length and chunks", PH + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", [400], CLOSES, []),
    ("neither length nor chunks", PH + b"\r\n", [411], CLOSES, []),
    ("chunks", CHUNKED + b"2\r\n{}\r\n0\r\n\r\n", [200], STAYS, ["{}"]),
    ("chunks with extensions and trailers", CHUNKED + b"1;a=b\r\n{\r\n1\r\n}\r\n0\r\nX: y\r\n\r\n", [200], STAYS, ["{}"]),
    ("a chunk size that is none", CHUNKED + b"g\r\n", [400], CLOSES, []),
    ("another coding", PH + b"Transfer-Encoding: gzip\r\n\r\n", [501], CLOSES, []),
    ("a length among the trailers", CHUNKED + b"0\r\nContent-Length: 5\r\n\r\n", [200], STAYS, [""]),
    ("a body of the limit", body(b"x" * LIMIT), [200], STAYS, ["x" * LIMIT]),
    ("a body beyond it", body(b"x" * (LIMIT + 1)), [413], CLOSES, []),
    ("chunks of the limit", CHUNKED + b"64\r\n" + b"x" * 100 + b"\r\n0\r\n\r\n", [200], STAYS, ["x" * 100]),
    ("chunks beyond it", CHUNKED + b"64\r\n" + b"x" * 100 + b"\r\n1\r\n", [413], CLOSES, []),
    ("no Host in HTTP/1.0", body(b"{}", b"POST /hook HTTP/1.0\r\n"), [200], CLOSES, ["{}"]),
    ("keep-alive in HTTP/1.0", body(b"{}", b"POST /hook HTTP/1.0\r\nConnection: keep-alive\r\n"), [200], STAYS, ["{}"]),
    ("LF alone", body(b"{}").replace(b"\r\n", b"\n"), [400], CLOSES, []),
    ("LF in the body", body(b"\n\r{}"), [200], STAYS, ["\n\r{}"]),
    ("a NUL in the body", body(b"{\0}"), [200], STAYS, ["{\0}"]),
    ("Latin-1 in a value", body(b"{}", PH + b"A: \xe9\r\n"), [200], STAYS, ["{}"]),
    ("HTTP/2", b"POST / HTTP/2.0\r\n\r\n", [505], CLOSES, []),
    ("post in small letters", body(b"", b"post /hook HTTP/1.1\r\n" + H), [405], STAYS, []),
    ("TLS to a plain port", b"\x16\x03\x01\x02\x00\x01", [400], CLOSES, []),
    ("a line of the limit", line_of(8192), [200], STAYS, ["{}"]),
    ("a longer line", line_of(8193), [414], CLOSES, []),
    ("100 fields", body(b"{}", PH + b"A: b\r\n" * 98), [200], STAYS, ["{}"]),
    ("101 fields", body(b"{}", PH + b"A: b\r\n" * 99), [431], CLOSES, []),
    ("a head of the limit", head_of(16384), [200], STAYS, [""]),
    ("a longer head", head_of(16385), [431], CLOSES, []),
    ("another expectation", body(b"{}", PH + b"Expect: wonders\r\n"), [417], CLOSES, []),
    ("100-continue", PH + b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n", [100], STAYS, None),
    ("100-continue at a closed door", b"POST /else HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n",
     [404], CLOSES, []),
    ("100-continue for what is too long", PH + b"Expect: 100-continue\r\nContent-Length: 101\r\n\r\n", [413], CLOSES, []),
    ("100-continue without a length", PH + b"Expect: 100-continue\r\n\r\n", [411], CLOSES, []),
    ("100-continue for PUT", b"PUT /hook HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n", [405],
     CLOSES, []),
    ("100-continue with the body at once", body(b"{}", PH + b"Expect: 100-Continue\r\n"), [200], STAYS, ["{}"]),
    ("100-continue in HTTP/1.0", body(b"{}", b"POST /hook HTTP/1.0\r\nExpect: 100-continue\r\n"), [200], CLOSES, ["{}"]),
    ("another path", b"POST /else HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n", [404], STAYS, []),
    ("the path with a query", b"POST /hook?a=/else HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n", [200], STAYS, [""]),
    ("the whole URL", b"POST http://h/hook HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n", [200], STAYS, [""]),
    ("GET", b"GET /hook HTTP/1.1\r\nHost: h\r\n\r\n", [200], STAYS, []),
    ("PUT", b"PUT /hook HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n", [405], STAYS, []),
    ("DELETE with a body", b"DELETE /hook HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}", [405], CLOSES, []),
    ("OPTIONS *", b"OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", [404], STAYS, []),
    ("GET elsewhere", b"GET /else HTTP/1.1\r\nHost: h\r\n\r\n", [404], STAYS, []),
    ("GET with a body", body(b"{}", b"GET /hook HTTP/1.1\r\nHost: h\r\n"), [200], STAYS, []),
    ("three in a row", body(b"1") + body(b"2") + body(b"3"), [200, 200, 200], STAYS, ["1", "2", "3"]),
    ("GET and chunks in between", body(b"1") + b"GET /hook HTTP/1.1\r\n" + H + b"\r\n" + CHUNKED + b"1;a=b\r\n2\r\n0\r\n\r\n" +
     body(b"3"), [200, 200, 200, 200], STAYS, ["1", "2", "3"]),
    ("close asked for", body(b"{}", PH + b"Connection: close\r\n"), [200], CLOSES, ["{}"]),
    ("keep-alive and close", body(b"{}", PH + b"Connection: keep-alive, close\r\n"), [200], CLOSES, ["{}"]),
    ("an upgrade", body(b"{}", PH + b"Connection: Upgrade\r\nUpgrade: h2c\r\n"), [200], STAYS, ["{}"]),
    ("a request behind the last", body(b"1", PH + b"Connection: close\r\n") + body(b"2"), [200], CLOSES, ["1"]),
    ("smuggled", PH + b"Content-Length: 2\r\nTransfer-Encoding : chunked\r\n\r\n{}", [400], CLOSES, []),
    ("empty lines before", b"\r\n\r\n" + body(b"{}"), [200], STAYS, ["{}"]),
]


def talk(listener, data, count):
    """The answers to `data`, and whether the connection goes on afterwards."""
    with listener.connect() as sock:
        sock.sendall(data)
        got = b""
        while len(answers(got)) < count:
            piece = sock.recv(65536)
            if not piece:
                return answers(got), CLOSES
            got += piece
        found = answers(got)
        if found[-1].status == 100:
            sock.sendall(b"{}")
            return found, sock.recv(65536).startswith(b"HTTP/1.1 200")
        try:
            sock.sendall(PROBE)
            return found, sock.recv(65536).startswith(b"HTTP/1.1 200")
        except ConnectionError:
            return found, CLOSES


def test_each_rule_and_its_neighbour():
    capture = new_folder() / "capture.ndjson"
    problems = []
    with Listener("--capture", capture, "--path", "/hook", "--max-body", LIMIT) as listener:
        seen = 0
        for name, data, statuses, stays, bodies in CASES:
            found, went_on = talk(listener, data, len(statuses))
            lines = [json.loads(line)["body"] for line in capture.read_text().splitlines()]
            new, seen = [text for text in lines[seen:] if text != '"probe"'], len(lines)
            expected = ["{}"] if bodies is None else bodies
            if [one.status for one in found] != statuses or went_on != stays or new != expected:
                problems.append(f"{name}: {[one.status for one in found]}, stays {went_on}, captured {new}")
            if any(one.status >= 200 and not one.header("Date") for one in found):
                problems.append(f"{name}: no Date")
        listener.stop().expect(0)
    assert not problems, "\n".join(problems)


def test_a_refused_upload_can_read_why():
    with Listener("--max-body", "1000") as listener:
        got = raw(listener.host, listener.port, PH + b"Content-Length: 3000000\r\n\r\n" + b"x" * 3000000)
        assert answers(got)[0].status == 413


def test_byte_by_byte():
    data = body(b'{"a":1}')
    with Listener() as listener, listener.connect() as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for at in range(len(data)):
            sock.sendall(data[at:at + 1])
        assert sock.recv(1000).startswith(b"HTTP/1.1 200")


def test_no_byte_moves_a_deadline():
    """Slow clients, all at once: a head that drips, a TLS handshake that stops; each has 10 seconds."""
    server = certificate(new_folder(), "server")
    with Listener() as plain, Listener("--tls-cert", server.cert, "--tls-key", server.key) as secure:
        began, got = time.monotonic(), b""  # before the listener's clock
        with secure.connect() as handshake:
            handshake.sendall(b"\x16\x03\x01")
            with plain.connect() as sock:
                sock.sendall(b"POST / HTTP/1.1\r\nHost: h\r\nA: ")
                sock.settimeout(0.2)
                while b"\r\n\r\n" not in got and time.monotonic() - began < 20:
                    try:
                        sock.sendall(b"x")
                        got += sock.recv(1000)
                    except TimeoutError:
                        pass
            assert got.startswith(b"HTTP/1.1 408") and time.monotonic() - began >= 10, got
            assert handshake.recv(1000) == b""
        assert plain.stop().expect(0).json()[-1]["refusals"]["timeout"] == 1


def worked(pid):
    """Seconds of a processor that it has taken: a busy machine does not change them."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_hostile_bodies_do_not_stall_the_others():
    """Bodies that are the most work to judge, while a well-behaved client waits for its answer."""
    most = 20 if SANITIZE else 2
    size = 1000000
    hostile = (b"[" * size, b'{"a":1,' * 0 + b"{" + b'"a":1,' * (size // 6) + b'"b":1}', b"[" + b"1," * (size // 2) + b"1]",
               b'"' + b"\\u0041" * (size // 6) + b'"', b"\x00" * size, b'{"details":{' + b'"x":"",' * (size // 7) + b'"y":1}}',
               b"\n" * size + b"{", b'{"service":"' + b"\xff" * size)
    with Listener() as listener:
        for one in hostile:
            before = worked(listener.pid)
            with listener.connect() as sock:
                sock.sendall(body(one))
                assert answers(raw(listener.host, listener.port, body(b"{}"), count=1))[0].status == 200
                assert sock.recv(100).startswith(b"HTTP/1.1 200")
            took = worked(listener.pid) - before
            assert took < most, f"{one[:20]}: {took:.2f} s"


def test_ab_with_keep_alive():
    if not shutil.which("ab"):
        raise Skip("ab is not installed")
    folder = new_folder()
    (folder / "body").write_text("{}")
    capture = folder / "capture.ndjson"
    with Listener("--capture", capture) as listener:
        done = subprocess.run(["ab", "-q", "-k", "-n", "2000", "-c", "20", "-p", folder / "body", "-T", "application/json",
                               f"{listener.url}/"], capture_output=True, text=True, check=True)
        assert "Failed requests:        0" in done.stdout and "Keep-Alive requests:    2000" in done.stdout, done.stdout
        listener.stop().expect(0)
    assert [json.loads(line)["seq"] for line in capture.read_text().splitlines()] == list(range(1, 2001))


if __name__ == "__main__":
    run()

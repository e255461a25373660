#!/usr/bin/python3
"""The capture of listen: what a 2xx promises, whose file it is, and what happens when it cannot be written."""
# rooms: capture cmd/listen receive

import base64
import gzip
import json
import os
import re
import resource
import signal
import subprocess

from support import Listener, Skip, answers, binary, built, credhook, environment, new_folder, raw, records, request, run

KEYS = ["v", "seq", "received_at", "remote", "method", "target", "headers", "body", "event", "valid", "response"]


def captured(*bodies, args=()):
    """A capture of these bodies."""
    path = new_folder() / "capture.ndjson"
    with Listener("--capture", path, *args) as listener:
        for body in bodies:
            listener.post(body)
        listener.stop().expect(0)
    return path


def refused(path, code, *texts):
    """listen --capture ends with `code` and leaves the file as it is."""
    before = path.read_bytes() if len(path.name) < 256 and path.is_file() else None
    result = credhook("listen", "0", "--capture", path, "--timeout", "1s").expect(code)
    assert "listening" not in result.err, result
    assert all(text in result.err for text in texts), result
    if before is not None:
        assert path.read_bytes() == before
        assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_the_record():
    path = new_folder() / "capture.ndjson"
    payload = built("bureau-alert")
    head = "X-One: ä\r\nx-one:two  three\r\nEmpty:\r\nAuthorization: Bearer abc\r\n"
    with Listener("--capture", path, "--respond", "202") as listener:
        data = request(payload, "/hook?x=1&y=%22", head).decode("latin-1").encode("latin-1")
        listener.ask(data)
        listener.stop().expect(0)
    (record,) = records(path)
    assert list(record) == KEYS, list(record)
    assert record["v"] == 1 and record["seq"] == 1 and record["body"].encode() == payload
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", record["received_at"])
    assert re.fullmatch(r"127\.0\.0\.1:\d+", record["remote"])
    assert (record["method"], record["target"]) == ("POST", "/hook?x=1&y=%22")
    assert record["headers"] == [["Host", "h"], ["Content-Length", str(len(payload))], ["X-One", "ä"],
                                 ["x-one", "two  three"], ["Empty", ""], ["Authorization", "Bearer abc"]]
    assert (record["event"], record["valid"], record["response"]) == ("bureau-alert", True, {"status": 202})


def test_every_body_survives():
    bodies = [b"", b"{", b"\x00", b"\xff\xfe\x00\x01", "é€😀\u2028".encode(), b"\xed\xa0\x80", b"\xc0\x80",
              b'"\\u0000\\/"', bytes(range(256)), b"a\r\nb\n", b"\x7f\x1b[31m",
              b"\xef\xbb\xbf{}", b"x" * 200000, b'{"v":1}\n' * 3]
    path = captured(*bodies)
    for record, body in zip(records(path), bodies):
        try:
            text = body.decode()
        except UnicodeDecodeError:
            text = None
        if text is None:
            assert "body" not in record and base64.b64decode(record["body_base64"], validate=True) == body
        else:
            assert record.get("body") == text and "body_base64" not in record, record
    assert len(records(path)) == len(bodies)


def test_headers_that_are_no_utf8():
    path = new_folder() / "capture.ndjson"
    with Listener("--capture", path, "-v") as listener:
        listener.ask(request(extra="X: PLACE\r\n").replace(b"PLACE", b"a\xff\x80b"))
        result = listener.stop().expect(0)
        assert len(result.json()) == 3
    assert len(records(path)) == 1
    credhook("replay", path, "--to", ":1", "--dry-run").expect(0)


def test_the_file_is_private():
    before = os.umask(0)
    try:
        path = captured(b"{}")
        assert path.stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(before)
    path.chmod(0o644)
    with Listener("--capture", path) as listener:
        listener.stop().expect(0)
    assert path.stat().st_mode & 0o777 == 0o644  # somebody decided that


def test_appending_goes_on_with_seq():
    path = captured(b"1", b"2")
    before = path.read_bytes()
    with Listener("--capture", path) as listener:
        listener.wait_stderr("record 2")
        listener.post(b"3")
        assert listener.stop().expect(0).json()[1]["seq"] == 3
    assert path.read_bytes().startswith(before)
    assert [(record["seq"], record["body"]) for record in records(path)] == [(1, "1"), (2, "2"), (3, "3")]


def test_an_empty_file_and_a_link_may_be_named():
    folder = new_folder()
    (folder / "empty").touch()
    (folder / "link").symlink_to("empty")
    with Listener("--capture", folder / "link") as listener:
        listener.post()
        listener.stop().expect(0)
    assert (folder / "link").is_symlink() and len(records(folder / "empty")) == 1


def test_one_writer():
    path = captured(b"{}")
    with Listener("--capture", path) as listener:
        refused(path, 3, str(path))
        assert listener.status() == 200
        listener.stop().expect(0)
    assert len(records(path)) == 2


def test_a_file_of_somebody_else_is_refused_untouched():
    folder = new_folder()
    record = captured(b"{}").read_bytes()
    rows = [b"hello\nworld\n", b"no newline", b"\n", b"{}\n", b'{"v":1}\n', b'{"a":1}\n' + record, b"[]\n",
            b"\x00" * 5000, record[:-1], record[:-20], b"x" * 3000000,
            record.replace(b'{"v":1,', b'{"v":2,'), b" \n" + record,
            credhook("build", "all").out_bytes, b"#!/bin/sh\nexit 0\n", gzip.compress(record * 50)]
    for number, data in enumerate(rows):
        path = folder / str(number) / "file"
        path.parent.mkdir()
        path.write_bytes(data)
        refused(path, 2, str(path), "left unchanged")


def test_a_torn_tail_is_set_aside():
    whole = captured(b"1", b"2").read_bytes()
    first = whole[: whole.index(b"\n") + 1]
    for tail in (whole[len(first):-1], whole[len(first):-30], b"{", b"\x00" * 4096, b"x"):
        path = new_folder() / "capture.ndjson"
        path.write_bytes(first + tail)
        with Listener("--capture", path) as listener:
            listener.wait_stderr("moved to")
            listener.post(b"3")
            listener.stop().expect(0)
        assert path.read_bytes().startswith(first) and [record["seq"] for record in records(path)] == [1, 2], tail
        (aside,) = [entry for entry in path.parent.iterdir() if entry != path]
        assert aside.read_bytes() == tail and aside.name.startswith("capture.ndjson.torn-"), aside
        assert aside.stat().st_mode & 0o777 == 0o600
        credhook("replay", path, "--to", ":1", "--dry-run").expect(0)


def test_what_is_no_file():
    folder = new_folder()
    refused(folder, 3, "directory")
    refused(folder / "missing" / "capture", 3, "No such file")
    refused(folder / "x.ndjson.gz", 2, "captures are written uncompressed")
    for name, hint in ("-", "/dev/stdout, with -q"), ("x.har", "x.ndjson; later: credhook convert FILE -o FILE.har"), ("x.html", "x.ndjson"), ("x.json", "x.ndjson"):
        result = credhook("listen", "0", "--timeout", "1ms", "--capture", name, cwd=folder).expect(2)
        assert f"hint: write --capture {hint}" in result.err, result
    assert not list(folder.iterdir())
    refused(folder / ("x" * 300), 3, "name too long")


def test_what_is_printed_is_not_written_over_records():
    """A file that stdout or stderr goes to is refused, whatever its name is; what it has stays."""
    path = new_folder() / "capture.ndjson"
    for stream, name in ("stdout", path), ("stdout", "/dev/stdout"), ("stderr", path):
        path.write_text("")
        with path.open("r+") as file:
            result = subprocess.run([binary(), "listen", "0", "-q", "--json", "--capture", str(name), "--timeout", "1s"],
                                    stdin=subprocess.DEVNULL, **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: file})
        said = path.read_text() + (result.stdout or b"").decode() + (result.stderr or b"").decode()
        assert result.returncode == 2 and f"cannot append to '{name}': standard {stream[3:]}" in said, (result, said)


def test_a_full_disk_stops_the_2xx():
    """Nobody is told that such a notification was accepted, nor that all has come."""
    with Listener("--capture", "/dev/full", "--limit", "3") as listener:
        assert [answer.status for answer in listener.ask(request() * 3, count=3)] == [507] * 3
        assert listener.status() == 507
        result = listener.stop().expect(3)
    assert result.err.count("/dev/full") == 1 and "No space left" in result.err and "all expected" not in result.err, result
    events = [line for line in result.json() if line["type"] == "event"]
    assert all(event["response"] == {"status": 507} for event in events), events


def limited(path, size, *args):
    """A listener whose capture may not grow beyond `size` bytes."""
    command = [binary(), "listen", "0", "--json", "--capture", str(path), *args]

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(),
                            preexec_fn=limit)  # pylint: disable=subprocess-popen-preexec-fn


def test_a_file_that_cannot_grow_holds_what_was_promised():
    path = new_folder() / "capture.ndjson"
    with limited(path, 5000) as process:
        try:
            port = int(json.loads(process.stdout.readline())["url"].rsplit(":", 1)[1])
            got = []
            for number in range(60):
                (answer,) = answers(raw("127.0.0.1", port, request(f'"{number}"'.encode()), count=1))
                got.append(answer.status)
            process.send_signal(signal.SIGTERM)
            _, err = process.communicate()
        finally:
            process.kill()
    accepted = got.count(200)
    assert 0 < accepted < 60 and got == [200] * accepted + [got[-1]] * (60 - accepted) and got[-1] in (503, 507), got
    assert process.returncode == 3 and b"capture.ndjson" in err, err
    assert [record["body"] for record in records(path)] == [f'"{number}"' for number in range(accepted)]


def test_requests_that_come_together():
    path = new_folder() / "capture.ndjson"
    with Listener("--capture", path) as listener:
        assert [answer.status for answer in listener.ask(request() * 30, count=30)] == [200] * 30
        listener.stop().expect(0)
    assert [record["seq"] for record in records(path)] == list(range(1, 31))


def test_only_notifications_are_recorded():
    path = new_folder() / "capture.ndjson"
    with Listener("--capture", path, "--path", "/hook", "--max-body", "10") as listener:
        for data, status in ((b"GET /hook HTTP/1.1\r\nHost: x\r\n\r\n", 200), (request(), 404),
                             (request(b"x" * 11, "/hook"), 413), (b"PUT /hook HTTP/1.1\r\nHost: x\r\n\r\n", 405),
                             (b"nonsense\r\n\r\n", 400)):
            assert listener.ask(data)[0].status == status
        assert records(path) == []
        raw(listener.host, listener.port, request(b"x" * 10, "/hook")[:-1], shutdown=True)  # torn
        assert listener.status(b"", "/hook") == 200
        listener.stop().expect(0)
    assert [record["body"] for record in records(path)] == [""]


def test_rejected_and_unjudged_ones_are_recorded_too():
    (record,) = records(captured(b"{", args=("--validate", "reject")))
    assert (record["valid"], record["event"], record["response"]) == (False, None, {"status": 422})
    (record,) = records(captured(b"{", args=("--respond", "500")))
    assert record["response"] == {"status": 500}
    (record,) = records(captured(b"{", args=("--validate", "off")))
    assert record["event"] is None and record.get("valid") is None, record


def test_validate_reads_the_capture_while_it_is_written():
    path = new_folder() / "capture.ndjson"
    payload = built("user-created")
    with Listener("--capture", path) as listener:
        listener.ask(request(payload) + request(b"{") + request(payload), count=3)
        verdicts = credhook("validate", "--json", path).expect(1).json()
    assert [verdict["valid"] for verdict in verdicts if "valid" in verdict] == [True, False, True]


def test_a_fifo_may_be_named():
    folder = new_folder()
    os.mkfifo(folder / "pipe")
    reader = os.open(folder / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        with Listener("--capture", folder / "pipe") as listener:
            assert listener.status() == 200
            assert json.loads(os.read(reader, 65536))["body"] == "{}"
            listener.stop().expect(0)
    finally:
        os.close(reader)


def test_a_folder_one_may_not_write_to():
    if os.geteuid() == 0:
        raise Skip("root may write everywhere")
    folder = new_folder()
    folder.chmod(0o500)
    refused(folder / "capture", 3, "denied")


if __name__ == "__main__":
    run()

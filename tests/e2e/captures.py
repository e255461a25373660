"""Captures, those of other tools too, and what replay sends of them."""

import base64
import hashlib
import json
import os
import signal
import subprocess

from support import FaultServer, answer, binary, credhook, environment, launch, new_folder


def record(number, body=None, received_at=None, **more):
    """A record as listen writes it, received `number` milliseconds into a minute. Its body says its number; or it is what
    is given: text, or bytes, which need not be UTF-8."""
    us = number * 1000
    stamp = received_at or f"2026-01-02T03:{us // 60000000 % 60:02d}:{us // 1000000 % 60:02d}.{us % 1000000:06d}Z"
    whole = {"v": 1, "seq": number, "received_at": stamp, "method": "POST", "target": "/hook",
             "headers": [["Host", "hooks.example"], ["Content-Type", "application/json"]],
             **body_member(json.dumps({"n": number}) if body is None else body), "event": "user-created", "valid": True,
             "response": {"status": 200}}
    whole.update(more)
    return json.dumps(whole, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def body_member(body):
    """A body as the member of a record that it is in."""
    try:
        return {"body": body.decode() if isinstance(body, bytes) else body}
    except UnicodeDecodeError:
        return {"body_base64": base64.b64encode(body).decode()}


def record_of(number, request, **more):
    """A request as a listener records it; also one so hostile that no listener takes it."""
    head, _, body = request.partition(b"\r\n\r\n")
    line, *fields = head.decode("latin-1").split("\r\n")
    return record(number, body, target=line.split(" ")[1], headers=[field.split(": ", 1) for field in fields], **more)


def write(data, name="capture.ndjson", folder=None):
    """The path of a file with these bytes or this text, in a folder of its own unless one is given."""
    path = (folder or new_folder()) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def write_capture(count, make=record, folder=None):
    path = (folder or new_folder()) / "capture.ndjson"
    with open(path, "wb") as file:
        for number in range(1, count + 1):
            file.write(make(number))
    return path


def append(capture, *numbers_of):
    """Adds the records of these numbers to a capture."""
    with open(capture, "ab") as file:
        file.write(b"".join(map(record, numbers_of)))


def capture_of(*many):
    """A capture of these records, and no others."""
    return write_capture(len(many), lambda number: record(many[number - 1]))


def content_id(content):
    """What a record with these bytes is known by."""
    return hashlib.sha256(content).hexdigest()[:32]


def marks_of(results):
    """What is in flight of an unfinished run."""
    return results.with_name(results.name + ".inflight")


def numbers(server):
    """The numbers in the bodies that arrived, in the order in which they did."""
    return [json.loads(request.body)["n"] for request in server.requests]


def replay(server, *args, code=0, **more):
    """The result of a replay to a server, or to a URL."""
    return credhook("replay", *args, "--to", server if isinstance(server, str) else server.url, **more).expect(code)


def typed(result, begin, **env):
    """Runs the command that was shown behind these words, as it stands, in a shell, and returns it; None: there is none."""
    folder = new_folder()
    (folder / "credhook").symlink_to(binary())
    lines = [line.removeprefix(begin) for line in result.err.splitlines() if line.startswith(begin)]
    if not lines:
        return None
    (line,) = lines
    subprocess.run(["sh", "-c", line], env=environment({"PATH": f"{folder}:{os.environ['PATH']}", **env}), check=False,
                   capture_output=True)
    return line


def kill_replay(*args, server, after):
    """A replay that is killed once `after` requests have arrived, of which the last got no response."""
    process = launch("replay", *args, "--to", server.url, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    server.wait_requests(after)
    process.send_signal(signal.SIGKILL)
    process.wait()


def sent(*args, code=0, status=204, **more):
    """The bodies that arrive at a server of this status, as text, and the result of that replay."""
    with FaultServer(answer(status)) as server:
        result = replay(server, *args, code=code, **more)
        return [request.body.decode("utf-8", "surrogateescape") for request in server.requests], result


ALERT = {"service": "alerts", "event": "push", "method": "push",
         "details": {"alertDetails": {"disputeStatus": "Submission"}, "alertId": 1,
                     "appKey": "00000000-0000-4000-8000-000000000001", "bureau": "b", "alertType": "t", "clientKey": "c"}}


def alert(number, **more):
    """The bytes of a bureau alert."""
    return json.dumps({**ALERT, "details": {**ALERT["details"], "alertId": number}, **more}, separators=(",", ":"),
                      ensure_ascii=False)


def entry(body, second=0, **request):
    """An entry of a HAR as Chrome writes it."""
    whole = {"method": "POST", "url": "https://hooks.example/hook?x=1", "httpVersion": "h2",
             "headers": [{"name": ":authority", "value": "hooks.example"},
                         {"name": "content-type", "value": "application/json"},
                         {"name": "Content-Length", "value": str(len(body.encode()))}],
             "queryString": [{"name": "x", "value": "1"}], "cookies": [], "headersSize": -1, "bodySize": len(body.encode()),
             "postData": {"mimeType": "application/json", "text": body}}
    whole.update(request)
    return {"_connectionId": "9", "_initiator": {"type": "script"}, "cache": {}, "connection": "443",
            "pageref": "page_1", "request": whole, "response": {"status": 200, "statusText": "", "headers": []},
            "serverIPAddress": "192.0.2.7", "startedDateTime": f"2026-01-02T03:04:{second:02d}.123Z", "time": 3.5,
            "timings": {"blocked": 1, "send": 0.1, "wait": 2, "receive": 0.4}}


def other(method="GET", second=0, body="{}", **request):
    return entry(body, second, method=method, url="https://news.example/?q=s3cret", **request)


def har(*entries, indent=None):
    return json.dumps({"log": {"version": "1.2", "creator": {"name": "WebInspector", "version": "537.36"},
                               "pages": [{"id": "page_1", "title": "x"}], "entries": list(entries)}}, indent=indent)

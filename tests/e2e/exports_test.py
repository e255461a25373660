"""Exports of other tools that are not read are known by what is in them, and refused with a line that takes the
notifications out of them. The lines are tried with what the tools write."""
# rooms: capture

import base64
import csv
import io
import json
import os
import re
import subprocess
import zipfile
from itertools import count

from captures import alert, record
from support import LONG, FaultServer, answer, binary, credhook, environment, new_folder, run


def encoded(text):
    return base64.b64encode(text.encode()).decode()


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def aws_1(body, **more):
    """What API Gateway gives a function, format 1.0."""
    return {"resource": "/{proxy+}", "path": "/hook", "httpMethod": "POST",
            "headers": {"Content-Type": "application/json", "Host": "hooks.example"},
            "multiValueHeaders": {"Content-Type": ["application/json"], "Host": ["hooks.example"]},
            "queryStringParameters": None, "requestContext": {"requestTimeEpoch": 1767323045123, "httpMethod": "POST"},
            "body": body, "isBase64Encoded": False, **more}


def aws_2(body, **more):
    """Format 2.0, and function URLs."""
    return {"version": "2.0", "routeKey": "$default", "rawPath": "/hook", "rawQueryString": "", "headers": {"host": "hooks.example"},
            "requestContext": {"http": {"method": "POST", "path": "/hook"}, "timeEpoch": 1767323045123},
            "body": body, "isBase64Encoded": False, **more}


def balancer(body):
    return {"requestContext": {"elb": {"targetGroupArn": "arn:aws:x"}}, "httpMethod": "POST", "path": "/hook",
            "queryStringParameters": {}, "headers": {"content-type": "application/json"}, "body": body, "isBase64Encoded": False}


def sqs(body):
    return {"messageId": "059f36b4", "receiptHandle": "AQEB", "body": body, "attributes": {"SentTimestamp": "1545082649183"},
            "messageAttributes": {}, "md5OfBody": "x", "eventSource": "aws:sqs", "awsRegion": "us-east-2",
            "eventSourceARN": "arn:aws:sqs:us-east-2:1:q"}


def sns(message):
    return {"Type": "Notification", "MessageId": "22b80b92", "TopicArn": "arn:aws:sns:us-west-2:1:t", "Message": message,
            "Timestamp": "2012-05-02T00:54:06.655Z", "SignatureVersion": "1", "Signature": "x"}


def http(body, line="POST /hook HTTP/1.1", ends="\r\n"):
    """A request as bytes."""
    return f"{line}\r\nHost: hooks.example\r\nContent-Type: application/json\r\nContent-Length: {len(body.encode())}\r\n{ends}{body}"


def goreplay(*bodies):
    return "".join(f"1 932079936fa4306fc308d6758817{number:04d} 14398188235873963{number:02d} 0\n{http(body)}\n\U0001f435\U0001f648\U0001f649\n"
                   f"2 932079936fa4306fc308d6758817{number:04d} 14398188235873963{number:02d} 9\n{http('{}', 'HTTP/1.1 200 OK')}"
                   "\n\U0001f435\U0001f648\U0001f649\n" for number, body in enumerate(bodies))


INDENTED = json.dumps(json.loads(alert(1)), indent=1)  # takes several lines


def kcat(payload, offset):
    return {"topic": "hooks", "partition": 0, "offset": offset, "tstype": "create", "ts": 1767323045123, "broker": 0,
            "headers": ["a", "b"], "key": None, "payload": payload}


def ngrok(body, number, one=False):
    request = {"uri": f"/api/requests/http/{number}", "id": str(number), "tunnel_name": "command_line", "remote_addr": "192.0.2.1",
               "start": "2026-01-02T03:04:05Z", "duration": 1,
               "request": {"method": "POST", "proto": "HTTP/1.1", "headers": {}, "uri": "/hook", "raw": encoded(http(body))},
               "response": {"status": "200 OK", "status_code": 200, "raw": encoded(http("{}", "HTTP/1.1 200 OK"))}}
    return request if one else {"uri": "/api/requests/http", "requests": [request]}


def webhook_site(content, number):
    return {"uuid": f"{number}", "type": "web", "token_id": "9981f9f4", "ip": "::1", "hostname": "webhook.site", "method": "POST",
            "user_agent": "curl", "content": content, "query": None, "headers": {"content-length": ["1"]},
            "url": "https://webhook.site/9981f9f4", "created_at": "2026-01-02 03:04:05"}


def csv_of(*rows):
    with io.StringIO() as out:
        writer = csv.DictWriter(out, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
        return out.getvalue()


def postman(*bodies):
    items = [{"name": "x", "request": {"method": "POST", "url": {"raw": "http://x/hook"}, "body": {"mode": "raw", "raw": body}}}
             for body in bodies]
    return {"info": {"_postman_id": "1", "name": "x", "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
            "item": [{"name": "folder", "item": items[:1]}, *items[1:]]}


def wiremock(body, number):
    return {"id": f"{number}", "request": {"url": "/hook", "absoluteUrl": "http://localhost/hook", "method": "POST",
                                           "clientIp": "127.0.0.1", "headers": {"Host": "localhost"}, "cookies": {},
                                           "browserProxyRequest": False, "loggedDate": 1767323045123, "bodyAsBase64": encoded(body),
                                           "body": body, "loggedDateString": "2026-01-02T03:04:05Z"},
            "responseDefinition": {"status": 200}, "response": {"status": 200, "body": ""}, "wasMatched": True}


def mockserver(body):
    return {"method": "POST", "path": "/hook", "headers": {"Host": ["localhost"]}, "keepAlive": True, "secure": False,
            "remoteAddress": "127.0.0.1", "body": body}


def packet(data):
    return {"_index": "packets-2026-01-02", "_type": "doc", "_score": None, "_source": {"layers": {
        "frame": {"frame.number": "4"}, "http": {"POST / HTTP/1.1": {}, "http.file_data": data}}}}


def hexed(text):
    return text.encode().hex()


def vegeta(body, method="POST"):
    return {"method": method, "url": "http://hooks.example/", "body": encoded(body), "header": {"Content-Type": ["application/json"]}}


# The words by which it is refused, and files: all with the notifications 1 and 2, and requests that are something else.
EXPORTS = [
    ("is a file of AWS events", [
        json.dumps([aws_1(alert(1)), aws_2(alert(2)), aws_1(None, httpMethod="GET"), aws_2("a=1")]),
        json.dumps([aws_1("[1]"), aws_2(encoded(alert(1)), isBase64Encoded=True), aws_2(encoded(alert(2)), isBase64Encoded=True)]),
        lines(aws_1(alert(1)), aws_2(encoded("a=1"), isBase64Encoded=True), balancer(alert(2))),
        json.dumps(aws_1(alert(1)), indent=2) + "\n" + json.dumps(balancer(alert(2)), indent=2),
    ]),
    ("is a file of messages of SQS or SNS", [
        json.dumps({"Records": [sqs(alert(1)), sqs("hello"), sqs(alert(2))]}),
        json.dumps({"Records": [sqs(json.dumps(sns(alert(1)))), sqs(alert(2))]}),
        json.dumps({"Records": [{"EventSource": "aws:sns", "EventVersion": "1.0", "Sns": sns(alert(n))} for n in (1, 2)]}),
        json.dumps({"Messages": [{"MessageId": "1", "ReceiptHandle": "x", "MD5OfBody": "y", "Body": alert(n)} for n in (1, 2)]}),
        lines(sns(alert(1)), sns("hello"), sns(alert(2))),
        lines(sqs(alert(1)), sqs(alert(2))),
    ]),
    ("is a GoReplay file", [goreplay(alert(1), "a=1", alert(2))]),
    ("is a file of Kafka messages", [
        lines(kcat(alert(1), 0), kcat(None, 1), kcat(alert(2), 2)),
        lines(kcat(INDENTED, 0), kcat(json.loads(alert(2)), 1)),
    ]),
    ("is a journal of MockServer", [
        json.dumps([mockserver({"type": "JSON", "json": json.loads(alert(n)), "rawBytes": encoded(alert(n))}) for n in (1, 2)]),
        json.dumps([mockserver(alert(1)), mockserver(json.loads(alert(2))), mockserver("a=1"), mockserver({"a": 1})]),
        json.dumps([{"timestamp": "x", "httpRequest": mockserver({"type": "STRING", "string": alert(n), "contentType": "text/plain"}),
                     "httpResponse": {"statusCode": 200, "body": "ok"}} for n in (1, 2)]),
    ]),
    ("is a file of ngrok requests", [
        json.dumps({"uri": "/api/requests/http", "requests": [ngrok(body, 1, True) for body in (alert(1), "a=1", alert(2))]}),
        lines(ngrok(alert(1), 1, True), ngrok(alert(2), 2, True)),
    ]),
    ("is a Postman collection", [json.dumps(postman(alert(1), "a=1", alert(2)), indent="\t")]),
    ("is a file of packets (tshark -T json)", [
        json.dumps([packet(alert(1)), packet(alert(2))]), json.dumps([packet(hexed(alert(1))), packet(hexed(alert(2)))], indent=2)]),
    ("is a file of vegeta targets", [lines(vegeta(alert(1)), vegeta("", "GET"), vegeta("a=1"), vegeta(alert(2)))]),
    ("is a webhook.site export", [
        json.dumps({"data": [webhook_site(content, 1) for content in (alert(1), "", alert(2))], "total": 3}),
        json.dumps([webhook_site(alert(1), 1), webhook_site(alert(2), 2)]),
        csv_of(webhook_site(alert(1), 1), webhook_site("a=1", 2), webhook_site(alert(2), 3)),
        csv_of(webhook_site(INDENTED, 1), webhook_site(alert(2), 2)),
    ]),
    ("is a journal of WireMock", [
        json.dumps({"requests": [wiremock(body, 1) for body in (alert(1), "", "a=1", alert(2))], "meta": {"total": 4},
                    "requestJournalDisabled": False}, indent=2),
        lines(wiremock(alert(1), 1), wiremock(alert(2), 2)),
    ]),
    # With tshark as it prints fields, before and since 4.2.
    ("is a packet capture (pcap)", [(b"\xd4\xc3\xb2\xa1" + bytes(20), f"{form(alert(1))}\n\n{form(alert(2))}\n")
                                    for form in (str, hexed)]),
]


TURN = count()


def refused(path, words):
    """The hint. Nothing is sent or written. Without --long each command refuses each fifth file, and each pipe."""
    folder, turn = new_folder(), next(TURN)
    with FaultServer(answer(200)) as server:
        for stdin, name in ((None, path), (path.read_bytes(), "-")):
            commands = (("replay", name, "--to", server.url), ("convert", name, "-o", folder / "out.ndjson"),
                        ("validate", name), ("show", name), ("send", "--file", name, "--to", server.url))
            for number, command in enumerate(commands):
                if not LONG and (number + turn + bool(stdin)) % len(commands):
                    continue
                result = credhook(*command, stdin=stdin).expect(3)
                assert words in result.err, result
        assert not server.requests
    assert not list(folder.iterdir())
    return re.search(r"hint: (.*)", result.err)[1]


def test_the_line_works():
    for words, files in EXPORTS:
        for number, text in enumerate(files):
            folder = new_folder()
            path, printed = folder / "x", ""
            if isinstance(text, tuple):
                text, printed = text
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
            (folder / "tshark").write_text(f"#!/bin/sh\ncat <<'END'\n{printed}END\n")
            (folder / "tshark").chmod(0o755)
            hint = refused(path, words)
            line = hint.split(": ", 1)[1].replace("FILE", str(path))
            made = subprocess.run(["bash", "-o", "pipefail", "-c", line], capture_output=True, check=False,
                                  env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})
            out = path.with_suffix(".ndjson")
            assert made.stderr == b"" and made.stdout == b"", (words, number, line, made)
            got = [json.loads(row) for row in out.read_text().splitlines() if row]
            assert got == [json.loads(alert(1)), json.loads(alert(2))], (words, number, line, got)
            credhook("replay", out, "--to", ":1", "--dry-run").expect(0)


def test_a_zip_is_unpacked():
    with io.BytesIO() as packed:
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("x.json", alert(1))
        path = new_folder() / "x.zip"
        path.write_bytes(packed.getvalue())
    assert refused(path, "is a ZIP archive") == "unpack it: unzip FILE"


def test_mitmproxy_makes_a_har_file():
    path = new_folder() / "flows"
    path.write_bytes(b"93:7:version;2:21#4:type;4:http;}")
    assert "mitmdump -nr FILE --set hardump=FILE.har" in refused(path, "is a file of mitmproxy flows")


WAY = "take the payloads out: jq -c '..|., (strings|fromjson?)|objects|select(.service and .details)' FILE > FILE.ndjson"
# Documents that no row is of, and what is said about them.
OTHERS = [
    (json.dumps({"specversion": "1.0", "id": "1", "type": "x", "data": json.loads(alert(1))}),
     'the payload is in "data": jq -c .data FILE > FILE.ndjson'),
    (json.dumps({"type": "x", "payload": alert(1)}), "the payload is in \"payload\": jq -c '.payload|fromjson' FILE > FILE.ndjson"),
    (f"[{alert(1)},\n {alert(2)}]", "split the array into one payload per line: jq -c '.[]' FILE > FILE.ndjson"),
    (json.dumps({"items": [{"n": 1}, {"n": 2, "sent": [alert(1)]}]}, indent=1), WAY),
    (json.dumps({"pad": "x" * 200000, "items": [json.loads(alert(1))]}), WAY),
    (json.dumps(alert(1)), "the payload is in the string: jq -c fromjson FILE > FILE.ndjson"),
    ('{"a":1}', None),
    ("[]", None),
    ("12\n", None),
    ('{"a":1}\n' + alert(1) + "\n", None),
]


def test_another_document_is_not_a_notification():
    """Nothing is sent and nothing is written, whatever else is given; the line takes its payloads out."""
    for text, hint in OTHERS:
        folder = new_folder()
        path, good = folder / "x", folder / "good.ndjson"
        path.write_text(text)
        good.write_text(alert(1) + "\n")
        for stdin, given in ((None, [path]), (None, [good, path]), (text, ["-"])):
            with FaultServer(answer(200)) as server:
                commands = (("replay", *given, "--to", server.url, "--results", folder / "r", "--report", f"html={folder / 'r.html'}"),
                            ("convert", *given, "-o", folder / "out.ndjson"))
                for command in commands:
                    result = credhook(*command, stdin=stdin).expect(3)
                    name = "standard input" if stdin else f"'{path}'"
                    assert f"credhook: {name} is neither a capture nor a notification\n" in result.err, result
                    shown = (hint or "").replace("FILE", "FILE" if stdin else str(path))
                    assert result.out == "" and shown in result.err and ("hint: " in result.err) == bool(hint), result
                assert server.connections == 0
            assert {entry.name for entry in folder.iterdir()} == {"x", "good.ndjson"}
        with FaultServer(answer(200)) as server:
            credhook("send", "--file", path, "--to", server.url, "--validate", "off").expect(0)
            assert server.requests
        if hint:
            line = hint.split(": ", 1)[1].replace("FILE", str(path))
            subprocess.run(["bash", "-o", "pipefail", "-c", line], check=True)
            credhook("validate", folder / "x.ndjson").expect(0)


def test_another_line_is_a_bad_record():
    text = alert(1) + '\n{"a":1}\n[]\n' + lines(kcat("x", 1)) + alert(2) + "\n"
    path = new_folder() / "x.ndjson"
    path.write_text(text)
    for stdin, name in ((None, path), (text, "-")):
        with FaultServer(answer(200)) as server:
            result = credhook("replay", name, "--to", server.url, stdin=stdin).expect(1)
            assert [request.body.decode() for request in server.requests] == [alert(1), alert(2)]
        place = "<stdin>" if stdin else path
        for number in (2, 3):
            assert f"{place}:{number}: skipped: neither a record nor a notification" in result.err, result
        assert f"{place}:4: skipped: it is a file of Kafka messages" in result.err, result
        assert len(credhook("convert", name, stdin=stdin).expect(1).json()) == 2


def test_show_shows_it_and_says_what_to_do():
    for text, hint in OTHERS:
        path = new_folder() / "x"
        path.write_text(text)
        result = credhook("show", path).expect(1)
        assert " invalid " in result.out and "is neither a capture nor a notification" in result.err, result
        assert (hint or "").replace("FILE", str(path)) in result.err, result
        assert result.err.count("neither") == 1, result


def test_a_pipe_that_stays_open_is_refused_by_its_first_line():
    for command in (["replay", "-", "--to", ":1"], ["convert", "-"]):
        with subprocess.Popen([binary(), *command], stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()) as process:
            process.stdin.write(b'{"a":1}\n')
            process.stdin.flush()
            assert process.wait() == 3 and b"neither" in process.stderr.read()


def test_the_first_record_of_a_pipe_is_not_lost():
    """Nor sent without its body, if redaction withheld that."""
    withheld = record(1, "", redacted={"key": "00000000", "withheld": "not JSON"})
    for first, code, wanted in ((record(1, alert(1)), 0, [alert(1), alert(2)]), (withheld, 1, [alert(2)])):
        with FaultServer(answer(200)) as server:
            credhook("replay", "-", "--to", server.url, stdin=first + record(2, alert(2))).expect(code)
            assert [request.body.decode() for request in server.requests] == wanted


if __name__ == "__main__":
    run()

"""Exports of other tools that are not read are known by what is in them, and refused with a line that takes the
notifications out of them. The lines are tried with what the tools write."""

import base64
import json
import re
import subprocess

from formats_test import alert
from support import FaultServer, answer, credhook, new_folder, run


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
]


def refused(path, words):
    """The hint. Nothing is sent or written."""
    folder = new_folder()
    with FaultServer(answer(200)) as server:
        for stdin, name in ((None, path), (path.read_bytes(), "-")):
            commands = (("replay", name, "--to", server.url), ("convert", name, "-o", folder / "out.ndjson"),
                        ("validate", name), ("show", name), ("send", "--file", name, "--to", server.url))
            for command in commands:
                result = credhook(*command, stdin=stdin).expect(3)
                assert words in result.err, result
        assert not server.requests
    assert not list(folder.iterdir())
    return re.search(r"hint: (.*)", result.err)[1]


def test_the_line_works():
    for words, files in EXPORTS:
        for number, text in enumerate(files):
            path = new_folder() / "x"
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
            hint = refused(path, words)
            line = hint.split(": ", 1)[1].replace("FILE", str(path))
            made = subprocess.run(["bash", "-o", "pipefail", "-c", line], capture_output=True, timeout=60, check=False)
            out = path.with_suffix(".ndjson")
            assert made.stderr == b"" and made.stdout == b"", (words, number, line, made)
            got = [json.loads(row) for row in out.read_text().splitlines()]
            assert got == [json.loads(alert(1)), json.loads(alert(2))], (words, number, line, got)
            credhook("replay", out, "--to", ":1", "--dry-run").expect(0)


if __name__ == "__main__":
    run()

"""Captures for the tests of replay."""

import hashlib
import json

from support import new_folder


def record(number, body=None, received_at=None, **more):
    """A record whose body says its number, received `number` milliseconds into a minute."""
    us = number * 1000
    stamp = received_at or f"2026-01-02T03:{us // 60000000 % 60:02d}:{us // 1000000 % 60:02d}.{us % 1000000:06d}Z"
    whole = {"v": 1, "seq": number, "received_at": stamp, "method": "POST", "target": "/hook",
             "headers": [["Host", "hooks.example"], ["Content-Type", "application/json"]],
             "body": json.dumps({"n": number}) if body is None else body, "event": "user-created", "valid": True,
             "response": {"status": 200}}
    whole.update(more)
    return json.dumps(whole, separators=(",", ":")).encode() + b"\n"


def write_capture(count, make=record, folder=None):
    path = (folder or new_folder()) / "capture.ndjson"
    with open(path, "wb") as file:
        for number in range(1, count + 1):
            file.write(make(number))
    return path


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

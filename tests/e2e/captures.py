"""Captures for the tests of replay."""

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


def content_hash(line):
    """What src/base/hash.h makes of a record, without its line end."""
    mask, factor, state = 2 ** 64 - 1, 0x9e3779b97f4a7c15, 0

    def stir(state, word):
        state = (state ^ word) * factor & mask
        return state ^ state >> 32

    state = stir(0, len(line))
    whole = len(line) // 8 * 8
    for at in range(0, whole, 8):
        state = stir(state, int.from_bytes(line[at:at + 8], "little"))
    return stir(stir(state, int.from_bytes(line[whole:], "little")), 0) or 1


def read_results(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def numbers(server):
    """The numbers in the bodies that arrived, in the order in which they did."""
    return [json.loads(request.body)["n"] for request in server.requests]

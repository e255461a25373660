"""Deliveries to a server that cuts its connections at random moments: what test and long run share."""

import json
import random
import socket
import struct
from collections import Counter

from captures import write_capture
from support import FaultServer, credhook, new_folder, records

CUTS = ("before", "reset", "after", "half", "answer and close")


def unreliable(seed):
    """Serves a connection until chance cuts it: before or after a request was read, in the middle of the answer, or
    right behind it, when the client has just decided to use it again."""
    chance = random.Random(seed)

    def reset(sock):
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        sock.close()

    def perform(connection):
        cut = chance.choice(CUTS) if chance.random() < 0.15 else None
        if cut == "before":
            return False
        if connection.read_request() is None or cut == "after":
            return False
        if cut == "reset":
            reset(connection.socket)
            return False
        connection.send(b"HTTP/1.1 2" if cut == "half" else b"HTTP/1.1 204 No Content\r\n\r\n")
        return cut is None

    return perform


def deliver(count, seed):
    """Fails where a POST arrived twice, or where an outcome is not what the receiver saw."""
    capture, results = write_capture(count), new_folder() / "results.ndjson"
    with FaultServer(unreliable(seed)) as server:
        credhook("-q", "replay", capture, "--to", server.url, "--concurrency", 16, "--results", results)
        arrived = Counter(json.loads(request.body)["n"] for request in server.requests)
    outcomes = {line["record"]: line["outcome"] for line in records(results)}
    assert len(outcomes) == count
    assert max(arrived.values()) == 1, [number for number, times in arrived.items() if times > 1]
    for number, outcome in outcomes.items():
        assert outcome in ("accepted", "unknown", "failed")
        assert outcome != "accepted" or arrived[number] == 1, f"{number} is accepted and never came"
        assert outcome != "failed" or arrived[number] == 0, f"{number} has failed and came"
    counted = Counter(outcomes.values())
    assert counted["accepted"] > count / 2 and counted["unknown"] > 0, counted
    return counted

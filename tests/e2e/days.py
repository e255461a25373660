"""Days that are made: captures of notifications of all kinds, in which some failed for a reason that was planted."""

import datetime
import json
import random
from functools import lru_cache

from support import LONG, credhook

BEGIN = datetime.datetime(2026, 3, 2, 6, 0, 0, tzinfo=datetime.timezone.utc)
FINE = (200, None)


@lru_cache(maxsize=None)
def payloads(count, seed=7):
    """Payloads of all kinds, in a random order: that of `build` is that of their kinds."""
    lines = credhook("build", "all", "--count", max(count // 25, 1), "--seed", seed).expect(0).out.splitlines()
    random.Random(seed).shuffle(lines)
    return tuple(lines[:count])


class One:
    """A notification of the day: its body as an object (`details`), the second of the day, the sender's address."""

    def __init__(self, number, line, second, sender):
        self.number, self.second, self.sender = number, second, sender
        self.body = json.loads(line)
        self.details = self.body["details"]
        self.text = line
        self.headers = [["Content-Type", "application/json"], ["User-Agent", "webhooks/1"], ["X-Request-Id", f"r{number}"]]
        self.target = "/hook"
        self.raw = False  # its text is written without escapes, whatever characters it has
        self.response = FINE

    def kind(self):
        return self.body["service"], self.body["event"], self.body["method"], self.body.get("path")

    def record(self):
        at = BEGIN + datetime.timedelta(seconds=self.second)
        status, text = self.response
        response = {"status": status}
        if text is not None:
            response |= {"type": "application/json", "text": text}
        return json.dumps({"v": 1, "seq": self.number, "received_at": at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"), "remote": f"{self.sender}:5{self.number % 1000:03}",
                           "method": "POST", "target": self.target, "headers": self.headers, "body": self.text, "event": None, "valid": None,
                           "response": response}, separators=(",", ":"))


def unknown_code(one, draw):
    """A plan of day(): a third of the alerts have a code that is refused."""
    if "alertType" in one.details and draw.random() < 0.3:
        one.details["alertType"] = "Inquiry"
    return (422, '{"error":"unknown alertType Inquiry"}') if one.details.get("alertType") == "Inquiry" else None


def day(plan, count=5000 if LONG else 2500, seed=1):
    """The lines of a capture: plan(one, random) returns the response of each, or None for 200, and may change its body before."""
    draw = random.Random(seed)
    lines = []
    for number, line in enumerate(payloads(count), 1):
        one = One(number, line, number * 50000 // count + draw.random(), draw.choice(["10.0.0.1", "10.0.0.2", "10.0.0.3"]))
        before = json.dumps(one.body)
        one.response = plan(one, draw) or FINE
        if json.dumps(one.body) != before:
            one.text = json.dumps(one.body, separators=(",", ":"), ensure_ascii=False)
        lines.append(one.record())
    return "\n".join(lines) + "\n"

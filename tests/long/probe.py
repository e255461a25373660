"""Ten bugs as people make them, each in a listener of its own, and one plain `credhook test --to URL` for each."""

import time

from small_listeners import (closes, good, listener, needs_boolean, needs_negative, needs_numbers, needs_path,
                             not_idempotent, redirects, swallows, traced, with_bug)
from support import FaultServer, Listener, credhook, run


def slow_reports(payload):
    time.sleep(3 if payload["event"] == "push" else 0)


# The bug, a check that shows it, and a word of the advice.
BUGS = (
    ("path missing in alerts", with_bug(needs_path), "deliver/bureau-alert", "this event has no path"),
    ("change as a number", with_bug(needs_negative), "value/credit-score-simulated:change=7", "change is a string"),
    ("offCycle as a boolean", with_bug(needs_boolean), "value/credit-report-ordered:offCycle=true", "offCycle is a string"),
    ("empty and filled scoreModifiers", with_bug(needs_numbers), "value/credit-score-simulated:scoreModifiers=one",
     "scoreModifiers is an object"),
    ("not idempotent", with_bug(not_idempotent()), "repeat/again", "recognize a repeat"),
    ("a response after 3 s", with_bug(slow_reports), "time/response", "work on it afterwards"),
    ("a redirect", with_bug(redirects), "deliver/credit-report-ordered", "do not follow redirects"),
    ("a closed connection", closes("report"), "deliver/credit-report-ordered", "this event has appKey"),
    ("swallowed bad JSON", swallows, "json/truncated", "respond 4xx where that fails"),
    ("a stack trace", traced, "leak/trace", "turn off debug mode"),
)


def test_each_bug_is_found():
    for name, respond, check, advice in BUGS:
        with FaultServer(listener(respond)) as server:
            result = credhook("test", "--to", f"{server.url}/hook", "--json", timeout=120)
        found = {row["id"]: row for row in result.json() if row["type"] == "check"}[check]
        assert found["verdict"] in ("warn", "fail") and advice in found["fix"], (name, found)


def test_a_run_is_quick():
    with Listener("--validate", "off") as server:
        for level, most in (("normal", 10), ("deep", 60)):
            began = time.monotonic()
            credhook("test", "--to", server.url, "--level", level, "--skip", "slow", timeout=120).expect(0)
            took = time.monotonic() - began
            print(f"level {level}: {took:.1f} s")
            assert took <= most, (level, took)


def test_a_good_listener_has_nothing_to_mend():
    with FaultServer(listener(good)) as server:
        result = credhook("test", "--to", f"{server.url}/hook", "--json", timeout=120).expect(0)
    odd = [row["id"] for row in result.json() if row["type"] == "check" and row["verdict"] not in ("ok", "skip")]
    assert odd == [], odd


if __name__ == "__main__":
    run()

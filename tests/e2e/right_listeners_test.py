#!/usr/bin/python3
"""What is right is left alone: listeners that keep what they get, each in its own way, fail no check of what they did."""
# rooms: cmd/probe probe

import os
from functools import cache

from stores import failed, look_at
from support import LONG, run

RIGHT = ["Queue", "Counted", "Hashes", "CustomersCounted", "Enrolled", "Customers", "Firsts", "Tally", "Alerts", "Files", "Log", "Document",
         "Counters", "Normalised", "Store"]
# Without --long: one that keeps files, of which an end leaves parts. unit/probe/keeps asks the same of the others, with a clock of
# its own.
SMOKE = ["Files"]
# Of these, what they have when they are ended: one that stores later; a capture, which keeps repeats on purpose; and what a script
# starts.
CRASH = ["Queue", "capture", "script"]
TIMES = int(os.environ.get("TIMES", "1"))
# A should says both readings: that one row a customer is right where no more is to be kept.
ONE_STATE = ("your observation shows one state a customer", "a second one of the same customer only changed a number",
             "the number did not grow by a second one of the same customer")
STATES = ("Customers", "CustomersCounted", "Enrolled", "Firsts")
# So does another one, that some events are right to leave nothing.
DROPPED = ("it got a 2xx and left no trace, while other events leave one",)
SOME = ("Customers", "CustomersCounted", "Enrolled", "Alerts", "Files")


@cache
def runs():
    """All of them at the same time, since they wait more than they work."""
    return look_at([(name, "effect", "crash") for name in (RIGHT if LONG else SMOKE) * TIMES] + [(name, "crash") for name in CRASH])


def test_right_listeners_fail_nothing():
    for name, result, found in runs():
        said = {check: reason for check, reason in failed(found).items()
                if not (name in STATES and reason in ONE_STATE) and not (name in SOME and reason in DROPPED)}
        assert not said, (name, said, result)
        assert "fail" not in [check["verdict"] for check in found.values()], (name, found)


def test_they_lose_nothing_when_they_are_ended():
    for name, result, found in runs():
        assert [found[check]["verdict"] for check in ("crash/restart", "crash/kill", "crash/stop")] == ["ok"] * 3, (name, result)


if __name__ == "__main__":
    run()

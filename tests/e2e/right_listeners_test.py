#!/usr/bin/python3
"""What is right is left alone: listeners that keep what they get, each in its own way, fail no check of what they did."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor

from stores import capture, failed, look
from support import run

RIGHT = ["Store", "Counted", "Hashes", "Counters", "Normalised", "Customers", "CustomersCounted", "Enrolled", "Firsts", "Alerts",
         "Files", "Log", "Queue", "Document"]
TIMES = int(os.environ.get("TIMES", "1"))
# A should says both readings: that one row a customer is right where no more is to be kept.
STATES = ("Customers", "CustomersCounted", "Enrolled", "Firsts")


def test_right_listeners_fail_nothing():
    names = RIGHT * TIMES
    with ThreadPoolExecutor(6) as pool:
        for name, (result, found) in zip(names, pool.map(lambda name: look(name, "effect", "crash"), names)):
            bad = failed(found)
            said = {check: reason for check, reason in bad.items()
                    if not (name in STATES and reason == "your observation shows one state a customer")}
            assert not said, (name, said, result)
            assert found["crash/kill"]["verdict"] == "ok", (name, found["crash/kill"])
            assert "fail" not in [check["verdict"] for check in found.values()], (name, found)


def test_what_keeps_repeats_on_purpose_loses_nothing():
    result, found = look("capture", "crash", command=capture)
    assert not failed(found) and found["crash/kill"]["verdict"] == "ok", (result, found)


def test_a_script_that_starts_it():
    app = os.path.join(os.path.dirname(os.path.abspath(__file__)), "store_app.py")
    result, found = look("Store", "crash", command=lambda folder: ["sh", "-c", f"{sys.executable} -S {app} Store {folder} & wait"])
    assert not failed(found) and found["crash/kill"]["verdict"] == "ok", (result, found)


if __name__ == "__main__":
    run()

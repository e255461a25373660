#!/usr/bin/python3
"""The whole path for every event and element: built, valid, sent, captured, valid again, replayed, captured again.

What leaves `build` is what the listener has on disk, and what a second listener gets from `replay`: byte for byte."""
# rooms: catalog payload

import os

from support import Listener, credhook, new_folder, records, run

# In the order of `all`.
KINDS = [row["event"] for row in credhook("validate", "--json", "-", stdin=credhook("build", "all").expect(0).out).json()
         if "event" in row]


def bodies(path):
    return [record["body"].encode() for record in records(path)]


def capture_of(listener, path, count):
    """The capture, once it holds `count` records and the listener has ended by itself."""
    result = listener.wait().expect(0)
    found = records(path)
    assert len(found) == count, (len(found), str(result))
    assert [record["seq"] for record in found] == list(range(1, count + 1))
    return found


def hold_record(record, name, target):
    """What a record of a delivery by credhook says."""
    assert record["event"] == name and record["valid"] is True, record
    assert record["response"] == {"status": 200} and record["method"] == "POST" and record["v"] == 1
    assert record["target"] == target and record["remote"].startswith("127.0.0.1:")
    types = [value for key, value in record["headers"] if key.lower() == "content-type"]
    assert types == ["application/json"], record["headers"]


def test_each_kind_by_itself():
    """build | send --file - | listen --capture | validate | replay, one listener per side, kind after kind."""
    folder = new_folder()
    first, second = folder / "first.ndjson", folder / "second.ndjson"
    built = []
    with Listener("--capture", first, "--limit", len(KINDS)) as one, \
         Listener("--capture", second, "--limit", len(KINDS)) as two:
        for number, name in enumerate(KINDS):
            payload = credhook("build", name, "--seed", number + 1).expect(0).out_bytes
            assert payload.endswith(b"\n") and payload.count(b"\n") == 1, payload
            (verdict,) = credhook("validate", "--json", "-", stdin=payload).expect(0).json()
            assert verdict["valid"] is True and verdict["event"] == name and verdict["findings"] == [], verdict
            sent = credhook("send", "--file", "-", "--to", f"{one.url}/hook?n={number}", "--json", stdin=payload)
            delivery = sent.expect(0).json()[0]
            assert delivery["event"] == name and delivery["outcome"] == "accepted", delivery
            built.append(payload[:-1])
        captured = capture_of(one, first, len(KINDS))
        for number, name in enumerate(KINDS):
            hold_record(captured[number], name, f"/hook?n={number}")
        assert bodies(first) == built
        verdicts = credhook("validate", "--json", first).expect(0).json()
        assert [verdict["event"] for verdict in verdicts if "event" in verdict] == KINDS, verdicts
        before = first.read_bytes()
        credhook("replay", first, "--to", two.url).expect(0)
        again = capture_of(two, second, len(KINDS))
        for number, name in enumerate(KINDS):
            hold_record(again[number], name, "/")
        assert bodies(second) == built and first.read_bytes() == before


def test_all_at_once():
    """send all makes the same payloads as build all with the same seed, in the same order."""
    folder = new_folder()
    first, second = folder / "first.ndjson", folder / "second.ndjson"
    built = credhook("build", "all", "--seed", 7).expect(0).out_bytes.splitlines()
    with Listener("--capture", first, "--limit", len(KINDS)) as one:
        sent = credhook("send", "all", "--seed", 7, "--to", one.url, "--json").expect(0).json()
        captured = capture_of(one, first, len(KINDS))
    assert [delivery.get("event") for delivery in sent[:-1]] == KINDS
    assert sent[-1]["type"] == "summary" and sent[-1]["accepted"] == len(KINDS)
    assert bodies(first) == built
    assert [record["event"] for record in captured] == KINDS
    credhook("validate", first).expect(0)
    with Listener("--capture", second, "--limit", len(KINDS)) as two:
        credhook("replay", first, "--to", two.url).expect(0)
        again = capture_of(two, second, len(KINDS))
    assert bodies(second) == built and [record["event"] for record in again] == KINDS
    stamps = [record["received_at"] for record in captured + again]
    assert stamps == sorted(stamps)


def test_pretty_files_of_a_folder():
    """build -o DIR/ writes pretty files; they travel with every space and newline they have."""
    folder = new_folder()
    payloads, capture = folder / "payloads", folder / "capture.ndjson"
    credhook("build", "all", "--seed", 3, "-o", f"{payloads}/").expect(0)
    files = sorted(path for path in payloads.rglob("*") if path.is_file())
    assert len(files) == len(KINDS), files
    verdicts = credhook("validate", "--json", payloads).expect(0).json()
    walked = [os.path.relpath(verdict["file"], payloads) for verdict in verdicts if "file" in verdict]
    assert sorted(walked) == sorted(str(path.relative_to(payloads)) for path in files)
    with Listener("--capture", capture, "--limit", len(files)) as listener:
        credhook("send", "--file", payloads, "--to", listener.url).expect(0)
        got = capture_of(listener, capture, len(files))
    assert [record["event"] for record in got] == [verdict["event"] for verdict in verdicts if "file" in verdict]
    named = {str(path.relative_to(payloads)): path.read_bytes() for path in files}
    assert bodies(capture) == [named[name] for name in walked]
    assert all(b"\n  " in body and body.endswith(b"}\n") for body in named.values())


if __name__ == "__main__":
    run()

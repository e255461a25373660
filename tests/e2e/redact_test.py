#!/usr/bin/python3
"""convert --redact of what a listener recorded: which values go, which are kept, and with which key; redact_formats_test.py
has the same of other inputs and formats."""
# rooms: cmd/show redact

import json
import re

from captures import record_of
from marks import EVENTS, Marks, converted, key_file, post, requests
from support import Listener, answers, credhook, new_folder, raw, records, run

def search_folder(marks, folder):
    for path in folder.iterdir():
        marks.find(path.name, path.read_bytes())
        marks.find("a name", path.name.encode())


def test_no_mark_is_seen():
    for extra in ([], ["-v"], ["--json"], ["--format", "har"]):
        source, folder, marks = new_folder(), new_folder(), Marks()
        with Listener("--capture", source / "capture.ndjson") as listener:
            whole = requests(marks)
            for one in whole:
                got = answers(raw(listener.host, listener.port, one, count=1))
                assert got and got[0].status == 200, got
            listener.stop().expect(0)
        result = credhook("convert", source / "capture.ndjson", "--redact", "-o", folder / "out", *extra).expect(0)
        marks.find("stdout", result.out_bytes)
        marks.find("stderr", result.err.encode())
        search_folder(marks, folder)
        assert re.search(r"verified: [\d,]+ original values, none found in its own record", result.err), result.err
        assert "har" in extra or len(records(folder / "out")) == len(whole)


def test_what_is_redacted_stays_valid_and_equal_in_all_files():
    folder = new_folder()
    key = key_file(folder)
    first, result = converted(folder, "a.ndjson", "--redact", "--redact-key", key)
    assert "random key" not in result.err
    second, _ = converted(folder, "b.ndjson", "--redact", "--redact-key", key,
                          requests_=[post(json.dumps(event).encode()) for event in reversed(EVENTS)])
    assert [record["body"] for record in first] == [record["body"] for record in reversed(second)]
    assert {record["redacted"]["key"] for record in first + second} == {first[0]["redacted"]["key"]}
    third, result = converted(folder, "c.ndjson")
    assert "random key" in result.err and third[0]["redacted"]["key"] != first[0]["redacted"]["key"]
    assert third[0]["body"] != first[0]["body"]
    credhook("validate", "--strict", folder / "a.ndjson", folder / "c.ndjson").expect(0)
    fakes = [json.loads(record["body"])["details"] for record in first]
    originals = [event["details"] for event in EVENTS]
    for name in ("clientKey", "userId", "appKey", "authToken", "reportKey"):
        pairs = {(o[name], f[name]) for o, f in zip(originals, fakes) if name in o}
        assert len({o for o, _ in pairs}) == len({f for _, f in pairs}) == len(pairs), name
        assert not {o for o, _ in pairs} & {f for _, f in pairs}, name


def test_a_key_that_others_can_read_or_guess_is_refused():
    folder = new_folder()
    for bad, words in ((key_file(folder, "open", mode=0o640), "0600"), (key_file(folder, "short", b"0123456789abcde"), "16 bytes"),
                       (key_file(folder, "long", b"x" * 5000), "4096")):
        result = credhook("convert", folder / "f", "--redact", "--redact-key", bad).expect(2)
        assert words in result.err, result
    assert "cannot open" in credhook("convert", folder / "f", "--redact", "--redact-key", folder / "none").expect(3).err
    assert "--redact" in credhook("convert", folder / "f", "--redact-key", key_file(folder)).expect(2).err


def test_what_is_named_is_kept():
    (kept,), result = converted(new_folder(), "c.ndjson", "--redact", "--keep", "details.firstName,details.address,details.other",
                                requests_=[post(json.dumps(EVENTS[0]).encode())])
    assert "--keep details.other: no payload has it" in result.err, result
    details, original = json.loads(kept["body"])["details"], EVENTS[0]["details"]
    assert details["firstName"] == original["firstName"] and details["address"] == original["address"]
    assert details["lastName"] != original["lastName"]
    assert "--redact" in credhook("convert", "x", "--keep", "details.bureau").expect(2).err
    assert "'a..b'" in credhook("convert", "x", "--redact", "--keep", "details.bureau,a..b").expect(2).err
    for path, field in (("bureau", "details.bureau"), ("details.firstname", "details.firstName")):
        result = credhook("convert", "x", "--redact", "--keep", f"details.address,{path}").expect(2)
        assert f"no event has a field '{path}'" in result.err and f"write {field};" in result.err, result
    credhook("convert", "c.ndjson", "--redact", "--keep", "/bureau", stdin=b"").expect(3)  # as it is: there is no such file


def test_codes_stay_one_to_one():
    """So that they can be counted, and filtered by their fakes; what only looks like a code does not stay either."""
    codes = ["TransUnion", "Equifax", "TransUnion", "EFX", "efx", "Anna Bauer, born 3 Mar 85"]
    event = next(one for one in EVENTS if one["service"] == "alerts")
    bodies = [json.dumps({**event, "details": {**event["details"], "bureau": code, "alertType": code}}) for code in codes]
    left, result = converted(new_folder(), "c.ndjson", requests_=[post(body.encode()) for body in bodies])
    fakes = [json.loads(one["body"])["details"]["bureau"] for one in left]
    assert fakes == [json.loads(one["body"])["details"]["alertType"] for one in left]
    assert len(set(zip(codes, fakes))) == len(set(codes)) == len(set(fakes)) and not set(fakes) & set(codes), fakes
    assert "Anna" not in json.dumps(left) and result.code == 0, result
    credhook("validate", "-", stdin="".join(one["body"] + "\n" for one in left)).expect(0)


def test_a_value_that_is_also_kept_is_no_leak():
    event = next(one for one in EVENTS if one["service"] == "alerts")
    details = {**event["details"], "bureau": "TransUnion", "alertDetails": {"disputeStatus": "Completion", "source": "TransUnion",
                                                                            "x": "Completion"}}
    body = json.dumps({**event, "details": details}).encode()
    head = b"POST / HTTP/1.1\r\nHost: h\r\nX-Bureau: TransUnion\r\nContent-Length: %d\r\n\r\n" % len(body)
    for args in ([], ["--keep", "details.bureau"]):
        left, result = converted(new_folder(), "c.ndjson", "--redact", *args, requests_=[head + body])
        assert result.code == 0 and "verified: " in result.err and len(left) == 1, result
        assert ("TransUnion" in json.dumps(left)) == ("--keep" in args), left
        places = "details.bureau, details.alertDetails.disputeStatus" if args else "details.alertDetails.disputeStatus"
        assert f"\n{'2 also stand where they are' if args else '1 also stands where it is'} kept: {places}\n" in result.err, result


def test_what_also_stands_where_it_is_kept_is_counted_as_that():
    """A person's name as the name of a score modifier: it is in the output, so it is not among what was not found."""
    event = next(one for one in EVENTS if "scoreModifiers" in one["details"])
    for name, counted in ("Bartholomew", True), ("clientKey", False), ("Zoe", False):
        verified = []
        for modifiers in {name: 1}, {}:
            body = json.dumps({**event, "details": {**event["details"], "scoreModifiers": modifiers, "memo": name}})
            left, result = converted(new_folder(), "c.ndjson", requests_=[post(body.encode())])
            verified.append(re.search(r"verified: ([\d,]+) original values, none found in its own record \((\d+) too", result.err).groups())
            said = "1 also stands where it is kept: details.scoreModifiers\n" in result.err
            assert said == (counted and modifiers != {}) and ("also stand" in result.err) == said, result
            assert result.code == 0 and (name in left[0]["body"]) == (modifiers != {} or name == "clientKey"), left
        assert (int(verified[1][0]) - int(verified[0][0]) == 1) == counted and verified[0][1] >= verified[1][1], verified
    body = json.dumps({**event, "details": {**event["details"], "Bartholomew": 1, "memo": "bartholomew"}})
    _, result = converted(new_folder(), "c.ndjson", "--redact", "--keep", "details.Bartholomew", requests_=[post(body.encode())])
    assert "1 also stands where it is kept: value of an unknown key\n" in result.err, result


def test_a_mark_without_the_digits_of_a_key_is_not_believed():
    folder = new_folder()
    for mark in ({}, {"key": "x"}, {"key": "00c0ffee", "note": "Margarita"}):
        source = folder / "marked.ndjson"
        source.write_text(json.dumps({**json.loads(record_of(1, post(b'{"x":"Margarita"}'))), "redacted": mark}) + "\n")
        result = credhook("convert", source, "--redact").expect(0)
        assert "Margarita" not in result.out and "already" not in result.err, result
        assert re.fullmatch("[0-9a-f]{8}", result.json()[0]["redacted"]["key"])


def test_a_word_that_all_records_have_is_not_taken_for_a_value():
    words = ["received_at", "remote", "method", "target", "headers", "body", "event", "redacted", "response", "status", "service",
             "details", "Content-Type", "Content-Length", "User-Agent", "text/plain", "keep-alive", "user-created", "charset",
             "webhooks"]
    folder = new_folder()
    made = []
    for word in words:
        body = json.dumps({"details": {"x": word, word: [word]}}).encode()
        head = f"POST /v1/webhooks HTTP/1.1\r\nHost: h\r\nUser-Agent: a\r\nAccept: text/plain\r\nConnection: keep-alive\r\nX: {word}\r\n"
        made.append(head.encode() + b"Content-Type: application/json; charset=utf-8\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    left, result = converted(folder, "c.ndjson", requests_=made)
    assert result.code == 0 and len(left) == len(words), result


def test_a_body_that_is_not_json_is_withheld_and_counted():
    folder = new_folder()
    left, result = converted(folder, "c.ndjson", requests_=[post(b"Jane Doe"), post(b'"\xff"')])
    assert result.code == 0 and "withheld 2 bodies" in result.err, result
    assert [one["redacted"]["withheld"] for one in left] == ["not-json", "not-utf8"]
    assert [one["body"] for one in left] == ["", ""]


if __name__ == "__main__":
    run()

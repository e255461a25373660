#!/usr/bin/python3
"""`credhook validate FILE... --against FILE|DIR`: what these have that no valid payload there has, each said once."""
# rooms: cmd/validate json payload

import functools
import gzip
import json
import os
import re

from support import built, credhook, new_folder, run

BUREAU = "bureau-alert"


built_once = functools.cache(built)


def payload(event=BUREAU, **changes):
    """A payload with members of details replaced or added; None takes one out."""
    made = json.loads(built_once(event))
    for name, value in changes.items():
        if value is None:
            del made["details"][name]
        else:
            made["details"][name] = value
    return made


def file_of(*payloads, name="x.ndjson"):
    path = new_folder() / name
    path.write_text("".join(json.dumps(p) + "\n" for p in payloads))
    return path


def found(inputs, against, *args, code=0):
    """(event, pointer, finding) of each finding."""
    result = credhook("validate", inputs, "--against", against, "--json", *args).expect(code)
    return [(line["event"], finding["pointer"], finding["finding"]) for line in result.json() for finding in line["findings"]]


def day(count=800):
    """25 kinds, `count` of each."""
    return [json.loads(line) for line in credhook("build", "all", "--seed", "3", "--count", count).expect(0).out.splitlines()]


def changed(payloads):
    """Three new things: a key in a third of the alerts, a code once, a type at a place that is there."""
    alerts = [p for p in payloads if p["service"] == "alerts"]
    for number, alert in enumerate(alerts):
        if number % 3 == 0:
            alert["details"]["riskTier"] = "A"
    alerts[700]["details"]["alertType"] = "NEW_TYPE"
    alerts[701]["details"]["alertDetails"]["note"] = 5
    return payloads


def with_note(payloads):
    for alert in [p for p in payloads if p["service"] == "alerts"]:
        alert["details"]["alertDetails"]["note"] = "text"
    return payloads


def test_three_new_things_among_20000_are_said_once():
    yesterday, today = file_of(*with_note(day()), name="yesterday.ndjson"), file_of(*changed(with_note(day())))
    texts = []
    for most in {0}, os.sched_getaffinity(0):
        allowed = os.sched_getaffinity(0)
        os.sched_setaffinity(0, most & allowed or allowed)
        try:
            texts.append(credhook("validate", today, "--against", yesterday).expect(0))
        finally:
            os.sched_setaffinity(0, allowed)
    assert texts[0].out == texts[1].out and texts[0].err == texts[1].err
    out = texts[0].out
    assert out.count("details.riskTier is new, a string [unseen]") == 3, out
    assert out.count(f'alertType "NEW_TYPE" is new; {yesterday} has 1 other [unseen]') == 1, out
    assert len(re.findall(r"details\.alertDetails\.note is a number, which is new; .* has a string \[unseen\]", out)) == 1, out
    rows = [line.split() for line in out.splitlines() if re.match(r" +\d+  bureau-alert", line)]
    assert rows == [["267", BUREAU, "details.riskTier", "[unseen]"], ["1", BUREAU, "details.alertType", "[unseen]"],
                    ["1", BUREAU, "details.alertDetails.note", "[unseen]"]], rows
    assert "20,000 payloads: 20,000 valid, 0 invalid; 269 warnings (3 different)" in texts[0].err
    credhook("validate", today, "--against", yesterday, "--strict").expect(1)


def test_a_day_has_nothing_new_against_itself_and_its_fixtures():
    today = file_of(*changed(with_note(day(40) * 20)))
    golden = new_folder() / "golden"
    credhook("convert", today, "--distinct", "-o", f"{golden}/").expect(0)
    zipped = new_folder() / "today.ndjson.gz"
    zipped.write_bytes(gzip.compress(today.read_bytes()))
    for other in today, golden, zipped:
        result = credhook("validate", today, "--against", other).expect(0)
        assert result.out == "" and "not seen" not in result.err, result


def test_kinds_keys_types_and_elements():
    known = payload(deep={"list": [1, "x"], "none": [], "both": None})
    other = file_of(known, payload(deep={"list": [], "none": [], "both": 1}))
    at = "/details/deep"
    for change, expected in (({"list": [2.5, "y", 3], "none": [], "both": 7}, []),
                             ({"list": [True, False], "none": [], "both": 1}, [f"{at}/list/0"]),
                             ({"list": [], "none": [{}], "both": 1}, [f"{at}/none/0"]),
                             ({"list": [], "none": [], "both": "x"}, [f"{at}/both"]),
                             ({"more": {"a": {"b": 1}}, "than": 1}, [f"{at}/more", f"{at}/than"]),
                             ([1], [at])):
        expected = [(BUREAU, pointer, "unseen") for pointer in expected]
        assert found(file_of(payload(deep=change)), other) == expected, change
    assert found(file_of(payload("user-created")), other) == [("user-created", "/event", "unseen")]
    email, phone = payload("monitored-element-added/email"), payload("monitored-element-added/phone")
    assert found(file_of(phone), file_of(email)) == [("monitored-element-added/phone", "/path", "unseen")]


def test_a_known_key_is_no_finding_and_a_new_one_is_no_unknown_key():
    other = file_of(payload(riskTier="A"))
    assert found(file_of(payload(riskTier="B")), other) == []
    new = file_of(payload(riskTier="B", fresh=1))
    assert found(new, other) == [(BUREAU, "/details/fresh", "unseen")]
    assert found(new, other, "--ignore", "unknown-key") == [(BUREAU, "/details/fresh", "unseen")]
    assert found(new, other, "--ignore", "unseen:details.fresh") == []
    assert found(new, other, "--ignore", "unseen") == []
    # An invalid payload is not compared; of its unknown keys only those count that nobody knows.
    broken = file_of(payload(riskTier="B", fresh=1, bureau=None))
    assert found(broken, other, code=1) == [(BUREAU, "/details/bureau", "missing-key"), (BUREAU, "/details/fresh", "unknown-key")]


def test_only_valid_payloads_count_on_the_other_side():
    other = file_of(payload(), payload(fresh=1, bureau=None))
    result = credhook("validate", file_of(payload(fresh=1)), "--against", other).expect(0)
    assert "details.fresh is new, a number" in result.out, result
    assert f"{other}: 1 of 2 payloads invalid, not compared with" in result.err, result
    assert "1 of 2" in credhook("validate", "-q", file_of(payload()), "--against", other).expect(0).err
    # What is a warning there with --strict here is valid there.
    assert found(file_of(payload(fresh=1)), file_of(payload(fresh=2)), "--strict") == []


def test_values_of_codes_are_compared_from_100_payloads_on():
    new = file_of(payload(bureau="new"))
    for count, expected in (99, []), (100, [(BUREAU, "/details/bureau", "unseen")]):
        assert found(new, file_of(*[payload()] * count)) == expected, count
    # From 50 values on they are data.
    for count, expected in (49, [(BUREAU, "/details/bureau", "unseen")]), (50, []):
        other = file_of(*[payload(bureau=f"b{i % count}") for i in range(100)])
        assert found(new, other) == expected, count
        result = credhook("validate", new, "--against", other).expect(0)
        assert ("not compared, having 50 values or more: bureau of bureau-alert\n" in result.err) == (count == 50), result
        assert "not compared" not in credhook("validate", file_of(payload("user-created")), "--against", other).expect(0).err
    # Fixtures of one of each are enough of them.
    golden = new_folder() / "golden"
    credhook("convert", file_of(payload()), "--distinct", "-o", f"{golden}/").expect(0)
    assert found(new, golden) == [(BUREAU, "/details/bureau", "unseen")]


def strange(count):
    """That many alerts with codes that nobody else has."""
    return [payload(bureau=f"b{number % 5}", alertType=f"t{number % 3}") for number in range(count)]


def test_codes_that_have_nothing_in_common_are_one_line():
    against = file_of(*[payload()] * 100)
    note = re.compile(r"has none of the codes here \((\d+) values of ([^)]*)\): is one of both redacted\?.*--redact-key")
    result = credhook("validate", file_of(*strange(40)), "--against", against).expect(0)
    assert result.out == "" and note.search(result.err)[1] == "80", result
    assert set(note.search(result.err)[2].split(", ")) == {"details.bureau", "details.alertType"}, result
    assert "40 payloads: 40 valid, 0 invalid\n" in result.err, result
    # What else is new is said as always, in the same order as with the values.
    new = strange(20) + [payload(bureau="b0", alertType="t0", riskTier="A")]
    result = credhook("validate", file_of(*new), "--against", against).expect(0)
    assert result.out.count("[unseen]") == 1 and "details.riskTier is new" in result.out and note.search(result.err), result
    assert "; 1 warning\n" in result.err, result
    # One that is known, be it the last: then each one is said.
    result = credhook("validate", file_of(*strange(40), payload()), "--against", against).expect(0)
    assert not note.search(result.err) and "80 warnings (2 different)" in result.err, result
    assert result.out.count(" is new; ") == 6 and "    40  bureau-alert  details.bureau [unseen]" in result.out, result
    # So where all are wanted, where they are errors, and where there are few.
    for args, count, code in ((("-v",), 80, 0), (("--strict",), 6, 1)):
        result = credhook("validate", file_of(*strange(40)), "--against", against, *args).expect(code)
        assert result.out.count(" is new; ") == count and not note.search(result.err), result
    result = credhook("validate", file_of(*strange(4)), "--against", against).expect(0)
    assert "8 warnings" in result.err and not note.search(result.err), result
    assert len(found(file_of(*strange(40)), against)) == 80


def test_values_that_were_not_compared_are_not_missing():
    day = file_of(*[payload()] * 100)
    for count, missing in (99, False), (100, True):
        for bureau in payload()["details"]["bureau"], "other":
            other = file_of(*[payload(bureau=bureau)] * count)
            result = credhook("validate", day, "--against", other).expect(0)
            assert ('with bureau "other"' in result.err) == (missing and bureau == "other"), (count, result)
            assert ("not seen here" in result.err) == (missing and bureau == "other"), (count, result)


def test_a_nul_does_not_end_a_value_or_a_key():
    strange = payload(bureau="a\0" + "b" * 60, **{"key\0" + "x" * 60: 1})
    other = file_of(*[strange] * 100)
    assert found(file_of(strange), other) == []
    assert found(file_of(payload(bureau="a\0" + "c" * 60)), other) == [(BUREAU, "/details/bureau", "unseen")]
    result = credhook("validate", file_of(*[strange] * 100), "--against", file_of(*[payload()] * 100)).expect(0)
    assert "200 warnings (2 different)" in result.err, result


def test_many_keys_of_one_object_are_data():
    names = {f"k{i}": 1 for i in range(32)}
    other = file_of(payload(open=names))
    assert found(file_of(payload(open={"k0": 1, "new": 1})), other) == [(BUREAU, "/details/open/new", "unseen")]
    assert found(file_of(payload(open={**names, "new": 1})), other) == []
    assert found(file_of(payload(open={**names, "new": "x"})), other) == [(BUREAU, "/details/open/new", "unseen")]
    # No key is named as if it had another type: the types are those of all of them.
    for details, known in ({"open": {f"n{i}": 1 for i in range(40)}}, {"open": {"note": "x"}}), \
            ({"open": {"note": "x"}}, {"open": {f"n{i}": 1 for i in range(40)}}):
        result = credhook("validate", file_of(payload(**details)), "--against", file_of(payload(**known))).expect(0)
        assert len(re.findall(r"warning: a value in details\.open is a (number|string), which is new; .* has a (number|string) \[unseen\]",
                              result.out)) == 1 and "which is new" in result.out, result
    more = file_of(payload(open={**names, "k32": 1}))
    assert found(file_of(payload(open={"other": 2})), more) == []
    assert found(file_of(payload(open={"other": "x"})), more) == [(BUREAU, "/details/open/other", "unseen")]
    score = payload("credit-score-simulated", scoreModifiers={"a": 1})
    assert found(file_of(payload("credit-score-simulated", scoreModifiers={"b": 2})), file_of(score)) == []
    assert found(file_of(payload("credit-score-simulated", scoreModifiers={"b": "x"})), file_of(score)) != []


def test_more_keys_than_are_kept_are_not_compared_and_that_is_said():
    objects = [{f"o{n}": {f"p{a}": {f"q{b}": {f"r{c}": 1 for c in range(32)} for b in range(32)} for a in range(32)}} for n in range(3)]
    other = file_of(payload(**objects[0]), payload(**objects[1]), payload(**objects[2]))
    result = credhook("validate", "-q", file_of(payload(fresh=1)), "--against", other).expect(0)
    assert result.out == "" and "more than 65536 different keys in 1 kind" in result.err, result


def test_what_only_the_other_side_has_is_a_note():
    other = file_of(payload(extra={"a": 1}, more=[]), payload("user-created"), name="golden.ndjson")
    result = credhook("validate", file_of(payload()), "--against", other).expect(0)
    assert result.out == "" and "not seen here: user-created, 2 more (-v)" in result.err, result
    result = credhook("validate", "-v", file_of(payload()), "--against", other).expect(0)
    assert "not seen here: user-created, bureau-alert with details.extra, bureau-alert with details.more\n" in result.err, result
    assert credhook("validate", "-q", file_of(payload()), "--against", other).expect(0).err == ""
    either = file_of(payload(extra={"a": 1}), payload(extra={"a": "x"}))
    result = credhook("validate", file_of(payload(extra={"a": 2})), "--against", either).expect(0)
    assert "not seen here: bureau-alert with details.extra.a as a string\n" in result.err, result
    # What --strict makes an error of was compared, what is invalid by itself was not.
    others = file_of(payload(), payload("user-created"), payload("user-token-generated"))
    for change, missing in (None, True), ({"ttlInMinutes": "x"}, True), ({"fresh": 1}, False):
        more = [payload("user-token-generated", **change)] if change else []
        inputs = file_of(payload(fresh=1), payload("user-created", fresh=1), *more)
        for options, code in ((), 1 if more and missing else 0), (("--strict",), 1):
            result = credhook("validate", inputs, "--against", others, *options).expect(code)
            assert ("not seen here: user-token-generated\n" in result.err) == ("not seen" in result.err) == missing, result
    strange = file_of(payload(**{"a\0b": 1, "long" * 100000: {}}))
    result = credhook("validate", "-v", file_of(payload()), "--against", strange).expect(0)
    assert re.search(r"with details\.a\\x00b, bureau-alert with details\.(long)+.*\.\.\..*long\n", result.err), result.err[:400]
    assert len(result.err) < 400, len(result.err)


def test_what_cannot_be_compared_with_ends_it():
    folder, good = new_folder(), file_of(payload())
    result = credhook("validate", good, "--against", folder / "none").expect(3)
    assert "cannot open" in result.err and "nothing compared" in result.err and result.out == "", result
    result = credhook("validate", good, "--against", file_of(payload(bureau=None))).expect(1)
    assert "no valid payload" in result.err and "1 payload" not in result.err, result
    credhook("validate", good, "--against", folder).expect(1)
    assert "standard input" in credhook("validate", "-", "--against", "-").expect(2).err
    report = folder / "golden.xml"
    credhook("validate", good, "--report", f"junit={report}").expect(0)
    assert "read" in credhook("validate", good, "--against", report, "--report", f"junit={report}").expect(2).err


def test_a_capture_is_compared_by_its_bodies():
    records = [json.dumps({"v": 1, "received_at": "2026-01-02T03:04:05.000000Z", "headers": [["Content-Type", "application/json"]],
                           "body": json.dumps(p)}) for p in (payload(), payload(fresh=1))]
    capture = new_folder() / "c.ndjson"
    capture.write_text("\n".join(records) + "\n")
    assert found(file_of(payload(fresh=2)), capture) == []
    assert found(capture, file_of(payload())) == [(BUREAU, "/details/fresh", "unseen")]


if __name__ == "__main__":
    run()

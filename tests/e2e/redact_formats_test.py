#!/usr/bin/python3
"""convert --redact of any input into any format: nothing of a person is left, and no verdict changes; redact_test.py has the
keys and what is kept."""
# rooms: cmd/show redact

import base64
import json
import random
import re
import subprocess
import time

from captures import alert, entry, har, record, record_of, write, write_capture
from marks import EVENTS, Marks, converted, key_file, percent, requests
from support import DEADLINE, binary, choices, credhook, defects, environment, launch, new_folder, records, run

FORMATS = [form for form in choices("convert", "format") if form != "html"]


def marked_record(number, request, marks):
    """Such a request with what only others than a listener write into a record; its body, too, is in base64."""
    whole = json.loads(record_of(number, request, event=marks.new(), remote=f"192.0.2.7:{marks.new()}", comment=marks.new(),
                                 response={"status": 500, "body": marks.new()}))
    if "body" in whole:
        whole["body_base64"] = base64.b64encode(whole.pop("body").encode()).decode()
    return json.dumps(whole).encode() + b"\n"


def marked_capture(marks):
    bad = [json.dumps({"v": 1, "received_at": marks.new(), "body": marks.new()}), '{"v":1,"received_at":"' + marks.new(),
           json.dumps({**json.loads(record(1)), "method": marks.new()}), marks.new() + " not JSON"]
    return b"".join(marked_record(number, one, marks) for number, one in enumerate(requests(marks), 1)) + "\n".join(bad).encode()


def body(marks):
    whole = json.loads(alert(1))
    return json.dumps({**whole, "details": marks.in_all(whole["details"]), marks.new(): marks.new()})


def marked_har(marks):
    pair = lambda: {"name": marks.new(), "value": marks.new(), "comment": marks.new()}  # noqa: E731
    entries = []
    for more in ({}, {"method": f"M{marks.new()}"}, {"headers": [{"name": "Content-Length", "value": marks.new()}]},
                 {"postData": {"mimeType": "x", "params": [pair()], "comment": marks.new()}}, {"headers": marks.new()},
                 {"headers": [{"name": "X " + marks.new(), "value": marks.new()}]}, {"url": f"http://h/ {marks.new()}"}):
        one = entry(body(marks))
        url = f"https://{marks.new()}:{marks.new()}@h{marks.new()}.example/{marks.new()}?{marks.new()}={percent(marks.new())}#{marks.new()}"
        one["request"].update({"url": url, "queryString": [pair()], "cookies": [pair()], "comment": marks.new(), **more})
        if "headers" not in more:
            one["request"]["headers"] += [pair(), {"name": "Cookie", "value": f"a={marks.new()}"}]
        one["response"] = {"status": 200, "statusText": marks.new(), "headers": [pair()], "cookies": [pair()],
                           "content": {"text": body(marks), "comment": marks.new()}, "redirectURL": marks.new()}
        one.update({"comment": marks.new(), "serverIPAddress": marks.new(), "pageref": marks.new(), "connection": marks.new()})
        entries.append(one)
    return har(*entries).replace("WebInspector", marks.new()).replace('"title": "x"', f'"title": "{marks.new()}"')


def test_no_mark_is_left_of_any_input_in_any_format():
    for make in (marked_capture, marked_har):
        marks = Marks()
        path = write(make(marks), "input")
        for form in FORMATS:
            out = new_folder() / "out"
            what = f"{make.__name__} as {form}: "
            result = credhook("convert", path, "--redact", "-v", "--format", form, "-o", out)
            assert result.code in (0, 1) and "verified: " in result.err, result
            marks.find(what + "the file", out.read_bytes())
            marks.find(what + "stderr", result.err.encode() + result.out_bytes)
            assert re.search(r"^[1-9]\d* records? written", result.err, re.M), result
        for extra in (["--json"], ["--events", "bureau-alert"]):
            result = credhook("convert", path, "--redact", *extra)
            marks.find(f"{make.__name__} {extra}", result.err.encode() + result.out_bytes)


def payloads():
    """Valid and broken, of all events."""
    lines = credhook("build", "all", "--seed", 1).expect(0).out + credhook("build", "all", "--variants", "--seed", 2).expect(0).out
    for finding in defects():
        lines += credhook("build", "all", "--break", finding, "--seed", 3, "-q").expect(0).out
    return lines.splitlines()


def verdicts(path):
    """Of each payload; the name of an unknown key is replaced, and a body that is not JSON is withheld."""
    rows = []
    for row in credhook("validate", "--json", path).json():
        places = [(f["finding"], f["pointer"].rpartition("/")[0] if f["finding"] == "unknown-key" else f["pointer"])
                  for f in row["findings"]]
        rows.append((row["event"], row["valid"], places))
    return rows


def test_verdicts_and_findings_stay():
    lines = payloads()
    path = write_capture(len(lines), lambda number: record(number, lines[number - 1]))
    before = verdicts(path)
    assert len(before) == len(lines) > 300
    for form in FORMATS:
        out = path.parent / f"x.{form}"
        credhook("convert", path, "--redact", "--format", form, "-o", out).expect(0)
        expected = before if form == "ndjson" else [row for row in before if "json-syntax" not in dict(row[2])]
        kept = [row if "json-syntax" not in dict(row[2]) else (row[0], row[1], [("json-syntax", None)]) for row in expected]
        after = [row if "json-syntax" not in dict(row[2]) else (row[0], row[1], [("json-syntax", None)]) for row in verdicts(out)]
        assert after == kept, (form, [pair for pair in zip(kept, after) if pair[0] != pair[1]][:3])


def test_one_key_makes_the_same_fakes_everywhere():
    folder = new_folder()
    key = key_file(folder)
    heard, _ = converted(folder, "heard.ndjson", "--redact", "--redact-key", key)
    payload_file = folder / "payloads.ndjson"
    payload_file.write_text("".join(json.dumps(event) + "\n" for event in reversed(EVENTS)))
    other = folder / "other.har"
    credhook("convert", payload_file, "--format", "har", "-o", other).expect(0)
    for path in (payload_file, other):
        result = credhook("convert", path, "--redact", "--redact-key", key).expect(0)
        assert [row["body"] for row in result.json()] == [row["body"] for row in reversed(heard)]
        assert {row["redacted"]["key"] for row in result.json()} == {heard[0]["redacted"]["key"]}
        assert "random key" not in result.err, result
    result = credhook("convert", payload_file, "--redact").expect(0)
    assert "random key" in result.err and result.json()[0]["body"] != heard[-1]["body"], result


def test_a_second_pass_has_nothing_to_do():
    folder = new_folder()
    path = write_capture(3, folder=folder)
    credhook("convert", path, "--redact", "-o", folder / "once.ndjson").expect(0)
    result = credhook("convert", folder / "once.ndjson", "--redact", "-o", folder / "twice").expect(2)
    assert "3 records are already redacted" in result.err and not (folder / "twice").exists(), result
    result = credhook("convert", folder / "once.ndjson", "--redact").expect(2)
    assert result.out_bytes == (folder / "once.ndjson").read_bytes(), result
    other = credhook("convert", folder / "once.ndjson", "--redact", "--format", "har", "-o", folder / "x.har").expect(0)
    assert "3 already redacted, not changed" in other.err and "random key" not in other.err, other
    both = credhook("convert", folder / "once.ndjson", write_capture(2), "--redact").expect(0)
    assert both.out_bytes.startswith((folder / "once.ndjson").read_bytes()) and len(both.json()) == 5
    assert "3 already redacted" in both.err and "random key" in both.err, both


def test_the_key_is_not_replaced():
    key = key_file(new_folder())
    before = key.read_bytes()
    result = credhook("convert", write_capture(1), "--redact", "--redact-key", key, "-o", key).expect(2)
    assert "not replaced" in result.err and key.read_bytes() == before, result


def test_a_word_of_a_format_is_not_taken_for_a_value():
    words = ["startedDateTime", "queryString", "postData", "httpVersion", "redirectURL", "headersSize", "timings", "statusText",
             "creator", "Unprocessable Content", "http://127.0.0.1", "2026-01-02T03:00:00.001"]
    body_of = json.dumps({"details": {"x": words, **{word: word for word in words}}})
    path = write_capture(1, lambda number: record(number, body_of, response={"status": 422}))
    for form in FORMATS:
        result = credhook("convert", path, "--redact", "--format", form).expect(0)
        assert "verified: " in result.err, result


def test_a_body_that_is_withheld():
    path = write_capture(3, lambda number: record(number, alert(1) if number == 2 else "Jane Doe"))
    result = credhook("convert", path, "--redact").expect(0)
    assert "withheld 2 bodies" in result.err, result
    assert [row["redacted"].get("withheld") for row in result.json()] == ["not-json", None, "not-json"]
    for form in FORMATS[1:]:
        file = write(result.out_bytes, "redacted")
        for args in ([path, "--redact"], [file]):
            there = credhook("convert", *args, "--format", form).expect(0)
            assert "2 records left out: a body that redaction withheld" in there.err, (form, there)
        assert len(credhook("convert", write(there.out_bytes, "x")).expect(0).json()) == 1


LEAK = "an original value (host) is also in a part that is kept"
HOSTILE = "too many similar values to prove that none is left"


def unproven(number):
    """The 2nd has a value that each fake of its kind contains; the 4th so many that are alike that the search gives up."""
    if number == 2:
        return record(number, alert(number), headers=[["Host", "Example"], ["Content-Type", "application/json"]])
    if number == 4:
        return record(number, json.dumps({"details": {"bureau": "abcdef-" * 3000, "x": [f"abcdef{i:05d}-{i % 7}" for i in range(20000)]}}))
    return record(number, alert(number))


def test_a_record_that_cannot_be_proven_is_left_out_and_named():
    folder = new_folder()
    path = write_capture(5, unproven, folder)
    for form in FORMATS:
        out = folder / f"out.{form}"
        result = credhook("convert", path, "--redact", "--keep", "details.bureau", "--format", form, "-o", out).expect(1)
        assert f"{path}:2: left out: {LEAK}\n" in result.err and f"{path}:4: left out: {HOSTILE}\n" in result.err, result
        assert result.err.count(": left out: ") == 2 and "2 records left out: cannot prove that no original value is left" in result.err, result
        assert f"3 records written to {out}\n" in result.err and "verified: " in result.err, result
        assert "abcdef" not in result.err + out.read_text(encoding="utf-8"), result
        kept = [json.loads(row["body"])["details"]["bureau"] for row in credhook("convert", out, "--format", "ndjson").expect(0).json()]
        assert kept == ["b"] * 3, kept
    one = entry(alert(1), headers=[{"name": "Host", "value": "EXAMPLE"}])
    path = write(har(entry(alert(1)), one), "x.har")
    result = credhook("convert", path, "--redact", "--format", "ndjson").expect(1)
    assert f"{path}: entry 2: left out: {LEAK}\n" in result.err and len(result.json()) == 1, result


def test_of_many_that_cannot_be_proven_the_first_are_named():
    for count, named in (20, 20), (21, 20):
        path = write_capture(count, lambda number: record(number, alert(number), headers=[["Host", "example"]]))
        result = credhook("convert", path, "--redact").expect(1)
        assert result.out == "" and result.err.count(f": left out: {LEAK}\n") == named, result
        assert f"{count} records left out: cannot prove that no original value is left" in result.err, result
        result = credhook("convert", path, "--redact", "-o", "x", cwd=(folder := new_folder())).expect(1)
        assert "no record is left to write; 'x' not written" in result.err and " written to " not in result.err, result
        assert not list(folder.iterdir()), result


PEOPLE = [f"{first} {last}" for first in ("Anna", "Margarita", "Jonathan", "Monica", "Robert", "Katharina", "Elizabeth", "Bernard")
          for last in ("Bauer", "Fitzgerald", "Oppenheimer", "Nakamura", "Castellano", "Andersson")]
PLACES = ("12 Kingfisher Lane", "Wolverhampton", "99b Boulevard Haussmann", "Sant Feliu de Llobregat", "PO Box 4711 Springfield")
BANKS = ("TransUnion", "Equifax", "Experian", "DE89370400440532013000", "GB29NWBK60161331926819", "FR1420041010050500013M02606")
TEXTS = ("born 3 Mar 85", "call her on +1 (415) 555-0132 after six", "owes 12,345.67 since 2019-04-01, see the letter",
         "her mother's maiden name is Oppenheimer", "e-mail anna.bauer@example.com or write", "social security 078-05-1120")


def natural(choose):
    """A record that has people in every place that is open, the same ones in several."""
    some = lambda: choose.choice([choose.choice(PEOPLE), choose.choice(PLACES), choose.choice(BANKS), choose.choice(TEXTS),  # noqa: E731
                                  f"{choose.choice(PEOPLE)}, {choose.choice(TEXTS)}"])
    event = json.loads(json.dumps(choose.choice(EVENTS)))
    for key, value in event["details"].items():
        if isinstance(value, str) and key not in ("offCycle", "clientKey", "appKey", "authToken", "reportKey"):
            event["details"][key] = some()
        elif key == "address":
            event["details"][key] = {part: choose.choice(PLACES) for part in value}
    event["details"].update({some(): some(), "alertDetails": {"disputeStatus": "Completion", "source": some(), some(): [some(), "Completion"]},
                             "scoreModifiers": {choose.choice(PEOPLE): 12}})
    if choose.random() < 0.1:
        event[choose.choice(["service", "event", "method", "path"])] = some()
    return json.dumps(event, ensure_ascii=choose.random() < 0.5)


def test_no_natural_value_is_left_and_no_record_for_chance():
    choose = random.Random(7)
    path = write_capture(3000, lambda number: record(number, natural(choose), headers=[
        ["Host", "hooks.example.com"], ["Content-Type", "application/json"], ["X-Bureau", choose.choice(BANKS)],
        ["X-Customer", choose.choice(PEOPLE)]], target="/hook/" + choose.choice(PEOPLE).replace(" ", "%20") + "?q=" + choose.choice(BANKS)))
    for form in FORMATS:
        result = credhook("convert", path, "--redact", "--format", form).expect(0)
        assert "verified: " in result.err and "left out" not in result.err, result.err
        out = result.out.lower()
        for original in (*PEOPLE, *PLACES, *BANKS, *TEXTS):
            for some in (original.lower(), original.lower().replace(" ", "%20"), json.dumps(original)[1:-1].lower()):
                assert some not in out, (form, some)


def test_a_live_capture_through_a_pipe():
    folder = new_folder()
    key = key_file(folder)
    script = (f"exec {binary()} listen 0 --json -v --limit 2 --ready-file {folder}/url | "
              f"{binary()} convert - --redact --redact-key {key} >> {folder}/kept.ndjson")
    with subprocess.Popen(["/bin/sh", "-c", script], env=environment(), stderr=subprocess.PIPE) as process:
        until = time.monotonic() + DEADLINE
        while not (folder / "url").exists():
            assert time.monotonic() < until
            time.sleep(0.01)
        for event in EVENTS[:2]:
            (folder / "event").write_text(json.dumps(event))
            credhook("send", "--file", folder / "event", "--to", (folder / "url").read_text().strip()).expect(0)
        assert process.wait() == 0 and b"verified: " in process.stderr.read()
    kept = records(folder / "kept.ndjson")
    assert len(kept) == 2 and all(row["redacted"]["key"] and row["valid"] for row in kept)
    assert EVENTS[0]["details"]["clientKey"] not in (folder / "kept.ndjson").read_text()


def test_records_are_passed_on_as_they_come():
    with launch("convert", "-", "--redact", stdin=subprocess.PIPE) as process:
        for number in range(1, 4):
            process.stdin.write(record(number, alert(number)))
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["method"] == "POST"
        process.stdin.close()
        assert process.wait() == 0 and b"verified: " in process.stderr.read()


if __name__ == "__main__":
    run()

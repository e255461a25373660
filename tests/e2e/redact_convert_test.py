#!/usr/bin/python3
"""convert --redact: nothing of a person is left, whatever was read and whatever is written, and nothing else changes."""

import base64
import json
import re
import subprocess

from captures import record, write_capture
from formats_test import alert, aws_1, aws_2, balancer, entry, har, write
from redact_test import EVENTS, Marks, converted, key_file, percent, records, requests
from support import binary, credhook, environment, new_folder, run

FORMATS = ("ndjson", "har")
SECRET = "margarita"


def record_of(request, number, marks):
    """What a listener writes of such a request, and what only others write into a record."""
    head, _, body = request.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    whole = json.loads(record(number, event=marks.new(), remote=f"192.0.2.7:{marks.new()}", target=first.split(" ")[1],
                              headers=[line.split(": ", 1) for line in lines], comment=marks.new(),
                              response={"status": 500, "body": marks.new()}))
    del whole["body"]
    whole["body_base64"] = base64.b64encode(body).decode()
    return json.dumps(whole).encode() + b"\n"


def marked_capture(marks):
    bad = [json.dumps({"v": 1, "received_at": marks.new(), "body": marks.new()}), '{"v":1,"received_at":"' + marks.new(),
           json.dumps({**json.loads(record(1)), "method": marks.new()}), marks.new() + " not JSON"]
    return b"".join(record_of(one, number, marks) for number, one in enumerate(requests(marks), 1)) + "\n".join(bad).encode()


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


def marked_aws(marks):
    events = [one(body(marks)) for one in (aws_1, aws_2, balancer)]
    for event in events:
        event["headers"].update({f"x-{marks.new()}": marks.new(), "cookie": marks.new()})
        event["requestContext"].update({"accountId": marks.new(), "identity": {"sourceIp": f"192.0.2.9{marks.new()}"}})
        event.update({"stageVariables": {marks.new(): marks.new()}, "pathParameters": {"x": marks.new()}})
    events[0].update({"path": f"/{marks.new()}", "multiValueQueryStringParameters": {marks.new(): [marks.new()]}})
    events[1].update({"rawPath": f"/{marks.new()}", "rawQueryString": marks.new(), "cookies": [marks.new()]})
    return json.dumps(events)


def test_no_mark_is_left_of_any_input_in_any_format():
    for make in (marked_capture, marked_har, marked_aws):
        marks = Marks()
        path = write("input", make(marks))
        for form in FORMATS:
            out = new_folder() / "out"
            what = f"{make.__name__} as {form}: "
            result = credhook("convert", path, "--redact", "-v", "--format", form, "-o", out)
            assert result.code in (0, 1) and "verified: " in result.err, result
            marks.find(what + "the file", out.read_bytes())
            marks.find(what + "stderr", result.err.encode() + result.out_bytes)
            assert re.search(r"^[1-9]\d* records? written", result.err, re.M), result
        for extra in (["--json"], ["--preview"], ["--preview", "--json"], ["--events", "bureau-alert", "--strict"]):
            result = credhook("convert", path, "--redact", *extra)
            marks.find(f"{make.__name__} {extra}", result.err.encode() + result.out_bytes)


def payloads():
    """Valid and broken, of all events."""
    lines = credhook("build", "all", "--seed", 1).expect(0).out + credhook("build", "all", "--variants", "--seed", 2).expect(0).out
    for finding in ("duplicate-key", "wrong-type", "missing-key", "unexpected-path", "unknown-event", "bad-format", "bad-value",
                    "unknown-key", "empty-string", "not-integer-literal", "json-syntax"):
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
    credhook("convert", folder / "once.ndjson", "--redact", "--format", "har", "-o", folder / "x.har").expect(0)
    both = credhook("convert", folder / "once.ndjson", write_capture(2), "--redact").expect(0)
    assert both.out_bytes.startswith((folder / "once.ndjson").read_bytes()) and len(both.json()) == 5
    assert "3 already redacted" in both.err, both


def test_keys_and_policies():
    folder = new_folder()
    path = write_capture(1, lambda number: record(number, json.dumps(EVENTS[0]), headers=[["X-Trace", "t1"]]))
    for bad, words in ((key_file(folder, "open", mode=0o640), "0600"), (key_file(folder, "short", b"0123456789abcde"), "16 bytes")):
        result = credhook("convert", path, "--redact", "--redact-key", bad, "-o", folder / "out").expect(2)
        assert words in result.err and not (folder / "out").exists(), result
    key, policy = key_file(folder), folder / "policy.json"
    assert "--redact" in credhook("convert", path, "--redact-key", key).expect(2).err
    policy.write_text(json.dumps({"fields": {"details.firstName": "keep", "details.lastName": "drop"}, "headers": ["X-Trace"]}))
    row = credhook("convert", path, f"--redact={policy}").expect(0).json()[0]
    details = json.loads(row["body"])["details"]
    assert details["firstName"] == EVENTS[0]["details"]["firstName"] and "lastName" not in details
    assert row["headers"] == [["X-Trace", "t1"]]
    result = credhook("convert", path, "--redact", policy).expect(3)  # without the =, a file to convert
    assert "use --redact=FILE" in result.err and result.out == "", result
    for file in (key, policy):
        before = file.read_bytes()
        result = credhook("convert", path, f"--redact={policy}", "--redact-key", key, "-o", file).expect(2)
        assert "not replaced" in result.err and file.read_bytes() == before, result
    policy.write_text('{"fields":{},\n "header":[]}')
    assert f"{policy}:2:2: 'header'" in credhook("convert", path, f"--redact={policy}").expect(2).err


def leaking(number):
    event = json.loads(alert(number))
    event["details"]["clientKey"] = event["details"]["bureau"] = SECRET
    return json.dumps(event)


def test_a_value_that_would_be_left_stops_the_run():
    folder = new_folder()
    path = write_capture(3, lambda number: record(number, leaking(number) if number == 2 else alert(number)), folder)
    file = write("x.har", har(entry(alert(1)), entry(leaking(2), 1)))
    for form in FORMATS:
        for source, place in ((path, f"{path}:2: "), (file, f"{file}: entry 2: ")):
            for extra in (["-o", folder / "out"], ["--preview"]):
                result = credhook("convert", source, "--redact", "--format", form, *extra).expect(1)
                assert place in result.err and "details.clientKey" in result.err, result
                assert SECRET not in result.err + result.out and "verified" not in result.err, result
            assert [one.name for one in folder.iterdir()] == [path.name]
    result = credhook("convert", path, "--redact", "--preview").expect(1)
    assert re.search(r"^details\.appKey +3 +0$", result.out, re.M), result  # it goes on
    result = credhook("convert", path, "--redact").expect(1)
    assert SECRET not in result.err + result.out
    credhook("convert", path, "--redact", "--record", "1,3").expect(0)


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
    credhook("convert", path, "--redact", "--strict").expect(1)
    for form in FORMATS[1:]:
        file = write("redacted", result.out_bytes)
        for args in ([path, "--redact"], [file]):
            there = credhook("convert", *args, "--format", form).expect(0)
            assert "2 records left out: a body that redaction withheld" in there.err, (form, there)
        assert len(credhook("convert", write("x", there.out_bytes)).expect(0).json()) == 1


def test_preview():
    folder = new_folder()
    policy = folder / "policy.json"
    policy.write_text('{"fields": {"details.bureau": "drop", "details.nothing": "keep"}}')
    path = write_capture(5, lambda number: record(number, alert(number)))
    rows = credhook("convert", path, f"--redact={policy}", "--preview", "--json").expect(0).json()
    values = {row["value"]: (row["replaced"], row["kept"]) for row in rows if row["type"] == "value"}
    assert values["details.clientKey"] == (5, 0) and values["details.alertType"] == (0, 5) and values["host"] == (5, 0), values
    assert "details.bureau" not in values
    assert [(row["path"], row["action"], row["applied"]) for row in rows if row["type"] == "rule"] == [
        ("details.bureau", "drop", 5), ("details.nothing", "keep", 0)]
    assert rows[-1]["type"] == "summary" and rows[-1]["records"] == 5 and rows[-1]["checked"] > 0, rows[-1]
    table = credhook("convert", path, f"--redact={policy}", "--preview").expect(0)
    assert re.search(r"^details\.clientKey +5 +0$", table.out, re.M) and "details.bureau: drop (5)" in table.out, table
    assert "--redact" in credhook("convert", path, "--preview").expect(2).err
    result = credhook("convert", path, "--redact", "--preview", "-o", folder / "out").expect(2)
    assert "--output" in result.err and not (folder / "out").exists(), result


def test_records_are_passed_on_as_they_come():
    with subprocess.Popen([binary(), "convert", "-", "--redact"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=environment()) as process:
        for number in range(1, 4):
            process.stdin.write(record(number, alert(number)))
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["method"] == "POST"
        process.stdin.close()
        assert process.wait(20) == 0 and b"verified: " in process.stderr.read()


if __name__ == "__main__":
    run()

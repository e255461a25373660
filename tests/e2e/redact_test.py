#!/usr/bin/python3
"""convert --redact: nothing of a person is left in what is written or printed, and what is left is as good as it was."""

import base64
import json
import os
import random
import re

from support import Listener, answers, credhook, new_folder, raw, records, run

SEED = int(os.environ.get("SEED", "0")) or random.randrange(1 << 32)
RANDOM = random.Random(SEED)
EVENTS = [json.loads(line) for line in credhook("build", "all", "--seed", 1).expect(0).out.splitlines()]


def percent(text):
    return "".join(f"%{byte:02x}" for byte in text.encode())


def all_forms(mark):
    raw_mark = mark.encode()
    return [mark, raw_mark.hex(), percent(mark), "-".join(mark[i:i + 4] for i in range(0, 16, 4)),
            " ".join(mark[i:i + 4] for i in range(0, 16, 4)), "".join(f"\\u{byte:04x}" for byte in raw_mark),
            *(base64.b64encode(b"x" * skip + raw_mark).decode().lower()[4 if skip else 0:-4] for skip in range(3))]


class Marks:
    """Numbers of 16 digits that stand for what must not be seen."""

    def __init__(self):
        self.given = []

    def new(self):
        self.given.append(str(RANDOM.randrange(10**15, 10**16)))
        return self.given[-1]

    def in_all(self, value, is_key=False):
        """The value with marks in the place of its leaves; keys that the specification names stay."""
        if isinstance(value, dict):
            marked = {key: self.in_all(member) for key, member in value.items()}
            marked[f"k{self.new()}"] = {f"n{self.new()}": [int(self.new()), f"two {self.new()} words", self.new()]}
            return marked
        if isinstance(value, bool) or value is None or is_key:
            return value
        if isinstance(value, str):
            mark = self.new()
            return RANDOM.choice([mark, f"J\u00e9 {mark}", f"{mark}@example.com", f"a-{mark}-z", f"\u5f20{mark}", percent(mark),
                                  base64.b64encode(mark.encode()).decode(), mark.encode().hex(),
                                  " ".join(mark[i:i + 4] for i in range(0, 16, 4))])
        return int(self.new())

    def find(self, what, data):
        """In any encoding a value may have got."""
        text, forms = data.decode("utf-8", "replace").lower(), {}
        for mark in self.given:
            for form in all_forms(mark):
                forms.setdefault(len(form), set()).add(form)
        for length, some in forms.items():
            found = some & {text[at:at + length] for at in range(len(text) - length + 1)}
            assert not found, f"SEED={SEED}: {what} has a mark as {found}"


def request(marks, body, keep=None):
    """With marks in its target, in the names and values of its headers, and where a parser might quote it."""
    target = f"/hook/{marks.new()}/a%20{marks.new()}/{percent(marks.new())}?{marks.new()}={marks.new()}&x={percent(marks.new())}"
    if keep == "absolute":
        target = f"http://h{marks.new()}.example.com:80{target}"
    fields = [("Host", f"h{marks.new()}.example.com"), ("Content-Type", f"application/json; p={marks.new()}"),
              ("Authorization", f"Bearer {marks.new()}"), ("User-Agent", f"agent/{marks.new()}"),
              ("Accept", f"*/*;q={marks.new()}"), (f"X-{marks.new()}", marks.new()), ("Cookie", f"a={marks.new()}"),
              ("X-Request-Id", marks.new()), ("X-Bytes", "\xff" + marks.new()), ("Content-Length", str(len(body)))]
    if keep == "no type":
        del fields[1]
    head = f"POST {target} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields) + "\r\n"
    return head.encode("latin-1") + body


def requests(marks):
    bodies = [json.dumps(marks.in_all(event)).encode() for event in EVENTS]
    marked = marks.in_all(EVENTS[0])
    bodies += [json.dumps(marked, ensure_ascii=False, indent=1).encode()]
    # Valid but for their members that nobody knows.
    for event in EVENTS:
        known = json.loads(json.dumps(event))
        known["details"]["alertDetails" if "alertDetails" in known["details"] else "other"] = marks.in_all({"a": "b"})
        bodies.append(json.dumps(known).encode())
    bodies += [b'{"service":"user","details":{"firstName":"' + marks.new().encode(), marks.new().encode() + b" x",
               b"\xff\xfe" + marks.new().encode(), b'{"a":"\xff' + marks.new().encode() + b'"}', b"",
               b"[" * 70 + marks.new().encode(), marks.new().encode(), b'"' + marks.new().encode() + b'"',
               ('{"%s":1,"%s":2,"x":1.%s,"y":1e%s}' % ((marks.new(),) * 2 + (marks.new(), marks.new()))).encode(),
               ('{"service":"%s","event":%s,"path":"/api/%s"}' % (marks.new(), marks.new(), marks.new())).encode(),
               ("{" + "\n" * 3000 + '"\\u0061":"\\u003%s"}' % "\\u003".join(marks.new())).encode()]
    boundary = marks.new()
    bodies += [f'--{boundary}\r\nContent-Disposition: form-data; name="{marks.new()}"\r\n\r\n{marks.new()}\r\n--{boundary}--\r\n'
               .encode(), f"a={marks.new()}&{marks.new()}=b".encode(), base64.b64encode(bodies[0]), bodies[0][:200],
               bodies[0].decode().encode("utf-16")]
    # In a plain field, in groups as people write numbers; and as the key of a modifier.
    mark = marks.new()
    groups = "-".join(mark[i:i + 4] for i in range(0, 16, 4))
    bodies += [json.dumps({"service": groups, "details": {"bureau": groups, "scoreModifiers": {groups: 1}}}).encode()]
    chunked = (f"POST /hook HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2;{marks.new()}={marks.new()}\r\n{{}}\r\n"
               f"0\r\nX-{marks.new()}: {marks.new()}\r\n\r\n").encode()
    return [request(marks, body) for body in bodies] + [request(marks, bodies[0], keep="no type"),
                                                        request(marks, bodies[0], keep="absolute"), chunked]


def record(number, request):
    """A request as a listener records it; of a hostile one that no listener takes, too."""
    head, _, body = request.partition(b"\r\n\r\n")
    line, *fields = head.decode("utf-8", "surrogateescape").split("\r\n")
    made = {"v": 1, "seq": number, "received_at": "2026-01-02T03:04:05.123456Z", "remote": "127.0.0.1:5123",
            "method": "POST", "target": line.split(" ")[1],
            "headers": [field.encode("latin-1", "replace").decode("latin-1").split(": ", 1) for field in fields]}
    try:
        made["body"] = body.decode()
    except UnicodeDecodeError:
        made["body_base64"] = base64.b64encode(body).decode()
    return json.dumps({**made, "event": None, "valid": False, "response": {"status": 200}}) + "\n"


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
        assert re.search(r"verified: [\d,]+ original values, none found in the output", result.err), result.err
        assert "har" in extra or len(records(folder / "out")) == len(whole)


def key_file(folder, name="key", content=b"0123456789abcdef", mode=0o600):
    path = folder / name
    path.write_bytes(content)
    path.chmod(mode)
    return path


def converted(folder, name, *args, requests_=None):
    """What convert --redact makes of these requests."""
    source = new_folder() / "source.ndjson"
    source.write_text("".join(record(i + 1, one) for i, one in enumerate(requests_ or [post(json.dumps(e).encode()) for e in EVENTS])))
    result = credhook("convert", source, *(args or ["--redact"]), "-o", folder / name)
    return records(folder / name) if (folder / name).exists() else [], result


def post(body):
    return (b"POST / HTTP/1.1\r\nHost: hooks.example.com\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" %
            len(body) + body)


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
            verified.append(re.search(r"verified: ([\d,]+) original values, none found in the output \((\d+) too", result.err).groups())
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
        source.write_text(json.dumps({**json.loads(record(1, post(b'{"x":"Margarita"}'))), "redacted": mark}) + "\n")
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

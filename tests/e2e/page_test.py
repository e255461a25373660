#!/usr/bin/python3
"""The page of --report html=F: what its data says, that nothing of it can run, its policy, its bounds."""
# rooms: cmd/send cmd/show redact report

import base64
import hashlib
import html
import json
import re
import signal
import time
from html.parser import HTMLParser

from captures import record, write
from support import SANITIZE, FaultServer, answer, built, close_without_answer, credhook, hang, kinds, launch, new_folder, run

HOSTILE = b"</script><img src=x onerror=alert(1)><!-- \xe2\x80\xa8\xe2\x80\xae \xff\xfe \x1b[31m &lt; javascript:alert(1)"
PAGE_MAX = 2 << 20


class Elements(HTMLParser):
    """The elements of a page as a browser has them: names with attributes, and the text of scripts, styles and cells."""

    def __init__(self, text):
        super().__init__()
        self.names, self.texts, self.is_open = [], [], False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.names.append((tag, dict(attrs)))
        self.texts.append("")
        self.is_open = True

    def handle_endtag(self, tag):
        self.is_open = False

    def handle_data(self, data):
        if self.is_open:
            self.texts[-1] += data

    def of(self, tag, **wanted):
        return [text for (name, attributes), text in zip(self.names, self.texts)
                if name == tag and all(attributes.get(key.rstrip("_")) == value for key, value in wanted.items())]


def page_of(*args, code, file=None):
    """(cases, summary, text) of the page that a run leaves."""
    file = file or new_folder() / "new" / "page.html"
    credhook(*args, "--report", f"html={file}").expect(code)
    return read(file)


def read(file):
    text = file.read_bytes().decode()
    assert file.stat().st_mode & 0o777 == 0o600
    elements = Elements(text)
    assert_policy(elements)
    cases = [json.loads(one) for one in elements.of("script", class_="case")]
    summary = json.loads(elements.of("script", id="summary")[0])
    assert_data(elements)
    # Readers without JavaScript have the whole in the last rows of the table.
    said = [summary.get("notice"), summary.get("part"), summary.get("interrupted"), *summary.get("lines", []),
            *(one[1] for one in summary["counts"])]
    rows = re.findall(r'<tr><td colspan="6">(.*?)</td></tr>', text)
    assert [html.unescape(row) for row in rows][:len(list(filter(None, said)))] == list(filter(None, said)), (rows, said)
    return cases, summary, text


def assert_policy(elements):
    """Nothing is allowed but its own style and script, by their hashes."""
    policy, = (attributes["content"] for tag, attributes in elements.names
               if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy")
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules.keys() == {"default-src", "style-src", "script-src", "base-uri", "form-action"}
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    for tag, rule in ("style", "style-src"), ("script", "script-src"):
        own = [text for (name, attributes), text in zip(elements.names, elements.texts) if name == tag and not attributes]
        assert len(own) == 1
        digest = base64.b64encode(hashlib.sha256(own[0].encode()).digest()).decode()
        assert rules[rule] == f"'sha256-{digest}'", rules


def assert_data(elements):
    """What came from outside has made no element, and stands in the data without a character that could."""
    allowed = {"html", "head", "meta", "title", "style", "body", "header", "div", "h1", "main", "table", "caption", "thead",
               "tbody", "tr", "th", "td", "script"}
    assert {name for name, _ in elements.names} <= allowed, elements.names
    for name, attributes in elements.names:
        assert not {key for key in attributes if key.startswith("on") or key in ("src", "href", "style")}, (name, attributes)
    for text in elements.of("script", type="application/json"):
        assert not re.search("[<>&\u2028\u2029\u202a-\u202e\u2066-\u2069\x7f-\x9f\x00-\x09\x0b-\x1f]", text), text
    for text in elements.of("td"):
        assert not re.search("[\u2028\u2029\u202a-\u202e\x00-\x09\x0b-\x1f]", text)


def test_a_delivery_is_told_with_both_messages():
    with FaultServer([answer(), answer(500, body=HOSTILE), close_without_answer()]) as server:
        cases, summary, _ = page_of("send", "user-created", "bureau-alert", "user-token-generated", "--to",
                                    f"{server.url}/hook?token=secret-value", "--seed", "1", "-H", "X-Key: secret-value",
                                    "-H", "X-Request-Id: 7", code=1)
    lines = cases[0]["request"]["head"].split("\n")
    assert {"X-Key: ***", "X-Request-Id: 7", "Content-Type: application/json"} <= set(lines), lines
    assert [(one["verdict"], one["name"], one.get("status")) for one in cases] == [
        ("ok", "user-created", "200"), ("fail", "bureau-alert", "500"), ("note", "user-token-generated", "---")]
    assert json.loads(cases[1]["request"]["body"][0]) == json.loads(built("bureau-alert", "--seed", "1"))
    assert "secret-value" not in json.dumps([cases, summary])
    assert cases[1]["response"]["body"][0].startswith("</script><img src=x onerror=alert(1)><!-- \u2028\u202e \ufffd")
    assert summary["counts"] == [["fail", "1 unexpected status", 1], ["note", "1 without a full response", 1], ["ok", "1 accepted", 1]]
    assert sum(number for number, _ in summary["reasons"]) == 2
    assert [one.get("reason") for one in cases] == [None, 1, 2]
    assert cases[1]["fix"].startswith("server error: check the listener's log") and "fix" not in cases[0]
    assert sorted(summary["cells"]) == [["bureau-alert", "fail", "valid", "500", 1], ["user-created", "ok", "valid", "200", 1],
                                        ["user-token-generated", "note", "valid", "---", 1]]
    assert "interrupted" not in summary and not summary["personal"] and 0 < summary["seconds"] < 600, summary
    assert 0 <= time.time() - summary["made"] / 1000 < 3600, summary["made"]
    assert sum(sum(numbers or []) for numbers in summary["series"]["counts"][0]) == 3
    assert sum(summary["distribution"]["counts"]) == 1


def test_every_reason_is_there():
    with FaultServer([answer(500, body=b"reason " + bytes([65 + number]) * 3) for number in range(25)]) as server:
        _, summary, _ = page_of("send", "all", "--to", server.url, code=1)
    assert sorted(re.search("reason ([A-Y])", text)[1] for _, text in summary["reasons"]) == [chr(65 + number) for number in range(25)]


def test_hostile_payloads_and_names_are_text():
    folder = new_folder()
    (folder / "in").mkdir()
    name = "<img src=x onerror=alert(2)>&\u202e.json"
    payload = json.loads(built("user-created"))
    payload["details"][HOSTILE.decode(errors="replace")] = 1
    (folder / "in" / name).write_text(json.dumps(payload, ensure_ascii=False), encoding="utf-8")
    (folder / "in" / "b.json").write_bytes(HOSTILE)
    cases, summary, _ = page_of("validate", folder / "in", folder / "<absent>", code=3)
    assert {one["verdict"] for one in cases} == {"fail", "warn"}
    assert [one["text"].rpartition("[")[2] for one in cases if "[" in one["text"]] == ["unknown-key]", "json-syntax]"], cases
    unknown, = (one for one in cases if "unknown-key" in one["text"])
    assert "".join(part if isinstance(part, str) else part["mark"] for part in unknown["request"]["body"]) == (
        (folder / "in" / name).read_text(encoding="utf-8"))
    assert [part["mark"] for part in unknown["request"]["body"] if isinstance(part, dict)][0].startswith('"</script>')
    assert summary["personal"] and summary["notice"].startswith("not redacted")
    with FaultServer(answer(400, [("Content-Type", "text/<b>\u00a0")], body=HOSTILE)) as server:
        cases, _, _ = page_of("send", "--file", folder / "in" / "b.json", "--validate", "off", "--to", server.url, code=1)
    assert cases[0]["request"]["body"][0].startswith("</script>")


def test_the_page_of_validate_says_what_it_is_about():
    folder = new_folder()
    for name in ("a.json", "b.json", "c.ndjson", "d.json"):
        (folder / name).write_bytes(built("user-created"))
    (folder / "all.ndjson").write_bytes(b"\n".join(built(kind) for kind in kinds() if kind != "bureau-alert"))

    def said(*args, code=0):
        _, summary, _ = page_of("validate", *args, code=code)
        return summary["subject"].replace(f"{folder}/", ""), summary["lines"][0]

    subject, line = said(folder / "all.ndjson")
    assert subject == "all.ndjson" and line == "24 payloads: 24 valid, 0 invalid; no valid payload covers bureau-alert", (subject, line)
    subject, line = said(*(folder / name for name in ("a.json", "b.json", "c.ndjson", "d.json")))
    assert subject == "a.json, b.json, c.ndjson, d.json" and line.endswith("no valid payload covers 24 of 25 events and elements"), line
    assert said(*[folder / "a.json"] * 5)[0] == "a.json, a.json, a.json and 2 more"
    assert said(folder / "a.json", "--require", "user-created") == ("a.json", "1 payload: 1 valid, 0 invalid")
    assert said(folder / "a.json", "--require", "user-created,bureau-alert", code=1)[1].endswith("; no valid payload covers bureau-alert")
    (folder / "invalid.json").write_text("{}")
    assert "covers" not in said(folder / "invalid.json", code=1)[1] + said(folder / "invalid.json", "--expect-invalid")[1]


def test_a_page_of_a_part_says_so():
    folder = new_folder()
    bodies = [built("bureau-alert", "--set", f"details.bureau={name}").decode() for name in ("abc", "abc", "xyz")]
    file = capture_of(folder, *bodies)

    def part(*args, **more):
        credhook("convert", file, "-o", folder / "p.html", "--force", *args).expect(0)
        return read(folder / "p.html")[1].get("part")

    assert part() is None and part("--redact") is None
    assert part("--where", "details.bureau=abc") == "--where 'details.bureau=abc': 2 of 3 records"
    assert part("--events", "bureau-alert", "--limit", "1") == "--events bureau-alert --limit 1: 1 of 2 records read"
    assert part("--where", "details.bureau!=https://u:hunter2@h/?k=hunter2") == "--where 'details.bureau!=https://u:***@h/?k=***': 3 of 3 records"
    assert part("--where", "details.bureau=abc", "--redact") == "a selection: 2 of 3 records"
    assert "details.bureau=abc" not in (folder / "p.html").read_text(), "a value of people"
    with FaultServer(answer(200)) as server:
        for args, expected in (([], None), (["--where", "details.bureau=xyz"], "--where 'details.bureau=xyz': 1 of 3 records"),
                               (["--where", "details.bureau!=//:hunter2@h"], "--where 'details.bureau!=//:***@h': 3 of 3 records"),
                               (["--record", "2-"], "--record 2-: 2 of 3 records")):
            _, summary, _ = page_of("replay", file, "--to", server.url, *args, code=0)
            assert summary.get("part") == expected, summary


def test_findings_are_bounded_and_counted():
    folder = new_folder()
    lines = json.loads(built("user-created"))
    lines["details"]["appKey"] = 7
    (folder / "many.ndjson").write_text((json.dumps(lines) + "\n") * 3000)
    cases, summary, text = page_of("validate", folder / "many.ndjson", code=1)
    assert len(cases) == 1000 and len(text) < PAGE_MAX, (len(cases), len(text), cases[0])
    assert summary["more"] == "2,000 more are left out: a page lists 1,000"
    assert summary["counts"] == [["fail", "3,000 invalid", 3000], ["ok", "0 valid", 0]]
    assert {"event": "user-created", "valid_count": 0, "invalid_count": 3000} in summary["coverage"]


def test_a_long_run_has_a_small_page():
    number = 2000 if SANITIZE else 12000
    folder = new_folder()
    (folder / "many.ndjson").write_bytes((built("user-created") + b"\n") * number)
    with FaultServer(answer(503, body=b"busy")) as server:
        cases, summary, text = page_of("replay", folder / "many.ndjson", "--to", server.url, "--concurrency", "8", "-q", code=1)
    assert len(cases) == 1000 and len(text) < PAGE_MAX, (len(cases), len(text), cases[0])
    assert summary["more"] == f"{number - 1000:,} more are left out: a page lists 1,000"
    assert summary["reasons"][0][0] == number
    assert len(summary["series"]["latency"][0][1]) <= 1000
    assert summary["personal"]


def test_bodies_are_cut():
    folder = new_folder()
    (folder / "big.json").write_bytes(b'"' + "é".encode() * 20000 + b'"')
    with FaultServer(answer(500, body=b"x" * 70000)) as server:
        cases, _, _ = page_of("send", "--file", folder / "big.json", "--validate", "off", "--to", server.url, code=1)
    assert cases[0]["request"]["cut"] == "16,383 of 40,002 bytes"
    assert cases[0]["request"]["body"] == ['"' + "é" * 8191]
    assert len(cases[0]["response"]["body"][0]) == 16384 and cases[0]["response"]["cut"] == "16,384 of 70,000 bytes"


def test_a_redacted_capture_leaves_no_people():
    folder = new_folder()
    payload = json.loads(built("user-created"))
    payload["details"]["userId"] = "canary-of-a-person"
    write(record(1, json.dumps(payload)), "c.ndjson", folder)
    (folder / "r.ndjson").write_bytes(credhook("convert", folder / "c.ndjson", "--redact").expect(0).out_bytes)
    with FaultServer(answer(500)) as server:
        _, summary, text = page_of("replay", folder / "c.ndjson", "--to", server.url, code=1)
        assert summary["personal"] and "canary-of-a-person" in text
        _, summary, text = page_of("replay", folder / "r.ndjson", "--to", server.url, code=1)
        assert summary["notice"] == "the payloads are redacted" and not summary["personal"] and "canary-of-a-person" not in text
        _, summary, _ = page_of("send", "--file", folder / "r.ndjson", "--validate", "off", "--to", server.url, code=1)
        assert summary["notice"] == "the payloads are redacted"
        assert page_of("send", "user-created", "--to", server.url, code=1)[1]["notice"] == "payloads of this run are made up"


def capture_of(folder, *bodies):
    """A capture with these bodies, each with a header that is secret and one that is hostile."""
    file = folder / "c.ndjson"
    file.write_text("".join(json.dumps({
        "v": 1, "seq": number + 1, "received_at": f"2026-01-02T03:04:{number % 60:02}Z", "method": "POST", "target": "/?token=secret-value",
        "headers": [["Content-Type", "application/json"], ["Authorization", "Bearer secret-value"], ["X-<b>", "</script>\u202e"]],
        "body": body, "response": {"status": 200}}) + "\n" for number, body in enumerate(bodies)))
    return file


def test_a_capture_is_a_page():
    folder = new_folder()
    bad = json.loads(built("user-created"))
    bad["details"]["appKey"] = "</script>\u2028"
    bodies = [built("bureau-alert").decode(), json.dumps(bad, ensure_ascii=False), built("bureau-alert").decode(), "no JSON </script>"]
    file = capture_of(folder, *bodies)
    credhook("convert", file, "-o", folder / "page.html").expect(0)
    cases, summary, text = read(folder / "page.html")
    assert [(one["verdict"], one["number"], one["name"], one["payload"], one["status"]) for one in cases] == [
        ("ok", 1, "bureau-alert", "valid", "200"), ("warn", 2, "user-created", "invalid", "200"),
        ("ok", 3, "bureau-alert", "valid", "200"), ("warn", 4, "(unknown)", "invalid", "200")]
    for one, body in zip(cases, bodies):
        assert "".join(part if isinstance(part, str) else part["mark"] for part in one["request"]["body"]) == body
    assert {"mark": '"</script>\u2028"', "text": "bad-format"} in cases[1]["request"]["body"]
    assert "secret-value" not in text and "Authorization: ***" in cases[0]["request"]["head"]
    assert summary["personal"] and summary["notice"].startswith("not redacted")
    assert summary["counts"] == [["warn", "2 invalid or not 2xx", 2], ["ok", "2 ok", 2]]
    assert sorted(summary["cells"]) == [["(unknown)", "warn", "invalid", "200", 1], ["bureau-alert", "ok", "valid", "200", 2],
                                        ["user-created", "warn", "invalid", "200", 1]]
    assert not any("command" in one for one in cases)  # no request can be made with that header
    assert [one["details"] for one in cases if one["verdict"] == "ok"] == [[], ["repeat of #1 after 2.0 s"]]
    assert [one["text"] for one in cases if one["verdict"] == "ok"] == ["", "repeat of #1 after 2.0 s"]
    assert credhook("convert", file, "--format", "html").expect(0).out.endswith("</html>\n")
    # The error and its own fix are said first, whatever warnings stand before it.
    file = capture_of(folder, '{"x":1,' + json.dumps({**bad, "service": 7})[1:])
    credhook("convert", file, "-o", folder / "page.html", "--force").expect(0)
    one = read(folder / "page.html")[0][0]
    kinds = [line.split(":")[0] for line in one["details"]]
    assert one["details"][0] == f"error: {one['text']} [wrong-type]" and kinds == sorted(kinds) and "warning" in kinds, one
    assert one["fix"] == 'write "user" for user-created' and [part["text"] for part in one["request"]["body"] if isinstance(part, dict)][0] == "unknown-key", one


def test_a_capture_redacted_has_no_people():
    folder = new_folder()
    payload = json.loads(built("user-created"))
    payload["details"]["firstName"] = "Canary-of-a-person"
    file = capture_of(folder, json.dumps(payload), "canary-of-a-text", "canary-of-a-word")
    credhook("convert", file, "--redact", "--format", "html", "-o", folder / "page.html").expect(0)
    cases, summary, text = read(folder / "page.html")
    assert len(cases) == 3 and not summary["personal"] and "repeat of" not in text
    assert [one["payload"] for one in cases] == ["valid", "unchecked", "unchecked"]
    assert summary["lines"] == ["3 records: 1 valid, 2 unchecked; 3 × 200"]
    assert "anary-of-a" not in text and "secret-value" not in text
    # Neither do names of files.
    (folder / "canary-of-a-name").mkdir()
    file.rename(folder / "canary-of-a-name/canary-of-a-name.ndjson")
    file = folder / "canary-of-a-name/canary-of-a-name.ndjson"
    credhook("convert", file, "--redact", "--format", "html", "-o", folder / "named.html").expect(0)
    assert "anary-of-a" not in read(folder / "named.html")[2]
    credhook("convert", file, "--redact", "-o", folder / "r.ndjson").expect(0)
    credhook("convert", folder / "r.ndjson", "--redact", "--format", "html", "-o", folder / "again.html").expect(0)
    assert not read(folder / "again.html")[1]["personal"]


def records_of(file, number, grade):
    """Records of a few events, each in its own second: of grade(number) (body is valid, status)."""
    good, bad = built("user-created").decode(), built("bureau-alert", "--break", "missing-key:details.bureau").decode()
    file.write_text("".join(json.dumps({
        "v": 1, "received_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1767358800 + at)), "method": "POST", "target": "/",
        "headers": [["Content-Type", "application/json"]], "body": good if grade(at)[0] else bad,
        "response": {"status": grade(at)[1]}}) + "\n" for at in range(1, number + 1)))


def test_a_capture_of_any_size_is_a_page():
    folder = new_folder()
    file = folder / "day.ndjson"
    # Every 10th is invalid, every 7th got 503, and every 70th is and did.
    records_of(file, 12000, lambda at: (at % 10 != 0, 503 if at % 7 == 0 else 200))
    credhook("convert", file, "-o", folder / "page.html").expect(0)
    cases, summary, _ = read(folder / "page.html")
    bad = [at for at in range(1, 12001) if at % 10 == 0 or at % 7 == 0]
    well = [at for at in range(1, 12001) if at % 10 and at % 7]
    assert sorted(one["number"] for one in cases) == sorted(bad[:2000] + well[:100] + well[-100:])
    assert {one["number"]: one["verdict"] for one in cases if one["number"] <= 70 and one["number"] in bad} == {
        at: "fail" if at % 7 == 0 else "warn" for at in bad if at <= 70}
    assert all(one["payload"] == ("invalid" if one["number"] % 10 == 0 else "valid") for one in cases)
    assert sorted(summary["cells"]) == [
        ["bureau-alert", "fail", "invalid", "503", 171], ["bureau-alert", "warn", "invalid", "200", 1029],
        ["user-created", "fail", "valid", "503", 1543], ["user-created", "ok", "valid", "200", 9257]]
    assert summary["more"] == ("2,200 of 12,000 are listed: the first 2,000 that are invalid or did not get 2xx, "
                               "and the first and the last 100 of the others")
    assert (summary["first"], summary["last"]) == (1767358801000, 1767370800000)
    by_payload, by_class = ([sum(numbers or []) for numbers in stack] for stack in summary["series"]["counts"][1:])
    assert by_payload == [10800, 0, 0, 1200, 0, 0]  # valid, invalid
    assert by_class == [0, 0, 10286, 0, 0, 1714]  # 2xx, 5xx
    shown = credhook("show", file)
    assert summary["lines"][0].replace("×", "x") == shown.err.strip().replace("×", "x")
    assert "\n".join(summary["lines"][1:]).replace("×", "x").split() == shown.out.rpartition("\n\n")[2].replace("×", "x").split()
    assert "latency" not in summary["series"] or not any(map(any, (line[1] for line in summary["series"]["latency"])))


def test_the_bounds_of_a_capture_s_page():
    folder = new_folder()
    for number, listed in (2000, 2000), (2001, 2000):
        records_of(folder / "bad.ndjson", number, lambda at: (True, 404))
        credhook("convert", folder / "bad.ndjson", "-o", folder / "bad.html").expect(0)
        cases, summary, _ = read(folder / "bad.html")
        assert [one["number"] for one in cases] == list(range(1, listed + 1)) and ("more" in summary) == (listed < number)
    for number in 100, 101, 150, 200, 201, 250:
        records_of(folder / "well.ndjson", number, lambda at: (True, 204))
        credhook("convert", folder / "well.ndjson", "-o", folder / "well.html").expect(0)
        cases, summary, _ = read(folder / "well.html")
        assert [one["number"] for one in cases] == [at for at in range(1, number + 1) if at <= 100 or at > number - 100]
        assert ("more" in summary) == (number > 200)
    # Statuses beyond the 16th are counted by their first digit.
    records_of(folder / "many.ndjson", 40, lambda at: (True, 400 + at))
    credhook("convert", folder / "many.ndjson", "-o", folder / "many.html").expect(0)
    assert sorted((one[3], one[4]) for one in read(folder / "many.html")[1]["cells"]) == [
        *((str(400 + at), 1) for at in range(1, 17)), ("4xx", 24)]


def test_numbers_are_those_of_show():
    folder = new_folder()
    records_of(folder / "a.ndjson", 20, lambda at: (True, 200))
    (folder / "a.ndjson").write_text((folder / "a.ndjson").read_text() + "{}\n" * 3)
    records_of(folder / "b.ndjson", 20, lambda at: (at != 5, 503 if at % 2 else 200))
    files = [folder / "a.ndjson", folder / "b.ndjson"]
    for selection in ["--status", "5xx"], ["--record", "18-23"], ["--limit", "22"]:
        listed = [int(one) for one in re.findall(r"#(\d+)", credhook("show", *files, *selection).out) if one]
        credhook("convert", *files, *selection, "-o", folder / "page.html")
        cases, _, text = read(folder / "page.html")
        assert set(one["number"] for one in cases) <= set(listed) and len(cases) >= 6, (selection, listed)
        assert all(f"<td>#{one['number']} {one['name']}</td>" in text for one in cases)
        for one in cases:
            assert one["command"] == credhook("show", *files, str(one["number"]), "--curl").out.rstrip("\n")
            repeat, = re.findall(r"repeat of #\d+", " ".join(one["details"])) or [None]
            shown = credhook("show", *files, str(one["number"])).out
            assert not repeat or repeat in shown.split("\n\n")[0], (repeat, shown)


def test_bodies_of_a_capture_are_bounded():
    folder = new_folder()
    file = capture_of(folder, *['"' + "x" * (1 << 20) + '"'] * 3, *['"' + "y" * (20 << 10) + '"'] * 1100)
    credhook("convert", file, "-o", folder / "page.html").expect(0)
    cases, _, text = read(folder / "page.html")
    assert len(text) < 19 << 20
    assert cases[0]["request"]["cut"] == "16,384 of 1,048,578 bytes"
    assert sum(len(part if isinstance(part, str) else part["mark"]) for part in cases[0]["request"]["body"]) == 16384
    repeats = [[line for line in one["details"] if line.startswith("repeat of #")] for one in cases]
    assert [index for index, lines in enumerate(repeats) if not lines] == [0, 3] and repeats[2] == ["repeat of #1 after 2.0 s"]
    assert repeats[-1] == ["repeat of #4 after 19.0 s"], repeats[-1]
    assert cases[-1]["request"]["cut"] == "0 of 20,482 bytes: the page is full" and "body" not in cases[-1]["request"]
    assert cases[-1]["request"]["head"] == ""
    assert cases[-1]["request"]["head_cut"] == f"0 of {len(cases[0]['request']['head'])} bytes: the page is full"


def test_heads_of_a_capture_are_bounded():
    """The first line and the others each show 1 KiB at most, and what was cut has no command."""
    folder = new_folder()
    # Around them stand "POST ", and "\nAccept: " and "\n".
    lengths = (1019, 1014), (1020, 1014), (1019, 1015), (60000, 60000)
    (folder / "c.ndjson").write_text("".join(json.dumps({
        "v": 1, "received_at": "2026-01-02T03:04:05Z", "method": "POST", "target": "/" * target,
        "headers": [["Accept", "x" * value]], "body": "{}"}) + "\n" for target, value in lengths * 100))
    credhook("convert", folder / "c.ndjson", "-o", folder / "page.html").expect(0)
    cases, _, text = read(folder / "page.html")
    assert len(cases) == 400 and len(text) < 3 << 20, (len(cases), len(text))
    for one, (target, value) in zip(cases, lengths):
        first, others = "POST " + "/" * target, "\nAccept: " + "x" * value + "\n"
        assert one["request"]["head"] == first[:1024] + others[:1024]
        is_whole = len(first) <= 1024 and len(others) <= 1024
        assert one["request"].get("head_cut") == (None if is_whole else f"2,048 of {len(first + others):,} bytes"), one
        assert ("command" in one) == (len(first + others) <= 2048)


def test_the_certificate_of_a_listener():
    with FaultServer(answer(500, body=b"KeyError: 'path' " + HOSTILE)) as server:
        cases, summary, _ = page_of("test", "deliver", "repeat/again", "--to", f"{server.url}/hook", code=1)
        _, other, _ = page_of("test", "deliver", "repeat/again", "--json", "--to", f"{server.url}/hook", code=1)
    assert summary["lines"][0] == other["lines"][0], other
    assert summary["title"] == "credhook test" and summary["subject"].endswith("/hook")
    assert summary["counts"][0][0] == "fail" and " failed" in summary["counts"][0][1]
    assert "Fix first: deliver/" in summary["lines"][0] and summary["lines"][1].startswith("must "), summary["lines"]
    assert re.fullmatch(r"deliver repeat/again: 28 of [34][0-9][0-9] checks", summary["part"]), summary["part"]
    assert re.fullmatch(r"tested by credhook \S+, level normal; test data contains \S+", summary["lines"][-1]), summary["lines"]
    failed = next(one for one in cases if one["name"] == "deliver/bureau-alert")
    assert failed["verdict"] == "fail" and failed["status"] == "500" and failed["at"] > 0
    assert failed["details"][-1].startswith("retry: credhook test deliver/bureau-alert --to ")
    assert failed["request"]["head"].startswith("POST http") and '"bureau"' in failed["request"]["body"][0]
    assert "KeyError" in failed["response"]["body"][0]
    assert failed["text"].startswith("expected 2xx, got 500: KeyError") and "; " not in failed["text"].split("KeyError: 'path' ")[0]
    assert "accept every event" in failed["fix"]
    with FaultServer(answer()) as server:
        cases, summary, _ = page_of("test", "deliver", "--to", f"{server.url}/hook", code=0)
    assert {one["verdict"] for one in cases} == {"ok"} and summary["lines"][0] == "no check failed"


def test_an_interrupted_run_says_so():
    file = new_folder() / "page.html"
    with FaultServer([answer(), hang()]) as server:
        with launch("send", "all", "--to", server.url, "--max-time", "2s", "--report", f"html={file}") as process:
            process.stdout.readline()
            assert process.stdout.readline()
            process.send_signal(signal.SIGINT)
            process.communicate()
            assert process.returncode == 130
    cases, summary, _ = read(file)
    assert summary["interrupted"] == "interrupted"
    assert "user-created" in [one["name"] for one in cases]


def test_nothing_is_left_of_a_run_that_could_not_begin():
    folder = new_folder()
    credhook("send", "user-created", "--to", "http://127.0.0.1:1", "--report", f"html={folder}").expect(3)
    assert not list(folder.iterdir())


def test_the_reasons_of_validate_are_the_rows_of_its_table():
    """The same counts and names, and each finding of the page belongs to one of them."""
    payloads = [json.loads(line) for line in credhook("build", "all", "--seed", "1", "--count", "3").expect(0).out.splitlines()]
    for payload in payloads:
        payload["details"]["extra"] = 1
        if "offCycle" in payload["details"]:
            payload["details"]["offCycle"] = False
    folder = new_folder()
    (folder / "x.ndjson").write_text("".join(json.dumps(payload) + "\n" for payload in payloads))
    result = credhook("validate", folder / "x.ndjson", "--report", f"html={folder / 'x.html'}").expect(1)
    rows = re.findall(r"^ *([\d,]+)  (\S.*?)  +(details\.\S+ \[[a-z-]+\])$", result.out, re.M)
    summary, = (json.loads(text) for text in re.findall(r'<script type="application/json" id="summary">(.*?)</script>',
                                                        (folder / "x.html").read_text(), re.S))
    assert len(rows) == 2 and [[int(number.replace(",", "")), f"{event}  {place}"] for number, event, place in rows] == [
        reason[:2] for reason in summary["reasons"]], (rows, summary["reasons"])
    assert [reason[2:] for reason in summary["reasons"]] == [["/details/extra [unknown-key]", "warn"],
                                                            ["/details/offCycle [wrong-type]", "fail"]], summary["reasons"]


if __name__ == "__main__":
    run()

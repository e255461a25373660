"""show: what is listed of captures of any format, and what is seen of one."""
# rooms: base capture cmd/args cmd/list cmd/show

import base64
import gzip
import json
import re
import subprocess
import threading

from captures import record, write_capture
from screen import Seen
from support import SOURCE, FaultServer, Listener, answer, binary, built, credhook, environment, launch, new_folder, run

ALERT = built("bureau-alert").decode()
BROKEN = credhook("build", "credit-report-ordered", "--seed", 1, "--break", "wrong-type:details.offCycle").expect(0).out.strip()
ENV = {"TZ": "UTC"}
HOSTILE = "\x1b]0;owned\x07\u202e\x9b31m\r\n\x00<\u2028"


def show(*args, code=0, **more):
    return credhook("show", *args, env=ENV, **more).expect(code)


def mixed(number):
    bodies = {1: ALERT, 2: BROKEN, 3: ALERT, 4: "not json"}
    return record(number, body=bodies[number], response={"status": 500} if number % 2 else {"fault": "reset"},
                  event="bureau-alert", remote="192.0.2.9:5123")


CAPTURE = write_capture(4, mixed)


def test_the_list():
    result = show(CAPTURE)
    lines = [line.split() for line in result.out.splitlines()]
    assert lines[0] == ["2026-01-02", "POST", "/hook"], result
    assert lines[1] == ["03:00:00", "#1", "bureau-alert", "valid", "500"], result
    assert lines[2][1:] == ["#2", "credit-report-ordered", "invalid", "reset"], result
    assert "\n             details.offCycle is a boolean, expected " in result.out and "[wrong-type]\n" in result.out, result
    assert "repeat of #1 after 2.0 ms\n" in result.out and "(unknown)" in result.out, result
    assert result.err == "4 records: 2 valid, 2 invalid; 2 \u00d7 500, 2 faults\n", result
    assert show(CAPTURE, "--status", "5xx").err == "2 of 4 records: 2 valid; 2 \u00d7 500\n"
    assert show(CAPTURE, "--limit", 1).err == "1 record: 1 valid; 1 \u00d7 500; --limit left out the rest\n"
    assert show("-", stdin=CAPTURE.read_bytes()).out == result.out
    assert "nothing to show in 4 records of " in show(CAPTURE, "--status", "404", code=1).err
    assert "\n" not in show(CAPTURE, "-q").err


def test_statuses_are_counted_by_class_where_there_are_many():
    statuses = [200] * 1100 + [500, 503, 422, None]
    for more, expected in ((), "1,100 \u00d7 200, 1 \u00d7 422, 1 \u00d7 500, 1 \u00d7 503"), \
            ((404,), "1,100 \u00d7 2xx, 2 \u00d7 4xx, 2 \u00d7 5xx"):
        all_of = [*statuses, *more]
        path = write_capture(len(all_of), lambda n: record(
            n, body=ALERT, response={"status": all_of[n - 1]} if all_of[n - 1] else None))
        assert show(path).err == f"1,10{4 + len(more)} records: 1,10{4 + len(more)} valid; {expected}, 1 without a response\n"
    odd = [100, 600, 999]
    path = write_capture(3, lambda n: record(n, body=ALERT, response={"status": odd[n - 1]}))
    assert show(path).err == "3 records: 3 valid; 1 \u00d7 100, 1 \u00d7 600, 1 \u00d7 999\n"
    assert show(SOURCE / "samples" / "events").err == "25 records: 25 valid\n"


def test_an_error_says_why_it_is_invalid():
    """Warnings that stand before it in the body, a thousand of them too, come after it."""
    bodies = [ALERT.replace("details", "x\": 1, \"details").replace("push", "pull"),
              json.dumps({**{f"x{n}": 1 for n in range(1500)}, **json.loads(ALERT), "service": 7})]
    path = write_capture(2, lambda n: record(n, body=bodies[n - 1], headers=[["Content-Type", "text/plain"]]))
    lines = show(path).out.splitlines()
    assert not any("warning" in line for line in lines) and sum("[" in line for line in lines) == 2, lines
    assert re.search(rf"wrong-type\]\n +and 1,?50\d more: credhook show {re.escape(str(path))} 2$", show(path).out.strip()), lines


def test_the_line_that_shows_one_in_full_can_be_typed():
    """It names all captures, since numbers go on over them; a pipe is read only once."""
    folder = new_folder()
    (folder / "a b.ndjson").write_bytes(record(1, body=ALERT))
    (folder / "7").write_bytes(record(1, body="{}"))
    result = show("a b.ndjson", "./7", cwd=folder)
    line = re.search("more: (.*)", result.out)[1]
    assert line == "credhook show 'a b.ndjson' ./7 2", result
    line = line.replace("credhook", binary(), 1)
    done = subprocess.run(line, shell=True, cwd=folder, env=environment(ENV), capture_output=True, check=True)
    assert b"#2" in done.stdout and b"#1" not in done.stdout, done
    piped = show("-", stdin=(folder / "7").read_bytes())
    assert re.search(r"\n +and \d more$", piped.out.rstrip()), piped


def test_a_time_that_has_no_year_to_speak_of():
    path = write_capture(1, lambda n: record(n, body=ALERT, received_at="0001-01-01T00:00:00Z"))
    assert show(path).out.splitlines()[0] == "0001-01-01  POST /hook"


def test_numbers_are_lines_and_entries_and_go_on_over_files():
    text = CAPTURE.read_bytes()
    spaced = new_folder() / "5"
    spaced.write_bytes(b"\n" + text.replace(b"\n", b"\n\n", 1))
    assert [line.split()[1] for line in show("./5", cwd=spaced.parent).out.splitlines() if re.match(r"\S+ +#", line)] \
        == ["#2", "#4", "#5", "#6"]
    for number, line in (2, 2), (4, 4):
        one = show("./5", number, "--json", cwd=spaced.parent).out
        assert one == credhook("convert", "./5", "--record", line, cwd=spaced.parent).expect(0).out
    assert show("./5", 7, "--json", cwd=spaced.parent, code=2).out == ""
    assert show(CAPTURE, CAPTURE, 6, "--json").out_bytes == text.splitlines(True)[1]
    assert show(CAPTURE, CAPTURE, "last", 1, "--json").json()[1]["seq"] == 1
    assert show(CAPTURE, CAPTURE, "last").out.startswith("2026-01-02\n03:00:00       #8 "), show(CAPTURE, "last")
    refused = show(CAPTURE, 5, code=2)
    assert refused.err == "credhook: there is no notification '5'\n  hint: the last is #4; a list of them has their numbers\n", refused
    nothing = spaced.parent / "none.ndjson"
    nothing.touch()
    assert show(nothing, 5, code=2).err == "credhook: there is no notification '5'\n  hint: the inputs hold none\n"
    assert "show needs a CAPTURE" in show("5", code=2).err
    show("5", cwd=spaced.parent, code=2)
    show(new_folder() / "missing", code=3)


def test_several_are_named_by_ranges_and_from_the_end():
    path = write_capture(30, lambda n: record(n, body=ALERT, response={"status": 200 if n % 10 else 500}))
    for words, expected in ((("5-7",), [5, 6, 7]), (("5,9",), [5, 9]), (("9", "2-3", "9"), [9, 2, 3, 9]), (("29-",), [29, 30]),
                            (("first",), [1]), (("last",), [30]), (("last-1",), [29]), (("last", "last-29", "1-2"), [30, 1, 1, 2]),
                            (("29-400", "last-1,first"), [29, 30, 29, 1]), (("last-1", "--status", "5xx"), [20]),
                            (("first", "--status", "5xx"), [10])):
        assert [one["seq"] for one in show(path, *words, "--json").json()] == expected, words
    assert show(path, "5-6").out == show(path, 5).out + show(path, 6).out.replace("2026-01-02", "")
    for word, named in ("5,31", "31"), ("31-40", "31-40"), ("last-30", "last-30"), ("5,last-99", "5,last-99"):
        assert f"there is no notification '{named}'\n" in show(path, word, code=2).err, word
    for word in "0", "7-5", "5,", "5,,9", ",5", "2026-11-22", "last-", "last-1000", "9" * 20, "5-" + "9" * 20, "last-" + "9" * 20:
        refused = show(path, word, code=2)
        assert f"'{word}' is not the number of a notification, nor a range\n" in refused.err and not refused.out, refused
        assert "a file of that name has ./ before it" in refused.err and f"cannot open './{word}'" in show(f"./{word}", code=3).err
        assert f"'{word}' is a number" in show(word, code=2).err
    assert "cannot open 'firstly'" in show(path, "firstly", code=3).err
    for words in (3, "--record", "20-"), (2, "--status", "5xx"), (31, "--record", "20-"), (7, "--limit", 6):
        refused = show(path, *words, code=2)
        assert refused.err == (f"credhook: there is no notification '{words[0]}' among those selected\n"
                               "  hint: a list of them has their numbers\n"), refused
    gap = new_folder() / "gap.ndjson"
    gap.write_bytes(path.read_bytes().replace(b"\n", b"\n\n", 1))
    assert show(gap, 2, code=2).err == "credhook: there is no notification '2'\n  hint: a list of them has their numbers\n"
    assert show(path, "1-2", "--diff").err == "#1 and #2: 0 differences\n"
    many = write_capture(1001, lambda n: record(n, body="{}"))
    assert len(show(many, "1-1000", "--json").json()) == 1000
    refused = show(many, "1-", code=2)
    assert not refused.out and "'1-' is more than is shown in full\n  hint: -v --record 1- lists them" in refused.err, refused


def test_a_list_with_bodies():
    path = write_capture(2, lambda n: record(n, body=[ALERT, BROKEN][n - 1], target="/hook?key=secret"))
    lines = show(path, "-v").out.splitlines()
    assert lines[0] == "2026-01-02" and lines[2:6] == ["POST /hook?key=***", "Host: hooks.example", "Content-Type: application/json",
                                                       "{"], lines
    assert lines.count("{") == 2 and sum("[wrong-type]" in line for line in lines) == 1, lines
    text = show(write_capture(1, lambda n: record(n, body="x" * (64 << 10) + HOSTILE)), "-v").out
    assert "x" * (64 << 10) + "\n... and " in text and "\x1b" not in text, text[-200:]


def test_one_in_full():
    headers = [["Host", "h.example"], ["Content-Type", "application/json"], ["Authorization", "Bearer sesame-0815"]]
    capture = write_capture(2, lambda n: record(n, body=BROKEN, headers=headers, remote="192.0.2.9", via="127.0.0.1:9",
                                                target="/hook?token=s3cret-value"))
    result = show(capture, 2)
    head, body = result.out.split("\n\n", 1)
    assert head == ("2026-01-02\n03:00:00       #2  credit-report-ordered                        invalid  200  "
                    "repeat of #1 after 1.0 ms\nfrom 192.0.2.9 via 127.0.0.1:9\nPOST /hook?token=***\nHost: h.example\n"
                    "Content-Type: application/json\nAuthorization: ***"), result
    assert "sesame" not in result.out and "s3cret" not in result.out, result
    flawed = [line for line in body.splitlines() if "offCycle" in line]
    assert flawed[0].lstrip().startswith('"offCycle": false') and "[wrong-type]" in body, result
    both = show(capture, 2, 1).out
    assert both == result.out + show(capture, 1).out.replace("2026-01-02", "")
    assert show(capture, 2, "--json").out_bytes == record(2, body=BROKEN, headers=headers, remote="192.0.2.9",
                                                          via="127.0.0.1:9", target="/hook?token=s3cret-value")


def test_findings_stand_under_what_they_are_about():
    doubled = BROKEN.replace('"offCycle"', '"\u20ac\u65e5":1,"offCycle":true,"offCycle"', 1)
    long = json.dumps({**json.loads(ALERT), "method": "x" * 70})
    capture = write_capture(2, lambda n: record(n, body=[doubled, long][n - 1]))
    for columns in 50, 80:
        with Seen([binary(), "show", str(capture), "1", "2"], environment(ENV), new_folder(), columns, 80) as seen:
            assert seen.until_end() == 0
            text = seen.screen.text()
        at = text.index('    "offCycle": false')
        assert text[at + 1] == "    ^^^^^^^^^^" and text[at + 2].startswith('      error: duplicate key "offCycle"'), text
        second = text.index("                ^^^^^")
        assert text[second + 1].startswith("      error: offCycle is a boolean, "), text
        assert second > at and "[duplicate-key]" in " ".join(text[at:second]), text
        quoted = next(line for line in text if line.startswith('    |   "method": "xxx'))
        assert quoted.endswith("x...") and len(quoted) <= columns, text
        assert re.match(r"    \|             \^\^\^+$", text[text.index(quoted) + 1]), text


def test_what_differs():
    other = json.loads(ALERT)
    other["details"]["bureau"] = "other"
    capture = write_capture(3, lambda n: record(n, body=[ALERT, json.dumps(other), "no"][n - 1]))
    result = show(capture, 1, 2, "--diff")
    assert result.out == '~ /details/bureau: "sample-bureau" -> "other"\n' and result.err == "#1 and #2: 1 difference\n", result
    assert show(capture, 2, 1, "--diff", "--json").json() == [
        {"type": "difference", "pointer": "/details/bureau", "before": "other", "after": "sample-bureau"}]
    result = show(capture, 1, "last", "--diff", code=1)
    assert "#3 is not JSON" in result.err and f"hint: credhook show {capture} 3 shows where\n" in result.err, result
    for wrong in ((), (1,), (1, 2, 3)):
        assert "--diff takes two numbers" in show(capture, *wrong, "--diff", code=2).err


def test_what_differs_in_large_bodies():
    """What takes n * n steps is not done before the deadline, and the order of keys is no difference."""
    keys = [f"key{i}" for i in range(100_000)]
    one = {**json.loads(ALERT), "alertId": 1, "list": list(range(100_000)), "more": dict.fromkeys(keys, 1)}
    other = {**one, "alertId": 2, "list": [*one["list"], 7], "more": dict.fromkeys(reversed(keys), 1)}
    capture = write_capture(2, lambda n: record(n, body=json.dumps([one, other][n - 1])))
    result = show(capture, 1, 2, "--diff")
    assert result.out == "~ /alertId: 1 -> 2\n+ /list/100000: 7\n", result
    doubled = write_capture(2, lambda n: record(n, body=['{"a":1,"b":2,"a":3}', '{"c":4,"a":3,"a":5}'][n - 1]))
    assert show(doubled, 1, 2, "--diff").out == "- /b: 2\n~ /a: 3 -> 5\n+ /c: 4\n"


def test_curl_sends_the_request_again():
    odd = "'\"$(x)`\\\n\u20ac"
    with FaultServer(answer(204)) as server:
        host = server.url.split("/")[2]
        headers = [["Host", host], ["X-Odd", odd.replace("\n", "")], ["X-Api-Key", "sesame-0815"],
                   ["User-Agent", "service/1"], ["Content-Type", "application/json; charset=utf-8"]]
        capture = write_capture(1, lambda n: record(n, body=ALERT + odd, headers=headers, target="/a/../b?y=$(z)"))
        result = show(capture, 1, "--curl")
        assert "sesame" not in result.out and "$(z)" not in result.out and "set each $NAME" in result.err, result
        values = {"CREDHOOK_X_API_KEY": "sesame-0815", "CREDHOOK_X_ODD": odd.replace("\n", ""), "CREDHOOK_URL": server.url + "/a/../b?y=$(z)"}
        assert show(capture, "--curl").out == result.out
        subprocess.run(["sh", "-c", result.out], check=True, env={**environment(), **values})
        sent = server.requests[0]
        assert sent.body.decode() == ALERT + odd and sent.target == "/a/../b?y=$(z)", sent
        got = {name.lower(): value for name, value in sent.headers}
        assert got["x-api-key"] == "sesame-0815" and got["user-agent"] == "service/1", got
        assert got["content-type"] == "application/json; charset=utf-8", got
    for other in "--diff", "--json":
        show(capture, 1, 1, "--curl", other, code=2)


def test_other_formats_and_gzip():
    har = new_folder() / "x.har"
    credhook("convert", CAPTURE, "-o", har).expect(0)
    packed = new_folder() / "c.ndjson.gz"
    packed.write_bytes(gzip.compress(CAPTURE.read_bytes()))
    assert show(packed).out == show(CAPTURE).out
    assert show(packed, 3).out == show(CAPTURE, 3).out
    rows = [line.split()[1:4] for line in show(har).out.splitlines() if line.startswith("03:00")]
    assert rows == [["#1", "bureau-alert", "valid"], ["#2", "credit-report-ordered", "invalid"], ["#3", "bureau-alert", "valid"]], rows
    assert show(har, 2, "--json").json()[0]["event"] == "credit-report-ordered"
    fixtures = SOURCE / "samples" / "events"
    everything = show(fixtures)
    assert everything.out.startswith("-              #1  ") and "invalid" not in everything.out, everything
    one = show(fixtures, 1).out
    assert re.match(r"-  +#1 .* valid    -\n", one), one
    redacted = credhook("convert", CAPTURE, "--redact").expect(0).out
    assert "(redaction withheld the body)" in show("-", 4, stdin=redacted).out
    assert "-        reset" in show("-", stdin=redacted).out


def hostile(number):
    body = json.dumps({**json.loads(ALERT), HOSTILE.replace("\0", ""): HOSTILE})
    return record(number, body=body, remote=HOSTILE, via=HOSTILE, event=HOSTILE, target="/" + HOSTILE, method=HOSTILE,
                  headers=[[HOSTILE, HOSTILE], ["Host", HOSTILE]], response={"fault": HOSTILE * 20})


def test_hostile_bytes_in_every_field():
    raw = json.loads(hostile(1))
    raw["body"] = ALERT
    raw["target"] = {"base64": base64.b64encode(bytes(range(256))).decode()}
    del raw["remote"]
    binary_body = {**json.loads(hostile(2)), "body_base64": base64.b64encode(bytes(range(256)) * 9).decode()}
    del binary_body["body"]
    lines = hostile(1) + json.dumps(raw).encode() + b"\n" + json.dumps(binary_body).encode() + b"\n"
    for args in ((), (1, 2, 3), ("--curl",), (1, 2, "--diff")):
        result = show("-", *args, stdin=lines, code=1 if args == ("--curl",) else 0)
        for wrong in "\x1b", "\x07", "\u202e", "\x9b", "\x00", "\u2028", "\r":
            assert wrong not in result.out, (args, wrong, result)


def test_a_nul_hides_nothing_behind_it():
    line = record(1, method="PO\0ST", target="/ho\0ok?key=sec\0ret#more", headers=[["Accept", "a\0b"]])
    assert show("-", stdin=line).out.startswith("2026-01-02  PO\\x00ST /ho\\x00ok\n")
    shown = show("-", 1, stdin=line).out
    assert "\nPO\\x00ST /ho\\x00ok?key=***#***\nAccept: a\\x00b\n" in shown, shown


LONGEST = "authentication-question-retrieval-succeeded"
NEXT_DAY = {"received_at": "2026-01-03T00:00:00.000000Z"}
LISTED = [record(1, body=ALERT), record(2, body=BROKEN, target="/other?key=secret", response={"fault": "truncate"}),
          record(3, body=ALERT), b"\n" * (100_000 - 4),
          record(100_000, body=built(LONGEST).decode(), response={"status": 503}, **NEXT_DAY),
          record(100_001, body="{}", response={"fault": "x" * 30}, **NEXT_DAY)]
TABLE = {50: """\
2026-01-02  POST /hook
03:00:00       #1  bureau-alert
             valid    200
POST /other
03:00:00       #2  credit-report-ordered
             invalid  truncate
             details.offCycle is a boolean,
             expected "true" or "false"
             [wrong-type]
03:00:00       #3  bureau-alert
             valid    200
             repeat of #1 after 2.0 ms  POST /hook
2026-01-03
00:00:00  #100000  authentication...eval-succeeded
             valid    503
00:00:00  #100001  (unknown)
             invalid  xxxxxxxxx...xxxxxxxx
             missing key "service" [missing-key]
             and 3 more: credhook show c 100001
""", 80: f"""\
2026-01-02  POST /hook
03:00:00       #1  bureau-alert                                 valid    200
POST /other
03:00:00       #2  credit-report-ordered                        invalid
             truncate
             details.offCycle is a boolean, expected "true" or "false"
             [wrong-type]
03:00:00       #3  bureau-alert                                 valid    200
             repeat of #1 after 2.0 ms  POST /hook
2026-01-03
00:00:00  #100000  {LONGEST}  valid    503
00:00:00  #100001  (unknown)                                    invalid
             xxxxxxxxx...xxxxxxxx
             missing key "service" [missing-key]
             and 3 more: credhook show c 100001
""", 120: f"""\
2026-01-02  POST /hook
03:00:00       #1  bureau-alert                                 valid    200
POST /other
03:00:00       #2  credit-report-ordered                        invalid  truncate
             details.offCycle is a boolean, expected "true" or "false" [wrong-type]
03:00:00       #3  bureau-alert                                 valid    200  repeat of #1 after 2.0 ms  POST /hook
2026-01-03
00:00:00  #100000  {LONGEST}  valid    503
00:00:00  #100001  (unknown)                                    invalid  xxxxxxxxx...xxxxxxxx
             missing key "service" [missing-key]
             and 3 more: credhook show c 100001
"""}


def test_on_terminals():
    path = new_folder() / "c"
    path.write_bytes(b"".join(LISTED))
    for columns, expected in TABLE.items():
        with Seen([binary(), "show", "c"], environment(ENV), path.parent, columns, 60) as seen:
            assert seen.until_end() == 0
            assert "\n".join(seen.screen.text()).startswith(expected), (columns, seen.screen.text())
    assert "x" * 30 + "\n" in show(path).out and show(path).out.count("\n") == 11
    for columns in 60, 80, 120:
        with Seen([binary(), "show", str(CAPTURE), "1", "2"], environment(ENV), new_folder(), columns, 60) as seen:
            assert seen.until_end() == 0
            assert all(len(line) <= columns for line in seen.screen.text())


def test_the_last_ten_request_lines_are_not_printed_again():
    targets = [f"/{n}" for n in range(1, 11)] + ["/1", "/1", "/10", "/11", "/1", "/3", "/3"]
    path = write_capture(len(targets), lambda n: record(n, body=ALERT, target=targets[n - 1]))
    lines = [line for line in show(path).out.splitlines() if "POST" in line]
    assert lines[0] == "2026-01-02  POST /1" and lines[1:10] == [f"POST /{n}" for n in range(2, 11)], lines
    assert [re.sub(r" .* (?=POST)", " ", line) for line in lines[10:]] == [
        "03:00:00 POST /1", "03:00:00 POST /10", "POST /11", "POST /1", "03:00:00 POST /3"], lines


def test_a_capture_that_grows_or_is_cut():
    path = new_folder() / "growing.ndjson"
    with Listener("--capture", path) as listener:
        for _ in range(3):
            credhook("send", "bureau-alert", "--to", listener.url).expect(0)
            before = show(path)
            assert "skipped" not in before.err, before
    assert before.err == "3 records: 3 valid; 3 \u00d7 200\n", before
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    cut = show(path, code=1)
    assert cut.out.count("bureau-alert") == 2 and "skipped: torn record" in cut.err, cut
    assert show(path, 3, code=2).out == ""
    # From a pipe, records are listed before their writer has ended.
    process = launch("show", "-", stdin=subprocess.PIPE, env=ENV)
    timer = threading.Timer(60, process.kill)
    timer.start()
    process.stdin.write(whole.splitlines(True)[0])
    process.stdin.flush()
    assert b"POST /\n" in process.stdout.readline() and b"#1 " in process.stdout.readline()
    out, err = process.communicate(whole.splitlines(True)[1])
    timer.cancel()
    assert b"#2 " in out and err.startswith(b"2 records: 2 valid; "), (out, err)



def test_a_file_that_cannot_be_opened_is_not_a_usage_error():
    for words in ([], ["2"]):
        assert "cannot open 'none.ndjson'" in credhook("show", "none.ndjson", *words).expect(3).err


if __name__ == "__main__":
    run()

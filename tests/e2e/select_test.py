"""What replay chooses, in which order and at what time, from files and from streams."""
# rooms: capture cmd/args cmd/send deliver

import gzip
import json
import os
import re
import shutil
import subprocess
import threading
import time
from collections import defaultdict
from datetime import datetime, timedelta, timezone

from captures import numbers, record, sent, write_capture
from measured import measured
from support import SANITIZE, SOURCE, FaultServer, Skip, answer, binary, built, credhook, environment, new_folder, run, step


def keyed(number):
    return record(number, body=json.dumps({"n": number, "details": {"bureau": "ABC"[number % 3], "ok": number % 2 == 0,
                                                                    "note": f"a~b {number}", "x/y": {"~": number}, "clientKey": f"client {number % 7}"}}))


def chosen(*args, **more):
    """The numbers of the records that are sent."""
    return [json.loads(body)["n"] for body in sent(*args, **more)[0]]


def test_where():
    capture = write_capture(12, keyed)
    for where, expected in {
        "n=3": [3], "details.bureau=A": [3, 6, 9, 12], "details.bureau!=A": [1, 2, 4, 5, 7, 8, 10, 11],
        "/details/ok=true": [2, 4, 6, 8, 10, 12], "details.note~b 1": [1, 10, 11, 12], "details.none!=x": list(range(1, 13)),
        "/details/x~1y/~0=5": [5], "/details/x~1y/~0~2": [2, 12],
    }.items():
        assert chosen(capture, "--where", where) == expected, where
    assert chosen(capture, "--where", "details.bureau=A", "--where", "details.ok=true") == [6, 12]
    assert chosen(capture, "--where", "details.none=x", code=1) == []
    for bad in ("", "n", "=x", "!=x"):
        credhook("replay", capture, "--to", ":1", "--where", bad).expect(2)


def test_invalid_ones_are_checked_again():
    """Whatever the record says, and together with the others that choose."""
    good, *_ = credhook("build", "user-created", "--seed", 1).expect(0).out.splitlines()
    bodies = [good, good.replace('"user"', '"users"'), "{", good, good.replace("details", "Details"), good]

    def row(number):
        return record(number, body=bodies[number - 1], event="user-created", valid=number != 2,
                      response={"status": 200 + number % 2})

    capture, results = write_capture(6, row), new_folder() / "r.ndjson"
    with open(capture, "ab") as file:
        file.write(record(7, "", redacted={"key": "0123456789abcdef", "withheld": "not JSON"}))

    def replayed(*args, code=0):
        with FaultServer(answer(204)) as server:
            result = credhook("replay", capture, "--to", server.url, *args).expect(code)
            return [request.body.decode() for request in server.requests], result.err

    withheld = 1  # a record without its body makes the exit 1
    assert replayed("--invalid", "--limit", 9, code=withheld)[0] == [bodies[at] for at in (1, 2, 4)]
    assert replayed("--invalid", "--status", 201, "--record", "1-4", code=withheld)[0] == ["{"]
    assert "; not valid: 3; service: " in (told := replayed("--invalid", "--where", "service=x", code=1)[1]), told
    for command in (("convert", capture), ("show", capture, "--json")):
        assert [row["seq"] for row in credhook(*command, "--invalid").expect(0).json()] == [2, 3, 5]
    assert credhook("show", capture, "--invalid").expect(0).err.startswith("3 of 7 records: 3 invalid; ")
    replayed("--invalid", "--events", "all", "--limit", 2, "--invalid", "--results", results)
    assert '"selection":"--events all --invalid --limit 2"' in results.read_text(encoding="utf-8")
    told = replayed("--events", "all", "--limit", 2, "--resume", results, code=2)[1]
    assert "of a run with another selection: --events all --invalid --limit 2" in told, told
    replayed("--limit", 2, "--invalid", "--events", "all", "--resume", results)


RESPONSES = [{"status": 200}, {"status": 500}, None, {"fault": "reset"}, {"status": 503, "fault": "drip"}, {"status": 502},
             {"status": 409}, {"status": 999}]


def test_status_is_that_of_the_recorded_response():
    capture = write_capture(len(RESPONSES), lambda number: record(number, response=RESPONSES[number - 1]))
    for given, expected in {
        "5xx": [2, 6], "502|500": [2, 6], "502,409": [6, 7], "409|500-501,200": [1, 2, 7], "1xx|2xx|3xx|4xx|5xx": [1, 2, 6, 7],
    }.items():
        assert chosen(capture, "--status", given) == expected, given
        converted = credhook("convert", capture, "--status", given).expect(0).json()
        assert [row["seq"] for row in converted] == expected, given
    assert chosen(capture, "--status", "409", "--status", "500|502", "--record", "1-6") == [2, 6]
    assert chosen(capture, capture, "--status", "5xx") == [2, 6, 2, 6]
    assert sorted(sum((chosen(capture, "--status", "5xx", "--shard", f"{k}/2") for k in (1, 2)), [])) == [2, 6]
    assert chosen(capture, "--status", "504", code=1) == []
    for bad in ("", "|", "5xx|", "600", "200-100", "5x", "ok"):
        credhook("replay", capture, "--to", ":1", "--status", bad).expect(2)


def test_status_of_what_has_no_response():
    payloads = new_folder() / "payloads.ndjson"
    payloads.write_bytes(credhook("build", "all").expect(0).out_bytes)
    assert chosen(payloads, "--status", "1xx|2xx|3xx|4xx|5xx", code=1) == []
    har = new_folder() / "capture.har"
    capture = write_capture(3, lambda number: record(number, body=json.dumps({"n": number, "details": {}}), response=RESPONSES[number - 1]))
    credhook("convert", capture, "-o", har).expect(0)
    assert chosen(har, "--status", "5xx") == [2]


def test_since_and_until():
    now = datetime.now(timezone.utc)

    def make(number):  # the first was received an hour and a half ago, the others half an hour later each
        return record(number, received_at=(now - timedelta(minutes=120 - 30 * number)).strftime("%Y-%m-%dT%H:%M:%S.%fZ"))

    capture = write_capture(3, make)
    assert chosen(capture, "--since", "75m") == [2, 3]
    assert chosen(capture, "--until", "75m") == [1]
    stamp = (now - timedelta(minutes=60)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    assert chosen(capture, "--since", stamp) == [2, 3]
    assert chosen(capture, "--until", stamp) == [1]
    assert chosen(capture, "--since", "2h", "--until", "45m") == [1, 2]
    for bad in ("2026-02-30", "05/06/2026", "soon", "1 month ago"):
        assert "is not a time" in credhook("replay", capture, "--since", bad).expect(2).err


def hourly(day):
    return write_capture(24, lambda number: record(number, received_at=f"2026-11-{day}T{number - 1:02}:30:00Z"))


def test_times_are_taken_as_people_write_them():
    capture = hourly(26)
    # As -h prints it: two words. Behind it may stand what is none of a day.
    for words in ("2026-11-26 22:00",), ("2026-11-26", "22:00"), ("26 Nov 2026", "10pm"), ("Nov 26, 2026 22:00 UTC",), ("26/Nov/2026:22:00:00 +0000",):
        result = credhook("replay", "--since", *words, capture, "--dry-run", "--json", "--to", ":9").expect(0)
        assert result.json()[0]["records"] == 2, result
        shown = credhook("show", capture, "--since", *words, "--json").expect(0)
        assert [item["seq"] for item in shown.json()] == [23, 24], shown
        assert len(credhook("convert", capture, "--since", *words, "-o", "-").expect(0).out.splitlines()) == 2
    # Said back where it was not typed so.
    assert "\nselected: since 2026-11-26 22:00:00\n" in credhook("show", capture, "--since", "26 Nov 2026", "10pm").expect(0).err
    assert "selected" not in credhook("show", capture, "--since", "2026-11-26", "22:00").expect(0).err
    assert "; selected: since 20" in credhook("show", capture, "--since", "an hour ago").expect(1).err
    # What follows and is no time of day is an operand still.
    assert "#3 " in credhook("show", "--since", "2026-11-26", "3", capture).expect(0).out


def test_a_time_without_a_date_is_of_the_day_of_the_last_record():
    earlier, later = hourly(24), hourly(26)
    for files, day in (([later], 26), ([earlier], 24), ([later, earlier], 26)):
        result = credhook("show", *files, "--since", "21:45").expect(0)
        assert f"selected: since 2026-11-{day} 21:45:00 (the day of the last record)" in result.err, result
        assert len([line for line in result.out.splitlines() if "#" in line]) == 2, result
    for command in ("convert", "-o", "-"), ("replay", "--dry-run", "--to", ":9"):
        result = credhook(*command, later, "--until", "2am").expect(0)
        assert "selected: until 2026-11-26 02:00:00 (the day of the last record)" in result.err, result
    # Of a pipe it is today's.
    result = credhook("show", "-", "--until", "12:00", stdin=later.read_bytes())
    assert f"until {datetime.now().strftime('%Y-%m-%d')} 12:00:00 (today)" in result.err, result
    # What was opened in a session is a list of records as well.
    script = new_folder() / "script"
    script.write_text(f"open {earlier}\nreceived --since 21:45\n")
    result = credhook("shell", "-f", script).expect(0)
    assert "since 2026-11-24 21:45:00 (the day of the last record)" in result.err, result


def test_ranges_and_counts_in_other_spellings():
    capture = hourly(26)
    for words in ("3..5",), ("3:5",), ("#3", "#4-#5"), ("3...5",), ("#3,4:5",):
        shown = credhook("show", capture, *words, "--json").expect(0)
        assert [item["seq"] for item in shown.json()] == [3, 4, 5], shown
        assert chosen(capture, "--record", ",".join(words)) == [3, 4, 5]
    assert [item["seq"] for item in credhook("show", capture, "23..last", "--json").expect(0).json()] == [23, 24]
    assert len(chosen(capture, "--limit", "1k")) == 24
    assert len(credhook("build", "user-created", "--count", "1,000").expect(0).out.splitlines()) == 1000
    assert len(chosen(capture, "--status", "200..299")) == len(chosen(capture, "--status", "2xx"))


def test_what_has_no_time_is_left_out_and_counted():
    capture, bare = write_capture(3), new_folder() / "bare.ndjson"
    bare.write_bytes((built("user-created") + b"\n") * 2)
    for option, time, command in ("--since", "2020-01-01", ("show",)), ("--until", "2030-01-01", ("convert", "-o", "-")), \
            ("--since", "2020-01-01", ("replay", "--dry-run", "--to", ":9")):
        result = credhook(*command, capture, bare, option, time).expect(0)
        assert f"2 records have no time, and are left out by {option}\n" in result.err, result
        assert "no time" not in credhook(*command, capture, bare, option, time, "--record", 3).expect(0).err
    result = credhook("show", bare, "--since", "2020-01-01").expect(1)
    assert "\n  hint: 2 records have no time, and are left out by --since\n" in result.err, result


def test_times_are_those_of_the_zone():
    """Berlin's clocks are set back at 01:00 UTC, New York's a week later at 06:00 UTC: `show` prints what --since takes."""
    stamps = ["2026-10-24T21:59:59.999999Z", "2026-10-24T22:00:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:00:00Z"]
    capture = write_capture(5, lambda number: record(number, received_at=stamps[number - 1]))
    berlin, new_york = {"TZ": "CET-1CEST,M3.5.0,M10.5.0/3"}, {"TZ": "EST5EDT,M3.2.0,M11.1.0"}

    def since(env, time, option="--since"):
        lines = credhook("convert", capture, option, time, env=env).expect(0).out.splitlines()
        return [stamps.index(json.loads(line)["received_at"].replace(".000000Z", "Z")) + 1 for line in lines]

    printed, day = [], ""
    for line in credhook("show", capture, env=berlin).expect(0).out.splitlines():  # a day has a line of its own
        day = line[:10] if re.match(r"\d{4}-", line) else day
        printed += [f"{day} {line[:8]}"] if "#" in line else []
    assert printed == ["2026-10-24 23:59:59", "2026-10-25 00:00:00", "2026-10-25 02:30:00", "2026-10-25 02:30:00", "2026-10-25 03:00:00"]
    assert [len(since(berlin, time)) for time in printed] == [5, 4, 3, 3, 1]
    assert since(berlin, "2026-10-25") == since(new_york, "2026-10-24 18:00") == [2, 3, 4, 5]
    assert since(berlin, "2026-10-25", "--until") == [1]
    assert since(berlin, "2026-10-25T01:00Z") == since(berlin, "2026-10-25 02:30:00+01:00") == [4, 5]
    assert since(new_york, "2026-10-25", "--until") == [1, 2, 3, 4, 5]
    # What a run is about is recorded in UTC.
    results = capture.with_name("r.ndjson")
    credhook("replay", capture, "--to", "127.0.0.1:1", "--since", "2026-10-25", "--results", results, env=berlin).expect(4)
    assert '--since 2026-10-24T22:00:00.000000Z' in results.read_text()
    assert nothing(capture, "--until", "2026-10-24", env=berlin) == "5 records of user-created, 2026-10-24 23:59:59 to 2026-10-25 03:00:00"
    assert nothing(capture, "--status", "404", env=new_york).startswith("5 records of user-created, 2026-10-24; ")
    future = (datetime.now() + timedelta(days=2)).strftime("%Y-%m-%d %H:%M")
    for command in "show", "convert":
        turned = credhook(command, capture, "--since", "2026-02-03", "--until", "2026-02-02").expect(1)
        assert "\n  hint: --since is not before --until\n" in turned.err, turned
    assert f"hint: --since {future}:00 is in the future" in credhook("convert", capture, "--since", future).expect(1).err


def test_limit_and_record():
    capture = write_capture(6)
    assert chosen(capture, "--record", "2-", "--limit", 3) == [2, 3, 4]
    assert chosen(capture, "--record", "2,5") == [2, 5]
    assert chosen(capture, "--record", "5-,1-2", "--record", "2-3") == [1, 2, 3, 5, 6]
    assert chosen(capture, capture, capture, "--record", "1-2") == [1, 2, 1, 2, 1, 2]


def test_record_counts_in_each_input():
    folder = new_folder()
    capture = write_capture(5, folder=folder)
    capture.write_bytes(capture.read_bytes().replace(b"\n", b"\n\n", 1))  # the second is on line 3
    other = write_capture(4)
    (folder / "c.ndjson.gz").write_bytes(gzip.compress(capture.read_bytes()))
    har = folder / "c.har"
    notified = [record(n, body=json.dumps({"n": n, "details": {}})) for n in (1, 2, 3)]
    credhook("convert", write_capture(3, lambda n: notified[n - 1]), "-o", har).expect(0)
    for inputs, given, expected in (
            ((capture, other), "2-3", [2, 2, 3]), ((folder / "c.ndjson.gz",), "1-3,3,2-4", [1, 2, 3]), ((har,), "2", [2]),
            ((capture,), "6-999999999999999999", [5])):
        with FaultServer(answer(204)) as server:
            credhook("replay", *inputs, "--to", server.url, "--record", given).expect(0)
            assert numbers(server) == expected, given
    for bad in ("0", "3-1", "0-2", "1-0", "", ",", "1,", "-1", "1--2", "+1", "1 ", "x", "9999999999999999999", "1-9999999999999999999"):
        assert "--record takes the numbers of lines" in credhook("replay", capture, "--to", ":1", f"--record={bad}").expect(2).err


def nothing(capture, *args, stdin=None, env={"TZ": "UTC"}):
    """What replay and convert say of a selection without records, which is the same."""
    told = [credhook(*line, *args, stdin=stdin, env=env).expect(1) for line in (("replay", capture, "--to", ":1"), ("convert", capture))]
    texts = [re.search(r"^credhook: nothing to (?:replay|convert) in (.*)$", result.err, re.M)[1] for result in told]
    assert texts[0] == texts[1] and told[1].out == "", told
    return texts[0]


def lived(number):
    """One of 1,200 records over three days: an alert, every tenth a user with a name of their own."""
    is_user = number % 10 == 0
    details = {"clientKey": f"K-{number}", "bureau": ("ABC", "X Y", "Z-1", "W")[number % 4], "ttlInMinutes": 15}
    if is_user:
        details = {"clientKey": f"K-{number}", "firstName": f"Ann{number}"}
    return record(number, body=json.dumps({"details": details}), event="user-created" if is_user else "bureau-alert",
                  received_at=f"2026-01-0{number % 3 + 1}T0{number % 10}:00:00Z", response={"status": 200 + number % 2 * 2})


def test_an_empty_selection_says_what_the_inputs_have():
    capture = write_capture(1200, lived)
    whole = "1,200 records of user-created, bureau-alert, 2026-01-01 to 2026-01-03"
    times = "1,200 records of user-created, bureau-alert, 2026-01-01 00:00:00 to 2026-01-03 09:00:00"
    for args, expected in (
            (("--where", "details.bureau=EQUIFAX"), "; details.bureau: X Y, Z-1, W and 1 more"),
            (("--where", "details.clientKey=K"), "; details.clientKey: more than 1,000 different values"),
            (("--where", "details.firstName~Zoe"), "; details.firstName: 120 different values"),
            (("--where", "details.ttlInMinutes!=15", "--events", "bureau-alert"), "; details.ttlInMinutes: 15"),
            (("--where", "details.bureau=ABC", "--where", "/details/appKey=x", "--status", "2xx"),
             "; status: 202, 200; details.bureau: X Y, Z-1, W and 1 more; details.appKey: none"),
            (("--status", "5xx|204"), "; status: 202, 200"),
            (("--events", "user-token-generated,monitored-element-added"), ""),
            (("--record", "1201-"), "; highest number: 1,200")):
        assert nothing(capture, *args) == whole + expected, args
    assert nothing(capture, "--since", "2026-02-01") == times
    assert nothing(capture, "--until", "2026-01-01") == times
    with open(capture, "rb") as file:
        data = file.read()
    assert nothing("-", "--status", "404", stdin=data) == whole + "; status: 202, 200"
    (packed := capture.with_name("c.gz")).write_bytes(gzip.compress(data))
    assert nothing(packed, "--status", "404") == whole + "; status: 202, 200"
    told = credhook("replay", capture, "--to", ":1", "--status", "404", "--json").expect(1).err
    assert "; status: 202, 200" in json.loads(told.splitlines()[-1])["error"]["message"], told


def test_an_empty_selection_of_what_has_little():
    folder = new_folder()
    (folder / "all.ndjson").write_bytes(credhook("build", "all", "--seed", 1).expect(0).out_bytes)
    for args, expected in (
            (("--status", "200"), "; status: none"), (("--until", "2020-01-01"), ""),
            (("--where", "service=alrts"), "; service: user, authenticate, report and 3 more"),
            (("--where", "details.bureu=x"), "; details.bureu: none")):
        told = nothing(folder / "all.ndjson", *args)
        assert re.fullmatch("25 records of [a-z-]+, [a-z-]+, [a-z-]+ and 22 more" + re.escape(expected), told), told
    capture = write_capture(2, lambda n: record(n, event=None, body="{}", response={"fault": "reset"}))
    assert nothing(capture, "--events", "user-created") == "2 records of no known event, 2026-01-02"
    assert nothing(capture, "--status", "2xx").endswith("; status: none")


def test_an_empty_selection_of_inputs_with_problems():
    """The problems make the exit code, and the error says what the other records have."""
    capture = write_capture(3)
    with open(capture, "ab") as file:
        file.write(record(4)[:50])
    unreadable = "/proc/self/mem"  # as comes out when it is read
    for inputs, code in (((capture,), 1), ((capture, unreadable), 3)):
        for line in (("replay", *inputs, "--to", ":1"), ("convert", *inputs), ("show", *inputs)):
            told = credhook(*line, "--status", "5xx").expect(code).err
            assert f"{capture}:4:51: skipped" in told and (unreadable in told) == (code == 3), told
            assert re.search(r" in 3 records of [a-z-]+, 2026-01-02; status: 200\n$", told), told
    told = credhook("replay", unreadable, "--to", ":1", "--status", "5xx").expect(3).err
    assert "nothing to replay" not in told, told


def test_an_empty_selection_shows_nothing_of_people():
    """Values of codes only, and only where an event says that the place has one; nothing that a terminal would take."""
    def hostile(number):
        bureau = ("\x1b]0;x\x07", "A" * 41, {"name": "Ann"}, ["Ann"], 7, "ok", "", "\u202e", None)[number % 9]
        details = {"bureau": bureau, "lastName": "Ann", "clientKey": "Ann", "x": "Ann", "alertDetails": {"y": "Ann"}}
        return record(number, body=json.dumps({"details": details}), event="bureau-alert")

    capture = write_capture(9, hostile)
    assert nothing(capture, "--where", "details.bureau=no") == (
        "9 records of bureau-alert, 2026-01-02; details.bureau: 7, ok, \\u{202E} and 6 more")
    for path in ("lastName", "clientKey", "x", "alertDetails.y", "alertDetails"):
        told = nothing(capture, "--where", f"details.{path}=no")
        assert told.endswith(f"; details.{path}: 1 different value"), told
    unknown = write_capture(9, lambda n: record(n, body=json.dumps({"details": {"bureau": f"Ann {n}"}}), event=None))
    assert nothing(unknown, "--where", "details.bureau=no") == (
        "9 records of no known event, 2026-01-02; details.bureau: 9 different values")
    told = nothing(capture, "--where", "details." + "\x1b[31m" + "q" * 5000 + "=x")
    assert len(told) < 300 and "\x1b" not in told and told.endswith(": none"), told


def test_shards_are_a_partition():
    capture = write_capture(50, keyed)
    for extra in ((), ("--keyed", "details.bureau"), ("--limit", 20)):
        parts = [chosen(capture, "--shard", f"{k}/3", *extra) for k in (1, 2, 3)]
        assert sorted(sum(parts, [])) == list(range(1, 21 if "--limit" in extra else 51))
        if "--keyed" in extra:
            homes = [{number % 3 for number in part} for part in parts]
            assert sum(len(home) for home in homes) == 3, homes
    for bad in ("0/3", "4/3", "1", "a/b", "1/0"):
        credhook("replay", capture, "--to", ":1", "--shard", bad).expect(2)


def test_a_keyed_run_that_ends_while_one_waits_for_its_time():
    capture = write_capture(20, keyed)
    line = ("replay", capture, "--keyed", "details.bureau")
    with FaultServer(answer(500)) as server:
        result = credhook(*line, "--concurrency", 4, "--to", server.url, "--rate", "1/m", "--max-failures", 0).expect(1)
        assert numbers(server) == [1] and "gave up: 0 accepted, 1 not accepted of 1" in result.err, result
        credhook(*line, "--to", server.url, "--speed", "0.001", "--concurrency", 16, "--max-failures", 0).expect(1)


def test_what_has_no_key_is_reported():
    capture = write_capture(4, lambda n: keyed(n) if n > 1 else record(n))
    with FaultServer(answer(204)) as server:
        for more in ((), ("--dry-run",)):
            line = ("replay", capture, "--to", server.url, *more, "--keyed")
            assert "1 record without 'details.bureau'" in credhook(*line, "details.bureau").expect(0).err
            assert "--keyed 'details.buro': no record has a value" in credhook(*line, "details.buro").expect(1).err
        for part in range(1, 9):  # one of them has none with a value
            credhook(*line, "details.bureau", "--shard", f"{part}/8").expect(0)
            assert "nothing stands" not in credhook(*line, "n").expect(0).err


def test_keyed_keeps_the_order_of_each_key():
    arrived, lock, most = defaultdict(list), threading.Lock(), [0, 0]

    def perform(connection):
        request = connection.read_request()
        return request is not None and serve(connection, request)

    def serve(connection, request):
        body = json.loads(request.body)
        with lock:
            most[0] += 1
            most[1] = max(most[1], most[0])
            arrived[body["details"]["bureau"]].append(body["n"])
        time.sleep(0.002)
        with lock:
            most[0] -= 1
        connection.send(b"HTTP/1.1 204 No Content\r\n\r\n")
        return True

    capture = write_capture(120, keyed)
    for concurrency in (8, 16):  # one thread, two threads
        arrived.clear()
        with FaultServer(perform) as server:
            credhook("replay", capture, "--to", server.url, "--concurrency", concurrency, "--keyed",
                     "details.bureau").expect(0)
        assert {key: sorted(value) for key, value in arrived.items()} == dict(arrived)
        assert sum(map(len, arrived.values())) == 120
    assert most[1] > 1, "nothing went at the same time"


def test_a_late_start_shifts_none_of_the_following():
    """The second answer takes 300 ms; the records behind it are due all the same, and told so."""
    def slow_second(connection):
        if len(connection.server.requests) == 2:
            time.sleep(0.3)
        connection.send(b"HTTP/1.1 204 No Content\r\n\r\n")
        return True

    results = new_folder() / "results.ndjson"
    with FaultServer(step(slow_second)) as server:
        result = credhook("replay", write_capture(30), "--to", server.url, "--rate", 100, "--results", results, "--json")
    due = [datetime.fromisoformat(json.loads(line)["due"].replace("Z", "+00:00")) for line in open(results, encoding="ascii")]
    gaps = [(b - a).total_seconds() for a, b in zip(due, due[1:])]
    assert all(abs(gap - 0.01) < 0.0001 for gap in gaps), gaps
    summary = result.expect(0).json()[-1]
    assert summary["start_delay_ms"]["max"] > 200 and summary["latency_from_due_ms"]["p50"] > summary["latency"]["p50"]


def test_dry_run_surveys():
    path = write_capture(10)
    with open(path, "ab") as file:
        file.write(record(1, body="{}", event=None) + b'{"v":1,"received_at":"x","body":1}\n' + record(30)[:50])
    result = credhook("replay", path, "--to", ":1", "--dry-run", "--json", "--speed", 1).expect(1)
    survey = result.json()[0]
    assert (survey["records"], survey["malformed"]) == (11, 2)
    assert survey["events"] == {"user-created": 10} and survey["unknown_events"] == 1
    assert survey["span_seconds"] == 0.009 and survey["estimated_seconds"] == 0.009
    text = credhook("replay", path, "--to", ":1", "--dry-run", "--rate", "2").expect(1).out
    assert "would send 11 records" in text and "estimated time: 5.0 s" in text
    assert "malformed, skipped: 2" in text


def manual_example(pattern):
    """What the pattern finds in the part of credhook-brokers(7) that needs no broker."""
    page = (SOURCE / "man" / "credhook-brokers.7").read_text().replace("\\-", "-").replace("\\e", "\\")
    (part,) = re.findall(r"^\.Sh WITHOUT A BROKER\n(.*?)^\.Sh", page, re.S | re.M)
    (example,) = re.findall(pattern, part, re.S | re.M)
    return example


def shell(line, server, folder, **more):
    """Runs an example of the manual where a capture.ndjson lies, with a sandbox that is the server."""
    (folder / "credhook").symlink_to(binary())
    (folder / "config.json").write_text(json.dumps({"environments": {"sandbox": {"url": server.url}}}))
    env = environment({"PATH": f"{folder}:{os.environ['PATH']}", "CREDHOOK_CONFIG": folder / "config.json", **more})
    done = subprocess.run(["sh", "-c", line], env=env, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (folder / "credhook").unlink()


def test_gnu_parallel_shards_one_capture():
    if not shutil.which("parallel"):
        raise Skip("GNU parallel is not installed")
    folder = new_folder()
    write_capture(200, keyed, folder)
    with FaultServer(answer(204)) as server:
        shell("parallel --will-cite " + manual_example(r"^parallel (.*?)^\.Ed"), server, folder)
        assert sorted(numbers(server)) == list(range(1, 201))
        shell("parallel --will-cite --pipe -N 50 -j 2 credhook -q replay - --to sandbox < capture.ndjson", server, folder)
        assert sorted(numbers(server)) == sorted(list(range(1, 201)) * 2)


def test_an_indexed_job_shards_one_capture():
    folder, (command, option, line) = new_folder(), json.loads(" ".join(manual_example(r"command: (\[.*?\])").split()))
    assert (command, option) == ("sh", "-c")
    write_capture(50, keyed, folder)
    with FaultServer(answer(204)) as server:
        for index in range(4):
            shell(line, server, folder, JOB_COMPLETION_INDEX=index)
        assert sorted(numbers(server)) == list(range(1, 51))


def test_memory_stays_bounded():
    """A large capture through a pipe, some lines long, with many connections: under 32 MiB."""
    if SANITIZE:
        raise Skip("sanitizers take memory of their own")
    usual, long = record(1, body=json.dumps({"n": 1, "pad": "x" * 20000})), record(2, body='"' + "y" * 900000 + '"')

    def many():
        for block in range(60):
            yield usual * 50 + (long if block % 10 == 0 else b"")

    with FaultServer(answer(204)) as server:
        server.record = lambda request: None
        run_of = measured("-q", "replay", "-", "--to", server.url, "--concurrency", "32", feed=many)
    assert run_of.code == 0 and run_of.held < 32, run_of


def test_what_has_no_end_ends_at_the_limit():
    """yes | replay - --limit: nothing waits for the end of the input."""
    def endless():
        while True:
            yield record(1) * 1000

    with FaultServer(answer(204)) as server:
        for more in (("--record", "20001-"), ("--dry-run",)):
            assert measured("replay", "-", "--to", server.url, "--limit", 3, *more, feed=endless).code == 0
        assert numbers(server) == [1, 1, 1]


if __name__ == "__main__":
    run()

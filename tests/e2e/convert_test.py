"""convert: a format loses what it says and nothing else, files are written whole, and nothing that counts is replaced."""
# rooms: capture cmd/show redact

import base64
import gzip
import json
import os
import re
import signal
import stat
import subprocess
import time

from captures import alert, entry, har, other, record, write, write_capture
from screen import Seen
from support import SANITIZE, SOURCE, binary, credhook, environment, launch, new_folder, run

BYTES = b'{"service":"\xff","details":{}}'
# Notifications as a listener records them: valid, invalid, broken, and what formats find hard.
RECORDS = [
    record(1, alert(1), event="bureau-alert", remote="192.0.2.7:4711"),
    record(2, alert(2).replace(":2,", ':"2",'), event="bureau-alert", valid=False, response={"status": 422}),
    record(3, '{"service": "user",', event=None, valid=False, response={"status": 500}),
    record(4, alert(4, x="\u00e9\u20ac\U0001F600\ufffd"), event="bureau-alert", target="/a%20b?x=1&y=%26",
           headers=[["Host", "[::1]:8080"], ["Content-Type", "application/json"], ["X-A", "1"], ["X-A", "2"]]),
    record(5, alert(5, x="\n\U0001F435\n"), event="bureau-alert", response=None),
    record(6, alert(6), event="bureau-alert", response={"fault": "reset"}),
    json.dumps({**json.loads(record(7)), "event": None, "body_base64": base64.b64encode(BYTES).decode(), "valid": False}).replace(
        ', "body": "{\\"n\\": 7}"', "").encode() + b"\n",
    record(8, "\n" + json.dumps(json.loads(alert(8)), indent=1) + "\n", event="bureau-alert"),
]


def capture(records=RECORDS):
    path = new_folder() / "capture.ndjson"
    path.write_bytes(b"".join(records))
    return path


def converted(path, form, code=0, args=()):
    result = credhook("convert", path, "--format", form, *args).expect(code)
    return result


def back(form, records=RECORDS):
    """The records after a way through a format and back."""
    there = converted(capture(records), form)
    file = write(there.out_bytes, f"x.{form}")
    return [json.loads(line) for line in credhook("convert", file).expect(0).out.splitlines()], there


def without(rows, *keys):
    return [{key: value for key, value in row.items() if key not in keys} for row in rows]


def headers_of(row, *left_out):
    return sorted([name, value] for name, value in row["headers"] if name.lower() not in left_out)


ORIGINAL = [json.loads(line) for line in RECORDS]


def test_a_capture_stays_what_it_is():
    """Byte for byte, also what only another version knows."""
    lines = [*RECORDS, record(9, alert(9), later={"a": [1]}, redacted={"key": "x"})]
    assert converted(capture(lines), "ndjson").out_bytes == b"".join(lines)


def test_har_and_back():
    rows, there = back("har")
    assert there.err.strip() == "har cannot hold senders and faults", there.err
    assert without(rows, "remote", "headers", "response", "event") == without(
        [{**row, "remote": ""} for row in ORIGINAL], "remote", "headers", "response", "event")
    assert [headers_of(row) for row in rows] == [headers_of(row) for row in ORIGINAL]
    faultless = [None if "fault" in (row["response"] or {}) else row["response"] for row in ORIGINAL]
    assert [row["response"] for row in rows] == faultless
    assert [row["event"] for row in rows] == [row["event"] for row in ORIGINAL]


def test_har_and_back_with_a_host_that_is_none():
    """The URL has the name of no server, which is not taken for where the request was sent."""
    hosts = ("[:::81]080", "", "a b", "a/b", "a@b", "h:99999", "h#x", "[::1]x", "h, h")
    lines = [record(number, alert(number), target="/hook?x=1", event="bureau-alert", headers=[["Host", host]])
             for number, host in enumerate(hosts, 1)]
    rows, there = back("har", lines)
    assert [(row["target"], row["headers"][0]) for row in rows] == [("/hook?x=1", ["Host", host]) for host in hosts]
    urls = {entry["request"]["url"] for entry in json.loads(there.out)["log"]["entries"]}
    assert urls == {"http://invalid/hook?x=1"}, urls
    # Of somebody else's file the host of the URL counts, beside a Host that is none as beside another one.
    for url, host, target in (("http://127.0.0.1/hook", "a b", "http://127.0.0.1/hook"),
                              ("http://invalid/hook", "h", "http://invalid/hook"), ("http://h/hook", "h", "/hook")):
        har = json.loads(there.out)
        har["log"]["entries"] = har["log"]["entries"][:1]
        har["log"]["entries"][0]["request"].update(url=url, headers=[{"name": "Host", "value": host}])
        (row,) = credhook("convert", write(json.dumps(har).encode(), "x.har")).expect(0).json()
        assert row["target"] == target, (url, host, row)


def test_what_came_by_https_is_not_said_to_be_sent_without():
    """Nor is what a proxy says to have come so."""
    forwarded = [["Host", "h.example"], ["X-Forwarded-Proto", "https"]]
    lines = [record(1, alert(1), scheme="https", headers=[["Host", "h.example"]]), record(2, alert(2), headers=forwarded),
             record(3, alert(3), headers=[["Host", "h.example"]])]
    rows, there = back("har", lines)
    assert [row.get("scheme") for row in rows] == ["https", "https", None], rows
    urls = ["https://h.example/hook", "https://h.example/hook", "http://h.example/hook"]
    assert [entry["request"]["url"] for entry in json.loads(there.out)["log"]["entries"]] == urls, there
    shown = credhook("show", capture(lines), "1-3", "--curl").expect(0).out
    assert [word for word in shown.split() if "://" in word] == urls, shown
    (row, *_) = credhook("convert", capture(lines), "--redact", "-o", "-").expect(0).json()
    assert row["scheme"] == "https", row


def test_the_manual_says_what_formats_keep():
    """Its table: read or not, written or not, and what is not kept, in the words of convert."""
    page = (SOURCE / "man" / "credhook-convert.1").read_text()
    rows = {name: cells for name, *cells in (row.split(" Ta ") for row in re.findall(r"^\.It (\w+ Ta (?:yes|no) Ta .*?)(?: Ta)?$", page, re.M))}
    options = {row["name"]: row["choices"] for row in next(
        row for row in credhook("help", "--json").json() if row["name"] == "convert")["options"]}
    assert set(options["from"]) - {"auto"} == {name for name, cells in rows.items() if cells[0] == "yes"}, rows
    assert set(options["format"]) - {"auto"} == {name for name, cells in rows.items() if cells[1] == "yes"}, rows
    for name in set(options["from"]) & set(options["format"]) - {"auto"}:
        said = re.search(f"^{name} cannot hold (.*)", converted(capture([RECORDS[0], RECORDS[5]]), name).err, re.M)
        lost = said.group(1) if said else "nothing"
        assert lost == rows[name][2], (name, lost, rows[name])


def test_headers_that_do_not_fit():
    odd = record(1, alert(1), headers=[["X-A", "1\r\nX-Evil: 2"], ["X B", "1"], ["X-C", "ok"], ["Content-Length", "7"],
                                       ["X-D", {"base64": "/w=="}]])
    there = converted(capture([odd]), "har")
    assert "1 header left out" in there.err and "\nX-Evil" not in there.out and "ok" in there.out, there
    for bad in ({"target": "/a b"}, {"target": "/a\x7f"}, {"target": "/a\r\nX: y"}, {"method": "PO ST"}):
        there = converted(capture([record(1, alert(1), **bad), record(2, alert(2))]), "har")
        assert "1 record left out: a method or target" in there.err, there


def test_what_is_written_is_read_by_all():
    file = write(converted(capture(RECORDS[:2]), "har").out_bytes, "x")
    assert "2 payloads: 1 valid, 1 invalid" in credhook("validate", file).expect(1).err
    assert "would send 2 records" in credhook("replay", file, "--to", ":1", "--dry-run").expect(0).out
    assert credhook("convert", file, "--format", "har").expect(0).out_bytes == file.read_bytes()


def test_har_has_what_the_format_requires():
    log = json.loads(converted(capture(), "har").out)["log"]
    assert log["version"] == "1.2" and log["creator"].keys() == {"name", "version"} and len(log["entries"]) == len(RECORDS)
    for row in log["entries"]:
        assert row.keys() == {"startedDateTime", "time", "request", "response", "cache", "timings"}
        assert {"method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize"} <= row["request"].keys()
        assert row["request"]["postData"].keys() == {"mimeType", "params", "text"}
        assert row["response"].keys() == {"status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL",
                                          "headersSize", "bodySize"}
    assert log["entries"][3]["request"]["queryString"] == [{"name": "x", "value": "1"}, {"name": "y", "value": "%26"}]
    assert log["entries"][3]["request"]["url"] == "http://[::1]:8080/a%20b?x=1&y=%26"


def test_selection():
    path = write_capture(20)
    pick = lambda *args: [row["seq"] for row in credhook("convert", path, *args).expect(0).json()]  # noqa: E731
    assert pick("--limit", 2, "--record", "4-") == [4, 5]
    assert pick("--record", "2,4") == [2, 4]
    assert pick("--where", "n=7") == [7]
    assert pick("--since", "2026-01-02T03:00:00.018Z") == [18, 19, 20]
    assert pick("--until", "2026-01-02T03:00:00.003Z") == [1, 2]
    assert pick("--events", "user-created", "--limit", 1) == [1]
    result = credhook("convert", path, "--where", "details.appKey=1").expect(1)
    assert "nothing to convert in 20 records of user-created, 2026-01-02; details.appKey: none\n" in result.err, result


def test_inputs_are_put_together():
    """Ours and others; each new record gets the next number."""
    payload = write(alert(3), "payload.json")
    rows = credhook("convert", capture(RECORDS[:1]), write(har(other(), entry(alert(2))), "x.har"), payload).expect(0)
    assert "1 record has no time: 1970-01-01" in rows.err, rows
    assert [(row["seq"], row["event"], row["valid"], row["method"]) for row in rows.json()] == [
        (number, "bureau-alert", True, "POST") for number in (1, 2, 3)]
    assert rows.json()[2]["headers"] == [["Content-Type", "application/json"]]


def test_records_without_a_time():
    payloads = write(alert(1) + "\n" + alert(2) + "\n", "payloads.ndjson")
    there = credhook("convert", payloads, "--format", "har").expect(0)
    assert "2 records have no time: 1970-01-01" in there.err, there
    assert [row["body"] for row in credhook("convert", write(there.out_bytes, "x")).expect(0).json()] == [alert(1), alert(2)]


def test_a_file_is_written_whole_for_its_owner():
    folder, old = new_folder(), os.umask(0)
    try:
        result = credhook("convert", capture(), "--format", "har", "-o", folder / "out").expect(0)
        assert "8 records written to" in result.err and result.out == "", result
        assert stat.S_IMODE((folder / "out").stat().st_mode) == 0o600
        (folder / "open").write_text("old")
        (folder / "open").chmod(0o644)
        credhook("convert", capture(), "--format", "har", "-o", folder / "open", "--force").expect(0)
        assert stat.S_IMODE((folder / "open").stat().st_mode) == 0o600
    finally:
        os.umask(old)
    assert sorted(path.name for path in folder.iterdir()) == ["open", "out"]


def test_nothing_that_counts_is_replaced():
    path = capture()
    for name, text in (("x.har", har()), ("x.gor", "1 " + "a" * 24 + " 1767323045000000000 0\nPOST / HTTP/1.1\r\n\r\n"),
                       ("y.ndjson", RECORDS[0])):
        file = write(text, name)
        before = file.read_bytes()
        result = credhook("convert", path, "-o", file, "--format", "ndjson").expect(2)
        assert "not replaced" in result.err and file.read_bytes() == before, result
        assert "8 records written" in credhook("convert", path, "-o", file, "--format", "ndjson", "--force").expect(0).err
    link = path.parent / "link"
    link.symlink_to(path)
    for file in (path, link):
        before = path.read_bytes()
        credhook("convert", path, "-o", file).expect(2)
        assert path.read_bytes() == before
    file = write("old", "notes")
    credhook("convert", path, "--where", "n=none", "-o", file).expect(1)
    assert file.read_text() == "old" and [entry.name for entry in file.parent.iterdir()] == ["notes"]


def test_from_says_what_the_inputs_are():
    text = har(entry(alert(1))).replace('"version": "1.2", "creator"', '"comment": "' + "x" * 100000 + '", "creator"')
    path = write(text, "x")
    assert "--from har" in credhook("convert", path).expect(3).err
    assert [row["event"] for row in credhook("convert", path, "--from", "har").expect(0).json()] == ["bureau-alert"]
    result = credhook("convert", write(har(entry(alert(1))), "x"), "--from", "ndjson").expect(3)
    assert "is a HAR file\n" in result.err and "--from har" in result.err and result.out == "", result
    for text in (alert(1), "a line of a log", '{"log":{"entries":{}}}'):
        result = credhook("convert", "-", "--from", "har", stdin=text).expect(3)
        assert result.err == "credhook: cannot read 'standard input' as har: a document of another kind\n" and result.out == "", result
    result = credhook("convert", path, "--from", "harr").expect(2)
    assert "har" in result.err, result


def test_bad_records_are_named_and_the_rest_is_written():
    result = credhook("convert", capture([RECORDS[0], b'{"v":1,"rec\n', RECORDS[1]])).expect(1)
    assert ":2:12: skipped: " in result.err and result.out_bytes == RECORDS[0] + RECORDS[1], result
    folder = new_folder()
    result = credhook("convert", capture([RECORDS[0], b'{"v":1,"rec\n', RECORDS[1]]), "-o", folder / "out").expect(1)
    assert (folder / "out").read_bytes() == RECORDS[0] + RECORDS[1], result
    credhook("convert", folder / "missing").expect(3)
    credhook("convert").expect(2)


def test_records_are_passed_on_as_they_come():
    with launch("convert", "-", stdin=subprocess.PIPE) as process:
        for line in RECORDS[:3]:
            process.stdin.write(line)
            process.stdin.flush()
            assert process.stdout.readline() == line
        process.stdin.close()
        assert process.wait() == 0


def started(*args):
    """convert of a pipe, of which the first record and what is not one are read."""
    process = launch("convert", "-", *args, stdin=subprocess.PIPE)
    process.stdin.write(RECORDS[0] + b'{"v":1,"rec\n')
    process.stdin.flush()
    assert b"skipped" in process.stderr.readline()
    return process


def test_a_pipe_is_read_to_its_end_at_a_first_signal():
    """Its writer got the signal too, and may have more to say; a second one ends it."""
    for options in ([], ["--redact"]):
        folder = new_folder()
        for number in (signal.SIGINT, signal.SIGTERM):
            with started(*options) as process:
                assert json.loads(process.stdout.readline())["seq"] == 1
                process.send_signal(number)
                for line in RECORDS[1], RECORDS[3]:
                    process.stdin.write(line)
                    process.stdin.flush()
                    assert json.loads(process.stdout.readline())["seq"] == json.loads(line)["seq"]
                process.stdin.close()
                assert process.wait() == 1, (process.returncode, process.stderr.read())
        with started(*options, "-o", folder / "out") as process:
            process.send_signal(signal.SIGINT)
            while process.poll() is None:
                process.send_signal(signal.SIGINT)
                time.sleep(0.01)
            process.stdin.close()
        assert not (folder / "out").exists() and process.returncode in (130, -signal.SIGINT), process.returncode


def test_an_interrupted_terminal_leaves_nothing():
    folder = new_folder()
    ours, theirs = os.openpty()
    with launch("convert", "-", "-o", folder / "out", stdin=theirs) as process:
        os.write(ours, RECORDS[0] + b'{"v":1,"rec\n')
        while b"skipped" not in process.stderr.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
    os.close(ours)
    os.close(theirs)
    assert list(folder.iterdir()) == []


def test_the_name_of_the_output_says_the_format():
    folder = new_folder()
    source = capture(RECORDS[:3])
    plain = {form: credhook("convert", source, "--format", form).expect(0).out_bytes for form in ("ndjson", "har", "html")}
    for name, form, args in (("x.har", "har", []), ("x.ndjson", "ndjson", []), ("x.jsonl", "ndjson", []), ("har", "ndjson", []),
                             ("x.html", "html", []), (".x", "ndjson", []), ("X.HAR", "har", []), ("y.har", "ndjson", ["--format", "ndjson"]),
                             ("x.txt", "har", ["--format", "har"])):
        credhook("convert", source, "-o", folder / name, *args).expect(0)
        length = 15 if form == "html" else None  # a page has the time at which it was made
        assert (folder / name).read_bytes()[:length] == plain[form][:length], name
    before = sorted(folder.iterdir())
    for name, words in (("x.txt", "end it with .ndjson"), ("x.gz", "end it with"), ("x.html.gz", "end it with"), ("x.", "end it with"),
                        ("x.2026-01-02", "or add --format")):
        told = credhook("convert", source, "-o", folder / name).expect(2).err
        assert f"/{name}' does not say a format" in told and words in told, told
    told = credhook("convert", source, "-o", folder / "y.html.gz", "--format", "html").expect(2).err
    assert "html is not compressed" in told and sorted(folder.iterdir()) == before, told
    credhook("convert", source, "-o", "/dev/null").expect(0)
    assert credhook("convert", source, "-o", "-").expect(0).out_bytes == plain["ndjson"]


def test_a_name_that_ends_with_gz_is_compressed():
    """In blocks, whatever their number; the bytes are the same ones each time."""
    number = 6000 if SANITIZE else 30000
    source = write_capture(number)
    folder = new_folder()
    for name, form in (("x.ndjson.gz", "ndjson"), ("x.jsonl.gz", "ndjson"), ("x.har.gz", "har"), ("x.foo.gz", "har")):
        args = ["--format", form] if "foo" in name else []
        plain = credhook("convert", source, "--format", form).expect(0).out_bytes
        result = credhook("convert", source, "-o", folder / name, *args).expect(0)
        packed = (folder / name).read_bytes()
        assert f"{number:,} records written" in result.err and gzip.decompress(packed) == plain, name
        assert len(packed) * 5 < len(plain) and stat.S_IMODE((folder / name).stat().st_mode) == 0o600, name
        # It is read as any other, and stays as it is.
        assert (f"{number:,} entries" if form == "har" else f"{number:,} records") in credhook("show", folder / name).err, name
        assert f"{number:,} records unchanged" in credhook("convert", source, "-o", folder / name, *args).expect(0).err, name
    with launch("convert", "-", "-o", "x.ndjson.gz", "--redact", stdin=subprocess.PIPE, cwd=new_folder()) as process:
        assert b"verified" in process.communicate(source.read_bytes())[1]


def test_what_is_not_redacted_does_not_pour_on_a_terminal():
    source = capture(RECORDS[:1])
    for args, code, shown in (([], 2, "-o - writes to the terminal"), (["--format", "har"], 2, "add --redact, or -o FILE"),
                              (["-o", "-"], 0, '"seq":1'), (["--redact"], 0, '"redacted":'), (["-o", "x.har"], 0, "1 record written")):
        with Seen([binary(), "convert", str(source), *args], environment(), new_folder(), 200) as seen:
            assert seen.until_end() == code and shown in "\n".join(seen.screen.text()), (args, seen.screen.text())
            assert ('"seq":1' in "".join(seen.screen.text())) == (args == ["-o", "-"] or "--redact" in args), args


def test_a_reader_that_goes_is_no_error():
    path = write_capture(5000)
    done = subprocess.run(f"{binary()} convert {path} | head -1; exit 0", shell=True, env=environment(), capture_output=True, check=True)
    assert done.stderr == b"" and len(done.stdout.splitlines()) == 1, done


if __name__ == "__main__":
    run()

"""Files that cannot be read are refused by name, and nothing of them is sent; what listen prints can be replayed."""
# rooms: capture

import gzip
import json
import os
import subprocess
import threading

from captures import record, write_capture
from support import LONG, SOURCE, FaultServer, Listener, answer, binary, choices, credhook, environment, launch, new_folder, run

CORPUS = SOURCE / "tests" / "fuzz" / "corpus" / "format"
READ = (*choices("convert", "from"), "none")
FOREIGN = sorted(path for path in CORPUS.iterdir() if not path.name.startswith(READ))
OTHERS = ", which credhook does not read"
WORDS = {"aws": "is a file of AWS events", "sqs": "is a file of messages of SQS or SNS", "goreplay": "is a GoReplay file",
         "kcat": "is a file of Kafka messages", "mitmproxy": "is a file of mitmproxy flows",
         "mockserver": "is a journal of MockServer", "ngrok": "is a file of ngrok requests",
         "pcap": "is a packet capture (pcap)", "postman": "is a Postman collection",
         "tshark": "is a file of packets (tshark -T json)", "vegeta": "is a file of vegeta targets",
         "webhook.site": "is a webhook.site export", "wiremock": "is a journal of WireMock"}
WORDS = {name: words + OTHERS for name, words in WORDS.items()}
WORDS |= {"zip": "is a ZIP archive", "gzip": "is gzip data inside gzip data", "results": "is a results file, not a capture", "json": "is a JSON Schema, not a payload",
          "config": "is a configuration of credhook, not a payload", "records": "is a capture with several lines per record",
          "array": "is an array of capture records", "utf16": "is a capture in UTF-16", "utf32": "is a capture in UTF-32", "inside": "has capture records in it",
          "among": "has recorded requests among other words in it", "entries": "has entries of a HAR file in it"}


def words(path):
    return WORDS[path.name.split("-")[0]]


def test_every_kind_has_its_words():
    assert {path.name.split("-")[0] for path in FOREIGN} == set(WORDS)


def test_nothing_at_all_is_sent():
    """Not even what comes before the file, in a file of any name, packed or not."""
    capture, folder = write_capture(3), new_folder()
    with FaultServer(answer(200)) as server:
        for index, path in enumerate(FOREIGN):
            name = folder / f"{path.name}{('', '.json', '.ndjson', '.gz')[index % 4]}"
            if name.suffix == ".ndjson" and "pretty" in path.name:
                name = name.with_suffix(".txt")
            data = path.read_bytes()
            name.write_bytes(gzip.compress(data) if name.suffix == ".gz" else data)
            args = ["replay", capture, name] if index % 2 else ["send", "--file", capture, "--file", name]
            result = credhook(*args, "--to", server.url).expect(3)
            assert f"'{name}' {words(path)}" in result.err, result
            if not LONG and index % 3:
                continue
            result = credhook("validate", name).expect(3)
            assert f"'{name}' {words(path)}" in result.err and result.out == "", result
        assert server.connections == 0


def test_nor_from_a_pipe():
    with FaultServer(answer(200)) as server:
        commands = (["replay", "-", "--to", server.url], ["send", "--file", "-", "--to", server.url], ["validate", "-"])
        for index, path in enumerate(FOREIGN):
            result = credhook(*commands[index % 3], stdin=path.read_bytes()).expect(3)
            assert f"standard input {words(path)}" in result.err, result
        capture = write_capture(1)
        with open(FOREIGN[0], "rb") as given:  # a plain file is looked at beforehand there, too
            done = subprocess.run([binary(), "replay", capture, "-", "--to", server.url], stdin=given, env=environment(),
                                  capture_output=True, check=False)
        assert done.returncode == 3, done
        assert server.connections == 0


def spread():
    """Files that are not read, and recorded requests that are not lines of a capture."""
    yield from ((path.name, path.read_bytes()) for path in FOREIGN)
    # The keys that show what it is are behind the bytes that are looked at beforehand.
    long = json.loads(record(1, "x" * 100_000)), json.loads(record(2, "y"))
    for sort in False, True:
        yield "long", "".join(json.dumps(one, indent=1, sort_keys=sort) + "\n" for one in long).encode()


def test_what_is_not_read_never_leaves():
    """Whatever is sent unchecked: they have what was recorded of the sender, its Authorization among it, or our own."""
    folder = new_folder()
    with FaultServer(answer(200)) as server:
        send = ["send", "--validate", "off", "--to", server.url, "--file"]
        for index, (name, data) in enumerate(spread()):
            ends = ".json", ".ndjson", ".txt", ".gz"
            for end in ends if LONG else (ends[index % 4],):
                path = folder / f"{index}{name}{end}"
                path.write_bytes(gzip.compress(data) if end == ".gz" else data)
                ways = [(*send, path), ("replay", "--to", server.url, path)] if name != "long" or end != ".ndjson" else []
                for way in ways if LONG or name == "long" else (ways[index // 4 % 2],):
                    credhook(*way).expect(1 if name == "long" else 3)
            if LONG or name == "long" or index % 3 == 0:
                credhook(*send, "-", stdin=data).expect(1 if name == "long" else 3)
        assert server.connections == 0


def test_records_in_strings_of_any_depth_never_leave():
    """A string in a string ...; the line of the hint takes them out of all of these."""
    folder, body = new_folder(), json.dumps({"service": "x", "details": {}})
    text = record(1, body).decode().strip()
    with FaultServer(answer(200)) as server:
        for depth in range(1, 12):
            text = json.dumps({"a": text, "b": 1} if depth % 3 else text)
            path = folder / f"{depth}.json"
            path.write_text(text)
            result = credhook("send", "--validate", "off", "--to", server.url, "--file", path).expect(3)
            line = result.err.split("hint: ")[1].split(": ", 1)[1].splitlines()[0]
            subprocess.run(["sh", "-c", line], check=True)
            shown = credhook("show", "--json", f"{path}.ndjson").expect(0).json()
            assert [one["body"] for one in shown if "body" in one] == [body], (depth, shown)
        assert server.connections == 0


def test_a_har_file_is_not_sent_as_it_is():
    """Its bodies are, by the line that the hint has."""
    for text, kind in (((CORPUS / "har").read_text(), "is a HAR file"),
                       (json.dumps({"log": {"pages": ["x" * 70_000], "entries": json.loads((CORPUS / "har").read_text())["log"]["entries"]}}),
                        "is a HAR file"),
                       ((CORPUS / "har-cut").read_text(), "is a HAR file"),
                       ((CORPUS / "har").read_text().encode("utf-16"), "is a capture in UTF-16")):
        data = text if isinstance(text, bytes) else text.encode()
        path = new_folder() / "x.json"
        path.write_bytes(data)
        with FaultServer(answer(200)) as server:
            send = ["send", "--validate", "off", "--to", server.url, "--file"]
            assert kind in credhook(*send, path).expect(3).err
            credhook(*send, "-", stdin=data).expect(3)
            assert server.connections == 0


def torn(one):
    """Texts that have no record from its first key on, or no Latin letter at their beginning, in UTF-16 or not."""
    har = json.dumps({"method": "POST", "url": "/", "httpVersion": "HTTP/1.1", "headers": [{"name": "Authorization"}]})
    for mark, code in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"), (b"", "utf-16-le"), (b"", "utf-16-be")):
        yield mark + f"\u65e5\u672c\u8a9e {one}".encode(code)
    rest = one[one.index('"method"'):]
    for text in ("10:00 got {" + rest, one[one.index("received_at") + 3:], "got " + har, json.dumps("x " + one)[1:-1],
                 '{"service":"user"}\n{' + rest, repr(json.loads(one))):
        yield text.encode()


def test_words_around_records_do_not_hide_them():
    """What is not JSON is no record that can be read; it does not leave as bytes either."""
    one = record(1, "x").strip()
    for text in (b"\xef\xbb\xbf" + one, b"2026-01-02 INFO " + one, b"data: " + one + b"\n\ndata: " + one, one.replace(b"}", b",}"),
                 b"\xef\xbb\xbf[" + one + b"]", one.decode().encode("utf-16")[4:], *torn(one.decode())):
        path = new_folder() / ("x.json" if text.startswith(b'{"service') else "x.txt")
        path.write_bytes(text)
        with FaultServer(answer(200)) as server:
            for command in ["replay"], ["send", "--validate", "off", "--file"], ["send", "--validate", "report", "--file"]:
                result = credhook(*command, path, "--to", server.url)
                assert result.code in (1, 3), (command, text, result)
            assert server.connections == 0


def test_what_was_packed_twice_is_unpacked():
    """By the line that is printed, under either name."""
    folder = new_folder()
    capture = write_capture(2).read_bytes()
    for name in ("twice.ndjson.gz", "twice.ndjson"):
        (folder / name).write_bytes(gzip.compress(gzip.compress(capture)))
        result = credhook("show", name, cwd=folder).expect(3)
        line = next(line for line in result.err.splitlines() if "unpack it: " in line).split("unpack it: ")[1]
        subprocess.run(line, shell=True, cwd=folder, check=True)
        assert credhook("show", folder / f"{name}.ndjson").expect(0).err.startswith("2 records")


def test_a_configuration_never_leaves():
    """Nor broken, in UTF-16, behind a long member or as a line; its headers may have a token. A payload with its keys does."""
    folder, secret = new_folder(), "S3cretCFG00"
    one = {"environments": {"sandbox": {"url": "http://127.0.0.1:3999/hook", "headers": {"Authorization": f"Bearer {secret}"}}}}
    text, payload = json.dumps(one), json.dumps({"details": {}, **one}).encode()
    long = json.dumps({"comment": "x" * 70_000, **one})
    rows = ((text, 3), (json.dumps(one, indent=1), 3), (f"{text[:-1]},}}", 3), ("\ufeff" + text, 3), (long, 3),
            (text.encode("utf-16"), 3), (text.encode("utf-16-le"), 3), (f'{{"service":"user"}}\n{text}\n', 1),
            (f'{{"service":"user"}}\n{text[:-1]}\n', 1))
    with FaultServer(answer(200)) as server:
        send = ["send", "--to", server.url, "--file"]
        for index, (data, code) in enumerate(rows):
            data = data if isinstance(data, bytes) else data.encode()
            for end in (".json", ".ndjson") if code == 3 and len(data) < 10_000 else (".ndjson",):
                path = folder / f"{index}{end}"
                path.write_bytes(data)
                for check in "off", "report":
                    result = credhook(*send, path, "--validate", check).expect(code)
                    assert "is a configuration of credhook" in result.err and secret not in result.err, result
                    result = credhook(*send, "-", "--validate", check, stdin=data)
                    assert result.code in (1, 3) and "is a configuration of credhook" in result.err, (data, result)
        assert not any(secret.encode() in request.body for request in server.requests)
        path.write_bytes(payload)
        credhook(*send, path, "--validate", "off").expect(0)
        assert server.requests[-1].body == payload


def test_details_hide_no_recorded_request():
    one = json.loads(record(1, "x"))
    path = new_folder() / "x.json"
    with FaultServer(answer(200)) as server:
        for payload in {"details": [one]}, {"service": "alerts", "details": {"alertDetails": one}}:
            path.write_text(json.dumps(payload))
            for command in ["replay"], ["send", "--validate", "off", "--file"], ["send", "--validate", "report", "--file"]:
                assert credhook(*command, path, "--to", server.url).code == 3, (command, payload)
        assert server.connections == 0


def test_records_over_several_lines_become_lines():
    folder = new_folder()
    for name in ("records", "records-tab", "records-sorted", "array", "utf16", "utf16-pretty", "utf32", "utf32-be", "inside", "inside-deeper", "inside-service",
                 "inside-string", "entries", "entries-lines", "entries-log"):
        path = folder / f"{name}.json"
        path.write_bytes((CORPUS / name).read_bytes())
        with FaultServer(answer(200)) as server:
            result = credhook("replay", path, "--to", server.url)
            while result.code == 3:
                line = result.err.split("hint: ")[1].split(": ", 1)[1].splitlines()[0]
                subprocess.run(["bash", "-o", "pipefail", "-c", line], check=True)
                path = next(made for made in (path.with_name(path.name + end) for end in (".ndjson", ".har")) if made.exists())
                result = credhook("replay", path, "--to", server.url)
            result.expect(0)
            assert [json.loads(request.body)["details"]["n"] for request in server.requests] == [1, 2]


def test_a_record_alone_may_have_several_lines():
    with FaultServer(answer(200)) as server:
        for command in "replay", "send":
            path = write_capture(1).with_suffix(".json")
            path.write_bytes((CORPUS / "none-record-pretty").read_bytes())
            credhook(*({"replay": ["replay"], "send": ["send", "--validate", "off", "--file"]}[command]), path, "--to",
                     server.url).expect(0)
        assert [json.loads(request.body)["service"] for request in server.requests] == ["user", "user"]


def test_a_record_without_its_body_is_no_payload():
    path = new_folder() / "x.ndjson"
    path.write_text("".join(json.dumps({k: v for k, v in json.loads(record(n, "x")).items() if k != "body"}) + "\n" for n in (1, 2)))
    with FaultServer(answer(200)) as server:
        for command in ["replay"], ["send", "--validate", "off", "--file"], ["send", "--validate", "report", "--file"]:
            result = credhook(*command, path, "--to", server.url).expect(1)
            assert f"{path}:2: skipped: a record without its body" in result.err, result
        assert server.connections == 0


def test_nor_in_the_middle_of_a_stream():
    har = (CORPUS / "har").read_bytes()
    payload = (CORPUS / "none-payload").read_bytes()
    with FaultServer(answer(200)) as server:
        result = credhook("replay", "-", "--to", server.url, stdin=payload + b"\n" + har + b"\n" + payload + b"\n").expect(1)
        assert "<stdin>:2: skipped: it is a HAR file" in result.err, result
        assert [request.body for request in server.requests] == [payload, payload]


def test_a_long_one_is_known_by_its_beginning():
    """40 MiB of it, of which most is never read."""
    folder = new_folder()
    head = (CORPUS / "postman").read_bytes().rstrip().removesuffix(b"}")
    (folder / "x.json").write_bytes(head + b',"text":"' + b"x" * (40 << 20) + b'"}')
    for args in (["replay", folder / "x.json", "--to", ":1"], ["validate", folder / "x.json"]):
        result = credhook(*args).expect(3)
        assert "is a Postman collection" in result.err, result


def test_notifications_are_never_refused_by_name():
    with FaultServer(answer(200)) as server:
        for path in sorted(CORPUS.glob("none-*")):
            code = code_of(path)
            result = credhook("replay", path, "--to", server.url).expect(code)
            assert (f"'{path}' is neither a capture nor a notification" in result.err) == (code == 3), result
            assert credhook("validate", path).code in (0, 1)


def code_of(path):
    """With which replay ends: 1 is for what is not JSON, 3 for what is JSON and not a notification."""
    if path.name in ("none-ready", "none-record", "none-record-pretty", "none-event"):
        return 0
    try:
        whole = json.loads(path.read_text())
    except (ValueError, RecursionError):
        return 1
    is_notification = isinstance(whole, dict) and {"service", "details"} & set(whole)
    return 1 if path.name == "none-deep" else 0 if is_notification else 3


def test_text_that_is_not_json_has_one_place():
    """As validate says it: the line, and its column, in the file."""
    folder = new_folder()
    whole, lines, torn = folder / "whole.json", folder / "lines.ndjson", folder / "torn.ndjson"
    whole.write_text('{\n  "service": "a",\n}\n')
    lines.write_text('{"service":"a"}\n{"service":True}\n')
    torn.write_text('{"service":"a"}\n{"v":1,"rec')
    for path, place in ((whole, "3:1"), (lines, "2:12"), (torn, "2:12")):
        assert f"{path}:{place}: error: " in credhook("validate", path).expect(1).out
        for command in (("show", path), ("replay", path, "--to", ":1", "--dry-run"), ("convert", path, "-o", "-")):
            result = credhook(*command)
            assert result.code != 0 and f"{path}:{place}: " in result.err and "column" not in result.err, result


def test_text_that_is_not_json_is_no_payload():
    folder = new_folder()
    (folder / "hostname").write_text("host.example\n")
    (folder / "some.ndjson").write_text('{"service":"a"}\nhost.example\n')
    with FaultServer(answer(200)) as server:
        result = credhook("replay", folder / "hostname", "--to", server.url).expect(1)
        assert f"{folder}/hostname:1:1: skipped: not JSON" in result.err and "hint" not in result.err, result
        credhook("replay", "-", "--to", server.url, stdin=b"host.example\n").expect(1)
        credhook("send", "--file", folder / "hostname", "--to", server.url).expect(1)
        assert server.connections == 0
        credhook("replay", folder / "some.ndjson", "--to", server.url).expect(1)
        credhook("replay", write_capture(1, lambda n: record(n, "any bytes")), "--to", server.url).expect(0)
        credhook("send", "--validate", "off", "--file", folder / "hostname", "--to", server.url).expect(0)
        assert [request.body for request in server.requests] == [
            b'{"service":"a"}', b"any bytes", b"host.example\n"]


def events(*args, bodies=(b'{"service":"user"}', b"bytes \xff\x00", "\u202ebidi \u200b".encode())):
    """What `listen --json` prints for these bodies."""
    folder = new_folder()
    with Listener(*args) as listener:
        for body in bodies:
            (folder / "body").write_bytes(body)
            credhook("send", "--file", folder / "body", "--validate", "off", "--to", listener.url, "-H",
                     "Authorization: Bearer s3cret", "-H", "Content-Type: application/x-odd").expect(0)
        return listener.stop().out


def test_what_listen_prints_is_replayed():
    bodies = [b'{"service":"user"}', b"bytes \xff\x00", "\u202ebidi \u200b".encode()]
    printed = events("-v", bodies=bodies)
    rows = [json.loads(line) for line in printed.splitlines()]
    assert [row["type"] for row in rows] == ["ready", "event", "event", "event", "summary"]
    assert all(row["v"] == 1 and ["Authorization", "Bearer s3cret"] in row["headers"] for row in rows[1:4])
    assert "\u202e" not in printed and "\u200b" not in printed
    with FaultServer(answer(200)) as server:
        credhook("replay", "-", "--to", server.url, "--as-recorded", stdin=printed.encode()).expect(0)
        assert [request.body for request in server.requests] == bodies
        assert all("application/x-odd" in dict(request.headers).values() for request in server.requests)
        assert not any("Bearer s3cret" in dict(request.headers).values() for request in server.requests)
    as_record = credhook("validate", "-", stdin=printed.encode()).expect(1)
    assert "3 payloads: 0 valid, 3 invalid" in as_record.err, as_record
    spaced = "".join(json.dumps(row) + "\n" for row in rows)  # as jq -c may write it, or a log
    assert "3 payloads: 0 valid, 3 invalid" in credhook("validate", "-", stdin=spaced.encode()).expect(1).err


def test_events_without_bodies_are_refused():
    printed = events()
    assert '"body' not in printed and "s3cret" not in printed
    with FaultServer(answer(200)) as server:
        for given in (["-"], [new_folder() / "events.ndjson"]):
            if given != ["-"]:
                given[0].write_text(printed)
            result = credhook("replay", *given, "--to", server.url, stdin=printed.encode()).expect(3)
            assert ":2: an event of 'listen --json' without its body" in result.err and "-v" in result.err, result
        assert server.connections == 0
    result = credhook("validate", "-", stdin=printed.encode()).expect(1)
    assert "without its body" in result.out and "-v" in result.out, result


def test_events_are_replayed_as_they_come():
    """From a pipe that stays open behind the first of them."""
    with FaultServer(answer(200), answer(200)) as server:
        reading, writing = os.pipe()
        replay = launch("replay", "-", "--to", server.url, stdin=reading)
        os.close(reading)
        guard = threading.Timer(20, replay.kill)
        guard.start()
        line = json.dumps({"type": "event", **json.loads(record(1))}).encode() + b"\n"
        os.write(writing, b'{"type":"ready","url":"http://127.0.0.1:1","pid":1}\n' + line)
        assert replay.stdout.readline().startswith(b"to ")
        assert replay.stdout.readline().startswith(b"ok   200")
        os.write(writing, line)
        os.close(writing)
        out, err = replay.communicate()
        guard.cancel()
        assert replay.returncode == 0, (out, err)
        assert len(server.requests) == 2


if __name__ == "__main__":
    run()

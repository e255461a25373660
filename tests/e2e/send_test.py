#!/usr/bin/python3
"""What send puts on the wire: the request, its headers, the payloads of events and files, and what stays at home."""
# rooms: cmd/args cmd/send deliver http

import json
import os
import re
from pathlib import Path

from captures import record, write
from support import FaultServer, Nginx, answer, credhook, free_port, kinds, new_folder, run

INVALID = '{"service":"user","event":"201","method":"post","path":"/api/user/v2","details":{}}'


def build(*args):
    return credhook("build", *args).expect(0).out_bytes.splitlines()


def delivered(server, *args, code=0, **more):
    """The bodies that arrive when all is sent to the server, in order."""
    credhook("send", "--to", server.url, *args, **more).expect(code)
    bodies = [request.body for request in server.requests]
    return bodies


def test_the_request_as_nginx_reads_it():
    (payload,) = build("credit-report-ordered", "--seed", 5)
    with Nginx(status=200, record=True) as nginx:
        credhook("send", "credit-report-ordered", "--seed", 5, "--to", f"{nginx.url}/hook/a%20b?x=1&y=%26").expect(0)
        (request,) = nginx.requests(1)
    assert request["body"] == payload
    assert (request["method"], request["target"], request["protocol"]) == ("POST", "/hook/a%20b?x=1&y=%26", "HTTP/1.1")
    assert request["content_type"] == "application/json" and request["content_length"] == str(len(payload))
    assert request["host"] == f"127.0.0.1:{nginx.port}" and request["user_agent"].startswith("credhook/")


def test_exactly_these_headers_and_no_other():
    with FaultServer(answer(200)) as server:
        credhook("send", "bureau-alert", "--to", server.url).expect(0)
        (request,) = server.requests
    names = sorted(name.lower() for name, _ in request.headers)
    assert names == ["accept", "content-length", "content-type", "host", "user-agent"], request.headers
    assert request.header("Accept") == "*/*" and request.target == "/"


def test_one_connection_is_kept():
    with Nginx(record=True) as nginx:
        credhook("send", "all", "--to", nginx.url).expect(0)
        requests = nginx.requests(len(kinds()))
    assert len({request["connection"] for request in requests}) == 1
    assert [request["nth"] for request in requests] == list(range(1, len(kinds()) + 1))


def test_where_in_all_its_forms():
    with FaultServer(answer(200)) as server:
        port = server.port
        rows = [(f":{port}", "/"), (f"{port}", "/"), (f"{port}/hook", "/hook"), (f":{port}/a/b?c", "/a/b?c"),
                (f"localhost:{port}/x", "/x"), (f"127.0.0.1:{port}", "/"), (f"HTTP://LOCALHOST:{port}/Y", "/Y"),
                (f"http://127.0.0.1:{port}/z#part", "/z"), (f"http://127.0.0.1:{port}?q=1", "/?q=1")]
        for where, _ in rows:
            credhook("send", "user-created", "--to", where).expect(0)
        assert [request.target for request in server.requests] == [target for _, target in rows]


def test_headers_are_added():
    secrets = write("X-From-File: 1\r\n\nAuthorization: Bearer s3cret\n", "headers")
    with FaultServer(answer(200)) as server:
        credhook("send", "user-created", "--to", server.url, "-H", "X-One: é", "-H", "X-Empty;", "--header=X-Two:2",
                 "-H", f"@{secrets}", "-H", "User-Agent: mine/1", "-H", "Accept:").expect(0)
        (request,) = server.requests
    assert request.header("X-One").encode("latin-1") == "é".encode()
    assert (request.header("X-Empty"), request.header("X-Two"), request.header("X-From-File")) == ("", "2", "1")
    assert request.header("Authorization") == "Bearer s3cret" and request.header("User-Agent") == "mine/1"
    assert request.header("Accept") is None


def test_a_content_type_of_ones_own_replaces_the_usual_one():
    with FaultServer(answer(200)) as server:
        credhook("send", "user-created", "--to", server.url, "-H",
                 "content-type: application/json; charset=utf-8").expect(0)
        (request,) = server.requests
    types = [value for name, value in request.headers if name.lower() == "content-type"]
    assert types == ["application/json; charset=utf-8"], request.headers


def test_bad_headers_are_refused_and_nothing_is_sent():
    folder = new_folder()
    rows = [("X: a\r\nY: b", 2), ("X: a\nb", 2), ("X: \x01", 2), ("X: \x7f", 2), ("no colon", 2), (": x", 2),
            ("X Y: z", 2), ("Content-Length: 5", 2), ("@missing", 3), ("", 2),
            (f"@{write(b'X: a' + bytes(1) + b'b', 'nul', folder)}", 2), (f"@{write('X y', 'bad', folder)}", 2),
            (f"@{write(b'X: a' + bytes([27]) + b'[31m', 'esc', folder)}", 2), (f"@{folder}", 3)]
    with FaultServer(answer(200)) as server:
        for line, code in rows:
            result = credhook("send", "user-created", "--to", server.url, "-H", line).expect(code)
            assert result.out == "" and result.err.startswith("credhook: "), result
            assert "\x1b" not in result.err and "\x01" not in result.err
        assert server.connections == 0


def test_no_proxy_and_no_netrc_are_taken_from_the_surroundings():
    home = new_folder()
    write("machine 127.0.0.1 login bob password sekret\n", ".netrc", home).chmod(0o600)
    dead = f"http://127.0.0.1:{free_port()}"
    surroundings = {name: dead for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY")}
    with FaultServer(answer(200)) as server:
        credhook("send", "user-created", "--to", server.url, env={**surroundings, "HOME": home}).expect(0)
        (request,) = server.requests
        assert request.header("Authorization") is None


def test_files_of_every_form():
    folder = new_folder()
    one, two, three = build("user-created", "bureau-alert", "monitored-element-added/email", "--seed", 1)
    stored = record(1, three, event=None)
    rows = [
        (("--file", write(b" " + one + b"\n\n", "one.json", folder)), [b" " + one + b"\n\n"], None),
        (("--file", write(one + b"\r\n\r\n" + two + b"\n\n", "two.ndjson", folder)), [one, two], None),
        (("--file", write(one + b"\n" + two, "last.jsonl", folder)), [one, two], None),
        (("--file", write(stored + stored, "capture.ndjson", folder)), [three, three], None),
        (("--file", "-"), [two], two),
        (("--file", "-"), [one, two], one + b"\n" + two + b"\n"),
        (("--file", write(two, "tree/b/2.json", folder).parent.parent, "--file",
          write(one + b"\n" + three, "tree/a.ndjson", folder)), [one, three, two, one, three], None),
        (("bureau-alert", "--seed", 2, "--file", folder / "one.json"),
         build("bureau-alert", "--seed", 2) + [b" " + one + b"\n\n"], None),
        (("-f", folder / "last.jsonl", "-f", folder / "last.jsonl"), [one, two, one, two], None),
    ]
    for arguments, expected, stdin in rows:
        with FaultServer(answer(200)) as server:
            assert delivered(server, *arguments, stdin=stdin) == expected, arguments


def test_files_that_cannot_be_read():
    folder = new_folder()
    locked = write(INVALID, "locked.json", folder)
    locked.chmod(0)
    rows = [(folder / "missing.json", 3)]
    if os.geteuid() != 0:
        rows.append((locked, 3))
    with FaultServer(answer(200)) as server:
        for path, code in rows:
            result = credhook("send", "--file", path, "--to", server.url).expect(code)
            assert path.name in result.err, result
        assert server.connections == 0


def test_nothing_to_send():
    folder = new_folder()
    (folder / "none").mkdir()
    blank = write("\n\n", "blank.ndjson", folder)
    with FaultServer(answer(200)) as server:
        for extra in (), ("-f", blank), ("--dry-run",):
            for path in folder / "none", blank:
                result = credhook("send", "--file", path, "--to", server.url, *extra).expect(1)
                assert "nothing to send" in result.err, result
        assert server.connections == 0
        credhook("send", "user-created", "--file", folder / "none", "--to", server.url).expect(0)
        assert len(server.requests) == 1


def test_what_is_invalid_stays_at_home():
    folder = new_folder()
    (good,) = build("user-created", "--seed", 1)
    rows = [INVALID, "", "{", "\x00\x01\x02", "[]", "nonsense"]
    for number, text in enumerate(rows):
        bad = write(text, f"{number}.json", folder)
        with FaultServer(answer(200)) as server:
            result = credhook("send", "--file", bad, "--to", server.url).expect(1)
            assert server.connections == 0, (text, str(result))
            assert f"{bad}:1" in result.err, result
            assert ("--validate" if text else "the input is empty") in result.err, result
    lines = write(good + b"\n" + INVALID.encode() + b"\n{\n" + good + b"\n", "lines.ndjson", folder)
    with FaultServer(answer(200)) as server:
        result = credhook("send", "--file", lines, "--to", server.url).expect(1)
        assert [request.body for request in server.requests] == [good, good], result
        assert f"{lines}:2:" in result.err and f"{lines}:3:" in result.err and "missing-key" in result.err, result


def test_invalid_ones_are_reported_and_sent_or_not_even_checked():
    bad = write(INVALID, "bad.json")
    for how in ("report", "off"):
        with FaultServer(answer(200)) as server:
            result = credhook("send", "-f", bad, "--validate", how, "--to", server.url).expect(0)
            assert server.requests[0].body == INVALID.encode()
            assert (f"{bad}:1: invalid, sent" in result.err) == ("missing-key" in result.err) == (how == "report"), result
    other = write(credhook("schema").expect(0).out.encode(), "schema.json")
    with FaultServer(answer(200)) as server:
        result = credhook("send", "bureau-alert", "--set", "details.alertId:=true", "--validate", "report", "--to", server.url,
                          "--json", "--report", f"junit={bad}.xml").expect(0)
        assert [row["type"] for row in result.json()] == ["invalid", "delivery", "summary"], result
        assert 'failures="0"' in Path(f"{bad}.xml").read_text(encoding="utf-8")
        result = credhook("send", "user-created", "--break", "missing-key", "--validate", "report", "--to", server.url).expect(0)
        assert "invalid" not in result.err, result
        count = len(server.requests)
        for how in ("report", "off"):
            assert "is a JSON Schema" in credhook("send", "-f", other, "--validate", how, "--to", server.url).expect(3).err
        assert len(server.requests) == count
    for body in (b"{", b"\xff\xfe", b'{"a":1}', b"<a method='x'>1</a>", b"some text", b"\x00\x01", b"<form method='post' target='_blank'> headers", b'{"details":{"a":1,}}'):
        with FaultServer(answer(200)) as server:
            path = write(body, "raw.json")
            credhook("send", "--file", path, "--validate", "off", "--to", server.url).expect(0)
            assert server.requests[0].body == body


def test_what_is_invalid_is_where_validate_says_it_is():
    """In a record, in its line; where --set makes another body of it, in that. What was made is of no file."""
    broken = INVALID.replace('"details":{}', '"details":{"odd":1}')
    path = write(record(1, broken) + record(2, broken), "c.ndjson")
    places = re.findall(r"^.*: error: missing key .*$", credhook("validate", path).expect(1).out, re.M)
    assert len(places) > 2
    with FaultServer(answer(200)) as server:
        told = credhook("send", "--file", path, "--to", server.url).expect(1).err
        assert re.findall(r"^.*: error: missing key .*$", told, re.M) == places and "[unknown-key]" in told, told
        told = credhook("send", "--file", path, "--to", server.url, "-q").expect(1).err
        assert ": error: " in told and "[unknown-key]" not in told, told
        rows = credhook("send", "--file", path, "--to", server.url, "--json").expect(1).json()
        (line, column) = places[0].split(": ")[0].split(":")[-2:]
        first = rows[0]["findings"][0]
        assert (rows[0]["input"], rows[0]["record"], first["line"], first["column"]) == (str(path), 1, int(line), int(column)), rows[0]
        told = credhook("send", "--file", path, "--to", server.url, "--set", "service=user").expect(1).err
        column = broken.index('"details":') + len('"details":') + 1
        assert f"{path} record 2:1:{column}: error: missing key" in told, told
        (row, _) = credhook("send", "user-created", "--set", "details.appKey:=1", "--to", server.url, "--json").expect(1).json()
        assert (row["type"], row["input"], row["record"], row["event"]) == ("not_sent", None, 1, "user-created"), row
        assert not server.requests


def test_warnings_do_not_keep_it_back():
    payload = json.loads(build("user-created")[0])
    payload["details"]["firstName"] = ""
    path = write(json.dumps(payload), "warn.json")
    with FaultServer(answer(200)) as server:
        credhook("send", "--file", path, "--to", server.url).expect(0)
        assert len(server.requests) == 1


def test_broken_on_purpose_goes_out_and_is_noted():
    with FaultServer(answer(200)) as server:
        result = credhook("send", "user-created", "--break", "missing-key:details.appKey", "--to",
                          server.url).expect(0)
        assert "with one deliberate defect: missing-key at details.appKey" in result.err, result
        assert "appKey" not in json.loads(server.requests[0].body)["details"]
    with FaultServer(answer(200)) as server:
        credhook("send", "user-created", "--break", "json-syntax", "--to", server.url).expect(0)
        validated = credhook("validate", "-", "--json", stdin=server.requests[0].body).expect(1).json()[0]
        assert [finding["finding"] for finding in validated["findings"]] == ["json-syntax"]
    with FaultServer(answer(200)) as server:
        result = credhook("send", "user-created", "--break", "missing-key:details.appKey", "--set",
                          "details.clientKey:=1", "--to", server.url).expect(1)
        assert server.connections == 0 and "wrong-type" in result.err, result


def test_edits():
    with FaultServer(answer(200)) as server:
        built = credhook("build", "bureau-alert", "--unset", "details.bureau").expect(0).out.encode()
        credhook("send", "bureau-alert", "--set", "details.alertId=77", "--to", server.url).expect(0)
        credhook("send", "-f", "-", "--validate", "off", "--to", server.url, stdin=built).expect(0)
        assert json.loads(server.requests[0].body)["details"]["alertId"] == 77
        assert server.requests[1].body == built.strip() and b"bureau\"" not in built
        path = write(b'{ "service" : "alerts", "event":"push","method":"push","details":'
                     b'{"alertDetails":{"disputeStatus":"Completion"}, "alertId" :  1,"appKey":'
                     b'"00000000-0000-4000-8000-000000000000","bureau":"x","alertType":"y","clientKey":"z"} }', "spaced.json")
        credhook("send", "--file", path, "--set", "details.alertId=9007199254740993", "--to", server.url).expect(0)
        assert server.requests[2].body == path.read_bytes().replace(b":  1,", b":  9007199254740993,")


def test_dry_run_sends_nothing():
    with FaultServer(answer(200)) as server:
        result = credhook("send", "user-created", "bureau-alert", "--seed", 4, "--to", f"{server.url}/hook", "-H",
                          "X-Some: thing", "--dry-run").expect(0)
        assert result.out.count(f"POST {server.url}/hook\n") == 2 and result.out.count("X-Some: ***\n") == 2, result
        for payload in build("user-created", "bureau-alert", "--seed", 4):
            assert f"\n{payload.decode()}\n" in result.out and f"Content-Length: {len(payload)}\n" in result.out
        credhook("send", "--file", write("{", "bad.json"), "--to", server.url, "--dry-run").expect(1)
        assert server.connections == 0


def test_dry_run_says_what_would_go_out():
    """Each header once: what -H sets is not shown beside what it replaces."""
    shown = credhook("send", "user-created", "--to", ":1", "-H", "content-type: text/x", "--dry-run").expect(0).out
    assert shown.lower().count("content-type:") == 1 and "text/x" in shown, shown
    shown = credhook("send", "user-created", "--to", ":1", "-H", "Content-Type: text/x", "--dry-run=curl").expect(0).out
    assert shown.lower().count("content-type:") == 1 and "text/x" in shown, shown
    shown = credhook("send", "user-created", "--to", ":1", "-H", "Transfer-Encoding: chunked", "--dry-run").expect(0).out
    assert "Transfer-Encoding: chunked\n" in shown and "Content-Length" not in shown, shown


def test_rate_spaces_the_starts():
    with FaultServer(answer(200)) as server:
        lines = credhook("send", "user-created", "--count", 5, "--rate", "50/s", "--to", server.url,
                         "--json").expect(0).json()
        assert lines[-1]["seconds"] >= 0.075 and len(server.requests) == 5, lines[-1]


def test_a_server_that_closes_after_each_answer():
    with FaultServer(answer(200, close=True)) as server:
        credhook("send", "all", "--to", server.url).expect(0)
        assert len(server.requests) == len(kinds()) == server.connections, (len(server.requests), server.connections)


def test_a_large_payload_arrives_whole_and_without_waiting_for_100():
    payload = json.loads(build("user-created")[0])
    payload["details"]["firstName"] = "x" * 3000000
    path = write(json.dumps(payload), "large.json")
    with FaultServer(answer(200)) as server:
        credhook("send", "--file", path, "--to", server.url).expect(0)
        (request,) = server.requests
        assert request.body == path.read_bytes() and request.header("Expect") is None


def test_the_environment_of_the_configuration():
    folder = new_folder()
    with FaultServer(answer(200)) as server:
        config = write(json.dumps(
            {"clientId": "never-sent", "defaults": {"details.appKey": "11111111-2222-4333-8444-555555555555"},
             "environments": {"sandbox": {"url": f"{server.url}/box", "headers": {"X-Env": "1", "X-Two": "env"}}}}), "config.json", folder)
        credhook("send", "user-created", "--config", config, "-H", "X-More: 2").expect(0)
        credhook("send", "user-created", "--to", "sandbox", env={"CREDHOOK_CONFIG": config}).expect(0)
        for request in server.requests:
            assert request.target == "/box" and request.header("X-Env") == "1"
            assert json.loads(request.body)["details"]["appKey"].startswith("11111111-")
            assert not any("never-sent" in value for _, value in request.headers)
        assert server.requests[0].header("X-More") == "2"
        result = credhook("send", "user-created", "--no-config", env={"CREDHOOK_CONFIG": config}).expect(2)
        assert "--to" in result.err, result
        assert len(server.requests) == 2


if __name__ == "__main__":
    run()

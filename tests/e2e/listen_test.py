#!/usr/bin/python3
"""What a client sees of listen: the responses, the refusals, the ends; with curl and with raw bytes."""
# rooms: cmd/args cmd/listen receive

import json
import signal
import subprocess
from pathlib import Path

from support import (Listener, answers, binary, built, credhook, environment, has_ipv6_loopback, kinds, new_folder, raw,
                     records, request, run)


def curl(*args):
    """(exit code, body and what -w adds)"""
    done = subprocess.run(["curl", "-sS", "--noproxy", "*", "-m", "20", *map(str, args)], capture_output=True, check=False)
    return done.returncode, done.stdout.decode()


def statuses(got):
    return [answer.status for answer in got]


def test_curl_sends_chunks_and_waits_for_100():
    path = new_folder() / "body"
    path.write_bytes(b'{"x":"' + b"y" * 900000 + b'"}')
    capture = new_folder() / "capture"
    with Listener("--capture", capture) as listener:
        show = ("-o", "/dev/null", "-w", "%{http_code}")
        assert curl(*show, "-H", "Transfer-Encoding: chunked", "--data-binary", f"@{path}", listener.url) == (0, "200")
        assert curl(*show, "-H", "Expect: 100-continue", "--expect100-timeout", "15", "-w", " %{time_total}",
                    "--data-binary", f"@{path}", listener.url)[0] == 0
        assert curl(*show, "--http1.0", "-d", "{}", listener.url) == (0, "200")
        assert curl(*show, "-T", path, "-X", "POST", listener.url) == (0, "200")
        listener.stop().expect(0)
    assert [record["body"].encode() for record in records(capture)] == [path.read_bytes(), path.read_bytes(), b"{}", path.read_bytes()]


def test_bodies_over_the_limit():
    path = new_folder() / "big"
    path.write_bytes(b"y" * 3000000)
    with Listener() as listener:  # 1 MiB where nothing is said
        assert curl("-o", "/dev/null", "-w", "%{http_code}", "-d", f"@{path}", listener.url) == (0, "413")
        assert listener.status(b"x" * (1 << 20)) == 200
        assert listener.status(b"x" * ((1 << 20) + 1)) == 413
        summary = listener.stop().expect(0).json()[-1]
        assert (summary["received"], summary["refused"]) == (1, 2), summary


def test_paths():
    rows = [("/hook", 200), ("/hook?x=1", 200), ("http://any.host/hook", 200), ("/", 404), ("/hook/", 404),
            ("/hookx", 404), ("/Hook", 404), ("/x/hook", 404), ("/hoo", 404)]
    with Listener("--path", "/hook") as listener:
        for target, status in rows:
            answer = listener.post(target=target)
            assert answer.status == status, (target, answer)
        assert statuses(listener.ask(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")) == [404]
        assert len(listener.events(3)) == 3
        listener.ask(request(target="/" + "x" * 200 + "?secret"))
        listener.ask(b"x\r\n\r\n")
        result = listener.stop().expect(0)
        assert "404 '/Hook' is not the path '/hook'\n" in result.err, result
        assert "x...' is not the path" in result.err and "secret" not in result.err, result
        assert "; 9 refused: 8 at another path, 1 not valid HTTP\n" in result.err, result
    with Listener() as listener:
        for target, _ in rows:
            assert listener.status(target=target) == 200


def test_only_post_is_a_notification():
    with Listener("--path", "/hook", "--respond", "201") as listener:
        (got,) = listener.ask(b"GET /hook HTTP/1.1\r\nHost: x\r\n\r\n")
        assert got.status == 200 and b"POST" in got.body and got.header("Content-Type").startswith("text/plain")
        data = raw(listener.host, listener.port, b"HEAD /hook HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        (head,) = answers(data, head=True)
        assert head.status == 200 and int(head.header("Content-Length")) == len(got.body)
        assert data.endswith(b"\r\n\r\n")
        for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"):
            (got,) = listener.ask(f"{method} /hook HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            assert got.status == 405 and "POST" in got.header("Allow").split(", "), (method, got)
        summary = listener.stop().expect(0).json()[-1]
        assert (summary["received"], summary["refused"]) == (0, 6), summary


def test_pipelined_requests_are_answered_in_order():
    payloads = [built("bureau-alert", seed=seed) if seed % 3 else b"{" for seed in range(60)]
    data = b"".join(request(payload, f"/{number}") for number, payload in enumerate(payloads))
    with Listener("--validate", "reject", "--capture", new_folder() / "capture") as listener:
        got = listener.ask(data, count=60)
        assert statuses(got) == [200 if seed % 3 else 422 for seed in range(60)]
        events = listener.events(60)
        assert [event["target"] for event in events] == [f"/{number}" for number in range(60)]
        assert [event["seq"] for event in events] == list(range(1, 61))


def test_status_header_and_body():
    folder = new_folder()
    (folder / "body").write_bytes(b'{"from":"file"}\n\x00\xff')
    with Listener("--respond", "202", "--respond-header", "X-One: 1", "--respond-header", "X-Two: ü;  z", "--body", "hé") as listener:
        got = listener.post()
        assert (got.status, got.body, got.header("X-One")) == (202, "hé".encode(), "1")
        assert got.header("X-Two").encode("latin-1") == "ü;  z".encode()
        assert listener.events(1)[0]["response"] == {"status": 202}
    with Listener("--body", f"@{folder}/body", "--respond", "500") as listener:
        got = listener.post()
        assert (got.status, got.body) == (500, (folder / "body").read_bytes())
    with Listener("--respond", "204", "--body", "none") as listener:
        assert raw(listener.host, listener.port, request(extra="Connection: close\r\n")).endswith(b"\r\n\r\n")


def test_judging():
    good, alert = built("user-created"), json.loads(built("bureau-alert"))
    alert["details"]["bureau"] = ""
    warned = json.dumps(alert).encode()
    bodies = [good, warned, b"{", b"", b"\xff\x00", b"[]", good + b" x", b" " * 100 + good + b"\n"]
    valid = [True, True, False, False, False, False, False, True]
    typed = "Content-Type: application/json; charset=utf-8\r\n"
    data = b"".join(request(body, extra=typed) for body in bodies)
    for mode, expected in (("report", [200] * 8), ("reject", [200 if good else 422 for good in valid])):
        with Listener("--validate", mode) as listener:
            got = listener.ask(data, count=8)
            assert statuses(got) == expected, (mode, got)
            events = listener.events(8)
            assert [event["valid"] for event in events] == valid
            assert [finding["finding"] for finding in events[1]["findings"]] == ["empty-string"]
            assert [finding["finding"] for finding in events[2]["findings"]] == ["json-syntax"]
            assert events[0]["findings"] == [] and events[1]["event"] == "bureau-alert" and events[2]["event"] is None
            assert [event["response"]["status"] for event in events] == expected
            for answer in got:
                if answer.status == 422:
                    assert answer.header("Content-Type") == "application/json"
                    told = json.loads(answer.body)
                    assert told["valid"] is False and told["findings"], told
    with Listener("--validate", "off") as listener:
        listener.ask(data, count=8)
        assert [(event["event"], event["valid"]) for event in listener.events(8)] == [(None, None)] * 8


def test_the_content_type_is_a_warning_at_most():
    payload = built("user-created")
    rows = [("", True), ("Content-Type: application/json\r\n", False),
            ("content-type: APPLICATION/JSON ;x=y\r\n", False), ("Content-Type: text/plain\r\n", True),
            ("Content-Type: application/jsonx\r\n", True)]
    with Listener("--validate", "reject") as listener:
        for number, (line, warned) in enumerate(rows):
            assert listener.status(payload, extra=line) == 200
            event = listener.events(number + 1)[number]
            assert event["valid"] is True
            assert ([finding["finding"] for finding in event["findings"]] == ["content-type"]) == warned, (line, event)


def test_the_stream_of_messages():
    with Listener("-v") as listener:
        listener.ask(request(b'"\xc3\xa9\\u0000"', "/%7f", "Authorization: Bearer s3cret\r\n"))
        listener.ask(request(b"\xff\xfe"))
        result = listener.stop().expect(0)
    lines = result.json()
    assert [line["type"] for line in lines] == ["ready", "event", "event", "summary"]
    assert lines[0]["url"] == listener.url and lines[0]["pid"] == listener.pid
    assert lines[1]["body"] == '"é\\u0000"' and lines[1]["method"] == "POST" and lines[1]["seq"] == 1
    assert ["Authorization", "Bearer s3cret"] in lines[1]["headers"] and lines[2]["body_base64"] == "//4="
    assert lines[3]["received"] == 2 and lines[3]["invalid_count"] == 2
    assert "s3cret" not in result.err
    assert f"listening on {listener.url}" in result.err


def test_the_text_for_people_is_safe():
    """Bytes from outside do not reach the terminal as they are."""
    ready = new_folder() / "url"
    command = [binary(), "listen", "0", "-v", "--limit", "2", "--ready-file", str(ready)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()) as process:
        assert b"listening on " in process.stderr.readline()
        port = int(ready.read_text().strip().rsplit(":", 1)[1])
        body = b'{"service":"\x1b[31m\x07","\xc2\x9b2J":1,"\xe2\x80\xae":2,"path":"\xff"}'
        assert len(answers(raw("127.0.0.1", port, request(body), count=1))) == 1
        assert len(answers(raw("127.0.0.1", port, request(built("user-created"), extra="Content-Type: application/json\r\n"),
                               count=1))) == 1
        out, _ = process.communicate()
    assert process.returncode == 0
    assert not [byte for byte in (b"\x1b", b"\x07", b"\xc2\x9b", b"\xe2\x80\xae", b"\xff") if byte in out], out
    lines = out.decode().splitlines()
    assert any("user-created" in line and " valid " in line and line.endswith(" 200") for line in lines), out


def test_the_ready_file_is_whole():
    folder = new_folder()
    path = folder / "url"
    path.write_text(f"http://127.0.0.1:1/{'old' * 300}\n")  # longer than what replaces it
    with Listener("--ready-file", path) as listener:
        assert path.read_text() == f"{listener.url}\n"
        assert [entry.name for entry in folder.iterdir()] == ["url"]
        (folder / "other").write_text("http://127.0.0.1:1\n")
        result = credhook("listen", listener.port, "--ready-file", folder / "other").expect(3)  # the port is taken
        assert [entry.name for entry in folder.iterdir()] == ["url"], result
        listener.stop().expect(0)
    assert not list(folder.iterdir())


def test_a_ready_file_that_another_one_wrote_stays():
    path = new_folder() / "url"
    with Listener("--ready-file", path) as first, Listener("--ready-file", path) as second:
        first.stop().expect(0)
        assert path.read_text() == f"{second.url}\n"
        path.write_text(f"{second.url}0\n")
        second.stop().expect(0)
        assert path.read_text() == f"{second.url}0\n"


def test_a_ready_file_that_is_a_device_or_a_link():
    folder = new_folder()
    (folder / "real").write_text("")
    (folder / "url").symlink_to(folder / "real")
    with Listener("--ready-file", folder / "url") as listener:
        assert (folder / "real").read_text() == f"{listener.url}\n"
        listener.stop().expect(0)
    assert (folder / "url").is_symlink()
    credhook("listen", "0", "--ready-file", "/dev/null", "--timeout", "10ms").expect(0)
    assert Path("/dev/null").is_char_device()


def test_quiet_and_json():
    with Listener("-q") as listener:
        listener.post()
        result = listener.stop().expect(0)
    assert [line["type"] for line in result.json()] == ["ready", "event", "summary"]
    assert result.err == f"listening on {listener.url}\n", result
    result = credhook("listen", "0", "-q", "--timeout", "10ms").expect(0)
    assert result.out == "" and result.err.startswith("listening on ") and result.err.count("\n") == 1, result


def test_addresses():
    rows = [("0", "http://127.0.0.1:"), ("127.0.0.1:0", "http://127.0.0.1:"), (":0", "http://127.0.0.1:"),
            ("localhost:0", "http://127.0.0.1:")]
    if has_ipv6_loopback():
        rows.append(("[::1]:0", "http://[::1]:"))
    for given, url in rows:
        result = credhook("listen", given, "--timeout", "10ms").expect(0)
        assert result.err.startswith(f"listening on {url}"), result
    for given in ("99999", "abc", "1.2.3:80:90", "127.0.0.1:", "127.0.0.1:65536", "", "80 80", "0x50", "::1",
                  "http://127.0.0.1:0"):
        result = credhook("listen", given, "--timeout", "10ms").expect(2)
        assert f"'{given}'" in result.err and "hint:" in result.err, result
    result = credhook("listen", "192.0.2.1:0", "--timeout", "10ms").expect(3)
    assert "192.0.2.1" in result.err, result


def test_a_port_in_use():
    with Listener() as listener:
        capture = new_folder() / "capture.ndjson"
        result = credhook("listen", listener.port, "--timeout", "1s", "--capture", capture).expect(3)
        assert not capture.exists(), "no capture is begun"
        assert f"127.0.0.1:{listener.port}" in result.err and "in use" in result.err and "hint:" in result.err
        assert listener.status() == 200


def test_expectations():
    user, alert, email = built("user-created"), built("bureau-alert"), built("monitored-element-added/email")
    with Listener("--expect", "user-created:2", "--expect", "bureau-alert", "--expect", "monitored-element-added",
                  "--timeout", "60s") as listener:
        listener.ask(request(user) + request(b"{") + request(alert) + request(alert) + request(user) + request(email), count=6)
        result = listener.wait().expect(0)
        assert "missing" not in result.err, result
    for names in (["user-created:2,bureau", "--expect", "monitored-element-added/email"], ["all"]):
        with Listener("--expect", *names, "--timeout", "60s") as listener:
            credhook("send", "user-created", "all", "--to", listener.url)
            listener.wait().expect(0)
    with Listener("--expect", "all:2") as listener:
        credhook("send", "all", "--to", listener.url).expect(0)
        summary = listener.stop().expect(1).json()[-1]
        assert [row["arrived"] for row in summary["expected"]] == [1] * len(kinds()), summary
    with Listener("--expect", "user-created:3", "--expect", "bureau-alert", "--expect",
                  "monitored-element-added/ssn") as listener:
        broken = json.loads(user)
        broken["details"]["appKey"] = "no uuid"
        listener.ask(request(user) + request(json.dumps(broken).encode()) + request(user) + request(email), count=4)
        result = listener.stop().expect(1)  # what was expected did not come, whoever ended it
        assert result.err.endswith("\nmissing: user-created: 2 of 3 (came instead: 1 invalid)\nmissing: bureau-alert: 0 of 1\n"
                                   "missing: monitored-element-added/ssn: 0 of 1\n"), result
        summary = result.json()[-1]
        assert summary["timed_out"] is False and summary["expected"][0] == {
            "event": "user-created", "wanted": 3, "arrived": 2, "invalid": 1}, summary
    result = credhook("listen", "0", "--expect", "user-created", "--timeout", "20ms", "--json").expect(1)
    assert result.err.endswith("\ntimed out after 20 ms\nmissing: user-created: 0 of 1\n"), result
    assert result.json()[-1]["timed_out"] is True, result


def test_ends():
    with Listener("--limit", 1) as listener:
        listener.ask(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")  # does not count
        listener.post()
        assert listener.wait().expect(0).json()[-1]["received"] == 1
    with Listener("--limit", 3) as listener:
        for _ in range(3):
            listener.post(b"{")
        assert listener.wait().expect(0).json()[-1]["received"] == 3
    result = credhook("listen", "0", "--timeout", "20ms").expect(0)
    assert result.err.endswith("\nended after 20 ms (--timeout)\n"), result
    result = credhook("listen", "0", "--limit", "2", "--timeout", "20ms").expect(1)
    assert "timed out after 20 ms: 0 of 2 notifications arrived\n" in result.err and "missing" not in result.err, result
    with Listener("-q", "--limit", 3, "--timeout", "1500ms") as listener:
        listener.post(b"{")
        result = listener.wait().expect(1)
        assert result.err.endswith("\ntimed out after 1.5 s: 1 of 3 notifications arrived\n"), result


def test_no_timeout():
    with Listener("--timeout", "0") as listener:
        listener.post()
        listener.stop().expect(0)


def test_signals_end_it_well_and_finish_what_has_begun():
    for number in (signal.SIGTERM, signal.SIGINT):
        with Listener("--capture", new_folder() / "capture") as listener:
            with listener.connect() as client:
                client.sendall(request(b"{}", extra="Expect: 100-continue\r\n")[:-2])
                assert client.recv(1000).startswith(b"HTTP/1.1 100")
                listener.send_signal(number)
                while listener.is_listening():
                    pass  # the door closes
                client.sendall(b"{}")
                got = b""
                while piece := client.recv(1000):
                    got += piece
            assert got.startswith(b"HTTP/1.1 200 ") and b"Connection: close" in got, got
            result = listener.wait().expect(0)
            assert result.json()[-1]["received"] == 1, result


def test_a_first_signal_asks_for_what_is_expected():
    for number in (signal.SIGTERM, signal.SIGINT):
        with Listener("--expect", "user-created", "--timeout", "1h") as listener:
            assert "missing: user-created" in listener.stop(number).expect(1).err
        with Listener("--limit", "2") as listener:
            listener.post(b"{")
            assert listener.stop(number).expect(1).err.endswith("\n1 of 2 notifications arrived\n")
        with Listener() as listener:
            listener.stop(number).expect(0)


def test_idle_connections_do_not_hold_up_the_end():
    with Listener() as listener, listener.connect() as idle, listener.connect() as used:
        used.sendall(request())
        assert used.recv(1000).startswith(b"HTTP/1.1 200")
        listener.stop(timeout=4).expect(0)
        assert idle.recv(10) == b"" and used.recv(10) == b""


def test_many_connections_at_once():
    with Listener() as listener:
        clients = [listener.connect() for _ in range(300)]
        for client in clients:
            client.sendall(request())
        for client in clients:
            assert client.recv(1000).startswith(b"HTTP/1.1 200")
            client.close()
        assert listener.stop().expect(0).json()[-1]["received"] == 300


def test_stdout_on_a_full_disk():
    folder = new_folder()
    with open("/dev/full", "wb") as full:
        command = [binary(), "listen", "0", "--json", "--timeout", "20ms"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, env=environment(), cwd=folder,
                              check=False)
    assert done.returncode == 3 and b"No space left" in done.stderr, done


if __name__ == "__main__":
    run()

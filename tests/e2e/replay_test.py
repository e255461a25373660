#!/usr/bin/python3
"""replay: captures and payload files go out again, in recorded order, unchanged, and it ends with a verdict."""
# rooms: capture cmd/args cmd/send deliver

import json
import re
import subprocess
from datetime import datetime

from captures import record, replay, write
from support import (FaultServer, Listener, answer, binary, close_without_answer, credhook, environment, free_port,
                     new_folder, raw, run)

ODD_BODIES = [b"{}", b"", b"{", b"\xff\xfe\x00", "é€😀\u2028 \\u00e9".encode(), b'"\\u0000\\/"', bytes(range(256)),
              b"a\r\nb\n", b'{"a":1,"a":2}', b"\xef\xbb\xbf{}", b" {} ", b"1e999"]


def arrivals(server, *args, code=0, **more):
    """The requests that arrive by a replay; args: files and options."""
    before = len(server.requests)
    replay(server, *args, code=code, **more)
    return server.requests[before:]


def build_all():
    return credhook("build", "all", "--seed", "3").expect(0).out_bytes.splitlines()


def test_bytes_and_order():
    path = new_folder() / "capture.ndjson"
    bodies = ODD_BODIES + build_all()
    with Listener("--capture", path) as listener:
        for body in bodies:
            raw(listener.host, listener.port,
                f"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body, count=1)
        listener.stop().expect(0)
    before = path.read_bytes()
    with FaultServer(answer(200)) as server:
        requests = arrivals(server, path)
        assert [request.body for request in requests] == bodies
        assert {request.connection for request in requests} == {0}
    assert path.read_bytes() == before
    assert [json.loads(line).get("body_base64") is not None for line in before.splitlines()][:4] == [
        False, False, False, True]


def test_order_is_the_file_s_whatever_seq_and_time_say():
    data = b"".join(record(9 - number, f'"{number}"', f"2026-01-0{9 - number}T00:00:00.000000Z") for number in range(1, 9))
    with FaultServer(answer(200)) as server:
        assert [request.body for request in arrivals(server, write(data))] == [f'"{n}"'.encode() for n in range(1, 9)]


def test_what_goes_with_a_body():
    """Its recorded Content-Type; the recorded target and other headers stay behind."""
    headers = [("Host", "old.example"), ("content-type", "text/x; a=b"), ("X-One", "1"), ("Content-Length", "99")]
    data = record(1, b"{}", target="/old?x=1", headers=headers) + record(1, b"{}", target="/other", headers=[])
    with FaultServer(answer(200)) as server:
        one, two = arrivals(server, write(data))
        assert one.header("Content-Type") == "text/x; a=b" and two.header("Content-Type") == "application/json"
        for request in (one, two):
            assert request.target == "/" and request.header("X-One") is None
            assert request.header("Host") == f"{server.host}:{server.port}" and request.body == b"{}"
        assert len([name for name, _ in one.headers if name.lower() == "content-type"]) == 1


def test_to_exactly_the_given_url():
    path = write(record(1, b"{}", target="/old?x=1"))
    with FaultServer(answer(200)) as server:
        credhook("replay", path, "--to", f"{server.url}/new/hook?y=2").expect(0)
        assert server.requests[0].target == "/new/hook?y=2"


def test_as_recorded_has_the_path_and_query():
    targets = ["/hook?x=1", "/", "/a%20b/%C3%A9", "//double", "/x?y=1&z=//"]
    data = b"".join(record(1, b"{}", target=target) for target in targets)
    with FaultServer(answer(200)) as server:
        credhook("replay", write(data), "--to", f"{server.url}/new?z=1", "--as-recorded").expect(0)
        assert [request.target for request in server.requests] == targets
        assert {request.header("Host") for request in server.requests} == {f"{server.host}:{server.port}"}


def test_as_recorded_has_the_headers_but_no_credentials():
    headers = [("Host", "old.example"), ("Content-Type", "application/json"), ("X-One", "1"), ("x-one", "two"),
               ("Content-Length", "99"), ("Connection", "close"), ("Transfer-Encoding", "chunked"),
               ("Expect", "100-continue"), ("Empty", ""), ("User-Agent", "theirs/1"), ("Authorization", "Bearer abc"),
               ("cookie", "a=b"), ("PROXY-Authorization", "Basic abc"), ("Content-Encoding", "br"), ("X-Utf", "ä")]
    with FaultServer(answer(200)) as server:
        result = credhook("replay", write(record(1, b"{}", headers=headers)), "--to", server.url, "--as-recorded", "-v", "-H",
                          "X-Mine: 2").expect(0)
        (request,) = server.requests
        assert "abc" not in result.out + result.err
    assert [value for name, value in request.headers if name.lower() == "x-one"] == ["1", "two"]
    assert request.header("Empty") == "" and request.header("User-Agent") == "theirs/1"
    assert request.header("X-Mine") == "2" and request.header("Content-Encoding") == "br"
    assert "1 had credentials, which were not sent: -H sends a header\n" in result.err, result
    assert request.header("X-Utf").encode("latin-1") == "ä".encode()
    assert request.header("Host") == f"{server.host}:{server.port}" and request.header("Content-Length") == "2"
    for name in ("Connection", "Transfer-Encoding", "Expect", "Authorization", "Cookie", "Proxy-Authorization"):
        assert request.header(name) is None, request.headers
    with FaultServer(answer(200)) as server:
        credhook("replay", write(record(1, b"{}", headers=headers)), "--to", server.url, "--as-recorded", "-H", "X-One: mine",
                 "-H", "Content-Type: text/z", "-H", "Authorization: Bearer mine").expect(0)
        (request,) = server.requests
        assert [value for name, value in request.headers if name == "Authorization"] == ["Bearer mine"]
        assert [value for name, value in request.headers if name.lower() == "x-one"] == ["mine"]
        assert [value for name, value in request.headers if name.lower() == "content-type"] == ["text/z"]


def test_the_order_of_recorded_headers_is_kept():
    headers = [("Content-Type", "text/a"), ("X-One", "1"), ("Content-Type", "text/b"), ("X-Two", "2")]
    capture = write(record(1, b"{}", headers=headers))
    for args, sent in ((["--as-recorded"], headers), ([], headers[:1])):
        with FaultServer(answer(200)) as server:
            credhook("replay", capture, "--to", server.url, *args).expect(0)
            (request,) = server.requests
        assert [h for h in request.headers if h[0] in ("Content-Type", "X-One", "X-Two")] == sent, request.headers


def test_a_torn_last_line_is_reported_and_skipped():
    whole = record(1, b"1") + record(2, b"2")
    for cut in (1, 10, len(record(2, b"2")) - 8):
        path = write(whole[:-cut] if cut > 1 else whole[:-2])
        with FaultServer(answer(200)) as server:
            result = credhook("replay", path, "--to", server.url).expect(1)
            assert [request.body for request in server.requests] == [b"1"], result
            assert f"{path}:2" in result.err and "torn" in result.err, result


def test_a_last_line_without_newline_is_whole():
    with FaultServer(answer(200)) as server:
        assert len(arrivals(server, write(record(1, b"1") + record(1, b"2").rstrip(b"\n")))) == 2


def test_bad_records_are_reported_and_skipped():
    empty = record(1, b"{}", headers=[])
    bad = [b"{\n", b"nonsense\n", b"\x00\x01\n", b"[]\n", b'{"v":1}\n', empty.replace(b'"v":1', b'"v":2'),
           empty.replace(b'"body":"{}"', b'"body":5'), empty.replace(b'"body":"{}"', b'"body_base64":"*"'),
           empty.replace(b'"body":"{}"', b'"no":"{}"'), empty.replace(b'"headers":[]', b'"headers":[["a"]]'),
           build_all()[0] + b"\n"]
    for line in bad:
        path = write(record(1, b"1") + line + b"\n" + record(1, b"2"))
        with FaultServer(answer(200)) as server:
            result = credhook("replay", path, "--to", server.url).expect(1)
            assert [request.body for request in server.requests] == [b"1", b"2"], (line, str(result))
            assert re.search(re.escape(f"{path}:2:") + "([0-9]+:)? skipped", result.err), (line, str(result))


def test_nothing_to_replay():
    for data in (b"", b"\n\n"):
        path = write(data)
        with FaultServer(answer(200)) as server:
            assert arrivals(server, path, code=1) == []
    result = credhook("replay", write(b""), "--to", ":1").expect(1)
    assert "nothing to replay" in result.err, result


def test_files_that_cannot_be_read():
    folder = new_folder()
    good = write(record(1, b"1"))
    with FaultServer(answer(200)) as server:
        for inputs in ((folder / "missing", good), (good, folder / "missing")):
            result = credhook("replay", *inputs, "--to", server.url).expect(3)
            assert "missing" in result.err and "No such file" in result.err
        assert not server.requests  # it is known before anything is sent
        result = credhook("replay", "/proc/self/mem", good, "--to", server.url).expect(3)
        assert len(server.requests) == 1  # that is not, and the other one goes out
    result = credhook("replay", good, "/proc/self/mem", "--to", f":{free_port()}").expect(3)  # 3 over 4


def test_payload_files():
    one, two = build_all()[:2]
    folder = new_folder()
    (folder / "b.json").write_bytes(one + b"\n")
    (folder / "a.ndjson").write_bytes(two + b"\r\n\n{broken\n")
    (folder / "ignored.txt").write_bytes(b"no")
    with FaultServer(answer(200)) as server:
        assert [request.body for request in arrivals(server, folder, code=1)] == [two, one + b"\n"]
        assert [request.body for request in arrivals(server, "-", stdin=one + b"\n" + two + b"\n")] == [one, two]
        mixed = [request.body for request in arrivals(server, folder / "b.json", write(record(1, b"1")), folder / "b.json")]
        assert mixed == [one + b"\n", b"1", one + b"\n"]


def test_invalid_ones_go_out_unchecked():
    with FaultServer(answer(200)) as server:
        assert [request.body for request in arrivals(server, write(b'{"service":"x"}', "x.json"))] == [b'{"service":"x"}']
        assert [request.body for request in arrivals(server, write(record(1, b"{not json", valid=False)))] == [b"{not json"]


def test_choosing():
    bodies = build_all()
    user, count = bodies[0], len(bodies)
    alert, = (body for body in bodies if b'"alerts"' in body)
    elements = [body for body in bodies if re.search(b'"post".*/idp/', body)]
    at = bodies.index(elements[0])
    data = b"".join(record(number, body, event=None) for number, body in enumerate(bodies, 1))
    path = write(data)
    with FaultServer(answer(200)) as server:
        rows = [
            (("--limit", 3), bodies[:3]), (("--record", f"{count - 1}-"), bodies[-2:]),
            (("--record", "3-", "--limit", 2), bodies[2:4]),
            (("--events", "bureau-alert"), [alert]), (("--events", "user-created,bureau"), [user, alert]),
            (("--events", "user-created", "--events", "bureau-alert"), [user, alert]),
            (("--events", "monitored-element-added"), elements),
            (("--events", "monitored-element-added/ssn"), elements[-1:]),
            (("--events", "monitored-element-added", "--record", f"{at + 2}-", "--limit", 2), elements[1:3]),
        ]
        for options, expected in rows:
            assert [request.body for request in arrivals(server, path, *options)] == expected, options
        assert arrivals(server, path, "--record", f"{count + 1}-", code=1) == []


def test_edits_make_a_new_body_and_say_so():
    body = b'{ "service":"alerts","event":"push","method":"push","details":{"alertId" : 5,"bureau":"x"} }'
    with FaultServer(answer(200)) as server:
        result = credhook("replay", write(record(1, body, event=None)), "--to", server.url, "--set", "details.alertId=77").expect(0)
        assert server.requests[0].body == body.replace(b": 5", b": 77") and "edited" in result.err, result
        assert server.requests[0].header("Content-Length") == str(len(server.requests[0].body))


def timed(*seconds):
    """A capture whose records came so many seconds after the first."""
    return write(b"".join(record(number, f'"{number}"', f"2026-01-02T03:04:{second + 5:09.6f}Z")
                          for number, second in enumerate(seconds, 1)))


def seconds_of(*args):
    with FaultServer(answer(200)) as server:
        lines = credhook("replay", *args, "--to", server.url, "--json").expect(0).json()
        assert len(server.requests) == lines[-1]["deliveries"]
        return lines[-1]["seconds"]


def starts_of(*args):
    """When each was due, in seconds from the first. None was sent before."""
    results = new_folder() / "results.ndjson"
    seconds_of(*args, "--results", results)
    with open(results, encoding="ascii") as file:
        due, sent = zip(*([datetime.fromisoformat(line[name].replace("Z", "+00:00")) for name in ("due", "sent")]
                          for line in map(json.loads, file)))
    assert all(a <= b for a, b in zip(due, sent)), (due, sent)
    return [round((one - due[0]).total_seconds(), 3) for one in due]


def test_speed():
    at_once = 15  # where one wait would be longer
    assert seconds_of(timed(0, 30, 50)) < at_once
    assert starts_of(timed(0, 0.1, 0.4), "--speed", 1) == [0, 0.1, 0.4]
    assert starts_of(timed(0, 0.1, 0.4), "--speed", 2) == [0, 0.05, 0.2]
    assert starts_of(timed(0, 0.1, 0.2), "--speed", "0.5") == [0, 0.2, 0.4]
    assert starts_of(timed(0, 20, 40), "--speed", 1, "--max-wait", "100ms") == [0, 0.1, 0.2]
    assert seconds_of(timed(40, 20, 0), "--speed", 1) < at_once  # the clock went back
    assert starts_of(timed(0, 0.1, 0.2), timed(0.3, 0.3), "--speed", 1) == [0, 0.1, 0.2, 0.3, 0.3]
    assert starts_of(*[timed(0, 0.2, 0.1)] * 2, "--speed", 1) == [0, 0.2, 0.2, 0.2, 0.4, 0.4]
    assert seconds_of(timed(0, 50), "--speed", "max") < at_once
    assert starts_of(timed(0, 0, 0, 0, 0), "--rate", "20/s") == [0, 0.05, 0.1, 0.15, 0.2]


def test_outcomes_and_the_verdict():
    path = write(b"".join(record(1, f'"{number}"'.encode()) for number in range(4)))
    with FaultServer([answer(200), answer(500), answer(200), answer(404)]) as server:
        result = credhook("replay", path, "--to", server.url).expect(1)
        assert "2 accepted, 2 not accepted of 4" in result.err and "p50" in result.err and "max" in result.err
        assert len(server.requests) == 4
    with FaultServer([answer(409), answer(200)], answer(200)) as server:
        credhook("replay", path, "--to", server.url, "--expect-status", "200,409").expect(0)
    with FaultServer(close_without_answer()) as server:
        result = credhook("replay", path, "--to", server.url).expect(4)
        assert "(4 without a full response)" in result.err and len(server.requests) == 4
    result = credhook("replay", path, "--to", f":{free_port()}", "--json").expect(4)
    assert result.json()[-1]["failed"] == 4
    lines = result.json()
    assert [line["record"] for line in lines[:-1]] == [1, 2, 3, 4] and lines[0]["input"] == str(path)


def test_closed_and_full_outputs():
    path = write(record(1, b"1") * 200)
    with FaultServer(answer(200)) as server:
        folder = new_folder()
        command = f"'{binary()}' replay '{path}' --to {server.url}; echo $? >code"
        done = subprocess.run(["sh", "-c", f"({command}) | head -n 1"], capture_output=True, env=environment(),
                              cwd=folder, check=False)
        assert done.stdout.count(b"\n") == 1 and b"ipe" not in done.stderr, done
        assert (folder / "code").read_text() == "0\n"
        assert len(server.requests) == 200  # what replay is for is sending, not telling
        with open("/dev/full", "wb") as full:
            done = subprocess.run([binary(), "replay", str(path), "--to", server.url, "--limit", "2"], stdout=full,
                                  stderr=subprocess.PIPE, env=environment(), check=False)
        assert done.returncode == 3 and b"No space left" in done.stderr, done
        command = [binary(), "replay", str(path), "--to", server.url, "--limit", "2"]
        done = subprocess.run(["sh", "-c", '"$@" >&-', "sh", *command], stderr=subprocess.PIPE, env=environment(), check=False)
        assert done.returncode in (0, 3) and len(server.requests) == 204, done


def test_standard_input_that_does_not_end():
    """Records are sent as they come, not when all have come."""
    with FaultServer(answer(200)) as server:
        command = [binary(), "replay", "-", "--to", server.url]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=environment()) as process:
            process.stdin.write(record(1, b"1") + record(1, b"2") + record(1, b"3"))
            process.stdin.flush()
            server.wait_requests(1)
            process.stdin.write(record(1, b"4"))
            process.stdin.flush()
            server.wait_requests(2)
            process.communicate()
        assert process.returncode == 0 and len(server.requests) == 4


if __name__ == "__main__":
    run()

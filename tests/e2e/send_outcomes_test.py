#!/usr/bin/python3
"""What becomes of a delivery: accepted, rejected, failed, unknown; how it is told, and the exit code it makes."""
# rooms: cmd/send deliver http

import json
import re
import signal
import socket
import time
from contextlib import ExitStack, contextmanager, suppress
from concurrent.futures import ThreadPoolExecutor

from support import (FaultServer, Listener, Nginx, answer, answer_bytes, close_after_request_on_kept_alive,
                     close_at_once, close_without_answer, credhook, drip, free_port, garbage, half_answer, hang,
                     launch, new_folder, reset, run, step)


def send(where, *args, **more):
    return credhook("send", "user-created", "--to", where, "--json", *args, **more)


def outcome(where, *args, code, **more):
    """The one delivery, as --json tells it."""
    lines = send(where, *args, **more).expect(code).json()
    assert [line["type"] for line in lines] == ["delivery", "summary"], lines
    assert lines[1][lines[0]["outcome"]] == 1 == lines[1]["deliveries"], lines
    return lines[0]


def test_accepted_and_rejected():
    for status, name, code in ((200, "accepted", 0), (204, "accepted", 0), (299, "accepted", 0),
                               (300, "rejected", 1), (404, "rejected", 1), (500, "rejected", 1), (599, "rejected", 1)):
        with FaultServer(answer(status)) as server:
            told = outcome(server.url, code=code)
            assert (told["outcome"], told["status"]) == (name, status), told
            assert told["event"] == "user-created" and told["url"].startswith(server.url) and "error" not in told
            assert len(server.requests) == 1 and told["bytes"] == len(server.requests[0].body)


def test_expect_status():
    rows = [("409", 409, 0), ("2xx,409", 409, 0), ("2xx,409", 204, 0), ("409", 200, 1), ("400-499", 404, 0),
            ("5XX", 503, 0), ("201", 200, 1)]
    for expected, status, code in rows:
        with FaultServer(answer(status)) as server:
            told = outcome(server.url, "--expect-status", expected, code=code)
            assert told["outcome"] == ("rejected" if code else "accepted"), (expected, status, told)


def test_a_body_that_is_not_read_to_its_end_is_no_whole_response():
    def endless(connection):
        connection.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        with suppress(OSError):
            while True:
                connection.send(b"10000\r\n" + b"x" * 65536 + b"\r\n")
        return False

    most = 1 << 20
    for script in step(endless), answer(200, body=b"x" * (most + 1)), answer(500, body=b"x" * (most + 1)):
        with FaultServer(script) as server:
            told = outcome(server.url, "--retry", "2", "--retry-unknown", "--retry-delay", "1ms", code=1)
            assert (told["outcome"], told["error"]) == ("unknown", "the response is longer than 1 MiB"), told
            assert len(server.requests) == 1, server.requests
            result = credhook("send", "user-created", "--to", server.url).expect(1)
            assert f"FAIL {told['status']}  user-created" in result.out and result.err.count("hint: ") == 1, result
            assert (f"hint: the listener responded {told['status']}, but its response is longer than 1 MiB: make it shorter\n"
                    in result.err), result
    with FaultServer(answer(200, body=b"x" * most)) as server:
        assert outcome(server.url, code=0)["outcome"] == "accepted"


def test_4_means_that_no_attempt_got_a_status():
    for first, code in (answer(503), 1), (close_without_answer(), 4):
        with FaultServer([first, close_without_answer()]) as server:
            lines = send(server.url, "--retry", "1", "--retry-unknown", "--retry-delay", "1ms").expect(code).json()
            assert [line.get("outcome") for line in lines] == [lines[0]["outcome"], "unknown", None], lines


def test_an_interim_answer_is_not_the_answer():
    def interim(connection):
        connection.send(b"HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
                        b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
        return True

    with FaultServer(step(interim)) as server:
        assert outcome(server.url, code=0)["status"] == 201


def test_failed_means_that_nothing_was_sent():
    told = outcome(f"http://127.0.0.1:{free_port()}/", code=4)
    assert (told["outcome"], told["status"], told["error"]) == ("failed", None, "connection refused"), told
    told = outcome("http://no-such-host.invalid/", code=4)
    assert told["outcome"] == "failed" and "no-such-host.invalid" in told["error"], told
    result = credhook("send", "user-created", "--to", f":{free_port()}").expect(4)
    assert "connection refused: nothing listens at 127.0.0.1:" in result.out and "(1 delivery not sent)" in result.out, result


def test_each_attempt_at_a_closed_port_names_its_event():
    result = credhook("send", "user-created", "bureau-alert", "--to", f":{free_port()}", "--retry", 1, "--retry-delay", "1ms")
    assert [line.split()[:3] for line in result.expect(4).out.splitlines()[1:]] == \
        [[mark, "---", event] for event in ("user-created", "bureau-alert") for mark in ("warn", "FAIL")], result


@contextmanager
def full_backlog():
    """The port of a listener whose backlog is full: a connection is neither made nor refused."""
    with ExitStack() as stack:
        listening = stack.enter_context(socket.socket())
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        for _ in range(4):
            client = stack.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(listening.getsockname())
        yield listening.getsockname()[1]


def test_a_connection_that_never_comes_about_fails_in_time():
    with full_backlog() as port:
        told = outcome(f":{port}", "-m", "300ms", code=4)
    assert told["outcome"] == "failed" and "timed out" in told["error"], told
    assert 250 <= told["latency_ms"] < 10000, told


def test_unknown_means_sent_and_no_answer():
    faults = [(close_without_answer(), "closed"), (reset(), "reset"), (garbage(), "HTTP")]
    for fault, text in faults:
        with FaultServer(fault) as server:
            told = outcome(server.url, code=4)
            assert (told["outcome"], told["status"]) == ("unknown", None), told
            assert text in told["error"], told
            assert len(server.requests) == 1 and server.connections == 1


def test_a_server_that_hangs():
    with FaultServer(hang()) as server:
        told = outcome(server.url, "--max-time", "1s", code=4)
        assert told["outcome"] == "unknown" and "timed out" in told["error"], told
        assert 950 <= told["latency_ms"] < 10000
        assert len(server.requests) == 1
    with FaultServer(drip(200, b"x" * 100, pause=0.3)) as server:
        told = outcome(server.url, "-m", "1", code=4)
        assert told["outcome"] == "unknown", told  # no status line yet


def test_a_server_that_closes_before_it_reads():
    with FaultServer(close_at_once()) as server:
        told = outcome(server.url, code=4)
        assert told["outcome"] in ("failed", "unknown"), told
        assert server.connections == 1 and server.requests == []


def test_half_an_answer_is_shown_as_none():
    with FaultServer(half_answer()) as server:
        result = credhook("send", "user-created", "--to", server.url).expect(1)
        assert "FAIL ---  user-created" in result.out and re.search(r"  ---  .* user-created\n", result.err), result


def test_half_an_answer_is_unknown():
    """Its status is told, and that the rest is missing; nobody knows what the rest would have been."""
    for status in (200, 503):
        with FaultServer(half_answer(status)) as server:
            told = outcome(server.url, "--retry", "3", code=1)
            assert (told["outcome"], told["status"]) == ("unknown", status) and "is incomplete" in told["error"], told
            assert len(server.requests) == 1


def test_an_answer_that_listen_truncates_is_unknown():
    """As for curl, which ends with 18 there."""
    with Listener("--fault", "truncate") as listener:
        told = outcome(listener.url, code=1)
        assert (told["outcome"], told["status"]) == ("unknown", 200) and "is incomplete" in told["error"], told


def test_an_answer_before_the_body_is_read_counts():
    """What a limit of a proxy does in mid-upload; and 417, after which libcurl would send once more by itself."""
    def at_once(status):
        def script(connection):
            connection.socket.recv(1000)
            connection.send(answer_bytes(status, [("Connection", "close")]))
            while connection.socket.recv(65536):  # a close with bytes unread is a reset, which may overtake the answer
                pass
            return False
        return script

    big = new_folder() / "big.json"
    big.write_text('{"a":"' + "x" * 8000000 + '"}')
    for status, more in ((413, ()), (401, ("-H", "Expect: 100-continue")), (417, ("-H", "Expect: 100-continue"))):
        with FaultServer(at_once(status)) as server:
            lines = credhook("send", "--file", big, "--validate", "off", "--to", server.url, "--json", *more).expect(1).json()
            assert (lines[0]["outcome"], lines[0]["status"]) == ("rejected", status), lines
            assert server.connections == 1


def test_no_retry_unless_asked():
    with FaultServer(answer(503, [("Retry-After", "0")])) as server:
        outcome(server.url, code=1)
        assert len(server.requests) == 1


def test_no_silent_second_post():
    """libcurl would send the request that died on a kept-alive connection once more; here it goes out once."""
    with FaultServer(close_after_request_on_kept_alive(), answer(200)) as server:
        lines = credhook("send", "user-created", "--count", 3, "--to", server.url, "--json").expect(1).json()
        assert [line["outcome"] for line in lines[:-1]] == ["accepted", "unknown", "accepted"], lines
        seen = [(request.connection, request.body) for request in server.requests]
        assert [connection for connection, _ in seen] == [0, 0, 1], seen
        assert len({body for _, body in seen}) == 3
        assert lines[-1]["unknown"] == 1 and lines[-1]["accepted"] == 2


def test_no_silent_second_post_after_a_reset():
    with FaultServer([answer(), reset()], answer(200)) as server:
        lines = credhook("send", "user-created", "--count", 2, "--to", server.url, "--json").expect(1).json()
        assert [line["outcome"] for line in lines[:-1]] == ["accepted", "unknown"], lines
        assert len(server.requests) == 2 and server.connections == 1


def test_expect_within():
    with FaultServer(drip(200, pause=0.02)) as server:
        told = outcome(server.url, "--expect-within", "1ms", code=1)
        assert told["outcome"] == "accepted" and told["late"] is True, told
    with FaultServer(answer(200)) as server:
        assert "late" not in outcome(server.url, "--expect-within", "20s", code=0)
        result = credhook("send", "user-created", "--to", server.url, "--expect-within", "1ms", "-q")
        assert result.code in (0, 1)


def test_exit_codes_of_several_deliveries():
    """4 only where not one was answered; 3 over 4 over 1."""
    rows = [
        ([answer(200), close_without_answer()], 2, 1),
        ([close_without_answer()], 2, 4),
        ([answer(500), close_without_answer()], 2, 1),
        ([answer(500)], 2, 1),
        ([answer(200)], 2, 0),
    ]
    for script, count, code in rows:
        with FaultServer(script, script) as server:
            credhook("send", "user-created", "--count", count, "--to", server.url).expect(code)
            assert len(server.requests) == count
    broken = new_folder() / "broken.json"
    broken.write_text("{")
    dead = f":{free_port()}"
    with FaultServer(answer(200)) as server:
        for where, files, code in ((server.url, [broken], 1), (server.url, ["missing.json"], 3),
                                   (server.url, [broken, "missing.json"], 3), (dead, [broken], 4),
                                   (dead, [broken, "missing.json"], 3), (dead, ["missing.json"], 3)):
            arguments = [text for path in files for text in ("--file", path)]
            result = send(where, *arguments)
            assert result.code == code, (where, files, str(result))


def test_everything_is_tried_although_something_fails():
    with FaultServer([answer(500), answer(200), answer(409)]) as server:
        lines = credhook("send", "user-created", "bureau-alert", "credit-report-ordered", "--to", server.url,
                         "--json").expect(1).json()
        assert [line["status"] for line in lines[:-1]] == [500, 200, 409]
        assert lines[-1]["statuses"] == {"200": 1, "409": 1, "500": 1}
        assert (lines[-1]["accepted"], lines[-1]["rejected"]) == (1, 2)


def test_concurrency_sends_each_once():
    with Nginx(record=True) as nginx:
        lines = credhook("send", "user-created", "bureau-alert", "--count", 100, "--concurrency", 16, "--to", nginx.url,
                         "--json").expect(0).json()
        requests = nginx.requests(200)
        assert lines[-1]["accepted"] == 200 == len(requests), (lines[-1], len(requests))
        assert len({request["body"] for request in requests}) == 200, "a body was sent twice"
        assert 1 < len({request["connection"] for request in requests}) <= 16


def test_the_answer_is_shown_with_v():
    hostile = b"line one\nbell \x07 escape \x1b[31m red\nr\xc3\xa9sum\xc3\xa9 \xff"
    with FaultServer(answer(200, body=hostile)) as server:
        plain = credhook("send", "user-created", "--to", server.url).expect(0)
        assert "line one" not in plain.out
        shown = credhook("send", "user-created", "--to", server.url, "-v").expect(0)
        assert "\n< line one\n" in shown.out and "résumé" in shown.out
        assert b"\x07" not in shown.out_bytes and b"\x1b" not in shown.out_bytes and b"\xff" not in shown.out_bytes
    with FaultServer(answer(200, [("Location", "/\x1b[2J")], body=b"y" * 1000000)) as server:
        shown = credhook("send", "user-created", "--to", server.url, "-v").expect(0)
        assert "yyyy" in shown.out and "..." in shown.out and len(shown.out) < 10000


def test_heads_are_shown_with_v():
    fields = [("Server", "s\x1b[2J"), ("Set-Cookie", "id=S3CRET"), ("Location", "/x?token=S3CRET")]
    with FaultServer(answer(500, fields, b"one\ntwo")) as server:
        out = credhook("send", "user-created", "--to", server.url + "/hook?key=S3CRET", "-H", "X-Key: S3CRET", "-v").expect(1).out
        assert "S3CRET" not in out and "\x1b" not in out, out
        lines = out.splitlines()
        assert [line for line in lines if line.startswith("> ")][0] == "> POST /hook?key=*** HTTP/1.1", out
        for line in (f"> Host: 127.0.0.1:{server.port}", "> X-Key: ***", "> Content-Type: application/json",
                     "< Set-Cookie: ***", "< Location: /x?token=***", "< Server: s\\x1B[2J", "< one", "< two"):
            assert line in lines, (line, out)
        assert any(line.startswith("< HTTP/1.1 500") for line in lines), out
        body = next(line for line in lines if line.startswith("> {"))
        assert json.loads(body[2:]) and lines.index("> ") < lines.index(body) < lines.index("< ") < lines.index("< one"), out


def test_json_has_both_ends_of_a_response_that_is_not_well():
    body = b"".join(b"line %d\n" % number for number in range(1000))
    with FaultServer(answer(500, body=body), answer(200, body=b"fine"), answer(500, body=b"short")) as server:
        lines = [credhook("send", "user-created", "--to", server.url, "--json").json()[0] for _ in range(3)]
    assert lines[0]["response_head"].startswith("line 0\n") and lines[0]["response_tail"].endswith("line 999\n"), lines
    assert len(lines[0]["response_head"]) + len(lines[0]["response_tail"]) == 1024
    assert "response_head" not in lines[1] and (lines[2]["response_head"], lines[2]["response_tail"]) == ("short", ""), lines


def test_wait_for_a_listener_that_is_still_starting():
    port = free_port()
    with ThreadPoolExecutor() as pool:
        sending = pool.submit(credhook, "send", "user-created", "--to", f":{port}", "--wait", "20s")
        with Listener(address=f"127.0.0.1:{port}"):
            assert "1 accepted" in sending.result().expect(0).err
    result = credhook("send", "user-created", "--to", f":{free_port()}", "--wait", "100ms").expect(4)
    assert "no connection to" in result.err and "within 100 ms" in result.err and not result.out, result


def test_wait_ends_while_a_connection_is_being_made():
    """By its own time, and by Ctrl-C."""
    for command in ["send", "user-created"], ["test", "deliver"]:
        with full_backlog() as port:
            began = time.monotonic()
            result = credhook(*command, "--to", f":{port}", "--wait", "300ms").expect(4)
            assert "within 300 ms: the connection timed out" in result.err and time.monotonic() - began < 5, result
            with Running(*command, "--to", f":{port}", "--wait", "10m") as waiting:
                waiting.wait_stderr("waiting up to")
                began = time.monotonic()
                waiting.process.send_signal(signal.SIGINT)
                assert waiting.end()[0] == 130 and time.monotonic() - began < 5


def test_quiet_tells_only_what_is_not_well():
    with FaultServer(answer(200), answer(500)) as server:
        result = credhook("send", "user-created", "--to", server.url, "-q").expect(0)
        assert result.out == "" and result.err == "", result
        result = credhook("send", "user-created", "--to", server.url, "-q").expect(1)
        assert result.out.startswith("to ") and "FAIL 500" in result.out and result.err == "", result


class Running:
    """A send in the background."""

    def __init__(self, *args):
        self.process = launch(*args, cwd=new_folder(), start_new_session=True)

    def wait_stderr(self, text):
        seen = b""
        while text.encode() not in seen:
            piece = self.process.stderr.read1()
            assert piece, f"ended without '{text}': {seen}"
            seen += piece

    def end(self):
        """(exit code, stdout)"""
        out, _ = self.process.communicate()
        return self.process.returncode, out.decode()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


def test_a_first_ctrl_c_finishes_what_is_in_flight():
    for number in (signal.SIGINT, signal.SIGTERM):
        with FaultServer(hang(201)) as server, \
             Running("send", "user-created", "--count", 5, "--to", server.url, "--json") as sender:
            server.wait_requests(1)
            sender.process.send_signal(number)
            sender.wait_stderr("interrupted")
            server.release()
            code, out = sender.end()
            assert code == 130, (code, out)
            assert '"status":201' in out and '"interrupted":true' in out and '"accepted":1' in out, out
            assert len(server.requests) == 1


def test_ctrl_c_while_nothing_is_in_flight():
    """Between two deliveries, waiting for --rate."""
    with FaultServer(answer(200)) as server, \
         Running("send", "user-created", "--count", 3, "--rate", "1/h", "--to", server.url, "--json") as sender:
        first = sender.process.stdout.readline()
        assert b'"accepted"' in first, first
        sender.process.send_signal(signal.SIGINT)
        code, out = sender.end()
        assert code == 130 and '"interrupted":true' in out, (code, out)
        assert len(server.requests) == 1


if __name__ == "__main__":
    run()

#!/usr/bin/python3
"""replay of records that no listener wrote: nothing is injected, nothing is passed over in silence, the rest goes out."""
# rooms: capture cmd/send deliver

from captures import record, write
from support import SANITIZE, FaultServer, answer, credhook, new_folder, run

import re


def test_a_record_that_no_request_can_be_made_of_is_skipped_too():
    """Such a record comes from no listener, but from an editor: the others go out all the same."""
    rows = [
        (record(1, b"{}", headers=[("Content-Type", "text/x\u0001")]), ()),
        (record(1, b"{}", headers=[("Content-Type", "a\r\nX-Injected: 1")]), ()),
        (record(1, b"{}", headers=[("X-One", "a\nX-Injected: 1")]), ("--as-recorded",)),
        (record(1, b"{}", headers=[("X One", "a")]), ("--as-recorded",)),
        (record(1, b"{}", headers=[("", "a")]), ("--as-recorded",)),
        (record(1, b"{}", headers=[("X-Nul", "a\u0000b"), ("X-Next", "c")]), ("--as-recorded",)),
        (record(1, b"{}", target="/a b"), ("--as-recorded",)),
        (record(1, b"{}", target="/a\r\nX-Injected: 1"), ("--as-recorded",)),
        (record(1, b"{}", target="/nul\u0000x"), ("--as-recorded",)),
        (record(1, b"{}", headers=[("Content-Type", "text/nul\u0000x")]), ()),
    ]
    for line, options in rows:
        path = write(record(1, b"1") + line + record(1, b"2"))
        with FaultServer(answer(200)) as server:
            result = credhook("replay", path, *options, "--to", server.url).expect(1)
            assert [request.body for request in server.requests] == [b"1", b"2"], (line, str(result))
            assert re.search(rf"^FAIL ---  .* {path}:2: ", result.out, re.MULTILINE), (line, str(result))
            assert "\nX-Injected" not in result.out + result.err and "\r" not in result.out + result.err, result


def test_a_record_that_cannot_be_edited_is_skipped_too():
    """What came was not JSON: that fails, as often as it is asked for, and keeps nothing else from going out."""
    path, results = write(record(1, b'{"n":1}') + record(1, b"{") + record(1, b'{"n":2}')), new_folder() / "results"
    edit = ("--set", "n:=3", "--to")
    with FaultServer(answer(200)) as server:
        result = credhook("replay", path, *edit, server.url, "--results", results).expect(1)
        assert [request.body for request in server.requests] == [b'{"n":3}', b'{"n":3}'], result
        assert re.search(rf"^FAIL ---  .* {path}:2: a payload that is not JSON cannot be edited", result.out, re.MULTILINE), result
        assert "2 accepted, 1 not accepted of 3 (1 not sent)" in result.err, result
        again = credhook("replay", path, *edit, server.url, "--resume", results).expect(1)
        assert len(server.requests) == 2 and "not all was sent" not in result.err + again.err, again
        dry = credhook("replay", path, *edit, server.url, "--dry-run=curl").expect(1)
        assert f"{path}:2: a payload that is not JSON cannot be edited" in dry.err and dry.out.count("curl -q") == 2, dry


def test_what_a_terminal_would_obey_is_escaped():
    path = write(record(1, b"{}", target="/\u009b31m\u202e\u001b[2J") + record(1, b"{}", target="/\u202e"))
    with FaultServer(answer(200)) as server:
        for options in (("--as-recorded",), ("--as-recorded", "-v"), ("--as-recorded", "--dry-run")):
            result = credhook("replay", path, *options, "--to", server.url)
            for text in ("\u009b", "\u202e", "\x1b"):
                assert text not in result.out + result.err, (options, str(result))


def test_the_kept_target_is_shown():
    data = record(1, b"{}", target="/hook?x=1") + record(1, b"{}", target="/")
    with FaultServer(answer(200)) as server:
        lines = credhook("replay", write(data), "--to", f"{server.url}/new", "--as-recorded", "--json").expect(0).json()
        assert [line["url"] for line in lines[:-1]] == [f"{server.url}/hook?x=***", f"{server.url}/"], lines
        text = credhook("replay", write(data), "--to", f"{server.url}/new", "--as-recorded").expect(0)
        assert f"to {server.url}\n" in text.out and "  to /hook?x=***\n" in text.out and "/new" not in text.out, text


def test_a_compressed_body_is_sent_as_such():
    headers = [("Content-Type", "application/json"), ("content-encoding", "gzip"), ("X-One", "1")]
    with FaultServer(answer(200)) as server:
        credhook("replay", write(record(1, b"{}", headers=headers)), "--to", server.url).expect(0)
        request = server.requests[0]
        assert request.header("Content-Encoding") == "gzip" and request.header("X-One") is None, request


def test_many_headers_take_no_more_time_each():
    capture = write(record(1, b"{}", headers=[("X", str(i)) for i in range(60000)]))
    with FaultServer(answer(200)) as server:
        credhook("replay", capture, "--to", server.url, "--as-recorded", timeout=60 if SANITIZE else 10).expect(0)
        sent = [value for name, value in server.requests[0].headers if name == "X"]
        assert sent == [str(i) for i in range(60000)]


if __name__ == "__main__":
    run()

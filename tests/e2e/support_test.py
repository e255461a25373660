#!/usr/bin/python3
"""What the other tests could not tell from the support library: that a failure is one, and that nothing is left behind.

That its servers and clients work is seen wherever they meet credhook. A stand-in script plays credhook here."""
# rooms: none

import http.client
import os
import signal
import socket
import subprocess
import sys

import support
from support import (FaultServer, Listener, Nginx, answer, answers, close_after_request_on_kept_alive, credhook, hang,
                     new_folder, raw, run)

BINARY_BODY = bytes(range(1, 256)) + "{\"é\": \"\\\"\"}\n".encode()

STAND_IN = """#!/usr/bin/python3
import json, os, signal, sys
mode = os.environ.get("MODE", "")
if sys.argv[1] != "listen":
    print(json.dumps({"args": sys.argv[1:], "stdin": sys.stdin.read(), "env": dict(os.environ), "cwd": os.getcwd()}))
    print("a note", file=sys.stderr)
    if mode == "hang":
        sys.stdout.flush()
        signal.pause()
    sys.exit(int(os.environ.get("CODE", "0")))
if mode == "refuse":
    print("cannot listen", file=sys.stderr)
    sys.exit(3)
if mode == "babble":
    print("hello", flush=True)
    signal.pause()
ends = {signal.SIGTERM, signal.SIGINT}
signal.pthread_sigmask(signal.SIG_BLOCK, ends)
print(json.dumps({"type": "ready", "url": "http://127.0.0.1:4711/", "pid": os.getpid()}), flush=True)
print("listening", file=sys.stderr, flush=True)
for n in range(3):
    print(json.dumps({"type": "event", "n": n}), flush=True)
if mode != "once":
    print(json.dumps({"type": "summary", "signal": signal.sigwait(ends)}), flush=True)
"""


def stand_in(**variables):
    """Puts the stand-in where credhook is looked for; returns the environment that tells it what to do."""
    path = new_folder() / "credhook"
    path.write_text(STAND_IN)
    path.chmod(0o755)
    os.environ["CREDHOOK"] = str(path)
    return variables


def post(server, body=b"{}", connection=None, **headers):
    """One POST by http.client: (status, body). Raises what http.client raises."""
    client = connection or http.client.HTTPConnection(server.host, server.port, timeout=10)
    try:
        client.request("POST", "/hook?x=1", body, headers)
        got = client.getresponse()
        return got.status, got.read()
    finally:
        if not connection:
            client.close()


def raises(kinds, function, *args):
    try:
        value = function(*args)
    except kinds as error:
        return error
    raise AssertionError(f"no {kinds}, but {value!r}")


def curl(*args):
    command = ["curl", "-sS", "--noproxy", "*", "-m", "10", *map(str, args)]
    done = subprocess.run(command, capture_output=True, check=False)
    return done.returncode, done.stdout.decode("latin-1")


def test_curl_sends_again_in_silence_and_the_server_sees_it():
    """Why the server exists: what libcurl does by itself shows as a repeated request."""
    with FaultServer(close_after_request_on_kept_alive(), answer(200, body=b"ok")) as server:
        code, _ = curl("-d", "1", server.url, "--next", "-sS", "--noproxy", "*", "-d", "2", server.url)
        assert code == 0
        assert [(request.connection, request.body) for request in server.requests] == [(0, b"1"), (0, b"2"), (1, b"2")]


def test_torn_requests_are_told_apart():
    with FaultServer() as server:
        raw(server.host, server.port, b"POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\n123", shutdown=True)
        raw(server.host, server.port, b"POST / HT", shutdown=True)
        raw(server.host, server.port, b"", shutdown=True)
        assert server.requests == [] and server.torn == [0, 1]


def test_what_is_no_http_fails_the_test():
    def talk():
        with FaultServer() as server:
            raw(server.host, server.port, b"POST / HTTP/1.1\r\nno header\r\n\r\n", shutdown=True)

    raises(ValueError, talk)
    raises(AssertionError, FaultServer().wait_requests, 1, 0.01)


def test_nginx_records_bodies_byte_for_byte():
    large = b'{"a": "' + b"x" * 1500000 + b'"}'
    with Nginx(record=True) as nginx:
        client = http.client.HTTPConnection(nginx.host, nginx.port, timeout=10)
        bodies = [BINARY_BODY, b"", large, b"a\r\nb\n"]
        for body in bodies:
            assert post(nginx, body, client, **{"Content-Type": "application/json"})[0] == 204
        client.close()
        assert curl("-H", "Transfer-Encoding: chunked", "-d", "chunks", nginx.url)[0] == 0
        requests = nginx.requests(5)
        assert [request["body"] for request in requests] == bodies + [b"chunks"]
        first = requests[0]
        assert (first["method"], first["target"], first["content_type"]) == ("POST", "/hook?x=1", "application/json")
        assert [request["nth"] for request in requests] == [1, 2, 3, 4, 1]
        assert len({request["connection"] for request in requests}) == 2
        raises(AssertionError, nginx.requests, 6, 0.01)


def test_a_port_is_lent_once():
    import ports  # pylint: disable=import-outside-toplevel
    lent = support.free_port()
    script = f"import sys; sys.path.insert(0, {str(support.SOURCE / 'tests/tools')!r}); import ports, random\n" \
             f"numbers = iter([{lent}, {lent}, 0])\nports.random.randrange = lambda *_: next(numbers)\n" \
             "try: print(ports.free_port())\nexcept StopIteration: print('none')"

    def ask():
        return subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, check=True, text=True).stdout
    assert ask() == "0\n", "another process got it, too"
    ports._held.pop().close()  # pylint: disable=protected-access
    assert ask() == f"{lent}\n"


def test_nginx_tries_another_port_when_one_is_taken():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ports = [taken.getsockname()[1]]
        import nginx as module  # pylint: disable=import-outside-toplevel
        original = module.free_port
        module.free_port = lambda: ports.pop() if ports else original()
        try:
            with Nginx() as nginx:
                assert post(nginx)[0] == 204 and nginx.port != taken.getsockname()[1]
        finally:
            module.free_port = original


def test_answers_are_told_apart():
    interim, plain = b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\n\r\n"
    until_end = b"HTTP/1.0 404 Not Found\r\n\r\nall the rest"
    rows = [
        (b"", []),
        (interim + plain, [(100, b""), (200, b"ok")]),
        (plain[:-1], []),
        (plain + chunked + plain, [(200, b"ok"), (200, b"abc"), (200, b"ok")]),
        (plain + chunked[:-1], [(200, b"ok")]),
        (b"HTTP/1.1 204 No Content\r\n\r\n" + until_end, [(204, b""), (404, b"all the rest")]),
    ]
    for data, expected in rows:
        assert [(one.status, one.body) for one in answers(data)] == expected, data
    assert [one.status for one in answers(plain[:-2], head=True)] == [200]


def test_a_run_is_clean_of_its_surroundings():
    variables = stand_in(CODE="4")
    os.environ.update(http_proxy="http://x", HTTPS_PROXY="http://x", No_Proxy="x", NO_COLOR="1", XDG_CONFIG_HOME="/etc")
    result = credhook("send", "é", 7, stdin="text", env=variables).expect(4)
    (seen,) = result.json()
    assert seen["args"] == ["send", "é", "7"] and seen["stdin"] == "text" and result.err == "a note\n"
    assert result.err_bytes == b"a note\n" and os.listdir(seen["cwd"]) == []
    assert not [name for name in seen["env"] if "proxy" in name.lower() or name in ("NO_COLOR", "CREDHOOK")]
    assert seen["env"]["XDG_CONFIG_HOME"].startswith(support._scratch.name)
    assert credhook("x", stdin=b"\xc3\xa9", env={"NO_COLOR": 1, "HOME": None}).json()[0]["env"]["NO_COLOR"] == "1"
    error = raises(AssertionError, result.expect, 0)
    assert "expected exit 0" in str(error) and "a note" in str(error)


def test_a_run_that_hangs_is_ended_and_shown():
    error = raises(AssertionError, lambda: credhook("send", env=stand_in(MODE="hang"), timeout=0.5))
    assert "not done after 0.5 s" in str(error), error


def test_a_listener_is_there_from_its_ready_line_to_its_end():
    variables = stand_in()
    with Listener("-q", env=variables) as listener:
        assert (listener.url, listener.host, listener.port) == ("http://127.0.0.1:4711/", "127.0.0.1", 4711)
        assert [event["n"] for event in listener.events(3)] == [0, 1, 2]
        listener.wait_stderr("listening")
        raises(AssertionError, listener.events, 4, 0.05)
        result = listener.stop(signal.SIGINT).expect(0)
        assert result.args == ["listen", "--json", "127.0.0.1:0", "-q"]
        assert listener.messages()[-1] == {"type": "summary", "signal": signal.SIGINT} == result.json()[-1]
        error = raises(AssertionError, listener.events, 4)  # at once: it has ended
        assert "ended without 4 events" in str(error)
    with Listener(env=stand_in(MODE="once")) as listener:
        assert len(listener.wait().expect(0).json()) == 4
    with Listener(env=variables) as listener:
        process = listener._process
    assert process.returncode == 0


def test_a_listener_that_does_not_come_up_says_why():
    error = raises(AssertionError, lambda: Listener(env=stand_in(MODE="refuse")))
    assert "cannot listen" in str(error) and "exit 3" in str(error), error
    error = raises(AssertionError, lambda: Listener(env=stand_in(MODE="babble")))
    assert "no ready line" in str(error), error


def test_a_script_runs_its_tests_and_tells():
    script = new_folder() / "some_test.py"
    script.write_text("import sys\nsys.path.insert(0, %r)\nimport support\nfrom support import *\n"
                      "def test_b(): pass\ndef check_a(): assert 1 == 2, 'why'\n"
                      "def test_c(): raise support.Skip('no such thing here')\ndef helper(): raise ValueError\n"
                      "support.run()\n" % os.path.dirname(os.path.abspath(support.__file__)))
    rows = [
        ([], 1, ["ok test_b", "FAILED check_a", "AssertionError: why", "skipped test_c: no such thing here",
                 "1 ok, 1 skipped, 1 failed: check_a"]),
        (["test_b"], 0, ["1 ok, 0 skipped, 0 failed"]),
        (["test_x"], 1, []),
    ]
    for args, code, texts in rows:
        done = subprocess.run([sys.executable, script, *args], capture_output=True, text=True, check=False)
        assert done.returncode == code, done
        assert all(text in done.stdout for text in texts), done
        assert "helper" not in done.stdout, done
    script.write_text(script.read_text().replace("def test_b(): pass", "def test_b():\n    with Nginx() as n:\n"
                                                 "        print(n.folder, flush=True)\n        hold = hang()\n"
                                                 "        support.threading.Event().wait()\n")
                      .replace("support.run()", "support.RUN_LIMIT = 1\nsupport.run()"))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and "FAILED test_b: out of time" in done.stdout, done
    assert not os.path.exists(done.stdout.splitlines()[0])


if __name__ == "__main__":
    run()

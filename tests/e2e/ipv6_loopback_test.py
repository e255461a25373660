#!/usr/bin/python3
"""An application that listens at [::1] alone, as node's and vite's do, where a bare port names 127.0.0.1: what is printed
says where it is, and works."""
# rooms: http

import re
import signal

from support import Listener, Skip, binary, credhook, free_port, has_ipv6_loopback, launch, new_folder, run

HINT = re.compile(r"something listens at \[::1\]:(\d+): --(to|forward-to) (localhost:\d+\S*)")


def listener():
    if not has_ipv6_loopback():
        raise Skip("there is no [::1]")
    return Listener("--path", "/hook", address="[::1]:0")


def hint(result):
    found = HINT.findall(result.err)
    assert len(found) == 1, result
    return found[0][2]


def payloads():
    path = new_folder() / "x.ndjson"
    path.write_bytes(credhook("build", "bureau-alert", "--count", 3, "--seed", 1).expect(0).out_bytes)
    return path


def test_what_is_sent():
    with listener() as there:
        path = payloads()
        for words in (["send", "bureau-alert", "--count", 3], ["replay", path], ["test", "deliver/bureau-alert"]):
            for where in (f":{there.port}/hook", f"{there.port}/hook"):
                to = hint(credhook(*words, "--to", where).expect(4))
                assert to == f"localhost:{there.port}/hook"
                credhook(*words, "--to", to).expect(0)
        to = hint(credhook("send", "bureau-alert", "--to", f":{there.port}/hook", "--wait", "1ms").expect(4))
        assert to == f"localhost:{there.port}/hook"
        # A path that a shell would read, or a secret, is not repeated.
        for path in ("/a;b", "/hook?token=abcdefghij"):
            assert hint(credhook("send", "bureau-alert", "--to", f":{there.port}{path}").expect(4)).endswith("/PATH")


def test_elsewhere_nothing_is_said():
    with listener() as there:
        for where in (f"127.0.0.1:{there.port}", f":{free_port()}", f"http://127.0.0.1:{there.port}/hook"):
            result = credhook("send", "bureau-alert", "--to", where).expect(4)
            assert "start your listener" in result.err and not HINT.search(result.err), result
        result = credhook("send", "bureau-alert", "--to", f":{there.port}", "-x", f"http://127.0.0.1:{free_port()}").expect(4)
        assert not HINT.search(result.err), result


def test_what_is_forwarded():
    with listener() as target:
        with Listener("--forward-to", f":{target.port}") as first:
            for _ in range(2):
                credhook("send", "bureau-alert", "--to", f"{first.url}/hook").expect(1)
            to = hint(first.stop())
        assert to == f"localhost:{target.port}"
        with Listener("--forward-to", to) as second:
            credhook("send", "bureau-alert", "--to", f"{second.url}/hook").expect(0)


def test_a_command():
    if not has_ipv6_loopback():
        raise Skip("there is no [::1]")
    port = free_port()
    command = ["--", binary(), "listen", f"[::1]:{port}"]
    process = launch("test", "deliver/bureau-alert", "--to", f":{port}", "--wait", "600s", *command)
    while f"listens at [::1]:{port}, not at 127.0.0.1:{port}" not in (line := process.stderr.readline().decode()):
        assert line, "it has ended"
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode == 130
    credhook("test", "deliver/bureau-alert", "--to", f"localhost:{port}", *command).expect(0)


if __name__ == "__main__":
    run()

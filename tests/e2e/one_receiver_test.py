#!/usr/bin/python3
"""`listen` and the listener of the shell are one receiver: the same requests get the same responses from both."""
# rooms: cmd/args cmd/listen receive

import json
import re
import signal
import subprocess

from support import Listener, answers, built, launch, new_folder, raw, request, run


VALID, INVALID = built("user-created"), built("user-created", "--break", "missing-key")


class ShellListener:
    """The listener of a shell that runs a script."""

    def __init__(self, *args):
        folder = new_folder()
        (folder / "s").write_text(f"listen 0 {' '.join(args)}\nexpect monitoring-service-cancelled --within 1h\n")
        self.process = launch("shell", "-f", "s", cwd=folder, stdout=subprocess.DEVNULL, text=True)
        line = self.process.stderr.readline()
        found = re.search(r"listening on http://([\d.]+):(\d+)$", line)
        assert found, line + self.process.communicate()[1]
        self.host, self.port = found[1], int(found[2])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate()


def asks(method, target, body=b""):
    return request(body, target, "Connection: close\r\nContent-Type: application/json\r\n", method)


POST = asks("POST", "/hook?x=1", VALID)
BAD = asks("POST", "/hook", INVALID)


def ask(listener, *requests):
    """What came, without what is of the moment; one connection each."""
    found = []
    for text in requests:
        got = raw(listener.host, listener.port, text)
        got = answers(got, head=text.startswith(b"HEAD")) if got else []
        found += [(a.status, a.body, sorted(f for f in a.headers if f[0].lower() != "date")) for a in got] or [None]
    return found


def both(args, *requests):
    """The responses, which must be the same ones."""
    with Listener(*args) as listener, ShellListener(*args) as background:
        first, second = ask(listener, *requests), ask(background, *requests)
    assert first == second, (args, first, second)
    return first


def statuses(found):
    return [response and response[0] for response in found]


def test_a_path_is_found_in_every_form_of_target():
    found = both(["--path", "/hook"], POST, asks("POST", "http://h/hook", VALID),
                 asks("POST", "http://h:1/hook?a=/b", VALID), asks("POST", "http://h", VALID),
                 asks("POST", "/hook/", VALID), asks("POST", "/other", VALID), asks("GET", "/other"))
    assert statuses(found) == [200, 200, 200, 404, 404, 404, 404]


def test_findings_go_with_a_rejection_and_with_nothing_else():
    found = both(["--rule", "status=422"], POST, BAD)
    assert statuses(found) == [422, 422] and [body for _, body, _ in found] == [b"", b""]
    found = both(["--validate", "reject"], POST, BAD)
    assert statuses(found) == [200, 422]
    assert json.loads(found[1][1])["findings"][0]["finding"] == "missing-key"


def test_what_is_not_a_notification():
    found = both([], asks("GET", "/"), asks("HEAD", "/"), asks("PUT", "/", VALID))
    assert statuses(found) == [200, 200, 405] and b"Send notifications by POST" in found[0][1]
    assert ("Allow", "POST, GET, HEAD") in found[2][2]


def test_responses_as_they_were_asked_for():
    assert statuses(both(["--respond", "500,404,200"], POST, BAD, POST, POST)) == [500, 404, 200, 200]
    assert statuses(both(["--fault", "empty"], POST)) == [None]
    assert statuses(both(["--rule", "valid=no,status=503"], POST, BAD)) == [200, 503]


def test_what_is_too_much():
    assert statuses(both([], asks("POST", "/", b"x" * (1 << 20) + b"x"), b"POST /" + b"a" * 9000,
                         b"nonsense\r\n\r\n")) == [413, 414, 400]


if __name__ == "__main__":
    run()

#!/usr/bin/python3
"""Behind a proxy: who the sender is, who may send, and that nobody is taken for the proxy or for somebody else."""
# rooms: cmd/listen http receive

import http.client
import json
import re
import subprocess

from nginx import Nginx
from support import SOURCE, Listener, answers, binary, environment, new_folder, raw, run

PROXY = "127.0.0.1"


def post(*headers, body=b"{}"):
    lines = [b"POST / HTTP/1.1", b"Host: h", b"Content-Length: %d" % len(body)] + [line.encode() for line in headers]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def records(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_the_sender_is_whom_the_proxy_saw():
    capture = new_folder() / "c.ndjson"
    with Listener("--trusted-proxy", PROXY, "--trusted-proxy", "10.0.0.0/8", "--capture", capture) as listener:
        sent = post("X-Forwarded-For: 198.51.100.1, 203.0.113.9:80", "X-Forwarded-For: 10.1.1.1") + \
            post('Forwarded: for=198.51.100.1, for="[2001:db8::7]:4711"')
        assert [one.status for one in answers(raw(listener.host, listener.port, sent, count=2))] == [200, 200]
        printed = listener.events(2)
    kept = records(capture)
    assert [one["remote"] for one in kept] == ["203.0.113.9", "2001:db8::7"], kept
    for one, line in zip(kept, printed):
        assert one["via"].startswith(PROXY + ":") and list(one)[3:5] == ["remote", "via"], one
        assert (line["remote"], line["via"]) == (one["remote"], one["via"]), line


def test_a_sender_that_is_not_known_is_refused_and_counted():
    with Listener("--trusted-proxy", PROXY) as listener:
        for headers in ([], ["X-Forwarded-For: unknown"], ["X-Forwarded-For: 127.0.0.1"], ["X-Forwarded-For: 1.2.3.4,"],
                        ["X-Forwarded-For: 1.2.3.4", "Forwarded: for=1.2.3.5"], ["Forwarded: for=1.2.3.4;for=1.2.3.4"]):
            (got,) = answers(raw(listener.host, listener.port, post(*headers), count=1))
            assert got.status == 403 and b"sender" in got.body, (headers, got)
        (got,) = answers(raw(listener.host, listener.port, b"GET / HTTP/1.1\r\nHost: h\r\n\r\n", count=1))
        assert got.status == 200
        summary = listener.stop().expect(0).json()[-1]
    assert summary["refusals"]["sender"] == 6 and summary["received"] == 0, summary


def test_a_refused_body_is_never_asked_for_and_each_request_is_decided_anew():
    with Listener("--trusted-proxy", PROXY, "--allow", "203.0.113.0/24") as listener:
        expecting = post("X-Forwarded-For: 198.51.100.1", "Expect: 100-continue", body=b"")
        expecting = expecting.replace(b"Content-Length: 0", b"Content-Length: 5")
        got = raw(listener.host, listener.port, expecting, count=1)
        assert got.startswith(b"HTTP/1.1 403 "), got
        mixed = post("X-Forwarded-For: 203.0.113.1") + post("X-Forwarded-For: 198.51.100.1", body=b"") + \
            post("X-Forwarded-For: 203.0.113.2") + post(body=b"") + post("X-Forwarded-For: 203.0.113.1")
        got = answers(raw(listener.host, listener.port, mixed, count=5))
        assert [one.status for one in got] == [200, 403, 200, 403, 200], got


def test_without_the_option_or_from_others_the_headers_mean_nothing():
    for options in ([], ["--trusted-proxy", "10.0.0.0/8"]):
        with Listener(*options) as listener:
            raw(listener.host, listener.port, post("X-Forwarded-For: 203.0.113.9"), count=1)
            (event,) = listener.events(1)
        assert event["remote"].startswith("127.0.0.1:") and "via" not in event, event
    with Listener("--trusted-proxy", "10.0.0.0/8", "--allow", "203.0.113.9") as listener:
        assert raw(listener.host, listener.port, post("X-Forwarded-For: 203.0.113.9")) == b""
        assert listener.stop().expect(0).json()[-1]["refusals"]["allow"] == 1


def test_nginx_in_front_with_several_senders_on_one_connection():
    capture = new_folder() / "c.ndjson"
    allowed = ["--allow", "127.0.0.2", "--allow", "127.0.0.4"]
    with Listener("--trusted-proxy", PROXY, *allowed, "--capture", capture) as listener:
        upstream = f"upstream listener {{ server {listener.host}:{listener.port}; keepalive 1; }}"
        location = """location /through { proxy_pass http://listener; proxy_http_version 1.1; proxy_set_header Connection "";
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; }"""
        with Nginx(http=upstream, extra=location) as nginx:
            for sender, status in (("127.0.0.2", 200), ("127.0.0.3", 403), ("127.0.0.4", 200), ("127.0.0.5", 403)):
                client = http.client.HTTPConnection(nginx.host, nginx.port, source_address=(sender, 0))
                for invented in (None, "127.0.0.2", "127.0.0.2, 127.0.0.1", '"'):
                    headers = {"X-Forwarded-For": invented} if invented else {}
                    client.request("POST", "/through", b"{}", headers)
                    response = client.getresponse()
                    response.read()
                    assert response.status == status, (sender, invented, response.status)
                client.close()
        connections = {one["via"] for one in records(capture)}
        senders = [one["remote"] for one in records(capture)]
    assert senders == ["127.0.0.2"] * 4 + ["127.0.0.4"] * 4, senders
    assert len(connections) < len(senders), connections


def manual_trial():
    """What the manual lets nginx do, and the lines that are typed."""
    page = (SOURCE / "man/credhook-listen.1").read_text().replace("\\-", "-").replace("\\e\n", "").replace("\\(aq", "'")
    (part,) = re.findall(r"^\.Ss Behind a proxy\n(.*?)^\.Ss", page, re.S | re.M)
    config, typed = re.findall(r"^\.Bd.*?\n(.*?)^\.Ed", part, re.S | re.M)
    assert "listen 127.0.0.1:8081;" in config, config
    return re.search(r"location.*?\n    \}\n", config, re.S).group(), re.split(r"^\$ ", typed, flags=re.M)[1:]


def test_the_trial_of_the_manual_on_one_machine():
    location, (listen, send) = manual_trial()
    folder = new_folder()
    assert listen.split() == "credhook listen 8080 --trusted-proxy 127.0.0.1 --capture capture.ndjson".split(), listen
    with Listener(*listen.split()[3:], cwd=folder) as listener:
        with Nginx(extra=location.replace("location /", "location /x").replace("8080", f"{listener.port}/")) as nginx:
            send = send.replace("credhook ", f"{binary()} ").replace("8081/", f"{nginx.port}/x")
            subprocess.run(["sh", "-c", send], check=True, env=environment(), capture_output=True)
            assert [one["remote"] for one in records(folder / "capture.ndjson")] == ["127.0.0.2"]
            subprocess.run(["sh", "-c", send.replace("--interface 127.0.0.2", "")], check=True, env=environment(), capture_output=True)
            listener.wait_stderr("403 the sender is itself trusted; to try it on one machine, send from another address: "
                                 "curl --interface 127.0.0.2 --json @FILE URL\n")
        got = raw(listener.host, listener.port, post(), count=1)
        assert b" 403 " in got and b"proxy" not in got, got  # what to do is the user's to know
        listener.wait_stderr("nor Forwarded; send through the proxy, which has to add it\n")
        assert len(records(folder / "capture.ndjson")) == 1
    with Listener("--trusted-proxy", "127.0.0.0/8") as listener:
        raw(listener.host, listener.port, post("X-Forwarded-For: 127.0.0.2"), count=1)
        listener.wait_stderr("the sender is itself trusted\n")  # 127.0.0.2 would be, too


if __name__ == "__main__":
    run()

#!/usr/bin/python3
"""--forward-to: what reaches the target, what comes back, and what the capture keeps of it."""
# rooms: cmd/listen http receive

import json
import shutil
import subprocess

from support import (FaultServer, Listener, answer, binary, built, certificate, close_without_answer, credhook, free_port,
                     half_answer, hang, new_folder, raw, records, request, run)


USER = built("user-created")
HOOK = "/hook?x=1&y=%20z"


def test_the_request_goes_on_unchanged_and_the_answer_comes_back():
    capture = new_folder() / "capture.ndjson"
    fields = ("Content-Type: application/json; charset=utf-8\r\nX-One: 1\r\nx-one: 2\r\nX-Empty:\r\nAuthorization: Basic x\r\n"
              "Connection: keep-alive, X-Hop\r\nX-Hop: gone\r\nTE: trailers\r\nUser-Agent: sender/1\r\n")
    body = USER.replace(b":", b" :\t")
    said = answer(207, body=b"the answer", headers=[("X-Answer", "yes"), ("Content-Type", "text/x"), ("Retry-After", "5")])
    with FaultServer(said) as target, Listener("--capture", capture, "--forward-to", target.url) as listener:
        got = listener.post(body, HOOK, fields)
        assert (got.status, got.body) == (207, b"the answer")
        assert [got.header(name) for name in ("X-Answer", "Content-Type", "Retry-After")] == ["yes", "text/x", "5"]
        got = target.requests[0]
        assert (got.method, got.target, got.body) == ("POST", HOOK, body)
        sent = [(name, value) for name, value in got.headers if name.lower() not in ("host", "content-length", "accept")]
        assert sent == [("Content-Type", "application/json; charset=utf-8"), ("X-One", "1"), ("x-one", "2"),
                        ("X-Empty", ""), ("Authorization", "Basic x"), ("User-Agent", "sender/1")], sent
        event = listener.events(1)[0]
        assert event["response"] == {"status": 207} and event["valid"] and event["forwarded"]["to"].startswith(target.url)
    assert records(capture)[0]["response"] == {"status": 207}
    assert records(capture)[0]["body"].encode() == body


def test_of_a_response_what_is_of_its_connection_stays_behind():
    said = answer(207, body=b"x", headers=[("connection", "X-Hop, keep-alive"), ("X-One", "1"), ("X-Hop", "1"),
                                           ("Keep-Alive", "timeout=5"), ("Connection", "x-two"), ("X-Two", "2")])
    with FaultServer(said) as target, Listener("--forward-to", target.url, "--respond-header", "X-Own: 1") as listener:
        got = listener.post(USER)
        names = [name for name, value in got.headers]
    assert sorted(names) == ["Content-Length", "Date", "X-One", "X-Own"], got.headers


def test_the_beginning_of_a_refusal_is_recorded_without_secrets():
    """What the target said of a non-2xx response: cut, masked, absent where it is compressed, and one value when redacted."""
    folder = new_folder()
    capture = folder / "capture.ndjson"
    refusals = [answer(422, body=b'{"error":"unknown alertType Inquiry for bearer-of-it"}', headers=[("Content-Type", "application/json")]),
                answer(500, body=b"e" * 255 + "\u20ac".encode() + b"rest", headers=[("Content-Type", "text/plain")]),
                answer(500, body=b"\xff\xfe\x00", headers=[("Content-Type", "application/octet-stream")]),
                answer(500, body=b"\x1f\x8b", headers=[("Content-Encoding", "gzip")]),
                answer(422, body=b'{"error":"unknown alertType Inquiry for bearer-of-it"}', headers=[("Content-Type", "application/json")]),
                answer(200, body=b"fine")]
    said = {"status": 422, "type": "application/json", "text": '{"error":"unknown alertType Inquiry for ***"}'}
    with FaultServer([*refusals]) as target, Listener("--capture", capture, "-v", "--forward-to", target.url) as listener:
        for _ in refusals:
            listener.post(USER, HOOK, "Content-Type: application/json\r\nAuthorization: Bearer bearer-of-it\r\n")
        assert [event["response"] for event in listener.events(len(refusals))][0] == said
    kept = [one["response"] for one in records(capture)]
    assert kept[0] == kept[4] == said, kept
    assert kept[1] == {"status": 500, "type": "text/plain", "text": "e" * 255}, kept[1]
    assert kept[2] == {"status": 500, "type": "application/octet-stream", "text_base64": "//4A"}, kept[2]
    assert kept[3] == {"status": 500} and kept[5] == {"status": 200}, kept
    har = json.loads(credhook("convert", capture, "--format", "har").expect(0).out)["log"]["entries"]
    assert har[0]["response"]["content"]["text"] == said["text"] and har[0]["response"]["content"]["mimeType"] == "application/json"
    left = [one["response"] for one in credhook("convert", capture, "--redact").expect(0).json()]
    assert left[0] == left[4] and left[0]["status"] == 422 and len(left[0]["text"]) == len(said["text"]), left
    assert not [word for word in ("error", "Inquiry", "alertType", "unknown") if word in left[0]["text"]], left


def test_the_body_option_is_recorded_with_what_is_not_2xx():
    capture = new_folder() / "capture.ndjson"
    with Listener("--capture", capture, "--respond", "200,503", "--body", '{"error":"closed"}') as listener:
        listener.post(USER), listener.post(USER)
        assert listener.events(2)[1]["response"] == {"status": 503}
    assert [one["response"] for one in records(capture)] == [
        {"status": 200}, {"status": 503, "type": "application/json", "text": '{"error":"closed"}'}]


def test_headers_of_the_command_line_go_to_the_target_and_are_not_shown():
    secret = "0123456789abcdef"
    folder = new_folder()
    (folder / "secret").write_text(f"Authorization: Bearer {secret}\n")
    own = ("-H", f"@{folder}/secret", "-H", "X-One: 1", "-H", "X-Two:")
    body = f"error: no user has {secret} here".encode()
    said = answer(401, body=body)
    with FaultServer(said) as target, Listener("--forward-to", target.url, *own) as listener:
        got = listener.post(USER, HOOK, "Authorization: Basic x\r\nx-one: 9\r\nX-Two: 2\r\nX-Three: 3\r\n")
        assert (got.status, got.body) == (401, body), got
        sent = {name.lower(): value for name, value in target.requests[0].headers}
        assert {name: sent.get(name) for name in ("authorization", "x-one", "x-two", "x-three")} == {
            "authorization": f"Bearer {secret}", "x-one": "1", "x-two": None, "x-three": "3"}, sent
    with FaultServer(said) as target:
        command = f"{binary()} send -q user-created --to $CREDHOOK_URL || :"
        told = credhook("listen", "0", "--forward-to", target.url, *own, "--", "sh", "-c", command).expect(0)
        assert "error: no user has *** here" in told.out and secret not in told.out, told


def test_what_came_in_is_not_shown_where_the_target_repeats_it():
    body = b"ERR POST /x/hook?tok=t0ken+t0ken bearer-of-it key-of-sender s3ss10n-1d of request-12345"
    given = "-H 'Authorization: Bearer bearer-of-it' -H 'X-Api-Key: key-of-sender' -H 'Cookie: a=b; session=s3ss10n-1d' -H 'X-Request-Id: request-12345'"
    with FaultServer(answer(500, body=body)) as target:
        command = f"{binary()} send -q user-created {given} --to \"${{CREDHOOK_URL%/}}/hook?next=http://h/&tok=t0ken%2Bt0ken\" || :"
        told = credhook("listen", "0", "--forward-to", target.url, "--", "sh", "-c", command).expect(0)
        assert "ERR POST /x/hook?tok=*** *** *** *** of request-12345" in told.out, told
        sent = target.requests[0]
        assert "tok=t0ken%2Bt0ken" in sent.target and sent.header("Cookie") == "a=b; session=s3ss10n-1d", sent


def test_the_certificate_of_the_target_is_checked_but_for_k():
    own = certificate(new_folder(), "target")
    with Listener("--tls-cert", own.cert, "--tls-key", own.key) as target:
        for args, expected in ((), 502), (("-k",), 200):
            with Listener("--forward-to", target.url, *args) as listener:
                assert listener.status(USER) == expected, args


def masked(target):
    return target.replace("?q", "?***").replace("&q", "&***").replace("k=v", "k=***")


def test_the_path_and_query_of_the_target_stand_before_those_of_the_request():
    for base, asked, expected in (("", "/a/../b", "/a/../b"), ("/", "/a", "/a"), ("/api", "/a?q", "/api/a?q"),
                                  ("/api/", "/", "/api"), ("/api", "/?q", "/api?q"), ("", "http://h/a", "/a"),
                                  ("/up?k=v", "/", "/up?k=v"), ("/up?k=v", "/a?q", "/up/a?k=v&q"), ("/?k=v", "/?", "/?k=v"),
                                  ("?k=v", "/a?", "/a?k=v"), ("/up?", "/?q", "/up?q")):
        with FaultServer(answer(200)) as target, Listener("--forward-to", target.url.rstrip("/") + base) as listener:
            assert listener.status(target=asked) == 200
            assert target.requests[0].target == expected, (base, asked, target.requests[0].target)
            assert listener.events(1)[0]["forwarded"]["to"] == target.url.rstrip("/") + masked(expected), (base, asked)


def test_a_dead_target_is_502_and_a_slow_one_504():
    capture = new_folder() / "capture.ndjson"
    with Listener("--capture", capture, "--forward-to", f"127.0.0.1:{free_port()}") as listener:
        assert listener.status(USER) == 502
        assert "refused" in listener.events(1)[0]["forwarded"]["error"]
    for fault, status in ((hang(), 504), (close_without_answer(), 502), (half_answer(), 502)):
        with FaultServer(fault) as target, Listener("--capture", capture, "--forward-to", target.url, "--max-time",
                                                    "300ms") as listener:
            assert listener.status(USER) == status, fault
    assert [record["response"]["status"] for record in records(capture)] == [502, 504, 502, 502]


def test_a_status_is_passed_on_up_to_599():
    for status, passed_on in (200, 200), (599, 599), (600, 502):
        with FaultServer(answer(status)) as target, Listener("--forward-to", target.url) as listener:
            assert listener.status(USER) == passed_on, status


def test_a_response_that_is_too_long_to_pass_on_is_502():
    most = 4 << 20
    for length, status, error in (most, 200, None), (most + 1, 502, "the response is longer than 4 MiB"):
        with FaultServer(answer(200, body=b"x" * length)) as target, Listener("--forward-to", target.url) as listener:
            got = listener.post(USER)
            assert got.status == status and (len(got.body) == length or error), (got.status, len(got.body))
            assert listener.events(1)[0]["forwarded"].get("error") == error


def test_rules_answer_themselves_and_faults_spoil_what_came_back():
    with FaultServer(answer(200)) as target:
        with Listener("--forward-to", target.url, "--rule", "event=user-created,status=503,times=1", "--validate",
                      "reject") as listener:
            assert listener.status(USER) == 503
            assert listener.status() == 422
            assert len(target.requests) == 0
            assert listener.status(USER) == 200
            assert len(target.requests) == 1
        with Listener("--forward-to", target.url, "--fault", "503") as listener:
            assert listener.status(USER) == 503
            assert len(target.requests) == 1
        with Listener("--forward-to", target.url, "--fault", "empty") as listener:
            assert raw(listener.host, listener.port, request()) == b""
            assert len(target.requests) == 2


def test_a_client_that_goes_away_still_has_its_record():
    capture = new_folder() / "capture.ndjson"
    with FaultServer(hang()) as target, Listener("--capture", capture, "--forward-to", target.url, "--max-time",
                                                 "20s") as listener:
        with listener.connect() as client:
            client.sendall(request())
            target.wait_requests(1)
        listener.stop().expect(0)
    assert [record["body"] for record in records(capture)] == ["{}"]


def test_the_production_guard():
    config = new_folder() / "config.json"
    config.write_text(json.dumps({"environments": {"production": {"url": "http://127.0.0.1:9/"},
                                                   "sandbox": {"url": "http://127.0.0.1:8/"}}}))
    for arguments in (["--forward-to", "production"], ["--forward-to", "http://127.0.0.1:9/x"]):
        result = credhook("listen", "0", "--config", config, *arguments).expect(2)
        assert "--allow-production" in result.err, result
    with Listener("--config", config, "--forward-to", "production", "--allow-production") as listener:
        assert listener.status(USER) == 502
    for arguments, word in ((["--forward-to", "ftp://x"], "http"), (["--forward-to", ":1", "--respond", "200"], "--respond")):
        assert word in credhook("listen", "0", *arguments).expect(2).err


def test_authorities_of_the_environment():
    folder = new_folder()
    own = certificate(folder, "target")
    (folder / "authorities").mkdir()
    shutil.copy(own.cert, folder / "authorities" / "own.pem")
    subprocess.run(["openssl", "rehash", folder / "authorities"], check=True, capture_output=True)
    with Listener("--tls-cert", own.cert, "--tls-key", own.key) as target:
        for env, expected in (({}, 502), ({"SSL_CERT_FILE": own.cert}, 200), ({"SSL_CERT_DIR": folder / "authorities"}, 200)):
            keys = {"SSLKEYLOGFILE": folder / "keys"}
            with Listener("--forward-to", target.url, env={**env, **keys}) as listener:
                assert listener.status(USER) == expected, env
            credhook("send", "user-created", "--to", target.url, env={**env, **keys}).expect(0 if expected == 200 else 4)
        assert not (folder / "keys").exists()
        send = "send", "user-created", "--to", target.url
        credhook(*send, "--cacert", own.cert, env={"SSL_CERT_FILE": folder / "absent"}).expect(0)
        result = credhook(*send, env={"SSL_CERT_FILE": folder / "absent"}).expect(3)
        assert f"cannot open '{folder}/absent'" in result.err, result
    with Listener() as target:  # without TLS nobody reads it
        absent = {"SSL_CERT_FILE": folder / "absent"}
        credhook("send", "user-created", "--to", target.url, env=absent).expect(0)
        credhook("send", "user-created", "--to", target.url, "--cacert", folder / "absent").expect(3)
        with Listener("--forward-to", target.url, env=absent) as listener:
            assert listener.status(USER) == 200


def test_not_to_itself():
    port = free_port()
    result = credhook("listen", port, "--forward-to", f"localhost:{port}/hook").expect(2)
    assert "it would forward every request to itself" in result.err and "--forward-to" in result.err, result
    assert "listening on" not in result.err, result
    with Listener("--forward-to", f":{port}") as listener:  # its neighbour
        assert listener.status(USER) == 502


if __name__ == "__main__":
    run()

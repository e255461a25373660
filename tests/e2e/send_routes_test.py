#!/usr/bin/python3
"""How send gets there: TLS, proxies, other addresses; the production guard, and secrets kept secret."""
# rooms: cmd/args cmd/send config deliver http

import json
import ssl

from captures import write_capture
from support import (FaultServer, Nginx, answer, certificate, close_without_answer, credhook, free_port,
                     new_folder, run, step)

KEYS = {}  # made once: openssl is slow


def keys():
    """ca, server, client, and a server for another name."""
    if not KEYS:
        folder = new_folder()
        KEYS["ca"] = certificate(folder, "ca")
        KEYS["server"] = certificate(folder, "server", ca=KEYS["ca"])
        KEYS["client"] = certificate(folder, "client", ca=KEYS["ca"])
        KEYS["other"] = certificate(folder, "other", ca=KEYS["ca"], hosts=["DNS:elsewhere.example"])
    return KEYS


def send(where, *args, **more):
    return credhook("send", "user-created", "--to", where, *args, **more)


def test_tls_with_an_authority_of_ones_own():
    made = keys()
    with Nginx(certificate=made["server"], record=True, status=201) as nginx:
        result = send(f"{nginx.url}/hook", "--cacert", made["ca"].cert, "--json").expect(0)
        assert result.json()[0]["status"] == 201
        send(f"https://localhost:{nginx.port}/hook", "--cacert", made["ca"].cert).expect(0)
        assert [request["target"] for request in nginx.requests(2)] == ["/hook", "/hook"]


def test_files_of_tls_that_are_missing_or_no_pem():
    made = keys()
    with FaultServer(answer(200), certificate=made["server"]) as server:
        for options in (("--cacert",), ("--cert",), ("--cert", made["client"].cert, "--key")):
            result = send(server.url, *options, "missing.pem").expect(3)
            assert "'missing.pem'" in result.err, result
        junk = new_folder() / "junk.pem"
        junk.write_text("no PEM at all\n")
        result = send(server.url, "--cacert", junk)
        assert result.code in (3, 4) and "junk.pem" in result.out + result.err, result
        result = send(server.url, "--cacert", made["ca"].cert, "--cert", junk)
        assert result.code in (3, 4), result
        assert server.requests == []


def test_plain_http_where_tls_was_expected_and_the_other_way_round():
    with Nginx(status=200) as nginx:
        told = send(f"https://127.0.0.1:{nginx.port}", "--json").expect(4).json()[0]
        assert told["outcome"] == "failed" and "TLS" in told["error"], told
    with Nginx(status=200, certificate=keys()["server"]) as nginx:
        told = send(f"http://127.0.0.1:{nginx.port}", "--json").expect(1).json()[0]
        assert told["status"] == 400, told


def test_connect_to():
    with FaultServer(answer(200)) as server:
        send("http://one.invalid/a", "--connect-to", f"one.invalid:80:127.0.0.1:{server.port}").expect(0)
        assert [(request.target, request.header("Host")) for request in server.requests] == [
            ("/a", "one.invalid")]
        for value in ("nonsense", "a:1:b:2:c"):
            result = send(server.url, "--connect-to", value).expect(2)
            assert f"'{value}'" in result.err, result
        assert len(server.requests) == 1


def test_a_proxy_that_was_asked_for():
    with FaultServer(answer(200)) as proxy:
        send("http://far.invalid/hook?x=1", "-x", proxy.url).expect(0)
        send("http://far.invalid/", "--proxy", f"{proxy.host}:{proxy.port}").expect(0)
        assert proxy.requests[0].target == "http://far.invalid/hook?x=1"
        assert proxy.requests[0].header("Host") == "far.invalid"
        result = send("http://far.invalid/", "-x", "ftp://bob:sekret@127.0.0.1:1").expect(2)
        assert "sekret" not in result.err, result
    with FaultServer(answer(407)) as proxy:
        assert send("http://far.invalid/", "-x", proxy.url, "--json").expect(1).json()[0]["status"] == 407


def test_the_payload_is_shown_with_the_request_that_has_it():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(keys()["server"].cert, keys()["server"].key)

    def connect(connection, tls=True):
        connection.send(b"HTTP/1.1 200 OK\r\n\r\n")
        if tls:
            connection.socket = context.wrap_socket(connection.socket, server_side=True)
        return tls

    for script in (answer(403), close_without_answer(), step(lambda connection: connect(connection, tls=False))):
        with FaultServer(script) as proxy:
            out = send("https://x.invalid/", "-x", proxy.url, "-v").expect(4).out
        assert "> CONNECT x.invalid:443 " in out and '"service"' not in out, out
    with FaultServer([step(connect), answer(201)]) as proxy:
        out = send("https://x.invalid/", "-x", proxy.url, "-k", "-v").expect(0).out
    marks = [out.index(mark) for mark in ("> CONNECT ", "> POST ", '> {"service"', "< HTTP/1.1 201 ")]
    assert marks == sorted(marks) and out.count('"service"') == 1, out


def protected(server, **more):
    """A configuration whose production is that server."""
    path = new_folder() / "config.json"
    environments = {"production": {"url": f"http://127.0.0.1:{server.port}/live"}, **more}
    path.write_text(json.dumps({"environments": environments}))
    return path


def test_the_guard_lets_others_through():
    with FaultServer(answer(200)) as server:
        config = protected(server)
        send("production", "--config", config, "--allow-production").expect(0)
        send(f":{server.port}", "--config", config, "--allow-production").expect(0)
        send(f":{server.port}", "--no-config").expect(0)
        assert [request.target for request in server.requests] == ["/live", "/", "/"]
        send(f"http://127.0.0.1:{free_port()}/", "--config", config).expect(4)
        result = send("produktion", "--config", config).expect(2)
        assert "did you mean production?" in result.err, result


def test_the_guard_holds_in_a_dry_run_too():
    """What it prints with =curl would go there. Allowed, it shows all and sends nothing."""
    capture = write_capture(1)
    with FaultServer(answer(200)) as server:
        for command in (("send", "user-created"), ("replay", capture)):
            for how in ("--dry-run", "--dry-run=curl"):
                line = (*command, "--to", "production", "--config", protected(server), how)
                refused = credhook(*line).expect(2)
                assert "--allow-production" in refused.err, refused
                assert f":{server.port}/live" in credhook(*line, "--allow-production").expect(0).out
        assert server.connections == 0


def test_secrets_are_masked_wherever_they_might_be_shown():
    secret = "s3kr3t-Value"
    header_file = new_folder() / "headers"
    header_file.write_text(f"X-Api-Key: {secret}\n")
    with FaultServer(answer(401), close_without_answer()) as server:
        where = f"http://bob:{secret}@127.0.0.1:{server.port}/hook?token={secret}&b={secret}#{secret}"
        headers = ("-H", f"Authorization: Bearer {secret}", "-H", f"Cookie: a={secret}", "-H", f"X-Api-Key: {secret}",
                   "-H", f"@{header_file}")
        for more in ((), ("-v",), ("--json",), ("--json", "-v"), ("--dry-run",), ("--dry-run", "-v"),
                     ("--dry-run=curl",), ("--dry-run", "--json"), ("-q",)):
            result = send(where, *headers, *more)
            assert secret not in result.out + result.err, (more, str(result))
        assert server.requests[0].header("Authorization") == f"Bearer {secret}"
        assert server.requests[0].target == f"/hook?token={secret}&b={secret}"
    failing = [
        (where.replace("http:", "ftp:"),), (where.replace("127.0.0.1", "no host"),),
        (f"http://bob:{secret}@127.0.0.1:99999/?t={secret}",), (f"http://bob:{secret}@:80/",),
        (f"http://bob:{secret}@[::1/",), (f"bob:{secret}@",), (f"http:/bob:{secret}@x",),
        (f":1?t={secret}",), (f"1/x?t={secret}",), (f"http://x.invalid/?a={secret}",),
        (":1", "-x", f"http://bob:{secret}@127.0.0.1:1"), (":1", "-x", f"bogus://bob:{secret}@127.0.0.1:1"),
        (":1", "-x", f"http://bob:{secret}@no such host:1"),
        (":1", "-H", f"Authorization: {secret}\r"), (":1", "-H", f"Authorization {secret}"),
        (":1", "-H", f"Authorization = {secret}"),
    ]
    for where, *more in failing:
        for kind in ((), ("--json",), ("--dry-run",), ("--dry-run=curl",)):
            result = send(where, *more, *kind)
            assert secret not in result.out + result.err, (where, more, kind, str(result))


def test_secrets_of_the_configuration_are_masked():
    secret = "s3kr3t-Value"
    path = new_folder() / "config.json"
    port = free_port()
    path.write_text(json.dumps({"environments": {"sandbox": {"url": f"http://u:{secret}@127.0.0.1:{port}/?k={secret}",
                                                             "headers": {"X-Auth-Token": secret}}}}))
    for more in ((), ("--json", "-v"), ("--dry-run",), ("--dry-run=curl",)):
        result = credhook("send", "user-created", "--config", path, *more)
        assert secret not in result.out + result.err and result.code in (0, 4), result


if __name__ == "__main__":
    run()

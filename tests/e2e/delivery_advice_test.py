"""What is said of a delivery that did not go well: the reason, and what to do about it, in a line each."""
# rooms: cmd/send deliver http

import re
import socket
import subprocess
import threading

from captures import record
from support import (Certificate, FaultServer, Listener, answer, answer_bytes, certificate, close_without_answer, credhook,
                     endless_header, free_port, new_folder, run, step)

FOLDER = new_folder()
CA = certificate(FOLDER, "ca")
SERVER = certificate(FOLDER, "server", ca=CA)
TRUST = ("--cacert", CA.cert)


def send(where, *args, code=4):
    """The reason, which may be several lines, the advice, and all of the output."""
    result = credhook("send", "user-created", "--to", where, *args, env={"COLUMNS": "1000"}).expect(code)
    out = result.out + result.err
    hints = [line.removeprefix("hint: ") for line in out.splitlines() if line.startswith("hint: ")]
    reason = [line for line in out.splitlines() if line.startswith(("FAIL ", "ok  ", "  "))]
    assert len(hints) <= 1, out
    return "\n".join(reason), hints[0] if hints else "", out


def told(where, *args, reason, advice="", code=4):
    line, hint, out = send(where, *args, code=code)
    assert reason in line and advice in hint and bool(advice) == bool(hint), out


def expired():
    """It ended when it was made."""
    made = Certificate(FOLDER / "old.pem", FOLDER / "old.key")
    (FOLDER / "hosts").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    for command in (["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=old",
                     "-keyout", made.key, "-out", FOLDER / "old.csr"],
                    ["x509", "-req", "-in", FOLDER / "old.csr", "-CA", CA.cert, "-CAkey", CA.key, "-days", "0",
                     "-extfile", FOLDER / "hosts", "-out", made.cert]):
        subprocess.run(["openssl", *command], check=True, capture_output=True)
    return made


def test_a_certificate_that_is_not_accepted():
    trust = "trust its issuer with --cacert FILE; -k skips verification"
    with FaultServer(certificate=SERVER) as server:
        told(server.url, reason="certificate problem: ", advice=trust)
        told(server.url, "--cacert", certificate(FOLDER, "nobody").cert, reason="certificate problem: ", advice=trust)
        assert not server.requests
    with FaultServer(certificate=certificate(FOLDER, "other", ca=CA, hosts=["DNS:elsewhere.example"])) as server:
        told(server.url, *TRUST, reason="'127.0.0.1'", advice=trust)
        assert not server.requests
        told(f"https://elsewhere.example:{server.port}/", *TRUST, "--connect-to", "::127.0.0.1:", reason="ok   200", code=0)
    with FaultServer(certificate=expired()) as server:
        told(server.url, *TRUST, reason="certificate has expired", advice=trust)
        told(server.url, "-k", reason="ok   200", code=0)


def test_the_path_that_was_recorded():
    """With --as-recorded the path is not that of --to: the advice says how it becomes so, and that works."""
    def respond(connection):
        request = connection.read_request()
        if request:
            connection.send(answer_bytes(200 if request.target == "/hook" else 404))
        return request is not None

    capture = FOLDER / "elsewhere.ndjson"
    capture.write_bytes(record(1, target="/old"))
    with FaultServer(respond) as server:
        replay = ("replay", capture, "--to", f"{server.url}/hook")
        result = credhook(*replay, "--as-recorded").expect(1)
        assert "hint: nothing at the recorded path: leave out --as-recorded to use the one of --to\n" in result.err, result
        credhook(*replay).expect(0)
        result = credhook("replay", capture, "--to", f"{server.url}/elsewhere").expect(1)
        assert "hint: nothing at this path: check the one of --to\n" in result.err, result


def test_tls_that_does_not_come_about():
    plain = "http:// instead of https://"
    with socket.create_server(("127.0.0.1", 0)) as silent:
        where = f"https://127.0.0.1:{silent.getsockname()[1]}"
        told(where, "-m", "300ms", reason="during the TLS handshake", advice=plain)

        def close():
            connection, _ = silent.accept()  # the one that timed out
            connection.close()
            connection, _ = silent.accept()
            connection.recv(1)
            connection.close()

        closer = threading.Thread(target=close, daemon=True)
        closer.start()
        told(where, reason="TLS: the server closed the connection during the handshake", advice=plain)
        closer.join()
    with Listener() as listener:
        told(listener.url.replace("http:", "https:"), reason="TLS: the server does not use TLS", advice=plain)


def test_plain_http_to_a_tls_port():
    with Listener("--tls-self-signed") as listener:
        told(listener.url.replace("https:", "http:"), reason="closed the connection without a response",
             advice="https:// instead of http://")


def test_nobody_who_has_responded_is_asked_for_https():
    capture = FOLDER / "two.ndjson"
    capture.write_bytes(record(1) + record(2))
    with FaultServer(answer(200, close=True), close_without_answer()) as server:
        err = credhook("replay", capture, "--to", server.url).expect(1).err
    assert "hint: it may have been delivered; not retried" in err and "HTTPS" not in err, err


def test_certificates_of_ones_own():
    junk = FOLDER / "junk.pem"
    junk.write_text("no PEM\n")
    client, stranger = certificate(FOLDER, "client", ca=CA), certificate(FOLDER, "stranger")
    with Listener("--tls-cert", SERVER.cert, "--tls-key", SERVER.key, "--tls-client-ca", CA.cert) as listener:
        told(listener.url, *TRUST, reason="certificate required", advice="--cert and --key")
        told(listener.url, *TRUST, "--cert", stranger.cert, "--key", stranger.key, reason="unknown CA",
             advice="of an issuer that it trusts")
        told(listener.url, *TRUST, "--cert", client.cert, "--key", stranger.key, reason="private key",
             advice="the key of --cert")
        told(listener.url, "--cacert", junk, reason="junk.pem", advice="need PEM files")
        told(listener.url, *TRUST, "--cert", client.cert, "--key", client.key, reason="ok   200", code=0)
        both = FOLDER / "both.pem"
        both.write_bytes(client.cert.read_bytes() + client.key.read_bytes())
        told(listener.url, *TRUST, "--cert", both, reason="ok   200", code=0)


def test_no_connection():
    port = free_port()
    told(f":{port}", reason="connection refused", advice="start your listener")
    told("http://x.invalid/", "-x", f"http://127.0.0.1:{port}", reason="connection to the proxy refused",
         advice="the proxy of -x")
    told("http://x.invalid/", reason="could not resolve host: x.invalid", advice="--connect-to")


def test_a_proxy_that_opens_no_tunnel():
    rows = [(answer(403), "403", ""), (answer(407), "407", "-x http://USER"),
            (close_without_answer(), "roxy CONNECT aborted", "")]
    for script, reason, advice in rows:
        with FaultServer(script) as proxy:
            told("https://x.invalid/", "-x", proxy.url, reason=reason, advice=advice)


def test_redirects():
    for status, headers in ((304, []), (300, []), (307, [("Location", "nearby")]), (302, [("Location", "/@team/hook")])):
        with FaultServer(answer(status, headers)) as server:
            line, hint, out = send(server.url, code=1)
            assert ("--to" in hint) == bool(headers), out
            assert not headers or f"not followed to {headers[0][1]}" in line, out


def test_the_new_place_of_a_redirect_keeps_secrets():
    """Servers repeat the query that they were asked with, and proxies the user."""
    rows = [("/hook?token=S3CRET&a", "/hook?token=***&***"), ("//me:S3CRET@x.invalid/", "//me:***@x.invalid/"),
            ("https://S3CRET@x.invalid/hook", "https://***@x.invalid/hook"),
            ("http:///me:S3CRET@x.invalid/", "http:///me:***@x.invalid/"),
            ("http://x.invalid/#token=S3CRET", "http://x.invalid/#***"), ("hook?token=S3CRET", "hook?token=***"),
            ("/go?token=S3CRET&to=http://x.invalid/", "/go?token=***&to=***")]
    for location, shown in rows:
        with FaultServer(answer(302, [("Location", location)])) as server:
            results = new_folder() / "results"
            for more in ((), ("--json",), ("--results", results), ("-v",)):
                _, _, out = send(server.url + "/?token=S3CRET", *more, code=1)
                assert "S3CRET" not in out, out
                assert "--json" in more or f"not followed to {shown} " in out, out
            assert "S3CRET" not in results.read_text()


def test_statuses():
    retry = "--retry N tries again"
    rows = [(404, "/hook", "check the one of --to"), (418, "", ""), (401, "", "-H 'Authorization"),
            (405, "", "POST"), (413, "", "--max-body"), (500, "", "listener's log"),
            (507, "", "listener's log"), (599, "", "listener's log"), (503, "", retry), (429, "", retry)]
    for status, path, words in rows:
        with FaultServer(answer(status)) as server:
            told(server.url + path, reason=f"FAIL {status}  ", advice=words, code=1)
    with FaultServer(answer(408)) as server:
        assert send(server.url, code=1)[1] == retry
    with FaultServer(answer(503)) as server:
        _, hint, out = send(server.url, "--retry", 1, "--retry-delay", "1ms", code=1)
        assert hint and "--retry" not in hint and len(server.requests) == 2, out
    with FaultServer(answer(400, body=b"one\r\ntwo\r\n")) as server:
        assert re.search("\n  400  one +user-created\n       two\n", send(server.url, code=1)[2])


def test_heads_without_end():
    def interim(connection):
        for _ in range(20000):
            connection.send(b"HTTP/1.1 102 Processing\r\n\r\n")
        return False

    with FaultServer(step(interim)) as server:
        told(server.url, reason="the head of the response is longer than 256 KiB", advice="it may have been delivered")
    with FaultServer(endless_header()) as server:
        told(server.url, reason="longer than 256 KiB", advice="it may have been delivered", code=1)
        assert len(server.requests) == 1


if __name__ == "__main__":
    run()

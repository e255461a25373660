#!/usr/bin/python3
"""Who gets in: networks, numbers, TLS with and without client certificates, and what is said of those who do not."""
# rooms: cmd/listen http receive

import os
import resource
import select
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import time
import warnings
from contextlib import contextmanager
from pathlib import Path

from support import (DEADLINE, SANITIZE, Listener, Skip, answers, certificate, credhook, has_ipv6_loopback, is_portable, new_folder,
                     raw, request, run)

warnings.simplefilter("ignore", DeprecationWarning)  # old versions of TLS are tried on purpose
def reached(host, port):
    return raw(host, port, request(), count=1) != b""


def curl(url, *args, data="{}"):
    done = subprocess.run(["curl", "-sS", "--noproxy", "*", "-o", "/dev/null", "-w", "%{http_code}", "-m", "20",
                           "--data-binary", "@-", *map(str, args), url], input=data, capture_output=True, text=True,
                          check=False)
    return done.stdout if done.returncode == 0 else done.stderr


def summary(listener):
    return listener.stop().expect(0).json()[-1]


def test_only_allowed_networks_may_connect():
    with Listener("--allow", "127.0.0.0/8") as listener:
        assert listener.status() == 200
    with Listener("--allow", "10.0.0.0/8", "--allow", "::/0") as listener:
        assert listener.status() is None
        assert summary(listener)["refusals"]["allow"] == 1


def test_ipv4_through_an_ipv6_socket_counts_as_ipv4():
    if not has_ipv6_loopback():
        return
    with Listener("--allow", "127.0.0.1", address="[::]:0") as listener:
        assert reached("127.0.0.1", listener.port)
        assert not reached("::1", listener.port)
    with Listener("--allow", "::1", address="[::]:0") as listener:
        assert not reached("127.0.0.1", listener.port)
        assert reached("::1", listener.port)


@contextmanager
def few_files(count, kind=""):
    """credhook may open that many files meanwhile, and cannot raise the limit."""
    wrapper, before = new_folder() / "credhook", os.environ["CREDHOOK"]
    wrapper.write_text(f'#!/bin/sh\nulimit {kind} -n {count}\nexec {before} "$@"\n')
    wrapper.chmod(0o755)
    os.environ["CREDHOOK"] = str(wrapper)
    try:
        yield
    finally:
        os.environ["CREDHOOK"] = before


def test_as_many_connections_as_the_files_allow():
    """But for 64 that are for other files."""
    with few_files(66), Listener() as listener:
        open_ones = [listener.connect() for _ in range(2)]
        for one in open_ones:
            one.sendall(request())
            assert one.recv(100).startswith(b"HTTP/1.1 200")
        assert listener.status() is None
        open_ones.pop().close()
        while listener.status() is None:
            pass  # until the listener has seen that it is gone
        result = listener.stop().expect(0)
        assert result.json()[-1]["refusals"]["connections"] >= 1 and "too many connections" in result.err, result


def test_a_soft_limit_is_raised():
    with few_files(66, "-S"), Listener() as listener:
        open_ones = [listener.connect() for _ in range(10)]
        for one in open_ones:
            one.sendall(request())
            assert one.recv(100).startswith(b"HTTP/1.1 200")
        assert listener.stop().expect(0).json()[-1]["refusals"]["connections"] == 0


def test_with_poll_there_are_4096_connections_at_most():
    if not is_portable():
        raise Skip("connections are watched with epoll(7)")
    most, before = 4096, resource.getrlimit(resource.RLIMIT_NOFILE)
    if before[1] < most + 100:
        raise Skip(f"only {before[1]} files may be open")
    resource.setrlimit(resource.RLIMIT_NOFILE, (most + 100, before[1]))
    try:
        with Listener() as listener:
            open_ones = [listener.connect() for _ in range(most)]
            for one in open_ones:  # without a request none stays for longer than 10 s
                one.sendall(request(method="HEAD"))
            for one in open_ones:
                assert one.recv(1000).startswith(b"HTTP/1.1 200")
            assert listener.status() is None
            assert summary(listener)["refusals"]["connections"] == 1
            for one in open_ones:
                one.close()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_other_than_loopback_is_said():
    with Listener(address="0.0.0.0:0") as listener:
        listener.wait_stderr("everybody who can reach it can send")
    with Listener("--allow", "127.0.0.1", address="0.0.0.0:0") as listener:
        listener.wait_stderr("only networks of --allow can connect")
    with Listener() as listener:
        assert "loopback" not in listener.stop().err


def test_each_refusal_is_counted_by_its_reason():
    with Listener("--path", "/hook", "--max-body", "10") as listener:
        for data in (request(), request(b"", "/hook", method="PUT"), request(b"x" * 11, "/hook"), b"nonsense\r\n\r\n",
                     request(extra="a: b\r\n" * 200)):
            listener.ask(data)
        refusals = summary(listener)["refusals"]
    assert {name: count for name, count in refusals.items() if count} == {
        "path": 1, "method": 1, "max-body": 1, "form": 1, "head": 1}


def test_secrets_are_masked_where_they_are_printed_and_kept_in_the_capture():
    capture = new_folder() / "capture.ndjson"
    with Listener("--capture", capture) as listener:
        listener.post(extra="X-Any: Bearer s3cret\r\n")
        headers = listener.events(1)[0]["headers"]
        assert ["X-Any", "***"] in headers and ["Content-Length", "2"] in headers, headers
        assert "s3cret" not in listener.stop().out
    assert "s3cret" in capture.read_text()


def test_large_bodies_at_once_do_not_take_all_memory():
    with Listener("--max-body", "1M") as listener:
        half = request(b"x" * 1000000)[:-100000]
        open_ones = []
        for _ in range(120):
            one = listener.connect()
            one.sendall(half)
            open_ones.append(one)
        assert listener.status() == 200, "a small one still has room"
        listener.wait_stderr("too many large bodies")
        answered, waiting, end = [], open_ones, time.monotonic() + DEADLINE
        while len(answered) <= 20 and time.monotonic() < end:
            answered += select.select(waiting, [], [], 1)[0]
            waiting = [one for one in open_ones if one not in answered]
        resident = int(Path(f"/proc/{listener.pid}/statm").read_text().split()[1]) * 4096
        refused = 0
        for one in open_ones:
            one.setblocking(False)
            try:
                refused += one.recv(100).startswith(b"HTTP/1.1 503")
            except BlockingIOError:
                pass
            one.close()
        assert refused > 20, refused
        assert SANITIZE or resident < 256 << 20, resident
        assert summary(listener)["refusals"]["memory"] >= refused


def test_tls_with_a_certificate_from_files():
    folder = new_folder()
    server, other = certificate(folder, "server"), certificate(folder, "other")
    both = folder / "both.pem"
    both.write_bytes(server.cert.read_bytes() + server.key.read_bytes())
    for files in (["--tls-cert", server.cert, "--tls-key", server.key], ["--tls-cert", both]):
        with Listener(*files) as listener:
            assert listener.url.startswith("https://127.0.0.1:")
            assert curl(listener.url, "--cacert", server.cert) == "200"
            assert curl(listener.url, "--cacert", server.cert, "--tlsv1.2", "--tls-max", "1.2") == "200"
            assert curl(listener.url, "--cacert", server.cert, data="x" * 900000) == "200"
            assert "certificate" in curl(listener.url, "--cacert", other.cert)
            assert listener.status() is None
            listener.wait_stderr("no TLS: http request")
            assert [event["scheme"] for event in listener.events(3)] == ["https"] * 3
            assert summary(listener)["refusals"]["tls"] >= 1


def test_who_only_looks_whether_the_port_is_open():
    """A load balancer's check, that ends or resets the connection without a byte, is nobody's failed handshake."""
    server = certificate(new_folder(), "server")
    with Listener("--tls-cert", server.cert, "--tls-key", server.key) as listener:
        for linger in None, struct.pack("ii", 1, 0):
            with socket.create_connection((listener.host, listener.port)) as looks:
                if linger:
                    looks.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        raw(listener.host, listener.port, b"GET / HTTP/1.1\r\n\r\n")
        listener.wait_stderr("no TLS: http request")
        assert summary(listener)["refusals"]["tls"] == 1
        assert "disconnected" not in listener.errors(), listener.errors()


def test_other_protocols_are_refused_with_what_to_turn_off():
    folder = new_folder()
    server = certificate(folder, "server")
    version_2 = b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c" + bytes(12)
    for options in [], ["--tls-cert", server.cert, "--tls-key", server.key]:
        for header in b"PROXY TCP4 10.0.0.1 10.0.0.2 5 80\r\n", version_2:
            with Listener(*options) as listener:
                raw(listener.host, listener.port, header + request(), count=1)
                listener.wait_stderr("a proxy sends the PROXY protocol; turn that off there (send-proxy)")
                assert summary(listener)["received"] == 0
    with Listener() as listener:
        assert raw(listener.host, listener.port, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9), count=1).startswith(b"HTTP/1.1 505 ")
        listener.wait_stderr("505 the client speaks HTTP/2; turn that off there (http:// instead of h2c://)")


def test_tls_answers_large_bodies_and_many_requests_on_one_connection():
    folder = new_folder()
    server = certificate(folder, "server")
    (folder / "big").write_bytes(b"y" * 3000000)
    with Listener("--tls-cert", server.cert, "--tls-key", server.key, "--body", f"@{folder}/big") as listener:
        context = ssl.create_default_context(cafile=server.cert)
        with listener.connect() as plain:
            with context.wrap_socket(plain, server_hostname="localhost") as secure:
                for length in (2, 70000, 200000):
                    secure.sendall(request(b"z" * length))
                    got = b""
                    while not answers(got):
                        got += secure.recv(1 << 20)
                    assert len(answers(got)[0].body) == 3000000
        for old in (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1):
            context.minimum_version = context.maximum_version = old
            try:
                with listener.connect() as plain:
                    context.wrap_socket(plain, server_hostname="localhost")
                raise AssertionError(f"{old} was taken")
            except (ssl.SSLError, OSError):
                pass


def test_only_clients_of_the_authority():
    folder = new_folder()
    server, authority, stranger = (certificate(folder, name) for name in ("server", "authority", "stranger"))
    client = certificate(folder, "client", ca=authority)
    with Listener("--tls-cert", server.cert, "--tls-key", server.key, "--tls-client-ca", authority.cert) as listener:
        trust = ["--cacert", server.cert]
        assert curl(listener.url, *trust, "--cert", client.cert, "--key", client.key) == "200"
        assert "certificate required" in curl(listener.url, *trust)
        assert "alert" in curl(listener.url, *trust, "--cert", stranger.cert, "--key", stranger.key)
        assert len(listener.events(1)) == 1
        assert summary(listener)["refusals"]["tls"] == 2


def test_sighup_reads_the_certificate_again():
    folder = new_folder()
    first, second = certificate(folder, "first"), certificate(folder, "second")
    cert, key = folder / "cert", folder / "key"
    shutil.copy(first.cert, cert)
    shutil.copy(first.key, key)
    with Listener("--tls-cert", cert, "--tls-key", key) as listener:
        assert curl(listener.url, "--cacert", first.cert) == "200"
        shutil.copy(second.cert, cert)
        listener.send_signal(signal.SIGHUP)
        listener.wait_stderr("key values mismatch")
        assert curl(listener.url, "--cacert", first.cert) == "200"
        shutil.copy(second.key, key)
        listener.send_signal(signal.SIGHUP)
        listener.wait_stderr("read the certificate")
        assert curl(listener.url, "--cacert", second.cert) == "200"


def test_a_certificate_for_the_session():
    folder = new_folder()
    with Listener("--tls-self-signed", env={"TMPDIR": folder}) as listener:
        ready = listener.messages("ready")[0]
        assert curl(listener.url, "--cacert", ready["cacert"]) == "200"
        assert curl(f"https://localhost:{listener.port}", "--cacert", ready["cacert"]) == "200"
        der = ssl.PEM_cert_to_DER_cert(Path(ready["cacert"]).read_text())
        digest = subprocess.run(["openssl", "dgst", "-sha256", "-c"], input=der, capture_output=True, check=True)
        assert digest.stdout.decode().split("= ")[1].strip().upper() == ready["fingerprint"]
        listener.wait_stderr(f"certificate for this session: SHA-256 {ready['fingerprint']}\n"
                             f"to trust it: curl --cacert {ready['cacert']} {listener.url}\n")
        assert credhook("send", "user-created", "--to", listener.url, "--cacert", ready["cacert"]).expect(0)
        listener.stop().expect(0)
    assert list(folder.iterdir()) == []


def test_what_is_wrong_with_a_certificate_is_said():
    folder = new_folder()
    one, two = certificate(folder, "one"), certificate(folder, "two")
    (folder / "none").write_text("nothing\n")
    subprocess.run(["openssl", "pkey", "-in", two.key, "-aes256", "-passout", "pass:secret", "-out", folder / "locked"],
                   check=True, capture_output=True)
    for arguments, code, word in ((["--tls-cert", one.cert, "--tls-key", two.key], 2, "it must belong to the certificate"),
                                  (["--tls-cert", folder / "absent"], 3, "No such file"),
                                  (["--tls-cert", folder], 3, "Is a directory"),
                                  (["--tls-cert", one.cert], 2, "cannot use the private key in"),
                                  (["--tls-cert", two.cert, "--tls-key", folder / "locked"], 2, "without a password"),
                                  (["--tls-cert", folder / "none"], 2, "cannot read a certificate"),
                                  (["--tls-cert", one.cert, "--tls-key", one.key, "--tls-client-ca", folder / "none"], 2,
                                   "cannot read certificates"),
                                  (["--tls-key", one.key], 2, "--tls-cert"),
                                  (["--tls-client-ca", one.cert], 2, "--tls-self-signed"),
                                  (["--allow", "10.0.0.0/40"], 2, "10.0.0.0/8"),
                                  (["--max-body", "65M"], 2, "64M")):
        result = credhook("listen", "0", *arguments).expect(code)
        assert word in result.err, result


if __name__ == "__main__":
    run()

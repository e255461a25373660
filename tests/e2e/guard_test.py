"""The production guard seen from outside: send and replay, whatever way the address is spelled."""
# rooms: base cmd/args cmd/send config deliver

import json
import os
import socket
import subprocess

from captures import write_capture
from guard_table import Protected, run_cases, sample, told
from support import FaultServer, answer, binary, credhook, environment, free_port, new_folder, run


def commands(capture):
    return (["replay", capture], ["send", "user-created"])


def configured(url, **more):
    folder = new_folder()
    (folder / "config.json").write_text(json.dumps({"environments": {"live": {"url": url, "protected": True, **more}}}))
    return folder / "config.json"


def test_every_spelling_is_refused():
    capture = write_capture(1)
    with FaultServer(answer(204)) as server:
        port = server.port
        config = configured(f"http://localhost:{port}/hook")
        spellings = [
            "live", f"http://localhost:{port}/hook", f"http://localhost:{port}", f"HTTP://LOCALHOST:{port}/other",
            f"http://localhost.:{port}/", f"http://user:pass@localhost:{port}/hook", f"localhost:{port}/x?y=1",
            f"http://LocalHost:{port}#part",
        ]
        for command in commands(capture):
            for spelling in spellings:
                result = credhook(*command, "--config", config, "--to", spelling).expect(2)
                assert "--allow-production" in result.err, result
            for detour in (["--connect-to", f"::localhost:{port}"], ["-x", f"http://localhost:{port}"],
                           ["--connect-to", f"elsewhere.example:80:LOCALHOST.:{port}"]):
                credhook(*command, "--config", config, "--to", "http://elsewhere.example/", *detour).expect(2)
        assert not server.requests


def test_default_ports_and_names():
    capture = write_capture(1)
    config = configured("https://hooks.example/in")
    for command in commands(capture):
        for spelling in ("https://hooks.example:443/", "https://HOOKS.EXAMPLE./", "https://me@hooks.example"):
            credhook(*command, "--config", config, "--to", spelling).expect(2)


def test_allowed_when_meant():
    capture = write_capture(1)
    with FaultServer(answer(204)) as server:
        config = configured(server.url)
        for command in commands(capture):
            credhook(*command, "--config", config, "--to", "live", "--allow-production").expect(0)
        assert len(server.requests) == 2


def test_a_redirect_to_it_is_not_followed():
    capture = write_capture(1)
    with FaultServer(answer(204)) as live:
        with FaultServer(answer(307, [("Location", live.url + "/hook")])) as server:
            for command in commands(capture):
                credhook(*command, "--config", configured(live.url), "--to", server.url).expect(1)
        assert not live.requests


def test_no_spelling_and_no_detour_gets_by():
    """tests/long/guard.sh has the whole table."""
    count, problems = run_cases(sample)
    assert count > 220 and not problems, problems


def test_what_leaves_the_grammar_is_a_usage_error():
    protected = Protected()
    for case in told(protected.port):
        credhook("send", "user-created", "--config", protected.config, *case).expect(2)
        credhook("replay", write_capture(1), "--config", protected.config, *case).expect(2)
    protected.close()


def test_honest_detours_get_there():
    with FaultServer(answer(204)) as server, FaultServer(answer(500)) as live:
        port, config = server.port, configured(live.url)
        detours = [
            ["http://a.invalid/", "--connect-to", f"::127.0.0.1:{port}"],
            ["http://A.Invalid./", "--connect-to", f"a.invalid.:80:LOCALHOST:{port}"],
            ["http://a.invalid/", "--connect-to", "b.invalid:80:c.invalid:1", "--connect-to",
             f"a.invalid::127.0.0.1:{port}"],
            [f"http://a.invalid:{port}/", "--connect-to", "a.invalid::127.0.0.1:"],
            ["http://[2001:DB8::1]/", "--connect-to", f"[2001:db8:0::1]:80:127.0.0.1:{port}"],
            ["http://b\u00fccher.invalid/", "--connect-to", f"B\u00dcCHER.invalid:80:127.0.0.1:{port}"],
            ["http://a.invalid/", "-x", f"127.0.0.1:{port}"],
            ["http://a.invalid/", "-x", f"http://me:p%40w@LocalHost:{port}/"],
        ]
        for count, (where, *detour) in enumerate(detours, 1):
            credhook("send", "user-created", "--config", config, "--to", where, *detour).expect(0)
            assert len(server.requests) == count, (where, detour)
        assert not live.connections


def test_the_curl_line_has_what_was_read():
    out = credhook("send", "user-created", "--to", "HTTP://A.Invalid:80/X", "--connect-to", "A.INVALID::[0:0::1]:81",
                   "-x", "Proxy", "--dry-run=curl").expect(0).out
    for part in ("--connect-to 'a.invalid::[::1]:81'", "-x http://proxy:1080",
                 " http://a.invalid:80/X"):
        assert part in out, (part, out)


def test_a_host_header_that_names_a_protected_host():
    """At an address with several names, or through a proxy."""
    folder = new_folder()
    (folder / "headers").write_text("hOST:\tPROD.test.:80 \n")
    with FaultServer(*[answer(204)] * 20) as server:
        live = {"production": {"url": "http://prod.test/"}}

        def sent(*args, **headers):
            (folder / "config.json").write_text(json.dumps(
                {"environments": {**live, "sandbox": {"url": server.url, "headers": headers}}}))
            return credhook("send", "user-created", "--config", "config.json", *args, cwd=folder)

        ways = (["-H", "Host: prod.test"], ["-H", "host:prod.test:8080"], ["-H", "@headers"],
                ["-H", "Host: a.test", "-H", "Host: prod.test"], ["--to", server.url, "-H", "Host: prod.test"],
                ["--to", "http://a.test/", "-x", server.url, "-H", "Host: prod.test"])
        for way in ways:
            refused = sent(*way).expect(2)
            assert "the Host header leads to the protected environment 'production'" in refused.err, refused
        assert "the Host header leads" in sent(Host="prod.test").expect(2).err
        capture = write_capture(1)
        credhook("replay", capture, "--config", folder / "config.json", "--to", server.url, "-H", "Host: prod.test").expect(2)
        for host in ("Host:", "Host;", "Host: ", "Host: prod.test,x", "Host: pro\u00ad d.test", "Host: 127.1"):
            assert "is not HOST[:PORT]" in sent("-H", host).expect(2).err
        assert "is not HOST[:PORT]" in sent(Host="").expect(2).err
        assert server.connections == 0
        sent("-H", "Host: prod.test", "--allow-production").expect(0)
        sent("-H", "Host:", "--allow-production").expect(0)
        sent(Host="other.test").expect(0)
        sent("-H", "Host: other.test", Host="prod.test").expect(0)
        live.clear()
        sent("-H", "Host: any thing").expect(0)
        hosts = [dict(request.headers).get("Host") for request in server.requests]
        assert hosts == ["prod.test", None, "other.test", "other.test", "any thing"], hosts


def names_of_this_machine():
    """Those that lead to the loopback and do not say so."""
    try:
        found = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None)}
    except OSError:
        found = set()
    return [socket.gethostname()] if found and all(name.startswith("127.") or name == "::1" for name in found) else []


def test_a_name_that_turns_out_to_be_protected():
    protected = Protected()
    for name in [*names_of_this_machine(), "ip6-localhost"]:
        # Where nothing knows the name, libcurl 8.14 leaks it at the second look-up (curl issue 17602).
        result = credhook("send", "user-created", "--config", protected.config, "--to",
                          f"http://{name}:{protected.port}/", "--retry", "1", "--retry-delay", "1ms",
                          env={"ASAN_OPTIONS": "detect_leaks=0"})
        assert result.code == 4 and not protected.was_reached(), result
    protected.close()


def test_a_note_where_nothing_is_protected():
    capture = write_capture(1)
    note = "no environment is marked as protected, so credhook does not know whether this is production\n"
    where = ["--to", "http://a.invalid/?t=secret", "--connect-to", f"::127.0.0.1:{free_port()}"]
    for command in commands(capture):
        assert credhook(*command, *where).expect(4).err.count(note) == 1
        for quiet in (["-q"], ["--dry-run"], ["--config", configured("http://hooks.example")], ["--to", ":1"]):
            assert "no environment is marked" not in credhook(*command, *where, *quiet).err, (command, quiet)
    script = subprocess.run([binary(), "shell"], input="send user-created --to http://a.invalid/ -x 127.0.0.1:1\n",
                            capture_output=True, text=True, env=environment(), check=False, cwd=os.sep)
    assert script.stderr.count("no environment is marked as protected, so credhook does not know whether this is production\n") == 1, script


def test_no_recorded_target_changes_the_host():
    with FaultServer(answer(204)) as live:
        with FaultServer(answer(204)) as server:
            targets = [f"@127.0.0.1:{live.port}/", f"//127.0.0.1:{live.port}/", f"/@127.0.0.1:{live.port}/",
                       f":{live.port}/", f"http://127.0.0.1:{live.port}/x", f"/\\@127.0.0.1:{live.port}/"]
            capture = new_folder() / "capture.ndjson"
            record = {"v": 1, "seq": 1, "received_at": "2026-01-02T03:04:05.123456Z", "remote": "127.0.0.1:1",
                      "method": "POST", "headers": [["Content-Type", "application/json"]], "body": "{}"}
            capture.write_text("".join(json.dumps({**record, "target": target}) + "\n" for target in targets))
            credhook("replay", capture, "--to", server.url, "--as-recorded").expect(0)
            assert len(server.requests) == len(targets)
        assert not live.connections


if __name__ == "__main__":
    run()

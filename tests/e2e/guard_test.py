"""The production guard seen from outside: send and replay, whatever way the address is spelled."""

import json

from captures import write_capture
from support import FaultServer, answer, credhook, new_folder, run


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
            f"http://localhost:0{port}/", f"http://LocalHost:{port}#part", f"http://%6cocalhost:{port}/",
        ]
        for command in commands(capture):
            for spelling in spellings:
                result = credhook(*command, "--config", config, "--to", spelling).expect(2)
                assert "--allow-production" in result.err, result
            for detour in (["--connect-to", f"::localhost:{port}"], ["-x", f"http://localhost:{port}"],
                           ["--connect-to", f"elsewhere.example:80:LOCALHOST.:{port}"]):
                credhook(*command, "--config", config, "--to", "http://elsewhere.example/", *detour).expect(2)
            credhook(*command, "--config", config, "--to", f"http://localhost:{port}/", "--resolve",
                     f"localhost:{port}:127.0.0.1").expect(2)
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


if __name__ == "__main__":
    run()

"""--dry-run=curl: the command that is shown sends the same bytes, and holds no secret."""

import subprocess

from captures import record, write_capture
from support import FaultServer, answer, credhook, environment, new_folder, run

BODIES = [b"{}", b'{"it": "it\'s \\"quoted\\" $HOME `id` \\\\ %s %d"}', b"two\nlines\n", b"\r\n\ttabs", b"@/etc/passwd",
          b"nul \x00 and \xff bytes", b"", "é漢字🙂".encode(), b"x" * 200000, b"-n", b"\x00%\\'end\n"]


def shown(capture, server, *args):
    return credhook("replay", capture, "--to", server.url, "--dry-run=curl", *args).expect(0).out_bytes


def shell(command, name="sh", **extra):
    done = subprocess.run([name], input=command, env=environment(extra), cwd=new_folder(), capture_output=True,
                          timeout=30, check=False)
    assert done.returncode == 0, done.stderr


def same(a, b):
    assert (a.method, a.target, a.body) == (b.method, b.target, b.body), (a, b)
    assert sorted(a.headers) == sorted(b.headers)


def make(number):
    import base64  # pylint: disable=import-outside-toplevel
    import json  # pylint: disable=import-outside-toplevel
    whole = json.loads(record(number))
    del whole["body"]
    whole["body_base64"] = base64.b64encode(BODIES[number - 1]).decode()
    return json.dumps(whole).encode() + b"\n"


def test_every_byte():
    capture = write_capture(len(BODIES), make)
    for name in ("sh", "bash"):
        with FaultServer(answer(204)) as server:
            credhook("replay", capture, "--to", server.url).expect(0)
            shell(shown(capture, server), name)
            ours, theirs = server.requests[:len(BODIES)], server.requests[len(BODIES):]
            assert [request.body for request in ours] == BODIES and len(theirs) == len(BODIES)
            for a, b in zip(ours, theirs):
                same(a, b)


def test_headers_and_secrets():
    capture, folder = write_capture(1), new_folder()
    (folder / "secret").write_text("X-Api-Key: from-file\n")
    args = ["-H", f"@{folder}/secret", "-H", "X-Token: in clear?", "-H", "X-Plain: it's plain", "-H", "Content-Type: text/x"]
    with FaultServer(answer(204)) as server:
        credhook("replay", capture, "--to", server.url, *args).expect(0)
        command = shown(capture, server, *args)
        assert b"in clear?" not in command and b"from-file" not in command
        assert b"-H @" in command and b'"X-Token: $X_TOKEN"' in command
        shell(command, X_TOKEN="in clear?")
        same(*server.requests)
        address = server.url.replace("//", "//user:s3cret@")
        command = credhook("replay", capture, "--to", address, "--dry-run=curl").expect(0).out
        assert "s3cret" not in command
        shell(command.encode(), CREDHOOK_URL=address)
        assert server.requests[-1].header("Authorization").startswith("Basic ")


def test_what_send_makes():
    with FaultServer(answer(204)) as server:
        credhook("send", "all", "--seed", 7, "--to", server.url).expect(0)
        out = credhook("send", "all", "--seed", 7, "--to", server.url, "--dry-run=curl").expect(0).out_bytes
        shell(out)
        half = len(server.requests) // 2
        for a, b in zip(server.requests[:half], server.requests[half:]):
            same(a, b)


if __name__ == "__main__":
    run()

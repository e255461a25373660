"""--dry-run=curl: the command that is shown sends the same bytes, and holds no secret."""
# rooms: cmd/args cmd/words config http

import base64
import json
import shutil
import subprocess
import unicodedata

from captures import record, write_capture
from support import FaultServer, answer, credhook, environment, new_folder, run

BODIES = [b"{}", b'{"it": "it\'s \\"quoted\\" $HOME `id` \\\\ %s %d"}', b"two\nlines\n", b"\r\n\ttabs", b"@/etc/passwd",
          b"nul \x00 and \xff bytes", b"", "é漢字🙂".encode(), b"x" * 200000, b"-n", b"\x00%\\'end\n",
          "-esc \x1b[2J \x9b bidi \u202e\u2066 \\033 \\\\ %d%% \"q\" 'q' $x `y` !1\n\n".encode(), b"cr\rdel\x7f0end", b"\xc3",
          b"two \\\\ one \\", b"\\'quoted\\'"]

AGENT = "User-Agent: \\\\host\\'share'\\"


def shown(capture, server, *args):
    return credhook("replay", capture, "--to", server.url, "--dry-run=curl", *args).expect(0).out_bytes


def shell(command, name="sh", **extra):
    done = subprocess.run([name, "--no-config"] if name == "fish" else [name], input=command, env=environment(extra),
                          cwd=new_folder(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def same(a, b):
    assert (a.method, a.target, a.body) == (b.method, b.target, b.body), (a, b)
    assert sorted(a.headers) == sorted(b.headers)


def make(number):
    whole = json.loads(record(number))
    del whole["body"]
    whole["body_base64"] = base64.b64encode(BODIES[number - 1]).decode()
    return json.dumps(whole).encode() + b"\n"


def test_every_byte():
    capture = write_capture(len(BODIES), make)
    for name in filter(shutil.which, ("sh", "bash", "fish")):
        with FaultServer(answer(204)) as server:
            credhook("replay", capture, "--to", server.url, "-H", AGENT).expect(0)
            command = shown(capture, server, "-H", AGENT)
            shell(command, name)
            odd = [c for c in command.decode() if c != "\n" and unicodedata.category(c) in ("Cc", "Cf")]
            assert not odd, odd
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
        assert b"-H @" in command and b"'X-Token: '\"$CREDHOOK_X_TOKEN\"" in command and b"it's plain" not in command
        shell(command, CREDHOOK_X_TOKEN="in clear?", CREDHOOK_X_PLAIN="it's plain")
        same(*server.requests)
        address = server.url.replace("//", "//user:s3cret@")
        command = credhook("replay", capture, "--to", address, "--dry-run=curl").expect(0).out
        assert "s3cret" not in command
        shell(command.encode(), CREDHOOK_URL=address)
        assert server.requests[-1].header("Authorization").startswith("Basic ")


def test_a_name_is_no_command():
    """What may stand in a header's name has a meaning to a shell, or is a variable that somebody has."""
    names = ["`id`-token", "x$HOME-token", "$$-token", "1-token", "!-token", "x'y-token", "Aws-Secret-Access-Key", "Path",
             "X-Dup", "X-Dup", "x_dup", "X-Dup-2", "Url", "Config"]
    again = {10: "_2", 11: "_3", 12: "_2", 13: "_2", 14: "_2"}  # X_DUP_2 is in use, CREDHOOK_URL ours

    def with_names(number):
        whole = json.loads(record(number))
        whole["headers"] = [[name, f"s3cret {at}"] for at, name in enumerate(names)]
        return json.dumps(whole).encode() + b"\n"

    capture = write_capture(1, with_names)
    variables = ["CREDHOOK_" + "".join(c if c.isalnum() else "_" for c in name.upper()) for name in names]
    given = {name + again.get(at + 1, ""): f"s3cret {at}" for at, name in enumerate(variables)}
    assert len(given) == len(names)
    for name in ("sh", "bash"):
        with FaultServer(answer(204)) as server:
            credhook("replay", capture, "--to", server.url, "--as-recorded").expect(0)
            command = shown(capture, server, "--as-recorded")
            assert b"s3cret" not in command
            shell(command, name, **given, AWS_SECRET_ACCESS_KEY="mine")
            one, other = server.requests
            same(one, other)
            assert {header for header, _ in one.headers} >= set(names), one.headers


def recorded(number):
    """What a capture may hold that is not for the next connection, or has a meaning to a shell or to curl."""
    whole = json.loads(record(number))
    whole["target"] = "/a/../b/./c[1-3]{x,y}"
    whole["headers"] = [["Host", "hooks.example"], ["Content-Length", "99"], ["Content-Type", "text/x; q=1"],
                        ["User-Agent", "old/1"], ["X-A", "it's"], ["X-A", "it's"], ["Connection", "close"],
                        ["X-Empty", ""], ["Authorization", "Bearer s3cret"], ["Transfer-Encoding", "chunked"],
                        ["Expect", "100-continue"]]
    return json.dumps(whole).encode() + b"\n"


def test_the_same_headers_and_target_whatever_was_asked():
    capture, folder = write_capture(2, recorded), new_folder()
    (folder / "lines").write_text("X-Team: file\nContent-Type: text/file\n")
    config = folder / "config.json"
    replay, made = ("replay", capture), ("send", "user-created", "--seed", 1)
    rows = [
        (*replay, "--as-recorded"),
        (*replay, "--as-recorded", "-H", "X-A: mine", "-H", "content-type: x/y", "-H", "User-Agent:"),
        (*replay, "-H", "x-team: mine"), (*replay, "-H", f"@{folder}/lines"), made,
        (*made, "-H", "Content-Type:"), (*made, "-H", "Content-Type;"), (*made, "-H", "Host: other", "-H", "Accept:"),
        (*made, "-H", "Expect: 100-continue"), (*made, "--break", "missing-key"),
    ]
    hidden = {"AUTHORIZATION": "Bearer s3cret", "X_A": "it's", "X_A_2": "it's", "X_TEAM": "set", "X_OTHER": "it's"}
    for row in rows:
        given = {"X_A": "mine"} if "X-A: mine" in row else {"X_TEAM": "mine"} if "x-team: mine" in row else {}
        with FaultServer(answer(204)) as server:
            config.write_text(json.dumps({"environments": {"sandbox": {
                "url": server.url + "/in[1-3]{a,b}/../x", "headers": {"X-Team": "set", "X-Other": "it's"}}}}))
            credhook(*row, "--config", config).expect(0)
            command = credhook(*row, "--config", config, "--dry-run=curl").expect(0)
            assert "s3cret" not in command.out and '"$NAME"' in command.err
            shell(command.out_bytes, **{f"CREDHOOK_{name}": value for name, value in {**hidden, **given}.items()})
            half = len(server.requests) // 2
            assert len(server.requests) == 2 * half > 0
            for a, b in zip(server.requests[:half], server.requests[half:]):
                same(a, b)


def test_what_is_not_sent_is_no_command():
    """Of what replay refuses there is no line, and the reason is replay's."""
    bad = [["X-A", "a\x1bb"], ["X A", "b"], ["Content-Type", "a\rb"]]
    capture = write_capture(4, lambda n: record(n, **({"headers": [bad[n - 1]]} if n <= 3 else {})))
    with FaultServer(answer(204)) as server:
        args = ("replay", capture, "--to", server.url, "--as-recorded")
        told = credhook(*args).expect(1)
        commands = credhook(*args, "--dry-run=curl").expect(1)
        printed = credhook("show", capture, "--curl").expect(1)
        shell(commands.out_bytes)
        same(*server.requests)
    assert commands.out.count("curl ") == printed.out.count("curl ") == 1, (commands, printed)
    for at in (1, 2, 3):
        reason = next(line for line in told.out.splitlines() if f"{capture.name}:{at}: " in line).split(f":{at}: ")[1].split(", to ")[0]
        assert f"credhook: warning: {capture}:{at}: {reason}\n" in commands.err, (reason, commands)
        assert f"credhook: warning: #{at}: {reason}\n" in printed.err, (reason, printed)


def test_commands_are_no_json():
    for command in (("send", "all"), ("replay", write_capture(1))):
        result = credhook(*command, "--to", ":1", "--dry-run=curl", "--json").expect(2)
        assert result.out == "" and "leave out --json" in result.err, result


if __name__ == "__main__":
    run()

#!/usr/bin/python3
"""`credhook test --observe`: what notifications change in what a listener keeps."""

import os
import subprocess

from probe_runs import probe
from small_listeners import good, listener
from support import FaultServer, credhook, launch, new_folder, run


def test_effects_are_counted():
    """What is stored twice shows in the number of records, and what was refused must not show there."""
    folder = new_folder()

    def storing(once, refused_too=False):
        """once: what is in the payloads that are recognized when they come again."""
        seen = set()

        def respond(request):
            response = good(request)
            again = once in request.body and request.body in seen
            if (response[0] == 200 and not again) or (response[0] == 400 and refused_too):
                with open(folder / "records", "ab") as records:
                    records.write(b"x\n")
            seen.add(request.body)
            return response

        return respond

    with FaultServer(listener(storing(b'"firstName"'))) as server:
        (folder / "records").write_bytes(b"")
        found, _ = probe(f"{server.url}/hook", "effect", "--observe", f"wc -l < {folder}/records", code=1)
    assert list(found) == ["effect/once"], found
    assert found["effect/once"]["reason"] == "the number grew by 1 for one bureau-alert, and by 2 for one sent twice", found
    for once, refused_too, wanted in ((b"", False, {}), (b"\0", True, {"effect/once": "fail", "effect/none": "warn"})):
        (folder / "records").write_bytes(b"")
        with FaultServer(listener(storing(once, refused_too))) as server:
            found, _ = probe(f"{server.url}/hook", "effect", "--observe", f"wc -l < {folder}/records",
                             code=1 if wanted else 0)
        assert {name: check["verdict"] for name, check in found.items()} == wanted, found


def number_of(command):
    """Why the check is not passed by a listener whose number is what the command prints."""
    with FaultServer(listener(good)) as server:
        found, _ = probe(f"{server.url}/hook", "effect/once", "--observe", command,
                         code=1 if "rows:" in command else 3)
    return found["effect/once"]["reason"]


def test_a_number_that_cannot_be_had_skips():
    """Whatever the command does with signals, it has 10 s."""
    assert "not a number" not in number_of("printf 'rows:\\n  +1.5e2\\n\\n'")
    for text in ("many", "nan", "-inf", "infinity", "0x10", "1e400", "1 2", "5 rows", ".", "1e", "NAN(1)"):
        assert number_of(f"echo '{text}'") == f"--observe: the last line is '{text}', not a number", text
    assert "not a number" in number_of("printf '5\\0006'") and "not a number" in number_of("true")
    for command, words in ( ("echo 1; exit 7", "exit code 7"), ("echo 1; kill -KILL $$", "exit code 137"),
                           ("trap '' TERM INT HUP; echo 1; while :; do sleep 1; done", "10 s")):
        with FaultServer(listener(good)) as server:
            found, _ = probe(f"{server.url}/hook", "effect/once", "--observe", command, code=3)
        assert found["effect/once"]["verdict"] == "skip" and words in found["effect/once"]["reason"], found


def test_the_last_line_says_what_was_not_looked_at():
    """Where nothing failed: whether the listener keeps what it accepts, once. With a number, it is looked at."""
    folder = new_folder()

    def storing(request):
        response = good(request)
        if response[0] == 200 and request.body not in seen:
            with open(folder / "records", "ab") as records:
                records.write(b"x\n")
        seen.add(request.body)
        return response

    for words, last, code in (
            (("--level", "quick"), "no check failed; nothing shows whether the listener keeps what it accepts (--observe COMMAND looks)", 0),
            (("deliver",), "no check failed", 0),
            (("--level", "quick", "--observe", "false"), "no check failed; nothing shows whether the listener keeps what it accepts", 0),
            (("deliver", "--observe", "false"), "no check failed", 0),
            (("effect", "--observe", f"wc -l < {folder}/records"), "no check failed", 0),
            (("effect", "--observe", "echo many"), "nothing shows whether the listener keeps what it accepts: "
             "--observe: the last line is 'many', not a number", 3)):
        seen = set()
        (folder / "records").write_bytes(b"")
        with FaultServer(listener(storing)) as server:
            result = credhook("test", *words, "--to", f"{server.url}/hook").expect(code)
        text = " ".join(result.out.split())
        assert text.endswith(last) and text.count("nothing shows") == ("nothing shows" in last), (last, result)
        assert ("--observe is not used: no chosen check reads it" in result.err) == ("false" in words), result


def test_a_number_that_nothing_changes_is_a_failure():
    with FaultServer(listener(good)) as server:
        found, _ = probe(f"{server.url}/hook", "effect/once", "--observe", "echo 5", code=1)
    assert found["effect/once"]["reason"] == "no notification changes the number: it stays 5", found


def test_a_command_that_leaves_something_behind():
    """It has ended: what it started is ended, too, and not waited for."""
    folder = new_folder()
    os.mkfifo(folder / "open")
    with FaultServer(listener(good)) as server:
        with launch("test", "effect", "--to", f"{server.url}/hook", "--observe",
                    f"exec 3>>{folder}/open; (trap '' TERM; exec sleep 60) & echo 1",
                    stderr=subprocess.STDOUT) as process, open(folder / "open", "rb") as whoever:
            output, _ = process.communicate(timeout=60)
            assert whoever.read() == b"" and b"latency" in output, output


if __name__ == "__main__":
    run()

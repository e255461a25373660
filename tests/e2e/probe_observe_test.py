#!/usr/bin/python3
"""`credhook test --observe`: how what a listener keeps is read, and what is said where it cannot be."""
# rooms: cause cmd/probe http probe

import json
import os
import re
import shlex
import sqlite3
import subprocess
import sys

from interactive import Interactive
from probe_runs import probe
from small_listeners import good, listener, plain
from stores import free_port, listener as app, observe
from support import FaultServer, binary, credhook, environment, launch, new_folder, run


def storing(records, only=b"", repeat=200):
    """A listener that writes a line for each payload that has `only` in it, once; what comes again gets that status."""
    seen = set()

    def respond(request):
        response = good(request)
        if response[0] == 200 and request.body in seen:
            return plain(repeat)
        if response[0] == 200 and only in request.body:
            with open(records, "ab") as file:
                file.write(request.body.replace(b"\n", b" ") + b"\n")
        seen.add(request.body)
        return response

    return listener(respond)


def test_what_cannot_be_read_skips():
    """Whatever the command does with signals, it has 10 s; and it is tried again before that is said. It may print much, and more
    each time, but not all at once."""
    grows = new_folder() / "looks"
    for command, words in (("echo 1; exit 7", "exit code 7"), ("echo 1; kill -KILL $$", "exit code 137"),
                           # On a machine that is very busy the time is over first.
                           ("yes", "more than 32 MiB; limit the rows|did not end within 10 s"),
                           (f"echo >> {grows}; yes | head -c $(($(wc -l < {grows}) > 1 ? 4500000 : 1500000))", "1 MiB more than the time before"),
                           ("trap '' TERM INT HUP; echo 1; while :; do sleep 1; done", "10 s")):
        with FaultServer(listener(good)) as server:
            found, _ = probe(f"{server.url}/hook", "effect/none", "effect/at-once", "--observe", command, code=3)
        assert [check["verdict"] for check in found.values()] == ["skip", "skip"], found
        assert all(re.search(words, check["reason"]) for check in found.values()), found


def test_a_listener_without_a_limit_is_tested_again_and_again():
    """The large payload that each run leaves there takes no room in what is compared."""
    folder = new_folder()
    for _ in range(3):
        rows = credhook("test", "size/16m", "effect/once:user-created", "--to", f":{free_port()}/hook", "--json", "--wait", "60s",
                        "--observe", observe("Store", folder), "--", *app("Store", folder)).expect(0).json()
        found = {row["id"]: row for row in rows if row["type"] == "check"}
        assert found["effect/once:user-created"]["verdict"] == "ok" and found["size/16m"]["status"] == 200, found
    with sqlite3.connect(folder / "db") as db:
        large = [text for text, in db.execute("select body from n where length(body) > 1000000")]
    assert [len(text) for text in large] == [16 << 20] * 3 and all("details" in json.loads(text) for text in large)


def test_what_failed_is_said_where_it_cannot_be_read():
    """Of what applies, an input that cannot be read has the exit code, in all commands."""
    def respond(request):
        return plain(500, "broken") if b"alertType" in request.body else good(request)

    for strict in ((), ("--strict",)):
        with FaultServer(listener(respond)) as server:
            result = credhook("test", "deliver", "effect/none", "--to", f"{server.url}/hook", "--observe", "exit 7", *strict).expect(3)
        assert "FAIL" in result.out and "500: broken" in result.out, result
        assert re.search(r"1 must failed: .*Fix first: deliver/bureau-alert; nothing shows whether .*exit code 7", result.out, re.S), result


def test_what_a_command_says_that_fails_again_and_again_is_shown_once():
    with FaultServer(listener(good)) as server:
        result = credhook("test", "effect/none", "--to", f"{server.url}/hook", "--observe", "echo no''thing >&2; exit 7").expect(3)
    assert result.err.count("nothing\n") == 1, result


def test_what_a_command_says_is_masked_as_the_command_is():
    """However the shell that runs it reads its secrets."""
    command = "export DB_PASSWORD=\"s3cretpass\"; " \
              "(echo postgres://u:0therpass@h/db; sh -c 'echo \"as $DB_PASSWORD\"') >&2; exit 7"
    with FaultServer(listener(good)) as server:
        result = credhook("test", "effect/none", "--to", f"{server.url}/hook", "--observe", command).expect(3)
    assert "observe> postgres://u:***@h/db\nobserve> as ***\n" in result.err, result


def test_the_progress_line_says_what_it_waits_for():
    """With a time that moves, while no check ends."""
    with FaultServer(listener(good)) as server:
        command = [binary(), "test", "effect/once", "--to", f"{server.url}/hook", "--observe", "echo 1"]
        with Interactive(command, environment({"TERM": "xterm"}), new_folder(), columns=120) as terminal:
            for seconds in (1, 2, 3):
                terminal.wait_for(rf"\d+ of \d+ checks, at effect: waiting for what --observe shows, {seconds} s")


def test_a_command_may_fail_before_the_first_notification():
    folder = new_folder()
    with FaultServer(storing(folder / "records")) as server:
        found, _ = probe(f"{server.url}/hook", "effect/once:bureau-alert", "--observe", f"cat {folder}/records")
    assert {name: check["verdict"] for name, check in found.items()} == {}, found


def test_the_last_line_says_what_was_not_looked_at():
    """Where nothing failed: whether the listener keeps what it accepts, once."""
    folder = new_folder()
    for words, last, code in (
            (("--level", "quick"), "no check failed; nothing shows whether the listener keeps what it accepts (--observe COMMAND looks)", 0),
            (("deliver",), "no check failed", 0),
            (("--level", "quick", "--observe", "false"), "no check failed; nothing shows whether the listener keeps what it accepts", 0),
            (("deliver", "--observe", "false"), "no check failed", 0),
            (("effect/none", "--observe", f"wc -l < {folder}/records"), "no check failed", 0),
            (("effect/none", "--observe", "exit 7"), "nothing shows whether the listener keeps what it accepts: "
             "--observe: the command failed with exit code 7", 3)):
        (folder / "records").write_bytes(b"")
        with FaultServer(storing(folder / "records")) as server:
            result = credhook("test", *words, "--to", f"{server.url}/hook").expect(code)
        text = " ".join(result.out.split())
        assert text.endswith(last) and text.count("nothing shows") == ("nothing shows" in last), (last, result)
        assert ("--observe is not used: no chosen check reads it" in result.err) == ("false" in words), result


def test_what_leaves_no_trace_is_a_warning_with_both_readings():
    folder = new_folder()
    (folder / "records").write_bytes(b"")
    with FaultServer(storing(folder / "records", b'"alertId"')) as server:
        result = credhook("test", "effect/once:user-created", "effect/once:bureau-alert", "--to", f"{server.url}/hook", "--observe",
                          f"cat {folder}/records").expect(0)
    text = " ".join(result.out.split())
    assert "kinds that got 2xx and left no trace: user-created" in text and "1 should did" in text, result
    assert "right if you do not keep it, or --observe does not show it; otherwise it is lost behind its 2xx" in text, result


def test_the_status_of_a_repeat_is_the_one_that_is_expected():
    """One that --expect-status names is right, and is not only tolerated; a 2xx that it does not name is wrong."""
    for status, expected, verdict, code in ((409, None, "warn", 0), (409, "2xx,409", None, 0), (200, "409", "fail", 1)):
        records = new_folder() / "records"
        records.write_bytes(b"")
        with FaultServer(storing(records, repeat=status)) as server:
            found, _ = probe(f"{server.url}/hook", "effect/once:bureau-alert", "--observe", f"cat {records}",
                             *(("--expect-status", f"effect/once:bureau-alert={expected}") if expected else ()),
                             code=code)
        check = found.get("effect/once:bureau-alert", {})
        assert check.get("verdict") == verdict, (status, expected, found)
        assert verdict is None or check["reason"] == f"the repeat got {status}", (status, expected, found)
        assert ("--expect-status" in check.get("fix", "")) == (verdict == "fail"), found


def test_what_nothing_changes_is_not_known():
    """Neither that a must failed nor that none did."""
    for command in ("echo 5", "echo hello"):
        with FaultServer(listener(good)) as server:
            result = credhook("test", "effect/once:bureau-alert", "effect/none", "--to", f"{server.url}/hook", "--observe", command).expect(3)
        text = " ".join(result.out.split())
        assert "either that does not show it, or nothing is kept" in text and "must failed" not in text and "FAIL" not in text, result


def test_what_changes_by_itself_is_not_judged():
    """It is waited for until it is still, and skipped then."""
    folder = new_folder()
    with FaultServer(listener(good)) as server:
        found, _ = probe(f"{server.url}/hook", "effect/none", "--observe", f"echo x >> {folder}/x; cat {folder}/x", code=3)
    assert found.get("effect/none", {}).get("verdict") == "skip" and "never holds still" in found["effect/none"]["reason"], found


def test_a_command_that_leaves_something_behind():
    """It has ended: what it started is ended, too, and not waited for."""
    folder = new_folder()
    os.mkfifo(folder / "open")
    with FaultServer(listener(good)) as server:
        with launch("test", "effect/none", "--to", f"{server.url}/hook", "--observe",
                    f"exec 3>>{folder}/open; (trap '' TERM; exec sleep 60) & echo 1",
                    stderr=subprocess.STDOUT) as process, open(folder / "open", "rb") as whoever:
            output, _ = process.communicate()
            assert whoever.read() == b"" and b"latency" in output, output


def test_what_edits_leave_nothing_to_make_of_is_skipped():
    """The other checks are played, and the run is reported."""
    folder = new_folder()
    (folder / "records").write_bytes(b"")
    for edits, words in ((("--set", "details:=7"), "details"), (("--set", "details.alertId.x:=1"), "alertId")):
        with FaultServer(storing(folder / "records")) as server:
            found, summary = probe(f"{server.url}/hook", "json/nan", "json/bom", "effect/once:bureau-alert", "effect/none", *edits,
                                   "--skip", "still-up", "--observe", f"cat {folder}/records")
        check = found["effect/once:bureau-alert"]
        assert check["verdict"] == "skip" and words in check["reason"], found
        assert summary["not_run"] == 0, summary


# Named by `explain`: keeps each notification once, in hook.log.
HOOK = """
import os, urllib.parse
from http.server import BaseHTTPRequestHandler, HTTPServer

kept = set(open("hook.log", "rb")) if os.path.exists("hook.log") else set()

class Hook(BaseHTTPRequestHandler):
    def do_POST(self):
        line = self.rfile.read(int(self.headers["Content-Length"])).replace(b"\\n", b" ") + b"\\n"
        is_valid = line.startswith(b"{") and b'"service"' in line
        if is_valid and line not in kept:
            kept.add(line)
            with open("hook.log", "ab") as log:
                log.write(line)
        self.send_response(200 if is_valid else 400)
        self.end_headers()

    def log_message(self, *words):
        pass

HTTPServer(("127.0.0.1", urllib.parse.urlsplit(os.environ["CREDHOOK_URL"]).port), Hook).serve_forever()
"""


def test_what_explain_says_to_try_is_played():
    """With what the check needs."""
    rows = credhook("explain", "checks", "--json").expect(0).json()
    lines = {row["topic"]: row["try"] for row in rows}
    for row in rows:
        needs = [word for word, what in (("--observe", "--observe"), ("--", "COMMAND")) if what in row["summary"]]
        words = shlex.split(row["try"])
        assert [word for word in words if word in ("--observe", "--")] == needs, row
        assert row["topic"].startswith(words[2]), row
        listed = credhook("test", words[2], "--list", "--level", "deep").expect(0).out
        assert re.search(f"^(must|should|note) .* {words[2]}", listed, re.MULTILINE), (row, listed)

    folder = new_folder()
    (folder / "hook.py").write_text(HOOK)
    (folder / "hook.log").write_text("")
    for topic, port in (("crash/restart", free_port()), ("effect/once:EVENT", free_port())):
        words = shlex.split(lines[topic].replace(":8080", f":{port}"))[1:]
        listener_of_ours = None
        if "--" not in words:
            env = environment({"CREDHOOK_URL": f"http://127.0.0.1:{port}"})
            listener_of_ours = subprocess.Popen([sys.executable, "hook.py"], cwd=folder, env=env)
        try:
            rows = credhook(words[0], "--json", "--wait", "60s", *words[1:], cwd=folder).expect(0).json()
        finally:
            if listener_of_ours:
                listener_of_ours.kill()
                listener_of_ours.wait()
        graded = [row["verdict"] for row in rows if row["type"] == "check" and row["id"].startswith(words[1])]
        assert graded and set(graded) == {"ok"}, rows


if __name__ == "__main__":
    run(at_once=7)

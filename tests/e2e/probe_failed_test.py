#!/usr/bin/python3
"""`credhook test --failed` plays what failed, and says the same of it as a run of all; so does a check alone."""
# rooms: cause cmd/probe http probe

import hashlib
import json
import os
import re
import shlex
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

from planted_bugs import BUGS, some
from probe_runs import QUICKLY
from screen import Seen
from small_listeners import good, listener, needs_path, plain, with_bug
from support import LONG, FaultServer, binary, credhook, environment, new_folder, run

# Some of whose checks fail alone, too: what is recognized by what came before does not.
ALONE = ("path is read where there is none", "offCycle is false only", "names are ASCII", "alertId has 32 bits", "the methods lack put",
         "appKey is read where there is none")


def played(server, *args, state=None):
    """(ids of what failed, the causes) of a run."""
    env = {"XDG_STATE_HOME": state} if state else None
    rows = credhook("test", "--to", f"{server.url}/hook", "--json", *args, env=env).json()
    *checks, summary = rows
    failed = [row["id"] for row in checks if row["verdict"] == {"must": "fail", "should": "warn"}.get(row["level"])]
    causes = [{name: cause[name] for name in ("type", "status", "reason", "fix", "facts")} for cause in summary["causes"]]
    return failed, json.loads(re.sub(r"\d{5,}", "N", json.dumps(causes))), checks  # random identifiers


def stored(state, url):
    """The lines of the file of that URL; None: there is none."""
    path = state / "credhook" / f"test-{hashlib.sha256(url.encode()).hexdigest()}"
    if not path.exists():
        return None
    assert path.stat().st_mode & 0o777 == 0o600, oct(path.stat().st_mode)
    return path.read_text(encoding="utf-8").splitlines()


def look_again(bug):
    """What a run of all and one of what failed say."""
    state = new_folder()
    with FaultServer(listener(BUGS[bug][0]())) as server:
        return played(server, *QUICKLY, state=state), played(server, "--failed", "--skip", "still-up", state=state)


def test_what_failed_is_said_as_in_the_run_of_all():
    chosen = list(some(6, 2))
    with ThreadPoolExecutor(3) as pool:
        for bug, (whole, again) in zip(chosen, pool.map(look_again, chosen)):
            failed = [name for name in whole[0] if not name.startswith("still-up/")]
            assert again[0] == failed, (bug, failed, again[0])
            assert again[1] == whole[1], (bug, whole[1], again[1])
            assert {row["id"] for row in again[2]} <= set(whole[0]), (bug, again[2])


def test_a_check_alone_has_the_cause_of_the_run_of_all():
    def look(bug):
        with FaultServer(listener(BUGS[bug][0]())) as server:
            whole = played(server, *QUICKLY)
            return whole, [(name, played(server, name, "--skip", "still-up")) for name in whole[0][:3] if not name.startswith("still-up/")]

    with ThreadPoolExecutor(3) as pool:
        chosen = ALONE if LONG else ALONE[::2]
        for bug, (whole, alone) in zip(chosen, pool.map(look, chosen)):
            assert alone, (bug, whole)
            for name, (failed, causes, checks) in alone:
                assert failed == [name] == [row["id"] for row in checks], (bug, name, checks)
                assert [cause["facts"] for cause in causes] == [cause["facts"] for cause in whole[1]], (bug, name, causes, whole[1])


def test_what_is_mended_has_failed_no_longer():
    state, bad = new_folder(), [True]

    def respond(request):
        return with_bug(needs_path)(request) if bad[0] else good(request)

    with FaultServer(listener(respond)) as server:
        url = f"{server.url}/hook"
        played(server, "--level", "quick", state=state)
        level, *ids = stored(state, url)
        assert level.startswith("quick 20") and "deliver/bureau-alert" in ids, (level, ids)
        bad[0] = False
        count = len(server.requests)
        failed, _, checks = played(server, "--failed", state=state)
        assert failed == [] and "deliver/bureau-alert" in {row["id"] for row in checks}, checks
        assert len(server.requests) - count < 60, "where all is well there is nothing to compare with"
        assert stored(state, url)[1:] == [], stored(state, url)
        count = len(server.requests)
        result = credhook("test", "--failed", "--to", url, env={"XDG_STATE_HOME": state}).expect(0)
        assert "nothing failed in the last run" in result.err and len(server.requests) == count, result


def test_a_part_of_a_run_forgets_nothing():
    """Neither a group nor what was interrupted."""
    state, stop, count = new_folder(), threading.Event(), [0]

    def is_bad(payload):
        return plain(400, "no") if payload["service"] == "alerts" or payload["details"].get("offCycle") == "true" else None

    def respond(request):
        count[0] += 1
        if count[0] == stop.at:
            stop.set()
        return with_bug(is_bad)(request)

    stop.at = -1
    with FaultServer(listener(respond)) as server:
        url = f"{server.url}/hook"
        whole, *_ = played(server, *QUICKLY, state=state)
        assert set(whole) == set(stored(state, url)[1:]) and len(whole) > 1, (whole, stored(state, url))
        played(server, "method", state=state)
        assert set(whole) == set(stored(state, url)[1:]), stored(state, url)
        count[0], stop.at = 0, 20
        with Seen([binary(), "test", "--to", url], environment({"XDG_STATE_HOME": state}), new_folder(), 80, 24) as seen:
            seen.until(lambda screen: stop.is_set())
            seen.signal(signal.SIGINT)
            assert seen.until_end() == 130
        assert set(whole) == set(stored(state, url)[1:]), stored(state, url)


def test_an_address_is_one_however_it_is_spelled():
    with FaultServer(listener(with_bug(lambda payload: plain(400, "no")))) as server:
        leads = ["--connect-to", f"h.test:80:127.0.0.1:{server.port}", "--yes"]
        for spelled, again, more in ((server.url, f"{server.url}/", []), (f"{server.url}/?a=1", f":{server.port}?a=1", []),
                                     ("http://h.test/hook", "H.test:80/hook", leads), ("http://h.test:80", "h.test", leads)):
            env = {"XDG_STATE_HOME": new_folder()}
            credhook("test", "bad/wrong-type:details", "--on-invalid", "accept", "--to", spelled, *more, env=env).expect(1)
            credhook("test", "--failed", "--on-invalid", "accept", "--to", again, *more, env=env).expect(1)
            for other in ":1", f"{server.url}/other":
                credhook("test", "--failed", "--to", other, env=env).expect(2)


def test_where_no_run_is_known():
    folder = new_folder()
    with FaultServer(listener(good)) as server:
        url = f"{server.url}/hook"
        for env in ({"XDG_STATE_HOME": folder}, {"XDG_STATE_HOME": None, "HOME": None}):
            result = credhook("test", "--failed", "--to", url, env=env).expect(2)
            assert f"what failed at '{url}' is not known" in result.err and server.requests == [], result
        for damage in (b"", b"deliver/bureau-alert\n", b"\xff\xfe normal\n" * 3, b"normal 2026-11-29T12:00:00Z\nno/such\n"):
            path = folder / "credhook" / f"test-{hashlib.sha256(url.encode()).hexdigest()}"
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(damage)
            credhook("test", "--failed", "--to", url, env={"XDG_STATE_HOME": folder}).expect(2)
        result = credhook("test", "deliver", "--failed", "--to", url, env={"XDG_STATE_HOME": folder}).expect(2)
        assert "--failed chooses the checks" in result.err, result


def test_a_run_that_shows_nothing_is_not_one_without_a_failure():
    folder = new_folder()
    with FaultServer(listener(good)) as server:
        url, env = f"{server.url}/hook", {"XDG_STATE_HOME": folder}
        for command in "exit 3", "echo the same":
            result = credhook("test", "effect/once:user-created", "--to", url, "--observe", command, env=env).expect(3)
            assert "--failed" not in result.out, result
            said = credhook("test", "--failed", "--to", url, env=env).expect(2).err
            assert "is not known" in said and "a run that is cut short, or cannot see what is kept, counts only if a check fails" in said, said


def test_where_nothing_can_be_kept_nothing_is_said():
    for env in ({"XDG_STATE_HOME": "/dev/null/state"}, {"XDG_STATE_HOME": None, "HOME": None}, {"XDG_STATE_HOME": None, "HOME": "/dev/null"}):
        with FaultServer(listener(with_bug(needs_path))) as server:
            result = credhook("test", "deliver", "--to", f"{server.url}/hook", env=env).expect(1)
        assert "repeat what failed: " in result.out and "state" not in result.err, result


def test_what_is_no_file_of_ours_is_not_written():
    """Nobody reads the FIFO, and what the link leads to is somebody's."""
    other = new_folder() / "other"
    other.write_text("theirs")
    for make in (os.mkfifo, lambda path: path.symlink_to(other)):
        state = new_folder()
        with FaultServer(listener(lambda _: plain(500))) as server:
            url = f"{server.url}/hook"
            (state / "credhook").mkdir()
            make(state / "credhook" / f"test-{hashlib.sha256(url.encode()).hexdigest()}")
            env = {"XDG_STATE_HOME": state}
            out = credhook("test", "deliver/user-created", "--to", url, env=env).expect(1).out
        assert "repeat what failed: credhook test deliver/user-created" in out and other.read_text() == "theirs", out


def test_a_protected_environment_is_never_tested():
    folder = new_folder()
    with FaultServer(listener(with_bug(needs_path))) as server:
        played(server, "deliver", state=folder)
        count = len(server.requests)
        config = folder / "c.json"
        config.write_text(json.dumps({"environments": {"production": {"url": f"{server.url}/hook"}}}))
        result = credhook("test", "--failed", "--to", f"{server.url}/hook", "--config", config, env={"XDG_STATE_HOME": folder}).expect(2)
        assert "never goes to a protected environment" in result.err and len(server.requests) == count, result


def last_line(args, state, code, columns=80):
    """What stands below the numbers, in as many rows as it takes, and what runs it in a shell."""
    with Seen([binary(), "test", *args], environment({"XDG_STATE_HOME": state}), new_folder(), columns, 24) as seen:
        assert seen.until_end() == code, seen.screen.text()
        rows = seen.screen.text()
    at = max(number for number, row in enumerate(rows) if "credhook test" in row)
    assert len(rows) < 24 and all(len(row) == columns for row in rows[at:-1]), rows
    line = "".join(rows[at:])
    return line, shlex.split(line[line.index("credhook test"):])[1:]


def test_the_last_row_says_how():
    """Without what hides in the URL, which is nowhere in the file or its name either."""
    state, bad = new_folder(), [True]

    def respond(request):
        return with_bug(needs_path)(request) if bad[0] else good(request)

    with FaultServer(listener(respond)) as server:
        port = server.url.rsplit(":", 1)[1]
        for to, last in ((f":{port}/hook", f"then: credhook test --failed --to {server.url}/hook"),
                         (f"http://me:s3cret@127.0.0.1:{port}/hook", "then: credhook test --failed --to URL")):
            assert last_line(["--to", to, "--level", "quick"], state, 1)[0] == last
        bad[0] = False
        said, again = last_line(["--failed", "--to", f":{port}/hook"], state, 0)
        assert said == f"what failed is right now; all checks: credhook test --to {server.url}/hook --level quick", said
        credhook(*again, *QUICKLY).expect(0)
    for path in (state / "credhook").iterdir():
        assert "s3cret" not in path.name + path.read_text(encoding="utf-8"), path
    assert not [name for name in os.listdir(state / "credhook") if not name.startswith("test-")]


def test_the_last_row_can_be_pasted():
    """With all that was typed: in the rows that it takes, and a placeholder for what hides something."""
    state, kept = new_folder(), new_folder() / "a file"
    kept.write_text("")
    with FaultServer(listener(with_bug(needs_path))) as server:
        typed = ["--to", f"{server.url}/hook", "--skip", "size/16m", "--set", "details.firstName=Ada B", "-m", "5s",
                 "--set", f"details.appKey={'0' * 8}-0000-4000-8000-{'0' * 12}", "--expect-status", "bad/missing-key=2xx,422",
                 "--observe", f"cat '{kept}'"]
        said, again = last_line(["deliver", *typed, "--level", "quick", "--report", f"html={kept}.html"], state, 1)
        assert said.startswith("then: ") and again == ["test", "--failed", *typed], (said, again)
        rows = credhook(*again, "--json", env={"XDG_STATE_HOME": state}).expect(1).json()
        assert "deliver/bureau-alert" in {row["id"] for row in rows[:-1]}, rows
        assert last_line(again[1:], state, 1)[1] == again, "what it says is itself"
        said, again = last_line(["deliver", "--to", f"{server.url}/hook", "-H", "X-Key: s3cret"], state, 1)
        assert again[-2:] == ["-H", "VALUE"] and "s3cret" not in said, again
        assert "a header is not of the form" in credhook(*again, env={"XDG_STATE_HOME": state}).expect(2).err
        config = state / "c.json"
        config.write_text(json.dumps({"environments": {"mine": {"url": f"{server.url}/hook", "headers": {"X-Key": "s3cret"}}}}))
        typed = ["--to", "mine", "--config", str(config)]
        assert last_line(["deliver", *typed], state, 1)[1] == ["test", "--failed", *typed]
        assert server.requests[-1].header("X-Key") == "s3cret"


if __name__ == "__main__":
    run(at_once=3)

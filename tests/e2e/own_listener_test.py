#!/usr/bin/python3
"""`test ... -- COMMAND ARG...`: the listener is started, watched, started again where a request ends it, and ended; what it
prints stands with the check that it was printed for."""
# rooms: cmd/probe probe

import os
import re
import shlex
import signal
import socket
import sys
import time
import xml.etree.ElementTree as ET
from json import loads
from pathlib import Path

from fault_server import FaultServer
from small_listeners import good, listener
from stores import APP as STORE_APP
from support import DEADLINE, LONG, Skip, answer, credhook, free_port, hang, is_portable, launch, new_folder, run

# Listens where $CREDHOOK_URL says. Each word makes it do something at an event: ALERT:die, USER:err.
APP = Path(__file__).with_name("own_app.py")


def probe(*words, checks=("deliver",), options=(), code=0, json=True):
    """The result of a run against APP, and its checks by id."""
    where = f":{free_port()}/hook"
    result = credhook("test", *checks, "--to", where, *options, *(["--json"] if json else []), "--", sys.executable, APP, *words).expect(code)
    found = {}
    if json:
        found = {line["id"]: line for line in result.json() if line["type"] == "check"}
    return result, found


def test_it_is_started_and_ended():
    folder = new_folder()
    result, found = probe(f"pid={folder}/pid")
    assert {check["verdict"] for check in found.values()} == {"ok"} and "log" not in str(found), found
    assert "starting " in result.err and "ready after " in result.err, result
    assert not Path(f"/proc/{(folder / 'pid').read_text()}").exists()


def test_a_secret_among_its_words_is_not_shown():
    result, _ = probe("--db-password=hunter2", "--api-key=hunter2", "--name=hunter1")
    assert "hunter2" not in result.out + result.err and "--db-password=*** --api-key=*** --name=hunter1" in result.err, result


def test_a_secret_among_its_words_is_not_shown_where_it_prints_it():
    folder = new_folder()
    words = ("--db=postgres://app:S3cretDbPw@db/x?sslkey=s3cret%2Bkey", "--api-key=API-of-it-1", "PASSWORD=p4ss-of-it", "--token")
    secrets = ("S3cretDbPw", "API-of-it-1", "p4ss-of-it", "t0ken-of-it", "s3cret+key", "s3cret%2Bkey")
    app = folder / "app.py"
    app.write_text(f"print('cannot connect', {', '.join(map(repr, (words[0], *secrets)))}, flush=True)\nraise SystemExit(3)\n")
    report = folder / "report"
    result = credhook("test", "deliver", "--to", f":{free_port()}", "--report", f"junit={report}", "--",
                      sys.executable, app, *words, "t0ken-of-it").expect(4)
    seen = result.out + result.err + report.read_text()
    assert "app> cannot connect --db=postgres://app:***@db/x?sslkey=*** *** *** *** *** *** ***" in seen, seen
    assert not [secret for secret in secrets if secret in seen], seen


def test_nor_where_it_responds_with_it():
    folder = new_folder()
    app, port = folder / "app.py", free_port()
    app.write_text(f"""import http.server
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = b"cannot connect to postgres://app:S3cretDbPw@db/x"
        self.send_response(500)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
http.server.ThreadingHTTPServer(("127.0.0.1", {port}), Handler).serve_forever()
""")
    reports = [folder / "junit", folder / "page.html"]
    result = credhook("test", "deliver/user-created", "type/none", "--to", f":{port}", "--json", "--report", f"junit={reports[0]}",
                      "--report", f"html={reports[1]}", "--", sys.executable, app, "--db", "postgres://app:S3cretDbPw@db/x")
    seen = result.out + result.err + "".join(report.read_text() for report in reports)
    assert "cannot connect to postgres://app:***@db/x" in seen and "S3cret" not in seen, seen


def test_a_daemon_that_is_left_is_named():
    if is_portable():
        raise Skip("whose group it has left is not known without prctl(2)")
    script = f"setsid sleep 600 & exec {sys.executable} {APP}"
    result = credhook("test", "deliver/user-created", "--to", f":{free_port()}/hook", "--", "sh", "-c", script).expect(0)
    os.kill(int(re.search(r"'sh' still runs, pid (\d+)", result.err)[1]), signal.SIGKILL)


def test_a_script_that_starts_it_is_ended_as_a_whole():
    folder = new_folder()
    credhook("test", "deliver/user-created", "--to", f":{free_port()}/hook", "--", "sh", "-c",
             f"{sys.executable} {APP} pid={folder}/pid & wait").expect(0)
    pid = (folder / "pid").read_text()
    if is_portable():
        ends(pid)  # it is killed, and nobody but its parent can wait for it
    else:
        assert not Path(f"/proc/{pid}").exists()


def test_what_listens_already_is_not_tested():
    folder = new_folder()
    with FaultServer(listener(good)) as server:
        result = credhook("test", "deliver", "--to", server.url, "--", "touch", f"{folder}/started").expect(2)
        assert "something listens at" in result.err and "leave out -- COMMAND" in result.err, result
    assert not list(folder.iterdir())


def test_it_ends_before_it_listens():
    result, _ = probe("print=12", "exit=7", json=False, code=4)
    assert "ended before it listened" in result.err and "exit code 7" in result.err, result
    lines = [line for line in result.err.splitlines() if line.startswith("app> ")]
    assert lines == [f"app> line {i}\\x1B" for i in range(3, 13)], lines
    assert "\x1b" not in result.err
    result = credhook("test", "--to", f":{free_port()}", "--wait", "100ms", "--", "sleep", "60").expect(4)
    assert "does not listen at" in result.err and "$CREDHOOK_URL" in result.err, result
    assert "cannot run 'nonsense'" in credhook("test", "--to", f":{free_port()}", "--", "nonsense").expect(127).err
    assert "missing COMMAND" in credhook("test", "--to", f":{free_port()}", "--").expect(2).err


def test_what_repeats_it_can_be_pasted():
    """With the listener, and with --observe where the checks read what it prints; but without the password of a URL."""
    listens = ["--", sys.executable, str(APP), "alerts=die", "print=2"]
    observes = ["--observe", "echo \"it's\" kept; exit 7"]
    words = ["deliver/bureau-alert", "effect/none", "--to", f"http://127.0.0.1:{free_port()}/hook"]
    result = credhook("test", *words, "--json", *observes, *listens).expect(3)  # it cannot be read
    retry = {line["id"]: shlex.split(line["retry"]) for line in result.json() if line["type"] == "check"}
    assert retry["effect/none"] == ["credhook", "test", "effect/none", *words[2:], *observes, *listens], retry
    assert retry["deliver/bureau-alert"] == ["credhook", "test", "deliver/bureau-alert", *words[2:], *listens], retry
    words.remove("effect/none") # which needs --observe
    config = new_folder() / "credhook.json"
    config.write_text('{"environments": {"mine": {"url": "http://127.0.0.1:1/hook"}}}')
    before = ["--config", config]  # the command's name
    for _ in range(2):
        last = credhook(*before, "test", *words, *listens).expect(1).out.splitlines()[-1]
        before = []
        words = shlex.split(last.removeprefix("repeat what failed: credhook test "))
        assert str(config) in words, last
        assert words[0] == "deliver/bureau-alert" and words[-len(listens):] == listens, last
        words = words[:-len(listens)]
    result = credhook("test", "effect/none", "--to", f":{free_port()}", "--observe", "echo http://me:secret@host/; exit 7", *listens)
    assert "secret" not in result.out and "secret" not in result.err, result


def test_each_crash_is_found():
    """Whatever the level of the check, and with the other checks played: also what the death kept from being sent."""
    _, found = probe("alerts=die", "report=die", code=1)
    failed = {name: check for name, check in found.items() if check["verdict"] != "ok"}
    assert set(failed) == {"deliver/bureau-alert", "deliver/credit-report-ordered", "deliver/credit-report-retrieved",
                           "deliver/credit-report-display-token-generated"}, failed
    assert all("the listener ended: exit code 3" in check["reason"] and "about to die" in check["log"]
               for check in failed.values()), failed
    _, found = probe("get=die", checks=("method/get",), code=1)
    assert (found["method/get"]["level"], found["method/get"]["verdict"]) == ("must", "fail"), found


def test_what_ends_it_is_said_with_what_its_requests_have_in_common():
    """That it ended, not what came of its connection; and the key, since no other value of it was accepted or refused."""
    result, _ = probe("bureau=die", code=1, json=False)
    lines = [line.strip() for line in result.out.splitlines()]
    assert lines[0].endswith("one cause: the listener ended: exit code 3") and lines[1] == "each has bureau", result
    assert "sample-bureau" not in result.out and "closed the connection" not in result.out, result


def test_a_death_after_the_response_is_blamed_on_what_came_before():
    _, found = probe("alerts=late", code=1)
    assert [name for name, check in found.items() if check["verdict"] == "fail"] == ["deliver/bureau-alert"], found
    assert {check["verdict"] for name, check in found.items() if name != "deliver/bureau-alert"} == {"ok"}, found


def test_a_death_is_not_blamed_on_who_came_later():
    """Two more come before it: one of them is responded to."""
    result, found = probe("alerts=later", code=1)
    failed = [check for check in found.values() if check["verdict"] != "ok"]
    assert [check["id"] for check in failed] == ["deliver/bureau-alert"], failed
    assert failed[0]["reason"] == "the listener ended: exit code 3" and "about to die" in failed[0]["log"], failed
    assert result.json()[-1]["causes"] == [], result.json()[-1]


def test_a_death_that_does_not_come_again_is_not_explained():
    """Nothing ends it again: no check is the one to fix first."""
    _, found = probe("alerts=once", f"once={new_folder()}/once", code=1)
    failed = [check for check in found.values() if check["verdict"] != "ok"]
    assert [check["id"] for check in failed] == ["deliver/bureau-alert"], failed
    words = "before this response; what ended it is not known: the last requests, sent again, did not"
    assert failed[0]["reason"] == f"the listener ended: exit code 3, {words}", failed
    result, _ = probe("alerts=once", f"once={new_folder()}/once", code=1, json=False)
    assert "Fix first" not in result.out and "Why the listener ended is not known" in result.out, result


def test_what_breaks_it_is_found_and_what_comes_later_is_just():
    _, found = probe("get=break", checks=("method/get", "method/head", "method/options", "path/trailing-slash", "json/nan"), code=1)
    failed = [name for name, check in found.items() if check["verdict"] == "fail"]
    assert failed == ["still-up/method"] and found["still-up/path"]["verdict"] == "ok", found
    assert found["still-up/method"]["fix"].endswith("method/get has stopped it or slowed it down"), found["still-up/method"]


def test_it_is_started_again_five_times():
    """Not counted is what finds out whether a request ended it, or the one before."""
    folder = new_folder()
    result, found = probe(f"starts={folder}/starts", "alerts=die", "report=die", "authenticate=die", code=1)
    assert 6 <= len((folder / "starts").read_text()) <= 12
    assert result.json()[-1]["stopped_at"], result
    assert [check["verdict"] for check in found.values()].count("fail") == 6, found


def test_what_it_prints_stands_with_the_check():
    result, found = probe("alerts=err", code=1)
    log = found["deliver/bureau-alert"]["log"]
    assert "KeyError: 'path'" in log and log.startswith("Traceback"), found
    assert [name for name, check in found.items() if "log" in check] == ["deliver/bureau-alert"], found
    folder = new_folder()
    result, _ = probe("alerts=err", json=False, code=1, options=("--report", f"junit={folder}/t.xml", "--report", f"html={folder}/t.html"))
    lines = [line.strip() for line in result.out.splitlines()]
    [at] = [number for number, line in enumerate(lines) if line.startswith("app> ")]
    assert "bureau-alert" in " ".join(lines[:at]), lines
    assert re.fullmatch(r"app> KeyError: 'path' \(\S+\.py:\d+\)", lines[at]) and lines[at + 1].endswith("more lines: -v"), lines
    verbose, _ = probe("alerts=err", json=False, code=1, options=("-v",))
    assert "app> KeyError: 'path'" in verbose.out and "more lines" not in verbose.out, verbose
    case = [c for c in ET.parse(folder / "t.xml").iter("testcase") if c.get("name") == "deliver/bureau-alert"][0]
    assert "KeyError: 'path'" in case.find("system-err").text and case.find("failure") is not None
    assert "\"log\":\"Traceback" in (folder / "t.html").read_text()


def test_what_it_prints_is_shortened():
    """To the line of the error, in the forms of several languages; where none is named, to what stands first and last."""
    for printed, shown in (("panic: a\n\ngoroutine 1:\nmain.f()\n\t/f.go:3\nmain.g()\n\t/f.go:5\n", ["panic: a (f.go:3)"]),
                           ("----\nTraceback:\n  File x\n    f()\nKeyError: 'a'\n----\n", ["KeyError: 'a'"]),
                           ("f.js:1\n  f()\n  ^\n\nTypeError: a\n    at g\n\nNode.js v20\n", ["TypeError: a (f.js:1)"]),
                           ("\tone\n\ttwo\n\tthree\n\tfour\n", ["\\tone", "\\tthree", "\\tfour"])):
        file = new_folder() / "printed"
        file.write_text(printed)
        result, _ = probe("alerts=cat", f"cat={file}", checks=("deliver/bureau-alert", "--skip", "still-up"), json=False, code=1)
        lines = [line.strip()[5:] for line in result.out.splitlines() if line.strip().startswith("app> ")]
        assert lines == shown, (lines, result)


def test_what_it_prints_is_bounded():
    _, found = probe("alerts=flood", code=1)
    assert 0 < len(found["deliver/bureau-alert"]["log"]) <= 16 << 10, found
    assert found["deliver/bureau-alert"]["log"].endswith("the end\n")


SECRET = "s3cret-v4lue-of-a-header"
URL_SECRET = "s3cret-of-the-url"


def test_what_it_prints_has_no_secret():
    """Whoever shows it: the last lines of one that ends early, the lines below a check, JSON and the reports, which nobody
    else may read."""
    folder = new_folder()
    (folder / "printed").write_text(f"first {SECRET}\n" + "x" * 70000 + f"{SECRET}\ntoken {URL_SECRET}\n" + f"{SECRET}\n" * 2000)
    (folder / "old.xml").touch(mode=0o644)
    where = ("--to", f"http://me:{URL_SECRET}@127.0.0.1:{free_port()}/hook", "-H", f"X-Key: {SECRET}")
    command = ["--", sys.executable, APP, "alerts=cat", f"cat={folder}/printed", f"key={SECRET}", f"db=postgres://me:{URL_SECRET}@db/x"]
    reports = [word for name in ("junit=old.xml", "junit=new.xml", "html=r.html") for word in ("--report", f"{name}")]
    for options in (["--json"], ["-v"], reports):
        result = credhook("test", "deliver/bureau-alert", *where, *options, *command, cwd=folder).expect(1)
        shown = [result.out, result.err, *(path.read_text() for path in folder.iterdir() if path.name != "printed")]
        assert not [text for text in shown if SECRET in text or URL_SECRET in text], shown
        assert "***" in "".join(shown)
    for name in ("old.xml", "new.xml", "r.html"):
        assert (folder / name).stat().st_mode & 0o777 == 0o600, name
    (folder / "amid").write_text(SECRET[:-3])
    result = credhook("test", *where, "--", "sh", "-c", f"cat {folder}/printed {folder}/amid; exit 7").expect(4)
    assert SECRET[:-4] not in result.out + result.err and "app> ***" in result.err, result


def test_one_that_left_a_dead_child_has_ended():
    """And one that left a live child has not."""
    for command in ("(true &); exit 3", "(sh -c 'exec sleep 0' &); (true &); true; exit 3"):
        result = credhook("test", "--to", f":{free_port()}", "--wait", "1h", "--", "sh", "-c", command).expect(4)
        assert "ended before it listened" in result.err and "exit code 3" in result.err, result
    folder = new_folder()
    credhook("test", "deliver/user-created", "--to", f":{free_port()}/hook", "--", "sh", "-c",
             f"{sys.executable} {APP} pid={folder}/pid & exit 3").expect(0)
    assert not Path(f"/proc/{(folder / 'pid').read_text()}").exists()


def test_one_that_listens_elsewhere():
    """Is told, and waited for, since it may come to listen where it is to."""
    folder = new_folder()
    program = f"""import os, pathlib, runpy, socket, sys, time
server = socket.create_server(("127.0.0.1", 0))
pathlib.Path("{folder}/port").write_text(str(server.getsockname()[1]))
while not pathlib.Path("{folder}/go").exists():
    time.sleep(0.01)
sys.argv = ["{APP}"]
runpy.run_path("{APP}")
"""
    port = free_port()
    process = launch("test", "deliver/user-created", "--to", f":{port}/hook", "--", sys.executable, "-c", program)
    for line in process.stderr:
        if b"listens at" in line:
            break
    there = (folder / "port").read_text()
    assert f" listens at 127.0.0.1:{there}, not at 127.0.0.1:{port}" in line.decode(), line
    (folder / "go").touch()
    process.communicate(timeout=DEADLINE)
    assert process.returncode == 0


def test_why_it_cannot_be_reached_is_said():
    for command in ([], ["--", "sleep", "600"]):
        for wait in ("100ms", "250ms"):
            result = credhook("test", "--to", f":{free_port()}", "--wait", wait, *command).expect(4)
            assert f"{wait.replace('ms', ' ms')}: connection refused" in result.err, result


def wait_for(process, path):
    while not path.exists():
        assert process.poll() is None
        time.sleep(0.01)


def test_a_signal_ends_the_wait_for_one_that_ignores_its_end():
    folder = new_folder()
    process = launch("test", "deliver/user-created", "--to", f":{free_port()}/hook", "--", "sh", "-c",
                     f"trap 'touch {folder}/deaf' TERM; {sys.executable} {APP} & while :; do sleep 60 & wait $!; done")
    wait_for(process, folder / "deaf")
    process.send_signal(signal.SIGINT)
    assert process.wait(DEADLINE) in (-signal.SIGINT, 130), (process.returncode, process.stderr.read())
    process.communicate()


def test_a_signal_ends_an_observation():
    """The first one, at once; nothing of the command is left."""
    for command in ("echo $$ > pid.new; mv pid.new pid; sleep 600; echo 1", "trap '' TERM INT; echo $$ > pid.new; mv pid.new pid; sleep 600"):
        folder = new_folder()
        process = launch("test", "effect", "--to", f":{free_port()}/hook", "--observe", f"cd {folder}; {command}", "--",
                         sys.executable, APP)
        wait_for(process, folder / "pid")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=DEADLINE)
        assert process.returncode == 130 and b"interrupted" in out + err and b"within 10 s" not in out + err, (out, err)
        pid = (folder / "pid").read_text().strip()
        assert not Path(f"/proc/{pid}").exists(), (out, err)


def test_a_second_signal_leaves_nothing_behind():
    folder = new_folder()
    process = launch("test", "--to", f":{free_port()}/hook", "--", sys.executable, str(APP), f"pid={folder}/pid", "user=hang")
    while not (folder / "pid").exists() or not (folder / "pid").read_text() or not (folder / "pid.hangs").exists():
        assert process.poll() is None
    while process.poll() is None:  # the first one waits for what is in flight
        process.send_signal(signal.SIGINT)
        time.sleep(0.01)
    assert process.returncode in (-signal.SIGINT, 130), process.returncode
    process.communicate()
    pid = (folder / "pid").read_text()
    end = time.monotonic() + DEADLINE
    while Path(f"/proc/{pid}").exists() and Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z":
        assert time.monotonic() < end
        time.sleep(0.01)


def ends(pid):
    """Waits until that process is gone, or only its entry is left."""
    until = time.monotonic() + DEADLINE
    while True:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return
        except (FileNotFoundError, ProcessLookupError):
            return
        assert time.monotonic() < until, f"{pid} is left"
        time.sleep(0.01)


def hanging(**more):
    """A run with a COMMAND that does not respond to what is in flight, and COMMAND's process id."""
    folder = new_folder()
    process = launch("test", "--to", f":{free_port()}/hook", "--", sys.executable, str(APP), f"pid={folder}/pid", "user=hang", **more)
    wait_for(process, folder / "pid.hangs")
    return process, int((folder / "pid").read_text())


def test_ctrl_backslash_ends_it_too():
    process, pid = hanging()
    process.send_signal(signal.SIGQUIT)
    process.communicate(timeout=DEADLINE)
    assert process.returncode == -signal.SIGQUIT, process.returncode
    ends(pid)


def test_a_closed_terminal_is_a_first_signal_and_no_second():
    process, pid = hanging()
    process.send_signal(signal.SIGHUP)
    for line in process.stderr:
        if b"in flight" in line:
            break
    process.send_signal(signal.SIGHUP)  # the kernel says so, and the shell
    os.kill(pid, signal.SIGKILL)  # what is in flight ends
    process.communicate(timeout=DEADLINE)
    assert process.returncode == 130, process.returncode


def test_a_hangup_reaches_nobody_under_nohup():
    with FaultServer([hang()], answer(200)) as server:
        process = launch("send", "all", "--to", server.url, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        server.wait_requests(1)
        process.send_signal(signal.SIGHUP)
        server.release()
        process.communicate(timeout=DEADLINE)
        assert process.returncode == 0 and len(server.requests) > 1, process.returncode


def test_a_hangup_ends_a_run_that_sends():
    with FaultServer([hang()], answer(200)) as server:
        process = launch("send", "all", "--to", server.url)
        server.wait_requests(1)
        process.send_signal(signal.SIGHUP)
        assert b"waiting for 1 in flight" in process.stderr.readline()
        server.release()
        out, err = process.communicate(timeout=DEADLINE)
        assert process.returncode == 130 and b"ok   200" in out and len(server.requests) == 1, (process.returncode, out, err)


def test_the_only_check_may_have_failed_where_nothing_leaves_a_trace():
    """It is not also failed for what --observe does not show. unit/probe/gone shows the same, with a clock of its own."""
    if not LONG:
        raise Skip("--long")
    for check in ("effect/at-once", "effect/together"):
        _, found = probe("alerts=die", checks=(check,), options=("--observe", "echo constant"), code=3)
        assert found[check]["verdict"] == "fail" and "the listener ended: exit code 3" in found[check]["reason"], found


def test_one_that_is_slow_to_start_again_has_not_ended():
    """It runs, so no exit code of it is said; what --observe writes to stderr each time is said once."""
    folder = new_folder()
    script = f"test -e {folder}/ran && exec sleep 600; touch {folder}/ran; exec {sys.executable} -S {STORE_APP} Store {folder}"
    observe = f"echo careless >&2; sqlite3 -readonly -cmd '.timeout 20000' {folder}/db 'select * from n'"
    result = credhook("test", "crash/restart", "--to", f":{free_port()}/hook", "--wait", "10s", "--observe", observe, "--", "sh", "-c", script)
    said = " ".join((result.out + result.err).split())
    assert "it runs, and accepted no connection within 10.0 s (--wait)" in said and "exit code" not in said, result
    assert said.count("observe> careless") == 1, result


def test_what_was_found_is_said_at_a_second_signal():
    """What is in flight is given up then; JSON and the report have what had ended."""
    folder = new_folder()
    process = launch("test", "deliver", "--to", f":{free_port()}/hook", "--json", "--max-time", "600s", "--report",
                     f"junit={folder}/t.xml", "--", sys.executable, str(APP), f"pid={folder}/pid", "report=hang")
    while not (folder / "pid.hangs").exists():
        assert process.poll() is None
    for number in (signal.SIGINT, signal.SIGTERM):
        process.send_signal(number)
        while process.poll() is None and number == signal.SIGINT and b"waiting for 1 in flight" not in process.stderr.readline():
            pass
    out, _ = process.communicate(timeout=DEADLINE)
    *checks, summary = [loads(line) for line in out.splitlines()]
    assert process.returncode == 130 and summary["interrupted"], (process.returncode, summary)
    assert checks and {check["verdict"] for check in checks} == {"ok"} and summary["not_run"] > 0, (checks, summary)
    cases = {case.get("name"): case for case in ET.parse(folder / "t.xml").iter("testcase")}
    assert all(check["id"] in cases for check in checks) and cases["run"].find("error") is not None, cases


if __name__ == "__main__":
    run()

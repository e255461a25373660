"""--report of send and replay: a case per delivery, with what a person needs to see and to repeat it, and no secret."""
# rooms: cmd/args cmd/send deliver report

import signal
import subprocess

from reports import failures, junit_cases
from support import (FaultServer, answer, binary, close_without_answer, credhook, environment, hang, launch,
                     new_folder, run)

HOSTILE = b"first\n\x1b[31mred\x1b[0m ]]> & <b> \xff \xef\xbf\xbf\nnot ok 7\n"


def error_of(case):
    error = case.find("error")
    return error.get("message") if error is not None else None


def delivered(*args, code, env=None):
    """The cases, once they were read as CI systems do."""
    folder = new_folder()
    done = credhook(*args, "--report", f"junit={folder}/new/r.xml", env=env).expect(code)
    text = (folder / "new/r.xml").read_text(encoding="utf-8")
    cases = junit_cases(text)
    assert any(case.find("failure") is not None or case.find("error") is not None for case in cases) == (code != 0), text
    return cases, done, text


def test_a_case_says_what_was_expected_and_what_came():
    with FaultServer([answer(), answer(500, body=HOSTILE), answer(302, [("Location", "/x?token=abc")]),
                      close_without_answer()]) as server:
        cases, done, text = delivered("send", "user-created", "bureau-alert", "monitored-element-added/ssn",
                                     "user-token-generated", "--to", f"{server.url}/hook", "--seed", "1", code=1)
    assert [case.get("classname") for case in cases] == ["send"] * 4
    assert len(cases[0]) == 0
    server_error, redirect, unknown = failures(cases)
    advice = "server error: check the listener's log; --retry N tries again"
    assert server_error[:3] == ("bureau-alert", "rejected", f"expected 2xx, got 500; {advice}"), server_error
    assert server_error[3][:3] == ["first", "\\x1B[31mred\\x1B[0m ]]> & <b> \\xFF \\u{FFFF}", "not ok 7"], server_error
    assert redirect[1:3] == ("rejected", "expected 2xx, got 302: not followed to /x?token=***; redirects are not followed; if "
                             "the new URL is right, write it with --to"), redirect
    assert unknown[1] == "unknown" and unknown[2].startswith("expected 2xx, got no full response: the server closed"), unknown
    assert "seed 1 makes the same payload" in text, text
    assert "ok   200  user-created" in done.out


def test_cases_have_names_of_their_own():
    folder = new_folder()
    (folder / "some.ndjson").write_text(credhook("build", "user-created", "bureau-alert", "--seed", "3").expect(0).out)
    with FaultServer(answer(500)) as server:
        file, _, _ = delivered("replay", folder / "some.ndjson", "--to", f"{server.url}/hook", code=1)
        assert [case.get("name") for case in file] == [f"{folder}/some.ndjson:1 user-created", f"{folder}/some.ndjson:2 bureau-alert"]
        assert file[0].get("classname") == f"{folder}/some".strip("/").replace(".", "_").replace("/", "."), file[0].attrib
        twice, _, _ = delivered("send", "bureau-alert", "--count", "2", "--to", f"{server.url}/hook", code=1)
    assert [case.get("name") for case in twice] == ["bureau-alert", "bureau-alert #2"]


def test_attempts_are_one_case():
    with FaultServer([answer(503), answer(503), answer(), answer(503)]) as server:
        cases, _, _ = delivered("send", "user-created", "bureau-alert", "--to", server.url, "--retry", "2", "--retry-delay",
                                "1ms", code=1)
    assert [case.get("name") for case in cases] == ["user-created", "bureau-alert"]
    assert cases[0].findtext("system-out") == "attempt 3\n"
    assert "attempt 3" in failures(cases)[0][3]


def test_no_secret_is_in_it():
    with FaultServer(answer(500)) as server:
        where = server.url.replace("//", "//user:geheim@") + "/hook?token=geheim"
        cases, _, text = delivered("send", "user-created", "--to", where, "-H", "X-Key: geheim", code=1)
    assert "geheim" not in text and not any("geheim" in str(failure) for failure in failures(cases)), text


def test_what_was_expected_is_what_was_asked_for():
    folder = new_folder()
    record = ('{"v":1,"seq":1,"received_at":"2026-01-02T03:04:05.123456Z","remote":"","method":"POST","target":"/",'
              '"headers":[],"body":"{}","event":null,"valid":false,"response":{"status":422}}\n')
    (folder / "capture.ndjson").write_text(record)
    with FaultServer(answer()) as server:
        for args, message in ((["--compare"], "expected 422 as recorded, got 200"),
                              (["--expect-status", "4xx"], "expected 4xx, got 200")):
            cases, _, _ = delivered("replay", folder / "capture.ndjson", "--to", server.url, *args, code=1)
            assert failures(cases)[0][1:3] == ("rejected", message), failures(cases)
        cases, _, _ = delivered("send", "user-created", "--to", server.url, "--expect-within", "0.001ms", code=1)
    assert failures(cases)[0][1] == "late" and ": slower than " in failures(cases)[0][2], failures(cases)
    with FaultServer(hang()) as server:
        cases, _, _ = delivered("send", "user-created", "--to", server.url, "--max-time", "200ms", code=4)
    assert failures(cases)[0][1] == "unknown", failures(cases)


def test_what_was_not_sent_is_a_case_too():
    folder = new_folder()
    good = credhook("build", "user-created", "--seed", "1").expect(0).out
    broken = credhook("build", "user-created", "--seed", "1", "--break", "missing-key:details.appKey").expect(0).out
    (folder / "in.ndjson").write_text(good + broken)
    with FaultServer(answer()) as server:
        cases, _, _ = delivered("send", "--file", folder / "in.ndjson", "--to", server.url, code=1)
        assert len(cases) == 2 and failures(cases)[0][1] == "missing-key", failures(cases)
        (folder / "in.ndjson").write_text(good + "torn{\n")
        cases, _, _ = delivered("replay", folder / "in.ndjson", "/proc/self/mem", "--to", server.url, code=3)
    errors = [case.find("error").get("message") for case in cases if case.find("error") is not None]
    assert len(errors) == 2 and "in.ndjson:2" in errors[0] and "/proc/self/mem" in errors[1], errors


def test_a_run_that_ends_early_leaves_no_green_report():
    """What is wrong with the run itself is a case of its own, so that a report is green only where the exit code is 0."""
    folder = new_folder()
    good = credhook("build", "user-created", "--seed", "1").expect(0).out
    (folder / "in.ndjson").write_text(good + '{"details":[]}\n')
    (folder / "good.ndjson").write_text(good)
    with FaultServer(answer(), answer(500), answer()) as server:
        cases, done, _ = delivered("replay", folder / "in.ndjson", "--to", server.url, "--set", "details.x.y:=1", code=2)
        assert len(cases) == 2 and "in.ndjson:2: cannot set" in error_of(cases[1]), error_of(cases[1])
        assert error_of(cases[1]) in done.err
        credhook("replay", folder / "good.ndjson", "--to", server.url, "--results", folder / "results").expect(1)
        cases, _, _ = delivered("replay", folder / "good.ndjson", "--to", server.url, "--resume", folder / "results", code=1)
        assert [error_of(case) for case in cases] == ["exit code 1: its messages say why"], [error_of(case) for case in cases]
        cases, _, _ = delivered("replay", folder / "good.ndjson", "--to", server.url, "--results", "/dev/full", code=3)
        assert "/dev/full" in error_of(cases[-1]), error_of(cases[-1])
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([binary(), "send", "user-created", "--to", server.url, "--report", f"junit={folder}/r.xml"],
                                  stdout=full, stderr=subprocess.DEVNULL, env=environment(), check=False)
        cases = junit_cases((folder / "r.xml").read_text(encoding="utf-8"))
        assert done.returncode == 3 and "standard output" in error_of(cases[-1]), error_of(cases[-1])
    for command in ["send", "user-created"], ["replay", folder / "good.ndjson"], ["test", "deliver"]:
        cases, _, _ = delivered(*command, "--to", server.url, "--wait", "1ms", code=4)
        assert [error_of(case)[:13] for case in cases] == ["no connection"], command


def test_a_test_that_grades_nothing_leaves_no_green_report():
    with FaultServer(answer(401)) as server:
        cases, _, _ = delivered("test", "--to", server.url, code=1)
        assert "every valid event gets 401" in error_of(cases[-1]), error_of(cases[-1])
    cases, _, _ = delivered("test", "deliver", "--to", server.url, code=4)
    assert "no response" in error_of(cases[-1]), error_of(cases[-1])


def test_an_interrupted_run_reports_what_ran():
    folder = new_folder()
    with FaultServer([answer(), answer(), hang()]) as server:
        process = launch("send", "all", "--to", server.url, "--report", f"junit={folder}/r.xml", stdout=subprocess.DEVNULL)
        server.wait_requests(3)
        process.send_signal(signal.SIGINT)
        assert any(b"interrupted: waiting for 1 in flight" in line for line in process.stderr)
        server.release()
        process.communicate()
    assert process.returncode == 130
    cases = junit_cases((folder / "r.xml").read_text(encoding="utf-8"))
    assert [error_of(case) for case in cases] == [None, None, None, "interrupted"]
    assert [path.name for path in folder.iterdir()] == ["r.xml"]


def test_a_report_on_stdout_is_alone_there():
    with FaultServer(answer()) as server:
        out = credhook("send", "user-created", "--to", server.url, "--report", "junit=-").expect(0).out
        assert len(junit_cases(out)) == 1
        count = len(server.requests)
        for other in ["--json"], ["--results", "-"], ["--report", "junit=-"], ["--dry-run"]:
            assert credhook("send", "user-created", "--to", server.url, "--report", "junit=-", *other).expect(2).out == ""
        assert len(server.requests) == count


def test_a_report_that_cannot_be_written_stops_it_before_anything_is_sent():
    folder = new_folder()
    (folder / "file").write_text("")
    (folder / "in.json").write_text(credhook("build", "user-created").expect(0).out)
    with FaultServer(answer()) as server:
        for report, code in ("file/r.xml", 3), ("in.json", 2), ("results", 2), ("./results", 2):
            credhook("send", "--file", "in.json", "--to", server.url, "--results", "results", "--report", f"junit={report}",
                     cwd=folder).expect(code)
        assert not server.requests
    assert credhook("validate", "in.json", cwd=folder).expect(0)


def test_a_disk_that_is_full_is_an_error():
    """The one of the temporary file that the cases of a suite are in; validate_reports_test.py has the report's."""
    folder = new_folder()
    for report, says in ("r.xml", b"cannot write 'r.xml': "), ("-", b"cannot keep a report in a temporary file: "):
        with FaultServer(answer()) as server:
            done = subprocess.run(["sh", "-c", 'ulimit -f 8; exec "$0" "$@" >/dev/null', binary(), "send", "all", "--count", "9",
                                   "-q", "--to", server.url, "--report", f"junit={report}"], cwd=folder, capture_output=True,
                                  env=environment(), check=False)
        assert done.returncode == 3 and says in done.stderr, done
    assert not list(folder.iterdir())


if __name__ == "__main__":
    run()

"""--results, retries, --resume, --failed-only, --compare and giving up."""

import json
import os
import re
import signal
import subprocess
import time

from captures import capture_of, content_id, numbers, record, replay, write_capture
from measured import measured
from support import (SANITIZE, FaultServer, answer, answer_bytes, binary, close_without_answer, credhook, environment,
                     free_port, launch, new_folder, records, reset, run, step)

KEYS = ["number", "input", "record", "id", "attempt", "final", "event", "outcome", "status", "due", "sent", "latency_ms", "bytes"]
FIRST = ["selection", "seed", "ended", "lines"]  # of the first line only


def test_a_line_per_attempt():
    capture, results = write_capture(3), new_folder() / "results.ndjson"
    with FaultServer([answer(200), answer(409), close_without_answer()]) as server:
        replay(server, capture, "--results", results, code=1)
    lines = records(results)
    assert [list(line)[:13] for line in lines] == [KEYS] * 3 and list(lines[0])[13:] == FIRST
    assert [line["number"] for line in lines] == [1, 2, 3]
    assert [line["outcome"] for line in lines] == ["accepted", "rejected", "unknown"]
    assert [line["status"] for line in lines] == [200, 409, None]
    assert [line["record"] for line in lines] == [1, 2, 3]
    assert all(line["final"] and line["attempt"] == 1 and line["input"] == str(capture) for line in lines)
    assert lines[0]["event"] == "user-created" and lines[0]["bytes"] == len('{"n": 1}')
    assert "error" in lines[2] and "error" not in lines[0]
    assert lines[0]["due"] <= lines[0]["sent"] and lines[0]["latency_ms"] > 0
    assert not (results.parent / "results.ndjson.inflight").exists()


def test_results_and_pages_are_private_and_other_reports_are_not():
    """Whatever the umask and the mode of what they replace; results that are continued keep theirs."""
    capture, folder, before = write_capture(2), new_folder(), os.umask(0o027)
    results, page, junit = folder / "r", folder / "page.html", folder / "junit.xml"
    args = ("--results", results, "--report", f"html={page}", "--report", f"junit={junit}")

    def modes():
        return [path.stat().st_mode & 0o777 for path in (results, page, junit)]
    try:
        with FaultServer(answer(204)) as server:
            replay(server, capture, *args)
            assert modes() == [0o600, 0o600, 0o640], modes()
            for path in results, page, junit:
                path.chmod(0o664)
            replay(server, capture, *args)
            assert modes() == [0o600, 0o600, 0o664], modes()
            results.chmod(0o640)
            replay(server, capture, "--resume", results)
            assert modes()[0] == 0o640, modes()
            results.unlink()
            replay(server, capture, "--results", results, "--resume", results)
            assert modes()[0] == 0o600, modes()
            for name in "junit", "sarif":
                credhook("validate", capture, "--report", f"{name}={folder}/{name}").expect(1)
                assert (folder / name).stat().st_mode & 0o777 == 0o640, name
    finally:
        os.umask(before)


def test_results_on_stdout_stand_alone():
    with FaultServer(answer(204)) as server:
        lines = replay(server, write_capture(3), "--results", "-").json()
    assert [list(line) for line in lines] == [KEYS + FIRST, KEYS, KEYS] and lines[0]["ended"] is False


def test_send_numbers_what_it_makes():
    results = new_folder() / "results.ndjson"
    with FaultServer(answer(204)) as server:
        credhook("send", "user-created", "bureau-alert", "--count", 2, "--to", server.url, "--results", results).expect(0)
    assert [(line["input"], line["record"]) for line in records(results)] == [(None, n) for n in (1, 2, 3, 4)]


def test_transient_answers_are_tried_again():
    for status in (408, 429, 500, 502, 503, 504):
        results = new_folder() / "results.ndjson"
        with FaultServer([answer(status), answer(status), answer(200)]) as server:
            out = replay(server, write_capture(1), "--retry", 3, "--retry-delay", "10ms", "--results", results).out
            assert numbers(server) == [1, 1, 1]
        assert [(x["attempt"], x["final"], x["status"]) for x in records(results)] == \
            [(1, False, status), (2, False, status), (3, True, 200)]
        assert "attempt 1, next in 10 ms" in out and "attempt 3" in out


def test_other_answers_are_not():
    for status in (400, 401, 404, 409, 501):
        with FaultServer(answer(status)) as server:
            replay(server, write_capture(1), "--retry", 3, "--retry-delay", "10ms", code=1)
            assert len(server.requests) == 1


def test_retries_keep_the_order():
    with FaultServer([answer(503), answer(200)]) as server:
        replay(server, write_capture(3), "--retry", 3, "--retry-delay", "50ms")
        assert numbers(server) == [1, 1, 2, 3]


def test_retry_after_is_honoured():
    with FaultServer([answer(503, [("Retry-After", "1")]), answer(200)]) as server:
        started = time.monotonic()
        replay(server, write_capture(1), "--retry", 1, "--retry-delay", "10ms")
        assert time.monotonic() - started >= 1
    with FaultServer(answer(503, [("Retry-After", "86400")])) as server:
        process = launch("send", "user-created", "--to", server.url, "--retry", "1", stderr=subprocess.DEVNULL)
        assert process.stdout.readline().startswith(b"to http")
        assert process.stdout.readline().endswith(b"attempt 1, next in 10m00s\n")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)
        assert process.returncode == 130


def test_a_refused_connection_is_tried_again():
    results = new_folder() / "results.ndjson"
    replay(f"http://127.0.0.1:{free_port()}", write_capture(1), "--retry", 2, "--retry-delay", "10ms", "--results",
           results, code=4)
    assert [line["attempt"] for line in records(results)] == [1, 2, 3]


def test_unknown_is_left_alone_unless_asked():
    with FaultServer(close_without_answer(), answer(200)) as server:
        replay(server, write_capture(1), "--retry", 3, "--retry-delay", "10ms", code=4)
        assert len(server.requests) == 1
    with FaultServer(reset(), answer(200)) as server:
        replay(server, write_capture(1), "--retry", 3, "--retry-delay", "10ms", "--retry-unknown")
        assert len(server.requests) == 2


def append(capture, *numbers_of):
    with open(capture, "ab") as file:
        file.write(b"".join(map(record, numbers_of)))


def test_failed_only():
    capture, results, other = write_capture(4), new_folder() / "results.ndjson", new_folder() / "other.ndjson"
    with FaultServer([answer(200), answer(500), close_without_answer()], answer(200)) as server:
        replay(server, capture, "--results", results, code=1)
    kept = results.read_bytes()
    with FaultServer(answer(200)) as server:
        refused = replay(server, capture, "--failed-only", results, "--results", results, code=2).err
        assert f"--failed-only only reads '{results}'\n" in refused and not server.requests
        told = replay(server, capture, "--failed-only", results, "--results", other, code=1).err
        assert f"skipped 2 accepted according to '{results}'\n" \
            f"skipped 1 unknown according to '{results}': --retry-unknown sends them again\n" in told, told
        replay(server, capture, "--failed-only", results, "--dry-run")
        replay(server, capture, "--failed-only", results, "--retry-unknown")
        assert numbers(server) == [2, 2, 3] and results.read_bytes() == kept
        assert [line["record"] for line in records(other)] == [2]
        replay(server, capture, "--failed-only", other)
        told = replay(server, write_capture(1), "--failed-only", results, code=1).err
        assert f"1 of the records of '{results}' are not in the inputs\n" in told
        assert "not in the inputs" not in replay(server, capture, "--failed-only", results, "--record", 1).err
        assert len(server.requests) == 3


def test_failed_only_counts_by_content():
    """Of a record that is there three times, as many as have failed."""
    capture, results = capture_of(1, 1, 2, 1), new_folder() / "results.ndjson"
    with FaultServer([answer(500), answer(200), answer(200), answer(500)], answer(200)) as server:
        replay(server, capture, "--results", results, code=1)
        told = replay(server, capture, capture, "--failed-only", results).err
        assert numbers(server) == [1, 1, 2, 1, 1, 1]
        assert f"skipped 2 accepted according to '{results}'\nskipped 4 not finished according to" in told, told


def test_failed_only_is_continued_too():
    capture, results, other = write_capture(5), new_folder() / "results.ndjson", new_folder() / "other.ndjson"
    with FaultServer([answer(500), answer(200), *[answer(500)] * 3], answer(500)) as server:
        replay(server, capture, "--results", results, code=1)
        told = replay(server, capture, "--failed-only", results, "--results", other, "--max-failures", 0, code=1).err
        assert f"not all was sent: the same command with --resume '{other}' continues\n" in told
        assert f"another selection: --failed-only {results}\n" in replay(server, capture, "--resume", other, code=2).err
        told = replay(server, capture, "--failed-only", results, "--resume", other, code=1).err
        assert f"skipped 1 accepted according to '{results}'\nskipped 1 already finished according to '{other}'\n" \
            f"1 of '{other}' were not accepted: --failed-only " in told, told
        assert numbers(server) == [1, 2, 3, 4, 5, 1, 3, 4, 5]


def test_failed_only_says_what_was_never_sent():
    capture, results = write_capture(1), new_folder() / "results.ndjson"
    with FaultServer(answer(200)) as server:
        replay(server, capture, "--results", results)
        append(capture, 2, 3, 4)
        told = replay(server, capture, "--failed-only", results, "-q").err
        assert told == f"skipped 3 not finished according to '{results}': --resume instead sends them\n"
        assert f"skipped 1 accepted according to '{results}'\n" in \
            replay(server, capture, "--failed-only", results, "--dry-run").err
        replay(server, capture, "--resume", results)
        assert numbers(server) == [1, 2, 3, 4]
        assert "not finished" not in replay(server, capture, "--failed-only", results).err


def test_what_waited_for_another_attempt_has_not_ended():
    """--resume sends it, so that --failed-only does not."""
    capture, results = write_capture(2), new_folder() / "results.ndjson"
    with FaultServer(answer(503), answer(200)) as server:
        process = launch("replay", capture, "--to", server.url, "--results", results, "--retry", "1", "--retry-delay", "1h",
                         stderr=subprocess.DEVNULL)
        assert [process.stdout.readline() for _ in range(2)][1].startswith(b"warn 503")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)
        assert [line["final"] for line in records(results)] == [False]
        assert "skipped 2 not finished" in replay(server, capture, "--failed-only", results).err
        replay(server, capture, "--resume", results)
        assert numbers(server) == [1, 1, 2]


def interrupted_retries(wanted, *words):
    """What is printed by a run of `wanted` first attempts that is interrupted while some wait for another one."""
    process = launch(*words, "--retry", "3", "--retry-delay", "1h", text=True)
    for _ in range(wanted + 1):  # the destination also
        process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    return err


def test_what_waits_for_a_retry_at_the_end_has_failed():
    def respond(connection):
        request = [one for one in connection.server.requests if one.connection == connection.number][-1]
        number = json.loads(request.body).get("n", 2)
        connection.send(answer_bytes({1: 422, 2: 503, 4: 503}.get(number, 200), body=b"because"))
        return True

    with FaultServer(step(respond)) as server:
        err = interrupted_retries(5, "replay", write_capture(5), "--to", server.url, "--concurrency", 4)
        assert "2 accepted, 3 not accepted of 5" in err, err
        assert re.search(r"503  because\s+user-created .*:[24] and 1 more\n", err) and "not sent" not in err, err
        err = interrupted_retries(1, "send", "user-created", "bureau-alert", "--to", server.url)
        assert re.search(r"503  because +user-created\n", err) and "ended early: 1 not sent\n" in err, err
        assert re.search(r"seed \d+ makes the same payloads: user-created\n", err), err
        err = replay(server, write_capture(9), "--max-failures", 0, code=1).err
        assert "ended early: not all was sent; a replay with --results FILE can be continued\n" in err, err
        assert "not all was sent" not in replay(server, write_capture(1), "--max-failures", 0, code=1).err


def test_resume_of_what_has_ended():
    capture, results = write_capture(3), new_folder() / "results.ndjson"
    with FaultServer([answer(200), answer(404), answer(200)], answer(200)) as server:
        replay(server, capture, "--results", results, code=1)
        append(capture, 4, 5)
        assert "skipped 3 already finished" in replay(server, capture, "--resume", results, code=1).err
        assert numbers(server) == [1, 2, 3, 4, 5]
        told = replay(server, capture, "--resume", results, "-q", code=1).err
        assert told == f"1 of '{results}' were not accepted: --failed-only instead sends them again, " \
            "with --retry-unknown the unknown ones too\n"
        assert told in replay(server, capture, "--resume", results, "--dry-run").err
        assert len(server.requests) == 5 and len(records(results)) == 5


def test_a_torn_last_line_is_told():
    capture, results = write_capture(2), new_folder() / "results.ndjson"
    with FaultServer(answer(200)) as server:
        replay(server, capture, "--results", results)
        whole = results.read_bytes()
        results.write_bytes(whole[:-20])
        append(capture, 3)
        result = replay(server, capture, "--resume", results, code=2)
        assert "torn" in result.err and "has only 1 of the 2 lines" in result.err and numbers(server) == [1, 2], result
        replay(server, capture, "--resume", results, "--retry-unknown")
        assert numbers(server) == [1, 2, 2, 3]
    assert [line["record"] for line in records(results)] == [1, 2, 3]


def test_results_are_no_payloads():
    folder = new_folder()
    odd = folder / "o\"d\\\u00e9.ndjson"
    odd.write_bytes(write_capture(1).read_bytes())
    with FaultServer(answer(200)) as server:
        for number, args in enumerate((("send", "user-created"), ("replay", odd))):
            results = folder / f"{number}.z.ndjson"
            credhook(*args, "--to", server.url, "--results", results).expect(0)
            for inputs in ((results,), (odd, results), (folder,)):
                refused = replay(server, *inputs, code=3)
                assert f"'{results}' is a results file, not a capture: use --resume or --failed-only\n" in refused.err
            assert len(server.requests) == number + 1, "nothing was sent"
            results.unlink()
        for text, code in (('{"input":"a","record":{"n":1}}', 3), ('{"input":null}', 3), ('{"input":"a', 1), ('{"input":"\\', 1), ("", 0)):
            (folder / "like.ndjson").write_text(text + "\n")
            done = credhook("replay", odd, folder / "like.ndjson", "--to", server.url).expect(code)
            assert "a results file" not in done.err, done


def test_results_of_many_records_take_little():
    path, capture = new_folder() / "results.ndjson", write_capture(2)
    ids = [content_id(line) for line in capture.read_bytes().splitlines()]
    with open(path, "w", encoding="ascii") as file:
        for number in range(1, 200001):
            print(json.dumps({"number": number, "input": "c", "record": 2 ** 63, "id": ids[1] if number == 1 else
                              content_id(str(number).encode()), "attempt": 1, "final": True, "event": None,
                              "outcome": "rejected", "status": 500, "selection": "", "ended": True}), file=file)
    ended = measured("replay", capture, "--to", ":1", "--dry-run", "--resume", path)
    assert ended.code == 0 and b"would send 1 record" in ended.out, ended
    if not SANITIZE:
        assert ended.held < 24, ended


def test_files_of_others_are_left_alone():
    capture, folder = write_capture(1), new_folder()
    other = folder / "diary.txt"
    other.write_text("dear diary")
    with FaultServer(answer(200)) as server:
        for option, hint in [("--results", "name another file for --results"),
                             ("--resume", "name one that 'send' or 'replay' wrote with --results"),
                             ("--failed-only", "name one that 'send' or 'replay' wrote with --results")]:
            refused = replay(server, capture, option, other, code=2).err
            assert f"'{other}' is not a results file; left unchanged\n  hint: {hint}\n" in refused, refused
        replay(server, capture, "--resume", folder / "missing", code=3)
        assert other.read_text() == "dear diary" and not server.requests
        results = folder / "results.ndjson"
        replay(server, capture, "--results", results)
        replay(server, capture, "--results", results)
        assert len(records(results)) == 1


def test_failed_only_reads_results_beside_a_foreign_file():
    capture, results = write_capture(2), new_folder() / "results.ndjson"
    with FaultServer([answer(200), answer(500), answer(200)]) as server:
        replay(server, capture, "--results", results, code=1)
        foreign = results.with_name("results.ndjson.inflight")
        foreign.write_text("dear diary")
        assert "move it" in replay(server, capture, "--resume", results, code=2).err
        replay(server, capture, "--failed-only", results)
        assert len(server.requests) == 3 and foreign.read_text() == "dear diary"


def test_results_that_cannot_be_written():
    with FaultServer(answer(200)) as server:
        result = replay(server, write_capture(3), "--results", "/dev/full", code=3)
        assert "cannot write '/dev/full'" in result.err and len(server.requests) == 1


def test_compare():
    def make(number):
        return record(number, response={"status": {1: 200, 2: 422, 3: 200}[number]})

    with FaultServer([answer(200), answer(422), answer(500)]) as server:
        result = replay(server, write_capture(3, make), "--compare", code=1)
    assert "2 expected, 1 unexpected of 3" in result.err and "expected 200 as recorded" in result.out
    assert "1 of 3 got a different status than recorded" in result.err


def test_giving_up():
    capture = write_capture(200)
    with FaultServer(answer(500)) as server:
        result = replay(server, capture, "--max-failures", 3, code=1)
        assert len(server.requests) == 4 and "gave up: " in result.err
    with FaultServer(answer(500)) as server:
        replay(server, capture, "--max-failures", 0, code=1)
        assert len(server.requests) == 1


def test_the_summary_in_json():
    with FaultServer([answer(503), answer(200)]) as server:
        result = replay(server, write_capture(12), "--json", "--retry", 1, "--retry-delay", "1ms")
    summary = result.json()[-1]
    assert (summary["deliveries"], summary["attempts"], summary["accepted"]) == (12, 13, 12)
    assert summary["statuses"] == {"200": 12, "503": 1}
    assert set(summary["latency"]) == {"p50", "p90", "p99", "p99.9", "max", "mean"}
    assert sum(bucket["count"] for bucket in summary["histogram"]) == 13
    assert summary["rate"] > 0 and summary["seconds"] > 0 and summary["bytes"] > 0


def test_many_deliveries_have_percentiles():
    with FaultServer(answer(200)) as server:
        err = replay(server, write_capture(120)).err
    assert re.search("latency: p50 .*, p99 .*, max ", err) and "p99.9" not in err and "/s, " in err, err


def test_a_few_deliveries_have_no_tail():
    with FaultServer([answer(503), answer(503), answer(200)]) as server:
        result = replay(server, write_capture(9), "--retry", 2, "--retry-delay", "1ms")
    assert re.search(r"^9 accepted in .* ms, 11 attempts   latency p50 .* max ", result.err), result.err
    assert "p99" not in result.err and "<" not in result.err, result.err


def retry_in_a_shell(result, **env):
    """Runs the command that was shown as it stands, and returns it; None: there is none."""
    folder = new_folder()
    (folder / "credhook").symlink_to(binary())
    lines = [line.removeprefix("retry: ") for line in result.err.splitlines() if line.startswith("retry: ")]
    if not lines:
        return None
    (line,) = lines
    subprocess.run(["sh", "-c", line], env=environment({"PATH": f"{folder}:{os.environ['PATH']}", **env}), check=False,
                   capture_output=True, timeout=120)
    return line


def sent(request):
    return (request.target, request.body, sorted(request.headers))


def test_retry_sends_what_was_not_accepted():
    """The same bytes again, and only those."""
    def make(number):
        return record(number, body='{"n": %d,  "odd" :  "\\u00e9"}' % number)

    folder = new_folder()
    config, capture, other = folder / "config.json", write_capture(3, make), write_capture(2)
    payloads = folder / "some payloads.ndjson"
    payloads.write_text(credhook("build", "user-created", "--count", 5).expect(0).out)
    answers = [answer(200), answer(409), answer(200), answer(409), answer(200)]
    rows = [(("replay", capture, other), f"credhook replay {capture} {other} "),
            (("send", "--file", payloads), f"credhook replay '{payloads}' ")]
    for number, (row, begin) in enumerate(rows):
        with FaultServer(answers, answer(200)) as server:
            config.write_text(json.dumps({"environments": {"odd": {"url": server.url + "/odd", "headers": {"X-Odd": "1"}}}}))
            env, results = {"CREDHOOK_CONFIG": str(config)}, folder / f"r{number}"
            result = credhook(*row, "--to", "odd", "--results", results, env=env).expect(1)
            first = list(server.requests)
            assert retry_in_a_shell(result, **env) == f"{begin}--failed-only {results} --to odd", result
            assert [sent(request) for request in server.requests[5:]] == [sent(first[1]), sent(first[3])], row


def test_retry_names_what_was_given_besides():
    with FaultServer(answer(500)) as server:
        err = replay(server, write_capture(1), "--results", new_folder() / "r", "--set", "n:=1", "-H", "X-Key: s3cret", "--set",
                     "m:=1", code=1).err
    assert re.search(r"^retry: credhook replay \S+ --failed-only \S+ --to \S+, and the same --set and -H$", err, re.M), err
    with FaultServer(answer(500)) as server:
        url = server.url.replace("//", "//me:s3cret@")
        assert "s3cret" not in replay(url, write_capture(1), "--results", new_folder() / "r", code=1).err


def test_results_in_a_directory_that_is_not_there():
    folder = new_folder() / "none"
    err = replay("http://127.0.0.1:1", write_capture(1), "--results", folder / "r", code=3).err
    assert err == f"credhook: cannot write '{folder}/r': No such file or directory\n  hint: the directory '{folder}' does not exist\n", err


def test_the_seed_makes_the_same_payloads():
    with FaultServer([answer(200), answer(500)], answer(200)) as server:
        err = credhook("send", "user-created", "bureau-alert", "--to", server.url).expect(1).err
        (seed,) = re.findall(r"^seed (\d+) makes the same payloads: bureau-alert$", err, re.M)
        assert "retry:" not in err and "--results" not in err, err
        credhook("send", "bureau-alert", "--seed", seed, "--to", server.url).expect(0)
        assert server.requests[1].body == server.requests[2].body
    with FaultServer(answer(500)) as server:
        assert " makes the same payloads: all\n" in credhook("send", "all", "--to", server.url).expect(1).err


def test_no_retry_line_where_nothing_repeats_it():
    hint = "--results FILE keeps the outcomes for --failed-only\n"
    capture, results = write_capture(2), new_folder() / "r"
    with FaultServer(answer(500)) as server:
        assert hint in replay(server, capture, code=1).err
        assert hint not in credhook("send", "--file", capture, "--validate", "off", "--to", server.url).expect(1).err
        for args in (("replay", "-", "--results", results), ("send", "--file", capture, "--validate", "off", "--results", results)):
            err = credhook(*args, "--to", server.url, stdin=record(1)).expect(1).err
            assert "retry:" not in err and hint not in err, err
            results.unlink()
    with FaultServer(answer(200)) as server:
        assert "retry" not in replay(server, capture).err + replay(server, capture, "--results", results).err


if __name__ == "__main__":
    run()

#!/usr/bin/python3
"""--failed-only: what is sent again of a run that has ended, and the command line that a run shows for it."""
# rooms: cmd/send deliver

import json
import re
import signal
import subprocess

from captures import append, capture_of, numbers, record, replay, typed, write_capture
from support import (FaultServer, answer, binary, close_without_answer, credhook, environment, launch, new_folder,
                     records, run)


def test_failed_only():
    capture, results, other = write_capture(4), new_folder() / "results.ndjson", new_folder() / "other.ndjson"
    with FaultServer([answer(200), answer(500), close_without_answer()], answer(200)) as server:
        replay(server, capture, "--results", results, code=1)
    kept = results.read_bytes()
    with FaultServer(answer(200)) as server:
        refused = replay(server, capture, "--failed-only", results, "--results", results, code=2).err
        assert f"--failed-only only reads '{results}'\n" in refused and not server.requests
        err = replay(server, capture, "--failed-only", results, "--results", other, code=1).err
        assert f"skipped 2 accepted according to '{results}'\n" \
            f"skipped 1 unknown according to '{results}': --retry-unknown sends them again\n" in err, err
        replay(server, capture, "--failed-only", results, "--dry-run")
        replay(server, capture, "--failed-only", results, "--retry-unknown")
        assert numbers(server) == [2, 2, 3] and results.read_bytes() == kept
        assert [line["record"] for line in records(other)] == [2]
        replay(server, capture, "--failed-only", other)
        err = replay(server, write_capture(1), "--failed-only", results, code=1).err
        assert f"1 of the records of '{results}' are not in the inputs\n" in err
        assert "not in the inputs" not in replay(server, capture, "--failed-only", results, "--record", 1).err
        assert len(server.requests) == 3


def test_distinct_and_limit_choose_among_what_failed():
    """These choose by place: what was accepted takes no place."""
    capture, folder = write_capture(4), new_folder()
    results, other = folder / "results.ndjson", folder / "other.ndjson"
    with FaultServer([answer(200), answer(500), answer(200), answer(500)], answer(200)) as server:
        replay(server, capture, "--results", results, code=1)
        for option in ("--distinct",), ("--limit", 1), ("--distinct", "--limit", 1):
            replay(server, capture, "--failed-only", results, *option)
        replay(server, capture, "--failed-only", results, "--limit", 2)
        assert numbers(server)[4:] == [2, 2, 2, 2, 4]
    # What a run that is continued has sent keeps its place.
    results.unlink()
    with FaultServer(answer(500)) as server:
        replay(server, capture, "--results", results, code=1)
        chosen = ("--failed-only", results, "--limit", 2)
        replay(server, capture, *chosen, "--results", other, "--max-failures", 0, code=1)
        replay(server, capture, *chosen, "--resume", other, code=1)
        assert numbers(server)[4:] == [1, 2]


def test_failed_only_counts_by_content():
    """Of a record that is there three times, as many as have failed."""
    capture, results = capture_of(1, 1, 2, 1), new_folder() / "results.ndjson"
    with FaultServer([answer(500), answer(200), answer(200), answer(500)], answer(200)) as server:
        replay(server, capture, "--results", results, code=1)
        err = replay(server, capture, capture, "--failed-only", results).err
        assert numbers(server) == [1, 1, 2, 1, 1, 1]
        assert f"skipped 2 accepted according to '{results}'\nskipped 4 not finished according to" in err, err


def test_failed_only_is_continued_too():
    capture, results, other = write_capture(5), new_folder() / "results.ndjson", new_folder() / "other.ndjson"
    with FaultServer([answer(500), answer(200), *[answer(500)] * 3], answer(500)) as server:
        replay(server, capture, "--results", results, code=1)
        err = replay(server, capture, "--failed-only", results, "--results", other, "--max-failures", 0, code=1).err
        assert f"not all was sent: the same command with --resume '{other}' continues\n" in err
        assert f"another selection: --failed-only {results}\n" in replay(server, capture, "--resume", other, code=2).err
        err = replay(server, capture, "--failed-only", results, "--resume", other, code=1).err
        assert f"skipped 1 accepted according to '{results}'\nskipped 1 already finished according to '{other}'\n" \
            f"1 of '{other}' were not accepted: --failed-only " in err, err
        assert numbers(server) == [1, 2, 3, 4, 5, 1, 3, 4, 5]


def test_failed_only_says_what_was_never_sent():
    capture, results = write_capture(1), new_folder() / "results.ndjson"
    with FaultServer(answer(200)) as server:
        replay(server, capture, "--results", results)
        append(capture, 2, 3, 4)
        err = replay(server, capture, "--failed-only", results, "-q").err
        assert err == f"skipped 3 not finished according to '{results}': --resume instead sends them\n"
        assert f"skipped 1 accepted according to '{results}'\n" in \
            replay(server, capture, "--failed-only", results, "--dry-run").err
        replay(server, capture, "--resume", results)
        assert numbers(server) == [1, 2, 3, 4]
        assert "not finished" not in replay(server, capture, "--failed-only", results).err


def test_what_the_run_had_not_chosen_is_no_rest_of_it():
    """--resume would refuse it, since it chooses otherwise: nothing is advised."""
    capture, results = write_capture(3), new_folder() / "results.ndjson"
    with FaultServer(answer(500), answer(200)) as server:
        replay(server, capture, "--limit", "1", "--results", results, code=1)
        err = replay(server, capture, "--failed-only", results, "-q").err
        assert err == f"skipped 2 not finished according to '{results}', whose run had other options that choose\n", err
        assert "another selection" in replay(server, capture, "--resume", results, code=2).err
        assert numbers(server) == [1, 1]


def test_what_the_same_choice_left_is_a_rest_of_it():
    capture, results = write_capture(4), new_folder() / "results.ndjson"
    with FaultServer([answer(200), answer(500)], answer(200)) as server:
        chosen = ["--record", "1-3"]
        replay(server, capture, *chosen, "--results", results, "--max-failures", 0, code=1)
        err = replay(server, capture, *chosen, "--failed-only", results, "-q").err
        assert err == f"skipped 1 not finished according to '{results}': --resume instead sends them\n", err
        replay(server, capture, *chosen, "--resume", results, code=1)
        assert numbers(server) == [1, 2, 2, 3]


def test_what_waited_for_another_attempt_has_not_ended():
    """--resume sends it, so that --failed-only does not."""
    capture, results = write_capture(2), new_folder() / "results.ndjson"
    with FaultServer(answer(503), answer(200)) as server:
        process = launch("replay", capture, "--to", server.url, "--results", results, "--retry", "1", "--retry-delay", "1h",
                         stderr=subprocess.DEVNULL)
        assert [process.stdout.readline() for _ in range(2)][1].startswith(b"warn 503")
        process.send_signal(signal.SIGINT)
        process.communicate()
        assert [line["final"] for line in records(results)] == [False]
        assert "skipped 2 not finished" in replay(server, capture, "--failed-only", results).err
        replay(server, capture, "--resume", results)
        assert numbers(server) == [1, 1, 2]


def test_failed_only_reads_results_beside_a_foreign_file():
    capture, results = write_capture(2), new_folder() / "results.ndjson"
    with FaultServer([answer(200), answer(500), answer(200)]) as server:
        replay(server, capture, "--results", results, code=1)
        foreign = results.with_name("results.ndjson.inflight")
        foreign.write_text("dear diary")
        assert "move it" in replay(server, capture, "--resume", results, code=2).err
        replay(server, capture, "--failed-only", results)
        assert len(server.requests) == 3 and foreign.read_text() == "dear diary"


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
            assert typed(result, "retry: ", **env) == f"{begin}--failed-only {results} --to odd", result
            assert [sent(request) for request in server.requests[5:]] == [sent(first[1]), sent(first[3])], row


def test_retry_names_what_was_given_besides():
    with FaultServer(answer(500)) as server:
        err = replay(server, write_capture(1), "--results", new_folder() / "r", "--set", "n:=1", "-H", "X-Key: s3cret", "--set",
                     "m:=1", code=1).err
    assert re.search(r"^retry: credhook replay \S+ --failed-only \S+ --to \S+ --set 'n:=1' -H VALUE --set 'm:=1'$", err, re.M), err
    # What names the destination, and what is right.
    config = new_folder() / "config.json"
    with FaultServer(answer(500)) as server:
        config.write_text(json.dumps({"environments": {"odd": {"url": server.url}}}))
        result = replay("odd", write_capture(1), "--config", config, "--results", new_folder() / "r", "--expect-status", 422, code=1)
        assert typed(result, "retry: ").endswith(f" --to odd --config {config} --expect-status 422"), result
        assert len(server.requests) == 2, result
        result = replay(server, write_capture(1), "--results", new_folder() / "r", "--set", f"details.appKey={'0' * 8}-0000-4000-8000-{'0' * 12}",
                        "--no-config", code=1)
        assert re.search(r" --set 'details.appKey=0+-0000-4000-8000-0+' --no-config$", result.err, re.M), result
    # What is hidden is refused until somebody fills it in: it is not sent.
    with FaultServer(answer(500)) as server:
        capture = write_capture(1, lambda number: record(number, body='{"details":{}}'))
        edit = "details.authToken=00000000-0000-4000-8000-000000000001"
        result = replay(server, capture, "--results", new_folder() / "r", "--set", edit, code=1)
        assert typed(result, "retry: ").endswith(" --set VALUE") and len(server.requests) == 1, result
    # A detour: without it the people of the capture would go elsewhere.
    with FaultServer(answer(500)) as server:
        detour = f"hooks.example:80:{server.url.partition('//')[2]}"
        result = replay("http://hooks.example/h", write_capture(1), "--connect-to", detour, "-k", "--results", new_folder() / "r", code=1)
        assert typed(result, "retry: ").endswith(f" --connect-to {detour} -k"), result
        assert len(server.requests) == 2, result
    with FaultServer(answer(500)) as server:
        url = server.url.replace("//", "//me:s3cret@")
        err = replay(url, write_capture(1), "--results", new_folder() / "r", code=1).err
    assert "s3cret" not in err and re.search(r"^retry: credhook replay \S+ --failed-only \S+ --to URL$", err, re.M), err


def test_no_retry_line_for_what_failed_only_does_not_send():
    """What was late was accepted, and what is unknown may have been."""
    capture, folder = write_capture(2), new_folder()
    with FaultServer(answer(200)) as server:
        for kept in (), ("--results", folder / "late"):
            err = replay(server, capture, "--expect-within", "0.001ms", *kept, code=1).err
            assert "slower than 1 us" in err and "retry:" not in err and "--failed-only" not in err, err
    with FaultServer(close_without_answer()) as server:
        err = replay(server, capture, "--results", folder / "unknown", code=4).err
        assert "retry:" not in err, err
    with FaultServer([answer(500), close_without_answer()], answer(200)) as server:
        result = replay(server, capture, "--results", folder / "both", code=1)
        assert typed(result, "retry: ") and numbers(server) == [1, 2, 1], result


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
        # What is open here is not what has its name where the line is typed, even where it is a plain file.
        lines = f"open {capture}\nresend 1 2 --to {server.url} --results {results}\n"
        for args, stdin in ((("replay", "/dev/stdin", "--to", server.url, "--results", results), capture.read_bytes()),
                            (("shell",), lines.encode())):
            (typed := new_folder() / "stdin").write_bytes(stdin)
            with open(typed, "rb") as file:
                ended = subprocess.run([binary(), *args], stdin=file, capture_output=True, env=environment(), text=True)
            assert ended.returncode == 1 and results.exists() and "2 not accepted of 2" in ended.stderr, ended
            assert "retry:" not in ended.stderr and hint not in ended.stderr, ended
            results.unlink()
    with FaultServer(answer(200)) as server:
        assert "retry" not in replay(server, capture).err + replay(server, capture, "--results", results).err


if __name__ == "__main__":
    run()

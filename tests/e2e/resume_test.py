"""--resume: nothing accepted goes out again, nothing is skipped, and what was in flight is reported, also after kill -9."""
# rooms: cmd/send deliver

import json
import os
import signal
import subprocess

from captures import append, content_id, marks_of, numbers, replay, typed, write_capture
from killed_run import kill_and_resume, kill_while_rotating
from measured import measured
from support import (SANITIZE, FaultServer, answer, binary, credhook, environment, hang, launch, new_folder, records,
                     run)


def test_kill_9_at_random_moments():
    for seed in range(7):
        kill_and_resume(seed, concurrency=(8, 16)[seed % 2])
        kill_and_resume(seed, records=3, loops=30, concurrency=(8, 16)[seed % 2])


def test_kill_9_while_captures_are_rotated():
    for seed in range(2):
        kill_while_rotating(seed, kills=3, concurrency=(8, 16)[seed // 2 % 2])


def hung(capture, results, server, requests=2, loops=1):
    process = launch("replay", *[capture] * loops, "--to", server.url, "--results", results, stdout=subprocess.DEVNULL,
                     stderr=subprocess.DEVNULL)
    server.wait_requests(requests)
    process.send_signal(signal.SIGKILL)
    process.wait()


def test_what_was_in_flight_is_the_user_s_choice():
    for options, expected in ((), [1, 2, 3]), (("--retry-unknown",), [1, 2, 2, 3]):
        capture, results = write_capture(3), new_folder() / "results.ndjson"
        with FaultServer([answer(200), hang()], answer(200)) as server:
            hung(capture, results, server)
            fresh = credhook("replay", capture, "--to", server.url, "--results", results).expect(2)
            assert "belongs to an unfinished run, with 1 in flight" in fresh.err and "--resume" in fresh.err
            result = credhook("replay", capture, "--to", server.url, "--resume", results, *options).expect(0 if options else 1)
            assert f"in flight when the run was cut off, so its outcome is unknown: {capture}:2" in result.err
            assert numbers(server) == expected
        lines = records(results)
        assert [line["outcome"] for line in lines if line["record"] == 2][0] == "unknown"
        assert sorted(line["record"] for line in lines if line["final"]) == [1, 2, 3]


def test_what_was_in_flight_is_counted_once():
    """As unknown, and not among what an earlier run is said to have finished badly."""
    for loops, before in ((1, 1), (2, 3)):
        capture, results = write_capture(2), new_folder() / "results.ndjson"
        with FaultServer([answer(200)] * before + [hang()], answer(200)) as server:
            hung(capture, results, server, before + 1, loops)
            result = credhook("replay", *[capture] * loops, "--to", server.url, "--resume", results).expect(1)
            assert f"skipped {before + 1} already finished according to '{results}'\n" in result.err, result
            later = credhook("replay", *[capture] * loops, "--to", server.url, "--resume", results).expect(1)
            assert f"1 of '{results}' were not accepted" in later.err, later
            credhook("replay", capture, "--to", server.url, "--failed-only", results, "--retry-unknown").expect(0)
            assert numbers(server) == [1, 2] * loops + [2]


def test_what_was_in_flight_is_known_by_any_name():
    for name in (b"x" * 200 + b"/" + b"y" * 200 + b".ndjson", b"\xff\xc3.ndjson", "é漢🙂.ndjson".encode()):
        folder, results = new_folder(), new_folder() / "results.ndjson"
        capture = os.path.join(os.fsencode(folder), name)
        os.makedirs(os.path.dirname(capture), exist_ok=True)
        os.rename(write_capture(3), capture)
        with FaultServer([answer(200), hang()], answer(200)) as server:
            hung(capture, results, server)
            for _ in range(2):
                done = subprocess.run([binary(), "replay", capture, "--to", server.url, "--resume", results],
                                      env=environment(), capture_output=True, check=False)
                assert done.returncode == 1 and numbers(server) == [1, 2, 3], (name, done)


def interrupted(*args, server):
    """A run whose second request waits for its answer, and which has taken notice of a Ctrl-C."""
    process = launch(*args, "--to", server.url, stdout=subprocess.DEVNULL)
    server.wait_requests(2)
    process.send_signal(signal.SIGINT)
    while b"waiting for 1 in flight" not in (line := process.stderr.readline()):
        assert line, "it has ended"
    return process


def test_results_of_an_interrupted_run_are_not_written_over():
    capture, results = write_capture(4), new_folder() / "results.ndjson"
    with FaultServer([answer(200), hang(), answer(200)], answer(200)) as server:
        process = interrupted("replay", capture, "--results", results, server=server)
        server.release()
        err = process.communicate()[1].decode()
        assert process.returncode == 130 and marks_of(results).exists()
        assert f"not all was sent: the same command with --resume '{results}' continues\n" in err
        kept = results.read_bytes()
        refused = credhook("replay", capture, "--to", server.url, "--results", results).expect(2).err
        assert f"'{results}' belongs to an unfinished run, with 0 in flight\n" in refused
        assert f"--resume RESULTS; to begin again: rm -f '{results}' '{results}.inflight'\n" in refused, refused
        assert results.read_bytes() == kept and len(server.requests) == 2
        whole = credhook("replay", capture, "--to", server.url, "--resume", results).expect(0)
        assert "not all" not in whole.err and not marks_of(results).exists()
        assert sorted(line["record"] for line in records(results)) == [1, 2, 3, 4]
        results.unlink()
        credhook("replay", capture, "--to", server.url, "--results", results).expect(0)
        assert len(server.requests) == 8


def test_to_begin_again_without_the_marks_takes_the_line_of_the_hint():
    capture, results = write_capture(4), new_folder() / "results.ndjson"
    with FaultServer([answer(200), hang(), answer(200)], answer(200)) as server:
        process = interrupted("replay", capture, "--results", results, server=server)
        server.release()
        process.communicate()
        marks_of(results).unlink()
        refused = credhook("replay", capture, "--to", server.url, "--results", results).expect(2).err
        subprocess.run(refused.partition("to begin again: ")[2], shell=True, check=True)
        credhook("replay", capture, "--to", server.url, "--results", results).expect(0)
        assert len(server.requests) == 6


def test_a_run_that_gave_up_can_be_continued():
    for options in (("--max-failures", 0, "-q"), ("--max-failures", 0), ("--max-failures", 0, "--concurrency", 16)):
        capture, results = write_capture(40), new_folder() / "results 1.ndjson"
        with FaultServer(answer(500)) as server:
            gave_up = credhook("replay", capture, "--to", server.url, "--results", results, *options).expect(1)
            assert f"the same command with --resume '{results}' continues\n" in gave_up.err, gave_up
            sent = len(server.requests)
            credhook("replay", capture, "--to", server.url, "--results", results, *options).expect(2)
            assert len(server.requests) == sent < 40
        with FaultServer(answer(200)) as server:
            credhook("replay", capture, "--to", server.url, "--resume", results)
            assert len(server.requests) == 40 - sent and not marks_of(results).exists()


def test_what_send_has_begun_is_continued_as_it_began():
    """By the line that is shown: to the same destination, edited in the same way."""
    folder = new_folder()
    payloads, results = folder / "p.ndjson", folder / "r's 1"
    payloads.write_text(credhook("build", "bureau-alert", "--count", 4).expect(0).out)
    with FaultServer(answer(500), answer(200)) as server:
        begun = credhook("send", "--file", payloads, "--to", f"{server.url}/odd", "--set", "details.bureau=zz", "--results", results,
                         "--max-failures", 0).expect(1)
        quoted = str(results).replace("'", "'\\''")
        assert f"not all was sent: replay with --resume '{quoted}' and the same --to continues with the files\n" in begun.err, begun
        assert typed(begun, "continue: "), begun
        assert [request.target for request in server.requests] == ["/odd"] * 4, begun
        assert all(json.loads(request.body)["details"]["bureau"] == "zz" for request in server.requests)
        # What cannot be read again has no line.
        err = credhook("send", "--file", "-", "--to", server.url, "--results", folder / "typed", "--expect-status", 500, "--max-failures",
                         0, stdin=payloads.read_text()).expect(1).err
        assert "not all was sent: replay with --resume " in err and "continue: " not in err, err


def test_files_that_a_run_did_not_get_to_are_left():
    """It has given up on what it made itself."""
    folder = new_folder()
    payloads, results = folder / "p.ndjson", folder / "r"
    payloads.write_text(credhook("build", "bureau-alert", "--count", 4).expect(0).out)
    with FaultServer(answer(500), answer(200)) as server:
        begun = credhook("send", "user-created", "--file", payloads, "--to", server.url, "--results", results, "--max-failures", 0).expect(1)
        assert records(results)[0]["ended"] is False and marks_of(results).exists(), begun
        assert typed(begun, "continue: "), begun
        assert len(server.requests) == 5 and records(results)[0]["ended"] is True, begun


def test_what_send_made_is_not_said_to_be_sent_again():
    payloads, results = write_capture(2), new_folder() / "results"
    send = ("send", "user-created", "--file", payloads, "--validate", "off", "--results", results)
    with FaultServer([answer(500), answer(500), answer(200)]) as server:
        credhook(*send, "--to", server.url).expect(1)
        err = replay(server, payloads, "--resume", results, code=1).err
        assert f"2 of '{results}' were not accepted: --failed-only instead sends those of files again, " in err, err
        results.unlink()
    with FaultServer([answer(500), answer(200), answer(200)]) as server:
        credhook(*send, "--to", server.url).expect(1)
        err = replay(server, payloads, "--resume", results, code=1).err
        assert f"1 of '{results}' were not accepted: made by 'send', which sends others\n" in err, err


def test_an_interruption_that_leaves_nothing_is_not_reported():
    capture = write_capture(2)
    for args, left in ((("replay", capture), False), (("send", "all"), False),
                       (("send", "--validate", "off", "--file", capture, "--file", capture), True)):
        results = new_folder() / "results.ndjson"
        with FaultServer([answer(200), hang(), answer(200)], answer(200)) as server:
            process = interrupted(*args, "--results", results, server=server)
            server.release()
            err = process.communicate()[1].decode()
            assert process.returncode == 130
            assert marks_of(results).exists() == left, args
            assert (f"--resume '{results}'" in err) == left, err
            assert left or "not all" not in err, err


def test_two_runs_do_not_share_results():
    capture, results = write_capture(3), new_folder() / "results.ndjson"
    with FaultServer([answer(200), hang()]) as server:
        process = launch("replay", capture, "--to", server.url, "--results", results, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL)
        server.wait_requests(2)
        for option in ("--results", "--resume"):
            result = credhook("replay", capture, "--to", server.url, option, results).expect(2)
            assert "another run writes" in result.err
        server.release()
        assert process.wait() == 0


def test_resume_of_what_has_ended():
    capture, results = write_capture(3), new_folder() / "results.ndjson"
    with FaultServer([answer(200), answer(404), answer(200)], answer(200)) as server:
        replay(server, capture, "--results", results, code=1)
        append(capture, 4, 5)
        assert "skipped 3 already finished" in replay(server, capture, "--resume", results, code=1).err
        assert numbers(server) == [1, 2, 3, 4, 5]
        err = replay(server, capture, "--resume", results, "-q", code=1).err
        assert err == f"1 of '{results}' were not accepted: --failed-only instead sends them again, " \
            "with --retry-unknown the unknown ones too\n"
        assert err in replay(server, capture, "--resume", results, "--dry-run").err
        assert len(server.requests) == 5 and len(records(results)) == 5


def test_a_torn_last_line_is_reported():
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


if __name__ == "__main__":
    run()

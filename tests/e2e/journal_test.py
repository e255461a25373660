"""What a run has done is known by the content of its inputs, and its state is trusted only where it can be."""

from captures import capture_of, numbers, read_results, record, write_capture
from support import FaultServer, answer, answer_bytes, binary, credhook, environment, hang, new_folder, run, step

import gzip
import os
import re
import signal
import subprocess


def marks_of(results):
    return results.with_name(results.name + ".inflight")


def stop(*args, server, after):
    """A replay that has had `after` requests, of which the last was not answered."""
    process = subprocess.Popen([binary(), "replay", *map(str, args), "--to", server.url], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, env=environment())
    server.wait_requests(after)
    process.send_signal(signal.SIGKILL)
    process.wait()


def replay(server, *args, code=0, **more):
    return credhook("replay", *args, "--to", server.url, **more).expect(code)


def rotate(capture, *news):
    """Moves the capture to .1, and begins a new one."""
    moved = capture.with_name(capture.name + ".1")
    capture.rename(moved)
    capture.write_bytes(b"".join(map(record, news)))
    return moved


def test_a_capture_that_was_rotated():
    capture, results = capture_of(1, 2, 3), new_folder() / "r"
    with FaultServer([answer(200), hang()], answer(200)) as server:
        stop(capture, "--results", results, server=server, after=2)
        moved = rotate(capture, 4, 5)
        refused = replay(server, capture, "--resume", results, code=2).err
        assert f"the results in '{results}' are for other inputs: '{capture}' does not hold any more what was sent" in refused
        assert f"'{moved}' begins with the record that '{capture}' began with: name it too" in refused
        assert numbers(server) == [1, 2] and marks_of(results).exists()
        replay(server, moved, capture, "--resume", results, code=1)
        assert numbers(server) == [1, 2, 3, 4, 5]
        replay(server, moved, capture, "--resume", results, code=1)
        assert len(server.requests) == 5
        assert [line["outcome"] for line in read_results(results)] == ["accepted", "unknown"] + ["accepted"] * 3


def test_captures_that_were_rotated_further():
    folder, results = new_folder(), new_folder() / "r"
    older, newer = folder / "c.1", folder / "c"
    older.write_bytes(b"".join(map(record, (1, 2))))
    newer.write_bytes(b"".join(map(record, (3, 4))))
    with FaultServer([answer(200)] * 2 + [hang()], answer(200)) as server:
        stop(older, newer, "--results", results, server=server, after=3)
        (folder / "c.2.gz").write_bytes(gzip.compress(older.read_bytes()))
        newer.rename(older)
        newer.write_bytes(record(5))
        refused = replay(server, folder / "c.2.gz", newer, "--resume", results, code=2).err
        assert f"'{newer}' does not hold any more" in refused and f"'{older}' begins with the record" in refused
        # What is done with need not be named, nor be there at all.
        (folder / "c.2.gz").unlink()
        replay(server, older, newer, "--resume", results, code=1)
        assert numbers(server) == [1, 2, 3, 4, 5]


def test_a_capture_that_was_rotated_after_giving_up():
    """What was not sent is still to be sent."""
    done, capture, results = capture_of(1), write_capture(40, lambda n: record(n + 1)), new_folder() / "r"
    with FaultServer([answer(200)] * 5 + [answer(500)], answer(200)) as server:
        options = ("--max-failures", 0, "--results", results)
        told = replay(server, done, capture, *options, "-q", code=1).err
        assert f"to continue: credhook replay {done} {capture} --resume {results} " in told
        assert read_results(results)[0]["ended"] is False and marks_of(results).exists()
        sent = len(server.requests)
        assert sent == 6
        moved = rotate(capture, 42, 43)
        refused = replay(server, done, capture, "--resume", results, code=2).err
        assert f"'{moved}' begins with the record that '{capture}' began with: name it too" in refused
        assert len(server.requests) == sent
        assert "belongs to an unfinished run\n" in replay(server, done, moved, *options, code=2).err
        replay(server, done, moved, capture, "--resume", results, code=1)
        assert numbers(server) == list(range(1, 44)) and not marks_of(results).exists()


def test_an_unfinished_input_must_be_named():
    one, other, results = capture_of(1, 2), capture_of(3, 4), new_folder() / "r"
    with FaultServer([answer(200), hang()], answer(200)) as server:
        stop(one, other, "--results", results, server=server, after=2)
        refused = replay(server, other, "--resume", results, code=2).err
        assert f"'{one}', of the unfinished run in '{results}', is not among the inputs\n" in refused
        assert len(server.requests) == 2
        replay(server, other, one, "--resume", results, code=1)
        assert numbers(server) == [1, 2, 3, 4]


def test_failed_ones_leave_what_is_to_be_named_as_it_is():
    one, other, results = capture_of(1, 2), capture_of(3, 4), new_folder() / "r"
    with FaultServer([answer(500), answer(200), hang()], answer(200)) as server:
        stop(one, other, "--results", results, server=server, after=3)
        assert "--resume" in replay(server, other, one, "--failed-only", results, "--results", results).err
        assert numbers(server) == [1, 2, 3, 3, 1]
        assert "is not among the inputs" in replay(server, one, "--resume", results, code=2).err
        replay(server, other, "--resume", results)
        assert numbers(server) == [1, 2, 3, 3, 1, 4] and not marks_of(results).exists()


def test_inputs_that_grew_or_were_renamed():
    capture, results = capture_of(1, 2), new_folder() / "r"
    with FaultServer(answer(200)) as server:
        replay(server, capture, "--results", results)
        with open(capture, "ab") as file:
            file.write(record(3))
        renamed = capture.rename(capture.with_name("else.json.log"))
        replay(server, renamed, "--resume", results)
        replay(server, "-", "--resume", results, stdin=renamed.read_bytes() + record(4))
        assert numbers(server) == [1, 2, 3, 4]


def test_inputs_that_were_changed():
    for changed in ((1, 3, 4), (1,), (2, 3, 4)):
        capture, results = capture_of(1, 2, 3, 4), new_folder() / "r"
        with FaultServer(answer(200)) as server:
            replay(server, capture, "--limit", 3, "--results", results)
            capture.write_bytes(b"".join(map(record, changed)))
            for option in ("--resume", "--failed-only"):
                refused = replay(server, capture, option, results, code=2).err
                assert f"the results in '{results}' are for other inputs" in refused, changed
            assert len(server.requests) == 3, changed


def test_changes_that_are_noticed_on_the_way():
    """Of what was sent a few bits are kept: most other records do not have them."""
    capture, results = capture_of(*range(1, 100)), new_folder() / "r"
    with FaultServer(answer(200)) as server:
        replay(server, capture, "--results", results)
        changed = b"".join(map(record, [1, *range(1002, 1099), 99, 100]))
        for args, stdin in (((capture,), None), (("-",), changed)):
            capture.write_bytes(changed)
            told = replay(server, *args, "--resume", results, stdin=stdin, code=2).err
            assert f"is not the one that '{results}' has a line for" in told
            assert len(server.requests) == 99


def test_inputs_that_begin_alike():
    """By the last one that was dealt with, and as often as there are such files."""
    one, other, same = capture_of(1, 2, 3), capture_of(1, 4, 5), capture_of(1, 2, 3)
    for order in ((one, other, same), (same, other, one), (other, same, one)):
        results = new_folder() / "r"
        with FaultServer([answer(200)] * 4 + [answer(500)], answer(200)) as server:
            replay(server, one, other, same, "--results", results, "--max-failures", 0, code=1)
            replay(server, *order, "--resume", results, code=1)
            assert sorted(numbers(server)) == [1, 1, 1, 2, 2, 3, 3, 4, 5], order


def test_a_beginning_of_another_input():
    short, long, results = capture_of(1, 2), capture_of(1, 2, 3), new_folder() / "r"
    with FaultServer(answer(200)) as server:
        replay(server, short, long, "--results", results)
        replay(server, short, long, "--resume", results)
        replay(server, long, short, "--resume", results)
        assert numbers(server) == [1, 2, 1, 2, 3]


def test_many_namings_and_rounds():
    for args in (("--loop", 300), ()):
        capture, results = capture_of(1), new_folder() / "r"
        inputs = [capture] * (1 if args else 300)
        with FaultServer([answer(200)] * 199 + [answer(500)], answer(200)) as server:
            replay(server, *inputs, *args, "--results", results, "--max-failures", 0, code=1)
            replay(server, *inputs, *args, "--resume", results, code=1)
            assert len(server.requests) == 300, args
            replay(server, *inputs, *args, "--resume", results)
            assert len(server.requests) == 300, args
            assert len({line["hash"] for line in read_results(results)}) == 1


def in_flight_together(results, *args):
    """Of two deliveries of the same record, which are under way at the same time, one has a line when this is killed."""
    def respond(connection):
        server.wait_requests(2)
        connection.send(answer_bytes(200))
        return True

    with FaultServer(step(respond), hang()) as server:
        process = subprocess.Popen([binary(), "replay", *map(str, args), "--concurrency", "2", "--results", results, "--to",
                                    server.url], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment())
        while b"200" not in (line := process.stdout.readline()):
            assert line, "it has ended"
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert numbers(server) == [1, 1] and len(read_results(results)) == 1


def test_a_line_is_the_end_of_one_delivery():
    for again in (False, True):
        capture = capture_of(1)
        for args in ((capture, capture), (capture, "--loop", 2)):
            results = new_folder() / "r"
            in_flight_together(results, *args)
            with FaultServer(answer(200)) as server:
                options = ("--resume", results, "--retry-unknown") if again else ("--resume", results)
                told = replay(server, *args, *options, code=0 if again else 1).err
                assert told.count("in flight when the run was cut off") == 1, told
                assert len(server.requests) == again
                expected = ["accepted", "unknown"] + ["accepted"] * again
                assert [line["outcome"] for line in read_results(results)] == expected
                told = replay(server, *args, "--resume", results, code=0 if again else 1).err
                assert "in flight" not in told and len(server.requests) == again


def test_a_resumption_that_ends_before_its_own_marks():
    """What was in flight has its line then, and the marks are still those of the run before."""
    folder, results = new_folder(), new_folder() / "r"
    capture, when = capture_of(1, 2), folder / "when"
    with FaultServer([answer(200)] * 2 + [hang()], answer(200)) as server:
        stop(capture, "--loop", 2, "--results", results, server=server, after=3)
        when.touch()
        fails = {"LD_PRELOAD": os.environ["FAIL_DISK"], "FAIL_CALL": "fdatasync", "FAIL_PATH": str(results), "FAIL_WHEN": str(when)}
        replay(server, capture, "--loop", 2, "--resume", results, code=3, env=fails)
        assert len(read_results(results)) == 3
        told = replay(server, capture, "--loop", 2, "--resume", results, code=1).err
        assert "in flight when" not in told and numbers(server) == [1, 2, 1, 2]
        assert [line["outcome"] for line in read_results(results)] == ["accepted"] * 2 + ["unknown", "accepted"]


def test_results_that_were_shortened():
    def keep(count):
        return lambda old: b"".join(old.splitlines(keepends=True)[:count])

    def interrupt(capture, results, server):
        replay(server, capture, "--results", results, "--max-failures", 0, code=1)

    def kill(capture, results, server):
        stop(capture, "--results", results, server=server, after=4)

    for end, last in ((kill, hang()), (interrupt, answer(500))):
        for change in (keep(2), keep(0), lambda old: old[:-1]):
            capture, results = capture_of(1, 2, 3, 4, 5), new_folder() / "r"
            with FaultServer([answer(200)] * 3 + [last], answer(200)) as server:
                end(capture, results, server)
                results.write_bytes(change(results.read_bytes()))
                kept = results.read_bytes()
                refused = replay(server, capture, "--resume", results, code=2).err
                told = f"'{results}' belongs to an unfinished run, and '{marks_of(results)}' counts more lines than the results have"
                assert told + "\n" in refused and "--retry-unknown" in refused
                assert len(server.requests) == 4 and results.read_bytes() == kept
                assert told + ": " in replay(server, capture, "--resume", results, "--retry-unknown").err
                assert set(numbers(server)) == {1, 2, 3, 4, 5} and not marks_of(results).exists()


def damages():
    def rewrite(change):
        def do(path):
            path.write_bytes(change(path.read_bytes()))
        return do

    boot = re.compile(rb"(?<=boot )[0-9a-f-]{36}")
    return (("is missing", os.unlink),
            ("is empty", rewrite(lambda old: b"")),
            ("is filled with zeros", rewrite(lambda old: bytes(len(old)))),
            ("is truncated", rewrite(lambda old: old[:len(old) // 2])),
            ("is truncated", rewrite(lambda old: old[:80])),
            ("was written by another version of credhook", rewrite(lambda old: old.replace(b"version 4", b"version 3"))),
            ("was written before the machine restarted", rewrite(lambda old: boot.sub(b"00000000-0000-4000-8000-000000000000", old))))


def test_a_state_that_cannot_be_trusted():
    for begun in (0, 1):
        for told, damage in damages():
            capture, results = write_capture(12), new_folder() / "r"
            with FaultServer([answer(200)] * begun + [hang()], *[[hang()]] * 7, answer(200)) as server:
                stop(capture, "--results", results, "--concurrency", 8, server=server, after=8 + begun)
                damage(marks_of(results))
                sent, kept = len(server.requests), results.read_bytes()
                refused = replay(server, capture, "--resume", results, code=2).err
                assert f"'{results}' belongs to an unfinished run, and '{marks_of(results)}' {told}\n" in refused
                assert "--retry-unknown" in refused
                if begun:
                    credhook("replay", capture, "--to", server.url, "--results", results).expect(2)
                assert len(server.requests) == sent and results.read_bytes() == kept
                done = replay(server, capture, "--resume", results, "--retry-unknown").err
                assert f"'{marks_of(results)}' {told}: what was in flight is not known" in done
                assert set(numbers(server)) == set(range(1, 13)) and not marks_of(results).exists()
                accepted = [line["record"] for line in read_results(results) if line["outcome"] == "accepted"]
                assert sorted(accepted) == list(range(1, 13))


def test_a_run_that_ended_needs_no_marks():
    capture, results = capture_of(1, 2, 3), new_folder() / "r"
    with FaultServer(answer(200)) as server:
        replay(server, capture, "--limit", 2, "--results", results)
        assert [line.get("ended") for line in read_results(results)] == [True, None]
        replay(server, capture, "--resume", results)
        assert [line.get("ended") for line in read_results(results)] == [True, None, None]
        assert numbers(server) == [1, 2, 3]


def test_an_interrupted_run_says_so_in_its_first_line():
    capture, results = capture_of(1, 2, 3), new_folder() / "r"
    with FaultServer([answer(200), answer(500)], answer(200)) as server:
        replay(server, capture, "--results", results, "--max-failures", 0, code=1)
        assert read_results(results)[0]["ended"] is False and marks_of(results).exists()
        # It ended in order, so that a restart of the machine is no matter.
        _, reboot = damages()[-1]
        reboot(marks_of(results))
        replay(server, capture, "--resume", results, code=1)
        assert read_results(results)[0]["ended"] is True and numbers(server) == [1, 2, 3]


def test_marks_that_are_somebody_else_s():
    capture, folder = capture_of(1, 2), new_folder()
    with FaultServer([answer(200), hang()], answer(200)) as server:
        for number, text in enumerate((b"dear diary\n", b"\n", b"credhook", b"\0diary")):
            results = folder / str(number)
            marks_of(results).write_bytes(text)
            refused = replay(server, capture, "--results", results, code=2).err
            assert f"'{marks_of(results)}' is not a file of credhook's; left unchanged\n" in refused
            assert marks_of(results).read_bytes() == text and not server.requests
        results = folder / "ended"
        stop(capture, "--results", results, server=server, after=2)
        for option in ("--resume", "--failed-only"):
            marks_of(results).write_bytes(b"dear diary\n")
            assert "left unchanged" in replay(server, capture, option, results, "--retry-unknown", "--retry", 1, code=2).err
            assert marks_of(results).read_bytes() == b"dear diary\n" and len(server.requests) == 2
        other = folder / "other"
        other.mkdir()
        marks_of(folder / "linked").symlink_to(folder / "ended")
        replay(server, capture, "--results", folder / "linked", code=3)


def test_results_without_a_hash():
    capture, results = capture_of(1, 2), new_folder() / "r"
    with FaultServer(answer(200)) as server:
        results.write_text(replay(server, capture, "--results", "-").out)
        for option in ("--resume", "--failed-only"):
            assert "have no hash" in replay(server, capture, option, results, code=2).err
        assert "has the results of another run; left unchanged" in replay(server, capture, "--results", results, code=2).err
        assert len(server.requests) == 2


def synced(*args, server, results, code=0, **variables):
    variables = {"LD_PRELOAD": os.environ["FAIL_DISK"], **{name: str(value) for name, value in variables.items()}}
    return credhook("replay", *args, "--to", server.url, "--results", results, env=variables).expect(code)


def test_both_files_are_on_the_disk_before_anything_is_sent():
    capture, results, log = capture_of(1), new_folder() / "r", new_folder() / "log"
    seen = []

    def respond(connection):
        seen.append(log.read_text())
        connection.send(b"HTTP/1.1 204 No Content\r\n\r\n")
        return True

    with FaultServer(respond) as server:
        synced(capture, server=server, results=results, SYNC_LOG=log)
    before = [re.sub(r"inflight\.\w{6}", "inflight.new", line) for line in seen[0].splitlines()]
    assert before == [f"fdatasync {results}", f"fsync {results}.inflight.new", f"rename {results}.inflight",
                      f"fsync {results.parent}"], before
    after = log.read_text()[len(seen[0]):].splitlines()
    assert after == [f"fdatasync {results}"] * 2, after


def test_a_disk_that_fails():
    capture, folder = capture_of(1, 2), new_folder()
    when = folder / "when"
    with FaultServer(answer(200)) as server:
        when.touch()
        fails = {"FAIL_CALL": "fdatasync", "FAIL_WHEN": when}
        told = synced(capture, server=server, results=folder / "a", code=3, FAIL_PATH=folder / "a", **fails).err
        assert f"cannot sync '{folder / 'a'}'" in told and not server.requests
        when.unlink()

    def respond(connection):
        when.touch()
        connection.send(b"HTTP/1.1 204 No Content\r\n\r\n")
        return True

    with FaultServer(respond) as server:
        results = folder / "b"
        told = synced(capture, server=server, results=results, code=3, FAIL_PATH=results, **fails).err
        assert f"cannot sync '{results}'" in told
        assert read_results(results)[0]["ended"] is False and marks_of(results).exists()


if __name__ == "__main__":
    run()

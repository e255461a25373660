"""What a run has done is known by the content of its records, and its results and marks are on the disk before that counts;
damaged_results_test.py has results that are not to be trusted."""
# rooms: capture cmd/send deliver

from captures import capture_of, content_id, kill_replay, marks_of, numbers, record, replay, write_capture
from support import (FaultServer, answer, answer_bytes, credhook, failing_disk, hang, launch, new_folder, records,
                     run, step)

import fcntl
import gzip
import json
import os
import re
import signal
import subprocess
from pathlib import Path


def not_in_the_inputs(count, results):
    return f"{count} of the records of '{results}' are not in the inputs\nhint: name the files that have them too"


def test_the_id_of_a_record():
    """Of its bytes as read: a line, an element, a document, without the blanks and line ends around it."""
    folder, results = new_folder(), new_folder() / "r"
    lines = [record(number).rstrip(b"\n") for number in (1, 2, 3)]
    (folder / "lf.ndjson").write_bytes(lines[0] + b"\n")
    (folder / "crlf.ndjson").write_bytes(lines[1] + b"\r\n")
    (folder / "gz.ndjson.gz").write_bytes(gzip.compress(lines[2] + b"\n"))
    whole = b' {"service": "x",\n "n": 4}\n'
    (folder / "whole.json").write_bytes(whole)
    event = '{"request": {"method": "POST", "url": "http://h/h", "postData": {"text": "{\\"service\\":5,\\"n\\":5}"}}}'
    (folder / "x.har").write_text(f'{{"log": {{"version": "1.2", "creator": {{}}, "entries": [ {event} ]}}}}')
    wanted = [*map(content_id, lines), content_id(whole.strip()), content_id(event.encode())]
    names = ("lf.ndjson", "crlf.ndjson", "gz.ndjson.gz", "whole.json", "x.har")
    with FaultServer(answer(200)) as server:
        replay(server, *(folder / name for name in names), "--results", results)
        assert [line["id"] for line in records(results)] == wanted
        results.unlink()
        credhook("send", "--validate", "off", "--file", folder / "lf.ndjson", "user-created", "--to", server.url, "--results",
                 results).expect(0)
        assert sorted(str(line["id"]) for line in records(results)) == sorted([wanted[0], "None"])


def test_an_id_does_not_depend_on_the_name():
    """The same bytes as a document or as lines, plain or gzip, in a file or on standard input."""
    for content in (b'{"details":1}', b'{"details":1}\n', b'{"details":1}\r\n', b' \t{"details":1} \n\n', b'\n{"details":1}\n',
                    b'{\n "details": 1\n}\n'):
        folder = new_folder()
        names = ["p.json", "p.txt", "p.json.gz"] + (["p.ndjson", "p.jsonl.gz"] if b"{\n" not in content else [])
        for name in names:
            (folder / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        with FaultServer(answer(200)) as server:
            replay(server, *names, "-", "--results", "r", stdin=content, cwd=folder)
            assert [line["id"] for line in records(folder / "r")] == [content_id(content.strip())] * (len(names) + 1)
            replay(server, "p.json", "--results", "renamed", cwd=folder)
            sent = len(server.requests)
            told = replay(server, names[-1], "--resume", "renamed", cwd=folder).err
            assert len(server.requests) == sent and "skipped 1 already finished" in told, (content, told)


def test_captures_that_were_rotated_renamed_appended_to_and_reordered():
    folder, results = new_folder(), new_folder() / "r"
    older, newer = folder / "c.1", folder / "c"
    older.write_bytes(b"".join(map(record, (1, 2))))
    newer.write_bytes(b"".join(map(record, (3, 4))))
    with FaultServer([answer(200)] * 2 + [hang()], answer(200)) as server:
        kill_replay(older, newer, "--results", results, server=server, after=3)
        (folder / "c.2.gz").write_bytes(gzip.compress(older.read_bytes()))
        newer.rename(older)
        newer.write_bytes(record(5))
        told = replay(server, newer, older, folder / "c.2.gz", "--resume", results, code=1).err
        assert numbers(server) == [1, 2, 3, 5, 4] and f"skipped 3 already finished according to '{results}'" in told
        renamed = newer.rename(folder / "else.log")
        replay(server, "-", "--resume", results, stdin=older.read_bytes() + record(6) + renamed.read_bytes(), code=1)
        assert numbers(server) == [1, 2, 3, 5, 4, 6]
        assert [line["outcome"] for line in records(results)] == ["accepted"] * 2 + ["unknown"] + ["accepted"] * 3
        assert sorted(line["number"] for line in records(results)) == [1, 2, 3, 4, 5, 6]


def test_records_of_an_unfinished_run_that_are_not_in_the_inputs():
    """The rest is sent, and the run stays unfinished: nobody knows what else is in the files that were not named."""
    one, other, results = capture_of(1, 2), capture_of(3, 4), new_folder() / "r"
    with FaultServer([answer(200), hang()], answer(200)) as server:
        kill_replay(one, other, "--results", results, server=server, after=2)
        told = replay(server, other, "--resume", results, code=1).err
        assert not_in_the_inputs(2, results) in told and numbers(server) == [1, 2, 3, 4]
        assert records(results)[0]["ended"] is False and marks_of(results).exists()
        assert not_in_the_inputs(2, results) in replay(server, other, "--resume", results, "--dry-run", code=1).err
        told = replay(server, other, one, "--resume", results, code=1).err
        assert "not in the inputs" not in told and records(results)[0]["ended"] is True
        # Now that it has ended, inputs may hold less, which is only said.
        for dry in ((), ("--dry-run",)):
            told = replay(server, other, "--resume", results, *dry, code=0 if dry else 1).err
            assert f"2 of the records of '{results}' are not in the inputs\n" in told and "name the files" not in told
        assert len(server.requests) == 4
        results = new_folder() / "all"
        replay(server, one, other, "--results", results)
        assert f"4 of the records of '{results}' are not" in replay(server, capture_of(5), "--resume", results).err
        assert numbers(server)[-5:] == [1, 2, 3, 4, 5]


def test_the_same_record_several_times():
    """It is sent as often as the inputs hold it, whatever it is in."""
    one, two, same = capture_of(1, 2, 1), capture_of(1, 3), capture_of(1, 2, 1)
    for order in ((one, two, same), (same, two, one), (two, one, same)):
        results = new_folder() / "r"
        with FaultServer([answer(200)] * 4 + [answer(500)], answer(200)) as server:
            replay(server, one, two, same, "--results", results, "--max-failures", 0, code=1)
            replay(server, *order, "--resume", results, code=1)
            assert sorted(numbers(server)) == [1, 1, 1, 1, 1, 2, 2, 3], order
    inputs, results = [capture_of(1)] * 300, new_folder() / "r"
    with FaultServer([answer(200)] * 199 + [answer(500)], answer(200)) as server:
        replay(server, *inputs, "--results", results, "--max-failures", 0, code=1)
        for _ in range(2):
            replay(server, *inputs, "--resume", results, code=1)
            assert len(server.requests) == 300


def in_flight_together(results, *args):
    """Of two deliveries of the same record, which are under way at the same time, one has a line when this is killed."""
    def respond(connection):
        server.wait_requests(2)
        connection.send(answer_bytes(200))
        return True

    with FaultServer(step(respond), hang()) as server:
        process = launch("replay", *args, "--concurrency", "2", "--results", results, "--to", server.url,
                         stderr=subprocess.DEVNULL)
        while b" 200 " not in (line := process.stdout.readline()):  # a port may have these digits, too
            assert line, "it has ended"
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert numbers(server) == [1, 1] and len(records(results)) == 1


def test_a_line_is_the_end_of_one_delivery():
    for again in (False, True):
        capture = capture_of(1)
        for args in ((capture, capture), (capture, capture_of(1))):
            results = new_folder() / "r"
            in_flight_together(results, *args)
            with FaultServer(answer(200)) as server:
                options = ("--resume", results, "--retry-unknown") if again else ("--resume", results)
                told = replay(server, *args, *options, code=0 if again else 1).err
                assert told.count("in flight when the run was cut off") == 1, told
                assert len(server.requests) == again
                expected = ["accepted", "unknown"] + ["accepted"] * again
                assert [line["outcome"] for line in records(results)] == expected
                told = replay(server, *args, "--resume", results, code=0 if again else 1).err
                assert "in flight" not in told and len(server.requests) == again


def test_another_selection_is_refused():
    capture, results = write_capture(6), new_folder() / "r"
    chosen = ("--events", "user-created,bureau-alert", "--where", "n!=9", "--status", "2xx|502", "--since",
              "2026-01-02T03:00:00Z", "--shard", "1/1")
    with FaultServer(answer(200)) as server:
        replay(server, capture, *chosen, "--results", results)
        own = ("--events user-created,bureau-alert --where 'n!=9' --status '2xx|502' --since 2026-01-02T03:00:00.000000Z "
               "--shard 1/1")
        first, *others = records(results)
        assert first["selection"].replace("/n!=9", "n!=9") == own, first
        assert first["seed"] is None and all("selection" not in line for line in others)
        for args in ((), chosen[:-2], (*chosen, "--status", "3xx"), (*chosen, "--limit", 9)):
            told = replay(server, capture, *args, "--resume", results, code=2).err
            assert f"'{results}' is of a run with another selection: {first['selection']}\n" in told, told
        replay(server, capture, *chosen, "--resume", results)
        replay(server, capture, "--failed-only", results)
        assert len(server.requests) == 6
        # Before there is a line the marks have it.
        results = new_folder() / "r"
    with FaultServer([hang()], answer(200)) as server:
        kill_replay(capture, "--limit", 2, "--results", results, server=server, after=1)
        assert "another selection: --limit 2\n" in replay(server, capture, "--resume", results, code=2).err
        replay(server, capture, "--limit", 2, "--resume", results, code=1)
        assert numbers(server) == [1, 2]


def test_places_that_hold_other_records_now():
    """--limit and --record choose by place."""
    for options in (("--limit", 3), ("--record", "1,2,3")):
        capture, results = capture_of(1, 2, 3, 4, 5), new_folder() / "r"
        with FaultServer([answer(200), answer(200), answer(500)], answer(200)) as server:
            replay(server, capture, *options, "--results", results, "--max-failures", 0, code=1)
            before = capture.read_bytes()
            capture.write_bytes(record(9) + before)
            told = replay(server, capture, *options, "--resume", results, code=2).err
            assert f"1 of the records of '{results}' are not among those chosen now\n" in told, told
            capture.write_bytes(before + record(9))
            replay(server, capture, *options, "--resume", results, code=1)
            assert numbers(server) == [1, 2, 3]
            # A pipe is looked at only once.
            told = replay(server, "-", *options, "--resume", results, stdin=record(9) + before, code=1).err
            assert "1 of the records of" in told and numbers(server) == [1, 2, 3, 9]


def test_shards_divide_by_content():
    """Each record belongs to one of them, whatever is beside it."""
    captures = [capture_of(*range(1, 41)), capture_of(*range(60, 0, -1))]
    parts = []
    for capture in captures:
        for part in range(1, 4):
            with FaultServer(answer(200)) as server:
                replay(server, capture, "--shard", f"{part}/3")
                parts.append(set(numbers(server)))
    assert sorted(number for part in parts[:3] for number in part) == list(range(1, 41)) and all(parts)
    assert [{number for number in part if number <= 40} for part in parts[3:]] == parts[:3]


def test_begin_or_continue():
    """--results F --resume F, for what is started again and again over a pipe that grows."""
    results, both = new_folder() / "r", ("--results", "r", "--resume", "r")
    with FaultServer([answer(200)], [answer(200), hang()], answer(200)) as server:
        replay(server, "-", *both, "--dry-run", stdin=record(1), cwd=results.parent)
        assert not results.exists()
        replay(server, "-", *both, stdin=record(1), cwd=results.parent)
        kill_replay(capture_of(1, 2, 3, 4), "--results", results, "--resume", results, server=server, after=3)
        replay(server, "-", *both, stdin=b"".join(map(record, (1, 2, 3, 4, 5))), cwd=results.parent, code=1)
        assert numbers(server) == [1, 2, 3, 4, 5]
        assert [line["number"] for line in records(results)] == [1, 2, 3, 4, 5]
        assert "cannot open" in replay(server, capture_of(1), "--resume", results.parent / "none", code=3).err


def test_a_resumption_that_ends_before_its_own_marks():
    """What was in flight has its line then, and the marks are still those of the run before."""
    folder, results = new_folder(), new_folder() / "r"
    capture, when = capture_of(1, 2), folder / "when"
    with FaultServer([answer(200)] * 2 + [hang()], answer(200)) as server:
        kill_replay(capture, capture, "--results", results, server=server, after=3)
        when.touch()
        fails = {"LD_PRELOAD": failing_disk(), "FAIL_CALL": "fdatasync", "FAIL_PATH": str(results), "FAIL_WHEN": str(when)}
        replay(server, capture, capture, "--resume", results, code=3, env=fails)
        assert len(records(results)) == 3
        told = replay(server, capture, capture, "--resume", results, code=1).err
        assert "in flight when" not in told and numbers(server) == [1, 2, 1, 2]
        assert [line["outcome"] for line in records(results)] == ["accepted"] * 2 + ["unknown", "accepted"]


def test_a_run_whose_marks_could_not_be_made():
    """It leaves no results that are refused, and does not cut those that are there. Here the name gets too long."""
    capture, folder = capture_of(1, 2), new_folder()
    results, long = folder / "r", folder / ("r" * 240)
    with FaultServer(answer(200)) as server:
        assert re.search(r"\.\.\.': File ?name too long", replay(server, capture, "--results", long, code=3).err)
        assert not server.requests and list(folder.iterdir()) == [long]
        long.rename(results)
        replay(server, capture, "--resume", results)
        kept = results.read_bytes()
        results.rename(long)
        for option, code in (("--results", 2), ("--resume", 3)):
            replay(server, capture, option, long, code=code)
            assert long.read_bytes() == kept and len(server.requests) == 2


def test_results_without_marks():
    """On stdout and in a FIFO nothing shows what was in flight, nor that the run has ended."""
    capture, folder = capture_of(1, 2), new_folder()
    fifo, results = folder / "fifo", folder / "r"
    os.mkfifo(fifo)
    with FaultServer([answer(200), answer(500)], [answer(200), answer(500)], answer(200)) as server:
        results.write_text(replay(server, capture, "--results", "-", code=1).out)
        with subprocess.Popen(["cat", fifo], stdout=subprocess.PIPE) as reader:
            replay(server, capture, "--results", fifo, code=1)
            lines = reader.stdout.read().splitlines()
        assert [json.loads(line)["outcome"] for line in lines] == ["accepted", "rejected"]
        assert {path.name for path in folder.iterdir()} == {"fifo", "r"}
        assert f"'{marks_of(results)}' is missing" in replay(server, capture, "--resume", results, code=2).err
        assert "not a regular file" in replay(server, capture, "--resume", fifo, code=2).err
        replay(server, capture, "--failed-only", results)
        assert numbers(server) == [1, 2, 1, 2, 2]


def test_a_reader_of_results_that_leaves():
    fifo = new_folder() / "fifo"
    os.mkfifo(fifo)
    gone = []

    def respond(connection):
        if not gone:
            gone.append(reader.stdout.close() or reader.kill() or reader.wait())
        connection.send(answer_bytes(200))
        return True

    with FaultServer(step(respond)) as server, subprocess.Popen(["cat", fifo], stdout=subprocess.PIPE) as reader:
        told = replay(server, write_capture(5), "--results", fifo, code=3).err
        assert f"cannot write '{fifo}': Broken pipe" in told and len(server.requests) == 1


def synced(*args, server, results, code=0, **variables):
    variables = {"LD_PRELOAD": failing_disk(), **{name: str(value) for name, value in variables.items()}}
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
    before = [line.replace("inflight.credhook-1.tmp", "inflight.new") for line in seen[0].splitlines()]
    assert before == [f"fsync {results}.inflight.new", f"rename {results}.inflight", f"fsync {results.parent}",
                      f"fdatasync {results}"], before
    after = log.read_text()[len(seen[0]):].splitlines()
    assert after == [f"fdatasync {results}"] * 2, after


def test_what_a_killed_run_left_is_removed():
    """A run that is killed before its marks or its report are in place; the next one that writes the same file."""
    capture, folder = capture_of(1), new_folder()
    results, page = folder / "r", folder / "page.html"
    args = ("--results", results, "--report", f"html={page}")
    with FaultServer(answer(204)) as server:
        for path in (f"{results}.inflight", page):
            fails = {"LD_PRELOAD": failing_disk(), "FAIL_CALL": "rename", "FAIL_PATH": str(path)}
            replay(server, capture, *args, code=-signal.SIGKILL, env=fails)
            assert list(folder.glob(f"{Path(path).name}.*.tmp")) == [Path(f"{path}.credhook-1.tmp")], list(folder.iterdir())
        results.unlink()
        with open(f"{page}.credhook-1.tmp", "rb") as other:
            fcntl.flock(other, fcntl.LOCK_SH)
            replay(server, capture, *args)
            assert sorted(folder.iterdir()) == [page, Path(other.name), results], list(folder.iterdir())
        results.unlink()
        replay(server, capture, *args)
    assert sorted(folder.iterdir()) == [page, results], list(folder.iterdir())


def test_an_end_that_is_written_in_pieces():
    capture, folder = capture_of(1, 2), new_folder()
    with FaultServer(answer(200)) as server:
        synced(capture, server=server, results=folder / "r", FAIL_CALL="pieces", FAIL_PATH=folder / "r", FAIL_WHEN=folder)
    assert records(folder / "r")[0]["ended"] is True and records(folder / "r")[0]["lines"] == 2


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
        assert records(results)[0]["ended"] is False and marks_of(results).exists()


if __name__ == "__main__":
    run()

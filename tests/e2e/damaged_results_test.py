#!/usr/bin/python3
"""Results and marks that were shortened, edited, or written by somebody else: none is believed, and nothing accepted goes
out again without a word."""
# rooms: cmd/send deliver

import json
import os
import re

from captures import capture_of, kill_replay, marks_of, numbers, replay, write_capture
from support import FaultServer, answer, credhook, hang, new_folder, records, run


def test_results_that_were_shortened():
    for change in (lambda old: b"".join(old.splitlines(keepends=True)[:2]), lambda old: b"", lambda old: old[:-1]):
        capture, results = capture_of(1, 2, 3, 4, 5), new_folder() / "r"
        with FaultServer([answer(200)] * 3 + [hang()], answer(200)) as server:
            kill_replay(capture, "--results", results, server=server, after=4)
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
            ("is empty, or filled with zeros", rewrite(lambda old: b"")),
            ("is empty, or filled with zeros", rewrite(lambda old: bytes(len(old)))),
            ("was written by another version of credhook", rewrite(lambda old: old.replace(b"version 1", b"version 2"))),
            ("is truncated", rewrite(lambda old: old[:len(old) // 2])),
            ("is truncated", rewrite(lambda old: old[:80])),
            ("has a damaged mark", rewrite(lambda old: old.replace(b"user-created", b"user-cheated", 2))),
            ("was written before the machine restarted", rewrite(lambda old: boot.sub(b"00000000-0000-4000-8000-000000000000", old))))


def test_a_state_that_cannot_be_trusted():
    for begun in (0, 1):
        for told, damage in damages():
            capture, results = write_capture(12), new_folder() / "r"
            with FaultServer([answer(200)] * begun + [hang()], *[[hang()]] * 7, answer(200)) as server:
                kill_replay(capture, "--results", results, "--concurrency", 8, server=server, after=8 + begun)
                damage(marks_of(results))
                sent, kept = len(server.requests), results.read_bytes()
                if begun or "missing" not in told:  # an empty file alone is no run at all
                    refused = replay(server, capture, "--resume", results, code=2).err
                    assert f"'{results}' belongs to an unfinished run, and '{marks_of(results)}' {told}\n" in refused
                    assert "--retry-unknown" in refused
                    credhook("replay", capture, "--to", server.url, "--results", results).expect(2)
                assert len(server.requests) == sent and results.read_bytes() == kept
                done = replay(server, capture, "--resume", results, "--retry-unknown").err
                assert begun == 0 or f"'{marks_of(results)}' {told}: what was in flight is not certain" in done
                assert set(numbers(server)) == set(range(1, 13)) and not marks_of(results).exists()
                accepted = [line["record"] for line in records(results) if line["outcome"] == "accepted"]
                assert sorted(accepted) == list(range(1, 13))


EDITS = (('"number":2,', *(f'"number":{n},' for n in ("0", "-2", "2.0", "2e0", '"2"', "null", 2 ** 53 + 1, 2 ** 64 - 1, 2 ** 64))),
         ('"number":2,', '"number":2,"number":2,', ""),
         ('"attempt":1,', '"attempt":0,', '"attempt":-1,', '"attempt":"1",', '"attempt":1,"attempt":1,', ""),
         ('"final":true', '"final":"true"', '"final":1', '"final":null', '"final":false,"final":true'),
         ('"outcome":"accepted"', '"outcome":"Accepted"', '"outcome":200', '"outcome":"rejected","outcome":"accepted"'),
         ('"id":"', '"id":"0', '"id":"g', '"id":"\\u0030', '"id":"","id":"', '"no":"'))


def test_lines_that_were_edited():
    """Each of these is a bad line, which is reported, and so its record is not known to have ended."""
    capture, results = capture_of(1, 2, 3), new_folder() / "r"
    with FaultServer(answer(200)) as server:
        replay(server, capture, "--results", results)
        first, second, third = results.read_text().splitlines(keepends=True)
        for old, *edits in EDITS:
            for new in edits:
                sent = len(server.requests)
                results.write_text(first + second.replace(old, new) + third)
                told = replay(server, capture, "--resume", results).err
                assert f"'{results}': 1 torn or not results, the first at line 2: ignored\n" in told, (new, told)
                assert numbers(server)[sent:] == [2] and results.read_text().count('"outcome":"accepted"') >= 3, new
                # Without its first line nothing is known of a run.
                results.write_text(first.replace(old, new).replace('"number":1,', new if old == '"number":2,' else '"number":1,'))
                told = replay(server, capture, "--resume", results, code=2).err
                assert "left unchanged" in told, (new, told)
                assert len(server.requests) == sent + 1


def test_the_greatest_number():
    """2^53, and what is continued has at most half of it."""
    for number, code in ((2 ** 52, 0), (2 ** 52 + 1, 2), (2 ** 53, 2)):
        capture, results = capture_of(1, 2), new_folder() / "r"
        with FaultServer(answer(200)) as server:
            replay(server, capture, "--results", results)
            results.write_text(results.read_text().replace('"number":2,', f'"number":{number},'))
            kept = results.read_bytes()
            told = replay(server, capture, capture_of(3), "--resume", results, code=code).err
            if code:
                assert f"an attempt in '{results}' has the number {number}: it was edited\n" in told, told
                assert results.read_bytes() == kept and numbers(server) == [1, 2]
            else:
                assert records(results)[2]["number"] == number + 1 and numbers(server) == [1, 2, 3]
            assert "torn" not in replay(server, capture, "--failed-only", results).err


def test_a_line_with_the_number_of_another_attempt():
    """The mark is to be believed, which has a checksum: what is in flight does not get a line by chance."""
    capture, results = capture_of(1, 2, 3), new_folder() / "r"
    with FaultServer([answer(200)] * 2 + [hang()], answer(200)) as server:
        kill_replay(capture, "--results", results, server=server, after=3)
        results.write_text(results.read_text().replace('"number":2,', '"number":3,'))
        told = replay(server, capture, "--resume", results, code=1).err
        assert "1 torn or not results, the first at line 2: ignored" in told and f"{capture}:3\n" in told, told
        assert numbers(server) == [1, 2, 3, 2]


def test_an_end_that_was_edited():
    """What is in flight beside it counts, and a word of another length cannot be changed where it stands."""
    capture = capture_of(1, 2, 3)
    with FaultServer([answer(200)] * 2 + [hang()], answer(200)) as server:
        results = new_folder() / "r"
        kill_replay(capture, "--results", results, server=server, after=3)
        results.write_text(results.read_text().replace('"ended":false', '"ended":true '))
        assert "belongs to an unfinished run, with 1 in flight" in replay(server, capture, "--results", results, code=2).err
        told = replay(server, capture, "--resume", results, code=1).err
        assert f"in flight when the run was cut off, so its outcome is unknown: {capture}:3\n" in told
        assert numbers(server) == [1, 2, 3] and records(results)[0]["ended"] is True and not marks_of(results).exists()
    for word, told in (('true', "was rewritten by another program, and cannot be continued"),
                       ('"true"', "belongs to an unfinished run, and"), ("null", "belongs to an unfinished run, and"),
                       ("1", "belongs to an unfinished run, and")):
        results = new_folder() / "r"
        with FaultServer(answer(200)) as server:
            replay(server, capture, "--results", results)
            results.write_text(results.read_text().replace('"ended":true ', f'"ended":{word}'))
            kept = results.read_bytes()
            assert told in replay(server, capture, "--resume", results, code=2).err and results.read_bytes() == kept
            replay(server, capture, "--failed-only", results)
            if word != "true":
                replay(server, capture, capture_of(4), "--resume", results, "--retry-unknown")
            assert len(server.requests) == (3 if word == "true" else 4) and results.read_bytes().startswith(kept)


def test_a_finished_file_that_has_lost_lines():
    """Whole ones, at its end or within: what they say was sent is not sent again without a word."""
    capture = capture_of(1, 2, 3, 4)
    for lost in slice(2, 4), slice(1, 2):
        results = new_folder() / "r"
        with FaultServer(answer(200)) as server:
            replay(server, capture, "--results", results)
            assert records(results)[0]["lines"] == 4
            lines = results.read_bytes().splitlines(keepends=True)
            del lines[lost]
            results.write_bytes(b"".join(lines))
            told = replay(server, capture, "--resume", results, code=2).err
            assert f"'{results}' has only {len(lines)} of the 4 lines of its run\n" in told and "--retry-unknown" in told, told
            assert results.read_bytes() == b"".join(lines) and len(server.requests) == 4
            told = replay(server, capture, "--failed-only", results, "--dry-run").err
            assert f"of the lines of '{results}'" in told, told
            told = replay(server, capture, "--resume", results, "--retry-unknown").err
            assert f"of the lines of '{results}'" in told and len(server.requests) == 8 - len(lines), told
            assert records(results)[0]["ended"] is True and records(results)[0]["lines"] == 4
            assert "skipped 4 already finished" in replay(server, capture, "--resume", results).err
    # One that an earlier version wrote does not say how many there were, and goes on without.
    results = new_folder() / "r"
    with FaultServer(answer(200)) as server:
        replay(server, capture, "--results", results)
        results.write_text(re.sub(r',"lines":4 *}', "}", results.read_text()))
        replay(server, capture, capture_of(5), "--resume", results)
        assert "lines" not in records(results)[0] and records(results)[0]["ended"] is True and len(records(results)) == 5


def test_a_first_line_that_was_edited():
    for old, new in (('"selection":""', '"selection":null'), ('"seed":null', '"seed":"1"'), ('"seed":null', '"seed":-1'),
                     ('"seed":null', '"seed":null,"seed":null')):
        capture, results = capture_of(1, 2), new_folder() / "r"
        with FaultServer(answer(200)) as server:
            replay(server, capture, "--results", results)
            results.write_text(results.read_text().replace(old, new))
            for option in ("--resume", "--failed-only", "--results"):
                told = replay(server, capture, option, results, code=2).err
                assert f"line 1 of '{results}' is damaged or was edited; left unchanged\n" in told, told
            assert len(server.requests) == 2


def test_an_interrupted_run_says_so_in_its_first_line():
    capture, results = capture_of(1, 2, 3), new_folder() / "r"
    with FaultServer([answer(200), answer(500)], answer(200)) as server:
        replay(server, capture, "--results", results, "--max-failures", 0, code=1)
        assert [line.get("ended") for line in records(results)] == [False, None] and marks_of(results).exists()
        # It ended in order, so that a restart of the machine is no matter.
        _, reboot = damages()[-1]
        reboot(marks_of(results))
        replay(server, capture, "--resume", results, code=1)
        assert [line.get("ended") for line in records(results)] == [True, None, None] and numbers(server) == [1, 2, 3]


def test_marks_that_are_somebody_else_s():
    capture, folder = capture_of(1, 2), new_folder()
    with FaultServer([answer(200), hang()], answer(200)) as server:
        for number, text in enumerate((b"dear diary\n", b"\n", b"credhook", b"\0diary")):
            results = folder / str(number)
            marks_of(results).write_bytes(text)
            refused = replay(server, capture, "--results", results, code=2).err
            assert f"'{marks_of(results)}' was not written by credhook; left unchanged\n" in refused
            assert marks_of(results).read_bytes() == text and not server.requests
        results = folder / "ended"
        kill_replay(capture, "--results", results, server=server, after=2)
        marks_of(results).write_bytes(b"dear diary\n")
        assert "left unchanged" in replay(server, capture, "--resume", results, "--retry-unknown", code=2).err
        assert marks_of(results).read_bytes() == b"dear diary\n" and len(server.requests) == 2
        marks_of(folder / "linked").symlink_to(folder / "ended")
        replay(server, capture, "--results", folder / "linked", code=3)


def test_results_without_ids():
    """Their records cannot be found again."""
    capture, results = capture_of(1, 2), new_folder() / "r"
    line = {"input": "c", "record": 1, "attempt": 1, "final": True, "event": None, "outcome": "rejected", "status": 500,
            "due": None, "sent": None, "latency_ms": 0, "bytes": 1, "hash": f"{1:016x}-{2:016x}", "ended": False}
    with FaultServer(answer(200)) as server:
        for ended in (False, True):
            results.write_text(json.dumps({**line, "ended": ended}) + "\n")
            for option in ("--resume", "--failed-only", "--results"):
                told = replay(server, capture, option, results, code=2).err
                assert f"'{results}' is not a results file; left unchanged\n" in told
        assert not server.requests


if __name__ == "__main__":
    run()

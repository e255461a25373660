#!/usr/bin/python3
"""--results: its lines, who may read them, and files that are not results or cannot be written."""
# rooms: cmd/send deliver

import os
import subprocess

from captures import replay, write_capture
from support import FaultServer, answer, binary, close_without_answer, credhook, new_folder, records, run

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
            results.write_text("")
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
        refused = replay(server, write_capture(3), "--results", "-", "--json", code=2)
        assert "--results - and --json both write to stdout" in refused.err and refused.out == "" and len(server.requests) == 3
    assert [list(line) for line in lines] == [KEYS + FIRST, KEYS, KEYS] and lines[0]["ended"] is False


def test_what_is_printed_is_not_written_over_results():
    """A file that stdout goes to is refused before anything is sent; "-" writes results there."""
    folder = new_folder()
    path, capture = folder / "results.ndjson", write_capture(2)
    with FaultServer(answer(200)) as server:
        for name, args in (path, ["--json"]), ("/dev/stdout", []):
            with path.open("w") as file:
                result = subprocess.run([binary(), "replay", str(capture), "--to", server.url, "--results", str(name), *args],
                                        stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.PIPE, text=True)
            assert result.returncode == 2 and f"cannot append to '{name}': standard output" in result.stderr, result
        assert not server.requests and [file.name for file in folder.iterdir()] == [path.name]


def test_send_numbers_what_it_makes():
    results = new_folder() / "results.ndjson"
    with FaultServer(answer(204)) as server:
        credhook("send", "user-created", "bureau-alert", "--count", 2, "--to", server.url, "--results", results).expect(0)
    assert [(line["input"], line["record"]) for line in records(results)] == [(None, n) for n in (1, 2, 3, 4)]


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
                assert f"'{results}' is a results file, not a capture: --resume, --failed-only and --compare=FILE take it\n" in refused.err
            assert len(server.requests) == number + 1, "nothing was sent"
            results.unlink()
        for text, code in (('{"input":"a","record":{"n":1}}', 3), ('{"input":null}', 3), ('{"input":"a', 1), ('{"input":"\\', 1), ("", 0)):
            (folder / "like.ndjson").write_text(text + "\n")
            done = credhook("replay", odd, folder / "like.ndjson", "--to", server.url).expect(code)
            assert "a results file" not in done.err, done


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


def test_what_is_refused_leaves_no_results_behind():
    capture, results = write_capture(1), new_folder() / "results.ndjson"
    results.with_name("results.ndjson.inflight").write_text("dear diary")
    with FaultServer(answer(200)) as server:
        for more in (), ("--resume", results):
            assert "was not written by credhook" in replay(server, capture, "--results", results, *more, code=2).err
            assert not results.exists(), more
        assert not server.requests


def test_results_are_not_replaced():
    """Finished or not, of either command: they are all there is of what was sent."""
    folder, capture = new_folder(), write_capture(3)
    made = ["send", "user-created"]
    with FaultServer(answer(200)) as server:
        for number, first in enumerate((["replay", capture], ["send", "--file", capture, "--validate", "off"], made)):
            results = folder / f"r{number}"
            credhook(*first, "--to", server.url, "--results", results).expect(0)
            kept, came = results.read_bytes(), len(server.requests)
            for again in first, ["replay", capture, "--limit", 1], ["send", "bureau-alert"]:
                refused = credhook(*again, "--to", server.url, "--results", results).expect(2).err
                assert f"'{results}' has the results of a finished run; not replaced\n" in refused, refused
                assert f"rm '{results}'" in refused and ("--resume" in refused and "--compare=FILE" in refused) == (first != made), refused
            assert results.read_bytes() == kept and len(server.requests) == came
        # The name is a shell's word, whatever is in it.
        odd = folder / "it's $HOME; 'x'"
        credhook(*made, "--to", server.url, "--results", odd).expect(0)
        line = credhook(*made, "--to", server.url, "--results", odd).expect(2).err.split("remove it first: ")[1]
        assert subprocess.run(["sh", "-c", line], check=False).returncode == 0 and not odd.exists(), line
        replay(server, capture, "--failed-only", folder / "r1", "--results", folder / "r0", code=2)
        # What the hint says.
        results, other = folder / "r0", folder / "other"
        assert "skipped 3 already finished" in replay(server, capture, "--resume", results).err
        replay(server, capture, f"--compare={results}", "--results", other)
        results.unlink()
        replay(server, capture, "--results", results)
        assert len(records(results)) == len(records(other)) == 3
        # One that is empty is nobody's.
        (folder / "empty").touch()
        replay(server, capture, "--results", folder / "empty")
        assert len(records(folder / "empty")) == 3


def test_results_that_cannot_be_written():
    with FaultServer(answer(200)) as server:
        result = replay(server, write_capture(3), "--results", "/dev/full", code=3)
        assert "cannot write '/dev/full'" in result.err and len(server.requests) == 1


def test_results_in_a_directory_that_is_not_there():
    folder = new_folder() / "none"
    err = replay("http://127.0.0.1:1", write_capture(1), "--results", folder / "r", code=3).err
    assert err == f"credhook: cannot write '{folder}/r': No such file or directory\n  hint: the directory '{folder}' does not exist\n", err


if __name__ == "__main__":
    run()

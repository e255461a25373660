#!/usr/bin/python3
"""A first Ctrl-C ends whatever reads, wherever it is in its inputs: exit 130, and a line that says how far it got."""
# rooms: capture

import gzip
import json
import os
import re
import resource
import signal
import subprocess
import time
from pathlib import Path

from support import DEADLINE, built, launch, new_folder, run

AT_ONCE = 5  # seconds that a busy machine may need; the inputs take minutes
WORK = 1  # second of processor time, under sanitizers, too
FOLDER = new_folder()


def packed(name, block, times, begin=b""):
    """A .gz that holds the block very often: members one after the other, so that it takes no time to make."""
    file = FOLDER / f"{name}.gz"
    file.write_bytes((gzip.compress(begin) if begin else b"") + gzip.compress(block) * times)
    return file


def record():
    return json.dumps({"v": 1, "seq": 1, "received_at": "2026-01-02T03:04:05Z", "method": "POST", "target": "/",
                       "headers": [["Content-Type", "application/json"]], "body": built("user-created").decode(),
                       "response": {"status": 200}}).encode() + b"\n"


def entry():
    return json.dumps({"startedDateTime": "2026-01-02T03:04:05Z",
                       "request": {"method": "POST", "url": "http://h/", "headers": [{"name": "Content-Type", "value": "application/json"}],
                                   "postData": {"mimeType": "application/json", "text": built("user-created").decode()}},
                       "response": {"status": 200, "headers": []}}).encode()


RECORDS = packed("records.ndjson", record() * 10000, 500)
BLANK = packed("blank.ndjson", b"\n" * (10 << 20), 1000)
# One member after which there is nothing but blank lines.
BEHIND = packed("behind.ndjson", b" \r\n" * (3 << 20), 1000, record())
HAR = packed("big.har", (entry() + b",") * 10000, 500, b'{"log":{"version":"1.2","creator":{"name":"x","version":"1"},"entries":[')
RESULTS = packed("results.ndjson", json.dumps({
    "number": 1, "input": "x", "record": 1, "id": "0" * 32, "attempt": 1, "final": True, "event": "user-created", "outcome": "accepted",
    "status": 200, "due": None, "sent": None, "latency_ms": 1.0, "bytes": 1}).encode() + b"\n", 1)


def position(process, file):
    """How many bytes of the file it has read."""
    for link in Path(f"/proc/{process.pid}/fd").iterdir():
        try:
            if os.path.samefile(link, file):
                return int(re.search(r"^pos:\s*(\d+)", Path(f"/proc/{process.pid}/fdinfo/{link.name}").read_text(), re.M)[1])
        except FileNotFoundError:
            pass
    return 0


def work_of(usage):
    return usage.ru_utime + usage.ru_stime


def work_so_far(process):
    """The seconds of processor time that it has used, whatever else the machine does."""
    numbers = Path(f"/proc/{process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(numbers[11]) + int(numbers[12])) / os.sysconf("SC_CLK_TCK")


def stopped(*args, file, cwd=None, beyond=64 << 10, is_there=None):
    """stderr of a run that got a Ctrl-C when it had read more of the file than that, and had written a file there."""
    ended_before = work_of(resource.getrusage(resource.RUSAGE_CHILDREN))
    with launch(*args, stdout=subprocess.DEVNULL, cwd=cwd or new_folder()) as process:
        try:
            until = time.monotonic() + DEADLINE
            while position(process, file) <= beyond or (is_there and not any(is_there.glob("*.json"))):
                assert process.poll() is None and time.monotonic() < until, (args, process.returncode, process.stderr.read())
                time.sleep(0.01)
            before, began = work_so_far(process), time.monotonic()
            process.send_signal(signal.SIGINT)
            code = process.wait(DEADLINE)
            took = time.monotonic() - began
            work = work_of(resource.getrusage(resource.RUSAGE_CHILDREN)) - ended_before - before
        finally:
            process.kill()
        err = process.stderr.read().decode()
    assert code == 130 and took < AT_ONCE and work < WORK, (args, code, took, work, err)
    return err


def test_a_list():
    for file in RECORDS, BLANK, BEHIND, HAR:
        err = stopped("show", file, file=file)
        assert re.fullmatch(r"(.*: .* notifications.*\n)?interrupted after [\d,]+ records?(: .*)?\n", err), err
    # Nothing that is chosen, and no number that is reached.
    for which in ["--where", "details.appKey=x"], ["999999999"]:
        err = stopped("show", RECORDS, *which, file=RECORDS)
        assert re.fullmatch(r"interrupted after [\d,]+ records?\n", err), err


def test_a_conversion():
    for file in RECORDS, BLANK, HAR:
        err = stopped("convert", file, file=file)
        assert re.search(r"^interrupted after [\d,]+ records?: [\d,]+ written\n\Z", err, re.M), err
    folder = new_folder()
    for options in ["--where", "details.appKey=x"], ["--redact"]:
        err = stopped("convert", RECORDS, "-o", "out.ndjson", *options, file=RECORDS, cwd=folder)
        assert re.fullmatch(r"interrupted after [\d,]+ records?: 'out.ndjson' not written\n", err), err
    assert list(folder.iterdir()) == []
    err = stopped("convert", RECORDS, "--distinct", "-o", "golden/", file=RECORDS, cwd=folder, is_there=folder / "golden")
    assert re.fullmatch(r"interrupted after [\d,]+ records?: 1 written\n", err), err
    assert len(list((folder / "golden").iterdir())) == 1
    # What was there already was not written.
    err = stopped("convert", RECORDS, "--distinct", "-o", "golden/", file=RECORDS, cwd=folder)
    assert re.fullmatch(r"interrupted after [\d,]+ records?: 0 written\n", err), err


def test_files_of_one_block():
    """What is read at once may be many files: it ends after the one that is being written."""
    folder, count = new_folder(), 200
    (folder / "many.ndjson").write_text('{"service":"","event":""}\n' * count)
    assert (folder / "many.ndjson").stat().st_size < 64 << 10
    with launch("convert", "many.ndjson", "-o", "out/", stdout=subprocess.DEVNULL, cwd=folder) as process:
        try:
            until = time.monotonic() + DEADLINE
            while not any(folder.glob("out/*.json")):
                assert process.poll() is None and time.monotonic() < until
            process.send_signal(signal.SIGINT)
            code = process.wait(DEADLINE)
        finally:
            process.kill()
        err = process.stderr.read().decode()
    written = len(list(folder.glob("out/*.json")))
    assert (code, err) == (130, f"interrupted after {written:,} records: {written:,} written\n") and written < count, (code, err)


def test_a_check():
    """By one that reads blocks, and by a worker that reads all: of a HAR file, and of what is one by its name."""
    as_document = FOLDER / "har.json.gz"
    os.link(HAR, as_document)
    for file in RECORDS, BLANK, BEHIND, HAR, as_document:
        err = stopped("validate", file, file=file)
        assert re.search(r"^interrupted after [\d,]+ payloads?: [\d,]+ valid, 0 invalid(; \d+ blank lines skipped)?\n\Z", err, re.M), err


def test_one_document():
    """It is in memory, and has only to be checked: a signal that is not looked at until then comes after one payload."""
    file = FOLDER / "one.json"
    members = ",".join(f'"k{i}":[1,"a",{{"b":null}}]' for i in range(2_000_000))
    file.write_text(f'{{"service":"user","event":"created","details":{{{members}}}}}')
    err = stopped("validate", file, file=file, beyond=file.stat().st_size - 1)
    assert err == "interrupted after 0 payloads: 0 valid, 0 invalid\n", err
    file.unlink()


def test_a_replay():
    for file in RECORDS, BLANK, BEHIND, HAR:
        err = stopped("replay", file, "--to", ":9", "--where", "details.appKey=x", file=file)
        assert err.startswith("interrupted: no deliveries\nended early: not all was sent"), err
    for file in RECORDS, BLANK:
        err = stopped("replay", file, "--to", ":9", "--dry-run", file=file)
        assert re.fullmatch(r"interrupted after [\d,]+ requests?\n", err), err
    assert stopped("send", "--file", BLANK, "--to", ":9", file=BLANK).startswith("interrupted: no deliveries\n")


def test_a_capture_that_is_opened():
    for file in RECORDS, BLANK:
        err = stopped("shell", file, file=file)
        assert re.match(r"interrupted after [\d,]+ records?(: #1 to #\d+)?\n", err), err


def test_results_that_are_read():
    results = FOLDER / "r"
    results.write_bytes(gzip.decompress(RESULTS.read_bytes()) * 1_000_000)
    err = stopped("replay", RECORDS, "--to", ":9", "--resume", results, file=results)
    assert err == f"credhook: cannot read '{results}': interrupted\n", err
    results.unlink()


if __name__ == "__main__":
    run()

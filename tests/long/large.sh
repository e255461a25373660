#!/bin/sh
# Gives replay far more than it may hold: 10 GB (GIGABYTES) through a pipe, then 1,000,000 records (RECORDS) of as many
# keys. It stays under 32 MiB, and ten times the records take about ten times the processor's time, whatever is asked.
set -eu
cd "$(dirname "$0")/../.."
CREDHOOK=${CREDHOOK:-$PWD/build/credhook} PYTHONPATH=tests/e2e PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 - \
	"${GIGABYTES:-10}" "${RECORDS:-1000000}" <<'END'
import json
import subprocess
import sys
import threading
from captures import record
from support import Nginx, binary, environment, new_folder

GIGABYTES, RECORDS = float(sys.argv[1]), int(sys.argv[2])
BLOCK = 1000  # records
# The most memory that a process held counts from before it became credhook: its parent has to be a small one.
MEASURE = """
import os, sys
status, usage = os.wait4(os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ), 0)[1:]
with open(sys.argv[1], "w") as file:
    print(os.waitstatus_to_exitcode(status), usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime, file=file)
"""


def replay(*args, feed=()):
    """Its output and the processor's time it took; fails where it held too much."""
    folder = new_folder()
    process = subprocess.Popen([sys.executable, "-I", "-S", "-c", MEASURE, folder / "usage", binary(), "replay",
                                *map(str, args)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=environment())
    told = {}
    readers = [threading.Thread(target=lambda n=name, s=stream: told.update({n: s.read().decode()}))
               for name, stream in (("out", process.stdout), ("err", process.stderr))]
    for reader in readers:
        reader.start()
    try:
        for block in feed:
            process.stdin.write(block)
        process.stdin.close()
    except BrokenPipeError:
        pass  # it has what it wanted
    for reader in readers:
        reader.join()
    process.wait()
    code, held, seconds = (folder / "usage").read_text().split()
    assert code == "0", (args, told)
    assert float(held) < 32, f"{held} MiB: {args}"
    print(f"{float(held):5.1f} MiB {float(seconds):7.2f} s  replay {' '.join(map(str, args))}", flush=True)
    return told["out"] + told["err"], float(seconds)


def keyed(number):
    body = json.dumps({"n": number, "details": {"clientKey": f"client-{number}", "padding": "x" * 300}})
    return record(number, body)


def test_memory(nginx):
    long = b"".join(record(number, json.dumps({"n": number, "padding": "x" * 10000})) for number in range(BLOCK))
    rounds = int(GIGABYTES * 1e9 / len(long)) + 1
    told, _ = replay("-", "--to", ":1", "--dry-run", feed=(long for _ in range(rounds)))
    assert f"would send {rounds * BLOCK} records" in told, told
    skip = rounds * BLOCK - 500
    told, _ = replay("-", "--to", nginx.url, "--skip", skip, "--limit", 400, "-q", "--json",
                     feed=(long for _ in range(rounds)))
    assert json.loads(told.splitlines()[-1])["accepted"] == 400, told
    path = new_folder() / "capture.ndjson"
    with open(path, "wb") as file:
        for _ in range(rounds // 10 + 1):
            file.write(long)
    replay(path, "--to", ":1", "--dry-run")
    path.unlink()


def run_all(nginx, count):
    """What each way of asking took."""
    folder = new_folder()
    capture, results, failed = (folder / name for name in ("capture.ndjson", "results.ndjson", "failed.ndjson"))
    with open(capture, "wb") as file:
        file.writelines(keyed(number) for number in range(1, count + 1))
    seconds = {}
    key = ("--keyed", "details.clientKey")
    rows = [
        ("deliver", (capture, "--to", nginx.url, "-q", "--json", "--concurrency", 64, *key, "--compare",
                     "--expect-status", "204", "--results", results), f'"accepted":{count}'),
        ("resume", (capture, "--to", nginx.url, "--resume", results), f"{count} left out"),
        ("failed-only", (capture, "--to", ":1", "--failed-only", failed, "--dry-run"), f"would send {count} records"),
        ("shard", (capture, "--to", ":1", "--shard", "2/3", *key, "--dry-run"), "would send"),
        ("dry run", (capture, "--to", ":1", "--dry-run", "--where", "n!=0", "--speed", 1), f"would send {count} records"),
    ]
    for name, args, expected in rows:
        if name == "failed-only":
            failed.write_text(results.read_text().replace("accepted", "rejected"))
        told, seconds[name] = replay(*args)
        assert expected in told, (name, told[-1000:])
    return seconds


with Nginx() as server:
    test_memory(server)
    few, many = run_all(server, RECORDS // 10), run_all(server, RECORDS)
for name in few:
    ratio = many[name] / few[name]
    print(f"{name}: {ratio:.1f} times as long for ten times the records")
    assert ratio < 15, name
END

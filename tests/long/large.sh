#!/bin/sh
# Gives replay far more than it may hold: 10 GB (GIGABYTES) through a pipe, then 1,000,000 records (RECORDS) of as many
# keys. It stays under 32 MiB, and ten times the records take about ten times the processor's time, whatever is asked.
set -eu
cd "$(dirname "$0")/../.."
CREDHOOK=${CREDHOOK:-$PWD/build/credhook} PYTHONPATH=tests/e2e PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 - \
	"${GIGABYTES:-10}" "${RECORDS:-1000000}" <<'END'
import json
import sys
from captures import record
from measured import measured
from support import Nginx, new_folder

GIGABYTES, RECORDS = float(sys.argv[1]), int(sys.argv[2])
BLOCK = 1000  # records


def replay(*args, **more):
    """What it said, and the processor's time it took; fails where it held too much."""
    ended = measured("replay", *args, **more)
    told = (ended.out + ended.err).decode()
    assert ended.code == 0, (args, told[-1000:])
    assert ended.held < 32, f"{ended.held} MiB: {args}"
    print(f"{ended.held:5.1f} MiB {ended.seconds:7.2f} s  replay {' '.join(map(str, args))}", flush=True)
    return told, ended.seconds


def keyed(number):
    body = json.dumps({"n": number, "details": {"clientKey": f"client-{number}", "padding": "x" * 300}})
    return record(number, body)


def test_memory(nginx):
    long = b"".join(record(number, json.dumps({"n": number, "padding": "x" * 10000})) for number in range(BLOCK))
    rounds = int(GIGABYTES * 1e9 / len(long)) + 1

    def feed():
        for _ in range(rounds):
            yield long

    told, _ = replay("-", "--to", ":1", "--dry-run", feed=feed)
    assert f"would send {rounds * BLOCK} records" in told, told
    first = rounds * BLOCK - 499
    told, _ = replay("-", "--to", nginx.url, "--record", f"{first}-", "--limit", 400, "-q", "--json",
                     feed=feed)
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
        ("resume", (capture, "--to", nginx.url, "--resume", results), f"skipped {count} already finished"),
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

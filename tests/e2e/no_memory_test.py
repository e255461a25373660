#!/usr/bin/python3
"""Memory that runs out is said: whichever allocation fails, a command ends with an error, or with the same bytes.

NO_MEMORY_STEP: of how many allocations one fails (tests/long/no_memory.sh: each). Unless it is 1, no command is tried more
than MOST times."""
# rooms: base cmd/send report ui

import contextlib
import gzip
import http.client
import json
import os
import re
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from captures import record, write_capture
from support import LONG, FaultServer, answer, binary, credhook, environment, failing_memory, free_port, launch, new_folder, run

STEP = int(os.environ.get("NO_MEMORY_STEP", "17"))
MOST = 32 if LONG else 7
LAST = 160  # allocations of a run of deliveries, from its end, of which some fail: those of its two requests are among them
LAST_STEP = 1 if LONG or STEP == 1 else 3

# What a command may take, in seconds: each takes a fraction of one.
LONGEST = 15
# Libraries that end or hang the process where an allocation of theirs fails: how those who ask for it are called.
CRASHES = (
    "libc.so.6:?",  # of fts_open(), which glibc uses before it looks at it
    "libcrypto.so.",  # OpenSSL takes locks that it could not make; 3.5 waits for its own pthread_once() in it
)
# Of the reports, when they were made and how long it took.
TIME = re.compile(rb'(timestamp="|time="|"made":|"seconds":)[^",]*')
# Commands that print the same each time. {capture}, {har}, {fixtures}, {config}: what prepare() makes.
COMMANDS = """
build all --seed 1
build all --seed 1 --pretty
build user-created --seed 1 --variants
build bureau-alert --seed 1 --break wrong-type:all --set details.bureau=abc
schema
schema --json
schema --for validators
schema --for validators --json bureau-alert
schema --format openapi
schema --format openapi --json
events
events --json
explain
explain --json
explain user-created
explain user-created --json
explain elements
explain details.appKey
explain missing-key --json
version
version --json
completion bash
config --config {config}
config --config {config} --json
help
help --json
help send
help replay --json
help exit-codes
listen -h
send --help
test --list
test --list --json --level quick deliver
show {capture}
show {capture} --json
show {capture} 2
show {capture} 1 26 --curl
show {capture} 1 2 --diff
show {capture} 1 2 --diff --json
show {har} 1
convert {capture}
convert {capture} --format har
convert {capture} --format html
convert {capture} --redact --redact-key {key}
convert {har} --format ndjson
validate {fixtures}
validate {fixtures} --json
validate {fixtures} --coverage
validate {fixtures} --coverage --json
validate {fixtures} --report github=-
validate {capture} --report junit=-
validate {capture} --report sarif=-
validate {capture} --report html=-
send bureau-alert --seed 1 --dry-run --to :9
send bureau-alert --seed 1 --dry-run=curl --to :9
send --file {fixtures}/25.json --dry-run --json --to :9
replay {capture} --dry-run --to :9
replay {capture} --dry-run --json --to :9
""".strip().splitlines()


def prepare():
    """What the commands read."""
    folder = new_folder()
    key, config, fixtures = folder / "key", folder / "config.json", folder / "fixtures"
    key.write_text("0123456789abcdef" * 4)
    key.chmod(0o600)
    config.write_text(json.dumps({
        "clientId": "6a1e9d3c-0000-4000-8000-000000000001", "defaults": {"details.bureau": "abc"},
        "environments": {"sandbox": {"url": "http://127.0.0.1:9/hook", "headers": {"X-Key": "secret-secret"}},
                         "production": {"url": "https://hooks.example", "protected": True}}}))
    bodies = [line.decode() for line in credhook("build", "all", "--seed", 1).expect(0).out_bytes.splitlines()]
    bodies += ['{"service": "User", "details": {"a": 1, "a": "\\ud83d\\ude00"}}', "not JSON", '["ü"]']
    capture = write_capture(len(bodies), lambda number: record(number, body=bodies[number - 1]))
    har = folder / "some.har"
    har.write_bytes(credhook("convert", capture, "--format", "har").expect(0).out_bytes)
    fixtures.mkdir()
    for number in (0, 9, 25, 26):
        (fixtures / f"{number}.json").write_text(bodies[number])
    return {"key": key, "config": config, "fixtures": fixtures, "capture": capture, "har": har}


class Command:
    """A command line, and how it ends as long as there is memory."""

    def __init__(self, line, files):
        self.line = line
        self.words = [binary(), *(word.format(**files) for word in line.split())]
        self.env = environment({"LC_ALL": "C", "TZ": "UTC0", "LD_PRELOAD": failing_memory(), "CREDHOOK_CONFIG": None})
        self.logs = new_folder()
        self.usual, (count,) = self.run(0)
        self.allocations = int(count)
        assert self.usual[0] in (0, 1) and self.usual[1] and self.usual == self.run(0)[0], (line, self.usual)

    def run(self, number):
        """How it ends where that allocation fails, and what e2e/fail_memory.c says of it."""
        log = self.logs / str(number)
        try:
            done = subprocess.run(self.words, env={**self.env, "FAIL_AT": str(number), "ALLOCATIONS": str(log)},
                                  stdin=subprocess.DEVNULL, capture_output=True, timeout=LONGEST, check=False)
        except subprocess.TimeoutExpired:  # it was killed
            return (-signal.SIGKILL, b"", b""), log.read_text().split()
        return (done.returncode, TIME.sub(b"", done.stdout), done.stderr), log.read_text().split()

    def complaint(self, number):
        """What is wrong where that allocation fails; None: nothing."""
        ended, (asker, *_) = self.run(number)
        code, _, err = ended
        if code < 0:
            if asker.startswith(CRASHES):
                return None
            return f"{self.line}: allocation {number} of {asker}: killed by signal {-code}"
        if code == self.usual[0] and ended != self.usual:
            return f"{self.line}: allocation {number}: exit {code} with {changes(self.usual, ended)}"
        if code != self.usual[0] and (code not in (2, 3, 5) or not err):
            return f"{self.line}: allocation {number}: exit {code}, {err!r}"
        if code != self.usual[0] and re.search(rb"out of memory|Cannot allocate memory", err) and code != 5:
            return f"{self.line}: allocation {number} of {asker}: exit {code}, {err!r}"
        return None


def changes(usual, ended):
    """Where the outputs differ, in short."""
    for name, a, b in zip(("stdout", "stderr"), usual[1:], ended[1:]):
        if a != b:
            at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            return f"another {name}: {b[max(at - 30, 0):at + 30]!r} instead of {a[max(at - 30, 0):at + 30]!r}"
    return "the same"


def test_it_is_said():
    files, tried, complaints = prepare(), 0, []
    # Each on one processor, so that validate makes no thread: which allocation is the last would be chance.
    processors = list(os.sched_getaffinity(0))
    with ThreadPoolExecutor(len(processors), initializer=lambda: os.sched_setaffinity(0, [processors.pop()])) as threads:
        for offset, command in enumerate(threads.map(lambda line: Command(line, files), COMMANDS)):
            step = STEP if STEP == 1 else max(STEP, command.allocations // MOST)
            numbers = range(1 + offset % step, command.allocations + 1, step)
            tried += len(numbers)
            complaints += filter(None, threads.map(command.complaint, numbers))
    print(f"{tried} tries of {len(COMMANDS)} commands")
    assert not complaints, "\n".join([f"{len(complaints)} complaints", *complaints])


def test_a_compressed_file():
    """What unpacks it takes memory twice, at its beginning and where there is much of it: in the middle of the run."""
    folder = new_folder()
    (folder / "x.ndjson.gz").write_bytes(gzip.compress(b'{"service":1}\n' + b"\n" * (1 << 20)))
    command = Command("show {packed}", {"packed": folder / "x.ndjson.gz"})
    numbers = range(command.allocations // 3, command.allocations * 2 // 3)
    assert any("libz" in command.run(number)[1][0] for number in numbers)
    complaints = list(filter(None, map(command.complaint, numbers)))
    assert not complaints, "\n".join(complaints)


def test_a_run_of_deliveries():
    """It comes to its end, also where libcurl loses what it has under way; what was sent is never said to be unsent."""
    folder = new_folder()
    payloads = folder / "x.ndjson"
    payloads.write_bytes(credhook("build", "bureau-alert", "--count", 2, "--seed", 1).expect(0).out_bytes)

    def replay(fail_at):
        log, results = folder / f"log{fail_at}", folder / f"results{fail_at}"
        env = environment({"LD_PRELOAD": failing_memory(), "FAIL_AT": str(fail_at), "ALLOCATIONS": str(log)})
        with FaultServer(answer(200)) as server:
            try:
                done = subprocess.run([binary(), "replay", payloads, "--to", server.url, "--results", results, "-m", "0"],
                                      env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=LONGEST, check=False)
            except subprocess.TimeoutExpired:
                return None, log.read_text().split(), 0, []
            lines = [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
            return done.returncode, log.read_text().split(), len(server.requests), lines

    code, (count,), seen, _ = replay(0)
    assert code == 0 and seen == 2
    first = max(1, int(count) - LAST)
    complaints, lost = [], 0
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as threads:
        # Which allocation makes libcurl lose one differs from build to build: where the sample has none of them, the others.
        for offset in range(LAST_STEP):
            numbers = range(first + offset, int(count) + 1, LAST_STEP)
            for number, (code, (asker, *_), seen, lines) in zip(numbers, threads.map(replay, numbers)):
                unsent = sum(line["outcome"] == "failed" for line in lines)
                lost += any(line["outcome"] == "unknown" for line in lines)
                if not (code in (0, 1, 2, 3, 4, 5) and seen + unsent <= 2) and not asker.startswith(CRASHES):
                    complaints.append(f"allocation {number} of {asker}: exit {code}, {seen} requests, {lines}")
            if lost > 0:
                break
    assert not complaints, "\n".join(complaints)
    assert lost > 0, "libcurl has lost nothing"


class Forwarded(NamedTuple):
    """What became of a request to a listener that forwards, and of one that got none."""
    status: int  # None: no response
    is_seen: bool  # by the target
    allocations: int  # until it ended; only where none fails


def forwarded(fail_at, is_sent):
    log = new_folder() / "log"
    env = {"LD_PRELOAD": failing_memory(), "FAIL_AT": fail_at, "ALLOCATIONS": log}
    status = None
    with FaultServer(answer(200)) as target:
        process = launch("listen", "0", "--forward-to", target.url, "--validate", "off", "--timeout", f"{LONGEST}s", env=env,
                         stdout=subprocess.DEVNULL)
        while (line := process.stderr.readline()) and b"listening on" not in line:
            pass
        if line and is_sent:
            client = http.client.HTTPConnection("127.0.0.1", int(re.search(rb":(\d+)", line)[1]), timeout=LONGEST)
            with contextlib.suppress(OSError, http.client.HTTPException):
                client.request("POST", "/", b"{}", {"Content-Type": "application/json"})
                status = client.getresponse().status
            client.close()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=2 * LONGEST)
        return Forwarded(status, len(target.requests) > 0, int(log.read_text().split()[-1]) if fail_at == 0 else 0)


def test_what_the_target_has_not_seen_is_not_accepted():
    """Where memory runs out between a request and its being forwarded, a 2xx would be of nobody."""
    idle, usual = forwarded(0, False), forwarded(0, True)
    assert usual.status == 200 and usual.is_seen
    seen = [forwarded(number, True) for number in range(idle.allocations, min(idle.allocations + 16, usual.allocations))]
    assert all(one.is_seen for one in seen if one.status and one.status < 300), seen
    assert 503 in [one.status for one in seen], seen


def test_a_run_of_checks():
    """With --observe and COMMAND: it ends with an error, having said what was found, or as it does else."""
    complaints, said = [], 0

    def probe(fail_at):
        folder = new_folder()
        (folder / "capture").touch()
        port = free_port()
        env = environment({"LD_PRELOAD": failing_memory(), "FAIL_AT": str(fail_at), "ALLOCATIONS": f"{folder}/log"})
        done = subprocess.run(
            [binary(), "test", "effect/once:bureau-alert", "json/bom", "--json", "--to", f":{port}", "--observe",
             f"cat {folder}/capture", "--", binary(), "listen", str(port), "--capture", f"{folder}/capture"],
            env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=8 * LONGEST, check=False)
        return done, (folder / "log").read_text().split()

    usual, (count,) = probe(0)
    assert usual.returncode == 1 and b'"id":"effect/once:bureau-alert"' in usual.stdout, usual
    numbers = range(1, int(count), 1 if STEP == 1 else max(1, int(count) // 16))
    with ThreadPoolExecutor(4 * len(os.sched_getaffinity(0))) as threads:  # most of a run is waiting
        for number, (done, (asker, *_)) in zip(numbers, threads.map(probe, numbers)):
            is_said = done.returncode in (2, 3, 4, 5) and done.stderr or done.returncode in (0, 1) and b'"summary"' in done.stdout
            if not is_said and not (done.returncode < 0 and asker.startswith(CRASHES)):
                complaints.append(f"allocation {number} of {asker}: exit {done.returncode}, {done.stderr!r}")
            said += done.returncode == 5 and b'"id":"json/bom"' in done.stdout
    assert not complaints, "\n".join(complaints)
    # Whether one of those above is behind json/bom is a matter of the moment.
    for number in range(int(count), 0, -max(7, int(count) // 97)):
        if said > 0:
            break
        done, _ = probe(number)
        said += done.returncode == 5 and b'"id":"json/bom"' in done.stdout
    assert said > 0, "no run said what it had found before memory ran out"


if __name__ == "__main__":
    run()

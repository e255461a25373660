#!/usr/bin/python3
"""Records and results in pipes: each line is passed on when it comes, so that other programs can stand on both sides.

No times are measured. The tests are dialogues: the next line is written when what follows from the one before has come, so
that a program that waits for more than a line would wait for ever.
"""
# rooms: cmd/send deliver

import json
import signal
import subprocess
import threading

from captures import numbers, record
from support import DEADLINE, FaultServer, answer, credhook, launch, new_folder, run

CONCURRENCY = ((), ("--concurrency", 8), ("--concurrency", 16),
               ("--concurrency", 8, "--keyed", "k"), ("--concurrency", 8, "--keyed", "k", "--shard", "1/1"))


def keyed(number, key=None):
    return record(number, body=json.dumps({"n": number, "k": key or f"key {number % 3}"}))


class Replay:
    """`credhook replay - --to SERVER args...` with pipes on both sides."""

    def __init__(self, server, *args):
        self.process = launch("replay", "-", "--to", server.url, *args, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def read(self):
        return json.loads(self.process.stdout.readline())

    def end(self, code=0):
        """Ends its input, and waits for its own end."""
        self.process.stdin.close()
        assert self.process.wait(DEADLINE) == code

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        with self.process:
            pass


class Gate:
    """A server's step that responds to what has `word` in its body when the gate is opened, to all else at once."""

    def __init__(self, word):
        self.word, self.open = word, threading.Event()

    def __call__(self, connection):
        if (request := connection.read_request()) is None:
            return False
        if self.word in request.body.decode():
            self.open.wait(DEADLINE)
        connection.send(b"HTTP/1.1 204 No Content\r\n\r\n")
        return True


def lines_of(path):
    """The lines of a file that is being written, one after the other."""
    with open(path, encoding="ascii") as file:
        line = ""
        while True:
            line += file.readline()
            if line.endswith("\n"):
                yield json.loads(line)
                line = ""


def test_each_record_is_delivered_and_has_its_result_before_the_next_is_there():
    for more in CONCURRENCY:
        for output in (("--results", "-"), ("--json",)):
            with FaultServer(answer(204)) as server, Replay(server, *output, *more) as replay:
                for number in range(1, 6):
                    replay.write(keyed(number))
                    server.wait_requests(number)
                    assert replay.read()["record"] == number, (output, more)
                replay.end()


def test_the_results_file_has_each_line_too():
    for more in CONCURRENCY:
        results = new_folder() / "results.ndjson"
        with FaultServer(answer(204)) as server, Replay(server, "--json", "--results", results, *more) as replay:
            replay.write(keyed(1))
            assert replay.read()["record"] == 1
            for number, line in zip(range(1, 6), lines_of(results)):
                assert (line["record"], line["outcome"]) == (number, "accepted"), (more, line)
                replay.write(keyed(number + 1))
            replay.end()


def test_a_result_does_not_wait_for_the_next_record():
    """The response comes while the pipe is silent, and so does the time of a retry."""
    gate = Gate('"n": 1,')
    for more in CONCURRENCY:
        gate.open.clear()
        with FaultServer(gate) as server, Replay(server, "--results", "-", *more) as replay:
            replay.write(keyed(1))
            server.wait_requests(1)
            gate.open.set()
            assert replay.read()["outcome"] == "accepted", more
            replay.end()
        with FaultServer([answer(503), answer(204)]) as server, \
                Replay(server, "--results", "-", "--retry", 1, "--retry-delay", "1ms", *more) as replay:
            replay.write(keyed(1))
            assert [replay.read()["status"] for _ in range(2)] == [503, 204], more
            replay.end()


def test_a_result_comes_while_all_requests_are_in_flight():
    for output in (("--results", "-"), ("--json",)):
        gate = Gate("held")
        with FaultServer(gate) as server, Replay(server, *output, "--concurrency", 2) as replay:
            replay.write(keyed(1, "held 1") + keyed(2, "free") + keyed(3, "held 3") + keyed(4, "held 4"))
            assert replay.read()["record"] == 2, output
            gate.open.set()
            assert sorted(replay.read()["record"] for _ in range(3)) == [1, 3, 4], output
            replay.end()


def test_where_it_goes_is_said_before_the_first_response():
    gate = Gate("user")
    with FaultServer(gate) as server, launch("send", "user-created", "--to", server.url) as process:
        server.wait_requests(1)
        assert process.stdout.readline().decode().endswith(f"{server.url}\n")
        gate.open.set()
        assert process.wait(DEADLINE) == 0


def test_a_slow_key_holds_back_no_other():
    """Another record of that key waits; one of another key is delivered, though it came later."""
    gate = Gate('"n": 1,')
    with FaultServer(gate) as server, Replay(server, "--results", "-", "--concurrency", 8, "--keyed", "k") as replay:
        replay.write(keyed(1, "slow"))
        server.wait_requests(1)
        replay.write(keyed(2, "slow"))
        for number in (3, 4, 5):
            replay.write(keyed(number, "other"))
            assert replay.read()["record"] == number
        gate.open.set()
        assert [replay.read()["record"] for _ in range(2)] == [1, 2]
        replay.end()
        assert numbers(server) == [1, 3, 4, 5, 2]


def test_a_last_record_without_a_line_end():
    with FaultServer(answer(204)) as server, Replay(server, "--results", "-") as replay:
        replay.write(keyed(1) + keyed(2).rstrip())
        assert replay.read()["record"] == 1
        replay.end()
        assert replay.read()["record"] == 2


def test_a_signal_finishes_what_is_in_flight():
    """The pipe stays open: nothing more comes, and nothing that has come later is sent."""
    gate = Gate('"n": 1,')
    for more in CONCURRENCY:
        gate.open.clear()
        results = new_folder() / "results.ndjson"
        with FaultServer(gate) as server, Replay(server, "--json", "--results", results, *more) as replay:
            replay.write(keyed(1))
            server.wait_requests(1)
            replay.process.send_signal(signal.SIGTERM)
            gate.open.set()
            line, summary = replay.read(), replay.read()
            assert line["outcome"] == "accepted" and summary["interrupted"] and summary["deliveries"] == 1, more
            assert replay.process.wait(DEADLINE) == 130
        with FaultServer(answer(204)) as server:
            credhook("replay", "-", "--to", server.url, "--resume", results, *more, stdin=keyed(1) + keyed(2)).expect(0)
            assert numbers(server) == [2], more


def test_a_signal_ends_a_run_that_waits_for_its_next_record():
    for more in CONCURRENCY:
        with FaultServer(answer(204)) as server, Replay(server, *more) as replay:
            replay.write(keyed(1))
            first, second = replay.process.stdout.readline(), replay.process.stdout.readline()
            assert first.startswith(b"to http://") and second.startswith(b"ok "), more
            replay.process.send_signal(signal.SIGTERM)
            assert replay.process.wait(DEADLINE) == 130, more


def test_what_arrives_is_replayed_at_once():
    """listen --json -v | replay - --results -, all of them alive."""
    with FaultServer(answer(204)) as server:
        listener = launch("listen", "0", "--json", "-v", stderr=subprocess.DEVNULL)
        with Replay(server, "--results", "-") as replay, listener:
            ready = listener.stdout.readline()
            replay.write(ready)
            for number in (1, 2, 3):
                credhook("send", "bureau-alert", "--set", f"details.alertId={number}", "--to",
                         json.loads(ready)["url"]).expect(0)
                replay.write(listener.stdout.readline())
                assert replay.read()["event"] == "bureau-alert"
                assert json.loads(server.requests[-1].body)["details"]["alertId"] == number
            listener.terminate()
            replay.write(listener.stdout.read())  # the summary
            replay.end()


if __name__ == "__main__":
    run()

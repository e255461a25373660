"""replay --duplicate and --reorder: what arrives, what the results say, and what a later run makes of them."""

import json
import re
import signal
import subprocess
from collections import Counter
from datetime import datetime

from captures import numbers, read_results, record, write_capture
from killed_run import kill_and_resume
from support import FaultServer, Listener, answer, binary, credhook, environment, hang, new_folder, run, step

CHAOS = ("--duplicate", "20%", "--reorder", 5, "--seed", 7)


def _places_moved(sequence, count, places):
    """Each number, and none later than `places`; the further ones are counted."""
    first = list(dict.fromkeys(sequence))
    assert sorted(first) == list(range(1, count + 1))
    assert max(abs(place - number) for place, number in enumerate(first, 1)) <= places
    return len(sequence) - count


def test_a_listener_gets_all_of_it_in_disorder():
    capture, target, results = write_capture(100), new_folder() / "c.ndjson", new_folder() / "results.ndjson"
    with Listener("--capture", target, "--validate", "off") as listener:
        result = credhook("replay", capture, "--to", listener.url, "--results", results, *CHAOS).expect(0)
        again = credhook("replay", capture, "--to", listener.url, "--json", *CHAOS).expect(0).json()
        credhook("replay", capture, "--to", listener.url, "--reorder", 5, "--seed", 8).expect(0)
        listener.stop()
    arrived = [json.loads(json.loads(line)["body"])["n"] for line in target.read_text().splitlines()]
    more = int(re.search(r"^duplicated (\d+), reordered (\d+)$", result.err, re.M)[1])
    assert 5 <= more <= 45 and _places_moved(arrived[:100 + more], 100, 5) == more
    assert arrived[:100 + more] == arrived[100 + more:200 + 2 * more]
    other = arrived[200 + 2 * more:]
    assert _places_moved(other, 100, 5) == 0 and other != list(range(1, 101))
    lines = read_results(results)
    assert [line["record"] for line in lines] == arrived[:100 + more] and all(line["final"] for line in lines)
    twice = [line["record"] for line in lines if line.get("duplicate")]
    assert Counter(arrived[:100 + more]) - Counter(range(1, 101)) == Counter(twice) and len(twice) == more
    assert again[-1]["duplicated"] == more and again[-1]["deliveries"] == 100 + more
    assert [line["record"] for line in again if line.get("duplicate")] == twice


def test_times_belong_to_places():
    capture, results = write_capture(20, lambda n: record(n * 10)), new_folder() / "results.ndjson"
    with FaultServer(answer(204)) as server:
        credhook("replay", capture, "--to", server.url, "--speed", 1, "--results", results, *CHAOS).expect(0)
    lines = read_results(results)
    due = [datetime.fromisoformat(line["due"]).timestamp() for line in lines if not line.get("duplicate")]
    assert [round((later - sooner) * 1000) for sooner, later in zip(due, due[1:])] == [10] * 19
    assert [line["record"] for line in lines] != sorted(line["record"] for line in lines)


def test_a_dry_run_counts():
    capture = write_capture(100)
    dry = credhook("replay", capture, "--to", ":1", "--dry-run", "--json", *CHAOS).expect(0).json()[0]
    text = credhook("replay", capture, "--to", ":1", "--dry-run", *CHAOS, "--rate", 10).expect(0).out
    assert dry["records"] == 100 and dry["duplicated"] > 0 and dry["reordered"] > 0
    assert f"\nduplicated: {dry['duplicated']}, reordered: {dry['reordered']}\n" in text
    assert f"estimated time: {(99 + dry['duplicated']) / 10:g} s\n" in text


def cut_off(server, results, *args, requests):
    process = subprocess.Popen([binary(), "replay", *map(str, args), "--to", server.url, "--results", results],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())
    server.wait_requests(requests)
    process.send_signal(signal.SIGKILL)
    process.wait()


def test_a_killed_run_is_continued():
    """Nothing is lost, whatever had been read ahead, and nothing goes out more often than the seed says."""
    capture = write_capture(100)
    with FaultServer(answer(204)) as server:
        credhook("replay", capture, "--to", server.url, *CHAOS).expect(0)
        whole = Counter(numbers(server))
    for before in (0, 1, 20, 60, 110):
        results = new_folder() / "results.ndjson"
        with FaultServer([answer(204)] * before + [hang()], answer(204)) as server:
            cut_off(server, results, capture, *CHAOS, requests=before + 1)
            credhook("replay", capture, "--to", server.url, "--resume", results, *CHAOS).expect(1)
            assert Counter(numbers(server)) == whole, before
            credhook("replay", capture, "--to", server.url, "--resume", results, *CHAOS)
            credhook("replay", capture, "--to", server.url, "--resume", results)
            assert Counter(numbers(server)) == whole, before


def test_kill_9_at_random_moments():
    for seed in range(4):
        kill_and_resume(seed, 200, threads=1 + seed % 2, options=("--duplicate", "0.3", "--reorder", 20, "--seed", seed))


def test_an_input_is_not_done_with_while_records_of_it_are_held_back():
    first, second, results = write_capture(5), write_capture(50, lambda n: record(n + 5)), new_folder() / "r.ndjson"
    with FaultServer([hang()], answer(204)) as server:
        cut_off(server, results, first, second, "--reorder", 40, "--seed", 2, requests=1)
        assert numbers(server)[0] > 5
        refused = credhook("replay", second, "--to", server.url, "--resume", results).expect(2)
        assert f"'{first}', of the unfinished run in '{results}', is not among the inputs" in refused.err
        credhook("replay", first, second, "--to", server.url, "--resume", results).expect(1)
        assert sorted(numbers(server)) == list(range(1, 56))


def test_the_command_that_continues_has_the_seed():
    for option in (("--duplicate", "0.5"), ("--reorder", 3), ("--sample", "90%")):
        results = new_folder() / "results.ndjson"
        with FaultServer(answer(500)) as server:
            err = credhook("replay", write_capture(20), "--to", server.url, *option, "--results", results,
                           "--fail-fast").expect(1).err
        seed = re.search(r": --seed (\d+)$", err, re.M)[1]
        assert re.search(rf"^to continue: .* --seed {seed}$", err, re.M), err


def test_a_refused_duplicate_is_not_a_failed_record():
    def refuse(connection):
        bodies = [request.body for request in connection.server.requests]
        status = b"500 No" if b"2" in bodies[-1] else b"409 Conflict" if bodies[-1] in bodies[:-1] else b"204 Done"
        connection.send(b"HTTP/1.1 " + status + b"\r\nContent-Length: 0\r\n\r\n")
        return True

    capture, results = write_capture(3), new_folder() / "results.ndjson"
    with FaultServer(step(refuse)) as server:
        result = credhook("replay", capture, "--to", server.url, "--duplicate", 1, "--results", results).expect(1)
        assert "duplicated 3, reordered 0" in result.err and result.out.count("  duplicate") == 3
        credhook("replay", capture, "--to", server.url, "--failed-only", results).expect(1)
        assert numbers(server)[6:] == [2]
        credhook("replay", capture, "--to", server.url, "--failed-only", results, "--duplicate", 1).expect(1)
        assert numbers(server)[7:] == [2, 2]


def test_usage():
    for args in (("--reorder", 2, "--keyed", "n"), ("--reorder", 0), ("--reorder", 1001), ("--duplicate", "2"),
                 ("--duplicate", "-1"), ("--seed", 1)):
        credhook("replay", write_capture(1), "--to", ":1", *args).expect(2)


if __name__ == "__main__":
    run()

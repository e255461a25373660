#!/usr/bin/python3
"""The end of a run: when it gives up, and what its summary says, in words and in JSON."""
# rooms: cmd/send cmd/words deliver

import re

from captures import replay, write_capture
from support import FaultServer, answer, credhook, run


def test_giving_up():
    capture = write_capture(200)
    with FaultServer(answer(500)) as server:
        result = replay(server, capture, "--max-failures", 3, code=1)
        assert len(server.requests) == 4 and "gave up: " in result.err
    with FaultServer(answer(500)) as server:
        replay(server, capture, "--max-failures", 0, code=1)
        assert len(server.requests) == 1


def test_the_summary_in_json():
    with FaultServer([answer(503), answer(200)]) as server:
        result = replay(server, write_capture(12), "--json", "--retry", 1, "--retry-delay", "1ms")
    summary = result.json()[-1]
    assert (summary["deliveries"], summary["attempts"], summary["accepted"]) == (12, 13, 12)
    assert summary["statuses"] == {"200": 12, "503": 1}
    assert set(summary["latency"]) == {"p50", "p90", "p99", "p99.9", "max", "mean"}
    assert sum(bucket["count"] for bucket in summary["histogram"]) == 13
    assert summary["rate"] > 0 and summary["seconds"] > 0 and summary["bytes"] > 0


def test_many_deliveries_have_percentiles():
    with FaultServer(answer(200)) as server:
        err = replay(server, write_capture(120)).err
    assert re.search("latency: p50 .*, p99 .*, max ", err) and "p99.9" not in err and "/s, " in err, err


def test_a_few_deliveries_have_no_tail():
    with FaultServer([answer(503), answer(503), answer(200)]) as server:
        result = replay(server, write_capture(9), "--retry", 2, "--retry-delay", "1ms")
    assert re.search(r"^9 accepted in .* ms, 11 attempts   latency p50 .* max ", result.err), result.err
    assert "p99" not in result.err and "<" not in result.err, result.err


def test_the_seed_makes_the_same_payloads():
    with FaultServer([answer(200), answer(500)], answer(200)) as server:
        err = credhook("send", "user-created", "bureau-alert", "--to", server.url).expect(1).err
        (seed,) = re.findall(r"^seed (\d+) makes the same payloads: bureau-alert$", err, re.M)
        assert "retry:" not in err and "--results" not in err, err
        credhook("send", "bureau-alert", "--seed", seed, "--to", server.url).expect(0)
        assert server.requests[1].body == server.requests[2].body
    with FaultServer(answer(500)) as server:
        made = "--break", "missing-key:details.appKey", "--count", "2"
        err = credhook("send", "user-created", *made, "--to", server.url).expect(1).err
        (seed, given) = re.findall(r"^seed (\d+) with (.*) makes the same payloads: user-created$", err, re.M)[0]
        assert given.split() == list(made), err
        credhook("send", "user-created", "--seed", seed, *given.split(), "--to", server.url).expect(1)
        assert [request.body for request in server.requests[:2]] == [request.body for request in server.requests[2:]], err
    with FaultServer(answer(500)) as server:
        assert " makes the same payloads: all\n" in credhook("send", "all", "--to", server.url).expect(1).err


if __name__ == "__main__":
    run()

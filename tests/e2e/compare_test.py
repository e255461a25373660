"""replay --compare: what a listener does otherwise than was recorded, or with RESULTS than in an earlier run."""
# rooms: cmd/send deliver

import json
import os

from captures import numbers, record, replay, write, write_capture
from support import FaultServer, answer, close_without_answer, credhook, new_folder, records, run


def earlier_run(path, responses, code=0, *args):
    results = new_folder() / "golden.results"
    with FaultServer(responses) as server:
        credhook("replay", path, "--to", server.url, "--results", results, *args).expect(code)
    return results


def compared(path, results, responses, *args):
    with FaultServer(responses) as server:
        result = credhook("replay", path, "--to", server.url, f"--compare={results}", *args)
        return result, numbers(server)


def test_with_what_was_recorded():
    def make(number):
        return record(number, response={"status": {1: 200, 2: 422, 3: 200}[number]})

    with FaultServer([answer(200), answer(422), answer(500)]) as server:
        result = replay(server, write_capture(3, make), "--compare", code=1)
    assert "2 expected, 1 unexpected of 3" in result.err and "expected 200 as recorded" in result.out
    assert "1 of 3 got a different status than recorded" in result.err


def test_that_nothing_was_recorded_is_said():
    with FaultServer([answer(200)] * 2) as server:
        result = replay(server, write_capture(2, lambda number: record(number, response=None)), "--compare", "-q")
    assert "--compare: no record has a status, so there was nothing to compare with\n" in result.err, result


def test_a_recorded_outage_that_is_over_is_no_failure():
    recorded = {1: 503, 2: 429, 3: 408, 4: 501, 5: 200}

    def make(number):
        return record(number, response={"status": recorded[number]})

    path = write_capture(5, make)
    with FaultServer([answer(200)] * 5) as server:
        result = replay(server, path, "--compare")
    for number in range(1, 5):
        assert f"now 200, was {recorded[number]}" in result.out, result
    assert "5 expected" in result.err and "4 of 5 got a different status than recorded" in result.err, result
    # Another failure is not better, and what was refused on purpose is not to be taken.
    with FaultServer([answer(500)] * 5) as server:
        assert "expected 503 as recorded" in replay(server, path, "--compare", code=1).out
    recorded = {1: 422}
    with FaultServer([answer(200)]) as server:
        assert "expected 422 as recorded" in replay(server, write_capture(1, make), "--compare", code=1).out


def test_the_same_again_is_expected():
    path = write_capture(3)
    results = earlier_run(path, [answer(200), answer(422), answer(200)], 1)
    result, sent = compared(path, results, [answer(200), answer(422), answer(200)])
    assert result.expect(0) and sent == [1, 2, 3]
    assert "3 expected" in result.err and "0 of 3 got a different status than in the earlier run" in result.err, result


def test_each_that_differs_is_listed_with_both():
    path = write_capture(4)
    results = earlier_run(path, [answer(200), answer(422), close_without_answer(), answer(200)], 1)
    result, _ = compared(path, results, [answer(500), answer(200), answer(200), answer(200)])
    result.expect(1)
    assert "was 200" in result.out and "3 of 4 got a different status" in result.err, result
    # What is better than before is no failure.
    assert "3 expected, 1 unexpected of 4" in result.err and "422" not in result.err, result
    lines = result.out.splitlines()
    for sign, words in ("FAIL 500", "was 200"), ("ok   200", "now 200, was 422"), ("ok   200", "now 200, had no response"):
        assert any(line.startswith(sign) and words in line for line in lines), result
    quiet = compared(path, results, [answer(500), answer(200), answer(204), answer(200)], "-q")[0].expect(1)
    assert "was 200" in quiet.out and "now" not in quiet.out, quiet
    compared(path, results, [answer(200), answer(201), answer(200), answer(200)])[0].expect(0)
    # Another failure is not better.
    compared(path, results, [answer(200), answer(400), answer(200), answer(200)])[0].expect(1)
    rows = compared(path, results, [answer(500), answer(200), answer(200), answer(200)], "--json")[0].expect(1).json()
    assert [(row["status"], row.get("recorded_status")) for row in rows if row["type"] == "delivery"] == [
        (500, 200), (200, 422), (200, None), (200, 200)], rows
    assert rows[-1]["compared"] == 4 and rows[-1]["differing"] == 3, rows[-1]


def test_what_only_the_earlier_run_has_is_counted():
    path = write_capture(3, lambda number: record(min(number, 2)))  # the second and third are alike
    results = earlier_run(path, [answer(200)] * 3)
    lines = path.read_bytes().splitlines(keepends=True)
    for kept, words in ((lines, None), (lines[:2], "1 record of '{}' is not in this run\n"), (lines[:1], "2 records of '{}' are not in this run\n"),
                        (lines[1:], "1 record of '{}' is not in this run\n")):
        less = write(b"".join(kept), "less.ndjson")
        result, sent = compared(less, results, [answer(200)] * 3)
        assert result.expect(0) and len(sent) == len(kept), result
        assert (words is None) == ("not in this run" not in result.err) and (words or "").format(results) in result.err, result
    result, _ = compared(path, results, [answer(200)], "--record", 1)
    assert "2 records of" in result.err, result


def test_a_record_is_known_by_its_content():
    path = write_capture(3)
    results = earlier_run(path, [answer(200), answer(409), answer(200)], 1)
    lines = path.read_bytes().splitlines(keepends=True)
    renamed = new_folder() / "renamed.ndjson"
    renamed.write_bytes(lines[1] + lines[2] + lines[0])
    assert compared(renamed, results, [answer(409), answer(200), answer(200)])[0].expect(0)


def test_of_equal_ones_the_first_is_compared_with_the_first():
    path = write_capture(3, lambda number: record(1))
    results = earlier_run(path, [answer(200), answer(409), answer(409)], 1)
    assert compared(path, results, [answer(200), answer(409), answer(409)])[0].expect(0)
    result = compared(path, results, [answer(409), answer(409), answer(200)])[0].expect(1)
    assert "  was 200" in result.out and "now 200, was 409" in result.out, result


def test_only_the_last_attempt_counts():
    path = write_capture(1)
    results = earlier_run(path, [answer(503), answer(200)], 0, "--retry", "1", "--retry-delay", "1ms")
    assert [line["final"] for line in records(results)] == [False, True]
    assert compared(path, results, answer(200))[0].expect(0)


def test_what_the_results_do_not_have_is_said():
    path, more = write_capture(2), write_capture(4)
    results = earlier_run(path, answer(200))
    result = compared(more, results, answer(200))[0].expect(0)
    assert f"2 records are not in '{results}'" in result.err, result
    lines = results.read_text().splitlines(keepends=True)
    first = json.loads(lines[0])
    results.write_text(lines[0].replace('"ended":true ', '"ended":false') + lines[1][:20])
    assert first["ended"] is True
    result = compared(path, results, answer(200), "-q")[0].expect(0)
    assert "did not come to its end" in result.err and "1 line not read" in result.err, result
    assert f"1 record is not in '{results}'" in result.err, result


def test_what_is_not_results_is_refused():
    path, fifo = write_capture(1), new_folder() / "fifo"
    os.mkfifo(fifo)
    for other, code in (path, 2), (fifo, 2), ("no such file", 3):
        with FaultServer(answer(200)) as server:
            credhook("replay", path, "--to", server.url, f"--compare={other}").expect(code)
            assert not server.requests, other


def test_a_run_that_is_continued_compares_the_rest():
    path = write_capture(4, lambda number: record(1 + number // 3))
    results = earlier_run(path, [answer(200), answer(409), answer(200), answer(409)], 1)
    new = new_folder() / "new.results"
    with FaultServer([answer(200), answer(409), answer(200), answer(500)]) as server:
        credhook("replay", path, "--to", server.url, "--limit", "2", "--results", new, f"--compare={results}").expect(0)
        credhook("replay", path, "--to", server.url, "--results", new_folder() / "r", f"--compare={results}").expect(1)
        assert len(server.requests) == 6


if __name__ == "__main__":
    run()

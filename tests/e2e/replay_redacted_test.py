#!/usr/bin/python3
"""replay of records that hold people: what must not leave its environment, and --fresh-ids."""
# rooms: capture cmd/send deliver redact

import json
import re

from captures import capture_of, record, sent, write_capture
from support import FaultServer, answer, credhook, new_folder, run

EVENTS = [json.loads(line) for line in credhook("build", "all", "--seed", 5, "--count", 2).expect(0).out.splitlines()]


def configuration(url="https://hooks.example.com/credit"):
    path = new_folder() / "config.json"
    path.write_text(json.dumps({"environments": {"live": {"url": url, "protected": True}}}))
    return path


def documents_sent(*args, **more):
    bodies, result = sent(*args, **more)
    return [json.loads(body) for body in bodies], result


def with_host(host, **more):
    return lambda number: record(number, headers=[["Host", host], ["Content-Type", "application/json"]],
                                 body=json.dumps(EVENTS[number]), **more)


def test_records_of_a_protected_environment_stay_there():
    config = configuration()
    for host in ("hooks.example.com", "HOOKS.example.com.", "hooks.example.com:8443", "x@hooks.example.com"):
        bodies, result = documents_sent(write_capture(3, with_host(host)), "--config", config, code=2)
        assert bodies == [] and "'live'" in result.err and "--allow-unredacted" in result.err, result
    for more in ({"target": "http://hooks.example.com/a"},
                 {"headers": [["Host", "10.0.0.1"], ["x-forwarded-host", "proxy.example, hooks.example.com"]]},
                 {"headers": [["Host", "10.0.0.1"], ["X-Original-Host", "hooks.example.com"]]},
                 {"headers": [[":authority", "hooks.example.com"]]},
                 {"headers": [["Host", "10.0.0.1"], ["Forwarded", "for=10.0.0.2;host=\"hooks.example.com\""]]}):
        assert documents_sent(write_capture(1, lambda number: record(number, **more)), "--config", config, code=2)[0] == [], more
    assert documents_sent(write_capture(1, lambda number: record(number, target="h")), "--config", configuration("http://h/"),
                code=2)[0] == [], "a target that is a host of one letter"
    elsewhere = {"target": "/?to=hooks.example.com", "headers": [["Host", "10.0.0.1"], ["Referer", "http://hooks.example.com"]]}
    assert len(documents_sent(write_capture(1, lambda number: record(number, **elsewhere)), "--config", config)[0]) == 1
    assert len(documents_sent(write_capture(3, with_host("hooks.example.com")), "--config", config, "--allow-unredacted")[0]) == 3
    for host in ("other.example.com", "hooks.example.com.evil.example", ""):
        assert len(documents_sent(write_capture(3, with_host(host)), "--config", config)[0]) == 3, host
    redacted = write_capture(3, with_host("hooks.example.com", redacted={"key": "00000000"}))
    assert len(documents_sent(redacted, "--config", config)[0]) == 3
    assert len(documents_sent(write_capture(3, with_host("hooks.example.com")))[0]) == 3, "nothing is protected"


def test_send_asks_too():
    config, capture = configuration(), write_capture(1, with_host("hooks.example.com"))
    for more in [], ["--validate", "off"], ["--set", "details.appKey=00000000-0000-4000-8000-000000000001"]:
        with FaultServer(answer(204)) as server:
            command = ["send", "--file", capture, "--to", server.url, "--config", config, *more]
            result = credhook(*command).expect(2)
            assert not server.requests and "'live'" in result.err and "--allow-unredacted" in result.err, result
            credhook(*command, "--validate", "off", "--allow-unredacted").expect(0)
            assert len(server.requests) == 1


def test_where_another_tool_sent_it_counts_too():
    """It went to hooks.example.com with another Host."""
    headers, body = {"Host": "localhost", "Content-Type": "application/json"}, json.dumps(EVENTS[0])
    request = {"method": "POST", "url": "https://u:p@HOOKS.example.com/credit?a=1", "bodySize": len(body),
               "headers": [{"name": name, "value": value} for name, value in headers.items()],
               "postData": {"mimeType": "application/json", "text": body}}
    config, folder = configuration(), new_folder()
    path, records = folder / "x.har", folder / "x.ndjson"
    path.write_text(json.dumps({"log": {"version": "1.2", "creator": {}, "entries": [{"request": request}]}}))
    credhook("convert", path, "-o", records).expect(0)
    assert "u:p@" not in records.read_text()
    for capture in path, records:
        bodies, result = documents_sent(capture, "--config", config, code=2)
        assert bodies == [] and "--allow-unredacted" in result.err, result
    with FaultServer(answer(204)) as server:
        credhook("replay", records, "--to", server.url, "--as-recorded").expect(0)
        assert server.requests[0].target == "/credit?a=1", server.requests[0]


def test_a_protected_environment_on_this_machine_is_known_by_its_port():
    config = configuration("http://127.0.0.1:9/hook")
    assert documents_sent(write_capture(1, with_host("localhost:9")), "--config", config, code=2)[0] == []
    assert len(documents_sent(write_capture(1, with_host("localhost:10")), "--config", config)[0]) == 1


def test_a_body_that_was_withheld_is_not_sent_as_an_empty_one():
    for why in "not-json", "not-utf8", "not-proven":
        capture = capture_of(1, 2)
        capture.write_bytes(capture.read_bytes() + record(3, body="", redacted={"key": "00000000", "withheld": why}))
        results = new_folder() / "results"
        for command in ["replay", capture, "--results", results], ["send", "--validate", "off", "--file", capture]:
            with FaultServer(answer(204)) as server:
                result = credhook(*command, "--to", server.url).expect(1)
                assert [request.body for request in server.requests] == [b'{"n": 1}', b'{"n": 2}'], result
            assert f"{capture}:3: skipped: redaction withheld its body" in result.err, result


def identifiers(payload):
    details = payload["details"]
    return {name: details[name] for name in ("clientKey", "userId", "authToken", "userToken", "reportKey", "displayToken",
                                             "alertId", "monitorId") if name in details}


def test_fresh_ids_make_new_customers_and_change_nothing_else():
    capture = write_capture(len(EVENTS) - 1, lambda number: record(number, body=json.dumps(EVENTS[number])))
    first, result = documents_sent(capture, "--fresh-ids")
    assert "identifiers are replaced" in result.err
    second, _ = documents_sent(capture, "--fresh-ids")
    pairs = {}
    for original, fresh, other in zip(EVENTS[1:], first, second):
        old, new = identifiers(original), identifiers(fresh)
        assert old.keys() == new.keys()
        for name, value in old.items():
            assert pairs.setdefault(value, new[name]) == new[name] != value, name
        fresh["details"].update(old)
        assert fresh == original, "everything else stays"
        assert not old or identifiers(other) != new, "another run makes others"
    assert len(set(pairs.values())) == len(pairs)
    seeded = [documents_sent(capture, "--fresh-ids=7")[0] for _ in range(2)]
    assert seeded[0] == seeded[1] != first


def test_a_run_with_fresh_ids_is_repeated_with_the_same_ones():
    capture = write_capture(3, lambda number: record(number, body=json.dumps(EVENTS[number])))
    results = new_folder() / "results.ndjson"
    first, result = documents_sent(capture, "--fresh-ids", "--expect-status", 200, "--results", results, code=1)
    assert re.search(r"^retry: .* --fresh-ids --expect-status 200$", result.err, re.M), result
    seed = re.search(r"--fresh-ids=(\d+) makes the same ones", result.err).group(1)
    again, _ = documents_sent(capture, f"--fresh-ids={seed}", "--failed-only", results)
    assert again == first
    assert json.loads(results.read_text().splitlines()[0])["seed"] == int(seed)
    assert documents_sent(capture, "--fresh-ids", "--failed-only", results)[0] == first
    again, result = documents_sent(capture, "--failed-only", results)
    assert again == first and f"identifiers are replaced: not the recorded bytes; --fresh-ids={seed} " in result.err, result
    told = documents_sent(capture, f"--fresh-ids={int(seed) ^ 1}", "--resume", results, code=2)[1].err
    assert f"the run that is continued has --fresh-ids={seed}\n" in told


def test_the_rest_of_a_run_with_fresh_ids_has_none_of_the_original_ones():
    capture = write_capture(3, lambda number: record(number, body=json.dumps(EVENTS[number])))
    whole, _ = documents_sent(capture, "--fresh-ids=7")
    first, again = new_folder() / "results.ndjson", new_folder() / "again.ndjson"
    begun, _ = documents_sent(capture, "--fresh-ids=7", "--expect-status", 200, "--results", first, "--max-failures", 0, code=1)
    rest, result = documents_sent(capture, "--resume", first, code=1)
    assert begun + rest == whole and "identifiers are replaced" in result.err, result
    # Whoever repeats a repetition, or shows it, gets them, too.
    documents_sent(capture, "--failed-only", first, "--expect-status", 200, "--results", again, code=1)
    assert documents_sent(capture, "--failed-only", again)[0] == whole[:1]
    shown = credhook("replay", capture, "--to", ":1", "--failed-only", again, "--dry-run=curl").expect(0).out
    for kept, name in ((whole[0], True), (EVENTS[1], False)):
        assert (kept["details"]["clientKey"] in shown) == name, shown


def test_fresh_ids_with_edits_and_what_is_not_json():
    capture = write_capture(1, lambda number: record(number, body=json.dumps(EVENTS[0])))
    bodies, _ = documents_sent(capture, "--fresh-ids", "--set", "details.clientKey=00000000-0000-4000-8000-000000000001")
    assert bodies[0]["details"]["clientKey"] == "00000000-0000-4000-8000-000000000001"
    capture = write_capture(1, lambda number: record(number, body="no JSON"))
    with FaultServer(answer(204)) as server:
        credhook("replay", capture, "--to", server.url, "--fresh-ids").expect(0)
        assert server.requests[0].body == b"no JSON"


if __name__ == "__main__":
    run()

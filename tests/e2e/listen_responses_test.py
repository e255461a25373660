#!/usr/bin/python3
"""How `listen` misbehaves on request, seen from the client's side, and what its capture says of it."""
# rooms: cmd/args cmd/listen http receive

import time

from support import Listener, built, credhook, free_port, new_folder, raw, records, request, run

USER, ALERT = built("user-created"), built("bureau-alert")


def test_respond_goes_through_the_list_and_stays_at_the_last():
    with Listener("--respond", "500,503,200", "--respond-header", "Retry-After: 3") as listener:
        found = [listener.post(USER) for _ in range(4)]
    assert [answer.status for answer in found] == [500, 503, 200, 200]
    assert [answer.header("Retry-After") for answer in found] == ["3"] * 4


def test_rules_match_in_their_order_and_are_used_up():
    with Listener("--rule", "event=user-created,status=409,times=1", "--rule", "event=user-created,status=503,times=1",
                  "--rule", "event=bureau-alert,status=429", "--rule", "valid=no,status=400",
                  "--respond", "202") as listener:
        assert [listener.status(USER) for _ in range(3)] == [409, 503, 202]
        assert listener.status(ALERT) == 429
        assert listener.status(b"{}") == 400


def test_shares_of_faults_add_up():
    with Listener("--fault", "500:50%", "--fault", "503:0.5") as listener:
        found = [listener.status(USER) for _ in range(40)]
        assert listener.stop().expect(0).json()[-1]["faults"] == 40
    assert set(found) == {500, 503}


def test_faults_as_the_client_sees_them():
    folder = new_folder()
    for fault, expected in (("reset", b""), ("empty", b""), ("truncate", b"01234")):
        capture = folder / fault
        with Listener("--capture", capture, "--fault", fault, "--body", "0123456789") as listener:
            got = raw(listener.host, listener.port, request(USER))
            assert got.partition(b"\r\n\r\n")[2] == expected, got
            assert (b"200 OK" in got) == (fault == "truncate"), got
            assert listener.events(1)[0]["response"] == {"fault": fault}
        assert [record["response"] for record in records(capture)] == [{"fault": fault}]


def test_hang_and_drip_hold_the_connection_and_not_the_listener():
    with Listener("--rule", "event=user-created,fault=hang", "--rule", "valid=no,fault=drip", "--body", "ok") as listener:
        assert raw(listener.host, listener.port, request(USER), timeout=0.3) == b""
        assert len(raw(listener.host, listener.port, request(), timeout=0.3)) <= 2
        assert listener.status(ALERT) == 200


def test_delay_holds_the_answer_back():
    with Listener("--delay", "150ms..200ms") as listener:
        started = time.monotonic()
        assert listener.status(USER) == 200
        assert time.monotonic() - started >= 0.15


def test_a_repeat_is_told():
    with Listener() as listener:
        listener.post(USER)
        listener.post(ALERT)
        listener.post(USER)
        listener.post(USER)
        told = [event.get("repeat") for event in listener.events(4)]
    assert told[:2] == [None, None]
    assert [(one["nth"], one["of"]) for one in told[2:]] == [(1, 1), (2, 1)]
    assert all(one["after_ms"] >= 0 for one in told[2:])


def test_rejecting_comes_before_the_series_and_after_the_rules():
    with Listener("--validate", "reject", "--respond", "500,200", "--rule", "event=unknown,status=418,times=1") as listener:
        assert [listener.status(body) for body in (b"{}", b"{}", USER, USER)] == [418, 422, 500, 200]


def test_a_rule_without_a_status_rejects_what_is_rejected():
    invalid = USER.replace(b"firstName", b"firstNme")
    for rule in "event=user-created,delay=10ms", "event=user-created,fault=500:0%", "valid=no,delay=1ms":
        with Listener("--validate", "reject", "--rule", rule) as listener:
            assert [listener.status(body) for body in (invalid, USER)] == [422, 200], rule
        with Listener("--validate", "reject", "--rule", rule, "--forward-to", f":{free_port()}") as listener:
            assert [listener.status(body) for body in (invalid, USER)] == [422, 502], rule


def test_a_rule_that_only_delays_leaves_the_faults_as_they_are():
    rules = "--rule", "event=user-created,delay=1ms", "--rule", "event=bureau-alert,status=201"
    with Listener("--fault", "500", *rules) as listener:
        assert [listener.status(body) for body in (USER, ALERT)] == [500, 201]


def test_what_cannot_be_meant_is_a_usage_error():
    for arguments, word in (
            (["--fault", "rest"], "did you mean reset?"),
            (["--fault", "what"], "faults are reset,"),
            (["--rule", "what=user-created,status=500"], "keys are event,"),
            (["--fault", "reset:2"], "10%"),
            (["--rule", "event=user-created"], "has no response"),
            (["--rule", "evnt=user-created,status=500"], "did you mean event?"),
            (["--rule", "status=500,status=501"], "duplicate key"),
            (["--rule", "event=user-creted,status=500"], "user-created"),
            (["--respond", "500,99"], "'99'"),
            (["--fault", "500:nan"], "10%, 0.1"),
            (["--fault", "100"], "200 to 599"),
            (["--delay", "2s..1s"], "100ms..2s"),
            (["--rule", "event=user-created,status=500", "--validate", "off"], "--validate off"),
            (["--forward-to", "3000", "--respond", "500,200"], "--respond and --forward-to exclude each other"),
            (["--forward-to", "3000", "--body", "x"], "--body and --forward-to exclude each other")):
        result = credhook("listen", "0", *arguments).expect(2)
        assert word in result.err, result


if __name__ == "__main__":
    run()

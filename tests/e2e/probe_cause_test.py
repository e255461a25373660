#!/usr/bin/python3
"""`credhook test` says what failures have in common: listeners with one bug, with two, with none, and some that come and go."""
# rooms: cause cmd/probe http probe

import json
import random
import re
import threading
from concurrent.futures import ThreadPoolExecutor

from planted_bugs import (BUGS, details, ensure, fails_on_letters, fails_on_push, fails_on_put, fails_on_true,
                          fails_without_monitor, fails_without_path, names, raising, refusing, some)
from probe_runs import QUICKLY, probe
from screen import Seen
from small_listeners import TEXT, good, listener, plain, with_bug
from support import LONG, FaultServer, binary, credhook, environment, new_folder, run


def causes_of(respond, *args):
    """The causes with their facts, and of each the checks in its block; and those that failed outside of them."""
    with FaultServer(listener(respond)) as server:
        rows = credhook("test", "--to", f"{server.url}/hook", "--json", *QUICKLY, *args).json()
    *checks, summary = rows
    blocks = [[] for _ in summary["causes"]]
    alone = []
    for check in checks:
        if check["cause"]:
            blocks[check["cause"] - 1].append(check["id"])
        elif check["verdict"] == "fail":
            alone.append(check["id"])
    return summary["causes"], blocks, alone


def facts_of(cause):
    return [(fact["name"], fact["subject"], fact["value"]) for fact in cause["facts"]]


def is_named(cause, wanted):
    """value None: any."""
    found = facts_of(cause)
    return cause["type"] in ("found", "together", "members") and len(found) == len(wanted) and all(
        one[:2] == other[:2] and other[2] in (None, one[2]) for one, other in zip(found, wanted))


def test_one_bug_is_one_cause():
    bugs = some(3)
    with ThreadPoolExecutor(4) as pool:
        found = dict(zip(bugs, pool.map(lambda row: causes_of(row[0]()), bugs.values())))
    for bug, (_, wanted, check) in bugs.items():
        causes, blocks, alone = found[bug]
        assert len(causes) == 1 and is_named(causes[0], wanted) and alone == [], (bug, causes, alone)
        assert check is None or check in blocks[0], (bug, blocks)
        assert causes[0]["fix"], (bug, causes)


def test_a_check_that_is_run_alone_has_the_cause_of_the_whole_run():
    """Though the response says nothing: what is compared with is sent, and not graded."""
    for bug, check in (("path is read where there is none", "deliver/bureau-alert"), ("alerts are an unknown service", "deliver/bureau-alert")):
        make, wanted, _ = BUGS[bug]
        respond = make()

        def silent(request, respond=respond):
            response = respond(request)
            return (500, TEXT, b"failed") if response[0] >= 400 else response

        with FaultServer(listener(silent)) as server:
            found, summary = probe(f"{server.url}/hook", check, "--skip", "still-up", code=1)
        assert set(found) == {check} and found[check]["cause"] == 1, (bug, found)
        assert len(summary["causes"]) == 1 and is_named(summary["causes"][0], wanted), (bug, summary)
        assert sum(summary["must"].values()) + sum(summary["should"].values()) == 1, summary


def test_an_entry_that_a_table_does_not_have_is_named():
    """A table refuses also what is made to tell it apart."""
    table = {("user", "post"), ("authenticate", "get"), ("authenticate", "post"), ("authenticate", "patch"), ("report", "post"),
             ("report", "get"), ("report", "put"), ("score-simulator", "post"), ("monitoring", "post"), ("monitoring", "delete"),
             ("alerts", "push")}
    for missing, wanted in ((("report", "put"), {("method", "/method", "put"), ("kind", "", "credit-report-display-token-generated")}),
                            (("authenticate", "get"), {("service", "/service", "authenticate"), ("part", "/path", "/authenticate/"),
                                                       ("method", "/method", "get")})):
        known = table - {missing}
        causes, _, alone = causes_of(refusing(lambda p, known=known: (p["service"], p["method"]) not in known, 404, "no route"))
        assert len(causes) == 1 and set(facts_of(causes[0])) == wanted and alone == [], (missing, causes, alone)
        assert "add it to what the listener routes" in causes[0]["fix"], causes


def test_what_the_user_expects_has_a_cause_too():
    inner = raising(fails_on_put)
    for status in 200, 202:
        def respond(request, status=status):
            response = inner(request)
            return plain(status) if response[0] == 200 else response

        expected = (f"--expect-status={group}={status}" for group in ("deliver", "value"))
        causes, _, alone = causes_of(respond, "deliver", "value", *expected)
        assert len(causes) == 1 and ("method", "/method", "put") in facts_of(causes[0]) and alone == [], (status, causes, alone)


def test_what_lasts_is_no_cause_of_content():
    """Whatever comes after the first: valid notifications, too, like those that were accepted before."""
    broken, count = threading.Event(), iter(range(1 << 20))

    def breaks(payload):
        if "'" in names(payload):
            broken.set()
        ensure(not broken.is_set())

    for respond, first in ((raising(breaks, "aborted"), "value/user-created:firstName=apostrophe"),
                           (with_bug(lambda _: plain(503, "out of memory") if next(count) >= 40 else None), "value/")):
        causes, blocks, alone = causes_of(respond)
        assert [cause["type"] for cause in causes] == ["lasts"] and facts_of(causes[0]) == [] and alone == [], (causes, alone)
        assert f": {first}" in causes[0]["reason"] and "restart it" in causes[0]["fix"], causes
        assert blocks[0][0].startswith(first) and "still-up/form" in blocks[0], blocks


def test_two_bugs_with_one_response_are_two_causes():
    bugs = {fails_without_path: ("absent", "/path"), fails_on_true: ("value", "/details/offCycle"), fails_on_put: ("method", "/method"),
            fails_on_letters: ("characters", ""), fails_without_monitor: ("absent", "/details/monitorId"),
            fails_on_push: ("not-digits", "/event")}
    for one, other in ((fails_without_path, fails_on_true), (fails_on_push, fails_on_letters), (fails_on_put, fails_without_monitor),
                       (fails_on_true, fails_on_put), (fails_without_path, fails_on_letters))[:5 if LONG else 3]:
        def look(payload, bugs=(one, other)):
            for bug in bugs:
                bug(payload)

        causes, blocks, alone = causes_of(raising(look, "Internal Server Error"))
        named = {facts_of(cause)[0][:2] for cause in causes}
        assert named == {bugs[one], bugs[other]} and len(causes) == 2 and alone == [], (one, other, causes, alone)
        assert not set(blocks[0]) & set(blocks[1])


def test_what_is_left_of_a_class_does_not_hide_what_was_shown():
    """Orders of one customer are unique, which takes more facts than two; what explains the rest is not guessed."""
    customers = set()

    def look(payload):
        fails_without_path(payload)
        if payload["service"] == "report" and payload["method"] == "post":
            ensure(details(payload).get("clientKey") not in customers)
            customers.add(details(payload).get("clientKey"))

    causes, blocks, alone = causes_of(raising(look, "Internal Server Error"))
    found = {cause["type"]: block for cause, block in zip(causes, blocks)}
    assert [facts_of(cause) for cause in causes if cause["type"] == "found"] == [[("absent", "/path", "")]] and alone == [], (causes, alone)
    assert "deliver/bureau-alert" in found["found"] and "value/credit-report-ordered:offCycle=true" in found["unknown"], found


def test_right_listeners_have_no_cause():
    def idempotent(status):
        seen, lock = set(), threading.Lock()

        def respond(request):
            response = good(request)
            with lock:
                is_repeat = response[0] == 200 and request.body in seen
                seen.add(request.body)
            return plain(status, "known") if is_repeat else response
        return respond

    for respond in (good, idempotent(200), idempotent(409)):
        causes, _, alone = causes_of(respond)
        assert causes == [] and alone == [], (causes, alone)


def test_what_comes_and_goes_has_no_cause():
    """Whatever its requests have in common by chance; nor has a limit of the rate. One in ten fails at most, so that it does
    not depend on chance whether what is asked again shows it."""
    for seed in range(4 if LONG else 2):
        chance, lock, last = random.Random(seed), threading.Lock(), [0, 0]

        def flaky(request, chance=chance, lock=lock, last=last):
            with lock:
                last[0] += 1
                fails = request.method == "POST" and last[0] >= last[1] + 10 and chance.random() < 0.1
                if fails:
                    last[1] = last[0]
            return (500, TEXT, b"database is locked") if fails else good(request)

        causes, _, _ = causes_of(flaky)
        assert [cause["type"] for cause in causes] == ["flaky"] and facts_of(causes[0]) == [], (seed, causes)
        assert re.match(r"comes and goes: \d+ of \d+ requests", causes[0]["reason"]), causes
    count = iter(range(1 << 20))
    causes, _, _ = causes_of(lambda request: plain(429, "slow down") if next(count) % 3 == 2 else good(request))
    assert [cause["type"] for cause in causes] == ["busy"] and facts_of(causes[0]) == [], causes


def test_where_there_is_no_difference_nothing_is_guessed():
    """A strict one refuses what is asked, too."""
    def strict(payload):
        """Has the paths of all operations, and one of alerts, too."""
        paths = {"user": "user/v2", "authenticate": "authenticate/v2", "report": "report/v2", "score-simulator": "report/v2/score-simulator",
                 "monitoring": "monitoring/v2", "alerts": "alerts/v2"}
        is_known = payload.get("path", "").startswith("/api/" + paths.get(payload["service"], "-"))
        return None if is_known else plain(400, "invalid")

    causes, blocks, alone = causes_of(with_bug(strict))
    assert causes == [] and alone == ["deliver/bureau-alert"], (causes, blocks, alone)


def test_what_only_an_invalid_one_could_show_is_not_named():
    """All that were refused have authToken; a request without it is refused, too, for whatever reason."""
    strict = refusing(lambda p: "authToken" in details(p) or p["service"] == "authenticate", 401, "login required")
    causes, _, _ = causes_of(strict)
    assert all(fact[0] != "present" for cause in causes for fact in facts_of(cause)), causes


def test_a_listener_that_takes_one_kind_is_not_explained():
    causes, blocks, _ = causes_of(refusing(lambda p: p["service"] != "alerts", 400, "unknown event"), "--level", "quick")
    assert len(causes) == 1 and causes[0]["type"] == "unknown" and len(blocks[0]) >= 24, causes
    assert "no difference" in causes[0]["reason"] and "deliver/bureau-alert, accepted" in causes[0]["reason"], causes


def screen_of(respond, *args):
    """The lines at 80 columns."""
    with FaultServer(listener(respond)) as server:
        command = [binary(), "test", *args, "--to", f"{server.url}/hook", *QUICKLY, "--skip", "still-up"]
        with Seen(command, environment(), new_folder(), columns=80, rows=60) as seen:
            seen.until_end()
            return seen.screen.text()


def test_one_bug_fits_on_a_screen():
    """24 lines of 80 columns, with what is said of the checks that are no failure of a must; not that a busy machine is slow."""
    bugs = some(6, 1)
    with ThreadPoolExecutor(4) as pool:
        for bug, lines in zip(bugs, pool.map(lambda bug: screen_of(BUGS[bug][0]()), bugs)):
            assert len(lines) <= 24 and any("-v: all" in line for line in lines), (bug, lines)


def test_a_long_response_is_a_line():
    words = '{"detail":' + "x" * 100 + "}"
    lines = screen_of(refusing(lambda p: details(p).get("offCycle") == "true", 422, words), "deliver", "value")
    at = [number for number, line in enumerate(lines) if line.strip().startswith('{"detail"')]
    assert len(at) == 1 and lines[at[0]].endswith("xxx...") and "offCycle" in lines[at[0] + 1], lines


def test_a_cause_of_notes_is_for_v():
    differ = BUGS["userId is clientKey"][0]
    brief, verbose = (screen_of(differ(), "deliver", "value", *words) for words in ((), ("-v",)))
    assert not any(re.match("1 |!|warn", line) or "userId" in line for line in brief) and any("no must failed" in line for line in brief), brief
    assert any("checks, one cause" in line for line in verbose), verbose


def test_a_cause_is_in_the_reports():
    folder = new_folder()
    with FaultServer(listener(raising(fails_without_path))) as server:
        credhook("test", "deliver", "--to", f"{server.url}/hook", "--report", f"junit={folder}/r.xml", "--report",
                 f"html={folder}/r.html").expect(1)
        found, summary = probe(f"{server.url}/hook", "deliver", code=1)
    cases = re.findall(r'class="case">(.*)</script>', (folder / "r.html").read_text(encoding="utf-8"))
    assert {case["name"]: case.get("cause") for case in map(json.loads, cases) if case["verdict"] == "fail"} == {"deliver/bureau-alert": 1}
    assert 'message="it has no path: expected 2xx, got 500' in (folder / "r.xml").read_text(encoding="utf-8")
    assert found["deliver/bureau-alert"]["cause"] == 1 and summary["causes"][0]["facts"][0]["subject"] == "/path", found


if __name__ == "__main__":
    run(at_once=4)

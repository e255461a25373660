#!/usr/bin/python3
"""`credhook test`: what it says of small listeners."""
# rooms: cause cmd/probe http probe

import json
import re
import shlex

from probe_runs import QUICKLY, after_some, probe, verdicts
from small_listeners import (TEXT, careless, closes, good, is_envelope, listener, needs_32_bits, needs_app_key, needs_ascii,
                             needs_boolean, needs_negative, needs_numbers, needs_path, not_idempotent, plain, read, redirects,
                             strict, swallows, traced, with_bug)
from support import FaultServer, Listener, answer, answer_bytes, credhook, run, step

APP_KEY = "4f8875d1-949b-4247-a535-9b81b08a5ef8"


def test_a_good_listener_has_nothing_to_mend():
    assert verdicts(good) == {}


def test_a_careless_listener_is_told_what_it_takes():
    wanted = ["bad/details-null", "bad/top-null", "bad/top-array", "bad/top-string", "bad/top-number", "json/empty",
              "json/truncated", "json/trailing-comma", "json/two-documents", "json/single-quotes", "json/invalid-utf8",
              "json/nan", "method/put", "method/patch", "method/delete", "method/trace", "path/other",
              "type/text-plain", "type/form", "type/none"]
    assert verdicts(careless) == dict.fromkeys(wanted, "note")


def test_a_strict_listener_fails_no_must():
    found = verdicts(strict(APP_KEY), "--set", f"details.appKey={APP_KEY}")
    assert found == {"form/big-integer": "note", "repeat/again": "warn", "repeat/concurrent": "warn"}, found
    assert verdicts(strict(APP_KEY), "repeat", "--set", f"details.appKey={APP_KEY}", "--expect-status", "repeat=2xx,409") == {}


def test_planted_bugs_are_found():
    """The bug, the checks that fail for it, and a word of the advice."""
    for respond, wanted, advice in (
            (with_bug(needs_path), ["deliver/bureau-alert"], "read path only where it is present"),
            (with_bug(needs_boolean), ["value/credit-report-ordered:offCycle=true"], "offCycle may be \"true\""),
            (with_bug(needs_negative), ["value/credit-score-simulated:change=7"], "change is a signed integer in a text"),
            (with_bug(needs_numbers), ["value/credit-score-simulated:scoreModifiers=one",
                                       "value/credit-score-simulated:scoreModifiers=several"], "take scoreModifiers with any members"),
            (with_bug(not_idempotent()), ["repeat/again", "repeat/concurrent"], "recognize a repeat"),
            (with_bug(redirects), ["deliver/credit-report-ordered", "deliver/credit-report-retrieved",
                                   "deliver/credit-report-display-token-generated"], "do not follow redirects"),
            (closes("alerts"), ["deliver/bureau-alert"], 'also of "alerts"'),
            (closes("report"), ["deliver/credit-report-ordered"], 'also of "report"'),
            (with_bug(needs_ascii), ["value/user-created:firstName=accents", "form/utf8"], "take any character"),):
        groups = {"deliver"} | {name.split("/")[0] for name in wanted}
        with FaultServer(listener(respond)) as server:
            found, _ = probe(f"{server.url}/hook", *sorted(groups), *QUICKLY, code=1)
        failed = {name: check for name, check in found.items() if check["verdict"] == "fail" and check["level"] == "must"}
        assert set(wanted) <= set(failed), failed.keys()
        assert advice in failed[wanted[0]]["fix"], failed
        retry = failed[wanted[0]]["retry"].replace("'", "")
        assert retry.startswith(f"credhook test {wanted[0]} --to http://127.0.0.1:") and "--json" not in retry, retry


def test_each_advice_has_a_block_of_its_own():
    """Checks that fail with the same page, or a closed connection, but need different things. The log is said once."""
    def fails(payload):
        return "path" not in payload or len(payload["details"].get("scoreModifiers", "-")) > 1

    for broken, status in (((500, TEXT, b"Internal Server Error"), 500), (None, None), ((502, TEXT, b"Bad Gateway"), 502)):
        def respond(request, broken=broken):
            payload = read(request)
            return broken if is_envelope(payload) and fails(payload) else good(request)

        with FaultServer(listener(respond)) as server:
            result = credhook("test", "deliver", "value", "order", "--to", f"{server.url}/hook").expect(1)
            found, _ = probe(f"{server.url}/hook", "deliver", "value", "order", code=1)
        text = " ".join(result.out.split())
        log = r"the listener (?:failed|did not respond to the proxy in front of it): its log at \d\d:\d\d:\d\d says why; "
        for name, fix in (("deliver/bureau-alert", "read path only where it is present"),
                          ("value/credit-score-simulated:scoreModifiers=several", "take scoreModifiers with any members")):
            assert text.count(fix) == 1, (status, result)
            assert re.match(log + fix, found[name]["fix"]) and found[name]["status"] == status, found[name]
        assert "accept every event" not in text, result


def test_of_many_musts_in_a_group_some_are_shown():
    """Here each event has an error of its own, which has nothing in common with others."""
    letters = str.maketrans("0123456789", "abcdefghij")

    def fail(payload):
        return (500, TEXT, " ".join(payload.get(key, "").translate(letters) for key in ("event", "method", "path")).encode())

    with FaultServer(listener(with_bug(lambda p: None if p["service"] == "alerts" else fail(p)))) as server:
        short, whole = (credhook("test", "deliver", *words, "--to", f"{server.url}/hook").expect(1) for words in ((), ("-v",)))
    blocks = [line for line in short.out.splitlines() if line.startswith("    FAIL ")]
    assert len(blocks) == 5 and re.search(r"^      \d+ more: -v shows them$", short.out, re.M), short
    assert "more: -v" not in whole.out and "    FAIL monitored-element-removed" in whole.out, whole
    for result in (short, whole):
        assert re.search(r"^24 musts failed: .* and \d+ more$", result.out, re.M), result


def test_an_event_that_fails_alone_is_not_blamed_on_its_order():
    with FaultServer(listener(with_bug(needs_app_key))) as server:
        found, _ = probe(f"{server.url}/hook", "deliver", "order", "--skip", "still-up", code=1)
    wanted = {"deliver/monitoring-service-enrolled": "fail", "deliver/monitoring-service-cancelled": "fail",
              "order/cancelled-before-enrolled": "skip"}
    assert {name: check["verdict"] for name, check in found.items()} == wanted, found
    with FaultServer(answer(500)) as server:
        for check in ("repeat/again", "form/key-order", "order/report-unknown"):
            assert probe(server.url, check, "--skip", "still-up", code=1)[0][check]["verdict"] == "fail"


def test_what_was_new_in_a_value_is_said():
    with FaultServer(listener(with_bug(needs_32_bits))) as server:
        found, _ = probe(f"{server.url}/hook", "value/credit-score-simulated")
    fix = found["value/credit-score-simulated:change=30-digits"]["fix"]
    assert fix.partition("; ")[2].startswith("change has no stated bounds"), fix


def test_checks_use_an_event_that_is_accepted():
    """What is not about alerts is not skipped where alerts are refused; skips of one reason are one line."""
    with FaultServer(listener(with_bug(lambda p: (500, [], b"") if p["service"] == "alerts" else None))) as server:
        result = credhook("test", "deliver", "form", "json", "size", "bad", "order", "-v", *QUICKLY, "--to", f"{server.url}/hook").expect(1)
        found, _ = probe(f"{server.url}/hook", "deliver", "form", "json", "size", "bad", *QUICKLY, code=1)
    assert not [name for name, check in found.items() if check["verdict"] == "skip" and not name.startswith("bad/")], found
    skipped = [name for name, check in found.items() if check["verdict"] == "skip"]
    assert skipped and all("alert" in name.lower() or "bureau" in name or "path" in name for name in skipped), skipped
    assert re.search(r"^(?:note|warn) bad +\d+ of \d+ ok, \d+ skipped: the event is not accepted$",
                     result.out, re.M), result


def test_a_naive_listener_gets_a_short_report():
    def naive(request):
        try:
            payload = json.loads(request.body)
            assert payload["path"] and payload["details"]["clientKey"] and payload["details"].get("offCycle", "false") == "false"
            return 200, TEXT, b"ok"
        except Exception as error:  # pylint: disable=broad-except
            return 500, TEXT, f"{type(error).__name__}: {error}".encode()

    with FaultServer(listener(naive)) as server:
        result = credhook("test", *QUICKLY, "--to", f"{server.url}/hook").expect(1)
    assert len(result.out.splitlines()) < 40 and result.out.count("credhook test ") == 1, result


def test_swallowed_json_is_a_warning():
    found = verdicts(swallows)
    assert {"json/truncated": "note", "json/empty": "note"}.items() <= found.items(), found


def test_a_stack_trace_is_shown_and_named():
    with FaultServer(listener(traced)) as server:
        found, summary = probe(f"{server.url}/hook", *QUICKLY)
        leak = found["leak/trace"]
        assert leak["verdict"] == "warn" and "a stack trace in " in leak["reason"], leak
        assert "KeyError: 'details'" in leak["reason"] or "TypeError: " in leak["reason"], leak
        assert summary["should"]["warn"] > 1 and summary["must"]["fail"] == 0, summary
        probe(f"{server.url}/hook", "bad", "--strict", code=1)


def test_our_listener_passes_every_must():
    for mode in ("report", "reject", "off"):
        with Listener("--validate", mode, "--path", "/hook") as server:
            _, summary = probe(f"{server.url}/hook", *QUICKLY, *([] if mode == "reject" else ["--level", "quick"]))
        assert summary["must"]["fail"] == summary["must"]["warn"] == summary["must"]["skip"] == 0, (mode, summary)
        wanted = "refused" if mode == "reject" else "accepted"
        assert summary["invalid"][wanted] == sum(summary["invalid"].values()) > 0, (mode, summary)


def test_notes_are_for_verbose():
    """So is the mark of the run, unless something failed. The counts stay, and add up."""
    with FaultServer(listener(careless)) as server:
        short, whole = (credhook("test", "deliver", "json", *words, "--to", f"{server.url}/hook").expect(0)
                        for words in ((), ("-v",)))
    for result in (short, whole):
        counts = re.search(r"^must (\d+) of \1; should 0 of (\d+): \2 tolerated; note (\d+) of \3$", result.out, re.M)
        assert counts, result
    assert f"note json     {counts[3]}/{int(counts[2]) + int(counts[3])}\n-v shows what is noted or skipped\n" in short.out, short
    assert "expected" not in short.out and "test data" not in short.err, short
    assert "    note invalid-utf8 " in whole.out and "test data of this run contains" in whole.err, whole
    with FaultServer(listener(with_bug(needs_path))) as server:
        result = credhook("test", "deliver", "--to", f"{server.url}/hook").expect(1)
    assert "test data of this run contains" in result.err, result


def test_a_listener_that_takes_some_events_is_graded():
    """Also one that takes its own, and responds 400 to the rest."""
    with FaultServer(listener(with_bug(lambda p: None if p["service"] == "alerts" else (400, [], b"unknown event")))) as server:
        result = credhook("test", "--to", f"{server.url}/hook", "--level", "quick").expect(1)
    failed = re.search(r"^FAIL (\d+) of (\d+) musts, one response: 400: unknown event\n +no difference to accepted ones was found; ",
                       result.out, re.M)
    counts = re.search(r"^must (\d+) of (\d+)\b", result.out, re.M)
    assert failed and counts and failed[2] == counts[2] and int(failed[1]) == int(counts[2]) - int(counts[1]), result
    assert "accept every event, also those that the listener does not use" in " ".join(result.out.split()), result


def test_one_value_that_is_not_known_is_named():
    with FaultServer(listener(with_bug(lambda p: (422, [], b"") if "productCode" in p["details"] else None))) as server:
        result = credhook("test", "deliver", "--to", f"{server.url}/hook").expect(1)
        assert "--set details.productCode=VALUE" in result.err, result


def test_what_only_one_event_holds_is_named():
    """What the response names of it, or else what no accepted event has."""
    def refuse(words, field="address"):
        return with_bug(lambda p: (422, [("Content-Type", "text/plain")], words) if field in p["details"] else None)

    everything = "details.firstName, details.lastName, details.address.street, details.address.city, details.address.state, " \
                 "details.address.zip"
    for respond, note in (
            (refuse(b"unknown ZIP code"), "only user-created was refused: if the listener knows only some values, "
                                         "--set details.address.zip=VALUE gives one\n"),
            (refuse(b"zip is not of this state"), "only user-created was refused: if the listener knows only some values, --set "
                                                  "PATH=VALUE gives one; PATH: details.address.state, details.address.zip\n"),
            (refuse(b"unknown appKey"), "--set details.appKey=VALUE"),
            (refuse(b"gzip, states, clientKey?"), "PATH: " + everything),
            (refuse(b""), "PATH: " + everything),
            (refuse(b"no such alert type", "alertType"),
             "only bureau-alert was refused: if the listener knows only some values, --set PATH=VALUE gives one; PATH: details.alertDetails.disputeStatus, "
             "details.alertType\n")):
        with FaultServer(listener(respond)) as server:
            result = credhook("test", "deliver", "--to", f"{server.url}/hook").expect(1)
            assert note in result.err and "clientKey" not in result.err, result
    for unknown in (lambda p: (422, [], b"") if p.get("path", "").endswith("/ssn") else None,
                    lambda p: (500, [], b"zip") if p["service"] == "user" else None,
                    lambda p: (422, [], b"") if p["service"] in ("user", "alerts") else None, lambda p: None):
        with FaultServer(listener(with_bug(unknown))) as server:
            assert "--set" not in credhook("test", "deliver", "--to", f"{server.url}/hook").err
    with FaultServer(listener(refuse(b"zip"))) as server:
        assert "--set" not in credhook("test", "deliver", "--expect-status", "deliver/user-created=422",
                                       "--to", f"{server.url}/hook").expect(0).err


def test_what_is_not_about_a_value_has_none_to_set():
    """That everything is refused says nothing of a value, nor does what has a cause of its own; a response that names
    one does."""
    def always(response):
        return lambda request: response

    def first(response):
        rest = iter((response,))
        return lambda request: next(rest, None) or good(request)

    for respond, *names, note in (
            (always(plain(401, "need token")), "deliver", None),
            (always(plain(401, "need token")), "deliver/bureau-alert", None),
            (always(plain(429, "slow down")), "deliver/bureau-alert", None),
            (always(plain(429, "slow down")), "deliver/bureau-alert", "deliver/user-created", None),
            (first(plain(422)), "deliver", None),
            (always(plain(422, "unknown bureau")), "deliver/bureau-alert",
             "\nbureau-alert was refused: if the listener knows only some values, --set details.bureau=VALUE gives "
             "one\n")):
        with FaultServer(listener(respond)) as server:
            result = credhook("test", *names, "--to", f"{server.url}/hook").expect(1)
        assert "--set" not in result.err if note is None else note in result.err, (names, result)


def test_what_a_check_refers_to_is_sent_before():
    with FaultServer(answer(200)) as server:
        credhook("test", "deliver/monitoring-service-cancelled", "--skip", "still-up", "--to", server.url).expect(0)
        sent = [json.loads(request.body) for request in server.requests]
    assert [payload["method"] for payload in sent] == ["post", "post", "delete"], sent
    assert len({payload["details"]["clientKey"] for payload in sent}) == 1, sent


def test_a_user_is_the_customer_in_all_that_is_sent():
    with FaultServer(answer(200)) as server:
        probe(server.url, "deliver")
        details = [json.loads(request.body)["details"] for request in server.requests]
    users = {d["userId"] for d in details if "userId" in d}
    customers = {d["clientKey"] for d in details if "clientKey" in d}
    assert users and users <= customers, (users, customers)


def test_values_of_a_run_carry_its_mark():
    with FaultServer(answer(200)) as server:
        _, summary = probe(server.url, "deliver")
        one, *_ = [json.loads(request.body)["details"] for request in server.requests]
    mark, address = summary["mark"], one["address"]
    for value in one["firstName"], one["lastName"]:
        assert value.endswith(mark) and " " not in value, "who refuses a space refuses no name for the mark alone"
    assert address["street"].endswith(f" {mark}"), one
    assert one["clientKey"].startswith(mark), one
    assert not any(mark in address[key] for key in ("city", "state", "zip")), one


STATES = "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI " \
         "SC SD TN TX UT VT VA WA WV WI WY DC".split()


def checks_people(payload):
    """Refuses what no person is called and nobody's address is."""
    if payload["service"] != "user":
        return None
    details = payload["details"]
    address = details["address"]
    right = (all(re.fullmatch(r"([^\W\d_]|[' -])+", details[key]) for key in ("firstName", "lastName"))
             and re.fullmatch(r"\d+ .+", address["street"]) and address["state"] in STATES
             and re.fullmatch(r"\d{5}(-\d{4})?", address["zip"]))
    return None if right else (422, [("Content-Type", "text/plain")], b"not a person's name or address")


def test_a_listener_may_check_names_and_addresses():
    for _ in range(3):
        with FaultServer(listener(with_bug(checks_people))) as server:
            found, _ = probe(f"{server.url}/hook", "deliver", "form", "repeat")
        assert not [row for row in found.values() if row["verdict"] == "fail"], found


def test_a_value_echoed_is_found():
    def echo(request):
        return 200, [("Content-Type", "text/html")], request.body

    with FaultServer(listener(echo)) as server:
        found, _ = probe(server.url, "deliver", "leak")
    assert found["leak/echo"]["verdict"] == "warn", found


def test_responses_are_looked_at():
    with FaultServer(after_some(32, listener(lambda request: (503, [], b"x" * 70000)))) as server:
        found, _ = probe(f"{server.url}/hook", "deliver", "method", "response", code=1)
    assert {name: check["verdict"] for name, check in found.items() if name.startswith("response/")} == {
        "response/content-type": "note", "response/retry-after": "note", "response/size": "note"}, found


def test_a_warning_in_an_accepted_response_is_found():
    page = b"<br />\n<b>Warning</b>:  Undefined array key in <b>/srv/hook.php</b> on line <b>26</b><br />"
    for method, verdict in (("POST", "warn"), ("GET", None)):
        def warns(request, method=method):
            return (200, TEXT, page) if request.method == method else good(request)

        found = verdicts(warns, "deliver", "method", "leak", code=0)
        assert found.get("leak/trace") == verdict, found


def test_a_secret_is_not_repeated():
    def repeats(request):
        return 500, [("Content-Type", "text/plain")], f"Error: bad token {request.header('X-Token')}".encode()

    with FaultServer(after_some(1, listener(repeats))) as server:
        result = credhook("test", "deliver", "--to", server.url, "-H", "X-Token: hunter2hunter2").expect(1)
    assert "bad token ***" in result.out and "hunter2" not in result.out + result.err, result


def test_invalid_payloads_as_the_listener_means_it():
    assert "bad/missing-key:service" not in verdicts(good, "bad", "--on-invalid", "auto")
    assert verdicts(careless, "bad", "--on-invalid", "accept") == {}
    found = verdicts(careless, "bad", "--on-invalid", "reject")
    assert set(found.values()) == {"warn"} and "bad/missing-key:service" in found, found


def test_broken_json_is_broken_as_its_name_says():
    def masked(body):
        return re.sub(rb"(?<=clientKey...)[0-9a-f-]+", lambda key: b"x" * len(key[0]), body)

    with FaultServer(listener(good)) as server:
        for name in "bom", "truncated", "trailing-comma", "two-documents", "single-quotes":
            before = len(server.requests)
            credhook("test", f"json/{name}", "--to", f"{server.url}/hook").expect(0)
            first, broken, *others = [masked(request.body) for request in server.requests[before:]]
            assert json.loads(first) and set(others) == {first}, (name, others)
            assert broken == {"bom": b"\xef\xbb\xbf" + first, "truncated": first[:len(first) // 2],
                              "trailing-comma": first[:-1] + b",}", "two-documents": first + b"\n" + first,
                              "single-quotes": first.replace(b'"', b"'")}[name], (name, broken)


def test_what_to_fix_first_is_what_to_repeat():
    """Also where a should has failed before it."""
    def respond(request):
        payload = read(request)
        if is_envelope(payload) and (len(payload["details"].get("firstName", "")) > 200 or seen.count(request.body) > 1):
            return 500, TEXT, b"oops"
        seen.append(request.body)
        return good(request)

    seen = []
    with FaultServer(listener(respond)) as server:
        result = credhook("test", "value/user-created", "repeat", *QUICKLY, "--to", f"{server.url}/hook").expect(1)
    first = re.search(r"Fix first: (\S+)", result.out)[1].rstrip(",")
    assert result.out.index("firstName=255-characters") < result.out.index("repeat "), result
    assert f"repeat the failed musts: credhook test {first} --to " in result.out and first.startswith("repeat/"), result


def test_a_group_has_the_sign_of_what_failed_in_it():
    """Also where that is said with its cause, above: nothing that failed is a note."""
    def refuse(payload):
        if len(payload["details"].get("firstName", "")) > 200:  # a should
            return 500, TEXT, b"oops"
        return None if "path" in payload else (500, TEXT, b"no path")

    checks = ("deliver", "value/user-created:firstName", "form/whitespace", "form/utf8")
    with FaultServer(listener(with_bug(refuse))) as server:
        for more, deliver in (((), "FAIL deliver 24/25"), (("-v",), "FAIL deliver  24 of 25 ok")):
            said = credhook("test", *checks, "--to", f"{server.url}/hook", *more).expect(1).out
            assert deliver in said and "note " not in said, said
            assert re.search(r"^warn value |  warn value ", said, re.MULTILINE) and "ok   form" in said, said
        assert "-v shows" not in credhook("test", "deliver", "--to", f"{server.url}/hook").expect(1).out


def test_what_hides_in_the_address_is_a_placeholder_in_what_to_type():
    with FaultServer(answer(500)) as server:
        secret = server.url.replace("//", "//me:s3cret@") + "/hook?token=s3cret"
        said = credhook("test", "deliver/user-created", "--to", secret).expect(1)
    assert said.out.splitlines()[-1] == "repeat what failed: credhook test deliver/user-created still-up/deliver --to URL", said
    assert "s3cret" not in said.out + said.err, said


def test_what_failed_is_repeated_by_its_groups_where_it_is_much():
    def refuses(wanted):
        return with_bug(lambda p: (500, TEXT, b"oops") if p["service"] in wanted else None)

    for wanted, words in (({"alerts"}, "deliver/bureau-alert"), ({"authenticate"}, "deliver"), ({"alerts", "report", "monitoring", "authentication"}, "deliver")):
        with FaultServer(listener(refuses(wanted))) as server:
            result = credhook("test", "deliver", "--to", f"{server.url}/hook").expect(1)
            assert result.out.splitlines()[-1] == f"repeat what failed: credhook test {words} --to {server.url}/hook", result


def test_what_failed_is_repeated_by_its_kind_where_that_is_enough():
    """The nine elements of one event, whose ids are more than a line has."""
    def refuse(p):
        is_added = p.get("path", "").startswith("/api/monitor") and p["event"] == "201"
        return (500, TEXT, b"oops") if is_added else None

    with FaultServer(listener(with_bug(refuse))) as server:
        result = credhook("test", "deliver", "--to", f"{server.url}/hook").expect(1)
        last = result.out.splitlines()[-1]
        assert last == f"repeat what failed: credhook test deliver/monitored-element-added --to {server.url}/hook", result
        again = credhook(*last.removeprefix("repeat what failed: credhook ").split(), "--json").expect(1).json()
    assert len([line for line in again if line["type"] == "check" and line["verdict"] == "fail"]) == 9, again


def test_what_failed_is_repeated_at_its_level():
    """Of several checks with one name a level has some: the line plays those that failed, and not others instead."""
    def respond(request):
        payload = read(request)
        details = payload.get("details") if isinstance(payload, dict) else None
        if not isinstance(details, dict) or details.keys() != keys:
            return good(request)
        is_odd = not all(isinstance(value, str) or value is details for value in (*payload.values(), *details.values()))
        return (500, TEXT, b"oops") if is_odd else good(request)

    def failed(*args):
        rows = credhook("test", *args, "--json").expect(0).json()
        return [row["id"] for row in rows if row["type"] == "check" and row["verdict"] == "warn"]

    keys = {"appKey", "clientKey", "displayToken", "productCode", "reportKey"}
    with FaultServer(listener(respond)) as server:
        to = ("--to", f"{server.url}/hook")
        ids = failed("bad/wrong-type", "--level", "deep", *to)
        assert len(ids) > 10 and all(name.count(":") == 2 for name in ids), ids
        for names in (("bad/wrong-type", "--level", "deep"), ids):
            last = credhook("test", *names, *to).expect(0).out.splitlines()[-1]
            before, line = last.split(": credhook test ")
            assert before == "repeat what failed" and line == f"bad/wrong-type {' '.join(to)} --level deep", last
            assert failed(*shlex.split(line)) == ids, last


def test_what_only_the_user_expects_loses_nothing():
    """What a check says of others does not hold then; where the user expects what is usual and more, it does."""
    for check, statuses, got in (("deliver/user-created", "404", "expected 404, got 200"),
                                 ("repeat/again", "409", "expected 409, got 200"),
                                 ("method/put", "200,204", "expected 200 or 204, got 405")):
        with FaultServer(listener(good)) as server:
            result = credhook("test", check, "--expect-status", f"{check}={statuses}", "--to", f"{server.url}/hook")
        assert got in result.out and "respond as --expect-status says, or correct the option" in result.out, result
        assert not re.search("respond 2xx|accept POST|would be|recognize", result.out), result
    with FaultServer(listener(with_bug(not_idempotent()))) as server:
        result = credhook("test", "repeat/again", "--expect-status", "repeat/again=2xx,409",
                          "--to", f"{server.url}/hook").expect(1)
    assert "real deliveries would be lost" in result.out and "recognize a repeat and respond 2xx" in result.out, result


def test_a_status_says_what_to_do():
    """What is to be done about a large body, or an event, depends on what the listener says to it."""
    page = b"<!DOCTYPE html><title>403 Forbidden</title><h1>Forbidden</h1><p>CSRF verification failed. Request aborted.</p>"

    def large(status, text):
        return lambda request: plain(status, text) if len(request.body) > 10000 else good(request)

    def parameter(request):
        return plain(415, "json only") if "charset" in request.header("Content-Type") else good(request)

    def always(response):
        return lambda request: response

    for respond, check, words in (
            (large(413, "too large"), "size/20k", "raise the limit of the request"),
            (large(400, "empty body"), "size/20k", "read the whole body"),
            (parameter, "form/charset", "media type without its parameters"),
            (always(plain(404, "no such customer")), "deliver/bureau-alert", "store what refers to something unknown"),
            (always(plain(405)), "deliver/bureau-alert", "accept POST at this URL"),
            (always((403, [("Content-Type", "text/html")], page)), "deliver/bureau-alert", "without a login or a CSRF token")):
        with FaultServer(listener(respond)) as server:
            found, _ = probe(f"{server.url}/hook", check, code=1)
        assert words in found[check]["fix"], found
        assert "page" not in check and ("CSRF verification failed. Request aborted." in found[check]["reason"]) == ("CSRF" in words)


def test_a_proxy_without_tunnels_is_no_listener_that_has_ended():
    """It passes on what http:// asks for, as most do, and CONNECT to port 443 alone. What needs a tunnel is not tried."""

    def pass_on(connection):
        status = 403 if connection.server.requests[-1].method == "CONNECT" else 200
        connection.send(answer_bytes(status))
        return status == 200

    with FaultServer(step(pass_on)) as proxy:
        to = ("--to", "http://far.invalid/hook", "-x", proxy.url)
        credhook("send", "user-created", "--wait", "1m", *to).expect(0)
        checks = credhook("test", "deliver/user-created", "http", "--json", "--yes", *to).expect(0).json()
    skipped = {check["id"]: check["reason"] for check in checks if check.get("verdict") == "skip"}
    assert "http/1.0" in skipped and "http/pipelined" in skipped, skipped
    assert all("gives no tunnel (CONNECT)" in reason for reason in skipped.values()), skipped
    assert not [check for check in checks if check.get("verdict") in ("fail", "warn")], checks


def test_a_large_body_is_of_what_was_accepted():
    """Where the members of one object are refused, those of another one are sent; where all are, nothing is."""
    def refuses(*fields):
        return with_bug(lambda p: (500, TEXT, b"members") if any(len(p["details"].get(key, [])) > 1 for key in fields) else None)

    with FaultServer(listener(refuses("scoreModifiers"))) as server:
        found, _ = probe(f"{server.url}/hook", "deliver", "value", "size/20k", "form/unknown-member", code=1)
    assert "value/credit-score-simulated:scoreModifiers=several" in found and "size/20k" not in found, found.keys()
    for_open = with_bug(lambda p: (500, TEXT, b"no") if {"scoreModifiers", "alertDetails"} & set(p["details"]) else None)
    with FaultServer(listener(for_open)) as server:
        found, _ = probe(f"{server.url}/hook", "deliver", "size/20k", "form/unknown-member", "load", "http", code=1)
    assert {found.pop(name)["verdict"] for name in ("size/20k", "form/unknown-member")} == {"skip"}, found
    assert all(name.startswith("deliver/") for name in found), found


def test_values_are_such_as_people_have():
    ids = {row["id"] for row in credhook("test", "--list", "--json", "value").expect(0).json()}
    assert {"value/user-created:zip=ZIP+4", "value/user-created:zip=00000", "value/credit-report-ordered:clientKey=short"} <= ids, ids
    assert any(name.endswith(":ttlInMinutes=1440") for name in ids) and any(name.endswith(":ttlInMinutes=90") for name in ids)
    assert not [name for name in ids if "alertId=" in name or "monitorId=" in name], "a real alert may be called 1"


if __name__ == "__main__":
    run()

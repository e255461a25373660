#!/usr/bin/python3
"""`credhook test`: what it says of small listeners, and when it says nothing."""

import http.server
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import threading
import time
import xml.etree.ElementTree
from contextlib import contextmanager, suppress
from pathlib import Path

from screen import Seen
from small_listeners import (TEXT, careless, closes, good, listener, needs_app_key, needs_ascii, needs_boolean,
                             needs_32_bits, needs_negative, needs_numbers, needs_path, not_idempotent, redirects, strict,
                             swallows, traced, with_bug, is_envelope, read)
from support import (FaultServer, Listener, answer, binary, certificate, close_without_answer, credhook, drip, environment,
                     free_port, garbage, hang, kinds, launch, new_folder, reset, run)

APP_KEY = "4f8875d1-949b-4247-a535-9b81b08a5ef8"
QUICKLY = ("--skip", "repeat/later", "--skip", "size/16m")  # one waits 2 s, the other is work for Python


def probe(url, *args, code=0, timeout=60):
    """({id: check} but for those that are ok, summary) of a run."""
    rows = credhook("test", "--to", url, "--json", *args, timeout=timeout).expect(code).json()
    *checks, summary = rows
    assert summary["type"] == "summary" and all(row["type"] == "check" for row in checks), rows
    found = {row["id"]: row for row in checks if row["verdict"] != "ok"}
    if url.startswith("http:"):
        assert {found.pop(name)["verdict"] for name in list(found) if name.startswith("tls/")} <= {"skip"}
    return found, summary


def verdicts(respond, *args, code=0):
    with FaultServer(listener(respond)) as server:
        found, _ = probe(f"{server.url}/hook", *QUICKLY, *args, code=code)
    return {name: check["verdict"] for name, check in found.items()}


def test_a_good_listener_has_nothing_to_mend():
    assert verdicts(good) == {}


def test_a_careless_listener_is_told_what_it_takes():
    wanted = ["bad/details-null", "bad/top-null", "bad/top-array", "bad/top-string", "bad/top-number", "json/empty",
              "json/truncated", "json/trailing-comma", "json/two-documents", "json/single-quotes", "json/invalid-utf8",
              "json/nan", "method/put", "method/patch", "method/delete", "method/trace", "path/other",
              "type/text-plain", "type/form", "type/none"]
    assert verdicts(careless) == dict.fromkeys(wanted, "warn")


def test_a_strict_listener_fails_no_must():
    found = verdicts(strict(APP_KEY), "--set", f"details.appKey={APP_KEY}")
    assert found == {"form/big-integer": "warn", "repeat/again": "warn", "repeat/concurrent": "warn"}, found
    assert verdicts(strict(APP_KEY), "repeat", "--set", f"details.appKey={APP_KEY}", "--expect-status", "repeat=2xx,409") == {}


def test_planted_bugs_are_found():
    """The bug, the checks that fail for it, and a word of the advice."""
    for respond, wanted, advice in (
            (with_bug(needs_path), ["deliver/bureau-alert"], "this event has no path"),
            (with_bug(needs_boolean), ["value/credit-report-ordered:offCycle=true"], "offCycle is a string (true or false)"),
            (with_bug(needs_negative), ["value/credit-score-simulated:change=7"], "change is a string"),
            (with_bug(needs_numbers), ["value/credit-score-simulated:scoreModifiers=one",
                                       "value/credit-score-simulated:scoreModifiers=several"], "is an object"),
            (with_bug(not_idempotent()), ["repeat/again", "repeat/concurrent"], "recognize a repeat"),
            (with_bug(redirects), ["deliver/credit-report-ordered", "deliver/credit-report-retrieved",
                                   "deliver/credit-report-display-token-generated"], "do not follow redirects"),
            (closes("alerts"), ["deliver/bureau-alert"], "this event has no path"),
            (closes("report"), ["deliver/credit-report-ordered"], "offCycle (string)"),
            (with_bug(needs_ascii), ["value/user-created:firstName=accents", "form/utf8"], "decode the body as UTF-8"),):
        groups = {"deliver"} | {name.split("/")[0] for name in wanted}
        with FaultServer(listener(respond)) as server:
            found, _ = probe(f"{server.url}/hook", *sorted(groups), *QUICKLY, code=1)
        failed = {name: check for name, check in found.items() if check["verdict"] == "fail" and check["level"] == "must"}
        assert set(wanted) <= set(failed), failed.keys()
        assert advice in failed[wanted[0]]["fix"], failed
        retry = failed[wanted[0]]["retry"].replace("'", "")
        assert retry.startswith(f"credhook test {wanted[0]} --to http://127.0.0.1:") and "--json" not in retry, retry


def test_each_advice_has_a_block_of_its_own():
    """Checks that fail with the same page, or a closed connection, but need different things; the log comes first."""
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
        for fix in ("this event has no path", 'scoreModifiers is an object, and may be {"sampleOne":3,'):
            assert re.search(log + re.escape(fix), text), (status, result)
        assert "accept every event" not in text, result
        for name in ("deliver/bureau-alert", "value/credit-score-simulated:scoreModifiers=several"):
            assert re.match(log, found[name]["fix"]) and found[name]["status"] == status, found[name]


def test_of_many_musts_in_a_group_some_are_shown():
    with FaultServer(listener(with_bug(lambda p: None if p["service"] == "alerts" else (500, TEXT, b"oops")))) as server:
        short, whole = (credhook("test", "deliver", *words, "--to", f"{server.url}/hook").expect(1) for words in ((), ("-v",)))
    blocks = [line for line in short.out.splitlines() if line.startswith("    FAIL ")]
    assert len(blocks) == 5 and re.search(r"^      1\d more: -v shows them$", short.out, re.M), short
    assert "more: -v" not in whole.out and "    FAIL monitored-element-removed" in whole.out, whole
    for result in (short, whole):
        assert re.search(r"^24 musts failed: .* and 7 more$", result.out, re.M), result


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
    assert fix.partition("; ")[2] == "change is a string (signed integer), and may be 123456789012345678901234567890", fix


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
        result = credhook("test", *QUICKLY, "--to", f"{server.url}/hook", timeout=120).expect(1)
    assert len(result.out.splitlines()) < 40 and result.out.count("credhook test ") == 1, result


def test_swallowed_json_is_a_warning():
    found = verdicts(swallows)
    assert {"json/truncated": "warn", "json/empty": "warn"}.items() <= found.items(), found


def test_a_stack_trace_is_shown_and_named():
    with FaultServer(listener(traced)) as server:
        found, summary = probe(f"{server.url}/hook", *QUICKLY)
        leak = found["leak/trace"]
        assert leak["verdict"] == "fail" and "a stack trace in " in leak["reason"], leak
        assert "KeyError: 'details'" in leak["reason"] or "TypeError: " in leak["reason"], leak
        assert summary["should"]["fail"] > 1 and summary["must"]["fail"] == 0, summary
        probe(f"{server.url}/hook", "bad", "--strict", code=1)


def test_our_listener_passes_every_must():
    for mode in ("report", "reject", "off"):
        with Listener("--validate", mode, "--path", "/hook") as server:
            _, summary = probe(f"{server.url}/hook", *QUICKLY, *([] if mode == "reject" else ["--level", "quick"]))
        assert summary["must"]["fail"] == summary["must"]["warn"] == summary["must"]["skip"] == 0, (mode, summary)
        wanted = "refused" if mode == "reject" else "accepted"
        assert summary["invalid"][wanted] == sum(summary["invalid"].values()) > 0, (mode, summary)


@contextmanager
def one_at_a_time(delay=0):
    """Deals with a connection until it is closed, before it takes the next; responds after `delay` seconds."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):  # pylint: disable=invalid-name
            if "chunked" in (self.headers["Transfer-Encoding"] or ""):
                while size := int(self.rfile.readline(), 16):
                    self.rfile.read(size + 2)
                self.rfile.readline()
            self.rfile.read(int(self.headers["Content-Length"] or 0))
            time.sleep(delay)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):  # pylint: disable=arguments-differ
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    server.request_queue_size = 128
    server.socket.listen(128)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/hook"
    finally:
        server.shutdown()
        server.server_close()


def test_one_connection_at_a_time_is_enough():
    with one_at_a_time() as url:
        _, summary = probe(url, *QUICKLY)
    assert summary["must"]["fail"] == summary["must"]["skip"] == 0, summary


def test_a_crowd_that_waits_breaks_no_must():
    """The handler is fast enough, and right: connections wait too long for their turn."""
    with one_at_a_time(0.3) as url:
        found, _ = probe(url, "repeat/concurrent", "load/burst", "--skip", "still-up", "--max-time", "2s")
    assert {name: check["verdict"] for name, check in found.items()} == {"repeat/concurrent": "warn", "load/burst": "fail"}
    assert all("timed out" in check["reason"] and "accept queue" in check["fix"] for check in found.values()), found


def test_nobody_there_grades_nothing():
    for words in ((), ("deliver/user-created",)):
        result = credhook("test", *words, "--to", "127.0.0.1:1", "--json").expect(4)
        assert result.out == "" and "nothing was graded" in result.err and "connection refused" in result.err, result


def test_a_listener_may_come_later():
    port = free_port()
    process = launch("test", "deliver", "--wait", "20s", "--to", f"127.0.0.1:{port}", "--json")
    with Listener(address=f"127.0.0.1:{port}"):
        out, _ = process.communicate(timeout=120)
    assert process.returncode == 0 and out.count(b'"ok"') > len(kinds()), out
    result = credhook("test", "--wait", "1ms", "--to", "127.0.0.1:1").expect(4)
    assert "within 1.0 ms: connection refused" in result.err and result.out == "", result


def test_odd_responses_end_in_bounded_time():
    """A listener that accepts connections and never responds is not graded, unless checks are named."""
    for script in (close_without_answer(), reset(), garbage(), hang()):
        with FaultServer(script) as server:
            result = credhook("test", "--to", server.url, "--max-time", "200ms").expect(1)
            assert result.out == "" and "no valid event gets a response, so nothing was graded: " in result.err, result
            assert len(server.requests) <= len(kinds()), len(server.requests)
            _, summary = probe(server.url, "deliver/user-created", "--max-time", "200ms", code=1)
            assert summary["must"]["fail"] > 0, summary


def interim_for_ever(connection):
    """100 (Continue), until the client has enough."""
    if connection.read_request() is None:
        return False
    try:
        while True:
            connection.send(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000)
    except OSError:
        return False


def endless_body(status):
    def perform(connection):
        if connection.read_request() is None:
            return False
        with suppress(OSError):
            connection.send(b"HTTP/1.1 " + status + b"\r\nContent-Type: text/plain\r\nContent-Length: 1073741824\r\n\r\n")
            while True:
                connection.send(b"x" * 65536)
        return False

    return perform


def after_some(count, script):
    """Good responses to the first requests, then something else."""
    def perform(connection):
        return (listener(good) if connection.number < count else script)(connection)

    return perform


def test_a_run_goes_on_after_odd_responses():
    circle = listener(lambda request: (302, [("Location", "/hook")], b""))
    for script, verdict in ((hang(), "fail"), (garbage(), "fail"), (reset(), "fail"), (circle, "fail"),
                            (interim_for_ever, "fail"), (endless_body(b"500 Oops"), "fail")):
        with FaultServer(after_some(30, script)) as server:
            found, summary = probe(f"{server.url}/hook", "deliver", "method", "path", "--max-time", "700ms", code=1)
        assert summary["must"]["ok"] >= len(kinds()), summary
        assert found["method/put"]["verdict"] == verdict, found["method/put"]
        assert found["still-up/method"]["verdict"] != "ok", found


def test_hangs_end_a_group():
    with FaultServer(after_some(30, hang())) as server:
        found, _ = probe(f"{server.url}/hook", "deliver", "bad", "--max-time", "500ms", code=1)
    failed = [name for name, check in found.items() if check["verdict"] == "fail" and name.startswith("bad/")]
    assert len(failed) == 5 and found["bad/top-null"]["verdict"] == "skip", found.keys()
    assert "store the notification" in found[failed[0]]["fix"], found[failed[0]]


class Fragile:
    """A listener that ends at the first of `fatal` in a payload, and if `supervised` is started again at once."""

    def __init__(self, fatal, supervised):
        self.fatal, self.supervised, self.ends = fatal, supervised, 0
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    def serve(self):
        while True:
            connection, _ = self.socket.accept()
            with connection, connection.makefile("rb") as stream:
                head = list(iter(stream.readline, b"\r\n")) if stream.peek(1) else []
                length = [int(line.split(b":")[1]) for line in head if line.lower().startswith(b"content-length")]
                body = stream.read(length[0]) if length else b""
                if head == [b"STOP\r\n"]:
                    return
                if self.fatal in body:
                    self.ends += 1
                    self.socket.close()
                    if not self.supervised:
                        return
                    self.socket = socket.create_server(("127.0.0.1", self.port), backlog=64)
                elif head:
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port)) as last:
            last.sendall(b"STOP\r\n\r\n")
        self.thread.join()
        self.socket.close()


def test_a_listener_that_is_started_again_goes_on():
    with Fragile(b'"details":null', True) as server:
        found, summary = probe(f"http://127.0.0.1:{server.port}/hook", "bad/details-null", "bad/top-null", "json/truncated")
        assert server.ends == 1
    assert {name for name, check in found.items() if check["verdict"] in ("fail", "skip")} == {"bad/details-null"}, found
    assert summary["stopped_at"] is None and summary["not_run"] == 0, summary


def test_a_listener_that_is_gone_ends_the_run():
    """The check that ended it is named, and has failed even if it is a note."""
    with Fragile(b'"alertId"', False) as server:
        url = f"http://127.0.0.1:{server.port}/hook"
        result = credhook("test", "--to", url).expect(1)
    stop = re.search(r"^stopped at deliver/bureau-alert: the listener is gone; (\d+) checks not run$", result.out, re.M)
    assert stop and int(stop[1]) > 200, result
    assert f"start it again and run: credhook test deliver/bureau-alert --to {url}" in result.out, result
    with Fragile(b"[[[[", False) as server:
        found, summary = probe(f"http://127.0.0.1:{server.port}/hook", "json/depth-1000", "method", code=1)
    assert {name: check["verdict"] for name, check in found.items()} == {"json/depth-1000": "fail"}, found
    assert found["json/depth-1000"]["fix"].endswith(" says why; no request may end it") and found["json/depth-1000"]["level"] == "note", found
    assert summary["stopped_at"] == "json/depth-1000" and summary["not_run"] == 9, summary


def test_a_group_that_is_skipped_has_one_line():
    with FaultServer(listener(good)) as server:
        short, whole = (credhook("test", "type", "--to", f"{server.url}/hook", "-H", "Content-Type: application/json", *words)
                        .expect(0) for words in ((), ("-v",)))
    assert re.search(r"^note type +a header given sets the Content-Type$", whole.out, re.M), whole
    assert "text-plain" not in whole.out and short.out.startswith("note type  skipped\n-v shows "), (short, whole)


def test_notes_are_for_verbose():
    """So is the mark of the run, unless something failed. The counts stay."""
    with FaultServer(listener(careless)) as server:
        short, whole = (credhook("test", "deliver", "json", *words, "--to", f"{server.url}/hook").expect(0)
                        for words in ((), ("-v",)))
    for result in (short, whole):
        assert re.search(r"^must 27 of 27, should 0 of 7, note 6 of 6$", result.out, re.M), result
    assert "note json     6/13\n-v shows what is noted or skipped\n" in short.out, short
    assert "expected" not in short.out and "test data" not in short.err, short
    assert "    note invalid-utf8 " in whole.out and "test data of this run contains" in whole.err, whole
    with FaultServer(listener(with_bug(needs_path))) as server:
        result = credhook("test", "deliver", "--to", f"{server.url}/hook").expect(1)
    assert "test data of this run contains" in result.err, result


def test_a_closed_door_grades_nothing():
    """All events get one status: that is not about the events. Checks that are named are graded whatever they get."""
    for status, hint in ((401, "-H @FILE"), (404, "path"), (422, "--set"), (302, "redirects"), (500, "log"),
                         (502, "a proxy whose listener does not respond"), (504, "a proxy whose listener does not respond")):
        with FaultServer(answer(status)) as server:
            result = credhook("test", "--to", server.url).expect(1)
            assert f"every valid event gets {status}, so nothing was graded" in result.err and hint in result.err, result
            assert result.out == "" and len(result.err.splitlines()) == 3, result
            assert len(server.requests) == len(kinds()), "one of each kind, and no more"
            credhook("test", "--skip", "still-up", "--to", server.url).expect(1)
            assert len(server.requests) == 50
            _, summary = probe(server.url, "deliver", code=1)
            assert summary["must"]["fail"] == len(kinds()) + 1, summary


def test_a_listener_that_takes_some_events_is_graded():
    """Also one that takes its own, and responds 400 to the rest."""
    with FaultServer(listener(with_bug(lambda p: None if p["service"] == "alerts" else (400, [], b"unknown event")))) as server:
        result = credhook("test", "--to", f"{server.url}/hook", "--level", "quick").expect(1)
    assert re.search(r"^FAIL deliver +1 of 25 ok$", result.out, re.M), result
    assert "accept every event, also those that the listener does not use" in " ".join(result.out.split()), result


def test_one_value_that_is_not_known_is_named():
    with FaultServer(listener(with_bug(lambda p: (422, [], b"") if "productCode" in p["details"] else None))) as server:
        result = credhook("test", "deliver", "--to", f"{server.url}/hook").expect(1)
        assert "--set details.productCode=VALUE" in result.err, result


def test_what_only_one_event_holds_is_named():
    """What the response names of it, or else what no accepted event has."""
    def refuse(words, service="user"):
        return with_bug(lambda p: (422, [("Content-Type", "text/plain")], words) if p["service"] == service else None)

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
            (refuse(b"no such alert type", "alerts"),
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
    for value in one["firstName"], one["lastName"], address["street"]:
        assert value.endswith(f" {mark}"), one
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
    assert found["leak/echo"]["verdict"] == "fail", found


def test_responses_are_looked_at():
    with FaultServer(after_some(32, listener(lambda request: (503, [], b"x" * 70000)))) as server:
        found, _ = probe(f"{server.url}/hook", "deliver", "method", "response", code=1)
    assert {name: check["verdict"] for name, check in found.items() if name.startswith("response/")} == {
        "response/content-type": "warn", "response/retry-after": "warn", "response/size": "warn"}, found


def test_a_warning_in_an_accepted_response_is_found():
    page = b"<br />\n<b>Warning</b>:  Undefined array key in <b>/srv/hook.php</b> on line <b>26</b><br />"
    for method, verdict in (("POST", "fail"), ("GET", None)):
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
    assert set(found.values()) == {"fail"} and "bad/missing-key:service" in found, found


def test_a_protected_environment_is_never_tested():
    folder = new_folder()
    config = folder / "c.json"
    with FaultServer(answer(200)) as server:
        config.write_text(json.dumps({"environments": {"production": {"url": server.url}}}))
        result = credhook("test", "--to", server.url, "--config", config).expect(2)
        assert "test never goes to a protected environment" in result.err, result
        credhook("test", "--to", "production", "--config", config, "--yes").expect(2)
        credhook("test", "--to", server.url, "--allow-production").expect(2)
        assert server.requests == []


def test_statuses_are_expected_of_a_check():
    for given in "409", "=409", "deliver":
        result = credhook("test", "--expect-status", given, "--to", ":1").expect(2)
        assert f"needs ID=LIST, not '{given}'" in result.err and "--expect-status repeat/again=2xx,409" in result.err, result


def test_another_host_takes_a_yes():
    for words in (("--to", "http://listener.example/hook", "--connect-to", "::127.0.0.1:80"),
                  ("--to", ":3000", "--connect-to", "::listener.example:80"),
                  ("--to", ":3000", "-x", "http://proxy.example:3128")):
        result = credhook("test", *words).expect(2)
        assert result.out == "" and "--yes" in result.err, result
    with FaultServer(listener(good)) as server:
        port = server.url.rsplit(":", 1)[1]
        found, _ = probe(f"http://listener.example:{port}/hook", "http", "--yes", "--connect-to", "::127.0.0.1:")
        assert found == {}, found


TO_US = ("--connect-to", "::127.0.0.1:")  # whatever the host is


def test_a_configured_host_takes_no_yes():
    config = new_folder() / "c.json"
    with FaultServer(listener(good)) as server:
        port = int(server.url.rsplit(":", 1)[1])
        place = f"http://listener.example:{port}"
        config.write_text(json.dumps({"environments": {"other": {"url": f"http://other.example:{port}/hook"},
                                                       "staging": {"url": f"{place}/hook"}}}))
        for to in ("staging", f"{place}/hook", f"http://LISTENER.example:{port}/hook"):
            credhook("test", "http/keep-alive", "--to", to, "--config", config, *TO_US).expect(0)
        arrived = len(server.requests)
        assert arrived > 0
        for to, detour in ((f"http://listener.example:{port + 1 if port < 65535 else 1}/hook", TO_US),
                           (f"http://one.example:{port}/hook", TO_US),
                           ("staging", ("--connect-to", "::one.example:")), (f"{place}/hook", ("--connect-to", "::one.example:"))):
            result = credhook("test", "http/keep-alive", "--to", to, "--config", config, *detour).expect(2)
            assert "neither this machine nor in the configuration" in result.err and "--yes" in result.err, result
        assert len(server.requests) == arrived


def test_a_terminal_is_asked_before_another_host_is_tested():
    folder = new_folder()
    with FaultServer(listener(good)) as server:
        command = ["test", "http/keep-alive", "--to", f"http://listener.example:{server.url.rsplit(':', 1)[1]}/hook", *TO_US]
        for reply in ("no\n", "y\n", "\n", "YES\n", "yes \n", "\x04", "yes" * 10 + "\n"):
            with Seen([binary(), *command], environment(), folder) as seen:
                seen.until_text(r"neither this\s+machine nor in the configuration(.|\n)*test it\? .*\[yes/no\]")
                seen.type(reply)
                seen.until_text("not tested: the reply was not 'yes'")
                assert seen.until_end() == 2, reply
        for elsewhere in (" </dev/null", " 2>&1 | cat"):  # who cannot see the question, or answer it, is not asked
            with Seen(["/bin/sh", "-c", shlex.join([str(binary()), *command]) + elsewhere], environment(), folder) as seen:
                seen.until_text("--yes")
                seen.until_end()
                assert "[yes/no]" not in "".join(seen.screen.text()), elsewhere
        assert server.requests == []
        with Seen([binary(), *command], environment(), folder) as seen:
            seen.until_text(r"\[yes/no\]")
            seen.type("yes\n")
            assert seen.until_end() == 0
        assert server.requests


def test_a_report():
    folder = new_folder()
    with FaultServer(listener(with_bug(needs_path))) as server:
        credhook("test", "deliver", "--to", f"{server.url}/hook", "--report", f"junit={folder}/r.xml").expect(1)
    suite = xml.etree.ElementTree.parse(folder / "r.xml").getroot().find("testsuite")
    assert suite.get("tests") == f"{len(kinds()) + 1}" and suite.get("failures") == "1", suite.attrib
    assert [case.get("name") for case in suite if case.find("failure") is not None] == ["deliver/bureau-alert"]
    failure = suite.findtext("testcase/failure")
    assert failure.count("retry: credhook test deliver/bureau-alert --to http") == 1 and "--report" not in failure, failure


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


def test_a_page_says_what_a_raw_check_sent():
    page = new_folder() / "page.html"
    with Listener() as target:
        credhook("test", "frame", "--to", target.url, "--report", f"html={page}").expect(0)
    cases = [json.loads(case) for case in re.findall('<script type="application/json" class="case">(.*?)</script>', page.read_text())]
    sent = {case["name"]: case["request"] for case in cases}
    assert sent["frame/bare-lf"]["head"] == "lines that end with LF alone" and "clientKey" in sent["frame/bare-lf"]["body"][0], sent


def until_taken(pid):
    """Until no signal waits for the process."""
    def pending():
        return int(re.search(r"^ShdPnd:\s*(\w+)", Path(f"/proc/{pid}/status").read_text(encoding="ascii"), re.M)[1], 16)
    while pending():
        os.sched_yield()


def test_an_interruption_reports_what_was_graded():
    """The request in flight ends, nothing else is sent, and the groups before are reported."""
    for group in ("method", "http"):  # the second sends over raw connections too
        with FaultServer(after_some(len(kinds()) + 8, hang())) as server:
            process = launch("test", "deliver", group, "--to", f"{server.url}/hook", "--json")
            server.wait_requests(len(kinds()) + 9)
            process.send_signal(signal.SIGINT)
            until_taken(process.pid)
            server.release()
            out, err = process.communicate(timeout=120)
        if group == "method":
            assert "interrupted: waiting for 1 in flight; Ctrl-C again aborts\n" in err.decode(), err
        rows = [json.loads(line) for line in out.splitlines()]
        assert process.returncode == 130 and rows[-1]["interrupted"], (process.returncode, rows[-1])
        assert len(rows) == len(kinds()) + 2 and {row["verdict"] for row in rows[:-1]} == {"ok"}, rows


def test_a_certificate_is_looked_at():
    """Ours holds for two days."""
    made = certificate(new_folder(), "listener")
    with Listener("--tls-cert", made.cert, "--tls-key", made.key) as server:
        found, _ = probe(server.url, "deliver", "tls", "--cacert", made.cert)
        assert list(found) == ["tls/expiry"] and " days left" in found["tls/expiry"]["reason"], found
        found, _ = probe(server.url, "http", "tls", "-k")
        assert found["tls/trust"]["verdict"] == "fail" and "certificate" in found["tls/trust"]["reason"], found
        assert not [name for name in found if name.startswith("http/")], found


def test_effects_are_counted():
    """What is stored twice shows in the number of records, and what was refused must not show there."""
    folder = new_folder()

    def storing(once, refused_too=False):
        """once: what is in the payloads that are recognized when they come again."""
        seen = set()

        def respond(request):
            response = good(request)
            again = once in request.body and request.body in seen
            if (response[0] == 200 and not again) or (response[0] == 400 and refused_too):
                with open(folder / "records", "ab") as records:
                    records.write(b"x\n")
            seen.add(request.body)
            return response

        return respond

    with FaultServer(listener(storing(b'"firstName"'))) as server:
        (folder / "records").write_bytes(b"")
        found, _ = probe(f"{server.url}/hook", "effect", "--observe", f"wc -l < {folder}/records", code=1)
    assert list(found) == ["effect/once"], found
    assert found["effect/once"]["reason"] == "the number grew by 1 for one bureau-alert, and by 2 for one sent twice", found
    for once, refused_too, wanted in ((b"", False, {}), (b"\0", True, {"effect/once": "fail", "effect/none": "fail"})):
        (folder / "records").write_bytes(b"")
        with FaultServer(listener(storing(once, refused_too))) as server:
            found, _ = probe(f"{server.url}/hook", "effect", "--observe", f"wc -l < {folder}/records",
                             code=1 if wanted else 0)
        assert {name: check["verdict"] for name, check in found.items()} == wanted, found


def number_of(command):
    """Why the check is not passed by a listener whose number is what the command prints."""
    with FaultServer(listener(good)) as server:
        found, _ = probe(f"{server.url}/hook", "effect/once", "--observe", command,
                         code=1 if "rows:" in command else 3)
    return found["effect/once"]["reason"]


def test_a_number_that_cannot_be_had_skips():
    """Whatever the command does with signals, it has 10 s."""
    assert "not a number" not in number_of("printf 'rows:\\n  +1.5e2\\n\\n'")
    for text in ("many", "nan", "-inf", "infinity", "0x10", "1e400", "1 2", "5 rows", ".", "1e", "NAN(1)"):
        assert number_of(f"echo '{text}'") == f"--observe: the last line is '{text}', not a number", text
    assert "not a number" in number_of("printf '5\\0006'") and "not a number" in number_of("true")
    for command, words in ( ("echo 1; exit 7", "exit code 7"), ("echo 1; kill -KILL $$", "exit code 137"),
                           ("trap '' TERM INT HUP; echo 1; while :; do sleep 1; done", "10 s")):
        with FaultServer(listener(good)) as server:
            found, _ = probe(f"{server.url}/hook", "effect/once", "--observe", command, code=3)
        assert found["effect/once"]["verdict"] == "skip" and words in found["effect/once"]["reason"], found


def test_the_last_line_says_what_was_not_looked_at():
    """Where nothing failed: whether the listener keeps what it accepts, once. With a number, it is looked at."""
    folder = new_folder()

    def storing(request):
        response = good(request)
        if response[0] == 200 and request.body not in seen:
            with open(folder / "records", "ab") as records:
                records.write(b"x\n")
        seen.add(request.body)
        return response

    for words, last, code in (
            (("--level", "quick"), "no check failed; nothing shows whether the listener keeps what it accepts (--observe COMMAND looks)", 0),
            (("deliver",), "no check failed", 0),
            (("--level", "quick", "--observe", "false"), "no check failed; nothing shows whether the listener keeps what it accepts", 0),
            (("deliver", "--observe", "false"), "no check failed", 0),
            (("effect", "--observe", f"wc -l < {folder}/records"), "no check failed", 0),
            (("effect", "--observe", "echo many"), "nothing shows whether the listener keeps what it accepts: "
             "--observe: the last line is 'many', not a number", 3)):
        seen = set()
        (folder / "records").write_bytes(b"")
        with FaultServer(listener(storing)) as server:
            result = credhook("test", *words, "--to", f"{server.url}/hook").expect(code)
        text = " ".join(result.out.split())
        assert text.endswith(last) and text.count("nothing shows") == ("nothing shows" in last), (last, result)
        assert ("--observe is not used: no chosen check reads it" in result.err) == ("false" in words), result


def test_a_slow_listener_is_said_once_it_is_known():
    """With what --level quick would take; nothing is said where the rest takes less than two minutes."""
    def slow(request):
        time.sleep(delay)
        return good(request)

    skipped = [word for group in ("slow", "still-up", "repeat", "load", "bad", "value", "json") for word in ("--skip", group)]
    for delay, words, said in ((0.2, ("--level", "deep"), r"a check takes [\d.]+ m?s, so the rest takes about \d+m\d\ds; "
                                r"with --level quick about "),
                               (0, ("--level", "deep", *skipped), None)):
        with FaultServer(listener(slow)) as server:
            process = launch("test", "--to", f"{server.url}/hook", *words)
            server.wait_requests(len(kinds()) + 6)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=120)
        text = err.decode()
        assert re.search(said, text) if said else "the rest takes" not in text, text


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
    assert f"repeat one: credhook test {first} --to " in result.out and first.startswith("repeat/"), result


def test_a_number_that_nothing_changes_is_a_failure():
    with FaultServer(listener(good)) as server:
        found, _ = probe(f"{server.url}/hook", "effect/once", "--observe", "echo 5", code=1)
    assert found["effect/once"]["reason"] == "no notification changes the number: it stays 5", found


def test_a_response_that_never_ends_is_not_accepted():
    with FaultServer(endless_body(b"200 OK")) as server:
        result = credhook("test", "--to", server.url).expect(1)
        assert "every valid event gets too long a response, so nothing was graded: the response is longer than 1 MiB\n" in result.err, result
        assert "hint: respond with a short body, or none\n" in result.err and result.out == "", result
        found, _ = probe(server.url, "deliver/user-created", "--skip", "still-up", code=1)
        assert "longer than 1 MiB" in found["deliver/user-created"]["reason"], found
        found, _ = probe(server.url, "frame/two-lengths", "--skip", "still-up")
    assert found["frame/two-lengths"]["reason"] == "the response is longer than 1 MiB", found
    assert found["frame/two-lengths"]["fix"] == "respond with a short body, or none", found
    with FaultServer(drip(body=b"x" * 1000)) as server:
        found, _ = probe(server.url, "deliver/user-created", "--skip", "still-up", "--max-time", "300ms", code=1)
    assert "timed out" in found["deliver/user-created"]["reason"], found


def test_a_command_that_leaves_something_behind():
    """It has ended: what it started is ended, too, and not waited for."""
    folder = new_folder()
    os.mkfifo(folder / "open")
    with FaultServer(listener(good)) as server:
        with launch("test", "effect", "--to", f"{server.url}/hook", "--observe",
                    f"exec 3>>{folder}/open; (trap '' TERM; exec sleep 60) & echo 1",
                    stderr=subprocess.STDOUT) as process, open(folder / "open", "rb") as whoever:
            output, _ = process.communicate(timeout=60)
            assert whoever.read() == b"" and b"latency" in output, output


def test_the_list_sends_nothing():
    rows = credhook("test", "--list", "--json", "--level", "deep").expect(0).json()
    ids = [row["id"] for row in rows]
    assert len(ids) == len(set(ids)) and "bad/missing-key:details.appKey:bureau-alert" in ids, len(ids)
    normal = [row["id"] for row in credhook("test", "--list", "--json").json()]
    quick = [row["id"] for row in credhook("test", "--list", "--json", "--level", "quick").json()]
    assert set(quick) < set(normal) < set(ids)


if __name__ == "__main__":
    run()

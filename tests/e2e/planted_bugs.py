"""Listeners with one bug each, for `credhook test`: what fails has one cause, which is known."""

import json
import re
import threading
import time

from small_listeners import TEXT, good, listener, plain, with_bug
from support import LONG

LISTED = {"service", "event", "method", "path", "details"}


def details(payload):
    return payload["details"]


def raising(look, words=None):
    """The good listener, but for what `look` raises: 500 and the error, or the same words for all."""
    def check(payload):
        try:
            look(payload)
        except Exception as error:  # pylint: disable=broad-except
            return 500, TEXT, (words or f"{type(error).__name__}: {error}").encode()
        return None
    return with_bug(check)


def refusing(is_bad, status, words):
    return with_bug(lambda payload: plain(status, words) if is_bad(payload) else None)


def once(key, status=409, words="duplicate"):
    """Refuses what has a key that came before."""
    seen, lock = set(), threading.Lock()

    def check(payload):
        wanted = key(payload)
        with lock:
            if wanted is not None and wanted in seen:
                return plain(status, words)
            seen.add(wanted)
        return None
    return with_bug(check)


def ensure(holds):
    if not holds:
        raise ValueError("assertion")


def up_to(length):
    return lambda request: plain(413, "too large") if len(request.body) > length else good(request)


def exact_type(request):
    is_exact = request.method != "POST" or request.header("Content-Type") == "application/json"
    return good(request) if is_exact else plain(415, "unsupported media type")


def one_at_a_time():
    busy = threading.Semaphore(1)

    def respond(request):
        if not busy.acquire(blocking=False):
            return plain(503, "busy")
        try:
            time.sleep(0.01)
            return good(request)
        finally:
            busy.release()
    return respond


def known_customers():
    known = set()

    def check(payload):
        if payload["service"] == "user":
            known.add(details(payload)["clientKey"])
        elif details(payload).get("clientKey") not in known:
            return plain(500, "no such customer")
        return None
    return with_bug(check)


def known_users():
    known = set()

    def check(payload):
        if payload["service"] == "user":
            known.add(details(payload).get("clientKey"))
        elif details(payload).get("userId", "") not in known | {""}:
            return plain(500, "unknown user")
        return None
    return with_bug(check)


def names(payload):
    return json.dumps([details(payload).get("firstName"), details(payload).get("lastName"), details(payload).get("address")],
                      ensure_ascii=False)


def fails_on_push(payload):
    int(payload["event"])


def fails_without_path(payload):
    assert payload["path"]


def fails_on_true(payload):
    assert details(payload).get("offCycle", "false") == "false"


def refuse_letters(payload):
    for member in ("firstName", "lastName", "city"):
        for value in (details(payload).get(member, ""), (details(payload).get("address") or {}).get(member, "")):
            if not value.isascii():
                raise ValueError(f"{member} has to match a pattern")


def fails_on_put(payload):
    ensure(payload["method"] != "put")


def fails_without_monitor(payload):
    assert payload["method"] != "delete" or details(payload)["monitorId"] is not None


def fails_on_letters(payload):
    ensure(names(payload).isascii())


# The bug, what is named: facts by name, subject and value; and a check that is in its block.
BUGS = {
    "a repeat is recognized by clientKey and path": (
        lambda: once(lambda p: (details(p).get("clientKey"), p.get("path"))), [("after", "clientKey and path", "")],
        "deliver/authentication-failed"),
    "a repeat is recognized by service and clientKey": (
        lambda: once(lambda p: (p["service"], details(p).get("clientKey"))), [("after", "clientKey and service", "")],
        "deliver/authentication-failed"),
    "reportKey is unique": (
        lambda: once(lambda p: details(p).get("reportKey"), 500, "UNIQUE constraint failed"), [("after", "reportKey", "")],
        "deliver/credit-report-retrieved"),
    "event is read as a number": (lambda: raising(fails_on_push), [("not-digits", "/event", "")], "deliver/bureau-alert"),
    "path is read where there is none": (lambda: raising(fails_without_path), [("absent", "/path", "")], "deliver/bureau-alert"),
    "the methods lack put": (
        lambda: refusing(lambda p: p["method"] not in ("get", "post", "patch", "delete", "push"), 400, "unknown method"),
        [("method", "/method", "put")], "deliver/credit-report-display-token-generated"),
    "204 is taken for an error": (
        lambda: refusing(lambda p: p["event"] == "204", 500, "upstream failed"), [("event", "/event", "204")],
        "deliver/authentication-question-retrieval-failed"),
    "401 is taken for an error": (
        lambda: refusing(lambda p: p["event"] == "401", 502, "upstream failed"), [("event", "/event", "401")],
        "deliver/authentication-failed"),
    "alerts are an unknown service": (
        lambda: refusing(lambda p: p["service"] == "alerts", 400, "unknown service"), [("service", "/service", "alerts")],
        "deliver/bureau-alert"),
    "offCycle is false only": (
        lambda: raising(fails_on_true), [("value", "/details/offCycle", "true")], "value/credit-report-ordered:offCycle=true"),
    "offCycle is a boolean": (
        lambda: refusing(lambda p: isinstance(details(p).get("offCycle"), str), 422, "no boolean"), [("present", "/details/offCycle", "")],
        "deliver/credit-report-ordered"),
    "bureau is a number": (
        lambda: refusing(lambda p: "bureau" in details(p), 422, "no number"), [("present", "/details/bureau", "")], "deliver/bureau-alert"),
    "an address is a text": (
        lambda: refusing(lambda p: "address" in details(p), 422, "no text"), [("present", "/details/address", "")], "deliver/user-created"),
    "change is unsigned": (
        lambda: raising(lambda p: ensure(details(p).get("change", "7").isdigit())), [("minus", "/details/change", "")],
        "deliver/credit-score-simulated"),
    "scoreModifiers are numbers": (
        lambda: raising(lambda p: sum(details(p).get("scoreModifiers", {}).values())),
        [("holds-other", "/details/scoreModifiers", "")], "value/credit-score-simulated:scoreModifiers=one"),
    "scoreModifiers are not empty": (
        lambda: raising(lambda p: 1 / len(details(p).get("scoreModifiers", "one"))), [("empty", "/details/scoreModifiers", "")],
        "value/credit-score-simulated:scoreModifiers=empty"),
    "names are ASCII": (
        lambda: refusing(lambda p: not names(p).isascii(), 422, "invalid name"),
        [("characters", "", "characters that are not ASCII")], "form/utf8"),
    "names are ASCII, each refused in words of its own": (
        lambda: raising(refuse_letters), [("characters", f"/details/{member}", "characters that are not ASCII")
                                          for member in ("firstName", "lastName", "address/city")], "form/utf8"),
    "an apostrophe ends the statement": (
        lambda: refusing(lambda p: "'" in names(p), 500, "syntax error"), [("characters", "", "an apostrophe")],
        "value/user-created:city=apostrophe"),
    "alertId has 32 bits": (
        lambda: raising(lambda p: int(details(p).get("alertId", 0)).to_bytes(4, "big", signed=True)),
        [("over", "/details/alertId", None)], "form/big-integer"),
    "UUIDs are in lower case": (
        lambda: refusing(lambda p: not re.fullmatch("[0-9a-f-]{36}", details(p).get("appKey", "0" * 36)), 500, "no UUID"),
        [("upper-case", "/details/appKey", "")], "form/uuid-case"),
    "userId is a number": (lambda: refusing(lambda p: "userId" in details(p), 422, "no number"), [("present", "/details/userId", "")], None),
    "userId has to be known": (known_users, [("new", "/details/userId", "")], "value/credit-score-simulated:userId=short"),
    "userId is clientKey": (
        lambda: refusing(lambda p: details(p).get("userId", details(p).get("clientKey")) != details(p).get("clientKey"), 422, "other user"),
        [("differ", "/details/userId", "")], "value/credit-score-simulated:userId=short"),
    "clientKey is a UUID": (
        lambda: refusing(lambda p: not re.fullmatch("[0-9A-Fa-f-]{36}", details(p).get("clientKey", "0" * 36)), 422, "no UUID"),
        [("not-uuid", "/details/clientKey", "")], "value/bureau-alert:clientKey=short"),
    "a path has no hyphen": (
        lambda: refusing(lambda p: "path" in p and not re.fullmatch(r"/api/[a-z-]+/v2(/idp/\w+|/[a-z-]+)?", p["path"]), 400, "no such path"),
        [("segment", "/path", "medical-id")], "deliver/monitored-element-added/medical-id"),
    "parts of a path are letters": (
        lambda: refusing(lambda p: "path" in p and not re.fullmatch(r"(/\w+)+", p["path"]), 404, "no route"), [("hyphen", "/path", "")],
        "deliver/credit-score-simulated"),
    "paths have three parts": (
        lambda: raising(lambda p: ensure(p.get("path", "").count("/") <= 3)), [("part", "/path", "/v2/"), ("deeper", "/path", "3")],
        "deliver/user-token-generated"),
    "a route is missing": (
        lambda: refusing(lambda p: p.get("path", "").startswith("/api/monitoring/"), 404, "no route"), [("part", "/path", "/monitoring/")],
        "deliver/monitoring-service-enrolled"),
    "a route wants a login": (
        lambda: refusing(lambda p: p.get("path", "").startswith("/api/authenticate"), 401, "login required"),
        [("part", "/path", "/authenticate/")], "deliver/user-token-generated"),
    "DELETE needs monitorId": (
        lambda: raising(fails_without_monitor), [("absent", "/details/monitorId", ""), ("method", "/method", "delete")],
        "deliver/monitoring-service-cancelled"),
    "POST needs ttlInMinutes": (
        lambda: raising(lambda p: ensure(p["method"] != "post" or details(p).get("ttlInMinutes", 1) != 0)),
        [("zero", "/details/ttlInMinutes", ""), ("method", "/method", "post")],
        "value/user-token-generated:ttlInMinutes=0"),
    "appKey is read where there is none": (
        lambda: raising(lambda p: details(p)["appKey"]), [("absent", "/details/appKey", "")], "deliver/monitoring-service-enrolled"),
    "unknown keys are refused": (
        lambda: refusing(lambda p: set(p) - LISTED or "sampleKey" in details(p), 400, "unknown key"), [("unknown-key", "", "")],
        "form/unknown-key"),
    "a body has 1 KB": (lambda: up_to(1024), [("larger", "/body", None)], "size/20k"),
    "a body has 16 KB": (lambda: up_to(16384), [("larger", "/body", None)], "size/20k"),
    "Content-Type is compared as it is": (
        lambda: exact_type, [("header", "Content-Type", "application/json; charset=utf-8")], None),
    "one request at a time": (one_at_a_time, [("at-once", "others", "")], "repeat/concurrent"),
    "customers have to be known": (known_customers, [("new", "/details/clientKey", "")], "order/alert-unknown"),
}


def some(step, at=0):
    """All bugs with --long, else each `step`-th from there on: unit/cause finds causes of each kind in listeners that are functions."""
    return BUGS if LONG else dict(list(BUGS.items())[at::step])

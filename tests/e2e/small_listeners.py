"""Small listeners, good and bad, for `credhook test` to look at: functions that get a request of FaultServer's and
return (status, headers, body), or None to close the connection without a response.

    with FaultServer(listener(good)) as server:
        credhook("test", "--to", server.url + "/hook")
"""

import json
import traceback

from fault_server import answer_bytes

PATH = "/hook"
LIMIT = 1 << 20
TEXT = [("Content-Type", "text/plain")]


def listener(respond):
    """A step of FaultServer's; what `respond` raises is a 500 without a word about it."""

    def perform(connection):
        request = connection.read_request()
        if request is None:
            return False
        try:
            response = respond(request)
        except Exception:  # pylint: disable=broad-except
            response = (500, TEXT, b"internal error")
        if response is None:
            return False
        status, headers, body = response
        connection.send(answer_bytes(status, headers, b"" if request.method == "HEAD" else body))
        return True

    return perform


def plain(status, text=""):
    return status, TEXT if text else [], text.encode()


def refusal(request):
    """What is wrong with the request, before its body is looked at; None: nothing."""
    if request.target.split("?")[0] != PATH:
        return plain(404, "no such page")
    if request.method != "POST":
        return 405, [*TEXT, ("Allow", "POST")], b"POST only"
    if len(request.body) > LIMIT:
        return plain(413, "too large")
    if (request.header("Content-Type") or "").split(";")[0].strip().lower() != "application/json":
        return plain(415, "not application/json")
    return None


def unknown_constant(name):
    raise ValueError(name)


def read(request):
    """The payload; None: it is not JSON."""
    try:
        return json.loads(request.body, parse_constant=unknown_constant)
    except (ValueError, RecursionError):
        return None


def is_envelope(payload):
    return isinstance(payload, dict) and isinstance(payload.get("details"), dict) and isinstance(payload.get("service"), str)


def good(request):
    """Takes every notification, and nothing else."""
    refused = refusal(request)
    if refused:
        return refused
    return plain(200) if is_envelope(read(request)) else plain(400, "not a notification")


def careless(request):
    """Responds 200 to whatever comes, wherever, whatever it is."""
    del request
    return plain(200)


def with_bug(bug):
    """The good listener, but for what `bug` does with the details of a payload that it has taken."""

    def respond(request):
        response = good(request)
        return (bug(read(request)) or response) if response[0] == 200 else response

    return respond


def strict(app_key):
    """A good one that knows one application, has 64-bit integers, and remembers what it got."""
    seen = set()

    def check(payload):
        details = payload["details"]
        if details.get("appKey", app_key) != app_key:
            return plain(422, "unknown appKey")
        if any(isinstance(value, int) and abs(value) >= 1 << 63 for value in details.values()):
            return plain(422, "number out of range")
        if json.dumps(payload, sort_keys=True) in seen:
            return plain(409, "known already")
        seen.add(json.dumps(payload, sort_keys=True))
        return None

    return with_bug(check)


def traced(request):
    """Looks up what may not be there, and shows its stack when it is not."""
    try:
        payload = json.loads(request.body)
        return plain(200, payload["details"]["clientKey"] and "")
    except Exception:  # pylint: disable=broad-except
        return 500, TEXT, traceback.format_exc().encode()


def needs_boolean(payload):
    """offCycle is a text."""
    return {"false": None, False: None}[payload["details"].get("offCycle", False)]


def needs_ascii(payload):
    """Names are of all the world."""
    return plain(500, "UnicodeDecodeError: 'ascii' codec") if not payload["details"].get("firstName", "").isascii() else None


def needs_32_bits(payload):
    return plain(500, "OverflowError") if abs(int(payload["details"].get("change", "0"))) >> 31 else None


def needs_negative(payload):
    change = payload["details"].get("change")
    return None if change is None or change[0] == "-" else plain(500, "ValueError: no sign")


def needs_numbers(payload):
    """The members of scoreModifiers may be texts, and may be none."""
    modifiers = payload["details"].get("scoreModifiers")
    return None if modifiers is None or sum(modifiers.values()) / len(modifiers) else plain(500)


def needs_app_key(payload):
    """Two events have none."""
    return None if payload["details"]["appKey"] else plain(400)


def needs_path(payload):
    """Alerts have none."""
    return None if payload["path"] else plain(400)


def redirects(payload):
    if payload["service"] == "report":
        return 302, [("Location", "/login")], b""
    return None


def not_idempotent():
    seen = set()

    def check(payload):
        key = json.dumps(payload, sort_keys=True)
        if key in seen:
            return plain(500, "UNIQUE constraint failed: events.id")
        seen.add(key)
        return None

    return check


def swallows(request):
    """Says 200 to JSON that it could not read."""
    return refusal(request) or plain(200)


def closes(service):
    """Is gone before it responds to this service's events."""

    def respond(request):
        payload = read(request)
        return None if is_envelope(payload) and payload["service"] == service else good(request)

    return respond

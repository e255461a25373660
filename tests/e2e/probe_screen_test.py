#!/usr/bin/python3
"""What stays on a terminal of 80x24 after `credhook test` is one screen, whatever the listener."""
# rooms: cause cmd/probe http probe

import re
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

from planted_bugs import BUGS
from probe_runs import QUICKLY
from screen import Seen
from small_listeners import TEXT, careless, good, listener, plain, with_bug
from stores import free_port, listener as app, observe
from support import FaultServer, binary, environment, new_folder, run

ROWS, COLUMNS = 24, 80
LONG = "/srv/a folder/with/a/long/path/" + "节点模块" * 20 + "/site-packages/application/handlers/notifications.py"


class Counted(Seen):
    """Counts the rows that the run has written, wrapped ones and those that have left the screen, too."""

    def __init__(self, args, columns=COLUMNS, rows=ROWS, **env):
        super().__init__(args, environment(env), new_folder(), columns, rows)
        self.screen.rows = 200  # what would scroll away is kept
        self.screen.lines = [[" "] * columns for _ in range(200)]


def run_at(server, *args, columns=COLUMNS, rows=ROWS, code=None, **env):
    """The rows of a run at a terminal of that size."""
    command = [binary(), "test", "--to", f"{server.url}/hook", *QUICKLY, *args]
    with Counted(command, columns, rows, **env) as seen:
        ended = seen.until_end()
        assert code is None or ended == code, (ended, seen.screen.text())
        return seen.screen.text(), seen.screen.styles


def rows_of(respond, *args, **more):
    with FaultServer(listener(respond)) as server:
        return run_at(server, *args, **more)[0]


def of_each_event(words):
    """Each event has an error of its own, which has nothing in common with others."""
    letters = str.maketrans("0123456789", "abcdefghij")

    def fail(payload):
        name = " ".join(payload.get(key, "").translate(letters) for key in ("event", "method", "path"))
        return 500, TEXT, f"{words}{name}".encode()
    return with_bug(lambda payload: None if payload["service"] == "alerts" else fail(payload))


def raises(words):
    text = f'Traceback (most recent call last):\n  File "{LONG}", line 41, in post\n    {words}\nKeyError: {words!r}\n'
    return with_bug(lambda p: None if "path" in p else (500, TEXT, text.encode()))


LISTENERS = {
    "all fails": lambda: lambda request: (500, TEXT, ("x" * 3000).encode()) if b"alertId" not in request.body else plain(200),
    "many bugs": lambda: of_each_event(""),
    "long responses": lambda: of_each_event("TypeError: " + "a long word, 很长的词, " * 40),
    "long paths": lambda: raises("path " * 60),
    "all is well": lambda: good,
    "all is taken": lambda: careless,
    "one bug": BUGS["path is read where there is none"][0],
    "a repeat": BUGS["a repeat is recognized by clientKey and path"][0],
}


def one_screen(name, rows):
    assert len(rows) < ROWS, (name, len(rows), "\n".join(rows))
    assert rows[0].startswith("testing http://127.0.0.1:"), (name, rows)


def test_what_stays_is_one_screen():
    """With a row for the prompt."""
    with ThreadPoolExecutor(3) as pool:
        for name, rows in zip(LISTENERS, pool.map(lambda name: rows_of(LISTENERS[name]()), LISTENERS)):
            one_screen(name, rows)
            bad = name not in ("all is well", "all is taken")
            assert bool(re.match(r"(✗|FAIL) +\d+ bugs? loses? ", rows[1])) == bad, (name, rows)
            assert any(row.endswith("-v: all  --report html=F: a page") for row in rows), (name, rows)
            assert bad == any(re.match(r" *1 (✗|FAIL) ", row) for row in rows), (name, rows)
            if name == "many bugs":
                assert any(re.fullmatch(r"\d+ more: -v", row) for row in rows), (name, rows)


def test_a_bug_is_said_with_what_is_lost_what_came_why_and_what_to_do():
    rows = rows_of(LISTENERS["one bug"](), "deliver", "--skip", "still-up")
    at = next(number for number, row in enumerate(rows) if row.startswith("1 "))
    assert re.fullmatch(r"1 (✗|FAIL) +bureau-alert is lost: 500 +deliver/bureau-alert", rows[at]), rows
    assert rows[at + 1].strip() == "KeyError: 'path'", rows
    assert re.match(r" +it has no path; read path only where it is present", rows[at + 2]), rows


def test_what_may_be_set_is_said_to_its_end():
    """Which paths may be, is what is wanted of it."""
    refuse = with_bug(lambda p: (422, TEXT, b"zip is not of this state") if "address" in p["details"] else None)
    for columns in 80, 200:
        rows = rows_of(refuse, "deliver", columns=columns)
        said = " ".join(" ".join(rows).split())
        assert "knows only some values, --set PATH=VALUE gives one; PATH: details.address.state, details.address.zip test data" in said, rows
        assert any(row.endswith(" -v: all  --report html=F: a page") and len(row) <= columns for row in rows), rows


def test_in_a_larger_terminal_more_blocks_are_shown():
    shown = [sum(bool(re.match(r" *\d+ (✗|FAIL)", row)) for row in rows_of(of_each_event(""), "deliver", rows=rows)) for rows in (24, 60)]
    assert 1 < shown[0] < shown[1], shown


def test_smaller_terminals_and_v_get_all_of_it():
    for more in ({"rows": 23}, {"columns": 79}):
        rows = rows_of(LISTENERS["one bug"](), "deliver", **more)
        assert any("Fix first: deliver/bureau-alert" in row for row in rows), rows
    rows = rows_of(LISTENERS["one bug"](), "deliver", "-v")
    assert any("Fix first: deliver/bureau-alert" in row for row in rows), rows


def test_quiet_is_the_verdict_and_the_musts():
    rows = rows_of(LISTENERS["one bug"](), "-q")
    assert re.match(r"(✗|FAIL) +1 bug loses notifications", rows[0]) and len(rows) <= 7, rows
    assert not any("-v: all" in row or re.match("!|warn", row) for row in rows), rows


def test_colour_takes_no_room():
    plain_rows, with_colour = (rows_of(LISTENERS["one bug"](), "deliver", NO_COLOR=value) for value in ("1", None))
    assert len(plain_rows) == len(with_colour) < ROWS, (plain_rows, with_colour)
    with FaultServer(listener(LISTENERS["one bug"]())) as server:
        assert run_at(server, "deliver", NO_COLOR=None)[1] and not run_at(server, "deliver", NO_COLOR="1")[1]


def test_what_was_found_is_said_after_ctrl_c():
    """Whether something has failed until then or nothing."""
    for bug, words in ((True, r"(✗|FAIL) +interrupted after \d+ of \d+ checks: \d+ bugs? loses? "),
                       (False, r"(!|warn) +interrupted after \d+ of \d+ checks: none of these has failed")):
        stop, count = threading.Event(), iter(range(1 << 20))

        def respond(request, bug=bug, stop=stop, count=count):
            if next(count) == 60:
                stop.set()
            return plain(500, "broken") if bug and b"alertType" in request.body else good(request)

        with FaultServer(listener(respond)) as server:
            with Counted([binary(), "test", "--to", f"{server.url}/hook", *QUICKLY]) as seen:
                seen.until(lambda screen, stop=stop: stop.is_set())
                seen.signal(signal.SIGINT)
                assert seen.until_end() == 130
                rows = seen.screen.text()
        assert len(rows) < ROWS and any(re.match(words, row) for row in rows), rows
        assert "no check failed" not in "\n".join(rows) and "no must failed" not in "\n".join(rows), rows


def rows_of_app(name, check):
    """The rows of a run of the check against a listener of store_app.py, and the end of its command."""
    folder = new_folder()
    with Counted([binary(), "test", check, "--to", f":{free_port()}/hook", "--skip", "still-up", "--wait", "120s", "--observe",
                  observe(name, folder), "--", *app(name, folder)]) as seen:
        seen.until_end(600)
        rows = seen.screen.text()
    assert len(rows) < ROWS, rows
    return rows, f"{name} {folder}"[-30:]


def test_the_listener_s_own_log_is_on_the_screen():
    """With a path that is not cut amid, and the notes of COMMAND, whose end says which one it is."""
    rows, end = rows_of_app("Swallows", "effect/distinct")
    assert any(row.startswith("starting ") and row.endswith(end) and len(row) <= COLUMNS for row in rows), (rows, end)
    at = next(number for number, row in enumerate(rows) if row.startswith("1 "))
    assert "what a customer gets second is lost behind a 2xx" in rows[at] and "effect/distinct" in rows[at], rows
    assert re.match(r" +app> sqlite3.IntegrityError: UNIQUE constraint failed.* \(store_app.py:\d+\)$", rows[at + 1]), rows
    assert "all that tells two apart: authToken" in " ".join(" ".join(rows[at:at + 4]).split()), rows


def test_what_came_of_a_should_is_said_first():
    rows, _ = rows_of_app("Parsed", "effect/differs")
    for words, check in (("a change loses its sign", "change"), ("a zip loses the 0 that it begins with", "zip"),
                         ("a large alertId becomes another one", "alertId")):
        assert any(re.fullmatch(rf"(!|warn) +{words} +effect/differs:{check}", row) for row in rows), (words, rows)


if __name__ == "__main__":
    run(at_once=3)

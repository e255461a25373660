"""The shell as somebody at a terminal sees it: keys, completion, what arrives, questions, history."""
# rooms: cmd/list cmd/shell cmd/words ui

import json
import os
import re
import signal
import urllib.error
import urllib.request

from screen import Seen
from support import FaultServer, Skip, hang, binary, environment, new_folder, run

USER_CREATED = json.dumps({
    "service": "user", "event": "201", "method": "post", "path": "/api/user/v2",
    "details": {"appKey": "11111111-1111-4111-8111-111111111111", "clientKey": "22222222-2222-4222-8222-222222222222",
                "firstName": "A", "lastName": "B",
                "address": {"street": "S", "city": "C", "state": "T", "zip": "Z"}}}, separators=(",", ":"))
PROMPT = r"credhook( \S+)?( \[\d+ valid(, \d+ invalid)?\])?> "


def shell(*args, columns=80, rows=40, env=None, cwd=None):
    """`credhook shell` at a terminal, at its first prompt."""
    try:
        master, slave = os.openpty()
    except OSError as reason:
        raise Skip(f"no pseudo-terminal: {reason}") from None
    os.close(master)
    os.close(slave)
    session = Seen([binary(), *args, "shell"], environment({"EDITOR": None, "VISUAL": None, **(env or {})}),
                   cwd or new_folder(), columns, rows)
    session.until_text(r"^(credhook.*|\S* ?(\[.*\])?)> ?$")
    return session


def listening(session):
    """Starts the background listener; returns its URL."""
    session.type("listen 0\r")
    url = session.until_text(r"listening on (http://\S+)").group(1)
    session.until_text(r"\[0( valid)?\]>$")
    return url


def post(url, body=USER_CREATED):
    request = urllib.request.Request(url, body.encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status
    except urllib.error.HTTPError as refused:
        return refused.code


def enter(session, line):
    """Types a line at the last prompt, and waits until it is done: it stands there, and a prompt of its own below it."""
    at = len(session.screen.text()) - 1
    session.type(line + "\r")

    def done(screen):
        below = screen.text()[at:]
        return re.fullmatch(PROMPT + re.escape(line), below[0]) and re.fullmatch(PROMPT.rstrip(), below[-1]) and below[1:]
    session.until(done, f"the end of '{line}'")


def leave(session):
    session.type("\x04")
    code = session.until_end()
    assert code == 0, f"exit {code}: " + "\n".join(session.screen.text())


def joined(session):
    """The screen as one line, without its blanks: a wide character that does not fit leaves one at a line's end."""
    return "".join(session.screen.text()).replace(" ", "")


def typed(session):
    """What stands behind the last prompt, wrapped lines joined, without blanks."""
    return joined(session).rpartition(">")[2]


def arrives_above(columns, line, keys):
    """Types a line, some keys that move the cursor, and lets two notifications arrive."""
    shown = line.replace(" ", "")
    with shell(columns=columns) as session:
        url = listening(session)
        session.type(line)
        session.until(lambda _: typed(session) == shown, "the line")
        session.type(keys + "^")
        session.until(lambda _: "^" in typed(session) and typed(session).replace("^", "") == shown,
                      "the cursor's mark, and the line around it")
        before = typed(session)
        assert post(url) == 200
        session.until_text(r"#1 ")
        session.until(lambda _: typed(session) == before, "the line as it was")
        assert post(url, "{}") == 200
        session.until_text(r"#2 ")
        session.until(lambda _: typed(session) == before, "the line as it was")
        # The cursor is where it was: what is typed now stands behind the mark.
        session.type("$")
        after = before.replace("^", "^$")
        session.until(lambda _: typed(session) == after, "what was typed on")
        lines = session.screen.text()
        assert joined(session).count(after) == 1, lines
        assert joined(session).count(">" + shown[:8]) == 1, lines
        first = next(i for i, text in enumerate(lines) if "  #1 " in text)
        second = next(i for i, text in enumerate(lines) if "  #2 " in text)
        assert first < second, lines
        assert "user-created" in lines[first] and "valid" in lines[first + (columns < 50)], lines
        session.type("\x03")
        session.until(lambda _: typed(session) == "", "an empty line")
        leave(session)


def test_what_arrives_stands_above_a_half_typed_line():
    arrives_above(80, "send user-cr", "")
    arrives_above(132, "send user-cr", "")


def test_a_wrapped_line_is_not_disturbed():
    line = "build user-created --set details.firstName=" + "x" * 150 + " --set details.lastName=end"
    for columns in 40, 80, 132:
        arrives_above(columns, line, "")


def test_nor_is_one_with_the_cursor_in_its_middle():
    line = "build user-created --set details.firstName=" + "0123456789" * 12
    arrives_above(40, line, "\x01" + "\x06" * 30)
    arrives_above(80, line, "\x02" * 45)
    arrives_above(80, line, "\x1b[D" * 3)


def test_nor_is_one_of_wide_characters_or_exactly_a_line_long():
    with shell(columns=80) as session:
        listening(session)
        room = 80 - len(session.screen.text()[-1]) - 1
    arrives_above(80, "x" * (room - 1), "")
    arrives_above(80, "build " + "\u5b57" * 60, "")


def test_what_is_refused_is_said_above_the_line():
    with shell(columns=60) as session:
        session.type("listen 0 --path /hook\r")
        url = session.until_text(r"listening on (http://\S+)").group(1)
        session.until_text(r"\[0 valid\]>$")
        session.type("half")
        assert post(url + "/other") == 404
        session.until_text(r"^refused 127\.0\.0\.1:\d+: 404 '/other' is not the path\n  '/hook'\n.*> half$")
        session.type("\x03")
        session.until(lambda _: typed(session) == "", "an empty line")
        leave(session)


def test_a_flood_is_told_and_answered():
    with shell(rows=100) as session:
        url = listening(session)
        session.type("half")
        for _ in range(30):
            assert post(url) == 200
        session.until_text(r"\[30 valid\]> half$")
        leave_line = "\x15" + "exit\r"
        session.type(leave_line)
        assert session.until_end() == 0


def test_keys_of_the_line():
    with shell() as session:
        for keys, line in [
            ("abc\x01X", "Xabc"),            # Ctrl-A: to its beginning
            ("abc\x01\x05X", "abcX"),        # Ctrl-E: to its end
            ("abc def\x17X", "abc X"),       # Ctrl-W: a word back
            ("abc\x15X", "X"),               # Ctrl-U: all of it
            ("abc\x1b[D\x1b[DX", "aXbc"),    # arrows
            ("abc\x1b[HX", "Xabc"),          # Home
            ("abc\x1bOH\x1bOFX", "abcX"),    # Home and End of the other mode
            ("abc def\x1b[1;5DX", "abc Xdef"),
            ("abc\x7fX", "abX"),
            ("a\u00e4\u20ac\x7fX", "a\u00e4X"),
            ("abc\x00\x01X", "Xabc"),        # Ctrl-Space: the key behind it is no other than without
        ]:
            session.type(keys)
            session.until_last(PROMPT + line)
            session.type("\x03")
            session.until_last(PROMPT.rstrip() + " ?")
        leave(session)


def test_ctrl_c_clears_a_wrapped_line_and_ctrl_d_leaves():
    with shell(columns=60) as session:
        session.type("y" * 200 + "\x01")
        session.until(lambda _: typed(session) == "y" * 200, "the line")
        session.type("\x03")
        session.until_text(r"\^C$")
        session.until(lambda _: typed(session) == "", "an empty line")
        assert "".join(session.screen.text()).count("y") == 200
        leave(session)


def test_ctrl_c_ends_what_waits_and_not_the_shell():
    with shell() as session:
        listening(session)
        session.type("expect user-created --within 1h\r")
        session.until(lambda screen: screen.text()[-1].endswith("within 1h") and screen.column == 0, "the expectation")
        session.type("\x03")
        session.until_last(PROMPT.rstrip())
        leave(session)


def test_a_second_ctrl_c_ends_the_command_and_not_the_shell():
    with FaultServer(hang()) as server, shell() as session:
        listening(session)
        for number, (args, seen) in enumerate((("", " makes the same payloads: user-created"), (" --json", '"attempts":1,')), start=1):
            session.type(f"send user-created --to {server.url}{args}\r")
            server.wait_requests(number)
            session.type("\x03")
            session.until_text("interrupted: waiting for 1 in flight")
            session.type("\x03")
            session.until_text("interrupted: 0 accepted, 1 not accepted of 1")
            session.until_text(seen)
            session.until_last(PROMPT.rstrip())
            session.type("\x0c")
            session.until(lambda screen: "interrupted" not in "\n".join(screen.text()), "a clear screen")
        session.type("received\r")
        session.until_text("^0 records")
        session.until_last(PROMPT.rstrip())
        leave(session)


def test_what_is_typed_during_a_command_is_kept():
    for keys, seen, last in (("set\r", r"1 valid\]> set$", r".*1 valid\]>"),
                             ("use :1\rhalf", r":1 \[1 valid\]> half$", r".* half")):
        with shell() as session:
            url = listening(session)
            session.type("expect user-created --within 1h\r")
            session.until_cooked()
            session.type(keys)
            assert post(url) == 200  # and the command ends
            session.until_text(seen)
            session.until_last(last)  # Ctrl-D during a command is the terminal's
            session.type("\x15\x04")
            assert session.until_end() == 0


def test_what_arrives_during_a_command_is_no_note():
    """It is shown although notes are not, with those that arrive at the prompt."""
    errors = new_folder() / "errors"
    with Seen(["/bin/sh", "-c", f"exec {binary()} shell 2>{errors}"], environment(), new_folder()) as session:
        session.until_text(r"^credhook> ?$")
        session.type("listen 0\r")
        session.until_text(r"\[0 valid\]>$")
        url = re.search(r"listening on (http://\S+)", errors.read_text())[1]
        session.type("expect user-created --within 1h\r")
        session.until_cooked()
        assert post(url) == 200
        session.until_text(r"#1 +user-created +valid")
        session.until_text(r"\[1 valid\]>$")
        leave(session)
    assert "#1" not in errors.read_text()


def test_sigterm_leaves():
    with shell() as session:
        session.type("half")
        session.until_last(PROMPT + "half")
        session.signal(signal.SIGTERM)
        assert session.until_end() == 130


def test_tab_completes_what_is_sure():
    folder = new_folder()
    (folder / "fixtures").mkdir()
    (folder / "fixtures" / "one file.json").write_text(USER_CREATED)
    (folder / "config.json").write_text(json.dumps({
        "environments": {"sandbox": {"url": "http://127.0.0.1:1"}, "staging": {"url": "http://127.0.0.1:2"}}}))
    with shell("--config", str(folder / "config.json"), columns=132, cwd=folder) as session:
        listening(session)
        enter(session, "send user-created --to :1 --dry-run")
        for keys, line in [
            ("bu\t", "build"),
            ("send user-c\t", "send user-created"),
            ("build monitored-element-added/em\t", "build monitored-element-added/email"),
            ("send --fil\t", "send --file"),
            ("send --file fix\t", "send --file fixtures/"),
            ("send --file fixtures/o\t", r"send --file fixtures/one\\ file.json"),
            ("send --file 'fixtures/o\t", "send --file 'fixtures/one file.json'"),
            ("send --to san\t", "send --to sandbox"),
            ("use st\t", "use staging"),
            ("build user-created --set details.cl\t", "build user-created --set details.clientKey="),
            ("set details.enr\t", "set details.enrollmentCode="),
            ("build user-created --break missing-k\t", "build user-created --break missing-key"),
            ("convert --format=ht\t", "convert --format=html"),
            ("convert --format ht\t", "convert --format html"),
            ("listen --validate rej\t", "listen --validate reject"),
            ("listen --resp\t", "listen --respond"),
            ("expect bureau\t", "expect bureau-alert"),
            ("explain details.offC\t", "explain details.offCycle"),
            ("help rec\t", "help received"),
            ("nosuchword\t", "nosuchword"),
            ("nosuchcommand x\t", "nosuchcommand x"),
            ("credhook listen --capt\t", "credhook listen --capture"),
        ]:
            session.type(keys)
            session.until_last(PROMPT + line)
            session.type("\x03")
            session.until_last(PROMPT.rstrip())
        leave(session)


def test_tab_lists_what_is_not():
    with shell(columns=100, rows=60) as session:
        url = listening(session)
        post(url)
        session.until_text("#1 ")
        for keys, listed, line in [
            ("se\t", r"^send  set$", "se"),
            ("send user-\t", r"^user-created +user-token-generated$", "send user-"),
            ("build bureau-alert --set details.a\t", r"details\.alertId=", "build bureau-alert --set details.a"),
            ("expect --\t", r"--within", "expect --"),
        ]:
            session.type(keys)
            session.until_text(listed)
            session.until_last(PROMPT + line.rstrip())
            session.type("\x03")
            session.until_last(PROMPT.rstrip())
        leave(session)


def test_lines_are_remembered_privately():
    folder = new_folder()
    env = {"XDG_STATE_HOME": folder / "a" / "state"}
    kept = folder / "a" / "state" / "credhook" / "history"
    with shell(env=env) as session:
        for line in ("use :1", "set", "set", "build user-created -H 'X-Team: hidden'", "use :1", " use :2",
                     "use http://user:hidden@127.0.0.1:1/", "use 127.0.0.1:1/?k=hidden", "set", "received"):
            enter(session, line)
        session.until_last(r"^credhook 127\.0\.0\.1:1/\?k=\*\*\*>$")
        session.type("\x1b[A")
        session.until_last(PROMPT + "received")
        session.type("\x1b[A")
        session.until_last(PROMPT + "set")
        session.type("\x1b[A\x1b[A\x1b[A")
        session.until_last(PROMPT + " ?use :2")
        session.type("\x03")
        session.until_last(PROMPT.rstrip())
        leave(session)
    assert kept.read_text().splitlines() == ["use :1", "set", "set", "use :1", "set", "received"]
    assert kept.stat().st_mode & 0o777 == 0o600
    assert kept.parent.stat().st_mode & 0o777 == 0o700
    with shell(env=env) as session:
        session.type("\x1b[A\x1b[A\x1b[A")
        session.until_last(PROMPT + "use :1")
        session.type("\r")
        session.until_last(PROMPT.rstrip())
        session.type("\x12rec")  # Ctrl-R
        session.until_text("^bck:rec$")  # else Ctrl-C takes away what was not read yet
        session.type("\x1b\x03")
        session.until_last(PROMPT.rstrip())
        leave(session)
    assert kept.read_text().splitlines() == ["use :1", "set", "set", "use :1", "set", "received", "use :1"]


def test_of_the_history_the_last_thousand_lines_are_kept():
    folder = new_folder()
    kept = folder / "credhook" / "history"
    kept.parent.mkdir()
    before = [f"use :{port}" for port in range(1, 1000)]
    for typed in ["set"], ["received", "events"]:
        kept.write_text("".join(f"{line}\n" for line in before))
        with shell(env={"XDG_STATE_HOME": folder}) as session:
            for line in typed:
                enter(session, line)
            leave(session)
        assert kept.read_text().splitlines() == (before + typed)[-1000:]


def test_history_of_a_default_home():
    home = new_folder()
    with shell(env={"XDG_STATE_HOME": None, "HOME": home}) as session:
        enter(session, "set")
        leave(session)
    assert (home / ".local/state/credhook/history").read_text() == "set\n"


def test_an_edited_payload_is_checked_and_sent():
    folder = new_folder()
    editor = folder / "editor"
    editor.write_text("#!/bin/sh\nsed -i \"$(cat '" + str(folder / "how") + "')\" \"$1\"\n")
    editor.chmod(0o755)
    with shell(env={"EDITOR": str(editor), "TMPDIR": folder}, columns=100) as session:
        url = listening(session)
        post(url)
        session.until_text("#1 ")
        (folder / "how").write_text("s/lastName/lastname/")
        session.type("edit 1\r")
        session.until_last(r"invalid: \(e\)dit again.*")
        (folder / "how").write_text('s/lastname": "B"/lastName": "Edited"/')
        session.type("e\r")
        session.until_text(r"#2 .*user-created +valid")
        session.until_last(PROMPT.rstrip())
        session.type("diff 1 2\r")
        session.until_text(r'~ /details/lastName: "B" -> "Edited"')
        (folder / "how").write_text("p;d")
        session.type("edit 2\r")
        session.until_text("unchanged: nothing was sent")
        session.until_last(PROMPT.rstrip())
        leave(session)
    assert sorted(path.name for path in folder.iterdir()) == ["editor", "how"]


def test_another_width_draws_the_line_anew():
    with shell(columns=80) as session:
        listening(session)
        line = "build,user-created,--set,details.firstName=" + "0123456789" * 6
        session.type(line)
        session.until(lambda _: typed(session) == line, "the line")
        session.resize(50, 40)
        session.until(lambda _: typed(session) == line, "the line")
        session.type("end")
        session.until(lambda _: typed(session) == line + "end", "what was typed on")
        session.type("\x03")
        session.until(lambda _: typed(session) == "", "an empty line")
        leave(session)


def test_ctrl_z_stops_and_the_line_is_still_there():
    """The shell around it has the terminal as it needs it, and waits for a key before it continues the stopped one."""
    around = f"set -m; {binary()} shell; printf '\nin between\n'; read key; fg >/dev/null; echo \"exit $?\""
    with Seen(["/bin/sh", "-c", around], environment(), new_folder(), 80, 40) as session:
        session.until_last("credhook>")
        session.type("events")
        session.until_last("credhook> events")
        session.type("\x1a")
        session.until_last("in between")
        session.until_cooked()
        session.type("\r")
        session.until_last("credhook> events")
        session.type(" -q\x03")
        session.until_last("credhook>")
        session.type("\x04")
        session.until_last("exit 0")


if __name__ == "__main__":
    run()

#!/usr/bin/python3
"""What is different where a person sits at a terminal: results fit it, and who reads what is typed says so."""
# rooms: ui

import json
import re
import subprocess

from captures import record, write_capture
from screen import Seen
from small_listeners import TEXT, listener, with_bug
from support import FaultServer, Listener, answer, binary, credhook, environment, free_port, kinds, launch, new_folder, run


def screen_of(*args, columns, code=0, env=None, rows=200):
    """The lines that credhook leaves on a high screen."""
    with Seen([binary(), *map(str, args)], environment({"NO_COLOR": "1", "COLUMNS": None, **(env or {})}),
              new_folder(), columns, rows) as seen:
        assert seen.until_end() == code, seen.screen.text()
        assert not seen.screen.styles
        return seen.screen.text()


def test_events_fit_or_say_what_is_left_out():
    """A name that is too long for its column has a line for itself; what has no room is named."""
    rows = [[row[name] for name in ("name", "service", "event", "method", "path") if row.get(name)]
            for row in credhook("events", "--json").expect(0).json()]
    piped = credhook("events", "-q", env={"COLUMNS": "40"}).expect(0).out.splitlines()
    for columns, titles, left_out in ((130, "event service status method path", ""), (100, "event service status method path", ""),
                                      (80, "event status method path", "service"), (50, "event status method", "service, path"),
                                      (30, "event", "service, status, method, path")):
        lines = screen_of("events", columns=columns)
        text = "\n".join(lines)
        assert lines[0].split() == titles.split(), (columns, lines[0])
        assert max(map(len, lines)) <= columns and (f"no room for: {left_out}" in re.sub("\n  ", " ", text)) == (left_out != ""), text
        words = iter(text.split())
        for name, *cells in rows if columns >= 50 else []:
            assert name in words and (columns < 80 or all(cell in words for cell in cells[columns < 100:4])), (columns, name, text)
        assert columns < 130 or lines[:len(piped)] == piped, lines


def test_nothing_is_cut_where_there_is_no_terminal():
    """Each line is whole in a pipe and in a log, whatever COLUMNS says; on a terminal it is not."""
    env = {"COLUMNS": "40"}
    folder = new_folder() / ("long-" * 20)
    folder.mkdir()
    words = "error: " + " ".join(f"word{number}" for number in range(14))
    body = json.dumps({"service": "alerts", "event": "alert", "a": "a" * 120, "path": None, "details": {"b": "b" * 120}})
    (folder / "capture.ndjson").write_bytes(record(1, body=body) + record(2, body='{"text": ' + "x" * 200))
    (folder / "invalid.ndjson").write_text(body + "\n")
    assert credhook("events", "-q", env=env).expect(0).out.splitlines()[0].split()[-1] == "path"
    with FaultServer(answer(500, [("Content-Type", "text/plain")], words.encode())) as server:
        sent = credhook("replay", folder / "capture.ndjson", "--to", server.url, env=env).expect(1)
        assert re.search(rf"^  500  {words}  .*{folder}/capture.ndjson:1 and 1 more$", sent.err, re.M), sent
    with FaultServer(listener(with_bug(lambda p: (500, TEXT, words.encode()) if p["service"] == "alerts" else None))) as server:
        graded = credhook("test", "deliver", "--to", f"{server.url}/hook", env=env).expect(1).out
    lines = graded.splitlines()
    assert any(line.endswith(f": 500: {words}") for line in lines), graded
    refused = credhook("send", "--file", folder / "invalid.ndjson", "--to", ":9", env=env).expect(1).err
    assert f"| {body}\n" in refused, refused
    shown = credhook("show", folder / "capture.ndjson", "1", "2", env=env).expect(0).out
    assert f'"a": "{"a" * 120}"' in shown and f'| {{"text": {"x" * 200}\n' in shown, shown
    assert len(re.findall(r"^  \^+\n", shown, re.M)) > 0, shown
    with launch("listen", "0", "--timeout", "2s", "--limit", "1", env=env) as process:
        url = process.stderr.readline().split()[-1].decode()
        credhook("send", "--file", folder / "invalid.ndjson", "--validate", "off", "--to", url).expect(0)
        printed = process.communicate()[0].decode()
    assert f" {body}\n" in printed, printed
    for output in (sent.out + sent.err, refused, shown, printed, graded):
        assert "..." not in output, output
    narrow = screen_of("show", folder / "capture.ndjson", "2", columns=80)
    assert any(line.endswith("...") for line in narrow), narrow


def words_of(lines):
    return [word for line in lines for word in line.split()]


def joined(lines):
    return " ".join(words_of(lines))


def test_nothing_is_broken_inside_a_word():
    """What is shown at any width is, word by word, what is shown where all fits."""
    for args in (["explain"], ["explain", "bureau-alert"], ["explain", "monitored-element-added"],
                 ["explain", "findings"]):
        wide = words_of(screen_of(*args, columns=200))
        for columns in (60, 80, 100):
            assert words_of(screen_of(*args, columns=columns)) == wide, (args, columns)


def test_what_is_typed_is_not_broken():
    """The terminal itself does that, and copies it as one line."""
    for topic in "repeat/again", "missing-key", "unseen":
        (row,) = credhook("explain", topic, "--json").expect(0).json()
        for columns in ("40", "50", "80"):
            said = credhook("explain", topic, env={"COLUMNS": columns}).expect(0).out
            assert re.search(f"^  try +{re.escape(row['try'])}$", said, re.MULTILINE), said


def findings_folder():
    """A folder with 200 findings in one file, 20 in another and 1 in a third."""
    folder = new_folder()
    payload = credhook("build", "user-created", "--seed", "1", "--break", "missing-key:details.appKey").expect(0).out
    (folder / "a-many.ndjson").write_text(payload * 200)
    (folder / "b-some.ndjson").write_text(payload * 20)
    credhook("build", "credit-report-ordered", "--break", "wrong-type:details.offCycle", "--pretty",
             "-o", folder).expect(0)
    return folder


def test_the_same_finding_is_said_once():
    folder = findings_folder()
    shown = screen_of("validate", folder, columns=200, code=1)
    assert sum("error: missing key" in line for line in shown) == 3, shown
    assert [line.split(":")[1] for line in shown if "error: missing key" in line] == ["1", "2", "3"], shown
    assert [line.split() for line in shown[-5:-2]] == [
        ["220", "user-created", "details.appKey", "[missing-key]"],
        ["also", "in", str(folder / "b-some.ndjson")],
        ["1", "credit-report-ordered", "details.offCycle", "[wrong-type]"]], shown
    assert shown[-2] == "217 of them not shown, -v prints all", shown
    assert shown[-1] == "221 payloads: 0 valid, 221 invalid (1 wrong-type, 220 missing-key)", shown[-1]
    with Seen([binary(), "validate", folder], environment({"NO_COLOR": None, "TERM": "xterm"}), new_folder(), 200, 200) as seen:
        assert seen.until_end() == 1
        assert seen.screen.text() == shown and (len(shown) - 2, [2]) in seen.screen.styles, seen.screen.styles  # faint
    shown = screen_of("validate", "-v", folder, columns=200, code=1, rows=1000)
    assert sum("error: missing key" in line for line in shown) == 220 and not any("-v" in line for line in shown), shown
    assert credhook("validate", folder).expect(1).out.count("error: missing key") == 3
    assert credhook("validate", folder, "--report", "github=-").expect(1).out.count("missing key") == 220
    assert len(credhook("validate", folder, "--json").expect(1).json()) == 221


def test_a_key_that_all_events_lack_is_one_row_with_the_files():
    folder = new_folder()
    payload = credhook("build", "all", "--seed", "1").expect(0).out.splitlines()
    for number, line in enumerate(payload):
        notification = json.loads(line)
        del notification["details"]
        (folder / f"{number:02}.json").write_text(json.dumps(notification))
    (folder / "99.json").write_text("{")
    shown = credhook("validate", folder, cwd=folder).expect(1).out.splitlines()
    assert len(payload) > 13 and sum("error: missing key" in line for line in shown) == 3, shown
    rows = [line.split() for line in shown if re.match(r" +[0-9]+  [^| ]", line)]
    assert rows == [[str(len(payload)), "17", "events", "details", "[missing-key]"],
                    ["1", "(unknown", "event)", "[json-syntax]"]], shown
    named = ", ".join(str(folder / f"{number:02}.json") for number in range(3, 13))
    assert f"        also in {named}, {len(payload) - 13} more files" in shown, shown


def test_a_finding_fits_the_terminal():
    folder = findings_folder() / "credit-report-ordered.json"
    for columns in (60, 80, 100):
        lines = screen_of("validate", folder, columns=columns, code=1)
        assert 'error: offCycle is a boolean, expected "true" or "false" [wrong-type]' in joined(lines), lines
        assert lines[-4:-1] == ['  12 |     "offCycle": false', "     |                 ^^^^^",
                                '   fix: put it in quotes: "false"'], lines
        assert not any(line.startswith("[") for line in lines), lines
    duplicate = new_folder() / "x.json"
    duplicate.write_text('{"a":1,\n "a":2}')
    lines = screen_of("validate", duplicate, columns=80, code=1)
    assert 'duplicate key "a"; first at line 1 [duplicate-key]' in joined(lines), lines


def test_a_delivery_is_one_line():
    events = ["user-created", "authentication-question-retrieval-succeeded"]
    with Listener() as listener:
        url = listener.url + "/hook"
        piped = credhook("send", *events, "--to", url, env={"COLUMNS": "40"}).expect(0).out.splitlines()
        assert piped[0] == f"to {url}"
        for line, event in zip(piped[1:], events, strict=True):
            assert re.fullmatch(rf"ok   200  {event:44} +[\d.]+ \w?s", line), line
        for columns in (100, 80, 60, 45):
            for locale, mark in (("C.UTF-8", "✓ "), ("C", "ok   ")):
                lines = screen_of("send", *events, "--to", url, columns=columns, env={"LC_ALL": locale})
                assert lines[0] == f"to {url}", lines
                ends = {len(line) for line in lines[1:3]}
                assert len(ends) == 1 and max(ends) <= columns, (columns, lines)
                assert all(re.fullmatch(rf"{mark}200  [a-z.-]+ +[\d.]+ \w?s", line) for line in lines[1:3]), lines


def test_nobody_listens():
    for columns in (100, 80, 60):
        port = free_port()
        lines = screen_of("send", "all", "--to", f":{port}", columns=columns, code=4)
        assert len(lines) <= 10, lines
        shown = " ".join(line.strip() for line in lines[1:])
        begin = f"✗ connection refused: nothing listens at 127.0.0.1:{port} ({len(kinds())} deliveries not sent) hint: "
        assert shown.startswith(begin) and "--wait 30s seed " in shown, lines
        assert shown.endswith(" makes the same payloads: all"), lines


def test_an_error_is_broken_between_words():
    for columns in (100, 60, 40):
        lines = screen_of("send", "user-created", "--to", ":1", "--set", "details.bogus=1", columns=columns, code=2)
        assert max(len(line) for line in lines) <= columns, lines
        assert " ".join(" ".join(lines).split()).startswith(
            "credhook: none of the chosen events has a field 'details.bogus' hint: 'details.bogus:=JSON' sets any"), lines


def test_no_line_of_the_end_is_broken_within_a_word():
    with FaultServer(answer(500, body=b"no such column")) as server:
        whole = screen_of("send", "all", "--count", 8, "--to", server.url, columns=1000, code=1)
        words = {word for line in whole for word in line.split()}
        for columns in (60, 80, 100):
            lines = screen_of("send", "all", "--count", 8, "--to", server.url, columns=columns, code=1)
            for line in lines[:next(i for i, line in enumerate(lines) if line.startswith("seed "))]:
                strange = [word for word in line.split() if word not in words and not re.search(r"\d|#|^[mu]?s,?$", word)]
                assert len(line) <= columns and not strange, (columns, line, strange)


def test_many_deliveries_show_what_was_not_accepted():
    capture = write_capture(200)
    with FaultServer([answer(200)] * 99 + [answer(500, body=b"no room")] + [answer(200)] * 20) as server:
        many = ("send", "user-created", "--count", 120, "--to", server.url)
        lines = screen_of(*many, columns=80, code=1)
        assert [line[:5] for line in lines if line[0] in "✓✗"] == ["✗ 500"], lines
        assert any(line.startswith("119 accepted, 1 not accepted of 120 in ") for line in lines), lines
        assert "  500  no room" + "user-created".rjust(66) in lines and any(line.startswith("latency: p50 ") for line in lines), lines
    with FaultServer(answer(200)) as server:
        lines = screen_of("replay", capture, "--to", server.url, columns=80)  # nobody knows how many there are
        assert sum(line.startswith("✓ 200") for line in lines) == 50 and lines[51].startswith("... "), lines


def test_a_pipe_gets_what_was_not_accepted_and_the_summary():
    """As a terminal does, and every failure; -v, --json and --results have all deliveries."""
    folder = new_folder()
    for total in (50, 51, 200):
        capture = write_capture(total)
        # 2 of 3 fail.
        responses = [answer(200 if number % 3 == 0 else 500, body=b"no room") for number in range(total)]
        failed = total - (total + 2) // 3
        made = ("send", "user-created", "--count", total)
        for command in (made, ("replay", capture)):
            for more in ((), ("-v",), ("--json",), ("--results", folder / f"{total}-{command[0]}")):
                with FaultServer(responses) as server:
                    result = credhook(*command, "--to", server.url, *more).expect(1)
                lines = result.out.splitlines()
                if more == ("--json",):
                    assert sum(row["type"] == "delivery" for row in result.json()) == total
                    continue
                accepted = total - failed if more == ("-v",) or command[0] == "replay" or total <= 50 else 0
                assert sum(line.startswith("ok   200") for line in lines) == min(accepted, 50 if more != ("-v",) else total), (command, more)
                assert sum(line.startswith("FAIL 500") for line in lines) == failed, (command, more)
                hint = [line for line in lines if line.startswith("...")]
                assert hint == (["... no more accepted lines; -v shows all"] if more != ("-v",) and accepted > 50 else []), hint
                assert result.err.startswith(f"{total - failed} accepted, {failed} not accepted of {total} in "), result.err
        assert len((folder / f"{total}-send").read_bytes().splitlines()) == total


def test_each_reason_is_shown_once():
    first, second = b"Traceback:\n  one\n  two\n  three\n  four\nKeyError: 'path'", b"<html><b>Out of <i>tea</i> 7&lt;8"
    with FaultServer([answer(500, body=first), answer(500, body=second), answer(500, body=first), answer(200)]) as server:
        for columns in (100, 80, 60):
            lines = screen_of("send", "user-created", "--count", 3, "--to", server.url, columns=columns, code=1)
            at = lines.index("  500  Traceback:" + "user-created and 1 more".rjust(min(columns, 80) - 17))
            assert lines[at + 1:at + 6] == ["       one", "       ...", "       four", "       KeyError: 'path'",
                                            "  500  Out of tea 7<8" + "user-created".rjust(min(columns, 80) - 21)], lines
            server.requests.clear()


def test_who_reads_what_is_typed_says_so():
    payload = credhook("build", "bureau-alert", "--seed", "1").expect(0).out
    told = "reading from the terminal; end with Ctrl-D"
    for args in (["validate"], ["validate", "-"], ["replay", "-", "--to", ":1", "--dry-run"],
                 ["send", "--file", "-", "--to", ":1", "--dry-run"]):
        with Seen([binary(), *args], environment(), new_folder(), 200, 40) as seen:
            seen.until_text(told)
            seen.type(payload + "\x04")
            assert seen.until_end() == 0, seen.screen.text()
            shown = "\n".join(seen.screen.text())
            assert shown.count(told) == 1, shown
        piped = credhook(*args, stdin=payload).expect(0)
        assert "Ctrl-D" not in piped.err, piped
    with Seen([binary(), "validate", "-q"], environment(), new_folder(), 200, 40) as seen:
        seen.type(payload + "\x04")
        assert seen.until_end() == 0 and told not in "\n".join(seen.screen.text())


def written(*args, code=0):
    """All that credhook writes to a terminal."""
    pieces = []
    with Seen([binary(), *map(str, args)], environment(), new_folder(), 200, 40) as seen:
        seen.screen.feed = pieces.append
        assert seen.until_end() == code, pieces
    return "".join(pieces).replace("\r\n", "\n")


OBEYED = "\x9b31m \u202e \x1b[2J \x07 \x7f"


def test_a_terminal_obeys_nothing_of_a_dry_run():
    payload = credhook("build", "user-created", "--seed", "1").expect(0).out.rstrip("\n")
    valid = payload.replace("{", '{"\u009b31m \u202e":1,\n\t', 1)
    path = new_folder() / "payload.json"
    for text, more in ((valid, ()), (OBEYED + "\n\n" + OBEYED, ("--validate", "off"))):
        path.write_bytes(text.encode())
        args = ("send", "--file", path, *more, "--to", ":1", "-H", "Accept: \u202e", "--dry-run")
        piped = credhook(*args).expect(0)
        assert text.encode() + b"\n" in piped.out_bytes, piped
        out = written(*args)
        assert not [c for c in out if c in "\x9b\u202e\x1b\x07\x7f\t"], repr(out)
        assert "\\u{009B}31m \\u{202E}" in out and "\nAccept: \\u{202E}\n" in out, out
        assert len(out.splitlines()) == piped.out.count("\n"), (out, piped.out)


def test_a_terminal_obeys_nothing_of_a_payload():
    value = "\u202e\u200b\u00ad\U000e0041"
    args = ("build", "user-created", "--seed", "1", "--set", f"details.firstName={value}")
    assert credhook(*args).expect(0).json()[0]["details"]["firstName"] == value
    script = new_folder() / "script"
    script.write_text(" ".join(args) + "\n")
    for command in args, (*args, "--pretty"), ("shell", "-f", script):
        out = written(*command)
        assert "\\u{202E}\\u{200B}\\u{00AD}\\u{E0041}" in out and not [c for c in out if c in value], repr(out)


def test_a_terminal_obeys_nothing_of_a_command():
    def odd(number):
        headers = [["Content-Type", "text/x; \x9b \u202e!"], ["Accept", "it's \x9b %s\\n"], ["X-Request-Id", "a\tb"]]
        return record(number, body=OBEYED + "\n%s\\!'\n", headers=headers)

    capture = write_capture(1, odd)
    with FaultServer(answer(204)) as server:
        args = ("replay", capture, "--to", server.url + "/in\u202e", "--as-recorded")
        credhook(*args).expect(0)
        command = written(*args, "--dry-run=curl")
        assert command == credhook(*args, "--dry-run=curl").expect(0).out
        assert not [c for c in command if c in "\x9b\u202e\x1b\x07\x7f\t"], repr(command)
        for shell in ("sh", "bash", "zsh", "fish"):
            subprocess.run([shell], input=command.encode(), check=True, capture_output=True)
        one, *others = server.requests
        assert one.body == (OBEYED + "\n%s\\!'\n").encode() and len(others) == 4, server.requests
        for other in others:
            assert (one.target, one.body, sorted(one.headers)) == (other.target, other.body, sorted(other.headers))


def test_no_command_where_a_terminal_would_obey_a_name():
    path = new_folder() / "odd \x1b[2J\n!'\u202e"
    path.write_bytes(record(1))
    with FaultServer(answer(500)) as server:
        out = credhook("replay", path, "--to", server.url, "--results", new_folder() / "r").expect(1).err
        assert "retry: " not in out and "\x1b" not in out and "\u202e" not in out, out


if __name__ == "__main__":
    run()

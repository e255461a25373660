#!/usr/bin/python3
"""What is different where a person sits at a terminal: results fit it, and who reads what is typed says so."""

from screen import Seen
from support import binary, credhook, environment, new_folder, run


def screen_of(*args, columns, code=0, env=None):
    """The lines that credhook leaves on a high screen of so many columns."""
    with Seen([binary(), *map(str, args)], environment({"NO_COLOR": "1", "COLUMNS": None, **(env or {})}),
              new_folder(), columns, 200) as seen:
        assert seen.until_end() == code, seen.screen.text()
        return seen.screen.text()


def test_events_are_wrapped_between_words():
    table = credhook("events", env={"COLUMNS": "40"}).expect(0).out.splitlines()
    words = {word for line in table for word in line.split()}
    longest = max(map(len, words))
    for columns in (200, 109, 108, 69, 68, 60, longest, 40):
        lines = screen_of("events", "-q", columns=columns)
        if columns < longest:  # a name wider than the screen is all that the terminal breaks
            lines = [line for line in lines if line.startswith(" ")]
        shown = {word for line in lines for word in line.split()}
        assert shown <= words, (columns, shown - words)
        if columns >= longest:
            assert shown == words, (columns, words - shown)
        if columns >= 109:
            assert lines == table, (columns, lines)


def test_who_reads_what_is_typed_says_so():
    payload = credhook("build", "bureau-alert", "--seed", "1").expect(0).out
    told = "reading what is typed here, until Ctrl-D"
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


if __name__ == "__main__":
    run()

#!/usr/bin/python3
"""Results at a terminal that is narrower than they like: they stay readable, and what is piped stays whole."""

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


if __name__ == "__main__":
    run()

#!/usr/bin/python3
"""Help where people read it: it looks right at any width, and what is long goes through the pager."""

import os
import re
from pathlib import Path

from interactive import Interactive
from support import binary, credhook, environment, new_folder, run


def at_terminal(line, columns=80, rows=24, env=None):
    """What a command line shows at a terminal, as lines."""
    folder = new_folder()
    (folder / "bin").mkdir()
    (folder / "bin" / "credhook").symlink_to(Path(binary()).resolve())
    merged = environment({"PATH": f'{folder / "bin"}:{os.environ["PATH"]}', "TERM": "dumb", "COLUMNS": None, **(env or {})})
    with Interactive(["/bin/sh", "-c", f"{line}; echo E''ND $?"], merged, folder, columns, rows) as shell:
        found = shell.wait_for(r"\A(.*)END (\d+)\r?\n")
    assert found.group(2) == "0", found.group()
    return found.group(1).replace("\r", "").split("\n")[:-1]


def commands():
    return [row["name"] for row in credhook("help", "--json").expect(0).json()]


def test_the_overview_and_short_pages_fit_a_screen():
    """80 columns and 24 lines, the last of which is the prompt's. The overview has room for one more command."""
    for line in ["credhook", "credhook --help", *(f"credhook {name} -h" for name in commands())]:
        lines = at_terminal(line, 80, 24, env={"NO_COLOR": "1"})
        assert len(lines) < (24 if line.endswith(" -h") else 23) and max(map(len, lines)) <= 80, (line, len(lines), max(map(len, lines)))
        assert sum(text.startswith("  credhook ") or "| credhook " in text for text in lines) >= 2, line  # examples


def test_no_line_is_wider_than_the_terminal():
    for columns in (40, 60, 80, 100, 200):
        for line in ["", *(f"{name} {page}" for name in commands() for page in ("-h", "--help"))]:
            lines = at_terminal(f"credhook {line} --color never", columns, 500)
            for number, text in enumerate(lines):
                example = text.startswith("  credhook ") or " | credhook " in text or "# " in text
                option = re.fullmatch(r" *((-\w, )?--\S+( \S+)?|\S+)", text)  # wide by itself
                assert len(text) <= min(columns, 100) or option or example, (columns, line, number, text)


def test_color_is_for_terminals():
    for env, color in (({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)):
        shown = "\n".join(at_terminal("credhook help events", env={"TERM": "xterm", "PAGER": "", **env}))
        assert "usage: " in shown and ("\x1b[" in shown) == color, (env, shown)


def paged(line, pager, rows=24, env=None):
    """What a command line shows at a terminal where the pager marks its lines and its end."""
    return at_terminal(f"credhook {line}", 80, rows, {"NO_COLOR": "1", "PAGER": pager, **(env or {})})


MARKING = "sed 's/^/PAGED /'"


def test_what_is_longer_than_the_terminal_goes_through_the_pager():
    page = credhook("send", "--help").expect(0).out.split("\n")[:-1]
    for line in ("send --help", "help send", "--help send"):
        assert paged(line, MARKING) == [f"PAGED {text}" for text in page], line
    for line, rows in (("send --help", 500), ("send -h", 10), ("send --help | cat", 24), ("send --help --json", 5)):
        lines = paged(line, MARKING, rows)
        assert lines and not any(text.startswith("PAGED") for text in lines), line
    assert paged("explain user-created >/dev/null; credhook help exit-codes", MARKING, 5)[0].startswith("PAGED exit codes")


def test_a_pager_that_cannot_start_is_done_without():
    page = credhook("send", "--help").expect(0).out.split("\n")[:-1]
    for pager in ("", "cat"):
        assert paged("send --help", pager) == page, pager
    lines = paged("send --help", "no-such-pager --option")
    assert lines[-len(page):] == page, lines[:5]


def test_leaving_the_pager_is_no_error():
    assert paged("listen --help", "head -2") == credhook("listen", "--help").expect(0).out.split("\n")[:2]
    # More than a pipe holds, and a pager that reads nothing of it.
    assert paged("help " + "send " * 40 + "; echo code $?", "true") == ["code 0"]


def test_less_is_the_pager_where_none_is_named():
    folder = new_folder()
    (folder / "less").write_text("#!/bin/sh\necho less $*; exec cat >/dev/null\n")
    (folder / "less").chmod(0o755)
    line = f'PATH={folder}:$PATH {binary()} send --help'
    assert at_terminal(line, env={"TERM": "xterm", "PAGER": None}) == ["less -FRX"]
    lines = at_terminal(line, env={"TERM": "dumb", "PAGER": None})
    assert lines[0].startswith("usage: credhook send"), lines
    lines = at_terminal(f"PATH={new_folder()} {binary()} send --help", env={"TERM": "xterm", "PAGER": None, "NO_COLOR": "1"})
    assert lines[0].startswith("usage: credhook send"), lines


def test_ctrl_c_is_the_pagers():
    """It ends neither credhook nor a pager that ignores it, and the terminal stays the pager's until it is left."""
    env = environment({"TERM": "xterm", "PAGER": "trap '' INT; cat >/dev/null; echo re''ady; read x </dev/tty; echo read $x"})
    for line in ("send --help", "help send"):
        with Interactive([binary(), *line.split()], env, new_folder(), 80, 24) as session:
            session.wait_for("ready\r?\n")
            for _ in range(2):
                session.type("\x03")
                session.wait_for(r"\^C")
            session.type("on\n")
            session.wait_for("read on\r?\n")


if __name__ == "__main__":
    run()

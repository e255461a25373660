#!/usr/bin/python3
"""Help where people read it: it fits the screen, looks right at any width, and opens the manual where there is one."""

import os
import re
import shutil
from pathlib import Path

from interactive import Interactive
from support import SOURCE, Skip, binary, credhook, environment, new_folder, run


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


def test_help_fits_a_screen():
    for name in commands():
        lines = at_terminal(f"credhook {name} -h", env={"NO_COLOR": "1"})
        assert len(lines) < 24, (name, len(lines))
        assert lines[0].startswith(f"usage: credhook {name}"), lines[0]
        assert sum("credhook " in line for line in lines) >= 2, lines  # usage and an example


def test_a_high_terminal_shows_what_options_do():
    lines = at_terminal("credhook send -h", rows=100, env={"NO_COLOR": "1"})
    assert any("do not check the server's certificate" in line for line in lines), lines


def test_no_line_is_wider_than_the_terminal():
    for columns in (40, 61, 80, 132, 200):
        for name in [None, *commands()]:
            for rows in (24, 200):
                lines = at_terminal(f"credhook {name or ''} -h", columns, rows, env={"NO_COLOR": "1"})
                if name is None:
                    lines = at_terminal("credhook help", columns, rows, env={"NO_COLOR": "1"})
                examples = lines.index("Examples:") if "Examples:" in lines else len(lines)
                for line in lines[:examples]:  # a command is not broken
                    option = re.fullmatch(r" *(-\w, )?--\S+( \S+)?", line)  # wide by itself
                    assert len(line) <= min(columns, 100) or option, (columns, name, line)


def test_color_is_for_terminals():
    for env, color in (({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)):
        shown = "\n".join(at_terminal("credhook help events", env={"TERM": "xterm", "MANPATH": "/nonexistent", **env}))
        assert "usage: " in shown and ("\x1b[" in shown) == color, (env, shown)


def test_help_opens_the_manual_page():
    if not shutil.which("man"):
        raise Skip("man is not installed")
    folder = new_folder()
    shutil.copytree(SOURCE / "man", folder / "man1")
    lines = at_terminal("credhook help send", env={"MANPATH": str(folder), "MANPAGER": "cat", "PAGER": "cat"})
    plain = [re.sub(r"\x1b\[[\d;]*m|.\x08", "", line) for line in lines]  # man underlines in one way or another
    assert any(line.startswith("CREDHOOK-SEND(1)") for line in plain), lines
    piped = at_terminal("credhook help send | cat", env={"MANPATH": str(folder), "MANPAGER": "cat"})
    assert piped[0].startswith("usage: credhook send"), piped[0]


def test_help_without_a_manual():
    for env in ({"MANPATH": "/nonexistent"}, {"PATH": str(new_folder())}):
        lines = at_terminal(f"{binary()} help send", rows=24, env={"NO_COLOR": "1", **env})
        assert lines[0].startswith("usage: credhook send"), lines
        assert any("do not check the server's certificate" in line for line in lines), lines


if __name__ == "__main__":
    run()

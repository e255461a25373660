#!/usr/bin/python3
"""Help where people read it: it looks right at any width, and what is long goes through the pager."""
# rooms: cmd ui

import os
import re
import shutil
import subprocess
from pathlib import Path

from interactive import Interactive
from support import LONG, Skip, binary, credhook, environment, is_portable, new_folder, run


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
    for columns in (40, 60, 80, 100, 200) if LONG else (40, 100):
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


PAGES = ("effects", "brokers")


def fake_man(script):
    """A folder with a man(1) that is a script, and what it needs."""
    folder = new_folder()
    for program in ("env", "sh"):
        (folder / program).symlink_to(shutil.which(program))
    if script:
        (folder / "man").write_text(f"#!/bin/sh\n{script}\n")
        (folder / "man").chmod(0o755)
    return folder


def test_topics_that_are_pages_open_them():
    """As text where nobody could turn a page; at a terminal as man shows pages there."""
    script = 'echo "pager $MANPAGER, page $*"; [ -t 0 ] && [ -t 1 ] && echo at a terminal; exit 0'
    for topic in PAGES:
        page = rf"((7 |/\S*/man/)credhook-{topic}(\.7\.gz)?)"
        for words in ([topic], [topic.upper()], [topic, "-q"]):
            shown = credhook("help", *words, env={"PATH": fake_man(script), "PAGER": "more"}).expect(0)
            assert re.fullmatch(rf"pager cat, page {page}\n", shown.out) and shown.err == "", shown
        at = {"PAGER": "more", "MANPAGER": None, "TERM": "xterm", "NO_COLOR": "1"}
        shown = at_terminal(f"PATH={fake_man(script)}; {binary()} help {topic}", env=at)
        assert re.fullmatch(rf"pager , page {page}", shown[0]) and shown[1] == "at a terminal", shown
        # A terminal that cannot page.
        shown = at_terminal(f"PATH={fake_man(script)}; {binary()} help {topic}", env={**at, "PAGER": None, "TERM": "dumb"})
        assert shown[0].startswith("pager cat,") and len(shown) == 1, shown


def test_the_pages_are_those_of_the_manual():
    if not shutil.which("man"):
        raise Skip("there is no man(1)")
    if is_portable():
        raise Skip("where the program is, and so its manual, is not known")
    for topic, words in zip(PAGES, ("How to write --observe", "--shard")):
        text = re.sub(".\b", "", credhook("help", topic, env={"MANPAGER": None}).expect(0).out)
        assert words in text.replace("\N{HYPHEN}", "-").replace("\N{MINUS SIGN}", "-"), text


def test_a_page_that_cannot_be_shown():
    without_man = credhook("help", "effects", env={"PATH": fake_man(None)}).expect(3)
    assert "there is no program 'man'" in without_man.err and "hint: install man-db" in without_man.err, without_man
    # A program without its manual beside it, and a man that does not find the page.
    alone = new_folder() / "credhook"
    shutil.copy(binary(), alone)
    man = {"PATH": fake_man("echo No manual entry >&2; exit 16")}
    missing = subprocess.run([alone, "help", "effects"], env=environment(man), stdin=subprocess.DEVNULL, capture_output=True,
                             text=True, check=False)
    assert missing.returncode == 3 and "cannot show credhook-effects(7)" in missing.stderr, missing
    assert "share/man" in missing.stderr and "No manual entry" not in missing.stderr, missing


if __name__ == "__main__":
    run()

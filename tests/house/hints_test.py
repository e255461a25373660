#!/usr/bin/python3
"""Every hint of the source that people are told to type is tried, or names a command and options that are there.

Literals with a command in them are compared with the table of e2e/hints.py, whose rows e2e/hints_test.py runs; `credhook
COMMAND --option` with the rows of `credhook help --json`. e2e/hint_lines_test.py runs each line that stands whole in a
literal, with its placeholders filled; one that is cut, or has words of what was typed in it, needs a row that provokes it.
"""

import json
import os
import re
import subprocess
import sys

from house import SOURCE, run
from tree import sources

sys.path.insert(0, str(SOURCE / "tests" / "e2e"))
import hint_lines  # noqa: E402  pylint: disable=wrong-import-position
import hints  # noqa: E402  pylint: disable=wrong-import-position

# The hints of files: what mends one stands in these rooms; elsewhere a command is part of an example or of a row of options.
ROOMS = ("json", "payload", "report", "capture")
TYPED = re.compile(rf"(?:: |\| |^)(?:{'|'.join(hints.COMMANDS)}) [^|]")
OWN = re.compile(r"(?<![\w.-])credhook ([a-z]+)((?: [^\s;,)'|&]+)*)")
NOT_TYPED = ("and", "adds", "capture", "does", "may", "reads", "requires", "runs", "shell", "authors", "is")


def check_table(root, rooms):
    """Hints that mend a file, and that no row is of; rows without a hint."""
    used = set()
    for path, room in sources(root):
        if room not in rooms:
            continue
        for number, text in hint_lines.literals(path.read_text(encoding="utf-8")):
            plain = text.replace("\\\\", "\\")
            rows = [words for words in hints.HINTS if words in plain]
            used |= set(rows)
            if TYPED.search(plain) and not rows:
                yield f"{path.relative_to(root)}:{number}: no row of tests/e2e/hints.py tries it: {text}"
    if rooms == ROOMS:
        yield from (f"tests/e2e/hints.py: no hint has {words!r}" for words in hints.HINTS if words not in used)


def check_own(root, commands):
    """Lines of credhook whose command or option there is none of."""
    options = {one["name"]: {"--" + row["name"] for row in one["options"]} | {"-" + row["letter"] for row in one["options"] if row["letter"]}
               for one in commands}
    general = {"--help", "-h", "--json", "--quiet", "-q", "--verbose", "-v", "--color", "--config", "--no-config", "--version", "-V"}
    for path, _ in sources(root):
        for number, text in hint_lines.literals(path.read_text(encoding="utf-8")):
            for match in OWN.finditer(text):
                command, rest = match.groups()
                if command in NOT_TYPED or command not in options and command in ("convert", "help"):
                    continue
                if command not in options:
                    yield f"{path.relative_to(root)}:{number}: no command '{command}': {text}"
                    continue
                for word in rest.split():
                    name = word.split("=")[0]
                    if name == "--":
                        break
                    if re.fullmatch(r"--?[a-z][a-z-]*", name) and name not in options[command] | general:
                        yield f"{path.relative_to(root)}:{number}: {command} has no {name}: {text}"


def check_lines(root, commands):
    """Texts with a line that is cut or written into, which no row of tests/e2e/hint_lines.py provokes."""
    names, used = {one["name"] for one in commands}, set()
    for path, _ in sources(root):
        place = str(path.relative_to(root))
        for number, text in hint_lines.literals(path.read_text(encoding="utf-8")):
            used |= {words for words in hint_lines.ELSEWHERE if words in text}
            if place.startswith(hint_lines.MENDED) or hint_lines.is_whole(text) or " " not in text.removeprefix("credhook ").rstrip():
                continue
            held = [words for words in hint_lines.ELSEWHERE if words in text]
            for line in hint_lines.lines_of(text.replace("%s", "FILE"), names):
                begins = line.split(" FILE")[0]
                if not held and not any(begins in typed for _, typed in hint_lines.PROVOKED):
                    yield f"{place}:{number}: no row of tests/e2e/hint_lines.py provokes it: {line}"
    yield from (f"tests/e2e/hint_lines.py: no text has {words!r}" for words in set(hint_lines.ELSEWHERE) - used)


def rows_of_help():
    done = subprocess.run([os.environ["CREDHOOK"], "help", "--json"], capture_output=True, text=True, timeout=60, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def self_test():
    found = list(hint_lines.literals('x = { "a " NAME\n "b", /* "c" */ "d" };'))
    if found != [(1, "a {NAME}b"), (2, "d")]:
        yield f"literals: {found}"
    if not TYPED.search("unpack it: unzip FILE") or TYPED.search("a list of packages"):
        yield "commands are not told from words"


def checks():
    yield "self-test", self_test()
    yield "check_table", check_table(SOURCE, ROOMS)
    yield "check_own", check_own(SOURCE, rows_of_help())
    yield "check_lines", check_lines(SOURCE, rows_of_help())


if __name__ == "__main__":
    run(checks())

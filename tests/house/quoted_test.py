#!/usr/bin/python3
"""Words from outside are quoted by base/quoted.h alone, which masks what is secret in them: by error_set() and its kin,
and by terminal_say() and its kin. No other printf has a quoted '%s', but where a row of our own tables stands there.

SOURCE is the project folder.
"""

import re
import tempfile
from pathlib import Path

from house import SOURCE, run
from tree import make, sources

PRINTS = re.compile(r"\b(\w*printf|style_append|fit_append_format)\s*\(((?:[^()\"]|\"(?:[^\"\\]|\\.)*\"|\([^()]*\))*)\)")
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
QUOTED = re.compile(r"'%(\.\*)?s'")
OWN_WORDS = {
    "probe/play/still_up.c": "a group of checks",
    "cmd/help_command.c": "a command",
}


def check(root):
    for path, _ in sources(root):
        name = str(path.relative_to(root / "src"))
        text = path.read_text(encoding="utf-8")
        for call in PRINTS.finditer(text):
            words = "".join(LITERAL.findall(call[2]))
            if QUOTED.search(words) and name not in OWN_WORDS and not name.startswith("base/quoted"):
                line = text.count("\n", 0, call.start()) + 1
                yield f"src/{name}:{line}: {call[1]}() quotes a word: write it with error_set(), a note, or quoted_append()"


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        make(root, {"src/cmd/a.c": "void f(void)\n{\n\tbuffer_printf(out, \"no \"\n\t\t\"'%s'\", g(1));\n\terror_set(e, \"'%s'\", x);\n}\n"})
        found = list(check(root))
    assert len(found) == 1 and "src/cmd/a.c:3: buffer_printf()" in found[0], found


if __name__ == "__main__":
    run([("self-test", self_test()), ("quoted", check(SOURCE))])

#!/usr/bin/python3
"""Files and lists of options are no longer than the table of src/README.md says. CREDHOOK is the binary, SOURCE the tree."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from house import SOURCE, run

sys.path.insert(0, str(SOURCE / "tests" / "tools"))
import size  # noqa: E402  pylint: disable=wrong-import-position

ADVICE = """Make it shorter. Where it has to be longer, raise the number in the same commit, whose message says why:
  python3 tests/tools/update-docs.py build/credhook --size=raise
(--size lowers the numbers to what the tree has.)"""


def self_test():
    """Each number is counted, and missed when it is above its row; lowering and raising write it."""
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "src" / "base").mkdir(parents=True)
        (Path(name) / "src" / "base" / "long.c").write_text("int a;\n" * 30)
        (Path(name) / "src" / "short.h").write_text("int b;\n" * 4)
        found = size.figures(Path(name), [{"name": "send", "options": [{"group": "Checks"}, {"group": "Global options"}]},
                                          {"name": "version", "options": [{"group": "Global options"}]}])
    assert list(found.values()) == [30, 1], found
    text = "Before.\n\n" + size.HEAD + "| options of `send` | 0 |\n| lines of the longest file | 1,000 |\n| options of `gone` | 3 |\n\nAfter.\n"
    told = list(size.above(found, size.table(text)))
    assert told == ["options of `send`: 1, 0 at most", "options of `gone`: the row counts what is not there; remove it"], told
    without = text.replace("| lines of the longest file | 1,000 |\n", "")
    assert "lines of the longest file: 30, and no row" in size.above(found, size.table(without))
    lower, equal = size.rewritten(text, found, False), size.rewritten(text, found, True)
    assert list(size.above(found, size.table(lower))) == ["options of `send`: 1, 0 at most"], lower
    assert size.table(lower)["lines of the longest file"] == 600, lower
    assert size.table(equal) == {**found, "lines of the longest file": 600}, equal
    assert equal.startswith("Before.\n\n") and equal.endswith("\n\nAfter.\n"), equal
    assert size.rewritten(size.rewritten("a\n" + size.HEAD + "\n## b\n", found, False), found, True).endswith("|\n\n## b\n")


def check_size():
    done = subprocess.run([os.environ["CREDHOOK"], "help", "--json"], capture_output=True, text=True, check=True, timeout=60)
    found = size.figures(SOURCE, [json.loads(line) for line in done.stdout.splitlines()])
    for problem in size.above(found, size.table((SOURCE / "src" / "README.md").read_text(encoding="utf-8"))):
        yield f"src/README.md: {problem}"


def checks():
    yield "self-test", self_test()
    yield "check_size", check_size()


if __name__ == "__main__":
    run(checks(), ADVICE)

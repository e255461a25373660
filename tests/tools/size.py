"""How long the files of src/ and the lists of options are, beside the table of src/README.md that says how long they may be."""

import re

HEAD = "| at most | |\n|---|---|\n"
ROW = re.compile(r"\| ([^|\n]+) \| ([0-9,]+) \|\n")
TABLE = re.compile(re.escape(HEAD) + f"((?:{ROW.pattern.replace('(', '(?:')})*)")
LEAST = {"lines of the longest file": 600}  # no table asks for less


def figures(root, commands):
    """{what: number} of the tree. commands: the objects of `credhook help --json`."""
    found = {"lines of the longest file": max(path.read_bytes().count(b"\n") for path in (root / "src").rglob("*.[ch]"))}
    for command in commands:
        own = [option for option in command["options"] if option["group"] != "Global options"]
        if own:
            found[f"options of `{command['name']}`"] = len(own)
    return found


def table(text):
    """{what: number} of the table in the text of src/README.md."""
    rows = TABLE.search(text)
    assert rows, f"src/README.md: no table that begins with\n{HEAD}"
    return {what: int(number.replace(",", "")) for what, number in ROW.findall(rows.group(1))}


def above(found, limits):
    """A line for each number that is above its row, or whose row or thing is missing."""
    for what in {**limits, **found}:
        if what not in found:
            yield f"{what}: the row counts what is not there; remove it"
        elif what not in limits:
            yield f"{what}: {found[what]:,}, and no row"
        elif found[what] > limits[what]:
            yield f"{what}: {found[what]:,}, {limits[what]:,} at most"


def rewritten(text, found, higher):
    """The text with the numbers of today: those that are lower; with `higher` all."""
    limits = table(text)
    rows = HEAD
    for what, number in found.items():
        number = max(number, LEAST.get(what, 0))
        rows += f"| {what} | {number if higher else min(number, limits.get(what, number)):,} |\n"
    return TABLE.sub(lambda _: rows, text, count=1)

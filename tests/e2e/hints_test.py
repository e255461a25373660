#!/usr/bin/python3
"""What a hint tells people to type helps: in a file, a later line, a packed file, from a pipe; of what was received none is printed."""
# rooms: base capture json payload

import gzip
import json
import re
import subprocess

from captures import record
from hints import COMMANDS, FILE, GOOD, HINTS, LINE, RECEIVED
from support import LONG, credhook, new_folder, run

ROWS = [(words, text, row[-1]) for words, row in HINTS.items() if row and row[-1] for text in row[:-1]]
NAMES = "it's a.json", "a\nb $HOME\".json", "-x.json"
BEGINS = re.compile(rf": (?=(?:{'|'.join(COMMANDS)}) )")


def in_bytes(text):
    return text if isinstance(text, bytes) else text.encode()


def hint_of(result):
    lines = [line.strip() for line in (result.out + result.err).splitlines()]
    hints = [line.split(": ", 1)[1] for line in lines if line.startswith(("fix: ", "hint: ")) and ": add " not in line]
    return hints[0] if hints else ""


def typed(hint):
    """The line of a hint, without the words before it."""
    return BEGINS.split(hint, maxsplit=1)[-1] if BEGINS.search(hint) else ""


def follow(hint, folder, name):
    """Types the line; the file that it wrote."""
    line = typed(hint)
    subprocess.run(["bash", "-o", "pipefail", "-c", line], check=not line.startswith("jq -c . "), cwd=folder,
                   env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"})
    made = [path for path in folder.iterdir() if path.name != name and not path.name.endswith(".raw")]
    assert len(made) <= 1, (hint, made)
    return made[0].name if made else name


def helps(command, name, data, stdin=False):
    """Follows what is printed for this file until nothing more is, and asks for a valid payload more than before."""
    folder = new_folder()
    (folder / name).write_bytes(data)
    before = valid(folder, name)
    given = data if stdin else None
    result = credhook(*command, "-" if stdin else f"./{name}" if name[0] == "-" else name, stdin=given, cwd=folder)
    hint = hint_of(result)
    assert hint and typed(hint), (command, name, hint, result)
    assert valid(folder, follow(hint, folder, name)) > before, (command, name, hint)


def valid(folder, name):
    name = f"./{name}" if name[0] == "-" else name
    return sum(one.get("valid") is True for one in credhook("validate", "--json", name, cwd=folder).json())


def test_in_a_file():
    for index, (words, text, depths) in enumerate(row for row in ROWS if FILE in row[2]):
        data = in_bytes(text)
        ways = [(["validate"], name, data) for name in NAMES] + [
            (["send", "--to", ":1", "--file"], NAMES[0], data), (["validate"], "a.json.gz", gzip.compress(data)),
            (["validate"], "FILE", data, True)]
        for way in ways if LONG else (ways[0], ways[1 + index % (len(ways) - 1)]):
            helps(*way)


def test_in_a_later_line():
    for index, (words, text, depths) in enumerate(row for row in ROWS if LINE in row[2]):
        lines = in_bytes(GOOD) + b"\n" + in_bytes(text) + b"\n" + in_bytes(GOOD) + b"\n"
        ways = [(["validate"], "a b.ndjson", lines), (["send", "--to", ":1", "--file"], "a b.ndjson", lines),
                (["validate"], "a.ndjson.gz", gzip.compress(lines))]
        for way in ways if LONG else (ways[index % len(ways)],):
            helps(*way)


def test_of_what_was_received_it_is_said():
    """In a record and in an entry of a HAR file: no command is printed, and no file named, but something is said."""
    for index, (words, text, depths) in enumerate(row for row in ROWS if RECEIVED in row[2]):
        folder, body = new_folder(), in_bytes(text)
        (folder / "c.ndjson").write_bytes(record(1, GOOD) + b"\n" + record(2, body) + b"\n")
        credhook("convert", folder / "c.ndjson", "-o", folder / "c.har").expect(0)
        for turn, name in enumerate(("c.ndjson", "c.har")):
            for number, command in enumerate((["validate"], ["show", "--limit", "9"], ["send", "--to", ":1", "--file"])):
                if not LONG and (number + turn + index) % 3:
                    continue
                result = credhook(*command, folder / name)
                shown = result.out + result.err
                assert not [one for one in COMMANDS if f": {one} " in shown], (words, shown)
                assert " other" not in shown, (words, shown)
                assert command[0] != "validate" or hint_of(result), (words, shown)


if __name__ == "__main__":
    run()

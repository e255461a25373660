"""A password, a token or a header's value in a word is not repeated, wherever the word stands and however it was typed:
as the value of each option of each command, behind --OPTION: and an unknown option, as an operand, as a command, at the
prompt of the shell, in the configuration. No hint has what cannot be typed (***)."""
# rooms: base cmd/args cmd/words ui

import json
import os
import shlex
from concurrent.futures import ThreadPoolExecutor

from captures import record, write_capture
from support import LONG, built, credhook, new_folder, run

SECRET = "hunter2"
FORMS = [
    "https://u:hunter2@127.0.0.1:1/x",
    "HTTP://hunter2@127.0.0.1:1/x",
    "http//u:hunter2@127.0.0.1:1/p?token=hunter2",
    "http:/u:hunter2@127.0.0.1:1/p",
    "u:hunter2@127.0.0.1:1",
    "u:a=hunter2,b@127.0.0.1:1/p",
    "http://u:a,hunter2=b@127.0.0.1:1/p",
    "u:hunter2@hunter2@127.0.0.1:1",
    "u:a/hunter2@127.0.0.1:1",
    "u:hunter2 x@127.0.0.1:1",
    "http://u:x @hunter2@127.0.0.1:1/p.json",
    "https://u:hunter2=x@127.0.0.1:1/",
    "example.com/hook?key=abc,hunter2",
    "u%3Ahunter2%40127.0.0.1:1/p%3Fsig%3Dhunter2",
    "127.0.0.1:1/p?token=hunter2&sig=hunter2",
    ":1/p?hunter2",
    "1/p?token=hunter2.json",
    "hook?token=hunter2",
    "http://127.0.0.1:1/#hunter2",
    "Authorization: Bearer hunter2",
    "Authorization:hunter2",
    "x-api-key: hunter2",
]
# What prints its value by right: it is a part of what is made, or names where that goes.
PRINTED = {"set", "merge", "respond-body", "respond-header", "where", "header"}
# What each command needs besides, so that it gets as far as it can and ends at once.
USUAL = {
    "send": ["user-created"],
    "replay": ["c.ndjson"],
    "listen": ["127.0.0.1:0", "--timeout", "10ms"],
    "test": ["form/extra-header"],
    "validate": ["p.json"],
    "show": ["c.ndjson"],
    "convert": ["c.ndjson"],
    "build": ["user-created"],
    "schema": ["user-created"],
}
TO = ["--to", "127.0.0.1:1"]


def folder_with_files():
    folder = new_folder()
    (folder / "p.json").write_bytes(built("user-created"))
    write_capture(2, lambda number: record(number, body=built("bureau-alert").decode()), folder=folder).rename(folder / "c.ndjson")
    return folder


def problems_of(folder, arguments, looks_at_out=True, stdin=b""):
    result = credhook(*arguments, cwd=folder, stdin=stdin)
    said = result.err + (result.out if looks_at_out else "")
    to_type = ("hint:", "did you mean", "retry: ", "continue: ", "repeat what failed: ", "repeat the failed musts: ")
    hints = [line for line in (result.err + result.out).splitlines() if any(words in line for words in to_type)]
    # a question stands behind the message
    hints = [line[line.index("did you mean"):] if "did you mean" in line else line for line in hints]
    line = " ".join(shlex.quote(a) for a in arguments)
    if SECRET in said:
        at = said.index(SECRET)
        yield f"{line}: ...{said[max(0, at - 120):at + 60]}"
    if any("***" in hint for hint in hints):
        yield f"{line}: a hint has ***: {hints}"


def check(lines):
    """Each in a folder of its own: an output may have any name. `lines`: arguments, whether stdout is looked at, stdin. Without
    --long two of seven: no form has a multiple of seven lines, so each has other ones, and each place most of the forms."""
    chosen = [line for number, line in enumerate(lines) if LONG or number % 7 in (0, 3)]

    def one(line):
        return list(problems_of(folder_of(), *line))

    folder = folder_with_files()

    def folder_of():
        own = new_folder()
        for name in ("p.json", "c.ndjson"):
            os.link(folder / name, own / name)
        return own

    with ThreadPoolExecutor(4) as pool:
        found = [problem for problems in pool.map(one, chosen) for problem in problems]
    assert not found, f"{len(found)} of {len(chosen)}:\n" + "\n".join(found)


def commands():
    return [json.loads(line) for line in credhook("help", "--json").expect(0).out.splitlines()]


def some(number, count):
    """Other forms for each place, so that all are everywhere in turn."""
    return [FORMS[(number * count + i) % len(FORMS)] for i in range(count)]


def test_values_of_options():
    lines, number = [], 0
    for command in commands():
        name = command["name"]
        for option in command["options"]:
            if not option["argument"] or option["name"] == "config":
                continue
            number += 1
            around = USUAL.get(name, []) + (TO if name in ("send", "replay", "test") and option["name"] != "to" else [])
            for form in some(number, 2):
                lines.append(([name, *around, f"--{option['name']}={form}"], option["name"] not in PRINTED))
            lines.append(([name, *around, f"--{option['name']}:{FORMS[number % len(FORMS)]}"],))
            lines.append(([name, *around, f"--{option['name']}", FORMS[number % len(FORMS)], "--json"], option["name"] not in PRINTED))
    check(lines)


def test_operands_commands_and_unknown_options():
    lines = []
    for number, form in enumerate(FORMS):
        lines += [([form],), (["--json", form],), ([f"--{form}"],), (["help", form],), (["explain", form],)]
        lines += [(["send", "user-created", *TO, f"{unknown}{form}"],) for unknown in ("--headr=", "--headr:", "--headr ", "-z", "-Z=")]
        lines += [(["send", "user-created", *TO, "--headr", form],), (["send", "-h", form],)]
        for place, name in enumerate(("send", "replay", "listen", "test", "validate", "show", "convert", "build", "schema",
                                      "shell", "config", "events", "completion", "version")):
            if (place + number) % 2:
                lines.append(([name, form],))
                continue
            lines.append(([name, *USUAL.get(name, []), form],))
        lines.append((["test", "--to", form, "deliver"],))
        lines.append((["send", "user-created", "--set", f"details.x={form}"],))
        lines.append((["send", "user-created", *TO, "--set", form],))
        lines.append((["listen", "127.0.0.1:0", "--timeout", "10ms", "--", form],))
    check(lines)


def test_lines_of_the_shell():
    lines = []
    for form in FORMS:
        word = shlex.quote(form)
        for line in (word, f"use {word}", f"send {word}", f"send user-created --to {word}", f"set {word}", f"listen {word}", f"expect {word}",
                     f"show {word}", f"edit {word}", f"{word} | cat", f"send user-created --headr {word}", f"wait {word}"):
            lines.append((["shell"], True, (line + "\n").encode()))
    check(lines)


def test_values_of_the_configuration():
    folder, lines = new_folder(), []
    for number, form in enumerate(FORMS):
        for kind, config in enumerate((
                {"environments": {"sandbox": {"url": form}}},
                {"environments": {form: {"url": "http://127.0.0.1:1"}}},
                {"environments": {"sandbox": {"url": "http://127.0.0.1:1", "headers": {form: "x"}}}},
                {"environments": {"sandbox": {"url": "http://127.0.0.1:1", "headers": {"X-A": f"{form}\n"}}}},
                {"defaults": {form: "x"}},
                {form: 1},
                {"clientId": form, "clientId2": form})):
            path = folder / f"{number}-{kind}.json"
            path.write_text(json.dumps(config))
            lines.append((["send", "user-created", "--config", str(path)],))
            lines.append((["send", "user-created", "--to", "nowhere", "--config", str(path)],))
        lines.append((["send", "user-created", *TO, "--config", form],))
        lines.append((["config", "--config", form],))
    check(lines)


if __name__ == "__main__":
    run()

"""What Tab has to offer, whichever the shell.

A shell is an object with all(typed): the candidates for the last word of a line, as a set, each from the last '=' or ':'
of what is typed on; and tab(typed): the line after one Tab. tests() makes a script's tests of the cases; AtTerminal is
what shells at a terminal have in common.
"""

import json
import os
import shutil
from pathlib import Path

from interactive import Interactive
from support import Skip, binary, credhook, environment, new_folder

CONFIG = {"environments": {"sandbox": {"url": "http://127.0.0.1:1/"}, "my place": {"url": "http://127.0.0.1:2/"}}}


def prepare():
    """A folder to type in, with files and a configuration in it, and the environment for the shell."""
    folder = new_folder()
    (folder / "bin").mkdir()
    (folder / "bin" / "credhook").symlink_to(Path(binary()).resolve())
    (folder / "fixtures").mkdir()
    (folder / "fixtures" / "one.json").touch()
    (folder / "two words").mkdir()
    (folder / "capture.ndjson").touch()
    (folder / "c.json").write_text(json.dumps(CONFIG))
    env = environment({"PATH": f'{folder / "bin"}:{os.environ["PATH"]}', "TERM": "dumb", "HISTFILE": None,
                       "INPUTRC": "/dev/null", "CREDHOOK_CONFIG": folder / "c.json"})
    return folder, env


class AtTerminal:
    """An interactive shell: args without its path, and the lines that set it up so that Ctrl-U empties the line, and
    Ctrl-T prints what stands in it as LINE<...>."""

    def __init__(self, name, args, set_up):
        if not shutil.which(name):
            raise Skip(f"{name} is not installed")
        folder, env = prepare()
        self._shell = Interactive([shutil.which(name), *args], env, folder)
        for line in [*set_up, "echo rea''dy"]:
            self._shell.type(line + "\n")
        self._shell.wait_for("\nready\r?\n")

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self._shell.close()

    def after(self, typed, keys):
        """The line when these keys were pressed behind what is typed."""
        self._shell.type("\x15" + typed + keys + "\x14")
        return self._shell.wait_for(r"\nLINE<([^\r\n]*)>\r*\n").group(1)

    def tab(self, typed):
        return self.after(typed, "\t")


def commands():
    return credhook("help", "--json").expect(0).json()


def commands_and_options(shell):
    """Those of the parser: all of them, and no others."""
    assert shell.all("credhook ") == {row["name"] for row in commands()}
    for row in commands():
        offered = shell.all(f'credhook {row["name"]} --')
        wanted = {f'--{option["name"]}' for option in row["options"]}
        assert offered == wanted, (row["name"], wanted ^ offered)


def choices(shell):
    for row in commands():
        for option in row["options"]:
            if not option["choices"] or option["argument_optional"]:
                continue
            for typed in (f'credhook {row["name"]} --{option["name"]} ', f'credhook {row["name"]} --{option["name"]}='):
                assert shell.all(typed) == set(option["choices"]), typed


def names_of_the_catalogue(shell):
    events = credhook("events", "--json").expect(0).json()
    topics = credhook("explain", "--json").expect(0).json()
    names = {event["name"] for event in events}
    names |= {f'{event["name"]}/{element}' for event in events for element in event.get("elements", [])}
    assert shell.all("credhook send ") == names | {"all"}
    assert shell.all("credhook build --break ") == {row["topic"] for row in topics if row["kind"] == "finding"}
    offered = shell.all("credhook send all --set details.")
    for event in events:
        for field in event["details"]:
            assert f'details.{field["name"]}=' in offered, (event["name"], field["name"], offered)


def single_tabs(shell):
    for typed, line in (
            ("credhook send user-c", "credhook send user-created "),
            ("credhook send monitored-element-added/em", "credhook send monitored-element-added/email "),
            ("credhook send user-created --set details.appK", "credhook send user-created --set details.appKey="),
            ("credhook build user-created --break=missing-k", "credhook build user-created --break=missing-key "),
            ("credhook validate --ignore empty-string,missing-k",
             "credhook validate --ignore empty-string,missing-key "),
            ("credhook explain details.off", "credhook explain details.offCycle "),
            ("credhook --color=ne", "credhook --color=never "),
            ("credhook replay x --events user-created,bureau", "credhook replay x --events user-created,bureau-alert "),
            ("credhook replay x --status 5", "credhook replay x --status 5"),
            ("credhook listen --expect bureau", "credhook listen --expect bureau-alert "),
            ("credhook send all --to=san", "credhook send all --to=sandbox "),
            ("credhook send all --to my", "credhook send all --to my\\ place "),
            ("credhook --config c.json vali", "credhook --config c.json validate "),
            ("credhook nonsense --he", "credhook nonsense --he"),
            ("credhook build -- user-c", "credhook build -- user-created "),
    ):
        found = shell.tab(typed)
        assert found == line, f"{typed!r} became {found!r}, not {line!r}"


def files(shell):
    for typed, line in (
            ("credhook validate cap", "credhook validate capture.ndjson "),
            ("credhook validate --config=c.j", "credhook validate --config=c.json "),
            ("credhook send -H @cap", "credhook send -H @capture.ndjson "),
            ("credhook replay fix", "credhook replay fixtures/"),
            ("credhook validate fixtures/o", "credhook validate fixtures/one.json "),
            ("credhook build all -o fix", "credhook build all -o fixtures/"),
            ("credhook listen 0 -q -- cat cap", "credhook listen 0 -q -- cat capture.ndjson "),
            ("credhook replay two", "credhook replay two\\ words/"),
    ):
        found = shell.tab(typed).replace("\\@", "@")
        assert found == line, f"{typed!r} became {found!r}, not {line!r}"


CASES = (commands_and_options, choices, names_of_the_catalogue, single_tabs, files)


def tests(new_shell):
    """The cases as tests, in this order, each with a shell of its own: a context manager from new_shell()."""
    def test_of(case):
        def test():
            with new_shell() as shell:
                case(shell)
        test.__name__ = f"test_{case.__name__}"
        return test
    return [test_of(case) for case in CASES]

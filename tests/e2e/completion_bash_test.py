#!/usr/bin/python3
"""Tab in a real bash: what completions/credhook.bash makes of a command line."""

import json
import os
import re
import shlex
import shutil
from pathlib import Path

from interactive import Interactive
from support import SOURCE, binary, credhook, environment, new_folder, run

SCRIPT = SOURCE / "completions" / "credhook.bash"
PACKAGE = Path("/usr/share/bash-completion/bash_completion")
CONFIG = {"environments": {"sandbox": {"url": "http://127.0.0.1:1/"}, "my place": {"url": "http://127.0.0.1:2/"}}}


class Bash:
    """An interactive bash with the completion loaded; with_package: that of Debian as well."""

    def __init__(self, with_package=False):
        self.folder = new_folder()
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "credhook").symlink_to(Path(binary()).resolve())
        (self.folder / "fixtures dir").mkdir()
        (self.folder / "fixtures dir" / "one.json").touch()
        (self.folder / "capture.ndjson").touch()
        (self.folder / "c.json").write_text(json.dumps(CONFIG))
        env = environment({"PATH": f'{self.folder / "bin"}:{os.environ["PATH"]}', "TERM": "dumb", "PS1": "", "PS2": "",
                           "INPUTRC": "/dev/null", "HISTFILE": None, "CREDHOOK_CONFIG": self.folder / "c.json"})
        self.shell = Interactive([shutil.which("bash"), "--norc", "--noprofile", "-i"], env, self.folder)
        lines = [f". {PACKAGE}"] if with_package else []
        lines += [f". {shlex.quote(str(SCRIPT))}", "PS1=", "bind 'set bell-style none'",
                  "bind 'set completion-query-items 0'", "bind 'set page-completions off'",
                  r"""bind -x '"\C-t": printf "\nLINE<%s>\n" "$READLINE_LINE"'""", "echo rea''dy"]
        for line in lines:
            self.shell.type(line + "\n")
        self.shell.wait_for("\nready\r?\n")

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.shell.close()

    def _after(self, typed, key):
        self.shell.type("\x15" + typed + key + "\x14")
        return self.shell.wait_for(r"\nLINE<([^\r\n]*)>").group(1)

    def tab(self, typed):
        """The line after one Tab."""
        return self._after(typed, "\t")

    def all(self, typed):
        """Every candidate: Esc * puts them into the line."""
        line = self._after(typed, "\x1b*")
        kept = re.search(r"[^\s=:]*$", typed).start()
        return [word for word in re.split(r"(?<!\\) ", line[kept:].strip()) if word]


def help_rows():
    return [row for row in credhook("help", "--json").expect(0).json() if "name" in row]


def test_commands_and_options_are_those_of_the_parser():
    with Bash() as bash:
        assert sorted(bash.all("credhook ")) == sorted(row["name"] for row in help_rows())
        for row in help_rows():
            offered = set(bash.all(f'credhook {row["name"]} --'))
            wanted = {f'--{option["name"]}' for option in row["options"]}
            assert wanted == {word.removesuffix("=") for word in offered}, (row["name"], wanted ^ offered)


def test_choices_are_those_of_the_parser():
    with Bash() as bash:
        for row in help_rows():
            for option in row["options"]:
                if not option["choices"] or option["argument_optional"]:
                    continue
                for typed in (f'credhook {row["name"]} --{option["name"]} ', f'credhook {row["name"]} --{option["name"]}='):
                    assert bash.all(typed) == sorted(option["choices"]), typed


def test_events_elements_findings_and_fields():
    events = credhook("events", "--json").expect(0).json()
    findings = [row["topic"] for row in credhook("explain", "--json").expect(0).json() if row["kind"] == "finding"]
    names = [event["name"] for event in events]
    names += [f'{event["name"]}/{element}' for event in events for element in event.get("elements", [])]
    with Bash() as bash:
        assert sorted(bash.all("credhook send ")) == sorted(names + ["all"])
        assert sorted(bash.all("credhook build --break ")) == sorted(findings)
        assert bash.tab("credhook send user-c") == "credhook send user-created "
        assert bash.tab("credhook send monitored-element-added/em") == "credhook send monitored-element-added/email "
        for event in events:
            offered = bash.all(f'credhook send {event["name"]} --set details.')
            for field in event["details"]:
                assert any(word.startswith(f'details.{field["name"]}') for word in offered), (event["name"], field)


def test_words_with_equals_and_colon():
    with Bash() as bash:
        assert bash.tab("credhook send user-created --set details.appK") == \
            "credhook send user-created --set details.appKey="
        assert bash.tab("credhook send bureau-alert --set details.alertDetails.disputeStatus=Sub") == \
            "credhook send bureau-alert --set details.alertDetails.disputeStatus=Submission "
        assert bash.tab("credhook build user-created --break missing-key:details.app") == \
            "credhook build user-created --break missing-key:details.appKey "
        assert bash.tab("credhook build user-created --break=missing-key:details.app") == \
            "credhook build user-created --break=missing-key:details.appKey "
        assert bash.tab("credhook send all --dry-run=c") == "credhook send all --dry-run=curl "
        assert bash.tab("credhook --color=ne") == "credhook --color=never "
        assert bash.tab("credhook replay x --events user-created,bureau") == \
            "credhook replay x --events user-created,bureau-alert "


def test_words_in_quotes():
    with Bash() as bash:
        assert bash.tab("credhook send user-created --set 'details.app").startswith(
            "credhook send user-created --set 'details.appKey=")  # readline closes the quote by itself
        assert bash.tab('credhook build "user-cr') == 'credhook build "user-created" '


def test_environments_come_from_the_configuration():
    with Bash() as bash:
        assert bash.all("credhook send all --to ") == [r"my\ place", "sandbox"]
        assert bash.tab("credhook send all --to=san") == "credhook send all --to=sandbox "
        assert bash.tab("credhook send --no-config all --to san") == "credhook send --no-config all --to san"


def test_files():
    with Bash() as bash:
        assert bash.tab("credhook validate cap") == "credhook validate capture.ndjson "
        assert bash.tab("credhook validate --config=c.j") == "credhook validate --config=c.json "
        assert bash.tab("credhook send -H @cap").replace("\\", "") == "credhook send -H @capture.ndjson "
        assert bash.tab("credhook replay fix") == r"credhook replay fixtures\ dir/"
        assert bash.tab("credhook build all --out-dir cap") == "credhook build all --out-dir cap"


def test_what_stands_before_the_command_and_behind_two_dashes():
    with Bash() as bash:
        assert bash.tab("credhook --config c.json vali") == "credhook --config c.json validate "
        assert bash.tab("credhook nonsense --he") == "credhook nonsense --he"
        assert bash.tab("credhook build -- user-c") == "credhook build -- user-created "


def test_beside_debians_package():
    if not PACKAGE.exists():
        print("skip: bash-completion is not installed")
        return
    with Bash(with_package=True) as bash:
        assert bash.tab("credhook send user-created --set details.appK") == \
            "credhook send user-created --set details.appKey="
        assert bash.tab("credhook validate cap") == "credhook validate capture.ndjson "


if __name__ == "__main__":
    run()

#!/usr/bin/python3
"""Tab in a real bash: what completions/credhook.bash makes of a command line."""

import re
import shlex
import shutil
from pathlib import Path

import completion_cases
from interactive import Interactive
from support import SOURCE, Skip, run

SCRIPT = SOURCE / "completions" / "credhook.bash"
PACKAGE = Path("/usr/share/bash-completion/bash_completion")


class Bash:
    """An interactive bash with the completion loaded; with_package: that of Debian as well."""

    def __init__(self, with_package=False):
        folder, env = completion_cases.prepare()
        self._shell = Interactive([shutil.which("bash"), "--norc", "--noprofile", "-i"], env, folder)
        lines = [f". {PACKAGE}"] if with_package else []
        lines += [f". {shlex.quote(str(SCRIPT))}", "PS1=", "bind 'set bell-style none'",
                  "bind 'set completion-query-items 0'", "bind 'set page-completions off'",
                  r"""bind -x '"\C-t": printf "\nLINE<%s>\n" "$READLINE_LINE"'""", "echo rea''dy"]
        for line in lines:
            self._shell.type(line + "\n")
        self._shell.wait_for("\nready\r?\n")

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self._shell.close()

    def _after(self, typed, key):
        self._shell.type("\x15" + typed + key + "\x14")
        return self._shell.wait_for(r"\nLINE<([^\r\n]*)>").group(1)

    def tab(self, typed):
        return self._after(typed, "\t")

    def all(self, typed):
        """Esc * puts every candidate into the line."""
        line = self._after(typed, "\x1b*")
        kept = re.search(r"[^\s=:]*$", typed).start()
        return {word for word in re.split(r"(?<!\\) ", line[kept:].strip()) if word}


def test_commands_and_options():
    with Bash() as bash:
        completion_cases.commands_and_options(bash)


def test_choices():
    with Bash() as bash:
        completion_cases.choices(bash)


def test_names_of_the_catalogue():
    with Bash() as bash:
        completion_cases.names_of_the_catalogue(bash)


def test_single_tabs():
    with Bash() as bash:
        completion_cases.single_tabs(bash)


def test_files():
    with Bash() as bash:
        completion_cases.files(bash)


def test_words_in_quotes():
    with Bash() as bash:
        assert bash.tab("credhook send user-created --set 'details.app").startswith(
            "credhook send user-created --set 'details.appKey=")  # readline closes the quote by itself
        assert bash.tab('credhook build "user-cr') == 'credhook build "user-created" '


def test_beside_debians_package():
    if not PACKAGE.exists():
        raise Skip("bash-completion is not installed")
    with Bash(with_package=True) as bash:
        completion_cases.single_tabs(bash)
        completion_cases.files(bash)


if __name__ == "__main__":
    run()

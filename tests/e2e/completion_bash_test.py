#!/usr/bin/python3
"""Tab in a real bash: what completions/credhook.bash makes of a command line."""
# rooms: catalog cmd schema ui

import re
import shlex
from pathlib import Path

import completion_cases
from support import SOURCE, Skip, run

SCRIPT = SOURCE / "completions" / "credhook.bash"
PACKAGE = Path("/usr/share/bash-completion/bash_completion")


class Bash(completion_cases.AtTerminal):
    """bash with the completion loaded; with_package: that of Debian as well."""

    def __init__(self, with_package=False):
        lines = [f". {PACKAGE}"] if with_package else []
        lines += [f". {shlex.quote(str(SCRIPT))}", "PS1=", "bind 'set bell-style none'",
                  "bind 'set completion-query-items 0'", "bind 'set page-completions off'",
                  r"""bind -x '"\C-t": printf "\nLINE<%s>\n" "$READLINE_LINE"'"""]
        super().__init__("bash", ["--norc", "--noprofile", "-i"], lines)

    def all(self, typed):
        """Esc * puts every candidate into the line."""
        line = self.after(typed, "\x1b*")
        kept = re.search(r"[^\s=:]*$", typed).start()
        return {word for word in re.split(r"(?<!\\) ", line[kept:].strip()) if word}


(test_commands_and_options, test_choices, test_names_of_the_catalogue, test_single_tabs, test_files) = completion_cases.tests(Bash)


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

#!/usr/bin/python3
"""Tab in a real zsh: what completions/_credhook makes of a command line."""

import re
import shlex
import shutil

import completion_cases
from interactive import Interactive
from support import SOURCE, Skip, run

SET_UP = r"""
fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -D; PS1=; unsetopt beep; LISTMAX=10000
zstyle ':completion:*' menu no
zstyle ':completion:all-matches:*' completer _all_matches _complete
zstyle ':completion:all-matches:*' insert yes
zle -C all-matches complete-word _generic; bindkey '^Xa' all-matches
told() {{ print -rn -- $'\r\n'"LINE<$BUFFER>"$'\r\n' }}; zle -N told; bindkey '^T' told; bindkey '^U' kill-whole-line
bindkey '^I' complete-word
echo rea''dy
"""


class Zsh:
    def __init__(self):
        if not shutil.which("zsh"):
            raise Skip("zsh is not installed")
        folder, env = completion_cases.prepare()
        self._shell = Interactive([shutil.which("zsh"), "-f", "-i"], env, folder)
        for line in SET_UP.format(folder=shlex.quote(str(SOURCE / "completions"))).strip().split("\n"):
            self._shell.type(line + "\n")
        self._shell.wait_for("\nready\r?\n")

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self._shell.close()

    def _after(self, typed, key):
        self._shell.type("\x15" + typed + key + "\x14")
        return self._shell.wait_for(r"LINE<([^\r\n]*)>\r").group(1)

    def tab(self, typed):
        return self._after(typed, "\t")

    def all(self, typed):
        line = self._after(typed, "\x18a")
        words = re.split(r"(?<!\\) ", line[re.search(r"\S*$", typed).start():].strip())
        before = re.search(r"(\S*[=:])?", re.search(r"\S*$", typed).group()).group()
        return {word.removeprefix(before).replace("\\", "") for word in words if word}


def test_commands_and_options():
    with Zsh() as zsh:
        completion_cases.commands_and_options(zsh)


def test_choices():
    with Zsh() as zsh:
        completion_cases.choices(zsh)


def test_names_of_the_catalogue():
    with Zsh() as zsh:
        completion_cases.names_of_the_catalogue(zsh)


def test_single_tabs():
    with Zsh() as zsh:
        completion_cases.single_tabs(zsh)


def test_files():
    with Zsh() as zsh:
        completion_cases.files(zsh)


if __name__ == "__main__":
    run()

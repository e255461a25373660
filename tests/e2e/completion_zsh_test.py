#!/usr/bin/python3
"""Tab in a real zsh: what completions/_credhook makes of a command line."""
# rooms: cmd

import re
import shlex

import completion_cases
from support import SOURCE, run

SET_UP = r"""
fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -D; PS1=; unsetopt beep; LISTMAX=10000
zstyle ':completion:*' menu no
zstyle ':completion:all-matches:*' completer _all_matches _complete
zstyle ':completion:all-matches:*' insert yes
zle -C all-matches complete-word _generic; bindkey '^Xa' all-matches
told() {{ print -rn -- $'\r\n'"LINE<$BUFFER>"$'\r\n' }}; zle -N told; bindkey '^T' told; bindkey '^U' kill-whole-line
bindkey '^I' complete-word
"""


class Zsh(completion_cases.AtTerminal):
    def __init__(self):
        super().__init__("zsh", ["-f", "-i"],
                         SET_UP.format(folder=shlex.quote(str(SOURCE / "completions"))).strip().split("\n"))

    def all(self, typed):
        line = self.after(typed, "\x18a")
        words = re.split(r"(?<!\\) ", line[re.search(r"\S*$", typed).start():].strip())
        before = re.search(r"(\S*[=:])?", re.search(r"\S*$", typed).group()).group()
        return {word.removeprefix(before).replace("\\", "") for word in words if word}


(test_commands_and_options, test_choices, test_names_of_the_catalogue, test_single_tabs, test_files) = completion_cases.tests(Zsh)


if __name__ == "__main__":
    run()

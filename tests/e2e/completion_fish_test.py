#!/usr/bin/python3
"""Completion in a real fish: what completions/credhook.fish makes of a command line."""
# rooms: cmd

import re
import shlex
import shutil
import subprocess
from contextlib import nullcontext

import completion_cases
from support import SOURCE, Skip, run

SCRIPT = SOURCE / "completions" / "credhook.fish"


class Fish:
    """Asks fish's own `complete -C`, which is what Tab shows."""

    def __init__(self):
        if not shutil.which("fish"):
            raise Skip("fish is not installed")
        self._folder, self._env = completion_cases.prepare()

    def candidates(self, typed):
        """(candidate, meaning) of each."""
        quoted = typed.replace("\\", "\\\\").replace("'", "\\'")
        out = subprocess.run(["fish", "--no-config", "-c", f"source {shlex.quote(str(SCRIPT))}; complete -C '{quoted}'"],
                             cwd=self._folder, env=self._env, capture_output=True, text=True, check=True,
                             stdin=subprocess.DEVNULL).stdout
        return [tuple((line + "\t").split("\t")[:2]) for line in out.splitlines()]

    def all(self, typed):
        before = re.search(r"(\S*[=:])?", re.search(r"\S*$", typed).group()).group()
        return {candidate.removeprefix(before) for candidate, _ in self.candidates(typed)}

    def tab(self, typed):
        """As fish does it: a single candidate takes the word's place, with a space unless it goes on."""
        found = self.candidates(typed)
        if len(found) != 1:
            return typed
        word = found[0][0].replace(" ", "\\ ")
        return typed[:re.search(r"\S*$", typed).start()] + word + ("" if word[-1] in "=/:,." else " ")


(test_commands_and_options, test_choices, test_names_of_the_catalogue, test_single_tabs, test_files) = completion_cases.tests(lambda: nullcontext(Fish()))


def test_meanings_are_shown():
    assert dict(Fish().candidates("credhook send user-c")) == {"user-created": "User Created"}


if __name__ == "__main__":
    run()

#!/usr/bin/python3
"""Holds the rows of options and commands to the habits of the house.

The rows come from `credhook help --json`: one object per command. CREDHOOK is the binary. The manual and the
completions are compared with them by manual_test.py and e2e/completion_*_test.py, the examples run by e2e/examples_test.py.
"""

import json
import os
import re
import subprocess
import sys

LONGEST_PHRASE = 60  # of an option's help
LONGEST_ABOUT = 50  # of a command in the overview


def check_rows(commands):
    """Names, letters and words of the option rows and commands."""
    problems = []
    names = [command["name"] for command in commands]
    problems += [f"two commands {name}" for name in set(names) if names.count(name) > 1]
    for command in commands:
        where = command["name"]
        summary = command["summary"]
        if not re.fullmatch(r"[A-Z].*\.", summary):
            problems.append(f"{where}: the summary is no sentence: {summary}")
        phrase = command["phrase"]
        if not re.match("[a-z]", phrase) or phrase.endswith(".") or len(phrase) > LONGEST_ABOUT:
            problems.append(f"{where}: the phrase of the overview is not a short one: {phrase}")
        if not command["examples"]:
            problems.append(f"{where} has no example")
        for example in command["examples"]:
            if not example["meaning"] or not re.search(rf"\bcredhook\b.*\b{where}\b", example["command"]):
                problems.append(f"{where}: an example of something else: {example}")
        for key in "name", "letter":
            used = [option[key] for option in command["options"] if option[key]]
            problems += [f"{where}: two options {name}" for name in sorted(set(used)) if used.count(name) > 1]
        for option in command["options"]:
            problems += [f"{where} --{option['name']}: {problem}" for problem in check_option(option)]
    return problems


def check_option(option):
    words, choices = option["help"], option["choices"]
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", option["name"]):
        yield "a name not in kebab-case"
    if len(option["letter"]) > 1:
        yield f"a letter of several: {option['letter']}"
    if not words:
        yield "no help"
    elif len(words) > LONGEST_PHRASE:
        yield f"the help has {len(words)} characters, {LONGEST_PHRASE} at most: {words}"
    elif not re.match(r"[a-z0-9]|[A-Z]+[ :;,-]|\"", words) or words.endswith("."):
        yield f"the help is to start lower-case and end without a full stop: {words}"
    if "  " in words or words != words.strip():
        yield "stray spaces in the help"
    if choices and not option["argument"]:
        yield "choices, but no argument"
    if len(choices) != len(set(choices)) or not all(choices):
        yield f"choices that are empty or repeated: {choices}"
    if option["default"] and "(default" in words:
        yield f"the default twice: {words}"
    if option["argument_optional"] and not option["argument"]:
        yield "an optional argument without a name"


SOUND = {"name": "build", "phrase": "make", "operands": "", "summary": "Make.", "options": [
    {"name": "output", "letter": "o", "argument": "DIR", "argument_optional": False, "default": None, "help": "where to",
     "choices": []}],
    "examples": [{"command": "credhook build all", "meaning": "all"}]}
# What is changed in the sound command's option, and what has to be found.
DEFECTS = [({"help": ""}, "no help"), ({"help": "so many (default 1)", "default": "1"}, "twice"), ({"help": "x" * 61}, "61 characters"),
           ({"help": "Where to"}, "lower-case"), ({"help": "where to."}, "full stop"),
           ({"name": "outDir"}, "kebab"), ({"choices": ["a", "a"]}, "repeated"),
           ({"argument": None, "choices": ["a"]}, "no arg")]


def self_test():
    """The problems of the checks themselves."""
    problems = [f"a sound row is refused: {problem}" for problem in check_rows([SOUND])]
    for change, expected in DEFECTS:
        broken = {**SOUND, "options": [{**SOUND["options"][0], **change}]}
        found = check_rows([broken])
        if not any(expected in problem for problem in found):
            problems.append(f"{change} is not found: {found}")
    for broken, expected in (({**SOUND, "options": SOUND["options"] * 2}, "two options output"),
                             ({**SOUND, "examples": []}, "no example"), ({**SOUND, "summary": "make"}, "sentence"),
                             ({**SOUND, "phrase": "Make."}, "overview"), ({**SOUND, "phrase": "m" * 51}, "overview")):
        if not any(expected in problem for problem in check_rows([broken])):
            problems.append(f"'{expected}' is not found")
    return problems


def main():
    failed = 0

    def report(name, problems):
        nonlocal failed
        failed += len(problems)
        print(f"{'FAILED' if problems else 'ok'} {name}")
        for problem in problems:
            print(f"  {problem}")

    report("self-test", self_test())
    told = subprocess.run([os.environ["CREDHOOK"], "help", "--json"], capture_output=True, text=True, check=True,
                          timeout=60)
    commands = [json.loads(line) for line in told.stdout.splitlines()]
    report("rows", check_rows(commands))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

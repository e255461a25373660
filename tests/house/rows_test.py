#!/usr/bin/python3
"""Holds the rows of options and commands to the habits of the house.

The rows come from `credhook help --json`: one object per command. CREDHOOK is the binary. The manual and the
completions are compared with them by manual_test.py and e2e/completion_*_test.py, the examples run by e2e/examples_test.py.
"""

import json
import os
import re
import subprocess

from house import run

LONGEST_PHRASE = 60  # of an option's help
LONGEST_ABOUT = 50  # of a command in the overview
FIRST_WORDS = 3  # of the help of an option, by which its meaning is known
# Options of one name whose help begins with other words in some command, and why that is no other meaning.
OTHER_WORDS = {
    "file": "in the shell too -f is the file that is worked on",
    "invalid": "only those in the shell too, which waits for notifications and not for records",
    "strict": "less is enough to fail in both: a warning is not a failed 'should'",
}


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


def check_meanings(commands, other_words):
    """One word, one meaning: an option of one name has one letter, takes a value or not, and its help begins with the same
    words in every command, but for those of `other_words`; a letter is of one name."""
    problems, first, letters, differ = [], {}, {}, set()
    for command in commands:
        for option in command["options"]:
            name, letter, where = option["name"], option["letter"], f"{command['name']} --{option['name']}"
            origin, known = first.setdefault(name, (where, option))
            if (letter, not option["argument"]) != (known["letter"], not known["argument"]):
                problems.append(f"{where}: another letter, or value, than {origin}")
            if option["help"].split()[:FIRST_WORDS] != known["help"].split()[:FIRST_WORDS]:
                differ.add(name)
                if name not in other_words:
                    problems.append(f"{where}: the help begins with other words than that of {origin}")
            if letter and letters.setdefault(letter, name) != name:
                problems.append(f"{where}: -{letter} is --{letters[letter]} elsewhere")
    return problems + [f"--{name}: no reason is needed for other words" for name in sorted(other_words.keys() - differ)]


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
# The same of its option in a second command.
MEANINGS = [({}, ""), ({"help": "where to"}, ""), ({"help": "where from"}, "other words"), ({"letter": "d"}, "another letter"),
            ({"argument": None}, "or value"), ({"name": "folder"}, "is --output elsewhere")]


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
    for change, expected in MEANINGS:
        found = check_meanings([SOUND, {**SOUND, "options": [{**SOUND["options"][0], **change}]}], {})
        if [problem for problem in found if not expected or expected not in problem] or bool(expected) != bool(found):
            problems.append(f"{change}: '{expected}' is not what is found: {found}")
    if not check_meanings([SOUND], {"output": "a reason"}):
        problems.append("a reason that is not needed is not found")
    return problems


def help_rows(*args, stdin=None):
    """The commands as `help --json` lists them."""
    done = subprocess.run([os.environ["CREDHOOK"], *args], input=stdin, capture_output=True, text=True, check=True, timeout=60)
    return [json.loads(line) for line in done.stdout.splitlines()]


def checks():
    yield "self-test", self_test()
    commands = help_rows("help", "--json")
    yield "rows", check_rows(commands)
    session = help_rows("shell", stdin="help --json\n")  # which has some of its own
    yield "meanings", check_meanings(commands + [command for command in session if command["group"] == "Session"], OTHER_WORDS)


if __name__ == "__main__":
    run(checks())

#!/usr/bin/python3
"""Holds the option rows to the habits of the house, and runs every example of the help.

The rows come from `credhook help --json`: one object per command. CREDHOOK is the binary, SOURCE the project folder.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# Examples of these run as they stand; those of other commands need a peer, and are run by tests of their own.
RUNNABLE = {"build", "validate", "events", "explain", "help"}
# Files that examples name, and what makes them.
FIXTURES = ("credhook build all --seed 1 --out-dir fixtures && credhook build all --seed 1 >capture.ndjson"
            " && credhook build all --break wrong-type --out-dir broken")


def root():
    return Path(os.environ.get("SOURCE") or Path(__file__).resolve().parents[2])


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
    elif not re.match(r"[a-z0-9]|[A-Z]+[ :;,-]|\"", words) or words.endswith("."):
        yield f"the help is to start lower-case and end without a full stop: {words}"
    if "  " in words or words != words.strip():
        yield "stray spaces in the help"
    if choices and not option["argument"]:
        yield "choices, but no argument"
    if len(choices) != len(set(choices)) or not all(choices):
        yield f"choices that are empty or repeated: {choices}"
    if option["argument_optional"] and not option["argument"]:
        yield "an optional argument without a name"


def shell(line, folder):
    """Runs a command line as a user would, with credhook on the PATH, no configuration and no proxy."""
    binary = Path(os.environ["CREDHOOK"]).resolve()
    environment = {"PATH": f"{binary.parent}:{os.environ['PATH']}", "HOME": str(folder), "LC_ALL": "C.UTF-8"}
    return subprocess.run(["sh", "-c", line], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False, timeout=60)


def check_examples(commands):
    """Every example works as it stands, in a folder that holds the files that examples name."""
    problems, ran = [], 0
    for command in commands:
        if command["name"] not in RUNNABLE:
            print(f"  skipped the examples of {command['name']}: they need a peer")
            continue
        for example in command["examples"]:
            with tempfile.TemporaryDirectory(prefix="credhook-house.") as folder:
                made = shell(FIXTURES, folder)
                assert made.returncode == 0, made.stderr
                result = shell(example["command"], folder)
                ran += 1
            shown_invalid = command["name"] == "validate" and result.returncode == 1
            if result.returncode != 0 and not shown_invalid:
                problems.append(f"{example['command']}: exit {result.returncode}: {result.stderr}")
            elif not result.stdout and not result.stderr:
                problems.append(f"{example['command']}: shows nothing")
    if ran < len(RUNNABLE):
        problems.append(f"only {ran} examples ran")
    return problems


SOUND = {"name": "build", "operands": "", "summary": "Make.", "options": [
    {"name": "out-dir", "letter": "o", "argument": "DIR", "argument_optional": False, "help": "where to",
     "choices": []}],
    "examples": [{"command": "credhook build all", "meaning": "all"}]}
# What is changed in the sound command's option, and what has to be found.
DEFECTS = [({"help": ""}, "no help"), ({"help": "Where to"}, "lower-case"), ({"help": "where to."}, "full stop"),
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
    for broken, expected in (({**SOUND, "options": SOUND["options"] * 2}, "two options out-dir"),
                             ({**SOUND, "examples": []}, "no example"), ({**SOUND, "summary": "make"}, "sentence")):
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
    rows = [json.loads(line) for line in told.stdout.splitlines()]
    commands = [row for row in rows if "name" in row]
    report("rows", check_rows(commands))
    report("examples", check_examples(commands))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

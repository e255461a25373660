#!/usr/bin/python3
"""Nothing names an option or a format that is gone, but for the changelog. CREDHOOK is the binary, SOURCE the tree."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(os.environ["SOURCE"])

# What is gone, by command.
OPTIONS = {
    "validate": "max-findings list-ok",
    "shell": "keep-going report",
    "listen": "redact rotate-size rotate-keep max-per-address head-timeout body-timeout answer-timeout idle-timeout drain "
              "once in-order route forward-cacert fail-rate retry-after",
    "replay": "duplicate reorder sample skip seed threads duration fail-fast retry-max-time progress connect-timeout resolve",
    "send": "threads duration fail-fast retry-max-time progress default interactive connect-timeout resolve",
    "build": "default interactive",
    "test": "connect-timeout resolve record",
    "convert": "sample skip seed preview strict",
}
FORMATS = ["asyncapi", "tap", "gitlab", "gor", "vegeta", "http"]

# Options that no command has any more: their names stand nowhere. (src/ui/options.c says what to write instead.)
NOWHERE = """max-findings list-ok keep-going rotate-size rotate-keep max-per-address head-timeout body-timeout answer-timeout
idle-timeout drain once in-order duplicate reorder sample threads duration fail-fast retry-max-time progress default
connect-timeout resolve route forward-cacert fail-rate retry-after preview""".split()

PLACES = ["README.md", "samples", "man", "completions", ".github", ".pre-commit-hooks.yaml"]


def texts():
    for place in PLACES:
        path = ROOT / place
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and file.name != "CHANGELOG.md":
                yield str(file.relative_to(ROOT)), file.read_text(encoding="utf-8", errors="replace").replace("\\-", "-")


def ask(*args):
    return subprocess.run([os.environ["CREDHOOK"], *args], capture_output=True, text=True, timeout=60, check=False)


def main():
    problems = []
    commands = {row["name"]: row for row in map(json.loads, ask("help", "--json").stdout.splitlines())}
    for command, names in OPTIONS.items():
        has = {option["name"] for option in commands[command]["options"]}
        problems += [f"{command} has --{name}" for name in names.split() if name in has]
        for name in names.split():
            done = ask(command, f"--{name}")
            if done.returncode != 2 or f"unknown option '--{name}'" not in done.stderr:
                problems.append(f"credhook {command} --{name}: {done.stderr}")
    choices = [choice for row in commands.values() for option in row["options"] for choice in option["choices"] or []]
    problems += [f"a choice: {name}" for name in FORMATS if name in choices]
    told = list(texts())
    assert len(told) > 40, "the texts are found"
    told += [(f"credhook {name} --help", ask(name, "--help").stdout) for name in commands]
    for where, text in told:
        problems += [f"{where}: --{name}" for name in NOWHERE if re.search(rf"(?<![\w-])--{name}(?![\w-])", text)]
        problems += [f"{where}: {name}" for name in FORMATS
                     if re.search(rf"(?:(?:--format|--from|--report|-l)[ =]?{name}(?![\w-])|\b{name}=[\w/.-]+)", text)]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

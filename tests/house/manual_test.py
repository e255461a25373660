#!/usr/bin/python3
"""The manual says what the binary does: options, commands, exit codes, findings, events and examples.

CREDHOOK is the binary, SOURCE the project folder. What differs is shown as a diff; `python3 tests/tools/update-docs.py
BINARY` writes it.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from house import SOURCE, run

BINARY = os.environ.get("CREDHOOK", str(SOURCE / "build" / "credhook"))
ENVIRONMENT = {**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "100"}

spec = importlib.util.spec_from_file_location("update_docs", SOURCE / "tests" / "tools" / "update-docs.py")
update_docs = importlib.util.module_from_spec(spec)
spec.loader.exec_module(update_docs)


ELSEWHERE = {"flock", "gzip", "curl", "man"}  # pages of others


def pages():
    return sorted(path for path in (SOURCE / "man").iterdir() if path.suffix in (".1", ".5", ".7"))


def rendered(path):
    """The page as a reader sees it, on one line with single spaces."""
    out = subprocess.run(["mandoc", "-T", "utf8", "-O", "width=1000", str(path)], capture_output=True, check=True,
                         env=ENVIRONMENT).stdout.decode()
    return " ".join(re.sub("(.)\b(?=.)", "", out).replace("\u2010", "-").split())


def check_generated_parts():
    files, problems = update_docs.expected(BINARY)
    return problems + list(update_docs.differences(files))


def check_lint():
    out = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *map(str, pages())], capture_output=True,
                         check=False, env=ENVIRONMENT)
    return (out.stdout + out.stderr).decode().splitlines()


def check_references():
    """Every .Xr names a page of ours, or one of those listed here."""
    problems = []
    for path in pages():
        for name, section in re.findall(r"^\.Xr (\S+) (\d)", path.read_text(), re.MULTILINE):
            name = name.replace("\\", "")
            if not (SOURCE / "man" / f"{name}.{section}").exists() and name not in ELSEWHERE:
                problems.append(f"man/{path.name}: there is no {name}({section})")
    return problems


def check_sections():
    """What every page has, and what those of section 1 have."""
    problems = []
    for path in pages():
        headings = re.findall(r"^\.Sh (.*)", path.read_text(), re.MULTILINE)
        wanted = ["NAME", "DESCRIPTION", "SEE ALSO"]
        if path.suffix == ".1":
            wanted += ["SYNOPSIS", "OPTIONS", "ENVIRONMENT", "FILES", "EXIT STATUS", "EXAMPLES"]
        problems += [f"man/{path.name}: missing section {name}" for name in wanted if name not in headings]
    return problems


def check_shadowed_texts():
    """Of two texts that a page could take for an option, one would never be seen."""
    wrong = {"--a\nx\n--a send\ny\n": "--a", "--a send\nx\n--a\ny\n": "--a", "--b send test\nx\n--b test\ny\n": "--b",
             "--c send\nx\n--c test\ny\n--d\nz\n": ""}
    problems = []
    for text, option in wrong.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "options.txt"
            path.write_text(text)
            found = []
            texts = update_docs.OptionTexts(path, found)
            texts.used = set(range(len(texts.rows)))
            texts.check()
        if [f"{option}:" in problem for problem in found] != ([True] if option else []):
            problems.append(f"{text!r}: {found}")
    return problems


def check_option_examples(facts):
    """The examples of options name commands and options that exist."""
    problems = []
    known = {command["name"]: {f'--{option["name"]}' for option in command["options"]} |
                              {f'-{option["letter"]}' for option in command["options"]} for command in facts.commands}
    lines = re.findall("^    (.*)", (SOURCE / "man" / "options.txt").read_text(), re.MULTILINE)
    for line in lines:
        name, command, *words = re.sub("'[^']*'", "", line).split()
        options = {word for word in words if re.fullmatch("--?[a-z][a-z-]*", word, re.IGNORECASE)}
        if command == "COMMAND":
            options -= set.union(*known.values())
        elif options <= known.get(command, set()):
            options = set()
        if name != "credhook" or options or command not in (*known, "COMMAND"):
            problems.append(f"man/options.txt: '{line}': no such command or option")
    return problems if len(lines) > 10 else [*problems, "man/options.txt: where are its examples?"]


def check_options_exist(facts):
    """The pages name no option that no command has, but for those of curl and of the shell's expect; a list in the page of a
    command has only its own."""
    own = {f'credhook-{command["name"]}.1': {option["name"] for option in command["options"]} for command in facts.commands}
    known = set().union(*own.values(), {"interface", "within"})
    problems = []
    for path in pages():
        for item, name in re.findall(r"(^\.It )?\bFl \\-([a-z][a-z\\-]*)", path.read_text(), re.MULTILINE):
            if name.replace("\\", "") not in (own.get(path.name, known) if item else known):
                problems.append(f"man/{path.name}: there is no --{name}")
    return problems


def check_readers_see_it(facts):
    """Not how it is written but what mandoc shows of it: each option, code, finding and event."""
    problems = []

    def ask(name, words):
        path = SOURCE / "man" / name
        if not path.exists():
            problems.append(f"man/{name}: there is no such page")
            return
        text = rendered(path).replace(" \\ ", " ")
        problems.extend(f"man/{name}: a reader does not see '{word}'" for word in words if word not in text)

    for command in facts.commands:
        words = [f'credhook {command["name"]}']
        for option in command["options"]:
            if option["group"] != update_docs.EVERYWHERE:
                words.append(f'--{option["name"]}')
                words += option["choices"]
        ask(f'credhook-{command["name"]}.1', words + [row["command"] for row in command["examples"]])
    ask("credhook.1", [f'credhook-{c["name"]}(1)' for c in facts.commands] + [f["topic"] for f in facts.findings] +
        [f'--{o["name"]}' for o in facts.everywhere] +
        [f'{row["code"]} {row["summary"][0].upper()}{row["summary"][1:]}' for row in facts.exit_codes])
    return problems


def check_glossary(facts):
    """The glossary has the words that explain sends its readers there for, and the section for statuses is there."""
    page = (SOURCE / "man" / "credhook.1").read_text()
    sections = dict(re.findall(r"^\.Ss (\S+)\n(.*?)(?=^\.S[sh] )", page, re.MULTILINE | re.DOTALL))
    words = {row["topic"] for row in facts.topics if row["kind"] == "word"}
    defined = set(re.findall(r"^\.It Sy (.*)$", sections.get("Glossary", ""), re.MULTILINE))
    problems = [f"man/credhook.1: {word} is in the glossary or in explain, not in both" for word in sorted(words ^ defined)]
    places = {row["summary"] for row in facts.topics if row["kind"] in ("word", "status")}
    named = {name for place in places for name in re.findall("section (.*)", place)}
    return problems + [f"man/credhook.1: there is no section {name}" for name in named - sections.keys()] + \
        ([] if named == {"Glossary", "Statuses"} and words else [f"explain names the sections {named}"])


def undescribed(schema, before):
    """The members in a JSON Schema, however deep, that have no description."""
    if isinstance(schema, list):
        return [name for part in schema for name in undescribed(part, before)]
    if not isinstance(schema, dict):
        return []
    missing = []
    for key, value in schema.get("properties", {}).items():
        if not isinstance(value, dict) or not value.get("description"):
            missing.append(f"{before}: {key}")
        missing += undescribed(value, f"{before}: {key}")
    return missing + [name for key, value in schema.items() if key != "properties" for name in undescribed(value, before)]


def check_members_are_described():
    """Each member of the --json output says what it is: credhook-json(5) is made of that."""
    return [f"{name} has no description" for path in sorted(update_docs.SCHEMAS.glob("output-*.json"))
            for name in undescribed(update_docs.schema_of(path), path.name)]


def check_an_old_binary_is_refused():
    """It would put an older manual in the place of today's."""
    with tempfile.TemporaryDirectory() as folder:
        old = Path(folder) / "credhook"
        shutil.copy(BINARY, old)
        os.utime(old, (0, 0))
        done = subprocess.run([sys.executable, update_docs.__file__, old, "--check"], capture_output=True, text=True, check=False)
    if done.returncode == 1 and re.fullmatch(r"\S+ is older than src/\S+: build it first\n", done.stderr) and not done.stdout:
        return []
    return [f"tests/tools/update-docs.py takes a binary that is older than src/: {done}"]


def self_test():
    """A change in the manual is noticed."""
    text = (SOURCE / "man" / "credhook-send.1").read_text()
    facts = update_docs.Facts(BINARY, [])
    regions = update_docs.regions_of("credhook-send.1", facts)
    assert undescribed({"oneOf": [{"properties": {"a": {"items": {"properties": {"b": {}}}}}}]}, "x") == ["x: a", "x: a: b"]
    problems = []
    broken = text.replace("connect\\-to", "connect\\-two")
    assert broken != text
    assert update_docs.fill(broken, regions, "credhook-send.1", problems) == text and not problems
    update_docs.fill(text.replace('.\\" BEGIN synopsis', ""), regions, "credhook-send.1", problems)
    assert problems == ["man/credhook-send.1: no region 'synopsis'"], problems


def checks():
    if not shutil.which("mandoc"):
        print("skipped: mandoc is not installed")
        return
    generated = check_generated_parts()
    yield "check_generated_parts", generated
    yield "self-test", [] if generated else self_test()
    facts = update_docs.Facts(BINARY, [])
    for check in check_lint, check_references, check_sections, check_members_are_described, check_shadowed_texts:
        yield check.__name__, check()
    for check in check_option_examples, check_options_exist, check_readers_see_it, check_glossary:
        yield check.__name__, check(facts)
    yield "check_an_old_binary_is_refused", check_an_old_binary_is_refused()


if __name__ == "__main__":
    run(checks(), f"python3 tests/tools/update-docs.py {BINARY} writes the generated parts")

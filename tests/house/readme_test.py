#!/usr/bin/python3
"""Runs README.md and samples/README.md: every command of their console blocks, each file in one shell, and compares what is
printed. Their links lead somewhere, the options they name exist (in the changelog, too), and the first one stays short.

Numbers, times and identifiers may differ; words may not. Port 8080 becomes a free one. With --update a file gets what was
printed where it differs.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

from house import SOURCE, run

sys.path.insert(0, str(SOURCE / "tests" / "tools"))
from ports import free_port  # pylint: disable=wrong-import-position

CREDHOOK = os.environ["CREDHOOK"]
FILES = {"README.md": 240, "samples/README.md": None}  # how many lines each may have
BACKGROUND = re.compile(r" &(?: |$)")


def console_blocks(text):
    """Every (command, expected output) of the console blocks, in order."""
    steps = []
    for block in re.findall(r"^```console\n(.*?)^```$", text, re.S | re.M):
        for line in block.splitlines():
            if line.startswith("$ "):
                steps.append((line[2:], []))
            else:
                steps[-1][1].append(line)
    return steps


def normalised(lines):
    """What has to agree: the words, not the numbers, the durations' units, or the padding."""
    result = []
    for line in lines:
        line = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UUID", line)
        line = re.sub(r"\.\.\.[0-9a-f-]+\"", "...UUID\"", line)  # the end of one, in an excerpt
        line = re.sub(r"\d+(\.\d+)? (us|ms|s)\b", "TIME", line)
        line = re.sub(r"^(\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d) |(?<=its log at )\d\d:\d\d:\d\d", "TIME ", line)
        line = re.sub(r"http://127\.0\.0\.1:\d+", "http://127.0.0.1:PORT", line)
        # Whether a fresh number is too short to look for is chance; both counts together are not.
        line = re.sub(r"^verified: (\d+) original values, none found in its own record \((\d+) too short",
                      lambda m: f"verified: {int(m[1]) + int(m[2])} original values, none found in its own record (some too short", line)
        line = re.sub(r"\s+", " ", line).strip()
        if line:
            result.append(line)
    return sorted(result)  # stdout and stderr come in either order


def script(steps, port, out):
    """One bash script: each step's output goes to a file of its own; a listener's step waits for its ready line."""
    lines = ["set -m", "trap 'kill $(jobs -p) 2>/dev/null' EXIT"]
    for i, (command, expected) in enumerate(steps):
        command = command.replace("8080", port)
        if BACKGROUND.search(command):
            before, after = BACKGROUND.split(command)
            if "|" in before:
                before = "{ %s; }" % before  # what each of them says
            lines.append("%s > %s/%d 2>&1 & %s" % (before, out, i, after))
            lines.append("until grep -q listening %s/%d || ! kill -0 $!; do sleep 0.02; done; cp %s/%d %s/%d.ready" % ((out, i) * 3))
        else:
            # A script's jobs are not taken off its list as those of a terminal are: %1 may be one that has ended.
            command = command.replace("kill %1", "kill %%")
            lines.append("{ " + command + "\n} > %s/%d 2>&1 </dev/null; echo $? > %s/%d.code" % (out, i, out, i))
    return "\n".join(lines) + "\n"


def listener_and_own(lines, printed):
    """The lines of the listener in the background, which begin with the time or follow one with blanks instead; the others."""
    parts = [], []
    is_own = True
    for line in lines:
        pattern = r"\d\d:\d\d:\d\d |POST /" if is_own else r"\d\d:\d\d:\d\d |POST /| {13}"
        is_own = not re.match(pattern, line) or normalised([line])[0] in printed
        parts[is_own].append(line)
    return parts


def check(name, steps, port, out):
    """The steps that printed something else than the file says, with what they printed."""
    different = []
    listener = None
    for i, (command, expected) in enumerate(steps):
        listener = os.path.join(out, "%d" % i) if BACKGROUND.search(command) else listener
        path = os.path.join(out, "%d" % i)
        ready = path + ".ready"
        with open(ready if os.path.exists(ready) else path, encoding="utf-8") as f:
            printed = f.read().splitlines()
        of_listener, own = listener_and_own(expected, normalised(printed))
        for line in of_listener:
            with open(listener, encoding="utf-8") as f:
                received = normalised(f.read().splitlines())
            if normalised([line])[0] not in received:
                different.append((command, expected, expected))
                print("%s: no line of the listener: %s, but %s" % (name, line, received))
        wanted, got = normalised(own), normalised(printed)
        if BACKGROUND.search(command):
            got = [line for line in got if line.startswith("listening")]
            wanted = wanted or got
        if " -- " in command:
            with open(path + ".code", encoding="utf-8") as f:
                code = f.read().strip()
            if code != "0":
                different.append((command, expected, printed))
                print("%s: $ %s ended with %s" % (name, command, code))
        if command.startswith("kill"):
            continue
        if wanted != got and own:
            different.append((command, expected, [line.replace(port, "8080") for line in printed]))
            print("%s: $ %s\n  expected: %s\n  printed:  %s" % (name, command, wanted, got))
    return different


def update(name, text, different):
    for command, expected, printed in different:
        before = "\n".join(["$ " + command, *expected])
        assert text.count(before) == 1, before
        text = text.replace(before, "\n".join(["$ " + command, *printed]))
    with open(os.path.join(SOURCE, name), "w", encoding="utf-8") as f:
        f.write(text)


def commands_named(text):
    """The two commands have to be there, word for word."""
    return [c for c in ("sh samples/quickstart.sh", "sh tests/run.sh") if c not in text]


def options_of_commands():
    """{command: the long forms of its options}"""
    listed = subprocess.run([CREDHOOK, "help", "--json"], stdout=subprocess.PIPE, check=True, text=True).stdout
    return {row["name"]: {"--" + option["name"] for option in row["options"]} for row in map(json.loads, listed.splitlines())}


def table_is_complete(text, options):
    return [name for name in options if "`credhook %s" % name not in text]


def unknown_options(text, options):
    """Options that a command which is named with them does not have, and those in backticks that none has."""
    every = set().union(*options.values(), {"--add-host"})  # Docker's
    for name in re.findall(r"`(--[a-z-]+)", text):
        if name not in every:
            yield name
    for name, words in re.findall(r"credhook ([a-z]+)((?: [^\n|`;&#]*)?)", text):
        for option in re.findall(r" (--[a-z-]+)", words.split(" -- ")[0]):
            if option not in options.get(name, every):
                yield "%s %s" % (name, option)


def anchors(text):
    """What a link to a part of the text may name: its headings, as GitHub makes anchors of them."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in re.findall(r"^#+ (.*)$", text, re.M)}


def dead_links(name, text, read):
    """Links that lead nowhere: to no file, or to no heading of a file that `read` knows."""
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, part = link.partition("#")
        target = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
        if "://" not in link and (not os.path.exists(os.path.join(SOURCE, target)) or part and part not in anchors(read[target])):
            yield link


def hung(name, steps, out):
    """Says where it was when it did not go on, with what had been printed there."""
    at = max(int(path.split(".")[0]) for path in os.listdir(out))
    with open(os.path.join(out, str(at)), encoding="utf-8") as f:
        print("%s: does not go on at: %s\n%s" % (name, steps[at][0], f.read()))
    return 1


def run_file(name, text):
    """How many differences there are between what the file says and what its commands print, and how many commands."""
    steps = console_blocks(text)
    with tempfile.TemporaryDirectory() as folder:
        for part in "bin", "out", "home", "here":
            os.mkdir(os.path.join(folder, part))
        os.symlink(CREDHOOK, folder + "/bin/credhook")
        os.symlink(os.path.join(SOURCE, "samples"), folder + "/here/samples")
        environment = {"PATH": folder + "/bin:" + os.environ["PATH"], "HOME": folder + "/home", "COLUMNS": "120",
                       "LC_ALL": "C.UTF-8"}
        port = str(free_port())
        try:
            subprocess.run(["bash", "-c", script(steps, port, folder + "/out")], cwd=folder + "/here",
                           env=environment, timeout=600, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        except subprocess.TimeoutExpired:
            return hung(name, steps, folder + "/out"), len(steps)
        different = check(name, steps, port, folder + "/out")
    if different and "--update" in sys.argv:
        update(name, text, different)
    print("%d commands of %s run" % (len(steps), name))
    return len(different), len(steps)


def self_test(options):
    assert list(dead_links("README.md", "[a](LICENSE) [b](none) [c](#b-1) [d](#c) ![](https://x.example/#y)\n## B: 1\n",
                           {"README.md": "## B: 1\n```\n# C\n```\n"})) == ["none", "#c"]
    unknown = list(unknown_options("`--a` $ credhook send x --to :1 --b -- sh --c | cat --d\n`credhook validate --to`", options))
    assert unknown == ["--a", "send --b", "validate --to"], unknown


def check_options(options):
    for name in [*FILES, ".github/CHANGELOG.md", ".github/SECURITY.md"]:
        with open(os.path.join(SOURCE, name), encoding="utf-8") as f:
            yield from (f"{name}: no such option: {option}" for option in unknown_options(f.read(), options))


def check_file(name, most, texts):
    """One of FILES: its links, its length, and its commands."""
    for link in dead_links(name, texts[name], texts):
        yield f"a link leads nowhere: {link}"
    if most and texts[name].count("\n") > most:
        yield f"{texts[name].count(chr(10))} lines, {most} at most"
    different, count = run_file(name, texts[name])
    if different:
        yield f"{different} commands print something else"
    if count < 10:
        yield "where are its commands?"


def checks():
    texts = {}
    for name in FILES:
        with open(os.path.join(SOURCE, name), encoding="utf-8") as f:
            texts[name] = f.read()
    options = options_of_commands()
    yield "self-test", self_test(options)
    yield "README.md names all commands", commands_named(texts["README.md"]) + table_is_complete(texts["README.md"], options)
    yield "check_options", check_options(options)
    for name, most in FILES.items():
        yield name, check_file(name, most, texts)


if __name__ == "__main__":
    run(checks())

#!/usr/bin/python3
"""What a child process printed is bytes of a listener: the secrets of requests are masked in it by one file, before anybody
sees it. Who else reads it is named here, with what becomes of it."""

import re
import tempfile
from pathlib import Path

from house import SOURCE, run
from tree import make, sources, without_noise

# What hands out what a child wrote -> the files that may use it.
READERS = {
    "child_output_append": {"base/child_output.c", "base/child_output.h", "probe/play/printed.c"},
    # Of a pipe it is read; the owner of the thread that does gives it to child_output_read().
    "pipe_fd": {"base/child.c", "base/child.h", "base/child_output.c", "base/child_output.h", "probe/play/listener_process.c",
                "cmd/probe/observe.c",  # masks it
                "ui/help.c"},           # writes
    "errors_fd": {"base/child.c", "base/child.h", "cmd/probe/observe.c"},
}


def check_readers(root):
    problems = []
    for path, _ in sources(root):
        name = str(path.relative_to(root / "src"))
        words = set(re.findall(r"\b\w+\b", without_noise(path.read_text(encoding="utf-8"))))
        problems += [f"src/{name}: {word} is what a child printed, unmasked: use probe/play/printed.h"
                     for word in sorted(words & READERS.keys()) if name not in READERS[word]]
    return problems


def self_test(folder):
    make(folder, {"src/probe/play/printed.c": "int f = child_output_append();\n", "src/cmd/a.c": "/* pipe_fd */\n",
                  "src/cmd/b.c": "int f = child_output_append();\n", "src/probe/c.c": "int g = child.errors_fd;\n"})
    found = check_readers(folder)
    assert [problem.split(":")[0] for problem in found] == ["src/cmd/b.c", "src/probe/c.c"], found


def checks():
    with tempfile.TemporaryDirectory(prefix="credhook-house.") as folder:
        yield "self-test", self_test(Path(folder))
    yield "check_readers", check_readers(SOURCE)


if __name__ == "__main__":
    run(checks())

#!/usr/bin/python3
"""tests/tools/changed.py names the tests that a change asks for: its table is held to the tree, and what it prints to a
tree of its own. SOURCE is the project folder."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from house import SOURCE, run

sys.path.insert(0, str(SOURCE / "tests/tools"))

import changed  # noqa: E402 pylint: disable=wrong-import-position


def check_table():
    """A row that matches no source, a word that begins no script, a script that no row names."""
    sources = [path.relative_to(SOURCE).as_posix() for path in SOURCE.glob("src/**/*.[ch]")]
    scripts = [f"e2e/{path.name[:-8]}" for path in SOURCE.glob("tests/e2e/*_test.py")]
    for where, words in changed.AREAS.items():
        for part in where.split("|") if "(" not in where else [where]:
            if not any(re.match(f"src/{part}", source) for source in sources):
                yield f"AREAS: no source matches '{part}'"
        for word in re.sub(r"\((.*?)\)", "", words).split("|"):
            if not any(script.startswith(f"e2e/{word}") for script in scripts):
                yield f"AREAS: no script of tests/e2e begins with '{word}'"
    areas = {changed.area_of(source) for source in sources}
    for script in scripts:
        if script != "e2e/support" and not any(re.match(area, script) for area in areas):
            yield f"AREAS: no row names {script}; add a word for it where its sources are"


TREE = {
    "src/receive/committer.c": "", "src/base/text.c": "", "src/README.md": "", "man/credhook.1": "", "README.md": "",
    "tests/unit/receive/committer_test.c": "", "tests/unit/base/text_test.c": "", "tests/fuzz/json/located_fuzz.c": "",
    "tests/fuzz/corpus/located/a": "", "tests/cli/version/session": "",
    "tests/e2e/support.py": "", "tests/e2e/reports.py": "from support import run\n",
    "tests/e2e/page_test.py": "import reports\n", "tests/e2e/show_test.py": "from support import run\n",
}
NAMES = ["unit/receive/committer", "unit/base/text", "fuzz/located", "cli/version", "cli/events-table", "e2e/listen_end",
         "e2e/redact", "e2e/page", "e2e/show", "e2e/examples"]
# what is changed, the programs that are linked after it, the tests of NAMES that are asked
CASES = [
    (["src/receive/committer.c"], ["unit_receive_committer"],
     ["unit/receive/committer", "cli/version", "cli/events-table", "e2e/listen_end", "e2e/examples"]),
    (["tests/unit/base/text_test.c"], ["unit_base"], ["unit/base/text"]),
    (["tests/fuzz/corpus/located/a", "README.md"], [], ["fuzz/located", "e2e/examples"]),
    (["tests/cli/version/session"], [], ["cli/version"]),
    (["tests/e2e/reports.py"], [], ["e2e/page"]),
    (["tests/e2e/support.py"], [], ["e2e/page", "e2e/show"]),
    (["tests/e2e/redact_test.py"], [], ["e2e/redact"]),  # a new one
    (["LICENSE", "src/README.md"], [], []),
    ([], [], None),
]


def asked(paths, linked):
    """The tests of NAMES that are asked after a change of these paths, and the exit code."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path, text in TREE.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        (folder / "tests/tools").mkdir()
        shutil.copy(SOURCE / "tests/tools/changed.py", folder / "tests/tools")
        (folder / ".gitignore").write_text("/build\n")
        git = ["git", "-C", folder, "-c", "user.name=A", "-c", "user.email=a@example.com"]
        for words in ["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"]:
            subprocess.run([*git, *words], check=True)
        (folder / "build/tests").mkdir(parents=True)
        for program in "unit_receive_committer", "unit_base", "fuzz_located":
            (folder / "build/tests" / program).touch()
            os.utime(folder / "build/tests" / program, (1000, 1000))
        for path in paths:
            (folder / path).write_text("changed\n" + TREE.get(path, ""))
            os.utime(folder / path, (2000, 2000))
        for program in linked:
            os.utime(folder / "build/tests" / program, (2001, 2001))
        done = subprocess.run([sys.executable, folder / "tests/tools/changed.py", folder / "build"], capture_output=True,
                              text=True, timeout=60, check=False)
        if not paths:
            return None if done.returncode == 2 and "nothing differs from HEAD" in done.stderr else done
        if done.returncode != 0 or done.stderr:
            return done
        return [name for name in NAMES if done.stdout and re.search(done.stdout.strip(), name)]


def check_cases():
    for paths, linked, expected in CASES:
        seen = asked(paths, linked)
        if seen != expected:
            yield f"after a change of {paths}: {seen}, expected {expected}"


def checks():
    yield "check_table", check_table()
    yield "check_cases", check_cases()


if __name__ == "__main__":
    run(checks())

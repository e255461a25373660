#!/usr/bin/python3
"""tests/tools/changed.py names the tests that a change asks for: their labels are held to the tree, and what it prints to a
tree of its own. SOURCE is the project folder."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from house import SOURCE, build_folder, run

sys.path.insert(0, str(SOURCE / "tests/tools"))

import changed  # noqa: E402 pylint: disable=wrong-import-position


def check_labels(rooms, scripts):
    """A label that is no room, and a room that no script looks at. scripts: {name: labels}."""
    for name, labels in scripts.items():
        for label in sorted(labels - rooms - {"all", "none"}):
            yield f"{name}: there is no src/{label}; its line '# rooms:' has folders of src/"
    for room in sorted(rooms - set().union(*scripts.values())):
        yield f"src/{room}: no script of tests/e2e has it in its line '# rooms:'"


def check_tree():
    """The scripts as CTest has them: what their lines say has arrived there. It is asked elsewhere, for it begins a new
    LastTest.log even when it only lists, and the one of the build folder is that of the run that this is part of."""
    rooms = {path.relative_to(SOURCE / "src").as_posix() for where in ("src", "src/cmd") for path in (SOURCE / where).iterdir()
             if path.is_dir()}
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "CTestTestfile.cmake").write_text(f'include("{build_folder()}/tests/CTestTestfile.cmake")\n')
        tests = changed.tests_of(name)
    scripts = {name: set(properties["LABELS"]) - {"e2e", "sanitized"} for name, (_, properties) in tests.items()
               if name.startswith("e2e/")}
    yield from check_labels(rooms, scripts)


def self_test():
    seen = list(check_labels({"base", "cmd", "cmd/send"}, {"e2e/a": {"base", "bse"}, "e2e/b": {"all"}, "e2e/c": {"cmd"}}))
    assert [line.split(":")[0] for line in seen] == ["e2e/a", "src/cmd/send"], seen


TREE = {
    "src/receive/committer.c": "", "src/cmd/send/run.c": "", "src/cmd/commands.c": "", "src/base/text.c": "",
    "src/README.md": "", "man/credhook.1": "", "README.md": "",
    "tests/unit/receive/committer_test.c": "", "tests/unit/base/text_test.c": "", "tests/fuzz/json/located_fuzz.c": "",
    "tests/fuzz/corpus/located/a": "", "tests/cli/version/session": "",
    "tests/e2e/support.py": "", "tests/e2e/reports.py": "from support import run\n",
    "tests/e2e/page_test.py": "import reports\n", "tests/e2e/show_test.py": "from support import run\n",
}
# the tests, their programs (that of unit/json/edit is not built) and rooms
TESTS = {
    "unit/receive/committer": ("unit_receive_committer", "receive"), "unit/base/text": ("unit_base", "base"),
    "fuzz/located": ("fuzz_located", "json"), "cli/version": ("", ""), "cli/events-table": ("", ""),
    "e2e/listen_end": ("", "receive"), "e2e/redact": ("", "redact"), "e2e/page": ("", "base"), "e2e/show": ("", "cmd/show"),
    "e2e/send": ("", "cmd/send"), "e2e/help": ("", "cmd"), "e2e/examples": ("", "all"),
    "unit/json/edit": ("unit_json", "json"),
}
# what is changed, the programs that are linked after it, the tests that are asked
CASES = [
    (["src/receive/committer.c"], ["unit_receive_committer"],
     ["unit/receive/committer", "cli/version", "cli/events-table", "e2e/listen_end", "e2e/examples"]),
    (["src/cmd/send/run.c"], [], ["cli/version", "cli/events-table", "e2e/send", "e2e/help", "e2e/examples"]),
    (["src/cmd/commands.c"], [], ["cli/version", "cli/events-table", "e2e/help", "e2e/examples"]),
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
    """Those of TESTS that are asked after a change of these paths, and the exit code."""
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
        (folder / "build/CTestTestfile.cmake").write_text("".join(
            f'add_test("{name}" "{folder}/build/tests/{program}")\n'
            f'set_tests_properties("{name}" PROPERTIES LABELS "{room};{name.split("/")[0]}")\n'
            for name, (program, room) in TESTS.items()))
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
        return [name for name in TESTS if done.stdout and re.search(done.stdout.strip(), name)]


def check_cases():
    for paths, linked, expected in CASES:
        seen = asked(paths, linked)
        if seen != expected:
            yield f"after a change of {paths}: {seen}, expected {expected}"


def checks():
    yield "self_test", self_test()
    if build_folder():
        yield "check_tree", check_tree()
    yield "check_cases", check_cases()


if __name__ == "__main__":
    run(checks())

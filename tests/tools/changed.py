#!/usr/bin/python3
"""Which tests a change asks for, beside those of tests/house: python3 tests/tools/changed.py BUILD [REVISION]

Changed is what differs from the point where REVISION (HEAD) was left, and what git does not have yet. Printed is a regular
expression for ctest -R: the programs of unit/ and fuzz/ that were linked since the change, what was changed itself, and
for sources all of cli/ (seconds) and what has their room as a label (tests/CMakeLists.txt). This is for a quick round; the
whole suite sees more.
"""

import json
import re
import subprocess
import sys
from pathlib import Path, PurePath

ROOT = Path(__file__).resolve().parents[2]


def tests_of(build):
    """{name: (command, properties)} as CTest has them in a build folder. What is not built has no command ([])."""
    text = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], stdout=subprocess.PIPE, check=True).stdout
    return {test["name"]: (test.get("command", []), {row["name"]: row["value"] for row in test["properties"]})
            for test in json.loads(text)["tests"]}


def seen_by(path, tests):
    """The names of the tests with a label of a source: its folders, of which cmd/ has some in it."""
    labels = {"all", *map(str, PurePath(path).relative_to("src").parents)}
    return {name for name, (_, properties) in tests.items() if labels & set(properties["LABELS"])}


def users_of(helper):
    """The scripts that import a module of tests/e2e, or one that does."""
    users, left = set(), [helper]
    while left:
        name = left.pop()
        found = {path.stem for path in (ROOT / "tests/e2e").glob("*.py")
                 if re.search(rf"^\s*(from|import) {name}\b", path.read_text(), re.MULTILINE)}
        left += found - users
        users |= found
    return {f"e2e/{name[:-5]}" for name in users if name.endswith("_test")}


def asked_by(path, tests):
    """Regular expressions for the tests that a changed path asks for."""
    if found := re.match(r"tests/cli/([^/]+)/", path):
        return {f"cli/{found[1]}"}
    if found := re.fullmatch(r"tests/e2e/(\w+)\.py", path):
        return {f"e2e/{found[1][:-5]}"} if found[1].endswith("_test") else users_of(found[1])
    if found := re.match(r"tests/fuzz/corpus/(\w+)/", path):
        return {f"fuzz/{found[1]}"}
    if path.startswith("src/") and not path.endswith(".md"):
        return {"cli/.*"} | seen_by(path, tests)
    return {words for where, words in {"man/|README|samples/": "e2e/examples", "completions/": "e2e/completion.*",
                                       "tests/schema/": "e2e/output_schemas"}.items() if re.match(where, path)}


def linked_since(tests, when):
    """The names of the tests whose programs are not older."""
    return {name for name, (command, _) in tests.items()
            if name.startswith(("unit/", "fuzz/")) and command and Path(command[0]).stat().st_mtime >= when}


def changed_since(revision):
    """The paths that differ from where a revision was left, with those that are new."""

    def git(*words):
        done = subprocess.run(["git", "-C", ROOT, *words], stdout=subprocess.PIPE, text=True, check=False)
        return done.stdout if done.returncode == 0 else sys.exit(2)

    base = git("merge-base", revision, "HEAD").strip()
    return sorted(filter(None, (git("diff", "--name-only", "-z", base) + git("ls-files", "-oz", "--exclude-standard")).split("\0")))


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    build, revision = Path(sys.argv[1]), (sys.argv[2:] or ["HEAD"])[0]
    paths = changed_since(revision)
    if not paths:
        print(f"nothing differs from {revision}; name what to compare with: --changed=HEAD~1", file=sys.stderr)
        sys.exit(2)
    # What is gone has no time: then every program is asked.
    times = [(ROOT / path).stat().st_mtime if (ROOT / path).exists() else 0 for path in paths if path.endswith((".c", ".h"))]
    tests = tests_of(build)
    asked = set().union(*(asked_by(path, tests) for path in paths), linked_since(tests, min(times)) if times else ())
    if asked:
        print(f"^({'|'.join(sorted(asked))})$")


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""Which tests a change asks for, beside those of tests/house: python3 tests/tools/changed.py BUILD [REVISION]

Changed is what differs from the point where REVISION (HEAD) was left, and what git does not have yet. Printed is a regular
expression for ctest -R: the programs of unit/ and fuzz/ that were linked since the change, what was changed itself, and
for sources all of cli/ (seconds) and the scripts of e2e/ that AREAS names. tests/house/changed_test.py holds AREAS to the
tree. This is for a quick round; the whole suite sees more.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# paths below src/ (all rows that match): what the names of their scripts begin with. The rest of cmd/ is seen by cli/.
AREAS = {
    "": "examples|output_schemas",
    "base/": "fake_time|guard|large_input|listen_command|listen_durable|no_memory|shell_script|show|signals",
    "capture/": "convert|cut|exports|format|interrupt|journal|listen_(capture|durable|lost)|replay|select|show",
    "capture/replace|base/file": "durable|outputs|replaced_files",
    "capture/writer|deliver/journal": "durable",
    "catalog/|schema/|cmd/schema": "completion_bash|schema|second_opinion|whole_path",
    "cmd/(list/|show/show)": "listen_screen|shell|show",
    "cmd/(args/kinds|completion|words/complete)|cmd/shell/shell_complete": "completion|shell_screen",
    "cmd/(args/route|config)|config/": "curl|guard|secrets|send_routes",
    "cmd/show/convert|redact/": "convert|distinct|page|redact|replay_redacted",
    "base/shell_text|cmd/words/curl": "curl",
    "base/mend|capture/|json/|payload/": "hints",
    "cmd/|catalog/passages": "hint_lines",
    "cmd/(args/expectations|args/receive|listen/|words/receive)|receive/": "listen|one_receiver|shell_script",
    "cmd/(args/make|send/)|deliver/": "compare|cut|damaged|delivery|failed_only|guard|journal|pipe|progress|re(play|sults|sume|try)|select|send|summary",
    "cmd/(args/kinds|args/typed_word|words/misplaced|words/option_match|words/unknown_)|ui/options|base/(file|quoted)": "mistakes|secret_words",
    "cmd/(args/selection|args/distinct|args/where|words/notes)": "arguments|distinct|formats|listen_expect|replay|select|show",
    "base/child|cmd/probe/|probe/": "effects|own_listener|right_listeners",
    "cause/|cmd/probe/|probe/": "probe",
    "capture/|cause/|cmd/(list/|show/|words/why)|redact/": "causes",
    "cmd/args/report_files|cmd/.*(cases|page)|report/": "delivery_cases|no_memory|outputs|page|validate_reports",
    "cmd/shell/": "shell",
    "cmd/validate/|json/|payload/": "large_input|second_opinion|validate",
    "http/": "curl|delivery_advice|ipv6_loopback|listen_(admission|forward|http|proxy|responses)|page_responses|probe|secrets|send",
    "ui/": "completion_bash|help|listen_output|no_memory|progress|shell_screen|terminal",
}


def area_of(path):
    """A regular expression for the scripts of a source, whose path begins with src/."""
    rows = [words for where, words in AREAS.items() if re.match(f"src/({where})", path)]
    return f"e2e/({'|'.join(rows)})"


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


def asked_by(path):
    """Regular expressions for the tests that a changed path asks for."""
    if found := re.match(r"tests/cli/([^/]+)/", path):
        return {f"cli/{found[1]}"}
    if found := re.fullmatch(r"tests/e2e/(\w+)\.py", path):
        return {f"e2e/{found[1][:-5]}"} if found[1].endswith("_test") else users_of(found[1])
    if found := re.match(r"tests/fuzz/corpus/(\w+)/", path):
        return {f"fuzz/{found[1]}"}
    if path.startswith("src/") and not path.endswith(".md"):
        return {"cli/.*", area_of(path) + ".*"}
    return {words for where, words in {"man/|README|samples/": "e2e/examples", "completions/": "e2e/completion.*",
                                       "tests/schema/": "e2e/output_schemas"}.items() if re.match(where, path)}


def linked_since(build, when):
    """The names of the programs in a build folder that are not older."""
    for path in sorted((ROOT / "tests").glob("unit/*/*_test.c")) + sorted((ROOT / "tests").glob("fuzz/*/*_fuzz.c")):
        kind, room, name = path.parts[-3], path.parts[-2], path.stem[:-5]
        # A room's unit tests are one program, but for some.
        programs, test = ([f"unit_{room}_{name}", f"unit_{room}"], f"unit/{room}/{name}") if kind == "unit" else ([f"fuzz_{name}"], f"fuzz/{name}")
        program = next((build / "tests" / one for one in programs if (build / "tests" / one).exists()), None)
        if program and program.stat().st_mtime >= when:
            yield test


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
    asked = set().union(*map(asked_by, paths)) | set(linked_since(build, min(times)) if times else ())
    if asked:
        print(f"^({'|'.join(sorted(asked))})$")


if __name__ == "__main__":
    main()

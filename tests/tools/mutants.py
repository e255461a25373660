#!/usr/bin/python3
"""How much the tests notice: plants faults in src/ one by one, and counts those that make a test fail.

    python3 tests/tools/mutants.py BUILD --seed S --count N [--room ROOM,...] [--seconds S]

A fault is a comparison turned, a bound or a statement dropped, an argument swapped, a constant halved or doubled. Its
place is chosen by the seed among the lines that the suite runs; other lines that change do not move it. Faults that do
not compile (with the compiler and the options of BUILD: warnings count where they are errors there), or of which the
compiler makes the same object, are not planted. Those tests are run that run the line, the units first, then the scripts
with the room as a label, until one fails or hangs, or their usual times add up to --seconds (240): how many are not asked for
that is said. One that fails is asked again, and a script must pass without the fault. What no test has noticed is listed
at the end.

All happens in a copy of the tree, in BUILD/mutants. There, lines.json says which test runs which lines, as measured once
with gcc's counters (some minutes), and how long it takes without them; and again for a test that changes. Remove it to
measure all anew.
Nothing is left of a fault when it ends, nor with Ctrl-C. A survivor is a test that is missing, or code that need not be.
"""

import argparse
import difflib
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from pathlib import Path

from changed import seen_by, tests_of

ROOT = Path(__file__).resolve().parents[2]
JOBS = os.cpu_count() or 1
PROGRAMS = "unit/", "fuzz/"
FORM = 2  # of lines.json
TURNED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "true": "false", "false": "true"}
# Dropped, a declaration does not compile, and a release is a leak, which is the sanitizers' to see.
UNSEEN = re.compile(r"(const|static|struct|enum|union|unsigned|char|bool|void|double|size_t|u?int\w*) |case |"
                    r"free\(|\w+_release\(")


# Which tests run which lines


def quiet(*command, **more):
    """Whether a command did well; without its output."""
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, **more).returncode == 0


def build(folder, *targets):
    """Whether these targets were built, or all."""
    which = [word for target in targets for word in ("--target", target)]
    return quiet("cmake", "--build", folder, "-j", str(JOBS), *which)


def configure(folder, tree, *options):
    """A build of the tree in the folder, or the end."""
    if not (quiet("cmake", "-S", tree, "-B", folder, "-DCREDHOOK_TESTS=ON", *options) and build(folder)):
        sys.exit(f"{folder}: does not build")


def copy_tree(tree):
    """What git knows or would add, into another folder; what has not changed keeps its time."""
    names = subprocess.run(["git", "-C", ROOT, "ls-files", "-coz", "--exclude-standard"], stdout=subprocess.PIPE, text=True,
                           check=True).stdout.split("\0")
    names = {name for name in names if name and (ROOT / name).is_file()}
    for path in [path for path in tree.rglob("*") if path.is_file() and str(path.relative_to(tree)) not in names]:
        path.unlink()
    for name in names:
        source, copy = ROOT / name, tree / name
        if not copy.exists() or copy.read_bytes() != source.read_bytes():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, copy)


def list_tests(folder):
    """{name: (command, environment)} as ctest has them."""
    return {name: (command, dict(line.split("=", 1) for line in properties.get("ENVIRONMENT", [])))
            for name, (command, properties) in tests_of(folder).items()}


def key_of(tree, name, command):
    """Changes when the test does: its script, case, corpus or source."""
    path = tree / f"tests/{name}_test.c" if name.startswith("unit/") else Path(command[-1])
    files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
    return hashlib.sha1(b"".join(file.read_bytes() for file in files)).hexdigest()


def lines_run(tree, coverage, counters):
    """{file of src/: lines} that the counters in a folder say were run."""
    found = defaultdict(set)
    objects = list(counters.rglob("*.gcda"))
    for path in objects:
        notes = (Path("/") / path.relative_to(counters)).with_suffix(".gcno")
        if notes.exists():
            path.with_suffix(".gcno").symlink_to(notes)
    if not objects:
        return {}
    text = subprocess.run(["gcov", "-jt", *objects], cwd=coverage, capture_output=True, check=False).stdout
    for report in map(json.loads, text.splitlines()):
        for file in report["files"]:
            path = Path(os.path.normpath(Path(report["current_working_directory"], file["file"])))
            if tree / "src" in path.parents and path.suffix == ".c":
                found[str(path.relative_to(tree))] |= {line["line_number"] for line in file["lines"] if line["count"]}
    return {name: sorted(lines) for name, lines in found.items()}


def measure(tree, coverage, names, plain):
    """{name: the lines that a test runs, its seconds in the build that faults are planted in, its key}"""
    configure(coverage, tree, "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_COMPILER=gcc",
              "-DCMAKE_C_FLAGS=-O1 --coverage -fprofile-update=atomic")
    tests = list_tests(coverage)

    def one(name):
        command, variables = tests[name]
        with tempfile.TemporaryDirectory(prefix="mutants.") as counters:
            passed = run_test(command, {**variables, "GCOV_PREFIX": counters}, 900) == "passes"
            begin = time.monotonic()
            passed = passed and run_test(*plain[name], 900) == "passes"
            seconds = round(time.monotonic() - begin, 2)
            if not passed:
                print(f"{name} fails without a fault: it is not asked", file=sys.stderr)
            return {"seconds": seconds, "key": key_of(tree, name, command) if passed else None,
                    "lines": lines_run(tree, coverage, Path(counters)) if passed else {}}

    return dict(zip(names, in_parallel(one, names)))


def line_map(before, after):
    """{line: line}, of the lines that stayed."""
    blocks = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), False).get_matching_blocks()
    return {block.a + i + 1: block.b + i + 1 for block in blocks for i in range(block.size)}


def measured_tests(tree, work, tests):
    """{name: seconds} and {(file, line): names} of the tests, for the tree as it is now. What was measured counts lines of
    the sources as they were when it began: a new or changed test is measured when it is met, a changed line is left out."""
    cache = work / "lines.json"
    sources = {str(path.relative_to(tree)): path.read_text() for path in tree.glob("src/**/*.c")}
    data = json.loads(cache.read_text()) if cache.exists() else {}
    if data.get("form") != FORM:
        data = {"form": FORM, "sources": sources, "tests": {}}
    moved = {name: line_map(data["sources"].get(name, ""), text) for name, text in sources.items()}
    changed = [name for name, (command, _) in tests.items()
               if data["tests"].get(name, {}).get("key") != key_of(tree, name, command)]
    if changed:
        print(f"measuring which lines {len(changed)} tests run; this is done once", file=sys.stderr)
        for name, test in measure(tree, work / "coverage", changed, tests).items():
            for file, lines in test["lines"].items():
                back = {now: before for before, now in moved[file].items()}
                test["lines"][file] = [back[line] for line in lines if line in back]
            data["tests"][name] = test
        cache.write_text(json.dumps(data))
    found = defaultdict(set)
    for name in tests:
        for file, lines in data["tests"][name]["lines"].items():
            for line in lines:
                if line in moved.get(file, {}):
                    found[file, moved[file][line]].add(name)
    return {name: data["tests"][name]["seconds"] for name in tests}, found


# Faults


def masked(text):
    """The text without what stands in comments, literals and directives: the same length, the same lines."""
    literal = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|^[ \t]*#(?:\\\n|[^\n])*'
    return re.sub(literal, lambda found: re.sub(r"[^\n]", "_", found.group()), text, flags=re.DOTALL | re.MULTILINE)


def operands(code):
    """(begin, end, end of the operator, end of the right operand) of each && and ||."""
    tokens = list(re.finditer(r"[()\[\]{};,?]|&&|\|\|| [:=] |\breturn\b", code))

    def stop(at, step, deeper, higher):
        depth = 0
        while True:
            at += step
            sign = tokens[at].group()
            if depth == 0 and sign not in deeper:
                return tokens[at]
            depth += (sign in deeper) - (sign in higher)

    for at, token in enumerate(tokens):
        if token.group() in ("&&", "||"):
            yield stop(at, -1, ")]}", "([{").end(), token.start(), token.end(), stop(at, 1, "([{", ")]}").start()


def faults_of(text):
    """Every (kind, begin, end, replacement) for a source file."""
    code = masked(text)
    for found in re.finditer(r"(?<= )([<>=!]=|[<>])(?= )", code):
        yield "comparison", found.start(), found.end(), TURNED[found.group()]
    for begin, left, right, end in operands(code):
        begin += len(code[begin:]) - len(code[begin:].lstrip())
        yield "bound", left - 1, end, ""
        yield "bound", begin, right + 1, ""
    for found in re.finditer(r" \? ", code):  # a clamp: one of its two sides for ever
        yield "bound", found.start(), found.end(), " && false ? "
        yield "bound", found.start(), found.end(), " || true ? "
    for found in re.finditer(r"(?<=[;{}):\n_]\n)\t+([a-z_*][^;\n]*;)$", code, re.MULTILINE):
        if not UNSEEN.match(found.group(1)) and found.group().count("(") == found.group().count(")"):
            yield "statement", found.start(1), found.end(1), ";"
    for found in re.finditer(r"\b(?!(?:if|while|for|switch|return|sizeof)\b)\w+\(", code):
        if code[code.rfind("\n", 0, found.start()) + 1] != "\t":
            continue  # the head of a function
        places, depth, at = [found.end()], 1, found.end()
        while depth and at < len(code):
            depth += (code[at] in "([{") - (code[at] in ")]}")
            if (depth == 1 and code[at] == ",") or not depth:
                places.append(at + 1)
            at += 1
        for a, b, c in zip(places, places[1:], places[2:]):
            first, second = text[a:b - 1].strip(), text[b:c - 1].strip()
            if first != second and "\n" not in text[a:c]:
                yield "argument", a, c - 1, f"{second}, {first}"
    for found in re.finditer(r"(?<![\w.])(0x[0-9a-fA-F]+|\d+)([uUlL]*)(?![\w.])", code):
        number = int(found.group(1), 0) if found.group(1).startswith("0x") or found.group(1) == "0" else int(found.group(1))
        for other in {number * 2, number // 2} - {number} or {1}:
            yield "constant", found.start(), found.end(), f"{other}{found.group(2)}"
    for found in re.finditer(r"\b(true|false)\b", code):
        yield "constant", found.start(), found.end(), TURNED[found.group()]
    for found in re.finditer(r"(?<=[<>=] )(?<!\w = )(?<![=!]= )([A-Z][A-Z0-9_]{2,})\b", code):  # a bound with a name
        yield "constant", found.start(), found.end(), f"({found.group()} * 2)"
        yield "constant", found.start(), found.end(), f"({found.group()} / 2)"


def choose(tree, runs, seed, rooms):
    """Faults without end: each kind in turn, in the order of a hash of seed, line and fault."""
    kinds = defaultdict(list)
    for path in sorted(tree.glob("src/**/*.c")):
        name = str(path.relative_to(tree))
        if rooms and path.relative_to(tree / "src").parts[0] not in rooms:
            continue
        text, seen = path.read_text(), defaultdict(int)
        for kind, begin, end, instead in faults_of(text):
            line = text.count("\n", 0, begin) + 1
            if (name, line) not in runs:
                continue
            what = name, text.split("\n")[line - 1].strip(), kind, text[begin:end], instead
            seen[what] += 1
            order = hashlib.sha1(repr((seed, what, seen[what])).encode()).hexdigest()
            kinds[kind].append((order, name, line, begin, end, instead))
    for row in zip_longest(*map(sorted, kinds.values())):
        yield from ((kind, *fault[1:]) for kind, fault in zip(kinds, row) if fault)


# Planting them


running, stopping = set(), threading.Event()


def run_test(command, variables, limit):
    """"passes", "fails" or "hangs": a test in a session of its own. One that is stopped for another's failure passes."""
    memory = "" if variables.get("SANITIZE") else "ulimit -v 8000000; "  # an endless list ends here
    with subprocess.Popen(["sh", "-c", f'ulimit -c 0; {memory}exec "$@"', "sh", *command], env={**os.environ, **variables},
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          start_new_session=True) as process:
        running.add(process)
        if stopping.is_set():
            end_session(process)
        try:
            return "passes" if process.wait(limit) == 0 or stopping.is_set() else "fails"
        except subprocess.TimeoutExpired:
            return "passes" if stopping.is_set() else "hangs"
        finally:
            running.discard(process)
            end_session(process)


def end_session(process):
    """Ends a test, if it still runs, and what it has left in its session."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def stop():
    """Ends the tests that run, and starts no more."""
    stopping.set()
    for process in list(running):
        end_session(process)


def end_left():
    """Ends what tests have left behind in sessions of their own: what has our folder for temporary files."""
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"\0TMPDIR={tempfile.tempdir}\0".encode() in b"\0" + path.read_bytes():
                os.kill(int(path.parent.name), signal.SIGKILL)
        except OSError:
            pass


def in_parallel(function, names):
    """What the function returns for each name, JOBS at a time; an interrupt ends the tests that run."""
    stopping.clear()
    with ThreadPoolExecutor(JOBS) as pool:
        try:
            return list(pool.map(function, names))
        except BaseException:
            stop()
            raise
        finally:
            end_left()


def compiled(folder, source, into):
    """The object that the build's own compiler makes of a source, or None."""
    for row in json.loads((folder / "compile_commands.json").read_text()):
        if row["file"] == str(source):
            words = shlex.split(row["command"])
            words[words.index("-o") + 1] = str(into)
            return into.read_bytes() if quiet(*words, cwd=row["directory"]) else None
    return None


def first_failing(folder, names, tests, usual):
    """The first of the tests that fails twice, or hangs, if any, and a script not without the fault: the machine may be
    busy."""
    failed = []

    def one(name):
        command, variables = tests[name]
        limit = 30 + 5 * usual[name]
        whole = {**variables, "CREDHOOK": str(folder / "credhook.whole")}
        first = "passes" if stopping.is_set() else run_test(command, variables, limit)
        if (first != "passes" and (name.startswith(PROGRAMS) or run_test(command, whole, limit) == "passes")
                and (first == "hangs" or run_test(command, variables, limit) != "passes")):
            failed.append(name)
            stop()

    in_parallel(one, names)
    return failed[0] if failed else None


def plant(folder, tree, tests, usual, fault, names):
    """The name of the test that notices a fault, "" if none does, or None if it is not one."""
    _, name, _, begin, end, instead = fault
    path = tree / name
    text = path.read_text()
    scratch = folder / "scratch.o"
    whole = compiled(folder, path, scratch)
    try:
        path.write_text(text[:begin] + instead + text[end:])
        other = compiled(folder, path, scratch)
        if not other or other == whole:
            return None
        programs = {Path(tests[test][0][0]).name for test in names if test.startswith(PROGRAMS)}
        if not build(folder, "credhook", *sorted(programs)):
            return None
        return first_failing(folder, names, tests, usual) or ""
    finally:
        path.write_text(text)


def order(names, near, usual, most):
    """The tests to run for a fault: programs first, then those that see its room, then others; of each the quick ones
    first, and as many as take `most` seconds."""
    chosen, seconds = [], 0
    for name in sorted(names, key=lambda name: (not name.startswith(PROGRAMS), not is_near(name, near), usual[name])):
        seconds += usual[name]
        if seconds <= most:
            chosen.append(name)
    return chosen


def is_near(name, near):
    """Whether tests/run.sh --changed asks this test, too."""
    return name.startswith((*PROGRAMS, "cli/", "house/")) or name in near


def plant_all(args, scratch):
    """Prints a line for each fault; how many were planted, and a line for each that no test noticed."""
    cache = (args.build / "CMakeCache.txt").read_text()
    wanted = r"(?:CMAKE_BUILD_TYPE|CMAKE_C_COMPILER|CMAKE_C_FLAGS|CREDHOOK_WERROR|CREDHOOK_SANITIZE)(?::\w+)?=.*"
    options = ["-D" + line for line in cache.splitlines() if re.fullmatch(wanted, line)]
    options += ["-G", re.search("^CMAKE_GENERATOR:INTERNAL=(.*)$", cache, re.MULTILINE).group(1)]
    work = args.build.resolve() / "mutants"
    tree, folder = work / "tree", work / "build"
    tree.mkdir(parents=True, exist_ok=True)
    os.environ["TMPDIR"] = tempfile.tempdir = scratch
    copy_tree(tree)
    configure(folder, tree, *options)
    shutil.copy2(folder / "credhook", folder / "credhook.whole")
    tests, labelled = list_tests(folder), tests_of(folder)
    usual, runs = measured_tests(tree, work, tests)
    begin, planted, survivors = time.monotonic(), 0, []
    try:
        for fault in choose(tree, runs, args.seed, set(filter(None, args.room.split(",")))):
            if planted == args.count:
                break
            kind, name, line, first, last, instead = fault
            near = seen_by(name, labelled)
            names = order(runs[name, line], near, usual, args.seconds)
            before = (tree / name).read_text()[first:last]
            result = plant(folder, tree, tests, usual, fault, names)
            if result is None:
                continue
            planted += 1
            spoken = f"{' '.join(before.split())} -> {' '.join(instead.split()) or 'nothing'}"
            left = len(runs[name, line]) - len(names)
            seen = f"noticed by {result}" if result else f"NOT NOTICED by {len(names)} tests"
            seen += f", {left} not asked" if left and not result else ""
            seen += "" if not result or is_near(result, near) else " (which changed.py does not name)"
            print(f"{planted:3} {name[4:]}:{line}: {kind}: {spoken}: {seen} [{time.monotonic() - begin:.0f} s]", flush=True)
            if not result:
                survivors.append(f"{name}:{line}: {kind}: {spoken}" + (f" ({left} tests not asked)" if left else ""))
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    return planted, survivors


def main():
    parser = argparse.ArgumentParser(description="Plants faults in a copy of the tree, and counts those that tests notice.")
    parser.add_argument("build", type=Path, metavar="BUILD", help="a configured build folder, whose options are used")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, required=True, help="how many faults")
    parser.add_argument("--room", default="", help="only in these folders of src/, separated by commas")
    parser.add_argument("--seconds", type=float, default=240, help="of usual time for the tests of a fault (240)")
    args = parser.parse_args()
    if not (args.build / "CMakeCache.txt").exists():
        parser.error(f"'{args.build}' is not a build folder")
    for number in signal.SIGINT, signal.SIGTERM:  # also where a shell without job control has set it to be ignored
        signal.signal(number, signal.default_int_handler)
    # Under nohup the tests would have it ignored, too, and some ask for it: a handler is not inherited.
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda *_: None)
    with tempfile.TemporaryDirectory(prefix="mutants.") as scratch:
        planted, survivors = plant_all(args, scratch)
    if survivors:
        print("not noticed:", *survivors, sep="\n  ")
    if planted:
        noticed = planted - len(survivors)
        print(f"{planted} faults, {noticed} noticed ({100 * noticed // planted} %)")
    return 0 if planted == args.count else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)

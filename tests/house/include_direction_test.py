#!/usr/bin/python3
"""Holds the tree to the house rules of src/README.md: arrows point down only, and what goes with that.

Every check is a function that takes a project folder and returns its problems, one line each. They first run on small
made-up trees with a known defect each (a check that finds nothing there is broken), then on the project.

SOURCE is the project folder; CREDHOOK the binary, whose folder is the build folder; SANITIZE the sanitizers, if any.
"""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from house import SOURCE, build_folder, run
from rooms import PERMITTED, cmd_forbids, permitted_to
from tree import make, numbered, sources, without_noise

JSON_C = {"json/tree.h", "json/tree.c", "cmd/version.c"}  # so that nobody parses or prints with it
MAY_PRINT = {"ui", "cmd"}
MAY_EXIT = {"base/signals.c"}  # which ends the process by a signal
TOP_LEVEL = {"CMakeLists.txt", "README.md", "LICENSE", "src", "completions", "samples", "tests", "man"}
LONGEST_FUNCTION = 80
LONGEST_FILE = 600

PRINTS_OR_EXITS = re.compile(r"\b(v?printf|v?fprintf|v?dprintf|puts|putchar|perror|exit|_exit|abort)\s*\("
                             r"|\b(stdout|stderr)\b")


def included_rooms(root):
    """(path, line number, what stands in the quotes, room of the includer) of every #include "..."."""
    for path, room in sources(root):
        for number, line in numbered(path):
            found = re.match(r'\s*#\s*include\s*"([^"]*)"', line)
            if found:
                yield path, number, found.group(1), room


def check_includes_point_down(root):
    problems = []
    for path, number, name, room in included_rooms(root):
        where = f"{path.relative_to(root)}:{number}"
        target = name.split("/")[0]
        if "/" not in name or target not in PERMITTED or ".." in name.split("/"):
            problems.append(f'{where}: "{name}" is not written "room/file.h"')
        elif target not in permitted_to(room):
            problems.append(f"{where}: {room or 'main.c'} may not include {target}: {name}")
        elif room == target == "cmd":
            why = cmd_forbids(str(path.relative_to(root / "src")), name)
            problems += [f"{where}: {name}, {why}"] if why else []
    return problems


def check_json_c_is_in_one_place(root):
    return [
        f"{path.relative_to(root)}:{number}: json-c is for json/tree.c"
        for path, _ in sources(root)
        if str(path.relative_to(root / "src")) not in JSON_C
        for number, line in numbered(path)
        if re.match(r"\s*#\s*include\s*<json-c/", line)
    ]


def stated_rooms(text):
    """{name: rooms} of the credhook_room() calls in a CMakeLists.txt."""
    rooms = {}
    for call in re.findall(r"^credhook_room\(([^)]*)\)", re.sub(r"#[^\n]*", "", text), re.MULTILINE):
        words = call.split()
        current, below = None, set()
        for word in words[1:]:
            if word in ("SOURCES", "ROOMS", "LIBRARIES"):
                current = word
            elif current == "ROOMS":
                below.add(word)
        rooms[words[0]] = below
    return rooms


def check_cmake_states_the_same(root):
    """ROOMS of each room names what its files include, and nothing that they may not."""
    problems = []
    for folder in sorted(path for path in (root / "src").iterdir() if path.is_dir()):
        lists = folder / "CMakeLists.txt"
        where = lists.relative_to(root)
        stated = stated_rooms(lists.read_text()) if lists.exists() else {}
        if list(stated) != [folder.name]:
            problems.append(f"{where}: not exactly one credhook_room({folder.name} ...)")
            continue
        rooms = stated[folder.name]
        needed = {name.split("/")[0] for _, _, name, room in included_rooms(root) if room == folder.name}
        for room in sorted(rooms - (permitted_to(folder.name) - {folder.name})):
            problems.append(f"{where}: {folder.name} may not use {room}")
        for room in sorted((needed & set(PERMITTED)) - rooms - {folder.name}):
            problems.append(f"{where}: ROOMS lacks {room}, which a file of {folder.name} includes")
    return problems


def check_names_are_unique(root):
    """A file's name says what it holds; only each folder of cmd/ may have its run.c."""
    seen, problems = {}, []
    for path, _ in sources(root):
        first = seen.setdefault(path.name, path)
        if first != path and path.stem != "run":
            problems.append(f"{path.relative_to(root)}: {first.relative_to(root)} has that name")
    return problems


def check_src_has_these_rooms_only(root):
    problems = []
    for path in sorted((root / "src").iterdir()):
        if path.is_dir() and path.name not in PERMITTED:
            problems.append(f"src/{path.name}: no room of that name")
        if path.is_file() and path.suffix in (".c", ".h") and path.name != "main.c":
            problems.append(f"src/{path.name}: only main.c stands outside the rooms")
    return problems


def check_top_level(root):
    """What git keeps, or where there is no git, what is there; build folders are ignored by git."""
    listing = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True, check=False)
    if listing.returncode == 0 and listing.stdout:
        names = {name.split("/")[0] for name in listing.stdout.decode().split("\0") if name}
    else:
        names = {path.name for path in root.iterdir() if not path.name.startswith("build")}
    return [f"{name}: not one of the visible top level" for name in sorted(names - TOP_LEVEL) if name[0] != "."]


def check_low_rooms_neither_print_nor_exit(root):
    problems = []
    for path, room in sources(root):
        if room is None or room in MAY_PRINT:
            continue
        for number, line in enumerate(without_noise(path.read_text(encoding="utf-8")).split("\n"), 1):
            found = PRINTS_OR_EXITS.search(line)
            if found and not (found[1] == "_exit" and "/".join(path.parts[-2:]) in MAY_EXIT):
                problems.append(f"{path.relative_to(root)}:{number}: a low room uses {found.group().rstrip(' (')}")
    return problems


def check_tests_are_not_libraries(root):
    """What two tests need stands in a module, where whoever changes it sees that it is shared."""
    return [f"{path.relative_to(root)}:{number}: imports {found.group(1)}, a test"
            for path in sorted((root / "tests").rglob("*")) if path.suffix in (".py", ".sh")
            for number, line in numbered(path)
            if (found := re.match(r"\s*(?:from|import) (\w+_test)\b", line))]


def check_sizes(root):
    problems = []
    for path, room in sources(root):
        if path.suffix != ".c":
            continue
        lines = path.read_text(encoding="utf-8").splitlines()
        where = path.relative_to(root)
        if len(lines) > LONGEST_FILE and room != "catalog":  # its files are tables
            problems.append(f"{where}: {len(lines)} lines, more than {LONGEST_FILE}")
        start = None
        for number, line in enumerate(lines, 1):
            if line.rstrip() == "{":
                start = number
            elif line.startswith("}") and start is not None:
                if number - start + 1 > LONGEST_FUNCTION:
                    problems.append(f"{where}:{start}: a function of {number - start + 1} lines, "
                                    f"more than {LONGEST_FUNCTION}")
                start = None
    return problems


def variables(objects):
    """(object, symbol, section) of what is writable. Constant tables with pointers are in .data.rel.ro: they are made
    read-only once the loader has filled them in."""
    for item in objects:
        listing = subprocess.run(["nm", "--format=sysv", str(item)], capture_output=True, text=True, check=True).stdout
        for line in listing.splitlines():
            columns = [column.strip() for column in line.split("|")]
            if len(columns) != 7:
                continue
            name, section = columns[0], columns[6]
            if section.startswith(".data.rel.ro") or name.startswith("__"):
                continue
            if re.match(r"\.(data|bss|tdata|tbss)\b|\*COM\*", section):
                yield item, name, section


def check_no_variables(build):
    objects = sorted(build.rglob("libcredhook_*.a")) + sorted(build.rglob("credhook.dir/**/*.o"))
    if not objects:
        return [f"{build}: no libcredhook_*.a to look into"]
    return [f"{item.relative_to(build)}: {name} is a variable that outlives its function ({section})"
            for item, name, section in variables(objects)]


TREE_CHECKS = [
    check_includes_point_down,
    check_json_c_is_in_one_place,
    check_cmake_states_the_same,
    check_names_are_unique,
    check_src_has_these_rooms_only,
    check_top_level,
    check_low_rooms_neither_print_nor_exit,
    check_tests_are_not_libraries,
    check_sizes,
]

# A tree that is as it should be; then what is put into it for a check to find: (check, path, text, in the problem).
SOUND = {
    "CMakeLists.txt": "",
    ".hidden": "",
    "src/README.md": "",
    "src/main.c": '#include "cmd/cmd.h"\n#include "base/error.h"\nint main(void)\n{\n\texit(puts(""));\n}\n',
    "src/base/CMakeLists.txt": "credhook_room(base\n  SOURCES a.c\n  LIBRARIES m)\n",
    "src/base/error.h": "/* printf( and exit( in a comment,\n * stderr too */\n",
    "src/base/a.c": '#include "base/error.h"\nconst char *t = "abort(";\n'
                    'int f(void)\n{\n\treturn snprintf(0, 0, "");\n}\n',
    "src/json/tree.h": "#include <json-c/json_object.h>\n",
    "src/json/CMakeLists.txt": "credhook_room(json SOURCES j.c ROOMS base LIBRARIES PkgConfig::JSONC) # ROOMS http\n",
    "src/json/j.c": '#include "base/error.h"\n',
    "src/catalog/CMakeLists.txt": "credhook_room(catalog SOURCES t.c ROOMS base)\n",
    "src/catalog/t.c": "const int t[] = {\n" + "\t1,\n" * 600 + "};\n",
    "src/payload/CMakeLists.txt": "credhook_room(payload\n  SOURCES p.c\n  ROOMS base json catalog)\n",
    "src/payload/p.c": '#include "json/print.h"\n#include "catalog/catalog.h"\n',
    "tests/e2e/a_test.py": "import a_tests\nfrom captures import record\n",
    "src/cmd/CMakeLists.txt": "credhook_room(cmd SOURCES c.c listen/l.c ROOMS base payload ui http)\n",
    "src/cmd/list/i.c": '#include "cmd/words/n.h"\n#include "cmd/cmd.h"\n',
    "src/cmd/listen/l.c": '#include "cmd/listen/l.h"\n#include "cmd/list/i.h"\n#include "http/server.h"\nint f(void)\n{\n'
                          + "\tputs(\"\");\n" * 78 + "}\n",
}
DEFECTS = [
    (check_includes_point_down, "src/json/x.c", '#include "catalog/catalog.h"\n', "json may not include catalog"),
    (check_includes_point_down, "src/http/x.c", '  # include "json/print.h"\n', "http may not include json"),
    (check_includes_point_down, "src/base/x.h", '#include "json/print.h"\n', "base may not include json"),
    (check_includes_point_down, "src/ui/x.c", '#include "http/server.h"\n', "ui may not include http"),
    (check_includes_point_down, "src/payload/x.c", '#include "capture/inputs.h"\n', "payload may not include capture"),
    (check_includes_point_down, "src/payload/x.c", '#include "cmd/cmd.h"\n', "payload may not include cmd"),
    (check_includes_point_down, "src/main.c", '#include "http/server.h"\n', "main.c may not include http"),
    (check_includes_point_down, "src/base/x.c", '#include "error.h"\n', "room/file.h"),
    (check_includes_point_down, "src/base/x.c", '#include "base/../json/print.h"\n', "room/file.h"),
    (check_includes_point_down, "src/cmd/args/x.c", '#include "cmd/list/i.h"\n', "args may not use list"),
    (check_includes_point_down, "src/cmd/send/x.c", '#include "cmd/listen/l.h"\n', "which is that folder's own"),
    (check_includes_point_down, "src/cmd/list/x.c", '#include "cmd/listen/l.h"\n', "which is that folder's own"),
    (check_includes_point_down, "src/cmd/x.c", '#include "cmd/listen/l.h"\n', "which is that folder's own"),
    (check_includes_point_down, "src/cmd/send/x.c", '#include "cmd/scripts.h"\n', "which is not for the folders"),
    (check_json_c_is_in_one_place, "src/json/x.c", "#include <json-c/json.h>\n", "json-c is for json/tree.c"),
    (check_cmake_states_the_same, "src/json/CMakeLists.txt", "credhook_room(json SOURCES j.c ROOMS base http)\n",
     "json may not use http"),
    (check_cmake_states_the_same, "src/json/CMakeLists.txt", "credhook_room(json SOURCES j.c)\n", "lacks base"),
    (check_cmake_states_the_same, "src/json/CMakeLists.txt", "add_library(json j.c)\n", "not exactly one"),
    (check_cmake_states_the_same, "src/ui/ui.c", "", "not exactly one"),
    (check_names_are_unique, "src/payload/t.c", "", "src/catalog/t.c has that name"),
    (check_src_has_these_rooms_only, "src/util/x.h", "", "no room"),
    (check_src_has_these_rooms_only, "src/util.c", "", "only main.c"),
    (check_top_level, "docs/x.md", "", "docs"),
    (check_low_rooms_neither_print_nor_exit, "src/http/x.c", "void f(void)\n{\n\texit(1);\n}\n",
     "x.c:3: a low room uses exit"),
    (check_low_rooms_neither_print_nor_exit, "src/json/x.c", "/* a\n*/ int a = printf (b);\n",
     "x.c:2: a low room uses printf"),
    (check_low_rooms_neither_print_nor_exit, "src/base/x.h", "#define DIE() abort()\n", "x.h:1: a low room uses abort"),
    (check_low_rooms_neither_print_nor_exit, "src/base/x.c", "fputs(text, stderr);\n", "uses stderr"),
    (check_tests_are_not_libraries, "tests/long/x.sh", "python3 - <<END\nfrom a_test import b\n", "x.sh:2: imports a_test"),
    (check_sizes, "src/json/x.c", "int f(void)\n{\n" + "\tg();\n" * 79 + "}\n", "x.c:2: a function of 81 lines"),
    (check_sizes, "src/json/x.c", "\n" * 601, "601 lines"),
    (check_sizes, "src/catalog/x.c", "int f(void)\n{\n" + "\tg();\n" * 79 + "}\n", "x.c:2: a function of 81 lines"),
]
# C text, and the symbols of it that are variables.
VARIABLE_CASES = [
    ("static const int t[] = { 1, 2 }; const char *const n[] = { \"a\" }; int f(int i)\n"
     "{ static const char *const w[] = { \"x\", \"y\" }; return t[i] + n[0][0] + w[i][0]; }", set()),
    ("int counter; int f(void) { return ++counter; }", {"counter"}),
    ("static int counter = 3; int f(void) { return ++counter; }", {"counter"}),
    ("int f(void) { static char text[9]; return ++text[0]; }", {"text"}),
    ("const char *names[] = { \"a\" };", {"names"}),
    ("_Thread_local int depth; int f(void) { return ++depth; }", {"depth"}),
]


def self_test(folder):
    """The problems of the checks themselves."""
    problems = []
    sound = folder / "sound"
    make(sound, SOUND)
    for check in TREE_CHECKS:
        problems += [f"{check.__name__} objects to a sound tree: {problem}" for problem in check(sound)]
    for number, (check, path, text, expected) in enumerate(DEFECTS):
        tree = folder / str(number)
        make(tree, {**SOUND, path: text})
        found = check(tree)
        if len(found) != 1 or expected not in found[0]:
            problems.append(f"{check.__name__} on {path}: {found}, expected one with '{expected}'")
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    for number, (text, expected) in enumerate(VARIABLE_CASES if compiler else []):
        source, built = folder / f"v{number}.c", folder / f"v{number}.o"
        source.write_text(text)
        subprocess.run([compiler, "-c", "-fPIC", "-o", str(built), str(source)], check=True)
        # A static of a function is called text.0 by gcc and f.text by clang.
        found = [name.split(".") for _, name, _ in variables([built])]
        if len(found) != len(expected) or not all(any(name in parts for parts in found) for name in expected):
            problems.append(f"variables of '{text}': {found}, expected {expected}")
    if not check_no_variables(folder):
        problems.append("check_no_variables is content with a folder that holds no library")
    return problems


def checks():
    with tempfile.TemporaryDirectory(prefix="credhook-house.") as folder:
        yield "self-test", self_test(Path(folder))
    for check in TREE_CHECKS:
        yield check.__name__, check(SOURCE)
    if os.environ.get("SANITIZE"):
        print("skipped check_no_variables: sanitizers add variables of their own")
    elif not build_folder():
        print("skipped check_no_variables: CREDHOOK is not set, so no build folder is known")
    else:
        yield "check_no_variables", check_no_variables(build_folder())


if __name__ == "__main__":
    run(checks())

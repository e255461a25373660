#!/usr/bin/python3
"""Holds what was compiled to the arrows of src/README.md: by the symbols of the objects, not by what they include.

A low object may need another room only where rooms.py permits it, and a folder of cmd/ only itself and
what commands share. Objects that need each other in a circle are refused, but for the few in CIRCLES, which says why.
Also here: each file that a comment names exists.

SOURCE is the project folder; CREDHOOK the binary, whose folder is the build folder.
"""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from house import SOURCE, build_folder, run
from rooms import cmd_forbids, permitted_to
from tree import objects, symbols

# Objects that may need each other, and why no wall belongs between them.
CIRCLES = {
    # A connection is one state machine, cut into what reads a request and what writes a response.
    frozenset({"http/respond.c", "http/connection.c"}),
    # libcurl calls back into the engine and the attempt, and the end of one delivery starts the next.
    frozenset({"http/deliver.c", "http/deliver_engine.c"}),
}
LARGEST_CIRCLE = 3


def needs(found):
    """{name: {name: a symbol that ties them}}"""
    defined, wanted = {}, {name: set() for name in found}
    for name, kind, symbol in symbols(found, "-g"):
        if kind == "U":
            wanted[name].add(symbol)
        elif kind not in "wvWV":
            defined[symbol] = name
    return {name: {defined[s]: s for s in sorted(needed) if defined.get(s, name) != name} for name, needed in wanted.items()}


def check_symbols_point_down(edges):
    problems = []
    for name, others in edges.items():
        room = name.split("/")[0]
        for other, symbol in sorted(others.items()):
            target = other.split("/")[0]
            if target not in permitted_to(room):
                problems.append(f"{name} needs {symbol} of {other}: {room} may not use {target}")
            elif room == target == "cmd" and cmd_forbids(name, other):
                problems.append(f"{name} needs {symbol} of {other}: {cmd_forbids(name, other)}")
    return problems


def circles(edges):
    """The sets of names that need each other (Tarjan), the largest first."""
    order, low, stack, found = {}, {}, [], []

    def visit(name):
        order[name] = low[name] = len(order)
        stack.append(name)
        for other in edges[name]:
            if other not in order:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], order[other])
        if low[name] == order[name]:
            at = stack.index(name)
            if len(stack) - at > 1:
                found.append(frozenset(stack[at:]))
            del stack[at:]

    for name in edges:
        if name not in order:
            visit(name)
    return sorted(found, key=lambda circle: (-len(circle), sorted(circle)))


def check_circles(edges, permitted):
    problems = []
    found = circles(edges)
    for circle in found:
        members = " ".join(sorted(circle))
        if len(circle) > LARGEST_CIRCLE:
            problems.append(f"{len(circle)} objects need each other: {members}")
        elif circle not in permitted:
            problems.append(f"a circle that no reason is given for: {members}")
    problems += [f"no circle any more: {' '.join(sorted(circle))}" for circle in permitted if circle not in found]
    return problems


NAMED = re.compile(r"\b((?:src/)?(?:[a-z_]+/)*[a-z_0-9]+\.[ch])\b")


def comments(text):
    for found in re.finditer(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', text, re.DOTALL):
        if found.group().startswith("/*"):
            yield found.group()


def check_named_files_exist(root):
    problems = []
    src = root / "src"
    for path in sorted(src.rglob("*.[ch]")):
        for comment in comments(path.read_text(encoding="utf-8")):
            for name in NAMED.findall(comment):
                places = [root / name, src / name, path.parent / name]
                if "NAME" not in comment and not any(place.exists() for place in places):
                    problems.append(f"{path.relative_to(root)}: a comment names {name}, which is not there")
    return problems


def self_test(folder):
    """The problems of the checks themselves."""
    problems = []
    edges = {"payload/a.c": {"report/b.c": "f"}, "report/b.c": {"payload/a.c": "g"}, "cmd/x/c.c": {"cmd/y/d.c": "h"},
             "cmd/y/d.c": {}, "cmd/commands.c": {"cmd/y/d.c": "h"}, "cmd/send.c": {"cmd/y/d.c": "h"}}
    found = check_symbols_point_down(edges)
    if len(found) != 3:
        problems.append(f"check_symbols_point_down: {found}")
    if circles(edges) != [frozenset({"payload/a.c", "report/b.c"})]:
        problems.append(f"circles: {circles(edges)}")
    if len(check_circles(edges, {})) != 1 or check_circles(edges, {frozenset({"payload/a.c", "report/b.c"}): ""}):
        problems.append("check_circles")
    chain = {f"json/{i}.c": {f"json/{(i + 1) % 9}.c": "f"} for i in range(9)}
    if len(check_circles(chain, {frozenset(chain): ""})) != 1:
        problems.append("check_circles permits a large circle")
    source = folder / "src" / "json"
    source.mkdir(parents=True)
    (source / "a.c").write_text('/* see json/a.c, a.c and b.h */\nchar *t = "c.h";\n')
    if len(check_named_files_exist(folder)) != 1:
        problems.append(f"check_named_files_exist: {check_named_files_exist(folder)}")
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if compiler:
        for name, text in (("a", "int g(void); int f(void) { return g(); }"), ("b", "int g(void) { return 1; }")):
            target = folder / "build" / "src" / "json" / "CMakeFiles" / "credhook_json.dir" / f"{name}.c.o"
            target.parent.mkdir(parents=True, exist_ok=True)
            (source / f"{name}.c").write_text(text)
            subprocess.run([compiler, "-c", "-o", str(target), str(source / f"{name}.c")], check=True)
        (target.parent / "moved.c.o").write_bytes(b"")
        found = needs(objects(folder / "build", folder / "src"))
        if found != {"json/a.c": {"json/b.c": "g"}, "json/b.c": {}}:
            problems.append(f"needs: {found}")
    return problems


def checks():
    with tempfile.TemporaryDirectory(prefix="credhook-house.") as folder:
        yield "self-test", self_test(Path(folder))
    yield "check_named_files_exist", check_named_files_exist(SOURCE)
    build = build_folder()
    if not build:
        print("skipped the symbols: CREDHOOK is not set, so no build folder is known")
        return
    edges = needs(objects(build, SOURCE / "src"))
    yield "objects", [] if edges else [f"{build}: no objects of rooms to look into"]
    yield "check_symbols_point_down", check_symbols_point_down(edges)
    yield "check_circles", check_circles(edges, CIRCLES)


if __name__ == "__main__":
    run(checks())

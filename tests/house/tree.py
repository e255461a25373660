"""The files of a tree and what was compiled of them; and small trees, made up for a self-test."""

import re
import subprocess

NOISE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)


def sources(root):
    """Every .c and .h of src as (path, room); the room of src/main.c is None."""
    src = root / "src"
    for path in sorted(src.rglob("*.[ch]")):
        parts = path.relative_to(src).parts
        yield path, parts[0] if len(parts) > 1 else None


def numbered(path):
    return enumerate(path.read_text(encoding="utf-8").split("\n"), 1)


def without_noise(text):
    """The C text with comments and literals blanked, lines kept."""
    return NOISE.sub(lambda match: "\n" * match.group().count("\n") or " ", text)


def objects(build, src):
    """{"room/file.c": object}; a build folder may still hold objects of files that were moved since."""
    found = {}
    for item in sorted(build.glob("src/*/CMakeFiles/credhook_*.dir/**/*.o")):
        room = item.relative_to(build / "src").parts[0]
        inside = item.relative_to(build / "src" / room / "CMakeFiles" / f"credhook_{room}.dir")
        name = f"{room}/{str(inside)[:-len('.o')]}"
        if (src / name).exists():
            found[name] = item
    return found


def symbols(found, option):
    """Of objects: (name, kind of symbol as nm(1) says it, symbol) of each line that nm prints with that option. One nm reads
    all of them: started for each, it takes ten times as long."""
    if not found:
        return
    names = {str(item): name for name, item in found.items()}
    listing = subprocess.run(["nm", "-A", option, *names], capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        path, _, rest = line.rpartition(":")
        yield names[path], *rest.split()[-2:]


def make(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

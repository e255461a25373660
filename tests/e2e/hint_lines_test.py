"""Each line to type that a text of the source has is run as it stands there, with its placeholders filled, and does what it says."""
# rooms: catalog cmd

import json
import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from captures import record
from hint_lines import MENDED, PROVOKED, fill, is_whole, lines_of, literals
from support import SOURCE, FaultServer, Listener, answer, binary, built, credhook, environment, is_portable, new_folder, run

# Lines that end with another code than 0.
CODES = {"listen 0 --timeout 10ms --json -v |": (0, 1)}  # nothing comes
if is_portable():
    CODES |= {"help effects": (3,), "help brokers": (3,)}  # where the program is, and so its manual, is not known


def texts():
    """Literals of hints: not those of the examples of help, which e2e/examples runs."""
    for path in sorted((SOURCE / "src").rglob("*.[ch]")):
        text = path.read_text(encoding="utf-8")
        source = text.splitlines()
        for number, literal in literals(text):
            if not (literal.startswith("credhook ") and source[number - 1].lstrip().startswith('{ "credhook')):
                yield f"{path.relative_to(SOURCE)}:{number}", literal


def commands():
    return {row["name"] for row in credhook("help", "--json").expect(0).json()}


@cache
def made(url):
    """What lines to type name, where the sandbox is `url`."""
    folder = new_folder()
    (folder / ".config" / "credhook").mkdir(parents=True)
    (folder / ".config" / "credhook" / "config.json").write_text(json.dumps({"environments": {"sandbox": {"url": url}}}))
    (folder / "bin").mkdir()
    (folder / "bin" / "credhook").symlink_to(binary())
    bodies = [built("user-created").decode(), built("bureau-alert").decode()] * 20
    lines = [record(number + 1, body, response={"status": 200}) for number, body in enumerate(bodies)]
    (folder / "c.ndjson").write_bytes(b"\n".join(line.rstrip() for line in lines) + b"\n")
    (folder / "capture.ndjson").write_bytes((folder / "c.ndjson").read_bytes())
    (folder / "key").write_bytes(b"k" * 32)
    (folder / "key").chmod(0o600)
    (folder / "head").write_text("X-Test: 1\n")
    (folder / "p").mkdir()
    (folder / "p" / "a.json").write_bytes(built("user-created"))
    (folder / "a.json").write_bytes(built("user-created"))
    (folder / "bad.json").write_bytes(b"{}")
    (folder / "open").write_bytes(b"k" * 32)
    (folder / "open").chmod(0o644)
    credhook("convert", folder / "c.ndjson", "-o", folder / "x.har").expect(0)
    (folder / "patch.json").write_text('{"details":{"firstName":"Ada"}}')
    (folder / "golden").mkdir()
    for name in "today.ndjson", "golden/x.ndjson":
        (folder / name).write_bytes((folder / "c.ndjson").read_bytes())
    (folder / "a.scr").write_text("version\n")
    return folder


def made_folder(url):
    """A copy of it for one line."""
    return shutil.copytree(made(url), new_folder() / "here", symlinks=True)


def follow(line, folder):
    """Types it. A listener ends at once, and so does what follows a file that grows; checks are only listed: e2e/probe runs them."""
    line = re.sub(r"credhook test(?! --list)", "credhook test --list", line)
    line = re.sub(r"tail -[fF]", r"timeout 1 \g<0>", line).removesuffix(" &")
    if "credhook listen" in line and "--timeout" not in line:
        line = re.sub(r"credhook listen(?: (?:0\b(?!\.)))?", "credhook listen 0 --timeout 10ms", line, count=1).replace("& echo $!", "")
        line = line.replace("listen 0 --timeout 10ms 0.0.0.0", "listen --timeout 10ms 0.0.0.0").replace("--timeout 10ms -- ", "-- ")
    # The port that is meant where none is said is one for all: another one's build may have it.
    line = re.sub(r"(credhook listen .*0\.0\.0\.0)(?!\S)", r"\1:0", line)
    if " 0.0.0.0:0" not in line:
        line = re.sub(r"credhook listen(?= --(?!help))", "credhook listen 0", line)
    if "-o capture.ndjson" in line:
        (folder / "capture.ndjson").unlink()
    env = {**environment(), "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "HOME": str(folder), "XDG_STATE_HOME": str(folder), "XDG_CONFIG_HOME": f"{folder}/.config"}
    return subprocess.run(["bash", "-c", line], cwd=folder, env=env, input=b"version\n" if "credhook shell" in line else (folder / "a.json").read_bytes(), capture_output=True,
                          check=False)


def expected(line):
    return next((codes for words, codes in CODES.items() if words in line), (0,))


def problem_of(line, folder):
    done = follow(line, folder)
    codes = (1,) if " bad.json" in line else expected(done.args[-1])
    return None if done.returncode in codes else f"{line}: {done.returncode}: {done.stderr.decode()[-300:]}"


def test_each_line_does_what_it_says():
    names, lines = commands(), {}
    for place, text in texts():
        if not place.startswith(MENDED) and is_whole(text):
            for line in lines_of(text, names):
                lines.setdefault(line, place)
    assert len(lines) > 50, lines
    with Listener() as listener:
        made(listener.url)
        with ThreadPoolExecutor(4) as pool:
            problems = pool.map(lambda line: problem_of(fill(line, url=listener.url), made_folder(listener.url)), lines)
            found = list(zip(lines.values(), problems))
    failed = [f"{place}: {problem}" for place, problem in found if problem]
    assert not failed, "\n".join(failed)


def test_lines_with_what_was_typed():
    failed = []
    with Listener() as listener, FaultServer(answer(200, body=built("user-created"))) as server:
        for arguments, line in PROVOKED:
            folder = made_folder(listener.url)
            result = credhook(*[word.format(url=server.url) for word in arguments], cwd=folder)
            line = line.format(url=server.url)
            if line not in result.err:
                failed.append(f"{arguments}: no {line!r}: {result.err}")
            elif problem := problem_of(fill(line.replace("--to 127.0.0.1:1", "--to WHERE"), url=listener.url), folder):
                failed.append(problem)
    assert not failed, "\n".join(failed)


if __name__ == "__main__":
    run()

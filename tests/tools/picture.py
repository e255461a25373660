"""
Writes the README's picture of a terminal, from what the binary really prints.

    python3 tests/tools/picture.py BINARY .github/terminal.svg

The commands below run in a pseudo-terminal of 80 columns, with a listener of our own. tests/house/picture_test.py
makes the picture again and compares the two, but for the digits.
"""

import html
import os
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
from interactive import Interactive  # noqa: E402
from support import Listener  # noqa: E402

COLUMNS = 80
COMMANDS = [
    "credhook send user-created bureau-alert --seed 1 --to :{port}/hook",
    "credhook build credit-report-ordered --seed 1 --pretty --break wrong-type:details.offCycle > order.json",
    "credhook validate order.json",
]

# The colours that credhook uses (SGR), as classes of the style sheet.
CLASSES = {1: "bold", 2: "dim", 31: "red", 32: "green", 33: "yellow", 34: "blue", 35: "magenta", 36: "cyan", 90: "dim"}
STYLE = """\
	svg { font: 14px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace }
	.back { fill: #ffffff; stroke: #d0d7de } text { fill: #1f2328; white-space: pre }
	.bold { font-weight: bold } .dim { fill: #59636e } .red { fill: #cf222e } .green { fill: #116329 }
	.yellow { fill: #7d4e00 } .blue { fill: #0550ae } .magenta { fill: #6639ba } .cyan { fill: #1b7c83 }
	@media (prefers-color-scheme: dark) {
		.back { fill: #0d1117; stroke: #3d444d } text { fill: #f0f6fc } .dim { fill: #9198a1 } .red { fill: #ff7b72 }
		.green { fill: #3fb950 } .yellow { fill: #d29922 } .blue { fill: #58a6ff } .magenta { fill: #bc8cff }
		.cyan { fill: #39c5cf }
	}"""
SGR = re.compile(r"\x1b\[([0-9;]*)m")
CELL, LINE, MARGIN = 8.43, 19, 16


def run(binary, command, folder):
    """What `command` prints at a terminal, as text with its colours."""
    environment = {**os.environ, "PATH": f"{binary.parent}:{os.environ['PATH']}", "TERM": "xterm-256color",
                   "LC_ALL": "C.UTF-8", "XDG_CONFIG_HOME": folder}
    environment.pop("NO_COLOR", None)
    with Interactive(["/bin/sh", "-c", f"{command}; printf '\\001'"], environment, folder, COLUMNS) as terminal:
        return terminal.wait_for("(.*)\x01").group(1).replace("\r\n", "\n")


def spans(line):
    """The parts of a line, each with its classes."""
    at, classes = 0, []
    for found in SGR.finditer(line):
        if found.start() > at:
            yield " ".join(classes), line[at:found.start()]
        for code in (int(n or 0) for n in found.group(1).split(";")):
            if code == 0:
                classes = []
            elif code in CLASSES:
                classes = [*classes, CLASSES[code]]
        at = found.end()
    if at < len(line):
        yield " ".join(classes), line[at:]


def picture(lines):
    width, height = round(COLUMNS * CELL + 2 * MARGIN), len(lines) * LINE + 2 * MARGIN
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
           'role="img">', "<title>credhook at a terminal</title>", f"<style>\n{STYLE}\n</style>",
           f'<rect class="back" x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="8"/>']
    for number, line in enumerate(lines):
        parts = "".join(f'<tspan class="{classes}">{html.escape(text)}</tspan>' if classes else html.escape(text)
                        for classes, text in spans(line))
        if parts:
            out.append(f'<text x="{MARGIN}" y="{MARGIN + LINE * number + 14}" xml:space="preserve">{parts}</text>')
    return "\n".join([*out, "</svg>", ""])


def record(binary):
    """The lines of a terminal after COMMANDS."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        with Listener("-q", "--no-config", cwd=folder) as listener:
            port = listener.url.rsplit(":", 1)[1]
            for command in COMMANDS:
                output = run(binary, command.format(port=port), folder).replace(port, "8080")
                typed = command.format(port=8080)
                lines += [f"\x1b[2m$\x1b[0m \x1b[1m{part}\x1b[0m" if not number else f"\x1b[1m      {part}\x1b[0m"
                          for number, part in enumerate(fold(typed))]
                lines += output.rstrip("\n").split("\n") if output.strip() else []
                if output.strip():
                    lines.append("")
    return lines[:-1]


def fold(command):
    """A command that is too long for a line, continued on the next."""
    if len(command) <= COLUMNS - 2:
        return [command]
    at = command.rindex(" ", 0, COLUMNS - 4)
    return [command[:at] + " \\", *fold(command[at + 1:])]


def main():
    binary, target = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    os.environ["CREDHOOK"] = str(binary)
    target.write_text(picture(record(binary)), encoding="utf-8")


if __name__ == "__main__":
    main()

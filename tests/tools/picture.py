"""
Makes the README's pictures from what the binary really prints and writes: `credhook test` against a listener with a common
defect.

    python3 tests/tools/picture.py BINARY [terminal]

.github/terminal.svg is what a terminal of 24 rows of 80 columns shows of it, and samples/page.png how Chromium shows its page (with
`terminal` that one is left out, and Chromium is not needed: apt-get install chromium). page.png keeps a hash of what is shown.

tests/house/picture_test.py says which picture is stale. It plays the groups that the pictures are about, in a tenth of a second,
and not those that send slowly or much, whose verdicts depend on the machine's load. Numbers, times and identifiers do not count.
"""

import hashlib
import html
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
from fault_server import FaultServer  # noqa: E402
from interactive import Interactive  # noqa: E402
from small_listeners import listener, plain, with_bug  # noqa: E402

TERMINAL, PAGE = ROOT / ".github/terminal.svg", ROOT / "samples/page.png"
REMEDY = "python3 tests/tools/picture.py build/credhook"
ROWS, COLUMNS = 24, 80
COMMAND = "credhook test --to :{port}/hook"
EXCERPT = "credhook test deliver bad --to :{port}/hook"  # the groups that the listener's defect concerns

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


def needs_path(payload):
    """Alerts have none."""
    return plain(500, "KeyError: 'path'") if "path" not in payload else None


def record(binary, page, command=COMMAND):
    """The lines of a terminal after the command, which writes `page`, too."""
    with FaultServer(listener(with_bug(needs_path))) as server:
        port = server.url.rsplit(":", 1)[1]
        typed = command.format(port=port)
        environment = {**os.environ, "PATH": f"{binary.parent}:{os.environ['PATH']}", "TERM": "xterm-256color",
                       "LC_ALL": "C.UTF-8", "XDG_CONFIG_HOME": str(page.parent),
                       "XDG_STATE_HOME": str(page.parent)}
        for name in "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE":
            environment.pop(name, None)
        # --report prints nothing.
        with Interactive(["/bin/sh", "-c", f"{typed} --report html={page}; printf '\\001'"], environment, page.parent,
                         COLUMNS, ROWS) as terminal:
            printed = terminal.wait_for(r"\A(.*)\x01").group(1)
    page.write_text(page.read_text(encoding="utf-8").replace(f":{port}/", ":3000/"), encoding="utf-8")
    lines = [f"\x1b[2m$\x1b[0m \x1b[1m{typed}\x1b[0m", *printed.rstrip().split("\r\n")]
    # A progress line is erased before what takes its place.
    return [line.rsplit("\x1b[K", 1)[-1].replace(f":{port}/", ":3000/") for line in lines]


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


def draw(lines):
    """An SVG of a terminal that shows them."""
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


def words(text):
    """What has to agree: neither numbers, times, identifiers and the slowest event, nor blanks and the ends of lines."""
    text = re.sub(r"\b[0-9a-f]{8}\b", "ID", text)
    text = re.sub(r"(?<=slowest )\S+", "EVENT", text)
    text = re.sub(r"[0-9.,]+ ?(us|ms|s)\b|[0-9][0-9.,]*", "N", text)
    return re.sub(r"\s+", " ", text).strip()


def shown_by_terminal(svg):
    """The words of a picture, and a sign where something failed."""
    return words(html.unescape(re.sub(r"<[^>]*>", "", re.sub(r"<style>.*?</style>", "", svg, flags=re.S))))


def blocks(text):
    """Of the words of a terminal after EXCERPT, those that are also there after COMMAND: what failed, and the end."""
    failed, end = re.search(r"(N \u2717 .*?) (?:(?:!|ok:) .*?)?(must N of .*)", text).groups()
    return failed, end


OBJECT = re.compile(r'<script type="application/json"[^>]*>(.*?)</script>', re.S)


def shown_by_page(page):
    """What decides how a page looks: its markup, style and script; what its head says; and the case that failed."""
    data = [json.loads(text) for text in OBJECT.findall(page)]
    summary, = (row for row in data if "title" in row)
    texts = [summary.get(name) for name in ("title", "notice", "lines")]
    texts += [{name: value for name, value in case.items() if name not in ("request", "response")}
              for case in data if case.get("verdict") == "fail"]
    design = re.sub(r"<tbody>.*?</tbody>", "", OBJECT.sub("", page), flags=re.S)
    return design + words(json.dumps(texts))


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def with_digest(png, text):
    """A PNG that says what it shows, behind its head of 33 bytes."""
    return png[:33] + chunk(b"tEXt", b"Shows\0" + digest(text).encode()) + png[33:]


def has_digest(png, text):
    return chunk(b"tEXt", b"Shows\0" + digest(text).encode()) in png


def photograph(page, target, shown):
    """How Chromium shows a page with the first case that failed open; with a hash of what is shown."""
    cases = [json.loads(text) for text in OBJECT.findall(page.read_text(encoding="utf-8"))]
    number = 1 + [case.get("verdict") for case in cases].index("fail")
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if not browser:
        sys.exit(f"{target}: needs a browser: apt-get install chromium")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=960,860",
                        f"--user-data-dir={folder}", f"--screenshot={folder}/page.png", f"{page.as_uri()}#open={number}"],
                       check=True, timeout=120, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        png = pathlib.Path(folder, "page.png").read_bytes()
    target.write_bytes(with_digest(png, shown))


def main():
    if len(sys.argv) < 2 or sys.argv[2:] not in ([], ["terminal"]):
        sys.exit(__doc__)
    binary = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        page, excerpt = pathlib.Path(folder, "page.html"), pathlib.Path(folder, "excerpt.html")
        TERMINAL.write_text(draw(record(binary, page)), encoding="utf-8")
        if not sys.argv[2:]:
            record(binary, excerpt, EXCERPT)
            photograph(page, PAGE, shown_by_page(excerpt.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()

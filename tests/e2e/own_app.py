"""A listener that `credhook test ... -- COMMAND` starts: listens at $CREDHOOK_URL, and does what its words say. SERVICE=DEED
is done at each notification of the service (KEY=DEED: with this key in its details; get=DEED: at GET): die, late (dies after
the response), later (dies at the next but one), once (dies, and never again), break (responds 500 to all that come after it),
err (responds 500, with a stack trace), cat (the same, with what is in the file cat=FILE), flood (the same, with a megabyte of
text), hang."""

import os
import sys
import time
import traceback
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from json import loads
from pathlib import Path
from urllib.parse import urlsplit

WORDS = dict(word.split("=", 1) for word in sys.argv[1:])
LEFT = []  # requests until it dies, of each that has begun that
BROKEN = []  # what has broken it


def do(deed):
    """Returns the status."""
    LEFT[:] = [left - 1 for left in LEFT]
    if deed == "later":
        LEFT.append(2)
    if deed == "once" and not Path(WORDS["once"]).exists():
        Path(WORDS["once"]).touch()
        deed = "die"
    if deed == "die" or 0 in LEFT:
        print("about to die", flush=True)
        os._exit(3)  # pylint: disable=protected-access
    if BROKEN:
        return 500
    if deed == "break":
        BROKEN.append(deed)
    if deed == "hang":
        Path(WORDS["pid"] + ".hangs").touch()
        time.sleep(600)
    if deed == "flood":
        print("x" * (1 << 20), "the end", sep="\n", flush=True)
        return 500
    if deed == "cat":
        print(Path(WORDS["cat"]).read_text(encoding="ascii"), end="", flush=True)
        return 500
    if deed == "err":
        try:
            {}["path"]
        except KeyError:
            traceback.print_exc()
        return 500
    return 200


class Handler(BaseHTTPRequestHandler):
    """Responds 200 to JSON."""

    def respond(self, deed):
        status = do(deed)
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()
        if deed == "late":
            self.wfile.flush()
            os._exit(3)  # pylint: disable=protected-access

    def do_POST(self):  # pylint: disable=invalid-name
        body = self.rfile.read(int(self.headers["Content-Length"]))
        payload = loads(body)
        details = payload.get("details")
        keys = [payload["service"], *(details if isinstance(details, dict) else ())]
        self.respond(next((WORDS[key] for key in keys if key in WORDS), None))

    def do_GET(self):  # pylint: disable=invalid-name
        self.respond(WORDS.get("get"))

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


for line in range(1, int(WORDS.get("print", "0")) + 1):
    print(f"line {line}\x1b")
if "exit" in WORDS:
    sys.exit(int(WORDS["exit"]))
if "pid" in WORDS:
    Path(WORDS["pid"]).write_text(str(os.getpid()), encoding="ascii")
if "starts" in WORDS:
    with open(WORDS["starts"], "a", encoding="ascii") as starts:
        starts.write(".")
url = urlsplit(os.environ["CREDHOOK_URL"])
# With threads the next request may have been answered before the one that is late ends it.
server = HTTPServer if "late" in WORDS.values() else ThreadingHTTPServer
server((url.hostname, url.port), Handler).serve_forever()

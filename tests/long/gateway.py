"""What gateway.sh runs: see there."""

import http.client
import http.server
import json
import os
import re
import shlex
import signal
import subprocess
import threading
import time

from support import SOURCE, binary, credhook, environment, free_port, new_folder, records, run

COUNT, AWAY, LIMIT = 600, 20, 180  # payloads; seconds that the application is away, and for the whole


def command(start):
    """The line of samples/README.md that begins so."""
    (line,) = re.findall(rf"^({re.escape(start)}.*)$", (SOURCE / "samples/README.md").read_text(), re.MULTILINE)
    return line


class Application:
    """Keeps every body in the order of arrival."""

    def __init__(self, port):
        self.port, self.bodies, self.server = port, [], None

    def start(self):
        application = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                application.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
                time.sleep(0.02)  # so that something is in flight at a kill
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self.server.handle_error = lambda *_: None  # a sender that is killed resets its connection
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class Line:
    """A command line of samples/README.md, in its own process group, as a terminal would start it."""

    def __init__(self, text, folder, log):
        self.text, self.folder, self.log = text, folder, log
        self.start()

    def start(self):
        with open(self.folder / self.log, "ab") as log:
            self.process = subprocess.Popen(["bash", "-c", self.text], cwd=self.folder, env=environment({
                "PATH": f"{self.folder}:{os.environ['PATH']}"}), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True)

    def kill(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def said(self):
        return (self.folder / self.log).read_text(errors="replace")


def post(port, body, end):
    """Until there is a 2xx, as a sender that repeats what was not accepted. Nothing is in flight when it returns."""
    while time.monotonic() < end:
        try:
            client = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            client.request("POST", "/hook", body, {"Content-Type": "application/json"})
            status = client.getresponse().status
            client.close()
            if 200 <= status < 300:
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the gateway does not accept")


def final(folder):
    path = folder / "r.ndjson"
    lines = [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]] if path.exists() else []
    return {line["id"]: line["outcome"] for line in lines if line["final"]}


def unknown(replay):
    """What it said of deliveries in flight at a kill."""
    return sum(map(int, re.findall(r"^(\d+) may have been delivered", replay.said(), re.MULTILINE)))


def test_the_application_is_away_and_the_gateway_is_killed():
    folder, begun = new_folder(), time.monotonic()
    (folder / "credhook").symlink_to(binary())
    listen_port, application = free_port(), Application(free_port())
    bodies = credhook("build", "bureau-alert", "--count", str(COUNT)).expect(0).out_bytes.splitlines()
    keep = command("credhook listen 8080 --capture c.ndjson").replace("8080", str(listen_port))
    forward = command("tail -n +1 -F c.ndjson").replace(":3000", f":{application.port}")
    application.start()
    listener = Line(keep, folder, "listen.log")
    post(listen_port, bodies[0], begun + LIMIT)  # makes the file that tail follows
    replay = Line(forward, folder, "replay.log")
    for number, body in enumerate(bodies[1:], 1):
        post(listen_port, body, begun + LIMIT)
        if number == COUNT // 4:
            application.stop()
            away = time.monotonic()
        if number in (COUNT // 3, 3 * COUNT // 4):
            replay.kill()
            listener.kill()
            listener.start()
            replay.start()
        if number == COUNT // 2:
            time.sleep(max(0, away + AWAY - time.monotonic()))
            application.start()
    while len(final(folder)) + unknown(replay) < COUNT and time.monotonic() < begun + LIMIT:
        time.sleep(0.2)
    time.sleep(1)
    replay.kill()
    listener.kill()
    application.stop()
    assert len(records(folder / "c.ndjson")) == COUNT
    missing = [body for body in bodies if body not in application.bodies]
    print(f"{COUNT} captured, {len(application.bodies)} arrived, "
          f"{unknown(replay)} in flight at a kill, of which {len(missing)} did not arrive, in {time.monotonic() - begun:.0f} s")
    print("\n".join(line for line in replay.said().splitlines() if not line.startswith("ok "))[-2000:])
    assert len(set(application.bodies)) == len(application.bodies), "something arrived twice"
    assert len(missing) <= unknown(replay) <= 2, len(missing)


if __name__ == "__main__":
    run()

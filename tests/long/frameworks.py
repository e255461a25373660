"""What `credhook test` says of listeners as people write them first, in the frameworks that are installed here."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from nginx import Nginx, free_port
from support import credhook, environment, new_folder

FOLDER = Path(__file__).parent / "frameworks"
LEVELS = sys.argv[1:] or ["normal"]
PYTHON = "/usr/bin/python3"

# The name, what has to succeed for it to be installed, and the command; {port} is free. These listeners read appKey in
# every event, though two have none. PHP takes that for a warning, the others fail it.
NO_APP_KEY = ["deliver/monitoring-service-enrolled", "deliver/monitoring-service-cancelled"]
FRAMEWORKS = (
    ("node http", ["node", "--version"], ["node", "node.js", "{port}"], NO_APP_KEY),
    ("Express", ["node", "-e", "require('express')"], ["node", "express.js", "{port}"], NO_APP_KEY),
    ("Fastify", ["node", "-e", "require('fastify')"], ["node", "fastify.js", "{port}"], NO_APP_KEY),
    ("Flask", [PYTHON, "-c", "import flask"], [PYTHON, "-m", "flask", "--app", "flask_app.py", "run", "--port", "{port}"],
     NO_APP_KEY),
    ("gunicorn", [PYTHON, "-c", "import flask, gunicorn"],
     [PYTHON, "-m", "gunicorn", "-b", "127.0.0.1:{port}", "flask_app:app"], NO_APP_KEY),
    ("PHP", ["php", "--version"], ["php", "-S", "127.0.0.1:{port}", "hook.php"], []),
)


def is_installed(check):
    return shutil.which(check[0]) and subprocess.run(check, cwd=FOLDER, capture_output=True, check=False).returncode == 0


@contextlib.contextmanager
def serve(command):
    """The URL of a listener, which ends with its children. `test --wait` waits until it listens."""
    port = free_port()
    with open(new_folder() / "output", "wb") as output:
        process = subprocess.Popen([word.format(port=port) for word in command], cwd=FOLDER, stdout=output, stderr=output,
                                   env=environment({"PYTHONDONTWRITEBYTECODE": 1, "NODE_PATH": os.environ.get("NODE_PATH")}),
                                   start_new_session=True)
    try:
        yield f"http://127.0.0.1:{port}/hook"
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextlib.contextmanager
def serve_nginx():
    with Nginx(status=200) as nginx:
        yield f"{nginx.url}/hook"


def counted(checks, level):
    """How many of the level's checks failed, how many per group, and which must."""
    verdict = "fail" if level == "must" else "warn"
    failed = [check["id"] for check in checks if check["verdict"] == verdict and check["level"] == level]
    groups = Counter(name.split("/")[0] for name in failed)
    return failed, " ".join(f"{group}:{count}" for group, count in groups.items())


def test(name, serving, level, expected):
    with serving as url:
        began = time.monotonic()
        result = credhook("test", "--to", url, "--wait", "20s", "--level", level, "--json", timeout=600)
        took = time.monotonic() - began
    checks = [row for row in result.json() if row["type"] == "check"]
    musts, must_groups = counted(checks, "must")
    shoulds, should_groups = counted(checks, "should")
    tolerated = sum(check["verdict"] == "warn" and check["level"] == "must" for check in checks)
    print(f"{name:10} {level:7} {len(musts):4} {len(shoulds):6} {tolerated:9} {took:6.1f} s  "
          f"{' '.join(filter(None, (must_groups, should_groups))) or '-'}", flush=True)
    wrong = [f"{name}: a must that it does right fails: {check}" for check in musts if check not in expected]
    wrong += [f"{name}: not found: {check}" for check in expected if check not in musts]
    if result.code != (1 if expected else 0) or len(checks) < 200:
        wrong.append(f"{name}: {result}")
    return wrong


def main():
    wrong = []
    print(f"{'':10} {'level':7} must should tolerated     time  failed, per group")
    for level in LEVELS:
        for name, check, command, expected in FRAMEWORKS:
            if is_installed(check):
                wrong += test(name, serve(command), level, expected)
            else:
                print(f"{name:10} not installed: skipped")
        wrong += test("nginx", serve_nginx(), level, [])
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


main()

"""Runs of `credhook test` against the listeners of store_app.py, several at a time: they wait more than they work."""

import json
import shutil
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from support import binary, credhook, new_folder

APP = Path(__file__).with_name("store_app.py")
SHOWN = {"Counted": "select count(*) from n", "CustomersCounted": "select count(*) from n",
         "KeepsAllCounted": "select count(*) from n", "Hashes": "select key from n",
         "Firsts": "select customer, body, length(keys) / 64 from n",
         "Enrolled": "select client || '|' || state from n"}


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def observe(name, folder):
    """sqlite3 takes a tenth of what Python takes to start."""
    if name == "Files":
        return f"ls {folder}/alerts"
    if name in ("Document", "Rewritten"):
        return f"cat {folder}/all.json"
    if shutil.which("sqlite3") and name not in ("Log", "RewrittenCounted"):
        return f"sqlite3 -readonly -cmd '.timeout 20000' {folder}/db \"{SHOWN.get(name, 'select * from n')}\""
    return f"{sys.executable} -S {APP} dump {name} {folder}"


def look(name, *checks, more=(), command=None):
    """The result of a run, and its checks by id."""
    folder = new_folder()
    command = command(folder) if command else [sys.executable, "-S", str(APP), name, str(folder)]
    result = credhook("test", *checks, "--to", f":{free_port()}/hook", "--json", "--wait", "120s", *more, "--observe",
                      f"cat {folder}/capture" if name == "capture" else observe(name, folder), "--", *command, timeout=600)
    lines = [json.loads(line) for line in result.out.splitlines()]
    return result, {line["id"]: line for line in lines if line["type"] == "check"}


def failed(found):
    """The ids of what has failed, must or should, and of what is said of it."""
    bad = {"must": "fail", "should": "warn"}
    return {name: check["reason"] for name, check in found.items() if check["verdict"] == bad.get(check["level"])}


def look_at(checks, at_once=8):
    """What look() returns, by name, of the listeners with the checks of each; the longest first."""
    with ThreadPoolExecutor(at_once) as pool:
        return dict(zip(checks, pool.map(lambda name: look(name, *checks[name]), checks)))


def capture(folder):
    """credhook itself, as the listener of a run."""
    return ["sh", "-c", f'at=${{CREDHOOK_URL#http://}}; exec {binary()} listen "${{at%%/*}}" --path /hook --capture {folder}/capture -q']

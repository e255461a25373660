"""Runs of `credhook test` against the listeners of store_app.py, several at a time: they wait more than they work."""

import json
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from support import binary, credhook, free_port, new_folder

APP = Path(__file__).with_name("store_app.py")
SHOWN = {"Counted": "select count(*) from n", "CustomersCounted": "select count(*) from n",
         "KeepsAllCounted": "select count(*) from n", "Hashes": "select key from n",
         "Firsts": "select customer, body, length(keys) / 64 from n",
         "TallyOfKinds": "select kind, sum(count) from n group by kind",
         "Enrolled": "select client || '|' || state from n"}


def observe(name, folder):
    """sqlite3 takes a tenth of what Python takes to start."""
    if name == "capture":
        return f"cat {folder}/capture"
    if name == "Files":
        return f"ls {folder}/alerts"
    if name in ("Document", "Rewritten"):
        return f"cat {folder}/all.json"
    if shutil.which("sqlite3") and name not in ("Log", "RewrittenCounted"):
        return f"sqlite3 -readonly -cmd '.timeout 20000' {folder}/db \"{SHOWN.get(name, 'select * from n')}\""
    return f"{sys.executable} -S {APP} dump {name} {folder}"


def listener(name, folder):
    """The command of that name: a class of the listeners; "script", which starts one; "capture", credhook itself."""
    if name == "capture":
        return ["sh", "-c",
                f'at=${{CREDHOOK_URL#http://}}; exec {binary()} listen "${{at%%/*}}" --path /hook --capture {folder}/capture -q']
    if name == "script":
        return ["sh", "-c", f"{sys.executable} -S {APP} Store {folder} & wait"]
    return [sys.executable, "-S", str(APP), name, str(folder)]


def look(name, *checks, more=()):
    """The result of a run, and its checks by id."""
    folder = new_folder()
    result = credhook("test", *checks, "--to", f":{free_port()}/hook", "--json", "--wait", "120s", *more, "--observe",
                      observe(name, folder), "--", *listener(name, folder), timeout=600)
    lines = [json.loads(line) for line in result.out.splitlines()]
    return result, {line["id"]: line for line in lines if line["type"] == "check"}


def failed(found):
    """The ids of what has failed, must or should, and of what is said of it."""
    bad = {"must": "fail", "should": "warn"}
    return {name: check["reason"] for name, check in found.items() if check["verdict"] == bad.get(check["level"])}


def look_at(runs, at_once=10):
    """The name and what look() returns of each: of names of listeners with their checks, the longest first."""
    with ThreadPoolExecutor(at_once) as pool:
        return [(run[0], *found) for run, found in zip(runs, pool.map(lambda run: look(*run), runs))]

"""Right listeners on the stores that people have: `credhook test --observe` finds nothing of what they did."""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from stores import failed, free_port
from support import SOURCE, credhook, environment, new_folder

FOLDER = Path(__file__).parent / "databases"
PYTHON = "/usr/bin/python3"
GUNICORN = [PYTHON, "-m", "gunicorn", "-w", "4", "--chdir", str(FOLDER), "-b", "127.0.0.1:{port}", "hook_app:app"]


def manual_line(name):
    """How the manual writes --observe for it."""
    text = (SOURCE / "man/credhook-effects.7").read_text().replace("\\-", "-").replace("\\(aq", "'")
    return re.search(rf"^\.It {name}\n\.Li (.*)$", text, re.M)[1]


def as_another_user(folder):
    """PostgreSQL does not run as root."""
    if os.geteuid() != 0:
        return []
    shutil.chown(folder, "nobody")
    for path in (folder, *folder.parents[:-2]):
        path.chmod(path.stat().st_mode | 0o055)
    return ["setpriv", "--reuid", "nobody", "--clear-groups"]


@contextlib.contextmanager
def serve(command, is_up, variables):
    """A server, until it responds to the command `is_up`."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            for _ in range(600):
                if subprocess.run(is_up, env=environment(variables), capture_output=True, check=False).returncode == 0:
                    break
                time.sleep(0.1)
            else:
                raise TimeoutError(f"{command} does not come up")
            yield
        finally:
            server.terminate()


def binaries_of_postgres():
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    return found[-1] if found else Path("/usr/bin")


@contextlib.contextmanager
def postgres(folder):
    """A server of its own, at a socket in the folder."""
    at, user = binaries_of_postgres(), as_another_user(folder)
    subprocess.run([*user, at / "initdb", "-D", folder / "data", "-A", "trust", "-U", "hook"], check=True, capture_output=True)
    variables = {"PGHOST": str(folder), "PGUSER": "hook", "PGDATABASE": "hook"}
    server = [*user, at / "postgres", "-D", folder / "data", "-k", folder, "-c", "listen_addresses="]
    with serve(server, ["psql", "-c", "select 1", "postgres"], variables):
        subprocess.run(["createdb", "hook"], env=environment(variables), check=True)
        yield variables


@contextlib.contextmanager
def mariadb(folder):
    """The same, which the client finds in ~/.my.cnf."""
    variables = {"HOME": str(folder), "MYSQL_UNIX_PORT": str(folder / "socket")}
    (folder / ".my.cnf").write_text(f"[client]\nsocket={folder}/socket\n", encoding="utf-8")
    user = ["--user=root"] if os.geteuid() == 0 else []
    subprocess.run(["mariadb-install-db", "--no-defaults", *user, f"--datadir={folder}/data",
                    "--auth-root-authentication-method=normal"], check=True, capture_output=True)
    server = ["mariadbd", "--no-defaults", *user, f"--datadir={folder}/data", f"--socket={folder}/socket", "--skip-networking"]
    with serve(server, ["mariadb", "-e", "select 1"], variables):
        subprocess.run(["mariadb", "-e", "create database hook"], env=environment(variables), check=True)
        yield variables


@contextlib.contextmanager
def redis(folder):
    """The same, which writes before it responds."""
    variables = {"REDIS_SOCKET": str(folder / "socket")}
    server = ["redis-server", "--port", "0", "--unixsocket", folder / "socket", "--dir", folder,
              "--appendonly", "yes", "--appendfsync", "always"]
    with serve(server, ["redis-cli", "-s", folder / "socket", "ping"], variables):
        yield variables


@contextlib.contextmanager
def nothing(_):
    yield {}


# The name, what has to succeed for it to be installed, the server, the listener, and --observe; {port} is free.
STORES = (
    ("PostgreSQL", [binaries_of_postgres() / "postgres", "--version"], postgres, GUNICORN, manual_line("PostgreSQL"), "psycopg2"),
    ("PostgreSQL over HTTP", [binaries_of_postgres() / "postgres", "--version"], postgres, GUNICORN,
     manual_line("An HTTP endpoint").replace("3000", "{port}"), "psycopg2"),
    ("MariaDB", ["mariadbd", "--version"], mariadb, GUNICORN, manual_line("MySQL, MariaDB"), "pymysql"),
    ("Redis", ["redis-server", "--version"], redis, GUNICORN,
     manual_line("Redis").replace("redis-cli", 'redis-cli -s "$REDIS_SOCKET"'), "redis"),
    ("node's cluster", ["node", "--version"], nothing, ["node", str(FOLDER / "cluster.js"), "{folder}/hooks.log"],
     "cd {folder} && " + manual_line("A log file"), None),
)


def is_installed(command, module):
    needs = [command] + ([[PYTHON, "-c", f"import gunicorn, {module}"]] if module else [])
    return all(shutil.which(need[0]) and subprocess.run(need, capture_output=True, check=False).returncode == 0 for need in needs)


def look(name, server, listener, observe):
    folder = new_folder()
    words = {"port": free_port(), "folder": folder}
    began = time.monotonic()
    with server(folder) as variables:
        result = credhook("test", "--to", f":{words['port']}/hook", "--json", "--wait", "60s",
                          "--observe", observe.format(**words), "--", *(word.format(**words) for word in listener),
                          env={**variables, "STORE": server.__name__}, timeout=600)
    checks = {check["id"]: check for check in result.json() if check["type"] == "check"}
    of_what_it_did = {check: found for check, found in checks.items() if check.startswith(("effect/", "crash/"))}
    print(f"{name}: {len(checks)} checks in {time.monotonic() - began:.0f} s, {len(of_what_it_did)} of what it did", flush=True)
    bad = [*failed(of_what_it_did).items()]
    bad += [(check, found["reason"]) for check, found in of_what_it_did.items() if found["verdict"] == "skip"]
    for check, reason in bad:
        print(f"  {check}: {reason}", flush=True)
    return bool(bad) or not of_what_it_did


def main():
    chosen = [store for store in STORES if not sys.argv[1:] or store[0] in sys.argv[1:]]
    there = [store for store in chosen if is_installed(store[1], store[5])]
    for name, *_ in [store for store in chosen if store not in there]:
        print(f"{name}: not installed", flush=True)
    with ThreadPoolExecutor(2) as pool:
        bad = sum(pool.map(lambda store: look(store[0], store[2], store[3], store[4]), there))
    sys.exit(f"{bad} of {len(there)} have been blamed" if bad else None)


main()

"""Runs of `credhook test`, and listeners that change their mind, for the tests of it."""

from small_listeners import good, listener
from support import FaultServer, credhook

QUICKLY = ("--skip", "repeat/later", "--skip", "size/16m")  # one waits 2 s, the other is work for Python


def probe(url, *args, code=0):
    """({id: check} but for those that are ok, summary) of a run."""
    rows = credhook("test", "--to", url, "--json", *args).expect(code).json()
    *checks, summary = rows
    assert summary["type"] == "summary" and all(row["type"] == "check" for row in checks), rows
    found = {row["id"]: row for row in checks if row["verdict"] != "ok"}
    if url.startswith("http:"):
        assert {found.pop(name)["verdict"] for name in list(found) if name.startswith("tls/")} <= {"skip"}
    return found, summary


def verdicts(respond, *args, code=0):
    with FaultServer(listener(respond)) as server:
        found, _ = probe(f"{server.url}/hook", *QUICKLY, *args, code=code)
    return {name: check["verdict"] for name, check in found.items()}


def after_some(count, script):
    """Good responses to the first requests, then something else."""
    def perform(connection):
        return (listener(good) if connection.number < count else script)(connection)

    return perform

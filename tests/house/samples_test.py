#!/usr/bin/python3
"""Holds samples/events/ to what credhook makes: `credhook build all --seed 1 --no-config -o samples/events/ --force`.

CREDHOOK is the binary, SOURCE the project folder.
"""

import json
import os
import subprocess
import tempfile
from pathlib import Path

from house import SOURCE, run

REMEDY = "credhook build all --seed 1 --no-config -o samples/events/ --force"


def credhook(*args, folder):
    return subprocess.run([os.environ["CREDHOOK"], *args], cwd=folder, capture_output=True, check=False, text=True,
                          timeout=60)


def files_of(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def differences(samples, made):
    """How the samples differ from what was made, one line each."""
    problems = [f"{name} is missing" for name in sorted(made.keys() - samples.keys())]
    problems += [f"{name} is none of the events" for name in sorted(samples.keys() - made.keys())]
    problems += [f"{name} is not what build makes" for name in sorted(samples.keys() & made.keys())
                 if samples[name] != made[name]]
    return problems


def self_test():
    assert differences({"a": b"1", "b": b"2"}, {"b": b"3", "c": b"4"}) == [
        "c is missing", "a is none of the events", "b is not what build makes"]


def check_built(samples):
    with tempfile.TemporaryDirectory(prefix="credhook-house.") as folder:
        built = credhook("build", "all", "--seed", "1", "--no-config", "-o", "made/", folder=folder)
        if built.returncode != 0:
            return [f"build ended with {built.returncode}: {built.stderr}"]
        return differences(samples, files_of(Path(folder, "made")))


def check_valid(samples):
    done = credhook("validate", "--strict", "--json", "samples/events", folder=SOURCE)
    verdicts = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode != 0 or len(verdicts) != len(samples):
        yield f"validate ended with {done.returncode}: {done.stdout}{done.stderr}"
    for verdict in verdicts:
        name = Path(verdict["file"]).stem
        if (verdict["event"] or "").replace("/", "-") != name:
            yield f"{name}.json is the event {verdict['event']}"


def checks():
    samples = files_of(SOURCE / "samples" / "events")
    yield "self-test", self_test()
    yield "check_built", check_built(samples)
    yield "check_valid", check_valid(samples)


if __name__ == "__main__":
    run(checks(), f"to make them again: {REMEDY}")

#!/usr/bin/python3
"""Holds samples/events/ to what credhook makes: `credhook build all --seed 1 --no-config -o samples/events/ --force`.

CREDHOOK is the binary, SOURCE the project folder.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

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


def main():
    root = Path(os.environ.get("SOURCE") or Path(__file__).resolve().parents[2])
    with tempfile.TemporaryDirectory(prefix="credhook-house.") as folder:
        built = credhook("build", "all", "--seed", "1", "--no-config", "-o", "made/", folder=folder)
        if built.returncode != 0:
            print(f"FAILED build ended with {built.returncode}: {built.stderr}")
            return 1
        made = files_of(Path(folder, "made"))
    samples = files_of(root / "samples" / "events")
    assert differences({"a": b"1", "b": b"2"}, {"b": b"3", "c": b"4"}) == [
        "c is missing", "a is none of the events", "b is not what build makes"]
    problems = differences(samples, made)
    judged = credhook("validate", "--strict", "--json", "samples/events", folder=root)
    verdicts = [json.loads(line) for line in judged.stdout.splitlines()]
    if judged.returncode != 0 or len(verdicts) != len(made):
        problems.append(f"validate ended with {judged.returncode}: {judged.stdout}{judged.stderr}")
    for verdict in verdicts:
        name = Path(verdict["file"]).stem
        if (verdict["event"] or "").replace("/", "-") != name:
            problems.append(f"{name}.json is the event {verdict['event']}")
    print("FAILED" if problems else "ok", f"{len(samples)} samples")
    for problem in problems:
        print(f"  {problem}")
    if problems:
        print(f"  to make them anew: {REMEDY}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

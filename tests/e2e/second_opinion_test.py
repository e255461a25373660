#!/usr/bin/python3
"""A second opinion on every verdict: credhook's against the schema's, payload by payload.

tests/schema/notification.schema.json was written from the specification alone. From it comes a valid payload per event
and element, then every key taken away, renamed or replaced, details of one event in the envelope of another, repeated
keys, broken text, and random mutations. Where the two verdicts differ, one of them is wrong.

    CREDHOOK=build/credhook [SEED=42] [MUTATIONS=4000] tests/e2e/second_opinion_test.py
"""
# rooms: catalog cmd/validate json payload schema
import json
import multiprocessing
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "schema"))

import jsonschema
import second_opinion_payloads as payloads
from opinion import SCHEMA, second_opinion
from second_opinion_payloads import LONG, PLAIN, UUID, write
from support import kinds

SHOWN_MAX = 20


def run_credhook(credhook, path):
    """The verdicts, one per line of the file, and the exit code."""
    done = subprocess.run([credhook, "validate", "--json", "--no-config", str(path)], stdin=subprocess.DEVNULL,
                          capture_output=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"credhook exits {done.returncode} on {path.name}: {done.stderr.decode(errors='replace')[:2000]}")
    return [json.loads(line) for line in done.stdout.split(b"\n") if line], done.returncode


def difference(opinion, verdict, line):
    """What is wrong with credhook's verdict, or None."""
    valid, name = opinion
    errors = [finding for finding in verdict["findings"] if finding["severity"] == "error"]
    if verdict["line"] != line:
        return f"stands in line {line}, credhook says {verdict['line']}"
    if verdict["valid"] is not (not errors):
        return f"credhook says valid={verdict['valid']}, with {len(errors)} errors"
    if verdict["valid"] is not valid:
        return f"the schema says valid={valid}, credhook valid={verdict['valid']}"
    if valid and verdict["event"] != name:
        return f"the schema says {name}, credhook {verdict['event']}"
    return None


def compare(credhook, folder, pool, group, cases):
    """Judges a group both ways; the number of differences."""
    path = folder / f"{group}.ndjson"
    path.write_bytes(b"".join(data + b"\n" for _, data in cases))
    pending = pool.map_async(second_opinion, [data for _, data in cases], chunksize=200)
    verdicts, code = run_credhook(credhook, path)
    opinions = pending.get()
    if len(verdicts) != len(cases):
        print(f"{group}: {len(cases)} payloads, but {len(verdicts)} verdicts")
        return 1
    differences = 0
    if code != (0 if all(verdict["valid"] for verdict in verdicts) else 1):
        differences += 1
        print(f"{group}: credhook exits {code} all the same")
    for line, ((what, data), opinion, verdict) in enumerate(zip(cases, opinions, verdicts), 1):
        told = difference(opinion, verdict, line)
        if told:
            differences += 1
            if differences <= SHOWN_MAX:
                print(f"{group}:{line}: {what}: {told}\n  payload  {data[:2000]!r}\n"
                      f"  findings {json.dumps(verdict['findings'])[:2000]}")
    good = sum(verdict["valid"] for verdict in verdicts)
    print(f"{group}: {len(cases)} payloads, {good} valid, {len(cases) - good} invalid, {differences} differences")
    return differences


# The schema itself, against verdicts given by hand: (event, text to replace, replacement, valid).
BY_HAND = [
    ("user-created", "", "", True), ("user-created", '"IL"', '""', True), ("user-created", '"IL"', "null", False),
    ("user-created", '"state":"IL",', "", False), ("user-created", UUID, UUID.upper(), True),
    ("user-created", UUID, UUID + "\\n", False), ("user-created", UUID, "", False),
    ("user-created", "post", "POST", False),
    ("user-created", f'"clientKey":"{UUID}"', '"clientKey":"opaque"', False),
    ("authentication-failed", '"clientKey":"some text"', f'"clientKey":"{UUID}"', True),
    ("authentication-failed", '"401"', "401", False), ("authentication-failed", '"401"', '"200"', False),
    ("credit-report-ordered", '"true"', '"false"', True), ("credit-report-ordered", '"true"', "true", False),
    ("credit-report-ordered", '"true"', '"True"', False), ("credit-report-ordered", '"true"', '""', False),
    ("credit-score-simulated", '"-15"', '"+5"', True), ("credit-score-simulated", '"-15"', '"5.0"', False),
    ("credit-score-simulated", '"-15"', '"5\\n"', False), ("credit-score-simulated", '"-15"', "-15", False),
    ("credit-score-simulated", '{"onTimePayments":6}', "{}", True),
    ("credit-score-simulated", '{"onTimePayments":6}', "[]", False),
    ("user-token-generated", "15}", "15.0}", True), ("user-token-generated", "15}", "1e3}", True),
    ("user-token-generated", "15}", "1.5}", False), ("user-token-generated", "15}", "15e-1}", False),
    ("user-token-generated", "15}", '"15"}', False), ("user-token-generated", "15}", LONG + "}", True),
    ("user-token-generated", "15}", "15,\"more\":null}", True),
    ("monitored-element-added/ssn", "idp/ssn", "idp/SSN", False), ("monitored-element-added/ssn", "ssn", "phone", True),
    ("monitored-element-removed", "/api/monitoring", "/monitor", False),
    ("bureau-alert", "", "", True), ("bureau-alert", '"details"', '"path":null,"details"', False),
    ("bureau-alert", '"Submission"', '"Submission","reason":[1]', True),
    ("bureau-alert", '"Submission"', '"Open"', False),
    ("bureau-alert", '{"disputeStatus":"Submission"}', "{}", False), ("bureau-alert", '"details"', '"Details"', False),
]


def check_the_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    texts = {name: write(payload) for name, payload, _ in PLAIN}
    assert sorted(texts) == sorted(kinds()), sorted(texts)
    for name, text in texts.items():
        assert second_opinion(text.encode()) == (True, name), text
    for name, old, new, valid in BY_HAND:
        assert old in texts[name], (name, old)
        assert second_opinion(texts[name].replace(old, new).encode())[0] is valid, (name, old, new)
    for what, data in payloads.good_values_group():
        assert second_opinion(data)[0], (what, data)
    for what, data in payloads.repeated_group():
        assert not second_opinion(data)[0], (what, data)


def main():
    credhook = os.environ.get("CREDHOOK") or sys.exit("CREDHOOK must be the path of the binary")
    seed = int(os.environ.get("SEED") or random.SystemRandom().randrange(1 << 32))
    count = int(os.environ.get("MUTATIONS") or 4000)
    start = time.monotonic()
    print(f"seed {seed} (SEED={seed} repeats it)", flush=True)
    check_the_schema()
    processes = min(4, os.cpu_count() or 1)
    with tempfile.TemporaryDirectory(prefix="credhook-opinion.") as folder, multiprocessing.Pool(processes) as pool:
        differences = sum(compare(os.path.abspath(credhook), pathlib.Path(folder), pool, group, list(cases))
                          for group, cases in payloads.groups(seed, count).items())
    print(f"{differences} differences, {time.monotonic() - start:.1f} s")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/python3
"""Every --json shape is what tests/schema/output-*.json says: real outputs of every command, line by line.

A key that is in no schema fails, and so does a shape of a schema that no output here has.
"""
# rooms: all

import json
import re
import shutil

from days import day, unknown_code
from support import (SOURCE, FaultServer, Listener, Skip, answer, credhook, new_folder, reset, run)

try:
    import jsonschema
except ImportError:
    jsonschema = None

FOLDER = SOURCE / "tests" / "schema"
# Which schema a command's output has; build prints payloads, completion a script, schema a document of others.
SCHEMA_OF = {"build": None, "completion": None, "convert": "record", "schema": None, "show": "shell", "send": "delivery",
             "replay": "delivery"}
# Objects whose keys are names of headers, statuses, events, fields or reasons of refusal.
KEYED_BY_DATA = {"headers", "statuses", "events", "defaults", "refusals", "forwarded", "sample"}
# Payloads and their values, whatever they are.
PAYLOAD_VALUES = {"before", "after", "sample"}
SHELL_ROWS = {"difference", "default"}
# What the JSON in literal blocks of the manual follows; None: it is a configuration.
IN_THE_MANUAL = {"credhook-capture.5": ["record"], "credhook-config.5": [None], "credhook-json.5": ["delivery", "results"]}
# A notification whose body is not UTF-8, and one that credhook would not make.
ODD = b'{"service":"user\xff"}'


class Schema:
    """One file, and which of its shapes were seen."""

    def __init__(self, path):
        self.name = path.name
        document = json.loads(path.read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(document)
        self.shapes = [jsonschema.Draft202012Validator({**shape, "$defs": document.get("$defs", {})})
                       for shape in document["oneOf"]]
        self.titles = [shape.get("description", document["title"]) for shape in document["oneOf"]]
        self.seen = set()

    def check(self, row):
        fitting = [index for index, shape in enumerate(self.shapes) if shape.is_valid(row)]
        if len(fitting) == 1:
            self.seen.add(fitting[0])
            return
        reasons = [f"  not {title}: {error.message} at {list(error.path)}"
                   for title, shape in zip(self.titles, self.shapes) for error in shape.iter_errors(row)]
        raise AssertionError(f"{self.name}: {len(fitting)} shapes fit {json.dumps(row)[:500]}\n" + "\n".join(reasons))


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def objects(result):
    """The objects on stdout of a run that may have ended in any way but a crash."""
    assert 0 <= result.code <= 4, result
    return lines(result.out)


def errors(result):
    return [json.loads(line) for line in result.err.splitlines() if line.startswith('{"error"')]


def received(folder):
    """What a listener tells and writes: (ready, events and summary; records), for four kinds of notifications."""
    capture = folder / "capture.ndjson"
    with Listener("-v", "--capture", capture, "--expect", "user-created:2", "--respond", "200,500,200",
                  "--fault", "reset:0.000000001") as listener:
        credhook("send", "user-created", "--to", listener.url)
        credhook("send", "user-created", "--break", "missing-key", "--to", listener.url, "-q")
        (folder / "odd.json").write_bytes(ODD)
        (folder / "many.json").write_text(json.dumps({"service": "user", "details": {f"k{number}": 0 for number in range(1001)}}))
        credhook("send", "--file", folder / "odd.json", "--file", folder / "many.json", "--validate", "off", "--to", listener.url)
        rows = lines(listener.stop().out)
    return rows, lines(capture.read_text(encoding="utf-8"))


def sent(folder):
    """What send and replay tell, and their results."""
    capture = folder / "capture.ndjson"
    results = folder / "results.ndjson"
    with FaultServer(answer(200)) as server:
        rows = objects(credhook("send", "user-created", "bureau-alert", "--to", server.url, "--json", "-v"))
        rows += objects(credhook("send", "-f", folder / "odd.json", "--validate", "report", "--to", server.url, "--json"))
        rows += objects(credhook("replay", capture, "--to", server.url, "--json", "--compare", "--results", results))
        rows += objects(credhook("replay", capture, "--to", server.url, "--json", "--dry-run"))
        rows += objects(credhook("replay", capture, "--to", server.url, "--json", "--speed", 1000))
    rows += objects(credhook("send", "user-created", "--to", "127.0.0.1:1", "--json", "--dry-run", "-H", "Authorization: x"))
    rows += objects(credhook("send", "--file", folder / "bad.json", "--to", "127.0.0.1:1", "--json"))
    with FaultServer(reset()) as server:
        rows += objects(credhook("send", "user-created", "--to", server.url, "--json"))
    rows += objects(credhook("replay", capture, "--to", "127.0.0.1:1", "--json", "--retry", 1, "--retry-delay", "1ms"))
    return rows, lines(results.read_text(encoding="utf-8"))


def configured(folder):
    """What config tells, without a file and with one."""
    (folder / "c.json").write_text(json.dumps({
        "clientId": "demo", "defaults": {"details.appKey": "4f8875d1-949b-4247-a535-9b81b08a5ef8"},
        "environments": {"sandbox": {"url": "http://127.0.0.1:1/", "headers": {"X-Source": "test"}},
                         "production": {"url": "http://127.0.0.1:2/", "protected": True}}}))
    return (objects(credhook("config", "--json", "--no-config")) +
            objects(credhook("config", "--json", "--config", folder / "c.json")))


def of_the_shell(folder):
    """What the commands of a script print, the shell's own and others."""
    script = (f"listen 0\nsend user-created\nsend bureau-alert\nset details.bureau=x\nset\nreceived\ndiff 1 2\n"
              f"show 1\nvalidate {folder}/events\nhelp\nlisten -h\nexpect bureau-alert\nlisten stop\n"
              "listen 0 --validate off --rule fault=empty,times=1\nuse listener\n"
              "send user-created --retry 1 --retry-unknown --retry-delay 1ms\nreceived\n")
    return objects(credhook("shell", "--json", stdin=script))


def tested():
    """A check, the summary, and the list."""
    with FaultServer(answer(200)) as server:
        rows = objects(credhook("test", "deliver/user-created", "--to", server.url, "--json"))
    return rows + objects(credhook("test", "--list", "repeat", "--json"))


def why(folder):
    """What all failures of a capture have in common, beside its records."""
    (folder / "day.ndjson").write_text(day(unknown_code, count=2500))
    return lines(credhook("show", folder / "day.ndjson", "--json").expect(0).err)


def outputs():
    """{schema: its rows}: a bit of everything that is printed with --json, or written as a file of lines."""
    folder = new_folder()
    shutil.copytree(SOURCE / "samples" / "events", folder / "events")
    (folder / "bad.json").write_text('{"service":"usr"}')
    listened, records = received(folder)
    delivered, results = sent(folder)
    return {
        "version": objects(credhook("--version", "--json")),
        "help": objects(credhook("help", "--json")),
        "events": objects(credhook("events", "--json")),
        "explain": objects(credhook("explain", "--json")) + objects(credhook("explain", "appKey", "--json")),
        "validate": objects(credhook("validate", "--json", "--require", "all", folder / "events", folder / "bad.json",
                                     folder / "many.json", folder / "capture.ndjson")),
        "error": errors(credhook("send", "nonsense", "--json")) + errors(credhook("--json", "nonsense")),
        "listen": listened,
        "record": records,
        "delivery": delivered,
        "results": results,
        "shell": of_the_shell(folder),
        "config": configured(folder),
        "cause": why(folder),
        "test": tested(),
    }


def test_every_output_is_as_its_schema_says():
    if not jsonschema:
        raise Skip("python3-jsonschema is not installed")
    schemas = {path.stem.removeprefix("output-"): Schema(path) for path in sorted(FOLDER.glob("output-*.json"))}
    printed = outputs()
    printed["shell"] = [row for row in printed["shell"] if row.get("type") in SHELL_ROWS]
    assert printed.keys() == schemas.keys(), printed.keys() ^ schemas.keys()
    assert {"body", "body_base64"} <= {key for row in printed["record"] for key in row}, "one kind of body is missing"
    for name, rows in printed.items():
        assert rows, f"{name}: no output"
        for row in rows:
            schemas[name].check(row)
    unseen = [f"{schema.name}: nothing here is {title}" for schema in schemas.values()
              for index, title in enumerate(schema.titles) if index not in schema.seen]
    assert not unseen, "\n".join(unseen)


def type_name(value):
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, (int, float)) else type(value).__name__


def collect_types(value, types):
    """{key: the types of its values}, at any depth. Keys that are data, not ours, are passed over, and null is of any
    type."""
    if isinstance(value, list):
        for item in value:
            collect_types(item, types)
    elif isinstance(value, dict):
        for key, item in value.items():
            if item is not None and key not in PAYLOAD_VALUES:
                types.setdefault(key, set()).add(type_name(item))
            if key not in KEYED_BY_DATA:
                collect_types(item, types)


def test_a_key_has_one_type_in_a_stream():
    for stream, rows in outputs().items():
        types = {}
        collect_types(rows, types)
        several = {key: sorted(names) for key, names in types.items() if len(names) > 1}
        assert not several, f"{stream}: {several}"


def test_percentiles_of_nothing_are_null():
    *_, summary = objects(credhook("send", "user-created", "--to", "127.0.0.1:1", "--json"))
    assert summary["latency"] and set(summary["latency"].values()) == {None}, summary


def test_every_command_has_a_schema():
    for command in objects(credhook("help", "--json")):
        name = SCHEMA_OF.get(command["name"], command["name"])
        assert name is None or (FOLDER / f"output-{name}.json").exists(), command["name"]


def test_json_in_the_manual_is_as_its_schema_says():
    if not jsonschema:
        raise Skip("python3-jsonschema is not installed")
    found = {path.name: re.findall(r"^\.Bd -literal[^\n]*\n({.*?)^\.Ed$", path.read_text(encoding="utf-8").replace("\\-", "-"), re.S | re.M)
             for path in sorted((SOURCE / "man").glob("*.[157]"))}
    assert {name: len(texts) for name, texts in found.items() if texts} == {name: len(kinds) for name, kinds in IN_THE_MANUAL.items()}
    for name, kinds in IN_THE_MANUAL.items():
        for text, kind in zip(found[name], kinds, strict=True):
            row = json.loads(text)
            if kind:
                Schema(FOLDER / f"output-{kind}.json").check(row)
            else:
                path = new_folder() / "config.json"
                path.write_text(text, encoding="utf-8")
                credhook("config", "--config", path).expect(0)


def test_a_key_too_many_is_found():
    if not jsonschema:
        raise Skip("python3-jsonschema is not installed")
    schema = Schema(FOLDER / "output-version.json")
    row = objects(credhook("--version", "--json"))[0]
    schema.check(row)
    try:
        schema.check({**row, "more": 1})
    except AssertionError:
        return
    raise AssertionError("a key that the schema lacks was not found")


if __name__ == "__main__":
    run()

#!/usr/bin/python3
"""What `credhook schema` writes: documents of their kinds, with the catalogue's facts and validate's verdicts.

Their own tools (ajv, redocly, spectral, quicktype and others) read them in tests/long/schema.sh.
"""
# rooms: catalog schema
import itertools
import json
import os
import pathlib
import random
import re
import sys

import jsonschema

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "schema"))
import second_opinion_payloads as payloads
import support
from opinion import NotJson, RepeatedKey, Validator, strict_read
from support import credhook

SOURCE = pathlib.Path(os.environ.get("SOURCE") or pathlib.Path(__file__).resolve().parents[2])
SAMPLES = {"notification.schema.json": ["--for", "validators"], "notification.types.json": [],
           "openapi.json": ["--format", "openapi"]}
CASES = 120  # of each group of payloads, chosen at random: python3-jsonschema is slow


def schema(*args):
    return credhook("schema", *args).expect(0).out


def test_the_samples_are_what_it_writes():
    folder = SOURCE / "samples/schemas"
    assert {path.name for path in folder.iterdir()} == set(SAMPLES)
    for name, args in SAMPLES.items():
        assert schema(*args) == (folder / name).read_text(encoding="utf-8"), \
            f"credhook schema {' '.join(args)} > samples/schemas/{name}"
    assert min(SAMPLES) == "notification.schema.json", "who takes the first has the one for validators"


def test_the_readme_names_each_sample_for_what_it_is():
    readme = (SOURCE / "samples/README.md").read_text(encoding="utf-8")
    for name, args in SAMPLES.items():
        row, = re.findall(rf"^\| `{re.escape(name)}` \|.*\| `credhook (schema.*)` \|$", readme, re.M)
        assert row.split() == ["schema", *args], row
    recipe, = re.findall(r"ajv validate .*\\\n.*", readme)
    assert "-s samples/schemas/notification.schema.json" in recipe, recipe
    generated, = re.findall(r"npx json-schema-to-typescript (\S+)", readme)
    assert generated == "samples/schemas/notification.types.json"


def test_with_json_it_is_one_line():
    line, = schema("--json").splitlines()
    assert json.loads(line) == json.loads(schema())


def type_of(value):
    """What `credhook events --json` calls a schema's type."""
    if value["type"] == "integer":
        return "integer"
    if "format" in value:
        assert value["format"] == "uuid"
        return "string (UUID)"
    if value.get("enum") == ["true", "false"]:
        return "string (true or false)"
    if "pattern" in value:
        return "string (signed integer)"
    return "string"


def members(definitions, value):
    """A schema's properties, as `credhook events --json` lists the members of an object."""
    rows = []
    for name, member in value["properties"].items():
        if "$ref" in member:
            inner = definitions[member["$ref"].removeprefix("#/$defs/")]
            rows.append({"name": name, "type": "object", "open": inner.get("additionalProperties", False),
                         "members": members(definitions, inner)})
        else:
            row = {"name": name, "type": type_of(member)}
            if "enum" in member and row["type"] == "string":
                row = {"name": name, "type": "choice", "values": member["enum"]}
            rows.append(row)
    assert value.get("required", []) == list(value["properties"])
    return rows


def catalogue(rows):
    """The same of what `events` says; the words for a choice and for signed integers are its own."""
    made = []
    for row in rows:
        name = row["type"] if row["type"] in ("integer", "object", "string", "string (UUID)", "string (true or false)") \
            else "choice" if "values" in row else "string (signed integer)"
        made.append({"name": row["name"], "type": name})
        made[-1].update({key: row[key] for key in ("values", "open") if key in row})
        if "members" in row:
            made[-1]["members"] = catalogue(row["members"])
    return made


def test_it_says_what_the_catalogue_says():
    document = json.loads(schema())
    definitions = document["$defs"]
    events = [json.loads(line) for line in credhook("events", "--json").expect(0).out.splitlines()]
    branches = [definitions[branch["$ref"].removeprefix("#/$defs/")] for branch in document["oneOf"]]
    assert len(events) == len(branches), (len(events), len(branches))
    for event, branch in zip(events, branches):
        properties = branch["properties"]
        for key in ("service", "event", "method"):
            assert properties[key] == {"type": "string", "const": event[key]}
        path = properties.get("path", {"const": None})
        assert (path.get("enum") or [path["const"]]) == (event.get("paths") or [event["path"]])
        details = definitions[properties["details"]["$ref"].removeprefix("#/$defs/")]
        assert members(definitions, details) == catalogue(event["details"])




def chosen_payloads():
    rng = random.Random(7)
    for cases in payloads.groups(7, 2000).values():
        cases = list(cases)
        for _, data in rng.sample(cases, min(CASES, len(cases))):
            yield data


def test_both_flavours_have_the_verdicts_of_validate():
    values, lines = [], []
    for data in chosen_payloads():
        try:
            values.append(strict_read(data))
        except (NotJson, RepeatedKey):
            continue  # what a schema cannot say
        lines.append(data + b"\n")
    cases = pathlib.Path(support.new_folder()) / "cases.ndjson"
    cases.write_bytes(b"".join(lines))
    done = credhook("validate", "--json", "--no-config", str(cases))
    verdicts = [json.loads(line)["valid"] for line in done.out.splitlines()]
    validators = [Validator(json.loads(schema(*args))) for args in ([], ["--for", "validators"])]
    assert len(verdicts) == len(values) > 500 and set(verdicts) == {True, False}
    for line, value, valid in zip(lines, values, verdicts):
        if rb'\n"' in line:
            continue  # Python's $ matches before a newline, ECMA-262's, which JSON Schema means, does not
        for validator in validators:
            assert validator.is_valid(value) is valid, (validator.schema["$id"], line[:500])


def test_one_defect_is_at_most_three_errors():
    validator = jsonschema.Draft202012Validator(json.loads(schema("--for", "validators")))
    for finding in ("wrong-type", "missing-key", "unexpected-path", "unknown-event", "bad-format", "bad-value"):
        broken = credhook("build", "all", "--break", finding, "--seed", "1").out.splitlines()
        for line in broken:
            errors = list(validator.iter_errors(json.loads(line)))
            assert 1 <= len(errors) <= 3, (line, [error.message for error in errors])
        assert broken, finding


def test_schemas_are_schemas():
    for args in ([], ["--for", "validators"]):
        jsonschema.Draft202012Validator.check_schema(json.loads(schema(*args)))


def references(value):
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"]
        value = value.values()
    elif not isinstance(value, list):
        return
    yield from itertools.chain.from_iterable(map(references, value))


def test_each_reference_leads_somewhere():
    for args in ([], ["--for", "validators"], ["--format", "openapi"]):
        for events in ([], ["bureau-alert"], ["monitored-element-added/email", "user-created"]):
            document = json.loads(schema(*args, *events))
            found = set(references(document))
            for reference in found:
                at = document
                for key in reference.removeprefix("#/").split("/"):
                    at = at[key]
            assert found, args


def test_events_are_chosen():
    document = json.loads(schema("bureau-alert", "user-created", "bureau-alert"))
    assert [branch["$ref"] for branch in document["oneOf"]] == ["#/$defs/UserCreated", "#/$defs/BureauAlert"]
    assert schema("all") == schema()
    assert list(json.loads(schema("--format", "openapi", "user-created"))["webhooks"]) == ["UserCreated"]
    assert "'nonsense'" in credhook("schema", "nonsense").expect(2).err


def test_openapi_says_whose_it_is():
    """What linters ask for."""
    info = json.loads(schema("--format", "openapi"))["info"]
    assert info["license"] == {"name": "MIT", "identifier": "MIT"} and info["contact"]["name"], info


def test_flavours_are_of_json_schema():
    assert "--for validators" in credhook("schema", "--format", "openapi", "--for", "validators").expect(2).err


if __name__ == "__main__":
    support.run()

#!/usr/bin/python3
"""Writes what the manual takes from the binary: python3 tests/tools/update-docs.py BINARY [--check | --size[=raise]]

Run it after a change of an option, a command, an exit code, a finding or the catalogue, read `git diff`, and commit.
In man/ it rewrites what stands between BEGIN and END comments, and begins a page for a command that has none. What the
manual says of an option is in man/options.txt. The schemas of the output get one style. With --check it writes
nothing, shows what would change, and exits 1 if anything would: so does the test.
--size writes nothing of the manual, only the table of src/README.md that says how long files may be: lower numbers; with
raise higher ones too. So a change of an option takes both calls.
"""

import difflib
import json
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import mdoc  # noqa: E402  pylint: disable=wrong-import-position
import schema as style  # noqa: E402  pylint: disable=wrong-import-position
import size  # noqa: E402  pylint: disable=wrong-import-position

ROOT = Path(__file__).resolve().parents[2]
REGION = re.compile(r'^(\.\\" BEGIN ([a-z-]+))\n.*?^(\.\\" END \2)$', re.MULTILINE | re.DOTALL)
EVERYWHERE = "Global options"
OTHER_PAGES = ["credhook-capture 5", "credhook-config 5", "credhook-json 5", "credhook-brokers 7", "credhook-checks 7",
               "credhook-effects 7", "credhook-events 7"]
SCHEMAS = ROOT / "tests" / "schema"
# What to try first: credhook(1) has its own.
FIRST_STEPS = [
    {"command": "credhook build all --seed 7 -o fixtures/", "meaning": "make a file per event and element"},
    {"command": "credhook validate fixtures", "meaning": "check them"},
    {"command": "credhook listen 8080 --capture capture.ndjson", "meaning": "receive, check and capture"},
    {"command": "credhook send all --to :8080/hook", "meaning": "send one of each, from another terminal"},
    {"command": "credhook replay capture.ndjson --to :8080/hook", "meaning": "send again what was captured"},
]
# What "COMMAND" is in an example of an option that several commands have.
SUBJECTS = {"build": "build all", "send": "send all", "replay": "replay capture.ndjson"}
SKELETON = """.\\" What stands between BEGIN and END is written by tests/tools/update-docs.py.
.Dd November 20, 2026
.Dt CREDHOOK-{upper} 1
.Os
.Sh NAME
.Nm credhook\\-{name}
.\\" BEGIN name
.\\" END name
.Sh SYNOPSIS
.\\" BEGIN synopsis
.\\" END synopsis
.Sh DESCRIPTION
{summary}
.Sh OPTIONS
.\\" BEGIN options
.\\" END options
.Sh ENVIRONMENT
.\\" BEGIN environment
.\\" END environment
.Sh FILES
.\\" BEGIN files
.\\" END files
.Sh EXIT STATUS
.\\" BEGIN exit-status
.\\" END exit-status
.Sh EXAMPLES
.\\" BEGIN examples
.\\" END examples
.Sh SEE ALSO
.\\" BEGIN see-also
.\\" END see-also
"""


# Their pages say themselves what their exit codes mean.
OWN_EXIT_STATUS = ["listen", "shell", "test"]
# (variable, what it does, the commands whose pages name it or None for all)
ENVIRONMENT = [
    ("CREDHOOK_CONFIG", "The configuration file, unless `--config` names one.", None),
    ("XDG_CONFIG_HOME", "Where `credhook/config.json` is, unless the variable above names a file. The default is `~/.config`.",
     None),
    ("NO_COLOR", "If it is not empty, output has no colour, unless `--color always` asks for it.", None),
    ("FORCE_COLOR, CLICOLOR_FORCE", "If one is neither empty nor `0`, output has colour, unless `--color` or `NO_COLOR` says "
     "otherwise.", None),
    ("COLUMNS", "The width of help where there is no terminal; results are not cut there.", None),
    ("TZ", "The zone of times that are printed and typed. The default is the machine's.", None),
    ("SSL_CERT_FILE", "Certificate authorities to trust (PEM) for https, unless `--cacert` names others.", ["send", "replay", "test", "listen",
                                                                                              "shell"]),
    ("SSL_CERT_DIR", "A directory of certificate authorities, unless `--cacert` is given.", ["send", "replay", "test", "listen",
                                                                                         "shell"]),
    ("PAGER", "The program that shows long help on a terminal. The default is `less -FRX`.", ["help"]),
    ("TMPDIR", "Where reports to stdout, a device or a FIFO go until they are whole. The default is `/tmp`.", ["validate", "send", "replay",
                                                                                                      "test", "listen"]),
    ("CREDHOOK_URL", "Set for COMMAND: where notifications are accepted.", ["listen"]),
    ("TMPDIR", "Where the certificate of `--tls-self-signed` goes. The default is `/tmp`.", ["listen"]),
    ("VISUAL", "The editor that `edit` starts. Without it `EDITOR` is used, then `vi`.", ["shell"]),
    ("XDG_STATE_HOME", "Where `credhook/history` is. The default is `~/.local/state`.", ["shell"]),
]
FILES = [
    ("~/.config/credhook/config.json", "The configuration. See `credhook-config`(5).", None),
    ("CAPTURE", "The file of `--capture`; see `credhook-capture`(5).", ["listen"]),
    ("RESULTS.inflight", "Beside the file of `--results` while its run can be continued: what is in flight.", ["send", "replay"]),
    ("~/.local/state/credhook/history", "The lines typed at the prompt: each once, 1,000 at most, mode 0600. A line that begins with "
     "a blank, or holds a header's value or a password in a URL, is not kept.", ["shell"]),
]


class OptionTexts:
    """What man/options.txt says of each option."""

    def __init__(self, path, problems):
        self.path, self.problems, self.rows, self.used = path, problems, [], set()
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("--"):
                option, *commands = line.split()
                self.rows.append((option[2:], commands, []))
            elif self.rows and not line.startswith("#"):
                self.rows[-1][2].append(line)

    def of(self, command, option):
        for row, (name, commands, lines) in enumerate(self.rows):
            if name == option["name"] and (not commands or command["name"] in commands):
                self.used.add(row)
                own = SUBJECTS.get(command["name"], command["name"])
                return mdoc.paragraphs(line.replace("credhook COMMAND", f"credhook {own}") for line in lines)
        self.problems.append(f'{self.path.name}: nothing about --{option["name"]} of {command["name"]}')
        return []

    def check(self):
        for row, (name, commands, _) in enumerate(self.rows):
            if row not in self.used:
                self.problems.append(f"{self.path.name}: no page has --{name} {' '.join(commands)}".rstrip())
        for name in {name for name, _, _ in self.rows}:
            texts = [commands for other, commands, _ in self.rows if other == name]
            named = [command for commands in texts for command in commands]
            if len(texts) > 1 and (not all(texts) or len(named) != len(set(named))):
                self.problems.append(f"{self.path.name}: several texts for a page's --{name}: name the commands of each")


class Facts:
    """What the binary says of itself."""

    def __init__(self, binary, problems):
        self.binary = str(Path(binary).resolve())
        self.texts = OptionTexts(ROOT / "man" / "options.txt", problems)
        topics = self.ask("explain")
        self.commands = self.ask("help")
        self.events = self.ask("events")
        self.topics = topics
        self.findings = [row for row in topics if row["kind"] == "finding"]
        self.exit_codes = [row for row in topics if row["kind"] == "exit code"]
        self.outcomes = [row for row in topics if row["kind"] == "outcome"]
        self.everywhere = [o for o in self.commands[0]["options"] if o["group"] == EVERYWHERE]

    def ask(self, *words):
        out = subprocess.run([self.binary, *words, "--json", "--no-config"], check=True, capture_output=True).stdout
        return [json.loads(line) for line in out.splitlines()]


def see_also(facts, own):
    pages = sorted(["credhook 1"] + [f'credhook-{c["name"]} 1' for c in facts.commands],
                   key=lambda page: page) + OTHER_PAGES
    pages = [page.replace("-", "\\-") for page in pages if page != own]
    return [f".Xr {page} ," for page in pages[:-1]] + [f".Xr {pages[-1]}"]


def other_pages():
    """The pages that are not of commands, with what they say of themselves; brokers, which few need, last."""
    rows = []
    for page in sorted(OTHER_PAGES, key="credhook-brokers 7".__eq__):
        name, section = page.split()
        phrase = re.search(r"^\.Nd (.*)$", (ROOT / "man" / f"{name}.{section}").read_text(encoding="utf-8"), re.MULTILINE)[1]
        rows.append((f"Xr {page}".replace("-", "\\-"), f"{phrase[0].upper()}{phrase[1:]}."))
    return mdoc.table(rows)


def examples(rows):
    lines = []
    for row in rows:
        lines += [mdoc.sentence(row["meaning"])[:-1] + ":", *mdoc.example(row["command"]), ".Pp"]
    return lines[:-1]


def synopsis(command):
    lines = [f'.Nm credhook {command["name"]}']
    operands, dashes, _ = command["operands"].partition(" [OPTION]... [-- COMMAND [ARG]...]")
    for token in operands.split():
        optional = token.startswith("[")
        more = token.endswith("...")
        token = token.removesuffix("...")
        token = token[1:-1] if optional and token.endswith("]") else token
        words = []
        for part in token.split("|"):
            again = " ..." if part.endswith("...") else ""
            part = part.removesuffix("...")
            macro = "Cm" if re.fullmatch("[a-z-]+", part) else "Ar"
            words.append(f"{macro} {mdoc.quoted(part)}{again}")
        text = " | ".join(words) + (" ..." if more else "")
        lines.append(f'.{"Op " if optional else ""}{text}')
    return lines + [".Op Ar OPTION ..."] + ([r".Op Fl \- Ar COMMAND Op Ar ARG ..."] if dashes else [])


def outcomes(facts):
    return mdoc.table([(f'Sy {row["topic"]}', mdoc.sentence(row["summary"])) for row in facts.outcomes],
                      width="accepted")


def levels(facts):
    return mdoc.table([(f'Cm {row["topic"]}', mdoc.sentence(row["summary"])) for row in of_kind(facts, "level")],
                      width="should")


def option_list(facts, command, options):
    lines = [".Bl -tag -width Ds"]
    for option in options:
        lines += [mdoc.option_item(option), *facts.texts.of(command, option)]
        if option["choices"]:
            lines += [f'One of {mdoc.prose(mdoc.listed(option["choices"]))}.']
        if option["default"]:
            lines += ["The default is", f'.Cm {mdoc.quoted(option["default"])} .']
    return lines + [".El"]


def places(rows, macro, command):
    """Variables of the environment, or files, that concern a command."""
    lines = [".Bl -tag -width Ds"]
    for name, text, commands in rows:
        if not commands or command in commands:
            lines += [f".It {macro} {mdoc.quoted(name)}", *mdoc.paragraphs([text])]
    return lines + [".El"]


def exit_status(facts):
    return mdoc.table([(str(row["code"]), mdoc.sentence(row["summary"])) for row in facts.exit_codes])


def checks(facts):
    """What `test` checks, a list per group."""
    groups = {}
    for row in of_kind(facts, "check"):
        groups.setdefault(row["topic"].split("/")[0], []).append(row)
    lines = []
    for group, rows in groups.items():
        lines += [f".Ss {group}"] + mdoc.table(
            (f'Sy {mdoc.escape(row["topic"])} Pq {row["level"]}',
             f'{mdoc.sentence(row["summary"])}\nExpected: {mdoc.prose(row["expected"])}'
             + (f'; tolerated: {mdoc.prose(row["tolerated"])}' if row["tolerated"] else "") + ".\n"
             + mdoc.sentence(f'{row["defined_by"]}: {row["why"]}')) for row in rows)
    return lines


def command_page(facts, command):
    groups = {}
    for option in command["options"]:
        groups.setdefault(option["group"], []).append(option)
    options = []
    for title, rows in groups.items():
        if title != EVERYWHERE:
            options += [f".Ss {title}"] + option_list(facts, command, rows)
    names = [f'.Fl {o["letter"]}' if o["letter"] else f'.Fl \\-{mdoc.escape(o["name"])}'
             for o in groups.get(EVERYWHERE, [])]
    options += [f".Ss {EVERYWHERE}"] if options else []
    options += ["The options of", ".Xr credhook 1", "hold here too:"]
    options += [f"{name} ," for name in names[:-2]] + [names[-2], "and", f"{names[-1]} ."]
    more = {"outcomes": outcomes(facts)} if command["name"] in ("send", "replay") else {}
    more = {"levels": levels(facts)} if command["name"] == "test" else more
    return {
        **more,
        "name": [f'.Nd {mdoc.prose(command["phrase"])}'],
        "synopsis": synopsis(command),
        "options": options,
        "environment": places(ENVIRONMENT, "Ev", command["name"]),
        "files": places(FILES, "Pa", command["name"]),
        **({} if command["name"] in OWN_EXIT_STATUS else {"exit-status": exit_status(facts)}),
        "examples": examples(command["examples"]),
        "see-also": see_also(facts, f'credhook-{command["name"]} 1'),
    }


def main_page(facts):
    return {
        "commands": mdoc.table([(f'Xr credhook\\-{c["name"]} 1', mdoc.prose(c["summary"])) for c in facts.commands]),
        "options": option_list(facts, facts.commands[0], facts.everywhere),
        "environment": places(ENVIRONMENT, "Ev", "credhook"),
        "files": places(FILES, "Pa", "credhook"),
        "findings": mdoc.table([(f'Sy {mdoc.escape(f["topic"])} Pq {f["severity"]}',
                                 mdoc.sentence(f["summary"]))
                                for f in facts.findings]),
        "outcomes": outcomes(facts),
        "exit-status": exit_status(facts),
        "examples": examples(FIRST_STEPS),
        "see-also": other_pages(),  # those of the commands are named above
    }


def field_rows(members, prefix):
    for member in members:
        name = f'{prefix}.{member["name"]}'
        text = mdoc.sentence(member["meaning"])
        if member.get("values"):
            text += f'\nOne of {mdoc.listed(member["values"])}.'
        if member.get("open"):
            text += "\nFurther keys are allowed."
        yield f'Li {mdoc.escape(name)} Pq {mdoc.prose(member["type"])}', text
        yield from field_rows(member.get("members", []), name)


def of_kind(facts, kind):
    return [row for row in facts.topics if row["kind"] == kind]


def privacy(facts):
    """Which fields are redacted in which way."""
    fields = {}
    for row in of_kind(facts, "field"):
        fields.setdefault(row["redacted"], []).append(row["field"])
    return mdoc.table((f"Li {mdoc.quoted(name)}" if rest else f"No {mdoc.quoted(name)}",
                       mdoc.sentence(f"{rest.strip()}: {', '.join(names)}" if rest else ", ".join(names)))
                      for (name, _, rest), names in ((text.partition(":"), names) for text, names in fields.items()))


def named(facts, kind):
    return mdoc.table((f'Li {mdoc.quoted(row["topic"])}', mdoc.sentence(row["summary"])) for row in of_kind(facts, kind))


def envelope(facts):
    return mdoc.table((f'Li {row["topic"]} Pq {row["type"]}',
                       f'{mdoc.sentence(row["meaning"])}\nRequired: {mdoc.prose(row["required"])}.')
                      for row in ({**field, "meaning": field["summary"]} for field in of_kind(facts, "field"))
                      if row["required"])


def notes(facts):
    return mdoc.table((f'Section {mdoc.escape(row["section"])}', mdoc.sentence(row["summary"]))
                      for row in of_kind(facts, "topic") if row["topic"] == "inconsistencies")


def not_specified(facts):
    """What the specification leaves open: by itself, and of fields."""
    rows = [(f'Section {mdoc.escape(row["section"])}', row["summary"]) for row in of_kind(facts, "topic") if not row["specified"]]
    rows += [(f'Li {row["topic"]}', text) for row in of_kind(facts, "field") for text in row["not_specified"]]
    return mdoc.table((term, mdoc.sentence(text)) for term, text in rows)


def events_page(facts):
    lines = []
    for event in facts.events:
        paths = event.get("paths") or [event["path"]]
        lines += [f'.Ss {mdoc.escape(event["name"])}',
                  mdoc.sentence(event["trigger"]), ".Bd -literal -offset indent",
                  f'service  {event["service"]}', f'event    {event["event"]}', f'method   {event["method"]}']
        lines += [f'{"path" if i == 0 else "":8} {path or "(none)"}' for i, path in enumerate(paths)]
        lines += [".Ed"] + mdoc.table(field_rows(event["details"], "details"))
    return {"envelope": envelope(facts), "events": lines, "operations": named(facts, "operation"),
            "dispute-statuses": named(facts, "dispute status"), "notes": notes(facts),
            "not-specified": not_specified(facts), "see-also": see_also(facts, "credhook-events 7")}


def expanded(schema, definitions):
    """A schema with what it refers to in its place; what holds itself stays a name."""
    if isinstance(schema, list):
        return [expanded(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    definition = definitions.get(schema.get("$ref", "").removeprefix("#/$defs/"))
    if definition and schema["$ref"] not in json.dumps(definition):
        schema = {**definition, **{key: value for key, value in schema.items() if key != "$ref"}}
    return {key: expanded(value, definitions) for key, value in schema.items()}


def schema_of(path):
    """What a file of SCHEMAS says, with its definitions where they are used."""
    document = json.loads(path.read_text(encoding="utf-8"))
    return expanded(document, document.get("$defs", {}))


def json_type(schema):
    """What a value is, in words."""
    if schema is True:
        return "any value"
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", maxsplit=1)[1]
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return mdoc.listed([json.dumps(value) for value in schema["enum"]])
    if "anyOf" in schema or "oneOf" in schema:
        return mdoc.listed(list(dict.fromkeys(json_type(choice) for choice in schema.get("anyOf") or schema["oneOf"])))
    kind = schema.get("type", "any value")
    if kind == "array":
        return "array of " + json_type(schema["items"]) if isinstance(schema.get("items"), dict) else "array"
    return mdoc.listed(kind) if isinstance(kind, list) else kind


def key_rows(schema, before=""):
    """(key, what it is) of an object and those within it."""
    for key, value in schema.get("properties", {}).items():
        name = before + key
        always = key in schema.get("required", [])
        text = json_type(value)
        value = value if isinstance(value, dict) else {}
        if "description" in value:
            text += f': {value["description"]}'
        yield f'Li {mdoc.quoted(name if always else f"({name})")}', mdoc.sentence(text)
        inner = value.get("items") if value.get("type") == "array" else value
        if isinstance(inner, dict):
            yield from key_rows(inner, f"{name}[]." if inner is not value else f"{name}.")


def json_page(facts):
    lines = []
    for path in sorted(SCHEMAS.glob("output-*.json")):
        document = schema_of(path)
        lines += [f'.Ss {mdoc.quoted(document["title"])}', "Schema:", f".Pa {mdoc.escape(path.name)} ."]
        for shape in document["oneOf"]:
            lines += [".Pp"]
            if "description" in shape:
                lines += [mdoc.sentence(shape["description"])[:-1] + ":", ".Pp"]
            lines += mdoc.table(key_rows(shape), width="recorded_status", compact=True)
    return {"objects": lines, "see-also": see_also(facts, "credhook-json 5")}


def regions_of(name, facts):
    """{region: lines} of the page of that file name."""
    commands = {f'credhook-{c["name"]}.1': c for c in facts.commands}
    if name == "credhook.1":
        return main_page(facts)
    if name == "credhook-events.7":
        return events_page(facts)
    if name == "credhook-json.5":
        return json_page(facts)
    if name == "credhook-capture.5":
        return {"privacy": privacy(facts), "see-also": see_also(facts, "credhook-capture 5")}
    if name in commands:
        return command_page(facts, commands[name])
    own = {"credhook-brokers.7": lambda: scripts("brokers"), "credhook-checks.7": lambda: {"checks": checks(facts)}}.get(name, dict)()
    return {**own, "see-also": see_also(facts, name.replace(".", " "))}


def scripts(folder):
    """The files of a folder of samples/, each as one literal block."""
    regions = {}
    for path in sorted((ROOT / "samples" / folder).iterdir()):
        lines = path.read_text(encoding="utf-8").expandtabs(4).splitlines()
        regions[path.stem] = [".Bd -literal", *map(mdoc.escape, lines), ".Ed"]
    return regions


def fill(text, regions, name, problems):
    found = set()

    def replace(match):
        found.add(match.group(2))
        body = "\n".join(regions.get(match.group(2), []))
        return f"{match.group(1)}\n{body}\n{match.group(3)}" if body else f"{match.group(1)}\n{match.group(3)}"

    text = REGION.sub(replace, text)
    problems += [f"man/{name}: no region '{region}'" for region in regions if region not in found]
    problems += [f"man/{name}: nobody writes the region '{region}'" for region in sorted(found - set(regions))]
    return text


def manual(facts, problems):
    """{path: text} of man/ as it has to be."""
    result = {}
    names = {path.name for path in (ROOT / "man").glob("*.[0-9]")}
    for command in facts.commands:
        names.add(f'credhook-{command["name"]}.1')
    known = {f'credhook-{c["name"]}.1' for c in facts.commands} | {"credhook.1"}
    for name in sorted(names):
        path = ROOT / "man" / name
        if name.endswith(".1") and name not in known:
            problems.append(f"man/{name}: there is no such command")
            continue
        command = next((c for c in facts.commands if f'credhook-{c["name"]}.1' == name), None)
        text = path.read_text(encoding="utf-8") if path.exists() else SKELETON.format(
            name=command["name"], upper=command["name"].upper(), summary=mdoc.prose(command["summary"]))
        result[path] = fill(text, regions_of(name, facts), name, problems)
    return result


def expected(binary):
    """({path: text}, problems): every generated file as it has to be."""
    problems = []
    facts = Facts(binary, problems)
    files = manual(facts, problems)
    for path in SCHEMAS.glob("output-*.json"):
        files[path] = style.written(json.loads(path.read_text(encoding="utf-8"))) + "\n"
    facts.texts.check()
    return files, problems


def size_table(binary, higher):
    """{path: text} of src/README.md with today's size."""
    path = ROOT / "src" / "README.md"
    listed = subprocess.run([binary, "help", "--json"], capture_output=True, text=True, check=True).stdout
    found = size.figures(ROOT, [json.loads(line) for line in listed.splitlines()])
    return {path: size.rewritten(path.read_text(encoding="utf-8"), found, higher)}


def differences(files):
    """Unified diffs of what stands there against what should."""
    for path, text in files.items():
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        if old != text:
            name = str(path.relative_to(ROOT))
            yield "".join(difflib.unified_diff(old.splitlines(True), text.splitlines(True), name, f"{name} (binary)",
                                               n=1))


def newer_source(binary):
    """A file of src/ that the binary cannot have been built of, or None: what it says would be of yesterday."""
    built = Path(binary).stat().st_mtime
    return next((path for path in sorted((ROOT / "src").rglob("*.*"))
                 if path.suffix in (".c", ".h", ".html") and path.stat().st_mtime > built), None)


def main():
    arguments = [word for word in sys.argv[1:] if word not in ("--check", "--size", "--size=raise")]
    if len(arguments) != 1:
        sys.exit(__doc__.split("\n", maxsplit=1)[0])
    newer = newer_source(arguments[0])
    if newer:
        sys.exit(f"{arguments[0]} is older than {newer.relative_to(ROOT)}: build it first")
    if "--size" in sys.argv or "--size=raise" in sys.argv:
        files, problems = size_table(arguments[0], "--size=raise" in sys.argv), []
    else:
        files, problems = expected(arguments[0])
    changes = list(differences(files))
    if "--check" in sys.argv:
        print("".join(changes), end="")
    else:
        for path, text in files.items():
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
                print(f"wrote {path.relative_to(ROOT)}")
    for problem in problems:
        print(problem, file=sys.stderr)
    sys.exit(1 if problems or ("--check" in sys.argv and changes) else 0)


if __name__ == "__main__":
    main()

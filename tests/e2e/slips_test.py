"""What people type who know other tools: the exit code of each slip, and the words that its answer must have. Nothing
listens, and nothing is sent."""

import io
import shlex
import zipfile

from captures import record, write_capture
from support import built, credhook, new_folder, run

USER = '{"service":"user","event":"201","method":"post","path":"/api/user/v2","details":{"firstName":"M\u00fcller"}}'


def archive():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("p.json", USER)
    return out.getvalue()


FILES = {
    "p.json": built("user-created"),
    "text": b"root:x:0:0\n",
    "bom.json": b"\xef\xbb\xbf" + USER.encode(),
    "utf16.json": USER.encode("utf-16"),
    "utf16le.json": USER.encode("utf-16-le"),
    "utf16be.json": USER.encode("utf-16-be"),
    "latin1.json": USER.encode("latin-1"),
    "details.json": b'{"service":"alerts","event":"push","method":"push","details":"{\\"appKey\\":1}"}',
    "string.json": b'"{\\"service\\":\\"user\\"}"',
    "array.json": f"[{USER}]".encode(),
    "wrapped.json": f'{{"body":{USER}}}'.encode(),
    "quoted.json": b'{"id":7,"body":"{\\"service\\":\\"user\\"}"}',
    "yaml.json": b"---\nservice: user\n",
    "plain.json": b"service: user\nevent: 201\n",
    "xml.json": b'<?xml version="1.0"?><service/>',
    "zip.json": archive(),
}

# What follows `credhook`, the exit code, and what stdout and stderr must hold.
SLIPS = {
    "events": [
        ("send user created --to :1", 2, "user-created is the first of them"),
        ("send bureau alert --to :1", 2, "did you mean bureau-alert?"),
        ("build failed", 2, "credhook events lists all"),
        ("send /api/user/v2 --to :1", 2, "credhook events lists all"),
        ("send email --to :1", 2, "monitored-element-added/email"),
        ("build ssn", 2, "write monitored-element-added/ssn"),
        ("send user-created,bureau-alert --to :1", 4, "2 deliveries not sent"),
        ("build user-created,bureau-alert,email", 2, "write monitored-element-added/email"),
        ("build user-created,bureau-alert", 0, '"/api/user/v2"', '"alerts"'),
        ("build user-created,", 2, "'user-created,' is not a list of events"),
        ("schema user-created,bureau-alert", 0, '"const": "user"', '"const": "alerts"'),
        ("test user-created --to :1", 2, "'deliver/user-created'"),
        ("test email --to :1", 2, "credhook test --list"),
        ("listen 0 --expect user-created=2", 2, "user-created:N"),
        ("listen 0 --expect details.appKey=2", 2, "write EVENT,details.appKey=2"),
    ],
    "spelling": [
        ("build al", 2, "did you mean all?"),
        ("replay p.json --to :1 --events al", 2, "did you mean all?"),
        ("build al/email", 2, "credhook events lists all"),
        ("send user-created -to :8094", 2, "did you mean --to?"),
        ("send user-created --to htp://127.0.0.1", 2, "the scheme is not http or https"),
        ("build user-created --set details.appkey=x", 2, "did you mean details.appKey?"),
        ("build user-created --set city=x", 2, "did you mean details.address.city?"),
        ("build bureau-alert --set details.disputeStatus=x", 2, "did you mean details.alertDetails.disputeStatus?"),
    ],
    "operands": [
        ("send localhost user-created", 2, "--to localhost"),
        ("send p.json --to :1", 2, "p.json"),
        ("build p.json", 2, "credhook validate p.json"),
        ("replay p.json http://user:secret@127.0.0.1:1/hook", 2, "--to http://user:***@127.0.0.1:1/hook"),
        ("replay p.json 127.0.0.1:8080/hook", 2, "--to 127.0.0.1:8080/hook"),
        ("test :3000/hook", 2, "--to :3000/hook"),
        ("test p.json --to :1", 2, "credhook send"),
        ("show c.ndjson 3-1", 3, "cannot open '3-1'"),
        ("show c.ndjson --events user-created bureau-alert", 2, "--events user-created,bureau-alert"),
        ("listen 5156 :3000", 2, "--forward-to :3000"),
        ("listen 5156 x.ndjson", 2, "--capture x.ndjson"),
        ("listen 5156 python3 app.py", 2, "write -- before it"),
        ("listen 0 --respond 200 503", 2, "--respond 200,503"),
        ("replay c.ndjson --events user-created bureau-alert --to :1", 2, "--events user-created,bureau-alert"),
        ("validate '{}'", 3, "to read from standard input, write -"),
        ("validate '[{}]'", 3, "write -"),
        ("show '{}'", 3, "write -"),
        ("listen /hook", 2, "a path goes to --path"),
        ("config show", 2, "man 5 credhook-config"),
        ("listen 203.0.113.9:0", 3, "write an address of this machine"),
        ("listen nowhere.invalid:0", 3, "write an address of this machine"),
    ],
    "values": [
        ("validate p.json --report junit", 2, "write junit=FILE"),
        ("validate p.json --report xml", 2, "FORMAT=FILE"),
        ("send user-created --to :1 --report sarif=s.sarif", 2, "with one of junit, html"),
        ("test --observe --to :1", 2, "--observe requires an argument", "write --observe COMMAND"),
        ("listen --capture --timeout 1", 2, "write --capture FILE"),
        ("show c.ndjson --where valid=false", 1, "write --invalid"),
        ("show c.ndjson --where response.status=404", 1, "write --status 404"),
        ("show c.ndjson --where status=5xx", 1, "write --status 5xx"),
        ("replay c.ndjson --to :1 --where received_at=2d", 1, "write --since 2d"),
        ("convert c.ndjson --redact --redact-key nokey", 3, "make one: (umask 077; head -c 32 /dev/urandom > FILE)"),
        ("listen -m 10s", 2, "--timeout"),
        ("show c.ndjson --since yesterday", 2, "2d (ago)"),
        ("show c.ndjson --since 2026-01-02T25:00", 2, "2026-01-02 12:00:05"),
    ],
    "topics": [
        ("explain repeat", 0, "repeat/again", "must: the same payload twice; senders deliver at least once"),
        *[(f"explain {group}", 0, f"{group}/") for group in (
            "deliver value form size http order load bad json method path type frame slow effect leak response time tls still-up").split()],
        ("explain must", 0, "real deliveries would be lost or break"),
        ("explain should", 0, "--strict"),
        ("explain 201", 0, "user-created", "monitored-element-added"),
        ("explain 401", 0, "authentication-failed"),
        ("explain finding", 0, "missing-key"),
        ("help exit-code", 0, "exit 3"),
    ],
    "not JSON": [
        ("validate bom.json", 1, "fix: remove it: sed -i"),
        ("validate utf16.json", 1, "fix: convert it: iconv -f UTF-16 -t UTF-8"),
        ("validate utf16le.json", 1, "iconv -f UTF-16LE -t UTF-8"),
        ("validate utf16be.json", 1, "iconv -f UTF-16BE -t UTF-8"),
        ("validate latin1.json", 1, "invalid UTF-8", "iconv -f ISO-8859-1 -t UTF-8"),
        ("validate details.json", 1, "details is a string", "jq -c '.details|=fromjson'"),
        ("validate string.json", 1, "jq -c fromjson"),
        ("validate array.json", 1, "jq -c '.[]'"),
        ("validate wrapped.json", 1, "jq -c '.\"body\"' FILE"),
        ("validate quoted.json", 1, "jq -c '.\"body\"|fromjson'"),
        ("validate yaml.json", 1, "yq -o json"),
        ("validate plain.json", 1, "yq -o json"),
        ("validate xml.json", 1, "it looks like XML"),
        ("validate zip.json", 1, "unzip FILE"),
        ("replay text --to :1", 1, "not JSON", "--validate off"),
    ],
}
# What no answer has.
NEVER = {"show text": "sends any bytes", "convert text": "sends any bytes", "listen 203.0.113.9:0": "another port"}


def folder_with_files():
    folder = new_folder()
    for name, data in FILES.items():
        (folder / name).write_bytes(data)
    write_capture(2, lambda number: record(number, body=built("bureau-alert").decode()), folder=folder).rename(folder / "c.ndjson")
    return folder


def test_each_slip_is_answered():
    folder = folder_with_files()
    problems = []
    for command, code, *words in [slip for slips in SLIPS.values() for slip in slips]:
        result = credhook(*shlex.split(command), cwd=folder)
        said = " ".join((result.out + "\n" + result.err).split())
        missing = [word for word in words if " ".join(word.split()) not in said]
        if result.code != code or missing:
            problems.append(f"credhook {command}: exit {result.code}, expected {code}; without {missing}: {said[:300]}")
    assert not problems, "\n".join(problems)


def test_no_answer_leads_astray():
    folder = folder_with_files()
    for command, words in NEVER.items():
        assert words not in credhook(*shlex.split(command), cwd=folder).err, command


if __name__ == "__main__":
    run()

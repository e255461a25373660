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
    "commands": [
        ("redact c.ndjson", 2, "redact is 'credhook convert --redact'"),
        ("diff c.ndjson 1 2", 2, "show FILE 3 7 --diff"),
        *[(word, 2, f"{word} is 'credhook listen 8080 --forward-to WHERE'") for word in ("forward", "proxy")],
        ("tunnel", 2, "'credhook listen 8080 --trusted-proxy 127.0.0.1'"),
        *[(word, 2, f"{word} is 'credhook show FILE'") for word in ("stats", "count", "view", "cat", "list", "ls")],
        *[(word, 2, f"{word} is 'credhook listen 8080'") for word in ("server", "serve", "start", "receive")],
        *[(word, 2, f"{word} is 'credhook validate FILE'") for word in ("check", "lint", "verify")],
        *[(word, 2, f"{word} is 'credhook build EVENT'") for word in ("generate", "new", "make")],
        *[(word, 2, f"{word} is 'credhook send EVENT --to WHERE'") for word in ("post", "trigger", "fire")],
        ("retry", 2, "--failed-only RESULTS"),
        ("resend", 2, "'credhook replay FILE --to WHERE'"),
        ("import", 2, "'credhook convert FILE.har"),
        ("export", 2, "-o FILE.har'"),
        ("man", 2, "'credhook help'"),
        ("openapi", 2, "'credhook schema --format openapi'"),
        ("types", 2, "'credhook schema'"),
        ("help serve", 2, "'credhook listen 8080'"),
        ("receiver", 2, "credhook help lists the commands"),
        ("sned", 2, "did you mean send?"),
    ],
    "options of send": [
        ("send -d @p.json --to :1", 2, "--file FILE", "--set PATH=TEXT"),
        ("send --data '{}' --to :1", 2, "--file FILE", "--set PATH=TEXT"),
        ("send --body p.json --to :1", 2, "--file FILE"),
        ("send user-created --url :1", 2, "write --to WHERE"),
        ("send user-created -p 8080", 2, "write --to WHERE"),
        ("send user-created --port 8080", 2, "write --to WHERE"),
        ("send user-created -X PUT", 2, "always POST"),
        ("send user-created -XPUT", 2, "unknown option '-X'", "always POST"),
        ("send user-created --method PUT", 2, "always POST"),
        *[(f"send user-created {word} x", 2, "Authorization: Bearer TOKEN") for word in ("--user", "-u", "--token", "--auth")],
        ("send user-created --timeout 3", 2, "write --max-time DURATION"),
        ("send user-created --retries 3", 2, "write --retry N"),
        ("send user-created --times 3", 2, "write --count N"),
        ("send user-created -n 3", 2, "write --count N"),
        ("send user-created --loop 3", 2, "write --count N"),
        ("send --from p.json", 2, "--file FILE"),
        ("send --event user-created", 2, "credhook send user-created --to WHERE"),
        ("send user-created --tls", 2, "--to https://"),
        ("send user-created --ssl", 2, "--to https://"),
        ("send user-created --output x", 2, "write --results FILE|-"),
        ("send user-created -o x", 2, "write --results FILE|-"),
        ("send user-created --out x", 2, "write --results FILE|-"),
        ("send user-created --force", 2, "--allow-production", "--validate HOW"),
        ("send user-created --out-dir d", 2, "build EVENT -o DIR/"),
        ("show --format html x", 2, "convert FILE -o FILE.html"),
        ("listen 0 --allow-production", 2, "needs --forward-to"),
        ("test --allow-production --to :1", 2, "test never goes to a protected environment"),
        ("send user-created --yes", 2, "--allow-production"),
        ("send user-created --status 200", 2, "--expect-status LIST"),
        ("send user-created --no-validate", 2, "write --validate HOW"),
        ("send user-created --unset details", 2, "credhook build EVENT --unset PATH | credhook send --file - --to WHERE"),
        ("send user-created --merge p.json", 2, "credhook build EVENT --unset PATH"),
        ("send user-created --format json", 2, "| jq ."),
        ("send user-created --pretty", 2, "| jq ."),
        ("send user-created --anonymize", 2, "credhook convert FILE --redact"),
        ("send user-created --no-color", 2, "write --color never"),
        ("send user-created --json-output", 2, "write --json"),
        ("send user-created --verbose=2", 2, "write --verbose"),
        ("send user-created --quick", 2, "credhook test --level quick"),
        ("send user-created --tail", 2, "| tail"),
        ("send user-created --fail-fast", 2, "write --max-failures N"),
        ("send user-created --threads 4", 2, "write --concurrency N"),
        ("send user-created --duration 10s", 2, "a count ends a run"),
        ("send user-created --resolve x", 2, "write --connect-to HOST1:PORT1:HOST2:PORT2"),
        ("send user-created --unix-socket x", 2, "socat"),
        ("send user-created -L", 2, "redirects are not followed"),
        ("send user-created --verify no", 2, "write --insecure"),
        ("send user-created --cont 3", 2, "did you mean --count?"),
        ("send user-created -Z", 2, "--help shows all options"),
        ("send user-created --frobnicate", 2, "--help shows all options"),
        ("--to :1 send user-created", 2, "write a command's options after its name"),
    ],
    "options of replay": [
        ("replay -f c.ndjson --to :1", 2, "credhook replay FILE"),
        ("replay --from c.ndjson --to :1", 2, "credhook replay FILE"),
        ("replay c.ndjson --event bureau-alert", 2, "write --events EVENT,..."),
        ("replay c.ndjson --filter details.x=1", 2, "write --where PATH=VALUE"),
        ("replay c.ndjson --grep x", 2, "write --where PATH=VALUE"),
        ("replay c.ndjson --skip 10", 2, "write --record N,N-N..."),
        ("replay c.ndjson -n 3", 2, "write --limit N"),
        ("replay c.ndjson --count 3", 2, "write --limit N"),
        ("replay c.ndjson --loop 3", 2, "name the file N times"),
        ("replay c.ndjson --times 3", 2, "name the file N times"),
        ("replay c.ndjson --sample 3", 2, "shuf FILE | credhook replay -"),
        ("replay c.ndjson --unset details", 2, "jq -c '.body|=(fromjson|del(.details.x)|tojson)'"),
        ("replay c.ndjson --keep-headers", 2, "write --as-recorded"),
        ("replay c.ndjson --realtime", 2, "write --speed FACTOR|max"),
        ("replay c.ndjson --url :1", 2, "write --to WHERE"),
        ("replay c.ndjson --timeout 3", 2, "write --max-time DURATION"),
        ("replay c.ndjson -X PUT", 2, "always POST"),
    ],
    "options of listen": [
        ("listen -p 8080", 2, "credhook listen 8080"),
        ("listen --port 8080", 2, "credhook listen 8080"),
        ("listen --host 0.0.0.0", 2, "credhook listen 0.0.0.0:8080"),
        ("listen --status 500", 2, "write --respond N,N..."),
        ("listen --data ok", 2, "write --body TEXT|@FILE"),
        ("listen -o x.ndjson", 2, "write --capture FILE"),
        ("listen --output x.ndjson", 2, "write --capture FILE"),
        ("listen -f x.ndjson", 2, "write --capture FILE"),
        ("listen --forward :3000", 2, "write --forward-to WHERE"),
        ("listen --to :3000", 2, "write --forward-to WHERE"),
        ("listen --url :3000", 2, "write --forward-to WHERE"),
        ("listen --event user-created", 2, "write --expect EVENT[:N]"),
        ("listen -n 1", 2, "write --limit N"),
        ("listen --count 1", 2, "write --limit N"),
        ("listen --once", 2, "write --limit N"),
        ("listen --tls", 2, "write --tls-self-signed"),
        ("listen --ssl", 2, "write --tls-self-signed"),
        ("listen --cert x.pem", 2, "write --tls-cert FILE"),
        ("listen --duration 10s", 2, "write --timeout DURATION"),
        ("listen --grep x", 2, "--json -v | jq"),
        ("listen --tail", 2, "| tail"),
        ("listen --mask", 2, "credhook convert - --redact --redact-key KEY"),
        ("listen --rotate-size 1M", 2, "logrotate", "SIGHUP"),
        ("listen --no-validate", 2, "write --validate HOW"),
        ("listen --method PUT", 2, "only POST is a notification"),
        ("listen --token x", 2, "credhook send -H 'Authorization: Bearer TOKEN'"),
    ],
    "options of the others": [
        ("test --quick --to :1", 2, "write --level LEVEL"),
        ("test --url :1", 2, "write --to WHERE"),
        ("test --data x --to :1", 2, "write --set PATH=TEXT"),
        ("test --file p.json --to :1", 2, "credhook send --file FILE"),
        ("test --retries 3 --to :1", 2, "credhook send --retry N"),
        ("test --merge p.json --to :1", 2, "--set alone"),
        ("test --format html --to :1", 2, "write --report FORMAT=FILE"),
        ("test --expect repeat/again=409 --to :1", 2, "write --expect-status ID=LIST"),
        ("test --invalid reject --to :1", 2, "write --on-invalid HOW"),
        ("test --timeout 3 --to :1", 2, "write --max-time DURATION"),
        ("validate --file p.json", 2, "credhook validate FILE"),
        ("validate -f p.json", 2, "credhook validate FILE"),
        ("validate p.json --format junit", 2, "write --report FORMAT=FILE"),
        ("validate p.json --skip unknown-key", 2, "write --ignore FINDING[:PATH],..."),
        ("validate p.json --jobs 2", 2, "taskset -c 0"),
        ("validate p.json --event user-created", 2, "write --as EVENT"),
        ("validate p.json --to :1", 2, "credhook send --to WHERE"),
        ("validate p.json --force", 2, "leave it out"),
        ("show --file c.ndjson", 2, "credhook show FILE"),
        ("show c.ndjson --pretty", 2, "credhook show FILE 3"),
        ("show c.ndjson --tail", 2, "tail -n 20 FILE | credhook show -"),
        ("show c.ndjson --filter x", 2, "write --where PATH=VALUE"),
        ("show c.ndjson --output x", 2, "> FILE"),
        ("show c.ndjson --from har", 2, "name the file alone"),
        ("convert c.ndjson --to x.har", 2, "write --output FILE"),
        ("convert c.ndjson --out x.har", 2, "write --output FILE"),
        ("build user-created --out-dir x", 2, "write --output DIR/|FILE"),
        ("schema --out x", 2, "write --output FILE"),
        ("convert c.ndjson --anonymize", 2, "write --redact"),
        ("convert c.ndjson --mask", 2, "write --redact"),
        ("convert c.ndjson --redact --key k", 2, "write --redact-key FILE"),
        ("convert c.ndjson --preview", 2, "--redact -o /dev/null"),
        ("build user-created -d x=1", 2, "write --set PATH=TEXT"),
        ("build user-created -n 3", 2, "write --count N"),
        ("build user-created --times 3", 2, "write --count N"),
        ("build user-created --invalid", 2, "write --break FINDING"),
        ("build user-created --to :1", 2, "credhook send user-created --to WHERE"),
        ("build --event user-created", 2, "credhook build user-created"),
        ("build user-created --format json", 2, "write --pretty"),
        ("schema --event user-created", 2, "write the event's name alone"),
        ("events --grep alert", 2, "| grep"),
        ("events --pretty", 2, "| jq ."),
        ("explain --json-output must", 2, "write --json"),
    ],
    "operands": [
        ("send localhost user-created", 2, "--to localhost"),
        ("send p.json --to :1", 2, "p.json"),
        ("build p.json", 2, "credhook validate p.json"),
        ("replay p.json http://user:secret@127.0.0.1:1/hook", 2, "--to http://user:***@127.0.0.1:1/hook"),
        ("replay p.json 127.0.0.1:8080/hook", 2, "--to 127.0.0.1:8080/hook"),
        ("test :3000/hook", 2, "--to :3000/hook"),
        ("test p.json --to :1", 2, "credhook send"),
        ("show c.ndjson 3-1", 2, "'3-1' is not the number of a notification, nor a range"),
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
        ("validate zip.json", 3, "unzip FILE"),
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

#!/bin/sh
# 10,000 notifications of all events, valid and broken, through convert --redact into each format that is read again:
# verdicts and findings stay what and where they were, identifiers stay one to one, and no original identifier is left.
set -eu
cd "$(dirname "$0")/../.."
CREDHOOK=${CREDHOOK:-$PWD/build/credhook}
folder=$(mktemp -d)
listener=
trap '[ -z "$listener" ] || kill "$listener" 2>/dev/null; rm -rf "$folder"' EXIT
"$CREDHOOK" build all --count 250 --seed 1 >"$folder/payloads.ndjson"
"$CREDHOOK" build all --variants --seed 2 >>"$folder/payloads.ndjson"
findings=$("$CREDHOOK" explain findings --json | sed -n 's/.*"topic":"\([a-z-]*\)".*"try":".*/\1/p' | grep -vx too-long)
for finding in $findings; do
	for seed in 3 4 5 6; do
		"$CREDHOOK" build all --break "$finding:all" --seed "$seed" -q >>"$folder/payloads.ndjson"
	done
done
(umask 077 && head -c 32 /dev/urandom >"$folder/key")
# capture FILE [OPTION...]: all payloads through a listener with these options.
capture() {
	file=$1
	shift
	"$CREDHOOK" listen 0 "$@" --capture "$folder/$file" --ready-file "$folder/$file.url" -q &
	listener=$!
	until [ -s "$folder/$file.url" ]; do sleep 0.1; done
	"$CREDHOOK" send --file "$folder/payloads.ndjson" --validate off --to "$(cat "$folder/$file.url")" -q
	kill "$listener"
	wait "$listener"
	listener=
}
capture plain.ndjson
for format in ndjson har; do
	"$CREDHOOK" convert "$folder/plain.ndjson" --redact --redact-key "$folder/key" -q --format $format -o "$folder/as.$format"
done
python3 - "$CREDHOOK" "$folder" <<'END'
import json, subprocess, sys
binary, folder = sys.argv[1:]

def verdicts(name):
    out = subprocess.run([binary, "validate", "--json", f"{folder}/{name}"], capture_output=True, text=True).stdout
    return [json.loads(line) for line in out.splitlines()]

def place(finding):
    # The name of an unknown key is replaced.
    pointer = finding["pointer"] or ""
    return finding["finding"], pointer.rpartition("/")[0] if finding["finding"] == "unknown-key" else pointer

def is_broken(row):
    return bool(row["findings"]) and row["findings"][0]["finding"] == "json-syntax"

def compare(before, name):
    after = verdicts(name)
    assert len(before) == len(after), (name, len(before), len(after))
    for one, other in zip(before, after):
        assert (one["event"], one["valid"]) == (other["event"], other["valid"]), (name, one, other)
        if is_broken(one):
            assert is_broken(other), (name, one, other)
            continue
        assert [place(f) for f in one["findings"]] == [place(f) for f in other["findings"]], (name, one, other)
    return after

before = verdicts("payloads.ndjson")
assert len(before) >= 10000, len(before)
after = compare(before, "as.ndjson")
# A HAR has no place for a body that was withheld.
compare([row for row in before if not is_broken(row)], "as.har")
NAMES = ("appKey", "clientKey", "userId", "authToken", "userToken", "displayToken", "reportKey", "alertId", "monitorId")
pairs, text = {}, open(f"{folder}/as.ndjson").read()
for line, record in zip(open(f"{folder}/payloads.ndjson"), map(json.loads, text.splitlines())):
    try:
        old, new = json.loads(line)["details"], json.loads(record["body"])["details"]
        shared = [name for name in NAMES if name in old and isinstance(old[name], (str, int))]
    except (ValueError, KeyError, TypeError):
        continue
    for name in shared:
        value, fake = ((type(side[name]), str(side[name]).lower()) for side in (old, new))
        assert pairs.setdefault(value, fake) == fake, (name, value, fake)
assert len(set(pairs.values())) == len(pairs), "not one to one"
left = [value for _, value in pairs if len(value) >= 30 and value in text]
assert not left, left[:3]
print(f"{len(after)} records, {len(pairs)} identifiers one to one, findings as they were")
END

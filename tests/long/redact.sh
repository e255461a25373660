#!/bin/sh
# 10,000 notifications of all events, valid and broken, through listen --redact: verdicts and findings stay what and
# where they were, identifiers stay one to one, and no original identifier is left in the capture.
set -eu
cd "$(dirname "$0")/../.."
CREDHOOK=${CREDHOOK:-$PWD/build/credhook}
folder=$(mktemp -d)
listener=
trap '[ -z "$listener" ] || kill "$listener" 2>/dev/null; rm -rf "$folder"' EXIT
"$CREDHOOK" build all --count 250 --seed 1 >"$folder/payloads.ndjson"
"$CREDHOOK" build all --variants --seed 2 >>"$folder/payloads.ndjson"
for finding in duplicate-key wrong-type missing-key unexpected-path unknown-event bad-format bad-value unknown-key \
	empty-string not-integer-literal json-syntax; do
	for seed in 3 4 5 6; do
		"$CREDHOOK" build all --break "$finding:all" --seed "$seed" -q >>"$folder/payloads.ndjson"
	done
done
"$CREDHOOK" listen 0 --redact --capture "$folder/capture.ndjson" --ready-file "$folder/url" -q &
listener=$!
until [ -s "$folder/url" ]; do sleep 0.1; done
"$CREDHOOK" send --file "$folder/payloads.ndjson" --no-validate --to "$(cat "$folder/url")" -q
kill "$listener"
wait "$listener"
listener=
python3 - "$CREDHOOK" "$folder" <<'END'
import json, subprocess, sys
binary, folder = sys.argv[1:]

def verdicts(name):
    out = subprocess.run([binary, "validate", "--format", "json", f"{folder}/{name}"], capture_output=True, text=True).stdout
    return [json.loads(line) for line in out.splitlines()]

def place(finding):
    # The name of an unknown key is replaced.
    pointer = finding["pointer"] or ""
    return finding["finding"], pointer.rpartition("/")[0] if finding["finding"] == "unknown-key" else pointer

before, after = verdicts("payloads.ndjson"), verdicts("capture.ndjson")
assert len(before) == len(after) >= 10000, (len(before), len(after))
for one, other in zip(before, after):
    assert (one["event"], one["valid"]) == (other["event"], other["valid"]), (one, other)
    if one["findings"] and one["findings"][0]["finding"] == "json-syntax":
        assert other["findings"][0]["finding"] == "json-syntax", (one, other)
        continue
    assert [place(f) for f in one["findings"]] == [place(f) for f in other["findings"]], (one, other)

NAMES = ("appKey", "clientKey", "userId", "authToken", "userToken", "displayToken", "reportKey", "alertId", "monitorId")
pairs, text = {}, open(f"{folder}/capture.ndjson").read()
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

#!/bin/sh
# Opens pages of every kind in Chromium: filters, keys, compare, fragment, plots, hostile payloads, no JavaScript, axe.
# It takes playwright-core and axe-core, from NODE_PATH or npm; where they, node or chromium are missing it is skipped.
set -eu
cd "$(dirname "$0")/../.."
CHROMIUM=${CHROMIUM:-$(command -v chromium || :)}
export CHROMIUM
credhook=${CREDHOOK:-$PWD/build/credhook}
if [ -z "$CHROMIUM" ] || ! command -v node >/dev/null; then
	echo "skipped: chromium and node are needed"
	exit 0
fi
folder=$(mktemp -d)
pids=
trap 'for pid in $pids; do kill "$pid" 2>/dev/null || :; done; rm -rf "$folder"' EXIT
if [ -z "${NODE_PATH:-}" ]; then
	NODE_PATH=$folder/npm/node_modules
	if ! npm install --silent --no-audit --no-fund --prefix "$folder/npm" playwright-core axe-core >/dev/null 2>&1; then
		echo "skipped: npm has no playwright-core or no axe-core"
		exit 0
	fi
fi
export NODE_PATH

# listen NAME OPTION...: its URL is in $folder/NAME.url
listen() {
	name=$1
	shift
	"$credhook" listen 0 -q --ready-file "$folder/$name.url" "$@" 2>"$folder/$name.log" &
	pids="$pids $!"
	until [ -s "$folder/$name.url" ]; do sleep 0.05; done
}

hostile='</script><img src=x onerror="ran=1"><b>&lt;'$(printf '\342\200\256\342\200\250\001')
mkdir "$folder/in" "$folder/pages"
listen all --capture "$folder/all.ndjson" --fault 500:20%
listen hostile --respond 500 --respond-header "X-A: b" --capture "$folder/hostile.ndjson"
listen odd --rule event=bureau-alert,status=500
all=$(cat "$folder/all.url") odd=$(cat "$folder/odd.url")

for _ in 1 2; do "$credhook" send all --seed 1 --to "$all" -q >/dev/null 2>&1 || :; done
"$credhook" build all --count 80 >"$folder/many.ndjson"
"$credhook" replay "$folder/many.ndjson" --to "$all" -q --concurrency 8 --report html="$folder/pages/replay.html" >/dev/null 2>&1 || :
"$credhook" test --to "$odd" -q --report html="$folder/pages/test.html" >/dev/null 2>&1 || :
"$credhook" send user-created --to "$odd" -q --report html="$folder/pages/one.html" >/dev/null
"$credhook" convert "$folder/all.ndjson" --limit 200 -o "$folder/pages/capture.html" 2>/dev/null

# A day of 20,000 records with an outage at noon, and what show says of it.
"$credhook" build all --count 800 --seed 2 | python3 -c '
import json, sys
for at, line in enumerate(sys.stdin):
    second = at * 86390 // 20000
    body = json.loads(line)
    if at % 33 == 0:
        del body["details"]
    status = 503 if 43200 <= second < 45000 and at % 3 else 404 if at % 199 == 16 else 200
    print(json.dumps({"v": 1, "received_at": "2026-11-21T%02d:%02d:%02dZ" % (second // 3600, second // 60 % 60, second % 60),
                      "method": "POST", "target": "/hook", "headers": [["Content-Type", "application/json"], ["Host", "localhost:8080"]],
                      "body": json.dumps(body), "response": {"status": status}}))' >"$folder/day.ndjson"
"$credhook" convert "$folder/day.ndjson" -o "$folder/pages/day.html" 2>/dev/null
python3 - "$credhook" "$folder" <<'END'
import json
import re
import subprocess
import sys

credhook, folder = sys.argv[1:]


def show(*options):
    return subprocess.run([credhook, "show", folder + "/day.ndjson", *options], capture_output=True, text=True, check=False).stdout


def numbers(*options):
    return [int(one) for one in re.findall(r"^\S.*? #(\d+)  ", show(*options), re.MULTILINE)]


cells = [[event, status, numbers("--status", status, *(["--events", event] if event != "all" else []))]
         for event in ("all", "bureau-alert", "authentication-question-retrieval-succeeded") for status in ("2xx", "4xx", "5xx")]
cells = [one for one in cells if one[2]]
curl = {number: line for number, line in zip(cells[2][2], show("--status", "5xx", "--curl").splitlines())}
with open(folder + "/pages/show.json", "w", encoding="utf-8") as file:
    json.dump({"cells": cells, "curl": curl, "picked": len(numbers("--status", "404", "--events", "bureau-alert"))}, file)
END

printf '%s' "$hostile" >"$folder/in/bad.json"
"$credhook" build user-created --set "details.firstName:=$(printf '%s' "$hostile" | python3 -c 'import json, sys; print(json.dumps(sys.stdin.read()))')" \
	--set 'details.appKey=</script><img src=x onerror="ran=1">' --seed 1 >"$folder/in/text.json" 2>/dev/null || :
cp "$folder/in/bad.json" "$folder/in/<img src=x onerror=ran=1>$(printf '\342\200\256').json"
"$credhook" validate "$folder/in" -q --report html="$folder/pages/hostile-validate.html" >/dev/null 2>&1 || :
"$credhook" send --file "$folder/in" --validate off -H 'X-B: </script><b>' --to "$(cat "$folder/hostile.url")" -q \
	--report html="$folder/pages/hostile-send.html" >/dev/null 2>&1 || :
"$credhook" convert "$folder/hostile.ndjson" -o "$folder/pages/hostile-capture.html" 2>/dev/null
node tests/long/page.js "$folder/pages"

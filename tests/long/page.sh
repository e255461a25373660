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

printf '%s' "$hostile" >"$folder/in/bad.json"
"$credhook" build user-created --set "details.firstName:=$(printf '%s' "$hostile" | python3 -c 'import json, sys; print(json.dumps(sys.stdin.read()))')" \
	--set 'details.appKey=</script><img src=x onerror="ran=1">' --seed 1 >"$folder/in/text.json" 2>/dev/null || :
cp "$folder/in/bad.json" "$folder/in/<img src=x onerror=ran=1>$(printf '\342\200\256').json"
"$credhook" validate "$folder/in" -q --report html="$folder/pages/hostile-validate.html" >/dev/null 2>&1 || :
"$credhook" send --file "$folder/in" --validate off -H 'X-B: </script><b>' --to "$(cat "$folder/hostile.url")" -q \
	--report html="$folder/pages/hostile-send.html" >/dev/null 2>&1 || :
"$credhook" convert "$folder/hostile.ndjson" -o "$folder/pages/hostile-capture.html" 2>/dev/null
node tests/long/page.js "$folder/pages"

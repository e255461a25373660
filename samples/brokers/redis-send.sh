#!/bin/sh
# redis-send.sh FILE N: spreads the records of a capture over the streams
# capture:1 to capture:N, each key in one of them
set -eu
for part in $(seq "$2"); do
	redis-cli -u "$REDIS" -e \
		XGROUP CREATE "capture:$part" replay 0 MKSTREAM
done
stored=$(jq -Rr --argjson parts "$2" '. as $record | fromjson
	| .body // (.body_base64 | @base64d)
	| try (fromjson.details.clientKey) catch null
	| (tojson | explode | reduce .[] as $c (0; (. * 31 + $c) % 65521)
	   | . % $parts + 1) as $part
	| $record | split("\\") | join("\\\\") | split("\"") | join("\\\"")
	| "XADD capture:\($part) * record \"\(.)\""' "$1" |
	redis-cli -u "$REDIS" | grep -c '^[0-9]*-[0-9]*$')
[ "$stored" -eq "$(wc -l <"$1")" ] ||
	{ echo "only $stored records are stored" >&2; exit 1; }

#!/bin/bash
# kafka-send.sh FILE: puts the records of a capture into the topic
# "capture", with details.clientKey as their key
set -eu -o pipefail
jq -Rr '. as $record | fromjson
	| .body // (.body_base64 | @base64d)
	| try (fromjson.details.clientKey) catch null
	| "\(tojson)\t\($record)"' "$1" |
	kcat -P -b "$KAFKA" -t capture -K '\t' -X enable.idempotence=true

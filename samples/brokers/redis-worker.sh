#!/bin/sh
# redis-worker.sh PART: replays the stream capture:PART, and acknowledges
# the records that have a result
set -eu
umask 077
stream=capture:$1
not_accepted=0

# take 0: what was taken before and is not acknowledged; take '>': more
take() {
	redis-cli -u "$REDIS" -e --json XREADGROUP GROUP replay worker \
		COUNT 1000 STREAMS "$stream" "$1" >taken || exit 3
	jq -c '.[]?[]' taken >entries # lines of ["ID",["record","..."]]
	[ -s entries ]
}

while take 0 || take '>'; do
	records=$stream.$(head -n 1 entries | jq -r '.[0]').ndjson
	results=${records%.ndjson}.results
	jq -r '.[1][1]' entries >"$records"
	code=0
	credhook replay "$records" --to "$TO" -q \
		--results "$results" --resume "$results" || code=$?
	[ "$code" -le 1 ] || exit "$code"
	jq -r '.[0]' entries |
		xargs redis-cli -u "$REDIS" -e XACK "$stream" replay >acknowledged
	if [ "$code" -eq 0 ]; then rm "$records"; else not_accepted=1; fi
done
exit "$not_accepted"

#!/bin/bash
# kafka-worker.sh PARTITION: replays a partition of "capture" from its
# beginning, or continues
set -eu -o pipefail
partition=$1
results=partition-$1.results
if [ -s "$results" ] || [ -e "$results.inflight" ]; then
	set -- --resume "$results"
else
	set -- --results "$results"
fi
kcat -C -q -u -b "$KAFKA" -t capture -p "$partition" -o beginning -e |
	credhook replay - --to "$TO" "$@"

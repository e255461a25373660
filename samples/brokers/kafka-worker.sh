#!/bin/bash
# kafka-worker.sh PARTITION: replays a partition of "capture" from its
# beginning, or continues
set -eu -o pipefail
partition=$1
results=partition-$1.results
kcat -C -q -u -b "$KAFKA" -t capture -p "$partition" -o beginning -e |
	credhook replay - --to "$TO" --results "$results" --resume "$results"

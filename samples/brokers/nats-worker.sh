#!/bin/bash
# nats-worker.sh K N: replays part K of N of the stream "capture", or
# continues
set -eu -o pipefail
part=$1/$2
results=part-$1.results
node "$(dirname "$0")/nats-lines.mjs" get capture |
	credhook replay - --to "$TO" --keyed details.clientKey \
		--shard "$part" --results "$results" --resume "$results"

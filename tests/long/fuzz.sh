#!/bin/sh
# Runs every fuzzer for SECONDS_EACH (default 60) under ASan and UBSan, beginning with its corpus.
set -eu
cd "$(dirname "$0")/../.."
seconds=${SECONDS_EACH:-60}
cmake -S . -B build-fuzz -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Debug -DCREDHOOK_SANITIZE=address,undefined \
	-DCREDHOOK_TESTS=ON -DCREDHOOK_FUZZ=ON >/dev/null
cmake --build build-fuzz -j "$(nproc)" >/dev/null
found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT
for target in build-fuzz/tests/fuzz_*; do
	[ -x "$target" ] || continue
	name=$(basename "$target" | sed 's/^fuzz_//')
	mkdir -p "$found/$name"
	echo "fuzzing $name for $seconds s"
	"$target" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=20 -verbosity=0 -print_final_stats=0 \
		-artifact_prefix="build-fuzz/crash-$name-" "$found/$name" "tests/fuzz/corpus/$name"
done

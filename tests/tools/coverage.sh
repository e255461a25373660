#!/bin/sh
# What the suite runs of the code: sh tests/tools/coverage.sh [FOLDER]
#
# Builds in FOLDER (build-coverage) with gcc's counters, passes the whole suite, and prints for each file and in total how
# many lines and branches were run, and every function that no test enters. Takes what tests/run.sh takes, and gcovr.
set -eu
cd "$(dirname "$0")/../.."
. samples/packages.sh
need_packages gcovr jq
folder=${1-build-coverage}
mkdir -p "$folder"
cmake -S . -B "$folder" -DCMAKE_BUILD_TYPE=Debug -DCREDHOOK_TESTS=ON \
	-DCMAKE_C_FLAGS='-O1 --coverage -fprofile-update=atomic' >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
cmake --build "$folder" -j "$(nproc)" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
find "$folder" -name '*.gcda' -delete
ctest --test-dir "$folder" -j "$(nproc)" --output-on-failure >"$folder/log" 2>&1 || {
	echo "the suite did not pass: what follows may be too low; see $folder/log" >&2
}
gcovr --root . --filter src/ --json "$folder/functions.json" --json-summary "$folder/summary.json" "$folder"
echo 'lines   branches'
jq -r '(.files[] | [.line_percent, .branch_percent, .filename]), [.line_percent, .branch_percent, "in total"] | @tsv' \
	"$folder/summary.json" | while read -r lines branches name; do printf '%5s %% %6s %%  %s\n' "$lines" "$branches" "$name"; done
echo 'functions that no test enters:'
jq -r '.files[] | .file as $file | .functions[] | select(.execution_count == 0) | "\($file):\(.lineno): \(.name)"' \
	"$folder/functions.json"

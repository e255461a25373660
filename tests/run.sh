#!/bin/sh
# Builds credhook and passes the whole suite: sh tests/run.sh [--long] [--quick]
#
# Twice: with gcc as it is released, and with clang under AddressSanitizer and UndefinedBehaviorSanitizer; warnings are
# errors in both. --long adds ThreadSanitizer, the fuzzers, and the soak and kill runs; --quick leaves the sanitizers
# out. Packages that are missing are installed with apt-get (root or sudo). The last line is "N passed, N failed".
set -eu
cd "$(dirname "$0")/.."
long=
quick=
for argument in "$@"; do
	case $argument in
	--long) long=yes ;;
	--quick) quick=yes ;;
	*)
		echo "usage: sh tests/run.sh [--long] [--quick]" >&2
		exit 2
		;;
	esac
done

. samples/packages.sh
# shellcheck disable=SC2086
need_packages $build_packages ca-certificates git g++ clang libclang-rt-14-dev libcmocka-dev python3 \
	python3-jsonschema python3-yaml curl nginx-light openssl perl mandoc bash bash-completion zsh fish jq tmux strace procps
[ -z "$long" ] || need_packages dpkg-dev lintian debootstrap

jobs=$(nproc)
passed=0
failed=0

# build FOLDER OPTION...
build() {
	folder=$1
	shift
	echo "== building $folder"
	cmake -S . -B "$folder" -DCREDHOOK_WERROR=ON "$@" >"$folder.log" 2>&1 || { cat "$folder.log"; return 1; }
	cmake --build "$folder" -j "$jobs" >"$folder.log" 2>&1 || { cat "$folder.log"; return 1; }
	rm -f "$folder.log"
}

# suite FOLDER [CTEST OPTION...]: counts what ctest's closing line says.
suite() {
	folder=$1
	shift
	echo "== testing $folder"
	log=$(mktemp)
	ctest --test-dir "$folder" -j "$jobs" --output-on-failure --no-tests=error "$@" >"$log" 2>&1 || true
	grep -vE '^ *Start +[0-9]+:| Passed +[0-9.]+ sec' "$log" || true
	line=$(grep -E 'tests passed, [0-9]+ tests? failed out of [0-9]+' "$log" || true)
	if [ -z "$line" ]; then
		failed=$((failed + 1))
	else
		bad=$(echo "$line" | sed -E 's/.*, ([0-9]+) tests? failed.*/\1/')
		all=$(echo "$line" | sed -E 's/.*out of ([0-9]+).*/\1/')
		passed=$((passed + all - bad))
		failed=$((failed + bad))
	fi
	rm -f "$log"
}

build build -DCMAKE_BUILD_TYPE=Release -DCREDHOOK_TESTS=ON
suite build
if [ -z "$quick" ]; then
	build build-asan -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Debug -DCREDHOOK_SANITIZE=address,undefined \
		-DCREDHOOK_TESTS=ON
	suite build-asan
fi
if [ -n "$long" ]; then
	build build-tsan -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Debug -DCREDHOOK_SANITIZE=thread -DCREDHOOK_TESTS=ON
	suite build-tsan
	for script in tests/long/*.sh; do
		[ -e "$script" ] || continue
		echo "== $script"
		if sh "$script"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
	done
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

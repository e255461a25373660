#!/bin/sh
# Builds credhook and passes the whole suite: sh tests/run.sh [--long] [--quick] [--portable] [--changed[=REVISION]]
# Looks for what makes a test fail now and then: sh tests/run.sh --stress [NAME [JOBS]]
#
# Twice: with gcc as it is released, and with clang under AddressSanitizer and UndefinedBehaviorSanitizer what these can
# find something in: unit tests, corpora of the fuzzers, and of tests/cli and tests/e2e some of each command
# (tests/CMakeLists.txt names them). --portable does both with nothing that Linux has beyond POSIX (CREDHOOK_PORTABLE),
# instead. --long adds these, every planted listener, all tests under the sanitizers, ThreadSanitizer and every tests/long/*.sh, whose heads say
# what each does (builds, fuzzing, loading, killing under load, cutting files, packages); --quick leaves the sanitizers out. --changed is a round of a minute for one change: in
# build, the tests of the house, with all that they complain of; then those that tests/tools/changed.py names, by their labels, for what
# differs from REVISION (HEAD: what is not committed). Warnings are errors there, and where CI is set, as .ci/run does:
# those of a compiler that we do not know yet stop nobody who wants to use the program. Packages that are missing are
# installed with apt-get (root or sudo). However it ends, the last line is "N passed, N failed"; a build that fails counts
# as one.
set -eu
cd "$(dirname "$0")/.."
long=
quick=
portable=
revision=
if [ "${1-}" = --stress ] && [ $# -le 3 ]; then
	cmake -S . -B build -DCREDHOOK_TESTS=ON -DCMAKE_BUILD_TYPE=Release >/dev/null
	cmake --build build -j "$(nproc)" >/dev/null
	shift
	exec python3 tests/tools/stress.py build "$@"
fi
for argument in "$@"; do
	case $argument in
	--long) long=yes ;;
	--quick) quick=yes ;;
	--portable) portable=yes ;;
	--changed) revision=HEAD ;;
	--changed=?*) revision=${argument#*=} ;;
	*)
		echo "usage: sh tests/run.sh [--long] [--quick] [--portable] [--changed[=REVISION] | --stress [NAME [JOBS]]]" >&2
		exit 2
		;;
	esac
done

passed=0
failed=1 # until the end is reached
finish() {
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ] || exit 1
}
trap finish EXIT

. samples/packages.sh
# shellcheck disable=SC2086
need_packages $build_packages ca-certificates git ninja-build g++ clang lld clang-format libclang-rt-dev libcmocka-dev python3 \
	python3-jsonschema python3-yaml curl nginx-light openssl perl mandoc bash bash-completion zsh fish jq sqlite3 tmux strace procps \
	apache2-utils parallel slowhttptest wrk
[ -z "$long" ] || export LONG=yes
[ -z "$long" ] || need_packages dpkg-dev lintian debootstrap

jobs=$(nproc)
export CMAKE_GENERATOR="${CMAKE_GENERATOR:-Ninja}" # of a new folder: one that is there keeps what it has
clang='-DCMAKE_C_COMPILER=clang -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld -DCMAKE_BUILD_TYPE=Debug'
failures=0
werror=OFF
[ -z "${CI-}${revision}" ] || werror=ON

# build FOLDER OPTION...
build() {
	folder=$1
	shift
	echo "== building $folder"
	cmake -S . -B "$folder" -DCREDHOOK_WERROR=$werror "$@" >"$folder.log" 2>&1 || { cat "$folder.log"; return 1; }
	compile "$folder.log" "$folder" -j "$jobs" || { cat "$folder.log"; return 1; }
	rm -f "$folder.log"
}

# suite FOLDER [CTEST OPTION...]: counts what ctest's closing line says. Four tests at a time for each processor: many wait.
suite() {
	folder=$1
	shift
	echo "== testing $folder"
	log=$(mktemp)
	ctest --test-dir "$folder" -j $((4 * jobs)) --output-on-failure --no-label-summary --no-tests=error "$@" 2>&1 | progress testing "$log"
	grep -vE '^ *Start +[0-9]+:| Passed +[0-9.]+ sec' "$log" || true
	line=$(grep -E 'tests passed, [0-9]+ tests? failed out of [0-9]+' "$log" | tail -n 1)
	if [ -z "$line" ]; then
		failures=$((failures + 1))
	else
		bad=$(echo "$line" | sed -E 's/.*, ([0-9]+) tests? failed.*/\1/')
		all=$(echo "$line" | sed -E 's/.*out of ([0-9]+).*/\1/')
		passed=$((passed + all - bad))
		failures=$((failures + bad))
	fi
	rm -f "$log"
}

# build_and_test FOLDER OPTION...: the tests with one of the labels; where none is said, all.
labels=
build_and_test() {
	if build "$@" -DCREDHOOK_TESTS=ON; then suite "$1" ${labels:+-L "$labels"}; else failures=$((failures + 1)); fi
}

if [ -n "$revision" ]; then
	if build build -DCREDHOOK_TESTS=ON; then
		suite build -L '^house$'
		if asked=$(python3 tests/tools/changed.py build "$revision"); then
			[ -z "$asked" ] || suite build -R "$asked"
		else
			failures=$((failures + 1))
		fi
	else
		failures=$((failures + 1))
	fi
	failed=$failures
	exit
fi
# both FOLDER OPTION...: as it is released, and under the sanitizers, which have all tests only with --long.
both() {
	folder=$1
	shift
	build_and_test "$folder" -DCMAKE_BUILD_TYPE=Release "$@"
	[ -z "$quick" ] || return 0
	[ -n "$long" ] || labels='^(unit|fuzz|sanitized)$'
	# shellcheck disable=SC2086
	build_and_test "${folder}-asan" $clang -DCREDHOOK_SANITIZE=address,undefined "$@"
	labels=
}
[ -n "$portable" ] || both build
[ -z "$portable$long" ] || both build-portable -DCREDHOOK_PORTABLE=ON
if [ -n "$long" ]; then
	# shellcheck disable=SC2086
	build_and_test build-tsan $clang -DCREDHOOK_SANITIZE=thread
	for script in tests/long/*.sh; do
		[ -e "$script" ] || continue
		echo "== $script"
		if sh "$script"; then passed=$((passed + 1)); else failures=$((failures + 1)); fi
	done
fi
failed=$failures

# For cases of several commands: . "$SOURCE/tests/cli/try.sh"
#
# try ARGUMENT...  runs credhook and shows its command line, its stdout, its stderr behind "! ", and its exit code.
try() {
	printf '$ credhook'
	for word; do
		case $word in
		'' | *[!A-Za-z0-9_/.:=,+@%-]*) printf " '%s'" "$word" ;;
		*) printf ' %s' "$word" ;;
		esac
	done
	echo
	credhook "$@" >../try.out 2>../try.err
	code=$?
	cat ../try.out
	sed 's/^/! /' ../try.err
	echo "exit $code"
}

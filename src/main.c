/* Find the subcommand, run it, print its error once, check stdout, exit. */
#include "cmd/cmd.h"
#include "cmd/words/notes.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

/* Character types only: with LC_NUMERIC a number in JSON might get a comma. */
static void set_locale(void)
{
	if (!setlocale(LC_CTYPE, "") || strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
		setlocale(LC_CTYPE, "C.UTF-8");
}

int main(int argc, char **argv)
{
	struct terminal terminal;
	struct error err = { .code = EXIT_CODE_OK };
	unsetenv("SSLKEYLOGFILE"); /* or libcurl writes the keys of each connection there */
	set_locale();
	terminal_init(&terminal);
	int code = cmd_main(&terminal, all_commands, argc, argv, &err);
	if (code < 0) {
		terminal_flush(&terminal);
		print_error(&terminal, &err);
		code = (int)err.code;
	}
	if (terminal_finish(&terminal, &err) < 0) {
		print_error(&terminal, &err);
		code = (int)exit_code_worse((enum exit_code)code, err.code);
	}
	return code;
}

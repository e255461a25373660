/* The tests of one program, in the order of their lines: constructors run in any. */
#include "test.h"

#include <locale.h>
#include <signal.h>
#include <stdlib.h>

#define TESTS_MAX 64

static struct CMUnitTest tests[TESTS_MAX];
static unsigned lines[TESTS_MAX];
static size_t count;
static CMFixtureFunction before_all, after_all;

void test_add(unsigned line, const char *name, CMUnitTestFunction run, CMFixtureFunction setup,
              CMFixtureFunction teardown)
{
	size_t at = count;
	if (count == TESTS_MAX)
		abort();
	for (count++; at > 0 && lines[at - 1] > line; at--) {
		tests[at] = tests[at - 1];
		lines[at] = lines[at - 1];
	}
	tests[at] = (struct CMUnitTest){ name, run, setup, teardown, NULL };
	lines[at] = line;
}

void test_around_all(CMFixtureFunction setup, CMFixtureFunction teardown)
{
	before_all = setup;
	after_all = teardown;
}

/* Texts are UTF-8, as main() of the program sees to; a reader that is gone is an error and ends nobody. */
int main(void)
{
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		abort();
	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, before_all, after_all); /* it passes over the rows without a name */
}

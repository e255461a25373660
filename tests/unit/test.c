/* The tests of a program, file by file in the order of their lines: constructors run in any. */
#include "test.h"

#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TESTS_MAX 512 /* of a program */
#define FILES_MAX 64  /* of it that have something around all of their tests */

struct test {
	const char *file;
	unsigned line;
	struct CMUnitTest test;
};

struct around {
	const char *file;
	CMFixtureFunction setup, teardown;
};

static struct test tests[TESTS_MAX];
static struct around arounds[FILES_MAX];
static size_t test_count, around_count;

void test_add(const char *file, unsigned line, const char *name, CMUnitTestFunction run, CMFixtureFunction setup,
              CMFixtureFunction teardown)
{
	if (test_count == TESTS_MAX)
		abort();
	tests[test_count++] = (struct test){ file, line, { name, run, setup, teardown, NULL } };
}

void test_around_all(const char *file, CMFixtureFunction setup, CMFixtureFunction teardown)
{
	if (around_count == FILES_MAX)
		abort();
	arounds[around_count++] = (struct around){ file, setup, teardown };
}

/* By file, and there by line. */
static int compare_places(const void *a, const void *b)
{
	const struct test *one = a, *other = b;
	int order = strcmp(one->file, other->file);
	return order != 0 ? order : (one->line > other->line) - (one->line < other->line);
}

/* Whether the path is that of NAME_test.c; NULL: any is. */
static bool is_of(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t length = name ? strlen(name) : 0;
	return !name || (strncmp(base, name, length) == 0 && strcmp(base + length, "_test.c") == 0);
}

/* Runs those of one file; returns how many have failed. */
static int run_file(const struct test *first, size_t count)
{
	static struct CMUnitTest group[TESTS_MAX]; /* cmocka passes over the rows without a name */
	const struct around *around = NULL;
	memset(group, 0, sizeof group);
	for (size_t i = 0; i < count; i++)
		group[i] = first[i].test;
	for (size_t i = 0; i < around_count; i++)
		if (strcmp(arounds[i].file, first->file) == 0)
			around = &arounds[i];
	return cmocka_run_group_tests(group, around ? around->setup : NULL, around ? around->teardown : NULL);
}

/* Texts are UTF-8, as main() of the program sees to; a reader that is gone is an error and ends nobody. */
int main(int argc, char **argv)
{
	const char *wanted = argc > 1 ? argv[1] : NULL;
	bool any = false;
	int failed = 0;
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		abort();
	signal(SIGPIPE, SIG_IGN);
	qsort(tests, test_count, sizeof *tests, compare_places);
	for (size_t i = 0, end; i < test_count; i = end) {
		for (end = i; end < test_count && strcmp(tests[end].file, tests[i].file) == 0;)
			end++;
		if (!is_of(tests[i].file, wanted))
			continue;
		any = true;
		failed += run_file(&tests[i], end - i);
	}
	if (!any)
		fprintf(stderr, "%s: no tests of '%s'\n", argv[0], wanted ? wanted : "");
	return any && failed == 0 ? 0 : 1;
}

/*
 * What a test program is made of. A test names itself:
 *
 *     TEST(what_it_shows)
 *     {
 *             assert_int_equal(1 + 1, 2);
 *     }
 *
 * main() is in test.c: it runs the tests of a file in the order in which they stand there. The files of a room are one
 * program, whose argument says which: unit_base text runs those of text_test.c. Without one it runs all.
 */
#ifndef CREDHOOK_TESTS_TEST_H
#define CREDHOOK_TESTS_TEST_H

/* cmocka.h needs the others before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

/* Registers a test that stands in that line of the file (its path); called before main(). setup and teardown may be
 * NULL, here and below. */
void test_add(const char *file, unsigned line, const char *name, CMUnitTestFunction run, CMFixtureFunction setup,
              CMFixtureFunction teardown);

/* What is done once before the first test of the file, and after the last. */
void test_around_all(const char *file, CMFixtureFunction setup, CMFixtureFunction teardown);

/* A test whose setup fills *state. */
#define TEST_WITH(name, setup, teardown)                                                                               \
	static void name(void **state);                                                                                \
	__attribute__((constructor)) static void add_##name(void)                                                      \
	{                                                                                                              \
		test_add(__FILE__, __LINE__, #name, name, setup, teardown);                                            \
	}                                                                                                              \
	static void name(void **state __attribute__((unused)))

#define TEST(name) TEST_WITH(name, NULL, NULL)

/* RELEASED(buffer) out = BUFFER_INIT; is a struct buffer that buffer_release() gets at the end of its block. */
#define RELEASED(type) __attribute__((cleanup(type##_release))) struct type

#define TEST_AROUND_ALL(setup, teardown)                                                                               \
	__attribute__((constructor)) static void add_around_all(void)                                                  \
	{                                                                                                              \
		test_around_all(__FILE__, setup, teardown);                                                            \
	}

#endif

/* A command's options with a row of every kind, for the parser's test and its fuzzer. */
#ifndef CREDHOOK_TESTS_SAMPLE_OPTIONS_H
#define CREDHOOK_TESTS_SAMPLE_OPTIONS_H

#include "ui/options.h"

#include <string.h>

struct sample_shared {
	bool quiet;
	const char *file;
};

/* What an option with an optional argument came to; value NULL: it stood without "=". */
struct sample_optional {
	bool given;
	const char *value;
};

struct sample_args {
	struct sample_shared shared;
	bool flag;
	const char *text;
	struct text_list list;
	uint64_t number;
	int64_t duration;
	int choice;
	const char *called;
	struct sample_optional optional;
	struct sample_shared again;
};

static int sample_call(void *field, const char *value, struct error *err)
{
	if (strcmp(value, "bad") == 0)
		return error_set(err, EXIT_CODE_IO, "cannot call '%s'", value);
	*(const char **)field = value;
	return 0;
}

static int sample_optional(void *field, const char *value, struct error *err)
{
	(void)err;
	*(struct sample_optional *)field = (struct sample_optional){ true, value };
	return 0;
}

static const char *const sample_choices[] = { "text", "json", "github", NULL };

#define SAMPLE(field) offsetof(struct sample_args, field)
static const struct option sample_rows[] = {
	{ 'f', "flag", NULL, "a flag", OPTION_FLAG, .offset = SAMPLE(flag) },
	{ 't', "text", "TEXT", "a text", OPTION_TEXT, COMPLETE_NOTHING, .offset = SAMPLE(text) },
	{ 'H', "header", "LINE", "every one", OPTION_LIST, COMPLETE_NOTHING, .offset = SAMPLE(list) },
	{ 'n', "number", "N", "a number", OPTION_NUMBER, .offset = SAMPLE(number), .least = 1, .most = 100 },
	{ 'd', "delay", "DURATION", "a duration", OPTION_DURATION, .offset = SAMPLE(duration) },
	{ 0, "format", "FORMAT", "a choice", OPTION_CHOICE, .offset = SAMPLE(choice), .choices = sample_choices },
	{ 'c', "call", "WHAT", "a call", OPTION_CALL, COMPLETE_NOTHING, .offset = SAMPLE(called),
	  .parse = sample_call },
	{ 'D', "dry-run", "HOW", "an optional argument", OPTION_CALL, COMPLETE_NOTHING, .offset = SAMPLE(optional),
	  .parse = sample_optional, .argument_optional = true },
};
static const struct option sample_shared_rows[] = {
	{ 'q', "quiet", NULL, "a flag of another group", OPTION_FLAG, .offset = offsetof(struct sample_shared, quiet) },
	{ 0, "file", "FILE", "a text of another group", OPTION_TEXT, COMPLETE_FILE,
	  .offset = offsetof(struct sample_shared, file) },
};
static const struct option sample_again_rows[] = {
	{ 'Q', "quiet-again", NULL, "where the group lies decides", OPTION_FLAG,
	  .offset = offsetof(struct sample_shared, quiet) },
};
static const struct option_group sample_groups[] = {
	OPTION_GROUP("Sample", sample_rows, 0),
	OPTION_GROUP("Shared", sample_shared_rows, SAMPLE(shared)),
	OPTION_GROUP("Again", sample_again_rows, SAMPLE(again)),
};
#define SAMPLE_GROUP_COUNT (sizeof sample_groups / sizeof sample_groups[0])

#endif

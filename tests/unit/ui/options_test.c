#include "base/buffer.h"
#include "test.h"
#include "ui/options.h"
#include "ui/sample_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define WORDS_MAX    12

struct parsed {
	struct sample_args args;
	struct text_list operands;
	struct error err;
	char line[256]; /* the words, cut apart in place */
	char *words[WORDS_MAX];
	int count;
	int result;
};

/* The words of a line, which stand between single spaces; '' is an empty word. */
static void split_line(struct parsed *p, const char *line)
{
	memset(p, 0, sizeof *p);
	snprintf(p->line, sizeof p->line, "%s", line);
	for (char *at = p->line; *at;) {
		assert_true(p->count < WORDS_MAX);
		p->words[p->count++] = at;
		at += strcspn(at, " ");
		if (*at)
			*at++ = '\0';
	}
	for (int i = 0; i < p->count; i++)
		if (strcmp(p->words[i], "''") == 0)
			p->words[i][0] = '\0';
}

static void parse_line(struct parsed *p, const char *line, bool stop_at_operand)
{
	split_line(p, line);
	p->result = options_parse(sample_groups, SAMPLE_GROUP_COUNT, &p->args, p->count, p->words, &p->operands, NULL,
	                          stop_at_operand, &p->err);
}

static void release(struct parsed *p)
{
	text_list_release(&p->args.list);
	text_list_release(&p->operands);
}

/* All that was read, in one line. */
static void describe(const struct parsed *p, char *out, size_t size)
{
	const struct sample_args *a = &p->args;
	int at = snprintf(out, size, "%s%s%s", a->flag ? "flag " : "", a->shared.quiet ? "quiet " : "",
	                  a->again.quiet ? "again " : "");
	if (a->text)
		at += snprintf(out + at, size - (size_t)at, "text=%s ", a->text);
	for (size_t i = 0; i < a->list.count; i++)
		at += snprintf(out + at, size - (size_t)at, "header=%s ", a->list.items[i]);
	if (a->number)
		at += snprintf(out + at, size - (size_t)at, "number=%d ", (int)a->number);
	if (a->duration)
		at += snprintf(out + at, size - (size_t)at, "delay=%dms ", (int)(a->duration / 1000000));
	if (a->choice)
		at += snprintf(out + at, size - (size_t)at, "format=%s ", sample_choices[a->choice]);
	if (a->called)
		at += snprintf(out + at, size - (size_t)at, "call=%s ", a->called);
	if (a->optional.given)
		at += snprintf(out + at, size - (size_t)at, "dry=%s ",
		               a->optional.value ? a->optional.value : "(none)");
	if (a->shared.file)
		at += snprintf(out + at, size - (size_t)at, "file=%s ", a->shared.file);
	for (size_t i = 0; i < p->operands.count; i++)
		at += snprintf(out + at, size - (size_t)at, "<%s> ", p->operands.items[i]);
	if (at > 0)
		out[at - 1] = '\0';
}

TEST(options_are_read_in_every_form)
{
	static const struct {
		const char *line, *read;
	} rows[] = {
		{ "", "" },
		{ "--flag", "flag" },
		{ "-fq", "flag quiet" },
		{ "-ff --flag", "flag" },
		{ "--text x", "text=x" },
		{ "-t x", "text=x" },
		{ "-tx", "text=x" },
		{ "-t=x", "text==x" },
		{ "-ftx", "flag text=x" },
		{ "--text ''", "text=" },
		{ "--text=a=b", "text=a=b" },
		{ "--text -f", "text=-f" },
		{ "--text=--flag", "text=--flag" },
		{ "--text a --text b", "text=b" },
		{ "-H a -Hb --header c --header=d", "header=a header=b header=c header=d" },
		{ "--number 1", "number=1" },
		{ "-n 007", "number=7" },
		{ "--delay 5", "delay=5000ms" },
		{ "-d250ms", "delay=250ms" },
		{ "--format json", "format=json" },
		{ "--format=github --format=json", "format=json" },
		{ "--call x", "call=x" },
		{ "--dry-run", "dry=(none)" },
		{ "--dry-run=curl", "dry=curl" },
		{ "--dry-run curl", "dry=(none) <curl>" },
		{ "-Df", "flag dry=(none)" },
		{ "a -f b --text x c", "flag text=x <a> <b> <c>" },
		{ "-", "<->" },
		{ "- -f -", "flag <-> <->" },
		{ "''", "<>" },
		{ "-- -f --text", "<-f> <--text>" },
		{ "-f -- -- x", "flag <--> <x>" },
		{ "--text x -- y", "text=x <y>" },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct parsed p;
		char read[512] = "";
		parse_line(&p, rows[i].line, false);
		if (p.result != p.count)
			fail_msg("'%s': %d, %s", rows[i].line, p.result, p.err.message);
		describe(&p, read, sizeof read);
		if (strcmp(read, rows[i].read) != 0)
			fail_msg("'%s' was read as '%s', not '%s'", rows[i].line, read, rows[i].read);
		release(&p);
	}
}

TEST(what_cannot_be_read_is_told)
{
	static const struct {
		const char *line, *message, *hint;
	} rows[] = {
		{ "--flg", "unknown option '--flg'", "" },
		{ "--fla=x", "unknown option '--fla'", "" },
		{ "--zzzzzzzz", "unknown option '--zzzzzzzz'", "" },
		{ "---flag", "unknown option '---flag'", "" },
		{ "--=x", "unknown option '--'", "" },
		{ "-x", "unknown option '-x'", "" },
		{ "-fx", "unknown option '-x'", "" },
		{ "-\xC3\xA9", "unknown option '-\xC3\xA9'", "" },
		{ "-\xFF", "unknown option '-\xFF'", "" },
		{ "--flag=x", "--flag does not take an argument", "" },
		{ "--text", "--text requires an argument", "write --text TEXT" },
		{ "-ft", "--text requires an argument", "write --text TEXT" },
		{ "--text -- x", "--text requires an argument", "write --text TEXT" },
		{ "-t -- x", "--text requires an argument", "write --text TEXT" },
		{ "--number --", "--number requires an argument", "write --number N" },
		{ "--number 0", "invalid --number '0': out of range", "write a number from 1 to 100" },
		{ "--number 101", "invalid --number '101': out of range", "write a number from 1 to 100" },
		{ "-n -1", "invalid --number '-1': not a whole number", "write a number from 1 to 100" },
		{ "-n 1x", "invalid --number '1x': not a whole number", "write a number from 1 to 100" },
		{ "-n ''", "invalid --number '': not a whole number", "write a number from 1 to 100" },
		{ "-n 18446744073709551617", "invalid --number '18446744073709551617': out of range",
		  "write a number from 1 to 100" },
		{ "--delay soon", "invalid --delay 'soon': not a duration", "write 500ms" },
		{ "--delay -1s", "invalid --delay '-1s': not a duration", "write 500ms" },
		{ "--format jsno", "invalid --format 'jsno'", "did you mean json?" },
		{ "--format xml", "invalid --format 'xml'", "write text, json or github" },
		{ "--call bad", "cannot call 'bad'", "" },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct parsed p;
		parse_line(&p, rows[i].line, false);
		if (p.result != -1)
			fail_msg("'%s' was read", rows[i].line);
		if (strcmp(p.err.message, rows[i].message) != 0 ||
		    strncmp(p.err.hint, rows[i].hint, strlen(rows[i].hint)) != 0)
			fail_msg("'%s': %s (%s)", rows[i].line, p.err.message, p.err.hint);
		assert_int_equal(p.err.code, strstr(rows[i].line, "bad") ? EXIT_CODE_IO : EXIT_CODE_USAGE);
		release(&p);
	}
}

TEST(reading_stops_before_the_first_operand_where_asked_to)
{
	static const struct {
		const char *line;
		int used;
	} rows[] = {
		{ "", 0 },           { "-f build -q", 1 },        { "--text x build --bogus", 2 },
		{ "-f -- -q x", 2 }, { "--text=x - --bogus", 1 }, { "--", 1 },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct parsed p;
		parse_line(&p, rows[i].line, true);
		if (p.result != rows[i].used)
			fail_msg("'%s': %d words", rows[i].line, p.result);
		assert_int_equal(p.operands.count, 0);
		release(&p);
	}
}

TEST(rows_say_what_holds_where_nothing_is_given)
{
	struct sample_args args = { .flag = false };
	struct error err = { .code = EXIT_CODE_OK };
	struct option rows[COUNT(sample_rows)];
	memcpy(rows, sample_rows, sizeof rows);
	rows[2].initial = "A: b";
	rows[3].initial = "7";
	rows[4].initial = "30s";
	rows[5].initial = "github";
	rows[6].initial = "x";
	const struct option_group group = OPTION_GROUP("Sample", rows, 0);
	assert_int_equal(options_init(&group, 1, NULL, &args, &err), 0);
	assert_string_equal(args.list.items[0], "A: b");
	assert_int_equal(args.number, 7);
	assert_int_equal(args.duration, INT64_C(30000000000));
	assert_int_equal(args.choice, 2);
	assert_string_equal(args.called, "x");
	options_release(&group, 1, &args);
	assert_null(args.list.items);
	static const struct option_initial others[] = { { "number", "8" }, { "delay", "1m" }, { NULL, NULL } };
	assert_int_equal(options_init(&group, 1, others, &args, &err), 0);
	assert_int_equal(args.number, 8);
	assert_int_equal(args.duration, INT64_C(60000000000));
	assert_int_equal(args.choice, 2);
	options_release(&group, 1, &args);
	rows[3].initial = "101";
	assert_int_equal(options_init(&group, 1, NULL, &args, &err), -1);
	assert_int_equal(err.code, EXIT_CODE_INTERNAL);
	options_release(&group, 1, &args);
}

TEST(rows_say_what_goes_together)
{
	static const struct {
		const char *line;
		const char *message; /* NULL: it goes together */
	} lines[] = {
		{ "--number 3", NULL },
		{ "--number 3 --flag", "--number and --flag exclude each other" },
		{ "-f -n3", "--number and --flag exclude each other" },
		{ "--delay 1", "--delay needs --text or --header" },
		{ "--delay 1 -H x", NULL },
		{ "-t x -d1", NULL },
	};
	struct option rows[COUNT(sample_rows)];
	memcpy(rows, sample_rows, sizeof rows);
	rows[3].excludes = "none-of-ours flag";
	rows[4].needs = "text none-of-ours header";
	const struct option_group group = OPTION_GROUP("Sample", rows, 0);
	for (size_t i = 0; i < COUNT(lines); i++) {
		struct parsed p;
		struct option_words words = { .items = NULL };
		split_line(&p, lines[i].line);
		assert_int_equal(
		        options_parse(&group, 1, &p.args, p.count, p.words, &p.operands, &words, false, &p.err),
		        p.count);
		assert_int_equal(options_check(&group, 1, &words, &p.err), lines[i].message ? -1 : 0);
		if (lines[i].message)
			assert_string_equal(p.err.message, lines[i].message);
		free(words.items);
		release(&p);
	}
}

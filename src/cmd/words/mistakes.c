#include "cmd/words/mistakes.h"

#include "base/buffer.h"
#include "base/text.h"
#include "base/url.h"
#include "cmd/args/kinds.h"
#include "cmd/args/typed_word.h"
#include "cmd/words/unknown_option.h"

#include <stdlib.h>
#include <string.h>

static bool is_kinds(const char *word)
{
	struct kind_list list = { .items = NULL };
	struct error unused;
	int result = kinds_read(&list, &word, 1, &unused);
	free(list.items);
	return result == 0;
}

static bool is_input(const char *word)
{
	return strcmp(word, "-") == 0 || word_is_file(word);
}

static bool is_capture(const char *word)
{
	return is_input(word) || word_is_number(word);
}

/* Which words are fine, and what is said around another one. */
static const struct {
	bool (*is_one)(const char *word); /* NULL: it is not known */
	const char *before, *behind;
} operand_types[] = {
	[OPERAND_EVENT] = { is_kinds, "", "is not an event" },
	[OPERAND_FILE] = { is_input, "", "is not a file" },
	[OPERAND_CAPTURE] = { is_capture, "", "is not a file" },
	[OPERAND_CHECK] = { NULL, "", "is not a check" },
	[OPERAND_ADDRESS] = { NULL, "listen takes one address, not ", "too" },
};

static bool has_digits(const char *word, size_t least, size_t most)
{
	size_t length = strlen(word);
	return length >= least && length <= most && strspn(word, "0123456789") == length;
}

/* Those of three digits are the numbers of events in payloads. */
static bool is_count(const char *word)
{
	return has_digits(word, 1, 2);
}

static bool is_port(const char *word)
{
	return has_digits(word, 4, 5);
}

/* The places that have another word here. */
static bool is_position(const char *word)
{
	return option_is_among("latest newest oldest end begin start previous", word);
}

static bool is_list(const char *word)
{
	return strchr(word, ',') && !word_is_file(word);
}

static bool is_numbers(const char *word)
{
	LOCAL_BUFFER unused = BUFFER_INIT;
	return word_as_numbers(word, &unused);
}

static void append_numbers(struct buffer *out, const char *word)
{
	word_as_numbers(word, out);
}

static void append_masked(struct buffer *out, const char *word)
{
	url_append_masked(out, word);
}

static void append_blanks(struct buffer *out, const char *word)
{
	for (; *word; word++)
		buffer_append_byte(out, *word == ',' ? ' ' : *word);
}

/* The first test that holds gives the hint, which the word follows as it should be written. */
static const struct {
	const char *command;
	bool (*is_one)(const char *word);
	const char *hint;
	void (*append)(struct buffer *out, const char *word); /* NULL: as it is, secrets masked */
} rows[] = {
	{ "send", word_is_file, "write files with --file: --file", NULL },
	{ "send", word_is_destination, "write the destination with --to: --to", NULL },
	{ "send", is_port, "write the destination with --to: --to", NULL },
	{ "send", is_count, "several of each are --count: --count", NULL },
	{ "build", word_is_file, "to check a file: credhook validate", NULL },
	{ "build", is_count, "several of each are --count: --count", NULL },
	{ "replay", word_is_destination, "write the destination with --to: --to", NULL },
	{ "replay", is_kinds, "only these events: --events", NULL },
	{ "replay", is_numbers, "only these records: --record", append_numbers },
	{ "convert", is_kinds, "only these events: --events", NULL },
	{ "convert", is_numbers, "only these records: --record", append_numbers },
	{ "show", is_kinds, "only these events: --events", NULL },
	{ "show", is_numbers, "write", append_numbers },
	{ "show", is_position, "write first, last or last-1, not", NULL },
	{ "validate", is_kinds, "to check a payload as this event: --as", NULL },
	{ "validate", is_numbers, "to look at one record: credhook show FILE", append_numbers },
	{ "test", word_is_destination, "write the destination with --to: --to", NULL },
	{ "test", word_is_data, "to send files: credhook send --file", NULL },
	{ "test", is_list, "write them one by one:", append_blanks },
	{ "listen", word_is_destination, "to forward what arrives: --forward-to", NULL },
	{ "listen", word_is_data, "to keep what arrives: --capture", NULL },
};

/* The option whose value is a list, where that has ended at a blank: --respond 500 200. */
static const struct option_word *list_before(const struct option_words *words, const char *operand)
{
	for (size_t i = 1; words && i < words->count; i++) {
		const struct option_word *before = &words->items[i - 1];
		if (words->items[i].value == operand && !words->items[i].option && before->option && before->value &&
		    before->option->argument && strchr(before->option->argument, ','))
			return before;
	}
	return NULL;
}

int mistake_among(const struct context *context, enum operand_type type, size_t first, struct error *err)
{
	for (size_t i = first; i < context->operands->count; i++) {
		const char *word = context->operands->items[i];
		if (operand_types[type].is_one && operand_types[type].is_one(word))
			continue;
		LOCAL_BUFFER masked = BUFFER_INIT;
		struct error unused;
		if (is_numbers(word))
			buffer_append_text(&masked, word);
		else
			url_append_masked(&masked, word);
		const struct option_word *list = list_before(context->words, word);
		size_t r = 0;
		while (r < sizeof rows / sizeof rows[0] &&
		       (strcmp(rows[r].command, context->command) != 0 || !rows[r].is_one(word)))
			r++;
		bool is_row = list || r < sizeof rows / sizeof rows[0];
		if (!is_row && type != OPERAND_FILE && type != OPERAND_CAPTURE)
			continue;
		error_set(err, EXIT_CODE_USAGE, "%s'%s' %s", operand_types[type].before, buffer_text(&masked),
		          operand_types[type].behind);
		if (!is_row && option_word_hint(context->commands,
		                                command_named(context->commands, context->command, &unused), word, err))
			return -1;
		if (!is_row)
			continue;
		if (list && is_count(word) && strstr(list->option->argument, "[:N]"))
			return error_hint(err, "write how many with a colon: --%s %s:%s", list->option->name,
			                  list->value, word);
		if (list)
			return error_hint(err, "write a list with commas: --%s %s,%s", list->option->name, list->value,
			                  buffer_text(&masked));
		LOCAL_BUFFER meant = BUFFER_INIT;
		(rows[r].append ? rows[r].append : append_masked)(&meant, word);
		return error_hint(err, "%s %s", rows[r].hint, buffer_text(&meant));
	}
	return 0;
}

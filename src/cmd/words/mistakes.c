#include "cmd/words/mistakes.h"

#include "base/buffer.h"
#include "base/text.h"
#include "base/url.h"
#include "cmd/args/kinds.h"
#include "cmd/args/shell_text.h"
#include "cmd/args/typed_word.h"
#include "cmd/words/unknown_option.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static bool is_number(const char *word)
{
	return word[0] && word[strspn(word, "0123456789")] == '\0';
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

/* PATH=TEXT, PATH:=JSON, with a letter at the beginning. */
static bool is_assignment(const char *word)
{
	const char *sign = strchr(word, '=');
	size_t path = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./");
	return sign && path > 0 && (word + path == sign || (word[path] == ':' && word + path + 1 == sign));
}

/* NAME:VALUE, as another tool takes a header. */
static bool is_header(const char *word)
{
	size_t name = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-");
	return name > 1 && word[name] == ':' && word[name + 1] && word[0] >= 'A' && word[0] <= 'Z' &&
	       !word_is_destination(word);
}

static bool is_url(const char *word)
{
	return strncmp(word, "http://", 7) == 0 || strncmp(word, "https://", 8) == 0;
}

/* "-", "@-", @FILE */
static bool is_body(const char *word)
{
	return strcmp(word, "-") == 0 || (word[0] == '@' && word[1]);
}

/* The path of a field: details.firstName. */
static bool is_field(const char *word)
{
	return strncmp(word, "details.", strlen("details.")) == 0;
}

/* The places that have another word here. */
static bool is_position(const char *word)
{
	return option_is_among("latest newest oldest end begin start previous", word);
}

/* Whether a folder of $PATH has a program of that name. */
static bool is_program(const char *word)
{
	const char *path = getenv("PATH");
	bool found = false;
	for (const char *at = path ? path : ""; *at && !found; at += strcspn(at, ":"), at += *at == ':') {
		LOCAL_BUFFER file = BUFFER_INIT;
		buffer_printf(&file, "%.*s/%s", (int)strcspn(at, ":"), at, word);
		found = word[0] && !strchr(word, '/') && access(buffer_text(&file), X_OK) == 0;
	}
	return found;
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

/* A header may be secret. */
static void append_header(struct buffer *out, const char *word)
{
	buffer_printf(out, "'%.*s: VALUE'", (int)strcspn(word, ":"), word);
}

static void append_quoted(struct buffer *out, const char *word)
{
	shell_append(out, word, strlen(word));
}

static void append_fetched(struct buffer *out, const char *word)
{
	url_append_masked(out, word);
	buffer_append_text(out, " | credhook validate -");
}

static void append_behind_at(struct buffer *out, const char *word)
{
	buffer_append_text(out, word + (word[0] == '@'));
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
	{ "send", is_body, "what is sent is named with --file: --file", append_behind_at },
	{ "send", is_assignment, "a field is set with --set: --set", append_quoted },
	{ "send", is_header, "a header is added with -H: -H", append_header },
	{ "send", word_is_file, "write files with --file: --file", NULL },
	{ "send", word_is_destination, "write the destination with --to: --to", NULL },
	{ "send", is_port, "write the destination with --to: --to", NULL },
	{ "send", is_count, "several of each are --count: --count", NULL },
	{ "build", is_assignment, "a field is set with --set: --set", append_quoted },
	{ "build", word_is_file, "to check a file: credhook validate", NULL },
	{ "build", is_count, "several of each are --count: --count", NULL },
	{ "replay", word_is_destination, "write the destination with --to: --to", NULL },
	{ "replay", is_kinds, "only these events: --events", NULL },
	{ "replay", is_numbers, "only these records: --record", append_numbers },
	{ "convert", is_field, "--redact replaces what --keep does not name: --keep", NULL },
	{ "convert", is_kinds, "only these events: --events", NULL },
	{ "convert", is_numbers, "only these records: --record", append_numbers },
	{ "show", is_kinds, "only these events: --events", NULL },
	{ "show", is_numbers, "write", append_numbers },
	{ "show", is_position, "write first, last or last-1, not", NULL },
	{ "validate", is_url, "it is not fetched: curl -s", append_fetched },
	{ "validate", is_kinds, "to check a payload as this event: --as", NULL },
	{ "validate", is_numbers, "to look at one record: credhook show FILE", append_numbers },
	{ "test", word_is_destination, "write the destination with --to: --to", NULL },
	{ "test", word_is_data, "to send files: credhook send --file", NULL },
	{ "test", is_program, "a command that starts the listener is behind --: --", NULL },
	{ "test", is_list, "write them one by one:", append_blanks },
	{ "listen", is_port, "to forward what arrives: --forward-to", NULL },
	{ "shell", word_is_destination, "the destination is set at the prompt: use", NULL },
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

/* The word and the option before it, where it is the value of that: --fresh-ids 5, -m 500 ms. */
static int hint_value(const struct option_words *words, const char *operand, struct error *err)
{
	for (size_t i = 1; words && i < words->count; i++) {
		const struct option_word *before = &words->items[i - 1];
		const struct option *o = before->option;
		if (words->items[i].value != operand || words->items[i].option || !o)
			continue;
		if (o->argument_optional && !before->value)
			return error_hint(err, "write --%s=%s", o->name, operand);
		bool is_unit = before->value && o->type == OPTION_DURATION && is_number(before->value);
		if (is_unit && option_is_among("ms s m h d sec secs min mins seconds minutes hours", operand))
			return error_hint(err, "write --%s %s%.*s", o->name, before->value,
			                  strcmp(operand, "ms") == 0 ? 2 : 1, operand);
	}
	return 0;
}

int mistake_among(const struct context *context, enum operand_type type, size_t first, struct error *err)
{
	for (size_t i = first; i < context->operands->count; i++) {
		const char *word = context->operands->items[i];
		if (operand_types[type].is_one && operand_types[type].is_one(word))
			continue;
		LOCAL_BUFFER masked = BUFFER_INIT;
		struct error unused;
		if (is_numbers(word) || word[0] == '@')
			buffer_append_text(&masked, word);
		else
			url_append_masked(&masked, word);
		error_set(err, EXIT_CODE_USAGE, "%s'%s' %s", operand_types[type].before, buffer_text(&masked),
		          operand_types[type].behind);
		if (hint_value(context->words, word, err) < 0)
			return -1;
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

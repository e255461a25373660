#include "cmd/mistakes.h"

#include "base/buffer.h"
#include "base/text.h"
#include "base/url.h"
#include "capture/source.h"
#include "cmd/kinds.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_there(const char *word)
{
	return access(word, F_OK) == 0;
}

static bool is_data(const char *word)
{
	return source_type_of_name(word) != SOURCE_DETECT;
}

bool word_is_folder(const char *word)
{
	struct stat status;
	return stat(word, &status) == 0 && S_ISDIR(status.st_mode);
}

bool word_is_file(const char *word)
{
	return is_data(word) || is_there(word);
}

bool word_is_destination(const char *word)
{
	const char *colon = strrchr(word, ':');
	size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;
	bool has_port = digits > 0 && (colon[1 + digits] == '\0' || colon[1 + digits] == '/');
	return has_port || strstr(word, "://") || strncmp(word, "localhost", strlen("localhost")) == 0;
}

static bool is_kinds(const char *word)
{
	struct kind_list list = { .items = NULL };
	struct error unused;
	int result = kinds_read(&list, &word, 1, &unused);
	free(list.items);
	return result == 0;
}

/* Which words are fine, and what is said around another one. */
static const struct {
	bool (*is_one)(const char *word); /* NULL: it is not known */
	const char *before, *behind;
} operand_types[] = {
	[OPERAND_EVENT] = { is_kinds, "", "is not an event" },
	[OPERAND_FILE] = { is_there, "", "is not a file" },
	[OPERAND_CHECK] = { NULL, "", "is not a check" },
	[OPERAND_ADDRESS] = { NULL, "listen takes one address, not ", "too" },
};

/* The first test that holds gives the hint, which the word follows. */
static const struct {
	const char *command;
	bool (*is_one)(const char *word);
	const char *hint;
} rows[] = {
	{ "send", word_is_file, "write files with --file: --file" },
	{ "send", word_is_destination, "write the destination with --to: --to" },
	{ "build", word_is_file, "to check a file: credhook validate" },
	{ "replay", word_is_destination, "write the destination with --to: --to" },
	{ "test", word_is_destination, "write the destination with --to: --to" },
	{ "test", is_data, "to send files: credhook send --file" },
	{ "listen", word_is_destination, "to forward what arrives: --forward-to" },
	{ "listen", is_data, "to keep what arrives: --capture" },
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
		url_append_masked(&masked, word);
		const struct option_word *list = list_before(context->words, word);
		size_t r = 0;
		while (r < sizeof rows / sizeof rows[0] &&
		       (strcmp(rows[r].command, context->command) != 0 || !rows[r].is_one(word)))
			r++;
		if (!list && r == sizeof rows / sizeof rows[0])
			continue;
		error_set(err, EXIT_CODE_USAGE, "%s'%s' %s", operand_types[type].before, buffer_text(&masked),
		          operand_types[type].behind);
		if (list)
			return error_hint(err, "write a list with commas: --%s %s,%s", list->option->name, list->value,
			                  buffer_text(&masked));
		return error_hint(err, "%s %s", rows[r].hint, buffer_text(&masked));
	}
	return 0;
}

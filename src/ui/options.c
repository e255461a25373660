#include "ui/options.h"

#include "base/ascii.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/quoted.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct parser {
	const struct option_group *groups;
	size_t group_count;
	char *args;
	struct option_words *words; /* NULL: not wanted */
	struct error *err;
};

struct found {
	const struct option *option;
	char *field; /* where its value goes */
	bool by_letter;
};

/* What follows an option; NULL: nothing. */
struct next_words {
	const char *first, *second;
};

static struct found find_option(const struct parser *p, char letter, const char *name, size_t length)
{
	for (size_t g = 0; g < p->group_count; g++) {
		const struct option *o = options_find(&p->groups[g], 1, letter, name, length);
		if (o)
			return (struct found){ o, p->args + p->groups[g].offset + o->offset, letter != 0 };
	}
	return (struct found){ NULL, NULL, false };
}

void options_append_choices(struct buffer *out, const char *const *choices)
{
	for (size_t i = 0; choices[i]; i++)
		buffer_printf(out, "%s%s", i == 0 ? "" : choices[i + 1] ? ", " : " or ", choices[i]);
}

bool option_is_among(const char *words, const char *word)
{
	size_t length = strlen(word);
	for (const char *at = words; at && length > 0 && (at = strstr(at, word)); at++)
		if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
			return true;
	return false;
}

/* `name`: how it stands there; `word`: all that was typed; `value`: what may belong to it. */
static int unknown_option(const struct parser *p, const char *name, size_t length, const char *word, const char *value)
{
	if (p->words) {
		snprintf(p->words->unknown.name, sizeof p->words->unknown.name, "%.*s", (int)length, name);
		p->words->unknown.word = word;
		p->words->unknown.value = value;
	}
	/* What looks like its end may be a part of a password. */
	LOCAL_BUFFER shown = BUFFER_INIT;
	bool hides = word && quoted_hides(word, strlen(word));
	quoted_append(&shown, hides ? word : name, hides ? strlen(word) : length);
	return error_set(p->err, EXIT_CODE_USAGE, "unknown option '%.*s'", (int)strcspn(buffer_text(&shown), "="),
	                 buffer_text(&shown));
}

static int read_number(const struct option *option, uint64_t *field, const char *value, struct error *err)
{
	if (option->most == UINT64_MAX && strcmp(value, "unlimited") == 0) {
		*field = UINT64_MAX;
		return 0;
	}
	uint64_t number;
	const char *end = count_parse(value, 1000, option->most, &number);
	if (end && *end == '\0' && number >= option->least) {
		*field = number;
		return 0;
	}
	bool digits = value[0] != '\0' && value[strspn(value, "0123456789")] == '\0';
	error_set(err, EXIT_CODE_USAGE, "invalid --%s '%s': %s", option->name, value,
	          digits ? "out of range" : "not a whole number");
	if (option->most == UINT64_MAX)
		return error_hint(err, "write a number of at least %" PRIu64, option->least);
	return error_hint(err, "write a number from %" PRIu64 " to %" PRIu64, option->least, option->most);
}

static int read_choice(const struct option *option, int *field, const char *value, struct error *err)
{
	struct nearest near;
	nearest_init(&near, value, strlen(value));
	for (int i = 0; option->choices[i]; i++) {
		if (nearest_offer(&near, option->choices[i])) {
			*field = i;
			return 0;
		}
	}
	error_set(err, EXIT_CODE_USAGE, "invalid --%s '%s'", option->name, value);
	if (nearest_result(&near))
		return error_ask(err, "%s", nearest_result(&near));
	LOCAL_BUFFER list = BUFFER_INIT;
	options_append_choices(&list, option->choices);
	return error_hint(err, "write %s", buffer_text(&list));
}

static int add_word(const struct parser *p, const struct option *option, const char *value, const char *more)
{
	struct option_words *words = p->words;
	if (!words)
		return 0;
	if (!ARRAY_ROOM(words->items, words->capacity, words->count + 1))
		return error_no_memory(p->err);
	words->items[words->count++] = (struct option_word){ option, value, more };
	return 0;
}

/* `more`: the word behind it that belongs to the value, or NULL. */
static int read_value(const struct parser *p, struct found f, const char *value, const char *more)
{
	void *field = f.field;
	LOCAL_BUFFER joined = BUFFER_INIT;
	if (add_word(p, f.option, value, more) < 0)
		return -1;
	if (more) {
		buffer_printf(&joined, "%s %s", value, more);
		if (joined.failed)
			return error_no_memory(p->err);
		value = buffer_text(&joined);
	}
	switch (f.option->type) {
	case OPTION_FLAG:
		*(bool *)field = true;
		return 0;
	case OPTION_HELP:
		*(int *)field = f.by_letter ? OPTION_HELP_COMMON : OPTION_HELP_ALL;
		return 0;
	case OPTION_TEXT:
		*(const char **)field = value;
		if ((f.option->complete != COMPLETE_FILE && f.option->complete != COMPLETE_OUTPUT) || *value)
			return 0;
		error_set(p->err, EXIT_CODE_USAGE, "--%s '': the name of a file is empty", f.option->name);
		return error_hint(p->err, "write --%s %s", f.option->name, f.option->argument);
	case OPTION_LIST:
		return text_list_add(field, value, p->err);
	case OPTION_NUMBER:
		return read_number(f.option, field, value, p->err);
	case OPTION_DURATION:
		if (clock_parse_duration(value, field) && *(int64_t *)field >= (int64_t)f.option->least)
			return 0;
		error_set(p->err, EXIT_CODE_USAGE, "invalid --%s '%s': not a duration%s", f.option->name, value,
		          f.option->least > 0 ? " above 0" : "");
		return error_hint(p->err, "write 500ms, 5s, 2m or 1h; a bare number is seconds");
	case OPTION_CHOICE:
		return read_choice(f.option, field, value, p->err);
	case OPTION_CALL:
		return f.option->parse(field, value, p->err);
	}
	return error_set(p->err, EXIT_CODE_INTERNAL, "option '--%s' has no kind", f.option->name);
}

/* Its value is `given` (NULL: not with it), or where it requires one the next word (NULL: there is none). Returns how
 * many words were used. */
static int take_value(const struct parser *p, struct found f, const char *given, const struct next_words *behind)
{
	const char *next = behind->first;
	bool is_name = f.option->complete == COMPLETE_FILE || f.option->complete == COMPLETE_OUTPUT;
	if (f.by_letter && given && given[0] == '=' && is_name) {
		error_set(p->err, EXIT_CODE_USAGE, "-%c%s: a letter takes its argument without '='", f.option->letter,
		          given);
		return error_hint(p->err, "write -%c %s", f.option->letter, given + 1);
	}
	bool is_in_next = !given && f.option->argument && !f.option->argument_optional;
	/* "--" ends the options: whoever writes it has left the value out. */
	bool is_option = is_in_next && next && next[0] == '-' && next[1] == '-' &&
	                 (!next[2] || find_option(p, 0, next + 2, strcspn(next + 2, "=")).option);
	if (!is_in_next || (next && !is_option)) {
		const char *value = is_in_next ? next : given, *more = is_in_next ? behind->second : next;
		bool continues = f.option->continues && value && more && f.option->continues(value, more);
		return read_value(p, f, value, continues ? more : NULL) < 0 ? -1 : 1 + is_in_next + continues;
	}
	error_set(p->err, EXIT_CODE_USAGE, "--%s requires an argument", f.option->name);
	return error_hint(p->err, "write --%s %s", f.option->name, f.option->argument);
}

/* --name, --name=value, or --name with its value in `next`. */
static int parse_long(const struct parser *p, const char *text, const struct next_words *behind)
{
	size_t length = strcspn(text, "=");
	struct found f = find_option(p, 0, text, length);
	if (!f.option)
		return unknown_option(p, text - 2, length + 2, text - 2,
		                      text[length] == '=' ? text + length + 1 : behind->first);
	if (text[length] == '=' && !f.option->argument) {
		error_set(p->err, EXIT_CODE_USAGE, "--%s does not take an argument", f.option->name);
		return error_hint(p->err, "write --%s", f.option->name);
	}
	return take_value(p, f, text[length] == '=' ? text + length + 1 : NULL, behind);
}

/* -abc, -Hvalue, or -H with its value in `next`. */
static int parse_short(const struct parser *p, const char *letters, const struct next_words *behind)
{
	for (const char *at = letters; *at; at++) {
		struct found f = find_option(p, *at, NULL, 0);
		if (!f.option) {
			uint32_t code_point;
			size_t size = utf8_decode(at, strlen(at), &code_point);
			char text[8];
			snprintf(text, sizeof text, "-%.*s", (int)(size ? size : 1), at);
			if (*at != '=' || at == letters)
				return unknown_option(p, text, strlen(text), at == letters ? letters - 1 : NULL,
				                      at[1] ? at + 1 + (at[1] == '=') : behind->first);
			error_set(p->err, EXIT_CODE_USAGE, "-%c does not take an argument", at[-1]);
			return error_hint(p->err, "write -%c", at[-1]);
		}
		if (f.option->argument && !f.option->argument_optional)
			return take_value(p, f, at[1] ? at + 1 : NULL, behind);
		if (read_value(p, f, NULL, NULL) < 0)
			return -1;
	}
	return 1;
}

int options_parse(const struct option_group *groups, size_t group_count, void *args, int argc, char *const *argv,
                  struct text_list *operands, struct option_words *words, bool stop_at_operand, struct error *err)
{
	struct parser p = { groups, group_count, args, words, err };
	bool all_operands = false;
	int at = 0;
	while (at < argc) {
		const char *text = argv[at];
		int used = 1;
		if (all_operands || text[0] != '-' || text[1] == '\0') {
			if (stop_at_operand)
				return at;
			used = text_list_add(operands, text, err) < 0 || add_word(&p, NULL, text, NULL) < 0 ? -1 : 1;
		} else if (strcmp(text, "--") == 0) {
			all_operands = true;
			if (words) {
				words->has_dashes = true;
				words->before = operands ? operands->count : 0;
			}
		} else {
			const struct next_words behind = { at + 1 < argc ? argv[at + 1] : NULL,
				                           at + 2 < argc ? argv[at + 2] : NULL };
			used = text[1] == '-' ? parse_long(&p, text + 2, &behind) : parse_short(&p, text + 1, &behind);
		}
		if (used < 0)
			return -1;
		at += used;
	}
	return at;
}

const char *option_initial_value(const struct option *option, const struct option_initial *others)
{
	for (; others && others->name; others++)
		if (strcmp(others->name, option->name) == 0)
			return others->value;
	return !option->initial && option->choices ? option->choices[0] : option->initial;
}

int options_init(const struct option_group *groups, size_t group_count, const struct option_initial *others, void *args,
                 struct error *err)
{
	struct parser p = { groups, group_count, args, NULL, err };
	for (size_t g = 0; g < group_count; g++) {
		for (size_t i = 0; i < groups[g].count; i++) {
			const struct option *o = &groups[g].options[i];
			const char *initial = option_initial_value(o, others);
			struct found f = { o, p.args + groups[g].offset + o->offset, false };
			if (initial && read_value(&p, f, initial, NULL) < 0)
				return error_set(err, EXIT_CODE_INTERNAL, "the initial value of --%s cannot be read",
				                 o->name);
		}
	}
	return 0;
}

void options_release(const struct option_group *groups, size_t group_count, void *args)
{
	for (size_t g = 0; g < group_count; g++) {
		for (size_t i = 0; i < groups[g].count; i++) {
			const struct option *o = &groups[g].options[i];
			void *field = (char *)args + groups[g].offset + o->offset;
			if (o->type == OPTION_LIST)
				text_list_release(field);
			else if (o->release)
				o->release(field);
		}
	}
}

void option_release_array(void *field)
{
	void *memory;
	memcpy(&memory, field, sizeof memory);
	free(memory);
	memset(field, 0, sizeof memory + 2 * sizeof(size_t));
}

/* The first of `names` that was given. `known`: those that the command has, as "--a or --b". */
static const struct option *first_given(const struct option_group *groups, size_t group_count,
                                        const struct option_words *words, const char *names, struct buffer *known)
{
	while (*names) {
		size_t length = strcspn(names, " ");
		const struct option *o = options_find(groups, group_count, 0, names, length);
		for (size_t i = 0; o && i < words->count; i++)
			if (words->items[i].option == o)
				return o;
		if (o)
			buffer_printf(known, "%s--%s", known->length > 0 ? " or " : "", o->name);
		names += length + (names[length] == ' ');
	}
	return NULL;
}

static bool has_one_value(const struct option *o)
{
	return o->once || (o->type != OPTION_CALL && o->type != OPTION_LIST);
}

static bool is_same_value(const char *one, const char *other)
{
	return strcmp(one ? one : "", other ? other : "") == 0;
}

/* The last one would win, and the first be ignored, also where one has no value. The values may be secret. */
static int check_values(const struct option_words *words, size_t at, struct error *err)
{
	const struct option_word *word = &words->items[at];
	for (size_t i = 0; word->option && has_one_value(word->option) && i < at; i++) {
		const struct option_word *before = &words->items[i];
		if (before->option != word->option ||
		    (is_same_value(before->value, word->value) && is_same_value(before->more, word->more)))
			continue;
		error_set(err, EXIT_CODE_USAGE, "--%s is given twice, with different values", word->option->name);
		return error_hint(err, "leave one of them out");
	}
	return 0;
}

int options_check(const struct option_group *groups, size_t group_count, const struct option_words *words,
                  struct error *err)
{
	for (size_t i = 0; i < words->count; i++) {
		const struct option *o = words->items[i].option;
		LOCAL_BUFFER missing = BUFFER_INIT;
		LOCAL_BUFFER unused = BUFFER_INIT;
		if (check_values(words, i, err) < 0)
			return -1;
		const struct option *other =
		        o && o->excludes ? first_given(groups, group_count, words, o->excludes, &unused) : NULL;
		if (other)
			return error_set(err, EXIT_CODE_USAGE, "--%s and --%s exclude each other", o->name,
			                 other->name);
		if (!o || !o->needs || first_given(groups, group_count, words, o->needs, &missing))
			continue;
		error_set(err, EXIT_CODE_USAGE, "--%s needs %s", o->name, buffer_text(&missing));
		return o->alone ? error_hint(err, "%s", o->alone) : -1;
	}
	return 0;
}

const struct option *options_find(const struct option_group *groups, size_t group_count, char letter, const char *name,
                                  size_t length)
{
	for (size_t g = 0; g < group_count; g++)
		for (size_t i = 0; i < groups[g].count; i++) {
			const struct option *o = &groups[g].options[i];
			if (name ? strlen(o->name) == length && memcmp(o->name, name, length) == 0
			         : letter && o->letter == letter)
				return o;
		}
	return NULL;
}

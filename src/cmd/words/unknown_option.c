#include "cmd/words/unknown_option.h"

#include "base/ascii.h"
#include "base/buffer.h"
#include "base/find.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "cmd/words/option_match.h"

#include <stdio.h>
#include <string.h>

/* The word as the rows have it, and where it is looked for. */
struct question {
	const struct command *const *commands;
	const struct command *command; /* NULL: none yet */
	struct option_group groups[COMMAND_GROUPS_MAX];
	size_t own; /* groups without the global one, which is behind them */
	const char *word;
	const char *typed; /* the same as it stood there */
	const char *value; /* what stands behind it; NULL: nothing */
	bool is_letter;
	struct error *err;
	bool *asks; /* set: the hint is the question what was meant */
};

/* The hint asks: did you mean --NAME? */
static void ask(const struct question *q, struct buffer *out, const char *name)
{
	buffer_printf(out, "--%s", name);
	*q->asks = true;
}

static int give_hint(const struct question *q, const struct buffer *hint)
{
	return *q->asks ? error_ask(q->err, "%s", buffer_text(hint)) : error_hint(q->err, "%s", buffer_text(hint));
}

/* --retry N, --dry-run[=curl] */
static void append_usage(struct buffer *out, const struct option *o)
{
	buffer_printf(out, "--%s", o->name);
	if (o->argument)
		buffer_printf(out, o->argument_optional ? "[=%s]" : " %s", o->argument);
}

static void offer_option(struct buffer *out, const struct option *o)
{
	buffer_append_text(out, out->length > 0 ? ", or " : "write ");
	append_usage(out, o);
	buffer_printf(out, " (%s)", o->help);
}

/* A way, with the port that was typed in place of the one of examples. */
static void append_way(const struct question *q, struct buffer *out, const char *text)
{
	static const char example[] = "8080";
	size_t digits = q->value ? strspn(q->value, "0123456789") : 0;
	bool is_port = digits > 0 && digits <= strlen("65535") && q->value[digits] == '\0';
	const char *at = is_port ? strstr(text, example) : NULL;
	if (!at)
		buffer_append_text(out, text);
	else
		buffer_printf(out, "%.*s%s%s", (int)(at - text), text, q->value, at + strlen(example));
}

/* What other tools call an option, and what there is instead of one. */
static bool by_own_words(const struct question *q, struct buffer *out)
{
	for (size_t g = 0; g <= q->own; g++) {
		const struct option_group *group = &q->groups[g];
		for (size_t i = 0; i < group->count; i++)
			if (match_words(group->options[i].also, q->word, q->is_letter))
				offer_option(out, &group->options[i]);
		for (const struct option_way *way = group->ways; g < q->own && way && way->words; way++)
			if (match_words(way->words, q->word, q->is_letter)) {
				buffer_append_text(out, out->length > 0 ? "; " : "");
				append_way(q, out, way->text);
			}
	}
	return out->length > 0;
}

static bool by_spelling(const struct question *q, struct buffer *out)
{
	for (size_t g = 0; !q->is_letter && g <= q->own; g++)
		for (size_t i = 0; i < q->groups[g].count; i++)
			if (out->length == 0 && match_spelling(q->word, q->groups[g].options[i].name))
				ask(q, out, q->groups[g].options[i].name);
	return out->length > 0;
}

/* A field is spelled as in payloads, clientKey, where client-key is an option. */
static bool by_field(const struct question *q, struct buffer *out)
{
	char path[CATALOG_KIND_NAME_SIZE];
	for (size_t g = 0; strcmp(q->typed, q->word) != 0 && g < q->own; g++)
		for (size_t i = 0; i < q->groups[g].count; i++)
			if (q->groups[g].options[i].complete == COMPLETE_ASSIGNMENT &&
			    match_field(q->typed, path, sizeof path))
				buffer_printf(out, "%s--%s %s=VALUE", out->length > 0 ? ", or " : "write ",
				              q->groups[g].options[i].name, path);
	return out->length > 0;
}

static bool by_own_value(const struct question *q, struct buffer *out)
{
	for (size_t g = 0; !q->is_letter && g < q->own; g++) {
		for (size_t i = 0; i < q->groups[g].count; i++) {
			LOCAL_BUFFER text = BUFFER_INIT;
			if (match_value(&q->groups[g].options[i], q->word, &text))
				buffer_printf(out, "%s%s", out->length > 0 ? ", or " : "write ", buffer_text(&text));
		}
	}
	struct catalog_kind kind;
	const char *unused;
	bool takes_events = q->command && q->command->complete == COMPLETE_EVENTS && !q->is_letter;
	if (takes_events && out->length == 0 && strcmp(q->word, "all") == 0)
		buffer_printf(out, "write it alone: credhook %s all", q->command->name);
	else if (takes_events && out->length == 0 && strchr(q->word, '-') &&
	         catalog_find_kind(q->word, &kind, &unused) == CATALOG_FOUND)
		buffer_printf(out, "write it alone: credhook %s %s", q->command->name, KIND_NAME(kind));
	return out->length > 0;
}

/* Another command, and how much it is like this one. */
struct other {
	const struct command *command;
	const struct option *option;
	size_t likeness;
	struct buffer value; /* the option with it, where it is found by that */
};

enum search {
	SEARCH_NAME,
	SEARCH_ALSO,
	SEARCH_VALUE,
};

static bool is_option_of(const struct question *q, enum search how, const struct option *o, struct buffer *value)
{
	if (o->unsafe)
		return false;
	if (how == SEARCH_NAME)
		return q->is_letter ? o->letter == q->word[1] : match_spelling(q->word, o->name);
	if (how == SEARCH_ALSO)
		return option_is_among(o->also, q->word);
	buffer_clear(value);
	return !q->is_letter && match_value(o, q->word, value);
}

/* How many groups of options both have. */
static size_t count_shared(const struct question *q, const struct command *other)
{
	size_t count = 0;
	for (size_t a = 0; a < q->command->use_count; a++)
		for (size_t b = 0; b < other->use_count; b++)
			count += q->command->uses[a].group == other->uses[b].group ? 1 : 0;
	return count;
}

/* What delivers is named to those that have more than one group in common with it, or where nothing else has it. */
static size_t likeness(const struct question *q, const struct command *other)
{
	return 4 * count_shared(q, other) + (other->group == COMMAND_DELIVER ? 0 : 6) +
	       (q->command->complete == other->complete ? 2 : 0);
}

/* The command that is most like this one among those that have it. */
static bool find_other(const struct question *q, enum search how, struct other *found)
{
	for (size_t c = 0; q->commands[c]; c++) {
		const struct command *command = q->commands[c];
		size_t like = likeness(q, command);
		if (command == q->command || command->group == COMMAND_SESSION || command->group == COMMAND_OTHER ||
		    (found->command && like <= found->likeness))
			continue;
		/* A letter, and a word of other tools, mean the same only where the commands are alike. */
		if ((how == SEARCH_ALSO || q->is_letter) &&
		    count_shared(q, command) < (command->group == COMMAND_DELIVER ? 2 : 1))
			continue;
		for (size_t u = 0; u < command->use_count; u++) {
			const struct option_group *group = command->uses[u].group;
			for (size_t i = 0; i < group->count; i++) {
				if (found->command == command ||
				    !is_option_of(q, how, &group->options[i], &found->value))
					continue;
				*found = (struct other){ command, &group->options[i], like, found->value };
			}
		}
	}
	if (found->command && how == SEARCH_VALUE)
		is_option_of(q, how, found->option, &found->value);
	return found->command != NULL;
}

/* That command's line. */
static bool by_other(const struct question *q, enum search how, struct buffer *out)
{
	struct other other = { .value = BUFFER_INIT };
	if (q->command && find_other(q, how, &other)) {
		const struct option *o = other.option;
		LOCAL_BUFFER option = BUFFER_INIT;
		buffer_printf(&option, "--%s", o->name);
		const char *usual = other.command->usual ? other.command->usual : "";
		buffer_printf(out, "credhook %s%s%s", other.command->name, usual[0] ? " " : "", usual);
		if (other.value.length > 0) {
			buffer_printf(out, " %s", buffer_text(&other.value));
		} else if (!strstr(usual, buffer_text(&option))) {
			buffer_append_byte(out, ' ');
			append_usage(out, o);
		}
		buffer_printf(out, " (%s)", o->help);
	}
	buffer_release(&other.value);
	return out->length > 0;
}

static bool by_name_of_other(const struct question *q, struct buffer *out)
{
	return by_other(q, SEARCH_NAME, out);
}

static bool by_words_of_other(const struct question *q, struct buffer *out)
{
	return by_other(q, SEARCH_ALSO, out);
}

static bool by_value_of_other(const struct question *q, struct buffer *out)
{
	return by_other(q, SEARCH_VALUE, out);
}

static bool by_global_ways(const struct question *q, struct buffer *out)
{
	for (const struct option_way *way = global_option_group.ways; q->command && way && way->words; way++)
		if (out->length == 0 && option_is_among(way->words, q->word))
			buffer_append_text(out, way->text);
	return out->length > 0;
}

/* A command with dashes, before there is one, or a word for one that needs no operand: --replay, --list. */
static bool by_command(const struct question *q, struct buffer *out)
{
	for (size_t c = 0; !q->is_letter && !q->command && q->commands[c]; c++)
		if (match_spelling(q->word, q->commands[c]->name))
			buffer_printf(out, "credhook %s%s%s (%s)", q->commands[c]->name,
			              q->commands[c]->usual ? " " : "",
			              q->commands[c]->usual ? q->commands[c]->usual : "", q->commands[c]->phrase);
	for (size_t c = 0; out->length == 0 && !q->command && q->commands[c]; c++) {
		bool shows = q->commands[c]->group == COMMAND_LEARN || q->commands[c]->group == COMMAND_OTHER;
		for (const struct command_also *also = q->commands[c]->also; shows && also && also->words; also++)
			if (option_is_among(also->words, q->word))
				buffer_printf(out, "write credhook %s", q->commands[c]->name);
	}
	return out->length > 0;
}

static bool by_nearest(const struct question *q, struct buffer *out)
{
	struct nearest near;
	nearest_init(&near, q->word, strlen(q->word));
	for (size_t g = 0; !q->is_letter && g <= q->own; g++)
		for (size_t i = 0; i < q->groups[g].count; i++)
			if (!q->groups[g].options[i].unsafe)
				nearest_offer(&near, q->groups[g].options[i].name);
	if (nearest_result(&near))
		ask(q, out, nearest_result(&near));
	return out->length > 0;
}

/* The first that finds something gives the hint: what a row says of the word, then what is spelled alike. */
static bool (*const rules[])(const struct question *q, struct buffer *out) = {
	by_field,         by_own_words,      by_spelling,       by_own_value, by_global_ways,
	by_name_of_other, by_words_of_other, by_value_of_other, by_command,   by_nearest,
};

/* As names of options are spelled: maxTime and max_time are max-time. */
static void to_name(const char *word, char name[OPTION_UNKNOWN_SIZE])
{
	size_t length = 0;
	for (const char *at = word; *at && length < OPTION_UNKNOWN_SIZE - 2; at++) {
		bool is_capital = *at >= 'A' && *at <= 'Z';
		if (is_capital && at > word && at[-1] >= 'a' && at[-1] <= 'z')
			name[length++] = '-';
		name[length++] = *at == '_' ? '-' : ascii_lower(*at);
	}
	name[length] = '\0';
}

static bool answer(struct question *q, const char *typed, bool is_letter)
{
	char name[OPTION_UNKNOWN_SIZE];
	LOCAL_BUFFER out = BUFFER_INIT;
	to_name(typed, name);
	q->typed = typed;
	q->word = is_letter ? typed : name;
	q->is_letter = is_letter;
	for (size_t r = 0; typed[0] && r < sizeof rules / sizeof rules[0] && out.length == 0; r++)
		rules[r](q, &out);
	if (out.length > 0)
		give_hint(q, &out);
	return out.length > 0;
}

/* The name where it stands with one dash: -to, but not -XPUT, whose letter is what was meant. */
static bool answer_word(struct question *q, const char *letter, const char *word)
{
	char typed[OPTION_UNKNOWN_SIZE];
	snprintf(typed, sizeof typed, "%.*s", (int)strcspn(word + 1, "="), word + 1);
	LOCAL_BUFFER spelled = BUFFER_INIT;
	q->word = typed;
	q->is_letter = false;
	if (by_spelling(q, &spelled) || (strlen(typed) >= MATCH_LEAST - 1 && by_own_words(q, &spelled)))
		return give_hint(q, &spelled) < 0;
	return answer(q, letter, true) || (strlen(typed) >= MATCH_LEAST && answer(q, typed, false));
}

/* Nothing is known of the word: the options that most people use. */
static void hint_common(const struct command *command, struct error *err)
{
	LOCAL_BUFFER names = BUFFER_INIT;
	for (const char *const *name = command->uses ? command->common : NULL; name && *name; name++)
		buffer_printf(&names, "%s--%s", names.length > 0 ? ", " : "; the common ones are ", *name);
	error_hint(err, "--help shows all options%s", buffer_text(&names));
}

void unknown_option_hint(const struct command *const *commands, const struct command *command,
                         const struct option_unknown *unknown, struct error *err)
{
	bool asks = false;
	struct question q = {
		.commands = commands, .command = command, .value = unknown->value, .err = err, .asks = &asks
	};
	bool is_letter = unknown->name[1] != '-';
	const char letter[] = { '-', is_letter ? '\0' : unknown->name[2], '\0' };
	q.own = command ? command_groups(command, q.groups) - 1 : 0;
	q.groups[q.own] = global_option_group;
	bool is_short = !is_letter && strlen(unknown->name) == strlen("--n");
	bool answered = is_short         ? answer(&q, letter, true)
	                : !is_letter     ? answer(&q, unknown->name + 2, false)
	                : !unknown->word ? answer(&q, unknown->name, true)
	                                 : answer_word(&q, unknown->name, unknown->word);
	if (!answered && command)
		hint_common(command, err);
	else if (!answered)
		error_hint(err, "write a command's options after its name: credhook COMMAND OPTION");
}

bool option_word_hint(const struct command *const *commands, const struct command *command, const char *word,
                      struct error *err)
{
	bool asks = false;
	struct question q = {
		.commands = commands, .command = command, .word = word, .typed = word, .err = err, .asks = &asks
	};
	LOCAL_BUFFER out = BUFFER_INIT;
	q.own = command_groups(command, q.groups) - 1;
	const struct option *o = options_find(q.groups, q.own, 0, word, strlen(word));
	if (o && !o->unsafe)
		offer_option(&out, o);
	else if (strlen(word) >= MATCH_LEAST - 1)
		by_own_value(&q, &out);
	if (out.length > 0)
		give_hint(&q, &out);
	return out.length > 0;
}

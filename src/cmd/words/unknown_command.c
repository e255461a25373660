#include "cmd/words/unknown_command.h"

#include "base/buffer.h"
#include "base/text.h"
#include "base/url.h"
#include "catalog/catalog.h"
#include "cmd/args/typed_word.h"
#include "cmd/topics/topics.h"
#include "probe/plan.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define PART_LEAST 4 /* bytes of a part that says by itself what is meant */
#define PART_MOST  32

/* What there is instead of a command that we do not have. */
static const struct option_way ways[] = {
	{ "clear cls", "Ctrl-L clears the screen" },
	{ "stop kill", "Ctrl-C or SIGTERM ends a listener; at the prompt of credhook shell: listen stop" },
	{ "status health", "credhook config shows the configuration, credhook test --to WHERE tests a listener" },
	{ "delete remove rm clean", "nothing is kept but in the files that you name" },
	{ "update upgrade install", "credhook version says which one it is; updates come as the binary did" },
	{ "auth token secret whoami",
	  "credhook send -H @FILE sends a header; credhook config shows the configuration" },
	{ NULL, NULL },
};

static bool is_port(const char *word)
{
	size_t length = strlen(word);
	return length > 0 && length <= 5 && strspn(word, "0123456789") == length;
}

static bool is_payload(const char *word)
{
	return word_is_folder(word) || (word_is_file(word) && text_ends_with(word, strlen(word), ".json"));
}

static bool is_event(const char *word)
{
	struct catalog_kind kind;
	return strlen(word) >= 4 && (strcmp(word, "all") == 0 || catalog_find_kind(word, &kind, NULL) == CATALOG_FOUND);
}

static bool is_check(const char *word)
{
	for (size_t i = 0; i < probe_group_count; i++)
		if (strcmp(probe_groups[i], word) == 0)
			return true;
	for (size_t i = 0; strchr(word, '/') && i < probe_row_count; i++)
		if (probe_row_makes(&probe_rows[i], word))
			return true;
	return false;
}

static bool is_topic(const char *word)
{
	const struct terminal plain = { .json = false };
	LOCAL_BUFFER unused = BUFFER_INIT;
	return explain_topic(&unused, &plain, word);
}

/* The first test that holds gives the line; %s is the word. */
static const struct {
	bool (*is_one)(const char *word);
	const char *before, *behind;
} types[] = {
	{ is_payload, "credhook validate ", " checks it" },
	{ word_is_file, "credhook show ", " shows it" },
	{ is_port, "credhook listen ", " receives there" },
	{ word_is_destination, "write the destination with --to: credhook test --to ", " tests a listener" },
	{ is_event, "credhook send ", " --to WHERE sends it, credhook build makes it" },
	{ is_check, "credhook test ", " --to WHERE checks that" },
	{ is_topic, "credhook explain ", " explains it" },
};

static void append_line(struct buffer *out, const struct command *command, const char *rest)
{
	buffer_printf(out, "%s'%s%s%s%s'", out->length > 0 ? " or " : "",
	              command->group == COMMAND_SESSION ? "" : "credhook ", command->name, rest && rest[0] ? " " : "",
	              rest ? rest : "");
}

static bool by_words(const struct command *const *commands, const char *word, struct error *err)
{
	LOCAL_BUFFER meant = BUFFER_INIT;
	for (size_t i = 0; commands[i]; i++)
		for (const struct command_also *also = commands[i]->also; also && also->words; also++)
			if (option_is_among(also->words, word))
				append_line(&meant, commands[i], also->rest);
	if (meant.length > 0)
		error_hint(err, "%s is %s", word, buffer_text(&meant));
	for (const struct option_way *way = ways; meant.length == 0 && way->words; way++)
		if (option_is_among(way->words, word))
			return error_hint(err, "%s", way->text) < 0;
	return meant.length > 0;
}

static bool by_type(const char *word, struct error *err)
{
	LOCAL_BUFFER masked = BUFFER_INIT;
	for (size_t i = 0; word[0] && i < sizeof types / sizeof types[0]; i++) {
		if (!types[i].is_one(word))
			continue;
		url_append_masked(&masked, word);
		error_hint(err, "%s%s%s", types[i].before, buffer_text(&masked), types[i].behind);
		return true;
	}
	return false;
}

/* The command that a part of the word is, or begins with: list-events, send_event, sendevent. */
static bool by_part(const struct command *const *commands, const char *word, struct error *err)
{
	for (const char *at = word; *at; at += strspn(at, "-_:. ")) {
		size_t length = strcspn(at, "-_:. ");
		for (size_t i = 0; commands[i]; i++) {
			size_t name = strlen(commands[i]->name);
			if (name <= length && (name == length || name >= PART_LEAST) &&
			    strncasecmp(commands[i]->name, at, name) == 0)
				return error_ask(err, "%s", commands[i]->name) < 0;
		}
		at += length;
	}
	return false;
}

/* A part of the word, in the singular, that other tools call a command: mock-server, webhooks. */
static bool by_words_of_part(const struct command *const *commands, const char *word, struct error *err)
{
	for (const char *at = word; *at; at += strspn(at, "-_:. ")) {
		char part[PART_MOST];
		size_t length = strcspn(at, "-_:. ");
		snprintf(part, sizeof part, "%.*s", (int)length, at);
		if (length >= PART_LEAST && length < sizeof part && by_words(commands, part, err))
			return true;
		if (length > PART_LEAST && length < sizeof part && part[length - 1] == 's') {
			part[length - 1] = '\0';
			if (by_words(commands, part, err))
				return true;
		}
		at += length;
	}
	return false;
}

void unknown_command_hint(const struct command *const *commands, const char *word, struct error *err)
{
	struct nearest near;
	nearest_init(&near, word, strlen(word));
	for (size_t i = 0; commands[i]; i++)
		nearest_offer(&near, commands[i]->name);
	/* One edit is a slip: event, events. */
	bool is_slip = nearest_result(&near) && near.distance <= 1;
	if (by_words(commands, word, err))
		return;
	if (is_slip)
		error_ask(err, "%s", nearest_result(&near));
	if (is_slip || by_type(word, err) || by_part(commands, word, err))
		return;
	if (nearest_result(&near))
		error_ask(err, "%s", nearest_result(&near));
	else if (!by_words_of_part(commands, word, err))
		error_hint(err, "credhook help lists the commands");
}

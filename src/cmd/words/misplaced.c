#include "cmd/words/misplaced.h"

#include "base/ascii.h"
#include "base/buffer.h"
#include "base/quoted.h"
#include "base/shell_text.h"
#include "base/text.h"
#include "capture/format.h"
#include "cmd/args/kinds.h"
#include "cmd/args/report_files.h"
#include "cmd/args/selection.h"
#include "cmd/args/typed_word.h"
#include "cmd/topics/topics.h"
#include "cmd/words/unknown_option.h"
#include "http/head.h"
#include "probe/plan.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIGITS      "0123456789"
#define LETTERS     "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define EVENT_LEAST 4 /* letters of a name that is taken for an event's where none is expected */

static bool is_kinds(const char *word)
{
	struct kind_list list = { .items = NULL };
	struct error unused;
	int result = kinds_read(&list, &word, 1, &unused);
	free(list.items);
	return result == 0;
}

static bool is_event(const char *word)
{
	return (strlen(word) >= EVENT_LEAST || strcmp(word, "all") == 0) && is_kinds(word);
}

static bool is_there(const char *word)
{
	return access(word, F_OK) == 0;
}

static bool is_payload(const char *word)
{
	return is_there(word) && (word_is_folder(word) || text_ends_with(word, strlen(word), ".json"));
}

static bool has_digits(const char *word, size_t least, size_t most)
{
	size_t length = strlen(word);
	return length >= least && length <= most && strspn(word, DIGITS) == length;
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

/* A URL, localhost, or what ends in a port; a host's name alone is a misspelt event more often. */
static bool is_address(const char *word)
{
	const char *colon = strrchr(word, ':');
	size_t digits = colon ? strspn(colon + 1, DIGITS) : 0;
	bool has_port = digits > 0 && (colon[1 + digits] == '\0' || colon[1 + digits] == '/');
	return has_port || strstr(word, "://") || strncmp(word, "localhost", strlen("localhost")) == 0;
}

static bool is_url(const char *word)
{
	return strncmp(word, "http://", 7) == 0 || strncmp(word, "https://", 8) == 0;
}

static bool is_path(const char *word)
{
	return word[0] == '/' && !word_is_file(word);
}

/* PATH=TEXT, PATH:=JSON, with a letter at the beginning. */
static bool is_assignment(const char *word)
{
	const char *sign = strchr(word, '=');
	size_t path = strspn(word, LETTERS DIGITS "_-./");
	return sign && path > 0 && (word + path == sign || (word[path] == ':' && word + path + 1 == sign));
}

/* NAME:VALUE, as another tool takes a header. */
static bool is_header(const char *word)
{
	size_t name = strspn(word, LETTERS DIGITS "-");
	return name > 1 && word[name] == ':' && word[name + 1] && word[0] >= 'A' && word[0] <= 'Z' && !is_address(word);
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

/* As --record takes them: first and last are show's. */
static bool is_numbers(const char *word)
{
	struct selection_records records = { .ranges = NULL };
	struct error unused;
	bool is_one = selection_parse_records(&records, word, &unused) == 0;
	free(records.ranges);
	return is_one;
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

/* Quotes and dashes that a text editor or a page has made of those that are typed. */
static const char *const quotes[] = { "\u201c", "\u201d", "\u201e", "\u2018", "\u2019", "\u201a", "\u00ab", "\u00bb" };
static const char *const dashes[] = { "\u2013", "\u2014", "\u2212" };

static bool begins_with_quote(const char *word)
{
	for (size_t i = 0; i < sizeof quotes / sizeof quotes[0]; i++)
		if (strncmp(word, quotes[i], strlen(quotes[i])) == 0)
			return !word_is_file(word);
	return false;
}

/* Where a shell has divided it at its blanks, the last part ends with one. */
static bool is_quoted(const char *word)
{
	for (size_t i = 0; i < sizeof quotes / sizeof quotes[0]; i++)
		if (text_ends_with(word, strlen(word), quotes[i]))
			return !word_is_file(word);
	return begins_with_quote(word);
}

/* Behind the dashes that it begins with. */
static const char *behind_dashes(const char *word)
{
	for (size_t i = 0; i < sizeof dashes / sizeof dashes[0]; i++)
		if (strncmp(word, dashes[i], strlen(dashes[i])) == 0)
			return behind_dashes(word + strlen(dashes[i]));
	return word;
}

static bool is_dashed(const char *word)
{
	return behind_dashes(word) > word && ascii_is_lower(*behind_dashes(word));
}

static bool is_topic(const char *word)
{
	return topic_find(word, NULL, NULL) > 0;
}

static void append_word(struct buffer *out, const char *word)
{
	shell_append(out, word, strlen(word));
}

static void append_header(struct buffer *out, const char *word)
{
	buffer_printf(out, "'%.*s: VALUE'", (int)strcspn(word, ":"), word);
}

/* The name of a file, also of one behind '@'; "-" is standard input. */
static void append_file(struct buffer *out, const char *word)
{
	const char *name = word + (word[0] == '@');
	if (strcmp(name, "-") == 0)
		buffer_append_text(out, name);
	else
		shell_append_file(out, name);
}

static void append_option(struct buffer *out, const char *word)
{
	const char *name = behind_dashes(word);
	buffer_printf(out, "%s%s", name[1] ? "--" : "-", name);
}

static void append_blanks(struct buffer *out, const char *word)
{
	bool is_secret = quoted_hides(word, strlen(word)); /* of which a part alone may not be known as such */
	for (; *word; word++)
		buffer_append_byte(out, *word == ',' && !is_secret ? ' ' : *word);
}

/* What a word is, and how it is written where it belongs. */
struct word_type {
	bool (*is_one)(const char *word);
	void (*append)(struct buffer *out, const char *word); /* NULL: as it is */
	const char *words;                                    /* without is_one: one of these, between single spaces */
};
#define WORDS(list)                                                                                                    \
	&(const struct word_type)                                                                                      \
	{                                                                                                              \
		.words = (list)                                                                                        \
	}
static const struct word_type data = { .is_one = word_is_data, .append = append_file };
static const struct word_type file = { .is_one = word_is_file, .append = append_file };
static const struct word_type there = { .is_one = is_there, .append = append_file };
static const struct word_type payload = { .is_one = is_payload, .append = append_file };
static const struct word_type numbers = { .is_one = is_numbers };
static const struct word_type kinds = { .is_one = is_kinds };
static const struct word_type event = { .is_one = is_event };
static const struct word_type count = { .is_one = is_count };
static const struct word_type port = { .is_one = is_port };
static const struct word_type address = { .is_one = is_address };
static const struct word_type url = { .is_one = is_url };
static const struct word_type path = { .is_one = is_path };
static const struct word_type assignment = { .is_one = is_assignment };
static const struct word_type header = { .is_one = is_header, .append = append_header };
static const struct word_type body = { .is_one = is_body, .append = append_file };
static const struct word_type field = { .is_one = is_field };
static const struct word_type program = { .is_one = is_program };
static const struct word_type list = { .is_one = is_list, .append = append_blanks };
static const struct word_type check = { .is_one = is_check };
static const struct word_type report = { .is_one = report_is_request };
static const struct word_type topic = { .is_one = is_topic };
static const struct word_type quoted = { .is_one = is_quoted };
static const struct word_type in_quotes = { .is_one = begins_with_quote };
static const struct word_type dashed = { .is_one = is_dashed, .append = append_option };

#define QUOTES_HINT "quotes of a text editor are none to a shell: write ' or \""

/* The first row of the place whose type or words fit gives the hint, which has the word between its two parts. */
static const struct {
	const char *place; /* whose operand it is; "": in a command's place; with an option: its value; NULL, "--": any
	                    * of those, or of these but for free text */
	const struct word_type *type;
	const char *before, *behind; /* NULL: the word is not in it */
} rows[] = {
	{ NULL, &quoted, QUOTES_HINT, NULL },
	{ "--", &in_quotes, QUOTES_HINT, NULL },
	{ NULL, &dashed, "a dash of a text editor begins no option: ", "" },
	{ "", WORDS("clear cls"), "Ctrl-L clears the screen", NULL },
	{ "", WORDS("stop kill"), "Ctrl-C or SIGTERM ends a listener; at the prompt of credhook shell: listen stop",
	  NULL },
	{ "", WORDS("status health"),
	  "credhook config shows the configuration, credhook test --to WHERE tests a listener", NULL },
	{ "", WORDS("delete remove rm clean"), "nothing is kept but in the files that you name", NULL },
	{ "", WORDS("update upgrade install"), "credhook version says which one it is; updates come as the binary did",
	  NULL },
	{ "", WORDS("auth token secret whoami"),
	  "credhook send EVENT -H @FILE sends a header; credhook config shows the configuration", NULL },
	{ "", &payload, "credhook validate ", " checks it" },
	{ "", &there, "credhook show ", " shows it" },
	{ "", &data, "there is no file of that name: credhook validate FILE checks one, credhook show FILE shows one",
	  NULL },
	{ "", &port, "credhook listen ", " receives there" },
	{ "", &address, "write the destination with --to: credhook test --to ", " tests a listener" },
	{ "", &event, "credhook send ", " --to WHERE sends it, credhook build makes it" },
	{ "", &check, "credhook test ", " --to WHERE checks that" },
	{ "", &topic, "credhook explain ", " explains it" },
	{ "send", &report, "a report is written with --report: --report ", "" },
	{ "send", &body, "what is sent is named with --file: --file ", "" },
	{ "send", &assignment, "a field is set with --set: --set ", "" },
	{ "send", &header, "a header is added with -H: -H ", "" },
	{ "send", &file, "write files with --file: --file ", "" },
	{ "send", &address, "write the destination with --to: --to ", "" },
	{ "send", &port, "write the destination with --to: --to ", "" },
	{ "send", &count, "several of each are --count: --count ", "" },
	{ "build", &assignment, "a field is set with --set: --set ", "" },
	{ "build", &file, "to check a file: credhook validate ", "" },
	{ "build", &count, "several of each are --count: --count ", "" },
	{ "replay", &report, "a report is written with --report: --report ", "" },
	{ "replay", &address, "write the destination with --to: --to ", "" },
	{ "replay", &kinds, "only these events: --events ", "" },
	{ "replay", &numbers, "only these records: --record ", "" },
	{ "convert", &field, "--redact replaces what --keep does not name: --keep ", "" },
	{ "convert", &kinds, "only these events: --events ", "" },
	{ "convert", &numbers, "only these records: --record ", "" },
	{ "convert", &address, "to send what is in it: credhook replay FILE --to ", "" },
	{ "show", &kinds, "only these events: --events ", "" },
	{ "show", WORDS("latest newest oldest end begin start previous"), "write first, last or last-1", NULL },
	{ "validate", &report, "a report is written with --report: --report ", "" },
	{ "validate", &url, "it is not fetched: curl -s ", " | credhook validate -" },
	{ "validate", &kinds, "to check a payload as this event: --as ", "" },
	{ "validate", &numbers, "to look at one record: credhook show FILE ", "" },
	{ "validate", &address, "to check what listens there: credhook test --to ", "" },
	{ "test", &report, "a report is written with --report: --report ", "" },
	{ "test", &address, "write the destination with --to: --to ", "" },
	{ "test", &data, "to send files: credhook send --to WHERE --file ", "" },
	{ "test", &program, "a command that starts the listener is behind --: -- ", "" },
	{ "test", &list, "write them one by one: ", "" },
	{ "listen", &report, "a report is written with --report: --report ", "" },
	{ "listen", &port, "to forward what arrives: --forward-to ", "" },
	{ "listen", &address, "to forward what arrives: --forward-to ", "" },
	{ "listen", &data, "to keep what arrives: --capture ", "" },
	{ "listen", &path, "to receive it there alone: --path ", "" },
	{ "listen [ADDRESS]", &data, "to keep what arrives: credhook listen 8080 --capture ", "" },
	{ "listen --capture", &port, "a port stands alone: credhook listen ", " --capture FILE" },
	{ "shell", &address, "the destination is set at the prompt: use ", "" },
};

/* Gives the error the hint of that place, which is a value's where there is an option. False: the table has none. */
static bool give_hint(const char *place, const struct option *option, const char *word, struct error *err)
{
	bool is_free = option && option->argument && strncmp(option->argument, "TEXT", strlen("TEXT")) == 0;
	for (size_t i = 0; word[0] && i < sizeof rows / sizeof rows[0]; i++) {
		LOCAL_BUFFER written = BUFFER_INIT;
		const struct word_type *type = rows[i].type;
		const char *at = rows[i].place;
		bool is_any = at ? option && !is_free && strcmp(at, "--") == 0 : !option;
		if ((!is_any && (!at || strcmp(at, place) != 0)) ||
		    !(type->is_one ? type->is_one(word) : option_is_among(type->words, word)))
			continue;
		if (rows[i].behind)
			(type->append ? type->append : append_word)(&written, word);
		error_hint(err, "%s%s%s", rows[i].before, buffer_text(&written), rows[i].behind ? rows[i].behind : "");
		return true;
	}
	return false;
}

/* Those that other tools call so, each with what is typed behind it. */
static bool by_words(const struct command *const *commands, const char *word, struct error *err)
{
	LOCAL_BUFFER meant = BUFFER_INIT;
	for (size_t i = 0; commands[i]; i++)
		for (const struct command_also *also = commands[i]->also; also && also->words; also++)
			if (option_is_among(also->words, word))
				buffer_printf(&meant, "%s'%s%s%s%s'", meant.length > 0 ? " or " : "",
				              commands[i]->group == COMMAND_SESSION ? "" : "credhook ",
				              commands[i]->name, also->rest[0] ? " " : "", also->rest);
	if (meant.length > 0)
		error_hint(err, "%s is %s", word, buffer_text(&meant));
	return meant.length > 0;
}

/* A file that is there, and that no command reads, is named by its content: a results file, a configuration. */
static bool by_content(const char *word, struct error *err)
{
	const struct source_options options = { .block = FORMAT_LOOK_MAX };
	const struct format *format = NULL;
	struct error unused;
	struct stat status;
	bool is_plain = stat(word, &status) == 0 && S_ISREG(status.st_mode); /* a FIFO would wait for its writer */
	struct source *source = is_plain ? source_open(word, &options, &unused) : NULL;
	bool is_refused = source && format_look(source, &format, &unused) == SOURCE_ITEM && format && !format->reader;
	if (is_refused && format->hint) {
		const struct mend_file typed = source_mend_file(source, word);
		mend_hint(err, format->hint, &typed);
	} else if (is_refused) {
		error_hint(err, "it %s", format->words);
	}
	source_close(source);
	return is_refused;
}

void misplaced_command_hint(const struct command *const *commands, const char *word, struct error *err)
{
	struct nearest near;
	nearest_init(&near, word, strlen(word));
	for (size_t i = 0; commands[i]; i++)
		nearest_offer(&near, commands[i]->name);
	/* One edit is a slip: event, events. */
	bool is_slip = nearest_result(&near) && near.distance <= 1;
	if (by_words(commands, word, err) || (!is_slip && (by_content(word, err) || give_hint("", NULL, word, err))))
		return;
	if (nearest_result(&near))
		error_ask(err, "%s", nearest_result(&near));
	else
		error_hint(err, "credhook help lists the commands");
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
	[OPERAND_CHECK] = { is_check, "", "is not a check" },
	[OPERAND_ADDRESS] = { NULL, "listen takes one address, not ", "too" },
};

/* The scheme of an Authorization, behind which its secret stands. */
static bool is_scheme(const char *word, size_t length)
{
	return http_is_word(word, length, "Bearer") || http_is_word(word, length, "Basic");
}

/* The option that stands right before the operand, or before Bearer and the operand, and takes an argument; NULL: there
 * is none. */
static const struct option_word *option_before(const struct option_words *words, const char *word)
{
	for (size_t i = 1; words && i < words->count; i++) {
		const struct option_word *at = &words->items[i], *before = at - 1;
		if (at->value != word || at->option)
			continue;
		if (i > 1 && !before->option && is_scheme(before->value, strlen(before->value)))
			before--;
		return before->option && before->option->argument ? before : NULL;
	}
	return NULL;
}

/* The option before the word, where that belongs to its value: --fresh-ids 5, --respond 500 200. */
static bool hint_option_before(const struct option_words *words, const char *word, struct error *err)
{
	const struct option_word *before = option_before(words, word);
	const struct option *o = before ? before->option : NULL;
	LOCAL_BUFFER typed = BUFFER_INIT;
	append_word(&typed, word);
	if (o && o->argument_optional && !before->value)
		return error_hint(err, "write --%s=%s", o->name, buffer_text(&typed)) < 0;
	if (o && before->value && is_count(word) && strstr(o->argument, "[:N]"))
		return error_hint(err, "write how many with a colon: --%s %s:%s", o->name, before->value, word) < 0;
	if (o && before->value && (strchr(o->argument, ',') || strcmp(o->argument, "LIST") == 0))
		return error_hint(err, "write a list with commas: --%s %s,%s", o->name, before->value, word) < 0;
	return false;
}

int misplaced_header_value(const struct option_words *words, const char *word, struct error *err)
{
	const struct option_word *before = option_before(words, word);
	bool is_header = before && strncmp(before->option->argument, "LINE", strlen("LINE")) == 0;
	struct header read;
	LOCAL_BUFFER line = BUFFER_INIT;
	if (!is_header || before->value[0] == '@')
		return 0;
	if (header_read_option(before->value, strlen(before->value), &read, err) < 0)
		return -1;
	if (read.value.text && !is_scheme(read.value.text, read.value.length))
		return 0;
	append_header(&line, before->value);
	error_set(err, EXIT_CODE_USAGE, "the header '%.*s' and its value are two words", (int)read.name.length,
	          read.name.text);
	return error_hint(err, "put both in quotes: --%s %s", before->option->name, buffer_text(&line));
}

int misplaced_operand(const struct context *context, enum operand_type type, size_t first, struct error *err)
{
	struct error unused;
	for (size_t i = first; i < context->operands->count; i++) {
		const char *word = context->operands->items[i];
		if (operand_types[type].is_one && operand_types[type].is_one(word))
			continue;
		if (misplaced_header_value(context->words, word, err) < 0)
			return -1;
		error_set(err, EXIT_CODE_USAGE, "%s'%s' %s", operand_types[type].before, word,
		          operand_types[type].behind);
		bool takes_files = type == OPERAND_FILE || type == OPERAND_CAPTURE;
		const struct command *command = command_named(context->commands, context->command, &unused);
		if (hint_option_before(context->words, word, err) || give_hint(context->command, NULL, word, err) ||
		    (takes_files && option_word_hint(context->commands, command, word, err)))
			return -1;
	}
	return 0;
}

int misplaced_hint(const char *place, const char *word, struct error *err)
{
	give_hint(place, NULL, word, err);
	return -1;
}

int misplaced_value(const struct command *command, const struct option_words *words, struct error *err)
{
	for (size_t i = 0; i < words->count; i++) {
		const struct option_word *word = &words->items[i];
		LOCAL_BUFFER place = BUFFER_INIT;
		if (!word->option || !word->value)
			continue;
		buffer_printf(&place, "%s --%s", command->name, word->option->name);
		error_set(err, EXIT_CODE_USAGE, "invalid --%s '%s'", word->option->name, word->value);
		if (give_hint(buffer_text(&place), word->option, word->value, err))
			return -1;
	}
	return 0;
}

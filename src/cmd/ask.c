#include "cmd/ask.h"

#include "base/utf8.h"
#include "json/located.h"
#include "ui/choices.h"
#include "ui/prompt.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define ANSWER_BYTES_MAX ((size_t)1 << 20)

struct asking {
	struct catalog_kind kind;
	struct terminal *terminal;
	struct signals *signals;
	struct prompt *prompt; /* NULL: answers are lines of standard input */
	struct json_doc doc;   /* the payload */
	struct edits *answers;
	const struct catalog_member *member; /* that is asked for */
	bool at_end;
	size_t line; /* of standard input */
};

static enum prompt_event wait_for_key(void *context, int fd, bool input_only)
{
	struct asking *a = context;
	(void)input_only;
	if (signals_wait_input(a->signals, fd))
		return PROMPT_INPUT;
	return signals_take(a->signals) == SIGINT ? PROMPT_INTERRUPT : PROMPT_LEAVE;
}

static void complete(void *context, const char *line, size_t length, struct buffer *insert, struct buffer *list)
{
	struct asking *a = context;
	const struct catalog_field *field = a->member->field;
	struct choices choices = { NULL, 0, 0 };
	LOCAL_BUFFER stem = BUFFER_INIT, added = BUFFER_INIT;
	buffer_append(&stem, line, length);
	for (size_t i = 0; i < field->value_count; i++)
		choices_offer(&choices, field->values[i].name, buffer_text(&stem));
	if (a->member->type == CATALOG_BOOLEAN_TEXT) {
		choices_offer(&choices, "true", buffer_text(&stem));
		choices_offer(&choices, "false", buffer_text(&stem));
	}
	choices_complete(&choices, buffer_text(&stem), '\'', terminal_width(), &added, list);
	if (added.length >= 2 && strcmp(added.data + added.length - 2, "' ") == 0)
		buffer_consume_end(&added, 2); /* an answer is a whole line, not a word */
	buffer_append(insert, buffer_text(&added), added.length);
	choices_release(&choices);
}

static int left(struct error *err)
{
	return error_set(err, EXIT_CODE_INTERRUPTED, "cancelled: nothing was made");
}

/* A line of standard input, and no byte more of it: 1; 0: it is at its end; -1: *err. */
static int read_line(struct asking *a, struct buffer *answer, struct error *err)
{
	char byte;
	ssize_t got;
	a->line++;
	for (;;) {
		if (!signals_wait_input(a->signals, STDIN_FILENO)) {
			signals_take(a->signals);
			return left(err);
		}
		got = read(STDIN_FILENO, &byte, 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return error_set(err, EXIT_CODE_IO, "cannot read the answers: %s", strerror(errno));
		if (got == 0 || byte == '\n')
			break;
		buffer_append_byte(answer, byte);
		if (answer->length > ANSWER_BYTES_MAX)
			return error_set(err, EXIT_CODE_USAGE, "answer %zu is longer than 1 MiB", a->line);
	}
	if (answer->length > 0 && answer->data[answer->length - 1] == '\r')
		buffer_consume_end(answer, 1);
	if (memchr(buffer_text(answer), '\0', answer->length))
		return error_set(err, EXIT_CODE_USAGE, "NUL character in answer %zu", a->line);
	a->at_end = answer->length == 0 && got == 0;
	return a->at_end ? 0 : 1;
}

static int get_answer(struct asking *a, const char *words, struct buffer *answer, struct error *err)
{
	buffer_clear(answer);
	if (!a->prompt)
		return a->at_end ? 0 : read_line(a, answer, err);
	switch (prompt_read(a->prompt, words, answer, err)) {
	case PROMPT_LINE:
		return 1;
	case PROMPT_FAILED:
		return -1;
	case PROMPT_CLEARED:
	case PROMPT_END:
		break;
	}
	return left(err);
}

/* What the field means, above its question. */
static void explain(struct asking *a, const char *path)
{
	const struct catalog_field *field = a->member->field;
	LOCAL_BUFFER text = BUFFER_INIT;
	buffer_printf(&text, "%s: %s (%s", path, field->meaning, catalog_type_name(a->member->type));
	for (size_t i = 0; i < field->value_count; i++)
		buffer_printf(&text, "%s%s", i == 0 ? ": " : ", ", field->values[i].name);
	buffer_append_byte(&text, ')');
	terminal_announce(a->terminal, "%s", buffer_text(&text));
}

static void append_present(const struct asking *a, const char *pointer, struct buffer *out)
{
	uint32_t token = json_resolve(&a->doc, pointer);
	LOCAL_BUFFER raw = BUFFER_INIT;
	if (token != JSON_NONE && a->doc.tokens[token].type == JSON_STRING)
		json_string_decode(&a->doc, token, &raw);
	else if (token != JSON_NONE)
		buffer_append(&raw, a->doc.text + a->doc.tokens[token].start,
		              a->doc.tokens[token].end - a->doc.tokens[token].start);
	utf8_append_safe(out, buffer_text(&raw), raw.length);
}

/* Takes the answer, or says what is wrong with it. */
static int take_answer(struct asking *a, const char *path, const char *answer, struct error *err)
{
	LOCAL_BUFFER assignment = BUFFER_INIT;
	LOCAL(edits_release) struct edits one = EDITS_INIT;
	bool is_json = strncmp(answer, ":=", 2) == 0;
	bool is_empty_text = strcmp(answer, "\"\"") == 0;
	buffer_printf(&assignment, "%s%s%s", path, is_json ? "" : "=", is_empty_text ? "" : answer);
	int result = edits_add_set(&one, buffer_text(&assignment), err);
	if (result == 0)
		result = edits_check(&one, &a->kind, 1, err);
	if (result == 0)
		result = edits_add_set(a->answers, buffer_text(&assignment), err);
	return result;
}

static int ask_one(struct asking *a, const char *path, const char *pointer, struct error *err)
{
	LOCAL_BUFFER words = BUFFER_INIT, answer = BUFFER_INIT;
	struct error problem;
	int result = 0;
	if (a->prompt)
		explain(a, path);
	buffer_printf(&words, "  %s [", a->member->field->name);
	append_present(a, pointer, &words);
	buffer_append_text(&words, "]: ");
	for (;;) {
		int got = get_answer(a, buffer_text(&words), &answer, err);
		if (got < 0)
			result = -1;
		if (got <= 0 || answer.length == 0 || take_answer(a, path, buffer_text(&answer), &problem) == 0)
			break;
		if (!a->prompt) {
			result = error_set(err, problem.code, "answer %zu: %s", a->line, problem.message);
			break;
		}
		terminal_announce(a->terminal, "  %s; :=JSON sets any JSON", problem.message);
	}
	return result;
}

static int ask_members(struct asking *a, const struct catalog_member *members, size_t count, const char *parent,
                       struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		const struct catalog_field *field = members[i].field;
		LOCAL_BUFFER path = BUFFER_INIT, pointer = BUFFER_INIT;
		int result;
		buffer_printf(&path, "%s.%s", parent, field->name);
		buffer_append_byte(&pointer, '/');
		for (const char *c = buffer_text(&path); *c; c++)
			buffer_append_byte(&pointer, *c == '.' ? '/' : *c);
		a->member = &members[i];
		if (path.failed || pointer.failed)
			result = error_no_memory(err);
		else if (field->member_count > 0)
			result = ask_members(a, field->members, field->member_count, path.data, err);
		else
			result = ask_one(a, path.data, pointer.data, err);
		if (result < 0)
			return -1;
	}
	return 0;
}

int ask_fields(struct catalog_kind kind, const struct buffer *payload, struct context *context, struct edits *answers,
               struct error *err)
{
	struct asking a = {
		.kind = kind, .terminal = context->terminal, .signals = context->signals, .answers = answers
	};
	const struct prompt_handler handler = { &a, wait_for_key, complete };
	struct json_fault fault;
	char name[CATALOG_KIND_NAME_SIZE];
	int result = -1;
	json_doc_init(&a.doc);
	catalog_kind_name(kind, name);
	if (!json_read(&a.doc, buffer_text(payload), payload->length, &fault)) {
		error_set(err, EXIT_CODE_INTERNAL, "cannot ask for the fields of %s: %s", name, fault.reason);
	} else {
		signals_keep_second(a.signals, true);
		if (prompt_is_possible(true)) {
			terminal_flush(a.terminal);
			terminal_announce(a.terminal, "%s: Enter keeps the value in brackets, Ctrl-C cancels", name);
			a.prompt = prompt_new(&handler, true, err);
		}
		if (a.prompt || !prompt_is_possible(true))
			result = ask_members(&a, kind.event->details, kind.event->detail_count, "details", err);
		prompt_free(a.prompt);
		signals_keep_second(a.signals, false);
	}
	json_doc_release(&a.doc);
	if (result == 0)
		result = a.at_end && a.line == 1 ? 0 : 1;
	return result;
}

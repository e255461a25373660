/* What each kind of argument may be. */
#include "base/url.h"
#include "base/utf8.h"
#include "catalog/catalog.h"
#include "cmd/complete.h"
#include "cmd/explain.h"
#include "cmd/receive.h"
#include "config/config.h"
#include "payload/break.h"
#include "payload/edit.h"
#include "payload/finding.h"
#include "probe/plan.h"
#include "report/report_format.h"

#include <stdio.h>
#include <string.h>

static void offer_with(struct completion *to, const char *name, const char *suffix, const char *meaning)
{
	LOCAL_BUFFER candidate = BUFFER_INIT;
	buffer_printf(&candidate, "%s%s", name, suffix);
	complete_offer(to, buffer_text(&candidate), meaning);
}

/* A list: only what follows its last comma is completed. */
static void go_behind_comma(struct completion *to)
{
	const char *comma = strrchr(to->word + to->fixed, ',');
	if (comma)
		to->fixed = (size_t)(comma + 1 - to->word);
}

static void offer_events(struct completion *to, enum completion_kind kind)
{
	char name[CATALOG_KIND_NAME_SIZE];
	if (kind == COMPLETE_EVENT_LIST)
		go_behind_comma(to);
	for (size_t i = 0; i < catalog_event_count; i++)
		complete_offer(to, catalog_events[i].name, catalog_events[i].title);
	for (size_t i = 0; i < catalog_kind_count(); i++) {
		struct catalog_kind at = catalog_kind_at(i);
		catalog_kind_name(at, name);
		complete_offer(to, name, at.element ? at.element->title : at.event->title);
	}
	if (kind != COMPLETE_EVENT)
		complete_offer(to, "all", "every event and element");
}

static void offer_two(struct completion *to, const char *one, const char *other)
{
	complete_offer(to, one, NULL);
	complete_offer(to, other, NULL);
}

static void offer_faults(struct completion *to, enum completion_kind kind)
{
	(void)kind;
	for (int i = HTTP_FAULT_NONE + 1; response_fault_name((enum http_fault)i); i++)
		complete_offer(to, response_fault_name((enum http_fault)i), NULL);
}

/* What stands before the separator, where there is one: then only what follows is completed. */
static const char *go_behind(struct completion *to, char separator)
{
	const char *key = to->word + to->fixed, *at = strchr(key, separator);
	if (!at)
		return NULL;
	to->fixed = (size_t)(at + 1 - to->word);
	return key;
}

/* event=NAME,status=N: keys, and the values of those that have names. */
static void offer_rule(struct completion *to, enum completion_kind kind)
{
	go_behind_comma(to);
	const char *key = go_behind(to, '=');
	for (size_t i = 0; !key && receive_rule_key(i); i++)
		offer_with(to, receive_rule_key(i), "=", NULL);
	if (key && strncmp(key, "event=", strlen("event=")) == 0)
		offer_events(to, COMPLETE_EVENT);
	else if (key && strncmp(key, "fault=", strlen("fault=")) == 0)
		offer_faults(to, kind);
	else if (key && strncmp(key, "valid=", strlen("valid=")) == 0)
		offer_two(to, "yes", "no");
}

/* Of the events that the line names, or of all. False: no more. */
static bool kind_at(const struct completion *to, size_t index, struct catalog_kind *kind)
{
	if (index >= (to->kind_count > 0 ? to->kind_count : catalog_kind_count()))
		return false;
	*kind = to->kind_count > 0 ? to->kinds[index] : catalog_kind_at(index);
	return true;
}

/* A field of `details` and those within it, with "=" behind them where `sets` (":=" behind an object, which takes JSON
 * only). */
static void offer_members(struct completion *to, const struct catalog_member *members, size_t count, const char *prefix,
                          bool sets)
{
	for (size_t i = 0; i < count; i++) {
		const struct catalog_field *field = members[i].field;
		LOCAL_BUFFER path = BUFFER_INIT;
		buffer_printf(&path, "%s.%s", prefix, field->name);
		offer_with(to, buffer_text(&path),
		           !sets                               ? ""
		           : members[i].type == CATALOG_OBJECT ? ":="
		                                               : "=",
		           field->meaning);
		offer_members(to, field->members, field->member_count, buffer_text(&path), sets);
	}
}

static void offer_details(struct completion *to, bool sets)
{
	struct catalog_kind kind;
	for (size_t i = 0; kind_at(to, i, &kind); i++)
		offer_members(to, kind.event->details, kind.event->detail_count, "details", sets);
}

static void offer_fields(struct completion *to, enum completion_kind kind)
{
	(void)kind;
	offer_details(to, false);
	for (size_t i = 0; i < catalog_envelope_count; i++)
		complete_offer(to, catalog_envelope[i]->name, catalog_envelope[i]->meaning);
}

/* PATH=, and behind it the values of a field that has a list of them. */
static void offer_assignments(struct completion *to, enum completion_kind kind)
{
	(void)kind;
	static const char details[] = "details.";
	char name[64];
	const char *path = go_behind(to, '=');
	if (!path) {
		offer_details(to, true);
		return;
	}
	if (strncmp(path, details, strlen(details)) != 0)
		return;
	path += strlen(details);
	snprintf(name, sizeof name, "%.*s", (int)strcspn(path, "="), path);
	const struct catalog_field *field = catalog_field_named(name);
	for (size_t i = 0; field && i < field->value_count; i++)
		complete_offer(to, field->values[i].name, field->values[i].meaning);
	if (field && field->type == CATALOG_BOOLEAN_TEXT)
		offer_two(to, "true", "false");
}

/* bureau-alert,details.bureau=abc */
static void offer_expectation(struct completion *to, enum completion_kind kind)
{
	bool has_event = strchr(to->word + to->fixed, ',');
	go_behind_comma(to);
	if (!strchr(to->word + to->fixed, '='))
		offer_events(to, COMPLETE_EVENT_OR_ALL);
	if (has_event)
		offer_assignments(to, kind);
}

static void offer_breakages(struct completion *to, enum completion_kind kind)
{
	struct catalog_kind event;
	struct break_place places[BREAK_PLACES_MAX];
	struct error unused;
	enum finding_id id;
	if (kind == COMPLETE_BREAKAGE_LIST)
		go_behind_comma(to);
	const char *finding = go_behind(to, ':');
	for (size_t i = 0; !finding && i < FINDING_ID_COUNT; i++)
		complete_offer(to, finding_rows[i].name, finding_rows[i].summary);
	if (!finding || finding_parse(finding, strcspn(finding, ":"), &id, &unused) < 0)
		return;
	if (kind == COMPLETE_BREAKAGE)
		complete_offer(to, "all", "a payload for each place");
	for (size_t k = 0; kind_at(to, k, &event); k++) {
		size_t count = break_places(event, id, places);
		for (size_t i = 0; i < count; i++) {
			LOCAL_BUFFER path = BUFFER_INIT;
			edit_append_path(places[i].pointer, &path);
			if (path.length > 0)
				complete_offer(to, buffer_text(&path),
				               places[i].member ? places[i].member->field->meaning : NULL);
		}
	}
}

static void offer_environments(struct completion *to, enum completion_kind kind)
{
	(void)kind;
	LOCAL(config_release) struct config config = CONFIG_INIT;
	struct error unused;
	if (config_load(&config, to->config, to->no_config, &unused) < 0)
		return;
	for (size_t i = 0; i < config.environment_count; i++) {
		const struct config_environment *e = &config.environments[i];
		LOCAL_BUFFER masked = BUFFER_INIT, meaning = BUFFER_INIT;
		url_append_masked(&masked, e->url);
		utf8_append_safe(&meaning, buffer_text(&masked), masked.length);
		if (e->is_protected)
			buffer_append_text(&meaning, " (protected)");
		if (e->name[strcspn(e->name, "\t\n\r\033")] == '\0')
			complete_offer(to, e->name, buffer_text(&meaning));
	}
}

/* What is one word. Checks are offered behind their group. Fields are offered with what they are in, and without it
 * only to those who begin to type one: a list has each once. */
static void offer_topic(void *context, const struct topic_kind *kind, const struct topic *topic)
{
	struct completion *to = context;
	bool bare = kind && strcmp(kind->name, "field") == 0 && !to->word[to->fixed];
	bool other = kind && strcmp(kind->name, "check") == 0 && !strchr(to->word + to->fixed, '/');
	if (kind && !bare && !other && !strchr(topic->name, ' '))
		complete_offer(to, topic->name, topic->summary);
}

static void offer_topics(struct completion *to, enum completion_kind kind)
{
	for (size_t i = 0; kind == COMPLETE_COMMAND_OR_TOPIC && to->commands[i]; i++)
		complete_offer(to, to->commands[i]->name, to->commands[i]->phrase);
	offer_events(to, COMPLETE_EVENT);
	offer_fields(to, kind);
	explain_each(offer_topic, to);
	for (size_t i = 0; explain_plural_at(i); i++) {
		/* In one word: exit-codes. */
		LOCAL_BUFFER name = BUFFER_INIT;
		for (const char *c = explain_plural_at(i); *c; c++)
			buffer_append_byte(&name, *c == ' ' ? '-' : *c);
		complete_offer(to, buffer_text(&name), "all of them");
	}
}

static void offer_files(struct completion *to, enum completion_kind kind)
{
	if (kind == COMPLETE_INPUT)
		complete_offer(to, "-", "standard input");
	if (kind == COMPLETE_AT_FILE && to->word[to->fixed] != '@')
		return;
	to->fixed += kind == COMPLETE_AT_FILE;
	to->files = kind == COMPLETE_FOLDER ? COMPLETION_FOLDERS : COMPLETION_FILES;
}

/* junit=FILE */
static void offer_reports(struct completion *to, enum completion_kind kind)
{
	bool of_cases = kind == COMPLETE_CASE_REPORT;
	if (go_behind(to, '='))
		offer_files(to, COMPLETE_FILE);
	else
		for (size_t i = 0; report_format_at(of_cases, i); i++)
			offer_with(to, report_format_at(of_cases, i)->name, "=", NULL);
}

static void offer_shells(struct completion *to, enum completion_kind kind)
{
	(void)kind;
	for (size_t i = 0; completion_shell_at(i); i++)
		complete_offer(to, completion_shell_at(i), NULL);
}

/* The groups, then the checks of the one that is typed. */
static void offer_checks(struct completion *to, enum completion_kind kind)
{
	(void)kind;
	struct text_list none = TEXT_LIST_INIT;
	struct probe_choice choice = { .wanted = &none, .skipped = &none, .expected = &none, .level = PROBE_NORMAL };
	struct probe_plan plan = { NULL, 0, 0 };
	struct error unused;
	for (size_t i = 0; i < probe_group_count; i++)
		complete_offer(to, probe_groups[i], NULL);
	if (strchr(to->word + to->fixed, '/') && probe_plan_init(&plan, &choice, &unused) == 0)
		for (size_t i = 0; i < plan.count; i++)
			if (plan.checks[i].chosen)
				complete_offer(to, plan.checks[i].id, plan.checks[i].row->sent);
	probe_plan_release(&plan);
}

/* Each is given its kind. */
static void (*const offers[COMPLETE_KINDS])(struct completion *to, enum completion_kind kind) = {
	[COMPLETE_FILE] = offer_files,         [COMPLETE_FOLDER] = offer_files,
	[COMPLETE_CAPTURE] = offer_files,
	[COMPLETE_INPUT] = offer_files,        [COMPLETE_AT_FILE] = offer_files,
	[COMPLETE_EVENT] = offer_events,       [COMPLETE_EVENT_OR_ALL] = offer_events,
	[COMPLETE_EVENT_LIST] = offer_events,  [COMPLETE_EXPECTATION] = offer_expectation,
	[COMPLETE_BREAKAGE] = offer_breakages, [COMPLETE_BREAKAGE_LIST] = offer_breakages,
	[COMPLETE_FIELD] = offer_fields,       [COMPLETE_ASSIGNMENT] = offer_assignments,
	[COMPLETE_FAULT] = offer_faults,       [COMPLETE_RULE] = offer_rule,
	[COMPLETE_REPORT] = offer_reports,     [COMPLETE_CASE_REPORT] = offer_reports,
	[COMPLETE_CHECK] = offer_checks,       [COMPLETE_ENVIRONMENT] = offer_environments,
	[COMPLETE_TOPIC] = offer_topics,       [COMPLETE_COMMAND_OR_TOPIC] = offer_topics,
	[COMPLETE_SHELL] = offer_shells,
};

void complete_operand(struct completion *to, enum completion_kind kind)
{
	if (offers[kind]) /* others have no candidates, or only a session knows them */
		offers[kind](to, kind);
}

/* What each kind of argument may be. */
#include "base/url.h"
#include "base/utf8.h"
#include "catalog/catalog.h"
#include "cmd/complete.h"
#include "cmd/explain.h"
#include "cmd/receive.h"
#include "config/config.h"
#include "payload/break.h"
#include "payload/finding.h"
#include "probe/plan.h"
#include "report/report_format.h"

#include <string.h>

static void offer_with(struct completion *to, const char *name, const char *suffix, const char *meaning)
{
	LOCAL_BUFFER candidate = BUFFER_INIT;
	buffer_printf(&candidate, "%s%s", name, suffix);
	complete_offer(to, buffer_text(&candidate), meaning);
}

static void offer_names(struct completion *to, const char *suffix)
{
	char name[CATALOG_KIND_NAME_SIZE];
	for (size_t i = 0; i < catalog_event_count; i++)
		offer_with(to, catalog_events[i].name, suffix, catalog_events[i].title);
	for (size_t i = 0; i < catalog_kind_count(); i++) {
		struct catalog_kind kind = catalog_kind_at(i);
		catalog_kind_name(kind, name);
		offer_with(to, name, suffix, kind.element ? kind.element->title : kind.event->title);
	}
}

static void offer_events(struct completion *to)
{
	offer_names(to, "");
}

static void offer_events_or_all(struct completion *to)
{
	offer_events(to);
	complete_offer(to, "all", "every event and element");
}

/* A list: only what follows its last comma is completed. */
static void go_behind_comma(struct completion *to)
{
	const char *comma = strrchr(to->word + to->fixed, ',');
	if (comma)
		to->fixed = (size_t)(comma + 1 - to->word);
}

static void offer_event_list(struct completion *to)
{
	go_behind_comma(to);
	offer_events_or_all(to);
}

static void offer_two(struct completion *to, const char *one, const char *other)
{
	complete_offer(to, one, NULL);
	complete_offer(to, other, NULL);
}

static void offer_faults(struct completion *to)
{
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
static void offer_rule(struct completion *to)
{
	go_behind_comma(to);
	const char *key = go_behind(to, '=');
	for (size_t i = 0; !key && receive_rule_key(i); i++)
		offer_with(to, receive_rule_key(i), "=", NULL);
	if (key && strncmp(key, "event=", strlen("event=")) == 0)
		offer_events(to);
	else if (key && strncmp(key, "fault=", strlen("fault=")) == 0)
		offer_faults(to);
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

static void offer_fields(struct completion *to)
{
	offer_details(to, false);
	for (size_t i = 0; i < catalog_envelope_count; i++)
		complete_offer(to, catalog_envelope[i]->name, catalog_envelope[i]->meaning);
}

/* The values of a field that has a list of them. */
static void offer_values_of(struct completion *to, const char *path, size_t length)
{
	char name[64];
	if (length < strlen("details.") || length - strlen("details.") >= sizeof name)
		return;
	length -= strlen("details.");
	memcpy(name, path + strlen("details."), length);
	name[length] = '\0';
	const struct catalog_field *field = catalog_field_named(name);
	for (size_t i = 0; field && i < field->value_count; i++)
		complete_offer(to, field->values[i].name, field->values[i].meaning);
	if (field && field->type == CATALOG_BOOLEAN_TEXT)
		offer_two(to, "true", "false");
}

static void offer_assignments(struct completion *to)
{
	const char *path = go_behind(to, '=');
	if (path)
		offer_values_of(to, path, (size_t)(to->word + to->fixed - 1 - path));
	else
		offer_details(to, true);
}

/* bureau-alert,details.bureau=abc */
static void offer_expectation(struct completion *to)
{
	bool has_event = strchr(to->word + to->fixed, ',');
	go_behind_comma(to);
	if (!strchr(to->word + to->fixed, '='))
		offer_events_or_all(to);
	if (has_event)
		offer_assignments(to);
}

static void offer_places(struct completion *to, struct catalog_kind kind, enum finding_id id)
{
	struct break_place places[BREAK_PLACES_MAX];
	size_t count = break_places(kind, id, places);
	for (size_t i = 0; i < count; i++) {
		if (places[i].pointer[0] != '/')
			continue;
		char *path = places[i].pointer + 1;
		for (char *at = path; *at; at++)
			if (*at == '/')
				*at = '.';
		complete_offer(to, path, places[i].member ? places[i].member->field->meaning : NULL);
	}
}

static void offer_findings_or_places(struct completion *to, bool all_too)
{
	struct catalog_kind kind;
	const char *nearest, *finding = go_behind(to, ':');
	for (size_t i = 0; !finding && i < FINDING_ID_COUNT; i++)
		complete_offer(to, finding_rows[i].name, finding_rows[i].summary);
	enum finding_id id = finding ? finding_named(finding, strcspn(finding, ":"), &nearest) : FINDING_ID_COUNT;
	if (id != FINDING_ID_COUNT && all_too)
		complete_offer(to, "all", "a payload for each place");
	for (size_t i = 0; id != FINDING_ID_COUNT && kind_at(to, i, &kind); i++)
		offer_places(to, kind, id);
}

static void offer_breakages(struct completion *to)
{
	offer_findings_or_places(to, true);
}

static void offer_breakage_list(struct completion *to)
{
	go_behind_comma(to);
	offer_findings_or_places(to, false);
}

static void offer_environments(struct completion *to)
{
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

static void offer_topics(struct completion *to)
{
	offer_events(to);
	offer_fields(to);
	explain_each(offer_topic, to);
	for (size_t i = 0; explain_plural_at(i); i++) {
		/* In one word: exit-codes. */
		struct buffer name = BUFFER_INIT;
		for (const char *c = explain_plural_at(i); *c; c++)
			buffer_append_byte(&name, *c == ' ' ? '-' : *c);
		complete_offer(to, buffer_text(&name), "all of them");
		buffer_release(&name);
	}
}

static void offer_commands_and_topics(struct completion *to)
{
	for (size_t i = 0; to->commands[i]; i++)
		complete_offer(to, to->commands[i]->name, to->commands[i]->phrase);
	offer_topics(to);
}

static void offer_shells(struct completion *to)
{
	for (size_t i = 0; completion_shell_at(i); i++)
		complete_offer(to, completion_shell_at(i), NULL);
}

static void offer_files(struct completion *to)
{
	to->files = COMPLETION_FILES;
}

/* junit=FILE */
static void offer_formats(struct completion *to, const char *offered)
{
	if (go_behind(to, '=')) {
		offer_files(to);
		return;
	}
	for (size_t i = 0; report_format_at(offered, i); i++)
		offer_with(to, report_format_at(offered, i)->name, "=", NULL);
}

static void offer_report(struct completion *to)
{
	offer_formats(to, REPORTS_OF_PAYLOADS);
}

static void offer_case_report(struct completion *to)
{
	offer_formats(to, REPORTS_OF_CASES);
}

static void offer_folders(struct completion *to)
{
	to->files = COMPLETION_FOLDERS;
}

static void offer_at_file(struct completion *to)
{
	if (to->word[to->fixed] != '@')
		return;
	to->fixed++;
	to->files = COMPLETION_FILES;
}

static void offer_input(struct completion *to)
{
	complete_offer(to, "-", "standard input");
	to->files = COMPLETION_FILES;
}

/* The groups, then the checks of the one that is typed. */
static void offer_checks(struct completion *to)
{
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

static void (*const offers[])(struct completion *to) = {
	[COMPLETE_FILE] = offer_files,
	[COMPLETE_FOLDER] = offer_folders,
	[COMPLETE_INPUT] = offer_input,
	[COMPLETE_AT_FILE] = offer_at_file,
	[COMPLETE_EVENT] = offer_events,
	[COMPLETE_EVENT_OR_ALL] = offer_events_or_all,
	[COMPLETE_EVENT_LIST] = offer_event_list,
	[COMPLETE_EXPECTATION] = offer_expectation,
	[COMPLETE_BREAKAGE_LIST] = offer_breakage_list,
	[COMPLETE_BREAKAGE] = offer_breakages,
	[COMPLETE_FIELD] = offer_fields,
	[COMPLETE_ASSIGNMENT] = offer_assignments,
	[COMPLETE_FAULT] = offer_faults,
	[COMPLETE_RULE] = offer_rule,
	[COMPLETE_REPORT] = offer_report,
	[COMPLETE_CASE_REPORT] = offer_case_report,
	[COMPLETE_CHECK] = offer_checks,
	[COMPLETE_ENVIRONMENT] = offer_environments,
	[COMPLETE_TOPIC] = offer_topics,
	[COMPLETE_COMMAND_OR_TOPIC] = offer_commands_and_topics,
	[COMPLETE_SHELL] = offer_shells,
};

void complete_operand(struct completion *to, enum completion_kind kind)
{
	if ((size_t)kind < sizeof offers / sizeof offers[0] && offers[kind])
		offers[kind](to);
}

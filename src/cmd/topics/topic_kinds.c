/* Topics and their facts, kind by kind. */
#include "base/error.h"
#include "cmd/topics/topics.h"
#include "json/json_line.h"
#include "payload/edit.h"
#include "payload/finding.h"
#include "probe/plan.h"
#include "redact/redact.h"
#include "schema/schema.h"
#include "ui/help.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define FIELD_COLUMNS 30

/* Events. */

static void fill_event(size_t index, struct topic *t)
{
	const struct catalog_event *e = &catalog_events[index];
	*t = (struct topic){ .name = e->name,
		             .other = e->title,
		             .summary = e->trigger,
		             .group = e->event,
		             .family = e->service,
		             .section = "6",
		             .row = e };
}

static void print_members(struct explanation *to, const struct catalog_member *list, size_t count, const char *prefix)
{
	for (size_t i = 0; i < count; i++) {
		char name[sizeof((struct topic *)0)->full];
		LOCAL_BUFFER text = BUFFER_FOR(to->out);
		const struct catalog_field *field = list[i].field;
		snprintf(name, sizeof name, "%s.%s", prefix, field->name);
		buffer_printf(&text, "%s: %s", catalog_type_name(list[i].type), field->meaning);
		help_append_row(to->out, name, buffer_text(&text), FIELD_COLUMNS, to->width);
		print_members(to, field->members, field->member_count, name);
	}
}

static void list_open_points(struct explanation *to, const struct catalog_member *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (list[i].field->open)
			explain_item(to, "%s: %s", list[i].field->name, list[i].field->open);
		list_open_points(to, list[i].field->members, list[i].field->member_count);
	}
}

static void print_event(struct explanation *to, const struct topic *t)
{
	const struct catalog_event *e = t->row;
	to->sample.event = e;
	if (to->json) {
		json_line_key(to->out, "catalog");
		event_append_object(to->out, e);
	} else {
		explain_value(to, "sent", e->trigger + strlen("sent "));
		explain_value(to, "service", e->service);
		explain_value(to, "event", e->event);
		explain_value(to, "method", e->method);
		explain_value(to, "path", e->path ? e->path : "none: an alert has no path");
		print_members(to, e->details, e->detail_count, "details");
		explain_value(to, "required", "all of these; section 6 lists them, credhook requires each");
	}
	explain_value(to, "note", e->note);
	explain_list(to, "not specified");
	list_open_points(to, e->details, e->detail_count);
}

/* Elements: email, and monitored-element-added/email. */

static struct catalog_kind kind_of_element(const struct catalog_element *element)
{
	size_t i = 0;
	while (catalog_kind_at(i).element != element)
		i++;
	return catalog_kind_at(i);
}

static void fill_element(size_t index, struct topic *t)
{
	const struct catalog_element *e = &catalog_elements[index];
	*t = (struct topic){
		.name = e->name, .other = e->title, .summary = e->title, .section = "6, trigger condition 4", .row = e
	};
	catalog_kind_name(kind_of_element(e), t->full);
}

static void print_element(struct explanation *to, const struct topic *t)
{
	to->sample = kind_of_element(t->row);
	explain_value(to, "event", to->sample.event->name);
	explain_value(to, "path", catalog_kind_path(to->sample));
}

/* Operations, by method and path or by path. */

static void fill_operation(size_t index, struct topic *t)
{
	const struct catalog_operation *o = &catalog_operations[index];
	*t = (struct topic){ .name = t->full,
		             .other = o->path,
		             .summary = o->outcome,
		             .family = o->method,
		             .section = "4.2",
		             .row = o };
	snprintf(t->full, sizeof t->full, "%s %s", o->method, o->path);
}

/* The element whose path it is, among those of the operation's events. */
static const struct catalog_element *element_of(const struct catalog_operation *o, const char *path)
{
	for (const struct catalog_event *event = NULL; (event = catalog_triggered(o, event));)
		for (size_t e = 0; e < event->element_count; e++)
			if (strcasecmp(event->elements[e].path, path) == 0)
				return &event->elements[e];
	return NULL;
}

static const char *path_of(const char *asked)
{
	const char *space = strchr(asked, ' ');
	return space ? space + 1 : asked;
}

/* <element_path> stands for the elements of section 6, which closes their list; <bureau_code> for any segment. */
static bool is_operation(const struct topic *t, const char *asked)
{
	const struct catalog_operation *o = t->row;
	const char *path = path_of(asked);
	size_t method = strcspn(asked, " "), fixed = strcspn(o->path, "<");
	if (path > asked && (strlen(o->method) != method || strncasecmp(o->method, asked, method) != 0))
		return false;
	if (strcasecmp(o->path, path) == 0 || element_of(o, path))
		return true;
	return o->path[fixed] == '<' && !catalog_triggered(o, NULL) && strncasecmp(o->path, path, fixed) == 0 &&
	       path[fixed] != '\0' && !strchr(path + fixed, '/');
}

static void print_operation(struct explanation *to, const struct topic *t)
{
	const struct catalog_operation *o = t->row;
	const struct catalog_event *first = catalog_triggered(o, NULL);
	explain_list(to, "triggers");
	for (const struct catalog_event *event = first; event; event = catalog_triggered(o, event))
		explain_item(to, "%s", event->name);
	if (!first && !to->json)
		explain_item(to, "no event; see 'credhook explain dispute statuses'");
	explain_list(to, "not specified");
	for (size_t i = 0; i < catalog_passage_count; i++)
		if (strcmp(catalog_passages[i].topic, "operations") == 0)
			explain_item(to, "%s", catalog_passages[i].text);
	if (first)
		to->sample = (struct catalog_kind){ first, to->asked ? element_of(o, path_of(to->asked)) : NULL };
}

/* Fields. */

static void fill_field(size_t index, struct topic *t)
{
	bool inside = index >= catalog_envelope_count;
	const struct catalog_field *f =
	        inside ? catalog_fields[index - catalog_envelope_count] : catalog_envelope[index];
	const struct catalog_field *owner = inside ? catalog_field_owner(f) : NULL;
	*t = (struct topic){ .name = f->name,
		             .qualifier = catalog_type_name(f->type),
		             .summary = f->meaning,
		             .section = f->section,
		             .row = f };
	snprintf(t->full, sizeof t->full, "%s%s%s%s", inside ? "details." : "", owner ? owner->name : "",
	         owner ? "." : "", f->name);
}

/* details.appKey, /details/appKey, appKey, address.street. */
static bool is_field(const struct topic *t, const char *asked)
{
	asked += asked[0] == '/';
	size_t length = strlen(asked), all = strlen(t->full);
	if (length == 0 || length > all || (length < all && t->full[all - length - 1] != '.'))
		return false;
	const char *end = t->full + all - length;
	for (size_t i = 0; i < length; i++)
		if (asked[i] == '/' ? end[i] != '.' : strncasecmp(&end[i], &asked[i], 1) != 0)
			return false;
	return true;
}

static void print_field(struct explanation *to, const struct topic *t)
{
	const struct catalog_field *field = t->row;
	snprintf(to->sample_pointer, sizeof to->sample_pointer, "/%s", t->full);
	for (char *c = to->sample_pointer; *c; c++)
		*c = *c == '.' ? '/' : *c;
	to->sample.event = field->required ? &catalog_events[0] : NULL;
	if (to->json)
		explain_value(to, "field", t->full);
	explain_value(to, "type", catalog_type_name(field->type));
	explain_value(to, "required",
	              field->required || to->json ? field->required
	                                          : "not specified; credhook requires it in each of these events");
	explain_value(to, "redacted", redact_privacy_phrase(field->privacy));
	explain_list(to, "events");
	for (size_t i = 0; i < catalog_event_count; i++) {
		if (field->required || !edit_member(&catalog_events[i], to->sample_pointer, NULL))
			continue;
		explain_item(to, "%s", catalog_events[i].name);
		to->sample.event = to->sample.event ? to->sample.event : &catalog_events[i];
	}
	explain_list(to, "values");
	for (size_t i = 0; i < field->value_count; i++)
		explain_item(to, "%s", field->values[i].name);
	explain_list(to, "members");
	for (size_t i = 0; i < field->member_count; i++)
		explain_item(to, "%s", field->members[i].field->name);
	explain_list(to, "rules");
	for (size_t i = 0; i < catalog_passage_count; i++)
		if (strcmp(catalog_passages[i].topic, field->name) == 0 && !catalog_passages[i].open)
			explain_item(to, "%s", catalog_passages[i].text);
	explain_list(to, "not specified");
	if (field->open)
		explain_item(to, "%s", field->open);
}

/* Dispute statuses, and what is said beside the tables. */

static void print_dispute_status(struct explanation *to, const struct topic *t)
{
	(void)t;
	explain_value(to, "where", "field status of GET /api/disputes/v2/<bureau_code>; not in notifications");
}

static void fill_passage(size_t index, struct topic *t)
{
	const struct catalog_passage *p = &catalog_passages[index];
	*t = (struct topic){ .name = p->topic,
		             .qualifier = p->open ? "not specified" : NULL,
		             .summary = p->text,
		             .section = p->section,
		             .see = "see 'man credhook-events'",
		             .row = p };
}

/* Those on a field are printed with it. */
static bool is_passage(const struct topic *t, const char *asked)
{
	return strcasecmp(t->name, asked) == 0 && !catalog_field_named(t->name);
}

static void print_passage(struct explanation *to, const struct topic *t)
{
	json_line_bool(to->out, "specified", !((const struct catalog_passage *)t->row)->open);
}

/* What is credhook's own: findings, exit codes, outcomes of deliveries. */

static void fill_finding(size_t index, struct topic *t)
{
	const struct finding_row *row = &finding_rows[index];
	*t = (struct topic){ .name = row->name,
		             .qualifier = severity_name(row->severity),
		             .summary = row->summary,
		             .origin = row->origin,
		             .row = row };
}

static void print_finding(struct explanation *to, const struct topic *t)
{
	const struct finding_row *row = t->row;
	explain_value(to, "severity", t->qualifier);
	explain_value(to, to->json ? "our rule" : "credhook adds", row->own);
	if (row == &finding_rows[FINDING_CONTENT_TYPE])
		return;
	if (row == &finding_rows[FINDING_UNSEEN]) {
		explain_to_type(to, "try", "credhook validate today.ndjson --against golden/");
		return;
	}
	LOCAL_BUFFER command = BUFFER_FOR(to->out);
	buffer_printf(&command, "credhook build all --break %s", row->name);
	explain_to_type(to, "try", buffer_text(&command));
}

static void fill_exit_code(size_t index, struct topic *t)
{
	*t = (struct topic){ .name = t->full, .summary = exit_code_rows[index].meaning, .row = &exit_code_rows[index] };
	snprintf(t->full, sizeof t->full, "exit %d", (int)exit_code_rows[index].code);
}

static void print_exit_code(struct explanation *to, const struct topic *t)
{
	if (to->json)
		json_line_number(to->out, "code", ((const struct exit_code_row *)t->row)->code);
}

static const struct catalog_value outcomes[] = {
	{ "accepted", "a response came with an expected status: 2xx, or one of --expect-status", NULL },
	{ "rejected", "a response came with another status", NULL },
	{ "failed", "nothing was sent: no such host, no connection, no TLS; it is safe to send it again", NULL },
	{ "unknown",
	  "it was sent, at least in part, and no whole response came back, or one of more than 1 MiB: it may have been "
	  "delivered, and sending it again may deliver it twice",
	  NULL },
	{ "late", "accepted, but slower than --expect-within; counts as a failure", NULL },
};

/* What the manual has in sentences. */

static void fill_status(size_t index, struct topic *t)
{
	(void)index;
	const char *see = "see 'man credhook', section Statuses";
	*t = (struct topic){ .name = "status", .summary = see, .see = see };
}

/* 418, 5xx; some are what events are named by, too. */
static bool is_status(const struct topic *t, const char *asked)
{
	bool is_one = strlen(asked) == 3 && asked[0] >= '1' && asked[0] <= '5' &&
	              (strcasecmp(asked + 1, "xx") == 0 || strspn(asked + 1, "0123456789") == 2);
	return is_one || strcasecmp(t->name, asked) == 0;
}

#define GLOSSARY "see 'man credhook', section Glossary"

static const struct {
	const char *name, *see, *page;
} words[] = {
	{ "notification", GLOSSARY, NULL },
	{ "payload", GLOSSARY, NULL },
	{ "listener", GLOSSARY, NULL },
	{ "capture", GLOSSARY, NULL },
	{ "record", GLOSSARY, NULL },
	{ "results", GLOSSARY, NULL },
	{ "destination", GLOSSARY, NULL },
	{ "environment", GLOSSARY, NULL },
	{ "sandbox", GLOSSARY, NULL },
	{ "production", GLOSSARY, NULL },
	{ "guard", GLOSSARY, NULL },
	{ "redaction", GLOSSARY, NULL },
	{ "retry", GLOSSARY, NULL },
	{ "idempotency", GLOSSARY, NULL },
	{ "har", GLOSSARY, NULL },
	{ "effects", "see 'credhook help effects'", "credhook-effects" },
	{ "brokers", "see 'credhook help brokers'", "credhook-brokers" },
};

static void fill_word(size_t index, struct topic *t)
{
	const char *see = words[index].see;
	*t = (struct topic){ .name = words[index].name, .summary = see, .see = see, .page = words[index].page };
}

/* The checks of `test` as topics. */

static const struct catalog_value levels[] = {
	{ "must", "real deliveries would be lost or break; if one fails, so does the run: exit code 1", NULL },
	{ "should", "robustness and security; a failed one is a warning, and with --strict the exit code is 1, too",
	  NULL },
	{ "note", "for information, never a failure", NULL },
};

#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

static void fill_check(size_t index, struct topic *t)
{
	const struct probe_row *row = &probe_rows[index];
	*t = (struct topic){ .name = t->full,
		             .qualifier = probe_level_names[row->level],
		             .summary = row->sent,
		             .group = row->group,
		             .reason = row->why,
		             .origin = row->source,
		             .row = row };
	snprintf(t->full, sizeof t->full, "%s/%s", row->group, row->name);
}

static bool is_check(const struct topic *t, const char *asked)
{
	return probe_row_makes(t->row, asked);
}

static void print_check(struct explanation *to, const struct topic *t)
{
	const struct probe_row *row = t->row;
	LOCAL_BUFFER expected = BUFFER_FOR(to->out), tolerated = BUFFER_FOR(to->out), command = BUFFER_FOR(to->out);
	/* What is made for each EVENT is selected by what stands before that and its separator. */
	size_t selected = row->expansion == PROBE_ONE ? strlen(t->name) : strcspn(t->name, UPPER) - 1;
	probe_append_expected(&expected, row->ok);
	probe_append_expected(&tolerated, row->tolerated ? row->tolerated : "");
	explain_value(to, "level", t->qualifier);
	explain_value(to, "expected", buffer_text(&expected));
	explain_value(to, "tolerated", row->tolerated ? buffer_text(&tolerated) : NULL);
	explain_value(to, "why", row->why);
	explain_value(to, "fix", row->fix);
	buffer_printf(&command, "credhook test %.*s --to %s%s%s", (int)selected, t->name,
	              strcmp(row->group, "tls") == 0 ? "https://localhost:8443/hook" : ":8080/hook",
	              row->observes ? " --observe 'cat hook.log'" : "", row->ends ? " -- python3 hook.py" : "");
	explain_to_type(to, "try", buffer_text(&command));
}

static const size_t finding_count = FINDING_ID_COUNT, outcome_count = sizeof outcomes / sizeof outcomes[0],
                    level_count = sizeof levels / sizeof levels[0], status_count = 1,
                    word_count = sizeof words / sizeof words[0];

/* clang-format off */
const struct topic_kind topic_kinds[] = {
	/* name, plural, label, count, values, fill, matches, print */
	{ "event", "events", NULL, &catalog_event_count, NULL, fill_event, NULL, print_event },
	{ "element", "elements", "meaning", &catalog_element_count, NULL, fill_element, NULL, print_element },
	{ "operation", "operations", "status", &catalog_operation_count, NULL, fill_operation, is_operation,
	  print_operation },
	{ "field", "fields", "meaning", &catalog_every_field_count, NULL, fill_field, is_field, print_field },
	{ "finding", "findings", "when", &finding_count, NULL, fill_finding, NULL, print_finding },
	{ "check", "checks", "sent", &probe_row_count, NULL, fill_check, is_check, print_check },
	{ "level", "levels", "meaning", &level_count, levels, NULL, NULL, NULL },
	{ "dispute status", "dispute statuses", "meaning", &catalog_dispute_status_count, catalog_dispute_statuses, NULL, NULL,
	  print_dispute_status },
	{ "topic", "topics", NULL, &catalog_passage_count, NULL, fill_passage, is_passage, print_passage },
	{ "exit code", "exit codes", "meaning", &exit_code_row_count, NULL, fill_exit_code, NULL, print_exit_code },
	{ "outcome", "outcomes", "meaning", &outcome_count, outcomes, NULL, NULL, NULL },
	{ "status", "statuses", NULL, &status_count, NULL, fill_status, is_status, NULL },
	{ "question", "questions", "meaning", &catalog_question_count, catalog_questions, NULL, NULL, NULL },
	{ "word", "words", NULL, &word_count, NULL, fill_word, NULL, NULL },
};
/* clang-format on */
const size_t topic_kind_count = sizeof topic_kinds / sizeof topic_kinds[0];

/* The tables checked against themselves, and the look-ups over them. That they hold the facts is facts_test.c. */
#include "catalog/catalog.h"
#include "test.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void require_text(const char *text, const char *what, const char *of)
{
	if (!text || !*text)
		fail_msg("%s of %s is empty", what, of);
	if (isspace((unsigned char)text[0]) || isspace((unsigned char)text[strlen(text) - 1]) || strstr(text, "  "))
		fail_msg("%s of %s has stray spaces: '%s'", what, of, text);
}

static void require_kebab_case(const char *name)
{
	require_text(name, "the name", "a row");
	for (const char *c = name; *c; c++)
		if (!islower((unsigned char)*c) && !isdigit((unsigned char)*c) && (*c != '-' || c == name || !c[1]))
			fail_msg("%s is not in kebab-case", name);
}

static void require_field(const struct catalog_field *field)
{
	require_text(field->name, "the name", "a field");
	require_text(field->meaning, "the meaning", field->name);
	require_text(field->section, "the section", field->name);
	if (field->open)
		require_text(field->open, "what is open", field->name);
	if (!catalog_type_name(field->type))
		fail_msg("%s has a type without a name", field->name);
	if (field->type == CATALOG_CHOICE && field->value_count == 0)
		fail_msg("%s is a choice of nothing", field->name);
	if ((field->type == CATALOG_OBJECT) < (field->member_count > 0 || field->open_members))
		fail_msg("%s has members, and is no object", field->name);
	for (size_t i = 0; i < field->value_count; i++) {
		require_text(field->values[i].name, "a value", field->name);
		require_text(field->values[i].meaning, "the meaning of a value", field->name);
		require_text(field->values[i].section, "the section of a value", field->name);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(field->values[i].name, field->values[j].name);
	}
}

/* Names once each, and all that is listed is among the fields, deep down. */
static void require_members(const struct catalog_member *members, size_t count, const char *of)
{
	for (size_t i = 0; i < count; i++) {
		const struct catalog_field *field = members[i].field;
		size_t found = 0;
		for (size_t f = 0; f < catalog_field_count; f++)
			found += catalog_fields[f] == field;
		if (found != 1)
			fail_msg("%s of %s stands %zu times in catalog_fields", field->name, of, found);
		for (size_t j = 0; j < i; j++)
			if (strcmp(field->name, members[j].field->name) == 0)
				fail_msg("%s lists %s twice", of, field->name);
		if ((members[i].type == CATALOG_OBJECT) != (field->type == CATALOG_OBJECT))
			fail_msg("%s of %s is an object here or there only", field->name, of);
		require_members(field->members, field->member_count, field->name);
	}
}

TEST(field_rows_are_complete)
{
	for (size_t i = 0; i < catalog_field_count; i++)
		require_field(catalog_fields[i]);
	for (size_t i = 0; i < catalog_envelope_count; i++)
		require_field(catalog_envelope[i]);
	for (size_t i = 0; i < catalog_field_count; i++)
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(catalog_fields[i]->name, catalog_fields[j]->name);
}

TEST(event_rows_are_complete)
{
	for (size_t i = 0; i < catalog_event_count; i++) {
		const struct catalog_event *e = &catalog_events[i];
		require_kebab_case(e->name);
		require_text(e->title, "the title", e->name);
		require_text(e->service, "the service", e->name);
		require_text(e->event, "the event", e->name);
		require_text(e->method, "the method", e->name);
		require_text(e->trigger, "the trigger", e->name);
		require_text(e->trigger_section, "the trigger's section", e->name);
		if (e->path)
			require_text(e->path, "the path", e->name);
		if (e->note)
			require_text(e->note, "the note", e->name);
		assert_true(e->detail_count > 0);
		require_members(e->details, e->detail_count, e->name);
		for (size_t j = 0; j < i; j++) {
			assert_string_not_equal(e->name, catalog_events[j].name);
			assert_string_not_equal(e->title, catalog_events[j].title);
		}
		bool service_known = false;
		for (size_t s = 0; s < catalog_service_count; s++)
			service_known = service_known || strcmp(catalog_services[s].name, e->service) == 0;
		assert_true(service_known);
	}
}

/* As many as there may be, each of another event, and none behind them. */
TEST(what_is_kept_is_in_order)
{
	for (size_t i = 0; i < CATALOG_KEPT_MOST; i++) {
		struct catalog_kind kind = catalog_kept_at(i);
		assert_non_null(kind.event);
		assert_int_equal(kind.event->kept, i + 1);
		assert_ptr_equal(kind.element, kind.event->usual);
		assert_int_equal(kind.element != NULL, kind.event->elements != NULL);
	}
	assert_null(catalog_kept_at(CATALOG_KEPT_MOST).event);
	assert_string_equal(KIND_NAME(catalog_kept_at(0)), "bureau-alert");
	assert_string_equal(KIND_NAME(catalog_kept_at(4)), "monitored-element-added/email");
}

TEST(a_story_has_each_event_once)
{
	for (size_t i = 0; i < catalog_event_count; i++) {
		size_t told = 0;
		for (size_t s = 0; s < catalog_event_count; s++)
			told += catalog_events[s].story == catalog_events[i].story;
		if (told != 1 || catalog_events[i].story <= 0)
			fail_msg("%s: .story = %d is not a place of its own", catalog_events[i].name,
			         catalog_events[i].story);
		assert_true(i == 0 || catalog_story_at(i - 1)->story < catalog_story_at(i)->story);
	}
}

/* What comes before an event is a kind before which nothing comes; what tells two apart, and what identifies one, is in
 * them. */
TEST(what_is_said_of_two_of_a_customer_is_in_them)
{
	for (size_t i = 0; i < catalog_event_count; i++) {
		const struct catalog_event *event = &catalog_events[i];
		const struct catalog_field *fields[] = { event->differs, event->identified_by };
		struct catalog_kind before;
		for (size_t f = 0; f < 2; f++)
			assert_true(!fields[f] || catalog_member_named(event->details, event->detail_count,
			                                               fields[f]->name, strlen(fields[f]->name)));
		if (!event->after)
			continue;
		assert_int_equal(catalog_find_kind(event->after, &before, NULL), CATALOG_FOUND);
		assert_null(before.event->after);
	}
}

TEST(what_an_event_begins_others_refer_to)
{
	for (size_t i = 0; i < catalog_event_count; i++)
		for (size_t f = 0; f < 2 && catalog_events[i].begins[f]; f++) {
			const char *field = catalog_events[i].begins[f]->name;
			size_t referring = 0;
			for (size_t other = 0; other < catalog_event_count; other++) {
				const struct catalog_event *event = &catalog_events[other];
				referring += catalog_member_named(event->details, event->detail_count, field,
				                                  strlen(field)) &&
				             catalog_event_refers(event, field);
			}
			assert_true(referring > 0);
			assert_true(catalog_event_begins(&catalog_events[i], field));
			assert_false(catalog_event_refers(&catalog_events[i], field));
			assert_non_null(catalog_beginning_of(field));
		}
	assert_string_equal(catalog_beginning_of("displayToken")->name, "credit-report-ordered");
	assert_null(catalog_beginning_of("appKey"));
	assert_false(catalog_event_refers(&catalog_events[0], "appKey"));
}

TEST(the_other_rows_are_complete)
{
	for (size_t i = 0; i < catalog_element_count; i++) {
		const struct catalog_element *e = &catalog_elements[i];
		require_kebab_case(e->name);
		require_text(e->title, "the title", e->name);
		assert_string_equal(strrchr(e->path, '/') + 1, e->name);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(e->name, catalog_elements[j].name);
	}
	for (size_t i = 0; i < catalog_operation_count; i++) {
		const struct catalog_operation *o = &catalog_operations[i];
		require_text(o->outcome, "the outcome", o->path);
		for (const char *c = o->method; *c; c++)
			assert_true(isupper((unsigned char)*c));
		for (size_t j = 0; j < i; j++)
			assert_false(strcmp(o->method, catalog_operations[j].method) == 0 &&
			             strcmp(o->path, catalog_operations[j].path) == 0);
	}
	for (size_t i = 0; i < catalog_passage_count; i++) {
		require_text(catalog_passages[i].topic, "the topic", "a passage");
		require_text(catalog_passages[i].section, "the section", catalog_passages[i].topic);
		require_text(catalog_passages[i].text, "the text", catalog_passages[i].topic);
	}
	for (size_t i = 0; i < catalog_dispute_status_count; i++)
		require_text(catalog_dispute_statuses[i].meaning, "the meaning", catalog_dispute_statuses[i].name);
	for (size_t i = 0; i < catalog_service_count; i++)
		require_text(catalog_services[i].meaning, "the meaning", catalog_services[i].name);
}

TEST(every_kind_has_an_index_a_name_and_an_envelope_of_its_own)
{
	char names[64][CATALOG_KIND_NAME_SIZE];
	assert_in_range(catalog_kind_count(), 1, COUNT(names));
	for (size_t i = 0; i < catalog_kind_count(); i++) {
		struct catalog_kind kind = catalog_kind_at(i);
		assert_int_equal(catalog_kind_index(kind), i);
		assert_in_range(strlen(kind.event->name) + (kind.element ? 1 + strlen(kind.element->name) : 0), 1,
		                CATALOG_KIND_NAME_SIZE - 1);
		catalog_kind_name(kind, names[i]);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(names[i], names[j]);
		struct catalog_kind found;
		const char *nearest;
		assert_int_equal(catalog_find_kind(names[i], &found, &nearest), CATALOG_FOUND);
		assert_ptr_equal(found.event, kind.event);
		assert_ptr_equal(found.element, kind.element);
		const struct catalog_element *element;
		const struct catalog_event *event =
		        catalog_identify(text_of(kind.event->service), text_of(kind.event->event),
		                         text_of(kind.event->method), text_of(catalog_kind_path(kind)), &element);
		assert_ptr_equal(event, kind.event);
		assert_ptr_equal(element, kind.element);
	}
	assert_null(catalog_kind_at(catalog_kind_count()).event);
	struct catalog_kind whole;
	const char *nearest;
	assert_int_equal(catalog_find_kind("monitored-element-added", &whole, &nearest), CATALOG_FOUND);
	assert_null(whole.element);
	assert_string_equal(catalog_kind_at(catalog_kind_index(whole)).element->name, "bankaccount");
}

TEST(an_envelope_is_all_of_its_values_exactly)
{
	static const struct {
		const char *service, *event, *method, *path;
	} rows[] = {
		{ "user", "201", "post", NULL },
		{ "user", "201", "post", "" },
		{ "user", "201", "post", "/api/user/v2/" },
		{ "user", "201", "post", "/user/v2" },
		{ "user", "201", "POST", "/api/user/v2" },
		{ "user", "200", "post", "/api/user/v2" },
		{ "use", "201", "post", "/api/user/v2" },
		{ "users", "201", "post", "/api/user/v2" },
		{ "alerts", "push", "push", "/api/user/v2" },
		{ "alerts", "push", "push", "" },
		{ "monitoring", "201", "post", "/api/monitoring/v2/idp/<element_path>" },
		{ "monitoring", "201", "post", "/api/monitoring/v2/idp/" },
		{ "monitoring", "201", "post", "/api/monitoring/v2/idp/monitor" },
		{ "monitoring", "200", "delete", "/api/monitoring/v2/idp/email" },
		{ "", "", "", "" },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct catalog_element *element = catalog_elements;
		assert_null(catalog_identify(text_of(rows[i].service), text_of(rows[i].event), text_of(rows[i].method),
		                             text_of(rows[i].path), &element));
		assert_null(element);
	}
	/* Texts are counted, not ended by a NUL. */
	struct text path = { "/api/user/v2xxx", strlen("/api/user/v2") };
	const struct catalog_element *element;
	assert_string_equal(catalog_identify((struct text){ "userx", 4 }, (struct text){ "2010", 3 },
	                                     (struct text){ "posted", 4 }, path, &element)
	                            ->name,
	                    "user-created");
	path.length++;
	assert_null(catalog_identify(text_of("user"), text_of("201"), text_of("post"), path, &element));
}

/* tests/cli/event-names has what people type. */
TEST(a_kind_is_found_by_name_or_unique_prefix)
{
	static const struct {
		const char *word;
		enum catalog_match match;
		const char *found; /* the kind's name; for what is not found: the nearest, or NULL */
	} rows[] = {
		{ "b", CATALOG_FOUND, "bureau-alert" },
		{ "monitored-element-a", CATALOG_FOUND, "monitored-element-added" },
		{ "user", CATALOG_AMBIGUOUS, "user-created" },
		{ "User Cr", CATALOG_FOUND, "user-created" },
		{ "user_", CATALOG_AMBIGUOUS, "user-created" },
		{ "-", CATALOG_UNKNOWN, NULL },
		{ "._ -", CATALOG_UNKNOWN, NULL },
		{ "user-createdx", CATALOG_UNKNOWN, "user-created" },
		{ "/", CATALOG_UNKNOWN, NULL },
		{ "/email", CATALOG_UNKNOWN, NULL },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct catalog_kind kind;
		const char *told;
		char name[CATALOG_KIND_NAME_SIZE];
		enum catalog_match match = catalog_find_kind(rows[i].word, &kind, &told);
		if (match != rows[i].match)
			fail_msg("'%s' is %d", rows[i].word, (int)match);
		if (match == CATALOG_FOUND) {
			catalog_kind_name(kind, name);
			told = name;
		}
		if ((told == NULL) != (rows[i].found == NULL) || (told && strcmp(told, rows[i].found) != 0))
			fail_msg("'%s' is taken for %s", rows[i].word, told ? told : "(nothing)");
	}
}

TEST(a_member_is_found_by_its_whole_key)
{
	const struct catalog_event *event = &catalog_events[0];
	assert_ptr_equal(catalog_member_named(event->details, event->detail_count, "appKeyx", 6), &event->details[0]);
	assert_null(catalog_member_named(event->details, event->detail_count, "appKeyx", 7));
	assert_null(catalog_member_named(event->details, event->detail_count, "appKey", 5));
	assert_null(catalog_member_named(event->details, event->detail_count, "", 0));
	assert_null(catalog_member_named(event->details, event->detail_count, "appKey\0x", 8));
	assert_null(catalog_member_named(NULL, 0, "appKey", 6));
}

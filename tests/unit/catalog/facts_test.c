/* The rows of the catalogue held against facts.h: names, types, orders and counts, and key words of prose. */
#include "base/find.h"
#include "catalog/catalog.h"
#include "catalog/facts.h"
#include "test.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool equal(const char *row, const char *fact)
{
	return row && fact ? strcmp(row, fact) == 0 : row == fact;
}

static void expect_text(const char *row, const char *fact, const char *what, const char *where)
{
	if (!equal(row, fact))
		fail_msg("%s of %s is %s, and should be %s", what, where, row ? row : "(none)", fact ? fact : "(none)");
}

/* Whether the text has all the words, in any case and order. */
static bool has_words(const char *text, const char *const words[WORD_MAX])
{
	for (size_t i = 0; i < WORD_MAX && words[i]; i++)
		if (!text || !find_any_case(text, words[i]))
			return false;
	return true;
}

static void expect_words(const char *text, const char *const words[WORD_MAX], const char *what, const char *where)
{
	if (!has_words(text, words))
		fail_msg("%s of %s is \"%s\", and should tell of \"%s\", ...", what, where, text ? text : "(none)",
		         words[0]);
}

static void expect_section(const char *section, const char *fact, const char *where)
{
	if (!section || !strstr(section, fact))
		fail_msg("section of %s is %s, and should be %s", where, section ? section : "(none)", fact);
}

static void expect_count(size_t rows, size_t facts, const char *what)
{
	if (rows != facts)
		fail_msg("%zu %s, and should be %zu", rows, what, facts);
}

static size_t count_texts(const char *const *texts)
{
	size_t count = 0;

	while (count < KEY_MAX && texts[count])
		count++;
	return count;
}

static const struct field_fact *field_fact(const char *name)
{
	for (size_t i = 0; i < COUNT(fields); i++)
		if (strcmp(fields[i].name, name) == 0)
			return &fields[i];
	fail_msg("facts.h lacks the field %s", name);
	return &fields[0];
}

/* "User Created" is called user-created. */
static void kebab_case(const char *title, char *out, size_t size)
{
	size_t i = 0;

	for (; title[i] && i + 1 < size; i++)
		out[i] = title[i] == ' ' ? '-' : (char)tolower((unsigned char)title[i]);
	out[i] = '\0';
}

TEST(service_rows)
{
	expect_count(catalog_service_count, COUNT(services), "services");
	for (size_t i = 0; i < COUNT(services); i++) {
		expect_text(catalog_services[i].name, services[i], "name", "service row");
		expect_section(catalog_services[i].section, "2.1", services[i]);
	}
}

TEST(envelope_rows)
{
	expect_count(catalog_envelope_count, COUNT(envelope), "envelope fields");
	for (size_t i = 0; i < COUNT(envelope); i++) {
		const struct catalog_field *row = catalog_envelope[i];
		bool object = strcmp(envelope[i], "details") == 0;

		expect_text(row->name, envelope[i], "name", "envelope row");
		expect_section(row->section, "2.1", envelope[i]);
		expect_text(row->required,
		            strcmp(envelope[i], "path") == 0 ? "yes for API events; absent in alert notifications"
		                                             : "yes",
		            "required", envelope[i]);
		/* A string with a list of values is a choice or not, as the row likes. */
		if (object ? row->type != CATALOG_OBJECT : row->type != CATALOG_STRING && row->type != CATALOG_CHOICE)
			fail_msg("%s has the type %s", envelope[i], catalog_type_name(row->type));
	}
}

static void object_members(const struct catalog_field *row, const struct field_fact *fact)
{
	expect_count(row->member_count, count_texts(fact->keys), fact->name);
	for (size_t i = 0; i < row->member_count; i++) {
		expect_text(row->members[i].field->name, fact->keys[i], "key", fact->name);
		assert_int_equal(row->members[i].type, field_fact(fact->keys[i])->type);
	}
	if (row->open_members != fact->further_keys)
		fail_msg("%s %s further keys", fact->name, fact->further_keys ? "should allow" : "should not allow");
}

TEST(field_rows)
{
	expect_count(catalog_field_count, COUNT(fields), "fields inside details");
	for (size_t i = 0; i < COUNT(fields); i++) {
		const struct field_fact *fact = &fields[i];
		const struct catalog_field *row = catalog_field_named(fact->name);

		if (!row)
			fail_msg("no field %s", fact->name);
		expect_text(row->name, fact->name, "key", fact->name);
		expect_section(row->section, "2.2", fact->name);
		expect_text(catalog_type_name(row->type), catalog_type_name(fact->type), "type", fact->name);
		assert_non_null(row->meaning);
		object_members(row, fact);
		/* A rule is made only of what the specification lists; what it calls "not shown" is open. */
		expect_count(row->value_count, count_texts(fact->values), fact->name);
		for (size_t j = 0; j < row->value_count; j++)
			expect_text(row->values[j].name, fact->values[j], "value", fact->name);
		if (fact->not_shown && !row->open)
			fail_msg("%s should say what is not specified about it", fact->name);
	}
}

static enum catalog_type expected_type(const struct event_fact *event, const char *key)
{
	/* Section 2.2: UUID format in the user-created event, an opaque string elsewhere. */
	if (strcmp(event->title, "User Created") == 0 && strcmp(key, "clientKey") == 0)
		return CATALOG_UUID;
	return field_fact(key)->type;
}

static void event_details(const struct catalog_event *row, const struct event_fact *fact)
{
	expect_count(row->detail_count, count_texts(fact->details), row->name);
	for (size_t i = 0; i < row->detail_count; i++) {
		const struct catalog_member *member = &row->details[i];

		expect_text(member->field->name, fact->details[i], "details key", row->name);
		assert_ptr_equal(member->field, catalog_field_named(fact->details[i]));
		expect_text(catalog_type_name(member->type), catalog_type_name(expected_type(fact, fact->details[i])),
		            fact->details[i], row->name);
	}
}

TEST(event_rows)
{
	expect_count(catalog_event_count, COUNT(events), "events");
	for (size_t i = 0; i < COUNT(events); i++) {
		const struct catalog_event *row = &catalog_events[i];
		const struct event_fact *fact = &events[i];
		char name[CATALOG_KIND_NAME_SIZE];

		kebab_case(fact->title, name, sizeof(name));
		expect_text(row->title, fact->title, "title", name);
		expect_text(row->name, name, "name", name);
		expect_text(row->service, fact->service, "service", name);
		expect_text(row->event, fact->event, "event", name);
		expect_text(row->method, fact->method, "method", name);
		expect_text(row->path, fact->path, "path", name);
		event_details(row, fact);
		expect_words(row->trigger, fact->trigger, "trigger", name);
		expect_words(row->note, fact->note, "note", name);
		if (fact->trigger[0])
			expect_section(row->trigger_section, "6", name);
		/* No inconsistency touches alerts: they have neither status nor path. */
		if (!fact->path)
			expect_text(row->note, NULL, "note", name);
	}
}

TEST(element_rows)
{
	expect_count(catalog_element_count, COUNT(elements), "elements");
	for (size_t i = 0; i < COUNT(elements); i++) {
		expect_text(catalog_elements[i].title, elements[i].title, "title", elements[i].path);
		expect_text(catalog_elements[i].path, elements[i].path, "path", elements[i].title);
		expect_text(catalog_elements[i].name, strrchr(elements[i].path, '/') + 1, "name", elements[i].title);
	}
	for (size_t i = 0; i < catalog_event_count; i++) {
		bool has = equal(catalog_events[i].name, "monitored-element-added");

		expect_count(catalog_events[i].element_count, has ? COUNT(elements) : 0, catalog_events[i].name);
	}
	expect_count(catalog_kind_count(), COUNT(events) - 1 + COUNT(elements), "kinds");
}

/* Section 6 tells which events an operation has: those of its method and path. */
static void operation_events(const struct catalog_operation *row, const struct operation_fact *fact)
{
	const struct catalog_event *next = NULL;

	for (size_t i = 0; i < COUNT(events); i++) {
		if (!equal(events[i].path, fact->path) || strcasecmp(events[i].method, fact->method) != 0)
			continue;
		next = catalog_triggered(row, next);
		if (!next)
			fail_msg("%s %s lacks the event %s", fact->method, fact->path, events[i].title);
		expect_text(next->title, events[i].title, "event", fact->path);
	}
	assert_true(!next || !catalog_triggered(row, next));
}

TEST(operation_rows)
{
	static const char *const statuses[] = { "200", "201", "204", "401" };

	expect_count(catalog_operation_count, COUNT(operations), "operations");
	for (size_t i = 0; i < COUNT(operations); i++) {
		const struct catalog_operation *row = &catalog_operations[i];
		const struct operation_fact *fact = &operations[i];

		expect_text(row->method, fact->method, "method", fact->path);
		expect_text(row->path, fact->path, "path", fact->method);
		expect_words(row->outcome, fact->outcome, "outcome", fact->path);
		for (size_t j = 0; j < COUNT(statuses); j++) {
			bool listed = equal(fact->outcome[0], statuses[j]) || equal(fact->outcome[2], statuses[j]);

			if (!listed && strstr(row->outcome, statuses[j]))
				fail_msg("%s %s has no outcome %s", fact->method, fact->path, statuses[j]);
		}
		operation_events(row, fact);
	}
}

TEST(dispute_status_rows)
{
	expect_count(catalog_dispute_status_count, COUNT(dispute_statuses), "dispute statuses");
	for (size_t i = 0; i < COUNT(dispute_statuses); i++) {
		const struct catalog_value *row = &catalog_dispute_statuses[i];

		expect_text(row->name, dispute_statuses[i].name, "name", "dispute status row");
		expect_words(row->meaning, dispute_statuses[i].meaning, "meaning", row->name);
		expect_section(row->section, "3", row->name);
	}
}

static bool starts_with(const char *row, const char *fact)
{
	return row && strncmp(row, fact, strlen(fact)) == 0;
}

TEST(passages_are_told)
{
	for (size_t i = 0; i < COUNT(passages); i++) {
		size_t j = 0;

		while (j < catalog_passage_count && !(catalog_passages[j].open == passages[i].open &&
		                                      starts_with(catalog_passages[j].section, passages[i].section) &&
		                                      has_words(catalog_passages[j].text, passages[i].words)))
			j++;
		if (j == catalog_passage_count)
			fail_msg("no passage of section %s tells of \"%s\"", passages[i].section, passages[i].words[0]);
	}
}

/* One customer's story: which identifiers payloads have in common, and which they do not. */
#include "json/located.h"
#include "json/pointer.h"
#include "payload/support.h"
#include "test.h"

#include <stdio.h>

#define STORY(its_seed, its_customer, its_serial)                                                                      \
	(struct story)                                                                                                 \
	{                                                                                                              \
		.seed = its_seed, .customer = its_customer, .serial = its_serial                                       \
	}

struct built {
	struct buffer text;
	struct json_doc doc;
};

static void build(struct built *built, struct catalog_kind kind, struct story story)
{
	struct error err;
	struct json_fault fault;
	*built = (struct built){ .text = BUFFER_INIT };
	built->doc = JSON_DOC_INIT;
	assert_int_equal(build_payload(kind, &story, &built->text, &err), 0);
	assert_true(json_read(&built->doc, built->text.data, built->text.length, &fault));
}

static void release(struct built *built)
{
	json_doc_release(&built->doc);
	buffer_release(&built->text);
}

/* The text of a field of the details; "" where the event does not list it. */
static void value_of(const struct built *built, const struct catalog_field *field, char value[128])
{
	char pointer[64];
	snprintf(pointer, sizeof pointer, "/details/%s", field->name);
	uint32_t token = json_resolve(&built->doc, pointer);
	const struct json_token *t = token == JSON_NONE ? NULL : &built->doc.tokens[token];
	snprintf(value, 128, "%.*s", t ? (int)(t->end - t->start) : 0, t ? built->doc.text + t->start : "");
}

static bool is_identifier(const struct catalog_field *field)
{
	return !field->example && field->type != CATALOG_OBJECT;
}

/* Calls check() for each identifier that both events list. */
static void each_shared(struct story a, struct story b,
                        void (*check)(const struct catalog_field *, const char *, const char *))
{
	size_t compared = 0;
	for (size_t k = 0; k < catalog_kind_count(); k++) {
		for (size_t other = 0; other < catalog_kind_count(); other++) {
			struct built one, two;
			build(&one, catalog_kind_at(k), a);
			build(&two, catalog_kind_at(other), b);
			for (size_t f = 0; f < catalog_field_count; f++) {
				char first[128], second[128];
				value_of(&one, catalog_fields[f], first);
				value_of(&two, catalog_fields[f], second);
				if (!is_identifier(catalog_fields[f]) || !first[0] || !second[0])
					continue;
				check(catalog_fields[f], first, second);
				compared++;
			}
			release(&one);
			release(&two);
		}
	}
	assert_true(compared > 1000);
}

static void require_same(const struct catalog_field *field, const char *one, const char *two)
{
	if (strcmp(one, two) != 0)
		fail_msg("%s is %s, and elsewhere in the story %s", field->name, one, two);
}

static void require_own(const struct catalog_field *field, const char *one, const char *two)
{
	if ((strcmp(one, two) == 0) != (field->owner == CATALOG_OF_APPLICATION))
		fail_msg("%s of two customers: %s and %s", field->name, one, two);
}

static void require_counted(const struct catalog_field *field, const char *one, const char *two)
{
	if ((strcmp(one, two) == 0) != (field->owner != CATALOG_OF_EVENT))
		fail_msg("%s of two events: %s and %s", field->name, one, two);
}

static void require_fresh(const struct catalog_field *field, const char *one, const char *two)
{
	if (strcmp(one, two) == 0)
		fail_msg("%s of two runs: %s", field->name, one);
}

TEST(events_of_one_customer_refer_to_each_other)
{
	each_shared(STORY(7, 1, 1), STORY(7, 1, 1), require_same);
}

TEST(customers_share_their_application_only)
{
	each_shared(STORY(7, 1, 1), STORY(7, 2, 2), require_own);
}

TEST(a_repeated_event_has_its_own_identifier)
{
	each_shared(STORY(7, 1, 1), STORY(7, 1, 2), require_counted);
}

TEST(runs_share_nothing)
{
	each_shared(STORY(7, 1, 1), STORY(8, 1, 1), require_fresh);
}

/* What user-created holds of people, a value after the other. */
static void people_of(struct story story, struct buffer *out)
{
	static const char *const pointers[] = { "/details/firstName",      "/details/lastName",
		                                "/details/address/street", "/details/address/city",
		                                "/details/address/state",  "/details/address/zip" };
	struct built built;
	buffer_clear(out);
	build(&built, (struct catalog_kind){ &catalog_events[0], NULL }, story);
	for (size_t i = 0; i < sizeof pointers / sizeof pointers[0]; i++) {
		uint32_t token = json_resolve(&built.doc, pointers[i]);
		assert_int_not_equal(token, JSON_NONE);
		json_string_decode(&built.doc, token, out);
		buffer_append_byte(out, '|');
	}
	release(&built);
}

static size_t split(char *text, const char *parts[8])
{
	size_t count = 0;
	for (char *save, *part = strtok_r(text, "|", &save); part && count < 8; part = strtok_r(NULL, "|", &save))
		parts[count++] = part;
	return count;
}

TEST(people_have_names_and_live_in_real_places)
{
	/* The first digits of the ZIP codes of a state, by the postal service. */
	static const char *const zips[][3] = {
		{ "MA", "010", "027" }, { "CO", "800", "816" }, { "OR", "970", "979" }, { "TX", "750", "799" },
		{ "WA", "980", "994" }, { "IL", "600", "629" }, { "GA", "300", "319" }, { "AZ", "850", "865" },
		{ "MN", "550", "567" }, { "TN", "370", "385" }, { "OH", "430", "459" }, { "NC", "270", "289" },
	};
	LOCAL_BUFFER person = BUFFER_INIT;
	size_t states[sizeof zips / sizeof zips[0]] = { 0 };
	assert_string_equal(catalog_events[0].name, "user-created");
	for (uint64_t customer = 1; customer <= 24; customer++) {
		const char *v[8];
		size_t s = 0;
		people_of(STORY(3, customer, 1), &person);
		assert_int_equal(split(person.data, v), 6);
		for (size_t i = 0; i < 2; i++)
			assert_int_equal(strcspn(v[i], "0123456789<> "), strlen(v[i]));
		assert_true(strspn(v[2], "0123456789") > 0 && v[2][strspn(v[2], "0123456789")] == ' ');
		while (s < sizeof zips / sizeof zips[0] && strcmp(zips[s][0], v[4]) != 0)
			s++;
		if (s == sizeof zips / sizeof zips[0])
			fail_msg("'%s' is not one of the states", v[4]);
		if (strlen(v[5]) != 5 || strncmp(v[5], zips[s][1], 3) < 0 || strncmp(v[5], zips[s][2], 3) > 0)
			fail_msg("%s is not a ZIP code of %s, %s", v[5], v[3], v[4]);
		states[s]++;
	}
	for (size_t s = 0; s < sizeof states / sizeof states[0]; s++)
		assert_int_equal(states[s], 2); /* customers come from each of the places in turn */
}

TEST(a_seed_chooses_the_first_person)
{
	LOCAL_BUFFER one = BUFFER_INIT, other = BUFFER_INIT;
	size_t different = 0;
	for (uint64_t seed = 0; seed < 50; seed++) {
		people_of(STORY(seed, 1, 1), &one);
		people_of(STORY(seed, 1, 7), &other);
		assert_string_equal(one.data, other.data);
		people_of(STORY(seed + 1, 1, 1), &other);
		different += strcmp(one.data, other.data) != 0;
	}
	assert_true(different > 30);
}

TEST(a_mark_ends_what_is_invented)
{
	LOCAL_BUFFER plain = BUFFER_INIT, marked = BUFFER_INIT;
	struct story story = STORY(3, 1, 1);
	const char *p[8], *m[8];
	people_of(story, &plain);
	story.suffix = "abc";
	people_of(story, &marked);
	assert_int_equal(split(plain.data, p), 6);
	assert_int_equal(split(marked.data, m), 6);
	for (size_t i = 0; i < 6; i++) {
		size_t length = strlen(p[i]);
		assert_memory_equal(p[i], m[i], length);
		/* Names get no space for it, which real ones may not have. */
		assert_string_equal(m[i] + length, i < 2 ? "abc" : i < 3 ? " abc" : "");
	}
}

TEST(the_specifications_spelling_is_kept_where_it_is_asked_for)
{
	LOCAL_BUFFER text = BUFFER_INIT;
	struct story story = STORY(3, 1, 1);
	story.as_specified = true;
	people_of(story, &text);
	assert_string_equal(text.data, "<FIRST_NAME>|<LAST_NAME>|<STREET>|<CITY>|<STATE>|<ZIP>|");
}

/* One customer's story: which identifiers payloads have in common, and which they do not. */
#include "json/located.h"
#include "payload/support.h"
#include "test.h"

#include <stdio.h>

struct built {
	struct buffer text;
	struct json_doc doc;
};

static void build(struct built *built, struct catalog_kind kind, struct story story)
{
	struct error err;
	struct json_fault fault;
	*built = (struct built){ .text = BUFFER_INIT };
	json_doc_init(&built->doc);
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
	each_shared((struct story){ 7, 1, 1 }, (struct story){ 7, 1, 1 }, require_same);
}

TEST(customers_share_their_application_only)
{
	each_shared((struct story){ 7, 1, 1 }, (struct story){ 7, 2, 2 }, require_own);
}

TEST(a_repeated_event_has_its_own_identifier)
{
	each_shared((struct story){ 7, 1, 1 }, (struct story){ 7, 1, 2 }, require_counted);
}

TEST(runs_share_nothing)
{
	each_shared((struct story){ 7, 1, 1 }, (struct story){ 8, 1, 1 }, require_fresh);
}

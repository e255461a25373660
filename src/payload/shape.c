#include "payload/shape.h"

#include "base/hash.h"
#include "payload/codes.h"
#include "payload/places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEPT_FORM  ((size_t)64 << 10) /* bytes; more is given back */
#define FILE_END   ".json"
#define HEX_DIGITS "0123456789abcdef"

struct shaper {
	struct places places;
	struct buffer form; /* what is hashed */
	struct buffer value;
	struct evp_md_ctx_st *hash;
};

struct shaper *shaper_new(struct error *err)
{
	struct shaper *s = calloc(1, sizeof *s);
	if (s && (s->hash = hash_sha256_new(err)))
		return s;
	if (!s)
		error_no_memory(err);
	shaper_free(s);
	return NULL;
}

void shaper_free(struct shaper *s)
{
	if (!s)
		return;
	places_release(&s->places);
	buffer_release(&s->form);
	buffer_release(&s->value);
	hash_sha256_free(s->hash);
	free(s);
}

static void append_u32(struct buffer *out, uint32_t number)
{
	unsigned char bytes[4] = { (unsigned char)(number >> 24), (unsigned char)(number >> 16),
		                   (unsigned char)(number >> 8), (unsigned char)number };
	buffer_append(out, bytes, sizeof bytes);
}

static struct text name_of(const struct places *places, const struct place *place)
{
	return (struct text){ places->names.data + place->name, place->name_length };
}

/* By their names; the one without a name is the last. */
static int compare_names(const struct places *places, const struct place *a, const struct place *b)
{
	if (a->is_unnamed || b->is_unnamed)
		return a->is_unnamed - b->is_unnamed;
	return text_compare(name_of(places, a), name_of(places, b));
}

/* The places inside another, in the order of their names. */
static size_t sort_inside(const struct places *places, const struct place *parent,
                          const struct place *sorted[PLACES_NAMES_MAX + 1])
{
	size_t count = 0;
	for (uint32_t next = parent->child; next != PLACE_NONE; next = places->items[next].next) {
		const struct place *place = &places->items[next];
		if (place->types == 0)
			continue;
		size_t at = count++;
		for (; at > 0 && compare_names(places, place, sorted[at - 1]) < 0; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = place;
	}
	return count;
}

/* Its types and findings, then each place inside it with the length of its name, the name and its form. That there is a
 * next one is a byte of its own, so that no two trees have one form. */
static void append_form(const struct places *places, const struct place *place, struct buffer *out) /* NOLINT */
{
	const struct place *inside[PLACES_NAMES_MAX + 1];
	size_t count = sort_inside(places, place, inside);
	buffer_append_byte(out, (char)place->types);
	append_u32(out, place->findings);
	for (size_t i = 0; i < count; i++) {
		buffer_append_byte(out, inside[i]->is_unnamed ? '*' : '.');
		append_u32(out, inside[i]->name_length);
		buffer_append(out, places->names.data + inside[i]->name, inside[i]->name_length);
		append_form(places, inside[i], out);
	}
	buffer_append_byte(out, '\0');
}

/* What belongs to the shape of a value that the catalogue closes: the value, where it is a valid one; of an integer as
 * text the sign. */
static void append_closed(const struct json_doc *doc, uint32_t value, const struct catalog_member *member,
                          struct buffer *out)
{
	const struct catalog_field *field = member->field;
	size_t listed = member->type == CATALOG_CHOICE ? field->value_count : 0;
	for (size_t i = 0; i < listed; i++)
		if (json_string_is(doc, value, field->values[i].name, strlen(field->values[i].name)))
			buffer_append_text(out, field->values[i].name);
	if (member->type == CATALOG_BOOLEAN_TEXT)
		buffer_append_text(out, json_string_is(doc, value, "true", 4)    ? "true"
		                        : json_string_is(doc, value, "false", 5) ? "false"
		                                                                 : "");
	if (member->type == CATALOG_INTEGER_TEXT) {
		size_t from = out->length;
		json_string_decode(doc, value, out);
		char first = out->length > from ? out->data[from] : '\0';
		buffer_consume_end(out, out->length - from);
		buffer_append_byte(out, first == '-' || first == '+' ? first : '0');
	}
	buffer_append_byte(out, '\0');
}

static void append_all_closed(const struct json_doc *doc, uint32_t object, const struct catalog_member *members,
                              size_t count, struct buffer *out) /* NOLINT(misc-no-recursion) */
{
	for (size_t i = 0; i < count; i++) {
		const struct catalog_field *field = members[i].field;
		bool is_closed = members[i].type == CATALOG_CHOICE || members[i].type == CATALOG_BOOLEAN_TEXT ||
		                 members[i].type == CATALOG_INTEGER_TEXT;
		if (!is_closed && field->member_count == 0)
			continue;
		uint32_t value = json_member(doc, object, field->name, field->name_length);
		if (is_closed)
			append_closed(doc, value, &members[i], out);
		else
			append_all_closed(doc, value, field->members, field->member_count, out);
	}
}

static int append_hash(struct shaper *s, unsigned char id[SHAPE_ID_SIZE], struct error *err)
{
	unsigned char whole[HASH_SHA256_SIZE];
	if (s->form.failed)
		return error_no_memory(err);
	if (hash_sha256_of(s->hash, buffer_text(&s->form), s->form.length, whole, err) < 0)
		return -1;
	memcpy(id, whole, SHAPE_ID_SIZE);
	if (s->form.capacity > KEPT_FORM)
		buffer_release(&s->form);
	return 0;
}

static uint32_t details_of(const struct json_doc *doc)
{
	return json_member(doc, 0, "details", strlen("details"));
}

int shape_of(struct shaper *s, const struct verdict *verdict, unsigned char id[SHAPE_ID_SIZE], struct error *err)
{
	const struct catalog_event *event = verdict->kind.event;
	uint32_t others = 0; /* findings of what has no place, since it is not JSON */
	buffer_clear(&s->form);
	places_clear(&s->places);
	if (!places_add(&s->places, verdict))
		return error_no_memory(err);
	for (size_t i = 0; verdict->doc->count == 0 && i < verdict->finding_count; i++)
		others |= UINT32_C(1) << verdict->findings[i].id;
	buffer_append_text(&s->form, event ? KIND_NAME(verdict->kind) : "");
	buffer_append_byte(&s->form, '\0');
	append_u32(&s->form, others);
	if (event)
		append_all_closed(verdict->doc, details_of(verdict->doc), event->details, event->detail_count,
		                  &s->form);
	if (s->places.count > 0)
		append_form(&s->places, &s->places.items[PLACE_ROOT], &s->form);
	return append_hash(s, id, err);
}

bool shape_code(struct shaper *s, const struct verdict *verdict, size_t nth, const struct catalog_field **field,
                struct text *value)
{
	size_t at = 0;
	uint32_t token = code_next(verdict, &at, field);
	while (token != JSON_NONE && nth-- > 0)
		token = code_next(verdict, &at, field);
	*value = json_string_text(verdict->doc, token, &s->value);
	return token != JSON_NONE;
}

int shape_with_code(struct shaper *s, const unsigned char id[SHAPE_ID_SIZE], const struct catalog_field *field,
                    struct text value, unsigned char out[SHAPE_ID_SIZE], struct error *err)
{
	buffer_clear(&s->form);
	buffer_append(&s->form, id, SHAPE_ID_SIZE);
	buffer_append(&s->form, field->name, field->name_length + 1);
	buffer_append(&s->form, value.text, value.length);
	return append_hash(s, out, err);
}

void shape_file_name(struct catalog_kind kind, const unsigned char id[SHAPE_ID_SIZE], size_t digits,
                     char out[SHAPE_FILE_NAME_SIZE])
{
	char stem[CATALOG_KIND_NAME_SIZE], hex[2 * SHAPE_ID_SIZE + 1];
	for (size_t i = 0; i < digits; i++)
		hex[i] = HEX_DIGITS[id[i / 2] >> (i % 2 == 0 ? 4 : 0) & 0xf];
	hex[digits] = '\0';
	snprintf(out, SHAPE_FILE_NAME_SIZE, "%s-%s" FILE_END, catalog_kind_stem(kind, stem), hex);
}

bool shape_is_file_name(const char *name)
{
	size_t length = strlen(name), end = strlen(FILE_END);
	if (length < end || strcmp(name + length - end, FILE_END) != 0)
		return false;
	const char *stem_end = name + length - end, *digits = stem_end;
	while (digits > name && strchr(HEX_DIGITS, digits[-1]))
		digits--;
	size_t count = (size_t)(stem_end - digits);
	return count >= SHAPE_FILE_DIGITS && count <= 2 * SHAPE_ID_SIZE && count % 2 == 0 && digits > name + 1 &&
	       digits[-1] == '-';
}

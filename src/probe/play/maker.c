#include "probe/play/maker.h"

#include "base/clock.h"
#include "base/hash.h"
#include "capture/gzip.h"
#include "deliver/job.h"
#include "http/head.h"
#include "json/splice.h"
#include "payload/variants.h"
#include "probe/play/world.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t salt_of(const struct probe_maker *m, unsigned number)
{
	return hash_fnv1a(HASH_FNV1A, m->check->id, strlen(m->check->id)) + number;
}

static struct catalog_kind kind_of(const struct probe_maker *m)
{
	return m->check->kind.event ? m->check->kind : m->accepted;
}

/* Makes a payload of the kind for the job. What those of the group deliver begin, later checks refer to. */
static int make_kind(struct probe_maker *m, struct catalog_kind kind, unsigned number, struct error *err)
{
	catalog_kind_name(kind, m->job->name);
	return probe_sample(m, kind, salt_of(m, number), m->check->row->expansion == PROBE_KINDS, &m->job->body, err);
}

int make_valid(struct probe_maker *m, struct error *err)
{
	return make_kind(m, kind_of(m), m->number, err);
}

/* Returns part `number` of the row's argument, for all numbers beyond its parts the last one. */
static const char *part_of(const struct probe_maker *m, unsigned number, const char *separator, size_t *length)
{
	const char *part = m->check->row->argument;
	for (; number > 0 && part[strcspn(part, separator)]; number--)
		part += strcspn(part, separator) + 1;
	*length = strcspn(part, separator);
	return part;
}

/* Finds where the defect goes: where the check's own event is not accepted, into another one that has the same
 * place. */
static void find_break(const struct probe_maker *m, struct catalog_kind *kind, struct break_place *place)
{
	const struct probe_check *check = m->check;
	struct break_place places[BREAK_PLACES_MAX];
	*kind = check->kind;
	*place = check->place;
	if (!m->failed[catalog_kind_index(*kind)] || check->depth == PROBE_DEEP)
		return;
	for (size_t k = 0; k < catalog_kind_count(); k++) {
		size_t count = m->failed[k] ? 0 : break_places(catalog_kind_at(k), check->finding, places);
		for (size_t i = 0; i < count; i++) {
			if (strcmp(places[i].pointer, check->place.pointer) != 0)
				continue;
			*kind = catalog_kind_at(k);
			*place = places[i];
			return;
		}
	}
}

int make_broken(struct probe_maker *m, struct error *err)
{
	struct buffer *body = &m->job->body, broken = BUFFER_INIT;
	struct catalog_kind kind;
	struct break_place place;
	find_break(m, &kind, &place);
	if (make_kind(m, kind, m->number, err) < 0)
		return -1;
	int result = break_payload(m->check->finding, &place, buffer_text(body), body->length, &broken, err);
	return probe_replace(body, &broken, result, err);
}

static int make_variant(struct probe_maker *m, size_t index, struct error *err)
{
	struct buffer *body = &m->job->body, changed = BUFFER_INIT;
	struct variant variant;
	struct catalog_kind kind = kind_of(m);
	variant_at(kind, index, &variant);
	if (make_valid(m, err) < 0)
		return -1;
	int result = variant_apply(&variant, buffer_text(body), body->length, &changed, err);
	return probe_replace(body, &changed, result, err);
}

int make_value(struct probe_maker *m, struct error *err)
{
	return make_variant(m, m->check->variant, err);
}

int make_form(struct probe_maker *m, struct error *err)
{
	struct variant variant;
	for (size_t i = 0; i < variant_count(kind_of(m)); i++) {
		variant_at(kind_of(m), i, &variant);
		if (strcmp(variant.name, m->check->row->argument) == 0)
			return make_variant(m, i, err);
	}
	return error_set(err, EXIT_CODE_INTERNAL, "no variant is called '%s'", m->check->row->argument);
}

/* Whether a check of another value of the event's field has failed. */
static bool has_refused_value(const struct probe_maker *m, struct catalog_kind kind,
                              const struct catalog_member *member)
{
	for (size_t i = 0; m->plan && i < m->plan->count; i++) {
		const struct probe_check *check = &m->plan->checks[i];
		struct variant variant;
		if (check->row->expansion != PROBE_VALUES || check->kind.event != kind.event ||
		    !probe_has_failed(check))
			continue;
		variant_at(check->kind, check->variant, &variant);
		if (variant.member->field == member->field)
			return true;
	}
	return false;
}

/* Makes a payload of the first event that is accepted, with other values of the field too, and has the first of the
 * fields ("alertId|monitorId") in its details, or else another of them, and appends the field's name. -1 with
 * EXIT_CODE_USAGE: there is none. */
static int make_with(struct probe_maker *m, const char *fields, size_t length, struct buffer *name, struct error *err)
{
	for (const char *field = fields, *end = fields + length; field < end; field++) {
		size_t size = strcspn(field, "|/=");
		for (size_t k = 0; k < catalog_kind_count(); k++) {
			const struct catalog_event *event = catalog_kind_at(k).event;
			const struct catalog_member *member =
			        catalog_member_named(event->details, event->detail_count, field, size);
			if (m->failed[k] || !member || has_refused_value(m, catalog_kind_at(k), member))
				continue;
			buffer_append(name, field, size);
			return make_kind(m, catalog_kind_at(k), m->number, err);
		}
		field += size;
	}
	return error_set(err, EXIT_CODE_USAGE, "another check failed over this event or field");
}

int probe_read_own(struct json_doc *doc, const struct buffer *payload, struct error *err)
{
	struct json_fault fault;
	if (json_read(doc, buffer_text(payload), payload->length, &fault))
		return 0;
	return json_fault_is_memory(&fault) ? error_no_memory(err)
	                                    : error_set(err, EXIT_CODE_INTERNAL, "a payload of our own is not JSON");
}

/* Puts the bytes in the place of a text that occurs nowhere else, since they may not be JSON. */
int make_put(struct probe_maker *m, struct error *err)
{
	static const char details[] = "/details/", held[] = "\"@held@\"";
	size_t length, prefix = strlen(details);
	const char *part = part_of(m, m->number, "\n", &length), *equals = memchr(part, '=', length);
	size_t pointer_length = (size_t)(equals - part), fields = prefix + strcspn(part + prefix, "/=");
	struct buffer *body = &m->job->body, out = BUFFER_INIT;
	LOCAL_BUFFER pointer = BUFFER_INIT;
	if (memchr(part, '|', pointer_length)) {
		buffer_append_text(&pointer, details);
		if (make_with(m, part + prefix, fields - prefix, &pointer, err) < 0)
			return -1;
		buffer_append(&pointer, part + fields, pointer_length - fields);
	} else {
		buffer_append(&pointer, part, pointer_length);
		if (make_valid(m, err) < 0)
			return -1;
	}
	if (json_splice_text(body, buffer_text(&pointer), held, err) < 0)
		return -1;
	const char *at = strstr(buffer_text(body), held), *value = equals + 1, *end = part + length;
	const char *star = memchr(value, '*', (size_t)(end - value)); /* "[]*1000": each character repeated */
	buffer_append(&out, body->data, (size_t)(at - body->data));
	if (!star)
		buffer_append(&out, value, (size_t)(end - value));
	for (const char *c = value; star && c < star; c++)
		buffer_append_repeat(&out, *c, strtoul(star + 1, NULL, 10));
	buffer_append_text(&out, at + sizeof held - 1);
	return probe_replace(body, &out, 0, err);
}

int make_detached(struct probe_maker *m, struct error *err)
{
	const char *customer = m->session.values[PROBE_CUSTOMER];
	LOCAL_BUFFER details = BUFFER_INIT;
	if (m->number == 0)
		buffer_printf(&details, "\"%s\"", customer);
	else if (m->number == 1)
		buffer_printf(&details, "[\"%s\"]", customer);
	else
		buffer_append_number(&details, strtoull(strrchr(customer, '-') + 1, NULL, 16));
	if (make_valid(m, err) < 0)
		return -1;
	return details.failed ? error_no_memory(err)
	                      : json_splice_text(&m->job->body, "/details", buffer_text(&details), err);
}

int make_text(struct probe_maker *m, struct error *err)
{
	buffer_append_text(&m->job->body, m->check->row->argument);
	return m->job->body.failed ? error_no_memory(err) : 0;
}

/* Puts text before and behind the first bytes of a payload. */
static int make_around(struct probe_maker *m, const char *before, size_t length, const char *behind, struct error *err)
{
	struct buffer out = BUFFER_INIT;
	buffer_append_text(&out, before);
	buffer_append(&out, m->job->body.data, length);
	buffer_append_text(&out, behind);
	return probe_replace(&m->job->body, &out, 0, err);
}

int make_bom(struct probe_maker *m, struct error *err)
{
	return make_valid(m, err) < 0 ? -1 : make_around(m, "\xEF\xBB\xBF", m->job->body.length, "", err);
}

int make_truncated(struct probe_maker *m, struct error *err)
{
	return make_valid(m, err) < 0 ? -1 : make_around(m, "", m->job->body.length / 2, "", err);
}

int make_trailing_comma(struct probe_maker *m, struct error *err)
{
	return make_valid(m, err) < 0 ? -1 : make_around(m, "", m->job->body.length - 1, ",}", err);
}

int make_two_documents(struct probe_maker *m, struct error *err)
{
	LOCAL_BUFFER first = BUFFER_FOR(&m->job->body);
	if (make_valid(m, err) < 0)
		return -1;
	buffer_printf(&first, "%s\n", buffer_text(&m->job->body));
	return make_around(m, buffer_text(&first), m->job->body.length, "", err);
}

int make_single_quotes(struct probe_maker *m, struct error *err)
{
	if (make_valid(m, err) < 0)
		return -1;
	for (size_t i = 0; i < m->job->body.length; i++)
		if (m->job->body.data[i] == '"')
			m->job->body.data[i] = '\'';
	return 0;
}

/* The identifiers are what begins with the run's id. */
int make_upper_case(struct probe_maker *m, struct error *err)
{
	if (make_valid(m, err) < 0)
		return -1;
	for (char *at = m->job->body.data; at && (at = strstr(at, m->run_id)) != NULL; at++)
		for (char *c = at; isxdigit((unsigned char)*c) || *c == '-'; c++)
			*c = (char)toupper((unsigned char)*c);
	return 0;
}

int make_large(struct probe_maker *m, struct error *err)
{
	static const char fields[] = "scoreModifiers|alertDetails";
	LOCAL_BUFFER members = BUFFER_INIT, pointer = BUFFER_INIT;
	size_t size = strtoul(m->check->row->argument, NULL, 10);
	buffer_append_text(&pointer, "/details/");
	if (make_with(m, fields, strlen(fields), &pointer, err) < 0)
		return -1;
	buffer_append_byte(&members, '{');
	for (unsigned i = 0; m->job->body.length + members.length < size && !members.failed; i++)
		buffer_printf(&members, "%s\"sampleModifier%u\":%u", i > 0 ? "," : "", i, i % 100);
	buffer_append_byte(&members, '}');
	return members.failed ? error_no_memory(err)
	                      : json_splice_text(&m->job->body, buffer_text(&pointer), members.data, err);
}

int make_padded(struct probe_maker *m, struct error *err)
{
	struct buffer *body = &m->job->body, padded = BUFFER_INIT;
	size_t size = strtoul(m->check->row->argument, NULL, 10);
	if (make_valid(m, err) < 0)
		return -1;
	buffer_append(&padded, body->data, 1);
	buffer_append_repeat(&padded, ' ', size - body->length);
	buffer_append(&padded, body->data + 1, body->length - 1);
	return probe_replace(body, &padded, 0, err);
}

int make_gzip(struct probe_maker *m, struct error *err)
{
	struct buffer *body = &m->job->body, packed = BUFFER_INIT;
	if (make_valid(m, err) < 0)
		return -1;
	if (!job_add_header(m->job, text_of("Content-Encoding"), text_of("gzip")))
		return error_no_memory(err);
	struct gzip *gzip = gzip_new(err);
	int result = gzip ? gzip_append(gzip, buffer_text(body), body->length, true, &packed, err) : -1;
	gzip_free(gzip);
	return probe_replace(body, &packed, result, err);
}

int make_long_head(struct probe_maker *m, struct error *err)
{
	struct buffer *value = &m->job->bytes;
	buffer_append_repeat(value, 'x', strtoul(m->check->row->argument, NULL, 10));
	bool added = job_add_header(m->job, text_of("X-Padding"), (struct text){ value->data, value->length });
	return added && !value->failed ? make_valid(m, err) : error_no_memory(err);
}

int make_repeat(struct probe_maker *m, struct error *err)
{
	const char *pause = m->check->row->argument;
	if (pause && m->number > 0)
		m->job->due_ns = world_now(m->world) + strtol(pause, NULL, 10) * CLOCK_NS_PER_S;
	return make_kind(m, kind_of(m), 0, err);
}

struct catalog_kind probe_named_kind(const struct probe_maker *m, unsigned number)
{
	size_t length;
	const char *part = part_of(m, number, ",", &length);
	char name[CATALOG_KIND_NAME_SIZE];
	struct catalog_kind kind = { NULL, NULL };
	snprintf(name, sizeof name, "%.*s", (int)length, part);
	catalog_find_kind(name, &kind, NULL);
	return kind;
}

/* Makes all requests of the check for one customer whom no other has. Only user-created begins that customer, so the
 * later events name one whom an earlier event has not begun yet. */
int make_order(struct probe_maker *m, struct error *err)
{
	struct probe_session run = m->session;
	probe_session_init(m, salt_of(m, 0));
	int result = make_kind(m, probe_named_kind(m, m->number), m->number, err);
	m->session = run;
	return result;
}

int make_empty(struct probe_maker *m, struct error *err)
{
	(void)err;
	m->job->exchange.request.method = text_of(m->check->row->argument);
	return 0;
}

int make_method(struct probe_maker *m, struct error *err)
{
	return make_empty(m, err) < 0 ? -1 : make_valid(m, err);
}

int make_trace(struct probe_maker *m, struct error *err)
{
	bool added = job_add_header(m->job, text_of("X-Mark"), text_of(m->run_id));
	return added ? make_empty(m, err) : error_no_memory(err);
}

/* Makes a valid payload for another path: the first bytes of the URL, `path`, and the query. */
static int make_target(struct probe_maker *m, size_t kept, const char *path, struct error *err)
{
	struct buffer *target = &m->job->bytes;
	buffer_append(target, m->url, kept);
	buffer_append_text(target, path);
	buffer_append_text(target, m->url + strcspn(m->url, "?#"));
	m->job->exchange.request.target = (struct text){ target->data, target->length };
	return target->failed ? error_no_memory(err) : make_valid(m, err);
}

int make_other_path(struct probe_maker *m, struct error *err)
{
	size_t origin = (size_t)(http_target_path(m->url) - m->url);
	if (strcspn(m->url, "?#") <= origin + 1)
		return error_set(err, EXIT_CODE_USAGE, "the destination is the root path");
	return make_target(m, origin, "/credhook-no-such-path", err);
}

int make_slash_path(struct probe_maker *m, struct error *err)
{
	return make_target(m, strcspn(m->url, "?#"), "/", err);
}

int make_type(struct probe_maker *m, struct error *err)
{
	struct text type = text_of(m->check->row->argument);
	return job_add_header(m->job, text_of("Content-Type"), type) ? make_valid(m, err) : error_no_memory(err);
}

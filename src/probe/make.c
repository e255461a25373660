#include "probe/make.h"

#include "base/clock.h"
#include "base/hash.h"
#include "deliver/job.h"
#include "payload/variants.h"
#include "probe/plan.h"
#include "probe/sample.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define GZIP_WINDOW (15 + 16) /* the largest, in the form of gzip */

static uint64_t salt_of(const struct probe_check *check, unsigned number)
{
	return hash_fnv1a(HASH_FNV1A, check->id, strlen(check->id)) + number;
}

static struct catalog_kind kind_of(const struct probe_maker *maker, const struct probe_check *check)
{
	return check->kind.event ? check->kind : maker->accepted;
}

static int make_kind(struct probe_maker *maker, struct catalog_kind kind, uint64_t salt, struct job *job,
                     struct error *err)
{
	catalog_kind_name(kind, job->name);
	return probe_sample(maker, kind, salt, &maker->world, false, &job->body, err);
}

static int make_sample(struct probe_maker *maker, const struct probe_check *check, unsigned number, struct job *job,
                       struct error *err)
{
	return make_kind(maker, kind_of(maker, check), salt_of(check, number), job, err);
}

/* The events of the group deliver are what the listener knows. */
int make_valid(struct probe_maker *maker, const struct probe_check *check, unsigned number, struct job *job,
               struct error *err)
{
	bool begin = check->row->expansion == PROBE_KINDS;
	struct catalog_kind kind = kind_of(maker, check);
	catalog_kind_name(kind, job->name);
	return probe_sample(maker, kind, salt_of(check, number), &maker->world, begin, &job->body, err);
}

static void swap_body(struct job *job, struct buffer *other)
{
	struct buffer swap = job->body;
	job->body = *other;
	*other = swap;
}

/* Where the check's own event is not accepted, its defect goes into another one that has the same place. */
static void find_break(const struct probe_maker *maker, const struct probe_check *check, struct catalog_kind *kind,
                       struct break_place *place)
{
	struct break_place places[BREAK_PLACES_MAX];
	*kind = check->kind;
	*place = check->place;
	if (!maker->failed[catalog_kind_index(*kind)] || check->depth == PROBE_DEEP)
		return;
	for (size_t k = 0; k < catalog_kind_count(); k++) {
		size_t count = maker->failed[k] ? 0 : break_places(catalog_kind_at(k), check->finding, places);
		for (size_t i = 0; i < count; i++) {
			if (strcmp(places[i].pointer, check->place.pointer) != 0)
				continue;
			*kind = catalog_kind_at(k);
			*place = places[i];
			return;
		}
	}
}

int make_broken(struct probe_maker *maker, const struct probe_check *check, unsigned number, struct job *job,
                struct error *err)
{
	struct buffer broken = BUFFER_INIT;
	struct catalog_kind kind;
	struct break_place place;
	find_break(maker, check, &kind, &place);
	int result = make_kind(maker, kind, salt_of(check, number), job, err);
	if (result == 0)
		result = break_payload(check->finding, &place, buffer_text(&job->body), job->body.length, &broken, err);
	if (result == 0)
		swap_body(job, &broken);
	buffer_release(&broken);
	return result;
}

int probe_make_with(struct probe_maker *maker, const struct probe_check *check, unsigned number,
                    const char *const fields[2], struct job *job, const char **field, struct error *err)
{
	for (size_t f = 0; f < 2; f++) {
		for (size_t k = 0; k < catalog_kind_count(); k++) {
			const struct catalog_event *event = catalog_kind_at(k).event;
			*field = fields[f];
			if (!maker->failed[k] &&
			    catalog_member_named(event->details, event->detail_count, *field, strlen(*field)))
				return make_kind(maker, catalog_kind_at(k), salt_of(check, number), job, err);
		}
	}
	return error_set(err, EXIT_CODE_USAGE, "the event is not accepted");
}

static int make_variant(struct probe_maker *maker, const struct probe_check *check, size_t index, struct job *job,
                        struct error *err)
{
	struct buffer changed = BUFFER_INIT;
	struct variant variant;
	struct catalog_kind kind = kind_of(maker, check);
	int result = make_sample(maker, check, 0, job, err);
	variant_at(kind, index, &variant);
	if (result == 0)
		result = variant_apply(&variant, kind, buffer_text(&job->body), job->body.length, &changed, err);
	if (result == 0)
		swap_body(job, &changed);
	buffer_release(&changed);
	return result;
}

int make_value(struct probe_maker *maker, const struct probe_check *check, unsigned number, struct job *job,
               struct error *err)
{
	(void)number;
	return make_variant(maker, check, check->variant, job, err);
}

int make_form(struct probe_maker *maker, const struct probe_check *check, unsigned number, struct job *job,
              struct error *err)
{
	struct catalog_kind kind = kind_of(maker, check);
	struct variant variant;
	(void)number;
	for (size_t i = 0; i < variant_count(kind); i++) {
		variant_at(kind, i, &variant);
		if (strcmp(variant.name, check->row->name) == 0)
			return make_variant(maker, check, i, job, err);
	}
	return error_set(err, EXIT_CODE_INTERNAL, "no variant is called '%s'", check->row->name);
}

int make_utf8(struct probe_maker *maker, const struct probe_check *check, unsigned number, struct job *job,
              struct error *err)
{
	if (make_sample(maker, check, number, job, err) < 0)
		return -1;
	return probe_put(&job->body, "/details/firstName", "\"S\u00e1mple \u6837\u672c\"", err);
}

int make_members(struct probe_maker *maker, const struct probe_check *check, unsigned number, struct job *job,
                 struct error *err)
{
	static const char *const objects[] = { "alertDetails", "scoreModifiers" };
	const char *field;
	char pointer[64];
	if (probe_make_with(maker, check, number, objects, job, &field, err) < 0)
		return -1;
	snprintf(pointer, sizeof pointer, "/details/%s/sampleMember", field);
	if (probe_put(&job->body, pointer, "\"sample\"", err) < 0)
		return -1;
	snprintf(pointer, sizeof pointer, "/details/%s/sampleObject", field);
	return probe_put(&job->body, pointer, "{\"sample\":1,\"list\":[1,2]}", err);
}

int make_unknown_key(struct probe_maker *maker, const struct probe_check *check, unsigned number, struct job *job,
                     struct error *err)
{
	if (make_sample(maker, check, number, job, err) < 0)
		return -1;
	return probe_put(&job->body, number == 0 ? "/sampleKey" : "/details/sampleKey", "\"sample\"", err);
}

static int make_named(struct probe_maker *maker, const char *event, uint64_t salt, struct job *job, struct error *err)
{
	struct catalog_kind kind;
	const char *nearest;
	if (catalog_find_kind(event, &kind, &nearest) != CATALOG_FOUND)
		return error_set(err, EXIT_CODE_INTERNAL, "a check has the unknown event '%s'", event);
	return make_kind(maker, kind, salt, job, err);
}

int make_big_integer(struct probe_maker *maker, const struct probe_check *check, unsigned number, struct job *job,
                     struct error *err)
{
	static const char *const integers[] = { "2147483648",          "9007199254740993",
		                                "9223372036854775808", "1000000000000000000000000000000",
		                                "2147483649",          "9007199254740995",
		                                "9223372036854775809", "1000000000000000000000000000001" };
	static const char *const fields[] = { "alertId", "monitorId", "alertId" };
	const char *field;
	char pointer[64];
	if (probe_make_with(maker, check, number, fields + (number < 4 ? 0 : 1), job, &field, err) < 0)
		return -1;
	snprintf(pointer, sizeof pointer, "/details/%s", field);
	return probe_put(&job->body, pointer, integers[number % 8], err);
}

/* The identifiers are what begins with the mark. */
int make_upper_case(struct probe_maker *maker, const struct probe_check *check, unsigned number, struct job *job,
                    struct error *err)
{
	if (make_sample(maker, check, number, job, err) < 0)
		return -1;
	for (char *at = job->body.data; at && (at = strstr(at, maker->mark)) != NULL; at++)
		for (char *c = at; isxdigit((unsigned char)*c) || *c == '-'; c++)
			*c = (char)toupper((unsigned char)*c);
	return 0;
}

int make_json_type(struct probe_maker *maker, const struct probe_check *check, unsigned number, struct job *job,
                   struct error *err)
{
	buffer_append_text(&job->content_type, number == 0 ? "application/json; charset=utf-8" : "APPLICATION/JSON");
	return make_sample(maker, check, number, job, err);
}

int make_large(struct probe_maker *maker, const struct probe_check *check, unsigned number, struct job *job,
               struct error *err)
{
	static const char *const objects[] = { "scoreModifiers", "alertDetails" };
	struct buffer members = BUFFER_INIT;
	size_t size = strtoul(check->row->argument, NULL, 10);
	const char *field;
	char pointer[64];
	int result = probe_make_with(maker, check, number, objects, job, &field, err);
	snprintf(pointer, sizeof pointer, "/details/%s", field);
	buffer_append_byte(&members, '{');
	for (unsigned i = 0; job->body.length + members.length < size && !members.failed; i++)
		buffer_printf(&members, "%s\"sampleModifier%u\":%u", i > 0 ? "," : "", i, i % 100);
	buffer_append_byte(&members, '}');
	if (result == 0)
		result = members.failed ? error_no_memory(err) : probe_put(&job->body, pointer, members.data, err);
	buffer_release(&members);
	return result;
}

int make_gzip(struct probe_maker *maker, const struct probe_check *check, unsigned number, struct job *job,
              struct error *err)
{
	struct buffer packed = BUFFER_INIT;
	z_stream stream = { .next_in = NULL };
	int result = make_sample(maker, check, number, job, err);
	if (result == 0 && !job_add_header(job, "Content-Encoding", 16, "gzip", 4))
		result = error_no_memory(err);
	if (result == 0 &&
	    deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		result = error_no_memory(err);
	if (result == 0 && buffer_reserve(&packed, deflateBound(&stream, job->body.length))) {
		stream.next_in = (unsigned char *)job->body.data;
		stream.avail_in = (unsigned)job->body.length;
		stream.next_out = (unsigned char *)packed.data;
		stream.avail_out = (unsigned)packed.capacity;
		deflate(&stream, Z_FINISH);
		packed.length = stream.total_out;
		swap_body(job, &packed);
	}
	deflateEnd(&stream);
	buffer_release(&packed);
	return result;
}

int make_long_head(struct probe_maker *maker, const struct probe_check *check, unsigned number, struct job *job,
                   struct error *err)
{
	struct buffer value = BUFFER_INIT;
	buffer_append_repeat(&value, 'x', strtoul(check->row->argument, NULL, 10));
	bool added = job_add_header(job, "X-Padding", strlen("X-Padding"), buffer_text(&value), value.length);
	buffer_release(&value);
	return added ? make_sample(maker, check, number, job, err) : error_no_memory(err);
}

int make_repeat(struct probe_maker *maker, const struct probe_check *check, unsigned number, struct job *job,
                struct error *err)
{
	if (check->row->argument && number > 0)
		job->due_ns = clock_monotonic_ns() + strtol(check->row->argument, NULL, 10) * CLOCK_NS_PER_S;
	return make_sample(maker, check, 0, job, err);
}

/* What a listener stores for itself: a customer, an element, a report, an alert. */
struct catalog_kind probe_watched_kind(unsigned number)
{
	static const char *const names[PROBE_WATCHED_EVENTS] = { "bureau-alert", "user-created",
		                                                 "monitored-element-added/email",
		                                                 "credit-report-ordered" };
	struct catalog_kind kind = { NULL, NULL };
	const char *nearest;
	catalog_find_kind(names[number / PROBE_WATCHED_REQUESTS % PROBE_WATCHED_EVENTS], &kind, &nearest);
	return kind;
}

int make_once(struct probe_maker *maker, const struct probe_check *check, unsigned number, struct job *job,
              struct error *err)
{
	unsigned first = number - number % PROBE_WATCHED_REQUESTS;
	return make_kind(maker, probe_watched_kind(number), salt_of(check, first + (number > first)), job, err);
}

int make_none(struct probe_maker *maker, const struct probe_check *check, unsigned number, struct job *job,
              struct error *err)
{
	static const char *const details[] = { "null", "[]", "7" };
	if (make_sample(maker, check, number, job, err) < 0)
		return -1;
	return probe_put(&job->body, "/details", details[number % 3], err);
}

/* The customer's identifiers are the same for all requests of the check, and what it begins is begun by user-created
 * alone: the later events name what an earlier one has not begun yet. */
int make_order(struct probe_maker *maker, const struct probe_check *check, unsigned number, struct job *job,
               struct error *err)
{
	const char *name = check->row->argument;
	struct probe_world world, run = maker->world;
	for (unsigned i = 1; i < number; i++)
		name += strcspn(name, ",") + 1;
	char event[CATALOG_KIND_NAME_SIZE] = "user-created";
	if (number > 0) {
		size_t length = strcspn(name, ",");
		memcpy(event, name, length);
		event[length] = '\0';
	}
	probe_world_init(&world, maker, salt_of(check, 0));
	maker->world = world;
	int result = make_named(maker, event, salt_of(check, number), job, err);
	maker->world = run;
	return result;
}

int make_unknown_customer(struct probe_maker *maker, const struct probe_check *check, unsigned number, struct job *job,
                          struct error *err)
{
	return make_order(maker, check, number + 1, job, err);
}

int make_text(struct probe_maker *maker, const struct probe_check *check, unsigned number, struct job *job,
              struct error *err)
{
	(void)maker;
	(void)number;
	buffer_append_text(&job->body, check->row->argument);
	return job->body.failed ? error_no_memory(err) : 0;
}

int make_null_details(struct probe_maker *maker, const struct probe_check *check, unsigned number, struct job *job,
                      struct error *err)
{
	if (make_sample(maker, check, number, job, err) < 0)
		return -1;
	return probe_put(&job->body, "/details", "null", err);
}

/* GET and OPTIONS have no body; TRACE must not have one, and shows whether headers are echoed. */
int make_method(struct probe_maker *maker, const struct probe_check *check, unsigned number, struct job *job,
                struct error *err)
{
	const char *method = check->row->argument;
	bool has_body = method[0] == 'P' || method[0] == 'D';
	job->delivery.method = method;
	if (strcmp(method, "TRACE") == 0 && !job_add_header(job, "X-Mark", 6, maker->mark, strlen(maker->mark)))
		return error_no_memory(err);
	return has_body ? make_sample(maker, check, number, job, err) : 0;
}

int make_path(struct probe_maker *maker, const struct probe_check *check, unsigned number, struct job *job,
              struct error *err)
{
	const char *url = maker->url, *host = strstr(url, "://");
	size_t origin = host ? (size_t)(host + 3 - url) + strcspn(host + 3, "/?#") : strlen(url);
	size_t path = strcspn(url + origin, "?#");
	bool other = strcmp(check->row->argument, "other") == 0;
	if (other && path <= 1)
		return error_set(err, EXIT_CODE_USAGE, "the destination is the root path");
	buffer_append(&job->url, url, origin + (other ? 0 : path));
	buffer_append_text(&job->url, other ? "/credhook-no-such-path" : "/");
	buffer_append_text(&job->url, url + origin + path);
	return make_sample(maker, check, number, job, err);
}

int make_type(struct probe_maker *maker, const struct probe_check *check, unsigned number, struct job *job,
              struct error *err)
{
	buffer_append_text(&job->content_type, check->row->argument);
	return make_sample(maker, check, number, job, err);
}

/* effect/differs: listeners that keep two values of a field as one, and right ones that look like them. Each is a
 * function that makes the row of a notification. */
#include "base/hash.h"
#include "keeper_run.h"
#include "sanitizers.h"
#include "test.h"

#include <stdlib.h>

/* The fields of a notification, as text; empty: it has none. */
struct fields {
	char client[BODY_SIZE], report[BODY_SIZE], alert[BODY_SIZE], change[BODY_SIZE], zip[BODY_SIZE], name[BODY_SIZE];
	char off_cycle[BODY_SIZE], dispute[BODY_SIZE], service[BODY_SIZE], method[BODY_SIZE];
};

static void read_fields(const char *body, struct fields *f)
{
	value_of(body, "clientKey", f->client);
	value_of(body, "reportKey", f->report);
	value_of(body, "alertId", f->alert);
	value_of(body, "change", f->change);
	value_of(body, "zip", f->zip);
	value_of(body, "firstName", f->name);
	value_of(body, "offCycle", f->off_cycle);
	value_of(body, "disputeStatus", f->dispute);
	value_of(body, "service", f->service);
	value_of(body, "method", f->method);
}

/* The notification as a line of its fields. */
static void row_of(const struct fields *f, char row[BODY_SIZE])
{
	snprintf(row, BODY_SIZE, "%.12s|%.8s|%.40s|%.40s|%.20s|%.20s|%.20s|%.20s|%.8s|%.12s", f->service, f->method,
	         f->client, f->report, f->alert, f->change, f->zip, f->name, f->off_cycle, f->dispute);
}

static bool is_valid(const struct visit *v)
{
	return strstr(v->body, "\"details\":{") != NULL;
}

struct row {
	struct keeper_kind kind;
	void (*change)(struct fields *f); /* what it makes of the fields that it keeps; NULL: nothing */
	const char *fails, *words;        /* what has to be found, and what is said of it; of others nothing is */
};

/* Keeps the line of its fields, changed as its row has it. */
static int keep_fields(struct keeper *k, struct visit *v)
{
	const struct row *its = (const struct row *)k->kind;
	struct fields f;
	char row[BODY_SIZE];
	if (!is_valid(v))
		return 400;
	read_fields(v->body, &f);
	if (its->change)
		its->change(&f);
	row_of(&f, row);
	if (!find(k, row))
		add(k, row, 0, true);
	return 200;
}

/* Wrong ones. */

static void parse_zip(struct fields *f)
{
	if (f->zip[0])
		snprintf(f->zip, sizeof f->zip, "%ld", strtol(f->zip, NULL, 10));
}

static int refuse_short_zips(struct keeper *k, struct visit *v)
{
	struct fields f;
	read_fields(v->body, &f);
	return f.zip[0] && strlen(f.zip) != 5 ? 422 : keep_fields(k, v);
}

static void make_absolute(struct fields *f)
{
	if (f->change[0])
		snprintf(f->change, sizeof f->change, "%ld", labs(strtol(f->change, NULL, 10)));
}

static void make_double(struct fields *f)
{
	if (f->alert[0])
		snprintf(f->alert, sizeof f->alert, "%.0f", strtod(f->alert, NULL));
}

/* As SQLite prints them. */
static void make_real(struct fields *f)
{
	if (f->alert[0])
		snprintf(f->alert, sizeof f->alert, strlen(f->alert) > 15 ? "%.15g" : "%.0f", strtod(f->alert, NULL));
}

static void drop_accents(struct fields *f)
{
	char *out = f->name;
	for (const char *c = f->name; *c; c++)
		if ((unsigned char)*c < 0x80)
			*out++ = *c;
		else if ((unsigned char)*c >= 0xC0)
			*out++ = 'e';
	*out = '\0';
}

static void take_for_true(struct fields *f)
{
	if (f->off_cycle[0])
		snprintf(f->off_cycle, sizeof f->off_cycle, "true");
}

/* The hash of a body beside the fields tells repeats apart, and not what the body was. */
static int keep_numbers_and_digest(struct keeper *k, struct visit *v)
{
	struct fields f;
	char row[BODY_SIZE];
	if (!is_valid(v))
		return 400;
	read_fields(v->body, &f);
	parse_zip(&f);
	make_absolute(&f);
	uint64_t hash = hash_fnv1a(HASH_FNV1A, v->body, strlen(v->body));
	int used = snprintf(row, sizeof row, "%.12s|%.40s|%.20s|%.20s|%.8s|%.12s|", f.service, f.client, f.zip,
	                    f.change, f.off_cycle, f.dispute);
	snprintf(row + used, sizeof row - (size_t)used, "%016llx%016llx%016llx%016llx", (unsigned long long)hash,
	         (unsigned long long)(hash * 3), (unsigned long long)(hash * 5), (unsigned long long)(hash * 7));
	if (!find(k, row))
		add(k, row, 0, true);
	return 200;
}

/* Right ones. */

static int keep_bodies(struct keeper *k, struct visit *v)
{
	if (!is_valid(v))
		return 400;
	return keep(k, v);
}

/* With what differs from row to row: times, another identifier, how long it took. */
static void show_timed(struct keeper *k, struct buffer *out)
{
	for (size_t i = 0; i < k->count; i++)
		buffer_printf(out, "%zu|2023-11-14 22:%02zu:%02zu.%03zu|%08zx-0000-4000-8000-000000000000|%s|%zu ms\n",
		              i + 1, i / 60 % 60, i % 60, i * 37 % 1000, i * 7919, k->kept[i].body, i * i % 7);
}

static void format_change(struct fields *f)
{
	if (f->change[0])
		snprintf(f->change, sizeof f->change, "%+.2f", strtod(f->change, NULL));
}

static void say_direction(struct fields *f)
{
	long change = strtol(f->change, NULL, 10);
	if (f->change[0])
		snprintf(f->change, sizeof f->change, "%s %ld", change < 0 ? "down" : "up", labs(change));
}

static void use_parentheses(struct fields *f)
{
	long change = strtol(f->change, NULL, 10);
	if (f->change[0])
		snprintf(f->change, sizeof f->change, change < 0 ? "(%ld)" : "%ld", labs(change));
}

static void pad_zip(struct fields *f)
{
	if (f->zip[0])
		snprintf(f->zip, sizeof f->zip, "%05ld", strtol(f->zip, NULL, 10));
}

/* As ASCII, in which each character has a spelling of its own. */
static void escape_name(struct fields *f)
{
	char escaped[BODY_SIZE];
	size_t length = 0;
	for (const char *c = f->name; *c && length < 100; c++)
		length += (size_t)snprintf(escaped + length, 8, (unsigned char)*c < 0x80 ? "%c" : "\\x%02x",
		                           (unsigned char)*c);
	escaped[length] = '\0';
	snprintf(f->name, sizeof f->name, "%.100s", escaped);
}

/* The customer's zip as a number, for a statistic, and the address as it came, whose row does not name them. */
static int keep_addresses(struct keeper *k, struct visit *v)
{
	struct fields f;
	char line[BODY_SIZE];
	if (!is_valid(v))
		return 400;
	read_fields(v->body, &f);
	snprintf(line, sizeof line, "address %zu: %.20s", k->count, f.zip);
	int status = keep_fields(k, v);
	if (f.zip[0])
		add(k, line, 0, true);
	return status;
}

/* The numbers of the row, and the whole body as nobody reads it. */
static int keep_encrypted(struct keeper *k, struct visit *v)
{
	struct fields f;
	char row[BODY_SIZE];
	if (!is_valid(v))
		return 400;
	read_fields(v->body, &f);
	parse_zip(&f);
	make_absolute(&f);
	size_t length =
	        (size_t)snprintf(row, sizeof row, "%.12s|%.40s|%.20s|%.20s|", f.service, f.client, f.zip, f.change);
	uint64_t state = hash_fnv1a(HASH_FNV1A, v->body, strlen(v->body));
	for (int i = 0; i < 300; i++, state = hash_fnv1a(state, "x", 1))
		row[length++] = (char)('a' + state / 7 % 26);
	row[length] = '\0';
	if (!find(k, row))
		add(k, row, 0, true);
	return 200;
}

static int keep_digests(struct keeper *k, struct visit *v)
{
	struct fields f;
	char row[BODY_SIZE];
	if (!is_valid(v))
		return 400;
	read_fields(v->body, &f);
	uint64_t hash = hash_fnv1a(HASH_FNV1A, v->body, strlen(v->body));
	snprintf(row, sizeof row, "%.40s|%016llx", f.client, (unsigned long long)hash);
	if (!find(k, row))
		add(k, row, 0, true);
	return 200;
}

/* Who it is about, and nothing else. */
static int keep_customers(struct keeper *k, struct visit *v)
{
	struct fields f;
	char row[BODY_SIZE];
	if (!is_valid(v))
		return 400;
	read_fields(v->body, &f);
	snprintf(row, sizeof row, "%.12s|%.8s|%.40s|%.40s", f.service, f.method, f.client, f.report);
	if (!find(k, row))
		add(k, row, 0, true);
	return 200;
}

/* One row a customer, with the last notification. */
static int keep_last(struct keeper *k, struct visit *v)
{
	struct fields f;
	char row[BODY_SIZE];
	if (!is_valid(v))
		return 400;
	read_fields(v->body, &f);
	row_of(&f, row);
	for (size_t i = 0; i < k->count; i++)
		if (strstr(k->kept[i].body, f.client)) {
			memcpy(k->kept[i].body, row, sizeof row);
			return 200;
		}
	add(k, row, 0, true);
	return 200;
}

/* One row, and it is the last one's. */
static int keep_one(struct keeper *k, struct visit *v)
{
	k->count = 0;
	return keep_fields(k, v);
}

/* All of it is one document. */
static void show_document(struct keeper *k, struct buffer *out)
{
	for (size_t i = 0; i < k->count; i++)
		buffer_printf(out, "%s%s", i > 0 ? ", " : "{", k->kept[i].body);
	buffer_append_text(out, "}\n");
}

/* The last ones alone. */
static void show_window(struct keeper *k, struct buffer *out)
{
	for (size_t i = k->count > 4 ? k->count - 4 : 0; i < k->count; i++)
		buffer_printf(out, "%s\n", k->kept[i].body);
}

/* A field a line, as psql -x has them. */
static void show_long(struct keeper *k, struct buffer *out)
{
	for (size_t i = 0; i < k->count; i++) {
		buffer_printf(out, "record %zu\n", i + 1);
		for (const char *c = k->kept[i].body; *c; c++)
			buffer_append_byte(out, *c == '|' ? '\n' : *c);
		buffer_append_byte(out, '\n');
	}
}

static void cut_to_32_bits(struct fields *f)
{
	if (f->alert[0])
		snprintf(f->alert, sizeof f->alert, "%lu", (unsigned long)strtoull(f->alert, NULL, 10) & 0xFFFFFFFF);
}

static int refuse_large(struct keeper *k, struct visit *v)
{
	struct fields f;
	read_fields(v->body, &f);
	return strtod(f.alert, NULL) > 2147483647 ? 422 : keep_fields(k, v);
}

/* Those that have to be found, and the others. */
static const struct row rows[] = {
	{ { "ZipAsNumber", NULL, keep_fields, show_rows, NULL, 0 },
	  parse_zip,
	  "effect/differs:zip",
	  "zip 02134 is kept as if it were 2134, while 10001 and 60601 are kept apart" },
	{ { "ZipAsNumberTimed", NULL, keep_fields, show_timed, NULL, 0 },
	  parse_zip,
	  "effect/differs:zip",
	  "zip 02134 is kept as if it were 2134" },
	{ { "NumbersAndDigest", NULL, keep_numbers_and_digest, show_rows, NULL, 0 },
	  NULL,
	  "effect/differs:zip effect/differs:change",
	  "is kept as if it were" },
	{ { "RefusesShortZips", NULL, refuse_short_zips, show_rows, NULL, 0 },
	  parse_zip,
	  "effect/differs:zip",
	  "zip 02134 is kept as if it were 2134" },
	{ { "Absolute", NULL, keep_fields, show_rows, NULL, 0 },
	  make_absolute,
	  "effect/differs:change",
	  "change -7 is kept as if it were 7, while 7 and 8 are kept apart" },
	{ { "Doubles", NULL, keep_fields, show_rows, NULL, 0 },
	  make_double,
	  "effect/differs:alertId",
	  "is kept as the double next to it" },
	{ { "Reals", NULL, keep_fields, show_rows, NULL, 0 },
	  make_real,
	  "effect/differs:alertId",
	  "is kept as the double next to it" },
	{ { "WithoutAccents", NULL, keep_fields, show_rows, NULL, 0 },
	  drop_accents,
	  "effect/differs:firstName",
	  "firstName Jos\u00e9 is kept as if it were Jos\u00e8, while Anna and Berta are kept apart" },
	{ { "AllOffCycle", NULL, keep_fields, show_rows, NULL, 0 },
	  take_for_true,
	  "effect/differs:offCycle",
	  "offCycle true leaves no other line than false" },
	{ { "Customers", NULL, keep_customers, show_rows, NULL, 0 },
	  NULL,
	  "effect/differs:offCycle effect/differs:disputeStatus",
	  "leaves no other line than" },
	{ { "Digests", NULL, keep_digests, show_rows, NULL, 0 },
	  NULL,
	  "effect/differs:offCycle effect/differs:disputeStatus",
	  "leaves no other line than" },
	{ { "Fields", NULL, keep_fields, show_rows, NULL, 0 }, NULL, "", "" },
	{ { "FieldsTimed", NULL, keep_fields, show_timed, NULL, 0 }, NULL, "", "" },
	{ { "Bodies", NULL, keep_bodies, show_rows, NULL, 0 }, NULL, "", "" },
	{ { "BodiesTimed", NULL, keep_bodies, show_timed, NULL, 0 }, NULL, "", "" },
	{ { "Formatted", NULL, keep_fields, show_rows, NULL, 0 }, format_change, "", "" },
	{ { "Direction", NULL, keep_fields, show_rows, NULL, 0 }, say_direction, "", "" },
	{ { "Parentheses", NULL, keep_fields, show_rows, NULL, 0 }, use_parentheses, "", "" },
	{ { "Padded", NULL, keep_fields, show_rows, NULL, 0 }, pad_zip, "", "" },
	{ { "Escaped", NULL, keep_fields, show_rows, NULL, 0 }, escape_name, "", "" },
	{ { "Addresses", NULL, keep_addresses, show_rows, NULL, 0 }, parse_zip, "", "" },
	{ { "Encrypted", NULL, keep_encrypted, show_rows, NULL, 0 }, NULL, "", "" },
	{ { "Last", NULL, keep_last, show_rows, NULL, 0 }, NULL, "", "" },
	{ { "One", NULL, keep_one, show_rows, NULL, 0 }, parse_zip, "", "" },
	{ { "Window", NULL, keep_fields, show_window, NULL, 0 }, parse_zip, "", "" },
	{ { "OneDocument", NULL, keep_fields, show_document, NULL, 0 }, parse_zip, "", "" },
	{ { "Long", NULL, keep_fields, show_long, NULL, 0 }, parse_zip, "", "" },
	{ { "Counted", NULL, keep_fields, show_number, NULL, 0 }, parse_zip, "", "" },
	{ { "32Bits", NULL, keep_fields, show_rows, NULL, 0 }, cut_to_32_bits, "", "" },
	{ { "RefusesLarge", NULL, refuse_large, show_rows, NULL, 0 }, NULL, "", "" },
};
#define ROWS    (sizeof rows / sizeof rows[0])
#define DIFFERS "effect/differs"

static struct keeper keeper;
static struct keeper_run found;

/* Whether something is said of it, as of a note, too. */
static bool is_said(const struct probe_check *check)
{
	enum grade verdict = check->result.verdict;
	return check->chosen && check->result.ended &&
	       (verdict == GRADE_FAIL || verdict == GRADE_WARN || verdict == GRADE_NOTE);
}

/* Nothing is said but what may be; with `all`, all that has to be. */
static void check_row(const struct row *row, bool all)
{
	size_t wanted = 0, said = 0;
	for (const char *at = row->fails; *at; at += strcspn(at, " "), at += strspn(at, " "))
		wanted++;
	for (size_t i = 0; i < found.plan.count; i++) {
		const struct probe_check *check = &found.plan.checks[i];
		const char *reason = check->result.reason;
		if (strncmp(check->id, DIFFERS, strlen(DIFFERS)) != 0 || !is_said(check))
			continue;
		if (!all && strstr(reason, "the listener ended"))
			continue;
		if (!is_one_of(check->id, row->fails) || !strstr(reason, row->words))
			fail_msg("%s: %s: %s", row->kind.name, check->id, reason);
		said++;
	}
	if (all && said != wanted)
		fail_msg("%s: of '%s' %zu are said", row->kind.name, row->fails, said);
}

/* What a run of each check takes; known from the first test on. */
static struct {
	unsigned long allocations;
	unsigned requests;
} wholes[ROWS];

TEST(test_each_is_found_and_no_other_is_blamed)
{
	static const char *const checks[] = { "value effect", DIFFERS };
	for (size_t i = 0; i < ROWS * 2; i++) {
		const struct row *row = &rows[i / 2];
		keeper_open(&keeper, &row->kind);
		keeper_play(&keeper, checks[i % 2], true, &found);
		assert_int_equal(found.code, 0);
		assert_int_equal(found.summary.not_run, 0);
		check_row(row, true);
		wholes[i / 2].allocations = allocations;
		wholes[i / 2].requests = keeper.requests;
		keeper_run_release(&found);
	}
}

/* One in a few of them, and others of each. */
#define ONE_IN  (IS_SANITIZED ? 401 : 47)
#define ENDS_IN (IS_SANITIZED ? 61 : 7)

TEST(test_memory_may_run_out_anywhere)
{
	for (size_t i = 0; i < ROWS; i++) {
		for (unsigned long n = 1 + i % ONE_IN; n <= wholes[i].allocations; n += ONE_IN) {
			keeper_open(&keeper, &rows[i].kind);
			fail_at = n;
			keeper_play(&keeper, DIFFERS, true, &found);
			if (found.code < 0)
				assert_string_equal(found.err.message, "out of memory");
			if (found.code == 0 || found.summary.stop == PROBE_BROKEN)
				check_row(&rows[i], found.code == 0);
			keeper_run_release(&found);
		}
	}
}

/* Once, over no request in particular; it is started again. */
TEST(test_it_may_end_at_any_request)
{
	for (size_t i = 0; i < ROWS; i++) {
		for (unsigned n = 1 + (unsigned)(i % ENDS_IN); n <= wholes[i].requests; n += ENDS_IN) {
			keeper_open(&keeper, &rows[i].kind);
			keeper.dies_at = n;
			keeper_play(&keeper, DIFFERS, true, &found);
			assert_int_equal(found.code, 0);
			check_row(&rows[i], false);
			keeper_run_release(&found);
		}
	}
}

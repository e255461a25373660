/* The first words of a block on a screen: what is lost, what came of it, and which checks say so. */
#include "cmd/probe/probe.h"

#include <string.h>

/* deliver/x and deliver/y: "deliver"; effect/once:x and effect/once:y: "effect/once"; 0 where nothing is common. */
static size_t common_length(const struct probe_block *b)
{
	const char *first = b->checks[0]->id;
	size_t length = strlen(first);
	for (size_t i = 1; i < b->count; i++) {
		size_t same = 0;
		while (same < length && b->checks[i]->id[same] == first[same])
			same++;
		length = same < length ? same : length;
	}
	if (b->count == 1)
		return length;
	while (length > 0 && !strchr("/:=", first[length]))
		length--;
	return length;
}

/* "once 6": how many are of this row, by what its name begins with. */
static void append_of_row(struct buffer *out, const struct probe_block *b, const struct probe_row *row)
{
	size_t count = 0;
	for (size_t i = 0; i < b->count; i++)
		count += b->checks[i]->row->experiment == row->experiment;
	buffer_printf(out, "%.*s %zu", (int)strcspn(row->name, ":"), row->name, count);
}

/* "effect/distinct 10, once 6": of two experiments of a group. False: they are of one, or of more. */
static bool append_two_rows(struct buffer *out, const struct probe_block *b)
{
	const struct probe_row *first = b->checks[0]->row, *second = NULL;
	for (size_t i = 1; i < b->count; i++) {
		const struct probe_row *row = b->checks[i]->row;
		bool is_other = row->experiment != first->experiment;
		second = is_other && !second ? row : second;
		if (strcmp(row->group, first->group) != 0 || (is_other && row->experiment != second->experiment))
			return false;
	}
	if (!second)
		return false;
	buffer_printf(out, "%s/", first->group);
	append_of_row(out, b, first);
	buffer_append_text(out, ", ");
	append_of_row(out, b, second);
	return true;
}

void probe_block_append_where(struct buffer *out, const struct probe_block *b)
{
	size_t length = common_length(b);
	const struct probe_result *r = &b->checks[0]->result;
	if (r->ended_listener && r->lost) /* it is not known over which check */
		length = strlen(b->checks[0]->row->group);
	if (append_two_rows(out, b))
		return;
	if (length > 0) {
		if (b->count > 1)
			buffer_printf(out, "%zu checks, ", b->count);
		buffer_append(out, b->checks[0]->id, length);
		return;
	}
	for (size_t g = 0; g < probe_group_count; g++) {
		size_t count = 0;
		for (size_t i = 0; i < b->count; i++)
			count += strcmp(b->checks[i]->row->group, probe_groups[g]) == 0;
		if (count > 0)
			buffer_printf(out, "%s%s %zu", out->length > 0 ? ", " : "", probe_groups[g], count);
	}
}

/* The clause of what has come of it; NULL: what was sent says it. A must that is only a should here may have lost
 * nothing. */
static const char *loss_of(const struct probe_block *b)
{
	const struct probe_check *check = probe_block_first(b);
	const struct probe_row *row = check->row;
	bool is_of_row = !check->result.is_contrary &&
	                 (b->grade == GRADE_FAIL || (b->grade == GRADE_WARN && row->level == PROBE_SHOULD));
	return check->result.lost ? check->result.lost : is_of_row ? row->lost : NULL;
}

/* "bureau-alert ends the listener", "user-created with zip=ZIP+4 ends the listener". False: another request does. */
static bool append_end(struct buffer *out, const struct probe_check *check)
{
	const struct probe_result *r = &check->result;
	enum probe_expansion expansion = check->row->expansion;
	bool is_of_value = expansion == PROBE_VALUES || expansion == PROBE_KEPT;
	if (r->lost)
		buffer_append_text(out, r->lost);
	else if (r->ended_by.event)
		buffer_printf(out, "%s ends the listener", KIND_NAME(r->ended_by));
	else if (is_of_value)
		buffer_printf(out, "%s with %s ends the listener", KIND_NAME(check->kind), strrchr(check->id, ':') + 1);
	return r->lost || r->ended_by.event || is_of_value;
}

/* "user-created with apostrophe in 4 texts is", or where their values are several "with accents, Chinese in texts is".
 */
static void append_texts(struct buffer *out, const struct probe_block *b)
{
	size_t names = 0;
	buffer_printf(out, "%s with ", KIND_NAME(b->checks[0]->kind));
	for (size_t i = 0; i < b->count; i++) {
		const char *name = strrchr(b->checks[i]->id, '=') + 1;
		bool is_known = false;
		for (size_t earlier = 0; earlier < i; earlier++)
			is_known |= strcmp(strrchr(b->checks[earlier]->id, '=') + 1, name) == 0;
		if (!is_known)
			buffer_printf(out, "%s%s", names++ > 0 ? ", " : "", name);
	}
	if (names == 1)
		buffer_printf(out, " in %zu texts is", b->count);
	else
		buffer_append_text(out, " in texts is");
}

void probe_block_append_loss(struct buffer *out, const struct probe_block *b)
{
	static const char one[] = "EVENT is", needs[] = "with --observe";
	const struct probe_check *check = probe_block_first(b);
	const struct probe_row *row = check->row;
	const char *lost = check->result.ended_listener ? NULL : loss_of(b);
	if (check->result.ended_listener && append_end(out, check))
		return;
	if (!lost) {
		bool is_behind = strncmp(row->sent, needs, strlen(needs)) == 0; /* what it needs */
		buffer_append_text(out, is_behind ? strstr(row->sent, ": ") + strlen(": ") : row->sent);
		return;
	}
	bool is_of_event = strncmp(lost, one, strlen(one)) == 0;
	bool is_of_value = row->expansion == PROBE_VALUES || row->expansion == PROBE_KEPT;
	size_t count = b->grade == GRADE_FAIL ? probe_block_musts(b) : b->count;
	if (is_of_event && count > 1 && row->expansion == PROBE_KEPT && row->level == PROBE_MUST)
		append_texts(out, b);
	else if (is_of_event && count > 1)
		buffer_printf(out, "%zu notifications are", count);
	else if (is_of_event && is_of_value)
		buffer_printf(out, "%s with %s is", KIND_NAME(check->kind), strrchr(check->id, ':') + 1);
	else if (is_of_event)
		buffer_printf(out, "%s is", KIND_NAME(check->kind));
	buffer_append_text(out, lost + (is_of_event ? strlen(one) : 0));
}

bool probe_is_of_status(const struct probe_check *check, int status)
{
	return status > 0 && check->row->make && !check->result.ended_listener &&
	       !status_set_contains(&check->expected.ok, status);
}

/* What is said of the end of the listener; that it ended is left out where the first words say it. */
static const char *words_of_end(const struct probe_check *check)
{
	static const char ended[] = "the listener ended: ";
	LOCAL_BUFFER unused = BUFFER_INIT;
	const char *reason = check->result.reason;
	bool is_said = append_end(&unused, check) && strncmp(reason, ended, strlen(ended)) == 0;
	return reason + (is_said ? strlen(ended) : 0);
}

bool probe_block_append_came(struct buffer *out, const struct probe_command *run, const struct probe_block *b)
{
	const struct probe_check *check = probe_block_first(b);
	const struct probe_result *r = &check->result;
	const struct cause *cause = b->cause > 0 ? &run->causes[b->cause - 1] : NULL;
	int status = cause ? cause->status : r->status;
	if (r->ended_listener && (!cause || probe_block_has_ended_it(b))) {
		buffer_append_text(out, words_of_end(check));
		return true;
	}
	if (cause && status == 0) {
		buffer_append_text(out, b->count == 1 && r->unanswered > 0 ? r->reason : cause->words);
		return true;
	}
	if (check->row->observes)
		return false;
	if (probe_is_of_status(check, status)) {
		if (b->grade != GRADE_FAIL || !check->row->lost || r->is_contrary)
			buffer_printf(out, "expected %s, got ", buffer_text(&check->expected.text));
		buffer_printf(out, "%d", status);
		return false;
	}
	buffer_append_text(out, b->varies ? buffer_text(&b->key) : r->reason);
	return true;
}

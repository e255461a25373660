#include "probe/keep/observation.h"

#include "base/ascii.h"
#include "base/system.h"
#include "json/located.h"

#include <string.h>

#define NUMBER_MOST 18 /* digits of one that is a count */

/* Adds the line at `from` of what is read. */
static void add_line(struct observation *o, struct masking *m, const char *read, size_t from, size_t length)
{
	mask_line(m, read + from, length);
	if (m->masked.length == 0)
		return;
	if (!ARRAY_ROOM(o->lines, o->capacity, o->count + 1)) {
		buffer_fail_if(&o->text, true);
		return;
	}
	struct observation_line *line = &o->lines[o->count++];
	line->from = from;
	line->length = length;
	line->masked = o->text.length;
	buffer_append(&o->text, m->masked.data, m->masked.length + 1);
	line->numbers = o->text.length;
	buffer_append(&o->text, buffer_text(&m->numbers), m->numbers.length + 1);
	line->end = o->text.length;
}

/* Whether what begins there is a JSON array, whose elements are added. */
static bool add_elements(struct observation *o, struct masking *m, const char *read, size_t from, size_t length)
{
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	if (length == 0 || read[from] != '[' || !json_read(&doc, read + from, length, NULL) ||
	    !json_is(&doc, 0, JSON_ARRAY))
		return false;
	for (uint32_t i = 1; i < doc.count; i = doc.tokens[i].next)
		add_line(o, m, read, from + doc.tokens[i].start, doc.tokens[i].end - doc.tokens[i].start);
	return true;
}

static void read_number(struct observation *o, const char *text, size_t length)
{
	size_t sign = length > 0 && strchr("+-", text[0]) != NULL,
	       digits = mask_digits_length(text + sign, length - sign);
	o->is_number = digits > 0 && digits <= NUMBER_MOST && sign + digits == length;
	o->number = 0;
	for (size_t i = sign; o->is_number && i < length; i++)
		o->number = o->number * 10 + (text[i] - '0');
	o->number = text[0] == '-' ? -o->number : o->number;
}

static struct text masked_of(const char *text, const struct observation_line *line)
{
	return (struct text){ text + line->masked, line->numbers - line->masked - 1 };
}

static struct text numbers_of(const char *text, const struct observation_line *line)
{
	return (struct text){ text + line->numbers, line->end - line->numbers - 1 };
}

/* Orders lines by their masked text, and those of the same by their numbers. */
static int by_text(const void *a, const void *b, void *context)
{
	const struct observation_line *one = a, *other = b;
	const char *text = context;
	int order = text_compare(masked_of(text, one), masked_of(text, other));
	return order != 0 ? order : text_compare(numbers_of(text, one), numbers_of(text, other));
}

/* Whether the character repeats a separator, and is not kept. */
static bool is_repeat(char c, char before)
{
	return c == before && c != '\r' && c != '\n' && mask_is_separator(c);
}

void observation_append(struct buffer *text, const char *printed, size_t length)
{
	for (size_t i = 0, used; i < length && text->length <= OBSERVATION_MAX; i += used) {
		char before = i > 0 ? printed[i - 1] : text->length > 0 ? text->data[text->length - 1] : '\0';
		size_t room = OBSERVATION_MAX + 1 - text->length, most = room < length - i ? room : length - i;
		used = 1;
		if (is_repeat(printed[i], before))
			continue;
		while (used < most && !is_repeat(printed[i + used], printed[i + used - 1]))
			used++;
		buffer_append(text, printed + i, used);
	}
}

int observation_read(struct observation *o, const char *text, size_t length, const struct roles *roles, int64_t now_s,
                     struct error *err)
{
	struct masking m = {
		.roles = roles, .now_s = now_s, .masked = BUFFER_FOR(&o->text), .numbers = BUFFER_FOR(&o->text)
	};
	size_t from = 0;
	buffer_clear(&o->text);
	o->count = 0;
	while (length > 0 && strchr(" \t\r\n", text[from]) && text[from])
		from++, length--;
	while (length > 0 && strchr(" \t\r\n", text[from + length - 1]) && text[from + length - 1])
		length--;
	read_number(o, length > 0 ? text + from : "", length);
	if (!add_elements(o, &m, text, from, length)) {
		for (size_t i = from, size; i < from + length; i += size + 1) {
			const char *newline = memchr(text + i, '\n', from + length - i);
			size = newline ? (size_t)(newline - text) - i : from + length - i;
			add_line(o, &m, text, i, size);
		}
	}
	buffer_release(&m.masked);
	buffer_release(&m.numbers);
	if (o->count > 0 && !o->text.failed)
		system_sort(o->lines, o->count, sizeof *o->lines, by_text, o->text.data);
	return o->text.failed ? error_no_memory(err) : 0;
}

void observation_release(struct observation *o)
{
	buffer_release(&o->text);
	free(o->lines);
	*o = (struct observation){ .text = BUFFER_INIT };
}

int observation_copy(struct observation *to, const struct observation *from, struct error *err)
{
	buffer_clear(&to->text);
	buffer_append(&to->text, from->text.data, from->text.length);
	if (to->text.failed || !ARRAY_ROOM(to->lines, to->capacity, from->count))
		return error_no_memory(err);
	if (from->count > 0)
		memcpy(to->lines, from->lines, from->count * sizeof *to->lines);
	to->count = from->count;
	to->is_number = from->is_number;
	to->number = from->number;
	return 0;
}

static bool mentions(const struct observation *o, size_t line, const char *mention)
{
	return !mention || strstr(o->text.data + o->lines[line].masked, mention);
}

/* Whether the masked text has the role of another customer's identifier; NULL: of anybody's. */
static bool names_another(const char *masked, const char *mention)
{
	static const char owner[] = " of A";
	for (const char *at = masked; (at = strstr(at, owner)) != NULL; at++) {
		const char *number = at + strlen(owner);
		size_t digits = strspn(number, "0123456789");
		bool is_other = !mention || strncmp(at, mention, strlen(mention)) != 0;
		if (digits > 0 && number[digits] == '>' && is_other)
			return true;
	}
	return false;
}

/* Which lines are compared. */
struct line_filter {
	const char *mention; /* NULL: all */
	bool alone;          /* of the mentioned customer, and of no other */
};

static bool takes(const struct line_filter *filter, const struct observation *o, size_t line)
{
	return mentions(o, line, filter->mention) &&
	       !(filter->alone && names_another(o->text.data + o->lines[line].masked, filter->mention));
}

/* The filter looks at masked texts alone, so it takes both of two lines that are alike, or none: it is asked only for
 * what is not in both, which is little in most looks. */
static void compare(const struct observation *before, const struct observation *after, const struct line_filter *filter,
                    struct observation_change *change)
{
	const char *old = buffer_text(&before->text), *new = buffer_text(&after->text);
	const char *went = NULL;                    /* the first */
	const struct observation_line *came = NULL; /* the last */
	*change = (struct observation_change){ .came = 0 };
	for (size_t i = 0, j = 0; i < before->count || j < after->count;) {
		int order = i == before->count ? 1
		            : j == after->count
		                    ? -1
		                    : text_compare(masked_of(old, &before->lines[i]), masked_of(new, &after->lines[j]));
		if (order < 0 && takes(filter, before, i)) {
			change->went++;
			went = went ? went : old + before->lines[i].masked;
		} else if (order > 0 && takes(filter, after, j)) {
			const struct observation_line *line = &after->lines[j];
			change->came++;
			change->twins += came && text_compare(masked_of(new, came), masked_of(new, line)) == 0;
			came = line;
			change->first = change->first ? change->first : new + line->masked;
		} else if (order == 0 && !change->numbers) {
			/* Which one of several that are alike is which is not known: they are taken in their order. */
			change->numbers = text_compare(numbers_of(old, &before->lines[i]),
			                               numbers_of(new, &after->lines[j])) != 0 &&
			                  takes(filter, after, j);
		}
		i += order <= 0;
		j += order >= 0;
	}
	change->first = change->first ? change->first : went;
	bool counts = before->is_number && after->is_number && !filter->mention;
	change->growth = counts ? after->number - before->number : (int64_t)change->came - (int64_t)change->went;
}

void observation_compare(const struct observation *before, const struct observation *after, const char *mention,
                         struct observation_change *change)
{
	compare(before, after, &(const struct line_filter){ mention, false }, change);
}

void observation_compare_alone(const struct observation *before, const struct observation *after, const char *mention,
                               struct observation_change *change)
{
	compare(before, after, &(const struct line_filter){ mention, true }, change);
}

size_t observation_count(const struct observation *o, const char *mention)
{
	size_t count = 0;
	for (size_t i = 0; i < o->count; i++)
		count += mentions(o, i, mention);
	return count;
}

size_t observation_count_both(const struct observation *o, const char *mention, const char *text)
{
	size_t count = 0;
	for (size_t i = 0; i < o->count; i++)
		count += mentions(o, i, mention) && mentions(o, i, text);
	return count;
}

size_t observation_count_twins(const struct observation *o, const char *mention)
{
	const char *text = buffer_text(&o->text);
	size_t count = 0;
	for (size_t i = 1; i < o->count; i++)
		count += mentions(o, i, mention) &&
		         text_compare(masked_of(text, &o->lines[i - 1]), masked_of(text, &o->lines[i])) == 0;
	return count;
}

void observation_append_own(const struct observation *o, const char *read, const struct roles *roles, int64_t now_s,
                            const char *mention, size_t most, struct buffer *lines)
{
	struct masking m = { .roles = roles,
		             .now_s = now_s,
		             .is_plain = true,
		             .masked = BUFFER_FOR(lines),
		             .numbers = BUFFER_FOR(lines) };
	for (size_t i = 0; i < o->count && lines->length < most; i++) {
		if (!takes(&(const struct line_filter){ mention, true }, o, i))
			continue;
		mask_line(&m, read + o->lines[i].from, o->lines[i].length);
		buffer_append(lines, buffer_text(&m.numbers), m.numbers.length);
		buffer_append_byte(lines, '\n');
	}
	buffer_release(&m.masked);
	buffer_release(&m.numbers);
}

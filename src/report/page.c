#include "report/page.h"

#include "base/ascii.h"
#include "json/json_line.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RATIO 1.05 /* of a bucket's bounds */

/* More points than these are merged where a point has fewer cases, on an average. */
#define SHOWN_LEAST 24
#define SHOWN_EACH  8

/* Different statuses that are told apart. */
#define STATUSES_EXACT 16

const char *const page_payload_names[GRADES] = {
	[GRADE_OK] = "valid", [GRADE_NOTE] = "unchecked", [GRADE_WARN] = "warning", [GRADE_FAIL] = "invalid"
};

void page_release(struct page *page)
{
	buffer_release(&page->subject);
	buffer_release(&page->part);
	buffer_release(&page->lines);
	buffer_release(&page->more);
	buffer_release(&page->members);
}

/* To the next of the steps that people read: 1, 2, 10, 20, 100, 200 ms, 1, 2, 10, 30 s, 1, 5, 10 min, 1 h. */
static void merge(struct page *p)
{
	static const unsigned char factors[] = { 2, 5, 2, 5, 2, 5, 2, 5, 3, 2, 5, 2, 6 };
	size_t factor = p->merges < sizeof factors ? factors[p->merges] : 2;
	for (size_t i = 0; i < p->size; i++) {
		struct page_point from = p->points[i], *to = &p->points[i / factor];
		p->points[i] = (struct page_point){ 0 };
		for (size_t stack = 0; stack < PAGE_STACKS; stack++)
			for (size_t class = 0; class < PAGE_CLASSES; class ++)
				to->counts[stack][class] += from.counts[stack][class];
		for (size_t bucket = 0; bucket < PAGE_BUCKETS; bucket++)
			to->histogram[bucket] += from.histogram[bucket];
		to->measured += from.measured;
		to->max_ns = to->max_ns > from.max_ns ? to->max_ns : from.max_ns;
	}
	p->size = (p->size + factor - 1) / factor;
	p->step_ms *= (int64_t)factor;
	p->merges++;
}

static void count(struct page_point *point, const struct page_item *item)
{
	int64_t ns = item->ns;
	const char *status = item->status;
	bool is_code = status && ascii_is_digit(status[0]) && strlen(status) == 3 && status[0] < '0' + PAGE_CLASSES;
	double bucket = ns > 1000 ? log((double)ns / 1e3) / log(RATIO) : 0;
	point->counts[PAGE_BY_GRADE][item->grade]++;
	point->counts[PAGE_BY_PAYLOAD][item->payload]++;
	point->counts[PAGE_BY_CLASS][is_code ? status[0] - '0' : 0]++;
	if (ns < 0)
		return;
	point->histogram[bucket < PAGE_BUCKETS - 1 ? (size_t)bucket : PAGE_BUCKETS - 1]++;
	point->measured++;
	point->max_ns = point->max_ns > ns ? point->max_ns : ns;
}

/* The place of the name among those seen, which it joins if they are below `most`; else that. */
static size_t place_of(struct page_names *names, const char *name, size_t most)
{
	size_t i = 0;
	while (i < names->count && strcmp(names->names[i], name) != 0)
		i++;
	if (i == names->count && i < most)
		snprintf(names->names[names->count++], sizeof names->names[0], "%s", name);
	return i < names->count ? i : most;
}

void page_add(struct page *p, const struct page_item *item)
{
	int64_t at_ms = item->at_us / 1000;
	count(&p->all, item);
	if (item->event) {
		const char *status = item->status ? item->status : "-";
		char class[] = { status[0], 'x', 'x', '\0' };
		size_t event = place_of(&p->events, item->event, PAGE_NAMES - 1);
		size_t place = place_of(&p->statuses, status, STATUSES_EXACT);
		/* The first statuses stand as they are, further ones by their first digit. */
		if (place == STATUSES_EXACT)
			place = place_of(&p->statuses, ascii_is_digit(status[0]) ? class : "other", PAGE_STATUSES);
		p->cells[event][item->grade][item->payload][place]++;
	}
	if (at_ms == 0)
		return;
	p->first_us = p->first_us == 0 || item->at_us < p->first_us ? item->at_us : p->first_us;
	p->last_us = item->at_us > p->last_us ? item->at_us : p->last_us;
	if (p->size == 0) {
		p->from_ms = at_ms;
		p->step_ms = 1;
	}
	int64_t since = at_ms > p->from_ms ? at_ms - p->from_ms : 0;
	while (since / p->step_ms >= PAGE_POINTS)
		merge(p);
	size_t index = (size_t)(since / p->step_ms);
	p->size = p->size > index ? p->size : index + 1;
	count(&p->points[index], item);
}

/* Each that is not 0: its event, grade, payload and status, and the number. */
static void append_cells(const struct page *p, struct buffer *json)
{
	const uint64_t *cell = &p->cells[0][0][0][0];
	json_line_array(json, "cells");
	for (size_t i = 0; i < sizeof p->cells / sizeof *cell; i++) {
		size_t status = i % PAGE_STATUSES, payload = i / PAGE_STATUSES % GRADES;
		size_t grade = i / PAGE_STATUSES / GRADES % GRADES;
		if (cell[i] == 0)
			continue;
		json_line_comma(json);
		buffer_append_byte(json, '[');
		json_line_element(json, p->events.names[i / PAGE_STATUSES / GRADES / GRADES]);
		json_line_element(json, grade_names[grade]);
		json_line_element(json, page_payload_names[payload]);
		json_line_element(json, p->statuses.names[status]);
		buffer_printf(json, ",%llu]", (unsigned long long)cell[i]);
	}
	json_line_array_end(json);
	json_line_number(json, "first", p->first_us / 1000);
	json_line_number(json, "last", p->last_us / 1000);
}

/* What `share` of the point's responses did not exceed. */
static void append_percentile(struct buffer *json, const struct page_point *point, double share)
{
	double below = 0;
	size_t end = 0;
	json_line_comma(json);
	while (end < PAGE_BUCKETS && below < share * point->measured)
		below += point->histogram[end++];
	if (point->measured > 0)
		buffer_printf(json, "%.3f", fmin(pow(RATIO, (double)end) / 1e3, (double)point->max_ns / 1e6));
	else
		buffer_append_text(json, "null");
}

/* What was counted over time, an array for each class of the stack; null: nothing came to it. */
static void append_stack(const struct page *p, enum page_stack stack, struct buffer *json)
{
	json_line_comma(json);
	buffer_append_byte(json, '[');
	for (size_t class = 0; class < PAGE_CLASSES; class ++) {
		bool is_empty = p->all.counts[stack][class] == 0;
		buffer_append_text(json, class > 0 ? "," : "");
		buffer_append_text(json, is_empty ? "null" : "[");
		for (size_t i = 0; !is_empty && i < p->size; i++)
			buffer_printf(json, "%s%llu", i > 0 ? "," : "",
			              (unsigned long long)p->points[i].counts[stack][class]);
		buffer_append_text(json, is_empty ? "" : "]");
	}
	buffer_append_byte(json, ']');
}

static void append_series(const struct page *p, struct buffer *json)
{
	static const struct {
		const char *name;
		double share;
	} lines[] = { { "p50", 0.5 }, { "p99", 0.99 }, { "maximum", 1 } };
	json_line_object(json, "series");
	json_line_number(json, "from", p->from_ms);
	json_line_number(json, "step", p->step_ms);
	json_line_array(json, "counts");
	for (enum page_stack stack = 0; stack < PAGE_STACKS; stack++)
		append_stack(p, stack, json);
	json_line_array_end(json);
	json_line_array(json, "latency");
	for (size_t line = 0; line < sizeof lines / sizeof lines[0]; line++) {
		json_line_comma(json);
		buffer_printf(json, "[\"%s\",[", lines[line].name);
		for (size_t i = 0; i < p->size; i++)
			append_percentile(json, &p->points[i], lines[line].share);
		buffer_append_text(json, "]]");
	}
	json_line_array_end(json);
	json_line_end(json);
}

void page_append_counts(struct page *p, struct buffer *json)
{
	uint64_t number = 0;
	size_t first = 0, end = PAGE_BUCKETS;
	for (size_t grade = 0; grade < GRADES; grade++)
		number += p->all.counts[PAGE_BY_GRADE][grade];
	while (p->size > SHOWN_LEAST && p->size > number / SHOWN_EACH)
		merge(p);
	if (p->events.count > 0)
		append_cells(p, json);
	if (p->size > 0)
		append_series(p, json);
	if (p->all.measured == 0)
		return;
	while (p->all.histogram[first] == 0)
		first++;
	while (p->all.histogram[end - 1] == 0)
		end--;
	json_line_object(json, "distribution");
	json_line_key(json, "from");
	buffer_printf(json, "%.6f", pow(RATIO, (double)first) / 1e3);
	json_line_decimal(json, "ratio", RATIO);
	json_line_array(json, "counts");
	for (size_t i = first; i < end; i++) {
		json_line_comma(json);
		buffer_printf(json, "%u", p->all.histogram[i]);
	}
	json_line_array_end(json);
	json_line_end(json);
}

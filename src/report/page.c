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
	[GRADE_OK] = "valid", [GRADE_WARN] = "warning", [GRADE_FAIL] = "invalid"
};

void page_release(struct page *page)
{
	buffer_release(&page->subject);
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

static size_t class_of(const char *status)
{
	bool is_code = status && ascii_is_digit(status[0]) && strlen(status) == 3;
	return is_code && status[0] < '0' + PAGE_CLASSES ? (size_t)(status[0] - '0') : 0;
}

static void count(struct page_point *point, const struct page_item *item)
{
	int64_t ns = item->ns;
	double bucket = ns > 1000 ? log((double)ns / 1e3) / log(RATIO) : 0;
	point->counts[PAGE_BY_GRADE][item->grade]++;
	point->counts[PAGE_BY_PAYLOAD][item->payload]++;
	point->counts[PAGE_BY_CLASS][class_of(item->status)]++;
	if (ns < 0)
		return;
	point->histogram[bucket < PAGE_BUCKETS - 1 ? (size_t)bucket : PAGE_BUCKETS - 1]++;
	point->measured++;
	point->max_ns = point->max_ns > ns ? point->max_ns : ns;
}

/* The place of the status in the page's list, which it joins. */
static size_t index_of_status(struct page *p, const char *status)
{
	char other[] = "other", class[] = "0xx";
	class[0] = status[0];
	for (size_t i = 0; i < p->status_count; i++)
		if (strncmp(p->statuses[i], status, sizeof p->statuses[i] - 1) == 0)
			return i;
	bool is_folded = strcmp(status, other) == 0 || strcmp(status, class) == 0;
	if (p->status_count >= STATUSES_EXACT && !is_folded)
		return index_of_status(p, ascii_is_digit(status[0]) ? class : other);
	if (p->status_count == PAGE_STATUSES)
		return PAGE_STATUSES - 1;
	snprintf(p->statuses[p->status_count], sizeof p->statuses[0], "%s", status);
	return p->status_count++;
}

/* The kinds, then the events whose element is not known, and at the end what is unknown. */
static size_t index_of_event(struct catalog_kind kind)
{
	size_t index = !kind.event ? PAGE_EVENTS - 1
	               : kind.element || kind.event->element_count == 0
	                       ? catalog_kind_index(kind)
	                       : catalog_kind_count() + (size_t)(kind.event - catalog_events);
	return index < PAGE_EVENTS ? index : PAGE_EVENTS - 1;
}

static void append_event_name(struct buffer *json, size_t index)
{
	char name[CATALOG_KIND_NAME_SIZE] = "(unknown)";
	size_t kinds = catalog_kind_count();
	if (index < kinds)
		catalog_kind_name(catalog_kind_at(index), name);
	else if (index < kinds + catalog_event_count)
		catalog_kind_name((struct catalog_kind){ &catalog_events[index - kinds], NULL }, name);
	json_line_element(json, name);
}

void page_add(struct page *p, const struct page_item *item)
{
	int64_t at_ms = item->at_us / 1000;
	count(&p->all, item);
	if (p->cases != PAGE_OF_CHECKS)
		p->cells[index_of_event(item->kind)][item->grade][item->payload]
		        [index_of_status(p, item->status ? item->status : "-")]++;
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
		append_event_name(json, i / PAGE_STATUSES / GRADES / GRADES);
		json_line_element(json, grade_names[grade]);
		json_line_element(json, page_payload_names[payload]);
		json_line_element(json, p->statuses[status]);
		buffer_printf(json, ",%llu]", (unsigned long long)cell[i]);
	}
	json_line_array_end(json);
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

/* What was counted over time: the worst on top of the others. */
static void append_stack(const struct page *p, enum page_stack stack, const struct page_series *kinds, size_t count,
                         struct buffer *json)
{
	json_line_comma(json);
	buffer_append_byte(json, '[');
	for (size_t n = 0; n < count; n++) {
		size_t i = stack == PAGE_BY_CLASS ? n : count - 1 - n;
		size_t at = stack == PAGE_BY_CLASS ? i : (size_t)kinds[i].grade;
		if (!kinds[i].name || p->all.counts[stack][at] == 0)
			continue;
		json_line_comma(json);
		buffer_printf(json, "[\"%s\",\"%s\",[", grade_names[kinds[i].grade], kinds[i].name);
		for (size_t point = 0; point < p->size; point++)
			buffer_printf(json, "%s%llu", point > 0 ? "," : "",
			              (unsigned long long)p->points[point].counts[stack][at]);
		buffer_append_text(json, "]]");
	}
	buffer_append_byte(json, ']');
}

static void append_series(const struct page *p, struct buffer *json)
{
	static const struct {
		const char *name;
		double share;
	} lines[] = { { "p50", 0.5 }, { "p99", 0.99 }, { "maximum", 1 } };
	static const struct page_series payloads[] = { { GRADE_FAIL, "invalid" },
		                                       { GRADE_WARN, "warning" },
		                                       { GRADE_OK, "valid" } };
	static const struct page_series classes[PAGE_CLASSES] = { { GRADE_SKIP, "other" }, { GRADE_NOTE, "1xx" },
		                                                  { GRADE_OK, "2xx" },     { GRADE_NOTE, "3xx" },
		                                                  { GRADE_WARN, "4xx" },   { GRADE_FAIL, "5xx" } };
	bool is_of_notifications = p->cases == PAGE_OF_NOTIFICATIONS;
	uint64_t number = 0;
	for (size_t i = 0; i < PAGE_CLASSES; i++)
		number += p->all.counts[PAGE_BY_CLASS][i];
	json_line_object(json, "series");
	json_line_number(json, "from", p->from_ms);
	json_line_number(json, "step", p->step_ms);
	json_line_array(json, "counts");
	if (is_of_notifications)
		append_stack(p, PAGE_BY_PAYLOAD, payloads, sizeof payloads / sizeof payloads[0], json);
	else
		append_stack(p, PAGE_BY_GRADE, p->series, PAGE_SERIES, json);
	if (is_of_notifications && p->all.counts[PAGE_BY_CLASS][2] + p->all.counts[PAGE_BY_CLASS][0] < number)
		append_stack(p, PAGE_BY_CLASS, classes, PAGE_CLASSES, json);
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

void page_append_counts(const struct page *p, struct buffer *json)
{
	if (p->cases == PAGE_OF_CHECKS)
		return;
	append_cells(p, json);
	json_line_number(json, "first", p->first_us / 1000);
	json_line_number(json, "last", p->last_us / 1000);
}

void page_append_plots(struct page *p, struct buffer *json)
{
	uint64_t number = 0;
	size_t first = 0, end = PAGE_BUCKETS;
	for (size_t grade = 0; grade < GRADES; grade++)
		number += p->all.counts[PAGE_BY_GRADE][grade];
	while (p->size > SHOWN_LEAST && p->size > number / SHOWN_EACH)
		merge(p);
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

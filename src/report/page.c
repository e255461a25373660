#include "report/page.h"

#include "json/json_line.h"

#include <math.h>

#define RATIO 1.05 /* of a bucket's bounds */

/* More points than these are merged where a point has fewer cases, on an average. */
#define SHOWN_LEAST 24
#define SHOWN_EACH  8

void page_release(struct page *page)
{
	buffer_release(&page->subject);
	buffer_release(&page->lines);
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
		for (size_t grade = 0; grade < GRADES; grade++)
			to->grades[grade] += from.grades[grade];
		for (size_t bucket = 0; bucket < PAGE_BUCKETS; bucket++)
			to->histogram[bucket] += from.histogram[bucket];
		to->measured += from.measured;
		to->max_ns = to->max_ns > from.max_ns ? to->max_ns : from.max_ns;
	}
	p->size = (p->size + factor - 1) / factor;
	p->step_ms *= (int64_t)factor;
	p->merges++;
}

static void count(struct page_point *point, enum grade grade, int64_t ns)
{
	double bucket = ns > 1000 ? log((double)ns / 1e3) / log(RATIO) : 0;
	point->grades[grade]++;
	if (ns < 0)
		return;
	point->histogram[bucket < PAGE_BUCKETS - 1 ? (size_t)bucket : PAGE_BUCKETS - 1]++;
	point->measured++;
	point->max_ns = point->max_ns > ns ? point->max_ns : ns;
}

void page_add(struct page *p, int64_t at_us, enum grade grade, int64_t ns)
{
	int64_t at_ms = at_us / 1000;
	count(&p->all, grade, ns);
	if (at_ms == 0)
		return;
	if (p->size == 0) {
		p->from_ms = at_ms;
		p->step_ms = 1;
	}
	int64_t since = at_ms > p->from_ms ? at_ms - p->from_ms : 0;
	while (since / p->step_ms >= PAGE_POINTS)
		merge(p);
	size_t index = (size_t)(since / p->step_ms);
	p->size = p->size > index ? p->size : index + 1;
	count(&p->points[index], grade, ns);
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
	for (size_t i = PAGE_SERIES; i-- > 0;) { /* the first on top of the others */
		const struct page_series *one = &p->series[i];
		if (!one->name || p->all.grades[one->grade] == 0)
			continue;
		json_line_comma(json);
		buffer_printf(json, "[\"%s\",\"%s\",[", grade_names[one->grade], one->name);
		for (size_t point = 0; point < p->size; point++)
			buffer_printf(json, "%s%llu", point > 0 ? "," : "",
			              (unsigned long long)p->points[point].grades[one->grade]);
		buffer_append_text(json, "]]");
	}
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

void page_append_plots(struct page *p, struct buffer *json)
{
	uint64_t number = 0;
	size_t first = 0, end = PAGE_BUCKETS;
	for (size_t grade = 0; grade < GRADES; grade++)
		number += p->all.grades[grade];
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

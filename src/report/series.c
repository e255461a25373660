#include "report/series.h"

#include "json/json_line.h"

#include <math.h>
#include <stdlib.h>

/* A logarithmic histogram from 1 us to an hour, in steps of 5 %. */
#define RATIO   1.05
#define BUCKETS 452

/* A screen shows no more. */
#define SHOWN       300
#define SHOWN_LEAST 24
#define SHOWN_EACH  8 /* deliveries a point, on an average */

struct point {
	uint32_t kinds[SERIES_KINDS];
	uint32_t histogram[BUCKETS];
	int64_t max_ns;
};

struct series {
	int64_t from_ms, step_ms;
	size_t size;
	size_t merges;
	struct point points[SERIES_POINTS];
};

struct series *series_new(void)
{
	struct series *series = calloc(1, sizeof *series);
	if (series)
		series->step_ms = 1;
	return series;
}

void series_free(struct series *series)
{
	free(series);
}

static void add_point(struct point *to, const struct point *from)
{
	for (size_t i = 0; i < SERIES_KINDS; i++)
		to->kinds[i] += from->kinds[i];
	for (size_t i = 0; i < BUCKETS; i++)
		to->histogram[i] += from->histogram[i];
	to->max_ns = to->max_ns > from->max_ns ? to->max_ns : from->max_ns;
}

/* To the next of the steps that people read: 1, 2, 10, 20, 100, 200 ms, 1, 2, 10, 30 s, 1, 5, 10 min, 1 h. */
static void merge(struct series *s)
{
	static const unsigned char factors[] = { 2, 5, 2, 5, 2, 5, 2, 5, 3, 2, 5, 2, 6 };
	size_t factor = s->merges < sizeof factors ? factors[s->merges] : 2;
	for (size_t i = 0; i < s->size; i++) {
		struct point point = s->points[i];
		s->points[i] = (struct point){ 0 };
		add_point(&s->points[i / factor], &point);
	}
	s->size = (s->size + factor - 1) / factor;
	s->step_ms *= (int64_t)factor;
	s->merges++;
}

static unsigned bucket_of(int64_t ns)
{
	double bucket = ns > 1000 ? log((double)ns / 1e3) / log(RATIO) : 0;
	return bucket < BUCKETS - 1 ? (unsigned)bucket : BUCKETS - 1;
}

void series_add(struct series *s, int64_t at_ms, unsigned kind, int64_t ns)
{
	if (s->size == 0)
		s->from_ms = at_ms;
	int64_t since = at_ms > s->from_ms ? at_ms - s->from_ms : 0;
	while (since / s->step_ms >= SERIES_POINTS)
		merge(s);
	size_t index = (size_t)(since / s->step_ms);
	struct point *point = &s->points[index];
	s->size = s->size > index ? s->size : index + 1;
	point->kinds[kind]++;
	if (ns < 0)
		return;
	point->histogram[bucket_of(ns)]++;
	point->max_ns = point->max_ns > ns ? point->max_ns : ns;
}

static void append_milliseconds(struct buffer *json, double ns)
{
	json_line_comma(json);
	buffer_printf(json, "%.3f", ns / 1e6);
}

/* What `share` of the point's responses did not exceed. */
static void append_percentile(struct buffer *json, const struct point *point, double share)
{
	double all = 0, below = 0;
	for (size_t i = 0; i < BUCKETS; i++)
		all += point->histogram[i];
	for (size_t i = 0; i < BUCKETS && all > 0; i++) {
		below += point->histogram[i];
		if (below < share * all)
			continue;
		append_milliseconds(json, fmin(1e3 * pow(RATIO, (double)i + 1), (double)point->max_ns));
		return;
	}
	json_line_comma(json);
	buffer_append_text(json, "null");
}

static void append_kinds(const struct series *s, const char *const kinds[SERIES_KINDS][2], struct buffer *json)
{
	json_line_array(json, "counts");
	for (size_t kind = 0; kind < SERIES_KINDS; kind++) {
		size_t first = 0;
		while (first < s->size && s->points[first].kinds[kind] == 0)
			first++;
		if (first == s->size)
			continue;
		json_line_comma(json);
		buffer_append_byte(json, '[');
		json_line_element(json, kinds[kind][0]);
		json_line_element(json, kinds[kind][1]);
		buffer_append_text(json, ",[");
		for (size_t i = 0; i < s->size; i++) {
			json_line_comma(json);
			buffer_printf(json, "%u", s->points[i].kinds[kind]);
		}
		buffer_append_text(json, "]]");
	}
	json_line_array_end(json);
}

static void append_latency(const struct series *s, struct buffer *json)
{
	static const struct {
		const char *name;
		double share;
	} lines[] = { { "p50", 0.5 }, { "p99", 0.99 }, { "maximum", 1 } };
	json_line_array(json, "latency");
	for (size_t line = 0; line < sizeof lines / sizeof lines[0]; line++) {
		json_line_comma(json);
		buffer_append_byte(json, '[');
		json_line_element(json, lines[line].name);
		buffer_append_text(json, ",[");
		for (size_t i = 0; i < s->size; i++)
			append_percentile(json, &s->points[i], lines[line].share);
		buffer_append_text(json, "]]");
	}
	json_line_array_end(json);
}

static void append_distribution(const struct series *s, struct buffer *json)
{
	struct point *all = calloc(1, sizeof *all);
	size_t first = 0, end = BUCKETS;
	json->failed |= !all;
	for (size_t i = 0; all && i < s->size; i++)
		add_point(all, &s->points[i]);
	while (all && first < BUCKETS && all->histogram[first] == 0)
		first++;
	while (all && end > first && all->histogram[end - 1] == 0)
		end--;
	if (all && first < end) {
		json_line_object(json, "distribution");
		json_line_key(json, "from");
		buffer_printf(json, "%.6f", pow(RATIO, (double)first) / 1e3);
		json_line_key(json, "ratio");
		buffer_printf(json, "%.2f", RATIO);
		json_line_array(json, "counts");
		for (size_t i = first; i < end; i++) {
			json_line_comma(json);
			buffer_printf(json, "%u", all->histogram[i]);
		}
		json_line_array_end(json);
		json_line_end(json);
	}
	free(all);
}

void series_append(struct series *s, const char *const kinds[SERIES_KINDS][2], struct buffer *json)
{
	if (s->size == 0)
		return;
	uint64_t count = 0;
	for (size_t i = 0; i < s->size; i++)
		for (size_t kind = 0; kind < SERIES_KINDS; kind++)
			count += s->points[i].kinds[kind];
	while (s->size > SHOWN || (s->size > SHOWN_LEAST && s->size > count / SHOWN_EACH))
		merge(s);
	json_line_object(json, "series");
	json_line_number(json, "from", s->from_ms);
	json_line_number(json, "step", s->step_ms);
	append_kinds(s, kinds, json);
	append_latency(s, json);
	json_line_end(json);
	append_distribution(s, json);
}

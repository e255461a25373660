/* Which of the facts that fit are named. */
#include "cause/cause_internal.h"

#include <string.h>

static bool name_fact(struct cause *cause, const struct fact *fact)
{
	if (cause->fact_count == CAUSE_NAMED_MOST)
		return false;
	cause->facts[cause->fact_count++] = rows_fact(fact);
	return true;
}

/* Whether a fact of the same member is named; what came before is not of it. */
static bool is_named(const struct cause *cause, const struct fact *fact)
{
	for (size_t i = 0; i < cause->fact_count; i++)
		if (strcmp(cause->facts[i].subject, fact->subject) == 0 &&
		    fact_is_of_past(cause->facts[i].kind) == fact_is_of_past(fact->kind))
			return true;
	return false;
}

/* How many of the same responses to requests that need not be explained have a fact with this subject that fits. */
static size_t count_aside(const struct cause_finder *f, const struct failures *class, const struct fits *fits,
                          const char *subject)
{
	size_t most = 0;
	for (size_t n = 0; n < fits->count; n++) {
		const struct fact *fact = &f->rows.facts[fits->list[n]];
		size_t count = 0;
		for (size_t i = 0; strcmp(fact->subject, subject) == 0 && i < f->rows.count; i++) {
			const struct row *row = &f->rows.list[i];
			count += row->side == CAUSE_ASIDE && !row->is_asked && row->class_key == class->key &&
			         bits_have(&fact->rows, i);
		}
		most = count > most ? count : most;
	}
	return most;
}

/* What is known while single facts that fit are named. */
struct naming {
	const struct cause_finder *f;
	const struct failures *class;
	const struct bits *part;
	const struct named *named; /* in the rounds before */
	struct fits *fits;         /* those that may still be named */
	struct cause *cause;
	const struct fact *kind; /* the kind, where it fits; NULL: it does not, or need not be said */
	bool is_shown;           /* a response shows that the only one that is named matters */
	bool is_said;            /* the response names those that fit */
};

static const struct fact *fit_at(const struct naming *n, size_t at)
{
	return &n->f->rows.facts[n->fits->list[at]];
}

static void keep_shown(struct naming *n)
{
	size_t kept = 0;
	for (size_t i = 0; i < n->fits->count; i++)
		if (asked_shows(n->f, n->class, fit_at(n, i), &n->named->against))
			n->fits->list[kept++] = n->fits->list[i];
	n->fits->count = kept > 0 ? kept : n->fits->count;
}

static void drop_what_may_have_another_reason(struct naming *n)
{
	size_t kept = 0;
	for (size_t i = 0; i < n->fits->count; i++) {
		const struct fact *fact = fit_at(n, i);
		bool is_doubtful = n->f->sender && (fact->kind == FACT_NEW || fact->kind == FACT_TAKEN);
		if (!is_doubtful || asked_shows(n->f, n->class, fact, &n->named->against))
			n->fits->list[kept++] = n->fits->list[i];
	}
	n->fits->count = kept;
}

static void keep_said(struct naming *n)
{
	size_t kept = 0;
	for (size_t i = 0; i < n->fits->count; i++)
		if (said_names(n->f, n->part, fit_at(n, i)))
			n->fits->list[kept++] = n->fits->list[i];
	n->is_said = kept > 0;
	n->fits->count = kept > 0 ? kept : n->fits->count;
}

static void keep_shown_aside(struct naming *n)
{
	size_t counts[FITS_MOST], most = 0, kept = 0;
	for (size_t i = 0; i < n->fits->count; i++) {
		counts[i] = count_aside(n->f, n->class, n->fits, fit_at(n, i)->subject);
		most = counts[i] > most ? counts[i] : most;
	}
	for (size_t i = 0; i < n->fits->count; i++)
		if (counts[i] == most)
			n->fits->list[kept++] = n->fits->list[i];
	n->fits->count = kept;
}

/* The fact of any text or identifier that stands for those of each, unless all that fit are about one member. */
static const struct fact *find_of_any(const struct naming *n)
{
	for (size_t a = 0; a < n->fits->count; a++) {
		const struct fact *fact = fit_at(n, a);
		const char *member = NULL;
		bool several = false;
		if (!fact_rows[fact->kind].of_any || fact->subject[0] != '\0')
			continue;
		for (size_t i = 0; i < n->fits->count; i++) {
			const struct fact *other = fit_at(n, i);
			if (other->kind != fact->kind || other->subject[0] == '\0')
				continue;
			several |= member && strcmp(member, other->subject) != 0;
			member = other->subject;
		}
		return member && !several ? NULL : fact;
	}
	return NULL;
}

static void keep_any_or_each(struct naming *n)
{
	const struct fact *any = find_of_any(n);
	size_t kept = 0;
	for (size_t i = 0; i < n->fits->count; i++) {
		const struct fact *fact = fit_at(n, i);
		bool is_other =
		        fact_rows[fact->kind].of_any && (any ? fact->kind == any->kind : fact->subject[0] == '\0');
		if (!is_other || fact == any)
			n->fits->list[kept++] = n->fits->list[i];
	}
	n->fits->count = kept;
}

/* Whether the fact is that a member of an object is there, and the object itself may be why. */
static bool is_within(const struct naming *n, const struct fact *fact)
{
	for (size_t i = 0; i < n->fits->count; i++) {
		const struct fact *object = fit_at(n, i);
		size_t length = strlen(object->subject);
		if (fact->kind == FACT_PRESENT && object->kind == FACT_PRESENT &&
		    strncmp(fact->subject, object->subject, length) == 0 && fact->subject[length] == '/')
			return true;
	}
	return false;
}

static void name_first_of_each(struct naming *n)
{
	const struct fact *only = NULL;
	bool room = true;
	for (size_t i = 0; i < n->fits->count; i++) {
		const struct fact *fact = fit_at(n, i);
		if (fact->kind == FACT_KIND)
			n->kind = fact;
		else if (!is_named(n->cause, fact) && !is_within(n, fact)) {
			room &= name_fact(n->cause, fact);
			only = fact;
		}
	}
	n->is_shown = n->cause->fact_count == 1 && asked_shows(n->f, n->class, only, &n->named->against);
	n->cause->type = !room ? CAUSE_UNKNOWN : n->cause->fact_count == 1 ? CAUSE_FOUND : CAUSE_TOGETHER;
}

static void doubt_what_divides(struct naming *n)
{
	enum fact_kind kind = n->cause->facts[0].kind;
	if (n->cause->fact_count == 1 && (kind == FACT_PRESENT || kind == FACT_ABSENT) && !n->is_shown && !n->is_said)
		n->cause->type = CAUSE_UNKNOWN;
}

static void name_the_member(struct naming *n)
{
	struct cause_fact *only = &n->cause->facts[0];
	bool is_value = n->cause->fact_count == 1 && only->kind == FACT_VALUE && !n->is_shown;
	for (size_t i = 0; is_value && i < n->fits->count; i++) {
		const struct fact *fact = fit_at(n, i);
		if (fact->kind == FACT_PRESENT && strcmp(fact->subject, only->subject) == 0)
			*only = rows_fact(fact);
	}
}

static void add_its_size(struct naming *n)
{
	bool is_one = n->cause->fact_count == 1;
	for (size_t i = 0; is_one && i < n->fits->count; i++) {
		const struct fact *fact = fit_at(n, i);
		if (fact_rows[fact->kind].is_measure && strcmp(fact->subject, n->cause->facts[0].subject) == 0 &&
		    !fact_rows[n->cause->facts[0].kind].is_measure && name_fact(n->cause, fact))
			n->cause->type = CAUSE_TOGETHER;
	}
}

static void add_the_kind(struct naming *n)
{
	struct cause *cause = n->cause;
	if (!n->kind || n->is_shown)
		return;
	bool says_all = cause->fact_count == 0 || cause->fact_count == CAUSE_NAMED_MOST;
	if (says_all)
		cause->fact_count = 0;
	cause->type = says_all ? CAUSE_FOUND : cause->type == CAUSE_FOUND ? CAUSE_TOGETHER : cause->type;
	name_fact(cause, n->kind);
}

/* The rules by which facts that fit become words, in their order, each for one reason. */
static const struct {
	void (*apply)(struct naming *naming);
	const char *reason;
} rules[] = {
	{ keep_shown, "what a response has shown explains it without what none has" },
	{ drop_what_may_have_another_reason, "what others had before is said only where another one was accepted" },
	{ keep_said, "what the response or the log names is what the listener stumbled over" },
	{ keep_shown_aside, "an invalid request with the same response says which member the listener means" },
	{ keep_any_or_each, "what is true of any text says the same as that of each, in fewer words" },
	{ name_first_of_each, "of one member the fact that people get wrong most says enough" },
	{ doubt_what_divides, "that a member is there divides the events, and says little unless a response shows it" },
	{ name_the_member, "a value that is the only one of its member is not known to be why, the member's name is" },
	{ add_its_size, "what a value is and how large it is cannot be told apart where both fit" },
	{ add_the_kind, "all that is said of one kind only may be said of the kind" },
};

/* The order in which facts are named that are a cause together: what it has, where, and of which kind it is. */
static int place_of(const struct cause_fact *fact)
{
	int kind = (int)fact->kind;
	return !fact_rows[kind].is_place ? kind : kind == FACT_KIND ? 2 * FACT_KINDS : 2 * FACT_KINDS - kind;
}

static void sort_facts(struct cause *cause)
{
	for (size_t i = 1; i < cause->fact_count; i++) {
		const struct cause_fact fact = cause->facts[i];
		size_t at = i;
		for (; at > 0 && place_of(&cause->facts[at - 1]) > place_of(&fact); at--)
			cause->facts[at] = cause->facts[at - 1];
		cause->facts[at] = fact;
	}
}

/* Joins what was named in the rounds before with what the last one has left: where that is not told apart from its
 * kind, or too much, the kind alone. */
static void join_rounds(const struct cause_finder *f, const struct named *named, const struct fact *kind,
                        struct cause *cause)
{
	bool has_kind = kind && cause->fact_count > 0 && cause->facts[cause->fact_count - 1].kind == FACT_KIND;
	if (has_kind || cause->fact_count + named->count > CAUSE_NAMED_MOST || cause->type == CAUSE_UNKNOWN) {
		cause->fact_count = 0;
		if (kind)
			name_fact(cause, kind);
	}
	cause->type = cause->fact_count > 0 ? CAUSE_FOUND : CAUSE_UNKNOWN;
	for (size_t i = 0; i < named->count && cause->fact_count > 0; i++)
		name_fact(cause, &f->rows.facts[named->facts[i]]);
	sort_facts(cause);
}

/* Whether facts that cannot be told apart fit a part of a class by chance: it could be asked, and nothing was shown. */
static bool is_chance(const struct naming *n)
{
	bool shown = n->is_said || bits_hold(n->part, &n->class->rows);
	for (size_t i = 0; i < n->fits->count; i++)
		shown |= asked_shows(n->f, n->class, fit_at(n, i), &n->named->against);
	return n->cause->type == CAUSE_TOGETHER && n->f->sender && !shown;
}

void name_part(const struct cause_finder *f, const struct failures *class, const struct bits *part,
               const struct named *named, struct fits *fits, struct cause *cause)
{
	struct naming naming = { .f = f, .class = class, .part = part, .named = named, .fits = fits, .cause = cause };
	if (fits->count == 0 || fits->are_too_many)
		return;
	for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
		rules[i].apply(&naming);
	if (is_chance(&naming))
		cause->type = CAUSE_UNKNOWN;
	else if (named->count > 0)
		join_rounds(f, named, naming.kind, cause);
}

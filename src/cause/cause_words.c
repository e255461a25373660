#include "cause/cause.h"

#include <string.h>

const char *const cause_type_names[CAUSE_TYPES] = {
	"found", "together", "members", "unknown", "flaky", "busy", "lasts"
};

/* What a subject is called: the last part of a pointer, and of what has none its own words. */
static const char *name_of(const struct cause_fact *fact)
{
	const char *slash = strrchr(fact->subject, '/');
	if (fact->kind == FACT_UNKNOWN_KEY && fact->subject[0] == '\0')
		return "an object";
	if (fact->kind == FACT_UNKNOWN_KEY && slash && slash[1] == '\0')
		return "the notification";
	if (fact->subject[0] == '\0')
		return fact->kind == FACT_UPPER ? "its identifiers" : "its texts";
	return slash ? slash + 1 : fact->subject;
}

/* What the fact is about; of the same fact of several members all of them. */
static void append_subject(const struct cause *cause, const struct cause_fact *fact, struct buffer *out)
{
	size_t count = cause->type == CAUSE_MEMBERS ? cause->fact_count : 1;
	for (size_t i = 0; i < count; i++)
		buffer_printf(out, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " or ", name_of(&fact[i]));
}

/* The subject, and behind "a " with the article that it has. */
static void append_named(const struct cause *cause, const struct cause_fact *fact, struct buffer *out)
{
	bool has_article = out->length >= 3 && memcmp(out->data + out->length - 3, " a ", 3) == 0;
	if (has_article && strchr("aeio", name_of(fact)[0])) {
		buffer_consume_end(out, 1);
		buffer_append_text(out, "n ");
	}
	append_subject(cause, fact, out);
}

static void append_filled(const struct cause *cause, const struct cause_fact *fact, const char *text,
                          struct buffer *out)
{
	for (; *text; text++) {
		bool is_place = text[0] == '{' && (text[1] == 's' || text[1] == 'v') && text[2] == '}';
		if (!is_place) {
			buffer_append_byte(out, *text);
			continue;
		}
		if (text[1] == 's')
			append_named(cause, fact, out);
		else
			buffer_append_text(out, fact->value);
		text += 2;
	}
}

void cause_append_words(const struct cause *cause, bool several, struct buffer *out)
{
	switch (cause->type) {
	case CAUSE_FLAKY:
		buffer_printf(out, "comes and goes: %zu of %zu requests; the same one gets another response later",
		              cause->failed, cause->total);
		return;
	case CAUSE_BUSY:
		buffer_printf(out, "comes and goes: %zu of %zu requests; the listener limits their rate", cause->failed,
		              cause->total);
		return;
	case CAUSE_UNKNOWN:
		buffer_append_text(out, "no difference to accepted ones was found");
		return;
	case CAUSE_LASTS:
		buffer_append_text(out, "from the first on, no request was accepted, not even one like those before");
		return;
	case CAUSE_FOUND:
	case CAUSE_TOGETHER:
	case CAUSE_MEMBERS:
	case CAUSE_TYPES:
		break;
	}
	bool is_one_of = cause->type == CAUSE_TOGETHER && cause->fact_count > 1;
	buffer_append_text(out, several ? "each " : "it ");
	size_t count = cause->type == CAUSE_MEMBERS ? 1 : cause->fact_count;
	for (size_t i = 0; i < count; i++) {
		buffer_append_text(out, i == 0 ? "" : i + 1 < count ? ", " : is_one_of ? ", or " : " and ");
		append_filled(cause, &cause->facts[i], fact_rows[cause->facts[i].kind].phrase, out);
	}
	if (is_one_of)
		buffer_append_text(out, "; one of these is why: they always came together");
}

const char *cause_fix_of_status(int status)
{
	static const struct {
		int status;
		const char *fix;
	} fixes[] = {
		{ 401, "let notifications in without a login, or give what the listener asks for with -H" },
		{ 403,
		  "let notifications in without a login or a CSRF token, or give what the listener asks for with -H" },
		{ 404, "the URL takes other notifications: store what refers to something unknown, and respond 2xx" },
		{ 405, "accept POST at this URL" },
		{ 411, "read chunked bodies, too, which have no Content-Length" },
		{ 413, "raise the limit of the request body to 64 kB at least" },
		{ 415, "accept the Content-Type application/json" },
	};
	for (size_t i = 0; i < sizeof fixes / sizeof fixes[0]; i++)
		if (fixes[i].status == status)
			return fixes[i].fix;
	return NULL;
}

/* Whether the status says more of what to do than the fact: where it came, or how, is then only what it asks for. */
static bool status_says_more(enum fact_kind kind, int status)
{
	bool is_place = kind == FACT_SEGMENT || kind == FACT_PART, is_way = kind == FACT_HEADER || kind == FACT_WAY;
	return ((status == 401 || status == 403) && (is_place || is_way)) || (status == 411 && is_way);
}

/* Whether it is an entry that the listener's routes do not have: the service with what else the envelope says. */
static bool is_route(const struct cause *cause)
{
	return cause->type == CAUSE_FOUND && cause->fact_count > 1 && cause->facts[0].kind == FACT_SERVICE;
}

static bool is_response(enum fact_response response, int status)
{
	switch (response) {
	case FACT_NO_RESPONSE:
		return status == 0;
	case FACT_LIMIT:
		return status == 413 || status == 414 || status == 431;
	case FACT_FAILED:
		return status == 500;
	}
	return false;
}

static const char *fix_of(const struct cause_fact *fact, int status)
{
	if (status_says_more(fact->kind, status))
		return cause_fix_of_status(status);
	for (size_t i = 0; i < fact_fix_count; i++) {
		const struct fact_fix *row = &fact_fixes[i];
		if (row->kind == fact->kind && (!row->value || strcmp(row->value, fact->value) == 0) &&
		    is_response(row->response, status))
			return row->fix;
	}
	return fact_rows[fact->kind].fix;
}

/* What to do about each of the facts, which are not told apart, or else about the first. */
static void append_fixes(const struct cause *cause, struct buffer *out)
{
	size_t count = cause->type == CAUSE_TOGETHER ? cause->fact_count : 1;
	if (is_route(cause)) {
		buffer_append_text(out, fact_rows[FACT_KIND].fix);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		LOCAL_BUFFER fix = BUFFER_FOR(out);
		append_filled(cause, &cause->facts[i], fix_of(&cause->facts[i], cause->status), &fix);
		if (i > 0 && strstr(buffer_text(out), buffer_text(&fix)))
			continue;
		buffer_append_text(out, i > 0 ? "; or " : "");
		buffer_append(out, fix.data, fix.length);
	}
}

void cause_append_fix(const struct cause *cause, struct buffer *out)
{
	if (cause->status >= 300 && cause->status < 400) {
		buffer_append_text(out, "respond 2xx at this URL: senders do not follow redirects");
		return;
	}
	switch (cause->type) {
	case CAUSE_FLAKY:
		buffer_append_text(out,
		                   "see the listener's log: a resource that it shares, a time limit, or one of several "
		                   "instances");
		return;
	case CAUSE_BUSY:
		buffer_append_text(out, "raise the limit, or test with a listener that has none");
		return;
	case CAUSE_UNKNOWN:
		if (cause->status == 401 || cause->status == 403)
			buffer_append_text(out,
			                   "no login is missing, since others like it were accepted: see what refuses "
			                   "them (a limit of the rate, a firewall)");
		return;
	case CAUSE_LASTS:
		buffer_append_text(
		        out, "what the first of them, or one before it, has done to the listener lasts: a transaction "
		             "or connection that stays broken, a lock, memory; see its log there, and restart it");
		return;
	case CAUSE_FOUND:
	case CAUSE_TOGETHER:
	case CAUSE_MEMBERS:
	case CAUSE_TYPES:
		append_fixes(cause, out);
	}
}

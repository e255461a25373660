/* What was asked, and what the responses show. */
#include "cause/cause_internal.h"

#include <string.h>

const struct asked *asked_find(const struct cause_finder *f, enum ask ask, size_t row, const char *subject,
                               size_t round)
{
	for (size_t i = 0; i < f->asked_count; i++)
		if (f->asked[i].ask == ask && f->asked[i].row == row && f->asked[i].round == round &&
		    strcmp(f->asked[i].subject, subject) == 0)
			return &f->asked[i];
	return NULL;
}

bool asked_sounds_same(const struct cause_finder *f, const struct asked *asked, const struct failures *class)
{
	return asked->response != FIT_NONE && f->rows.list[asked->response].class_key == class->key;
}

bool asked_is_same(const struct asked *asked, const struct failures *class)
{
	return asked->response != FIT_NONE && bits_have(&class->rows, asked->response);
}

bool fact_is_of_envelope(const struct fact *fact)
{
	for (size_t key = 0; key < FACT_ENVELOPE; key++)
		if (strcmp(fact->subject, fact_key_pointer(key)) == 0)
			return true;
	return false;
}

bool asked_is_without(const struct asked *asked, const struct fact *fact)
{
	bool is_about = fact_is_after(fact) ? asked->ask == ASK_RENEWED
	                                    : asked->ask == ASK_WITHOUT && strcmp(fact->subject, asked->subject) == 0;
	return is_about && asked->response != FIT_NONE && !bits_have(&fact->rows, asked->response);
}

bool asked_shows(const struct cause_finder *f, const struct failures *class, const struct fact *fact,
                 const struct bits *against)
{
	for (size_t i = 0; i < f->asked_count; i++) {
		const struct asked *asked = &f->asked[i];
		/* A control follows the request with the fact. */
		bool controls = asked->ask == ASK_CONTROL && fact_is_of_envelope(fact) && asked->response != FIT_NONE &&
		                strcmp(asked->subject, fact->subject) == 0;
		/* What a control is made of has all that is named. */
		bool shows = controls ? bits_have(&f->rows.accepted, asked->response)
		                      : asked_is_without(asked, fact) && bits_have(against, asked->response);
		if (shows && bits_have(&class->rows, asked->row))
			return true;
	}
	return false;
}

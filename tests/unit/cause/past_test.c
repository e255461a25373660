/* What of a request depends on others: what was before it, and what was in flight at the same time. */
#include "cause/cause_internal.h"
#include "test.h"

#include <string.h>

#define ID(digit) "aaaaaaaa-0000-4000-8000-00000000000" digit
#define BODY(service, event, method, path, details)                                                                    \
	"{\"service\":\"" service "\",\"event\":\"" event "\",\"method\":\"" method "\",\"path\":\"" path              \
	"\",\"details\":{" details "}}"

static const char created[] = BODY("user", "201", "post", "/api/user/v2", "\"clientKey\":\"" ID("3") "\"");
static const char enrolled[] =
        BODY("monitoring", "200", "post", "/api/monitoring/v2",
             "\"clientKey\":\"" ID("3") "\",\"userId\":\"" ID("3") "\",\"enrollmentCode\":\"a\"");
static const char enrolled_other[] = BODY("monitoring", "200", "post", "/api/monitoring/v2",
                                          "\"clientKey\":\"" ID("4") "\",\"enrollmentCode\":\"a\"");
static const char enrolled_user[] =
        BODY("monitoring", "200", "post", "/api/monitoring/v2", "\"userId\":\"" ID("3") "\"");
static const char enrolled_nobody[] =
        BODY("monitoring", "200", "post", "/api/monitoring/v2", "\"enrollmentCode\":\"a\"");
static const char cancelled[] = BODY("monitoring", "200", "delete", "/api/monitoring/v2",
                                     "\"clientKey\":\"" ID("5") "\",\"enrollmentCode\":\"a\"");

/* A request, in the order in which they were sent. */
struct sent {
	const char *body; /* NULL: the end */
	int64_t sent, finished;
	unsigned how;
};
enum { FAILS = 1, AT_ONCE = 2, NEW_LIFE = 4 /* the listener was started again before it */ };

/* Whether the fact is said of the row. */
static bool has_fact(const struct rows *rows, size_t at, enum fact_kind kind)
{
	for (size_t i = 0; i < rows->fact_count; i++)
		if (rows->facts[i].kind == kind && bits_have(&rows->facts[i].rows, at))
			return true;
	return false;
}

TEST(test_facts_of_the_past)
{
	static const struct {
		struct sent sent[4];
		size_t of; /* which is looked at */
		enum fact_kind kind;
		bool has;
	} rows[] = {
		/* What ends when it begins is before it, and what takes no time is not before itself. */
		{ { { created, 1, 5, 0 }, { created, 5, 6, FAILS } }, 1, FACT_REPEAT, true },
		{ { { created, 1, 5, 0 }, { enrolled, 5, 6, FAILS } }, 1, FACT_AFTER, true },
		{ { { created, 5, 5, 0 } }, 0, FACT_REPEAT, false },
		{ { { created, 5, 5, 0 } }, 0, FACT_AFTER, false },
		{ { { created, 5, 5, 0 }, { created, 5, 6, 0 } }, 1, FACT_REPEAT, true },
		/* Of what is in flight together a failure may have come after, an accepted one need not. */
		{ { { created, 1, 6, AT_ONCE }, { created, 2, 5, FAILS | AT_ONCE } }, 1, FACT_REPEAT, true },
		{ { { created, 1, 6, AT_ONCE }, { created, 2, 5, AT_ONCE } }, 1, FACT_REPEAT, false },
		{ { { created, 5, 6, 0 }, { created, 2, 5, FAILS } }, 1, FACT_REPEAT, false },
		{ { { created, 1, 6, AT_ONCE }, { created, 2, 5, FAILS | AT_ONCE } }, 1, FACT_AFTER_PRESENT, true },
		{ { { created, 1, 6, AT_ONCE }, { cancelled, 2, 5, FAILS | AT_ONCE } }, 1, FACT_AFTER_PRESENT, false },
		/* What another life of the listener has accepted is not there. */
		{ { { created, 1, 2, 0 }, { created, 3, 4, FAILS | NEW_LIFE } }, 1, FACT_REPEAT, false },
		{ { { created, 1, 6, 0 }, { created, 2, 5, FAILS | NEW_LIFE } }, 1, FACT_REPEAT, false },
		/* What it refers to was begun before; or meanwhile, where it was accepted. */
		{ { { enrolled, 3, 4, FAILS } }, 0, FACT_NEW, true },
		{ { { created, 1, 2, 0 }, { enrolled, 3, 4, FAILS } }, 1, FACT_NEW, false },
		{ { { created, 1, 6, 0 }, { enrolled, 3, 4, FAILS } }, 1, FACT_NEW, true },
		{ { { created, 1, 6, 0 }, { enrolled, 3, 4, 0 } }, 1, FACT_NEW, false },
		{ { { created, 1, 2, FAILS }, { enrolled, 3, 4, FAILS } }, 1, FACT_NEW, true },
		{ { { enrolled_user, 1, 6, 0 }, { enrolled_user, 3, 4, 0 } }, 1, FACT_NEW, true },
		/* A code is of the first that has it, unless that refers to another one's. */
		{ { { enrolled, 1, 2, 0 }, { enrolled_other, 3, 4, FAILS } }, 1, FACT_TAKEN, true },
		{ { { enrolled, 1, 3, 0 }, { enrolled_other, 3, 4, FAILS } }, 1, FACT_TAKEN, true },
		{ { { enrolled, 1, 4, 0 }, { enrolled_other, 3, 4, FAILS } }, 1, FACT_TAKEN, false },
		{ { { enrolled, 1, 2, FAILS }, { enrolled_other, 3, 4, FAILS } }, 1, FACT_TAKEN, false },
		{ { { enrolled, 1, 2, 0 }, { enrolled_other, 3, 4, NEW_LIFE } }, 1, FACT_TAKEN, false },
		{ { { cancelled, 1, 2, 0 }, { enrolled_other, 3, 4, FAILS } }, 1, FACT_TAKEN, false },
		{ { { enrolled_other, 1, 2, 0 }, { enrolled, 3, 4, 0 }, { enrolled_other, 5, 6, FAILS } },
		  2,
		  FACT_TAKEN,
		  false },
		/* Nobody has it whose notification says no customer. */
		{ { { enrolled, 1, 2, 0 }, { enrolled_nobody, 3, 4, FAILS } }, 1, FACT_TAKEN, false },
		{ { { enrolled_nobody, 1, 2, 0 }, { enrolled_other, 3, 4, FAILS } }, 1, FACT_TAKEN, false },
		/* That some are accepted at once says nothing where others are not. */
		{ { { created, 1, 6, AT_ONCE }, { enrolled, 2, 5, FAILS | AT_ONCE } }, 1, FACT_AT_ONCE, true },
		{ { { created, 1, 6, AT_ONCE }, { enrolled, 2, 5, FAILS | AT_ONCE } }, 0, FACT_AT_ONCE, false },
		{ { { created, 1, 6, AT_ONCE }, { enrolled, 2, 5, AT_ONCE } }, 0, FACT_AT_ONCE, true },
		{ { { created, 1, 6, 0 }, { enrolled, 2, 5, 0 } }, 0, FACT_AT_ONCE, false },
		{ { { created, 1, 6, AT_ONCE }, { enrolled, 2, 5, AT_ONCE } }, 0, FACT_SAME_AT_ONCE, false },
		{ { { created, 1, 6, AT_ONCE }, { created, 2, 5, AT_ONCE } }, 0, FACT_SAME_AT_ONCE, true },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct rows table;
		struct error err;
		bool added;
		assert_int_equal(rows_init(&table, &err), 0);
		for (const struct sent *s = rows[i].sent; s < rows[i].sent + 4 && s->body; s++) {
			const struct cause_request request = { .what = { .body = s->body, .length = strlen(s->body) },
				                               .side = s->how & FAILS ? CAUSE_FAILED : CAUSE_ACCEPTED,
				                               .words = "",
				                               .at_once = (s->how & AT_ONCE) != 0,
				                               .sent_ns = s->sent,
				                               .finished_ns = s->finished };
			table.life += (s->how & NEW_LIFE) != 0;
			assert_int_equal(rows_add(&table, &request, false, &added, &err), 0);
		}
		assert_int_equal(rows_settle(&table, &err), 0);
		for (size_t f = 0; f < table.fact_count; f++)
			assert_true(!fact_is_after(&table.facts[f]) || table.facts[f].keys != 0);
		if (has_fact(&table, rows[i].of, rows[i].kind) != rows[i].has)
			fail_msg("row %zu: %s", i, fact_rows[rows[i].kind].name);
		rows_release(&table);
	}
}

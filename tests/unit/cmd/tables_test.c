/* The catalogue fits the tables that commands keep per kind. */
#include "cmd/make.h"
#include "cmd/validate/validate.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

TEST(test_the_catalogue_fits)
{
	assert_in_range(catalog_kind_count(), 1, COVERAGE_KINDS_MAX);
	assert_in_range(catalog_event_count, 1, COVERAGE_KINDS_MAX);
	assert_in_range(catalog_kind_count(), 1, MAKER_KINDS_MAX);
}

TEST(test_names_of_kinds_fit)
{
	for (size_t i = 0; i < catalog_kind_count(); i++) {
		struct catalog_kind kind = catalog_kind_at(i);
		char name[CATALOG_KIND_NAME_SIZE], whole[4 * CATALOG_KIND_NAME_SIZE];
		catalog_kind_name(kind, name);
		snprintf(whole, sizeof whole, "%s%s%s", kind.event->name, kind.element ? "/" : "",
		         kind.element ? kind.element->name : "");
		assert_string_equal(name, whole);
	}
}

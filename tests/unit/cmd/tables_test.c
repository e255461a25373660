/* The catalogue fits the tables that commands keep per kind. */
#include "cmd/args/make.h"
#include "cmd/validate/validate.h"
#include "test.h"

TEST(test_the_catalogue_fits)
{
	assert_in_range(catalog_kind_count(), 1, COVERAGE_UNKNOWN);
	assert_in_range(catalog_event_count, 1, COVERAGE_UNKNOWN);
	assert_in_range(catalog_kind_count(), 1, MAKER_KINDS_MAX);
}

/* What is searched for is found where it is, also at the ends, and nowhere else. */
#include "base/find.h"
#include "test.h"

TEST(texts_are_found_first_and_bytes_last)
{
	static const char text[] = "key=a\0key=b";
	assert_ptr_equal(find_text(text, sizeof text - 1, "key", 3), text);
	assert_ptr_equal(find_text(text, sizeof text - 1, "=b", 2), text + sizeof text - 3);
	assert_ptr_equal(find_text(text, sizeof text - 1, "\0k", 2), text + 5);
	assert_null(find_text(text, sizeof text - 2, "=b", 2));
	assert_null(find_text(text, 0, "k", 1));
	assert_ptr_equal(find_last(text, sizeof text - 1, 'k'), text + 6);
	assert_ptr_equal(find_last(text, 6, 'k'), text);
	assert_ptr_equal(find_last(text, 1, 'k'), text);
	assert_null(find_last(text, 0, 'k'));
	assert_null(find_last(text, sizeof text - 1, 'x'));
}

TEST(case_does_not_matter_where_it_is_not_to)
{
	static const char head[] = "content-LENGTH: 5";
	assert_ptr_equal(find_any_case(head, "Length"), head + 8);
	assert_null(find_any_case(head, "Type"));
}

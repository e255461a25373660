/* Whether the 2xx of a run are a web page, and which. */
#include "http/deliver_internal.h"
#include "http/page_responses.h"
#include "test.h"

#include <string.h>

static void add(struct page_responses *seen, int status, const char *type, const char *body)
{
	struct exchange x = { .outcome = DELIVER_RESPONDED, .status = status };
	if (type)
		exchange_keep_field(&x, &(struct header){ TEXT("Content-Type"), text_of(type) });
	exchange_set_response(&x);
	x.response.body = text_of(body);
	page_responses_add(seen, &x);
	exchange_release(&x);
}

static void assert_says(const struct page_responses *seen, const char *expected)
{
	struct buffer out = BUFFER_INIT;
	page_responses_append(&out, seen);
	assert_string_equal(buffer_text(&out), expected);
	buffer_release(&out);
}

#define ASKS ": is this your listener?"

TEST(a_page_is_one_by_its_beginning_or_by_its_tags)
{
	static const struct {
		const char *type, *body, *title; /* NULL: it is none */
	} rows[] = {
		{ "text/html; charset=utf-8", "<!DOCTYPE html><title>Sign in to your account</title>",
		  "Sign in to your account" },
		{ NULL, "\xEF\xBB\xBF \n<!-- x --> <!doctype HTML>\n<TITLE lang=en>\n  A\n  B &amp; C\n</TITLE>",
		  "A B & C" },
		{ NULL, "<html lang=en><head></head><body><h1>Welcome</h1>", "Welcome" },
		{ "text/plain", "<html>", "" },
		{ "application/xhtml+xml", "<?xml version=\"1.0\"?><head><title>X</title></head>", "X" },
		{ "text/html", "<form action=/login><input>Name</form>", "Name" },
		/* What frameworks send where nothing says what it is. */
		{ "text/html", "ok", NULL },
		{ "text/html; charset=utf-8", "", NULL },
		{ "text/html", "<p>ok</p>", NULL },
		{ "application/json", "{\"html\": \"<html><title>x</title>\"}", NULL },
		{ "application/xml", "<head><title>x</title></head>", NULL },
		{ "text/html", "<headline>x", NULL },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct page_responses seen = { 0 };
		char expected[200] = "";
		const char *title = rows[i].title;
		add(&seen, 200, rows[i].type, rows[i].body);
		if (title)
			snprintf(expected, sizeof expected, "the responses are a page%s%s%s" ASKS, *title ? " (\"" : "",
			         title, *title ? "\")" : "");
		assert_says(&seen, expected);
	}
}

TEST(all_2xx_have_to_be_pages)
{
	struct page_responses seen = { 0 };
	assert_says(&seen, "");
	add(&seen, 404, NULL, "<!doctype html><title>Not Found</title>");
	assert_says(&seen, "");
	add(&seen, 201, NULL, "<!doctype html><title>First</title>");
	add(&seen, 200, NULL, "<!doctype html><title>Second</title>");
	add(&seen, 500, NULL, "no page");
	assert_says(&seen, "the responses are a page (\"First\")" ASKS);
	add(&seen, 204, NULL, "");
	assert_says(&seen, "");
}

TEST(a_title_is_cut_and_made_safe)
{
	struct page_responses seen = { 0 };
	struct buffer body = BUFFER_INIT;
	buffer_append_text(&body, "<!doctype html><title>\x1b[31m");
	buffer_append_repeat(&body, 'x', 100000);
	add(&seen, 200, NULL, buffer_text(&body));
	struct buffer out = BUFFER_INIT;
	page_responses_append(&out, &seen);
	assert_non_null(strstr(buffer_text(&out), "(\"\\x1B[31mxxx"));
	assert_non_null(strstr(buffer_text(&out), "xxx...\")" ASKS));
	assert_true(out.length < 160);
	buffer_release(&out);
	buffer_release(&body);
}

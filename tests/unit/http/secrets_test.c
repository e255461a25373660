/* A header is masked unless its name is known to be harmless, and so are its spellings in what a server sends back. */
#include "http/head.h"
#include "http/secrets.h"
#include "test.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

TEST(only_a_few_names_are_harmless)
{
	static const char *const harmless[] = { "Accept", "accept-encoding", "CONTENT-TYPE", "User-Agent",
		                                "Host",   "Content-Length",  "x-request-id", "traceparent" };
	static const char *const secret[] = { "Authorization",  "Cookie",          "X-Token",
		                              "X-Team",         "X-Hub-Signature", "X-Any",
		                              "Accept2",        "Accep",           "Referer",
		                              "X-Content-Type", "Idempotency-Key", "Forwarded",
		                              "Content-Type-X", "tracestate",      "" };
	for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++)
		assert_false(header_name_is_secret(harmless[i], strlen(harmless[i])));
	for (size_t i = 0; i < sizeof secret / sizeof secret[0]; i++)
		assert_true(header_name_is_secret(secret[i], strlen(secret[i])));
	assert_false(header_name_is_secret("Host: x", 4));
}

static struct header header_of(const char *line)
{
	struct header header;
	struct error ignored;
	header_read_option(line, strlen(line), &header, &ignored);
	return header;
}

TEST(a_line_is_a_header_and_written_back)
{
	static const struct {
		const char *line, *name, *value; /* NULL: absent */
		bool is_secret, is_wrong;
		const char *again; /* NULL: as it was */
	} rows[] = {
		{ "X-Token: abc", "X-Token", "abc", true, false, NULL },
		{ "X-Token:abc: d \t", "X-Token", "abc: d", true, false, "X-Token: abc: d" },
		{ "Accept: a/b", "Accept", "a/b", false, false, NULL },
		{ "X-Token:", "X-Token", NULL, false, false, NULL },
		{ "X-Token: \t", "X-Token", NULL, false, false, "X-Token:" },
		{ "X-Token;", "X-Token", "", false, false, NULL },
		{ "abcdef", "", "abcdef", true, true, ": abcdef" },
		{ "Accept", "", "Accept", true, true, ": Accept" },
		{ "X-Token; ", "", "X-Token; ", true, true, ": X-Token; " },
		{ "X-Token: a\r", "X-Token", "a", true, true, "X-Token: a" },
		{ "X Token: a", "X Token", "a", true, true, NULL },
		{ "X: a\001", "X", "a\001", true, true, NULL },
		{ "", "", "", false, true, ";" },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct header h;
		struct error err;
		struct buffer out = BUFFER_INIT;
		assert_int_equal(header_read_option(rows[i].line, strlen(rows[i].line), &h, &err) < 0,
		                 rows[i].is_wrong);
		assert_int_equal(h.value.text == NULL, rows[i].value == NULL);
		assert_true(h.name.length == strlen(rows[i].name) &&
		            memcmp(h.name.text, rows[i].name, h.name.length) == 0);
		assert_true(!rows[i].value || (h.value.length == strlen(rows[i].value) &&
		                               memcmp(h.value.text, rows[i].value, h.value.length) == 0));
		assert_int_equal(header_is_secret(&h), rows[i].is_secret);
		header_append_option(&h, &out);
		assert_string_equal(buffer_text(&out), rows[i].again ? rows[i].again : rows[i].line);
		buffer_release(&out);
	}
}

TEST(a_head_is_what_goes_out_and_masked_for_people)
{
	static const struct header headers[] = { HEADER("X-Token", "abc"),
		                                 HEADER("X-Empty", ""),
		                                 { TEXT("X-Gone"), { NULL, 0 } },
		                                 HEADER("accept", "a\x1b") };
	const struct message message = { .method = TEXT("PUT"),
		                         .target = TEXT("http://u:p@h/?k=v"),
		                         .headers = headers,
		                         .header_count = COUNT(headers) };
	const struct message nothing = { .headers = NULL };
	const struct message cut = { .method = TEXT("P\0T"), .target = TEXT("/a\0b?k\0=v&\0t#\0") };
	struct buffer out = BUFFER_INIT;
	message_append_head(&message, false, &out);
	assert_string_equal(buffer_text(&out), "PUT http://u:p@h/?k=v\nX-Token: abc\nX-Empty:\naccept: a\x1b\n");
	buffer_clear(&out);
	message_append_head(&message, true, &out);
	message_append_head(&nothing, true, &out);
	assert_string_equal(buffer_text(&out),
	                    "PUT http://u:***@h/?k=***\nX-Token: ***\nX-Empty:\naccept: a\\x1B\n? ?\n");
	buffer_clear(&out);
	message_append_head(&cut, true, &out);
	assert_string_equal(buffer_text(&out), "P\\x00T /a\\x00b?k\\x00=***&***#***\n");
	buffer_release(&out);
}

static void add(struct echoes *echoes, const char *line)
{
	const struct header header = header_of(line);
	echoes_add_header(echoes, &header);
}

static void assert_masked(const struct echoes *echoes, const char *text, bool is_cut, const char *expected)
{
	struct buffer out = BUFFER_INIT;
	buffer_append_text(&out, text);
	echoes_mask(echoes, &out, is_cut ? ECHOES_CUT_BEHIND : 0);
	assert_string_equal(buffer_text(&out), expected);
	buffer_release(&out);
}

TEST(every_spelling_is_masked)
{
	static const char *const rows[][2] = {
		{ "got <a\"b/c&d'e f> back", "got *** back" },
		{ "got a\"b/c&d'e f and a\"b/c&d'e", "got *** and a\"b/c&d'e" },
		{ "%3Ca%22b%2Fc%26d%27e%20f%3E", "***" },
		{ "%3ca%22b%2fc%26d%27e+f%3e", "***" },
		{ "{\"x\":\"<a\\\"b/c&d'e f>\"}", "{\"x\":\"***\"}" },
		{ "{\"x\":\"<a\\\"b\\/c&d'e f>\"}", "{\"x\":\"***\"}" },
		{ "<p>&lt;a&quot;b/c&amp;d&#39;e f&gt;</p>", "<p>***</p>" },
		{ "<p>&lt;a&quot;b/c&amp;d&#x27;e f&gt;</p>", "<p>***</p>" },
		{ "<p>&lt;a&#34;b/c&amp;d&#x27;e f&gt;</p>", "<p>***</p>" },
		{ "PGEiYi9jJmQnZSBmPg==", "***" },     /* of the value */
		{ "PGEiYi9jJmQnZSBmPg", "***" },       /* the same without padding */
		{ "PGEiYi9jJmQnZSBmPng=", "***Png=" }, /* with "x" behind it: these digits are of both */
		{ "eDxhImIvYyZkJ2UgZj4=", "eD***" },   /* of "x" and the value */
		{ "nothing of it", "nothing of it" },
	};
	struct echoes echoes = { .spellings = BUFFER_INIT };
	add(&echoes, "X-Key: <a\"b/c&d'e f> ");
	add(&echoes, "X-Other: a\"b/c&d'e f");
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_masked(&echoes, rows[i][0], false, rows[i][1]);
	echoes_release(&echoes);
}

/* As Python's repr() of the bytes and of the text has it, and json.dumps(), also one in the other. */
TEST(every_literal_is_masked)
{
	static const char *const rows[][2] = {
		{ "b'caf\\xc3\\xa9\\\\x\\'y\"z'", "b'***'" },
		{ "{\"x\":\"b'caf\\\\xc3\\\\xa9\\\\\\\\x\\\\'y\\\"z'\"}", "{\"x\":\"b'***'\"}" },
		{ "'caf\xC3\xA9\\\\x\\'y\"z'", "'***'" },
		{ "caf\xC3\xA9\\\\x'y\"z", "***" },
		{ "{\"x\":\"caf\\u00e9\\\\x'y\\\"z\"}", "{\"x\":\"***\"}" },
		{ "{\"x\":\"caf\\u00c3\\u00a9\\\\x'y\\\"z\"}", "{\"x\":\"***\"}" },
		{ "'caf\xC3\x83\xC2\xA9\\\\x\\'y\"z'", "'***'" },
		{ "tail-\\ud83d\\ude00-tail", "***" },
	};
	struct echoes echoes = { .spellings = BUFFER_INIT };
	add(&echoes, "X-Key: caf\xC3\xA9\\x'y\"z");
	add(&echoes, "X-Sign: tail-\xF0\x9F\x98\x80-tail");
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_masked(&echoes, rows[i][0], false, rows[i][1]);
	echoes_release(&echoes);
}

/* As .NET, Go, PHP, nginx and HTML encoders write what need not be escaped, too; each byte in a way of its own, and
 * what is escaped again: JSON in a string of JSON, a URL in a query. */
TEST(every_escape_of_a_byte_is_masked)
{
	static const char *const rows[][2] = {
		{ "{\"e\":\"bad q7Zk\\u002BL0\\u0026p\\u003C\\u003e\\u0027\\u0022\\u002f=\"}", "{\"e\":\"bad ***\"}" },
		{ "{\"e\":\"q7Zk\\u002bL0&p<>\\'\\\"\\/\\u003d\"}", "{\"e\":\"***\"}" },
		{ "\"{\\\"e\\\":\\\"q7Zk\\\\u002BL0&p<>'\\\\\\\"\\\\/=\\\"}\"", "\"{\\\"e\\\":\\\"***\\\"}\"" },
		{ "q7Zk\\x2BL0\\x26p\\x3c>'\\x22/=", "***" },
		{ "q7Zk&#43;L0&amp;p&lt;&#62;&apos;&#x22;&#x2F;&#61;", "***" },
		{ "q7Zk&plus;L0&#38;amp;p", "q7Zk&plus;L0&#38;amp;p" },
		{ "q7Zk&amp;#43;L0&amp;amp;p&amp;lt;&amp;gt;'&amp;quot;/=", "***" },
		{ "?next=%2Fhook%3Fkey%3Dq7Zk%252BL0%2526p%253C%253e%2527%2522%2f%3d", "?next=%2Fhook%3Fkey%3D***" },
		{ "%7137Zk%2BL0", "%7137Zk%2BL0" },
		{ "\\u00717Zk L0&p<>'\"/=", "***" }, /* a form's '+' */
		{ "q7Zk+L0&p<>'\"/-", "q7Zk+L0&p<>'\"/-" },
		{ "as it is: 50%25\\u0041&amp;\\\\b", "as it is: ***" },
		{ "\"50%25\\\\u0041&amp;\\\\\\\\b\"", "\"***\"" },
		{ "50%2525%5Cu0041%26amp%3B%5c%5Cb", "***" },
		{ "caf%E9-creme-\\xe9 caf&eacute;-creme", "*** caf&eacute;-creme" },
		{ "caf&#233;-creme-%C3%A9", "***" },
	};
	static const char *const cut[] = { "q7Zk\\u002BL0\\u00", "q7Zk\\u002BL0\\", "q7Zk%2BL0%2",   "q7Zk&#43;L0&am",
		                           "q7Zk&#43;L0&#3",     "q7Zk+L0%",        "q7Zk%252BL0%25" };
	struct echoes echoes = { .spellings = BUFFER_INIT };
	add(&echoes, "X-Key: q7Zk+L0&p<>'\"/=");
	add(&echoes, "X-Escaped: 50%25\\u0041&amp;\\\\b");
	add(&echoes, "X-Bytes: caf\xC3\xA9-creme-\xC3\xA9");
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_masked(&echoes, rows[i][0], false, rows[i][1]);
	for (size_t i = 0; i < COUNT(cut); i++)
		assert_masked(&echoes, cut[i], true, "");
	echoes_release(&echoes);
}

/* Where nothing but signs of escapes stands, and where it stands in a long text. */
TEST(a_long_text_is_masked)
{
	static const char signs[] = "\\%&+";
	struct buffer text = BUFFER_INIT, expected = BUFFER_INIT;
	struct echoes echoes = { .spellings = BUFFER_INIT };
	add(&echoes, "X-Key: \"token+token");
	for (const char *sign = signs; *sign; sign++) {
		buffer_append_repeat(&text, *sign, 70000);
		buffer_append_repeat(&expected, *sign, 70000);
		buffer_append_text(&text, " &quot;token\\u002btoken ");
		buffer_append_text(&expected, " *** ");
	}
	echoes_mask(&echoes, &text, 0);
	assert_string_equal(buffer_text(&text), buffer_text(&expected));
	buffer_release(&text);
	buffer_release(&expected);
	echoes_release(&echoes);
}

/* Also where one is a part of another, and where a text begins or ends within one. */
TEST(what_is_cut_is_not_shown)
{
	static const struct {
		const char *text;
		unsigned cuts;
		const char *expected;
	} rows[] = {
		{ "0123456789abcdef", 0, "***" },
		{ "01234567", 0, "***" },
		{ "-0123456789", 0, "-***89" },
		{ "-0123456789", ECHOES_CUT_BEHIND, "-" },
		{ "89abcdef-01234567", 0, "89abcdef-***" },
		{ "89abcdef-01234567\n", ECHOES_CUT_BEFORE | ECHOES_CUT_BEHIND, "-***\n" },
		{ "f", ECHOES_CUT_BEFORE, "" },
		{ "7", ECHOES_CUT_BEFORE, "" },
		{ "-f", ECHOES_CUT_BEFORE, "-f" },
		{ "0123456789abcdef0123", ECHOES_CUT_BEHIND, "***" },
		{ "u0035\\u00366789abcdef, 01234567", ECHOES_CUT_BEFORE, ", ***" },
		{ "-abcdef0123456789", 0, "-***89" },
		{ "abcdef012345678", 0, "***8" },
	};
	struct echoes echoes = { .spellings = BUFFER_INIT };
	add(&echoes, "X-Short: 01234567");
	add(&echoes, "X-Long: 0123456789abcdef");
	add(&echoes, "X-Overlapping: abcdef01234");
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buffer out = BUFFER_INIT;
		buffer_append_text(&out, rows[i].text);
		echoes_mask(&echoes, &out, rows[i].cuts);
		assert_string_equal(buffer_text(&out), rows[i].expected);
		buffer_release(&out);
	}
	echoes_release(&echoes);
}

TEST(what_is_a_secret)
{
	static const char *const lines[] = { "Accept: text/plainest",
		                             "content-type: application/json",
		                             "USER-AGENT: somebody/1",
		                             "Host: listener.example",
		                             "X-Short: seven77",
		                             "X-Empty;",
		                             "X-Gone:" };
	struct echoes echoes = { .spellings = BUFFER_INIT };
	for (size_t i = 0; i < COUNT(lines); i++)
		add(&echoes, lines[i]);
	echoes_add_url(&echoes, "http://listener.example/some/longer/path?short=1#fragment-of-it");
	assert_int_equal(echoes.spellings.length, 0);
	add(&echoes, "authorization: Bearer tokentoken");
	add(&echoes, "a-value-alone");
	echoes_add_url(&echoes, "http://somebody:password1@listener.example/?key=querysecret&b&barequery");
	assert_masked(&echoes, "Bearer tokentoken, a-value-alone", false, "Bearer ***, ***");
	assert_masked(&echoes, "somebody:password1 password1 c29tZWJvZHk6cGFzc3dvcmQx", false, "*** *** ***");
	assert_masked(&echoes, "?key=querysecret&b&barequery", false, "?key=***&b&***");
	echoes_release(&echoes);
}

TEST(a_text_that_was_cut_may_end_within_one)
{
	struct echoes echoes = { .spellings = BUFFER_INIT };
	assert_masked(&echoes, "none", true, "none");
	add(&echoes, "X-Key: tokentoken-1");
	assert_masked(&echoes, "it was tokentoken", true, "it was ");
	assert_masked(&echoes, "it was tokentoken", false, "it was tokentoken");
	assert_masked(&echoes, "tokentoken-1", true, "***");
	echoes_release(&echoes);
}

TEST(what_is_encoded_is_masked_decoded)
{
	static const char *const rows[][2] = {
		{ "unknown key q7Zk+L0pR9/T2vW4== user bob:p@ssw0rd!", "unknown key *** user ***" },
		{ "q7Zk%2BL0pR9%2FT2vW4%3D%3D q7Zk L0pR9/T2vW4==, p@ssw0rd!, bob", "*** ***, ***, bob" },
		{ "Ym9iOnBAc3N3MHJkIQ==", "***" },
		{ "two words, two+words, two%20words", "***, ***, ***" },
		{ "user alice:opensesame, opensesame; user carol:seven77, seven77",
		  "user ***, ***; user ***, seven77" },
		{ "user proxy:through-it", "user ***" },
		{ "%zz100%-sure", "***" },
	};
	struct echoes echoes = { .spellings = BUFFER_INIT };
	echoes_add_url(&echoes,
	               "http://bob:p%40ssw0rd%21@h/?key=q7Zk%2BL0pR9%2FT2vW4%3D%3D&b=two+words&c=%zz100%25-sure&d=%");
	add(&echoes, "Authorization: Basic YWxpY2U6b3BlbnNlc2FtZQ==");
	add(&echoes, "authorization: BASIC  Y2Fyb2w6c2V2ZW43Nw==");
	add(&echoes, "Proxy-Authorization: Basic cHJveHk6dGhyb3VnaC1pdA==");
	add(&echoes, "Authorization: Basic no");
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_masked(&echoes, rows[i][0], false, rows[i][1]);
	echoes_release(&echoes);
}

TEST(what_came_in_is_masked)
{
	static const struct header headers[] = { HEADER("X-Api-Key", "key-of-the-sender"),
		                                 HEADER("Cookie", "session=s3ss10n-1d; theme=dark; id=0123456789"),
		                                 HEADER("X-Request-Id", "request-12345"),
		                                 HEADER("Accept-Encoding", "gzip, deflate") };
	static const struct message message = { .target = TEXT("/hook?next=http://h/in&tok=t0ken-t0ken"),
		                                .headers = headers,
		                                .header_count = COUNT(headers) };
	struct echoes echoes = { .spellings = BUFFER_INIT };
	echoes_add_message(&echoes, &message);
	assert_masked(&echoes, "POST /hook?tok=t0ken-t0ken key-of-the-sender session s3ss10n-1d, id=0123456789", false,
	              "POST /hook?tok=*** *** session ***, id=***");
	assert_masked(&echoes, "request-12345 dark: gzip, deflate", false, "request-12345 dark: gzip, deflate");
	echoes_release(&echoes);
}

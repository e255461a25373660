/* Words as messages show them: what is secret in an address is masked however it was typed; all else stays. */
#include "base/quoted.h"
#include "test.h"

#include <string.h>

#define COUNT(rows) (sizeof(rows) / sizeof(rows)[0])

static void shown(const char *word, const char *expected)
{
	RELEASED(buffer) out = BUFFER_INIT;
	quoted_append(&out, word, strlen(word));
	if (strcmp(buffer_text(&out), expected) != 0)
		fail_msg("'%s' is shown as '%s', not '%s'", word, buffer_text(&out), expected);
	if (quoted_hides(word, strlen(word)) != (strcmp(word, expected) != 0))
		fail_msg("'%s': hides something, or not", word);
}

TEST(arguments_are_masked_by_their_names)
{
	static const char *const rows[][2] = {
		{ "--token=s3cret", "--token=***" },
		{ "--db-password=s3cret", "--db-password=***" },
		{ "-api-key=s3cret", "-api-key=***" },
		{ "API_KEY=s3cret", "API_KEY=***" },
		{ "--pwd=s3cret", "--pwd=***" },
		{ "--Client.Secret=a=b", "--Client.Secret=***" },
		{ "--auth=s3cret", "--auth=***" },
		{ "--port=8080", "--port=8080" },
		{ "--token=", "--token=" },
		{ "--token", "--token" },
		{ "token", "token" },
		{ "--db=http://u:s3cret@h/", "--db=http://u:***@h/" },
		{ "--env=TOKEN=s3cret", "--env=TOKEN=***" },
		{ "mysql:host=h;password=s3cret", "mysql:host=h;password=***" },
		{ "Server=h;Password=a b;Port=1", "Server=h;Password=***" },
		{ "a=1&token=s3cret&b=2", "a=1&token=***" },
		{ "--token=my s3cret", "--token=***" },
		{ "--jwt=s3cret", "--jwt=***" },
		{ "--pw=s3cret", "--pw=***" },
		{ "--bearer=s3cret", "--bearer=***" },
		{ "--credentials=s3cret", "--credentials=***" },
		{ "--user=me:s3cret", "--user=***" },
		{ "--user=me", "--user=me" },
		{ "-pS3cret", "-p***" },
		{ "-ume:S3cret", "-u***" },
		{ "-p8080", "-p8080" },
		{ "-port", "-port" },
		{ "-profile=s1", "-profile=s1" },
		{ "--key=a.pem", "--key=a.pem" },
		{ "--token=TOKEN", "--token=TOKEN" },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		RELEASED(buffer) out = BUFFER_INIT;
		quoted_append_argument(&out, rows[i][0], NULL);
		assert_string_equal(buffer_text(&out), rows[i][1]);
	}
}

TEST(secrets_of_two_words_are_masked)
{
	static const char *const rows[][3] = {
		{ "--token", "s3cret", "***" },
		{ "-token", "s3cret", "***" },
		{ "--db-pwd", "s3cret", "***" },
		{ "--token", "--port", "--port" },
		{ "--token=a", "s3cret", "s3cret" },
		{ "token", "s3cret", "s3cret" },
		{ "--port", "8080", "8080" },
		{ "--token", "", "" },
		{ "-u", "me:s3cret", "***" },
		{ "-u", "app.py", "app.py" },
		{ "-p", "s3cret", "***" },
		{ "-p", "8080", "8080" },
		{ "-p", "./a/b", "./a/b" },
		{ "-a", "s3cret", "***" },
		{ "--pass", "s3cret", "***" },
		{ "--pw", "s3cret", "***" },
		{ "--credential", "s3cret", "***" },
		{ "--credentials", "s3cret", "***" },
		{ "--bearer", "s3cret", "***" },
		{ "--jwt", "s3cret", "***" },
		{ "--token:", "s3cret", "***" },
		{ "X-Any:", "s3cret", "***" },
		{ "Bearer", "s3cret", "***" },
		{ "--token", "-s3cr3tpw99", "***" },
		{ "--token", "-AbCdEfGhIj", "***" },
		{ "--token", "--no-color", "--no-color" },
		{ "--token", "--port=80801", "--port=80801" },
		{ "--token", "-H", "-H" },
		{ "app.py", "7300", "7300" },
		{ "-H", "X-Any:1234", "***" },
		{ "--token-file", "a.txt", "a.txt" },
		{ "--token", "a s3cret", "***" },
		{ "-u", "http://h:80/", "http://h:80/" },
		{ "-p", "127.0.0.1:80:80", "127.0.0.1:80:80" },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		RELEASED(buffer) out = BUFFER_INIT;
		quoted_append_argument(&out, rows[i][1], rows[i][0]);
		assert_string_equal(buffer_text(&out), rows[i][2]);
	}
}

static void append_hidden(void *context, const char *text, size_t length)
{
	struct buffer *out = context;
	buffer_append_text(out, out->length > 0 ? "|" : "");
	buffer_append(out, text, length);
}

TEST(what_is_masked_is_handed_out)
{
	static const char *const rows[][3] = {
		{ "--token=s3cret", NULL, "s3cret" },
		{ "s3cret", "--token", "s3cret" },
		{ "--db=http://u:s3cret@h/?a=k3y", NULL, "s3cret|k3y" },
		{ "--db=http://h/?a=k3y&b=pl3ase", NULL, "k3y|pl3ase" },
		{ "Server=h;Password=a b;Port=1", NULL, "a|a b;Port=1|a b" },
		{ "--port=8080", NULL, "" },
		{ "***", "--port", "" },
		{ "--db=http://u:***@h/?a=k3y", NULL, "***|k3y" },
		/* As the shell hands it on, and as it is written. */
		{ "PW=\"s3cret\"; x", NULL, "s3cret;|s3cret|\"s3cret\"; x|\"s3cret\"" },
		{ "x --db=\"http://u:s3cret@h\" y", NULL, "s3cret|x --db=\"http://u:s3cret@h\" y" },
		{ "PW=s3cret sh -c 'x --token \"k3y\"'", NULL, "s3cret|k3y|k3y|s3cret sh -c 'x --token \"k3y\"'" },
		/* What is shown decoded is no part of the word. */
		{ "http%3A%2F%2Fu%3As3cret%40h", NULL, "http%3A%2F%2Fu%3As3cret%40h" },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		RELEASED(buffer) out = BUFFER_INIT;
		quoted_each_hidden(rows[i][0], rows[i][1], append_hidden, &out);
		if (strcmp(buffer_text(&out), rows[i][2]) != 0)
			fail_msg("of '%s' is hidden '%s', not '%s'", rows[i][0], buffer_text(&out), rows[i][2]);
	}
}

TEST(words_of_a_line_are_masked)
{
	static const char *const rows[][2] = {
		{ "cat kept.log; : curl -H \"X-Token: s3cret\"", "cat kept.log; : curl -H \"X-Token: ***\"" },
		{ "mysql --password=s3cret -e x", "mysql --password=*** -e x" },
		{ "mysql --password s3cret", "mysql --password ***" },
		{ "env TOKEN=s3cret x", "env TOKEN=*** x" },
		{ "T=abc TOKEN=s3cret x", "T=abc TOKEN=*** x" },
		{ "cd x;TOKEN=s3cret y", "cd x;TOKEN=*** y" },
		{ "host=h password=s3cret", "host=h password=***" },
		{ "curl -u bob:s3cret h", "curl -u *** h" },
		{ "curl\t-u\tbob:s3cret\nx", "curl\t-u\t***\nx" },
		{ "redis-cli -a s3cret get x", "redis-cli -a *** get x" },
		{ "exec python3 hook.py --token s3cret -H \"X-Api: s3cret\"",
		  "exec python3 hook.py --token *** -H \"X-Api: ***\"" },
		{ "sh -c 'x --token \"a s3cret\" y'", "sh -c 'x --token \"***\" y'" },
		{ "sh -c 'x -H \"X-Api: s3cret", "sh -c x -H X-Api: ***" },
		{ "x --token a\\ s3cret y", "x --token *** y" },
		{ "x 'u:p' --token 'k@l s3cret'", "x 'u:p' --token '***'" },
		{ "PGPASSWORD=s3cret psql", "PGPASSWORD=***" },
		{ "http://u:pw @s3cret@h/x", "http://u:***@h/x" },
		{ "python3 app.py --port 8080", "python3 app.py --port 8080" },
		{ "echo \"it's\"; cat 'a b.log'", "echo \"it's\"; cat 'a b.log'" },
		{ "mkdir -p /tmp/x; tee -a kept.log", "mkdir -p /tmp/x; tee -a kept.log" },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		RELEASED(buffer) out = BUFFER_INIT;
		quoted_append_argument(&out, rows[i][0], NULL);
		assert_string_equal(buffer_text(&out), rows[i][1]);
		assert_int_equal(quoted_hides_argument(rows[i][0], "-c"), strcmp(rows[i][0], rows[i][1]) != 0);
	}
}

TEST(lines_within_lines_have_an_end)
{
	RELEASED(buffer) line = BUFFER_INIT;
	RELEASED(buffer) out = BUFFER_INIT;
	for (int i = 0; i < 5000; i++)
		buffer_append_text(&line, i % 2 ? "' " : "\" ");
	buffer_append_text(&line, "--token s3cret");
	quoted_append_argument(&out, buffer_text(&line), NULL);
	assert_null(strstr(buffer_text(&out), "s3cret"));
}

TEST(secrets_of_addresses_are_masked)
{
	static const struct {
		const char *word, *shown;
	} rows[] = {
		{ "http://me:secret@example.com/?a=secret", "http://me:***@example.com/?a=***" },
		{ "HTTPS://ME:SECRET@HOST/x", "HTTPS://ME:***@HOST/x" },
		{ "http://secret@h/x", "http://***@h/x" },
		{ "ftp://u:secret@h/x", "ftp://u:***@h/x" },
		{ "http://u:sec ret@h/x", "http://u:***@h/x" },
		{ "http://u:sec@ret@h/x", "http://u:***@h/x" },
		{ "http://u:sec/ret@h/x?b=secret", "http://u:***@h/x?b=***" },
		{ "http//u:secret@h/p?token=secret", "http//u:***@h/p?token=***" },
		{ "http/u:secret@h/p", "***@h/p" },
		{ "https/u:sec@ret@h/p", "***@h/p" },
		{ "http:/u:secret@h/p", "http:/u:***@h/p" },
		{ "Http:u:secret@h", "Http:u:***@h" },
		{ "http//secret@h/p", "http//***@h/p" },
		{ "http//h/p#secret", "http//h/p#***" },
		{ "//u:secret@h/p", "//u:***@h/p" },
		{ "u:secret@h", "u:***@h" },
		{ ":secret@h", ":***@h" },
		{ "u:sec@ret@h/p", "u:***@h/p" },
		{ "u:sec/ret@h/p", "u:***@h/p" },
		{ "u:sec?re#t@h/p", "u:***@h/p" },
		{ "u:sec ret@h", "u:***@h" },
		{ "u:secret@h:80/p?sig=secret&b=secret#secret", "u:***@h:80/p?sig=***&b=***#***" },
		{ "secret@localhost:3000/x", "***@localhost:3000/x" },
		{ "secret@127.0.0.1/x", "***@127.0.0.1/x" },
		{ "u:p%40secret@h/", "u:***@h/" },
		{ "u%3Asecret%40h/", "u:***@h/" },
		{ "http%3A%2F%2Fu%3asecret%40h%2Fp%3ftoken%3dsecret", "http://u:***@h/p?token=***" },
		{ "h:80/p?t=secret", "h:80/p?t=***" },
		{ "h:80/p?secret", "h:80/p?***" },
		{ ":3000/p?t=secret.json", ":3000/p?t=***" },
		{ "3000/hook?secret", "3000/hook?***" },
		{ "3000?t=secret", "3000?t=***" },
		{ "localhost?t=secret", "localhost?t=***" },
		{ "localhost/cb#access_token=secret", "localhost/cb#***" },
		{ "[::1]:80/?t=secret", "[::1]:80/?t=***" },
		{ "127.0.0.1/x?secret", "127.0.0.1/x?***" },
		{ "example.com/hook?secret", "example.com/hook?***" },
		{ "hook?token=secret&sig=secret", "hook?token=***&sig=***" },
		{ "/hook?token=secret", "/hook?token=***" },
		{ "cb#id_token=secret", "cb#***" },
		{ "--to:https://u:secret@h/x", "--to:https://u:***@h/x" },
		{ "--to=u:secret@h/x", "--to=u:***@h/x" },
		{ "--proxy:http//u:secret@h", "--proxy:http//u:***@h" },
		{ "--opt:h:80/?k=secret", "--opt:h:80/?k=***" },
		{ "-x=u:secret@h", "-x=u:***@h" },
		{ "details.x=u:secret@h", "details.x=u:***@h" },
		{ "details.x:=\"http://u:secret@h\"", "details.x:=\"http://u:***@h\"" },
		{ "junit=http//u:secret@h", "junit=http//u:***@h" },
		{ "\"u:secret@h\"", "\"u:***@h\"" },
		{ "<http:/u:secret@h>", "<http:/u:***@h>" },
		{ "send x --to http://u:secret@h/", "send x --to http://u:***@h/" },
		{ "https/x/u:secret@h", "***@h" },
	};
	for (size_t i = 0; i < COUNT(rows); i++)
		shown(rows[i].word, rows[i].shown);
}

TEST(values_of_headers_are_masked)
{
	static const struct {
		const char *word, *shown;
	} rows[] = {
		{ "Authorization: Bearer secret", "Authorization: ***" },
		{ "Authorization:secret", "Authorization:***" },
		{ "authorization:secret", "authorization:***" },
		{ "X-Api-Key:secret", "X-Api-Key:***" },
		{ "x-api-key: secret", "x-api-key: ***" },
		{ "api_key: secret", "api_key: ***" },
		{ "cookie: a=secret", "cookie: ***" },
		{ "--headr:Authorization:secret", "--headr:Authorization:***" },
		{ "--headr=Authorization: secret", "--headr=Authorization: ***" },
		{ "X-Api-Key=secret", "X-Api-Key=***" },
		{ "x-api-key=secret", "x-api-key=***" },
		{ "API_KEY=secret", "API_KEY=***" },
		{ "a.pem:secret", "a.pem:***" },
		{ "--cert=a.pem:sec:ret", "--cert=a.pem:***" },
		{ "/etc/a.p12:1234", "/etc/a.p12:***" },
		{ "bearer secret", "bearer ***" },
		{ "Basic secret", "Basic ***" },
	};
	for (size_t i = 0; i < COUNT(rows); i++)
		shown(rows[i].word, rows[i].shown);
}

TEST(what_hides_nothing_stays)
{
	static const char *const words[] = {
		"a?b=1.json",
		"dir/a?b=1.json",
		"/tmp/a?b=1.json",
		"x?.json",
		"x*.json",
		"what?",
		"a.d/what?",
		"user-created:2",
		"missing-key:details.appKey",
		"details.appKey=x",
		"appKey=x",
		"API_KEY=VALUE",
		"a.pem",
		"a.pem:",
		"details.x:={\"a\":1}",
		"@headers",
		"me@example.com",
		"logo@2x.json",
		"http://example.com/a@b",
		"localhost:3000/hook",
		"localhost:3000/users/me@example.com",
		"Localhost:3000/hook",
		"127.0.0.1:80",
		"HOST1:PORT1:HOST2:PORT2",
		"http://HOST:PORT/PATH",
		"http://[::1]:3000,",
		"#2",
		"c.ndjson#3",
		"2026-11-21 12:00:05",
		"200,5xx",
		"10%",
		"100%25",
		"a%20b",
		"/details/appKey",
		"C:\\x\\y.json",
		"service: user",
		"://",
		"?",
		"",
		"-",
		"--",
	};
	for (size_t i = 0; i < COUNT(words); i++)
		shown(words[i], words[i]);
}

static void __attribute__((format(printf, 2, 3))) print_hint(struct buffer *out, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	quoted_printf(out, QUOTED_TO_TYPE, format, args);
	va_end(args);
}

TEST(what_is_quoted_in_a_hint_is_one_word)
{
	static const char *const rows[][2] = {
		{ "http://u:pw @s3cret@h/x.json", "write 'URL' too" },
		{ "Authorization: a \"s3cret\"", "write 'NAME: VALUE' too" },
		{ "a b.json", "write 'a b.json' too" },
		{ "", "write '' too" },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		RELEASED(buffer) out = BUFFER_INIT;
		print_hint(&out, "write '%s' too", rows[i][0]);
		assert_string_equal(buffer_text(&out), rows[i][1]);
	}
	RELEASED(buffer) out = BUFFER_INIT;
	print_hint(&out, "write 'credhook show %s'", "--to http://u:s3cret@h/ x");
	assert_string_equal(buffer_text(&out), "write 'credhook show --to URL x'");
}

static void __attribute__((format(printf, 2, 3))) print_quoted(struct buffer *out, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	quoted_printf(out, QUOTED_TO_READ, format, args);
	va_end(args);
}

TEST(what_is_quoted_in_a_message_may_be_a_command)
{
	RELEASED(buffer) out = BUFFER_INIT;
	print_quoted(&out, "cannot run '%s'", "python3 hook.py --token=s3cret -p 8080");
	assert_string_equal(buffer_text(&out), "cannot run 'python3 hook.py --token=*** -p 8080'");
}

#include "base/quoted.h"

#include "base/ascii.h"
#include "base/url.h"

#include <string.h>
#include <strings.h>

#define MASK        "***"
#define OPENING     " '\"<({["
#define NAME_BYTES  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
#define PATH_BYTES  NAME_BYTES "./"
#define DIGITS      "0123456789"
#define PORT_DIGITS 5
#define BLANKS      " \t\r\n"

#define LINES_WITHIN 8 /* sh -c "sh -c '...'"; deeper ones are not shown */
#define OPTION_SHORT 8 /* characters of a word with '-' before it that is not taken for a secret */

/* Names of what is read and written here: a '?' in one begins no query. */
static const char *const file_endings[] = { ".json", ".ndjson", ".jsonl", ".har", ".gz",  ".html", ".xml",
	                                    ".txt",  ".sarif",  ".yaml",  ".yml", ".log", ".key",  ".pem" };

static bool is_file_name(const char *word)
{
	size_t length = strlen(word);
	for (size_t i = 0; i < sizeof file_endings / sizeof file_endings[0]; i++)
		if (length > strlen(file_endings[i]) &&
		    strcmp(word + length - strlen(file_endings[i]), file_endings[i]) == 0)
			return true;
	return false;
}

/* What stands before an address: quotes, --NAME= and --NAME:, PATH= and PATH:=. */
static size_t before_address(const char *word)
{
	const char *at = word + strspn(word, OPENING), *dashes = at;
	at += strspn(at, "-");
	size_t name = strspn(at, at > dashes ? NAME_BYTES : PATH_BYTES);
	size_t sign = strspn(at + name, at > dashes ? ":= " : ":!~");
	if (at > dashes && sign > 0)
		at += name + sign;
	else if (at == dashes && name > 0 && (at[name] == '=' || (sign > 0 && at[name + sign] == '=')))
		at += name + sign + (at[name + sign] == '=');
	return (size_t)(at + strspn(at, OPENING) - word);
}

/* http:, http:/, http//: the scheme of a URL, and what was typed behind it. */
static size_t scheme_length(const char *at)
{
	static const char *const schemes[] = { "https", "http" };
	for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
		size_t length = strlen(schemes[i]);
		if (strncasecmp(at, schemes[i], length) != 0)
			continue;
		size_t signs = strspn(at + length, ":/");
		if (at[length] == ':' || signs > 1)
			return length + signs;
	}
	return strspn(at, "/") > 1 ? strspn(at, "/") : 0;
}

/* The place of the first SCHEME://, or NULL. */
static const char *find_scheme(const char *word)
{
	const char *colon = strstr(word, "://");
	while (colon && colon > word && (ascii_is_alnum(colon[-1]) || strchr("+-.", colon[-1])))
		colon--;
	return colon;
}

/* The last '@' behind a password, USER:PASSWORD@HOST; NULL: there is none. */
static const char *password_end(const char *word)
{
	const char *colon = strchr(word, ':'), *found = NULL;
	for (const char *at = colon; at && (at = strchr(at + 1, '@'));)
		found = at[1] && at[1] != ' ' ? at : found;
	return found;
}

/* Certainly an address, without a scheme: a port, or a host that no file has as its name. */
static bool has_place(const char *at)
{
	static const char local[] = "localhost";
	struct host host;
	size_t digits = strspn(at, DIGITS), length = strcspn(at, ":/?#");
	if (at[0] == ':' ? ascii_is_digit(at[1])
	                 : digits > 0 && digits <= PORT_DIGITS && at[digits] && strchr("/?#", at[digits]))
		return true;
	if (at[0] == '[' || (length == strlen(local) && strncasecmp(at, local, length) == 0))
		return true;
	return length > 0 &&
	       ((at[length] == ':' && ascii_is_digit(at[length + 1])) || host_parse_address(at, length, &host) == NULL);
}

/* Likely one, where no file is meant: example.com/hook?KEY, or any NAME=VALUE behind a '?' or '#'. */
static bool has_values(const char *at)
{
	const char *query = strpbrk(at, "?#");
	size_t host = strcspn(at, ":/?#");
	bool is_host = host > 0 && strchr("/?", at[host]) && at[host] && memchr(at, '.', host) && at[0] != '.';
	return query && !is_file_name(at) && (is_host || (strchr(query, '=') && strchr(query, '=')[1]));
}

/* An address whose scheme, if any, was written already. Up to the last '@' all may be a password where it cannot be
 * read. */
static void append_address(struct buffer *out, const char *address)
{
	static const char scheme[] = "http://";
	LOCAL_BUFFER url = BUFFER_FOR(out), masked = BUFFER_FOR(out);
	struct url parts;
	size_t slashes = strspn(address, "/");
	buffer_append(out, address, slashes);
	buffer_printf(&url, "%s%s", scheme, address + slashes);
	const char *text = buffer_text(&url);
	bool is_local = strchr("/:?#", address[0]) || !password_end(address);
	if ((url_parse(text, &parts) == NULL || is_local) && !password_end(parts.rest))
		url_append_masked(&masked, text);
	else
		url_append_masked_unparsed(&masked, text);
	buffer_append_text(out, buffer_text(&masked) + (masked.failed ? 0 : strlen(scheme)));
}

/* What hints have in a secret's place. */
static const char *const placeholders[] = { "VALUE", "NAME=VALUE", "Bearer TOKEN", "TOKEN", NULL };

static bool is_among(const char *text, const char *const *texts)
{
	while (*texts && strcmp(*texts, text) != 0)
		texts++;
	return *texts != NULL;
}

/* What the name of a secret has in it. */
static const char *const secret_names[] = { "auth", "token",  "secret", "key",   "cookie",     "pass",
	                                    "pw",   "bearer", "jwt",    "creds", "credential", "signature" };

/* Whether the first `length` bytes are the name of a secret: `is_certain`, or one that only begins with "auth". */
static bool names_secret(const char *name, size_t length, bool is_certain)
{
	if (!is_certain && strncasecmp(name, "auth", strlen("auth")) != 0)
		return false;
	for (size_t i = 0; i < sizeof secret_names / sizeof secret_names[0]; i++) {
		size_t part = strlen(secret_names[i]);
		for (size_t at = 0; at + part <= length; at++)
			if (strncasecmp(name + at, secret_names[i], part) == 0)
				return true;
	}
	return false;
}

/* The length of NAME: where a header's value follows, or "Bearer " and "Basic "; 0: none. */
static size_t before_secret(const char *at)
{
	size_t name = strspn(at, NAME_BYTES), blanks = strspn(at + name + (at[name] == ':'), " ");
	size_t value = name + (at[name] == ':') + blanks;
	bool is_placeholder = is_among(at + value, placeholders);
	bool has_case = ascii_is_upper(at[0]) && strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") < name;
	bool is_secret = has_case || strncasecmp(at, "x-", 2) == 0; /* HOST:PORT is a placeholder */
	if (name < 2 || !at[value] || is_placeholder)
		return 0;
	if (at[name] == ' ')
		return strncasecmp(at, "bearer ", 7) == 0 || strncasecmp(at, "basic ", 6) == 0 ? value : 0;
	is_secret = is_secret || names_secret(at, name, blanks > 0);
	return at[name] == ':' && is_secret && (blanks > 0 || !strchr("/" DIGITS, at[value])) ? value : 0;
}

bool quoted_is_header(const char *word)
{
	return before_secret(word) > 0;
}

/* `at`: where the address would begin, in the word. */
static void append_masked(struct buffer *out, const char *word, const char *at)
{
	const char *url = find_scheme(at);
	size_t scheme = scheme_length(at), name = scheme > 0 ? 0 : before_secret(at), user = strcspn(at, "@/?#");
	const char *behind_user = at[user] == '@' ? at + user + 1 : at;
	if (name > 0) {
		buffer_append(out, word, (size_t)(at - word) + name);
		buffer_append_text(out, MASK);
	} else if (url && strcspn(at, "@?#") > (size_t)(url - at)) {
		buffer_append(out, word, (size_t)(at - word));
		url_append_masked_text(out, at, strlen(at));
	} else if (scheme > 0) {
		buffer_append(out, word, (size_t)(at - word) + scheme);
		append_address(out, at + scheme);
	} else if (password_end(at) || has_place(at) || has_place(behind_user) || has_values(at)) {
		buffer_append(out, word, (size_t)(at - word));
		append_address(out, at);
	} else {
		buffer_append_text(out, word);
	}
}

/* The signs that make an address, where they are written as %XX. */
static void append_decoded(struct buffer *out, const char *word)
{
	for (const char *at = word; *at; at++) {
		bool is_hex = *at == '%' && ascii_is_hex(at[1]) && ascii_is_hex(at[2]);
		char byte = is_hex ? (char)(ascii_hex_value(at[1]) << 4 | ascii_hex_value(at[2])) : '\0';
		bool is_sign = byte && strchr(":/?#@=&", byte);
		buffer_append_byte(out, is_sign ? byte : *at);
		at += is_sign ? 2 : 0;
	}
}

/* X-Api-Key=VALUE and API_KEY=VALUE, typed for a header; a.pem:PASSWORD, as curl has it. Where the secret begins; NULL:
 * none. Names of payloads have neither '-' nor a capital at the beginning. */
static const char *find_secret(const char *word)
{
	static const char *const certificates[] = { ".pem:", ".crt:", ".cer:", ".key:", ".p12:", ".pfx:" };
	const char *at = word + strspn(word, OPENING);
	size_t name = strspn(at, NAME_BYTES);
	bool is_header = at[0] != '-' && (ascii_is_upper(at[0]) || memchr(at, '-', name));
	if (is_header && at[name] == '=' && at[name + 1] && !is_among(at + name + 1, placeholders) &&
	    names_secret(at, name, true))
		return at + name + 1;
	for (size_t i = 0; i < sizeof certificates / sizeof certificates[0]; i++) {
		const char *found = strstr(word, certificates[i]);
		if (found && found > word && found[strlen(certificates[i])] && !strstr(word, "://"))
			return found + strlen(certificates[i]);
	}
	return NULL;
}

void quoted_append(struct buffer *out, const char *word, size_t length)
{
	LOCAL_BUFFER text = BUFFER_FOR(out), plain = BUFFER_FOR(out), masked = BUFFER_FOR(out);
	buffer_append(&text, word, length);
	append_decoded(&plain, buffer_text(&text));
	const char *whole = buffer_text(&plain);
	const char *secret = find_secret(whole);
	if (secret) {
		buffer_append(&masked, whole, (size_t)(secret - whole));
		buffer_append_text(&masked, MASK);
	} else {
		append_masked(&masked, whole, whole + before_address(whole));
	}
	bool hides = strcmp(buffer_text(&masked), whole) != 0;
	if (!hides && whole[0] == '-') { /* --user:password@host */
		buffer_clear(&masked);
		append_masked(&masked, whole, whole + strspn(whole, "-"));
		hides = strcmp(buffer_text(&masked), whole) != 0;
	}
	const struct buffer *shown = hides ? &masked : &text;
	buffer_append(out, buffer_text(shown), shown->length);
}

/* curl -u USER:PASSWORD */
static bool has_two_parts(const char *value)
{
	return strchr(value, ':') && !strstr(value, "://");
}

/* curl -H NAME:VALUE, where that is not masked as a header. */
static bool is_bare_header(const char *value)
{
	return strchr(value, ':') && before_secret(value) == 0;
}

/* mysql -p PASSWORD, redis-cli -a PASSWORD; others have a port, an address or a file there. */
static bool is_not_port(const char *value)
{
	return value[strspn(value, DIGITS ".:")] && !strchr("./", value[0]);
}

/* Options whose value is a secret where it looks so. */
static const struct {
	const char *name;
	bool (*is_secret)(const char *value);
} secret_options[] = {
	{ "u", has_two_parts },    { "U", has_two_parts },
	{ "user", has_two_parts }, { "proxy-user", has_two_parts },
	{ "H", is_bare_header },   { "header", is_bare_header },
	{ "p", is_not_port },      { "a", is_not_port },
};

/* Whether the value of NAME, of `length` bytes, is a secret; `is_option`: dashes are before it. */
static bool is_secret_of(const char *name, size_t length, bool is_option, const char *value)
{
	if (!*value || is_file_name(value) || is_among(value, placeholders) || length == 0)
		return false;
	bool is_secret = names_secret(name, length, true);
	for (size_t i = 0; is_option && i < sizeof secret_options / sizeof secret_options[0]; i++)
		is_secret |= strlen(secret_options[i].name) == length &&
		             strncmp(secret_options[i].name, name, length) == 0 && secret_options[i].is_secret(value);
	return is_secret;
}

/* --port, -H: letters; a secret may begin with '-', too. */
static bool is_option(const char *word)
{
	size_t letters = strspn(word, "abcdefghijklmnopqrstuvwxyz-");
	return word[0] == '-' && (strlen(word) <= OPTION_SHORT || !word[letters] || word[letters] == '=');
}

/* Whether the word before makes it a secret: --token VALUE, --token: VALUE, NAME: VALUE, Bearer VALUE. */
static bool is_secret_behind(const char *before, const char *word)
{
	LOCAL_BUFFER both = BUFFER_INIT;
	const char *name = before + strspn(before, "-");
	size_t length = strspn(name, NAME_BYTES ".");
	bool is_scheme =
	        strcasecmp(word, "Bearer") == 0 || strcasecmp(word, "Basic") == 0; /* the secret is behind it */
	if (!*before || !*word || is_option(word) || is_scheme)
		return false;
	if (name > before && !name[length + (name[length] == ':')] && is_secret_of(name, length, true, word))
		return true;
	buffer_printf(&both, "%s %s", name, word);
	return both.failed || before_secret(buffer_text(&both)) == strlen(name) + 1;
}

/* The place of the first value that is a secret by its NAME=, wherever that stands, and is not masked; NULL: none. */
static const char *find_value(const char *word)
{
	for (const char *sign = strchr(word, '='); sign; sign = strchr(sign + 1, '=')) {
		const char *from = sign, *value = sign + 1;
		while (from > word && strchr(NAME_BYTES ".", from[-1]))
			from--;
		const char *name = from + strspn(from, "-");
		bool is_masked = strncmp(value, MASK, strlen(MASK)) == 0 && strchr("&#", value[strlen(MASK)]);
		if (name < sign && !is_masked && is_secret_of(name, (size_t)(sign - name), name > from, value))
			return value;
	}
	return NULL;
}

/* The value behind a letter: -pPASSWORD, -uUSER:PASSWORD. Lower case alone is an option of more letters, -port. */
static const char *find_attached(const char *word)
{
	bool is_letter = word[0] == '-' && ascii_is_letter(word[1]) && word[1] != 'a';
	const char *value = is_letter ? word + 2 : "";
	bool is_name = !value[strspn(value, "abcdefghijklmnopqrstuvwxyz-")] || strchr(value, '=');
	return is_letter && !is_name && is_secret_of(word + 1, 1, true, value) ? value : NULL;
}

static void append_argument(struct buffer *out, const char *word, const char *before, int depth);

/* The next word of a line for a shell, without its quotes; where one is not closed, the rest. Returns its length as it
 * was written. */
static size_t read_word(struct buffer *word, const char *line)
{
	const char *at = line;
	char quote = '\0';
	for (; *at && (quote || !strchr(BLANKS, *at)); at++) {
		if (*at == quote) {
			quote = '\0';
		} else if (!quote && (*at == '\'' || *at == '"')) {
			quote = *at;
		} else {
			at += *at == '\\' && quote != '\'' && at[1];
			buffer_append_byte(word, *at);
		}
	}
	return (size_t)(at - line);
}

/* A text with blanks may be a line for a shell: each word is masked as an argument. */
static void append_line(struct buffer *out, const char *line, int depth)
{
	LOCAL_BUFFER before = BUFFER_FOR(out);
	while (*line) {
		LOCAL_BUFFER word = BUFFER_FOR(out), masked = BUFFER_FOR(out);
		size_t blanks = strspn(line, BLANKS), length = read_word(&word, line + blanks);
		buffer_append(out, line, blanks);
		line += blanks;
		append_argument(&masked, buffer_text(&word), buffer_text(&before), depth + 1);
		bool hides = strcmp(buffer_text(&masked), buffer_text(&word)) != 0;
		bool has_quotes = hides && length > 1 && strchr("'\"", line[0]) && line[length - 1] == line[0];
		if (has_quotes)
			buffer_append_byte(out, line[0]);
		buffer_append(out, hides ? buffer_text(&masked) : line, hides ? masked.length : length);
		if (has_quotes)
			buffer_append_byte(out, line[0]);
		line += length;
		buffer_clear(&before);
		buffer_append(&before, buffer_text(&word), word.length);
	}
}

static void append_argument(struct buffer *out, const char *word, const char *before, int depth)
{
	LOCAL_BUFFER words = BUFFER_FOR(out), masked = BUFFER_FOR(out);
	const char *value = find_value(word);
	bool has_blanks = word[strcspn(word, BLANKS)] != '\0';
	if (is_secret_behind(before, word) || (has_blanks && depth > LINES_WITHIN)) {
		buffer_append_text(out, MASK);
		return;
	}
	/* A value with blanks, as --token='a b' and Password=a b; have it, if no blank is before its name. */
	if (has_blanks && (!value || memchr(word, ' ', (size_t)(value - word))))
		append_line(&words, word, depth);
	else
		buffer_append_text(&words, word);
	quoted_append(&masked, buffer_text(&words), words.length);
	const char *shown = buffer_text(&masked);
	value = find_value(shown);
	if (!value)
		value = find_attached(shown);
	if (has_blanks && value && memchr(shown, ' ', (size_t)(value - shown)))
		value = NULL; /* it was masked as a word */
	buffer_append(out, shown, value ? (size_t)(value - shown) : masked.length);
	buffer_append_text(out, value ? MASK : "");
}

void quoted_append_argument(struct buffer *out, const char *word, const char *before)
{
	append_argument(out, word, before ? before : "", 0);
}

bool quoted_hides_argument(const char *word, const char *before)
{
	LOCAL_BUFFER shown = BUFFER_INIT;
	quoted_append_argument(&shown, word, before);
	return shown.failed || strcmp(buffer_text(&shown), word) != 0;
}

typedef void take_hidden(void *context, const char *text, size_t length);

/* Behind a value that is not quoted, a shell has its operators. */
static void take_part(const char *text, size_t length, take_hidden *take, void *context)
{
	size_t value = strcspn(text, ";&|()<>");
	take(context, text, length);
	if (value > 0 && value < length)
		take(context, text, value);
}

/* Each word of a line for a shell, as the shell hands it on. */
static void each_hidden_of_line(const char *line, take_hidden *take, void *context)
{
	LOCAL_BUFFER before = BUFFER_INIT;
	for (size_t all = strlen(line); *line;) {
		LOCAL_BUFFER word = BUFFER_INIT;
		line += strspn(line, BLANKS);
		line += read_word(&word, line);
		if (word.length < all)
			quoted_each_hidden(buffer_text(&word), buffer_text(&before), take, context);
		buffer_clear(&before);
		buffer_append(&before, buffer_text(&word), word.length);
	}
}

void quoted_each_hidden(const char *word, const char *before, void (*take)(void *, const char *, size_t), void *context)
{
	LOCAL_BUFFER shown = BUFFER_INIT;
	const size_t mask = strlen(MASK);
	quoted_append_argument(&shown, word, before);
	const char *masked = buffer_text(&shown), *at = word;
	if (shown.failed)
		take(context, word, strlen(word));
	if (shown.failed || strcmp(masked, word) == 0)
		return;
	if (word[strcspn(word, BLANKS)])
		each_hidden_of_line(word, take, context);
	for (const char *star; (star = strstr(masked, MASK)) != NULL;) {
		LOCAL_BUFFER behind = BUFFER_FOR(&shown);
		size_t plain = (size_t)(star - masked), left = strlen(at);
		const char *next = strstr(star + mask, MASK);
		buffer_append(&behind, star + mask, next ? (size_t)(next - star) - mask : strlen(star + mask));
		const char *hidden = at + plain;
		const char *end = left < plain || memcmp(at, masked, plain) != 0 ? NULL
		                  : next                                         ? strstr(hidden, buffer_text(&behind))
		                  : left - plain >= behind.length                ? at + left - behind.length
		                                                                 : NULL;
		if (!end || behind.failed || strncmp(end, buffer_text(&behind), behind.length) != 0) {
			take(context, word, strlen(word));
			return;
		}
		take_part(hidden, (size_t)(end - hidden), take, context);
		at = end;
		masked = star + mask;
	}
}

const char *quoted_word(struct buffer *out, const char *word)
{
	quoted_append(out, word, strlen(word));
	return buffer_text(out);
}

bool quoted_hides(const char *word, size_t length)
{
	LOCAL_BUFFER shown = BUFFER_INIT;
	quoted_append(&shown, word, length);
	return shown.failed || shown.length != length || memcmp(shown.data, word, length) != 0;
}

struct text quoted_part(const char *word, const char *part, size_t length)
{
	return quoted_hides(word, strlen(word)) ? text_of(word) : (struct text){ part, length };
}

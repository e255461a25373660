/* --version: what this binary is, what it is linked with, and what it can therefore do. */
#include "cmd/cmd.h"
#include "json/json_line.h"

#include <curl/curl.h>
#include <json-c/json.h>
#include <string.h>

#ifdef CREDHOOK_ZLIB
#include <zlib.h>
#endif

struct library {
	const char *name;
	const char *version; /* NULL: not linked */
};

#define LIBRARY_COUNT 5
#define FEATURE_COUNT 6

/* "OpenSSL/3.0.17" as its two halves; another TLS library keeps its own name. */
static struct library tls_library(const char *ssl_version, char name[64])
{
	const char *slash = ssl_version ? strchr(ssl_version, '/') : NULL;
	size_t length = slash ? (size_t)(slash - ssl_version) : 0;
	if (length == 0 || length >= 64)
		return (struct library){ "OpenSSL", NULL };
	memcpy(name, ssl_version, length);
	name[length] = '\0';
	return (struct library){ name, slash + 1 };
}

static void list_features(const char *features[FEATURE_COUNT], const struct library libraries[LIBRARY_COUNT])
{
	const curl_version_info_data *curl = curl_version_info(CURLVERSION_NOW);
	const struct {
		const char *name;
		bool there;
	} all[] = {
		{ "ipv6", curl->features & CURL_VERSION_IPV6 },
		{ "tls", curl->features & CURL_VERSION_SSL },
		{ "https-proxy", curl->features & CURL_VERSION_HTTPS_PROXY },
		{ "unix-sockets", curl->features & CURL_VERSION_UNIX_SOCKETS },
		{ "prompt", libraries[3].version != NULL },
		{ "gzip", libraries[4].version != NULL },
	};
	size_t count = 0;
	memset(features, 0, FEATURE_COUNT * sizeof *features);
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		if (all[i].there)
			features[count++] = all[i].name;
}

static void append_json(struct buffer *out, const struct library *libraries, const char *const *features)
{
	json_line_begin(out);
	json_line_text(out, "version", CREDHOOK_VERSION);
	json_line_object(out, "libraries");
	for (size_t i = 0; i < LIBRARY_COUNT; i++)
		if (libraries[i].version)
			json_line_text(out, libraries[i].name, libraries[i].version);
	json_line_end(out);
	json_line_array(out, "features");
	for (size_t i = 0; i < FEATURE_COUNT && features[i]; i++)
		json_line_element(out, features[i]);
	json_line_array_end(out);
	json_line_finish(out);
}

static void append_text(struct buffer *out, const struct library *libraries, const char *const *features)
{
	buffer_printf(out, "credhook %s\nlibraries:", CREDHOOK_VERSION);
	for (size_t i = 0; i < LIBRARY_COUNT; i++)
		if (libraries[i].version)
			buffer_printf(out, "%s %s %s", i > 0 ? "," : "", libraries[i].name, libraries[i].version);
	buffer_append_text(out, "\nfeatures:");
	for (size_t i = 0; i < FEATURE_COUNT && features[i]; i++)
		buffer_printf(out, " %s", features[i]);
	buffer_append_byte(out, '\n');
}

static int run_version(struct context *context, void *args, struct error *err)
{
	(void)args;
	(void)err;
	return command_show_version(context->terminal);
}

static const struct help_example examples[] = {
	{ "credhook version", "show what to name in a bug report" },
	{ "credhook version --json", "the same for a script" },
	{ NULL, NULL },
};

const struct command command_version = {
	.name = "version",
	.group = COMMAND_OTHER,
	.phrase = "show the version, libraries and features",
	.operands = "",
	.summary = "Show the version, the libraries that credhook runs with, and its features.",
	.common = (const char *const[]){ "json", NULL },
	.args_size = sizeof(struct global_options),
	.run = run_version,
	.examples = examples,
};

int command_show_version(struct terminal *terminal)
{
	struct library libraries[LIBRARY_COUNT];
	const char *features[FEATURE_COUNT];
	char tls_name[64];
	LOCAL_BUFFER text = BUFFER_INIT;
	const curl_version_info_data *curl = curl_version_info(CURLVERSION_NOW);
	libraries[0] = (struct library){ "libcurl", curl->version };
	libraries[1] = (struct library){ "json-c", json_c_version() };
	libraries[2] = tls_library(curl->ssl_version, tls_name);
#ifdef CREDHOOK_LIBEDIT
	libraries[3] = (struct library){ "libedit", CREDHOOK_LIBEDIT };
#else
	libraries[3] = (struct library){ "libedit", NULL };
#endif
#ifdef CREDHOOK_ZLIB
	libraries[4] = (struct library){ "zlib", zlibVersion() };
#else
	libraries[4] = (struct library){ "zlib", NULL };
#endif
	list_features(features, libraries);
	if (terminal->json)
		append_json(&text, libraries, features);
	else
		append_text(&text, libraries, features);
	terminal_write(terminal, buffer_text(&text), text.length);
	return EXIT_CODE_OK;
}

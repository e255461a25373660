/* --version: what this binary is, what it is linked with, and what it can therefore do. */
#include "cmd/cmd.h"
#include "json/json_line.h"

#include <curl/curl.h>
#include <json-c/json_c_version.h>
#include <stdio.h>
#include <string.h>

#ifdef CREDHOOK_ZLIB
#include <zlib.h>
#define ZLIB zlibVersion()
#else
#define ZLIB NULL
#endif
#ifdef CREDHOOK_LIBEDIT
#define LIBEDIT CREDHOOK_LIBEDIT
#else
#define LIBEDIT NULL
#endif
#ifdef CREDHOOK_STATIC
#define IS_STATIC true
#else
#define IS_STATIC false
#endif

#ifdef CREDHOOK_PORTABLE
#define IS_PORTABLE true
#else
#define IS_PORTABLE false
#endif

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
	LOCAL_BUFFER text = BUFFER_INIT, json = BUFFER_INIT;
	const curl_version_info_data *curl = curl_version_info(CURLVERSION_NOW);
	/* "OpenSSL/3.0.17" as its two halves; another TLS library keeps its own name. */
	const char *ssl = curl->ssl_version ? curl->ssl_version : "";
	char tls[64] = "OpenSSL";
	size_t length = strcspn(ssl, "/");
	if (ssl[length] && length < sizeof tls)
		snprintf(tls, sizeof tls, "%.*s", (int)length, ssl);
	const struct {
		const char *name, *version; /* NULL: not linked */
	} libraries[] = { { "libcurl", curl->version },
		          { "json-c", json_c_version() },
		          { tls, ssl[length] ? ssl + length + 1 : NULL },
		          { "libedit", LIBEDIT },
		          { "zlib", ZLIB } };
	const struct {
		const char *name;
		bool there;
	} features[] = {
		{ "ipv6", curl->features & CURL_VERSION_IPV6 },
		{ "tls", curl->features & CURL_VERSION_SSL },
		{ "https-proxy", curl->features & CURL_VERSION_HTTPS_PROXY },
		{ "prompt", LIBEDIT != NULL },
		{ "gzip", ZLIB != NULL },
		{ "static", IS_STATIC },     /* nothing of the system's is loaded */
		{ "portable", IS_PORTABLE }, /* poll(2), and nothing that Linux has beyond POSIX */
	};
	json_line_begin(&json);
	json_line_text(&json, "version", CREDHOOK_VERSION);
	json_line_object(&json, "libraries");
	buffer_printf(&text, "credhook %s\nlibraries:", CREDHOOK_VERSION);
	for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
		if (!libraries[i].version)
			continue;
		json_line_text(&json, libraries[i].name, libraries[i].version);
		buffer_printf(&text, "%s %s %s", i > 0 ? "," : "", libraries[i].name, libraries[i].version);
	}
	json_line_end(&json);
	json_line_array(&json, "features");
	buffer_append_text(&text, "\nfeatures:");
	for (size_t i = 0; i < sizeof features / sizeof features[0]; i++) {
		if (!features[i].there)
			continue;
		json_line_element(&json, features[i].name);
		buffer_printf(&text, " %s", features[i].name);
	}
	json_line_array_end(&json);
	json_line_finish(&json);
	buffer_append_byte(&text, '\n');
	terminal_write_buffer(terminal, terminal->json ? &json : &text);
	return EXIT_CODE_OK;
}

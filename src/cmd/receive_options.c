#include "cmd/receive_options.h"

#include "cmd/files.h"
#include "cmd/receive_parse.h"
#include "config/address.h"
#include "http/address.h"
#include "http/head.h"
#include "report/finding_report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FORWARD_CONCURRENCY   256
#define FORWARD_RESPONSE_MOST ((size_t)4 << 20) /* bytes of a target's response that are passed on */

static const char *const sync_names[] = { "batch", "none", NULL };
static const char *const validate_names[] = { "report", "reject", "off", NULL };

/* Bytes: 1048576, 64K, 10M, 2G. */
static int parse_size(void *field, const char *value, struct error *err)
{
	static const char units[] = "KMG";
	uint64_t *size = field;
	char *end;
	errno = 0;
	unsigned long long number = strtoull(value, &end, 10);
	unsigned shift = 0;
	const char *unit = *end ? strchr(units, *end >= 'a' ? *end - 'a' + 'A' : *end) : NULL;
	if (unit) {
		shift = 10 * (unsigned)(unit - units + 1);
		end++;
	}
	if (value[0] < '0' || value[0] > '9' || *end || errno || number == 0 || number > UINT64_MAX >> shift) {
		error_set(err, EXIT_CODE_USAGE, "'%s' is not a size in bytes", value);
		return error_hint(err, "write 1048576, 64K, 10M or 2G");
	}
	*size = (uint64_t)number << shift;
	return 0;
}

static int parse_network(void *field, const char *value, struct error *err)
{
	struct receive_networks *networks = field;
	if (!ARRAY_ROOM(networks->list, networks->capacity, networks->count + 1))
		return error_no_memory(err);
	if (http_network_parse(value, &networks->list[networks->count], err) < 0)
		return -1;
	networks->count++;
	return 0;
}

static void release_networks(void *field)
{
	struct receive_networks *networks = field;
	free(networks->list);
	*networks = (struct receive_networks){ .list = NULL };
}

static void release_respond(void *field)
{
	struct response_statuses *respond = field;
	free(respond->list);
	*respond = (struct response_statuses){ .list = NULL };
}

static void release_faults(void *field)
{
	struct response_faults *faults = field;
	free(faults->list);
	*faults = (struct response_faults){ .list = NULL };
}

static void release_rules(void *field)
{
	struct response_rules *rules = field;
	free(rules->list);
	*rules = (struct response_rules){ .list = NULL };
}

#define RECEIVE(field)  offsetof(struct receive_args, field)
#define RESPONSE(field) RECEIVE(response.field)
static const struct option capture_rows[] = {
	{ 0, "capture", "FILE", "append each notification to FILE, then respond 2xx", OPTION_TEXT, COMPLETE_FILE,
	  .offset = RECEIVE(capture) },
	{ 0, "sync", "HOW", "sync per batch, or never", OPTION_CHOICE, .offset = RECEIVE(sync), .choices = sync_names,
	  .needs = "capture" },
	{ 0, "validate", "HOW", "report findings, reject with 422, or do not check", OPTION_CHOICE,
	  .offset = RECEIVE(validate), .choices = validate_names },
};
static const struct option response_rows[] = {
	{ 0, "status", "N", "respond with this status", OPTION_NUMBER, .offset = RESPONSE(status), .least = 200,
	  .most = 599, .initial = "200", .excludes = "forward-to" },
	{ 0, "header", "LINE", "add this header to every response", OPTION_LIST, COMPLETE_NOTHING,
	  .offset = RECEIVE(headers) },
	{ 0, "body", "TEXT|@FILE", "respond with this body", OPTION_TEXT, COMPLETE_AT_FILE,
	  .offset = RECEIVE(body_source), .excludes = "forward-to" },
	{ 0, "delay", "D|D..D", "delay every response, by a time or a random one of a range", OPTION_CALL,
	  COMPLETE_NOTHING, .offset = RESPONSE(delay), .parse = receive_parse_delay },
	{ 0, "respond", "N,N...", "respond with these statuses in turn, then with the last", OPTION_CALL,
	  COMPLETE_NOTHING, .offset = RESPONSE(respond), .parse = receive_parse_respond, .release = release_respond,
	  .excludes = "forward-to" },
	{ 0, "fault", "STATUS|KIND[:P]", "a share P of 500, reset, empty, truncate, drip or hang", OPTION_CALL,
	  COMPLETE_FAULT, .offset = RESPONSE(faults), .parse = receive_parse_fault, .release = release_faults },
	{ 0, "rule", "KEY=VALUE,...", "respond differently: event=bureau-alert,status=503", OPTION_CALL, COMPLETE_RULE,
	  .offset = RESPONSE(rules), .parse = receive_parse_rule, .release = release_rules },
	{ 0, "seed", "N", "seed for random choices", OPTION_CALL, COMPLETE_NOTHING, .offset = RESPONSE(seed),
	  .parse = receive_parse_seed, .needs = "fault delay rule" },
};
static const struct option admission_rows[] = {
	{ 0, "path", "/PATH", "accept notifications at this path only, else 404", OPTION_TEXT, COMPLETE_NOTHING,
	  .offset = RECEIVE(path) },
	{ 0, "allow", "CIDR", "accept connections from this network only (10.0.0.0/8)", OPTION_CALL, COMPLETE_NOTHING,
	  .offset = RECEIVE(allowed), .parse = parse_network, .release = release_networks },
	{ 0, "max-body", "BYTES", "refuse longer bodies with 413", OPTION_CALL, COMPLETE_NOTHING,
	  .offset = RECEIVE(max_body), .parse = parse_size, .initial = "1M" },
	{ 0, "max-connections", "N", "close further connections at once", OPTION_NUMBER,
	  .offset = RECEIVE(max_connections), .least = 1, .most = 1000000, .initial = "16384" },
};
static const struct option forward_rows[] = {
	{ 0, "forward-to", "WHERE", "forward to this URL or environment, return its responses", OPTION_TEXT,
	  COMPLETE_ENVIRONMENT, .offset = RECEIVE(forward_to) },
	{ 0, "forward-timeout", "DURATION", "timeout of the target's response, then 504", OPTION_DURATION,
	  .offset = RECEIVE(forward_timeout), .initial = "30s", .needs = "forward-to" },
	{ 0, "forward-insecure", NULL, "do not verify the target's certificate", OPTION_FLAG,
	  .offset = RECEIVE(forward_insecure), .needs = "forward-to" },
	{ 0, "allow-production", NULL, "allow protected environments", OPTION_FLAG,
	  .offset = RECEIVE(allow_production) },
};
static const struct option tls_rows[] = {
	{ 0, "tls-cert", "FILE", "use TLS with this certificate (PEM)", OPTION_TEXT, COMPLETE_FILE,
	  .offset = RECEIVE(tls_cert) },
	{ 0, "tls-key", "FILE", "its private key (PEM), if in another file", OPTION_TEXT, COMPLETE_FILE,
	  .offset = RECEIVE(tls_key), .needs = "tls-cert" },
	{ 0, "tls-client-ca", "FILE", "require a client certificate of this authority (PEM)", OPTION_TEXT,
	  COMPLETE_FILE, .offset = RECEIVE(tls_client_ca), .needs = "tls-cert tls-self-signed" },
	{ 0, "tls-self-signed", NULL, "use TLS with a certificate made for this session", OPTION_FLAG,
	  .offset = RECEIVE(tls_self_signed), .excludes = "tls-cert" },
};
const struct option_group receive_capture_group = OPTION_GROUP("Capture", capture_rows, 0);
const struct option_group receive_response_group = OPTION_GROUP("Responses", response_rows, 0);
const struct option_group receive_admission_group = OPTION_GROUP("Limits and access", admission_rows, 0);
const struct option_group receive_forward_group = OPTION_GROUP("Forwarding", forward_rows, 0);
const struct option_group receive_tls_group = OPTION_GROUP("TLS", tls_rows, 0);

void receive_args_release(struct receive_args *a)
{
	const struct option_group *groups[] = { &receive_response_group, &receive_admission_group };
	for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
		options_release(groups[i], 1, a);
}

/* The scheme of a URL decides about TLS. */
static int check_scheme(const struct receive_args *a, const char *address, struct error *err)
{
	bool tls = a->tls_cert || a->tls_self_signed;
	if (http_address_has_scheme(address, "https") && !tls) {
		error_set(err, EXIT_CODE_USAGE, "'%s' needs a certificate", address);
		return error_hint(err, "add --tls-self-signed, or --tls-cert FILE");
	}
	if (http_address_has_scheme(address, "http") && tls)
		return error_set(err, EXIT_CODE_USAGE, "'%s' is plain HTTP, but --tls-%s was given", address,
		                 a->tls_cert ? "cert" : "self-signed");
	return 0;
}

int receive_args_check(const struct receive_args *a, const char *address, struct error *err)
{
	if (a->path && a->path[0] != '/') {
		error_set(err, EXIT_CODE_USAGE, "invalid --path '%s': it must begin with '/'", a->path);
		return error_hint(err, "write --path '/%s'", a->path);
	}
	if (a->max_body > (uint64_t)CHECK_PAYLOAD_MAX)
		return error_set(err, EXIT_CODE_USAGE, "invalid --max-body: 64M at most");
	if (a->validate == RECEIVE_OFF && response_policy_needs_verdict(&a->response))
		return error_set(err, EXIT_CODE_USAGE,
		                 "--rule needs the event or the verdict, which --validate off does not look for");
	return check_scheme(a, address, err);
}

/* "Name: value" as a field, without a control character in it. */
static int read_header(const char *line, struct header *field, struct error *err)
{
	static const char *const ours[] = { "Connection", "Content-Length", "Transfer-Encoding" };
	size_t name = strcspn(line, ":");
	for (const unsigned char *c = (const unsigned char *)line; *c; c++)
		if ((*c < 0x20 && *c != '\t') || *c == 0x7F)
			return line[name] == ':'
			               ? error_set(err, EXIT_CODE_USAGE,
			                           "the header '%.*s' contains a control character", (int)name, line)
			               : error_set(err, EXIT_CODE_USAGE, "a header contains a control character");
	if (name == 0 || line[name] != ':') {
		error_set(err, EXIT_CODE_USAGE, "--header needs 'Name: value'");
		return error_hint(err, "the header is not shown here: it may be a secret");
	}
	if (!http_is_token(line, name))
		return error_set(err, EXIT_CODE_USAGE, "a header is not of the form 'Name: value'");
	for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
		if (http_is_word(line, name, ours[i]))
			return error_set(err, EXIT_CODE_USAGE, "--header cannot set %s: it is that of the response",
			                 ours[i]);
	const char *value = line + name + 1 + strspn(line + name + 1, " \t");
	*field = (struct header){ { line, name }, text_of(value) };
	return 0;
}

static int make_fields(struct receive_setup *s, const struct receive_args *a, struct error *err)
{
	s->fields = calloc(a->headers.count + 1, sizeof *s->fields);
	if (!s->fields)
		return error_no_memory(err);
	for (size_t i = 0; i < a->headers.count; i++)
		if (read_header(a->headers.items[i], &s->fields[i], err) < 0)
			return -1;
	return 0;
}

static int make_body(struct receive_setup *s, const struct receive_args *a, const struct signals *signals,
                     struct error *err)
{
	if (a->body_source && a->body_source[0] == '@')
		return file_read_whole(a->body_source + 1, &s->body, signals, err);
	if (a->body_source)
		buffer_append_text(&s->body, a->body_source);
	return 0;
}

static struct http_server_options server_options(const struct receive_args *a)
{
	struct http_server_options o = http_server_defaults;
	o.limits.body = a->max_body;
	o.max_connections = a->max_connections;
	o.allowed = a->allowed.list;
	o.allowed_count = a->allowed.count;
	return o;
}

/* Past the production guard. */
static int open_target(struct receive_setup *s, const struct receive_args *a, const struct context *context,
                       struct error *err)
{
	struct route_options *o = &s->target_options;
	o->to = a->forward_to;
	o->allow_production = a->allow_production;
	o->insecure = a->forward_insecure;
	o->max_time = a->forward_timeout;
	if (route_init(&s->target, o, context, err) < 0)
		return -1;
	s->target.http.concurrency = FORWARD_CONCURRENCY;
	s->target.http.response_keep = FORWARD_RESPONSE_MOST;
	s->target.http.keep_echoes = true; /* it goes on to the client, byte for byte */
	return 0;
}

/* 127.0.0.1 and 127.0.0.2: somebody else may listen at the other address. */
static bool are_two_listeners(const struct address *a, const struct address *b)
{
	static const char any[] = "0.0.0.0";
	return a->host.kind == HOST_IPV4 && b->host.kind == HOST_IPV4 && strcmp(a->host.text, any) != 0 &&
	       strcmp(b->host.text, any) != 0 && strcmp(a->host.text, b->host.text) != 0;
}

int receive_setup_check_target(const struct receive_setup *s, const char *url, struct error *err)
{
	struct address own, there;
	struct error ignored;
	if (!s->policy.forward || address_of_url(url, &own, &ignored) < 0) /* unix:PATH */
		return 0;
	if (address_of_url(s->policy.forward->url, &there, err) < 0)
		return -1;
	/* The guard takes 80 and 443, and all loopback addresses, for one place; here they are several. */
	if (own.port != there.port || !address_same_place(&own, &there) || are_two_listeners(&own, &there))
		return 0;
	error_set(err, EXIT_CODE_USAGE, "'%s' is this listener: it would forward every request to itself",
	          buffer_text(&s->target.masked_url));
	return error_hint(err, "give --forward-to another destination");
}

static void append_rejection(const struct verdict *verdict, const char *body, size_t length, struct buffer *out)
{
	struct payload_origin origin = { "body", 1, body, length, NULL, NULL, 1 };
	finding_report_json(verdict, &origin, out);
}

int receive_setup_init(struct receive_setup *s, const struct receive_args *a, const struct context *context,
                       struct error *err)
{
	if (make_fields(s, a, err) < 0 || make_body(s, a, context->signals, err) < 0 ||
	    (a->forward_to && open_target(s, a, context, err) < 0))
		return -1;
	s->policy = (struct receive_policy){
		.server = server_options(a),
		.path = a->path,
		.validate = (enum receive_validate)a->validate,
		.append_rejection = append_rejection,
		.response = a->response,
		.fields = s->fields,
		.field_count = a->headers.count,
		.body = buffer_text(&s->body),
		.body_length = s->body.length,
		.capture = { a->capture, (enum capture_sync)a->sync },
		.forward = a->forward_to ? &s->target.http : NULL,
		.tls = { a->tls_cert, a->tls_key, a->tls_client_ca, a->tls_self_signed },
	};
	return 0;
}

void receive_setup_release(struct receive_setup *s)
{
	route_release(&s->target);
	buffer_release(&s->body);
	free(s->fields);
}

#include "receive/admission.h"

#include <string.h>

static const struct header allowed_methods[] = { { TEXT("Allow"), TEXT("POST, GET, HEAD") } };

static bool method_is(const struct message *request, const char *method)
{
	return strcmp(request->method.text, method) == 0;
}

/* The path of a target in origin-form or absolute-form: the part before '?'. */
static bool path_is(const struct message *request, const char *path)
{
	const char *target = request->target.text;
	const char *scheme = strstr(target, "://");
	if (target[0] != '/' && scheme) {
		target = scheme + 3 + strcspn(scheme + 3, "/?");
		if (*target != '/')
			target = "/";
	}
	size_t length = strcspn(target, "?");
	return strlen(path) == length && memcmp(target, path, length) == 0;
}

bool admission_of_head(const struct receive_policy *policy, const struct message *request, struct http_refusal *refusal)
{
	if (policy->path && !path_is(request, policy->path)) {
		*refusal = (struct http_refusal){ .status = 404, .reason = "notifications have another path" };
		return false;
	}
	if (method_is(request, "POST") || method_is(request, "GET") || method_is(request, "HEAD"))
		return true;
	*refusal = (struct http_refusal){ 405, "notifications are POST requests", allowed_methods, 1 };
	return false;
}

bool admission_is_notification(const struct message *request)
{
	return method_is(request, "POST");
}

enum receive_refusal admission_reason(int status)
{
	switch (status) {
	case 0:
		return REFUSED_TLS;
	case 404:
		return REFUSED_PATH;
	case 405:
		return REFUSED_METHOD;
	case 408:
		return REFUSED_TIME;
	case 413:
		return REFUSED_BODY;
	case 414:
	case 431:
		return REFUSED_HEAD;
	case 503:
		return REFUSED_MEMORY;
	default:
		return REFUSED_FORM;
	}
}

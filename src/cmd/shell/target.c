/* The session's destination: that of `use`, or its own listener; and the question before production. */
#include "base/url_mask.h"
#include "cmd/shell/shell.h"
#include "config/address.h"

#include <string.h>

#define OWN_LISTENER "listener"

static bool means_own_listener(const struct shell *s)
{
	return s->use && strcmp(s->use, OWN_LISTENER) == 0 && !config_environment_named(&s->config, OWN_LISTENER);
}

const char *shell_target(const struct shell *s)
{
	if (means_own_listener(s))
		return s->listener ? shell_listener_url(s->listener) : NULL;
	if (s->use)
		return s->use;
	if (s->listener && !config_environment_named(&s->config, "sandbox"))
		return shell_listener_url(s->listener);
	return NULL;
}

const char *shell_target_label(const struct shell *s)
{
	if (s->use)
		return s->use;
	if (config_environment_named(&s->config, "sandbox"))
		return "sandbox";
	return s->listener ? OWN_LISTENER : "";
}

/* The value of the last --NAME among the words, or NULL. */
static const char *option_value(int argc, char *const *argv, const char *name)
{
	const char *value = NULL;
	size_t length = strlen(name);
	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strncmp(argv[i], "--", 2) != 0 || strncmp(argv[i] + 2, name, length) != 0)
			continue;
		const char *behind = argv[i] + 2 + length;
		if (*behind == '=')
			value = behind + 1;
		else if (*behind == '\0' && i + 1 < argc)
			value = argv[++i];
	}
	return value;
}

int shell_check_target(const struct shell *s, int argc, char *const *argv, struct error *err)
{
	const char *given = option_value(argc, argv, "to");
	if (!given && s->use && !shell_target(s)) {
		error_set(err, EXIT_CODE_USAGE, "the destination is '%s', but nothing listens in the background",
		          s->use);
		return error_hint(err, "'listen 8080' starts it");
	}
	if (!given || strcmp(given, OWN_LISTENER) != 0 || config_environment_named(&s->config, OWN_LISTENER))
		return 0;
	error_set(err, EXIT_CODE_USAGE, "--to '%s' is not a destination", OWN_LISTENER);
	return error_hint(err, "write %s'use %s', then send without --to", s->listener ? "" : "'listen 8080' and ",
	                  OWN_LISTENER);
}

static int ask_for_name(struct shell *s, const char *name, const char *url, struct error *err)
{
	LOCAL_BUFFER words = BUFFER_INIT, typed = BUFFER_INIT, masked = BUFFER_INIT;
	url_append_masked(&masked, url);
	buffer_printf(&words, "this goes to %s (%s); type '%s' to continue: ", name, buffer_text(&masked), name);
	bool answered = shell_ask(s, buffer_text(&words), &typed);
	int answer = answered && strcmp(buffer_text(&typed), name) == 0 ? 1 : -1;
	if (answer < 0)
		error_set(err, EXIT_CODE_USAGE, "nothing was sent: '%s' was not typed", name);
	return answer;
}

int shell_ask_for_protected(struct shell *s, int argc, char *const *argv, struct error *err)
{
	LOCAL(destination_release) struct destination to = { .url = BUFFER_INIT };
	struct guarded found;
	struct error ignored; /* the command itself reports it */
	const char *given = option_value(argc, argv, "to");
	int answer = 0;
	if (s->prompt && destination_resolve(&s->config, given ? given : shell_target(s), &to, &ignored) == 0 &&
	    guard_find(&s->config, &to, NULL, &found, &ignored) > 0)
		answer = ask_for_name(s, found.environment->name, buffer_text(&to.url), err);
	return answer;
}

/* Where things go: what `use` chose, this session's own listener, and the question before production. */
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
		return s->receiver ? receiver_url(s->receiver) : NULL;
	if (s->use)
		return s->use;
	if (s->receiver && !config_environment_named(&s->config, "sandbox"))
		return receiver_url(s->receiver);
	return NULL;
}

const char *shell_target_label(const struct shell *s)
{
	if (s->use)
		return s->use;
	if (config_environment_named(&s->config, "sandbox"))
		return "sandbox";
	return s->receiver ? OWN_LISTENER : "";
}

const char *shell_option_value(int argc, char *const *argv, const char *name)
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

/* The protected environment that the destination is, or shares its address with. */
static const char *protected_name(const struct config *config, const struct destination *to)
{
	struct address wanted, its;
	struct error ignored;
	if (to->environment && to->environment->is_protected)
		return to->environment->name;
	if (address_of_url(buffer_text(&to->url), &wanted, &ignored) < 0)
		return NULL;
	for (size_t i = 0; i < config->environment_count; i++) {
		const struct config_environment *e = &config->environments[i];
		if (e->is_protected && address_of_url(e->url, &its, &ignored) == 0 && address_same_place(&wanted, &its))
			return e->name;
	}
	return NULL;
}

static int ask_for_name(struct shell *s, const char *name, const char *url, struct error *err)
{
	struct buffer words = BUFFER_INIT, typed = BUFFER_INIT, masked = BUFFER_INIT;
	address_append_masked(&masked, url);
	buffer_printf(&words, "this goes to %s (%s): type its name to go on: ", name, buffer_text(&masked));
	bool answered = shell_ask(s, buffer_text(&words), &typed);
	int answer = answered && strcmp(buffer_text(&typed), name) == 0 ? 1 : -1;
	if (answer < 0)
		error_set(err, EXIT_CODE_USAGE, "nothing was sent: '%s' was not typed", name);
	buffer_release(&words);
	buffer_release(&typed);
	buffer_release(&masked);
	return answer;
}

int shell_ask_for_protected(struct shell *s, int argc, char *const *argv, struct error *err)
{
	const struct detours none = { .connect_to = NULL };
	struct destination to = { BUFFER_INIT, NULL };
	struct error ignored;
	const char *given = shell_option_value(argc, argv, "to");
	int answer = 0;
	bool asks = s->prompt && destination_resolve(&s->config, given ? given : shell_target(s), &to, &ignored) == 0;
	if (asks && guard_check(&s->config, &to, &none, false, &ignored) < 0) {
		const char *name = protected_name(&s->config, &to);
		answer = name ? ask_for_name(s, name, buffer_text(&to.url), err) : 0;
	}
	destination_release(&to);
	return answer;
}

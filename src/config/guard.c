/* The production guard. */
#include "config/address.h"

#include <stdlib.h>
#include <string.h>

/* HOST2:PORT2, either of which may be empty: then it is that of the URL. */
static bool read_host_port(const char *text, const struct address *target, struct address *out)
{
	if (text[0] == '\0' || text[0] == ':') {
		*out = *target;
		if (text[0] && text[1])
			out->port = (unsigned)strtoul(text + 1, NULL, 10);
		return true;
	}
	if (!address_of_detour(text, out))
		return false;
	if (out->port == 0)
		out->port = target->port;
	return true;
}

/* The part of HOST1:PORT1:REST behind its second colon outside brackets; NULL: there is none. */
static const char *behind_two_colons(const char *text)
{
	int colons = 0;
	bool in_brackets = false;
	for (; *text; text++) {
		if (*text == '[')
			in_brackets = true;
		else if (*text == ']')
			in_brackets = false;
		else if (*text == ':' && !in_brackets && ++colons == 2)
			return text + 1;
	}
	return NULL;
}

static bool connect_to_reaches(const struct detours *detours, const struct address *target,
                               const struct address *guarded)
{
	for (size_t i = 0; i < detours->connect_to_count; i++) {
		const char *end = behind_two_colons(detours->connect_to[i]);
		struct address reached;
		if (end && read_host_port(end, target, &reached) && address_same_place(&reached, guarded))
			return true;
	}
	return false;
}

/* [+]HOST:PORT:ADDRESS[,ADDRESS]...: the addresses are what is reached, at that port, which --connect-to may have
 * changed from the URL's. */
static bool resolve_reaches(const struct detours *detours, const struct address *guarded)
{
	for (size_t i = 0; i < detours->resolve_count; i++) {
		const char *list = behind_two_colons(detours->resolve[i]);
		const char *port = list ? list - 1 : NULL;
		while (port && port[-1] != ':')
			port--;
		while (list && *list) {
			size_t length = strcspn(list, ",");
			bool bare_v6 = list[0] != '[' && memchr(list, ':', length);
			struct buffer text = BUFFER_INIT;
			struct address reached;
			buffer_printf(&text, "%s%.*s%s", bare_v6 ? "[" : "", (int)length, list, bare_v6 ? "]" : "");
			bool read = address_of_detour(buffer_text(&text), &reached);
			reached.port = (unsigned)strtoul(port, NULL, 10);
			buffer_release(&text);
			if (read && address_same_place(&reached, guarded))
				return true;
			list += length + (list[length] == ',');
		}
	}
	return false;
}

/* A proxy's default port depends on its kind: without a port any is taken to be meant. */
static bool proxy_reaches(const char *proxy, const struct address *guarded)
{
	struct address reached;
	if (!proxy || !*proxy || !address_of_detour(proxy, &reached))
		return false;
	if (reached.port == 0)
		reached.port = guarded->port;
	return address_same_place(&reached, guarded);
}

/* What leads to the guarded place; NULL: nothing does. */
static const char *way_to(const struct destination *destination, const struct address *target,
                          const struct detours *detours, const struct config_environment *e,
                          const struct address *guarded)
{
	if (destination->environment == e || address_same_place(target, guarded))
		return "the destination";
	if (connect_to_reaches(detours, target, guarded))
		return "--connect-to";
	if (resolve_reaches(detours, guarded))
		return "--resolve";
	return proxy_reaches(detours->proxy, guarded) ? "the proxy" : NULL;
}

int guard_find(const struct config *config, const struct destination *destination, const struct detours *detours,
               struct guarded *found, struct error *err)
{
	static const struct detours none = { NULL, 0, NULL, 0, NULL };
	const struct config_environment *named = destination->environment;
	struct address target;
	*found = (struct guarded){ NULL, NULL };
	if (address_of_url(buffer_text(&destination->url), &target, err) < 0)
		return -1;
	for (size_t i = 0; i < config->environment_count; i++) {
		const struct config_environment *e = &config->environments[i];
		struct address guarded;
		if (!e->is_protected)
			continue;
		if (address_of_url(e->url, &guarded, err) < 0)
			return -1;
		const char *way = way_to(destination, &target, detours ? detours : &none, e, &guarded);
		/* Of several at one place, the one that was named. */
		if (way && (!found->environment || e == named))
			*found = (struct guarded){ e, way };
	}
	return found->environment ? 1 : 0;
}

int guard_check(const struct config *config, const struct destination *destination, const struct detours *detours,
                bool allowed, struct error *err)
{
	struct guarded found;
	int result = guard_find(config, destination, detours, &found, err);
	if (result <= 0 || allowed)
		return result < 0 ? -1 : 0;
	error_set(err, EXIT_CODE_USAGE, "%s leads to the protected environment '%s'", found.way,
	          found.environment->name);
	return error_hint(err, "nothing was sent; add --allow-production if you mean it");
}

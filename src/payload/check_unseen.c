/* What a valid payload has that no payload of other inputs has, in words. */
#include "base/utf8.h"
#include "payload/check_internal.h"
#include "payload/places.h"
#include "payload/seen.h"

#include <string.h>

/* A place as people write it, cut where it is long. */
#define PATH_MAX_BYTES 120

/* details.riskTier; where a key has a dot in it, the JSON Pointer. */
static void append_path(struct checker *c, uint32_t token, struct buffer *out)
{
	LOCAL_BUFFER pointer = BUFFER_FOR(out);
	bool whole = json_pointer_walk_append(&c->walk, token, PATH_MAX_BYTES, &pointer);
	bool is_dotted = pointer.length > 1 && !strpbrk(buffer_text(&pointer), ".~");
	for (size_t i = is_dotted; i < pointer.length; i++)
		if (is_dotted && pointer.data[i] == '/')
			pointer.data[i] = '.';
	utf8_append_safe(out, buffer_text(&pointer) + is_dotted, pointer.length - is_dotted);
	buffer_append_text(out, whole ? "" : "...");
}

static void append_types(unsigned types, struct buffer *out)
{
	const char *joint = "";
	for (int type = JSON_NULL; type <= JSON_OBJECT; type++) {
		if (!(types & 1U << type))
			continue;
		buffer_printf(out, "%s%s", joint, json_type_name((enum json_token_type)type));
		joint = " or ";
	}
}

static void on_unseen(void *context, const struct unseen *unseen)
{
	struct checker *c = context;
	const struct json_token *token = &c->doc.tokens[unseen->token];
	struct finding *f = add_token_finding(c, FINDING_UNSEEN, unseen->token);
	LOCAL_BUFFER path = BUFFER_INIT, types = BUFFER_FOR(&path), name = BUFFER_FOR(&path);
	if (!f)
		return;
	bool is_of_members = unseen->what == UNSEEN_TYPE && unseen->object != JSON_NONE;
	append_path(c, is_of_members ? unseen->object : unseen->token, &path);
	append_types(unseen->types, &types);
	utf8_append_safe(&name, c->seen_in, strlen(c->seen_in));
	const char *other = buffer_text(&name);
	switch (unseen->what) {
	case UNSEEN_KIND:
		set_message(c, f, "%s is new; %s has none", KIND_NAME(c->verdict.kind), other);
		break;
	case UNSEEN_KEY:
		token += (token->flags & JSON_KEY) != 0;
		set_message(c, f, "%s is new, %s", buffer_text(&path),
		            json_type_name((enum json_token_type)token->type));
		break;
	case UNSEEN_TYPE:
		set_message(c, f, "%s%s is %s, which is new; %s has %s", is_of_members ? "a value in " : "",
		            buffer_text(&path), json_type_name((enum json_token_type)token->type), other,
		            types.length > 0 ? buffer_text(&types) : "nothing there");
		break;
	case UNSEEN_VALUE:
		f->is_value = true;
		set_message(c, f, "%s \"%s\" is new; %s has %zu other%s", unseen->code->name,
		            quote_token(c, unseen->token), other, unseen->others, unseen->others == 1 ? "" : "s");
		break;
	}
	c->out_of_memory |= path.failed;
}

void check_unseen(struct checker *c)
{
	c->out_of_memory |= !seen_compare(c->seen, &c->verdict, on_unseen, c);
}

/* What is kept of a response. */
#include "http/deliver_internal.h"
#include "http/head.h"

#include <stdlib.h>

#define FIELD_SHOWN 512 /* bytes of a value */

void exchange_keep_field(struct exchange *x, const struct header *field)
{
	if (!x->keep_head && !header_is(field, "Content-Type") && !header_is(field, "Location") &&
	    !header_is(field, "Retry-After"))
		return;
	buffer_append(&x->kept_head, field->name.text, field->name.length);
	buffer_append_byte(&x->kept_head, ':');
	buffer_append(&x->kept_head, field->value.text, field->value.length);
	buffer_append_byte(&x->kept_head, '\n');
}

void exchange_set_response(struct exchange *x)
{
	const char *at = buffer_text(&x->kept_head), *end = at + x->kept_head.length;
	struct header field;
	size_t count = 0;
	while (http_head_next(&at, end, &field)) {
		if (!ARRAY_ROOM(x->fields, x->field_capacity, count + 1)) {
			x->kept_head.failed = true;
			break;
		}
		if (!x->keep_head && field.value.length > FIELD_SHOWN)
			field.value.length = FIELD_SHOWN;
		x->kept_head.data[field.value.text + field.value.length - x->kept_head.data] = '\0';
		x->fields[count++] = field;
	}
	x->response = (struct message){ .headers = x->fields,
		                        .header_count = count,
		                        .body = { buffer_text(&x->kept_body), x->kept_body.length } };
	x->response_cut |= x->kept_head.failed;
}

const char *exchange_field(const struct exchange *x, const char *name)
{
	const struct text *value = message_header(&x->response, name);
	return value ? value->text : "";
}

void exchange_release(struct exchange *exchange)
{
	buffer_release(&exchange->kept_head);
	buffer_release(&exchange->kept_body);
	free(exchange->fields);
	buffer_release(&exchange->trace);
}

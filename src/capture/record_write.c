/* Records as our own captures hold them. */
#include "capture/format_rows.h"

static const char *append_record(const struct capture_record *record, struct format_written *written,
                                 struct buffer *out)
{
	(void)written;
	capture_record_append(record, out);
	return NULL;
}

const struct format_writer format_record_writer = {
	.begin = "",
	.separator = "",
	.end = "",
	.append = append_record,
	.needs_time = true,
};

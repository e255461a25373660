/* From a byte of a captured body to the byte of the record's line that stands for it. */
#ifndef CREDHOOK_CAPTURE_BODY_MAP_H
#define CREDHOOK_CAPTURE_BODY_MAP_H

#include "capture/record.h"

#include <stdbool.h>
#include <stddef.h>

struct body_map {
	const char *text; /* the body as it is quoted in the line, behind its opening quote */
	size_t start;     /* of that, in the line */
	size_t end;       /* of its closing quote */
	size_t decoded;   /* where the next walk begins: bytes of the body ... */
	size_t quoted;    /* ... and of the quoted text */
	bool base64;      /* every place is the beginning then: no editor can jump into base64 */
};

/* The document is the record's line, and both stay in place as long as the map. */
void body_map_init(struct body_map *map, const struct json_doc *doc, const struct capture_record *record);
/* context is a struct body_map. keep: no smaller offset will be asked for, so that ascending ones cost one walk. */
size_t body_map_offset(void *context, size_t offset, bool keep);

#endif

/* Maps a byte of a captured body to its place in the line of the record. */
#ifndef CREDHOOK_CAPTURE_BODY_MAP_H
#define CREDHOOK_CAPTURE_BODY_MAP_H

#include "capture/record.h"

#include <stdbool.h>
#include <stddef.h>

struct body_map {
	const char *text; /* the body as a JSON string in the line, after its opening quote */
	size_t start;     /* offset of that text in the line */
	size_t end;       /* offset of the closing quote */
	size_t decoded;   /* where the next walk begins: bytes of the body ... */
	size_t quoted;    /* ... and of the quoted text */
	bool base64;      /* every place maps to the beginning, since an editor cannot jump into base64 */
};

/* The document must be the line of the record. Both must outlive the map. */
void body_map_init(struct body_map *map, const struct json_doc *doc, const struct capture_record *record);
/* The offset in the line. context is a struct body_map. keep: no smaller offset will follow, so that ascending offsets
 * take one walk in all. */
size_t body_map_offset(void *context, size_t offset, bool keep);

#endif

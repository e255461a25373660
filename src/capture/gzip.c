#include "capture/gzip.h"

#include <stdlib.h>

#define ZLIB_CONST
#include <zlib.h>

#define WINDOW (15 + 16) /* the largest, in the form of gzip */
#define BLOCK  ((size_t)64 << 10)

struct gzip {
	z_stream stream;
};

struct gzip *gzip_new(struct error *err)
{
	struct gzip *gzip = calloc(1, sizeof *gzip);
	if (gzip &&
	    deflateInit2(&gzip->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WINDOW, 8, Z_DEFAULT_STRATEGY) == Z_OK)
		return gzip;
	free(gzip);
	return error_no_memory_null(err);
}

void gzip_free(struct gzip *gzip)
{
	if (gzip)
		deflateEnd(&gzip->stream);
	free(gzip);
}

int gzip_append(struct gzip *gzip, const char *bytes, size_t length, bool are_last, struct buffer *out,
                struct error *err)
{
	z_stream *z = &gzip->stream;
	z->next_in = (const unsigned char *)bytes;
	z->avail_in = (unsigned)length;
	do {
		if (!buffer_reserve(out, BLOCK))
			return error_no_memory(err);
		z->next_out = (unsigned char *)out->data + out->length;
		z->avail_out = BLOCK;
		deflate(z, are_last ? Z_FINISH : Z_NO_FLUSH);
		out->length += BLOCK - z->avail_out;
	} while (z->avail_out == 0);
	out->data[out->length] = '\0';
	return 0;
}

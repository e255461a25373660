/* How a line of what `--observe` printed is masked, and what the identifiers of a run are called. */
#ifndef CREDHOOK_PROBE_KEEP_MASKING_H
#define CREDHOOK_PROBE_KEEP_MASKING_H

#include "base/buffer.h"
#include "base/error.h"

#define ROLE_SIZE 64

/* What the identifiers of a run are called, in the order of these. Zero-initialise; release. */
struct roles {
	struct role {
		char identifier[40]; /* hexadecimal digits in lower case without hyphens, or decimal digits */
		char name[ROLE_SIZE];
	} * list;
	size_t count;
	size_t capacity;
};
/* A UUID, or an integer; longer ones have no role. The first name of an identifier holds. */
int roles_add(struct roles *roles, const char *identifier, const char *name, struct error *err);
void roles_release(struct roles *roles);

/* Both texts of a line while they are made. Set the first three; release the buffers. */
struct masking {
	const struct roles *roles;
	int64_t now_s;
	bool is_plain; /* `numbers` has its separators, too, and does not say whose its identifiers are */
	struct buffer masked, numbers;
};
/* Makes both texts of a line (see observation.h). */
void mask_line(struct masking *masking, const char *text, size_t length);

/* How many digits the text begins with. */
size_t mask_digits_length(const char *text, size_t length);
/* Whether the character is a separator, a run of which is one blank. */
static inline bool mask_is_separator(char c)
{
	switch (c) {
	case ' ':
	case '\t':
	case '\r':
	case '\n':
	case '\v':
	case '\f':
	case '-':
	case '+':
	case '|':
	case '=':
		return true;
	default:
		return false;
	}
}

#endif

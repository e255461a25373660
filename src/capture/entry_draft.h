/* A record in the making, from an entry of another tool's file. Private to src/capture. */
#ifndef CREDHOOK_CAPTURE_ENTRY_DRAFT_H
#define CREDHOOK_CAPTURE_ENTRY_DRAFT_H

#include "capture/entries.h"

#define ENTRY_SIZE_UNKNOWN (-1)

struct entry_draft {
	struct entry *entry;
	struct capture_scratch *scratch; /* its doc is that of the entry's text; its bytes hold the decoded texts */
	struct json_doc *body_doc;       /* room to work in */
	size_t limit;                    /* of the body, in bytes */
	struct text type;                /* the body's media type, if no header says it */
	int64_t body_size;               /* bytes of the body as the file has it; ENTRY_SIZE_UNKNOWN */
	bool body_is_missing;            /* the exporter left it out */
};

/* Makes room for the texts of an entry of that length. */
void entry_draft_begin(struct entry_draft *draft);
/* Checks and completes what was read, and sets the kind of the entry. */
void entry_draft_finish(struct entry_draft *draft);

/* The entry cannot be read: why, as error_set() takes it. Is false. */
#define entry_draft_fail(draft, ...)                                                                                   \
	entry_draft_is_bad((draft), error_set(&(draft)->entry->problem, EXIT_CODE_FAILED, __VA_ARGS__))
bool entry_draft_is_bad(struct entry_draft *draft, int failed);

/* The decoded text of a string token, followed by a NUL; absent if the token is not a string. */
struct text entry_draft_text(struct entry_draft *draft, uint32_t token);
struct text entry_draft_member(struct entry_draft *draft, uint32_t object, const char *key);

void entry_draft_header(struct entry_draft *draft, struct text name, struct text value);
/* Sets the target, and the Host if no header has it, from http://host/path?query, or from a path. Where another Host
 * was sent, the target is the whole URL: the production guard has to know both. */
void entry_draft_url(struct entry_draft *draft, struct text url);
/* Sets the body from a string token. False: it is not a string, or not base64; the draft has failed. */
bool entry_draft_body(struct entry_draft *draft, uint32_t token, bool is_base64);

/* Members of the document of the entry; object may be JSON_NONE. */
uint32_t entry_draft_find(const struct entry_draft *draft, uint32_t object, const char *key);
bool entry_draft_is(const struct entry_draft *draft, uint32_t token, enum json_token_type type);

/* Whether a document is meant for a notification, valid or not: an object with `service` or `details`. */
bool entry_is_notification(const struct json_doc *doc, uint32_t token);

#endif

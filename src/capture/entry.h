/* A record in the making, from an entry of another tool's file. Private to src/capture. */
#ifndef CREDHOOK_CAPTURE_ENTRY_H
#define CREDHOOK_CAPTURE_ENTRY_H

#include "capture/entries.h"

#define ENTRY_SIZE_UNKNOWN UINT64_MAX

struct entry {
	struct capture_record *record;
	struct message *request;         /* the record's */
	const struct json_doc *doc;      /* of the entry's text */
	struct capture_scratch *scratch; /* its bytes hold the decoded texts */
	struct json_doc *body_doc;       /* room to work in */
	size_t limit;                    /* of the body, in bytes */
	struct text type;                /* the body's media type, if no header says it */
	uint64_t body_size;              /* bytes of the body as the file has it; ENTRY_SIZE_UNKNOWN */
	bool body_is_missing;            /* the exporter left it out ... */
	bool body_is_elsewhere;          /* ... and put it into a file beside this one */
	bool is_bad;
	struct error *problem;
};

/* How a format is read. */
struct format_reader {
	const char *const *path; /* the keys that lead to the entries, see json/elements.h */
	/* Fills what is still empty from the document. */
	void (*read)(struct entry *entry);
};

/* Checks and completes what was read. False: it is another request, unless it is bad. */
bool entry_finish(struct entry *entry);

/* The entry cannot be read: why, as error_set() takes it. Is false. */
#define entry_fail(entry, ...) ((entry)->is_bad = true, error_set((entry)->problem, EXIT_CODE_FAILED, __VA_ARGS__) == 0)

/* The decoded text of a string token, followed by a NUL; absent if the token is not a string. */
struct text entry_text(struct entry *entry, uint32_t token);
struct text entry_member(struct entry *entry, uint32_t object, const char *key);

void entry_header(struct entry *entry, struct text name, struct text value);
/* Sets the body from a string token. False: it is not a string, or not base64; the entry is bad. */
bool entry_body(struct entry *entry, uint32_t token, bool is_base64);

/* Members of the document; object may be JSON_NONE. */
uint32_t entry_find(const struct entry *entry, uint32_t object, const char *key);

/* Whether a document is meant for a notification, valid or not: an object with one of these members. */
extern const char *const entry_notification_names[2];
bool entry_is_notification(const struct json_doc *doc, uint32_t token);

#endif

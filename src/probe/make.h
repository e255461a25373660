/* What the rows' requests are made by: see probe_make in checks.h. */
#ifndef CREDHOOK_PROBE_MAKE_H
#define CREDHOOK_PROBE_MAKE_H

#include "catalog/catalog.h"
#include "probe/checks.h"

/* Fills the job with a payload of the first event that is accepted and has one of the two fields in its details, and
 * sets *field. -1 with EXIT_CODE_USAGE: there is none. */
int probe_make_with(struct probe_maker *maker, const struct probe_check *check, unsigned number,
                    const char *const fields[2], struct job *job, const char **field, struct error *err);

/* A valid payload of the check's event. */
probe_make make_valid;
/* The check's value of the check's field; the spelling that the check is named after. */
probe_make make_value, make_form, make_utf8;
/* With a defect: the check's finding at the check's place. */
probe_make make_broken;
/* Valid ones, in forms that readers trip over. */
probe_make make_members, make_unknown_key, make_big_integer, make_upper_case;
/* application/json, spelled otherwise. */
probe_make make_json_type;
/* The argument is the payload's size in bytes, or that of a header. */
probe_make make_large, make_long_head;
/* The same payload each time; the argument is the pause before the second, in seconds. */
probe_make make_repeat;
/* The argument is events of one customer, separated by commas, behind the customer's user-created. */
probe_make make_order;
/* An event of a customer who was not introduced. */
probe_make make_unknown_customer;
/* The argument is the body as it is. */
probe_make make_text;
probe_make make_null_details;
/* The check's name is that of a row in make_json.c. */
probe_make make_json;
/* The argument is the method, "other" or "slash", the media type. */
probe_make make_method, make_path, make_type;

/* Of each watched event one payload, then another one twice; three invalid ones. */
probe_make make_once, make_none;
#define PROBE_WATCHED_EVENTS   4
#define PROBE_WATCHED_REQUESTS 3 /* of each */
/* The event of request `number` of make_once(). */
struct catalog_kind probe_watched_kind(unsigned number);
/* Scripts: one request, and two of them on a connection, as the check's name says; HEAD. */
probe_script script_request, script_two, script_head;
/* Broken framing: the check's name says which. One byte per second. */
probe_script script_frame, script_slow;
/* Compressed, and said so. */
probe_make make_gzip;

#endif

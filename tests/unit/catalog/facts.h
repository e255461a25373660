/*
 * The specification's tables, written down a second time from the specification alone; facts_test.c holds the rows of
 * the catalogue against them. Of prose there are only key words, so that a row may be worded as it likes.
 *
 * Where a row and this file disagree, the specification decides: do not copy one from the other.
 */
#ifndef TESTS_CATALOG_FACTS_H
#define TESTS_CATALOG_FACTS_H

#include "catalog/catalog.h"

#include <stdbool.h>

#define KEY_MAX  8
#define WORD_MAX 4

/* A row here is a row there. */
/* clang-format off */
/* Section 2.1: the values of `service`. */
static const char *const services[] = { "user", "authenticate", "report", "score-simulator", "monitoring", "alerts" };

/* Section 2.1. All are required, but `path`, which alerts lack: a row has no column for that, see event_rows(). */
static const char *const envelope[] = { "service", "event", "method", "path", "details" };

/* Section 2.2, by the name that catalog_field_named() takes. */
struct field_fact {
	const char *name;
	enum catalog_type type;
	const char *keys[KEY_MAX];   /* of an object: what it must have, in order */
	bool further_keys;           /* of an object: others are not specified, so they are allowed */
	const char *values[KEY_MAX]; /* the only fields whose values section 2.2 lists */
	bool not_shown;              /* something about it is "not shown" */
};

static const struct field_fact fields[] = {
	{ "appKey", .type = CATALOG_UUID },
	{ "clientKey", .type = CATALOG_STRING },
	{ "userId", .type = CATALOG_STRING },
	{ "authToken", .type = CATALOG_UUID },
	{ "userToken", .type = CATALOG_UUID },
	{ "displayToken", .type = CATALOG_UUID },
	{ "reportKey", .type = CATALOG_UUID },
	{ "productCode", .type = CATALOG_STRING },
	{ "offCycle", .type = CATALOG_BOOLEAN_TEXT },
	{ "bureau", .type = CATALOG_STRING, .not_shown = true },
	{ "ttlInMinutes", .type = CATALOG_INTEGER, .not_shown = true },
	{ "firstName", .type = CATALOG_STRING },
	{ "lastName", .type = CATALOG_STRING },
	{ "address", .type = CATALOG_OBJECT, .keys = { "street", "city", "state", "zip" } },
	{ "street", .type = CATALOG_STRING },
	{ "city", .type = CATALOG_STRING },
	{ "state", .type = CATALOG_STRING },
	{ "zip", .type = CATALOG_STRING },
	{ "enrollmentCode", .type = CATALOG_STRING },
	{ "monitorId", .type = CATALOG_INTEGER },
	{ "scoreModifiers", .type = CATALOG_OBJECT, .further_keys = true, .not_shown = true },
	{ "change", .type = CATALOG_INTEGER_TEXT },
	{ "alertId", .type = CATALOG_INTEGER },
	{ "alertType", .type = CATALOG_STRING, .not_shown = true },
	{ "alertDetails", .type = CATALOG_OBJECT, .keys = { "disputeStatus" }, .further_keys = true, .not_shown = true },
	{ "disputeStatus", .type = CATALOG_CHOICE, .values = { "Submission", "Completion" } },
};

/* Section 6: the table, its trigger conditions (those it gives) and its notes 1 and 2. */
struct event_fact {
	const char *title;
	const char *service;
	const char *event;
	const char *method;
	const char *path;
	const char *details[KEY_MAX];
	const char *trigger[WORD_MAX]; /* words of the trigger condition */
	const char *note[WORD_MAX];    /* words of the inconsistency that touches it */
};

#define AUTHENTICATE "/api/authenticate/v2"
#define MONITORING   "/api/monitoring/v2"

static const struct event_fact events[] = {
	{ "User Created", "user", "201", "post", "/api/user/v2",
	  .details = { "appKey", "clientKey", "firstName", "lastName", "address" },
	  .trigger = { "user object", "success", "created" } },
	{ "Authentication Question Retrieval Succeeded", "authenticate", "200", "get", AUTHENTICATE,
	  .details = { "appKey", "clientKey", "authToken", "bureau" },
	  .trigger = { "questions", "success", "retrieved", "provider" } },
	{ "Authentication Question Retrieval Failed", "authenticate", "204", "get", AUTHENTICATE,
	  .details = { "appKey", "clientKey", "authToken", "bureau" }, .trigger = { "authentication" } },
	{ "Authentication Succeeded", "authenticate", "200", "post", AUTHENTICATE,
	  .details = { "appKey", "clientKey", "authToken", "userToken", "bureau" }, .trigger = { "authentication" } },
	{ "Authentication Failed", "authenticate", "401", "post", AUTHENTICATE,
	  .details = { "appKey", "clientKey", "authToken", "bureau" }, .trigger = { "authentication" } },
	{ "Custom Authentication Succeeded", "authenticate", "200", "patch", AUTHENTICATE,
	  .details = { "appKey", "clientKey", "authToken", "ttlInMinutes" }, .note = { "401", "200" } },
	{ "User Token Generated", "authenticate", "200", "post", AUTHENTICATE "/usertoken",
	  .details = { "appKey", "clientKey", "authToken", "ttlInMinutes" } },
	{ "Authentication Token Generated", "authenticate", "200", "post", AUTHENTICATE "/authtoken",
	  .details = { "appKey", "clientKey", "authToken", "ttlInMinutes" } },
	{ "Credit Report Ordered", "report", "200", "post", "/api/report/v2",
	  .details = { "appKey", "clientKey", "displayToken", "productCode", "reportKey", "offCycle" } },
	{ "Credit Report Retrieved", "report", "200", "get", "/api/report/v2",
	  .details = { "appKey", "clientKey", "displayToken", "productCode", "reportKey" } },
	{ "Credit Report Display Token Generated", "report", "200", "put", "/api/report/v2",
	  .details = { "appKey", "clientKey", "displayToken", "productCode", "reportKey" } },
	{ "Credit Score Simulated", "score-simulator", "200", "post", "/api/report/v2/score-simulator",
	  .details = { "appKey", "userId", "clientKey", "reportKey", "scoreModifiers", "change" } },
	{ "Monitoring Service Enrolled", "monitoring", "200", "post", MONITORING,
	  .details = { "clientKey", "userId", "enrollmentCode" }, .note = { "/monitor/v2" } },
	{ "Monitoring Service Cancelled", "monitoring", "200", "delete", MONITORING,
	  .details = { "clientKey", "userId", "enrollmentCode" }, .note = { "/monitor/v2" } },
	{ "Monitored Element Added", "monitoring", "201", "post", MONITORING "/idp/<element_path>",
	  .details = { "clientKey", "userId", "appKey" }, .trigger = { "element" }, .note = { "/monitor/v2" } },
	{ "Monitored Element Removed", "monitoring", "200", "delete", MONITORING "/idp/monitor",
	  .details = { "clientKey", "userId", "appKey", "monitorId" }, .note = { "/monitor/v2" } },
	{ "Bureau alert", "alerts", "push", "push", NULL,
	  .details = { "alertDetails", "alertId", "appKey", "bureau", "alertType", "clientKey" } },
};

/* Section 6: element types. */
static const struct {
	const char *title;
	const char *path;
} elements[] = {
	{ "Bank Account", MONITORING "/idp/bankaccount" },
	{ "Credit Card", MONITORING "/idp/creditcard" },
	{ "Driver License", MONITORING "/idp/driverlicense" },
	{ "Email Address", MONITORING "/idp/email" },
	{ "Medical ID", MONITORING "/idp/medical-id" },
	{ "Passport", MONITORING "/idp/passport" },
	{ "Phone Number", MONITORING "/idp/phone" },
	{ "Postal Address", MONITORING "/idp/address" },
	{ "Social Security Number", MONITORING "/idp/ssn" },
};

/* Section 4.2. */
struct operation_fact {
	const char *method;
	const char *path;
	const char *outcome[WORD_MAX];
};

static const struct operation_fact operations[] = {
	{ "POST", "/api/user/v2", { "201" } },
	{ "GET", AUTHENTICATE, { "200", "or", "204" } },
	{ "POST", AUTHENTICATE, { "200", "or", "401" } },
	{ "PATCH", AUTHENTICATE, { "200", "note" } },
	{ "POST", AUTHENTICATE "/usertoken", { "200" } },
	{ "POST", AUTHENTICATE "/authtoken", { "200" } },
	{ "POST", "/api/report/v2", { "200" } },
	{ "GET", "/api/report/v2", { "200" } },
	{ "PUT", "/api/report/v2", { "200" } },
	{ "POST", "/api/report/v2/score-simulator", { "200" } },
	{ "POST", MONITORING, { "200" } },
	{ "DELETE", MONITORING, { "200" } },
	{ "POST", MONITORING "/idp/<element_path>", { "201" } },
	{ "DELETE", MONITORING "/idp/monitor", { "200" } },
	{ "GET", "/api/disputes/v2/<bureau_code>", { "dispute", "status" } },
};

/* Section 3: the statuses, with words that tell each meaning from the others'. */
static const struct {
	const char *name;
	const char *meaning[WORD_MAX];
} dispute_statuses[] = {
	{ "DELETED", { "removed", "credit report" } },
	{ "DISPUTED INFORMATION UPDATED", { "item", "changed", "because of the dispute" } },
	{ "DISPUTED INFORMATION AND OTHER INFORMATION UPDATED",
	  { "because of the dispute", "other information", "changed" } },
	{ "REINSERTED", { "previously deleted", "verified", "added back" } },
	{ "VERIFIED AND UPDATED", { "verified", "belonging to the consumer", "updated", "recent activity" } },
	{ "VERIFIED AS ACCURATE", { "verified", "accurate" } },
	{ "VERIFIED AS ACCURATE AND UPDATED", { "verified", "accurate", "other information", "changed" } },
};

/* Rules and passages that are no row of a table: what they must at least name, where they stand, and whether the
 * document says it or says that it is not shown. */
static const struct {
	const char *section;
	bool open;
	const char *words[WORD_MAX];
} passages[] = {
	{ "1", false, { "sandbox", "production" } },          /* 1.2: a listener URL for each */
	{ "1", false, { "client id" } },                      /* 1.2: set up by Client ID and listener URL */
	{ "1", true, { "channel" } },                         /* 1.5 */
	{ "2.2", false, { "bureau", "modifiers", "set" } },   /* rule 1 */
	{ "2.2", true, { "names", "scoremodifiers" } },       /* rule 2 */
	{ "2.2", true, { "alerttype" } },                     /* rule 3 */
	{ "2.2", true, { "alertdetails", "disputestatus" } }, /* rule 4 */
	{ "2.2", true, { "bureau" } },                        /* rule 5 */
	{ "2.2", false, { "live=true", "reportkey" } },       /* rule 6 */
	{ "3", true, { "transition" } },
	{ "4", false, { "post", "application/json" } }, /* 4.1 */
	{ "4.1", true, { "status", "body" } },
	{ "4.2", true, { "payload" } },
	{ "5", false, { "signature", "credential" } }, /* 5.1: none is sent */
	{ "5", false, { "allow" } },                   /* 5.2: allow-listing */
	{ "5", true, { "authentication" } },           /* 5.3 */
	{ "6", false, { "custom authentication", "401", "200" } }, /* note 1 */
	{ "6", false, { "/monitor/v2", "elementtype" } },          /* note 2 */
	{ "6", false, { "/api", "prefix" } },                      /* note 3 */
	{ "7", false, { "204", "401" } },                          /* 7.1: failed outcomes are events */
	{ "7", true, { "error codes", "error bodies", "listener error responses" } }, /* 7.2 */
	{ "8", true, { "retry", "time-out", "ordering", "rate limit" } },
	{ "9", false, { "v2" } },        /* 9.1 */
	{ "9", true, { "versioning" } }, /* 9.2 */
};
/* clang-format on */

#endif

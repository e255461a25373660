/* Statements of the specification that are not in its tables of fields and events, one per row. */
#include "catalog/rows.h"

/* clang-format off */

const struct catalog_value catalog_dispute_statuses[] = {
	{ "DELETED", "The disputed item(s) were removed from the credit report", "3" },
	{ "DISPUTED INFORMATION UPDATED", "An item was changed because of the dispute", "3" },
	{ "DISPUTED INFORMATION AND OTHER INFORMATION UPDATED",
	  "An item was changed because of the dispute and other information also changed", "3" },
	{ "REINSERTED", "A previously deleted item was verified and added back", "3" },
	{ "VERIFIED AND UPDATED",
	  "The item was verified as belonging to the consumer and information was updated for recent activity", "3" },
	{ "VERIFIED AS ACCURATE", "The item was verified as accurate", "3" },
	{ "VERIFIED AS ACCURATE AND UPDATED", "The item was verified as accurate but other information also changed", "3" },
};
const size_t catalog_dispute_status_count = CATALOG_COUNT(catalog_dispute_statuses);

#define SAYS false
#define OPEN true

const struct catalog_passage catalog_passages[] = {
	{ "delivery", "1", SAYS,
	  "Each notification is an HTTP POST with a JSON body to the listener URL that the client operates; it is "
	  "triggered by an event. The receiver may use the body freely." },
	{ "delivery", "1", SAYS,
	  "Two families exist: notifications about API operations (users, authentication, credit reports and scores, "
	  "monitoring), each with the method, path and status of the operation, and bureau alerts (service alerts)." },
	{ "delivery", "2.1", SAYS, "The delivery request carries the header Content-Type: application/json." },
	{ "delivery", "4.1", SAYS,
	  "The listener, hosted by the client, is called by POST with Content-Type: application/json at any URL the client "
	  "chose; production and sandbox may differ." },
	{ "delivery", "4.1", OPEN, "the status and body expected from the listener." },
	{ "delivery", "7", OPEN, "listener error responses and delivery failures; see the topic errors." },
	{ "errors", "7", SAYS,
	  "Failed outcomes of API operations are themselves notified as events: Authentication Question Retrieval Failed "
	  "(204) and Authentication Failed (401)." },
	{ "errors", "7", OPEN,
	  "error codes and error bodies of the API operations, listener error responses and delivery "
	  "failures." },
	{ "authentication", "5", SAYS,
	  "Notifications carry no authentication of their own: no signature and no credential are sent." },
	{ "authentication", "5", SAYS,
	  "A receiver may restrict accepted traffic to the service's sender address (allow-listing) to be sure that a "
	  "notification comes from the service." },
	{ "authentication", "5", OPEN, "authentication of the calls to the triggering API operations." },
	{ "environments", "1", SAYS,
	  "The client gives the service a client identifier (Client ID) and a listener URL. One listener URL may be "
	  "registered for the production environment and another for the sandbox environment." },
	{ "environments", "1", OPEN, "the channel through which listener URL and Client ID are registered." },
	{ "limits", "8", OPEN,
	  "retry policy, delivery time-outs, ordering guarantees, rate limits and bounds of ttlInMinutes." },
	{ "versions", "9", SAYS, "All API paths carry the version segment v2." },
	{ "versions", "9", OPEN, "the versioning policy of the notification payloads." },
	{ "disputes", "3", SAYS,
	  "Dispute statuses are returned by GET /api/disputes/v2/<bureau_code> (field status) and are shown to the "
	  "consumer in a dispute portal. Notifications carry no state machine." },
	{ "disputes", "3", OPEN, "the transitions between dispute statuses." },
	{ "operations", "4.2", OPEN, "request and response payload shapes of the operations." },
	{ "scoreModifiers", "2.2, rule 1", SAYS,
	  "The set of score modifiers that can be applied depends on the bureau that produced the report: one bureau has "
	  "a slightly larger set than another. Score simulation does not apply to reports of one of the three bureaus." },
	{ "scoreModifiers", "2.2, rule 2", OPEN, "the names of the individual properties inside scoreModifiers." },
	{ "alertType", "2.2, rule 3", OPEN, "the list of alertType values." },
	{ "alertDetails", "2.2, rule 4", OPEN, "the fields of alertDetails other than disputeStatus." },
	{ "bureau", "2.2, rule 5", OPEN, "the allowed values of bureau." },
	{ "reportKey", "2.2, rule 6", SAYS,
	  "A 3-bureau report's reportKey generated with live=true may be passed to the single-bureau report web "
	  "component; it is then irrelevant whether the component is given live=true, because the report was already "
	  "generated live." },
	{ "inconsistencies", "6, note 1", SAYS,
	  "The overview table lists Custom Authentication Succeeded with HTTP status 401, while the payload carries event "
	  "= 200. The payload value is used." },
	{ "inconsistencies", "6, note 2", SAYS,
	  "The overview table lists monitoring endpoints as " CATALOG_OVERVIEW_MONITORING
	  "/v2... and the removal endpoint as " CATALOG_OVERVIEW_MONITORING "/v2/idp/<elementType>, while the payload path values use /api/monitoring/v2... and "
	  "/api/monitoring/v2/idp/monitor. The payload path values are the ones in the notification." },
	{ "inconsistencies", "6, note 3", SAYS,
	  "The overview lists the endpoints without the /api prefix; the payload path includes it." },
};
const size_t catalog_passage_count = CATALOG_COUNT(catalog_passages);

#define UNSIGNED                                                                                                       \
	"notifications carry no signature and no credential: accept the service's address alone (--allow CIDR of " \
	"listen), check each payload"
#define AGAIN                                                                                                          \
	"not specified: take the same payload twice as one, and expect that one may never come; 'credhook test repeat --to WHERE' sends " \
	"it again"

const struct catalog_value catalog_questions[] = {
	{ "signature", UNSIGNED, "5" },
	{ "hmac", UNSIGNED, "5" },
	{ "security", UNSIGNED, "5" },
	{ "ip", "the service's sender address may be allow-listed; which one it is, is not specified: ask the service, and "
	        "write it behind --allow of listen",
	  "5" },
	{ "headers", "Content-Type: application/json; no other header is specified, nor one with an identifier: expect none",
	  "2.1" },
	{ "response", "the status and body expected from a listener are not specified: respond with 2xx and no body, once the "
	              "payload is stored",
	  "4.1" },
	{ "retries", AGAIN, "8" },
	{ "duplicates", AGAIN, "8" },
	{ "ordering", "not specified: take any order; 'credhook test order --to WHERE' sends some", "8" },
	{ "timeouts", "not specified: respond at once, and work later; 'credhook test time --to WHERE' measures it", "8" },
	{ "rate-limit", "not specified: take bursts; 'credhook test load --to WHERE' sends one", "8" },
};
const size_t catalog_question_count = CATALOG_COUNT(catalog_questions);

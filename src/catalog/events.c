/* Section 6: the 17 events and the 9 monitored elements; section 4.2: the operations that trigger them. */
#include "catalog/rows.h"

/* clang-format off */

const struct catalog_element catalog_elements[] = {
	{ "bankaccount", "Bank Account", "/api/monitoring/v2/idp/bankaccount" },
	{ "creditcard", "Credit Card", "/api/monitoring/v2/idp/creditcard" },
	{ "driverlicense", "Driver License", "/api/monitoring/v2/idp/driverlicense" },
	{ "email", "Email Address", "/api/monitoring/v2/idp/email" },
	{ "medical-id", "Medical ID", "/api/monitoring/v2/idp/medical-id" },
	{ "passport", "Passport", "/api/monitoring/v2/idp/passport" },
	{ "phone", "Phone Number", "/api/monitoring/v2/idp/phone" },
	{ "address", "Postal Address", "/api/monitoring/v2/idp/address" },
	{ "ssn", "Social Security Number", "/api/monitoring/v2/idp/ssn" },
};
const size_t catalog_element_count = CATALOG_COUNT(catalog_elements);

static const struct catalog_member user_created[] = {
	{ &field_app_key, CATALOG_UUID },     { &field_client_key, CATALOG_UUID },  { &field_first_name, CATALOG_STRING },
	{ &field_last_name, CATALOG_STRING }, { &field_address, CATALOG_OBJECT },
};
static const struct catalog_member questions_or_failure[] = {
	{ &field_app_key, CATALOG_UUID },
	{ &field_client_key, CATALOG_STRING },
	{ &field_auth_token, CATALOG_UUID },
	{ &field_bureau, CATALOG_STRING },
};
static const struct catalog_member authentication_succeeded[] = {
	{ &field_app_key, CATALOG_UUID },    { &field_client_key, CATALOG_STRING }, { &field_auth_token, CATALOG_UUID },
	{ &field_user_token, CATALOG_UUID }, { &field_bureau, CATALOG_STRING },
};
static const struct catalog_member token_generated[] = {
	{ &field_app_key, CATALOG_UUID },
	{ &field_client_key, CATALOG_STRING },
	{ &field_auth_token, CATALOG_UUID },
	{ &field_ttl_in_minutes, CATALOG_INTEGER },
};
static const struct catalog_member report_ordered[] = {
	{ &field_app_key, CATALOG_UUID },        { &field_client_key, CATALOG_STRING }, { &field_display_token, CATALOG_UUID },
	{ &field_product_code, CATALOG_STRING }, { &field_report_key, CATALOG_UUID },   { &field_off_cycle, CATALOG_BOOLEAN_TEXT },
};
static const struct catalog_member report_retrieved[] = {
	{ &field_app_key, CATALOG_UUID },        { &field_client_key, CATALOG_STRING }, { &field_display_token, CATALOG_UUID },
	{ &field_product_code, CATALOG_STRING }, { &field_report_key, CATALOG_UUID },
};
static const struct catalog_member score_simulated[] = {
	{ &field_app_key, CATALOG_UUID },    { &field_user_id, CATALOG_STRING },         { &field_client_key, CATALOG_STRING },
	{ &field_report_key, CATALOG_UUID }, { &field_score_modifiers, CATALOG_OBJECT }, { &field_change, CATALOG_INTEGER_TEXT },
};
static const struct catalog_member monitoring_service[] = {
	{ &field_client_key, CATALOG_STRING },
	{ &field_user_id, CATALOG_STRING },
	{ &field_enrollment_code, CATALOG_STRING },
};
static const struct catalog_member element_added[] = {
	{ &field_client_key, CATALOG_STRING },
	{ &field_user_id, CATALOG_STRING },
	{ &field_app_key, CATALOG_UUID },
};
static const struct catalog_member element_removed[] = {
	{ &field_client_key, CATALOG_STRING },
	{ &field_user_id, CATALOG_STRING },
	{ &field_app_key, CATALOG_UUID },
	{ &field_monitor_id, CATALOG_INTEGER },
};
static const struct catalog_member bureau_alert[] = {
	{ &field_alert_details, CATALOG_OBJECT }, { &field_alert_id, CATALOG_INTEGER },   { &field_app_key, CATALOG_UUID },
	{ &field_bureau, CATALOG_STRING },        { &field_alert_type, CATALOG_STRING }, { &field_client_key, CATALOG_STRING },
};

#define SENT(its_service, its_event, its_method)                                                                       \
	.service = its_service, .event = its_event, .method = its_method,                                              \
	.lengths = { sizeof its_service - 1, sizeof its_event - 1, sizeof its_method - 1 }
#define DETAILS(rows) .details = rows, .detail_count = CATALOG_COUNT(rows)
#define MONITORING_PATHS                                                                                               \
	"the specification's overview lists monitoring paths as " CATALOG_OVERVIEW_MONITORING                              \
	"/v2...; notifications carry /api/monitoring/v2..."

const struct catalog_event catalog_events[] = {
	{
		.name = "user-created", .story = 10,
		.title = "User Created",
		SENT("user", "201", "post"), .path = "/api/user/v2",
		.trigger = "sent when a user object is successfully created",
		.trigger_section = "6, trigger condition 1",
		DETAILS(user_created),
		.begins = { &field_client_key, &field_user_id },
		.identified_by = &field_client_key,
		.kept = 2,
	},
	{
		.name = "authentication-question-retrieval-succeeded", .story = 30,
		.title = "Authentication Question Retrieval Succeeded",
		SENT("authenticate", "200", "get"), .path = "/api/authenticate/v2",
		.trigger = "sent when authentication questions are successfully retrieved from an authentication provider",
		.trigger_section = "6, trigger condition 2",
		DETAILS(questions_or_failure),
		.begins = { &field_auth_token },
		.differs = &field_auth_token,
	},
	{
		.name = "authentication-question-retrieval-failed", .story = 20,
		.title = "Authentication Question Retrieval Failed",
		SENT("authenticate", "204", "get"), .path = "/api/authenticate/v2",
		.trigger = "sent on the outcome of the respective authentication call (question retrieval), with status 204",
		.trigger_section = "6, trigger condition 3",
		DETAILS(questions_or_failure),
		.begins = { &field_auth_token },
		.differs = &field_auth_token,
	},
	{
		.name = "authentication-succeeded", .story = 50,
		.title = "Authentication Succeeded",
		SENT("authenticate", "200", "post"), .path = "/api/authenticate/v2",
		.trigger = "sent on the outcome of the respective authentication call, with status 200",
		.trigger_section = "6, trigger condition 3",
		DETAILS(authentication_succeeded),
		.after = "authentication-question-retrieval-succeeded",
		.differs = &field_auth_token,
	},
	{
		.name = "authentication-failed", .story = 40,
		.title = "Authentication Failed",
		SENT("authenticate", "401", "post"), .path = "/api/authenticate/v2",
		.trigger = "sent on the outcome of the respective authentication call, with status 401",
		.trigger_section = "6, trigger condition 3",
		DETAILS(questions_or_failure),
		.after = "authentication-question-retrieval-succeeded",
		.differs = &field_auth_token,
	},
	{
		.name = "custom-authentication-succeeded", .story = 60,
		.title = "Custom Authentication Succeeded",
		SENT("authenticate", "200", "patch"), .path = "/api/authenticate/v2",
		.trigger = "sent when PATCH /api/authenticate/v2 is invoked, with status 200",
		.trigger_section = "4.2",
		.note = "the specification's overview lists this event with status 401; the notification carries event 200",
		DETAILS(token_generated),
		.after = "authentication-token-generated",
		.differs = &field_auth_token,
	},
	{
		.name = "user-token-generated", .story = 70,
		.title = "User Token Generated",
		SENT("authenticate", "200", "post"), .path = "/api/authenticate/v2/usertoken",
		.trigger = "sent when POST /api/authenticate/v2/usertoken is invoked, with status 200",
		.trigger_section = "4.2",
		DETAILS(token_generated),
		.after = "authentication-token-generated",
		.differs = &field_auth_token,
	},
	{
		.name = "authentication-token-generated", .story = 80,
		.title = "Authentication Token Generated",
		SENT("authenticate", "200", "post"), .path = "/api/authenticate/v2/authtoken",
		.trigger = "sent when POST /api/authenticate/v2/authtoken is invoked, with status 200",
		.trigger_section = "4.2",
		DETAILS(token_generated),
		.begins = { &field_auth_token },
		.differs = &field_auth_token, .identified_by = &field_auth_token,
		.kept = 6,
	},
	{
		.name = "credit-report-ordered", .story = 90,
		.title = "Credit Report Ordered",
		SENT("report", "200", "post"), .path = "/api/report/v2",
		.trigger = "sent when POST /api/report/v2 is invoked, with status 200",
		.trigger_section = "4.2",
		DETAILS(report_ordered),
		.begins = { &field_report_key, &field_display_token },
		.differs = &field_report_key, .identified_by = &field_report_key,
		.kept = 3,
	},
	{
		.name = "credit-report-retrieved", .story = 100,
		.title = "Credit Report Retrieved",
		SENT("report", "200", "get"), .path = "/api/report/v2",
		.trigger = "sent when GET /api/report/v2 is invoked, with status 200",
		.trigger_section = "4.2",
		DETAILS(report_retrieved),
		.after = "credit-report-ordered",
		.differs = &field_report_key,
	},
	{
		.name = "credit-report-display-token-generated", .story = 110,
		.title = "Credit Report Display Token Generated",
		SENT("report", "200", "put"), .path = "/api/report/v2",
		.trigger = "sent when PUT /api/report/v2 is invoked, with status 200",
		.trigger_section = "4.2",
		DETAILS(report_retrieved),
		.begins = { &field_display_token },
		.after = "credit-report-ordered",
		.differs = &field_report_key,
	},
	{
		.name = "credit-score-simulated", .story = 120,
		.title = "Credit Score Simulated",
		SENT("score-simulator", "200", "post"), .path = "/api/report/v2/score-simulator",
		.trigger = "sent when POST /api/report/v2/score-simulator is invoked, with status 200",
		.trigger_section = "4.2",
		DETAILS(score_simulated),
		.after = "credit-report-ordered",
		.differs = &field_report_key,
	},
	{
		.name = "monitoring-service-enrolled", .story = 130,
		.title = "Monitoring Service Enrolled",
		SENT("monitoring", "200", "post"), .path = "/api/monitoring/v2",
		.trigger = "sent when POST /api/monitoring/v2 is invoked, with status 200",
		.trigger_section = "4.2",
		.note = MONITORING_PATHS,
		DETAILS(monitoring_service),
		.begins = { &field_enrollment_code },
		.differs = &field_enrollment_code,
		.kept = 4,
	},
	{
		.name = "monitoring-service-cancelled", .story = 170,
		.title = "Monitoring Service Cancelled",
		SENT("monitoring", "200", "delete"), .path = "/api/monitoring/v2",
		.trigger = "sent when DELETE /api/monitoring/v2 is invoked, with status 200",
		.trigger_section = "4.2",
		.note = MONITORING_PATHS,
		DETAILS(monitoring_service),
		.after = "monitoring-service-enrolled",
		.differs = &field_enrollment_code,
	},
	{
		.name = "monitored-element-added", .story = 140,
		.title = "Monitored Element Added",
		SENT("monitoring", "201", "post"), .path = "/api/monitoring/v2/idp/<element_path>",
		.trigger = "sent when an element is added, with status 201; identical in form for every element type, only path "
			   "differs",
		.trigger_section = "6, trigger condition 4",
		.note = MONITORING_PATHS,
		DETAILS(element_added),
		.elements = catalog_elements, .element_count = CATALOG_COUNT(catalog_elements),
		.usual = &catalog_elements[3], .kept = 5,
	},
	{
		.name = "monitored-element-removed", .story = 160,
		.title = "Monitored Element Removed",
		SENT("monitoring", "200", "delete"), .path = "/api/monitoring/v2/idp/monitor",
		.trigger = "sent when DELETE /api/monitoring/v2/idp/monitor is invoked, with status 200",
		.trigger_section = "4.2",
		.note = "the specification's overview lists the path as " CATALOG_OVERVIEW_MONITORING
			"/v2/idp/<elementType>; notifications carry "
			"/api/monitoring/v2/idp/monitor",
		DETAILS(element_removed),
		.after = "monitored-element-added/email",
		.differs = &field_monitor_id, .identified_by = &field_monitor_id,
	},
	{
		.name = "bureau-alert", .story = 150,
		.title = "Bureau alert",
		SENT("alerts", "push", "push"), .path = NULL,
		.trigger = "sent when a credit-bureau alert is pushed",
		.trigger_section = "1",
		DETAILS(bureau_alert),
		.differs = &field_alert_id, .identified_by = &field_alert_id,
		.kept = 1,
	},
};
const size_t catalog_event_count = CATALOG_COUNT(catalog_events);

const struct catalog_operation catalog_operations[] = {
	{ "POST", "/api/user/v2", "201" },
	{ "GET", "/api/authenticate/v2", "200 or 204" },
	{ "POST", "/api/authenticate/v2", "200 or 401" },
	{ "PATCH", "/api/authenticate/v2", "200 (see section 6 note)" },
	{ "POST", "/api/authenticate/v2/usertoken", "200" },
	{ "POST", "/api/authenticate/v2/authtoken", "200" },
	{ "POST", "/api/report/v2", "200" },
	{ "GET", "/api/report/v2", "200" },
	{ "PUT", "/api/report/v2", "200" },
	{ "POST", "/api/report/v2/score-simulator", "200" },
	{ "POST", "/api/monitoring/v2", "200" },
	{ "DELETE", "/api/monitoring/v2", "200" },
	{ "POST", "/api/monitoring/v2/idp/<element_path>", "201" },
	{ "DELETE", "/api/monitoring/v2/idp/monitor", "200" },
	{ "GET", "/api/disputes/v2/<bureau_code>", "returns dispute status" },
};
const size_t catalog_operation_count = CATALOG_COUNT(catalog_operations);

/* Sections 2.1 and 2.2: every field, one row each. */
#include "catalog/rows.h"

#define OF_22 "2.2"

const struct catalog_value catalog_services[] = {
	{ "user", "users", "2.1" },
	{ "authenticate", "authentication", "2.1" },
	{ "report", "credit reports", "2.1" },
	{ "score-simulator", "credit score simulation", "2.1" },
	{ "monitoring", "monitoring services and monitored elements", "2.1" },
	{ "alerts", "bureau alerts", "2.1" },
};
const size_t catalog_service_count = CATALOG_COUNT(catalog_services);

static const struct catalog_field envelope_service = {
	.name = "service",
	.type = CATALOG_STRING,
	.meaning = "area that produced the event",
	.section = "2.1",
	.required = "yes",
	.values = catalog_services,
	.value_count = CATALOG_COUNT(catalog_services),
};
static const struct catalog_field envelope_event = {
	.name = "event",
	.type = CATALOG_STRING,
	.meaning = "HTTP status code of the invoked operation, as a string; push for alerts",
	.section = "2.1",
	.required = "yes",
};
static const struct catalog_field envelope_method = {
	.name = "method",
	.type = CATALOG_STRING,
	.meaning = "lower-case HTTP method of the invoked operation; push for alerts",
	.section = "2.1",
	.required = "yes",
};
static const struct catalog_field envelope_path = {
	.name = "path",
	.type = CATALOG_STRING,
	.meaning = "path of the invoked operation, beginning with /api/; absent in alerts",
	.section = "2.1",
	.required = "yes for API events; absent in alert notifications",
};
static const struct catalog_field envelope_details = {
	.name = "details",
	.type = CATALOG_OBJECT,
	.meaning = "event-specific properties",
	.section = "2.1",
	.required = "yes",
};

const struct catalog_field *const catalog_envelope[] = {
	&envelope_service, &envelope_event, &envelope_method, &envelope_path, &envelope_details,
};
const size_t catalog_envelope_count = CATALOG_COUNT(catalog_envelope);

const struct catalog_member catalog_envelope_members[] = {
	{ &envelope_service, CATALOG_STRING }, { &envelope_event, CATALOG_STRING },
	{ &envelope_method, CATALOG_STRING },  { &envelope_path, CATALOG_STRING },
	{ &envelope_details, CATALOG_OBJECT },
};

const struct catalog_field field_app_key = {
	.name = "appKey",
	.type = CATALOG_UUID,
	.meaning = "identifier of the client application",
	.section = OF_22,
	.owner = CATALOG_OF_APPLICATION,
};
const struct catalog_field field_client_key = {
	.name = "clientKey",
	.type = CATALOG_STRING,
	.meaning = "identifier of the client's user/customer record",
	.section = OF_22,
	.open = "the form of the opaque string outside user-created, where it is a UUID",
};
const struct catalog_field field_user_id = {
	.name = "userId",
	.type = CATALOG_STRING,
	.meaning = "identifier of the user (same form as clientKey)",
	.section = OF_22,
	.open = "the form of the opaque string",
};
const struct catalog_field field_auth_token = {
	.name = "authToken",
	.type = CATALOG_UUID,
	.meaning = "authentication token of an authentication session",
	.section = OF_22,
};
const struct catalog_field field_user_token = {
	.name = "userToken",
	.type = CATALOG_UUID,
	.meaning = "user token issued after a successful authentication",
	.section = OF_22,
};
const struct catalog_field field_display_token = {
	.name = "displayToken",
	.type = CATALOG_UUID,
	.meaning = "token used to display a credit report",
	.section = OF_22,
};
const struct catalog_field field_report_key = {
	.name = "reportKey",
	.type = CATALOG_UUID,
	.meaning = "identifier of a credit report",
	.section = OF_22,
};
const struct catalog_field field_product_code = {
	.name = "productCode",
	.type = CATALOG_STRING,
	.meaning = "code of the ordered credit report product",
	.section = OF_22,
	.open = "the list of product codes",
	.example = "sample-product",
};
const struct catalog_field field_off_cycle = {
	.name = "offCycle",
	.type = CATALOG_BOOLEAN_TEXT,
	.meaning = "whether the report was ordered off cycle",
	.section = OF_22,
	.example = "false",
};
const struct catalog_field field_bureau = {
	.name = "bureau",
	.type = CATALOG_STRING,
	.meaning = "short code of the credit bureau involved",
	.section = OF_22,
	.open = "the allowed values (section 2.2, rule 5)",
	.example = "sample-bureau",
};
const struct catalog_field field_ttl_in_minutes = {
	.name = "ttlInMinutes",
	.type = CATALOG_INTEGER,
	.meaning = "lifetime in minutes of a generated token",
	.section = OF_22,
	.open = "its bounds (section 8)",
	.example = "15",
};
const struct catalog_field field_first_name = {
	.name = "firstName",
	.type = CATALOG_STRING,
	.meaning = "first name of the created user (personal data)",
	.section = OF_22,
	.example = "<FIRST_NAME>",
};
const struct catalog_field field_last_name = {
	.name = "lastName",
	.type = CATALOG_STRING,
	.meaning = "last name of the created user (personal data)",
	.section = OF_22,
	.example = "<LAST_NAME>",
};
const struct catalog_field field_enrollment_code = {
	.name = "enrollmentCode",
	.type = CATALOG_STRING,
	.meaning = "code of the monitoring service enrolled or cancelled",
	.section = OF_22,
	.open = "the list of enrollment codes",
	.example = "sample-enrollment",
};
const struct catalog_field field_monitor_id = {
	.name = "monitorId",
	.type = CATALOG_INTEGER,
	.meaning = "identifier of a monitored element that was removed",
	.section = OF_22,
	.owner = CATALOG_OF_EVENT,
};
const struct catalog_field field_score_modifiers = {
	.name = "scoreModifiers",
	.type = CATALOG_OBJECT,
	.meaning = "modifications to attributes of a credit report applied in a score simulation (for example the number of "
		   "successive on-time payments, the credit limit of a car loan); each property declares one",
	.section = OF_22,
	.open = "the names of its properties (section 2.2, rule 2); which ones apply depends on the bureau (rule 1)",
	.open_members = true,
	.example = "{\"sampleModifier\":12}",
};
const struct catalog_field field_change = {
	.name = "change",
	.type = CATALOG_INTEGER_TEXT,
	.meaning = "amount by which the credit score changes after the modifiers are applied (a delta; negative means a "
		   "decrease)",
	.section = OF_22,
	.example = "-12",
};
const struct catalog_field field_alert_id = {
	.name = "alertId",
	.type = CATALOG_INTEGER,
	.meaning = "identifier of a bureau alert",
	.section = OF_22,
	.owner = CATALOG_OF_EVENT,
};
const struct catalog_field field_alert_type = {
	.name = "alertType",
	.type = CATALOG_STRING,
	.meaning = "type name of a bureau alert",
	.section = OF_22,
	.open = "the list of values (section 2.2, rule 3)",
	.example = "sample-alert",
};

const struct catalog_field field_address_street = {
	.name = "street",
	.type = CATALOG_STRING,
	.meaning = "street of the created user's address (personal data)",
	.section = OF_22,
	.example = "<STREET>",
};
const struct catalog_field field_address_city = {
	.name = "city",
	.type = CATALOG_STRING,
	.meaning = "city of the created user's address (personal data)",
	.section = OF_22,
	.example = "<CITY>",
};
const struct catalog_field field_address_state = {
	.name = "state",
	.type = CATALOG_STRING,
	.meaning = "state of the created user's address (personal data)",
	.section = OF_22,
	.example = "<STATE>",
};
const struct catalog_field field_address_zip = {
	.name = "zip",
	.type = CATALOG_STRING,
	.meaning = "postal code of the created user's address (personal data)",
	.section = OF_22,
	.example = "<ZIP>",
};
static const struct catalog_member address_members[] = {
	{ &field_address_street, CATALOG_STRING },
	{ &field_address_city, CATALOG_STRING },
	{ &field_address_state, CATALOG_STRING },
	{ &field_address_zip, CATALOG_STRING },
};
const struct catalog_field field_address = {
	.name = "address",
	.type = CATALOG_OBJECT,
	.meaning = "address of the created user (personal data)",
	.section = OF_22,
	.members = address_members,
	.member_count = CATALOG_COUNT(address_members),
};

static const struct catalog_value dispute_status_values[] = {
	{ "Submission", "passed through from the bureaus", OF_22 },
	{ "Completion", "passed through from the bureaus", OF_22 },
};
const struct catalog_field field_dispute_status = {
	.name = "disputeStatus",
	.type = CATALOG_CHOICE,
	.meaning = "Submission or Completion; passed through from the bureaus",
	.section = OF_22,
	.values = dispute_status_values,
	.value_count = CATALOG_COUNT(dispute_status_values),
	.example = "Submission",
};
static const struct catalog_member alert_detail_members[] = {
	{ &field_dispute_status, CATALOG_CHOICE },
};
const struct catalog_field field_alert_details = {
	.name = "alertDetails",
	.type = CATALOG_OBJECT,
	.meaning = "alert-specific data; contains disputeStatus",
	.section = OF_22,
	.open = "its other fields (section 2.2, rule 4)",
	.members = alert_detail_members,
	.member_count = CATALOG_COUNT(alert_detail_members),
	.open_members = true,
};

const struct catalog_field *const catalog_fields[] = {
	&field_app_key,
	&field_client_key,
	&field_user_id,
	&field_auth_token,
	&field_user_token,
	&field_display_token,
	&field_report_key,
	&field_product_code,
	&field_off_cycle,
	&field_bureau,
	&field_ttl_in_minutes,
	&field_first_name,
	&field_last_name,
	&field_address,
	&field_address_street,
	&field_address_city,
	&field_address_state,
	&field_address_zip,
	&field_enrollment_code,
	&field_monitor_id,
	&field_score_modifiers,
	&field_change,
	&field_alert_id,
	&field_alert_type,
	&field_alert_details,
	&field_dispute_status,
};
const size_t catalog_field_count = CATALOG_COUNT(catalog_fields);

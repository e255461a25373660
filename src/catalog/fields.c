/* Sections 2.1 and 2.2: every field, one row each. */
#include "catalog/rows.h"

const struct catalog_value catalog_services[] = {
	{ "user", "users", "2.1" },
	{ "authenticate", "authentication", "2.1" },
	{ "report", "credit reports", "2.1" },
	{ "score-simulator", "credit score simulation", "2.1" },
	{ "monitoring", "monitoring services and monitored elements", "2.1" },
	{ "alerts", "bureau alerts", "2.1" },
};
const size_t catalog_service_count = CATALOG_COUNT(catalog_services);

static FIELD(envelope_service, "service", CATALOG_STRING, CATALOG_PLAIN, "2.1", "area that produced the event",
             .required = "yes", .values = catalog_services, .value_count = CATALOG_COUNT(catalog_services));
static FIELD(envelope_event, "event", CATALOG_STRING, CATALOG_PLAIN, "2.1",
             "HTTP status code of the invoked operation, as a string; push for alerts", .required = "yes");
static FIELD(envelope_method, "method", CATALOG_STRING, CATALOG_PLAIN, "2.1",
             "lower-case HTTP method of the invoked operation; push for alerts", .required = "yes");
static FIELD(envelope_path, "path", CATALOG_STRING, CATALOG_PLAIN, "2.1",
             "path of the invoked operation, beginning with /api/; absent in alerts",
             .required = "yes for API events; absent in alert notifications");
static FIELD(envelope_details, "details", CATALOG_OBJECT, CATALOG_MEMBERS, "2.1", "event-specific properties",
             .required = "yes");

const struct catalog_field *const catalog_envelope[] = {
	&envelope_service, &envelope_event, &envelope_method, &envelope_path, &envelope_details,
};
const size_t catalog_envelope_count = CATALOG_COUNT(catalog_envelope);

const struct catalog_member catalog_envelope_members[] = {
	{ &envelope_service, CATALOG_STRING }, { &envelope_event, CATALOG_STRING },
	{ &envelope_method, CATALOG_STRING },  { &envelope_path, CATALOG_STRING },
	{ &envelope_details, CATALOG_OBJECT },
};

FIELD(field_app_key, "appKey", CATALOG_UUID, CATALOG_IDENTIFIER, "2.2", "identifier of the client application",
      .owner = CATALOG_OF_APPLICATION);
FIELD(field_client_key, "clientKey", CATALOG_STRING, CATALOG_IDENTIFIER, "2.2",
      "identifier of the client's user/customer record",
      .open = "the form of the opaque string outside user-created, where it is a UUID");
FIELD(field_user_id, "userId", CATALOG_STRING, CATALOG_IDENTIFIER, "2.2",
      "identifier of the user (same form as clientKey)", .open = "the form of the opaque string");
FIELD(field_auth_token, "authToken", CATALOG_UUID, CATALOG_IDENTIFIER, "2.2",
      "authentication token of an authentication session");
FIELD(field_user_token, "userToken", CATALOG_UUID, CATALOG_IDENTIFIER, "2.2",
      "user token issued after a successful authentication");
FIELD(field_display_token, "displayToken", CATALOG_UUID, CATALOG_IDENTIFIER, "2.2",
      "token used to display a credit report");
FIELD(field_report_key, "reportKey", CATALOG_UUID, CATALOG_IDENTIFIER, "2.2", "identifier of a credit report");
FIELD(field_product_code, "productCode", CATALOG_STRING, CATALOG_CODE, "2.2",
      "code of the ordered credit report product", .open = "the list of product codes", .example = "sample-product");
FIELD(field_off_cycle, "offCycle", CATALOG_BOOLEAN_TEXT, CATALOG_PLAIN, "2.2",
      "whether the report was ordered off cycle", .example = "false");
FIELD(field_bureau, "bureau", CATALOG_STRING, CATALOG_CODE, "2.2", "short code of the credit bureau involved",
      .open = "the allowed values (section 2.2, rule 5)", .example = "sample-bureau");
FIELD(field_ttl_in_minutes, "ttlInMinutes", CATALOG_INTEGER, CATALOG_PLAIN, "2.2",
      "lifetime in minutes of a generated token", .open = "its bounds (section 8)", .example = "15");
FIELD(field_first_name, "firstName", CATALOG_STRING, CATALOG_NAME, "2.2",
      "first name of the created user (personal data)", .example = "<FIRST_NAME>");
FIELD(field_last_name, "lastName", CATALOG_STRING, CATALOG_NAME, "2.2", "last name of the created user (personal data)",
      .example = "<LAST_NAME>");
FIELD(field_enrollment_code, "enrollmentCode", CATALOG_STRING, CATALOG_CODE, "2.2",
      "code of the monitoring service enrolled or cancelled", .open = "the list of enrollment codes",
      .example = "sample-enrollment");
FIELD(field_monitor_id, "monitorId", CATALOG_INTEGER, CATALOG_IDENTIFIER, "2.2",
      "identifier of a monitored element that was removed", .owner = CATALOG_OF_EVENT);
FIELD(field_score_modifiers, "scoreModifiers", CATALOG_OBJECT, CATALOG_CREDIT, "2.2",
      "modifications to attributes of a credit report applied in a score simulation (for example the number of "
      "successive on-time payments, the credit limit of a car loan); each property declares one",
      .open = "the names of its properties (section 2.2, rule 2); which ones apply depends on the bureau (rule 1)",
      .open_members = true, .example = "{\"sampleModifier\":12}");
FIELD(field_change, "change", CATALOG_INTEGER_TEXT, CATALOG_CREDIT, "2.2",
      "amount by which the credit score changes after the modifiers are applied (a delta; negative means a "
      "decrease)",
      .example = "-12");
FIELD(field_alert_id, "alertId", CATALOG_INTEGER, CATALOG_IDENTIFIER, "2.2", "identifier of a bureau alert",
      .owner = CATALOG_OF_EVENT);
FIELD(field_alert_type, "alertType", CATALOG_STRING, CATALOG_CODE, "2.2", "type name of a bureau alert",
      .open = "the list of values (section 2.2, rule 3)", .example = "sample-alert");

FIELD(field_address_street, "street", CATALOG_STRING, CATALOG_NAME, "2.2",
      "street of the created user's address (personal data)", .example = "<STREET>");
FIELD(field_address_city, "city", CATALOG_STRING, CATALOG_NAME, "2.2",
      "city of the created user's address (personal data)", .example = "<CITY>");
FIELD(field_address_state, "state", CATALOG_STRING, CATALOG_SHORT, "2.2",
      "state of the created user's address (personal data)", .example = "<STATE>");
FIELD(field_address_zip, "zip", CATALOG_STRING, CATALOG_SHORT, "2.2",
      "postal code of the created user's address (personal data)", .example = "<ZIP>");
static const struct catalog_member address_members[] = {
	{ &field_address_street, CATALOG_STRING },
	{ &field_address_city, CATALOG_STRING },
	{ &field_address_state, CATALOG_STRING },
	{ &field_address_zip, CATALOG_STRING },
};
FIELD(field_address, "address", CATALOG_OBJECT, CATALOG_MEMBERS, "2.2", "address of the created user (personal data)",
      .members = address_members, .member_count = CATALOG_COUNT(address_members));

static const struct catalog_value dispute_status_values[] = {
	{ "Submission", "passed through from the bureaus", "2.2" },
	{ "Completion", "passed through from the bureaus", "2.2" },
};
FIELD(field_dispute_status, "disputeStatus", CATALOG_CHOICE, CATALOG_PLAIN, "2.2",
      "Submission or Completion; passed through from the bureaus", .values = dispute_status_values,
      .value_count = CATALOG_COUNT(dispute_status_values), .example = "Submission");
static const struct catalog_member alert_detail_members[] = {
	{ &field_dispute_status, CATALOG_CHOICE },
};
FIELD(field_alert_details, "alertDetails", CATALOG_OBJECT, CATALOG_MEMBERS, "2.2",
      "alert-specific data; contains disputeStatus", .open = "its other fields (section 2.2, rule 4)",
      .members = alert_detail_members, .member_count = CATALOG_COUNT(alert_detail_members), .open_members = true);

const struct catalog_field *const catalog_fields[] = {
	&field_app_key,         &field_client_key,     &field_user_id,         &field_auth_token,
	&field_user_token,      &field_display_token,  &field_report_key,      &field_product_code,
	&field_off_cycle,       &field_bureau,         &field_ttl_in_minutes,  &field_first_name,
	&field_last_name,       &field_address,        &field_address_street,  &field_address_city,
	&field_address_state,   &field_address_zip,    &field_enrollment_code, &field_monitor_id,
	&field_score_modifiers, &field_change,         &field_alert_id,        &field_alert_type,
	&field_alert_details,   &field_dispute_status,
};
const size_t catalog_field_count = CATALOG_COUNT(catalog_fields);
const size_t catalog_every_field_count = CATALOG_COUNT(catalog_envelope) + CATALOG_COUNT(catalog_fields);

/* The field rows that events refer to by address, so that a typo does not compile. For src/catalog only. */
#ifndef CREDHOOK_CATALOG_ROWS_H
#define CREDHOOK_CATALOG_ROWS_H

#include "catalog/catalog.h"

#define CATALOG_COUNT(array) (sizeof(array) / sizeof(array)[0])

/* A row of struct catalog_field: what none can do without, its meaning as the last of that, and its other members. */
#define FIELD(row, its_key, its_type, its_privacy, its_section, ...)                                                   \
	const struct catalog_field row = { .name = its_key,                                                            \
		                           .name_length = sizeof its_key - 1,                                          \
		                           .type = its_type,                                                           \
		                           .privacy = its_privacy,                                                     \
		                           .section = its_section,                                                     \
		                           .meaning = __VA_ARGS__ }

extern const struct catalog_field field_app_key, field_client_key, field_user_id, field_auth_token, field_user_token,
        field_display_token, field_report_key, field_product_code, field_off_cycle, field_bureau, field_ttl_in_minutes,
        field_first_name, field_last_name, field_address, field_enrollment_code, field_monitor_id,
        field_score_modifiers, field_change, field_alert_id, field_alert_type, field_alert_details,
        field_dispute_status, field_address_street, field_address_city, field_address_state, field_address_zip;

#endif

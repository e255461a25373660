/* Values of the fields: those of people, and the other valid ones that --variants makes; a row each. */
#include "catalog/rows.h"

/* The columns behind the text. */
#define IS     CATALOG_OTHER_TEXT
#define ADDED  CATALOG_ADDED
#define UPPER  CATALOG_UPPER_CASE
#define SHORT  CATALOG_SHORTENED
#define STATED "2.2"
#define OPEN   NULL
#define COMMON CATALOG_COMMON
#define LIKELY CATALOG_LIKELY
#define RARE   CATALOG_RARE

/* Repetition, for a text of 255 characters. */
#define TIMES_5(text)  text text text text text
#define TIMES_17(text) TIMES_5(text) TIMES_5(text) TIMES_5(text) text text

static const struct catalog_other uuids[] = {
	{ "upper", NULL, UPPER, OPEN, RARE },
};
static const struct catalog_other identifiers[] = {
	{ "short", NULL, SHORT, OPEN, RARE },
};
static const struct catalog_other codes[] = {
	{ "short", "X1", IS, OPEN, RARE },
};
static const struct catalog_other states[] = {
	{ "short", "XX", IS, OPEN, RARE },
};
static const struct catalog_other zips[] = {
	{ "02134", "02134", IS, OPEN, COMMON },
	{ "08901", "08901", IS, OPEN, COMMON }, /* no octal number either */
	{ "00000", "00000", IS, OPEN, RARE },
	{ "ZIP+4", "12345-6789", IS, OPEN, LIKELY },
};
static const struct catalog_other off_cycle[] = {
	{ "true", "true", IS, STATED, COMMON },
};
static const struct catalog_other changes[] = {
	{ "7", "7", IS, STATED, COMMON },
	{ "0", "0", IS, STATED, COMMON },
	{ "-250", "-250", IS, STATED, COMMON },
	{ "+7", "+7", IS, STATED, RARE },
	{ "30-digits", "123456789012345678901234567890", IS, OPEN, RARE },
};
static const struct catalog_other dispute_statuses[] = {
	{ "Completion", "Completion", IS, STATED, COMMON },
};
static const struct catalog_other integers[] = {
	{ "0", "0", IS, OPEN, RARE },
	{ "1", "1", IS, OPEN, RARE },
	{ "2^31", "2147483648", IS, OPEN, RARE },
	{ "2^53+1", "9007199254740993", IS, OPEN, RARE },
	{ "2^63", "9223372036854775808", IS, OPEN, RARE },
	{ "10^30", "1000000000000000000000000000000", IS, OPEN, RARE },
};
static const struct catalog_other minutes[] = {
	{ "0", "0", IS, OPEN, RARE },
	{ "1", "1", IS, OPEN, RARE },
	{ "90", "90", IS, OPEN, LIKELY },
	{ "1440", "1440", IS, OPEN, LIKELY }, /* a day */
	{ "2^31", "2147483648", IS, OPEN, RARE },
	{ "2^53+1", "9007199254740993", IS, OPEN, RARE },
	{ "2^63", "9223372036854775808", IS, OPEN, RARE },
	{ "10^30", "1000000000000000000000000000000", IS, OPEN, RARE },
};
static const struct catalog_other texts[] = {
	{ "space", "Sample Name", IS, OPEN, COMMON },
	{ "apostrophe", "O'Sample", IS, OPEN, COMMON },
	{ "accents", "S\u00e1mpl\u00e9-\u00dc\u00f1\u00ef\u0161\u0142", IS, OPEN, COMMON },
	{ "Chinese", "\u6837\u672c", IS, OPEN, COMMON },
	{ "emoji", "Sample \U0001F600", IS, OPEN, RARE },
	{ "quotes", "The \"Sample\"", IS, OPEN, RARE },
	{ "backslash", "Sample\\Name", IS, OPEN, RARE },
	{ "255-characters", TIMES_17(TIMES_5("sam")), IS, OPEN, RARE },
};
static const struct catalog_other modifiers[] = {
	{ "empty", "{}", IS, OPEN, RARE },
	{ "one", "{\"sampleModifier\":\"sample\"}", IS, STATED, COMMON },
	{ "several", "{\"sampleOne\":3,\"sampleTwo\":\"sample\",\"sampleThree\":-20000}", IS, STATED, COMMON },
	{ "nested", "{\"sampleModifier\":{\"sampleAttribute\":20000}}", IS, OPEN, RARE },
};
static const struct catalog_other further_details[] = {
	{ "further-text", "{\"sampleDetail\":\"sample\"}", ADDED, OPEN, COMMON },
	{ "further-object", "{\"sampleDetail\":{\"sampleCount\":2,\"sampleText\":\"sample\"}}", ADDED, OPEN, COMMON },
};

#define VALUES(rows) rows, CATALOG_COUNT(rows)

const struct catalog_others catalog_others[] = {
	{ NULL, CATALOG_UUID, VALUES(uuids) },
	{ &field_ttl_in_minutes, CATALOG_INTEGER, VALUES(minutes) },
	{ NULL, CATALOG_INTEGER, VALUES(integers) },
	{ &field_client_key, CATALOG_STRING, VALUES(identifiers) },
	{ &field_user_id, CATALOG_STRING, VALUES(identifiers) },
	{ &field_product_code, CATALOG_STRING, VALUES(codes) },
	{ &field_off_cycle, CATALOG_BOOLEAN_TEXT, VALUES(off_cycle) },
	{ &field_bureau, CATALOG_STRING, VALUES(codes) },
	{ &field_first_name, CATALOG_STRING, VALUES(texts) },
	{ &field_last_name, CATALOG_STRING, VALUES(texts) },
	{ &field_address_street, CATALOG_STRING, VALUES(texts) },
	{ &field_address_city, CATALOG_STRING, VALUES(texts) },
	{ &field_address_state, CATALOG_STRING, VALUES(states) },
	{ &field_address_zip, CATALOG_STRING, VALUES(zips) },
	{ &field_enrollment_code, CATALOG_STRING, VALUES(codes) },
	{ &field_score_modifiers, CATALOG_OBJECT, VALUES(modifiers) },
	{ &field_change, CATALOG_INTEGER_TEXT, VALUES(changes) },
	{ &field_alert_type, CATALOG_STRING, VALUES(codes) },
	{ &field_alert_details, CATALOG_OBJECT, VALUES(further_details) },
	{ &field_dispute_status, CATALOG_CHOICE, VALUES(dispute_statuses) },
};
const size_t catalog_others_count = CATALOG_COUNT(catalog_others);

/* Names and streets are invented. The places are real, since listeners check ZIP codes and states. */
#define INVENTED 3
static const struct catalog_field *const personal[] = {
	&field_first_name,   &field_last_name,     &field_address_street,
	&field_address_city, &field_address_state, &field_address_zip,
};
static const char *const people[][CATALOG_COUNT(personal)] = {
	{ "Nora", "Fairbrook", "118 Alderbrook Lane", "Boston", "MA", "02108" },
	{ "Caleb", "Hartwick", "2204 Larkmeadow Drive", "Denver", "CO", "80202" },
	{ "Teresa", "Quintley", "77 Stonefern Street", "Portland", "OR", "97205" },
	{ "Marcus", "Ellingford", "931 Willowgate Avenue", "Austin", "TX", "78701" },
	{ "Priya", "Ramsdale", "4610 Harborline Road", "Seattle", "WA", "98101" },
	{ "Owen", "Castlebury", "305 Maplecross Court", "Chicago", "IL", "60602" },
	{ "Lucia", "Monteverre", "1529 Peachwell Street", "Atlanta", "GA", "30303" },
	{ "Derek", "Sandhollow", "8040 Saguaro Bend", "Phoenix", "AZ", "85004" },
	{ "Ingrid", "Lakesmith", "612 Birchwater Way", "Minneapolis", "MN", "55401" },
	{ "Jasper", "Tillerman", "49 Fiddlewood Place", "Nashville", "TN", "37203" },
	{ "Helena", "Oakhurst", "2716 Buckeyehill Road", "Columbus", "OH", "43215" },
	{ "Samuel", "Pinecroft", "1083 Longleaf Terrace", "Raleigh", "NC", "27601" },
};

const char *catalog_personal(const struct catalog_field *field, uint64_t person, bool *invented)
{
	for (size_t i = 0; i < CATALOG_COUNT(personal); i++) {
		*invented = i < INVENTED;
		if (personal[i] == field)
			return people[person % CATALOG_COUNT(people)][i];
	}
	return NULL;
}

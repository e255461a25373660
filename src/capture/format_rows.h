/* What the rows of format.c are made of. Private to src/capture. */
#ifndef CREDHOOK_CAPTURE_FORMAT_ROWS_H
#define CREDHOOK_CAPTURE_FORMAT_ROWS_H

#include "capture/entries.h"
#include "capture/format_write.h"
#include "json/located.h"

#include <stdbool.h>
#include <stddef.h>

bool format_is_har(const struct json_doc *doc);
bool format_is_vegeta(const struct json_doc *doc);
bool format_is_aws(const struct json_doc *doc);
bool format_is_ngrok(const struct json_doc *doc);
bool format_is_webhook_site(const struct json_doc *doc);
bool format_is_postman(const struct json_doc *doc);
bool format_is_results(const struct json_doc *doc);
bool format_is_schema(const struct json_doc *doc);
bool format_is_api(const struct json_doc *doc);
bool format_is_config(const struct json_doc *doc);
bool format_is_sarif(const struct json_doc *doc);
bool format_is_output(const struct json_doc *doc);
bool format_is_goreplay(const char *bytes, size_t length);
bool format_is_mitmproxy(const char *bytes, size_t length);
bool format_is_pcap(const char *bytes, size_t length);

extern const struct format_reader format_har_reader, format_aws_reader;
extern const struct format_writer format_record_writer, format_har_writer;

#endif

/* How responses are written on the command line: delays, probabilities, faults and rules. */
#ifndef CREDHOOK_CMD_RECEIVE_PARSE_H
#define CREDHOOK_CMD_RECEIVE_PARSE_H

#include "receive/response.h"

/* The options' parsers (see struct option); each names its option in errors. */
int receive_parse_delay(void *field, const char *value, struct error *err);   /* struct response_delay: D or D..D */
int receive_parse_respond(void *field, const char *value, struct error *err); /* struct response_statuses: N,N... */
int receive_parse_fault(void *field, const char *value,
                        struct error *err); /* struct response_faults: one more, STATUS|KIND[:P] */
int receive_parse_seed(void *field, const char *value, struct error *err); /* struct response_number */
int receive_parse_rule(void *field, const char *value, struct error *err); /* struct response_rules: one more */

const char *receive_rule_key(size_t index); /* event, valid, ...; NULL: no more */

#endif

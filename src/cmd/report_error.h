#ifndef CREDHOOK_CMD_REPORT_ERROR_H
#define CREDHOOK_CMD_REPORT_ERROR_H

#include "base/error.h"
#include "ui/terminal.h"

/* Prints the error to stderr, with its hint; with --json as {"error":{"exit","message","hint"?}}. Never dropped. */
void report_error(struct terminal *terminal, const struct error *err);

#endif

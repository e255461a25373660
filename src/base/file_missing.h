/* What may have been meant by the name of a file that is not there. */
#ifndef CREDHOOK_BASE_FILE_MISSING_H
#define CREDHOOK_BASE_FILE_MISSING_H

#include "base/error.h"

/* Adds a hint to the error: the name nearest to it in the same folder, or that the folder is missing, or that nothing
 * expands a pattern in quotes; or none. Returns -1. */
int file_missing_hint(const char *path, struct error *err);

#endif

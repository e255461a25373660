/* What a word looks like, wherever it stands. */
#ifndef CREDHOOK_CMD_ARGS_TYPED_WORD_H
#define CREDHOOK_CMD_ARGS_TYPED_WORD_H

#include <stdbool.h>

bool word_is_folder(const char *word);
/* Its name ends as those of captures and payloads do. */
bool word_is_data(const char *word);
/* It is there, or its name ends as captures and payloads do. */
bool word_is_file(const char *word);
/* It is for notifications of a list, and not a file: of digits, first and last, commas and range signs, but not "-".
 * One like 7-5 names none. */
bool word_is_number(const char *word);

#endif

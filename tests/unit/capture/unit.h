/* cmocka, with the headers it needs before it. */
#ifndef CREDHOOK_TESTS_CAPTURE_UNIT_H
#define CREDHOOK_TESTS_CAPTURE_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off: it would go first */
#include <cmocka.h>
/* clang-format on */

#endif

/* Memory that fails, in a test that is linked with LINKER:--wrap=malloc,--wrap=calloc,--wrap=realloc. */
#ifndef CREDHOOK_TESTS_FAILING_MEMORY_H
#define CREDHOOK_TESTS_FAILING_MEMORY_H

#include <stddef.h>

/* The allocation of that number fails, from 1; 0: none. */
static unsigned long fail_at, allocations;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_malloc(size_t size)
{
	return ++allocations == fail_at ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return ++allocations == fail_at ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return ++allocations == fail_at ? NULL : __real_realloc(old, size);
}

#endif

/* Whether a test runs under a sanitizer, which makes it slower, and memory larger. */
#ifndef CREDHOOK_TESTS_SANITIZERS_H
#define CREDHOOK_TESTS_SANITIZERS_H

#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || __has_feature(address_sanitizer) ||               \
        __has_feature(thread_sanitizer)
#define IS_SANITIZED 1
#else
#define IS_SANITIZED 0
#endif

#endif

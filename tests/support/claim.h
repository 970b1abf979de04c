/*
 * Claims in loops: Criterion tells its runner of every assertion that holds,
 * which takes microseconds each; this one is silent until one doesn't.
 * Fuzzers, which are no tests of Criterion's, define CLAIM_ABORTS.
 */
#ifndef TESTS_SUPPORT_CLAIM_H
#define TESTS_SUPPORT_CLAIM_H

#include <stdio.h>
#include <stdlib.h>

#ifdef CLAIM_ABORTS
#define claim_fail(...) (fprintf(stderr, " " __VA_ARGS__), abort())
#else
#include <criterion/criterion.h>
#define claim_fail(...) cr_assert_fail("" __VA_ARGS__)
#endif

#define claim(condition, ...)                                                  \
    do {                                                                       \
        if (!(condition)) {                                                    \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__,         \
                    #condition);                                               \
            claim_fail(__VA_ARGS__);                                           \
            abort(); /* not reached */                                         \
        }                                                                      \
    } while (0)

#endif

/*
 * Claims in loops: Criterion tells its runner of every assertion that holds,
 * which takes microseconds each; this one is silent until one doesn't.
 */
#ifndef TESTS_SUPPORT_CLAIM_H
#define TESTS_SUPPORT_CLAIM_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#define claim(condition, ...)                                                  \
    do {                                                                       \
        if (!(condition)) {                                                    \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__,         \
                    #condition);                                               \
            cr_assert_fail("" __VA_ARGS__);                                    \
            abort(); /* not reached */                                         \
        }                                                                      \
    } while (0)

#endif

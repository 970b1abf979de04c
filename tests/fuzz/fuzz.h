/*
 * What all fuzzers share.
 *
 * A fuzzer is one function that takes bytes and must come back. libFuzzer
 * drives it (meson option `fuzz`, compiled by clang), or the plain driver.c,
 * which goes through the corpus and seeded changes of it in the ordinary
 * suite. What must hold beyond that nothing crashes is said with must().
 */
#ifndef DTX_TESTS_FUZZ_H
#define DTX_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Optional: a change that suits the format. Returns the new size. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
                               unsigned seed);

#define must(condition)                                                        \
    do {                                                                       \
        if (!(condition)) {                                                    \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__,         \
                    #condition);                                               \
            abort();                                                           \
        }                                                                      \
    } while (0)

/* The input as text, up to its first NUL; to be freed with free(). */
char *fuzz_text(const uint8_t *data, size_t size);

#endif

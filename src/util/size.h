/*
 * Sizes as people write them.
 */
#ifndef DTX_UTIL_SIZE_H
#define DTX_UTIL_SIZE_H

#include <stdbool.h>
#include <stdint.h>

enum { DTX_SIZE_TEXT = 32 };

/* "256MiB", "4GiB", "1.5G", "64k", "1000": bytes. K, M, G, T, P and KiB … are
 * powers of 1024, kB, MB, GB … of 1000. False if it is no size. */
bool dtx_size_parse(const char *text, uint64_t *bytes_out);

/* "14.96 GiB"; text must have room for DTX_SIZE_TEXT. Returns text. */
char *dtx_size_format(uint64_t bytes, char *text);

#endif

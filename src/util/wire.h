/*
 * What processes of one job say to each other: bytes that are put together
 * from numbers and strings, and taken apart from front to back.
 *
 * Both ends run the same program on machines of one kind, so numbers are 64
 * bits as they stand in memory. Neither believes the other: what is taken out
 * beyond the end, or isn't well-formed, is noticed once, in is_damaged.
 */
#ifndef DTX_UTIL_WIRE_H
#define DTX_UTIL_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/text.h"

void dtx_wire_add_number(struct dtx_text *text, uint64_t number);
void dtx_wire_add_string(struct dtx_text *text, const char *string);

/* The rest of what came. What can't be taken reads as 0 or "". */
struct dtx_wire {
    const char *at;
    size_t left;
    bool is_damaged;
};

uint64_t dtx_wire_number(struct dtx_wire *wire);
/* A number of things that take so many bytes each, at least; so many are
 * left. */
size_t dtx_wire_count(struct dtx_wire *wire, size_t item_bytes);
/* NUL-terminated, in what came. */
const char *dtx_wire_string(struct dtx_wire *wire);

#endif

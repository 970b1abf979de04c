/*
 * What a guard and the process that it reads for say to each other: bytes
 * through a socket, put together from numbers and strings.
 *
 * Both ends run the same program on one machine, so numbers are 64 bits as
 * they stand in memory. Neither believes the other: what is taken out beyond
 * the end, or isn't well-formed, is noticed once, in is_damaged.
 */
#ifndef DTX_STORAGE_WIRE_H
#define DTX_STORAGE_WIRE_H

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
/* NUL-terminated, in what came. */
const char *dtx_wire_string(struct dtx_wire *wire);

/* Sends or receives all of so many bytes, over signals. False where the other
 * end has gone. */
bool dtx_wire_send(int fd, const void *bytes, size_t count);
bool dtx_wire_receive(int fd, void *bytes, size_t count);

#endif

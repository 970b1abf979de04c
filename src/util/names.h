/*
 * Interned strings: a set that numbers its members 0, 1, … in the order in
 * which they came. `= {0}` is empty.
 */
#ifndef DTX_UTIL_NAMES_H
#define DTX_UTIL_NAMES_H

#include <stddef.h>

#include "util/arena.h"

struct dtx_names {
    struct dtx_arena arena;
    const char **strings; /* [count] */
    int count;
    int *slots; /* hash table, -1 or an index */
    size_t slot_count;
    size_t capacity;
};

/* The number of a string, added if it is new; -1 when out of memory. */
int dtx_names_add(struct dtx_names *names, const char *string);
/* The number of a string, or -1. */
int dtx_names_find(const struct dtx_names *names, const char *string);
void dtx_names_finish(struct dtx_names *names);

#endif

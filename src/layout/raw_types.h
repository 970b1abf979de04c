/*
 * Raw types: one list of the element types of all files that dtx doesn't know.
 *
 * While listings are read each dataset's type is a use of its own; at the end
 * uses that HDF5 encodes alike become one type.
 */
#ifndef DTX_LAYOUT_RAW_TYPES_H
#define DTX_LAYOUT_RAW_TYPES_H

#include <stdbool.h>
#include <stddef.h>

#include "layout/catalog.h"

struct dtx_raw_use {
    struct dtx_raw_type type;
    int number; /* uses count 0, 1, … as they come */
};

struct dtx_raw_uses {
    struct dtx_raw_use *uses; /* owned */
    size_t count, capacity;
};

/* The number of a new use, or -1 when out of memory. The type's bytes are
 * borrowed, its description must live as long as the catalog. */
int dtx_raw_uses_add(struct dtx_raw_uses *uses,
                     const struct dtx_raw_type *type);

/* Sets the catalog's raw types; index_out [count] the one of each use. False
 * when out of memory. */
bool dtx_raw_uses_number(struct dtx_raw_uses *uses, struct dtx_catalog *catalog,
                         int *index_out);

void dtx_raw_uses_finish(struct dtx_raw_uses *uses);

#endif

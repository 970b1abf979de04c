/*
 * Tallies: in how many elements two boxes of one tensor differ, by how much,
 * and where first.
 */
#ifndef DTX_ENGINE_COMPARE_TALLY_H
#define DTX_ENGINE_COMPARE_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dtx/dtype.h>

enum { TALLY_VALUE_TEXT = 64 };

/* `= {0}` is empty. Flat: it can be sent as bytes. */
struct tally {
    int64_t differing;
    bool is_measured;
    double largest_absolute; /* infinite where just one of both is NaN */
    double largest_relative;
    int64_t first; /* row-major number in the tensor; set if differing > 0 */
    char values[2][TALLY_VALUE_TEXT];
};

/* Two boxes of the same elements. */
struct tally_boxes {
    struct dtx_type types[2];
    bool is_one_type;    /* then bits are compared, else values */
    const char *data[2]; /* dense, row-major */
    int64_t count;       /* elements */
    int ndim;
    const int64_t *shape; /* [ndim] of the tensor */
    const int64_t *lo;    /* [ndim] the box */
    const int64_t *len;
};

/* True where values of two types can be compared. */
bool tally_is_possible(enum dtx_dtype a, enum dtx_dtype b);

void tally_add(struct tally *tally, const struct tally_boxes *boxes);

/* Adds what another process has. */
void tally_merge(struct tally *tally, const struct tally *other);

#endif

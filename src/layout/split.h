/*
 * Splits: how one mesh axis divides a list of items.
 *
 * Owners come from arithmetic: for any item the run of neighbours that go to
 * the same coordinate is found in O(1), in O(log parts) with sizes given, so
 * that a factor of 10^9 costs no more than one of 2.
 */
#ifndef DTX_LAYOUT_SPLIT_H
#define DTX_LAYOUT_SPLIT_H

#include <stdint.h>

#include "layout/layout.h"

/* How an axis of `parts` coordinates splits. `split` is never PAD: padded
 * pieces are cut for all axes of a dim at once. */
struct dtx_cut {
    enum dtx_split split;
    int parts;
    int64_t block;        /* >= 1: items that stay together */
    int64_t factor;       /* >= 1: chunks that are split one by one */
    const int64_t *edges; /* [parts + 1] from sizes; NULL: by the split rule */
};

/* Items up to `end` (exclusive) that go to one coordinate. */
struct dtx_cut_part {
    int part;
    int64_t end;
};

/* The part from item `at` on, 0 <= at < count. */
struct dtx_cut_part dtx_cut_part_at(const struct dtx_cut *cut, int64_t count,
                                    int64_t at);

/* The length of piece `part` of `count` items by a named rule. */
int64_t dtx_split_length(enum dtx_split split, int64_t count, int64_t parts,
                         int64_t part);

#endif

/*
 * A box of a dense row-major dataset, as the byte ranges it has in the file.
 *
 * A run is a range without gaps. Runs come in rows: run_count runs that stand
 * stride_bytes apart. Dims that the box fills are merged into the run, and
 * dims that stand at one distance into the row, so that a box of whole rows
 * of a tensor is one run, and a box of columns one row of runs.
 */
#ifndef DTX_STORAGE_ROW_WALK_H
#define DTX_STORAGE_ROW_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layout/limits.h"

struct dtx_row_walk {
    size_t run_bytes;
    int64_t run_count;     /* in a row; >= 1 */
    uint64_t stride_bytes; /* from run to run in a row */
    int outer_count;       /* dims over the rows, outermost first */
    int64_t outer_lengths[DTX_NDIM_MAX];
    uint64_t outer_strides[DTX_NDIM_MAX]; /* bytes */
    int64_t outer_at[DTX_NDIM_MAX];
    uint64_t offset; /* of the row that comes next */
    bool is_done;
};

/*
 * Starts a walk over the rows of a box.
 *
 * shape, lo, len  [ndim] in elements; a box without elements has no rows
 * size            bytes of an element
 */
void dtx_row_walk_init(struct dtx_row_walk *walk, int ndim,
                       const int64_t *shape, const int64_t *lo,
                       const int64_t *len, size_t size);

/* The next row's byte offset in the dataset; false after the last. In the
 * box's own dense buffer the runs follow one another. */
bool dtx_row_walk_next(struct dtx_row_walk *walk, uint64_t *offset_out);

#endif

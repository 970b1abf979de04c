/*
 * Digests: one number for the values of a tensor, however it is sharded.
 *
 * The digest is CRC-64/XZ of all logical elements in row-major order, little-
 * endian. A sum is what some boxes of the tensor contribute to it: the raw CRC
 * of each run of bytes, multiplied by the power for the bytes behind it. Sums
 * of disjoint boxes are put together by XOR, in any order and on any process;
 * when every element has been added once, dtx_digest_finish() makes the digest.
 *
 * Cost: one pass over the bytes, and one multiplication per run.
 */
#ifndef DTX_LAYOUT_DIGEST_H
#define DTX_LAYOUT_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A box of a tensor, and where its elements stand in memory. */
struct dtx_digest_box {
    size_t element_bytes;
    int ndim;
    const int64_t *shape; /* [ndim] of the tensor, logical */
    const int64_t *lo;    /* [ndim] the box, in the tensor's indices */
    const int64_t *len;   /* [ndim] */
    /* The array in memory that the box is a part of, and where in it. NULL:
     * the array is the box, dense and row-major. */
    const int64_t *array_shape; /* [ndim] */
    const int64_t *array_lo;    /* [ndim] */
};

/* Adds a box to a sum. data is the array. */
void dtx_digest_add(uint64_t *sum, const struct dtx_digest_box *box,
                    const void *data);

/* The digest of a tensor from the sum of all its elements. */
uint64_t dtx_digest_finish(uint64_t sum, int ndim, const int64_t *shape,
                           size_t element_bytes);

enum { DTX_DIGEST_TEXT = 17 };

/* As 16 hexadecimal digits. text has room for DTX_DIGEST_TEXT. */
void dtx_digest_format(uint64_t digest, char *text);

/* Reads what dtx_digest_format() wrote; false where it is anything else. */
bool dtx_digest_parse(const char *text, uint64_t *digest_out);

#endif

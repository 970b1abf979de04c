#include "layout/digest.h"

#include <inttypes.h>
#include <stdio.h>

#include "layout/crc64.h"
#include "layout/limits.h"

/* A box while it is added: runs of bytes, and the dims over which they are
 * repeated. */
struct walk {
    int dim_count; /* those outside a run */
    size_t run_bytes;
    int64_t counts[DTX_NDIM_MAX];  /* [dim_count] */
    size_t steps[DTX_NDIM_MAX];    /* in memory, bytes */
    uint64_t powers[DTX_NDIM_MAX]; /* for the bytes of one step in the whole */
};

/* The bytes of some dims of a shape and all within. */
static uint64_t
bytes_within(const int64_t *shape, int dim, int ndim, size_t element_bytes)
{
    uint64_t bytes = element_bytes;

    for (; dim < ndim; dim++) {
        bytes *= (uint64_t)shape[dim];
    }
    return bytes;
}

/* True where a dim's elements of the box lie one behind the other with those
 * of the next, in the whole and in memory. */
static bool
is_whole(const struct dtx_digest_box *box, int dim)
{
    return box->len[dim] == box->shape[dim] &&
           (box->array_shape == NULL || box->len[dim] == box->array_shape[dim]);
}

/* Makes the walk; returns where in the array the box begins, in bytes. */
static size_t
begin_walk(const struct dtx_digest_box *box, struct walk *walk)
{
    const int64_t *array = box->array_shape ? box->array_shape : box->len;
    uint64_t step = box->element_bytes, pitch = box->element_bytes;
    size_t offset = 0;
    bool is_run = true;
    int dim, used = DTX_NDIM_MAX;

    walk->run_bytes = box->element_bytes;
    for (dim = box->ndim - 1; dim >= 0; dim--) {
        if (is_run) {
            walk->run_bytes *= (size_t)box->len[dim];
            is_run = is_whole(box, dim);
        } else if (box->len[dim] > 1) {
            used--;
            walk->counts[used] = box->len[dim];
            walk->steps[used] = (size_t)step;
            walk->powers[used] = dtx_crc64_power(pitch);
        }
        offset +=
            box->array_lo ? (size_t)(step * (uint64_t)box->array_lo[dim]) : 0;
        step *= (uint64_t)array[dim];
        pitch *= (uint64_t)box->shape[dim];
    }
    walk->dim_count = DTX_NDIM_MAX - used;
    for (dim = 0; dim < walk->dim_count; dim++) {
        walk->counts[dim] = walk->counts[used + dim];
        walk->steps[dim] = walk->steps[used + dim];
        walk->powers[dim] = walk->powers[used + dim];
    }
    return offset;
}

/* The sum of the box's part in the dims from dim on, as if its last run ended
 * the tensor. */
static uint64_t
sum_dims(const struct walk *walk, int dim, const unsigned char *data)
{
    uint64_t sum = 0;
    int64_t i;

    if (dim == walk->dim_count) {
        return dtx_crc64_raw(data, walk->run_bytes);
    }
    if (dim + 1 == walk->dim_count) {
        struct dtx_crc64_rows rows = {data, walk->run_bytes, walk->steps[dim],
                                      walk->counts[dim], walk->powers[dim]};

        return dtx_crc64_rows(&rows);
    }
    for (i = 0; i < walk->counts[dim]; i++) {
        sum = dtx_crc64_multiply(sum, walk->powers[dim]) ^
              sum_dims(walk, dim + 1, data);
        data += walk->steps[dim];
    }
    return sum;
}

/* The bytes of the tensor behind the box's last element. */
static uint64_t
bytes_behind(const struct dtx_digest_box *box)
{
    uint64_t behind = 0, pitch = box->element_bytes;
    int dim;

    for (dim = box->ndim - 1; dim >= 0; dim--) {
        behind +=
            pitch * (uint64_t)(box->shape[dim] - box->lo[dim] - box->len[dim]);
        pitch *= (uint64_t)box->shape[dim];
    }
    return behind;
}

void
dtx_digest_add(uint64_t *sum, const struct dtx_digest_box *box,
               const void *data)
{
    const unsigned char *bytes = data;
    struct walk walk;
    uint64_t behind;
    int dim;

    for (dim = 0; dim < box->ndim; dim++) {
        if (box->len[dim] == 0) {
            return;
        }
    }
    bytes += begin_walk(box, &walk);
    behind = bytes_behind(box);
    *sum ^= behind == 0 ? sum_dims(&walk, 0, bytes)
                        : dtx_crc64_multiply(sum_dims(&walk, 0, bytes),
                                             dtx_crc64_power(behind));
}

uint64_t
dtx_digest_finish(uint64_t sum, int ndim, const int64_t *shape,
                  size_t element_bytes)
{
    uint64_t power =
        dtx_crc64_power(bytes_within(shape, 0, ndim, element_bytes));

    /* The register starts with all ones, and is inverted at the end. */
    return ~(sum ^ dtx_crc64_multiply(~(uint64_t)0, power));
}

void
dtx_digest_format(uint64_t digest, char *text)
{
    snprintf(text, DTX_DIGEST_TEXT, "%016" PRIx64, digest);
}

bool
dtx_digest_parse(const char *text, uint64_t *digest_out)
{
    uint64_t digest = 0;
    int i;

    for (i = 0; i < DTX_DIGEST_TEXT - 1; i++) {
        char c = text[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;

        if (digit < 0) {
            return false;
        }
        digest = digest << 4 | (uint64_t)digit;
    }
    if (text[i] != '\0') {
        return false;
    }
    *digest_out = digest;
    return true;
}

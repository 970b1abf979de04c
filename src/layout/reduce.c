#include "layout/reduce.h"

#include <assert.h>
#include <string.h>

#include "layout/convert.h"
#include "layout/convert_kernels.h"
#include "layout/reduce_kernels.h"

const char *const dtx_op_names[] = {
    [DTX_SUM] = "sum", [DTX_AVG] = "avg",         [DTX_MIN] = "min",
    [DTX_MAX] = "max", [DTX_PRODUCT] = "product",
};

/* Of one level of accumulators: all levels fit in the caches together, and on
 * a thread's stack. */
enum { BLOCK_BYTES = 2048 };

/* A reduction on its way through one block of elements. Level 0 holds a term,
 * level i + 1 the result over the first i + 1 axes. */
struct work {
    const struct dtx_reduction *reduction;
    const void *const *terms;
    enum dtx_dtype accumulator;
    size_t begin; /* the block, in elements */
    size_t count;
    int64_t first_bad; /* in the block, or -1 */
    char levels[DTX_AXIS_MAX + 1][BLOCK_BYTES];
};

enum dtx_dtype
dtx_reduce_accumulator(enum dtx_dtype dtype)
{
    switch (dtype) {
    case DTX_FLOAT16:
    case DTX_BFLOAT16:
    case DTX_FLOAT8_E4M3FN:
    case DTX_FLOAT8_E5M2:
        return DTX_FLOAT32;
    case DTX_INT64:
    case DTX_INT32:
    case DTX_INT16:
    case DTX_INT8:
        return DTX_INT64;
    case DTX_UINT64:
    case DTX_UINT32:
    case DTX_UINT16:
    case DTX_UINT8:
    case DTX_BOOL:
        return DTX_UINT64;
    case DTX_FLOAT64:
    case DTX_FLOAT32:
    case DTX_COMPLEX64:
    case DTX_COMPLEX128:
    case DTX_RAW:
    case DTX_DTYPE_COUNT:
        break;
    }
    return dtype;
}

bool
dtx_reduce_is_possible(enum dtx_op op, enum dtx_dtype dtype)
{
    if (dtype == DTX_BOOL) {
        return op == DTX_MIN || op == DTX_MAX;
    }
    return dtx_reduce_find_kernel(op, dtx_reduce_accumulator(dtype)) != NULL;
}

static void
divide_float32(dtx_f32 *values, float by, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        values[i] /= by;
    }
}

static void
divide_float64(dtx_f64 *values, double by, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        values[i] /= by;
    }
}

/* Divides accumulators, which are floats or complex, by a number of terms. */
static void
divide(enum dtx_dtype accumulator, void *accumulators, int64_t term_count,
       size_t count)
{
    bool is_complex =
        accumulator == DTX_COMPLEX64 || accumulator == DTX_COMPLEX128;
    size_t part_count = is_complex ? 2 * count : count;

    if (accumulator == DTX_FLOAT32 || accumulator == DTX_COMPLEX64) {
        divide_float32(accumulators, (float)term_count, part_count);
    } else {
        divide_float64(accumulators, (double)term_count, part_count);
    }
}

static void
note_bad(struct work *w, int64_t bad)
{
    if (bad >= 0 && (w->first_bad < 0 || bad < w->first_bad)) {
        w->first_bad = bad;
    }
}

static void
load_term(struct work *w, int64_t term)
{
    const struct dtx_reduction *r = w->reduction;
    const char *elements = w->terms[term];

    /* Every element fits in an accumulator. */
    (void)dtx_convert(r->dtype, w->accumulator,
                      elements + w->begin * dtx_dtype_size(r->dtype),
                      w->levels[0], w->count);
}

/*
 * Reduces the first `level` axes into that level, at fixed coordinates of the
 * others.
 *
 * first   the term with coordinate 0 on those axes
 * stride  terms from one coordinate of axis level - 1 to the next
 */
static void
reduce_level(struct work *w, int level, int64_t first, int64_t stride)
{
    const struct dtx_reduction *r = w->reduction;
    int axis = level - 1;

    if (level == 0) {
        load_term(w, first);
        return;
    }
    for (int i = 0; i < r->sizes[axis]; i++) {
        int64_t inner = axis > 0 ? stride * r->sizes[axis] : 0;

        reduce_level(w, axis, first + i * stride, inner);
        if (i == 0) {
            memcpy(w->levels[level], w->levels[axis],
                   w->count * dtx_dtype_size(w->accumulator));
        } else {
            note_bad(w, dtx_reduce_find_kernel(r->ops[axis], w->accumulator)(
                            w->levels[level], w->levels[axis], w->count));
        }
    }
    if (r->ops[axis] == DTX_AVG) {
        divide(w->accumulator, w->levels[level], r->sizes[axis], w->count);
    }
}

int64_t
dtx_reduce_terms(const struct dtx_reduction *reduction,
                 const void *const *terms, size_t count, void *out)
{
    enum dtx_dtype dtype = reduction->dtype;
    int axis_count = reduction->axis_count;
    size_t block_count;
    char *elements = out;
    struct work w;

    assert(axis_count >= 1 && axis_count <= DTX_AXIS_MAX);
    w.reduction = reduction;
    w.terms = terms;
    w.accumulator = dtx_reduce_accumulator(dtype);
    w.first_bad = -1;
    block_count = BLOCK_BYTES / dtx_dtype_size(w.accumulator);
    for (w.begin = 0; w.begin < count; w.begin += block_count) {
        size_t rest = count - w.begin;

        w.count = rest < block_count ? rest : block_count;
        reduce_level(&w, axis_count, 0, 1);
        note_bad(&w,
                 dtx_convert(w.accumulator, dtype, w.levels[axis_count],
                             w.first_bad >= 0
                                 ? w.levels[0]
                                 : elements + w.begin * dtx_dtype_size(dtype),
                             w.count));
        if (w.first_bad >= 0) {
            return (int64_t)w.begin + w.first_bad;
        }
    }
    return -1;
}

void
dtx_reduce_neutral(enum dtx_op op, enum dtx_dtype dtype, void *element)
{
    int8_t value = op == DTX_PRODUCT ? 1 : 0;
    enum dtx_dtype real = dtype;

    assert(op == DTX_SUM || op == DTX_PRODUCT);
    if (dtype == DTX_COMPLEX64) {
        real = DTX_FLOAT32;
    } else if (dtype == DTX_COMPLEX128) {
        real = DTX_FLOAT64;
    }
    memset(element, 0, dtx_dtype_size(dtype));
    (void)dtx_convert(DTX_INT8, real, &value, element, 1);
}

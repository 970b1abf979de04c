/*
 * What a thread of a device does with the terms of an element.
 *
 * As dtx_reduce_terms() does it, in the same order and to the same bits. See
 * kernel_box.h.
 */
#ifndef DTX_DEVICE_KERNEL_REDUCE_H
#define DTX_DEVICE_KERNEL_REDUCE_H

#include "device/kernel_element.h"
#include "layout/limits.h"
#include "layout/op.h"

/* How terms become values, as struct dtx_reduction has it. */
struct dtx_reduce_job {
    enum dtx_dtype dtype, accumulator;
    int axis_count;
    int sizes[DTX_AXIS_MAX];
    enum dtx_op ops[DTX_AXIS_MAX];
    const unsigned char *terms; /* term after term, count elements each */
    unsigned char *out;         /* may be the first term */
    uint64_t count;
};

union dtx_accumulator {
    float f[2];
    double d[2];
    uint64_t u;
};

DTX_INLINE bool
dtx_add_wide(bool is_unsigned, uint64_t a, uint64_t b, uint64_t *sum)
{
    *sum = a + b;
    return is_unsigned ? *sum >= a : ((a ^ *sum) & (b ^ *sum)) >> 63 == 0;
}

DTX_INLINE bool
dtx_multiply_wide(bool is_unsigned, uint64_t a, uint64_t b, uint64_t *product)
{
    bool is_negative = !is_unsigned && (a ^ b) >> 63 != 0;
    uint64_t x = !is_unsigned && a >> 63 != 0 ? 0 - a : a;
    uint64_t y = !is_unsigned && b >> 63 != 0 ? 0 - b : b;
    uint64_t most = is_unsigned ? UINT64_MAX : (UINT64_MAX >> 1) + is_negative;

    *product = a * b;
    return x == 0 || y <= most / x;
}

/* Takes one more integer in; false where the result doesn't fit. */
DTX_INLINE bool
dtx_accumulate_wide(enum dtx_op op, bool is_unsigned, uint64_t *a, uint64_t b)
{
    bool is_first = is_unsigned ? *a <= b : (int64_t)*a <= (int64_t)b;

    if (op == DTX_SUM) {
        return dtx_add_wide(is_unsigned, *a, b, a);
    }
    if (op == DTX_PRODUCT) {
        return dtx_multiply_wide(is_unsigned, *a, b, a);
    }
    if (op == DTX_MIN) {
        *a = is_first ? *a : b;
        return true;
    }
    is_first = is_unsigned ? *a >= b : (int64_t)*a >= (int64_t)b;
    *a = is_first ? *a : b;
    return true;
}

DTX_INLINE float
dtx_accumulate_float(enum dtx_op op, float a, float b)
{
    if (op == DTX_SUM || op == DTX_AVG) {
        return a + b;
    }
    if (op == DTX_PRODUCT) {
        return a * b;
    }
    if (op == DTX_MIN) {
        return a <= b || a != a ? a : b;
    }
    return a >= b || a != a ? a : b;
}

DTX_INLINE double
dtx_accumulate_double(enum dtx_op op, double a, double b)
{
    if (op == DTX_SUM || op == DTX_AVG) {
        return a + b;
    }
    if (op == DTX_PRODUCT) {
        return a * b;
    }
    if (op == DTX_MIN) {
        return a <= b || a != a ? a : b;
    }
    return a >= b || a != a ? a : b;
}

/* Takes one more term into an accumulator; false where it doesn't fit. */
DTX_INLINE bool
dtx_accumulate(enum dtx_op op, enum dtx_dtype accumulator,
               union dtx_accumulator *a, const union dtx_accumulator *b)
{
    union dtx_accumulator old = *a;

    if (accumulator == DTX_INT64 || accumulator == DTX_UINT64) {
        return dtx_accumulate_wide(op, accumulator == DTX_UINT64, &a->u, b->u);
    }
    if (accumulator == DTX_FLOAT32) {
        a->f[0] = dtx_accumulate_float(op, a->f[0], b->f[0]);
        return true;
    }
    if (accumulator == DTX_FLOAT64) {
        a->d[0] = dtx_accumulate_double(op, a->d[0], b->d[0]);
        return true;
    }
    if (accumulator == DTX_COMPLEX64) {
        if (op == DTX_PRODUCT) {
            a->f[0] = old.f[0] * b->f[0] - old.f[1] * b->f[1];
            a->f[1] = old.f[0] * b->f[1] + old.f[1] * b->f[0];
        } else {
            a->f[0] += b->f[0];
            a->f[1] += b->f[1];
        }
        return true;
    }
    /* complex128 */
    if (op == DTX_PRODUCT) {
        a->d[0] = old.d[0] * b->d[0] - old.d[1] * b->d[1];
        a->d[1] = old.d[0] * b->d[1] + old.d[1] * b->d[0];
    } else {
        a->d[0] += b->d[0];
        a->d[1] += b->d[1];
    }
    return true;
}

DTX_INLINE void
dtx_accumulator_divide(enum dtx_dtype accumulator, union dtx_accumulator *a,
                       int by)
{
    if (accumulator == DTX_FLOAT32 || accumulator == DTX_COMPLEX64) {
        a->f[0] /= (float)by;
        a->f[1] /= (float)by;
    } else {
        a->d[0] /= (double)by;
        a->d[1] /= (double)by;
    }
}

DTX_INLINE void
dtx_accumulator_load(const struct dtx_reduce_job *job, uint64_t term,
                     uint64_t i, union dtx_accumulator *a)
{
    uint64_t size = (uint64_t)dtx_element_bytes(job->dtype);
    const unsigned char *p = job->terms + (term * job->count + i) * size;

    a->d[0] = a->d[1] = 0;
    if (job->dtype == DTX_COMPLEX64 || job->dtype == DTX_COMPLEX128) {
        memcpy(a, p, size);
    } else if (dtx_element_is_float(job->dtype)) {
        (void)dtx_element_convert(job->dtype, job->accumulator, p,
                                  (unsigned char *)a);
    } else {
        a->u = dtx_element_wide(job->dtype, p);
    }
}

DTX_INLINE bool
dtx_accumulator_store(const struct dtx_reduce_job *job, uint64_t i,
                      const union dtx_accumulator *a)
{
    uint64_t size = (uint64_t)dtx_element_bytes(job->dtype);
    unsigned char *p = job->out + i * size;

    if (job->dtype == DTX_COMPLEX64 || job->dtype == DTX_COMPLEX128) {
        memcpy(p, a, size);
        return true;
    }
    return dtx_element_convert(job->accumulator, job->dtype,
                               (const unsigned char *)a, p);
}

/*
 * Reduces all terms of one element, the first axis first, each in the order of
 * its coordinates. False where the value doesn't fit; nothing is written then.
 */
DTX_INLINE bool
dtx_reduce_element(const struct dtx_reduce_job *job, uint64_t i)
{
    union dtx_accumulator levels[DTX_AXIS_MAX + 1];
    int at[DTX_AXIS_MAX];
    bool fits = true;
    int axis = 0;

    for (axis = 0; axis < job->axis_count; axis++) {
        at[axis] = 0;
    }
    do {
        uint64_t term = 0;

        for (axis = 0; axis < job->axis_count; axis++) {
            term = term * (uint64_t)job->sizes[axis] + (uint64_t)at[axis];
        }
        dtx_accumulator_load(job, term, i, &levels[0]);
        /* What is whole on one axis goes to the next. */
        for (axis = 0; axis < job->axis_count; axis++) {
            if (at[axis] == 0) {
                levels[axis + 1] = levels[axis];
            } else {
                fits &= dtx_accumulate(job->ops[axis], job->accumulator,
                                       &levels[axis + 1], &levels[axis]);
            }
            if (++at[axis] < job->sizes[axis]) {
                break;
            }
            at[axis] = 0;
            if (job->ops[axis] == DTX_AVG) {
                dtx_accumulator_divide(job->accumulator, &levels[axis + 1],
                                       job->sizes[axis]);
            }
        }
    } while (axis < job->axis_count);
    return fits && dtx_accumulator_store(job, i, &levels[job->axis_count]);
}

#endif

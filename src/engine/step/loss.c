#include "engine/step/loss.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "layout/convert.h"
#include "util/vector.h"

/* Elements that are looked at together. */
enum { BLOCK_COUNT = 512, ELEMENT_BYTES_MAX = 16 };

/* How exact a float is, and how far it reaches; complex as their parts. */
struct form {
    int mantissa, exponent; /* bits; 0: no float */
};

static struct form
form_of(enum dtx_dtype dtype)
{
    switch (dtype) {
    case DTX_FLOAT64:
    case DTX_COMPLEX128:
        return (struct form){52, 11};
    case DTX_FLOAT32:
    case DTX_COMPLEX64:
        return (struct form){23, 8};
    case DTX_FLOAT16:
        return (struct form){10, 5};
    case DTX_BFLOAT16:
        return (struct form){7, 8};
    case DTX_FLOAT8_E4M3FN:
        return (struct form){3, 4};
    case DTX_FLOAT8_E5M2:
        return (struct form){2, 5};
    case DTX_RAW:
    case DTX_INT64:
    case DTX_INT32:
    case DTX_INT16:
    case DTX_INT8:
    case DTX_UINT64:
    case DTX_UINT32:
    case DTX_UINT16:
    case DTX_UINT8:
    case DTX_BOOL:
    case DTX_DTYPE_COUNT:
        break;
    }
    return (struct form){0, 0};
}

bool
loss_is_possible(enum dtx_dtype from, enum dtx_dtype to)
{
    struct form a = form_of(from), b = form_of(to);

    return a.mantissa > 0 && b.mantissa > 0 &&
           (b.mantissa < a.mantissa || b.exponent < a.exponent);
}

static bool
is_complex(enum dtx_dtype dtype)
{
    return dtype == DTX_COMPLEX64 || dtype == DTX_COMPLEX128;
}

/* The values of elements as pairs of parts, or as single ones. */
static size_t
widen(enum dtx_dtype dtype, const void *elements, size_t count, double *out)
{
    bool pairs = is_complex(dtype);

    (void)dtx_convert(dtype, pairs ? DTX_COMPLEX128 : DTX_FLOAT64, elements,
                      out, count);
    return pairs ? 2 * count : count;
}

/* True where a value differs by more than what is known: mostly none does. */
DTX_VECTOR static bool
is_more(const double *before, const double *after, size_t count,
        double absolute, double relative)
{
    uint64_t more = 0;
    size_t i;

    for (i = 0; i < count; i++) {
        double difference = fabs(before[i] - after[i]);

        more |= (uint64_t)(difference > absolute) |
                (uint64_t)(difference > relative * fabs(before[i]));
    }
    return more != 0;
}

/* Adds the differences of some values; what was finite and isn't any more
 * differs without end. NaN is NaN still. */
static void
add_differences(const double *before, const double *after, size_t count,
                int tensor, struct dtx_conversion_error *loss)
{
    double absolute = loss->absolute, relative = loss->relative;
    size_t i;

    if (!is_more(before, after, count, absolute, relative)) {
        return;
    }
    for (i = 0; i < count; i++) {
        double difference = fabs(before[i] - after[i]);
        double magnitude = fabs(before[i]);

        /* Comparisons with NaN are false: of inf - inf, and of NaN. */
        absolute = difference > absolute ? difference : absolute;
        if (difference > relative * magnitude) {
            relative = difference / magnitude;
        }
    }
    if (absolute > loss->absolute) {
        loss->absolute = absolute;
        loss->tensor = tensor;
    }
    loss->relative = relative;
}

void
loss_convert(enum dtx_dtype from, enum dtx_dtype to, void *elements,
             size_t count, int tensor, struct dtx_conversion_error *loss)
{
    size_t from_bytes = dtx_dtype_size(from), to_bytes = dtx_dtype_size(to);
    unsigned char old[BLOCK_COUNT * ELEMENT_BYTES_MAX];
    double before[2 * BLOCK_COUNT], after[2 * BLOCK_COUNT];
    unsigned char *bytes = elements;
    size_t at;

    for (at = 0; at < count; at += BLOCK_COUNT) {
        size_t block = count - at < BLOCK_COUNT ? count - at : BLOCK_COUNT;
        size_t values;

        memcpy(old, bytes + at * from_bytes, block * from_bytes);
        (void)dtx_convert(from, to, old, bytes + at * to_bytes, block);
        values = widen(from, old, block, before);
        (void)widen(to, bytes + at * to_bytes, block, after);
        add_differences(before, after, values, tensor, loss);
    }
}

void
loss_add(const struct dtx_device_outcome *outcome, int tensor,
         struct dtx_conversion_error *loss)
{
    struct dtx_conversion_error found = {outcome->absolute, outcome->relative,
                                         tensor};

    loss_merge(loss, &found);
}

void
loss_merge(struct dtx_conversion_error *a, const struct dtx_conversion_error *b)
{
    if (b->absolute > a->absolute) {
        a->absolute = b->absolute;
        a->tensor = b->tensor;
    }
    a->relative = b->relative > a->relative ? b->relative : a->relative;
}

/* The largest of all processes: numbers >= 0 are in the order of their bits. */
static enum dtx_status
find_largest(struct dtx_transport *transport, double *number,
             struct dtx_error *err)
{
    int64_t bits;
    enum dtx_status status;

    memcpy(&bits, number, sizeof bits);
    status = dtx_transport_maximum(transport, bits, &bits, err);
    if (status == DTX_OK) {
        memcpy(number, &bits, sizeof bits);
    }
    return status;
}

enum dtx_status
loss_combine(struct dtx_transport *transport, struct dtx_conversion_error *loss,
             struct dtx_error *err)
{
    struct dtx_conversion_error own = *loss;
    enum dtx_status status = find_largest(transport, &loss->absolute, err);
    int64_t tensor = -1;

    if (status == DTX_OK) {
        status = find_largest(transport, &loss->relative, err);
    }
    if (status == DTX_OK) {
        if (own.absolute > 0 && own.absolute >= loss->absolute) {
            tensor = own.tensor;
        }
        status = dtx_transport_maximum(transport, tensor, &tensor, err);
    }
    loss->tensor = (int)tensor;
    return status;
}

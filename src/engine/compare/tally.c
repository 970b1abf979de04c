#include "engine/compare/tally.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "layout/convert.h"

/* Elements are compared in blocks: where a block of both is the same, none of
 * its elements is looked at. */
enum { BLOCK_COUNT = 512 };

/* A number; of real ones the second part is 0. */
struct number {
    double re, im;
};

static bool
is_complex(enum dtx_dtype dtype)
{
    return dtype == DTX_COMPLEX64 || dtype == DTX_COMPLEX128;
}

bool
tally_is_possible(enum dtx_dtype a, enum dtx_dtype b)
{
    return a != DTX_RAW && b != DTX_RAW && is_complex(a) == is_complex(b);
}

/* The value of an element, rounded where 64 bits don't fit. */
static struct number
read_number(enum dtx_dtype dtype, const char *element)
{
    struct number number = {0, 0};
    int64_t whole;
    uint64_t positive;

    if (dtype == DTX_INT64) {
        memcpy(&whole, element, sizeof whole);
        number.re = (double)whole;
    } else if (dtype == DTX_UINT64) {
        memcpy(&positive, element, sizeof positive);
        number.re = (double)positive;
    } else if (is_complex(dtype)) {
        (void)dtx_convert(dtype, DTX_COMPLEX128, element, &number, 1);
    } else {
        (void)dtx_convert(dtype, DTX_FLOAT64, element, &number.re, 1);
    }
    return number;
}

static bool
is_nan(struct number number)
{
    return isnan(number.re) || isnan(number.im);
}

static double
magnitude(struct number number)
{
    return number.im == 0 ? fabs(number.re) : hypot(number.re, number.im);
}

/* |a - b|; of long integers exactly before it is rounded. */
static double
distance(enum dtx_dtype dtype, const char *const *elements,
         const struct number *numbers)
{
    int64_t a, b;
    uint64_t x, y;

    if (dtype == DTX_INT64) {
        memcpy(&a, elements[0], sizeof a);
        memcpy(&b, elements[1], sizeof b);
        return (double)(a > b ? (uint64_t)a - (uint64_t)b
                              : (uint64_t)b - (uint64_t)a);
    }
    if (dtype == DTX_UINT64) {
        memcpy(&x, elements[0], sizeof x);
        memcpy(&y, elements[1], sizeof y);
        return (double)(x > y ? x - y : y - x);
    }
    return magnitude((struct number){numbers[0].re - numbers[1].re,
                                     numbers[0].im - numbers[1].im});
}

/* Notes by how much two elements differ. */
static void
measure(struct tally *tally, const struct tally_boxes *boxes,
        const char *const *elements)
{
    struct number numbers[2] = {
        read_number(boxes->types[0].dtype, elements[0]),
        read_number(boxes->types[1].dtype, elements[1])};
    enum dtx_dtype exact =
        boxes->is_one_type ? boxes->types[0].dtype : DTX_FLOAT64;
    double absolute, larger, relative;

    tally->is_measured = true;
    if (is_nan(numbers[0]) && is_nan(numbers[1])) {
        return;
    }
    absolute = distance(exact, elements, numbers);
    larger = fmax(magnitude(numbers[0]), magnitude(numbers[1]));
    relative = absolute == 0 ? 0 : absolute / larger;
    absolute = isnan(absolute) ? INFINITY : absolute;
    relative = isnan(relative) ? INFINITY : relative;
    tally->largest_absolute = fmax(tally->largest_absolute, absolute);
    tally->largest_relative = fmax(tally->largest_relative, relative);
}

/* The row-major number in the tensor of the i-th element of the box. */
static int64_t
place_of(const struct tally_boxes *boxes, int64_t i)
{
    int64_t place = 0, pitch = 1;
    int dim;

    for (dim = boxes->ndim - 1; dim >= 0; dim--) {
        place += (boxes->lo[dim] + i % boxes->len[dim]) * pitch;
        i /= boxes->len[dim];
        pitch *= boxes->shape[dim];
    }
    return place;
}

static void
note_first(struct tally *tally, const struct tally_boxes *boxes, int64_t place,
           const char *const *elements)
{
    int i;

    tally->first = place;
    for (i = 0; i < 2; i++) {
        if (boxes->types[i].dtype == DTX_RAW) {
            snprintf(tally->values[i], TALLY_VALUE_TEXT, "?");
        } else {
            dtx_convert_describe(boxes->types[i].dtype, elements[i],
                                 tally->values[i]);
        }
    }
}

/* True where a 64-bit integer is another number than a value that a double
 * holds, of which its nearest double says nothing. */
static bool
is_other(enum dtx_dtype dtype, const char *element, double value)
{
    int64_t whole;
    uint64_t positive;

    memcpy(&whole, element, sizeof whole);
    memcpy(&positive, element, sizeof positive);
    return dtype == DTX_INT64
               ? !(value >= -0x1p63 && value < 0x1p63) ||
                     (int64_t)value != whole
               : !(value >= 0 && value < 0x1p64) || (uint64_t)value != positive;
}

static bool
is_long(enum dtx_dtype dtype)
{
    return dtype == DTX_INT64 || dtype == DTX_UINT64;
}

/* Of two types, one of them of 64-bit integers: exactly. */
static bool
differs_exactly(const struct tally_boxes *boxes, const char *const *elements,
                const struct number *numbers)
{
    enum dtx_dtype a = boxes->types[0].dtype, b = boxes->types[1].dtype;
    uint64_t bits[2];

    if (is_long(a) && is_long(b)) { /* alike where neither is beyond int64 */
        memcpy(&bits[0], elements[0], sizeof bits[0]);
        memcpy(&bits[1], elements[1], sizeof bits[1]);
        return bits[0] != bits[1] || bits[0] >> 63 != 0;
    }
    return (is_long(a) && is_other(a, elements[0], numbers[1].re)) ||
           (is_long(b) && is_other(b, elements[1], numbers[0].re));
}

static bool
differs(const struct tally_boxes *boxes, const char *const *elements)
{
    struct number a, b;

    if (boxes->is_one_type) {
        return memcmp(elements[0], elements[1], boxes->types[0].size_bytes) !=
               0;
    }
    a = read_number(boxes->types[0].dtype, elements[0]);
    b = read_number(boxes->types[1].dtype, elements[1]);
    if (a.re != b.re || a.im != b.im || is_nan(a)) {
        return !(is_nan(a) && is_nan(b));
    }
    return differs_exactly(boxes, elements, (struct number[]){a, b});
}

static void
add_element(struct tally *tally, const struct tally_boxes *boxes, int64_t i)
{
    const char *elements[2] = {
        boxes->data[0] + (size_t)i * boxes->types[0].size_bytes,
        boxes->data[1] + (size_t)i * boxes->types[1].size_bytes};
    int64_t place;

    if (!differs(boxes, elements)) {
        return;
    }
    place = place_of(boxes, i);
    if (tally->differing == 0 || place < tally->first) {
        note_first(tally, boxes, place, elements);
    }
    tally->differing++;
    if (boxes->types[0].dtype != DTX_RAW) {
        measure(tally, boxes, elements);
    }
}

void
tally_add(struct tally *tally, const struct tally_boxes *boxes)
{
    size_t size = boxes->types[0].size_bytes;
    int64_t at, i;

    for (at = 0; at < boxes->count; at += BLOCK_COUNT) {
        int64_t end =
            boxes->count - at < BLOCK_COUNT ? boxes->count : at + BLOCK_COUNT;

        if (boxes->is_one_type && memcmp(boxes->data[0] + (size_t)at * size,
                                         boxes->data[1] + (size_t)at * size,
                                         (size_t)(end - at) * size) == 0) {
            continue;
        }
        for (i = at; i < end; i++) {
            add_element(tally, boxes, i);
        }
    }
}

void
tally_merge(struct tally *tally, const struct tally *other)
{
    if (other->differing == 0) {
        return;
    }
    if (tally->differing == 0 || other->first < tally->first) {
        tally->first = other->first;
        memcpy(tally->values, other->values, sizeof tally->values);
    }
    tally->differing += other->differing;
    tally->is_measured |= other->is_measured;
    tally->largest_absolute =
        fmax(tally->largest_absolute, other->largest_absolute);
    tally->largest_relative =
        fmax(tally->largest_relative, other->largest_relative);
}

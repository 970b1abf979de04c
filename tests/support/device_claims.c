#include "support/device_claims.h"

#include <math.h>
#include <string.h>

#include "layout/convert.h"
#include "layout/limits.h"
#include "layout/reduce.h"
#include "layout/reduce_kernels.h"
#include "support/claim.h"
#include "support/random.h"

int device_claims_thinning = 1;

enum { BYTES = 1 << 16, COUNT = 1500, TERM_COUNT = 24 };

/* A device, with two buffers of its memory and what they mirror. */
struct bench {
    struct dtx_device *device;
    const struct dtx_device_apart_ops *apart;
    void *in, *out;
    struct dtx_device_outcome *outcome;
    char *host;     /* [BYTES] near */
    char *expected; /* [BYTES] */
    char *result;   /* [BYTES] near */
    struct dtx_error err;
};

static struct bench
bench_begin(struct dtx_device *device)
{
    struct bench b = {.device = device};
    void *outcome, *host, *result;

    b.apart = b.device->apart;
    claim(b.device->ops->allocate(b.device, BYTES, &b.in, &b.err) == DTX_OK);
    claim(b.device->ops->allocate(b.device, BYTES, &b.out, &b.err) == DTX_OK);
    claim(b.apart->allocate_near(b.device, sizeof *b.outcome, &outcome,
                                 &b.err) == DTX_OK);
    claim(b.apart->allocate_near(b.device, BYTES, &host, &b.err) == DTX_OK);
    claim(b.apart->allocate_near(b.device, BYTES, &result, &b.err) == DTX_OK);
    b.outcome = outcome;
    b.host = host;
    b.result = result;
    b.expected = calloc(BYTES, 1);
    return b;
}

static void
bench_end(struct bench *b)
{
    b->device->ops->release(b->device, b->in);
    b->device->ops->release(b->device, b->out);
    b->apart->release_near(b->device, b->outcome);
    b->apart->release_near(b->device, b->host);
    b->apart->release_near(b->device, b->result);
    free(b->expected);
}

static void
upload(struct bench *b, size_t bytes)
{
    claim(b->apart->upload(b->device, DTX_LANE_READ, b->in, b->host, bytes,
                           &b->err) == DTX_OK);
}

/* To where results will be. */
static void
upload_zeros(struct bench *b)
{
    memset(b->result, 0, BYTES);
    claim(b->apart->upload(b->device, DTX_LANE_READ, b->out, b->result, BYTES,
                           &b->err) == DTX_OK);
}

static void
download(struct bench *b, size_t bytes)
{
    claim(b->apart->download(b->device, DTX_LANE_READ, b->result, b->out, bytes,
                             &b->err) == DTX_OK);
    claim(b->apart->finish(b->device, DTX_LANE_READ, &b->err) == DTX_OK);
}

/* ---------------------------------------------------------------- boxes */

/* A box of some dims between arrays of at most BYTES bytes. */
static struct dtx_box_copy
random_box(struct random *random, int64_t numbers[5][DTX_NDIM_MAX])
{
    static const size_t sizes[] = {1, 2, 4, 8, 16, 3, 12};
    struct dtx_box_copy copy = {.ndim = (int)random_below(random, 6),
                                .element_bytes = sizes[random_below(random, 7)],
                                .len = numbers[0],
                                .dst_shape = numbers[1],
                                .dst_lo = numbers[2],
                                .src_shape = numbers[3],
                                .src_lo = numbers[4]};
    static const int64_t longest[] = {1, 1500, 40, 11, 6, 4};

    for (int d = 0; d < copy.ndim; d++) {
        numbers[0][d] =
            (int64_t)random_below(random, (uint64_t)longest[copy.ndim]) +
            (random_below(random, 20) > 0);
        numbers[2][d] = (int64_t)random_below(random, 3);
        numbers[4][d] = (int64_t)random_below(random, 3);
        numbers[1][d] =
            numbers[0][d] + numbers[2][d] + (int64_t)random_below(random, 3);
        numbers[3][d] =
            numbers[0][d] + numbers[4][d] + (int64_t)random_below(random, 3);
    }
    return copy;
}

static size_t
array_bytes(const struct dtx_box_copy *copy, const int64_t *shape)
{
    size_t bytes = copy->element_bytes;

    for (int d = 0; d < copy->ndim; d++) {
        bytes *= (size_t)shape[d];
    }
    return bytes;
}

void
device_claims_boxes(struct dtx_device *device)
{
    struct random random = random_begin();
    struct bench b = bench_begin(device);

    for (int i = 0; i < 3000 / device_claims_thinning; i++) {
        int64_t numbers[5][DTX_NDIM_MAX];
        struct dtx_box_copy copy = random_box(&random, numbers);
        size_t shift = random_below(&random, 2) * random_below(&random, 17);

        if (array_bytes(&copy, copy.src_shape) + shift > BYTES ||
            array_bytes(&copy, copy.dst_shape) + shift > BYTES) {
            continue;
        }
        for (size_t k = 0; k < BYTES; k++) {
            b.host[k] = (char)random_next(&random);
        }
        memset(b.expected, 0, BYTES);
        dtx_box_copy(&copy, b.expected + shift, b.host + shift);
        upload(&b, BYTES);
        upload_zeros(&b);
        claim(b.device->ops->copy_box(b.device, DTX_LANE_READ, &copy,
                                      (char *)b.out + shift,
                                      (char *)b.in + shift, &b.err) == DTX_OK);
        download(&b, BYTES);
        claim(memcmp(b.result, b.expected, BYTES) == 0, "box %d", i);
    }
    bench_end(&b);
}

/* Columns of many rows, in one batch with others: tiles find their boxes. */
void
device_claims_batches(struct dtx_device *device)
{
    enum { BOXES = 100, ROWS = 50 };
    struct random random = random_begin();
    struct bench b = bench_begin(device);
    const int64_t len[] = {ROWS, 1}, zero[] = {0, 0}, shape[] = {ROWS, BOXES};

    for (size_t k = 0; k < BYTES; k++) {
        b.host[k] = (char)random_next(&random);
    }
    upload(&b, BYTES);
    for (int64_t i = 0; i < BOXES; i++) {
        const int64_t lo[] = {0, BOXES - 1 - i};
        struct dtx_box_copy copy = {.ndim = 2,
                                    .element_bytes = 2,
                                    .len = len,
                                    .dst_shape = len,
                                    .dst_lo = zero,
                                    .src_shape = shape,
                                    .src_lo = lo};

        claim(b.device->ops->copy_box(b.device, DTX_LANE_READ, &copy,
                                      (char *)b.out + i * ROWS * 2, b.in,
                                      &b.err) == DTX_OK);
    }
    download(&b, BYTES);
    for (int64_t i = 0; i < BOXES * ROWS; i++) {
        int64_t from = i % ROWS * BOXES + BOXES - 1 - i / ROWS;

        claim(memcmp(b.result + i * 2, b.host + from * 2, 2) == 0);
    }
    bench_end(&b);
}

/* ---------------------------------------------------------------- values */

/* Elements of all sorts: random bits, small integers, and what is special. */
static void
fill_elements(struct random *random, enum dtx_dtype dtype, char *elements,
              size_t count)
{
    static const double special[] = {
        0.0,      -0.0,    1.0,   -1.0,    65504.0, 65520.0, 448.0, 464.0,
        0x1p-149, 0x1p-24, 1e300, 57344.0, 61440.0, 0x1p128, 3.0};
    size_t size = dtx_dtype_size(dtype);

    for (size_t i = 0; i < count; i++) {
        uint64_t bits[2] = {random_next(random), random_next(random)};
        double value = special[random_below(random, 15)];

        if (random_below(random, 8) == 0 &&
            dtx_convert_is_possible(DTX_FLOAT64, dtype)) {
            (void)dtx_convert(DTX_FLOAT64, dtype, &value, bits, 1);
        } else if (random_below(random, 4) == 0) {
            bits[0] = (uint64_t)((int64_t)bits[0] >> 57);
        }
        memcpy(elements + i * size, bits, size);
    }
}

static bool
is_nan(enum dtx_dtype dtype, const char *element)
{
    double value = 0;

    (void)dtx_convert(dtype, DTX_FLOAT64, element, &value, 1);
    return isnan(value);
}

static void
check_conversion(struct bench *b, enum dtx_dtype from, enum dtx_dtype to,
                 size_t count)
{
    size_t to_bytes = dtx_dtype_size(to);
    struct dtx_device_conversion conversion = {
        .from = from, .to = to, .in = b->in, .out = b->out, .count = count};
    int64_t bad = dtx_convert(from, to, b->host, b->expected, count);

    upload(b, count * dtx_dtype_size(from));
    claim(b->apart->convert(b->device, DTX_LANE_READ, &conversion, b->outcome,
                            &b->err) == DTX_OK);
    download(b, count * to_bytes);
    claim(b->outcome->bad == bad, "%s to %s", dtx_dtype_name(from),
          dtx_dtype_name(to));
    if (bad < 0) {
        for (size_t i = 0; i < count * to_bytes; i++) {
            claim(b->result[i] == b->expected[i], "%s to %s, element %zu",
                  dtx_dtype_name(from), dtx_dtype_name(to), i / to_bytes);
        }
    }
}

void
device_claims_conversions(struct dtx_device *device)
{
    struct random random = random_begin();
    struct bench b = bench_begin(device);

    for (int from = DTX_RAW + 1; from < DTX_DTYPE_COUNT; from++) {
        for (int to = DTX_RAW + 1; to < DTX_DTYPE_COUNT; to++) {
            if (!dtx_convert_is_possible((enum dtx_dtype)from,
                                         (enum dtx_dtype)to)) {
                continue;
            }
            for (int i = 0; i < 20; i += device_claims_thinning) {
                size_t count = i < 10 ? 2 : 3000;

                fill_elements(&random, (enum dtx_dtype)from, b.host, count);
                check_conversion(&b, (enum dtx_dtype)from, (enum dtx_dtype)to,
                                 count);
            }
        }
    }
    bench_end(&b);
}

void
device_claims_codes(struct dtx_device *device)
{
    static const enum dtx_dtype floats[] = {DTX_FLOAT64,       DTX_FLOAT32,
                                            DTX_FLOAT16,       DTX_BFLOAT16,
                                            DTX_FLOAT8_E4M3FN, DTX_FLOAT8_E5M2};
    struct bench b = bench_begin(device);

    for (int from = 2; from < 6; from++) {
        for (int to = 0; to < 6; to++) {
            for (uint32_t base = 0; base < 1 << 16; base += 4096) {
                for (uint32_t i = 0; i < 4096; i++) {
                    uint16_t code = (uint16_t)(base + i);

                    memcpy(b.host + i * dtx_dtype_size(floats[from]), &code,
                           dtx_dtype_size(floats[from]));
                }
                check_conversion(&b, floats[from], floats[to], 4096);
            }
        }
    }
    bench_end(&b);
}

void
device_claims_losses(struct dtx_device *device)
{
    static const double values[] = {1.0, 1000.3,   -5.0, 70000.0,
                                    NAN, INFINITY, 0.0};
    struct bench b = bench_begin(device);
    struct dtx_device_conversion conversion = {.from = DTX_FLOAT64,
                                               .to = DTX_BFLOAT16,
                                               .in = b.in,
                                               .out = b.out,
                                               .count = 7,
                                               .measures_loss = true};

    memcpy(b.host, values, sizeof values);
    upload(&b, sizeof values);
    claim(b.apart->convert(b.device, DTX_LANE_READ, &conversion, b.outcome,
                           &b.err) == DTX_OK);
    download(&b, 14);
    claim(b.outcome->absolute == 70144.0 - 70000.0);
    claim(b.outcome->relative == 144.0 / 70000.0);
    conversion.to = DTX_FLOAT16;
    claim(b.apart->convert(b.device, DTX_LANE_READ, &conversion, b.outcome,
                           &b.err) == DTX_OK);
    download(&b, 14);
    claim(isinf(b.outcome->absolute));
    bench_end(&b);
}

/* ---------------------------------------------------------------- terms */

/* NaN has many codes, of which a sum gives any. */
static bool
is_same(enum dtx_dtype dtype, const char *a, const char *b)
{
    size_t size = dtx_dtype_size(dtype);

    if (memcmp(a, b, size) == 0) {
        return true;
    }
    if (dtype == DTX_COMPLEX64 || dtype == DTX_COMPLEX128) {
        enum dtx_dtype part =
            dtype == DTX_COMPLEX64 ? DTX_FLOAT32 : DTX_FLOAT64;

        return is_same(part, a, b) && is_same(part, a + size / 2, b + size / 2);
    }
    return dtx_convert_is_possible(DTX_FLOAT64, dtype) && is_nan(dtype, a) &&
           is_nan(dtype, b);
}

static void
check_reduction(struct bench *b, const struct dtx_reduction *how,
                int term_count, size_t count)
{
    size_t size = dtx_dtype_size(how->dtype);
    const void *terms[TERM_COUNT];
    struct dtx_device_reduction reduction = {
        .how = how, .terms = b->in, .out = b->in, .count = count};
    int64_t bad;

    for (int i = 0; i < term_count; i++) {
        terms[i] = b->host + (size_t)i * count * size;
    }
    bad = dtx_reduce_terms(how, terms, count, b->expected);
    upload(b, (size_t)term_count * count * size);
    claim(b->apart->reduce(b->device, DTX_LANE_READ, &reduction, b->outcome,
                           &b->err) == DTX_OK);
    claim(b->apart->download(b->device, DTX_LANE_READ, b->result, b->in,
                             count * size, &b->err) == DTX_OK);
    claim(b->apart->finish(b->device, DTX_LANE_READ, &b->err) == DTX_OK);
    claim(b->outcome->bad == bad, "%s: %lld, not %lld",
          dtx_dtype_name(how->dtype), (long long)b->outcome->bad,
          (long long)bad);
    for (size_t i = 0; i < count && bad < 0; i++) {
        claim(is_same(how->dtype, b->result + i * size, b->expected + i * size),
              "%s, element %zu, op %d", dtx_dtype_name(how->dtype), i,
              (int)how->ops[0]);
    }
}

void
device_claims_reductions(struct dtx_device *device)
{
    static const int shapes[][3] = {{1, 1, 1}, {2, 1, 1}, {5, 1, 1},
                                    {2, 3, 1}, {3, 2, 4}, {1, 4, 2}};
    struct random random = random_begin();
    struct bench b = bench_begin(device);

    for (int dtype = DTX_RAW + 1; dtype < DTX_DTYPE_COUNT; dtype++) {
        for (int i = 0; i < 200; i += device_claims_thinning) {
            const int *sizes = shapes[random_below(&random, 6)];
            int axis_count = 1 + (int)random_below(&random, 3);
            int term_count = 1;
            size_t count = 1 + random_below(&random, 100);
            enum dtx_op ops[3];
            struct dtx_reduction how = {(enum dtx_dtype)dtype, axis_count,
                                        sizes, ops};
            bool is_possible = true;

            for (int axis = 0; axis < axis_count; axis++) {
                term_count *= sizes[axis];
                ops[axis] = (enum dtx_op)random_below(&random, DTX_OP_COUNT);
                is_possible =
                    is_possible && dtx_reduce_is_possible(ops[axis], how.dtype);
            }
            fill_elements(&random, how.dtype, b.host,
                          (size_t)term_count * count);
            if (is_possible) {
                check_reduction(&b, &how, term_count, count);
            }
        }
    }
    bench_end(&b);
}

/* ---------------------------------------------------------------- chains */

/* Each box is copied from where the one before it was copied to. */
void
device_claims_chains(struct dtx_device *device)
{
    enum { ROWS = 40, LINKS = 12, ROW = 48 };
    struct random random = random_begin();
    struct bench b = bench_begin(device);
    const int64_t len[] = {ROWS, ROW}, zero[] = {0, 0};
    const int64_t wide[] = {ROWS, 2 * ROW};

    for (size_t k = 0; k < ROWS * ROW; k++) {
        b.host[k] = (char)random_next(&random);
    }
    upload(&b, ROWS * ROW);
    for (int i = 0; i < LINKS; i++) {
        bool is_back = i % 2 != 0;
        struct dtx_box_copy copy = {.ndim = 2,
                                    .element_bytes = 1,
                                    .len = len,
                                    .dst_shape = is_back ? len : wide,
                                    .dst_lo = zero,
                                    .src_shape = is_back ? wide : len,
                                    .src_lo = zero};

        claim(b.device->ops->copy_box(
                  b.device, DTX_LANE_READ, &copy, is_back ? b.in : b.out,
                  is_back ? b.out : b.in, &b.err) == DTX_OK);
        if (is_back) { /* what comes next is made of this */
            copy.src_shape = copy.dst_shape;
            copy.dst_shape = wide;
            claim(b.device->ops->copy_box(b.device, DTX_LANE_READ, &copy,
                                          (char *)b.out + ROW, b.in,
                                          &b.err) == DTX_OK);
        }
    }
    download(&b, 2 * ROWS * ROW);
    for (int i = 0; i < ROWS; i++) {
        claim(memcmp(b.result + 2 * i * ROW, b.host + i * ROW, ROW) == 0);
        claim(memcmp(b.result + (2 * i + 1) * ROW, b.host + i * ROW, ROW) == 0);
    }
    bench_end(&b);
}

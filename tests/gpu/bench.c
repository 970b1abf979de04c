/*
 * What a device's kernels reach of its copy bandwidth.
 *
 *     gpu-bench [MIB]    with arrays of so many MiB; default 2048
 *
 * Bytes are those that memory has to move: of what is read or written in short
 * runs, whole sectors of 32 bytes. Exits 77 where there is no device, and 1
 * where a share is less than it should be, with arrays that are large enough to
 * tell.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "device/device.h"

enum { SECTOR = 32, REPEATS = 5, JUDGED_BYTES = 512 << 20 };

struct bench {
    struct dtx_device *device;
    size_t bytes; /* of each array */
    char *in, *out;
    struct dtx_device_outcome *outcome; /* near */
    double bandwidth;                   /* bytes a second, read and written */
    bool falls_short;
};

static double
now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void
demand(enum dtx_status status, const struct dtx_error *err)
{
    if (status != DTX_OK) {
        fprintf(stderr, "gpu-bench: %s\n", err->message);
        exit(2);
    }
}

/* ---------------------------------------------------------------- timing */

typedef void work(struct bench *b, const void *what);

/* The best of some runs, in seconds; the first isn't counted. */
static double
time_of(struct bench *b, work *run, const void *what)
{
    struct dtx_error err;
    double best = INFINITY;

    for (int i = 0; i <= REPEATS; i++) {
        double begin = now(), took;

        run(b, what);
        demand(dtx_device_finish(b->device, DTX_LANE_READ, &err), &err);
        took = now() - begin;
        best = i > 0 && took < best ? took : best;
    }
    return best;
}

static void
report(struct bench *b, const char *name, double bytes, double seconds,
       double least)
{
    double share = bytes / seconds / b->bandwidth;
    bool is_short = share < least && b->bytes >= JUDGED_BYTES;

    printf("%-34s %8.0f GB/s %5.0f %%", name, bytes / seconds / 1e9,
           100 * share);
    if (least > 0) {
        printf("   at least %2.0f %%%s", 100 * least,
               is_short ? "  SHORT" : "");
    }
    printf("\n");
    fflush(stdout);
    b->falls_short |= is_short;
}

/* ---------------------------------------------------------------- boxes */

/* A box at the beginning of an array that is as long as fits. */
struct box {
    const char *name;
    size_t element_bytes;
    int ndim;
    int64_t shape[3], len[3]; /* shape[0], len[0] 0: all that fits */
    double least;             /* share that it should reach */
};

static const struct box boxes[] = {
    {"half of the rows, f32", 4, 2, {0, 8192}, {0, 8192}, 0.8},
    {"half of the columns, f32", 4, 2, {0, 8192}, {0, 4096}, 0.8},
    {"runs of 1 KiB, bf16", 2, 2, {0, 1024}, {0, 512}, 0.8},
    {"runs of 256 B, bf16", 2, 2, {0, 1024}, {0, 128}, 0.8},
    {"runs of 64 B, bf16", 2, 2, {0, 1024}, {0, 32}, 0.8},
    {"runs of 64 B at 2 B, bf16", 2, 2, {0, 1023}, {0, 32}, 0},
    {"runs of 16 B, f32", 4, 2, {0, 64}, {0, 4}, 0},
    {"3-D, runs of 64 B, f32", 4, 3, {0, 64, 32}, {0, 32, 16}, 0.8},
    {"3-D, runs of 512 B, bf16", 2, 3, {0, 64, 512}, {0, 48, 256}, 0.8},
    {"single columns of 2 B", 2, 2, {0, 64}, {0, 1}, 0.5},
    {"single columns of 4 B", 4, 2, {0, 64}, {0, 1}, 0.5},
};

enum { BOX_COUNT = sizeof(boxes) / sizeof(*boxes) };

struct trip {
    struct dtx_box_copy copy;
    int64_t shape[3], len[3];
    bool unpacks;
};

static void
run_box(struct bench *b, const void *what)
{
    static const int64_t origin[3];
    const struct trip *t = what;
    struct dtx_box_copy copy = t->copy;
    struct dtx_error err;

    copy.len = t->len;
    copy.src_shape = t->unpacks ? t->len : t->shape;
    copy.dst_shape = t->unpacks ? t->shape : t->len;
    copy.src_lo = copy.dst_lo = origin;
    demand(b->device->ops->copy_box(b->device, DTX_LANE_READ, &copy,
                                    t->unpacks ? b->in : b->out,
                                    t->unpacks ? b->out : b->in, &err),
           &err);
}

/* Bytes that memory moves for a box, in its array and in the dense buffer. */
static double
traffic_of(const struct trip *t)
{
    double run = (double)t->copy.element_bytes, runs = 1, sectors;
    bool joins = true;

    for (int d = t->copy.ndim - 1; d >= 0; d--) {
        if (joins) {
            run *= (double)t->len[d];
        } else {
            runs *= (double)t->len[d];
        }
        joins = joins && t->len[d] == t->shape[d];
    }
    sectors = ceil(run / SECTOR) * SECTOR;
    return runs * (run + sectors);
}

static void
bench_box(struct bench *b, const struct box *box, bool unpacks)
{
    struct trip t = {
        .copy = {.ndim = box->ndim, .element_bytes = box->element_bytes},
        .unpacks = unpacks};
    size_t row = box->element_bytes;
    char name[64];

    for (int d = box->ndim - 1; d >= 0; d--) {
        t.shape[d] = box->shape[d];
        t.len[d] = box->len[d];
        row *= d > 0 ? (size_t)box->shape[d] : 1;
    }
    t.shape[0] = (int64_t)(b->bytes / row);
    t.len[0] = box->len[1] == box->shape[1] && box->ndim == 2 ? t.shape[0] / 2
                                                              : t.shape[0];
    snprintf(name, sizeof name, "%s %s", unpacks ? "unpack" : "pack",
             box->name);
    report(b, name, traffic_of(&t), time_of(b, run_box, &t), box->least);
}

/* Very many small boxes of one array, as of many small tensors. */
static void
run_small(struct bench *b, const void *what)
{
    const int64_t *count = what;

    for (int64_t i = 0; i < *count; i++) {
        const struct trip t = {.copy = {.ndim = 2, .element_bytes = 4},
                               .shape = {64, 64},
                               .len = {64, 32}};
        struct bench part = *b;

        part.in = b->in + i * 64 * 64 * 4;
        part.out = b->out + i * 64 * 32 * 4;
        run_box(&part, &t);
    }
}

/* ---------------------------------------------------------------- elements */

static void
run_conversion(struct bench *b, const void *what)
{
    const struct dtx_device_conversion *c = what;
    struct dtx_error err;

    demand(b->device->apart->convert(b->device, DTX_LANE_READ, c, b->outcome,
                                     &err),
           &err);
}

static void
bench_conversions(struct bench *b)
{
    static const enum dtx_dtype pairs[][2] = {{DTX_FLOAT32, DTX_BFLOAT16},
                                              {DTX_BFLOAT16, DTX_FLOAT32},
                                              {DTX_FLOAT32, DTX_FLOAT16},
                                              {DTX_FLOAT16, DTX_FLOAT32},
                                              {DTX_FLOAT16, DTX_BFLOAT16},
                                              {DTX_FLOAT32, DTX_FLOAT8_E4M3FN},
                                              {DTX_FLOAT8_E4M3FN, DTX_BFLOAT16},
                                              {DTX_FLOAT64, DTX_FLOAT32},
                                              {DTX_INT64, DTX_INT32}};

    for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
        size_t from = dtx_dtype_size(pairs[i][0]);
        size_t to = dtx_dtype_size(pairs[i][1]);
        struct dtx_device_conversion c = {.from = pairs[i][0],
                                          .to = pairs[i][1],
                                          .in = b->in,
                                          .out = b->out,
                                          .count = b->bytes /
                                                   (from > to ? from : to)};
        char name[64];

        snprintf(name, sizeof name, "%s to %s", dtx_dtype_name(c.from),
                 dtx_dtype_name(c.to));
        report(b, name, (double)c.count * (double)(from + to),
               time_of(b, run_conversion, &c), c.from == DTX_INT64 ? 0 : 0.8);
    }
}

static void
run_reduction(struct bench *b, const void *what)
{
    const struct dtx_device_reduction *r = what;
    struct dtx_error err;

    demand(
        b->device->apart->reduce(b->device, DTX_LANE_READ, r, b->outcome, &err),
        &err);
}

/* ---------------------------------------------------------------- running */

static void
bench_host_copies(struct bench *b)
{
    size_t bytes = b->bytes < (64 << 20) ? b->bytes : 64 << 20;
    struct dtx_error err;
    void *near = NULL;

    demand(b->device->apart->allocate_near(b->device, bytes, &near, &err),
           &err);
    for (int way = 0; way < 2; way++) {
        double best = INFINITY;

        for (int i = 0; i <= REPEATS; i++) {
            double begin = now();

            demand(way == 0
                       ? b->device->apart->upload(b->device, DTX_LANE_READ,
                                                  b->in, near, bytes, &err)
                       : b->device->apart->download(b->device, DTX_LANE_READ,
                                                    near, b->in, bytes, &err),
                   &err);
            demand(dtx_device_finish(b->device, DTX_LANE_READ, &err), &err);
            best = i > 0 && now() - begin < best ? now() - begin : best;
        }
        printf("%-34s %8.1f GB/s\n",
               way == 0 ? "pinned memory to device" : "device to pinned memory",
               (double)bytes / best / 1e9);
    }
    b->device->apart->release_near(b->device, near);
}

static void
run_all(struct bench *b)
{
    static const int sizes[] = {4};
    static const enum dtx_op ops[] = {DTX_SUM};
    const struct dtx_reduction how = {DTX_FLOAT32, 1, sizes, ops};
    struct dtx_device_reduction reduction = {&how, b->in, b->out,
                                             b->bytes / 16};
    int64_t small = (int64_t)(b->bytes / (64 * 64 * 4));
    struct trip plain = {.copy = {.ndim = 1, .element_bytes = 1},
                         .shape = {(int64_t)b->bytes},
                         .len = {(int64_t)b->bytes}};

    small = small > 4096 ? 4096 : small;
    b->bandwidth = 2 * (double)b->bytes / time_of(b, run_box, &plain);
    printf("%-34s %8.0f GB/s\n", "copy within the device", b->bandwidth / 1e9);
    bench_host_copies(b);
    for (int i = 0; i < BOX_COUNT; i++) {
        bench_box(b, &boxes[i], false);
        bench_box(b, &boxes[i], true);
    }
    report(b, "4096 boxes of 8 KiB", (double)small * 64 * 32 * 4 * 2,
           time_of(b, run_small, &small), 0);
    bench_conversions(b);
    report(b, "sum of 4 float32 terms", (double)reduction.count * 20,
           time_of(b, run_reduction, &reduction), 0);
}

int
main(int argc, char **argv)
{
    struct bench b = {.bytes = (argc > 1 ? (size_t)atol(argv[1]) : 2048) << 20};
    struct dtx_error err = {0};
    void *buffers[3] = {NULL};
    char found[256];

    if (dtx_cuda_device_create(0, 1, &b.device, &err) != DTX_OK) {
        printf("%s\n", err.message);
        return 77;
    }
    dtx_cuda_describe(found, sizeof found);
    printf("CUDA %s\n", found);
    demand(b.device->ops->allocate(b.device, b.bytes, &buffers[0], &err), &err);
    demand(b.device->ops->allocate(b.device, b.bytes, &buffers[1], &err), &err);
    demand(b.device->apart->allocate_near(b.device, sizeof *b.outcome,
                                          &buffers[2], &err),
           &err);
    b.in = buffers[0];
    b.out = buffers[1];
    b.outcome = buffers[2];
    run_all(&b);
    b.device->ops->release(b.device, b.in);
    b.device->ops->release(b.device, b.out);
    b.device->apart->release_near(b.device, b.outcome);
    b.device->ops->destroy(b.device);
    return b.falls_short ? 1 : 0;
}

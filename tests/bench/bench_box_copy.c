/*
 * How fast boxes are copied, in GB/s of bytes copied, beside a plain memcpy.
 *
 * Each case cuts a box out of a large array into a dense buffer (pack) and
 * puts it back (unpack). The first run, which touches the memory, isn't
 * counted; the best of the others is shown.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "device/device.h"

enum { ARRAY_BYTES = 256 << 20, REPEAT_COUNT = 7 };

struct bench_case {
    const char *name;
    size_t element_bytes;
    int64_t shape[3];
    int64_t len[3]; /* 0: the array ends here */
};

static const struct bench_case cases[] = {
    {"half of the rows, f32", 4, {8192, 8192}, {4096, 8192}},
    {"half of the columns, f32", 4, {8192, 8192}, {8192, 4096}},
    {"eighth of the columns, bf16", 2, {16384, 8192}, {16384, 1024}},
    {"rows of 1 KiB", 2, {131072, 1024}, {131072, 512}},
    {"rows of 256 B", 2, {131072, 1024}, {131072, 128}},
    {"rows of 96 B", 2, {131072, 1024}, {131072, 48}},
    {"rows of 64 B", 2, {131072, 1024}, {131072, 32}},
    {"rows of 48 B", 2, {131072, 1024}, {131072, 24}},
    {"rows of 16 B", 2, {131072, 1024}, {131072, 8}},
    {"rows of 12 B", 4, {131072, 512}, {131072, 3}},
    {"every column of 4 B, page apart", 4, {65536, 1024}, {65536, 1}},
    {"half of narrow rows, 8 B of 16", 1, {16777216, 16}, {16777216, 8}},
    {"half of narrow rows, 3 B of 6", 3, {33554432, 2}, {33554432, 1}},
    {"one byte of two", 1, {134217728, 2}, {134217728, 1}},
    {"middle dim, runs of 32 B", 2, {65536, 64, 32}, {65536, 32, 16}},
};

struct run {
    const struct dtx_box_copy *copy;
    char *dst;
    const char *src;
};

static void
run_copy(void *context)
{
    const struct run *run = context;

    dtx_box_copy(run->copy, run->dst, run->src);
}

static double
best_of_copies(const struct dtx_box_copy *copy, char *dst, const char *src)
{
    struct run run = {copy, dst, src};

    return bench_best(run_copy, &run, REPEAT_COUNT);
}

static void
run_case(const struct bench_case *bench, char *array, char *buffer,
         bool wants_lines)
{
    static const int64_t zero[3];
    int ndim = bench->shape[2] > 0 ? 3 : 2;
    struct dtx_box_copy pack = {.ndim = ndim,
                                .element_bytes = bench->element_bytes,
                                .len = bench->len,
                                .dst_shape = bench->len,
                                .dst_lo = zero,
                                .src_shape = bench->shape,
                                .src_lo = zero};
    struct dtx_box_copy unpack = pack;
    double bytes = (double)bench->element_bytes;
    double packing, unpacking;

    unpack.dst_shape = bench->shape;
    unpack.src_shape = bench->len;
    for (int d = 0; d < ndim; d++) {
        bytes *= (double)bench->len[d];
    }
    packing = best_of_copies(&pack, buffer, array);
    unpacking = best_of_copies(&unpack, array, buffer);
    if (wants_lines) {
        bench_line(packing, "pack: %s", bench->name);
        bench_line(unpacking, "unpack: %s", bench->name);
    } else {
        printf("%-34s %8.2f %8.2f\n", bench->name, bytes / packing * 1e-9,
               bytes / unpacking * 1e-9);
    }
}

int
main(int argc, char **argv)
{
    bool wants_lines = bench_wants_lines(argc, argv);
    struct dtx_device *device;
    struct dtx_error err;
    void *array;
    void *buffer;
    const struct bench_case all = {
        "plain memcpy", 1, {ARRAY_BYTES, 1}, {ARRAY_BYTES, 1}};

    if (dtx_host_device_create(&device, &err) != DTX_OK ||
        device->ops->allocate(device, ARRAY_BYTES, &array, &err) != DTX_OK ||
        device->ops->allocate(device, ARRAY_BYTES, &buffer, &err) != DTX_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    if (!wants_lines) {
        printf("%-34s %8s %8s\n", "GB/s", "pack", "unpack");
    }
    run_case(&all, array, buffer, wants_lines);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        run_case(&cases[i], array, buffer, wants_lines);
    }
    device->ops->release(device, array);
    device->ops->release(device, buffer);
    device->ops->destroy(device);
    return 0;
}

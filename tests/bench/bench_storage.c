/*
 * What the HDF5 storage takes to create and list files of many datasets, and
 * to write and read one large dataset, whole and in columns. All in a folder
 * of its own under TMPDIR; what is read is in memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "unit/storage/store.h"

enum { DATASET_COUNT = 1000, ROWS = 8192, COLUMNS = 1024, REPEAT_COUNT = 5 };

struct bench {
    struct store store;
    struct dtx_target_file *many, *large;
    float *buffer; /* [ROWS * COLUMNS] */
    bool wants_lines;
};

static void
demand(struct bench *b, enum dtx_status status)
{
    if (status != DTX_OK) {
        fprintf(stderr, "bench-storage: %s\n", b->store.err.message);
        store_finish(&b->store);
        exit(1);
    }
}

static void
tell(const struct bench *b, const char *name, double seconds, double bytes)
{
    if (b->wants_lines) {
        bench_line(seconds, "storage: %s", name);
    } else if (bytes > 0) {
        printf("%-32s %8.2f ms %8.2f GB/s\n", name, seconds * 1e3,
               bytes / seconds * 1e-9);
    } else {
        printf("%-32s %8.2f ms\n", name, seconds * 1e3);
    }
}

/* ---------------------------------------------------------------- files */

static void
make(struct bench *b, struct dtx_target_file *file)
{
    struct dtx_storage *s = b->store.storage;

    demand(b, s->ops->create(s, file, &b->store.err));
    demand(b, s->ops->close(s, file, &b->store.err));
}

static void
make_many(void *context)
{
    struct bench *b = context;

    make(b, b->many);
}

static void
list_many(void *context)
{
    struct bench *b = context;
    struct dtx_text listing = {0};

    demand(b, b->store.storage->ops->scan(b->store.storage, b->many->temporary,
                                          &listing, &b->store.err));
    dtx_text_finish(&listing);
}

static void
write_large(void *context)
{
    static const int64_t lo[2], len[2] = {ROWS, COLUMNS};
    struct bench *b = context;
    struct dtx_storage *s = b->store.storage;

    demand(b, s->ops->create(s, b->large, &b->store.err));
    demand(b, s->ops->write(s, b->large, 0, lo, len, b->buffer, &b->store.err));
    demand(b, s->ops->close(s, b->large, &b->store.err));
}

static void
read_rows(void *context)
{
    static const int64_t lo[2], len[2] = {ROWS, COLUMNS};
    struct bench *b = context;

    demand(b, store_read(&b->store, "large", lo, len, b->buffer));
}

static void
read_columns(void *context)
{
    static const int64_t lo[2] = {0, COLUMNS / 2}, len[2] = {ROWS, COLUMNS / 2};
    struct bench *b = context;

    demand(b, store_read(&b->store, "large", lo, len, b->buffer));
}

/* ---------------------------------------------------------------- all */

static void
prepare(struct bench *b)
{
    static const int64_t small[2] = {4, 4}, large[2] = {ROWS, COLUMNS};

    b->buffer = calloc((size_t)ROWS * COLUMNS, sizeof *b->buffer);
    if (b->buffer == NULL || !store_begin(&b->store)) {
        fprintf(stderr, "bench-storage: no memory or no folder\n");
        exit(1);
    }
    b->many = store_target(&b->store, "many.h5", DATASET_COUNT);
    for (int i = 0; i < DATASET_COUNT; i++) {
        store_set(b->many, i,
                  dtx_arena_format(&b->store.arena, "layers.%d.weight", i),
                  dtx_type_of(DTX_FLOAT32), 2, small);
    }
    b->large = store_target(&b->store, "large.h5", 1);
    store_set(b->large, 0, "large", dtx_type_of(DTX_FLOAT32), 2, large);
}

int
main(int argc, char **argv)
{
    static struct bench b;
    double bytes = (double)ROWS * COLUMNS * sizeof(float);

    b.wants_lines = bench_wants_lines(argc, argv);
    prepare(&b);
    tell(&b, "create 1000 datasets", bench_best(make_many, &b, REPEAT_COUNT),
         0);
    tell(&b, "list 1000 datasets", bench_best(list_many, &b, REPEAT_COUNT), 0);
    tell(&b, "write 32 MiB", bench_best(write_large, &b, REPEAT_COUNT), bytes);
    demand(&b, store_scan(&b.store, b.large->temporary));
    tell(&b, "read 32 MiB", bench_best(read_rows, &b, REPEAT_COUNT), bytes);
    tell(&b, "read half the columns of 32 MiB",
         bench_best(read_columns, &b, REPEAT_COUNT), bytes / 2);
    store_finish(&b.store);
    free(b.buffer);
    return 0;
}

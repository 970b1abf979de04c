#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>

#include "store.h"

enum { ROWS = 200, COLUMNS = 64 };
static const int64_t shape[2] = {ROWS, COLUMNS};

/* One thread's part of a job: all rows, many times over. */
struct part {
    struct store *s;
    struct dtx_target_file *target; /* NULL: reads */
    bool failed;
};

static void *
read_rows(void *data)
{
    struct part *part = data;
    struct dtx_error err;
    uint16_t row[COLUMNS];
    int64_t lo[2] = {0, 0};
    int round;

    for (round = 0; round < 20; round++) {
        for (lo[0] = 0; lo[0] < ROWS; lo[0]++) {
            int index = round % part->s->catalog->dataset_count;

            if (part->s->storage->ops->read(part->s->storage, index, lo,
                                            (int64_t[]){1, COLUMNS}, row,
                                            &err) != DTX_OK ||
                row[COLUMNS - 1] != (uint16_t)lo[0]) {
                part->failed = true;
            }
        }
    }
    return NULL;
}

static void *
write_rows(void *data)
{
    struct part *part = data;
    struct dtx_error err;
    uint16_t row[COLUMNS];
    int64_t lo[2] = {0, 0};
    int index;
    int i;

    for (index = 0; index < part->target->dataset_count; index++) {
        for (lo[0] = 0; lo[0] < ROWS; lo[0]++) {
            for (i = 0; i < COLUMNS; i++) {
                row[i] = (uint16_t)lo[0];
            }
            if (part->s->storage->ops->write(part->s->storage, part->target,
                                             index, lo, (int64_t[]){1, COLUMNS},
                                             row, &err) != DTX_OK) {
                part->failed = true;
            }
        }
    }
    return NULL;
}

static struct dtx_target_file *
make_target(struct store *s, const char *name, bool gzip)
{
    struct dtx_target_file *file = store_target(s, name, 8);
    int i;

    for (i = 0; i < 8; i++) {
        store_set(file, i, dtx_arena_format(&s->arena, "d%d", i),
                  dtx_type_of(DTX_UINT16), 2, shape);
    }
    file->gzip = gzip;
    cr_assert_eq(s->storage->ops->create(s->storage, file, &s->err), DTX_OK);
    return file;
}

static void
read_while_writing(bool gzip)
{
    struct store s;
    struct part writer = {.s = &s};
    struct part reader = {.s = &s};
    pthread_t threads[2];

    cr_assert(store_begin(&s));
    writer.target = make_target(&s, "source.h5", gzip);
    write_rows(&writer);
    cr_assert_eq(s.storage->ops->close(s.storage, writer.target, &s.err),
                 DTX_OK);
    cr_assert_eq(store_scan(&s, writer.target->temporary), DTX_OK);
    writer.target = make_target(&s, "target.h5", gzip);
    pthread_create(&threads[0], NULL, read_rows, &reader);
    pthread_create(&threads[1], NULL, write_rows, &writer);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    cr_assert_not(reader.failed);
    cr_assert_not(writer.failed);
    cr_assert_eq(s.storage->ops->close(s.storage, writer.target, &s.err),
                 DTX_OK);
    cr_assert_eq(store_scan(&s, writer.target->temporary), DTX_OK);
    read_rows(&reader);
    cr_assert_not(reader.failed);
    store_finish(&s);
}

Test(threads, one_reads_while_another_writes)
{
    read_while_writing(false);
}

Test(threads, one_reads_while_another_writes_through_hdf5)
{
    read_while_writing(true);
}

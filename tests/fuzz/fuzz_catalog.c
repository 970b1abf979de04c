/*
 * Damaged HDF5 files: they are read in part, or refused with a message. HDF5
 * itself may crash on them, in the guard.
 *
 * The corpus is in HDF5's old format, which has no checksums: damage goes
 * deep. Changes keep everything at its place.
 */
#include <string.h>
#include <unistd.h>

#include <dtx/guard.h>

#include "fuzz.h"
#include "layout/shape.h"
#include "support/random.h"
#include "unit/storage/store.h"
#include "util/math.h"

enum { INPUTS_PER_FOLDER = 500, BOX_BYTES_MOST = 1 << 16, GUARD_SECONDS = 1 };

static struct store store;
static long input_count;

/* A new folder now and then: what a store notes grows. */
static const char *
begin(void)
{
    if (input_count % INPUTS_PER_FOLDER == 0) {
        if (input_count > 0) {
            store_finish(&store);
        }
        must(store_begin(&store));
    }
    input_count++;
    return store_path(&store, "x.h5");
}

/* Another guard for one that died, and says so in its last error. */
static void
renew_guard(void)
{
    struct dtx_error err;

    dtx_guard_stop();
    must(dtx_guard_start(GUARD_SECONDS, &err) == DTX_OK);
}

static void
write_input(const char *path, const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "wb");

    must(file != NULL && fwrite(data, 1, size, file) == size);
    fclose(file);
}

/* A failure that a user can do something with. */
static void
check_failure(enum dtx_status status)
{
    must(status == DTX_OK || status == DTX_ERR_SOURCE ||
         status == DTX_ERR_LIMIT || status == DTX_ERR_TARGET);
    must(status == DTX_OK || store.err.message[0] != '\0');
}

/* Reads the first rows, or less, of a dataset. */
static void
read_some(int index)
{
    static const int64_t zeros[DTX_NDIM_MAX];
    static char buffer[BOX_BYTES_MOST];
    const struct dtx_dataset *d = &store.catalog->datasets[index];
    int64_t room = BOX_BYTES_MOST / (int64_t)(d->type.size_bytes + 1);
    int64_t len[DTX_NDIM_MAX];

    for (int dim = d->ndim - 1; dim >= 0; dim--) {
        len[dim] = dtx_min(d->shape[dim], room);
        room /= dtx_max(len[dim], 1);
    }
    if (room > 0) {
        check_failure(store.storage->ops->read(store.storage, index, zeros, len,
                                               buffer, &store.err));
    }
}

/* Makes a target with all that is no tensor, and small tensors. */
static void
copy_some(void)
{
    struct dtx_target_file *file = store_copy_target(&store, "y.h5");
    int kept = 0;

    for (int i = 0; i < file->dataset_count; i++) {
        struct dtx_target_dataset *d = &file->datasets[i];
        int64_t count = dtx_shape_count(d->ndim, d->shape);

        if (count * (int64_t)d->type.size_bytes <= BOX_BYTES_MOST &&
            d->type.size_bytes <= BOX_BYTES_MOST) {
            file->datasets[kept++] = *d;
        }
    }
    file->dataset_count = kept;
    check_failure(store.storage->ops->create(store.storage, file, &store.err));
    store.storage->ops->abandon(store.storage, file);
    store.storage->ops->remove(store.storage, file->temporary);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = begin();
    enum dtx_status status;

    write_input(path, data, size);
    renew_guard();
    status = store_scan(&store, path);
    must(status == DTX_OK || strstr(store.err.message, path) != NULL ||
         status == DTX_ERR_LIMIT);
    check_failure(status);
    if (status == DTX_OK) {
        for (int i = 0; i < store.catalog->dataset_count; i++) {
            if (store.catalog->datasets[i].form != DTX_FORM_OBJECT) {
                read_some(i);
            }
        }
        copy_some();
    }
    return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
                        unsigned seed)
{
    static const uint64_t numbers[] = {
        0, 1, 2, 3, 8, 255, 96, 512, 65535, 1u << 31, 1ull << 40, ~0ull};
    struct random random = {seed};
    uint64_t changes = 1 + random_below(&random, 8);

    (void)max_size;
    for (uint64_t i = 0; i < changes && size > 16; i++) {
        uint8_t *at = data + random_below(&random, size - 8);

        switch (random_below(&random, 5)) {
        case 0:
            *at ^= (uint8_t)(1u << random_below(&random, 8));
            break;
        case 1:
            *at = (uint8_t)random_next(&random);
            break;
        case 2: /* a number of some width */
            memcpy(at, &numbers[random_below(&random, 12)],
                   1u << random_below(&random, 4));
            break;
        case 3: /* an address, and other things, from elsewhere */
            memmove(at, data + random_below(&random, size - 8), 8);
            break;
        default: /* a nearby number */
            *at = (uint8_t)(*at + random_below(&random, 9) - 4);
            break;
        }
    }
    return random_below(&random, 64) == 0 ? 1 + random_below(&random, size)
                                          : size;
}

#include "engine/compare/compare.h"

#include "engine/clock.h"
#include "engine/combine.h"
#include "engine/compare/compare_pairs.h"
#include "storage/storage.h"
#include "util/alloc.h"
#include "util/error.h"

enum { WORK_BYTES_MOST = 12 << 20 }; /* both boxes and the stage */

/* The memory for boxes. */
static enum dtx_status
make_room(struct comparing *c, struct dtx_error *err)
{
    c->work_bytes = c->options->memory_bytes < WORK_BYTES_MOST
                        ? (size_t)c->options->memory_bytes
                        : WORK_BYTES_MOST;
    c->work = dtx_alloc(c->work_bytes, 1);
    return c->work == NULL ? dtx_error_memory(err) : DTX_OK;
}

static enum dtx_status
compare(struct comparing *c, struct dtx_error *err)
{
    enum dtx_status status = compare_match(c, err);

    if (status == DTX_OK) {
        status = make_room(c, err);
    }
    status = dtx_transport_settle(c->transport, status, err);
    turns_progress_begin(&c->progress, compare_bytes(c), c->options->progress,
                         c->options->progress_context);
    if (status == DTX_OK) {
        status = compare_copies(c, err);
    }
    if (status == DTX_OK) {
        status = compare_values(c, err);
    }
    if (status == DTX_OK) {
        status = engine_sum(c->transport, c->bytes_read,
                            &c->result->totals.bytes, err);
    }
    if (status == DTX_OK) {
        status = compare_conclude(c, err);
    }
    dtx_free(c->work);
    dtx_free(c->pairs);
    dtx_free(c->twins);
    dtx_arena_finish(&c->names);
    return dtx_transport_settle(c->transport, status, err);
}

enum dtx_status
engine_compare(const struct dtx_layout *const *layouts,
               const struct dtx_catalog *const *catalogs,
               struct dtx_transport *transport,
               struct dtx_storage *const *storages,
               const struct dtx_compare_options *options,
               struct dtx_diagnostics *list,
               struct dtx_comparison **comparison_out, struct dtx_error *err)
{
    struct dtx_comparison *result = dtx_alloc(1, sizeof *result);
    struct dtx_holding *holdings[2] = {NULL, NULL};
    struct comparing c = {
        .transport = transport, .options = options, .result = result};
    uint64_t begin = engine_now_ns();
    enum dtx_status status = result == NULL ? dtx_error_memory(err) : DTX_OK;
    int i;

    for (i = 0; i < 2 && status == DTX_OK; i++) {
        storages[i]->ops->use_catalog(storages[i], catalogs[i]);
        c.readers[i].storage = storages[i];
        status = dtx_holding_create(layouts[i], catalogs[i], list, &holdings[i],
                                    err);
        c.readers[i].holding = holdings[i];
    }
    status = dtx_transport_settle(transport, status, err);
    if (status == DTX_OK) {
        status = compare(&c, err);
    }
    for (i = 0; i < 2; i++) {
        held_reader_finish(&c.readers[i]);
        dtx_holding_destroy(holdings[i]);
    }
    if (status != DTX_OK) {
        dtx_comparison_destroy(result);
        return status;
    }
    result->totals.seconds = engine_seconds_since(begin);
    *comparison_out = result;
    return DTX_OK;
}

enum dtx_status
dtx_compare(const struct dtx_layout *const *layouts,
            const struct dtx_catalog *const *catalogs,
            struct dtx_transport *transport,
            const struct dtx_compare_options *options,
            struct dtx_diagnostics *list,
            struct dtx_comparison **comparison_out, struct dtx_error *err)
{
    struct dtx_storage *storages[2] = {NULL, NULL};
    enum dtx_status status = DTX_OK;
    int i;

    for (i = 0; i < 2 && status == DTX_OK; i++) {
        status = dtx_storage_create(&storages[i], err);
    }
    status = dtx_transport_settle(transport, status, err);
    if (status == DTX_OK) {
        status = engine_compare(layouts, catalogs, transport, storages, options,
                                list, comparison_out, err);
    }
    for (i = 0; i < 2; i++) {
        if (storages[i] != NULL) {
            storages[i]->ops->destroy(storages[i]);
        }
    }
    return status;
}

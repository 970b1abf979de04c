#include "engine/commit/sources.h"

#include "storage/stop.h"
#include "util/error.h"

static enum dtx_status
check_file(const struct engine *e, int file, struct dtx_error *err)
{
    const struct dtx_catalog *catalog = e->plan->catalog;
    const struct dtx_storage_ops *ops = e->storage->ops;
    const char *path = catalog->files[file];

    if (catalog->file_sizes[file] == DTX_FILE_MISSING ||
        (ops->size(e->storage, path) == (int64_t)catalog->file_sizes[file] &&
         ops->modified(e->storage, path) == catalog->file_times[file])) {
        return DTX_OK;
    }
    dtx_error_set(err, DTX_ERR_SOURCE, "'%s' was changed while it was read",
                  path);
    dtx_error_hint(err, "the target can't be trusted, and was given up");
    return DTX_ERR_SOURCE;
}

enum dtx_status
engine_check_sources(struct engine *e, struct dtx_error *err)
{
    const struct dtx_procs *readers = &e->plan->src_procs;
    int count = e->plan->catalog->watched_count, i, k = 0;
    enum dtx_status status = DTX_OK;

    /* Others may not even see the files. */
    while (k < readers->count &&
           readers->processes[k] != e->transport->process) {
        k++;
    }
    for (i = k; k < readers->count && i < count && status == DTX_OK;
         i += readers->count) {
        status = dtx_stop_heard(err);
        if (status == DTX_OK) {
            status = check_file(e, i, err);
        }
    }
    status = dtx_transport_settle(e->transport, status, err);
    if (status != DTX_OK && status != DTX_ERR_INTERRUPTED) {
        e->safety.tensors = 0;
    }
    return status;
}

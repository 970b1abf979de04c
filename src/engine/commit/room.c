/*
 * Room for the target, asked before any of it is made.
 */
#include <inttypes.h>
#include <string.h>

#include "engine/commit/target.h"
#include "layout/shape.h"
#include "manifest/manifest.h"
#include "storage/stop.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/math.h"
#include "util/size.h"

/* Bytes of a file that the disk must still have room for. */
typedef uint64_t measure(struct engine *e, const struct dtx_target_file *file);

/*
 * Bytes of a file's datasets; 0 where it is compressed, and can't be told, and
 * where they are in other files. What is packed stands there twice for a while:
 * contiguous, and beside it all that the packed file can take.
 */
static uint64_t
file_bytes(struct engine *e, const struct dtx_target_file *file)
{
    bool is_packed = file->is_shared && (file->chunk_count > 0 || file->gzip);
    uint64_t total = 0, bytes;
    int i;

    (void)e;
    if (file->view != NULL || (file->gzip && !is_packed)) {
        return 0;
    }
    for (i = 0; i < file->dataset_count; i++) {
        const struct dtx_target_dataset *d = &file->datasets[i];

        if (dtx_mul_overflows((uint64_t)dtx_shape_count(d->ndim, d->shape),
                              d->type.size_bytes, &bytes) ||
            dtx_add_overflows(total, bytes, &total)) {
            return UINT64_MAX;
        }
    }
    if (is_packed && dtx_add_overflows(total, total, &total)) {
        return UINT64_MAX;
    }
    return total;
}

/* Bytes of a file that is there under its temporary name, and has holes. */
static uint64_t
missing_bytes(struct engine *e, const struct dtx_target_file *file)
{
    return e->storage->ops->holes(e->storage, file->temporary);
}

/* What this process makes on one file system. */
static uint64_t
own_bytes(struct engine *e, uint64_t system, measure *bytes_of)
{
    uint64_t total = 0, found, ignored;
    int i;

    for (i = 0; i < e->files->file_count && !dtx_must_stop(); i++) {
        const struct dtx_target_file *file = &e->files->files[i];

        if (file->create &&
            e->storage->ops->space(e->storage, file->path, &found, &ignored) &&
            found == system &&
            dtx_add_overflows(total, bytes_of(e, file), &total)) {
            return UINT64_MAX;
        }
    }
    return total;
}

static enum dtx_status
refuse(const char *path, uint64_t needed, uint64_t available,
       struct dtx_error *err)
{
    const char *slash = strrchr(path, '/');
    char sizes[3][DTX_SIZE_TEXT];

    dtx_error_set(err, DTX_ERR_TARGET,
                  "no space for the target in '%.*s': it needs %s, %s are "
                  "free; %s are missing",
                  slash == NULL ? 1 : (int)(slash - path) + (slash == path),
                  slash == NULL ? "." : path, dtx_size_format(needed, sizes[0]),
                  dtx_size_format(available, sizes[1]),
                  dtx_size_format(needed - available, sizes[2]));
    dtx_error_hint(err, "an old target that --force replaces stays until the "
                        "new one is complete");
    return DTX_ERR_TARGET;
}

/* The sum of all processes' bytes. Collective. */
static enum dtx_status
sum_bytes(struct engine *e, uint64_t own, uint64_t *sum_out,
          struct dtx_error *err)
{
    char *bytes = NULL;
    enum dtx_status status = e->transport->ops->gather(
        e->transport, &own, sizeof own, NULL, &bytes, err);
    int i;

    if (status != DTX_OK) {
        return status;
    }
    *sum_out = 0;
    for (i = 0; i < e->transport->process_count; i++) {
        memcpy(&own, bytes + (size_t)i * sizeof own, sizeof own);
        if (dtx_add_overflows(*sum_out, own, sum_out)) {
            *sum_out = UINT64_MAX;
        }
    }
    dtx_free(bytes);
    return DTX_OK;
}

static enum dtx_status
check(struct engine *e, measure *bytes_of, struct dtx_error *err)
{
    struct dtx_text path = {0};
    uint64_t system = 0, available = UINT64_MAX, own = 0, needed = 0;
    enum dtx_status status;

    dtx_manifest_path(e->plan->target, &path);
    if (!path.failed &&
        e->storage->ops->space(e->storage, path.data, &system, &available)) {
        own = own_bytes(e, system, bytes_of);
    }
    status = sum_bytes(e, own, &needed, err);
    if (status == DTX_OK && path.failed) {
        status = dtx_error_memory(err);
    } else if (status == DTX_OK && engine_leads(e) && needed > available) {
        status = refuse(path.data, needed, available, err);
    }
    if (status == DTX_OK) {
        status = dtx_stop_heard(err);
    }
    dtx_text_finish(&path);
    return dtx_transport_settle(e->transport, status, err);
}

enum dtx_status
engine_check_room(struct engine *e, struct dtx_error *err)
{
    return check(e, file_bytes, err);
}

enum dtx_status
engine_check_holes(struct engine *e, struct dtx_error *err)
{
    return check(e, missing_bytes, err);
}

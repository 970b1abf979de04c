#include "engine/commit/checkpoint.h"

#include "engine/clock.h"
#include "engine/commit/journal.h"
#include "engine/commit/marks.h"
#include "storage/stop.h"
#include "util/alloc.h"
#include "util/error.h"

enum {
    DEFAULT_SECONDS = 20,
    LEAST_SECONDS = 1, /* between two */
    SYNC_SECONDS = 2,  /* that one may take */
    FIRST_BYTES = 1 << 28,
    LEAST_BYTES = 1 << 24,
};

static const uint64_t second_ns = 1000000000;

void
engine_begin_checkpoints(struct engine *e)
{
    e->safety.at_ns = engine_now_ns();
    e->safety.written = e->done.written;
    e->safety.limit = FIRST_BYTES;
}

/* What goes through HDF5 isn't whole in the file until that is closed. */
static bool
can_be_resumed(const struct dtx_layout *target)
{
    return target->chunk_count == 0 && !target->gzip;
}

bool
engine_wants_checkpoint(const struct engine *e, int tensors)
{
    int every = e->options->checkpoint_seconds;
    uint64_t waited = engine_now_ns() - e->safety.at_ns;
    uint64_t written = e->done.written - e->safety.written;

    if (tensors <= e->safety.tensors || !can_be_resumed(e->plan->target)) {
        return false;
    }
    every = every == 0 ? DEFAULT_SECONDS : every < 0 ? 0 : every;
    return waited >= (uint64_t)every * second_ns ||
           (waited >= LEAST_SECONDS * second_ns && written >= e->safety.limit);
}

/* Waits for the disk, and learns how much it takes in time. */
static void
sync_files(struct engine *e)
{
    uint64_t begin = engine_now_ns(), took;
    uint64_t written = e->done.written - e->safety.written;
    struct dtx_error err = {0};
    int i;

    for (i = 0; i < e->files->file_count && !engine_has_failed(e); i++) {
        enum dtx_status status =
            dtx_must_hurry()
                ? dtx_stopped(&err)
                : e->storage->ops->sync(e->storage, &e->files->files[i], &err);

        if (status != DTX_OK) {
            engine_fail(e, status, &err);
        }
    }
    took = engine_now_ns() - begin;
    e->safety.limit = (uint64_t)((double)written / ((double)took + 1) *
                                 SYNC_SECONDS * (double)second_ns);
    if (e->safety.limit < LEAST_BYTES) {
        e->safety.limit = LEAST_BYTES;
    }
    e->safety.written = e->done.written;
    e->safety.at_ns = engine_now_ns();
}

/* True where no process has failed by now. Collective. */
static bool
all_are_well(struct engine *e)
{
    struct dtx_error err = {0};
    int64_t failed = 0;

    if (dtx_transport_maximum(e->transport, engine_has_failed(e), &failed,
                              &err) != DTX_OK) {
        engine_fail(e, DTX_ERR_COMM, &err);
        return false;
    }
    if (failed != 0) {
        engine_poison(e); /* who failed says why */
    }
    return failed == 0;
}

/* Adds the lines to the journal that say that so many tensors are safe. sums
 * are those from the last ones on, tensor by tensor; marks are of the files
 * where all is. Process 0. */
static enum dtx_status
note_safe(struct engine *e, int tensors, const uint64_t *sums,
          const char *marks, struct dtx_error *err)
{
    struct dtx_text lines = {0};
    enum dtx_status status;

    journal_add_safe(&lines, e->safety.tensors, tensors, sums, marks);
    status = lines.failed
                 ? dtx_error_memory(err)
                 : e->storage->ops->journal_append(e->storage, lines.data, err);
    dtx_text_finish(&lines);
    return status;
}

/* Collective; sums_out is to be freed. */
static enum dtx_status
gather_sums(struct engine *e, int tensors, uint64_t **sums_out,
            struct dtx_error *err)
{
    int count = tensors - e->safety.tensors;
    uint64_t *sums = dtx_alloc((size_t)count * DIGEST_KIND_COUNT, sizeof *sums);
    enum dtx_status status = dtx_transport_settle(
        e->transport, sums == NULL ? dtx_error_memory(err) : DTX_OK, err);

    if (status == DTX_OK) {
        status = engine_gather_digests(e, e->safety.tensors, count, sums, err);
    }
    if (status != DTX_OK) {
        dtx_free(sums);
        return status;
    }
    *sums_out = sums;
    return DTX_OK;
}

bool
engine_checkpoint(struct engine *e, int tensors)
{
    struct dtx_error err = {0};
    uint64_t *sums;
    enum dtx_status status;

    if (tensors <= e->safety.tensors || !can_be_resumed(e->plan->target)) {
        return all_are_well(e);
    }
    sync_files(e);
    if (!all_are_well(e)) {
        return false;
    }
    status = gather_sums(e, tensors, &sums, &err);
    if (status != DTX_OK) { /* on all processes */
        engine_fail(e, status, &err);
        return false;
    }
    if (engine_leads(e)) {
        status = note_safe(e, tensors, sums, NULL, &err);
    }
    if (status != DTX_OK) {
        engine_fail(e, status, &err);
    }
    dtx_free(sums);
    if (!all_are_well(e)) {
        return false;
    }
    e->safety.tensors = tensors;
    return true;
}

/* The sums from the last safe tensor on, once they are put together. */
static enum dtx_status
note_all(struct engine *e, const char *marks, struct dtx_error *err)
{
    int first = e->safety.tensors, count = e->plan->tensor_count;
    uint64_t *sums =
        dtx_alloc((size_t)(count - first) * DIGEST_KIND_COUNT, sizeof *sums);
    enum dtx_status status;
    int i, kind;

    if (sums == NULL) {
        return dtx_error_memory(err);
    }
    for (i = first; i < count; i++) {
        for (kind = 0; kind < DIGEST_KIND_COUNT; kind++) {
            sums[(i - first) * DIGEST_KIND_COUNT + kind] =
                e->digests.sums[(size_t)kind * (size_t)count + (size_t)i];
        }
    }
    status = note_safe(e, count, sums, marks, err);
    dtx_free(sums);
    return status;
}

enum dtx_status
engine_note_committing(struct engine *e, struct dtx_error *err)
{
    struct dtx_text marks = {0};
    enum dtx_status status = engine_gather_marks(e, &marks, err);

    if (status == DTX_OK && engine_leads(e)) {
        status = note_all(e, marks.data == NULL ? "" : marks.data, err);
    }
    dtx_text_finish(&marks);
    status = dtx_transport_settle(e->transport, status, err);
    if (status == DTX_OK) {
        e->safety.tensors = e->plan->tensor_count;
        e->safety.is_committing = true;
    }
    return status;
}

void
engine_load_sums(struct engine *e)
{
    size_t count = (size_t)e->plan->tensor_count;
    int i, kind;

    for (i = 0; e->safety.sums != NULL && i < e->safety.tensors; i++) {
        for (kind = 0; kind < DIGEST_KIND_COUNT; kind++) {
            e->digests.sums[(size_t)kind * count + (size_t)i] =
                e->safety.sums[i * DIGEST_KIND_COUNT + kind];
        }
    }
}

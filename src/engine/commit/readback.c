#include "engine/commit/readback.h"

#include <inttypes.h>

#include "engine/combine.h"
#include "engine/compare/copies.h"
#include "engine/reshard.h"
#include "storage/stop.h"
#include "util/alloc.h"
#include "util/error.h"

/* What a file's writer has in its cache says nothing about the disk. */
static enum dtx_status
forget_files(struct engine *e, struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;
    int i;

    for (i = 0; i < e->files->file_count && status == DTX_OK; i++) {
        e->storage->ops->forget(e->storage, e->files->files[i].temporary);
        status = dtx_stop_heard(err);
    }
    return dtx_transport_settle(e->transport, status, err);
}

static enum dtx_status
refuse(const struct findings *findings, struct dtx_error *err)
{
    const struct dtx_finding *finding = &findings->array[0];

    dtx_error_set(err, DTX_ERR_DIGEST, "what was written doesn't read back: %s",
                  finding->message);
    if (finding->tensor != NULL) {
        dtx_error_tensor(err, "'%s'", finding->tensor);
    }
    if (finding->file != NULL) {
        dtx_error_where(err, "rank %" PRId64 ", '%s'", finding->rank,
                        finding->file);
    }
    dtx_error_hint(err, "the storage loses or changes data");
    return DTX_ERR_DIGEST;
}

/* Who may write the target can read it. */
static struct dtx_readers
readers_of(const struct engine *e)
{
    return (struct dtx_readers){e->plan->dst_procs.count,
                                e->plan->dst_procs.processes};
}

static enum dtx_status
check(struct engine *e, const struct dtx_holding *holding,
      struct dtx_error *err)
{
    struct dtx_readers readers = readers_of(e);
    size_t count = (size_t)holding->tensor_count, i;
    struct held_reader reader = {.storage = e->storage, .holding = holding};
    struct findings findings = {0};
    struct copies_job job = {.transport = e->transport,
                             .readers = &readers,
                             .reader = &reader,
                             .digests = e->digests.targets,
                             .places = e->digests.places,
                             .stage_bytes =
                                 (size_t)e->plan->schedule->stage_bytes,
                             .findings = &findings};
    bool *has_digest = dtx_alloc(count, sizeof *has_digest);
    enum dtx_status status;

    reader.stage = dtx_alloc(job.stage_bytes, 1);
    status = has_digest == NULL || reader.stage == NULL ? dtx_error_memory(err)
                                                        : DTX_OK;
    status = dtx_transport_settle(e->transport, status, err);
    for (i = 0; i < count && status == DTX_OK; i++) {
        has_digest[i] = true;
    }
    job.has_digest = has_digest;
    if (e->plan->target->view == DTX_VIEW_LOCAL) {
        job.has_places = has_digest;
    }
    if (status == DTX_OK) {
        status = engine_check_copies(&job, err);
    }
    if (status == DTX_OK) {
        status =
            engine_sum(e->transport, job.bytes_read, &e->done.read_back, err);
    }
    if (status == DTX_OK && findings.count > 0) {
        status = refuse(&findings, err);
    }
    findings_finish(&findings);
    held_reader_finish(&reader);
    dtx_free(reader.stage);
    dtx_free(has_digest);
    return dtx_transport_settle(e->transport, status, err);
}

static enum dtx_status
check_catalog(struct engine *e, const struct dtx_catalog *catalog,
              struct dtx_error *err)
{
    struct dtx_holding *holding = NULL;
    enum dtx_status status =
        dtx_holding_of_target(e->plan, catalog, &holding, err);

    status = dtx_transport_settle(e->transport, status, err);
    if (status == DTX_OK) {
        e->storage->ops->use_catalog(e->storage, catalog);
        status = check(e, holding, err);
        e->storage->ops->use_catalog(e->storage, e->plan->catalog);
    }
    dtx_holding_destroy(holding);
    return status;
}

enum dtx_status
engine_read_back(struct engine *e, struct dtx_error *err)
{
    struct dtx_readers readers = readers_of(e);
    struct dtx_catalog *catalog = NULL;
    enum dtx_status status = forget_files(e, err);

    if (status == DTX_OK) {
        status = engine_read_temporaries(e->plan->target, e->transport,
                                         &readers, e->storage, &catalog, err);
        if (status == DTX_ERR_SOURCE) { /* it was made a moment ago */
            err->status = status = DTX_ERR_DIGEST;
        }
    }
    if (status == DTX_OK) {
        status = check_catalog(e, catalog, err);
    }
    if (status == DTX_ERR_INTERRUPTED) {
        dtx_error_hint(err, "%s", ""); /* those who only read have written
                                          nothing, but this run has */
    }
    dtx_catalog_destroy(catalog);
    return status;
}

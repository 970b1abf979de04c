#include <dtx/reshard.h>

#include <math.h>

#include "engine/clock.h"
#include "engine/commit/checkpoint.h"
#include "engine/commit/claim.h"
#include "engine/commit/sources.h"
#include "engine/commit/target.h"
#include "engine/compare/replicas.h"
#include "engine/pipeline.h"
#include "engine/reshard.h"
#include "engine/step/apart.h"
#include "engine/step/loss.h"
#include "engine/step/neutral.h"
#include "storage/storage.h"
#include "util/alloc.h"
#include "util/error.h"

/* Before the target is put in place: nothing may fail afterwards. */
static enum dtx_status
sum_counts(struct engine *e, struct dtx_reshard_summary *summary_out,
           struct dtx_error *err)
{
    struct dtx_reshard_process own = {
        e->done.read,
        e->done.kept,
        e->done.moved,
        e->done.written,
        (double)atomic_load(&e->read_ns) / 1e9,
        (double)atomic_load(&e->write_ns) / 1e9,
        (double)e->wait_ns / 1e9,
    };
    struct dtx_reshard_process *all;
    struct dtx_reshard_summary sum = {0};
    char *bytes = NULL;
    enum dtx_status status = e->transport->ops->gather(
        e->transport, &own, sizeof own, NULL, &bytes, err);
    int i;

    if (status != DTX_OK) {
        return status;
    }
    all = (struct dtx_reshard_process *)(void *)bytes;
    for (i = 0; i < e->transport->process_count; i++) {
        sum.read += all[i].read;
        sum.kept += all[i].kept;
        sum.moved += all[i].received;
        sum.written += all[i].written;
        sum.read_seconds = fmax(sum.read_seconds, all[i].read_seconds);
        sum.write_seconds = fmax(sum.write_seconds, all[i].write_seconds);
        sum.wait_seconds = fmax(sum.wait_seconds, all[i].wait_seconds);
        if (e->options->processes != NULL) {
            e->options->processes[i] = all[i];
        }
    }
    sum.files = (uint64_t)e->files->total_count;
    sum.resumed = e->done.resumed;
    dtx_free(bytes);
    sum.conversion = e->read_loss;
    loss_merge(&sum.conversion, &e->write_loss);
    status = loss_combine(e->transport, &sum.conversion, err);
    if (status == DTX_OK) {
        *summary_out = sum;
    }
    return status;
}

/* Runs the steps. A message that came short where nobody has failed is a
 * failure of its own. Collective. */
static enum dtx_status
run_steps(struct engine *e, struct dtx_error *err)
{
    enum dtx_status status;

    engine_run(e);
    if (e->failure.status != DTX_OK) {
        *err = e->failure.error;
    }
    status = dtx_transport_settle(e->transport, e->failure.status, err);
    if (status != DTX_OK) {
        return status;
    }
    if (engine_has_failed(e)) {
        status = dtx_error_set(err, DTX_ERR_COMM,
                               "a message was shorter than planned");
    }
    return dtx_transport_settle(e->transport, status, err);
}

/* Moves all data into the temporary files. Collective. */
static enum dtx_status
move(struct engine *e, struct dtx_error *err)
{
    enum dtx_status status = engine_prepare(e, err);

    if (status == DTX_OK) {
        status = engine_write_neutral(e, err);
    }
    status = dtx_transport_settle(e->transport, status, err);
    if (status == DTX_OK) {
        status = run_steps(e, err);
    }
    engine_finish(e);
    return status == DTX_OK ? engine_settle_digests(e, err) : status;
}

/* Has the digests of a run that had moved all. */
static enum dtx_status
recall(struct engine *e, struct dtx_error *err)
{
    enum dtx_status status = engine_begin_digests(e, err);

    status = dtx_transport_settle(e->transport, status, err);
    if (status != DTX_OK) {
        return status;
    }
    engine_load_sums(e);
    return engine_settle_digests(e, err);
}

/* Fills the temporary files. Collective. */
static enum dtx_status
fill(struct engine *e, struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;

    if (!e->safety.is_resumed) {
        status = engine_check_room(e, err);
        if (status == DTX_OK) {
            status = engine_check_replicas(e, err);
        }
    }
    if (status == DTX_OK) {
        status = engine_make_target(e, err);
    }
    if (status == DTX_OK) {
        status = engine_check_holes(e, err);
    }
    if (status == DTX_OK) {
        status = move(e, err);
    }
    return status == DTX_OK ? engine_check_sources(e, err) : status;
}

/* All of a run, once the target's files are described. Collective. */
static enum dtx_status
run(struct engine *e, struct dtx_reshard_summary *summary_out,
    struct dtx_error *err)
{
    enum dtx_status status = engine_claim_target(e, err);

    if (status != DTX_OK) {
        return status;
    }
    e->done.resumed = e->safety.tensors;
    status = e->safety.is_committing ? recall(e, err) : fill(e, err);
    if (status == DTX_OK) {
        status = sum_counts(e, summary_out, err);
    }
    if (status == DTX_OK) {
        status = engine_commit_target(e, err);
    }
    if (status == DTX_OK) {
        summary_out->read_back = e->done.read_back;
    }
    return engine_release_target(e, status, err);
}

static enum dtx_status
check_processes(const struct dtx_plan *plan, struct dtx_transport *transport,
                struct dtx_error *err)
{
    if (plan->options.process_count != transport->process_count) {
        return dtx_error_set(err, DTX_ERR_INVALID,
                             "the plan is for %d processes, the job has %d",
                             plan->options.process_count,
                             transport->process_count);
    }
    if (plan->catalog->file_count == 0) {
        return dtx_error_set(err, DTX_ERR_SOURCE,
                             "the source has no files, only a table");
    }
    return DTX_OK;
}

static enum dtx_status
describe_target(struct engine *e, struct dtx_error *err)
{
    enum dtx_status status =
        dtx_target_files_create(e->plan, e->transport->process, &e->files, err);

    return dtx_transport_settle(e->transport, status, err);
}

enum dtx_status
engine_reshard(const struct dtx_plan *plan, struct dtx_transport *transport,
               struct dtx_storage *storage, struct dtx_device *device,
               const struct dtx_reshard_options *options,
               struct dtx_reshard_summary *summary_out, struct dtx_error *err)
{
    struct engine e = {.plan = plan,
                       .transport = transport,
                       .storage = storage,
                       .device = device,
                       .sends_from_device =
                           transport->reads_device &&
                           plan->options.transport == DTX_CARRIER_CUDA,
                       .options = options};
    struct dtx_reshard_summary summary;
    uint64_t begin = engine_now_ns();
    enum dtx_status status = check_processes(plan, transport, err);

    if (status != DTX_OK) {
        return status; /* alike on all processes */
    }
    engine_failure_init(&e);
    storage->ops->use_catalog(storage, plan->catalog);
    status = describe_target(&e, err);
    if (status == DTX_OK) {
        status = run(&e, &summary, err);
    }
    if (status == DTX_OK) {
        *summary_out = summary;
        summary_out->seconds = engine_seconds_since(begin);
    }
    engine_finish_digests(&e);
    dtx_free(e.safety.sums);
    dtx_target_files_destroy(e.files);
    engine_failure_finish(&e);
    return status;
}

/* Tells the storage by which numbers it knows the job's processes. Collective
 * and settled. */
static enum dtx_status
tell_numbers(struct dtx_transport *transport, struct dtx_storage *storage,
             struct dtx_error *err)
{
    int own = storage->ops->own_number(storage);
    char *all = NULL;
    enum dtx_status status =
        transport->ops->gather(transport, &own, sizeof own, NULL, &all, err);

    if (status == DTX_OK) {
        status =
            storage->ops->use_numbers(storage, (const int *)(const void *)all,
                                      transport->process_count, err);
    }
    dtx_free(all);
    return dtx_transport_settle(transport, status, err);
}

enum dtx_status
dtx_reshard(const struct dtx_plan *plan, struct dtx_transport *transport,
            const struct dtx_reshard_options *options,
            struct dtx_reshard_summary *summary_out, struct dtx_error *err)
{
    struct dtx_storage *storage = NULL;
    struct dtx_device *device = NULL;
    enum dtx_status status = dtx_storage_create(&storage, err);

    if (status == DTX_OK) {
        status =
            engine_open_device(plan->options.device, transport, &device, err);
    }
    status = dtx_transport_settle(transport, status, err);
    if (status == DTX_OK) {
        status = tell_numbers(transport, storage, err);
    }
    if (status == DTX_OK) {
        status = engine_reshard(plan, transport, storage, device, options,
                                summary_out, err);
    }
    if (device != NULL) {
        device->ops->destroy(device);
    }
    if (storage != NULL) {
        storage->ops->destroy(storage);
    }
    return status;
}

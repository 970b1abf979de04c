#include "job.h"

#include <pthread.h>
#include <string.h>

#include "device/double_device.h"
#include "engine/reshard.h"
#include "storage/memory/memory_files.h"
#include "support/claim.h"
#include "transport/thread_transport.h"
#include "util/alloc.h"
#include "values.h"

/* ---------------------------------------------------------------- source */

static void
put_dataset(const struct scene_dataset *dataset, void *context)
{
    struct job *job = context;
    enum dtx_dtype dtype = job->text->tensors[dataset->tensor].src_dtype;
    size_t size = dtx_dtype_size(dtype);
    bool is_global = job->scene.layouts[SCENE_SOURCE]->view == DTX_VIEW_GLOBAL;
    int term = scene_term(&job->scene, SCENE_SOURCE, dataset->tensor,
                          dataset->position);
    int64_t count = 1;
    struct shard shard;
    struct dtx_error err;
    char *data;

    for (int dim = 0; dim < dataset->ndim; dim++) {
        count *= dataset->shape[dim];
    }
    data = malloc((size_t)count * size + ELEMENT_BYTES_MOST);
    scene_shard(&job->scene, SCENE_SOURCE, dataset->tensor, dataset->position,
                &shard);
    for (int64_t i = 0; i < count; i++) {
        int64_t element =
            is_global ? i
                      : scene_element(&job->scene, dataset->tensor, &shard, i);

        if (element == REFERENCE_PADDING) {
            value_of_padding(dtype, dataset->position, data + (size_t)i * size);
        } else {
            value_of_term(&job->scene, dataset->tensor, term, element,
                          data + (size_t)i * size);
        }
    }
    claim(dtx_memory_files_put(job->files, dataset->file, dataset->path, dtype,
                               dataset->ndim, dataset->shape, data,
                               &err) == DTX_OK);
    free(data);
}

void
job_begin(struct job *job, const struct layout_case *text,
          const struct dtx_plan_options *options)
{
    memset(job, 0, sizeof *job);
    job->text = text;
    job->options = *options;
    job->alloc_fail_after = -1;
    job->scene = scene_begin(text);
    job->files = dtx_memory_files_create();
    scene_each_dataset(&job->scene, SCENE_SOURCE, put_dataset, job);
}

void
job_finish(struct job *job)
{
    dtx_memory_files_destroy(job->files);
    scene_finish(&job->scene);
}

const char *
job_describe(const struct job *job)
{
    static char text[16384];

    snprintf(text, sizeof text,
             "%s (%s, %s)\n# source\n%s# target\n%s# %s, %d processes, %llu "
             "bytes\n",
             job->members[0].err.message, job->members[0].err.tensor,
             job->members[0].err.where, job->text->source.data,
             job->text->target.data, dtx_strategy_name(job->options.strategy),
             job->options.process_count,
             (unsigned long long)job->options.memory_bytes);
    return text;
}

/* ---------------------------------------------------------------- running */

/* Reads the catalog, plans, and reshards, as one process of the job. */
static enum dtx_status
work(struct job_member *m, struct dtx_transport *transport,
     struct dtx_storage *storage, struct dtx_device *device,
     struct dtx_catalog **catalog, struct dtx_plan **plan)
{
    struct job *job = m->job;
    struct dtx_plan_options options = job->options;
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    enum dtx_status status =
        engine_read_catalog(job->scene.layouts[SCENE_SOURCE], transport, NULL,
                            storage, catalog, &m->err);

    if (job->device != JOB_HOST) {
        options.device = DTX_DEVICE_CUDA;
        options.transport =
            job->device == JOB_OPEN ? DTX_CARRIER_CUDA : DTX_CARRIER_MPI;
    }
    if (status == DTX_OK && list != NULL) {
        status = dtx_plan_create(job->scene.layouts[SCENE_SOURCE],
                                 job->scene.layouts[SCENE_TARGET], *catalog,
                                 &options, list, plan, &m->err);
    }
    dtx_diagnostics_destroy(list);
    if (status != DTX_OK || list == NULL) {
        return list == NULL ? DTX_ERR_LIMIT : status;
    }
    m->totals = *dtx_plan_totals(*plan);
    dtx_memory_storage_fail(storage, m->fail_read, m->fail_write);
    dtx_memory_storage_damage(storage, m->damage_write);
    return engine_reshard(*plan, transport, storage, device, &job->how,
                          &m->summary, &m->err);
}

struct thread {
    struct job_member *member;
    struct dtx_transport *transport;
    struct dtx_transport_ops ops; /* of a transport that is no good */
    pthread_t thread;
};

static enum dtx_status (*real_send)(struct dtx_transport *, int, int,
                                    const void *, size_t, int *,
                                    struct dtx_error *);

/* A send whose message has no bytes. */
static enum dtx_status
send_nothing(struct dtx_transport *transport, int peer, int tag,
             const void *buffer, size_t bytes, int *request_out,
             struct dtx_error *err)
{
    (void)bytes;
    return real_send(transport, peer, tag, buffer, 0, request_out, err);
}

static _Thread_local struct job_member *sender;

/* A send whose message has a wrong bit when its turn has come. */
static enum dtx_status
send_damaged(struct dtx_transport *transport, int peer, int tag,
             const void *buffer, size_t bytes, int *request_out,
             struct dtx_error *err)
{
    if (bytes > 0 && --sender->damage_send == 0) {
        ((char *)(uintptr_t)buffer)[bytes / 2] ^= 4;
        sender->has_damaged = true;
    }
    return real_send(transport, peer, tag, buffer, bytes, request_out, err);
}

/* Puts one of the operations above in a transport's own place. */
static void
replace_send(struct thread *t)
{
    t->ops = *t->transport->ops;
    real_send = t->ops.send;
    t->ops.send = t->member->sends_nothing ? send_nothing : send_damaged;
    t->transport->ops = &t->ops;
}

static enum dtx_status
make_device(struct job_member *m, struct dtx_transport *transport,
            struct dtx_device **device_out)
{
    enum job_device kind = m->job->device;
    enum dtx_status status;

    if (kind == JOB_HOST) {
        return dtx_host_device_create(device_out, &m->err);
    }
    transport->reads_device = kind == JOB_OPEN;
    status = dtx_double_device_create(0, kind == JOB_OPEN, device_out, &m->err);
    if (status == DTX_OK) {
        dtx_double_device_fail(*device_out, m->fail_device);
    }
    return status;
}

static void *
run_member(void *argument)
{
    struct thread *t = argument;
    struct dtx_storage *storage = NULL;
    struct dtx_device *device = NULL;
    struct dtx_catalog *catalog = NULL;
    struct dtx_plan *plan = NULL;
    struct job_member *m = t->member;

    sender = m;
    dtx_alloc_fail_after(m->job->alloc_fail_after);
    m->status = dtx_memory_storage_create(m->job->files, &storage, &m->err);
    if (m->status == DTX_OK) {
        m->status = make_device(m, t->transport, &device);
    }
    if (m->status == DTX_OK) {
        m->status = work(m, t->transport, storage, device, &catalog, &plan);
    }
    dtx_alloc_fail_after(-1);
    dtx_plan_destroy(plan);
    dtx_catalog_destroy(catalog);
    if (device != NULL) {
        device->ops->destroy(device);
    }
    if (storage != NULL) {
        storage->ops->destroy(storage);
    }
    return NULL;
}

void
job_run(struct job *job)
{
    int count = job->options.process_count;
    struct thread threads[JOB_PROCESSES_MOST];
    struct dtx_thread_job *transport = dtx_thread_job_create(count);
    struct dtx_error err;

    for (int i = 0; i < count; i++) {
        job->members[i].job = job;
        job->members[i].process = i;
        threads[i].member = &job->members[i];
        claim(dtx_thread_transport_create(transport, i, &threads[i].transport,
                                          &err) == DTX_OK);
        if (job->members[i].sends_nothing || job->members[i].damage_send > 0) {
            replace_send(&threads[i]);
        }
    }
    for (int i = 0; i < count; i++) {
        claim(pthread_create(&threads[i].thread, NULL, run_member,
                             &threads[i]) == 0);
    }
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i].thread, NULL);
        dtx_transport_destroy(threads[i].transport);
    }
    dtx_thread_job_destroy(transport);
}

/* ---------------------------------------------------------------- target */

static void
check_dataset(const struct scene_dataset *dataset, void *context)
{
    const struct job *job = context;
    const struct scene *scene = &job->scene;
    size_t size = dtx_dtype_size(job->text->tensors[dataset->tensor].dst_dtype);
    bool is_global = scene->layouts[SCENE_TARGET]->view == DTX_VIEW_GLOBAL;
    char neutral[ELEMENT_BYTES_MOST], expected[ELEMENT_BYTES_MOST];
    bool is_neutral =
        value_is_neutral(scene, dataset->tensor, dataset->position, neutral);
    int64_t shape[DTX_NDIM_MAX], count = 1;
    struct shard shard;
    int ndim;
    const char *data = dtx_memory_files_get(job->files, dataset->file,
                                            dataset->path, &ndim, shape);

    claim(data != NULL, "%s:%s\n%s", dataset->file, dataset->path,
          job_describe(job));
    claim(ndim == dataset->ndim);
    for (int dim = 0; dim < ndim; dim++) {
        claim(shape[dim] == dataset->shape[dim], "%s", job_describe(job));
        count *= shape[dim];
    }
    scene_shard(scene, SCENE_TARGET, dataset->tensor, dataset->position,
                &shard);
    for (int64_t i = 0; i < count; i++) {
        int64_t element =
            is_global ? i : scene_element(scene, dataset->tensor, &shard, i);

        memset(expected, 0, sizeof expected);
        if (element != REFERENCE_PADDING && is_neutral) {
            memcpy(expected, neutral, sizeof expected);
        } else if (element != REFERENCE_PADDING) {
            value_in_target(scene, dataset->tensor, element, expected);
        }
        claim(memcmp(data + (size_t)i * size, expected, size) == 0,
              "%s:%s element %lld (%lld of the tensor)\n%s", dataset->file,
              dataset->path, (long long)i, (long long)element,
              job_describe(job));
    }
}

void
job_check_target(const struct job *job)
{
    scene_each_dataset(&job->scene, SCENE_TARGET, check_dataset, (void *)job);
    for (size_t i = 0; i < job->files->count; i++) {
        claim(strstr(job->files->files[i].path, ".dtx-part") == NULL, "%s",
              job->files->files[i].path);
        claim(strstr(job->files->files[i].path, ".journal") == NULL, "%s",
              job->files->files[i].path);
    }
}

void
job_check_no_target(const struct job *job)
{
    for (size_t i = 0; i < job->files->count; i++) {
        claim(strncmp(job->files->files[i].path, "src/", 4) == 0,
              "%s is there\n%s", job->files->files[i].path, job_describe(job));
    }
}

static bool
has_journal(const struct job *job)
{
    bool found = false;

    for (size_t i = 0; i < job->files->count; i++) {
        found |= strstr(job->files->files[i].path, ".journal") != NULL;
    }
    return found;
}

void
job_check_failed(struct job *job)
{
    if (!has_journal(job)) {
        job_check_no_target(job);
        return;
    }
    job->how.resume = true;
    job->alloc_fail_after = -1;
    job->options.process_count =
        job->options.process_count % JOB_PROCESSES_MOST + 1;
    for (int i = 0; i < job->options.process_count; i++) {
        job->members[i] = (struct job_member){0};
    }
    job_run(job);
    for (int i = 0; i < job->options.process_count; i++) {
        claim(job->members[i].status == DTX_OK, "%s", job_describe(job));
    }
    job_check_target(job);
}

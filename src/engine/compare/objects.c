#include "engine/compare/objects.h"

#include <inttypes.h>
#include <stdio.h>

#include "engine/combine.h"
#include "engine/compare/turns.h"
#include "util/alloc.h"
#include "util/error.h"

enum { UNREAD_TEXT = 512, UNREAD_MOST = 16 /* told per process */ };

/* One dataset with an object. */
struct object_copy {
    int object, position, dataset;
};

/* A copy that could not be read. */
struct unread {
    int copy;
    char message[UNREAD_TEXT];
};

struct objects {
    struct objects_job *job;
    struct object_copy *copies; /* object by object, ranks ascending */
    size_t count, capacity;
    uint64_t *digests; /* [count] */
    bool *is_unread;   /* [count] */
    struct unread *unread;
    size_t unread_count;
    struct turns turns;
};

/* ---------------------------------------------------------------- listing */

/* Adds each dataset that has an object once. */
static enum dtx_status
list_object(struct objects *o, int object, int *seen_by, struct dtx_error *err)
{
    const struct dtx_holding *h = o->job->reader->holding;
    const struct dtx_held_object *held = &h->objects[object];
    int position;

    for (position = 0; position < h->layout->mesh.position_count; position++) {
        int dataset;

        if (!dtx_presence_holds(&held->presence, &h->layout->mesh, position)) {
            continue;
        }
        dataset = dtx_source_dataset(h->layout, h->catalog, held->name,
                                     position, &o->job->reader->paths);
        if (dataset == DTX_DATASET_MEMORY ||
            dtx_grow(&o->copies, o->count, &o->capacity, sizeof *o->copies) !=
                0) {
            return dtx_error_memory(err);
        }
        if (dataset >= 0 && seen_by[dataset] != object + 1) {
            seen_by[dataset] = object + 1;
            o->copies[o->count++] =
                (struct object_copy){object, position, dataset};
        }
    }
    return DTX_OK;
}

static enum dtx_status
list_all(struct objects *o, struct dtx_error *err)
{
    const struct dtx_holding *h = o->job->reader->holding;
    int *seen_by =
        dtx_alloc((size_t)h->catalog->dataset_count, sizeof *seen_by);
    enum dtx_status status = seen_by == NULL ? dtx_error_memory(err) : DTX_OK;
    int i;

    for (i = 0; i < h->object_count && status == DTX_OK; i++) {
        if (o->job->wanted == NULL || o->job->wanted[i]) {
            status = list_object(o, i, seen_by, err);
        }
    }
    dtx_free(seen_by);
    if (status == DTX_OK) {
        o->digests = dtx_alloc(o->count, sizeof *o->digests);
        o->is_unread = dtx_alloc(o->count, sizeof *o->is_unread);
        o->unread = dtx_alloc(UNREAD_MOST, sizeof *o->unread);
        status = o->digests == NULL || o->is_unread == NULL || o->unread == NULL
                     ? dtx_error_memory(err)
                     : DTX_OK;
    }
    return status;
}

/* ---------------------------------------------------------------- reading */

static void
describe(const struct objects *o, const struct object_copy *copy,
         struct dtx_error *err)
{
    const struct dtx_holding *h = o->job->reader->holding;
    char place[160];

    dtx_error_tensor(err, "'%s'", h->objects[copy->object].name);
    dtx_layout_describe_position(h->layout, copy->position, place,
                                 sizeof place);
    dtx_error_where(err, "%s", place);
}

static void
read_copy(struct objects *o, size_t index, struct dtx_error *err)
{
    struct dtx_storage *storage = o->job->reader->storage;
    enum dtx_status status = storage->ops->digest_object(
        storage, o->copies[index].dataset, &o->digests[index], err);

    if (status == DTX_OK) {
        return;
    }
    if (o->job->is_plain || status != DTX_ERR_SOURCE) {
        describe(o, &o->copies[index], err);
        turns_fail(&o->turns, status);
        return;
    }
    o->is_unread[index] = true;
    if (o->unread_count < UNREAD_MOST) {
        struct unread *unread = &o->unread[o->unread_count++];

        unread->copy = (int)index;
        snprintf(unread->message, sizeof unread->message, "%.511s",
                 err->message);
    }
}

/* ---------------------------------------------------------------- judging */

static void
blame(const struct objects *o, size_t index, const char *message)
{
    const struct dtx_holding *h = o->job->reader->holding;
    const struct object_copy *copy = &o->copies[index];

    findings_add(o->job->findings, h->objects[copy->object].name,
                 h->catalog->files[h->catalog->datasets[copy->dataset].file],
                 dtx_mesh_rank(&h->layout->mesh, copy->position), "%s",
                 message);
}

/* Adds to the findings what could not be read: why, of those of which it is
 * told, and of the others that. */
static enum dtx_status
blame_unread(struct objects *o, const struct unread *told, size_t told_count,
             struct dtx_error *err)
{
    bool *is_told = dtx_alloc(o->count, sizeof *is_told);
    size_t i;

    if (is_told == NULL) {
        return dtx_error_memory(err);
    }
    for (i = 0; i < told_count; i++) {
        is_told[told[i].copy] = true;
        blame(o, (size_t)told[i].copy, told[i].message);
    }
    for (i = 0; i < o->count; i++) {
        if (o->is_unread[i] && !is_told[i]) {
            blame(o, i, "it can't be read");
        }
    }
    dtx_free(is_told);
    return DTX_OK;
}

/* Tells all processes what could not be read, and adds it to the findings. */
static enum dtx_status
gather_unread(struct objects *o, struct dtx_error *err)
{
    struct dtx_transport *t = o->job->transport;
    char *bytes = NULL;
    size_t total;
    enum dtx_status status =
        engine_gather(t, DTX_OK, o->unread, o->unread_count * sizeof *o->unread,
                      &bytes, &total, err);

    if (status == DTX_OK) {
        status = blame_unread(o, (const struct unread *)(const void *)bytes,
                              total / sizeof(struct unread), err);
    }
    dtx_free(bytes);
    return status;
}

/* Holds all copies against the first that could be read. */
static void
judge(const struct objects *o)
{
    const struct dtx_holding *h = o->job->reader->holding;
    const struct object_copy *first = NULL;
    uint64_t expected = 0;
    char message[96];
    size_t i;

    for (i = 0; i < o->count; i++) {
        const struct object_copy *copy = &o->copies[i];

        if (o->is_unread[i]) {
            continue;
        }
        if (first == NULL || first->object != copy->object) {
            first = copy;
            expected = o->digests[i];
            if (o->job->digests != NULL) {
                o->job->digests[copy->object] = expected;
            }
        } else if (o->digests[i] != expected) {
            snprintf(message, sizeof message,
                     "it isn't like rank %" PRId64 "'s copy",
                     dtx_mesh_rank(&h->layout->mesh, first->position));
            blame(o, i, message);
        }
    }
}

static enum dtx_status
read_all(struct objects *o, struct dtx_error *err)
{
    enum dtx_status status;
    size_t i;

    turns_begin(&o->turns, o->job->transport, NULL, NULL);
    for (i = 0; i < o->count && !o->turns.is_over; i++) {
        if (turns_take(&o->turns, 0, err)) {
            read_copy(o, i, err);
        }
    }
    status = turns_settle(&o->turns, err);
    if (status == DTX_OK) {
        status = engine_combine(o->job->transport, o->digests, o->count, err);
    }
    if (status == DTX_OK) {
        status = engine_combine_flags(o->job->transport, o->is_unread, o->count,
                                      err);
    }
    return status == DTX_OK ? gather_unread(o, err) : status;
}

enum dtx_status
engine_digest_objects(struct objects_job *job, struct dtx_error *err)
{
    struct objects o = {.job = job};
    enum dtx_status status = list_all(&o, err);

    status = dtx_transport_settle(job->transport, status, err);
    if (status == DTX_OK) {
        status = read_all(&o, err);
    }
    if (status == DTX_OK) {
        judge(&o);
        status = job->findings->failed ? dtx_error_memory(err) : DTX_OK;
    }
    job->copy_count = (int64_t)o.count;
    dtx_free(o.copies);
    dtx_free(o.digests);
    dtx_free(o.is_unread);
    dtx_free(o.unread);
    return dtx_transport_settle(job->transport, status, err);
}
